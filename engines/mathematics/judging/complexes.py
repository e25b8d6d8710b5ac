"""Complex terms: principal values, at random complex points, by rigorous balls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random

from flint import acb, arb, ctx, fmpq

from engines.core.expression_language import display_name, is_constant_token
from engines.core.tree import Tree
from engines.mathematics.judging.names import free_variables, undecided_verdict
from engines.mathematics.judging.stated_assumptions import Known, add_implied_integers
from engines.mathematics.judging.verdicts import Verdict
from engines.mathematics.numbers.precise import BallValue, integer_in_ball

# The second precision is for values that cancel in the first.
_BITS, _MORE_BITS = 256, 2_048
_POINTS = 24
_FEWEST = 8
# Bits in which values have to agree, out of those they are computed with.
_AGREED = 96
_NOTE = "i is the imaginary unit"
_COMPLEX_NOTE = "variables are complex, powers and logarithms principal values"
# Coordinates are odd numerators over twice this number plus one, so that none is 0: many functions have
# their cuts along an axis.
_PARTS = 512
_MOST_SUMMED = 200


def judge_complex_terms(left: Tree, right: Tree, known: Known, *, seed: int = 0) -> Verdict:
    """Judge whether two complex terms are equal, at random complex points by rigorous balls."""
    names = sorted(free_variables(left, right))
    known = add_implied_integers((left, right), known)
    if known.assumptions.relations and not names:
        known = Known(known.assumptions, known.notes)
    # Variables that are compared by size can only be real.
    real = {*known.assumptions.integers} | {
        name for one in known.assumptions.relations for name in free_variables(one.left, one.right)
    }
    note = "; ".join([_COMPLEX_NOTE if names else _NOTE, *known.notes])
    if not names:
        return _compare_numbers(left, right)
    outcome, witness = _compare_at_points(left, right, names, real, known, seed)
    if outcome == "equal":
        return Verdict("equal", reason=note)
    if outcome == "different":
        rest = [name for name in names if name not in real]
        # Perhaps they differ only off the real axis: try again with real values for all variables.
        if rest:
            again, _ = _compare_at_points(left, right, names, {*names}, known, seed)
            if again == "equal":
                verb = "is real" if len(rest) == 1 else "are real"
                return Verdict("equal if", f"{', '.join(rest)} {verb}", witness, note)
        # An assumption that is not understood might exclude the point at which they differ.
        if known.unclear:
            return undecided_verdict(f"{known.unclear} is assumed, which is not understood")
        return Verdict("different", witness=witness, reason=note)
    return undecided_verdict("no complex values are known at enough points")


def _compare_numbers(left: Tree, right: Tree) -> Verdict:
    for bits in (_BITS, _MORE_BITS):
        with ctx.workprec(bits):
            first, second = principal_value(left, {}), principal_value(right, {})
            if first is None or second is None or not (first.is_finite() and second.is_finite()):
                return undecided_verdict("the value of one of them is not known")
            if not first.overlaps(second):
                witness = f"{_format_value(first)} and {_format_value(second)}"
                return Verdict("different", witness=witness, reason=_NOTE)
            agreed = _agreed_bits(first, second) >= bits // 2
    if agreed:
        return Verdict("equal", reason=_NOTE)
    return undecided_verdict("the difference is too small to be seen")


def _compare_at_points(
    left: Tree, right: Tree, names: Sequence[str], real: set[str], known: Known, seed: int
) -> tuple[str, str]:
    """`equal`, `different` with a point and both values, or "" where too few values are known."""
    whole = known.assumptions.integers
    random, agreeing = Random(seed), 0
    for _ in range(_POINTS):
        with ctx.workprec(_BITS):
            point = {name: _draw_value(random, name in real, name in whole) for name in names}
            if not _is_allowed(known, point):
                continue
            first, second = principal_value(left, point), principal_value(right, point)
            if first is None or second is None or not (first.is_finite() and second.is_finite()):
                continue
            if not first.overlaps(second):
                at = ", ".join(
                    f"{display_name(name)} = {_format_value(position)}" for name, position in point.items()
                )
                return "different", f"{at}: {_format_value(first)} and {_format_value(second)}"
            agreeing += _agreed_bits(first, second) >= _AGREED
    return ("equal" if agreeing >= _FEWEST else ""), ""


def _draw_value(random: Random, real: bool, whole: bool) -> acb:
    if whole:
        return acb(random.randrange(13))
    size = random.choice((1, 3, 9))
    parts = [fmpq(random.randrange(-size * _PARTS, size * _PARTS) * 2 + 1, 2 * _PARTS + 1) for _ in range(2)]
    return acb(parts[0]) if real else acb(parts[0], parts[1])


def _is_allowed(known: Known, point: Mapping[str, acb]) -> bool:
    for one in known.assumptions.relations:
        sides = [principal_value(side, point) for side in (one.left, one.right)]
        if any(side is None for side in sides):
            return False
        left, right = (side.real for side in sides if side is not None)
        holds = left < right if one.sign == "<" else left <= right if one.sign == "<=" else left != right
        if not holds:
            return False
    return True


def _agreed_bits(left: acb, right: acb) -> int:
    """Bits to which two values are the same, of the larger part or of 1."""
    both = left.union(right)
    radius = max(both.real.rad(), both.imag.rad())
    if radius == 0:
        return int(ctx.prec)
    mantissa, exponent = (radius / max(abs(both).upper(), arb(1))).mid().man_exp()
    return max(0, -int(exponent) - int(mantissa).bit_length())


def _format_value(known: acb) -> str:
    real, imaginary = known.real, known.imag
    texts = [f"{float(part):.6g}" for part in (real, imaginary)]
    if imaginary == 0:
        return texts[0]
    sign = "-" if imaginary < 0 else "+"
    return f"{texts[0]} {sign} {texts[1].lstrip('-')}i"


def principal_value(tree: Tree, point: Mapping[str, acb]) -> acb | None:
    """Return the principal value, None where there is none; NaN where it is not known."""
    label = tree.label
    if not tree.children:
        if label in point:
            return point[label]
        if label == "i":
            return acb(0, 1)
        if label in ("pi", "e"):
            return acb(arb.pi() if label == "pi" else arb.const_e())
        if is_constant_token(label):
            return acb(fmpq(*Fraction(label).as_integer_ratio()))
        return None
    if label in ("sum", "prod"):
        return _add_terms(tree, point)
    operation = _OPERATIONS.get(label)
    # An operation without a complex value here is unknown, which decides nothing.
    if operation is None:
        return acb(arb.nan())
    parts = [principal_value(child, point) for child in tree.children]
    if any(part is None for part in parts):
        return None
    return operation(*parts)


def _add_terms(tree: Tree, point: Mapping[str, acb]) -> acb | None:
    name, low, high, body = tree.children
    ends = [principal_value(end, point) for end in (low, high)]
    if any(end is None for end in ends):
        return None
    first, last = (integer_in_ball(end.real) if end is not None and end.imag == 0 else None for end in ends)
    if first is None or last is None or not all(e is not None and e.is_exact() for e in ends):
        return acb(arb.nan())
    if last - first > _MOST_SUMMED:
        return acb(arb.nan())
    total = acb(0 if tree.label == "sum" else 1)
    for number in range(int(first), int(last) + 1):
        term = principal_value(body, {**point, name.label: acb(number)})
        if term is None:
            return None
        total = total + term if tree.label == "sum" else total * term
    return total


def _principal_power(base: acb, exponent: acb) -> acb | None:
    real = exponent.real
    if exponent.imag == 0 and exponent.is_exact() and real.is_integer() and abs(real) < 2**20:
        if real <= 0 and base == 0:
            return None
        return base**exponent
    if base == 0:
        return acb(0) if real > 0 else None
    if exponent.imag == 0 and 2 * real == arb(1):
        return base.sqrt()
    return (exponent * base.log()).exp()


def _on_real_values(function: Callable[..., BallValue]) -> Callable[..., acb]:
    def apply_real(*parts: acb) -> acb:
        if all(part.imag == 0 for part in parts):
            result = function(*(part.real for part in parts))
            return acb(arb.nan() if result is None else result)
        return acb(arb.nan())

    return apply_real


def _divide(left: acb, right: acb) -> acb | None:
    return None if right == 0 else left / right


def _complex_factorial(u: acb) -> acb | None:
    if u.imag == 0 and u.real.is_integer() and u.real < 0:
        return None
    return (u + 1).gamma()


_OPERATIONS: Mapping[str, Callable[..., acb | None]] = {
    "+": acb.__add__,
    "-": acb.__sub__,
    "*": acb.__mul__,
    "/": _divide,
    "pow": _principal_power,
    "sqrt": acb.sqrt,
    "ln": lambda u: None if u == 0 else u.log(),
    "log": lambda base, u: None if u == 0 or base == 0 else _divide(u.log(), base.log()),
    "abs": lambda u: acb(abs(u)),
    "conj": acb.conjugate,
    "re": lambda u: acb(u.real),
    "im": lambda u: acb(u.imag),
    "arg": lambda u: None if u == 0 else acb(u.arg()),
    "root": lambda degree, u: _principal_power(u, 1 / degree),
    "factorial": _complex_factorial,
    **{name: getattr(acb, name) for name in ("sin", "cos", "tan", "csc", "sec", "cot")},
    **{name: getattr(acb, name) for name in ("sinh", "cosh", "tanh", "csch", "sech", "coth")},
    **{name: getattr(acb, name) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "min": _on_real_values(arb.min),
    "max": _on_real_values(arb.max),
}
"""What is not here is not known of complex numbers."""
