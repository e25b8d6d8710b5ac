"""SymPy's word on whether two expressions are equal: an oracle that shares no code with the verifier."""

from __future__ import annotations

from typing import Any, Literal

import sympy

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.mathematics.terms.symbolic import isolate_sympy, to_sympy

__all__ = ["Opinion", "second_opinion"]

Opinion = Literal["agree", "disagree", "unknown"]
POINTS = ("2/7", "-3/11", "17/13", "-29/12", "41/9", "-83/7", "1/97")


def second_opinion(left: Tree, right: Tree) -> Opinion:
    """Whether SymPy finds two expressions equal.

    `agree`: their difference simplifies to 0. `disagree`: at some real point all that SymPy left of both is
    real and the values differ at 30 digits. `unknown`: neither.
    """
    try:
        with isolate_sympy():
            return _judge(*(to_sympy(side).doit() for side in (left, right)))
    except ExpressionError:
        return "unknown"


def _judge(first: Any, second: Any) -> Opinion:
    if any(_differ(first, second, point) for point in POINTS):
        return "disagree"
    difference = first - second
    steps = (sympy.expand, sympy.simplify, lambda u: sympy.simplify(u.rewrite(sympy.exp)))
    if difference == 0 or any(step(difference) == 0 for step in steps):
        return "agree"
    return "unknown"


def _differ(first: Any, second: Any, point: str) -> bool:
    at = {sympy.Symbol("x", real=True): sympy.Rational(point)}
    values = []
    for side in (first, second):
        for term in sympy.preorder_traversal(side):
            value = term.evalf(30, subs=at)
            if not (value.is_Float or value.is_Rational):
                return False
        values.append(side.evalf(30, subs=at))
    # evalf gives 30 correct digits: what is 1e-18 apart differs; what is closer stays `unknown` or is proved
    scale = max(abs(values[0]), abs(values[1]))
    return bool(abs(values[0] - values[1]) > scale * sympy.Float("1e-18"))
