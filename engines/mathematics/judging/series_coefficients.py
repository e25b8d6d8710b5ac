"""Coefficients of series: rational numbers, or terms in parameters and L = ln t."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import ctx, fmpq

from engines.core.tree import ONE, Tree
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import free_variables
from engines.mathematics.verification.enclosures import value_at
from engines.mathematics.verification.work_limit import spend_work

_MOST_NODES = 400
"""Larger coefficients are not worked out."""
_BITS, _ZERO_BITS = 256, 160
_SAMPLES = ("7/5", "-4/3", "31/7", "-39/11", "2/9", "-1/8", "1009/2", "-20011/3")
# No text can have these names: a sharp sign belongs to no letter.
DISTANCE, LOGARITHM = "#t", "#ln t"
"""The variables t, in whose powers terms are expanded, and L = ln t."""
DISTANCE_TERM = Tree(DISTANCE)
MINUS_ONE = Tree("-1")
INFINITY = Tree("inf")

Coefficient = Fraction | Tree
"""A number as long as it is one, since numbers are compared at once; else a term in parameters and L."""


class NoSeriesError(Exception):
    """A term has no series of this kind, or none is found."""


class LongCoefficientError(NoSeriesError):
    """A coefficient gets too long."""


def coefficient_to_tree(coefficient: Coefficient) -> Tree:
    """Return a coefficient as a term."""
    if isinstance(coefficient, Tree):
        return coefficient
    top, bottom = Tree(str(coefficient.numerator)), Tree(str(coefficient.denominator))
    return top if coefficient.denominator == 1 else Tree("/", (top, bottom))


def add_coefficients(left: Coefficient, right: Coefficient) -> Coefficient:
    """Return the sum of two coefficients, as a number or short term where it is one."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    # Zeros and ones are left out so that terms stay short: what gets longer than `_MOST_NODES` ends the
    # series.
    if left == 0 or right == 0:
        return right if left == 0 else left
    return _drop_zero(Tree("+", (coefficient_to_tree(left), coefficient_to_tree(right))))


def multiply_coefficients(left: Coefficient, right: Coefficient) -> Coefficient:
    """Return the product of two coefficients."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    if left == 0 or right == 0:
        return Fraction(0)
    if left == 1 or right == 1:
        return right if left == 1 else left
    return Tree("*", (coefficient_to_tree(left), coefficient_to_tree(right)))


def raise_coefficient(base: Coefficient, exponent: Coefficient) -> Coefficient:
    """Return a power of a coefficient."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        if isinstance(base, Fraction):
            return base ** int(exponent)
        if exponent == -1:
            return Tree("/", (ONE, base))
    if base == 1 or exponent == 0:
        return Fraction(1)
    return fold_number(Tree("pow", (coefficient_to_tree(base), coefficient_to_tree(exponent))))


def fold_number(tree: Tree) -> Coefficient:
    """Return the number that a term without variables is, if that is a short rational one."""
    # An exact number stays a fraction as long as possible: fractions are compared and cancelled at once,
    # where the sign of a term has to be found by its values.
    exact = numbers.exact_value(tree)
    if exact is not None:
        return Fraction(exact)
    if len(tree) > _MOST_NODES:
        raise LongCoefficientError
    if not free_variables(tree) and LOGARITHM not in tree.list_labels():
        value = value_at(tree, {})
        if value is None or not value.is_finite():
            raise NoSeriesError
        # A ball without radius is a proof; a number that only looks like an integer stays a term.
        if value.is_exact() and value.is_integer():
            return Fraction(str(value.unique_fmpz()))
    return tree


def _drop_zero(tree: Tree) -> Coefficient:
    if len(tree) > _MOST_NODES:
        raise LongCoefficientError
    return Fraction(0) if _is_zero(tree) else tree


def _is_zero(tree: Tree) -> bool:
    # The first value that is none decides: most coefficients are not 0, and need no other point.
    signs = list_coefficient_signs(tree)
    return next(signs, None) == 0 and all(sign == 0 for sign in signs)


def find_coefficient_sign(tree: Tree) -> int | None:
    """Return the sign of a coefficient, 0 for 0, by its values at some points; None where it varies."""
    signs = list_coefficient_signs(tree)
    first = next(signs, None)
    return first if all(sign == first for sign in signs) else None


def list_coefficient_signs(tree: Tree) -> Iterator[int]:
    """Yield the signs of a term at the points where it has a value."""
    names = sorted(free_variables(tree) - {LOGARITHM})
    # Letters stand for any number, so a sign counts only if it is the same at several points. Each letter
    # gets another value than the others, since a - b would be 0 at equal ones.
    for start in range(len(_SAMPLES) if names else 1):
        point = {
            name: fmpq(*Fraction(_SAMPLES[(start + k) % len(_SAMPLES)]).as_integer_ratio()) + k
            for k, name in enumerate(names)
        }
        spend_work(len(tree))
        # ln t is far below every number that a text has: the sign is that in the limit t → 0.
        with ctx.workprec(_BITS):
            value = value_at(tree, {**point, LOGARITHM: fmpq(-(10**7) - start)})
        if value is None or not value.is_finite():
            continue
        if value > 0 or value < 0:
            yield 1 if value > 0 else -1
        # No precision proves that a value is 0. A tiny ball around 0 counts as 0, a wide one says nothing.
        elif value.rad() < 2.0**-_ZERO_BITS:
            yield 0


def fold_zero_coefficient(coefficient: Coefficient) -> Coefficient:
    """Return a coefficient, 0 where its values say that it is 0."""
    return _drop_zero(coefficient) if isinstance(coefficient, Tree) else coefficient
