"""Which of two statements that contradict each other what follows them is drawn from.

A text that writes `f(x) = x^2 - 3x` again as `f(x) = x^2 + 3x`, and then `f'(x) = 2x - 3`, goes on with the
first: the second is a slip. A text that goes on with the second is about another function.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.facts import Facts
from engines.proofreading.repetitions import RepeatedStatement, share_subject
from engines.proofreading.term_properties import free_symbols

_FAR_LINES = 60
"""Lines: what stands further behind a statement can be about another."""
_LARGEST = 120
"""Nodes of a statement that is looked at."""


def is_contradicted_behind(
    judge: Judge, first: RepeatedStatement, second: RepeatedStatement, behind: Sequence[RepeatedStatement]
) -> bool:
    """Return whether a statement behind a copy of another follows from that other, and not from the copy.

    Args:
        judge: The judge of terms.
        first: What the text said before.
        second: The copy, which differs from it.
        behind: The equations behind the copy, in their order.
    """
    if not share_subject(first, second) or not (free_symbols(first.left) and free_symbols(first.right)):
        return False  # a letter gets many values in turn
    names = _list_names(first)
    for statement in behind:
        if statement.link.line - second.link.line > _FAR_LINES:
            return False
        there = statement.link.position.scope
        if not second.link.position.scope.reaches(there) or _defines_again(statement, second):
            return False
        if statement.link.of_problem or names.isdisjoint(_list_names(statement)):
            continue
        if len(statement.left) + len(statement.right) > _LARGEST or _says_the_same(statement, first):
            continue
        if _follows_from(judge, first, statement) and not _follows_from(judge, second, statement):
            return True
    return False


def _list_names(statement: RepeatedStatement) -> frozenset[str]:
    return frozenset(
        name.rstrip("('") for side in (statement.left, statement.right) for name in free_symbols(side)
    )


def _defines_again(statement: RepeatedStatement, second: RepeatedStatement) -> bool:
    """Return whether a statement says anew what the left side of another is."""
    return statement.left == second.left and statement.right != second.right


def _says_the_same(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    return {one.left, one.right} == {other.left, other.right}


def _follows_from(judge: Judge, fact: RepeatedStatement, claim: RepeatedStatement) -> bool:
    facts = Facts()
    facts.add_fact(fact.left, fact.right, "", fact.link.line)
    defined = facts.reduce_by_definitions(claim.left, claim.right)
    if defined is not None and _are_equal(judge, defined.left, defined.right):
        return True
    reduced = facts.reduce_by_facts(claim.left, claim.right)
    if reduced is None or not reduced.used:
        return False
    return reduced.same or _are_equal(judge, reduced.left, reduced.right)


def _are_equal(judge: Judge, left: Tree, right: Tree) -> bool:
    return judge.equal(left, right).outcome == "equal"
