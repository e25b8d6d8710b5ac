"""AMPS in the layout in which it is published, with exercises written here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.arqmath.training.corpora import Exercise, read_amps
from engines.core.errors import DataError
from engines.forum.readers import Report


@pytest.fixture
def amps(tmp_path: Path) -> Path:
    files = {
        "mathematica/algebra/lines/2.txt": "Problem:\nSolve $2 x=6$.\nAnswer:\n$\\{\\{x\\to 3\\}\\}$\n",
        "mathematica/algebra/lines/10.txt": (
            "Problem:\nSimplify\n$\\frac{4}{2}$.\n\nAnswer:\nDivide by 2:\n\nAnswer: 2\nAnswer:\nIt is $2$\n"
        ),
        "mathematica/algebra/lines/3.txt": "Solve $x=1$.",
        "mathematica/algebra/lines/4.txt": "Problem:\nSolve $x=1$.\nAnswer:\n",
        "khan/504/1.json": json.dumps({"problem": "Add $1+1$. ", "hints": ["Count.", " ", "It is $2$."]}),
        "khan/504/2.json": json.dumps({"question": "Add $1+2$.", "solution": "It is $3$."}),
        "khan/504/3.json": "{",
        "khan/504/4.json": json.dumps({"problem": "?", "hints": []}),
        "khan/504/5.json": "[1]",
        "README.md": "no exercise",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (tmp_path / "khan/504/6.json").write_bytes(b"\xff\xfe")
    return tmp_path


def test_exercises_of_both_parts(amps: Path) -> None:
    report = Report()
    found = list(read_amps(amps, report))
    assert found == [
        Exercise("khan", "504", "Add $1+1$.", ("Count.", "It is $2$.")),
        Exercise("khan", "504", "Add $1+2$.", ("It is $3$.",)),
        Exercise("mathematica", "lines", "Solve $2 x=6$.", ("$\\{\\{x\\to 3\\}\\}$",)),
        Exercise("mathematica", "lines", "Simplify\n$\\frac{4}{2}$.", ("Divide by 2:", "Answer: 2")),
        Exercise("mathematica", "lines", "Simplify\n$\\frac{4}{2}$.", ("It is $2$",)),
    ]
    assert (report.read, report.bad) == (4, 6)
    assert any("khan/504/6.json: not UTF-8" in reason for _, reason in report.first)
    assert found[0].solution == "Count.\nIt is $2$."
    assert found[0].segments == ["Add $1+1$.", "Count.", "It is $2$."]


def test_one_part_alone_is_read_too(amps: Path) -> None:
    assert {exercise.source for exercise in read_amps(amps / "khan", Report())} == {"khan"}


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DataError):
            list(read_amps(folder, Report()))
