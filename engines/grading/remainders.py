r"""Remainders of expansions: `1 - x^2 + O(x^6)` says of its first terms what `1 - x^2` does."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.mathematics.judging.names import free_variables

_ORDERS = ("O", "o", "𝒪", "𝓞", "ο")


def drop_remainder(tree: Tree, beside: Tree) -> Tree:
    """Return an expansion without the remainder behind it, if all terms of the other one are of lower order;
    any other term as it is.

    >>> from engines.grading.trees import cached_reading
    >>> trees = [cached_reading(text).tree for text in ("1 - x^2 + O(x^4)", "1 - x^2", "1 - x^2 + x^5")]
    >>> drop_remainder(trees[0], trees[1]) == trees[1], drop_remainder(trees[0], trees[2]) == trees[0]
    (True, True)
    """
    if tree.label != "+" or _find_order(tree.children[1]) is None or _holds_order(beside):
        return tree
    found = _find_order(tree.children[1])
    if found is None:
        return tree
    name, order = found
    degree = _find_degree(beside, name)
    return tree.children[0] if degree is not None and degree < order else tree


def _holds_order(tree: Tree) -> bool:
    return any(node.label == "call" and node.children[0].label in _ORDERS for node in tree)


def _find_order(tree: Tree) -> tuple[str, int] | None:
    """Return the variable of a remainder and the order that terms have to be below; None for other terms."""
    if tree.label != "call" or tree.children[0].label not in _ORDERS or len(tree.children) != 2:
        return None
    power = tree.children[1]
    base, exponent = power.children if power.label == "pow" else (power, Tree("1"))
    if base.children or not exponent.label.isdecimal():
        return None
    # o(x^n) leaves the terms up to x^n, O(x^n) those before it.
    return base.label, int(exponent.label) + (tree.children[0].label in ("o", "ο"))


def _find_degree(tree: Tree, name: str) -> int | None:
    """Return the highest exponent of a variable in a polynomial; None for other terms."""
    label, parts = tree.label, tree.children
    if name not in free_variables(tree):
        return 0
    if not parts:
        return 1
    if label == "pow" and parts[0] == Tree(name) and parts[1].label.isdecimal():
        return int(parts[1].label)
    if label not in ("+", "-", "*", "/"):
        return None
    degrees = [_find_degree(part, name) for part in parts]
    known = [degree for degree in degrees if degree is not None]
    if len(known) < len(degrees) or (label == "/" and known[1]):
        return None
    return sum(known) if label == "*" else max(known)
