"""The command line: data on stdout, talk on stderr, one line per failure, the right exit code."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.testing import CliRunner

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.core.spec import Arg
from tests.conftest import mathwb
from workbench import __version__
from workbench.cli import command as common
from workbench.cli.command import (
    COMMANDS,
    operation_command,
    paper_group,
    print_result,
    progress_line,
    progress_text,
)
from workbench.cli.command import app as root
from workbench.cli.command_groups import CommandEntry, lazy_group
from workbench.cli.failures import guard_command
from workbench.config import set_value
from workbench.folders import config_file, default_workspace
from workbench.operations import Operation
from workbench.paper import all_papers
from workbench.tables import align_rows

MATHWB = [sys.executable, "-c", "from workbench.cli import main; main()"]


@pytest.mark.parametrize(
    ("locale", "shown"),
    [
        ({"PYTHONUTF8": "0", "LC_ALL": "C"}, "größe-∫"),
        ({"PYTHONIOENCODING": "ascii"}, r"gr\xf6\xdfe-\u222b"),
    ],
)
def test_every_locale_will_do(locale: dict[str, str], shown: str) -> None:
    """What a locale does not know is escaped; one that knows nothing but ASCII is done without."""
    command = [*MATHWB, "data", "check", "größe-∫.tsv"]
    done = subprocess.run(
        command, env={**os.environ, **locale}, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, shown in done.stderr, "E900" in done.stderr) == (3, True, False), done.stderr


@dataclass(frozen=True, slots=True)
class ChooseColours:
    """Choose colours."""

    colours: Annotated[tuple[Literal["red", "green"], ...], Arg("Which of them.")] = ()


def choose_colours(spec: ChooseColours) -> dict[str, Any]:
    """Return what was chosen."""
    return {"colours": list(spec.colours)}


def test_an_option_takes_several_of_its_choices_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    app = typer.Typer()
    app.command()(operation_command(Operation("choose", "Choose.", f"{__name__}:choose_colours")))
    run = CliRunner()
    chosen = run.invoke(app, ["--colours", "red", "--colours", "green", "--json"])
    assert json.loads(chosen.stdout)["colours"] == ["red", "green"]
    assert "[red|green]" in run.invoke(app, ["--help"]).stdout
    other = run.invoke(app, ["--colours", "blue"])
    assert isinstance(other.exception, EngineError)
    assert "not one of red, green" in other.exception.what


def test_version_and_help_answer() -> None:
    assert mathwb("--version").stdout == f"mathwb {__version__}\n"
    text = mathwb("--help").stdout
    for entry in COMMANDS:
        assert entry.name in text
        assert entry.help in " ".join(text.split())


def test_help_of_every_command_loads_nothing_heavy() -> None:
    code = (
        "import sys, importlib, typer\n"
        "from workbench.operations import all_operations\n"
        "from workbench.cli.command import COMMANDS\n"
        "for row in all_operations().values(): row.spec_type\n"
        "for entry in COMMANDS:\n"
        "    try: entry.made()\n"
        "    except ModuleNotFoundError as error:\n"
        "        if not error.name.startswith('workbench'): raise\n"
        "heavy = 'textual torch numpy pyarrow egglog sympy numba spacy transformers faiss rich'.split()\n"
        "print(*[name for name in heavy if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout.split() == []


def test_without_a_terminal_the_screens_say_what_to_do() -> None:
    result = mathwb()
    assert result.returncode == 2
    assert result.stdout == ""
    assert "mathwb tour" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def every_command(group: Any, context: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """All commands and groups of the command line, each with the context above it."""
    yield group, context
    if not hasattr(group, "list_commands"):
        return
    here = group.context_class(group, info_name=" ".join(("mathwb", *names)))
    for name in group.list_commands(here):
        yield from every_command(group.get_command(here, name), here, (*names, name))


def test_an_option_of_one_value_is_given_once() -> None:
    """By any command: of two values the library takes the last without a word."""
    tried = set()
    for command, context in every_command(typer.main.get_command(root), None):
        for option in (param for param in command.params if param.param_type_name == "option"):
            if option.is_flag and not option.secondary_opts:
                continue
            one = [option.opts[0]] if option.is_flag else [option.opts[0], "1"]
            other = [option.secondary_opts[0]] if option.is_flag else one
            try:
                said = str(command.make_context(command.name, [*one, *other], parent=context))
            except Exception as error:  # whatever else is wrong with it
                said = str(error)
            assert ("is given 2 times" in said) is not option.multiple, (command.name, one)
            tried.add((command.name, option.opts[0], option.multiple))
    assert len(tried) > 200
    for known in (("eval", "--qrels", False), ("rank", "--qrels", True), ("list", "--where", False)):
        assert known in tried


def test_an_option_that_is_given_again_is_refused_in_one_line() -> None:
    for words in (
        ("arqmath", "eval", "a", "--qrels", "one", "--qrels", "two"),
        ("--workspace", "one", "--workspace", "two", "jobs", "list"),
    ):
        result = mathwb(*words)
        assert (result.returncode, result.stdout) == (2, "")
        assert "is given 2 times, but only one is allowed" in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_an_unknown_command_gets_a_hint() -> None:
    result = mathwb("confg")
    assert result.returncode == 2
    assert "'config'" in result.stderr


def test_config_shows_the_origin_of_every_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHWB_THEME", "light")
    assert mathwb("config", "set", "fps", "15").returncode == 0
    settings = json.loads(mathwb("config", "show", "--json").stdout)["settings"]
    assert settings["fps"] == {"value": 15, "origin": "file", "source": str(config_file())}
    assert settings["theme"] == {"value": "light", "origin": "environment", "source": "MATHWB_THEME"}
    assert settings["ascii"]["origin"] == "default"
    assert mathwb("config", "path").stdout.strip() == str(config_file())


@pytest.mark.slow
def test_data_from_adding_to_removing(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("sin x\nsin (\n")
    added = mathwb("data", "add", "expressions", path, "--json")
    document = json.loads(added.stdout)
    assert (document["counts"]["records"], document["bad"]) == (1, 1)
    assert f"{path}:2" in added.stderr
    assert "mine" in mathwb("data", "list").stdout
    path.unlink()
    checked = mathwb("data", "check", "--json")
    assert checked.returncode == 3
    assert json.loads(checked.stdout)[0]["state"] == "unusable"
    assert mathwb("data", "remove", "mine").returncode == 0
    assert json.loads(mathwb("data", "list", "--json").stdout) == []


def test_a_failure_is_one_line_and_with_json_a_document(tmp_path: Path) -> None:
    (tmp_path / "workspace.toml").write_text("version = 99\n")
    result = mathwb("--workspace", tmp_path, "data", "list", "--json")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("E503 ")
    error = json.loads(result.stdout)["error"]
    assert error["code"] == "E503"
    assert error["where"] == str(tmp_path)
    assert error["remedy"]


def test_the_doctor_reports_and_ends_well() -> None:
    result = mathwb("doctor", "--json")
    document = json.loads(result.stdout)
    assert document["ok"] == (result.returncode == 0)
    findings = {finding["name"]: finding for finding in document["findings"]}
    assert {"python", "packages", "names", "workspace", "disk", "terminal", "settings"} <= findings.keys()
    assert all(f["remedy"] for f in document["findings"] if f["state"] in ("wrong", "missing"))
    assert not default_workspace().exists(), "looking must not make anything"


def test_a_reader_that_leaves_early_causes_no_noise() -> None:
    result = subprocess.run(
        ["bash", "-c", '"$@" | head -c 1; echo " ${PIPESTATUS[0]}"', "-", *MATHWB, "config", "show"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stderr == ""
    assert result.stdout == "s 0\n"


def test_output_to_a_full_disk_is_said_once() -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*MATHWB, "config", "show"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert result.returncode == 1
    assert result.stderr.startswith("E310 output: the disk is full")
    assert len(result.stderr.splitlines()) == 1


def test_interruption_is_130() -> None:
    code = (
        "import os, signal, typer\n"
        "from workbench.cli.failures import guard_command\n"
        # Whatever runs the tests in the background may have this signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "app = typer.Typer()\n"
        "@app.command()\n"
        "@guard_command\n"
        "def run(): os.kill(os.getpid(), signal.SIGINT)\n"
        "app()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.returncode == 130
    assert "Traceback" not in result.stderr


def test_no_stack_trace_reaches_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    @guard_command
    def broken() -> None:
        raise ZeroDivisionError("division by zero")

    with pytest.raises(typer.Exit) as caught:
        broken()
    assert caught.value.exit_code == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("E900 unexpected ZeroDivisionError: division by zero. The details are in")


def test_guard_keeps_the_exit_code_of_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    @guard_command
    def lost() -> None:
        raise EngineError("the job is lost", exit_code=4)

    with pytest.raises(typer.Exit) as caught:
        lost()
    assert caught.value.exit_code == 4


def test_expressions_may_begin_with_minus(capsys: pytest.CaptureFixture[str]) -> None:
    group = typer.Typer(cls=lazy_group([CommandEntry("echo", "", lambda: echo, expressions=True)]))
    group.callback()(lambda: None)
    for words in (
        ["- tanh - * 3 x -4 6", "--json"],
        ["--json", "- tanh - * 3 x -4 6"],
        ["-3", "--seed", "-1"],
    ):
        with pytest.raises(SystemExit) as caught:
            group(["echo", *words])
        assert caught.value.code == 0
    assert capsys.readouterr().out.splitlines() == [
        '["- tanh - * 3 x -4 6", 0]',
        '["- tanh - * 3 x -4 6", 0]',
        '["-3", -1]',
    ]


def echo(expression: str, seed: int = 0, as_json: common.JsonOption = False) -> None:
    print_result([expression, seed], True)


def test_settings_are_the_defaults_of_generate_and_options_win(capsys: pytest.CaptureFixture[str]) -> None:
    set_value("egen.mode", "common")
    for words in ([], ["--mode", "paper", "--max-tokens", "9"]):
        app = paper_group(all_papers()[0])
        with pytest.raises(SystemExit):
            app(["generate", "x", "--members", "1", "--nodes", "20", "--json", *words])
    configs = [json.loads(line)["config"] for line in capsys.readouterr().out.splitlines()]
    assert [(one["mode"], one["max_tokens"]) for one in configs] == [("common", 25), ("paper", 9)]


def test_json_is_strict_and_safe(capsys: pytest.CaptureFixture[str]) -> None:
    print_result({"a": float("nan"), "b": [float("inf"), 1.5], "c": "\u202e π"}, True)
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": None, "b": [None, 1.5], "c": "\u202e π"}
    assert text.isascii()


def test_text_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(None, False, text=["a\x1b[2Jb", "c\rd"])
    assert capsys.readouterr().out == "a\\x1b[2Jb\nc\\rd\n"


def test_tables_align_numbers_to_the_right() -> None:
    assert align_rows(("name", "count"), [("a", 12000), ("longer", 7)]) == [
        "name     count",
        "a       12,000",
        "longer       7",
    ]


def test_progress_says_rate_and_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    text = progress_text({"done": 1200, "total": 4944, "unit": "heads"}, 148.0)
    assert text == "1,200/4,944 heads 24% 8.11/s 7m42s left"
    gone_on = progress_text({"done": 1200, "total": 4944, "unit": "heads"}, 100.0, before=1000)
    assert gone_on == "1,200/4,944 heads 24% 2/s 31m12s left"
    sink = progress_line("corpus")
    sink(Event("progress", {"done": 5, "total": 5}))
    sink(Event("warning", {"message": "head\x1b left out"}))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[0].startswith("corpus 5/5")
    assert shown.err.splitlines()[1] == "head\\x1b left out"


def test_every_egen_command_has_a_line_of_help() -> None:
    names = [row.name.removeprefix("egen.") for row in all_papers()[0].load_operations()]
    assert {"generate", "verify", "rules", "corpus", "stats", "find", "import", "export"} <= set(names)
    assert len(names) == len(set(names))
    assert all(row.help for row in all_papers()[0].load_operations())


def test_the_first_interrupt_asks_and_the_second_ends(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        stop = common.stop_on_interrupt()
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("egen", "generate", "x", "--xyz", "1"), "no option --xyz"),
        (("egen", "find", ".", "x", "--josn"), "no option --josn"),
        (("mathamr", "search", ".", "-x^2", "--kk", "3"), "No such option: --kk"),
        (("egen", "stats"), "Missing argument"),
        (("egen", "corpus"), "--out"),
        (("egen", "genrate"), "'generate'"),
        (("jobs", "show", "first"), "integer"),
        (("--nosuch",), "--nosuch"),
        (("derive",), "Did you mean 'egen derive'?"),
        (("egen", "search"), "Did you mean 'arqmath search' or 'mathamr search'?"),
    ],
)
def test_a_wrong_command_line_is_one_line(arguments: tuple[str, ...], says: str) -> None:
    result = mathwb(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("E")
    assert "--help" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--members", "many"), "E424 --members is 'many', and a whole number is needed"),
        (("--members", str(10**20)), "E424 --members is 100000000000000000000, and at most 1,000,000"),
        (("--mode", "strikt"), "Did you mean 'strict'?"),
        (("--sede", "1"), "E400 there is no option --sede. Did you mean '--seed'?"),
    ],
)
def test_a_wrong_option_is_one_line_that_says_what_would_be_right(
    arguments: tuple[str, ...], says: str
) -> None:
    result = mathwb("egen", "generate", "x", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_wrong_command_line_is_a_document_too() -> None:
    result = mathwb("egen", "stats", "--json")
    error = json.loads(result.stdout)["error"]
    assert (error["code"], error["exit_code"], result.returncode) == ("E400", 2, 2)
    assert "Missing argument" in error["what"]


def test_a_group_alone_answers_with_its_help() -> None:
    result = mathwb("jobs")
    assert result.returncode == 2
    assert "Commands:" in result.stderr
    assert "\\n" not in result.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_output_is_no_fault(closed: str) -> None:
    command = " ".join(map(shlex.quote, [*MATHWB, "config", "path"]))
    result = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_what_is_assumed_in_several_options_holds_together() -> None:
    words = ("egen", "derive", "sqrt(x^2)*sqrt(y^2)", "x*y", "--json", "--assume", "x > 0")
    alone = json.loads(mathwb(*words).stdout)
    assert alone["steps"] == []
    assert alone["counterexample"]["at"]["y"] < 0
    both = json.loads(mathwb(*words, "--assume", "y > 0").stdout)
    assert both["steps"][-1]["infix"] == "x*y"
