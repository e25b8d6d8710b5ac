"""Shortcut probes: problems without what a solver should need, or told otherwise.

A solver that answers without the question has not read it; one that fails when sentences change places
reads positions. Each probe changes a problem and says what the answer should be now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from engines.mwp.augmentation.reordering import shuffle_facts
from engines.mwp.augmentation.variant import is_question, join_parts, renumber_problem, split_problem
from engines.mwp.problems.problem import EquationError, Problem, evaluate

Probe = Callable[[Problem, Random], Problem | None]
"""The changed problem; None where it cannot be changed in this way."""


def without_question(problem: Problem, _draw: Random) -> Problem | None:
    """Return the problem without the sentences that ask, if they contain no number.

    The equation and the answer stay as they are: a solver that is still right does not need the question.
    """
    assert problem.equation is not None
    parts = split_problem(problem)
    kept = [part for part in parts if not is_question(part, problem.language)]
    lost = "".join(part for part in parts if is_question(part, problem.language))
    if not kept or len(kept) == len(parts) or re.search(r"N_\d", lost):
        return None
    return renumber_problem(
        problem, join_parts(problem, kept), problem.equation, problem.numbers, id_=problem.id
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


PROBES: Mapping[str, Probe] = {
    "question_removed": without_question,
    "numbers_swapped": swapped_numbers,
    "sentences_reordered": shuffle_facts,
}
