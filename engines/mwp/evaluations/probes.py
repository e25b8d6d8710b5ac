"""Shortcut probes: problems without what a solver should need, or told otherwise.

A solver that answers without the question has not read it; one that fails when sentences change places reads
positions. Each probe changes a problem and says what the answer should be now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from engines.mwp.augmentation.sentences import asks, clauses, sentences
from engines.mwp.augmentation.variant import in_order
from engines.mwp.problems.equation import EquationError, evaluate
from engines.mwp.problems.problem import Problem

__all__ = ["PROBES", "Probe"]

Probe = Callable[[Problem, Random], Problem | None]
"""The changed problem; None where it cannot be changed in this way."""


def _parts(problem: Problem) -> list[str]:
    return clauses(problem.text) if problem.language == "zh" else sentences(problem.text)


def _joined(problem: Problem, parts: list[str]) -> str:
    return ("" if problem.language == "zh" else " ").join(parts)


def without_question(problem: Problem, _draw: Random) -> Problem | None:
    """Without the sentences that ask, where they hold no number; equation and answer are as before."""
    assert problem.equation is not None
    parts = _parts(problem)
    kept = [part for part in parts if not asks(part, problem.language)]
    lost = "".join(part for part in parts if asks(part, problem.language))
    if not kept or len(kept) == len(parts) or re.search(r"N_\d", lost):
        return None
    return in_order(problem, _joined(problem, kept), problem.equation, problem.numbers, id_=problem.id)


def swapped_numbers(problem: Problem, draw: Random) -> Problem | None:
    """With the values of its numbers exchanged; the answer is that of the same equation with them."""
    assert problem.equation is not None
    if len(set(problem.values)) < 2:
        return None
    order = list(range(len(problem.numbers)))
    while [problem.values[place] for place in order] == list(problem.values):
        draw.shuffle(order)
    numbers = [problem.numbers[place] for place in order]
    try:
        made = in_order(problem, problem.text, problem.equation, numbers, id_=problem.id)
        # A difference that is negative now is no problem any more.
        legal = all(evaluate(node, made.values) >= 0 for node in problem.equation if node.children)
    except EquationError:
        return None
    return made if legal else None


def reordered_sentences(problem: Problem, draw: Random) -> Problem | None:
    """With the sentences that do not ask in another order; the equation goes with its numbers."""
    assert problem.equation is not None
    parts = _parts(problem)
    facts = [part for part in parts if not asks(part, problem.language)]
    if len(facts) < 2:
        return None
    order = facts[:]
    while order == facts:
        draw.shuffle(order)
        if len(set(facts)) == 1:
            return None
    told = iter(order)
    text = _joined(problem, [part if asks(part, problem.language) else next(told) for part in parts])
    return in_order(problem, text, problem.equation, problem.numbers, id_=problem.id)


PROBES: Mapping[str, Probe] = {
    "question_removed": without_question,
    "numbers_swapped": swapped_numbers,
    "sentences_reordered": reordered_sentences,
}
