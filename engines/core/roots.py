"""Where a function of one variable has a value: exactly for rational functions, for others by a search.

The search follows changes of sign of the function and of its slope; narrow features can escape it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_poly
from numpy.typing import NDArray

from engines.core.domain import grid
from engines.core.errors import ExpressionError
from engines.core.numeric import balls, compile_many
from engines.core.numeric_kernel import ADD, DIV, MUL, POW, SUB, WHERE
from engines.core.precise import Functions

__all__ = ["TINY", "Roots"]

TINY = arb(2) ** -160
"""How well a root is known."""
_MOST_DEGREE = 32
_SEARCHED = 12
"""Points of the grid per unit near 0, where the line is searched."""
_SEARCHED_PLACES = 12
_NEWTON, _HALVINGS = 20, 24
_FLAT = 4.0
"""Between two points of the search a function changes by at most so many times its steeper slope there."""

Ratio = tuple[fmpq_poly, fmpq_poly]
Floats = NDArray[np.float64]


class Roots:
    """Roots of functions that are no constants."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._ratios: dict[int, Ratio | None] = {}

    def of_ratio(self, function: int, target: arb) -> list[arb] | None:
        """Where a rational function has a value; None for another function."""
        ratio = self._ratio(function)
        if ratio is None:
            return None
        mantissa, exponent = target.mid().man_exp()
        above, below = ratio
        left = above - fmpq(mantissa) * fmpq(2) ** int(exponent) * below
        roots: Any = left.numer().complex_roots() if left else ()
        return [root.real for root, _ in roots if root.imag == 0]

    def _ratio(self, function: int) -> Ratio | None:
        """A function as a quotient of polynomials with rational coefficients, if it is written as one."""
        if function not in self._ratios:
            found = self._read(function)
            if found is not None and max(part.degree() for part in found) > _MOST_DEGREE:
                found = None
            self._ratios[function] = found
        return self._ratios[function]

    def _read(self, function: int) -> Ratio | None:
        if function == self._functions.x:
            return fmpq_poly([0, 1]), fmpq_poly([1])
        code, a, b = self._functions.forms[function][0]
        if code == WHERE:
            return self._ratio(b)
        if code < 0:
            token = self._functions.token(code)
            if token in ("pi", "e", ""):
                return None
            exact = Fraction(token)
            return fmpq_poly([exact.numerator]), fmpq_poly([exact.denominator])
        if code not in (ADD, SUB, MUL, DIV, POW):
            return None
        one, other = self._ratio(a), self._ratio(b)
        if one is None or other is None:
            return None
        (p, q), (r, s) = one, other
        if code == MUL:
            return p * r, q * s
        if code == DIV:
            return (p * s, q * r) if r else None
        if code == POW:
            return _power(p, q, r, s)
        return (p * s + r * q if code == ADD else p * s - r * q), q * s

    def searched(self, function: int, target: arb) -> tuple[list[arb], float]:
        """Where a function crosses or touches a value, and how far from 0 these are all that was found."""
        slope = self._functions.derivative(function)
        places = grid(_SEARCHED)
        try:
            programs = compile_many([self._functions.tree(function), self._functions.tree(slope)])
        except ExpressionError:
            return [], 0.0
        values, errors = balls(programs, places)
        brackets = sorted(_brackets(places, values, errors, target), key=lambda one: abs(one[0] + one[1]))
        found: list[arb] = []
        for low, high, turns in brackets[:_SEARCHED_PLACES]:
            if not turns:
                found += self._crossed(function, target, arb(low), arb(high))
            else:
                found += self._around_turn(function, slope, target, arb(low), arb(high))
        known = inf if len(brackets) <= _SEARCHED_PLACES else abs(sum(brackets[_SEARCHED_PLACES][:2])) / 2
        return found, known

    def _around_turn(self, function: int, slope: int, target: arb, low: arb, high: arb) -> list[arb]:
        """Where a function that turns back between two points has a value: at its turn, or beside it."""
        turn, exact = self._between(slope, arb(0), low, high)
        first, value, last = (self._functions.at(point, function)[0] for point in (low, turn, high))
        if value is None or first is None or last is None:
            return []
        if abs(value - target) < TINY * (1 + abs(target)):
            return [turn] if exact else []
        pieces = ((low, turn, first), (turn, high, last))
        return [
            root
            for start, stop, end in pieces
            if (end < target) != (value < target)
            for root in self._crossed(function, target, start, stop)
        ]

    def _crossed(self, function: int, target: arb, low: arb, high: arb) -> list[arb]:
        root, exact = self._between(function, target, low, high)
        return [root] if exact else []

    def _between(self, function: int, target: arb, low: arb, high: arb) -> tuple[arb, bool]:
        """A root between two points with different signs, and True; or where the sign changes, and False."""
        (first,), (last,) = (self._functions.at(point, function) for point in (low, high))
        if first is None or last is None:
            return low, False
        below, above = first - target, last - target
        middle = ((low * above - high * below) / (above - below)).mid()
        for _ in range(_HALVINGS):
            root = self._newton(function, target, middle, low, high)
            if root is not None:
                return root, True
            value = self._functions.at(middle, function)[0]
            if value is None or abs(value - target) > max(abs(below), abs(above)):
                break  # outside the domain, or towards a pole
            if (value < target) == (below < 0):
                low, below = middle, value - target
            else:
                high, above = middle, value - target
            middle = ((low + high) / 2).mid()
        return middle, False

    def _newton(self, function: int, target: arb, start: arb, low: arb, high: arb) -> arb | None:
        """Newton's method between two points."""
        slope = self._functions.derivative(function)
        point = start
        for _ in range(_NEWTON):
            value, steep = self._functions.at(point, function, slope)
            if value is None or steep is None or steep.contains(0):
                return None
            step = ((value - target) / steep).mid()
            point = (point - step).mid()
            if not (step.is_finite() and low <= point <= high):
                return None
            if abs(step) < TINY:
                return point
        return None


def _brackets(
    places: Floats, values: Floats, errors: Floats, target: arb
) -> Iterator[tuple[float, float, bool]]:
    """Neighbouring places between which a function crosses a value, and those between which it turns back not
    far from it. Args: values, errors: (2, places), of the function and of its slope."""
    goals = float(target), 0.0
    for turns, goal, row, error in zip((False, True), goals, values, errors, strict=True):
        apart = row - goal
        signs = np.where(np.abs(apart) > error, np.sign(apart), 0)
        for k in np.flatnonzero(signs[:-1] * signs[1:] < 0).tolist():
            low, high = places[k : k + 2].tolist()
            away = np.abs(values[0, k : k + 2] - goals[0]).min()
            if not turns or away <= _FLAT * (high - low) * np.abs(apart[k : k + 2]).max():
                yield low, high, turns


def _power(p: fmpq_poly, q: fmpq_poly, r: fmpq_poly, s: fmpq_poly) -> Ratio | None:
    """(p/q)^(r/s) where that is an integer of moderate size."""
    if r.degree() > 0 or s.degree() > 0:
        return None
    exponent = r[0] / s[0]
    if exponent.q != 1 or abs(exponent.p) * max(p.degree(), q.degree(), 1) > _MOST_DEGREE:
        return None
    n = abs(int(exponent.p))
    if exponent < 0:
        p, q = q, p
    return (p**n, q**n) if q else None
