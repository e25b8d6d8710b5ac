"""Settings say where they come from, and a wrong one says what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.errors import EngineError
from tests.conftest import expect_error
from workbench.config import KEYS, load_config, set_value
from workbench.errors import UsageError
from workbench.folders import cache_dir, config_dir, config_file, data_dir, default_workspace, state_dir


def test_what_could_not_be_used_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, broken = tmp_path / "own.py", tmp_path / "broken.py"
    own.write_text("def rows(run, event): ...\nraise SystemExit('it is not run')\n")
    broken.write_text("def rows(:\n")
    monkeypatch.chdir(tmp_path)
    for name, value in (
        ("reporters", "/etc/passwd:x"),
        ("reporters", "tensorboard,nobody"),
        ("reporters", f"{own}:other"),
        ("reporters", f"{broken}:rows"),
        ("reporters", f"{tmp_path}/none.py:rows"),
        ("job_slots", "9" * 25),
        ("workspace", str(own)),
        ("mathamr.amr_model", str(own)),
    ):
        with pytest.raises(EngineError) as caught:
            set_value(name, value)
        assert caught.value.code in ("E421", "E627"), caught.value
    assert not config_file().exists()
    assert set_value("reporters", " tensorboard, own.py:rows,").value == f"tensorboard,{own}:rows"
    assert set_value("workspace", "mine").value == str(tmp_path / "mine")
    assert set_value("workspace", "").value == ""


def test_environment_wins_over_file_wins_over_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def origin() -> tuple[object, str]:
        setting = load_config().settings["egen.max_tokens"]
        return setting.value, setting.origin

    assert origin() == (25, "default")
    set_value("egen.max_tokens", "19")
    assert origin() == (19, "file")
    monkeypatch.setenv("MATHWB_EGEN_MAX_TOKENS", "11")
    assert origin() == (11, "environment")
    assert load_config().settings["egen.max_tokens"].source == "MATHWB_EGEN_MAX_TOKENS"


def test_setting_one_value_keeps_the_others() -> None:
    config_dir().mkdir(parents=True)
    config_file().write_text('theme = "light"\n[keymap]\n"jobs.stop" = "z"\n')
    set_value("ascii", "yes")
    set_value("keymap.app.quit", "Q")
    config = load_config()
    assert config.get("theme") == "light"
    assert config.get("ascii") is True
    assert config.keymap == {"jobs.stop": "z", "app.quit": "Q"}


def test_comments_and_order_stay() -> None:
    config_dir().mkdir(parents=True)
    lines = [
        "# my settings",
        "fps = 3 # on the train",
        "",
        "# keys",
        "[keymap.jobs] # as in vi",
        'stop = "z" # the old one',
        "",
        "[egen]",
        "max_tokens = 19",
        "# the end",
    ]
    config_file().write_text("\n".join(lines) + "\n")
    set_value("fps", "30")
    set_value("keymap.jobs.stop", "Z")
    set_value("egen.max_tokens", "21")
    lines[1], lines[5], lines[8] = "fps = 30 # on the train", 'stop = "Z" # the old one', "max_tokens = 21"
    assert config_file().read_text().splitlines() == lines
    set_value("theme", "light")
    written = config_file().read_text().splitlines()
    assert written == ['theme = "light"', "", *lines]
    config = load_config()
    assert (config.get("theme"), config.get("fps"), config.keymap) == ("light", 30, {"jobs.stop": "Z"})
    assert not config.problems


@pytest.mark.parametrize("text", ["keymap = 5\n", 'keymap = "abc"\n', "[[keymap]]\nx = 1\n"])
def test_a_file_without_room_for_a_setting_stays_as_it_is(text: str) -> None:
    config_dir().mkdir(parents=True)
    config_file().write_text(text)
    with pytest.raises(UsageError) as caught:
        set_value("keymap.jobs.stop", "z")
    assert caught.value.code == "E422"
    assert 'keymap.jobs.stop = "z"' in caught.value.remedy
    assert config_file().read_text() == text


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("thme", "dark", "theme"),
        ("egen.mode", "strickt", "strict"),
        ("theme", "lihgt", "light"),
        ("fps", "many", ""),
        ("fps", "-1", ""),
    ],
)
def test_wrong_settings_are_refused_and_not_written(name: str, value: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        set_value(name, value)
    assert caught.value.exit_code == 2
    assert remedy in caught.value.remedy
    assert not config_file().exists()


def test_a_wrong_line_in_the_file_leaves_the_others_working() -> None:
    config_dir().mkdir(parents=True)
    config_file().write_text('theem = "x"\nfps = "fast"\nascii = true\n')
    config = load_config()
    assert config.get("ascii") is True
    assert config.get("fps") == 0
    assert {problem.where for problem in config.problems} == {str(config_file())}
    assert len(config.problems) == 2


@pytest.mark.parametrize("text", ["theme = ", "\udcff"])
def test_a_file_that_is_no_toml_is_named(text: str) -> None:
    config_dir().mkdir(parents=True)
    config_file().write_bytes(text.encode("utf-8", "surrogateescape"))
    with expect_error("E422") as caught:
        load_config()
    assert caught.value.where == str(config_file())


def test_every_key_is_described_and_in_range() -> None:
    for key in KEYS:
        assert key.help
        assert not key.choices or key.default in key.choices


def test_one_variable_moves_every_user_folder(user_home: Path) -> None:
    for folder in (
        data_dir,
        config_dir,
        state_dir,
        cache_dir,
        default_workspace,
    ):
        assert user_home in folder().parents


def test_without_it_the_platform_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MATHWB_HOME")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file() == tmp_path / "mathwb" / "config.toml"


@pytest.mark.parametrize(("name", "value"), [("egen.max_tokens", "2000"), ("fps", "100000")])
def test_numbers_that_make_no_sense_are_refused(name: str, value: str) -> None:
    with expect_error("E421"):
        set_value(name, value)
