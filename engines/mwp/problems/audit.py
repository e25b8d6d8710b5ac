"""What is wrong, or may be, with a set of word problems: row by row, and against other sets."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from engines.core.files import write_rows
from engines.core.spec import Arg, specification
from engines.mwp.problems.equivalence import are_equivalent
from engines.mwp.problems.near_duplicates import find_look_alikes, list_words
from engines.mwp.problems.number_bindings import list_bindings
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import (
    EquationError,
    Problem,
    ProblemValue,
    evaluate,
    is_right,
    list_placeholders,
)
from engines.mwp.problems.readers import ProblemFile, read_problems
from engines.mwp.problems.solution_notations import read_annotations

AuditKind = Literal[
    "not read",
    "binding",
    "rounding",
    "remainder",
    "answer",
    "calculation",
    "unused number",
    "foreign number",
    "contradiction",
    "duplicate",
    "other set",
]
KINDS: Mapping[AuditKind, str] = {
    "not read": "the row is no problem, or its equation cannot be read",
    "binding": "an equal number stands more than once in the text, and the equation could mean another one",
    "rounding": "the answer is the rounded value of the equation",
    "remainder": "the answer is the whole quotient or the remainder, and the equation the plain quotient",
    "answer": "equation and answer give different values",
    "calculation": "a calculation in the solution is wrong",
    "unused number": "the equation does not use a number of the text",
    "foreign number": "the equation uses a number that is not in the text",
    "contradiction": "a problem with the same words has another equation",
    "duplicate": "a problem above has the same words and numbers",
    "other set": "a problem of another set looks like it",
}
"""What each kind of finding means."""

_NONE = "there is none beside the text"
"""What the reader says of sets of answers alone, which have no equations to read."""
_DIGITS = 6
"""Decimals to which an answer may be rounded."""
_NEAR = Fraction(1, 1000)
"""Part of a value by which a rounded constant may change it."""
_TOKEN = re.compile(r"N_\d+|[^\W\d_]+|[^\s.,;?!，。．、；？！]")
"""A place of a number, a word or a sign; not the marks between sentences and parts of them."""


class AuditFinding(NamedTuple):
    """Something about a problem: its line where it is known, its id, the kind, and what it is."""

    line: int | None
    id: str
    kind: AuditKind
    what: str


@specification
class AuditProblems:
    """Audit a set of problems: bindings, answers against equations, rounding, calculations in solutions,
    unused and foreign numbers, contradictions and duplicates, and problems of other sets that look alike.

    A finding is a reason to look at a row, not always a fault of it: a number may be meant to distract.
    """

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    against: Annotated[
        tuple[Path, ...],
        Arg("Other sets (as the training split) to look for near-duplicates in.", ref="problems"),
    ] = ()
    out: Annotated[Path | None, Arg("Write every finding to this file as JSON Lines.", writes=True)] = None


def audit_problems(spec: AuditProblems) -> dict[str, Any]:
    """Return how many findings there are of each kind, and all of them in the order of the rows.

    Raises:
        DataError: As `read_problems` does.

    >>> from engines.core.system import asset
    >>> found = audit_problems(AuditProblems(asset("sample/problems/sample-en/problems.jsonl")))
    >>> found["problems"], found["kinds"].get("answer", 0)
    (181, 0)
    """
    read = read_problems(spec.data)
    others = [read_problems(path) for path in spec.against]
    findings = sorted(
        [
            *_list_reader_findings(read),
            *_list_row_findings(read.rows),
            *_list_duplicates(read.rows),
            *_list_look_alikes(read.rows, others),
        ],
        key=_sort_key(read.rows),
    )
    if spec.out is not None:
        write_rows(spec.out, (finding._asdict() for finding in findings))
    counts = Counter(finding.kind for finding in findings)
    return {
        "data": spec.data.name,
        "format": read.format,
        "problems": len(read.rows),
        "with_equation": len(read.usable),
        "against": [path.name for path in spec.against],
        "kinds": {kind: counts[kind] for kind in KINDS if counts[kind]},
        "problems_with_findings": len({finding.id for finding in findings}),
        "findings": [finding._asdict() for finding in findings],
        "out": spec.out,
    }


def _sort_key(rows: Sequence[Problem]) -> Any:
    order, kinds = {row.id: index for index, row in enumerate(rows)}, list(KINDS)
    return lambda finding: (order.get(finding.id, -1), finding.line or 0, kinds.index(finding.kind))


def _list_reader_findings(read: ProblemFile) -> Iterator[AuditFinding]:
    """Return what the reader has said of rows already."""
    kinds: Mapping[str, AuditKind] = {
        "no equation": "not read",
        "ambiguous": "binding",
        "bound anew": "binding",
        "not in the text": "foreign number",
    }
    for note in read.skipped:
        yield AuditFinding(note.line, note.id, "not read", note.reason)
    for note in read.remarks:
        kind = kinds.get(note.reason.partition(":")[0])
        if kind is not None and not note.reason.endswith(_NONE):
            yield AuditFinding(note.line, note.id, kind, note.reason)
    for note in read.disagreements:
        row = next(row for row in read.rows if row.id == note.id)
        yield AuditFinding(note.line, note.id, _classify_disagreement(row), note.reason)


def _classify_disagreement(row: Problem) -> AuditKind:
    if row.equation is None or row.stated is None:
        return "answer"
    value = evaluate(row.equation, tuple(map(value_of, row.numbers)))
    # By its digits: the float is a binary fraction close to the number that was written.
    stated = Fraction(repr(row.stated))
    if row.equation.label == "/" and isinstance(value, Fraction):
        over, under = (_evaluate_exactly(child, row) for child in row.equation.children)
        if isinstance(over, Fraction) and isinstance(under, Fraction):
            # A whole quotient this near is the exact one, and a constant is rounded: two thirds as 0.6667.
            is_near = abs(value - stated) < abs(value) * _NEAR
            if not is_near and stated in (over % under, over // under):
                return "remainder"
    # To the nearest, up and down: how many buses are needed is rounded up, how many boxes are full down.
    for digits in range(_DIGITS + 1):
        scale = 10**digits
        if stated in (Fraction(round(value * scale), scale), Fraction(math.ceil(value * scale), scale)):
            return "rounding"
        if stated == Fraction(math.floor(value * scale), scale):
            return "rounding"
    return "answer"


def _evaluate_exactly(tree: Any, row: Problem) -> ProblemValue | None:
    try:
        return evaluate(tree, tuple(map(value_of, row.numbers)))
    except EquationError:
        return None


def _list_row_findings(rows: Sequence[Problem]) -> Iterator[AuditFinding]:
    for row in rows:
        for step in read_annotations(row.answer_text):
            if step.value is None:
                yield AuditFinding(None, row.id, "calculation", f"{step.text} has no value")
            elif not is_right(step.value, step.stated):
                right = f"{float(step.value):.10g}"
                yield AuditFinding(
                    None, row.id, "calculation", f"{step.text} says {step.stated}, not {right}"
                )
        if row.equation is None:
            continue
        used = set(list_placeholders(row.equation))
        unused = [number for index, number in enumerate(row.numbers) if index not in used]
        if unused:
            yield AuditFinding(
                None, row.id, "unused number", f"{row.template} does not use {', '.join(unused[:5])}"
            )


def _list_duplicates(rows: Sequence[Problem]) -> Iterator[AuditFinding]:
    seen: dict[tuple[str, ...], list[Problem]] = {}
    for row in rows:
        # A row may repeat one problem and contradict another, so both are looked for, each reported once.
        alike = seen.setdefault(tuple(list_words(row)), [])
        for twin in alike:
            if row.values == twin.values:
                yield AuditFinding(None, row.id, "duplicate", f"{twin.id} has the same words and numbers")
                break
        for twin in alike:
            if _are_contradictory(row, twin):
                what = f"{twin.id} has the same words and {twin.template}, here it is {row.template}"
                yield AuditFinding(None, row.id, "contradiction", what)
                break
        alike.append(row)


def _are_contradictory(row: Problem, other: Problem) -> bool:
    """Return whether problems of the same words, signs and places of numbers have different equations.

    Equations that agree once equal numbers are bound otherwise do not contradict each other.
    """
    if row.equation is None or other.equation is None or _list_tokens(row) != _list_tokens(other):
        return False
    return not any(
        are_equivalent(one, another)
        for one in list_bindings(row.equation, row.values)
        for another in list_bindings(other.equation, other.values)
    )


def _list_tokens(problem: Problem) -> list[str]:
    return [token.lower() for token in _TOKEN.findall(problem.text)]


def _list_look_alikes(rows: Sequence[Problem], others: Sequence[ProblemFile]) -> Iterator[AuditFinding]:
    for data_set in others:
        for index, (row_index, likeness) in sorted(find_look_alikes(rows, data_set.rows).items()):
            same = " (the same words)" if likeness == 1 else ""
            what = (
                f"{data_set.rows[row_index].id} of {data_set.path.name} looks like it, {likeness:.2f}{same}"
            )
            yield AuditFinding(None, rows[index].id, "other set", what)
