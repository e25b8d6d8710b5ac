r"""Operations on both sides of an equation that a text states: behind `x^3 + y^3 = 6xy` follow
`\frac{d}{dx}(x^3 + y^3) = \frac{d}{dx}(6xy)` and `\ln(x^3 + y^3) = \ln(6xy)`.
"""

from __future__ import annotations

from engines.core.tree import Tree
from engines.proofreading.facts import Facts
from engines.proofreading.near_consequences import FAR_LINES, says_the_same
from engines.proofreading.stated_facts import Fact
from engines.proofreading.term_properties import free_symbols

_OVER_VARIABLE = ("d", "antiderivative", "integral", "limit", "sum", "prod")
"""Operations for which an equation has to hold at other values of a variable, too."""
_ARITHMETIC = ("+", "-", "*", "/")
_LONG = 9
"""Nodes of an equation that is hardly another one by chance."""


def find_operated_equation(facts: Facts, left: Tree, right: Tree, line: int) -> Fact | None:
    """Return the stated equation whose sides both undergo one operation, or several; None where there is
    none, or where it holds at single values of the variable that the operation is about, as `x^2 = 4`."""
    varied: set[str] = set()
    # d/dx[A] = d/dx[B], ln A = ln B and lim A = lim B are stripped until A = B is left.
    while (inner := _strip_operation(left, right)) is not None:
        if left.label in _OVER_VARIABLE:
            varied.add(left.children[0].label)
        left, right = inner
        # A long equation is the same in the solution, whichever part of the exercise states it.
        is_long = len(left) + len(right) >= _LONG
        for fact in reversed(facts.every if is_long else facts.in_scope):
            # Where another letter is in it, that one can be a function of the variable.
            depends = free_symbols(fact.left) | free_symbols(fact.right)
            holds_along = not varied or bool(varied <= depends and depends - varied)
            stands = line - fact.line <= FAR_LINES and not fact.alternative and not fact.is_value
            if holds_along and stands and says_the_same(fact, left, right):
                return fact
    return None


def _strip_operation(left: Tree, right: Tree) -> tuple[Tree, Tree] | None:
    """Return the parts in which terms of one operation differ; None where there are more or none."""
    if left.label != right.label or len(left.children) != len(right.children) or left.label in _ARITHMETIC:
        return None
    # Ends, variables and bases have to be the same: they belong to the operation.
    parts = [pair for pair in zip(left.children, right.children, strict=True) if pair[0] != pair[1]]
    return parts[0] if len(parts) == 1 else None
