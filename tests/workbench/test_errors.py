"""Every failure ends as one line that says what, where and what to do."""

from __future__ import annotations

import ast
import errno
import os

import pytest

from engines.core.errors import DataError, EngineError, ExpressionError, did_you_mean
from tests.source_trees import read_sources
from workbench.errors import explain, from_dict, one_line
from workbench.folders import crash_dir

RAISED = {"DataError", "EngineError", "UsageError", "WorkspaceError", "MissingError", "StoppedError"}
ENDED = {"E201", "E317", "E702", "E703"}


def test_one_line_has_code_place_failure_and_remedy() -> None:
    error = DataError("the file is empty", path="a\x1b[2J.txt", line=3, remedy="Name another.", code="E314")
    assert one_line(error) == "E314 a\\x1b[2J.txt:3: the file is empty. Name another."


def test_errors_cross_processes() -> None:
    error = ExpressionError("too deep", remedy="Shorten it.")
    again = from_dict(error.to_dict())
    assert again.to_dict() == error.to_dict()
    assert one_line(again) == one_line(error)


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (PermissionError(errno.EACCES, "denied", "/x"), "E311", 2),
        (FileNotFoundError(errno.ENOENT, "none", "/x"), "E312", 3),
        (OSError(errno.ENOSPC, "full", "/x"), "E310", 1),
        (MemoryError(), "E110", 1),
        (ModuleNotFoundError("No module named 'faiss'", name="faiss"), "E351", 3),
    ],
)
def test_known_failures_are_explained(error: BaseException, code: str, exit_code: int) -> None:
    explained = explain(error)
    assert (explained.code, explained.exit_code) == (code, exit_code)
    assert explained.remedy
    assert not crash_dir().exists()


def test_unknown_failures_leave_a_crash_file() -> None:
    try:
        {}["nothing"]
    except KeyError as error:
        explained = explain(error)
    (report,) = crash_dir().iterdir()
    assert str(report) in explained.remedy
    assert "test_errors.py" in report.read_text()


def test_a_crash_file_names_a_secret_and_does_not_repeat_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHWB_LLM_KEY", "sk-very-secret\n")
    monkeypatch.setenv("HF_TOKEN", "hf_also_secret")
    explained = explain(ValueError("Invalid header value b'Bearer sk-very-secret', then hf_also_secret"))
    (report,) = crash_dir().iterdir()
    for text in (str(explained), report.read_text()):
        assert "secret'" not in text
        assert "also_secret" not in text
        assert "Bearer (MATHWB_LLM_KEY)" in text


def test_a_crash_file_that_cannot_be_written_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATHWB_HOME", os.devnull)
    assert "unexpected ValueError: why" in explain(ValueError("why")).what


def test_hints_are_close_or_absent() -> None:
    assert did_you_mean("thme", ["theme", "fps"]) == "Did you mean 'theme'?"
    assert did_you_mean("zzz", ["theme", "fps"]) == ""


def test_explained_errors_stay_themselves() -> None:
    error = EngineError("known")
    assert explain(error) is error


@pytest.mark.slow
def test_what_a_user_can_mend_comes_with_a_remedy() -> None:
    """Left out: rows, whose reason is all there is to say of them; what the program itself ships or ends."""
    itself = {"egen/rules/table.py", "egen/egraph/process.py", "formula/symbols.py"}
    without = []
    for file, tree in read_sources(*(f"{name}(" for name in RAISED)):
        if any(file.endswith(f"/{one}") for one in itself):
            continue
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            if node.func.id not in RAISED:
                continue
            given = {word.arg: ast.unparse(word.value) for word in node.keywords}
            if "remedy" in given or given.get("code", "")[1:-1] in ENDED:
                continue
            without.append(f"{file}:{node.lineno}: {ast.unparse(node.args[0])}")
    assert without == []
