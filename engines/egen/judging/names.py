"""Which names in a term are variables."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.tree import Tree
from engines.egen.expressions.language import ARITY, BINDERS, CONSTANTS, FURTHER, is_constant_token

INTEGERS = ("Z", "ℤ", "N", "ℕ", "integers")
REALS = ("R", "ℝ", "reals")
NUMBER_SETS = (*INTEGERS, *REALS, "C", "ℂ", "Q", "ℚ")
EMPTY = ("∅", "emptyset")
COMPLEX = ("i", "conj", "re", "im", "arg")
BOUND = (*BINDERS, "limit", "d")
"""Operators whose first operand is a variable that they bind, and the last is what they bind it in."""
_NO_VARIABLES = (*CONSTANTS, "i", "inf", *EMPTY)
_REAL = {*ARITY, *FURTHER} - {"x"}


def free(*trees: Tree) -> set[str]:
    """The free variables of terms and statements."""
    return {name for tree in trees for name in _free(tree)}


def _free(tree: Tree) -> Iterator[str]:
    label, parts = tree.label, tree.children
    if not parts:
        if label not in _NO_VARIABLES and not is_constant_token(label):
            yield label
        return
    if label in ("text", "unit"):
        return
    if label in ("call", "interval"):
        parts = parts[1:]
    elif label == "in" and parts[1].label in NUMBER_SETS:
        parts = parts[:1]
    elif label in BOUND and label != "d":
        name, *ends, body = parts
        yield from (one for one in _free(body) if one != name.label)
        parts = tuple(ends[: 1 if label == "limit" else 2])
    for part in parts:
        yield from _free(part)


def is_real(tree: Tree) -> bool:
    """Whether a term is made of operations on real numbers that are worked out."""
    return all(node.label in _REAL for node in tree if node.children) and not {"i", "inf"} & {*tree.labels()}
