"""Whether an equation found for a problem is right, and probes for shortcuts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from engines.core.tree import Tree
from engines.mwp.augmentation.variant import is_question, renumber_problem, split_clauses, split_sentences
from engines.mwp.problems.problem import (
    EquationError,
    Problem,
    ProblemValue,
    evaluate,
    is_right,
    list_placeholders,
    normalise_equation,
)

if TYPE_CHECKING:
    from engines.mwp.solver.reading import ScoredEquation


_POINTS = 6
_LARGEST = 10**6


def are_equivalent(a: Tree, b: Tree) -> bool:
    """Return whether two equations agree wherever both have a value.

    Without powers both are rational functions, which are evaluated exactly at random numbers of up to six
    digits: two different ones of degree d agree at one point with a probability below 2d/10^6, and at all of
    them never in practice. Powers that are not exact are doubles, which agree to 1e-9 of their size.

    >>> from engines.mwp.problems.problem import read_equation
    >>> sides = "(N_0+N_1)/N_2", "N_1/N_2+N_0/N_2", "N_0+N_1"
    >>> one, two, three = (read_equation(text, Tree) for text in sides)
    >>> are_equivalent(one, two), are_equivalent(one, three)
    (True, False)
    """
    draw = Random(0)
    count = max([0, *(place + 1 for tree in (a, b) for place in list_placeholders(tree))])
    met = 0
    for _ in range(4 * _POINTS):
        numbers = [Fraction(draw.randint(2, _LARGEST)) for _ in range(count)]
        # Powers are of small numbers, so that their values are numbers at all.
        if any(node.label == "^" for tree in (a, b) for node in tree):
            numbers = [number / _LARGEST * 3 + Fraction(1, 2) for number in numbers]
        left, right = _evaluate_or_none(a, numbers), _evaluate_or_none(b, numbers)
        if left is None and right is None:
            continue
        if left is None or right is None or not _are_close(left, right):
            return False
        met += 1
        if met == _POINTS:
            break
    return met > 0


def signature(tree: Tree) -> tuple[ProblemValue | str | None, ...]:
    """Return what equations that are equal as functions have in common: their values at some points.

    Values are exact but for roots, which are rounded to nine digits. The signature of an equation without a
    value equals no other.

    >>> from engines.mwp.problems.problem import read_equation
    >>> sides = "N_0-N_1-N_2", "N_0-(N_1+N_2)", "N_0-N_1+N_2"
    >>> one, two, three = (signature(read_equation(text, Tree)) for text in sides)
    >>> one == two, one == three
    (True, False)
    """
    count = max([0, *(index + 1 for index in list_placeholders(tree))])
    point_values: list[ProblemValue | str | None] = []
    for point in range(_POINTS):
        # The first numbers of a point are the same for all equations.
        draw = Random(point)
        numbers = [Fraction(draw.randint(2, _LARGEST), _LARGEST // 3) for _ in range(count)]
        value = _evaluate_or_none(tree, numbers)
        point_values.append(f"{value:.8e}" if isinstance(value, float) else value)
    return tuple(point_values if any(value is not None for value in point_values) else tree.list_labels())


def _evaluate_or_none(tree: Tree, numbers: list[Fraction]) -> ProblemValue | None:
    try:
        return evaluate(tree, numbers)
    except EquationError:
        return None


def _are_close(left: ProblemValue, right: ProblemValue) -> bool:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    return math.isclose(float(left), float(right), rel_tol=1e-9)


RELATIVE = 1e-4
"""Of the size of the answer, the second tolerance."""


@dataclass(frozen=True, slots=True)
class SolverScore:
    """How an equation that a solver gives compares with the right one.

    Args:
        value: Of the equation found; None where there is none.
        answer: Right within 1e-3.
        relative: Right within `RELATIVE` of its size.
        equation: The same tree up to the order of operands.
        equivalent: Equal as a function of the numbers.
    """

    value: float | None
    answer: bool
    relative: bool
    equation: bool
    equivalent: bool


NONE = SolverScore(None, answer=False, relative=False, equation=False, equivalent=False)


def score_answer(problem: Problem, found: list[ScoredEquation] | str) -> SolverScore:
    """Return the best equation found, against the problem's own."""
    if isinstance(found, str) or not found:
        return NONE
    best = found[0].equation
    try:
        value = float(evaluate(best, problem.values))
    except EquationError:
        return NONE
    gold = problem.equation
    return SolverScore(
        value,
        is_right(value, problem.answer),
        is_right(value, problem.answer, relative=RELATIVE),
        normalise_equation(best) == problem.normal,
        gold is not None and are_equivalent(best, gold),
    )


# Shortcut probes: problems without what a solver should need, or told otherwise.
#
# A solver that answers without the question has not read it; one that fails when sentences change places
# reads positions. Each probe changes a problem and says what the answer should be now.

Probe = Callable[[Problem, Random], Problem | None]
"""The changed problem; None where it cannot be changed in this way."""


def _split_text(problem: Problem) -> list[str]:
    return split_clauses(problem.text) if problem.language == "zh" else split_sentences(problem.text)


def _join_text(problem: Problem, parts: list[str]) -> str:
    return ("" if problem.language == "zh" else " ").join(parts)


def without_question(problem: Problem, _draw: Random) -> Problem | None:
    """Return the problem without the sentences that ask, if they contain no number.

    The equation and the answer stay as they are: a solver that is still right does not need the question.
    """
    assert problem.equation is not None
    parts = _split_text(problem)
    kept = [part for part in parts if not is_question(part, problem.language)]
    lost = "".join(part for part in parts if is_question(part, problem.language))
    if not kept or len(kept) == len(parts) or re.search(r"N_\d", lost):
        return None
    return renumber_problem(
        problem, _join_text(problem, kept), problem.equation, problem.numbers, id_=problem.id
    )


def swapped_numbers(problem: Problem, draw: Random) -> Problem | None:
    """Return the problem with the values of its numbers exchanged and the answer computed again."""
    assert problem.equation is not None
    if len(set(problem.values)) < 2:
        return None
    order = list(range(len(problem.numbers)))
    while [problem.values[index] for index in order] == list(problem.values):
        draw.shuffle(order)
    numbers = [problem.numbers[index] for index in order]
    try:
        made = renumber_problem(problem, problem.text, problem.equation, numbers, id_=problem.id)
        # A difference that is negative now is no problem any more.
        legal = all(evaluate(node, made.values) >= 0 for node in problem.equation if node.children)
    except EquationError:
        return None
    return made if legal else None


def reordered_sentences(problem: Problem, draw: Random) -> Problem | None:
    """Return the problem with its statements in another order; the equation is renumbered with the text."""
    assert problem.equation is not None
    parts = _split_text(problem)
    facts = [part for part in parts if not is_question(part, problem.language)]
    if len(facts) < 2:
        return None
    order = facts[:]
    while order == facts:
        draw.shuffle(order)
        if len(set(facts)) == 1:
            return None
    told = iter(order)
    text = _join_text(
        problem, [part if is_question(part, problem.language) else next(told) for part in parts]
    )
    return renumber_problem(problem, text, problem.equation, problem.numbers, id_=problem.id)


PROBES: Mapping[str, Probe] = {
    "question_removed": without_question,
    "numbers_swapped": swapped_numbers,
    "sentences_reordered": reordered_sentences,
}
