"""Series of powers of t > 0 with a factor that grows or falls exponentially, and arithmetic with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from math import factorial

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.series_coefficients import (
    LOGARITHM,
    Coefficient,
    LongCoefficientError,
    NoSeriesError,
    add_coefficients,
    coefficient_to_tree,
    find_coefficient_sign,
    fold_number,
    fold_zero_coefficient,
    multiply_coefficients,
    raise_coefficient,
)

MOST_TERMS = 8
"""How far beyond its leading exponent a series is known."""
_Terms = tuple[tuple[Fraction, Coefficient], ...]


@dataclass(frozen=True, slots=True)
class PowerSeries:
    """exp(Σ g t^-m) times terms c t^n by rising exponents n, each c ≠ 0.

    Attributes:
        terms: The exponents and coefficients.
        order: What is left out of the terms is at most a multiple of t^order.
        growth: The exponents and coefficients of the exponential.
    """

    terms: _Terms
    order: Fraction
    growth: _Terms = ()

    @property
    def valuation(self) -> Fraction:
        """The least exponent of the terms."""
        return self.terms[0][0] if self.terms else self.order


EXACT_ORDER = Fraction(10**6)
"""The order of a series that ends."""
_NEARLY_EXACT = EXACT_ORDER - 1
"""The order of a series that ends but for what is smaller than every power."""
ZERO_SERIES = PowerSeries((), EXACT_ORDER)
BOUNDED_SERIES = PowerSeries((), Fraction(0))


def make_constant_series(coefficient: Coefficient) -> PowerSeries:
    """Return a constant as a series."""
    return PowerSeries(((Fraction(0), coefficient),) if coefficient != 0 else (), EXACT_ORDER)


def make_series(terms: dict[Fraction, Coefficient], order: Fraction, growth: _Terms = ()) -> PowerSeries:
    """Return a series of at most `MOST_TERMS` powers beyond its leading one.

    Args:
        terms: Coefficients by exponents, in any order; zeros are left out.
        order: What is left out of the terms is at most a multiple of t^order.
        growth: The terms of the exponential.
    """
    kept = sorted(((n, c) for n, c in terms.items() if c != 0 and n < order), key=lambda one: one[0])
    # Longer series cost more with each product, and the leading terms decide nearly all limits.
    if kept and kept[-1][0] >= kept[0][0] + MOST_TERMS:
        order = kept[0][0] + MOST_TERMS
        kept = [(n, c) for n, c in kept if n < order]
    return PowerSeries(tuple(kept), order, growth)


def _add_terms(left: _Terms, right: _Terms, order: Fraction, growth: _Terms = ()) -> PowerSeries:
    """Return the sum as a series that ends before a coefficient that gets too long."""
    terms = dict(left)
    for exponent, coefficient in right:
        if exponent < order:
            try:
                terms[exponent] = add_coefficients(terms.get(exponent, Fraction(0)), coefficient)
            except LongCoefficientError:
                order = exponent
    return make_series(terms, order, growth)


def scale_series(series: PowerSeries, factor: Coefficient) -> PowerSeries:
    """Return a series times a constant."""
    return multiply_series(make_constant_series(factor), series)


def _scale_terms(terms: _Terms, factor: Coefficient) -> _Terms:
    return tuple((exponent, multiply_coefficients(coefficient, factor)) for exponent, coefficient in terms)


def add_series(left: PowerSeries, right: PowerSeries) -> PowerSeries:
    """Return the sum of two series.

    Raises:
        NoSeriesError: If their exponentials are of one size, and the sum has no series of this form.
    """
    if left == ZERO_SERIES or right == ZERO_SERIES:
        return right if left == ZERO_SERIES else left
    # Of two exponentials the faster one remains; the other is smaller than each power of t beside it. If
    # their quotient does not go to 0 or ∞, the sum has no series of this form.
    if left.growth != right.growth:
        ratio = _add_terms(left.growth, _scale_terms(right.growth, Fraction(-1)), Fraction(0))
        if sign := find_leading_sign(ratio):
            larger = left if sign > 0 else right
            return PowerSeries(larger.terms, min(larger.order, _NEARLY_EXACT), larger.growth)
        if ratio.terms:
            raise NoSeriesError
    return _add_terms(left.terms, right.terms, min(left.order, right.order), left.growth)


def multiply_series(left: PowerSeries, right: PowerSeries) -> PowerSeries:
    """Return the product of two series.

    Raises:
        NoSeriesError: If the sum of their exponents is not known.
    """
    if ZERO_SERIES in (left, right):
        return ZERO_SERIES
    lowest = left.valuation + right.valuation
    # An error of t^n times the other's leading term: the larger of the two errors is that of the product.
    order = min(left.order + right.valuation, right.order + left.valuation, EXACT_ORDER)
    if left.order == right.order == EXACT_ORDER:
        order = EXACT_ORDER
    if left.terms and right.terms and left.terms[-1][0] + right.terms[-1][0] >= lowest + MOST_TERMS:
        order = min(order, lowest + MOST_TERMS)
    products = tuple(
        (m + n, multiply_coefficients(a, b)) for m, a in left.terms for n, b in right.terms if m + n < order
    )
    growth = _add_terms(left.growth, right.growth, Fraction(0))
    if growth.order < 0:
        raise NoSeriesError
    return _add_terms((), products, order, growth.terms)


def find_leading_sign(series: PowerSeries) -> int | None:
    """Return the sign of the leading coefficient; None where there is none or it varies."""
    return find_coefficient_sign(coefficient_to_tree(series.terms[0][1])) if series.terms else None


def drop_exponential(series: PowerSeries) -> PowerSeries:
    """Return a series without exponential: what falls faster than every power counts as 0."""
    if not series.growth:
        return series
    if find_leading_sign(PowerSeries(series.growth, Fraction(0))) != -1:
        raise NoSeriesError
    return PowerSeries((), _NEARLY_EXACT)


def compose_series(coefficients: Iterator[Coefficient], inner: PowerSeries) -> PowerSeries:
    """Return Σ a_k s^k for a series s without constant term."""
    if inner == ZERO_SERIES:
        return make_constant_series(next(coefficients))
    if inner.valuation <= 0:
        raise NoSeriesError
    # The k-th power begins at k times the valuation, so later ones are beyond the error already.
    most = int(MOST_TERMS / inner.valuation) + 2 if inner.terms else 2
    total, power, order = ZERO_SERIES, make_constant_series(Fraction(1)), Fraction(0)
    for coefficient in islice(coefficients, most):
        total = add_series(total, scale_series(power, coefficient))
        power = multiply_series(power, inner)
        order += inner.valuation
    return make_series(dict(total.terms), min(total.order, order))


def is_single_power(series: PowerSeries) -> bool:
    """Return whether a series is one power of t with a constant factor."""
    is_slow = any(isinstance(c, Tree) and LOGARITHM in c.list_labels() for _, c in series.terms)
    return len(series.terms) == 1 and series.order >= _NEARLY_EXACT and not series.growth and not is_slow


def integrate_series(series: PowerSeries) -> PowerSeries:
    """Return the integral from 0 of a series."""
    if series.growth or series.valuation <= -1:
        raise NoSeriesError
    # t^n becomes t^(n+1)/(n+1), and the order rises with the terms.
    terms = {n + 1: multiply_coefficients(c, 1 / (n + 1)) for n, c in series.terms}
    return make_series(terms, series.order if series.order == EXACT_ORDER else series.order + 1)


def get_constant_term(series: PowerSeries) -> Coefficient:
    """Return the coefficient of t^0."""
    return dict(series.terms).get(Fraction(0), Fraction(0))


def drop_constant_term(series: PowerSeries) -> PowerSeries:
    """Return a series without its coefficient of t^0."""
    return PowerSeries(tuple((n, c) for n, c in series.terms if n != 0), series.order)


def _split_leading_term(series: PowerSeries) -> tuple[Fraction, Coefficient, PowerSeries]:
    """Return n, c and s of the terms c t^n (1 + s)."""
    if not series.terms:
        raise NoSeriesError
    # What is left of c t^n goes to 1, so that powers and logarithms of it have Taylor series.
    exponent, lead = series.terms[0]
    inverse = raise_coefficient(lead, Fraction(-1))
    rest = tuple((n - exponent, multiply_coefficients(c, inverse)) for n, c in series.terms[1:])
    order = series.order if series.order == EXACT_ORDER else series.order - exponent
    return exponent, lead, PowerSeries(rest, order)


def raise_series(series: PowerSeries, power: Coefficient) -> PowerSeries:
    """Return a power of a series, by the binomial series.

    Raises:
        NoSeriesError: If its leading coefficient may be negative and the exponent is no integer.
    """
    if not series.terms and not series.growth and isinstance(power, Fraction) and power > 0:
        return series if series == ZERO_SERIES else PowerSeries((), series.order * power)
    exponent, lead, rest = _split_leading_term(series)
    whole = isinstance(power, Fraction) and power.denominator == 1
    # (c t^n (1 + s))^p is c^p t^(np) (1 + s)^p only for c > 0, unless p is an integer.
    if not whole and find_coefficient_sign(coefficient_to_tree(lead)) != 1:
        raise NoSeriesError
    if not isinstance(power, Fraction) and exponent != 0:
        raise NoSeriesError

    def binomials() -> Iterator[Coefficient]:
        term: Coefficient = Fraction(1)
        for k in count():
            yield term
            term = multiply_coefficients(
                term, multiply_coefficients(add_coefficients(power, Fraction(-k)), Fraction(1, k + 1))
            )

    shift = exponent * power if isinstance(power, Fraction) else Fraction(0)
    factor = PowerSeries(
        ((shift, raise_coefficient(lead, power)),), EXACT_ORDER, _scale_terms(series.growth, power)
    )
    return multiply_series(factor, compose_series(binomials(), rest))


def take_logarithm(series: PowerSeries) -> PowerSeries:
    """Return the logarithm of a series, with ln t in its constant coefficient.

    Raises:
        NoSeriesError: If its leading coefficient is not positive.
    """
    exponent, lead, rest = _split_leading_term(series)
    if find_coefficient_sign(coefficient_to_tree(lead)) != 1:
        raise NoSeriesError
    first = fold_number(Tree("ln", (coefficient_to_tree(lead),))) if lead != 1 else Fraction(0)
    if exponent:
        first = add_coefficients(first, multiply_coefficients(exponent, Tree(LOGARITHM)))

    # ln(1 + s) = s - s^2/2 + s^3/3 - …
    def coefficients() -> Iterator[Coefficient]:
        yield first
        for k in count(1):
            yield Fraction(1 if k % 2 else -1, k)

    return add_series(PowerSeries(series.growth, EXACT_ORDER), compose_series(coefficients(), rest))


def take_exponential(series: PowerSeries) -> PowerSeries:
    """Return the exponential of a series: its negative powers become the growth.

    Raises:
        NoSeriesError: If the series is not known up to its constant term.
    """
    if series.growth:
        series = drop_exponential(series)
    # exp of a sum is a product: the negative powers are the growth, the constant is a factor, and the rest
    # goes to 0 and has a Taylor series.
    growth = tuple((n, c) for n, c in series.terms if n < 0)
    if series.order <= 0:
        raise NoSeriesError
    start, shift = get_constant_term(series), Fraction(0)
    if isinstance(start, Tree) and LOGARITHM in start.list_labels():
        # exp(k ln t + c) = exp(c) t^k
        at = [fold_number(replace_variable(start, LOGARITHM, Tree(str(k)))) for k in range(3)]
        slopes = [add_coefficients(at[k + 1], multiply_coefficients(Fraction(-1), at[k])) for k in range(2)]
        # Only a constant that is linear in ln t gives a power of t; three values tell whether it is.
        if not isinstance(slopes[0], Fraction) or slopes[0] != slopes[1]:
            raise NoSeriesError
        start, shift = at[0], slopes[0]
    rest = PowerSeries(tuple((n, c) for n, c in series.terms if n > 0), series.order)
    factor = fold_number(Tree("pow", (Tree("e"), coefficient_to_tree(start)))) if start != 0 else Fraction(1)
    tail = compose_series(TAYLOR_COEFFICIENTS["exp"](Fraction(0)), rest)
    return multiply_series(PowerSeries(((shift, factor),), EXACT_ORDER, growth), tail)


def _cycle_slopes(
    labels: Sequence[str], signs: Sequence[int]
) -> Callable[[Coefficient], Iterator[Coefficient]]:
    """Return the Taylor coefficients of a function whose derivatives repeat."""

    def coefficients(start: Coefficient) -> Iterator[Coefficient]:
        point = coefficient_to_tree(start)
        slopes = [
            fold_zero_coefficient(
                fold_number(Tree("pow", (Tree("e"), point)) if label == "exp" else Tree(label, (point,)))
            )
            for label in labels
        ]
        for k in count():
            sign = signs[k % len(signs)]
            yield multiply_coefficients(slopes[k % len(slopes)], Fraction(sign, factorial(k)))

    return coefficients


TAYLOR_COEFFICIENTS = {
    "exp": _cycle_slopes(("exp",), (1,)),
    "sin": _cycle_slopes(("sin", "cos"), (1, 1, -1, -1)),
    "cos": _cycle_slopes(("cos", "sin"), (1, -1, -1, 1)),
}
