"""Whether an equation found for a problem is right, and probes for shortcuts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from engines.mwp.augmentation.variant import (
    is_question,
    renumber_problem,
    split_clauses,
    split_problem_sentences,
)
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
        is_right(value, problem.gold),
        is_right(value, problem.answer),
        is_right(value, problem.gold, relative=RELATIVE),
        normalise_equation(best) == problem.normal,
        gold is not None and any(are_equivalent(best, one) for one in list_bindings(gold, problem.values)),
    )


# Shortcut probes: problems without what a solver should need, or told otherwise.
#
# A solver that answers without the question has not read it; one that fails when sentences change places
# reads positions. Each probe changes a problem and says what the answer should be now.

Probe = Callable[[Problem, Random], Problem | None]
"""The changed problem; None where it cannot be changed in this way."""


def _split_text(problem: Problem) -> list[str]:
    return split_clauses(problem.text) if problem.language == "zh" else split_problem_sentences(problem.text)


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
