"""Files of anybody's answers: JSON Lines, CSV or TSV with an id and an answer, a text or an equation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, ExpressionError
from engines.core.rows import csv_cells, csv_rows, json_object, read_lines
from engines.mwp.evaluations.attempts import SolverAttempt
from engines.mwp.problems.layouts import lower_keys
from engines.mwp.problems.problem import Problem, read_equation
from engines.mwp.problems.programs import number_tree

_IDS = ("id", "problem_id", "doc_id", "index")
_TEXTS = ("answer", "prediction", "pred", "text", "output", "response", "completion")
_REMEDY = (
    'Each line is {"id": "…", "answer": "…"}, or the first line of a CSV or TSV names the columns id and '
    "answer (or text); `equation` may stand beside them."
)


@dataclass(frozen=True, slots=True)
class PredictionFile:
    """The answers of a file.

    Args:
        attempts: By the id of the problem; in a file without ids by their place, 0, 1, ….
        by_place: Whether the file has no ids.
        remarks: What is odd about its rows, each with the line.
    """

    path: Path
    attempts: Mapping[str, SolverAttempt]
    by_place: bool
    remarks: tuple[str, ...]

    def match_problems(self, problems: Sequence[Problem]) -> tuple[list[SolverAttempt], list[str]]:
        """Return the attempt at each problem, and remarks on what does not match.

        Raises:
            DataError: E645 if no answer belongs to any of the problems.
        """
        keys = [str(index) if self.by_place else row.id for index, row in enumerate(problems)]
        if self.by_place and len(self.attempts) != len(problems):
            what = f"{len(self.attempts):,} answers without ids for {len(problems):,} problems"
            raise DataError(
                what, path=self.path, code="E645", remedy="Give each answer the id of its problem."
            )
        matched = set(keys) & self.attempts.keys()
        if not matched:
            mine, theirs = ", ".join(list(self.attempts)[:3]), ", ".join(keys[:3])
            remedy = f"Ids here begin with {mine}; those of the problems with {theirs}."
            raise DataError(
                "no answer has the id of one of the problems", path=self.path, code="E645", remedy=remedy
            )
        missing = SolverAttempt(unread="there is no answer in the file")
        remarks = list(self.remarks)
        if len(matched) < len(self.attempts):
            remarks.append(
                f"{len(self.attempts) - len(matched):,} answers belong to no problem that is measured"
            )
        return [self.attempts.get(key, missing) for key in keys], remarks


def read_predictions(path: Path) -> PredictionFile:
    """Read a file of answers.

    A row has an id (`id`, `problem_id`, `doc_id` or `index`) and an answer (`answer`, `prediction`, `pred`,
    `text`, `output`, `response` or `completion`), short or a whole solution; or, as `mwp eval --out` writes
    it, an `equation` over `N_0`, `N_1`, …. Of several rows with one id the first counts.

    Raises:
        DataError: E317 for a file without one such row, and as `read_lines` does.
    """
    attempts: dict[str, SolverAttempt] = {}
    remarks: list[str] = []
    first: DataError | None = None
    without = 0

    def skip_row(line: int, reason: str) -> None:
        nonlocal first
        remarks.append(f"line {line}: {reason}")
        first = first or DataError(reason, path=path, line=line or None, code="E317", remedy=_REMEDY)

    for line, row in _read_rows(path, skip_row):
        id_ = next((str(row[key]).strip() for key in _IDS if row.get(key) not in (None, "")), "")
        try:
            attempt = _read_attempt(row)
        except ExpressionError as error:
            skip_row(line, error.what)
            continue
        if attempt is None:
            skip_row(line, "the row has no answer, text or equation")
            continue
        without += not id_
        # Without ids the place is the key. A row that was skipped would shift the places behind it, but then
        # the numbers of rows and problems differ, and `match_problems` refuses the file.
        key = id_ or str(len(attempts))
        if key in attempts:
            remarks.append(f"line {line}: {key!r} has an answer above, which counts")
            continue
        attempts[key] = attempt
    if not attempts:
        raise first or DataError("the file holds no answers", path=path, code="E317", remedy=_REMEDY)
    if 0 < without < len(attempts):
        what = f"{without:,} of {len(attempts):,} rows have no id"
        raise DataError(what, path=path, code="E317", remedy="Give all rows an id, or none.")
    return PredictionFile(path, attempts, without > 0, tuple(remarks))


def _read_attempt(row: Mapping[str, Any]) -> SolverAttempt | None:
    text = next((row[key] for key in _TEXTS if row.get(key) not in (None, "")), None)
    written = row.get("equation")
    equation = read_equation(written, number_tree) if isinstance(written, str) and written.strip() else None
    if isinstance(text, list) and len(text) == 1:
        (text,) = text
    if isinstance(text, str | int | float) and not isinstance(text, bool):
        return SolverAttempt(str(text), equation)
    if equation is not None:
        return SolverAttempt(equation=equation)
    # What `mwp eval --out` writes of a problem that was not solved.
    said = row.get("unread")
    return SolverAttempt(unread=str(said)) if said else None


def _read_rows(path: Path, skip_row: Callable[[int, str], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = read_lines(path, on_bad=lambda error: skip_row(error.line or 0, error.what))
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return
    # The first line decides for the whole file.
    if first[1].lstrip().startswith("{"):
        for number, line in chain([first], lines):
            if line.strip():
                try:
                    yield number, lower_keys(json_object(line))
                except ValueError as error:
                    skip_row(number, str(error))
        return
    separator = max(("\t", ",", ";"), key=lambda sign: len(csv_cells(first[1], sign)))
    header = csv_cells(first[1], separator)
    if not {*lower_keys(dict.fromkeys(header))} & {*_TEXTS, "equation"}:
        what = f"the columns {', '.join(header)[:120]!r} are not those of answers"
        raise DataError(what, path=path, line=first[0], code="E317", remedy=_REMEDY)
    for row in csv_rows(lines, separator):
        if row.wrong:
            skip_row(row.line, f"from here on the file is not CSV: {row.wrong}")
            return
        if row.cells and len(row.cells) != len(header):
            skip_row(row.line, f"{len(row.cells)} columns, not {len(header)}")
        elif row.cells:
            yield row.line, lower_keys(zip(header, row.cells, strict=True))
