"""Whether an equation that was found for a problem is right, in four senses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.mwp.evaluations.equivalence import equivalent
from engines.mwp.problems.equation import EquationError, evaluate, is_right, normalised
from engines.mwp.problems.problem import Problem

if TYPE_CHECKING:
    from engines.mwp.solver.equations import Found

__all__ = ["RELATIVE", "Score", "judged"]

RELATIVE = 1e-4
"""Of the size of the answer, the second tolerance."""


@dataclass(frozen=True, slots=True)
class Score:
    """How an answer was right.

    Args: value: of the equation found; None where there is none. answer: right within 1e-3. relative: right
    within `RELATIVE` of its size. equation: the same tree up to the order of operands. equivalent: equal as a
    function of the numbers.
    """

    value: float | None
    answer: bool
    relative: bool
    equation: bool
    equivalent: bool


NONE = Score(None, answer=False, relative=False, equation=False, equivalent=False)


def judged(problem: Problem, found: list[Found] | str) -> Score:
    """The best equation found, against the problem's own."""
    if isinstance(found, str) or not found:
        return NONE
    best = found[0].equation
    try:
        value = float(evaluate(best, problem.values))
    except EquationError:
        return NONE
    gold = problem.equation
    return Score(
        value,
        is_right(value, problem.answer),
        is_right(value, problem.answer, relative=RELATIVE),
        normalised(best) == problem.normal,
        gold is not None and equivalent(best, gold),
    )
