"""Rigorous values of expressions at one point, with more operations than the language of growth has.

Those of files of rules (cbrt, fmin, ...), `sign` and `floor`, finite sums and products `sum k a b u`, where
the variable k runs through the integers from a to b, and definite integrals `integral t a b u`. An integral
is Arb's, which encloses it by values in the complex plane; where that gives no number, nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from engines.core.derivative import derivative
from engines.core.precise import CODE, NOTHING, Value, applied
from engines.core.tree import Tree
from engines.egen.expressions.language import BINDERS, VARIABLE, is_constant_token

__all__ = ["value"]

_LONGEST = 2_000
"""Terms of a sum or product that is worked out."""
_COMPLEX_BITS, _TOLERANCE, _EVALUATIONS = 96, 2.0**-64, 2_000
"""Precision, wanted error and most values of an integrand."""
_PIECES = 128
"""Into so many pieces an interval is cut to find out where the integrand has no value."""


def value(tree: Tree, values: Mapping[str, arb]) -> Value:
    """The value at a point; None is undefined, NaN unknown."""
    label = tree.label
    if not tree.children:
        if label in values:
            return values[label]
        if is_constant_token(label):
            exact = Fraction(label)
            return arb(fmpq(exact.numerator, exact.denominator))
        return arb.pi() if label == "pi" else arb.const_e()
    if label in BINDERS:
        return _bound(tree, values)
    if label == "d":
        return _slope(tree.children[1], values)
    if label.startswith("sound-"):
        return _sound(label, [value(child, values) for child in tree.children])
    parts = [value(child, values) for child in tree.children]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if label in CODE:
        form = (CODE[label], 1, 1 if len(parts) > 1 else NOTHING)
        return applied(form, parts[:1], parts[1:], True)[0]
    return _OTHERS[label](*known)


def _sound(label: str, parts: Sequence[Value]) -> Value:
    """A plain operation, or the last operand where that has no value."""
    *operands, instead = parts
    if None in operands:
        return None
    plain = label.removeprefix("sound-")
    form = (CODE["ln" if plain == "log" else plain], 1, 1 if len(operands) > 1 else NOTHING)
    found = applied(form, operands[:1], operands[1:], True)[0]
    return instead if found is None else found


def _cube_root(u: arb) -> Value:
    return u.root(3) if u > 0 else -((-u).root(3)) if u < 0 else u if u == 0 else arb.nan()


def _with_sign(u: arb, v: arb) -> Value:
    """Zero has no sign among the real numbers: nothing is said of it."""
    return abs(u) if v > 0 else -abs(u) if v < 0 else arb.nan()


def _remainder(u: arb, v: arb) -> Value:
    """u - n v for the integer n next to u/v, the even one of two."""
    if v == 0:
        return None
    nearest = (u / v + arb(0.5)).floor().unique_fmpz()
    if nearest is None:
        return arb.nan()
    tie = u / v + arb(0.5) == arb(nearest)
    return u - v * (nearest - 1 if tie and int(nearest) % 2 else nearest)


def _angle(y: arb, x: arb) -> Value:
    return arb.nan() if x.contains(0) and y.contains(0) else arb.atan2(y, x)


def _sign(u: arb) -> Value:
    return arb(1) if u > 0 else arb(-1) if u < 0 else u if u == 0 else arb.nan()


def _floor(u: arb) -> Value:
    below = u.floor().unique_fmpz()
    return arb.nan() if below is None else arb(below)


_OTHERS: Mapping[str, Callable[..., Value]] = {
    "sign": _sign,
    "floor": _floor,
    "cbrt": _cube_root,
    "erf": arb.erf,
    "erfc": arb.erfc,
    "fmin": arb.min,
    "fmax": arb.max,
    "copysign": _with_sign,
    "remainder": _remainder,
    "atan2": _angle,
}


def _slope(body: Tree, values: Mapping[str, arb]) -> Value:
    """The derivative by x; nothing is known of that of a sum, product, integral, sign or floor."""
    if value(body, values) is None:
        return None
    if not {*BINDERS, "sign", "floor", "d"}.isdisjoint(body.labels()):
        return arb.nan()
    return value(derivative(body, VARIABLE), values)


def _bound(tree: Tree, values: Mapping[str, arb]) -> Value:
    """A sum, product or integral."""
    name, *ends, body = tree.children
    low, high = (value(end, values) for end in ends)
    if low is None or high is None:
        return None
    if tree.label == "integral":
        return _integral(name.label, low, high, body, values)
    first, last = low.unique_fmpz(), high.unique_fmpz()
    if first is None or last is None:
        return arb.nan() if low.contains_integer() and high.contains_integer() else None
    if last - first > _LONGEST:
        return arb.nan()
    total = arb(0 if tree.label == "sum" else 1)
    for number in range(int(first), int(last) + 1):
        one = value(body, {**values, name.label: arb(number)})
        if one is None:
            return None
        total = total + one if tree.label == "sum" else total * one
    return total


def _integral(name: str, low: arb, high: arb, body: Tree, values: Mapping[str, arb]) -> Value:
    """An integral over an interval on which the integrand is real."""
    known = {other: acb(at) for other, at in values.items()}
    with ctx.workprec(_COMPLEX_BITS):
        if _somewhere_undefined(body, values, name, low, high):
            return None
        found = acb.integral(
            lambda z, analytic: _complex(body, {**known, name: z}, analytic),
            acb(low),
            acb(high),
            rel_tol=_TOLERANCE,
            abs_tol=_TOLERANCE,
            eval_limit=_EVALUATIONS,
        )
    if not found.imag.contains(0):
        return None
    return found.real if found.is_finite() else arb.nan()


def _somewhere_undefined(body: Tree, values: Mapping[str, arb], name: str, low: arb, high: arb) -> bool:
    """Whether a piece of an interval is found on which an integrand certainly has no value.

    Pieces of which it is not known are halved, the largest first; each lies between the two ends for certain.
    """
    begin, end = (low.upper(), high.lower()) if low.mid() < high.mid() else (high.upper(), low.lower())
    pieces, known = [(begin, end)] if begin < end else [], 0
    while known < len(pieces) < _PIECES:
        begin, end = pieces[known]
        known += 1
        found = value(body, {**values, name: begin.union(end)})
        if found is None:
            return True
        middle = ((begin + end) / 2).mid()
        if not found.is_finite() and begin < middle < end:
            pieces += [(begin, middle), (middle, end)]
    return False


def _complex(tree: Tree, values: Mapping[str, acb], analytic: bool) -> acb:
    """The value of an integrand; not finite where `analytic` is asked for and it may not be so."""
    label = tree.label
    if not tree.children:
        if label in values:
            return values[label]
        exact = value(tree, {})
        return acb(exact if exact is not None else arb.nan())
    if label in BINDERS or label == "d":
        return acb(arb.nan())
    parts = [_complex(child, values, analytic) for child in tree.children]
    if label in _CUT:
        return getattr(parts[0], _CUT[label])(analytic=analytic)
    if label in "+-*/":
        one, other = parts
        return {"+": acb.__add__, "-": acb.__sub__, "*": acb.__mul__, "/": acb.__truediv__}[label](one, other)
    if label == "pow":
        exponent = parts[1].real.unique_fmpz() if parts[1].imag.is_zero() else None
        if exponent is not None:
            return parts[0] ** exponent
        return (parts[1] * parts[0].log(analytic=analytic)).exp()
    if label == "log":
        return parts[1].log(analytic=analytic) / parts[0].log(analytic=analytic)
    return getattr(parts[0], label)() if label in _MEROMORPHIC else acb(arb.nan())


_CUT = {"sqrt": "sqrt", "ln": "log", "abs": "real_abs", "sign": "real_sgn", "floor": "real_floor"}
"""Functions that are not analytic everywhere, by their name in Arb, which sees to that."""
_MEROMORPHIC = (
    *("sin", "cos", "tan", "csc", "sec", "cot"),
    *("sinh", "cosh", "tanh", "csch", "sech", "coth"),
)
