"""Limits of terms: by continuity, of rational functions far out, and by the first terms of a series.

A term near a point is expanded in powers of t > 0, the distance from the point, or 1/t far out. The exponents
may be fractions, and the coefficients hold the parameters of the term and L = ln t, which grows more slowly
than every power; what exp makes of negative powers is kept as a factor. The limit is read from the leading
term (D. Gruntz, On Computing Limits in a Symbolic Manipulation System, 1996, section 3.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import count, islice
from math import factorial

from flint import ctx, fmpq

from engines.core.errors import EngineError
from engines.core.expression_language import ARITY, CONSTANTS, INVERSE
from engines.core.tree import ONE, ZERO, Tree, differentiate
from engines.formula.cursor import ELLIPSIS
from engines.mathematics.algebra.rational import Quotient, Space, TooLargeError, expand_tree, number_tree
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.verification.enclosures import value_at
from engines.mathematics.verification.work_limit import WorkLimitError, spend_work

_CONTINUOUS = {*ARITY, "min", "max", "root"} - {"d", "x"}
"""Operations that are continuous wherever they are defined."""
_TERMS = 8
"""How far beyond its leading exponent a series is known."""
_MOST_NODES = 400
"""Larger coefficients are not worked out."""
_MOST_LOGARITHMS = 2
_BITS, _ZERO_BITS = 256, 160
_SAMPLES = ("7/5", "-4/3", "31/7", "-39/11", "2/9", "-1/8", "1009/2", "-20011/3")
_DISTANCE, _LOGARITHM = "#t", "#ln t"
_POINT = Tree(_DISTANCE)
_MINUS_ONE = Tree("-1")
_BEYOND = Fraction(1, 64)
"""How far behind the last written exponent of a series that goes on its order is at least."""
_ORDER_SYMBOLS = {"O": Fraction(0), "𝒪": Fraction(0), "o": _BEYOND}
_INFINITY = Tree("inf")

Coefficient = Fraction | Tree


class _NoSeriesError(Exception):
    """A term has no series of this kind, or none is found."""


class _LongCoefficientError(_NoSeriesError):
    """A coefficient gets too long."""


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
    except (_NoSeriesError, TooLargeError, EngineError, KeyError, OverflowError, ZeroDivisionError):
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
        places = [Tree("/", (Tree(str(sign)), _POINT))]
    else:
        signs = {"+": "+", "-": "-"}.get(side, "+-")
        places = [_POINT if to == ZERO and one == "+" else Tree(one, (to, _POINT)) for one in signs]
    limits = [
        _read_limit(_Expansion().expand(replace_variable(body, name, place)), depth) for place in places
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
    return infinite[0] == infinite[1] if any(infinite) else _find_sign(Tree("-", (left, right))) == 0


def _read_limit(near: _Series, depth: int) -> Tree | None:
    """Return the limit for t → 0 of what is expanded; None if that does not tell."""
    # The exponential outgrows every power of t, so its sign alone decides where there is one.
    growth = _Series(near.growth, Fraction(0))
    if growth.terms:
        sign = _lead_sign(growth)
        return ZERO if sign == -1 else _infinity(_lead_sign(near)) if sign == 1 else None
    exponent, lead = near.terms[0] if near.terms else (near.order, Fraction(0))
    if exponent < 0 and lead:
        return _infinity(_find_sign(_to_tree(lead)))
    # The error is as large as a constant: nothing is known of the limit.
    if near.order <= 0:
        return None
    if exponent > 0 or not lead:
        return ZERO
    value = _to_tree(lead)
    if _LOGARITHM not in value.list_labels():
        return value
    if depth == _MOST_LOGARITHMS:
        return None
    # The leading coefficient still has ln t in it, which goes to -∞: it is a limit of its own.
    low = Tree("*", (_MINUS_ONE, _INFINITY))
    return evaluate_limit(Tree("limit", (Tree(_LOGARITHM), low, Tree("0"), value)), depth + 1)


def _infinity(sign: int | None) -> Tree | None:
    if not sign:
        return None
    return _INFINITY if sign > 0 else Tree("*", (_MINUS_ONE, _INFINITY))


# ---- coefficients


def _to_tree(coefficient: Coefficient) -> Tree:
    if isinstance(coefficient, Tree):
        return coefficient
    top, bottom = Tree(str(coefficient.numerator)), Tree(str(coefficient.denominator))
    return top if coefficient.denominator == 1 else Tree("/", (top, bottom))


def _add_coefficients(left: Coefficient, right: Coefficient) -> Coefficient:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    # Zeros and ones are left out so that terms stay short: what gets longer than `_MOST_NODES` ends the
    # series.
    if left == 0 or right == 0:
        return right if left == 0 else left
    return _drop_zero(Tree("+", (_to_tree(left), _to_tree(right))))


def _multiply_coefficients(left: Coefficient, right: Coefficient) -> Coefficient:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    if left == 0 or right == 0:
        return Fraction(0)
    if left == 1 or right == 1:
        return right if left == 1 else left
    return Tree("*", (_to_tree(left), _to_tree(right)))


def _raise_coefficient(base: Coefficient, exponent: Coefficient) -> Coefficient:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        if isinstance(base, Fraction):
            return base ** int(exponent)
        if exponent == -1:
            return Tree("/", (ONE, base))
    if base == 1 or exponent == 0:
        return Fraction(1)
    return _fold_number(Tree("pow", (_to_tree(base), _to_tree(exponent))))


def _fold_number(tree: Tree) -> Coefficient:
    """Return the number that a term without variables is, if that is a short rational one."""
    # An exact number stays a fraction as long as possible: fractions are compared and cancelled at once,
    # where the sign of a term has to be found by its values.
    exact = numbers.exact_value(tree)
    if exact is not None:
        return Fraction(exact)
    if len(tree) > _MOST_NODES:
        raise _LongCoefficientError
    if not free_variables(tree) and _LOGARITHM not in tree.list_labels():
        value = value_at(tree, {})
        if value is None or not value.is_finite():
            raise _NoSeriesError
        # A ball without radius is a proof; a number that only looks like an integer stays a term.
        if value.is_exact() and value.is_integer():
            return Fraction(str(value.unique_fmpz()))
    return tree


def _drop_zero(tree: Tree) -> Coefficient:
    if len(tree) > _MOST_NODES:
        raise _LongCoefficientError
    return Fraction(0) if _find_sign(tree) == 0 else tree


def _is_defined(tree: Tree) -> bool:
    if numbers.infinite_sign(tree):
        return True
    return any(True for _ in _list_signs(tree))


def _find_sign(tree: Tree) -> int | None:
    """Return the sign of a coefficient, 0 for 0, by its values at some points; None where it varies."""
    signs = set(_list_signs(tree))
    return signs.pop() if len(signs) == 1 else None


def _list_signs(tree: Tree) -> Iterator[int]:
    """Signs of a term at points where it has a value."""
    names = sorted(free_variables(tree) - {_LOGARITHM})
    spend_work(len(tree))
    with ctx.workprec(_BITS):
        # Letters stand for any number, so a sign counts only if it is the same at several points. Each letter
        # gets another value than the others, since a - b would be 0 at equal ones.
        for start in range(len(_SAMPLES) if names else 1):
            point = {
                name: fmpq(*Fraction(_SAMPLES[(start + k) % len(_SAMPLES)]).as_integer_ratio()) + k
                for k, name in enumerate(names)
            }
            # ln t is far below every number that a text has: the sign is that in the limit t → 0.
            value = value_at(tree, {**point, _LOGARITHM: fmpq(-(10**7) - start)})
            if value is None or not value.is_finite():
                continue
            if value > 0 or value < 0:
                yield 1 if value > 0 else -1
            # No precision proves that a value is 0. A tiny ball around 0 counts as 0, a wide one says
            # nothing.
            elif value.rad() < 2.0**-_ZERO_BITS:
                yield 0


# ---- series

_Terms = tuple[tuple[Fraction, Coefficient], ...]


@dataclass(frozen=True, slots=True)
class _Series:
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


_EXACT = Fraction(10**6)
"""The order of a series that ends."""
_NEARLY_EXACT = _EXACT - 1
"""The order of a series that ends but for what is smaller than every power."""
_ZERO = _Series((), _EXACT)
_BOUNDED = _Series((), Fraction(0))


def _make_constant(coefficient: Coefficient) -> _Series:
    return _Series(((Fraction(0), coefficient),) if coefficient != 0 else (), _EXACT)


def _make_series(terms: dict[Fraction, Coefficient], order: Fraction, growth: _Terms = ()) -> _Series:
    kept = sorted(((n, c) for n, c in terms.items() if c != 0 and n < order), key=lambda one: one[0])
    # Longer series cost more with each product, and the leading terms decide nearly all limits.
    if kept and kept[-1][0] >= kept[0][0] + _TERMS:
        order = kept[0][0] + _TERMS
        kept = [(n, c) for n, c in kept if n < order]
    return _Series(tuple(kept), order, growth)


def _add_terms(left: _Terms, right: _Terms, order: Fraction, growth: _Terms = ()) -> _Series:
    """Return the sum as a series that ends before a coefficient that gets too long."""
    terms = dict(left)
    for exponent, coefficient in right:
        if exponent < order:
            try:
                terms[exponent] = _add_coefficients(terms.get(exponent, Fraction(0)), coefficient)
            except _LongCoefficientError:
                order = exponent
    return _make_series(terms, order, growth)


def _scale_series(series: _Series, factor: Coefficient) -> _Series:
    return _multiply_series(_make_constant(factor), series)


def _scale_terms(terms: _Terms, factor: Coefficient) -> _Terms:
    return tuple((exponent, _multiply_coefficients(coefficient, factor)) for exponent, coefficient in terms)


def _sum_series(left: _Series, right: _Series) -> _Series:
    if left == _ZERO or right == _ZERO:
        return right if left == _ZERO else left
    # Of two exponentials the faster one remains; the other is smaller than each power of t beside it. If
    # their quotient does not go to 0 or ∞, the sum has no series of this form.
    if left.growth != right.growth:
        ratio = _add_terms(left.growth, _scale_terms(right.growth, Fraction(-1)), Fraction(0))
        if sign := _lead_sign(ratio):
            larger = left if sign > 0 else right
            return _Series(larger.terms, min(larger.order, _NEARLY_EXACT), larger.growth)
        if ratio.terms:
            raise _NoSeriesError
    return _add_terms(left.terms, right.terms, min(left.order, right.order), left.growth)


def _multiply_series(left: _Series, right: _Series) -> _Series:
    if _ZERO in (left, right):
        return _ZERO
    lowest = left.valuation + right.valuation
    # An error of t^n times the other's leading term: the larger of the two errors is that of the product.
    order = min(left.order + right.valuation, right.order + left.valuation, _EXACT)
    if left.order == right.order == _EXACT:
        order = _EXACT
    if left.terms and right.terms and left.terms[-1][0] + right.terms[-1][0] >= lowest + _TERMS:
        order = min(order, lowest + _TERMS)
    products = tuple(
        (m + n, _multiply_coefficients(a, b)) for m, a in left.terms for n, b in right.terms if m + n < order
    )
    growth = _add_terms(left.growth, right.growth, Fraction(0))
    if growth.order < 0:
        raise _NoSeriesError
    return _add_terms((), products, order, growth.terms)


def _lead_sign(series: _Series) -> int | None:
    """Return the sign of the leading coefficient; None where there is none or it varies."""
    return _find_sign(_to_tree(series.terms[0][1])) if series.terms else None


def _drop_exponential(series: _Series) -> _Series:
    """Return a series without exponential: what falls faster than every power counts as 0."""
    if not series.growth:
        return series
    if _lead_sign(_Series(series.growth, Fraction(0))) != -1:
        raise _NoSeriesError
    return _Series((), _NEARLY_EXACT)


def _compose(coefficients: Iterator[Coefficient], inner: _Series) -> _Series:
    """Return Σ a_k s^k for a series s without constant term."""
    if inner == _ZERO:
        return _make_constant(next(coefficients))
    if inner.valuation <= 0:
        raise _NoSeriesError
    # The k-th power begins at k times the valuation, so later ones are beyond the error already.
    most = int(_TERMS / inner.valuation) + 2 if inner.terms else 2
    total, power, order = _ZERO, _make_constant(Fraction(1)), Fraction(0)
    for coefficient in islice(coefficients, most):
        total = _sum_series(total, _scale_series(power, coefficient))
        power = _multiply_series(power, inner)
        order += inner.valuation
    return _make_series(dict(total.terms), min(total.order, order))


class _Expansion:
    """The expansion of terms in powers of t."""

    def expand(self, tree: Tree) -> _Series:
        """Return the series of a term.

        Raises:
            _NoSeriesError: If it has none, or none is found.
        """
        label, children = tree.label, tree.children
        spend_work(_TERMS)
        if label == _DISTANCE:
            return _Series(((Fraction(1), Fraction(1)),), _EXACT)
        # Free of t: a constant, which is not expanded further.
        if _DISTANCE not in tree.list_labels():
            return _make_constant(_drop_zero_of(_fold_number(tree)))
        if label == "pow":
            return self._expand_power(*children)
        if label in _REWRITTEN:
            return self.expand(_REWRITTEN[label](*children))
        parts = [self.expand(child) for child in children]
        first, last = parts[0], parts[-1]
        if label == "+":
            return _sum_series(first, last)
        if label == "-":
            return _sum_series(first, _scale_series(last, Fraction(-1)))
        if label == "*":
            return _multiply_series(first, last)
        if label == "/":
            return _multiply_series(first, _power_of_series(last, Fraction(-1)))
        # Near t = 0 the leading term decides the sign, as long as it has one itself.
        if label in ("abs", "sign"):
            sign = _lead_sign(first)
            if not sign:
                raise _NoSeriesError
            return _make_constant(Fraction(sign)) if label == "sign" else _scale_series(first, Fraction(sign))
        if label == "ln":
            return _logarithm(first)
        if label in _TAYLOR or label in INVERSE:
            return self._apply_function(label, first)
        raise _NoSeriesError

    def _expand_power(self, base: Tree, exponent: Tree) -> _Series:
        # u^v is exp(v ln u) in general, but e^v has no logarithm to expand, and a constant exponent takes the
        # binomial series.
        if base.label == "e":
            return _exponential(self.expand(exponent))
        if _DISTANCE not in exponent.list_labels():
            return _power_of_series(self.expand(base), _fold_number(exponent))
        if numbers.exact_value(base) == -1:
            return _BOUNDED  # for whole exponents
        return _exponential(_multiply_series(self.expand(exponent), _logarithm(self.expand(base))))

    def _apply_function(self, label: str, inner: _Series) -> _Series:
        if inner.growth and _lead_sign(_Series(inner.growth, Fraction(0))) == -1:
            inner = _drop_exponential(inner)
        # A Taylor series at c needs an argument that goes to c. One that grows, by a negative power, an
        # exponential or ln t, is looked at far out.
        start = _constant_term(inner)
        is_slow = isinstance(start, Tree) and _LOGARITHM in start.list_labels()
        if inner.growth or inner.valuation < 0 or is_slow:
            return self._apply_far_out(label, inner)
        rest = _without_constant_term(inner)
        if label in _TAYLOR:
            return _compose(_TAYLOR[label](start), rest)
        return _compose(self._integrate_slope(label, start), rest)

    def _apply_far_out(self, label: str, inner: _Series) -> _Series:
        if label in ("sin", "cos"):
            return _BOUNDED
        if label in ("atan", "acot") and (inner.growth or inner.valuation < 0):
            # atan u = ± π/2 - atan 1/u
            turned = self._apply_function("atan", _power_of_series(inner, Fraction(-1)))
            if label == "acot":
                return turned
            if sign := _lead_sign(inner):
                half = _make_constant(Tree("/", (Tree("pi"), Tree(str(2 * sign)))))
                return _sum_series(half, _scale_series(turned, Fraction(-1)))
        raise _NoSeriesError

    def _integrate_slope(self, label: str, start: Coefficient) -> Iterator[Coefficient]:
        """Yield the coefficients of f(c + t), by the series of its derivative."""
        yield _drop_zero_of(_fold_number(Tree(label, (_to_tree(start),))))
        # The derivatives of these functions are algebraic, so their series are known; integrated term by term
        # they give that of the function, up to the constant above.
        slope = differentiate(Tree(label, (_POINT,)), _DISTANCE)
        place = Tree("+", (_to_tree(start), _POINT)) if start != 0 else _POINT
        series = self.expand(replace_variable(slope, _DISTANCE, place))
        if series.growth or series.valuation < 0:
            raise _NoSeriesError
        terms = dict(series.terms)
        for k in range(1, _TERMS + 2):
            if k - 1 >= series.order:
                return
            yield _multiply_coefficients(terms.get(Fraction(k - 1), Fraction(0)), Fraction(1, k))


class _FormalExpansion(_Expansion):
    """The expansion of terms with written series: sums with an ellipsis or O(t^n), and infinite sums."""

    def expand(self, tree: Tree) -> _Series:
        operands = _list_operands(tree)
        if len(operands) > 1 and operands[-1].label == ELLIPSIS:
            return self._expand_written_terms(iter(operands))
        labels = tree.list_labels()
        is_left_out = ELLIPSIS in (tree.label, *(operand.label for operand in operands))
        if is_left_out or (ELLIPSIS in labels and _DISTANCE not in labels):
            raise _NoSeriesError  # a sum or product that ends has parts that are not written
        if len(operands) > 1 and any(map(_is_remainder, operands)):
            return self._expand_with_remainder(operands)
        if tree.label == "call" and tree.children[0].label in _ORDER_SYMBOLS:
            symbol, *size = tree.children
            if _is_power(power := self.expand(size[0])):
                return _Series((), power.valuation + _ORDER_SYMBOLS[symbol.label])
            raise _NoSeriesError
        if tree.label == "sum" and tree.children[2] == _INFINITY:
            return self._expand_written_terms(self._iterate_terms(tree))
        if tree.label == "integral" and tree.children[1:3] == (ZERO, _POINT):
            name, _, _, body = tree.children
            return _integrate(self.expand(replace_variable(body, name.label, _POINT)))
        return _Expansion.expand(self, tree)

    def _expand_written_terms(self, operands: Iterator[Tree]) -> _Series:
        """Return the series of powers by rising exponents, which go on behind the last one."""
        terms: dict[Fraction, Coefficient] = {}
        power = _ZERO
        for operand in operands:
            if operand.label == ELLIPSIS:
                break
            if operand.label == "sum":  # what an ellipsis between its terms stands for
                return self._expand_written_terms(self._iterate_terms(operand))
            # Of x - 1 at 1 both terms together are a power.
            power = _sum_series(power, self.expand(operand))
            if not _is_power(power):
                continue
            exponent, coefficient = power.terms[0]
            if terms and exponent <= max(terms):
                raise _NoSeriesError
            terms[exponent] = coefficient
            power = _ZERO
        if not terms or power != _ZERO:
            raise _NoSeriesError
        return _make_series(terms, max(terms) + _BEYOND)

    def _expand_with_remainder(self, operands: list[Tree]) -> _Series:
        """Return the series of a sum with O(t^n), of which all terms are larger than that."""
        parts = [self.expand(operand) for operand in operands]
        total = reduce(_sum_series, parts)
        if any(part.terms and part.valuation >= total.order for part in parts):
            raise _NoSeriesError
        return total

    def _iterate_terms(self, series: Tree) -> Iterator[Tree]:
        """Yield the first terms of a sum over an index, without those that are 0."""
        index, start, _, body = series.children
        if any("_" in label and index.label in label for label in body.list_labels()):
            raise _NoSeriesError  # a_k is another number for each k
        first = numbers.exact_value(start)
        if first is None or Fraction(first).denominator != 1:
            raise _NoSeriesError
        for k in range(int(first), int(first) + _TERMS + 2):
            term = replace_variable(body, index.label, number_tree(k))
            if self.expand(term) != _ZERO:
                yield term


def _is_power(series: _Series) -> bool:
    """Return whether a series is one power of t with a constant factor."""
    is_slow = any(isinstance(c, Tree) and _LOGARITHM in c.list_labels() for _, c in series.terms)
    return len(series.terms) == 1 and series.order >= _NEARLY_EXACT and not series.growth and not is_slow


def _is_remainder(tree: Tree) -> bool:
    """Return whether a term is O(t^n) or o(t^n), with a factor."""
    if tree.label == "*":
        return _is_remainder(tree.children[1])
    return tree.label == "call" and tree.children[0].label in _ORDER_SYMBOLS


def _list_operands(tree: Tree) -> list[Tree]:
    """Return the terms of a sum as it is written, without those of sums in brackets behind the first term."""
    if tree.label not in ("+", "-") or len(tree.children) != 2:
        return [tree]
    first, last = tree.children
    is_taken = tree.label == "-" and last.label != ELLIPSIS
    return [*_list_operands(first), Tree("*", (_MINUS_ONE, last)) if is_taken else last]


def _integrate(series: _Series) -> _Series:
    """Return the integral from 0 of a series."""
    if series.growth or series.valuation <= -1:
        raise _NoSeriesError
    terms = {n + 1: _multiply_coefficients(c, 1 / (n + 1)) for n, c in series.terms}
    return _make_series(terms, series.order if series.order == _EXACT else series.order + 1)


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
    shifted = Tree("*", (ONE, Tree("+", (centre, _POINT))))
    place = Tree("/", (ONE, _POINT)) if centre == _INFINITY else shifted
    place = _POINT if centre == ZERO else place
    try:
        sides = [_FormalExpansion().expand(replace_variable(side, name, place)) for side in (left, right)]
        return None if any(side.growth for side in sides) else _compare_coefficients(*sides)
    except (_NoSeriesError, TooLargeError, WorkLimitError, EngineError, KeyError, ArithmeticError):
        return None


def _compare_coefficients(left: _Series, right: _Series) -> SeriesComparison:
    one, other = dict(left.terms), dict(right.terms)
    equal, different, is_decided = 0, None, True
    for exponent in sorted(n for n in {*one, *other} if n < min(left.order, right.order)):
        values = [_to_tree(terms.get(exponent, Fraction(0))) for terms in (one, other)]
        signs = set(_list_signs(Tree("-", (values[0], values[1]))))
        if signs == {0}:
            equal += 1
        elif not signs or 0 in signs:
            is_decided = False
        elif different is None:
            different = exponent, values[0], values[1]
    return SeriesComparison(equal, different, is_decided)


def _drop_zero_of(coefficient: Coefficient) -> Coefficient:
    return _drop_zero(coefficient) if isinstance(coefficient, Tree) else coefficient


def _constant_term(series: _Series) -> Coefficient:
    return dict(series.terms).get(Fraction(0), Fraction(0))


def _without_constant_term(series: _Series) -> _Series:
    return _Series(tuple((n, c) for n, c in series.terms if n != 0), series.order)


def _split_leading_term(series: _Series) -> tuple[Fraction, Coefficient, _Series]:
    """Return n, c and s of the terms c t^n (1 + s)."""
    if not series.terms:
        raise _NoSeriesError
    exponent, lead = series.terms[0]
    inverse = _raise_coefficient(lead, Fraction(-1))
    rest = tuple((n - exponent, _multiply_coefficients(c, inverse)) for n, c in series.terms[1:])
    order = series.order if series.order == _EXACT else series.order - exponent
    return exponent, lead, _Series(rest, order)


def _power_of_series(series: _Series, power: Coefficient) -> _Series:
    if not series.terms and not series.growth and isinstance(power, Fraction) and power > 0:
        return series if series == _ZERO else _Series((), series.order * power)
    exponent, lead, rest = _split_leading_term(series)
    whole = isinstance(power, Fraction) and power.denominator == 1
    # (c t^n (1 + s))^p is c^p t^(np) (1 + s)^p only for c > 0, unless p is an integer.
    if not whole and _find_sign(_to_tree(lead)) != 1:
        raise _NoSeriesError
    if not isinstance(power, Fraction) and exponent != 0:
        raise _NoSeriesError

    def binomials() -> Iterator[Coefficient]:
        term: Coefficient = Fraction(1)
        for k in count():
            yield term
            term = _multiply_coefficients(
                term, _multiply_coefficients(_add_coefficients(power, Fraction(-k)), Fraction(1, k + 1))
            )

    shift = exponent * power if isinstance(power, Fraction) else Fraction(0)
    factor = _Series(((shift, _raise_coefficient(lead, power)),), _EXACT, _scale_terms(series.growth, power))
    return _multiply_series(factor, _compose(binomials(), rest))


def _logarithm(series: _Series) -> _Series:
    exponent, lead, rest = _split_leading_term(series)
    if _find_sign(_to_tree(lead)) != 1:
        raise _NoSeriesError
    first = _fold_number(Tree("ln", (_to_tree(lead),))) if lead != 1 else Fraction(0)
    if exponent:
        first = _add_coefficients(first, _multiply_coefficients(exponent, Tree(_LOGARITHM)))

    def coefficients() -> Iterator[Coefficient]:
        yield first
        for k in count(1):
            yield Fraction(1 if k % 2 else -1, k)

    return _sum_series(_Series(series.growth, _EXACT), _compose(coefficients(), rest))


def _exponential(series: _Series) -> _Series:
    if series.growth:
        series = _drop_exponential(series)
    # exp of a sum is a product: the negative powers are the growth, the constant is a factor, and the rest
    # goes to 0 and has a Taylor series.
    growth = tuple((n, c) for n, c in series.terms if n < 0)
    if series.order <= 0:
        raise _NoSeriesError
    start, shift = _constant_term(series), Fraction(0)
    if isinstance(start, Tree) and _LOGARITHM in start.list_labels():
        # exp(k ln t + c) = exp(c) t^k
        at = [_fold_number(replace_variable(start, _LOGARITHM, Tree(str(k)))) for k in range(3)]
        slopes = [_add_coefficients(at[k + 1], _multiply_coefficients(Fraction(-1), at[k])) for k in range(2)]
        # Only a constant that is linear in ln t gives a power of t; three values tell whether it is.
        if not isinstance(slopes[0], Fraction) or slopes[0] != slopes[1]:
            raise _NoSeriesError
        start, shift = at[0], slopes[0]
    rest = _Series(tuple((n, c) for n, c in series.terms if n > 0), series.order)
    factor = _fold_number(Tree("pow", (Tree("e"), _to_tree(start)))) if start != 0 else Fraction(1)
    tail = _compose(_TAYLOR["exp"](Fraction(0)), rest)
    return _multiply_series(_Series(((shift, factor),), _EXACT, growth), tail)


def _cycle_slopes(
    labels: Sequence[str], signs: Sequence[int]
) -> Callable[[Coefficient], Iterator[Coefficient]]:
    """Return the Taylor coefficients of a function whose derivatives repeat."""

    def coefficients(start: Coefficient) -> Iterator[Coefficient]:
        point = _to_tree(start)
        slopes = [
            _drop_zero_of(
                _fold_number(Tree("pow", (Tree("e"), point)) if label == "exp" else Tree(label, (point,)))
            )
            for label in labels
        ]
        for k in count():
            sign = signs[k % len(signs)]
            yield _multiply_coefficients(slopes[k % len(slopes)], Fraction(sign, factorial(k)))

    return coefficients


_TAYLOR = {
    "exp": _cycle_slopes(("exp",), (1,)),
    "sin": _cycle_slopes(("sin", "cos"), (1, 1, -1, -1)),
    "cos": _cycle_slopes(("cos", "sin"), (1, -1, -1, 1)),
}


def _divide(top: Tree, bottom: Tree) -> Tree:
    return Tree("/", (top, bottom))


def _hyperbolic(sign: str, u: Tree) -> Tree:
    down = Tree("pow", (Tree("e"), Tree("*", (_MINUS_ONE, u))))
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
