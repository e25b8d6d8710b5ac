"""What is said of an answer: equal, equal if, different, undecided or unread; and of several of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from engines.core.tree import Tree
from engines.grading.forms import Form, Many, RelationForm, WordsForm
from engines.grading.messages import describe_kind, to_message_text
from engines.grading.numbers import Term
from engines.grading.reading import is_constant
from engines.mathematics.judging.verdicts import Verdict

GradeOutcome = Literal["equal", "equal if", "different", "undecided", "unread"]


@dataclass(frozen=True, slots=True)
class GradeVerdict:
    """A verdict with what belongs to it; see `engines.grading.grades.Grade`."""

    outcome: GradeOutcome
    condition: str = ""
    witness: str = ""
    reason: str = ""


EQUAL = GradeVerdict("equal")


def differ_by(witness: str) -> GradeVerdict:
    """Return the verdict "different" with what shows it."""
    return GradeVerdict("different", witness=witness)


def differ_in_kind(gold: Form, pred: Form) -> GradeVerdict:
    """Return the verdict on answers of two kinds: they differ unless one has letters that may stand for the
    other, or one is a relation, which may say what the value of the other is."""
    if isinstance(gold, RelationForm) != isinstance(pred, RelationForm):
        return GradeVerdict("undecided", reason="a relation and a value, which may be what it is about")
    for item in (gold, pred):
        if not is_settled(item):
            return GradeVerdict("undecided", reason=f"what {to_message_text(item)} stands for is not known")
    kinds = (f"{to_message_text(item)} is {describe_kind(item)}" for item in (gold, pred))
    return differ_by(" and ".join(kinds))


def is_settled(item: Form) -> bool:
    """Return whether an answer is of its kind whatever its letters stand for: a number, a set, an
    equation."""
    if isinstance(item, WordsForm):
        return len(item.text) > 1
    return (
        not isinstance(item, Term)
        or item.value is not None
        or (item.tree is not None and is_constant(item.tree))
    )


OUTCOMES: tuple[GradeOutcome, ...] = ("equal", "equal if", "undecided", "unread", "different")
"""Outcomes, the best first."""


def combine_verdicts(verdicts: Iterable[GradeVerdict]) -> GradeVerdict:
    """Return the verdict on answers by those on their parts."""
    parts: list[GradeVerdict] = []
    for one in verdicts:
        if one.outcome == "different":
            return one
        parts.append(one)
    for verdict in ("unread", "undecided"):
        for one in parts:
            if one.outcome == verdict:
                return one
    conditions = dict.fromkeys(one.condition for one in parts if one.outcome == "equal if")
    if conditions:
        return GradeVerdict("equal if", condition=" and ".join(conditions))
    return next((one for one in parts if one.reason), EQUAL)


def to_grade_verdict(verdict: Verdict) -> GradeVerdict:
    """Return what the judge says as a verdict on answers."""
    return GradeVerdict(verdict.outcome, verdict.condition, verdict.witness, verdict.reason)


def with_policy(verdict: GradeVerdict, policy: str) -> GradeVerdict:
    """Return a verdict; one that two answers are equal says by which rule."""
    return replace(verdict, reason=verdict.reason or policy) if verdict.outcome == "equal" else verdict


def differ_in_number(gold: Many, pred: Many) -> GradeVerdict:
    """Return the verdict on tuples, ratios or lists of other lengths."""
    counts = (f"{to_message_text(one)} has {len(one.items)}" for one in (gold, pred))
    return differ_by(" and ".join(counts))


def read_both(gold: Tree | str, pred: Tree | str) -> tuple[Tree, Tree] | GradeVerdict:
    """Return the trees of two answers, or which of them cannot be read and why."""
    if isinstance(gold, str):
        return GradeVerdict("unread", reason=f"the reference: {gold}")
    return GradeVerdict("unread", reason=f"the answer: {pred}") if isinstance(pred, str) else (gold, pred)
