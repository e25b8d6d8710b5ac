"""Limits of terms: by continuity, of rational functions far out, and by the first terms of a series.

A term near a point is expanded in powers of t > 0, the distance from the point, or 1/t far out. The exponents
may be fractions, and the coefficients hold the parameters of the term and L = ln t, which grows more slowly
than every power; what exp makes of negative powers is kept as a factor. The limit is read from the leading
term (D. Gruntz, On Computing Limits in a Symbolic Manipulation System, 1996, section 3.3).
"""

from __future__ import annotations

from fractions import Fraction

from engines.core.errors import EngineError
from engines.core.expression_language import ARITY, CONSTANTS
from engines.core.tree import ZERO, Tree
from engines.mathematics.algebra.rational import Quotient, Space, TooLargeError, expand_tree
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.judging.power_series import PowerSeries, find_leading_sign
from engines.mathematics.judging.series_coefficients import (
    DISTANCE_TERM,
    INFINITY,
    LOGARITHM,
    MINUS_ONE,
    NoSeriesError,
    coefficient_to_tree,
    find_coefficient_sign,
    list_coefficient_signs,
)
from engines.mathematics.judging.series_expansion import SeriesExpansion

_CONTINUOUS = {*ARITY, "min", "max", "root"} - {"d", "x"}
"""Operations that are continuous wherever they are defined."""
_MOST_LOGARITHMS = 2


def evaluate_limit(tree: Tree, depth: int = 0) -> Tree | None:
    """Return the value of a limit as a term in its parameters, also `inf`; None where it is not found."""
    name, to, side, body = tree.children
    if name.label in free_variables(to):
        return None
    try:
        inner = expand_tree(body)
    except (TooLargeError, KeyError):
        inner = body
    sign = numbers.infinite_sign(to)
    # A continuous function has its value as its limit; only where that is not defined, as 0/0, is a series
    # needed, which costs far more.
    if _is_continuous(body, name.label):
        near = _limit_at_infinity(inner, name) if sign else replace_variable(inner, name.label, to)
        if near is not None and _is_defined(near):
            return near
    try:
        return _expand_at(body, name.label, to, side.label, depth)
    except (NoSeriesError, TooLargeError, EngineError, KeyError, OverflowError, ZeroDivisionError):
        return None


def _is_continuous(body: Tree, name: str) -> bool:
    for node in body:
        if node.children and node.label not in _CONTINUOUS:
            return False
        # A power with the variable in its exponent is continuous only for a positive base: (-2)^x is defined
        # at some rational numbers alone.
        if node.label == "pow" and name in node.children[1].list_labels():
            base = node.children[0]
            positive = base.label in CONSTANTS or (numbers.exact_value(base) or 0) > 0
            if not positive:
                return False
    return True


def _limit_at_infinity(body: Tree, name: Tree) -> Tree | None:
    """Return the limit of a rational function far out, where it is bounded there."""
    try:
        space = Space([body])
        top, bottom = space.to_quotient(body)
    except TooLargeError:
        return None
    # An atom that contains the variable, as sin x, may grow like anything: degrees say nothing then.
    if any(name.label in atom.list_labels() for atom in space.atoms if atom != name):
        return None
    if name not in space.atoms:
        return body
    offset = space.atoms.index(name)
    # Far out only the leading terms count: the limit is the quotient of their coefficients if the degrees
    # are equal, and 0 if the degree below is greater.
    leads = []
    degrees = []
    for polynomial in (top, bottom):
        rows = polynomial.to_dict()
        degree = max((int(exponents[offset]) for exponents in rows), default=0)
        lead = {
            tuple(0 if k == offset else n for k, n in enumerate(exponents)): c
            for exponents, c in rows.items()
            if exponents[offset] == degree
        }
        degrees.append(degree)
        leads.append(space.make_polynomial(lead))
    if top.is_zero() or degrees[0] < degrees[1]:
        # where the leading coefficient below is not 0
        return Tree("/", (ZERO, space.polynomial_to_tree(leads[1])))
    if degrees[0] > degrees[1]:
        return None
    return (
        space.to_tree(Quotient(leads[0], space.constant_polynomial(1)))
        if leads[1].is_one()
        else Tree("/", (space.polynomial_to_tree(leads[0]), space.polynomial_to_tree(leads[1])))
    )


def _expand_at(body: Tree, name: str, to: Tree, side: str, depth: int) -> Tree | None:
    # Every limit becomes one for t → 0 from above: x = 1/t far out, and x = a + t or a - t at a point, where
    # both sides are expanded unless the limit is one-sided.
    if sign := numbers.infinite_sign(to):
        places = [Tree("/", (Tree(str(sign)), DISTANCE_TERM))]
    else:
        signs = {"+": "+", "-": "-"}.get(side, "+-")
        places = [
            DISTANCE_TERM if to == ZERO and one == "+" else Tree(one, (to, DISTANCE_TERM)) for one in signs
        ]
    limits = [
        _read_limit(SeriesExpansion().expand(replace_variable(body, name, place)), depth) for place in places
    ]
    first = limits[0]
    if any(one is None for one in limits) or first is None:
        return None
    for one in limits[1:]:
        if one is None or (one != first and not _are_same(one, first)):
            return None  # the limits from both sides differ
    return first


def _are_same(left: Tree, right: Tree) -> bool:
    infinite = [numbers.infinite_sign(one) for one in (left, right)]
    return (
        infinite[0] == infinite[1] if any(infinite) else find_coefficient_sign(Tree("-", (left, right))) == 0
    )


def _read_limit(near: PowerSeries, depth: int) -> Tree | None:
    """Return the limit for t → 0 of what is expanded; None if that does not tell."""
    # The exponential outgrows every power of t, so its sign alone decides where there is one.
    growth = PowerSeries(near.growth, Fraction(0))
    if growth.terms:
        sign = find_leading_sign(growth)
        return ZERO if sign == -1 else _infinity(find_leading_sign(near)) if sign == 1 else None
    exponent, lead = near.terms[0] if near.terms else (near.order, Fraction(0))
    if exponent < 0 and lead:
        return _infinity(find_coefficient_sign(coefficient_to_tree(lead)))
    # The error is as large as a constant: nothing is known of the limit.
    if near.order <= 0:
        return None
    if exponent > 0 or not lead:
        return ZERO
    value = coefficient_to_tree(lead)
    if LOGARITHM not in value.list_labels():
        return value
    if depth == _MOST_LOGARITHMS:
        return None
    # The leading coefficient still has ln t in it, which goes to -∞: it is a limit of its own.
    low = Tree("*", (MINUS_ONE, INFINITY))
    return evaluate_limit(Tree("limit", (Tree(LOGARITHM), low, Tree("0"), value)), depth + 1)


def _infinity(sign: int | None) -> Tree | None:
    if not sign:
        return None
    return INFINITY if sign > 0 else Tree("*", (MINUS_ONE, INFINITY))


def _is_defined(tree: Tree) -> bool:
    if numbers.infinite_sign(tree):
        return True
    return any(True for _ in list_coefficient_signs(tree))
