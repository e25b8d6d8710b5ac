r"""Limits of terms with a remainder: `\lim_{x \to 0} \frac{x^2 + O(x^4)}{x^2} = 1`."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_verdicts import Accusation
from engines.proofreading.term_properties import free_symbols

_ORDERS = ("O", "o", "𝒪")
_FACTORS = ("1", "-1", "0")
"""A remainder may have any factor."""


def find_other_limit(link: ChainLink, left: Tree, right: Tree, judge: Judge) -> Accusation | None:
    """Return what the sides of an equation of limits are, if they differ whatever its remainders are; None
    if they may be equal.

    Args:
        link: The link between the sides.
        left: Its left side.
        right: Its right side.
        judge: The judge of terms.
    """
    if link.relation != "=" or link.of_problem or link.is_denied_directly or left.label != "limit":
        return None
    tried = [[_insert_remainder(side, factor) for side in (left, right)] for factor in _FACTORS]
    if tried[0] == [left, right] or any(map(free_symbols, tried[0])):
        return None
    verdicts = [judge.equal(one, other) for one, other in tried]
    if any(verdict.outcome != "different" for verdict in verdicts):
        return None
    return Accusation(verdicts[-1].witness)


def _insert_remainder(tree: Tree, factor: str, *, is_inside: bool = False) -> Tree:
    """Return a term with a multiple of x^n for each O(x^n) in a limit."""
    is_order = tree.label == "call" and tree.children[0].label in _ORDERS and len(tree.children) == 2
    if is_order and is_inside:
        return Tree("*", (Tree(factor), tree.children[1]))
    inside = is_inside or tree.label == "limit"
    return Tree(
        tree.label, tuple(_insert_remainder(part, factor, is_inside=inside) for part in tree.children)
    )
