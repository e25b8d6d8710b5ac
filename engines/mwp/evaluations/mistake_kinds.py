"""Why an answer is wrong: the kind of its mistake, by its equation or by its value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

from engines.core.tree import Tree
from engines.mwp.evaluations.attempts import ScoredAttempt, SolverAttempt
from engines.mwp.problems.problem import (
    OPERATORS,
    EquationError,
    Problem,
    evaluate,
    is_right,
    list_placeholders,
    to_infix,
)

MistakeKind = Literal[
    "no answer",
    "unit",
    "missed number",
    "other number",
    "number of steps",
    "operation",
    "order",
    "value",
]
"""`no answer`: nothing could be read. `unit`: the right number in another unit. `missed number`: a number of
the right equation is not used. `other number`: one is used that is not needed, or another constant. `number
of steps`: more or fewer operations. `operation`: as many, but others. `order`: the same operations and
numbers, arranged otherwise. `value`: none of these explains the answer."""

_MOST_STEPS = 12
"""Operations of an equation whose neighbours are still tried."""


def classify_mistake(problem: Problem, attempt: SolverAttempt, scored: ScoredAttempt) -> MistakeKind:
    """Return the kind of a wrong answer.

    With an equation it is the difference of the two equations; without one it is the smallest change of the
    right equation that gives the answer.

    >>> from engines.mwp.evaluations.attempts import score_attempt
    >>> from engines.mwp.problems.problem import read_equation
    >>> right = read_equation("N_0*N_1-N_2", Tree)
    >>> problem = Problem("p", "en", "", ("12", "5", "7"), (12.0, 5.0, 7.0), right, 53.0, None, "", "")
    >>> for attempt in (SolverAttempt("67"), SolverAttempt(equation=read_equation("N_0*N_1", Tree))):
    ...     classify_mistake(problem, attempt, score_attempt(problem, attempt))
    'operation'
    'missed number'
    """
    if attempt.unread or (scored.score.value is None and not scored.answer):
        return "no answer"
    if scored.unit:
        return "unit"
    if problem.equation is None:
        return "value"
    if attempt.equation is not None and not scored.score.equivalent:
        return _compare_equations(problem.equation, attempt.equation)
    return _explain_value(problem, problem.equation, scored.score.value)


def _compare_equations(right: Tree, given: Tree) -> MistakeKind:
    # Numbers are compared first, since other numbers often bring other operations with them.
    wanted, used = (_count_leaves(tree) for tree in (right, given))
    if any(label.startswith("N_") for label in wanted - used):
        return "missed number"
    if used.keys() - wanted.keys():
        return "other number"
    steps = [Counter(node.label for node in tree if node.children) for tree in (right, given)]
    if steps[0].total() != steps[1].total():
        return "number of steps"
    return "operation" if steps[0] != steps[1] else "order"


def _count_leaves(tree: Tree) -> Counter[str]:
    return Counter(node.label for node in tree if not node.children)


def _explain_value(problem: Problem, right: Tree, value: float | None) -> MistakeKind:
    if value is None or sum(bool(node.children) for node in right) > _MOST_STEPS:
        return "value"

    def gives(trees: Iterator[Tree]) -> bool:
        for tree in trees:
            try:
                if is_right(value, evaluate(tree, problem.values)):
                    return True
            # A changed equation may divide by zero; then it explains nothing.
            except EquationError:
                continue
        return False

    # The order decides where several changes give the same value.
    if gives(_with_other_operation(right)):
        return "operation"
    # A step of the equation, or a number of the text, was taken for the answer.
    if gives(node for node in right if node.children):
        return "number of steps"
    if gives(_without_one_operand(right)):
        return "missed number"
    others = [index for index in range(len(problem.values)) if index not in list_placeholders(right)]
    if gives(_with_other_leaf(right, others)):
        return "other number"
    return "value"


def _with_other_operation(tree: Tree) -> Iterator[Tree]:
    """Yield the equation with one operation replaced by another, or with its operands exchanged."""
    if not tree.children:
        return
    left, right = tree.children
    yield from (Tree(label, tree.children) for label in OPERATORS[:4] if label != tree.label)
    yield Tree(tree.label, (right, left))
    yield from (Tree(tree.label, (changed, right)) for changed in _with_other_operation(left))
    yield from (Tree(tree.label, (left, changed)) for changed in _with_other_operation(right))


def _without_one_operand(tree: Tree) -> Iterator[Tree]:
    """Yield the equation without one operand of one operation."""
    if not tree.children:
        return
    left, right = tree.children
    yield from (left, right)
    yield from (Tree(tree.label, (changed, right)) for changed in _without_one_operand(left))
    yield from (Tree(tree.label, (left, changed)) for changed in _without_one_operand(right))


def _with_other_leaf(tree: Tree, others: Sequence[int]) -> Iterator[Tree]:
    """Yield the equation with one leaf replaced by a number of the text that it does not use."""
    if not tree.children:
        yield from (Tree(f"N_{index}") for index in others)
        return
    left, right = tree.children
    yield from (Tree(tree.label, (changed, right)) for changed in _with_other_leaf(left, others))
    yield from (Tree(tree.label, (left, changed)) for changed in _with_other_leaf(right, others))


def group_mistakes(
    rows: Sequence[Problem],
    attempts: Sequence[SolverAttempt],
    scored: Sequence[ScoredAttempt],
    learned: Collection[str] | None,
) -> dict[str, Any]:
    """Group the wrong answers by kind.

    Args:
        learned: The templates of the training problems; None where they are not known.

    Returns:
        For each kind the number of problems and their ids, the commonest kind first; how many of the wrong
        ones have a template that was not in training (`unseen_template`, None where that is not known); and
        the wrong answers in the order of their kinds (`answers`).
    """
    kinds: dict[str, list[str]] = {}
    answers: dict[str, list[dict[str, Any]]] = {}
    unseen = 0
    for row, attempt, one in zip(rows, attempts, scored, strict=True):
        if one.score.answer:
            continue
        kind = classify_mistake(row, attempt, one)
        kinds.setdefault(kind, []).append(row.id)
        answers.setdefault(kind, []).append(_describe_mistake(row, attempt, one, kind))
        unseen += learned is not None and bool(row.template) and row.template not in learned
    ordered = sorted(kinds, key=lambda kind: -len(kinds[kind]))
    return {
        "wrong": sum(map(len, kinds.values())),
        "kinds": {kind: {"problems": len(kinds[kind]), "ids": kinds[kind]} for kind in ordered},
        "unseen_template": None if learned is None else unseen,
        "answers": [answer for kind in ordered for answer in answers[kind]],
    }


def _describe_mistake(
    row: Problem, attempt: SolverAttempt, scored: ScoredAttempt, kind: MistakeKind
) -> dict[str, Any]:
    value = scored.score.value
    return {
        "id": row.id,
        "kind": kind,
        "answer": scored.answer if value is None else f"{value:.10g}",
        "expected": row.answer_text or f"{row.gold:.10g}",
        "equation": None if attempt.equation is None else to_infix(attempt.equation),
        "expected_equation": row.template or None,
        "problem": row.original,
    }
