"""Expansion of terms in powers of t, the distance from a point, and comparison of two expansions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from engines.core.errors import EngineError
from engines.core.expression_language import INVERSE
from engines.core.tree import ONE, ZERO, Tree, differentiate
from engines.formula.cursor import ELLIPSIS
from engines.mathematics.algebra.rational import TooLargeError, number_tree
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.power_series import (
    BOUNDED_SERIES,
    EXACT_ORDER,
    MOST_TERMS,
    TAYLOR_COEFFICIENTS,
    ZERO_SERIES,
    PowerSeries,
    add_series,
    compose_series,
    drop_constant_term,
    drop_exponential,
    find_leading_sign,
    get_constant_term,
    integrate_series,
    is_single_power,
    make_constant_series,
    make_series,
    multiply_series,
    raise_series,
    scale_series,
    take_exponential,
    take_logarithm,
)
from engines.mathematics.judging.series_coefficients import (
    DISTANCE,
    DISTANCE_TERM,
    INFINITY,
    LOGARITHM,
    MINUS_ONE,
    Coefficient,
    NoSeriesError,
    coefficient_to_tree,
    fold_number,
    fold_zero_coefficient,
    list_coefficient_signs,
    multiply_coefficients,
)
from engines.mathematics.verification.work_limit import WorkLimitError, spend_work

_BEYOND = Fraction(1, 64)
"""How far behind the last written exponent of a series that goes on its order is at least."""
_ORDER_SYMBOLS = {"O": Fraction(0), "𝒪": Fraction(0), "o": _BEYOND}


class SeriesExpansion:
    """The expansion of terms in powers of t."""

    def expand(self, tree: Tree) -> PowerSeries:
        """Return the series of a term.

        Raises:
            NoSeriesError: If it has none, or none is found.
        """
        label, children = tree.label, tree.children
        spend_work(MOST_TERMS)
        if label == DISTANCE:
            return PowerSeries(((Fraction(1), Fraction(1)),), EXACT_ORDER)
        # Free of t: a constant, which is not expanded further.
        if DISTANCE not in tree.list_labels():
            return make_constant_series(fold_zero_coefficient(fold_number(tree)))
        if label == "pow":
            return self._expand_power(*children)
        if label in _REWRITTEN:
            return self.expand(_REWRITTEN[label](*children))
        parts = [self.expand(child) for child in children]
        first, last = parts[0], parts[-1]
        if label == "+":
            return add_series(first, last)
        if label == "-":
            return add_series(first, scale_series(last, Fraction(-1)))
        if label == "*":
            return multiply_series(first, last)
        if label == "/":
            return multiply_series(first, raise_series(last, Fraction(-1)))
        # Near t = 0 the leading term decides the sign, as long as it has one itself.
        if label in ("abs", "sign"):
            sign = find_leading_sign(first)
            if not sign:
                raise NoSeriesError
            return (
                make_constant_series(Fraction(sign))
                if label == "sign"
                else scale_series(first, Fraction(sign))
            )
        if label == "ln":
            return take_logarithm(first)
        if label in TAYLOR_COEFFICIENTS or label in INVERSE:
            return self._apply_function(label, first)
        raise NoSeriesError

    def _expand_power(self, base: Tree, exponent: Tree) -> PowerSeries:
        # u^v is exp(v ln u) in general, but e^v has no logarithm to expand, and a constant exponent takes the
        # binomial series.
        if base.label == "e":
            return take_exponential(self.expand(exponent))
        if DISTANCE not in exponent.list_labels():
            return raise_series(self.expand(base), fold_number(exponent))
        if numbers.exact_value(base) == -1:
            return BOUNDED_SERIES  # for whole exponents
        return take_exponential(multiply_series(self.expand(exponent), take_logarithm(self.expand(base))))

    def _apply_function(self, label: str, inner: PowerSeries) -> PowerSeries:
        if inner.growth and find_leading_sign(PowerSeries(inner.growth, Fraction(0))) == -1:
            inner = drop_exponential(inner)
        # A Taylor series at c needs an argument that goes to c. One that grows, by a negative power, an
        # exponential or ln t, is looked at far out.
        start = get_constant_term(inner)
        is_slow = isinstance(start, Tree) and LOGARITHM in start.list_labels()
        if inner.growth or inner.valuation < 0 or is_slow:
            return self._apply_far_out(label, inner)
        rest = drop_constant_term(inner)
        if label in TAYLOR_COEFFICIENTS:
            return compose_series(TAYLOR_COEFFICIENTS[label](start), rest)
        return compose_series(self._integrate_slope(label, start), rest)

    def _apply_far_out(self, label: str, inner: PowerSeries) -> PowerSeries:
        if label in ("sin", "cos"):
            return BOUNDED_SERIES
        if label in ("atan", "acot") and (inner.growth or inner.valuation < 0):
            # atan u = ± π/2 - atan 1/u
            turned = self._apply_function("atan", raise_series(inner, Fraction(-1)))
            if label == "acot":
                return turned
            if sign := find_leading_sign(inner):
                half = make_constant_series(Tree("/", (Tree("pi"), Tree(str(2 * sign)))))
                return add_series(half, scale_series(turned, Fraction(-1)))
        raise NoSeriesError

    def _integrate_slope(self, label: str, start: Coefficient) -> Iterator[Coefficient]:
        """Yield the coefficients of f(c + t), by the series of its derivative."""
        yield fold_zero_coefficient(fold_number(Tree(label, (coefficient_to_tree(start),))))
        # The derivatives of these functions are algebraic, so their series are known; integrated term by term
        # they give that of the function, up to the constant above.
        slope = differentiate(Tree(label, (DISTANCE_TERM,)), DISTANCE)
        place = Tree("+", (coefficient_to_tree(start), DISTANCE_TERM)) if start != 0 else DISTANCE_TERM
        series = self.expand(replace_variable(slope, DISTANCE, place))
        if series.growth or series.valuation < 0:
            raise NoSeriesError
        terms = dict(series.terms)
        for k in range(1, MOST_TERMS + 2):
            if k - 1 >= series.order:
                return
            yield multiply_coefficients(terms.get(Fraction(k - 1), Fraction(0)), Fraction(1, k))


class _FormalExpansion(SeriesExpansion):
    """The expansion of terms with written series: sums with an ellipsis or O(t^n), and infinite sums."""

    def expand(self, tree: Tree) -> PowerSeries:
        operands = _list_operands(tree)
        if len(operands) > 1 and operands[-1].label == ELLIPSIS:
            return self._expand_written_terms(iter(operands))
        labels = tree.list_labels()
        is_left_out = ELLIPSIS in (tree.label, *(operand.label for operand in operands))
        if is_left_out or (ELLIPSIS in labels and DISTANCE not in labels):
            raise NoSeriesError  # a sum or product that ends has parts that are not written
        if len(operands) > 1 and any(map(_is_remainder, operands)):
            return self._expand_with_remainder(operands)
        if tree.label == "call" and tree.children[0].label in _ORDER_SYMBOLS:
            symbol, *size = tree.children
            if is_single_power(power := self.expand(size[0])):
                return PowerSeries((), power.valuation + _ORDER_SYMBOLS[symbol.label])
            raise NoSeriesError
        if tree.label == "sum" and tree.children[2] == INFINITY:
            return self._expand_written_terms(self._iterate_terms(tree))
        if tree.label == "integral" and tree.children[1:3] == (ZERO, DISTANCE_TERM):
            name, _, _, body = tree.children
            return integrate_series(self.expand(replace_variable(body, name.label, DISTANCE_TERM)))
        return SeriesExpansion.expand(self, tree)

    def _expand_written_terms(self, operands: Iterator[Tree]) -> PowerSeries:
        """Return the series of powers by rising exponents, which go on behind the last one."""
        terms: dict[Fraction, Coefficient] = {}
        power = ZERO_SERIES
        for operand in operands:
            if operand.label == ELLIPSIS:
                break
            if operand.label == "sum":  # what an ellipsis between its terms stands for
                return self._expand_written_terms(self._iterate_terms(operand))
            # Of x - 1 at 1 both terms together are a power.
            power = add_series(power, self.expand(operand))
            if not is_single_power(power):
                continue
            exponent, coefficient = power.terms[0]
            if terms and exponent <= max(terms):
                raise NoSeriesError
            terms[exponent] = coefficient
            power = ZERO_SERIES
        if not terms or power != ZERO_SERIES:
            raise NoSeriesError
        return make_series(terms, max(terms) + _BEYOND)

    def _expand_with_remainder(self, operands: list[Tree]) -> PowerSeries:
        """Return the series of a sum with O(t^n), of which all terms are larger than that."""
        # A term that is smaller than the remainder beside it would not have been written.
        parts = [self.expand(operand) for operand in operands]
        total = reduce(add_series, parts)
        if any(part.terms and part.valuation >= total.order for part in parts):
            raise NoSeriesError
        return total

    def _iterate_terms(self, series: Tree) -> Iterator[Tree]:
        """Yield the first terms of a sum over an index, without those that are 0."""
        index, start, _, body = series.children
        if any("_" in label and index.label in label for label in body.list_labels()):
            raise NoSeriesError  # a_k is another number for each k
        first = numbers.exact_value(start)
        if first is None or Fraction(first).denominator != 1:
            raise NoSeriesError
        for k in range(int(first), int(first) + MOST_TERMS + 2):
            term = replace_variable(body, index.label, number_tree(k))
            if self.expand(term) != ZERO_SERIES:
                yield term


def _is_remainder(tree: Tree) -> bool:
    """Return whether a term is O(t^n) or o(t^n), with a factor."""
    if tree.label == "*":
        return _is_remainder(tree.children[1])
    return tree.label == "call" and tree.children[0].label in _ORDER_SYMBOLS


def _list_operands(tree: Tree) -> list[Tree]:
    """Return the terms of a sum as it is written, without those of sums in brackets behind the first term."""
    if tree.label not in ("+", "-") or len(tree.children) != 2:
        return [tree]
    # Sums are nested to the left: (a + b) + c.
    first, last = tree.children
    is_taken = tree.label == "-" and last.label != ELLIPSIS
    return [*_list_operands(first), Tree("*", (MINUS_ONE, last)) if is_taken else last]


@dataclass(frozen=True, slots=True)
class SeriesComparison:
    """The coefficients of two series that are both known.

    Attributes:
        equal: How many that are not 0 are equal.
        different: The first exponent with different coefficients, and these; None where there is none.
        is_decided: Whether all could be compared.
    """

    equal: int
    different: tuple[Fraction, Tree, Tree] | None
    is_decided: bool


def compare_series(left: Tree, right: Tree, name: str, centre: Tree) -> SeriesComparison | None:
    """Compare the expansions of two terms in powers of `name - centre`, or of `1/name` where the centre is
    `inf`, as far as both are known. None where a side has no such expansion."""
    # A product is one operand: the terms of 1 + t in place of x are none of the sum that has x.
    shifted = Tree("*", (ONE, Tree("+", (centre, DISTANCE_TERM))))
    place = Tree("/", (ONE, DISTANCE_TERM)) if centre == INFINITY else shifted
    place = DISTANCE_TERM if centre == ZERO else place
    try:
        sides = [_FormalExpansion().expand(replace_variable(side, name, place)) for side in (left, right)]
        return None if any(side.growth for side in sides) else _compare_coefficients(*sides)
    except (NoSeriesError, TooLargeError, WorkLimitError, EngineError, KeyError, ArithmeticError):
        return None


def _compare_coefficients(left: PowerSeries, right: PowerSeries) -> SeriesComparison:
    # Terms beyond the order of either series are not known of it.
    one, other = dict(left.terms), dict(right.terms)
    equal, different, is_decided = 0, None, True
    # Coefficients are terms, whose equality is sought at points: what varies is not decided.
    for exponent in sorted(n for n in {*one, *other} if n < min(left.order, right.order)):
        values = [coefficient_to_tree(terms.get(exponent, Fraction(0))) for terms in (one, other)]
        signs = set(list_coefficient_signs(Tree("-", (values[0], values[1]))))
        if signs == {0}:
            equal += 1
        elif not signs or 0 in signs:
            is_decided = False
        elif different is None:
            different = exponent, values[0], values[1]
    return SeriesComparison(equal, different, is_decided)


def _divide(top: Tree, bottom: Tree) -> Tree:
    return Tree("/", (top, bottom))


def _hyperbolic(sign: str, u: Tree) -> Tree:
    down = Tree("pow", (Tree("e"), Tree("*", (MINUS_ONE, u))))
    return _divide(Tree(sign, (Tree("pow", (Tree("e"), u)), down)), Tree("2"))


_REWRITTEN: dict[str, Callable[..., Tree]] = {
    "sqrt": lambda u: Tree("pow", (u, _divide(ONE, Tree("2")))),
    "root": lambda degree, u: Tree("pow", (u, _divide(ONE, degree))),
    "log": lambda base, u: _divide(Tree("ln", (u,)), Tree("ln", (base,))),
    "tan": lambda u: _divide(Tree("sin", (u,)), Tree("cos", (u,))),
    "cot": lambda u: _divide(Tree("cos", (u,)), Tree("sin", (u,))),
    "sec": lambda u: _divide(ONE, Tree("cos", (u,))),
    "csc": lambda u: _divide(ONE, Tree("sin", (u,))),
    "sinh": lambda u: _hyperbolic("-", u),
    "cosh": lambda u: _hyperbolic("+", u),
    "tanh": lambda u: _divide(Tree("sinh", (u,)), Tree("cosh", (u,))),
    "coth": lambda u: _divide(Tree("cosh", (u,)), Tree("sinh", (u,))),
    "sech": lambda u: _divide(ONE, Tree("cosh", (u,))),
    "csch": lambda u: _divide(ONE, Tree("sinh", (u,))),
}
"""Functions by those whose series are known."""
