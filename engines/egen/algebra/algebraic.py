"""Whether an algebraic number, written with roots and sines of fractions of pi, is 0: decided exactly.

Such a number is a quotient U/L of two algebraic integers. With bounds u and l of all their conjugates, and
the degree D of a field that holds U, the norm of U is an integer, so U is 0 or at least u^(1-D): a value that
is smaller than u^(1-D)/l is 0 (Burnikel, Funke, Mehlhorn, Schirra and Schmitt, "A separation bound for real
algebraic expressions", 2009). The value is a ball of as many bits as that takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm, log2, prod

from flint import arb, ctx, fmpq, fmpz

from engines.core.tree import Tree
from engines.egen.algebra.rational import TooLargeError, rational, terms
from engines.egen.expressions.patterns import is_number

__all__ = ["is_algebraic", "is_zero", "part_of_pi"]

_MAX_BITS = 2**17
_CIRCULAR = {"sin": ("sin",), "cos": ("cos",), "tan": ("sin", "cos"), "cot": ("cos", "sin")}
_CIRCULAR |= {"sec": ("", "cos"), "csc": ("", "sin")}


def is_zero(tree: Tree) -> bool | None:
    """Whether an algebraic number is 0; None where it is none, has no value, or takes too many bits.

    >>> from engines.egen.expressions.language import read_prefix
    >>> is_zero(read_prefix("- sin / pi 12 / - sqrt 6 sqrt 2 4"))
    True
    >>> is_zero(read_prefix("- sqrt 2 1.4142135623"))
    False
    """
    try:
        bound = _Bounds().of(tree)
    except _NotAlgebraicError:
        return None
    needed = bound.above * (bound.degree - 1) + bound.below + 2
    if needed > _MAX_BITS:
        return None
    bits = 64
    while True:
        with ctx.workprec(bits):
            try:
                value = _value(tree)
            except ZeroDivisionError:
                return None
            if not value.is_finite() and bits > needed:
                return None
            if value.is_finite():
                if not value.contains(0):
                    return False
                if value.abs_upper() < arb(2) ** -int(needed + 1):
                    return True
        if bits > 4 * needed + 4096:
            return None
        bits *= 2


def is_algebraic(tree: Tree) -> bool:
    """Whether `is_zero` knows this kind of number."""
    try:
        _Bounds().of(tree)
    except _NotAlgebraicError:
        return False
    return True


def part_of_pi(tree: Tree) -> Fraction | None:
    """q for what is written as q pi."""
    try:
        rows = terms(tree)
    except TooLargeError:
        return None
    if not rows:
        return Fraction(0)
    return rows[0][0] if len(rows) == 1 and rows[0][1] == Tree("pi") else None


class _NotAlgebraicError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Bound:
    """Binary logarithms of bounds of all conjugates of U and L, and the degree of a field with U in it."""

    above: float
    below: float
    degree: int


class _Bounds:
    """Bounds of a term, with the roots and angles that were met."""

    def __init__(self) -> None:
        self.roots: dict[tuple[Tree, int], int] = {}
        self.turns = 4

    def of(self, tree: Tree) -> _Bound:
        """The bounds of a whole term. Raises: _NotAlgebraicError."""
        above, below = self._of(tree)
        n = fmpz(self.turns)
        return _Bound(above, below, int(n.euler_phi()) * prod(self.roots.values()))

    def _of(self, tree: Tree) -> tuple[float, float]:
        if is_number(tree):
            value = Fraction(tree.label)
            return _log(value.numerator), _log(value.denominator)
        if tree.label in _CIRCULAR:
            part = part_of_pi(tree.children[0])
            if part is None:
                raise _NotAlgebraicError
            self.turns = lcm(self.turns, 2 * part.denominator)
            return 1.0, 1.0
        if tree.label in ("+", "-", "*", "/"):
            (u, low), (v, lower) = map(self._of, tree.children)
            if tree.label == "*":
                return u + v, low + lower
            if tree.label == "/":
                return u + lower, low + v
            return max(u + lower, low + v) + 1, low + lower
        if tree.label == "abs":
            return self._of(tree.children[0])
        exponent = _exponent(tree)
        base = tree.children[0]
        u, low = self._of(base)
        if exponent < 0:
            u, low, exponent = low, u, -exponent
        u, low, k = u * exponent.numerator, low * exponent.numerator, exponent.denominator
        if k > 1:
            self.roots[base, k] = k
            u, low = min(((u + (k - 1) * low) / k, low), (u, (low + (k - 1) * u) / k), key=sum)
        return u, low


def _log(value: int) -> float:
    return log2(abs(value)) if value else 0.0


def _exponent(tree: Tree) -> Fraction:
    """Of a root or a power with a rational exponent. Raises: _NotAlgebraicError."""
    value = Fraction(1, 2) if tree.label == "sqrt" else None
    if tree.label == "pow":
        value = rational(tree.children[1])
    if value is None or max(abs(value.numerator), value.denominator) > 64:
        raise _NotAlgebraicError
    return value


def _value(tree: Tree) -> arb:
    """The value at the working precision. Raises: ZeroDivisionError."""
    if is_number(tree):
        value = Fraction(tree.label)
        return arb(fmpq(value.numerator, value.denominator))
    if tree.label in _CIRCULAR:
        part = part_of_pi(tree.children[0])
        assert part is not None
        angle = fmpq(part.numerator, part.denominator)
        values = {"": arb(1), "sin": arb.sin_pi_fmpq(angle), "cos": arb.cos_pi_fmpq(angle)}
        above, *below = _CIRCULAR[tree.label]
        return values[above] / values[below[0]] if below else values[above]
    parts = [_value(child) for child in tree.children[: 1 if tree.label in ("pow", "sqrt") else 2]]
    if tree.label == "+":
        return parts[0] + parts[1]
    if tree.label == "-":
        return parts[0] - parts[1]
    if tree.label == "*":
        return parts[0] * parts[1]
    if tree.label == "/":
        return parts[0] / parts[1]
    if tree.label == "abs":
        return abs(parts[0])
    exponent = _exponent(tree)
    root = parts[0] if exponent.denominator == 1 else parts[0].root(exponent.denominator)
    return root**exponent.numerator
