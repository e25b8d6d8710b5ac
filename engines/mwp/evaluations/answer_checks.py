"""Check the answer of a solver: whether its equation and the value of it are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.mwp.problems.equivalence import are_equivalent
from engines.mwp.problems.number_bindings import list_bindings
from engines.mwp.problems.problem import (
    EquationError,
    Problem,
    evaluate,
    is_right,
    normalise_equation,
)

if TYPE_CHECKING:
    from engines.mwp.solver.reading import ScoredEquation


RELATIVE = 1e-4
"""Of the size of the answer, the second tolerance."""


@dataclass(frozen=True, slots=True)
class SolverScore:
    """How an equation that a solver gives compares with the right one.

    Args:
        value: Of the equation found; None where there is none.
        answer: The file's answer within 1e-3; what its equation gives, where it states none.
        by_equation: What the file's equation gives, within 1e-3.
        relative: Right within `RELATIVE` of its size.
        equation: The same tree up to the order of operands.
        equivalent: Equal as a function of the numbers to the right one, or to what that is when equal numbers
            of the text stand for each other.
    """

    value: float | None
    answer: bool
    by_equation: bool
    relative: bool
    equation: bool
    equivalent: bool


NONE = SolverScore(None, answer=False, by_equation=False, relative=False, equation=False, equivalent=False)


def score_answer(problem: Problem, solution: list[ScoredEquation] | str) -> SolverScore:
    """Return the best equation found, against the problem's own."""
    if isinstance(solution, str) or not solution:
        return NONE
    best = solution[0].equation
    try:
        value = float(evaluate(best, problem.values))
    except EquationError:
        return NONE
    gold = problem.equation
    return SolverScore(
        value,
        is_right(value, problem.gold),
        is_right(value, problem.answer),
        is_right(value, problem.gold, relative=RELATIVE),
        normalise_equation(best) == problem.normal,
        gold is not None and any(are_equivalent(best, one) for one in list_bindings(gold, problem.values)),
    )
