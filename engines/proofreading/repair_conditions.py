"""The condition under which two terms that differ are equal, and statements written in one line."""

from __future__ import annotations

from engines.core.errors import EngineError
from engines.core.expression_language import ARITY, display_name
from engines.core.tree import Tree
from engines.mathematics.algebra.rational import TooLargeError, factor_tree
from engines.mathematics.terms.notation import to_infix
from engines.proofreading.term_properties import free_symbols

_MOST_FACTORS = 2
_ARITHMETIC = ("+", "-", "*", "/", "pow")
_SIMPLE = 12
"""Nodes of a condition that a reader takes in at a glance."""
_BETWEEN = {
    **{
        label: label
        for label in ("=", "<", ">", "<=", ">=", "!=", ":=", "+", "-", "*", "/", "and", "or", "in")
    },
    "approx": "≈",
    "congruent": "≡",
}


def find_repair(left: Tree, right: Tree) -> str:
    """Return the condition under which two terms that differ are equal, where it is simple; "" where it is
    not.

    >>> from engines.formula.reader import read
    >>> find_repair(read("(x-y)^2 + 2xy").tree, read("1 + 2xy").tree)
    'x - y = ±1'
    """
    try:
        _, parts = factor_tree(Tree("-", (left, right)))
    except (TooLargeError, EngineError, OverflowError, ZeroDivisionError, RecursionError):
        return ""
    vanishing = [part for part, power in parts if power > 0 and free_symbols(part)]
    if not 0 < len(vanishing) <= _MOST_FACTORS or any(len(part) > _SIMPLE for part in vanishing):
        return ""
    if any(node.children and node.label not in _ARITHMETIC for part in vanishing for node in part):
        return ""
    if len(vanishing) == 1 and len(vanishing[0]) >= len(left) + len(right):
        return ""  # x^2 + y^2 = r^2 holds if x^2 + y^2 - r^2 = 0
    roots = [_write_root(part) for part in vanishing]
    if len(roots) == 2 and roots[0].replace("= -", "= ") == roots[1].replace("= -", "= "):
        return f"{max(roots, key=len).replace('= -', '= ±')}"
    return " or ".join(roots)


def _write_root(part: Tree) -> str:
    """`x - y = 1` for x - y - 1."""
    for label, sign in (("-", ""), ("+", "-")):
        if part.label == label and len(part.children) == 2 and not free_symbols(part.children[1]):
            return f"{write_term(part.children[0])} = {sign}{write_term(part.children[1])}"
    return f"{write_term(part)} = 0"


def write_term(tree: Tree) -> str:
    """Return a term or statement in one line: infix where there is one, and otherwise by its operators.

    >>> write_term(Tree("=", (Tree("call", (Tree("f"), Tree("x"))), Tree("pow", (Tree("x"), Tree("2"))))))
    'f(x) = x^2'
    """
    label, parts = tree.label, tree.children
    if not parts:
        return display_name(label)
    if all(ARITY.get(node.label, -1) == len(node.children) for node in tree if node.children):
        return to_infix(tree)
    words = [write_term(part) for part in parts]
    if label == "call":
        return f"{words[0]}({', '.join(words[1:])})"
    if label in _BETWEEN and len(words) > 1:
        inside = (
            f"({word})" if part.label in "+-" and part.children and label in "*/" else word
            for word, part in zip(words, parts, strict=True)
        )
        return f" {_BETWEEN[label]} ".join(inside)
    return f"{label}({', '.join(words)})"


def are_polynomials(*sides: Tree) -> bool:
    """Return whether terms are made of numbers and letters by sums, products and powers alone."""
    return {node.label for side in sides for node in side if node.children} <= {"+", "-", "*", "pow"}


def is_equality(condition: str) -> bool:
    """Return whether a condition says which value a term has: `β = 0`, and not `x ≠ 0` or `x >= 0`."""
    return " = " in condition and not any(sign in condition for sign in ("≠", "!", "<", ">", "≥", "≤"))
