"""Steps that change what solves an equation or inequality: squaring, and factors of either sign."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.errors import EngineError
from engines.core.tree import ZERO, Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.judging.judge import Judge
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.term_properties import free_symbols

_SIMPLE = 14
"""Nodes of a factor that a reader sees at a glance."""


def find_factor(earlier: Tree, later: Tree) -> Tree | None:
    """Find by what both sides of a relation were multiplied or divided; None where it was by no such thing.

    >>> from engines.formula.reader import read
    >>> factor = find_factor(read("1/x < 2").tree, read("1 < 2x").tree)
    >>> factor and factor.list_labels()
    ['x']
    """
    sides = (*earlier.children, *later.children)
    try:
        space = Space(sides)
        left, right, new_left, new_right = map(space.to_quotient, sides)
        before = space.combine_quotients("-", left, right)
        after = space.combine_quotients("-", new_left, new_right)
        if before.top.is_zero() or after.top.is_zero():
            return None
        factor = space.combine_quotients("/", after, before)
        if not (factor.top.is_constant() or factor.bottom.is_constant()):
            return None
        result = space.to_tree(factor)
    except (TooLargeError, EngineError, OverflowError, ZeroDivisionError, RecursionError):
        return None
    return result if free_symbols(result) and len(result) <= _SIMPLE else None


def explain_sign(earlier: Tree, later: Tree, conditions: Sequence[Tree], judge: Judge) -> str:
    """Explain why an inequality does not follow that is another one multiplied by an expression of either
    sign; "" where the sign is known, or nothing was multiplied."""
    factor = find_factor(earlier, later)
    if factor is None:
        return ""
    for sign in (">", ">=", "<", "<="):
        if judge.holds(Tree(sign, (factor, ZERO)), conditions).outcome == "equal":
            return ""
    return f"multiplied by {write_term(factor)}, whose sign is not known"


def explain_root(earlier: Tree, later: Tree, judge: Judge) -> str:
    """Explain how a root came in that an earlier equation does not have: by squaring, or by a factor."""
    factor = find_factor(earlier, later)
    if factor is not None:
        return f"multiplied by {write_term(factor)}, which can be 0"
    squares = Tree("-", tuple(Tree("pow", (side, Tree("2"))) for side in earlier.children))
    for sides in (later.children, later.children[::-1]):
        if judge.equal(squares, Tree("-", sides)).outcome in ("equal", "equal if"):
            return "squared"
    return ""
