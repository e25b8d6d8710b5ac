"""Integrals across a pole, which have no value: that of `1/x^2` from -1 to 1."""

from __future__ import annotations

import math

from engines.core.errors import EngineError
from engines.core.tree import ZERO, Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.term_properties import evaluate_term, free_symbols, real_roots

_MOST_NODES = 40
_INFINITIES = {Tree("inf"): math.inf, Tree("*", (Tree("-1"), Tree("inf"))): -math.inf}
_AT_END = 1e-9


def describe_divergence(node: Tree) -> str:
    """Describe why an integral of a rational function has no value; "" where it has one, if only as the limit
    of what is left without the same piece on both sides of a pole.

    >>> from engines.formula.reader import read
    >>> describe_divergence(read(r"\\int_{-1}^1 \\frac{1}{x^2} dx").tree)
    'the integral of 1/x^2 has no value: there is a pole at x = 0'
    >>> describe_divergence(read(r"\\int_{-1}^2 \\frac{1}{x} dx").tree)
    ''
    """
    if node.label != "integral" or len(node.children[-1]) > _MOST_NODES:
        return ""
    variable, *places, body = node.children
    ends = [_INFINITIES.get(place, evaluate_term(place, {})) for place in places]
    if None in ends or free_symbols(body) != {variable.label}:
        return ""
    low, high = sorted(end or 0.0 for end in ends)
    for root, power in _list_poles(body, variable.label):
        at_end = any(abs(root - end) < _AT_END for end in (low, high))
        if (at_end and low < high) or (low < root < high and power % 2 == 0):
            return (
                f"the integral of {write_term(body)} has no value: there is a pole at "
                f"{variable.label} = {root + 0.0:.6g}"
            )
    return ""


def _list_poles(body: Tree, name: str) -> list[tuple[float, int]]:
    """List the poles of a rational function of one variable with their orders, where factors of its lowest
    denominator that are at most quadratic have roots."""
    try:
        space = Space((body,))
        if space.atoms != [Tree(name)]:
            return []
        quotient = space.to_quotient(body)
        factors = [
            (space.to_tree(quotient._replace(top=factor, bottom=space.constant_polynomial(1))), power)
            for factor, power in quotient.bottom.factor()[1]
        ]
    except (TooLargeError, EngineError, OverflowError, ZeroDivisionError, RecursionError):
        return []
    return [(root, power) for factor, power in factors for root in real_roots(factor, ZERO, name, {})]
