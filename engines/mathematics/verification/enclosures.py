"""Rigorous values at one point, and rigorous bounds where double precision cannot tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, factorial, gcd, isfinite, lcm, log, log2

import numpy as np
from flint import acb, arb, ctx, fmpq
from numpy.typing import NDArray

from engines.core.arrays import Floats
from engines.core.compiling import compile_kernel
from engines.core.expression_language import BINDERS, FURTHER, VARIABLE, is_constant_token, variables_of
from engines.core.tree import Tree, differentiate
from engines.mathematics.numbers.numeric import CODE, Programs, compile_many, evaluate_balls
from engines.mathematics.numbers.numeric_kernel import COTH, LEAF, TANH
from engines.mathematics.numbers.precise import (
    BITS,
    NOTHING,
    BallValue,
    apply_operation,
    integer_in_ball,
)
from engines.mathematics.verification.work_limit import WorkLimitError, current_limit, spend_work

# The bits that it takes to see everything an expression is made of.
#
# What is added to something much larger is lost in any fixed precision: `tanh 100` is 1 to 288 bits, `x +
# 10^-100` is x to 332. How much larger values are than one another says how many bits show the difference.


MOST_BITS = 2**16
"""Beyond so many bits nothing is worked out."""
# Bits beyond those that the sizes of the numbers require, for rounding on the way.
ROUNDING_BITS = 64
_BITS_PER_SCALE = 4
"""Bits for each binary order: what is small may be squared twice before it is added: cos u is 1 - u^2/2."""
MAX_VISIBLE_SCALE = (BITS - ROUNDING_BITS) / _BITS_PER_SCALE
"""Binary orders up to which nothing is lost in the usual precision (see `compute_scales`)."""


def compute_scales(programs: Programs, points: Floats) -> Floats:
    """Return how many binary orders lie between 1 and the largest or smallest that a program meets at each
    point.

    Args:
        points: (points,) or (variables, points).

    Returns:
        (programs, points), inf where a program has no known value.
    """
    values, errors = evaluate_balls(programs, points, trace=True)
    return _compute_node_scales(programs.nodes, values, errors)[programs.roots]


def bits_for(needed: Floats) -> tuple[int, int]:
    """Return a working precision, a power of 2, in which nothing is lost at one point, and the place of that
    point.

    Args:
        needed: (points,) scales.

    Returns:
        A precision of 1 where none of them is known.
    """
    least = int(needed.argmin())
    scale = float(needed[least])
    return int(2 ** ceil(log2(_BITS_PER_SCALE * scale + ROUNDING_BITS))) if isfinite(scale) else 1, least


@compile_kernel
def _compute_node_scales(nodes: NDArray[np.int32], values: Floats, errors: Floats) -> Floats:
    """(nodes, points); tanh and coth are as far from 1 as exp(-2 |u|)."""
    scales = np.full(values.shape, np.inf)
    scales[0] = 0.0
    for n in range(1, len(values)):
        code, a, b = nodes[0, n], nodes[1, n], nodes[2, n]
        for j in range(values.shape[1]):
            v, error = values[n, j], errors[n, j]
            if not np.isfinite(v) or not np.isfinite(error):
                continue
            scale = abs(log2(abs(v))) if abs(v) > error else 0.0
            if code < LEAF:
                scale = max(scale, scales[a, j], scales[b, j])
                if code in (TANH, COTH):
                    scale = max(scale, 2.0 / log(2.0) * abs(values[a, j]))
            scales[n, j] = scale
    return scales


# Rigorous values of expressions at one point, with more operations than the language of growth has.
#
# Those of files of rules (cbrt, fmin, ...), `sign` and `floor`, finite sums and products `sum k a b u`, where
# the variable k runs through the integers from a to b, and definite integrals `integral t a b u`. An integral
# is Arb's, which encloses it by values in the complex plane; where that gives no number, nothing is known.
#
# What is made of rational numbers by arithmetic is worked out exactly as long as it is not too long,
# everything else is a ball. Only what is exact is an integer for certain: a wide ball may hold one by chance.

_LONGEST, _MOST = 20_000, 100_000
"""Terms of sums and products that are worked out at one point, and for all points of one expression; those of
totals that are known are not counted."""
_EXACT_BITS = 8_192
"""Longer rational numbers become balls."""
_COMPLEX_BITS, _TOLERANCE, _EVALUATIONS = 96, 2.0**-64, 2_000
"""Precision, wanted error and most values of an integrand."""
_PIECES, _NARROWEST = 128, 1024
"""Into so many pieces an interval is cut to find out where the integrand has no value, and where work is
limited, into what part of it at the least."""

Exact = arb | fmpq | None
"""As `Value`; exact where it is rational."""
PointValues = Mapping[str, arb | fmpq]


class Totals:
    """The last term and the value of sums and products, from which longer ones go on, and how many terms were
    worked out for an expression."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], tuple[int, arb | fmpq]] = {}
        self.integrals: dict[tuple[object, ...], BallValue] = {}
        self.spent = self._allowed = 0

    def begin_count(self) -> None:
        """Allow one evaluation its share of the terms."""
        self._allowed = min(self.spent + _LONGEST, _MOST)

    def spend_terms(self, terms: int) -> None:
        """Count terms that are added.

        Raises:
            WorkLimitError: If they are more than are allowed.
        """
        if self.spent + terms > self._allowed:
            raise WorkLimitError
        self.spent += terms


def value_at(tree: Tree, values: PointValues, totals: Totals | None = None) -> BallValue:
    """Return the value at a point; None is undefined, NaN unknown.

    Args: totals: of earlier points; filled. Raises: WorkLimitError.
    """
    totals = totals or Totals()
    totals.begin_count()
    return _to_ball(_evaluate_node(tree, values, totals))


def _to_ball(known: Exact) -> BallValue:
    return arb(known.p if known.q == 1 else known) if isinstance(known, fmpq) else known


def _evaluate_node(tree: Tree, values: PointValues, totals: Totals) -> Exact:
    label, children = tree.label, tree.children
    if not children:
        if label in values:
            return values[label]
        if is_constant_token(label):
            return _read_number(label)
        return arb.pi() if label == "pi" else arb.const_e()
    if label in BINDERS:
        return _evaluate_bound(tree, values, totals)
    if label == "d":
        return _evaluate_derivative(children[1], values, totals)
    exact = [_evaluate_node(child, values, totals) for child in children]
    if label.startswith("sound-"):
        return _apply_soundly(label, [_to_ball(part) for part in exact])
    # One loop: this is done for each node at each point of each term.
    is_rational = label in _EXACTLY
    for part in exact:
        if part is None:
            return None
        if not isinstance(part, fmpq):
            is_rational = False
    # Rational arithmetic stays exact as long as its numbers are short.
    if is_rational:
        result = _EXACTLY[label](*exact)
        if result is not NotImplemented:
            return result if result is None or _bit_length(result) <= _EXACT_BITS else arb(result)
    parts = [part if isinstance(part, arb) else _to_ball(part) for part in exact]
    if label in CODE:
        form = (CODE[label], 1, 1 if len(parts) > 1 else NOTHING)
        exponent = parts[1] if label == "pow" else None
        # Of an exact exponent it does not matter what it is made of.
        fixed = (
            exponent is not None and not exponent.is_exact() and variables_of(children[1]).isdisjoint(values)
        )
        return apply_operation(form, parts[:1], parts[1:], fixed)[0]
    return BALL_FUNCTIONS[label](*parts)


@lru_cache(1024)
def _read_number(label: str) -> fmpq:
    return fmpq(*Fraction(label).as_integer_ratio())


def _bit_length(number: fmpq) -> int:
    return max(number.p.bit_length(), number.q.bit_length())


def _exact_power(base: fmpq, exponent: fmpq) -> fmpq | None:
    if exponent.q != 1 or _bit_length(base) * abs(exponent) > _EXACT_BITS:
        return NotImplemented
    return None if base == 0 and exponent <= 0 else base ** int(exponent.p)


def _of_integers(function: Callable[..., int], left: fmpq, right: fmpq) -> fmpq | None:
    return fmpq(function(int(left.p), int(right.p))) if left.q == right.q == 1 else None


def _exact_modulo(u: fmpq, modulus: fmpq) -> fmpq | None:
    if modulus <= 0:
        return None if modulus == 0 else NotImplemented
    return u - modulus * (u / modulus).floor()


def _whole_binomial(n: fmpq, k: fmpq) -> fmpq | None:
    if k.q != 1 or n.q != 1 or not 0 <= n <= _EXACT_FACTORIAL:
        return NotImplemented
    return fmpq(comb(int(n.p), int(k.p))) if k >= 0 else fmpq(0)


def _exact_root(degree: fmpq, u: fmpq) -> fmpq | None:
    """Return the root where it is rational."""
    n = int(degree.p)
    if degree.q != 1 or not 0 < n <= _LARGEST_DEGREE:
        return NotImplemented
    if u < 0 and n % 2 == 0:
        return None
    parts = [abs(part).root(n) for part in (u.p, u.q)]
    if parts[0] ** n != abs(u.p) or parts[1] ** n != u.q:
        return NotImplemented
    return fmpq(*parts) if u >= 0 else -fmpq(*parts)


_EXACT_FACTORIAL = 1_000
_LARGEST_DEGREE = 64

_EXACTLY: Mapping[str, Callable[..., fmpq | None]] = {
    "+": fmpq.__add__,
    "-": fmpq.__sub__,
    "*": fmpq.__mul__,
    "/": lambda one, other: None if other == 0 else one / other,
    "pow": _exact_power,
    "abs": abs,
    "sign": lambda u: fmpq((u > 0) - (u < 0)),
    "floor": lambda u: fmpq(u.floor()),
    "ceil": lambda u: fmpq(u.ceil()),
    "min": min,
    "max": max,
    "factorial": lambda u: (
        fmpq(factorial(int(u.p))) if u.q == 1 and 0 <= u <= _EXACT_FACTORIAL else NotImplemented
    ),
    "gcd": lambda one, other: _of_integers(gcd, one, other),
    "lcm": lambda one, other: _of_integers(lcm, one, other),
    "mod": _exact_modulo,
    "binomial": _whole_binomial,
    "root": _exact_root,
}
"""What is rational where its operands are."""


def _apply_soundly(label: str, parts: Sequence[BallValue]) -> BallValue:
    *operands, instead = parts
    if None in operands:
        return None
    plain = label.removeprefix("sound-")
    form = (CODE["ln" if plain == "log" else plain], 1, 1 if len(operands) > 1 else NOTHING)
    result = apply_operation(form, operands[:1], operands[1:], True)[0]
    return instead if result is None else result


def _remainder_ball(u: arb, v: arb) -> BallValue:
    if v == 0:
        return None
    nearest = integer_in_ball((u / v + arb(0.5)).floor())
    if nearest is None:
        return arb.nan()
    tie = u / v + arb(0.5) == arb(nearest)
    return u - v * (nearest - 1 if tie and int(nearest) % 2 else nearest)


def _floor_ball(u: arb) -> arb:
    below = integer_in_ball(u.floor())
    return arb.nan() if below is None else arb(below)


def _round_ball(u: arb) -> BallValue:
    """To the nearest integer; what is in the middle between two is rounded in several ways: unknown."""
    doubled = integer_in_ball(2 * u) if u.is_exact() else None
    return arb.nan() if doubled is not None and int(doubled) % 2 else _floor_ball(u + arb(0.5))


def _gamma_ball(u: arb) -> BallValue:
    if u.is_integer() and u <= 0:
        return None
    return u.gamma() if abs(u) < _LARGEST_GAMMA else arb.nan()


def _binomial_ball(n: arb, k: arb) -> BallValue:
    """n (n - 1) ... (n - k + 1) / k! for an integer k, 0 for a negative one where n is none; by gamma for
    others."""
    if not (abs(n) < _LARGEST_GAMMA and abs(k) < _LARGEST_GAMMA):
        return arb.nan()
    whole = integer_in_ball(k) if k.is_exact() else None
    if whole is None:
        return (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma()
    if whole < 0:
        return arb(0) if n >= 0 else arb.nan()
    if whole > _LONGEST:
        return arb.nan()
    return (n - k + 1).rising(int(whole)) / arb(int(whole)).fac()


def _pochhammer_ball(u: arb, n: arb) -> BallValue:
    whole = integer_in_ball(n) if n.is_exact() else None
    if whole is not None and 0 <= whole <= _LONGEST:
        return u.rising(int(whole))
    above, below = _gamma_ball(u + n), _gamma_ball(u)
    return arb.nan() if above is None or below is None else above / below


def _modulo_ball(u: arb, modulus: arb) -> BallValue:
    if modulus.is_zero():
        return None
    return u - modulus * _floor_ball(u / modulus) if modulus > 0 else arb.nan()


def _nth_root(degree: arb, u: arb) -> BallValue:
    whole = integer_in_ball(degree) if degree.is_exact() else None
    if whole is None or not 0 < whole <= _LONGEST:
        return arb.nan()
    n = int(whole)
    if u == 0 or u > 0:
        return u if u == 0 else u.root(n)
    if u < 0:
        return -((-u).root(n)) if n % 2 else None
    return arb.nan()


_LARGEST_GAMMA = arb(10) ** 12

BALL_FUNCTIONS: Mapping[str, Callable[..., BallValue]] = {
    "sign": lambda u: arb(1) if u > 0 else arb(-1) if u < 0 else u if u == 0 else arb.nan(),
    "floor": _floor_ball,
    "ceil": lambda u: -_floor_ball(-u),
    "round": _round_ball,
    "gamma": _gamma_ball,
    "factorial": lambda u: _gamma_ball(u + 1),
    "binomial": _binomial_ball,
    "pochhammer": _pochhammer_ball,
    "mod": _modulo_ball,
    # worked out only of numbers that are known exactly
    **dict.fromkeys(("gcd", "lcm"), lambda *_: arb.nan()),
    "min": arb.min,
    "max": arb.max,
    "root": _nth_root,
    "cbrt": lambda u: _nth_root(arb(3), u),
    "erf": arb.erf,
    "erfc": arb.erfc,
    "fmin": arb.min,
    "fmax": arb.max,
    "copysign": lambda u, v: abs(u) if v > 0 else -abs(u) if v < 0 else arb.nan(),
    "remainder": _remainder_ball,
    "atan2": lambda y, x: arb.nan() if x.contains(0) and y.contains(0) else arb.atan2(y, x),
}
"""Functions that enclose a value, by label: of `FURTHER` without binders, and of machine numbers."""


def _evaluate_derivative(body: Tree, values: PointValues, totals: Totals) -> Exact:
    if _evaluate_node(body, values, totals) is None:
        return None
    if not {*FURTHER, "d"}.isdisjoint(body.list_labels()):
        return arb.nan()
    return _evaluate_node(differentiate(body, VARIABLE), values, totals)


def _evaluate_bound(tree: Tree, values: PointValues, totals: Totals) -> Exact:
    name, *ends, body = tree.children
    low, high = (_evaluate_node(end, values, totals) for end in ends)
    if low is None or high is None:
        return None
    if tree.label == "integral":
        fixed = [low, high, *(values[one] for one in sorted(variables_of(body) - {name.label}))]
        integral_key = (name.label, body, *fixed)
        if not all(isinstance(one, fmpq) for one in fixed):
            return _evaluate_integral(name.label, arb(low), arb(high), body, values)
        # its precision is always the same
        if integral_key not in totals.integrals:
            totals.integrals[integral_key] = _evaluate_integral(name.label, arb(low), arb(high), body, values)
        return totals.integrals[integral_key]
    first, last = _exact_integer(low), _exact_integer(high)
    if first is None or last is None:
        return arb.nan() if arb(low).contains_integer() and arb(high).contains_integer() else None
    given = [values[one] for one in sorted(variables_of(body) - {name.label})]
    key = (tree.label, name.label, body, first, ctx.prec, *given)
    # Continue from the partial sum that an earlier call reached, if the rest of the term is exact.
    begin = first - 1, fmpq(0 if tree.label == "sum" else 1)
    done, total = totals.known.get(key, begin) if all(isinstance(one, fmpq) for one in given) else begin
    if done > last:
        done, total = begin
    # A term takes as long as it has operations.
    totals.spend_terms(max(0, last - done) * max(1, len(body) // 4))
    spend_work(max(0, last - done) * len(body))
    for number in range(done + 1, last + 1):
        one = _evaluate_node(body, {**values, name.label: fmpq(number)}, totals)
        if one is None:
            return None
        total = total + one if tree.label == "sum" else total * one
        # Exact sums grow with each term; from here on a ball takes their place.
        if isinstance(total, fmpq) and _bit_length(total) > _EXACT_BITS:
            total = arb(total)
    if last >= first and all(isinstance(one, fmpq) for one in given):
        totals.known[key] = last, total
    return total


def _exact_integer(number: arb | fmpq) -> int | None:
    if isinstance(number, fmpq):
        return int(number.p) if number.q == 1 else None
    whole = integer_in_ball(number) if number.is_exact() else None
    return None if whole is None else int(whole)


def _evaluate_integral(name: str, low: arb, high: arb, body: Tree, values: PointValues) -> BallValue:
    named: dict[str, BallValue] = {}
    with ctx.workprec(_COMPLEX_BITS):
        # What does not contain the variable is worked out once and becomes a name of the integrand.
        integrand = _with_named_values(body, name, values, named)
        if not {*BINDERS, "d"}.isdisjoint(integrand.list_labels()):
            return arb.nan()  # one inside another takes as long as both together
        known = {label: one for label, one in named.items() if one is not None}
        # An integral over a place without a value has none, and Arb would return no finite ball for it.
        if len(known) < len(named) or _somewhere_undefined(integrand, known, name, low, high):
            return None
        function = _compile_integrand(integrand, name, {label: acb(one) for label, one in known.items()})
        spent = 0

        def evaluate_integrand(z: acb, analytic: bool) -> acb:
            nonlocal spent
            spent += 1
            return function(z, analytic)

        # Arb integrates analytic functions rigorously by Gauss-Legendre rules and bisection; `analytic`
        # asks the integrand to refuse where it is not analytic (Johansson 2018).
        result = acb.integral(
            evaluate_integrand,
            acb(low),
            acb(high),
            rel_tol=_TOLERANCE,
            abs_tol=_TOLERANCE,
            eval_limit=_EVALUATIONS,
        )
        spend_work(spent * max(1, len(integrand) // 4))
    # A real integrand has a real integral; anything else has left the real domain on the way.
    if not result.imag.contains(0):
        return None
    return result.real if result.is_finite() else arb.nan()


def _with_named_values(tree: Tree, name: str, values: PointValues, known: dict[str, BallValue]) -> Tree:
    """Return an integrand with a name for each value that is free of its variable.

    Args:
        known: Those; filled.
    """
    if name not in tree.list_labels():
        name_of_value = f"#{len(known)}"
        known[name_of_value] = value_at(tree, values)
        return Tree(name_of_value)
    return Tree(tree.label, tuple(_with_named_values(child, name, values, known) for child in tree.children))


def _somewhere_undefined(body: Tree, values: PointValues, name: str, low: arb, high: arb) -> bool:
    """Return whether a piece of an interval is found on which an integrand certainly has no value.

    Pieces of which it is not known are halved, the largest first; each lies between the two ends for certain.
    """
    begin, end = (low.upper(), high.lower()) if low.mid() < high.mid() else (high.upper(), low.lower())
    pieces, known = [(begin, end)] if begin < end else [], 0
    narrow = (end - begin).mid() / _NARROWEST if current_limit() else arb(0)
    while known < len(pieces) < _PIECES:
        begin, end = pieces[known]
        known += 1
        result = value_at(body, {**values, name: begin.union(end)})
        if result is None:
            return True
        middle = ((begin + end) / 2).mid()
        if not result.is_finite() and begin < middle < end and end - begin > narrow:
            pieces += [(begin, middle), (middle, end)]
    spend_work(known * len(body))
    return False


def _compile_integrand(tree: Tree, name: str, values: Mapping[str, acb]) -> Callable[[acb, bool], acb]:
    """Return an integrand as a function of its variable, and of whether it is to be analytic there."""
    label = tree.label
    if not tree.children:
        if label == name:
            return lambda z, _: z
        known = values[label]
        return lambda *_: known
    parts = [_compile_integrand(child, name, values) for child in tree.children]
    first, last = parts[0], parts[-1]
    # With `analytic` set, a function with a branch cut has no value on the cut; quadrature needs this.
    if label in _CUT:
        cut = _CUT[label]
        return lambda z, analytic: getattr(first(z, analytic), cut)(analytic=analytic)
    if label in _COMPLEX_ARITHMETIC:
        operation = _COMPLEX_ARITHMETIC[label]
        return lambda z, analytic: operation(first(z, analytic), last(z, analytic))
    if label == "pow":
        return lambda z, analytic: _raise_complex(first(z, analytic), last(z, analytic), analytic)
    if label == "log":
        return lambda *at: last(*at).log(analytic=at[1]) / first(*at).log(analytic=at[1])
    if label in _MEROMORPHIC:
        return lambda z, analytic: getattr(first(z, analytic), label)()
    return lambda *_: acb(arb.nan())


def _raise_complex(base: acb, exponent: acb, analytic: bool) -> acb:
    # An integer power is defined on the whole plane, while others follow the cut of the logarithm.
    if exponent.is_exact() and exponent.imag == 0 and exponent.real.is_integer():
        return base**exponent
    # The logarithm is unbounded near 0, but |z^p| is at most |z|^p for a real exponent p.
    if base.contains(0) and exponent.real > 0 and exponent.imag == 0 and not analytic:
        most = abs(base).upper() ** exponent.real
        return acb(arb(0, most), arb(0, most))
    return (exponent * base.log(analytic=analytic)).exp()


_COMPLEX_ARITHMETIC = {"+": acb.__add__, "-": acb.__sub__, "*": acb.__mul__, "/": acb.__truediv__}
_CUT = {"sqrt": "sqrt", "ln": "log", "abs": "real_abs", "sign": "real_sgn", "floor": "real_floor"}
"""Functions that are not analytic everywhere, by their name in Arb, which sees to that."""
_MEROMORPHIC = (
    *("sin", "cos", "tan", "csc", "sec", "cot"),
    *("sinh", "cosh", "tanh", "csch", "sech", "coth"),
)


_ROUGH = 1e-6
"""A number that double precision knows no better than this is worked out by rigorous values."""


def is_finite(known: BallValue) -> bool:
    """Return whether a value is known and bounded."""
    return known is not None and bool(known.is_finite())


def too_large(tree: Tree) -> bool:
    """Return whether an expression holds a number that is beyond double precision, or of too many lost
    digits.
    """
    if any(node.label in FURTHER for node in tree):
        return False
    terms = [node for node in tree if node.children and not variables_of(node)]
    values, errors = evaluate_balls(compile_many(terms), [0.5])
    rough = (errors > _ROUGH * np.maximum(1.0, np.abs(values))) & ~np.isnan(values)
    with ctx.workprec(160):
        return any(is_finite(value_at(terms[index], {})) for index in np.flatnonzero(rough))
