"""Statements that say of a second thing what others say of the first: `s_2 = v_2 t` behind `s_1 = v_1 t`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.proofreading.stated_facts import Fact
from engines.proofreading.term_properties import free_symbols

_MOST_FACTS = 6
"""Of the last statements that are looked at."""
_LEAST_NAMES = 2
"""Names with an index that a statement has; one with another index is a slip as often."""


def is_parallel(facts: Sequence[Fact], left: Tree, right: Tree) -> bool:
    """Return whether an equation is one of the last facts with another index on all names that have its.

    Args:
        facts: What the text stated, in its order.
        left: The left side of the equation.
        right: The right side of the equation.

    >>> from engines.formula.reader import read
    >>> sides = [read(text).tree for text in ("s_1", "v_1 t", "s_2", "v_2 t", "v_1 t")]
    >>> known = [Fact(sides[0], sides[1], "", 1, 0)]
    >>> is_parallel(known, sides[2], sides[3]), is_parallel(known, sides[2], sides[4])
    (True, False)
    """
    return any(_has_other_index(fact, left, right) for fact in facts[-_MOST_FACTS:])


def _has_other_index(fact: Fact, left: Tree, right: Tree) -> bool:
    known, said = [*fact.left, *fact.right], [*left, *right]
    if len(known) != len(said) or len(fact.left) != len(left):
        return False
    exchanged: dict[str, str] = {}
    changed: set[str] = set()
    for one, other in zip(known, said, strict=True):
        if len(one.children) != len(other.children):
            return False
        if one.children or not free_symbols(one):
            if one.label != other.label:
                return False
            continue
        base, _, index = one.label.partition("_")
        other_base, _, other_index = other.label.partition("_")
        if base != other_base or exchanged.setdefault(index, other_index) != other_index:
            return False
        if index != other_index:
            changed.add(one.label)
    return len(changed) >= _LEAST_NAMES and not exchanged.get("", "")
