"""Rows of a display that write the equation before them in another way, as with completed squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import Accusation
from engines.proofreading.slips import find_identity_slip
from engines.proofreading.term_properties import constant_gap, free_symbols, values_agree

_LEAST_NODES = 14
"""Nodes of both left sides; shorter equations of several letters are those of a system."""


def find_odd_row(
    stated: Sequence[tuple[ChainLink, Tree, Tree]],
    link: ChainLink,
    left: Tree,
    right: Tree,
    are_equal: Callable[[Tree, Tree], bool],
) -> Accusation | None:
    """Return by how much a row differs from the one before it, which it writes in another way: `(x - 1)^2 =
    8` behind `(x - 1)^2 - 4 = 12`, with more letters; None where it says the same, or something new.

    Args:
        stated: The equations that the text has stated before it, with their sides.
        link: The link of the row.
        left: Its left side.
        right: Its right side.
        are_equal: Whether two terms are equal whatever their variables are.
    """
    if not stated or link.connective != "row" or link.index or link.has_denial_nearby:
        return None
    before, one, other = stated[-1]
    names = free_symbols(left)
    beside = before.piece_index == link.piece_index and before.chain_index + 1 == link.chain_index
    long = len(one) + len(left) >= _LEAST_NODES and one != left
    if not (beside and long) or before.index or len(names) < 2 or names != free_symbols(one):
        return None
    if free_symbols(other) | free_symbols(right):
        return None
    written = " ".join(f"{before.left} {before.relation} {before.right}".split())
    if gap := constant_gap(Tree("-", (one, other)), Tree("-", (left, right))):
        return Accusation(f"it differs by {gap} from {written} (line {before.line})")
    if values_agree(other, right, {}) and (slip := find_identity_slip(one, left, are_equal)):
        return Accusation(f"{slip.reason}, by {written} (line {before.line})")
    return None
