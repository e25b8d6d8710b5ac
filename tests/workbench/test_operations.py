"""What holds for every operation: its specification, its settings and its line for the shell."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import EngineError
from engines.core.spec import describe_fields, read, to_mapping
from engines.retrieval.trec import read_run
from tests.conftest import expect_error
from tests.workbench.operation_samples import SAMPLES
from workbench.operations import all_operations, command_line, find_operation, option_name, to_plain
from workbench.paper import all_papers, load
from workbench.workspace import Workspace

ROWS = sorted(row.name for paper in all_papers() for row in paper.load_operations())


def run(name: str, line: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """The command of an operation in this process: its exit code and its document."""
    from workbench.cli.command import app

    words = name.split(".")
    assert line[: len(words)] == words
    code = app([*words, "--json", *line[len(words) :]], standalone_mode=False) or 0
    out = capsys.readouterr().out
    if find_operation(name).json_lines:
        return code, [json.loads(row) for row in out.splitlines()]
    return code, json.loads(out)


def command_line_words(row: Any, given: dict[str, Any]) -> list[str]:
    """What a yank copies, as words without `mathwb`; it parses back to the same spec."""
    import shlex

    return shlex.split(command_line(row, read(row.spec_type, given)))[1:]


def test_specs_are_light() -> None:
    """What holds specs loads no library that takes long, so that commands and forms open at once."""
    code = """
import sys
from workbench.operations import all_operations
heavy = set("textual torch numpy pyarrow egglog sympy numba spacy transformers faiss scipy typer".split())
for row in all_operations().values():
    row.spec_type
    if heavy & set(sys.modules):
        sys.exit(f"{row.name} loads {heavy & set(sys.modules)}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ROWS)
def test_the_spec_is_complete(name: str) -> None:
    row = find_operation(name)
    assert inspect.getdoc(row.spec_type)
    for field in describe_fields(row.spec_type):
        assert field.arg.help or field.arg.hidden, field.name
    for target in (row.call, row.text, row.document, row.resolve, row.code):
        if target:
            assert callable(load(target))
    first = next(iter(inspect.signature(load(row.call)).parameters))
    assert first == "spec"
    assert sys.modules[row.spec_type.__module__].__doc__


@pytest.mark.parametrize("name", ROWS)
def test_an_unknown_setting_is_refused(name: str) -> None:
    with pytest.raises(EngineError) as caught:
        find_operation(name).resolve_spec({"no_such_setting": 1})
    assert (caught.value.code, caught.value.exit_code) == ("E424", 2)


def test_settling_twice_changes_nothing(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHWB_HOME", str(home))
    for name in ROWS:
        row = find_operation(name)
        (place := tmp_path / name).mkdir()
        once = row.resolve_spec(SAMPLES[name](Workspace.open().root, place))
        assert row.resolve_spec(to_plain(to_mapping(once))) == once, name


def test_an_unknown_operation_gets_a_hint() -> None:
    with pytest.raises(EngineError) as caught:
        find_operation("egen.stat")
    assert caught.value.code == "E410"
    assert "egen.stats" in caught.value.remedy


@given(text=st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20))
def test_a_yanked_line_parses_back(text: str) -> None:
    import shlex

    row = find_operation("egen.corpus")
    spec = read(row.spec_type, {"out": "x", "templates": text, "members": 3})
    words = shlex.split(command_line(row, spec))
    assert words[:3] == ["mathwb", "egen", "corpus"]
    assert f"--templates={text}" in words


@pytest.mark.parametrize("name", ["mathamr.fuse", "arqmath.fuse"])
def test_what_is_read_is_not_overwritten(name: str, tmp_path: Path) -> None:
    runs = [tmp_path / "a.tsv", tmp_path / "b.tsv"]
    for run in runs:
        run.write_text("B.1 Q0 x 1 4 a\nB.1 Q0 y 2 3 a\n")
    (tmp_path / "same.tsv").symlink_to(runs[0])
    row, before = find_operation(name), runs[0].read_text()
    for out in (runs[0], tmp_path / "same.tsv"):
        with expect_error("E427"):
            row.run({"runs": [str(run) for run in runs], "out": str(out)})
    assert runs[0].read_text() == before
    row.run({"runs": [str(run) for run in runs], "out": str(tmp_path / "c.tsv")})
    assert read_run(tmp_path / "c.tsv").rankings["B.1"]


def test_half_of_a_pair_is_shown_and_refused_where_it_is_read(tmp_path: Path) -> None:
    """JSON may hold it, and the command line bytes that are not UTF-8."""
    assert to_plain({"text": "\ud800", "number": 1}) == {"text": "\ud800", "number": 1}
    with expect_error("E424"):
        find_operation("mathamr.parse").resolve_spec({"text": "a \udcff"})
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": "1", "latex": "x"}\n{"id": "2", "latex": "\\ud800"}\n')
    with expect_error("E317", where=f"{file}:2"):
        find_operation("mathamr.opt").run({"file": str(file)})


def test_what_is_written_is_marked_as_such() -> None:
    """A job of somebody else writes to its run folder alone, which this mark alone decides."""
    of_paths = [
        (row.name, option_name(field), field.arg.writes)
        for row in all_operations().values()
        for field in describe_fields(row.spec_type)
        if field.kind is Path
    ]
    named = {"--out", "--plot", "--write", "--publish"}
    read = [one for one in of_paths if one[1] in named and not one[2]]
    assert not read
    others = {one[:2] for one in of_paths if one[2] and one[1] not in named}
    assert others == {
        ("egen.export", "--file"),
        ("arqmath.prepare", "--index"),
        ("proofread", "--sarif"),
        ("proofread", "--html"),
        ("proofread", "--write-baseline"),
    }
