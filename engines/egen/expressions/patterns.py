"""Expressions and patterns with the arithmetic of their numbers done.

The e-graph folds constants exactly, so that rules have to be read the same way: `/ 1 2` and `0.5` are the one
number 1/2, a leaf labelled `1/2`.
"""

from __future__ import annotations

from fractions import Fraction

from engines.core.tree import Tree
from engines.egen.expressions.language import is_constant_token

RESULT_LIMIT = 10**9
"""Constants whose numerator or denominator is larger are not worked out."""


def is_number(tree: Tree) -> bool:
    """Whether the tree is one rational number (`-7`, `0.5` or a folded `1/2`)."""
    return not tree.children and (is_constant_token(tree.label) or "/" in tree.label[1:])


def fold(tree: Tree) -> Tree:
    """Operations on numbers worked out, decimals as fractions."""
    children = tuple(fold(child) for child in tree.children)
    if len(children) == 2 and all(map(is_number, children)):
        value = operate(tree.label, *(Fraction(child.label) for child in children))
        if value is not None:
            return Tree(str(value))
    if is_constant_token(tree.label):
        return Tree(str(Fraction(tree.label)))
    return Tree(tree.label, children)


def operate(label: str, left: Fraction, right: Fraction) -> Fraction | None:
    """`+ - * /` and small integer powers of numbers; None where there is no short result."""
    if label == "+":
        value = left + right
    elif label == "-":
        value = left - right
    elif label == "*":
        value = left * right
    elif label == "/" and right:
        value = left / right
    elif label == "pow" and left and right.denominator == 1 and abs(right) <= 64 and _short(left, 10**4):
        value = left ** int(right)
    else:
        return None
    return value if _short(value, RESULT_LIMIT) else None


def _short(value: Fraction, limit: int) -> bool:
    return max(abs(value.numerator), value.denominator) < limit


def unfolded(tree: Tree) -> Tree:
    """The tree in the language: a folded fraction becomes a division."""
    if is_number(tree) and "/" in tree.label:
        return Tree("/", tuple(map(Tree, tree.label.split("/"))))
    return Tree(tree.label, tuple(unfolded(child) for child in tree.children))
