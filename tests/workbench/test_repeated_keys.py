"""A key that stands twice in a row of JSON is refused with its line, whoever reads the row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines.core.errors import DataError

TWICE = "stands twice in one object"
_PROBLEM = '{"text": "Tom has 3 pens and 4 cups.", "equation": "3+4", "answer": 7}'
_PROBLEM_TWICE = _PROBLEM.replace("7}", '7, "answer": 8}')


def grade(file: Path) -> Iterator[tuple[int, str]]:
    from engines.grading.graded_files import GradePairs, grade_pairs

    file.write_text('{"gold": "1", "pred": "1"}\n{"gold": "1", "pred": "2", "pred": "1"}\n')
    for row in grade_pairs(GradePairs(file)).results:
        if row["verdict"] == "unread":
            yield row["line"], row["reason"]


def problems(file: Path) -> Iterator[tuple[int, str]]:
    from engines.mwp.problems.readers import read_problems

    file.write_text(f"{_PROBLEM}\n{_PROBLEM_TWICE}\n")
    yield from ((note.line, note.reason) for note in read_problems(file).skipped)


def problem_array(file: Path) -> Iterator[tuple[int, str]]:
    from engines.mwp.problems.readers import read_problems

    file.write_text(f"[{_PROBLEM},\n{_PROBLEM_TWICE},\n{_PROBLEM}]\n")
    read = read_problems(file)
    assert len(read.rows) == 2
    yield from ((note.line, note.reason) for note in read.skipped)


def errors_of(file: Path, text: str, read: Callable[[Path, Callable[[DataError], None]], object]) -> Iterator:
    file.write_text(text)
    bad: list[DataError] = []
    read(file, bad.append)
    yield from ((error.line or 0, error.what) for error in bad)


def documents(file: Path) -> Iterator[tuple[int, str]]:
    from engines.documents.reading import read_documents

    text = '{"id": "1", "text": "So $1+1=2$."}\n{"id": "2", "text": "a", "text": "b"}\n'
    yield from errors_of(file, text, lambda path, on_bad: list(read_documents(path, on_bad=on_bad)))


def formulas(file: Path) -> Iterator[tuple[int, str]]:
    from engines.documents.formulas import table_formulas

    text = '{"latex": "x^2"}\n{"latex": "x", "latex": "y"}\n'
    yield from errors_of(file, text, lambda path, bad: list(table_formulas(path, path.name, None, bad)))


def published(file: Path) -> Iterator[tuple[int, str]]:
    from engines.egen.corpus.published import import_published

    row = '{"head": "+ x x", "exprs": ["+ x x", "* 2 x"]}'
    file.write_text(row + "\n" + row.replace("]}", '], "head": "x"}') + "\n")
    warnings: list[str] = []
    import_published(
        file, file.parent / "made", seed=0, events=lambda event: warnings.append(str(event.data))
    )
    yield from ((2, warning) for warning in warnings if "2" in warning)


@pytest.mark.parametrize("reader", [grade, problems, problem_array, documents, formulas, published])
def test_a_repeated_key_is_refused_with_its_line(reader: Callable[[Path], Iterator], tmp_path: Path) -> None:
    ((line, why),) = reader(tmp_path / "rows.jsonl")
    assert line == 2
    assert TWICE in why
