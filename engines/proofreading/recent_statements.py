"""Claims that one change would make follow from what stands right before them, whatever else was said.

Nearly all that a text said of some letters can be about another example, and a claim that only this makes
fail is no mistake. What the last few lines say is what the claim is drawn from, if it is drawn from anything:
a claim that is one digit or sign away from that is doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import Fact, Facts
from engines.proofreading.link_verdicts import Accusation
from engines.proofreading.near_consequences import (
    describe_change,
    find_places,
    is_row_of_system,
    says_the_same,
)
from engines.proofreading.slips import find_slip
from engines.proofreading.term_properties import are_exactly_equal, free_symbols

_RECENT_LINES = 12
_MOST_FACTS = 4
_LEAST_NODES = 6
"""Nodes of a claim; shorter ones are one change away from many things."""


def find_recent_slip(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, are_equal: Callable[[Tree, Tree], bool]
) -> Accusation | None:
    """Return the change by which a claim that fails would follow from the statements right before it; None
    where none does that.

    Args:
        are_equal: Whether two terms are equal whatever their variables are.
    """
    if len(left) + len(right) < _LEAST_NODES or link.is_denied_directly or link.is_one_of_alternatives:
        return None
    equations = _list_recent_equations(facts, link, left, right)
    known = find_places(equations, left, right) if equations else None
    if known is None:
        return None
    recent = [fact for _, _, fact in equations]
    used: Sequence[Fact] = ()

    def follows(one: Tree, other: Tree) -> bool:
        nonlocal used
        one, other = (known.names.restore_parts(side) for side in (one, other))
        if are_exactly_equal(one, other):  # it holds without what was said
            return False
        reduced = facts.reduce_by_some(one, other, recent)
        if reduced is None or not reduced.used or any(_is_copy(fact, one, other) for fact in reduced.used):
            return False
        used = reduced.used
        return reduced.same or are_equal(reduced.left, reduced.right)

    bare = any(not side.children for side in (left, right))
    slip = find_slip(
        *known.sides,
        known.points,
        follows,
        by_facts=True,
        others=known.unknowns,
        determined=bare,
        opposite=True,
    )
    if slip is None or is_row_of_system(link, left, right, used):
        return None
    return describe_change(f"it holds with {slip.instead}", used, is_certain=False)


def _list_recent_equations(
    facts: Facts, link: ChainLink, left: Tree, right: Tree
) -> list[tuple[Tree, Tree, Fact]]:
    """Return what the last lines say of the letters of a claim, the last first."""
    free = free_symbols(left) | free_symbols(right)
    result = [
        (one, other, fact)
        for one, other, fact in facts.list_equations(left, right)
        if link.line - fact.line <= _RECENT_LINES
        and fact.position.scope.section is link.position.scope.section
        and not free.isdisjoint(fact.variables)
        and "matrix" not in (*one.list_labels(), *other.list_labels())
    ]
    return sorted(result, key=lambda each: -each[2].number)[:_MOST_FACTS]


def _is_copy(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether an equation is a fact in the same words, and not its consequence: misquoted equations
    are compared elsewhere."""
    return says_the_same(fact, left, right) and _list_operands(left, right) == _list_operands(
        fact.left, fact.right
    )


def _list_operands(*sides: Tree) -> list[str]:
    leaves = (node.label.lstrip("-") for side in sides for node in side if not node.children)
    return sorted(label for label in leaves if label != "1")
