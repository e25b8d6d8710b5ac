"""Reversed operations (Liu et al. 2021, RODA): a known number is asked for, and the answer is told.

The step on the equation is the same for all languages; a language brings the step on the text: `refusal`
says why nothing of a problem is reversed, `told` tells one number as the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType

from engines.mwp.augmentation.isolate import isolated, simplified
from engines.mwp.augmentation.variant import Variant, in_order, relation, written_number
from engines.mwp.problems.equation import EquationError, evaluate, infix, placeholders
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import Problem

__all__ = ["TEXT_STEPS", "Refused", "Told", "reversed_operations"]

TEXT_STEPS: Mapping[str, str] = {
    "en": "engines.mwp.augmentation.reversal_english",
    "zh": "engines.mwp.augmentation.reversal_chinese",
}
"""The module with the step on the text, by language."""


@dataclass(frozen=True, slots=True)
class Told:
    """A text that asks for another number; its placeholders are the source's, and one more for the answer.
    doubts: why it may not be coherent."""

    text: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A number that is not asked for (None: any), and why."""

    number: int | None
    reason: str


def reversed_operations(problem: Problem) -> Iterator[Variant | Refused]:
    """For each number of the equation a problem that asks for it, or why there is none.

    What is told as the answer is exact; the value of each result is the number that it asks for, exactly.
    """
    assert problem.equation is not None
    step = _text_step(problem)
    if isinstance(step, Refused):
        yield step
        return
    values = tuple(map(value_of, problem.numbers))
    answer = evaluate(problem.equation, values)
    if isinstance(answer, float):
        yield Refused(None, "the answer is no rational number")
        return
    if answer <= 0:
        yield Refused(None, "the answer is not above zero")
        return
    last = len(values)
    percent = any(mark in problem.text for mark in ("百分之", "多少%", "percent"))
    numbers = (*problem.numbers, written_number(answer, percent=percent))
    used = placeholders(problem.equation)
    for number in sorted(set(used)):
        if used.count(number) > 1:
            yield Refused(number, "the equation uses it more than once")
            continue
        text = step.told(problem, number, last)
        if isinstance(text, str):
            yield Refused(number, text)
            continue
        try:
            solved = isolated(problem.equation, f"N_{number}", f"N_{last}")
            id_ = f"{problem.id}/roda-{number}"
            made = in_order(problem, text.text, solved, numbers, id_=id_)
            made = replace(made, equation=simplified(made.equation)) if made.equation else made
            value = evaluate(made.equation, tuple(map(value_of, made.numbers))) if made.equation else None
        except EquationError as error:
            yield Refused(number, error.what)
            continue
        if value != values[number]:
            yield Refused(number, "the solved equation does not give the number")
            continue
        yield Variant(
            problem=made,
            of=problem.id,
            kind="roda",
            asked=f"N_{number}",
            solved=infix(solved),
            relation=relation(problem, made),
            doubts=text.doubts,
        )


def _text_step(problem: Problem) -> ModuleType | Refused:
    assert problem.equation is not None
    labels = problem.equation.labels()
    for reason, holds in (
        ("the equation has a power", "^" in labels),
        ("the equation has no operation", len(labels) < 3),
        ("there are fewer than two numbers", len(problem.numbers) < 2),
    ):
        if holds:
            return Refused(None, reason)
    step = import_module(TEXT_STEPS[problem.language])
    reason = step.refusal(problem)
    return Refused(None, reason) if reason else step
