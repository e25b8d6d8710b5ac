"""A paper is registered by one name or one entry point; an installed one proves that all else follows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.core.events import ignore, never
from workbench import config, paper, workspace
from workbench.cli import command as lazy
from workbench.cli.command import COMMANDS
from workbench.config import load_config, own_config, set_value
from workbench.doctor import examine_installation
from workbench.jobs.worker import perform_recipe
from workbench.operations import Guide, all_operations
from workbench.papers import PAPERS
from workbench.recipes import list_recipes, load_recipe
from workbench.train import data_path
from workbench.workspace import Workspace, ensure_sample

ROOT = Path(__file__).resolve().parents[2]
_CACHED = (
    paper.all_papers,
    paper.added_papers,
    paper.all_trainers,
    paper.all_references,
    paper.data_keys,
    all_operations,
    workspace.all_kinds,
    config.all_settings,
)


def _forget() -> None:
    for cached in _CACHED:
        cached.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "words_paper"]:
        del sys.modules[name]


@pytest.fixture
def words(own_paper: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workbench with one paper more, which is installed."""
    monkeypatch.syspath_prepend(own_paper)
    _forget()
    workspace = Workspace.open()
    ensure_sample(workspace)
    yield workspace
    _forget()


def test_its_operation_is_a_command_with_help_ranges_and_choices(
    words: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    app = lazy.paper_group(paper.all_papers()[-1])
    assert app(["count", "sample-t", "--json"], standalone_mode=False) is None
    assert json.loads(capsys.readouterr().out) == {"words": 7, "complete": True}
    app(["count", "--help"], standalone_mode=False)
    assert "--least" in (shown := capsys.readouterr().out)
    assert "Count words of so many letters and more." in shown
    assert "--detach" in shown


def test_its_setting_is_a_default_of_its_command(
    words: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_value("words.least", "5")
    assert load_config().get("words.least") == 5
    app = lazy.paper_group(paper.all_papers()[-1])
    app(["count", "sample-t"], standalone_mode=False)
    assert capsys.readouterr().out == "4 words\n"
    monkeypatch.setenv("MATHWB_WORDS_LEAST", "6")
    assert own_config().get("words.least") == 6


def test_its_recipe_is_a_job(words: Workspace, tmp_path: Path) -> None:
    (recipe,) = (one for one in list_recipes() if one.name == "words/count")
    assert load_recipe("words/count") == recipe
    assert perform_recipe(recipe, tmp_path, events=ignore, stop=never) == (
        {"words": 5, "complete": True},
        False,
    )
    assert perform_recipe(recipe, tmp_path, events=ignore, stop=lambda: True)[1]
    own = tmp_path / "own.toml"
    own.write_text('extends = "words/count"\n[params]\nleast = 9\n')
    assert load_recipe(str(own)).params == {**recipe.params, "least": 9}


def test_its_data_its_sample_and_its_doctor_are_known(words: Workspace) -> None:
    text = words.root / "texts" / "sample-t" / "text.txt"
    assert ("text", text) in words.list_own_data()
    assert words.data.add_entry("text", text, name="mine").data.counts == {"records": 7}
    assert data_path(words, "text", "sample-t") == text
    findings = {finding.name: finding.what for finding in examine_installation()}
    assert findings["words"] == "words can be counted"
    assert findings["papers"] == "words is added by another package"
    assert "1 texts" in findings["workspace"]


def test_the_tour_stops_there(words: Workspace) -> None:
    lines: list[str] = []
    guide = Guide(lines.append, lines.append)
    paper.load(paper.all_papers()[-1].tour)(guide, words)
    assert lines[1] == "   7 words"
    assert guide.stops[0]["result"] == {"words": 7, "complete": True}


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("paper.py", "from mathwb", "import no_such_thing\nfrom mathwb", "no_such_thing"),
        ("paper.py", "PAPER = Paper(", "PAPER = dict(", "is no Paper"),
        ("paper.py", 'name="words"', 'name="jobs"', "is a command of mathwb itself"),
        ("paper.py", 'name="words"', 'name="egen"', "the name 'egen' is taken"),
        ("data.py", 'Kind("text"', 'Kind("corpus"', "the kind of data 'corpus' is taken"),
        ("data.py", "from collections", "raise SystemExit(3)\nfrom collections", "SystemExit"),
        ("paper.py", '"words.count",\n', '"other.count",\n', "does not start with 'words'"),
    ],
)
def test_a_paper_that_cannot_be_used_is_reported_and_the_rest_works(
    own_paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, says: str
) -> None:
    _spoil(own_paper, tmp_path, file, old, new)
    monkeypatch.syspath_prepend(tmp_path / "site")
    _forget()
    try:
        assert paper.all_papers() == paper.own_papers()
        (problem,) = paper.added_papers()[1]
        assert problem.code == "E412"
        assert (problem.where, says in problem.what) == ("the paper words", True)
        (finding,) = (one for one in examine_installation() if one.name == "papers")
        assert (finding.state, says in finding.what) == ("missing", True)
    finally:
        _forget()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("count.py", "from mathwb.core.events", "from no_such_thing"),
        ("screen.py", "from textual.widgets", "from no_such_thing"),
        ("recipes/words/count.toml", "task", "tusk"),
        ("data.py", 'yield DoctorFinding("words"', 'raise ValueError("words"'),
    ],
)
def test_doctor_finds_what_only_shows_later(
    own_paper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str
) -> None:
    _spoil(own_paper, tmp_path, file, old, new)
    monkeypatch.syspath_prepend(tmp_path / "site")
    _forget()
    try:
        assert [one.name for one in paper.all_papers()] == [*PAPERS, "words"]
        assert list_recipes()
        assert "wrong" in [one.state for one in examine_installation() if one.name == "papers"]
    finally:
        _forget()


def _spoil(own_paper: Path, tmp_path: Path, file: str, old: str, new: str) -> None:
    shutil.copytree(own_paper, tmp_path / "site")
    path = tmp_path / "site" / "words_paper" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_broken_paper_is_one_warning_of_every_command(own_paper: Path, tmp_path: Path) -> None:
    _spoil(own_paper, tmp_path, "paper.py", "from mathwb", "import no_such_thing\nfrom mathwb")
    done = subprocess.run(
        [sys.executable, "-c", "from workbench.cli import main; main()", "config", "show"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "theme" in done.stdout) == (0, True)
    assert done.stderr.splitlines() == [
        "E412 the paper words: ModuleNotFoundError: No module named 'no_such_thing'. "
        "Update or uninstall the package that adds it."
    ]


def test_names_of_commands_are_no_names_of_papers() -> None:
    assert set(paper.COMMANDS) == {entry.name for entry in COMMANDS} - {*PAPERS} | {"picture"}


def test_the_import_contract_knows_every_paper() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(one for one in tool["contracts"] if one["name"].startswith("papers"))["layers"]
    assert layers[0].split(" | ") == [f"engines.{name}" for name in PAPERS]
    inside = {path.name for path in (ROOT / "engines").iterdir() if (path / "__init__.py").exists()}
    assert inside == {name.strip().removeprefix("engines.") for row in layers for name in row.split("|")}
