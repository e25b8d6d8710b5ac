"""Where on the real line the terms of an expression meet the edges of their domains.

An edge is where an operation stops to be defined (a zero below a fraction bar, a pole, an end of sqrt or ln)
or to be differentiable. The places are found exactly where functions can be inverted step by step, up to some
periods each way from 0, or are rational, and elsewhere by a search of the line that narrow features can
escape (`engines.core.roots`). Places are bits, and sets of them masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from math import inf

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from engines.core.numeric import Programs
from engines.core.numeric_kernel import BINARY, DIFF, LEAF, UNARY, WHERE, reached
from engines.core.precise import BITS, CODE, NOTHING, Form, Functions, Value, applied, settled
from engines.core.roots import TINY, Roots

__all__ = ["REACH", "Edges", "Place"]

REACH = 1e300
"""Places farther from 0 are left out; the search of the line ends before (`domain.grid`)."""
_PERIODS = 3
"""Periods each way from 0 that are looked at."""
_SHOWN_DENOMINATOR = 999
_SHOWN_BELOW = 10**16
_NAMES = UNARY + BINARY

_HOLES = {
    **dict.fromkeys(("ln", "csch", "coth", "acsch", "asech"), (0,)),
    **dict.fromkeys(("atanh", "acoth"), (-1, 1)),
}
"""Where functions of one argument are undefined and may be defined on both sides of it."""
_ENDS = {
    **dict.fromkeys(("sqrt", "abs", "ln"), (0,)),
    **dict.fromkeys(("asin", "acos", "acsc", "asec", "atanh", "acoth"), (-1, 1)),
    "acosh": (1,),
    "asech": (0, 1),
}
"""Where their domains end, or their slopes jump."""
_POLES = {"csc": 0, "cot": 0, "tan": 1, "sec": 1}
"""Half of pi, so many times, where they have poles; and so on every pi."""
_JUMPING = {CODE["atan"], CODE["acot"]}
"""They jump where their argument has a pole: another branch begins there."""
_UNJUMPING = {CODE["tan"], CODE["cot"]}
"""tan(atan u) does not."""
_EDGED = {CODE[name] for name in (*_HOLES, *_ENDS, *_POLES, "/", "pow", "log")}
_PERIODIC = ("sin", "cos", "tan", "csc", "sec", "cot")
_INVERSE = {
    name: CODE[name[1:] if name[0] == "a" else "a" + name]
    for name in UNARY
    if name not in ("sqrt", "abs", "ln")
}


_RANGES = {
    **dict.fromkeys(("asin", "acsc", "atan"), (-1.5708, 1.5708)),
    **dict.fromkeys(("acos", "asec", "acot"), (0.0, 3.1416)),
    **dict.fromkeys(("sin", "cos", "tanh"), (-1.0, 1.0)),
    "sech": (0.0, 1.0),
}
"""Least and greatest values, a little beyond them where they are no short numbers."""


class Place:
    """A point of the real line: a narrow ball, and the double nearest to it. `crowded` says that another
    point has the same nearest double, and stands for it too."""

    def __init__(self, ball: arb) -> None:
        self.ball = ball
        self.value = float(ball)
        self.crowded = False

    @cached_property
    def exact(self) -> Fraction | None:
        """The small fraction that the point is, if it is one."""
        return _fraction(self.ball)

    @cached_property
    def text(self) -> str:
        """`-4/9`, `3*pi/4` or `about 0.739`."""
        if self.exact is not None and abs(self.exact) < _SHOWN_BELOW:
            return str(self.exact)
        with ctx.workprec(BITS):
            turns = _fraction(self.ball / arb.pi())
        if turns is None:
            return f"about {self.value:.4g}"
        above = {1: "pi", -1: "-pi"}.get(turns.numerator, f"{turns.numerator}*pi")
        return above if turns.denominator == 1 else f"{above}/{turns.denominator}"


def _fraction(ball: arb) -> Fraction | None:
    """The fraction with a small denominator that a narrow ball holds, if it holds one."""
    near = Fraction(float(ball)).limit_denominator(_SHOWN_DENOMINATOR)
    with ctx.workprec(BITS):
        return near if (ball * near.denominator - near.numerator).contains(0) else None


class Edges:
    """The places that terms over some functions meet.

    A place is a bit. A family without end, such as the zeros of the sine, has a bit too, which says how far
    from 0 all of it are among the places; and so has a function whose places could only be searched for.
    `isolated` are the bits of places where a power with a negative base and an exponent that varies is
    defined, and not around them: they are among the holes of `masks`.
    `searched` says whether some places could only be searched for; `searches` are the bits that say so, and
    `endless` those of families.
    """

    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self.isolated = 0
        self.searched = False
        self.searches = self.endless = 0
        self._roots = Roots(functions)
        self._places: list[Place | float | None] = []
        self._bits: dict[tuple[float, bool], int] = {}
        self._met: dict[Form, tuple[int, int]] = {}
        self._solved: dict[tuple[int, float], tuple[arb, int]] = {}
        self._families: dict[tuple[int, float, float], int] = {}
        self._smooth: dict[tuple[int, Place], bool] = {}
        sizes = [abs(float(point)) for point in functions.points]
        self._near = sizes.index(min(sizes))

    def masks(
        self, programs: Programs, numbers: list[int], roots: NDArray[np.int32]
    ) -> list[tuple[int, int]]:
        """For the programs with these roots: where they or their parts are undefined, and where those end,
        bend or jump. `numbers` is from `Functions.read`."""
        met = self._met
        holes, ends = [0] * len(numbers), [0] * len(numbers)
        inner = np.flatnonzero(reached(programs.nodes, roots) & (programs.nodes[0] < LEAF))
        with ctx.workprec(self.functions.bits):
            for node, code, a, b in zip(inner.tolist(), *programs.nodes[:, inner].tolist(), strict=True):
                here, bends = holes[a] | holes[b], ends[a] | ends[b]
                if code in _JUMPING:
                    bends |= holes[a]
                elif code in _UNJUMPING and programs.nodes[0, a] in _JUMPING:
                    bends = ends[programs.nodes[1, a]]
                if code in _EDGED:
                    form = code, numbers[a], numbers[b]
                    masks = met.get(form)
                    if masks is None:
                        masks = met[form] = self._meet(form)
                    here, bends = here | masks[0], bends | masks[1]
                elif code == DIFF:
                    here |= self._kinks(numbers[b], bends & ~here)
                elif (
                    code == WHERE
                ):  # a function and its derivative by rule, whose form may be undefined where it is not
                    here = holes[a] | self._kinks(numbers[a], (bends | holes[b]) & ~holes[a])
                holes[node], ends[node] = here, bends
        return [(holes[root], ends[root]) for root in roots.tolist()]

    def within(self, mask: int) -> Iterator[Place]:
        """The places of a mask."""
        return (place for place in self._of(mask) if isinstance(place, Place))

    def radius(self, mask: int) -> float:
        """How far from 0 a mask holds all places of the families it is made of."""
        return min((place for place in self._of(mask) if isinstance(place, float)), default=inf)

    def _of(self, mask: int) -> Iterator[Place | float | None]:
        while mask:
            lowest = mask & -mask
            yield self._places[lowest.bit_length() - 1]
            mask ^= lowest

    def _meet(self, form: Form) -> tuple[int, int]:
        """The holes and ends that an operation adds to those of its operands."""
        code, a, b = form
        name, solve = _NAMES[code], self.solve
        zero = arb(0)
        if name in _POLES:
            return self._family(a, arb.pi() * _POLES[name] / 2, arb.pi()), 0
        if name == "/":
            return solve(b, zero), 0
        if name == "pow":
            return self._powers(a, b)
        if a in self.functions.faded and name in _ENDS:
            return 0, self._mark(None)
        if name == "log":
            both = solve(a, zero) | solve(b, zero)
            return both | solve(a, arb(1)), both
        holes = self._union(solve(a, arb(target)) for target in _HOLES.get(name, ()))
        return holes, self._union(solve(a, arb(target)) for target in _ENDS.get(name, ()))

    def _powers(self, a: int, b: int) -> tuple[int, int]:
        """Holes and ends of a power: at zeros of its base, by the exponent there."""
        if not self.functions.fixed[b]:
            zeros = self.solve(a, arb(0))
            known = [self.functions.at(place.ball, b)[0] for place in self.within(zeros)]
            holes = 0 if all(v is not None and v > 0 for v in known) else zeros
            return holes | self._integers(a, b), zeros
        exponent = self.functions.values[b][0]
        if exponent is None:
            return 0, 0
        exponent = settled(exponent)
        if exponent > 0 and exponent.is_integer():
            return 0, 0
        zeros = self.solve(a, arb(0))
        return 0 if exponent > 0 else zeros, 0 if exponent.is_integer() else zeros

    def _integers(self, a: int, b: int) -> int:
        """Where an exponent that varies is an integer and its base is negative."""
        base = self.functions.values[a][0]
        if self.functions.fixed[a] and (base is None or base > 0):
            return 0
        found = family = self._family(b, arb(0), arb(1))
        for place in self.within(family):
            found &= ~self._place(place.ball)
            base = self.functions.at(place.ball, a)[0]
            if base is not None and base < 0:
                found |= self._place(place.ball, isolated=True)
        return found if found & self.isolated else 0

    def _kinks(self, function: int, mask: int) -> int:
        """The places of a mask at which a function has no derivative although it is defined there."""
        found = 0
        for place in self.within(mask):
            key = function, place
            if key not in self._smooth:
                self._smooth[key] = self._is_smooth(function, place.ball.mid())
            found |= 0 if self._smooth[key] else self._place(place.ball)
        return found

    def _is_smooth(self, function: int, point: arb) -> bool:
        """Whether the derivative has one limit from both sides."""
        slope = self.functions.derivative(function)
        size = 1 + abs(point)
        steps = [size * arb(2) ** -power for power in (40, 60)]
        limits = [self.functions.at(point + s * step, slope)[0] for step in steps for s in (1, -1)]
        first = limits[0]
        if first is None or not first.is_finite():
            return False
        close = (1 + abs(first)) * arb(2) ** -16
        return all(limit is not None and bool(abs(limit - first) < close) for limit in limits)

    def solve(self, function: int, target: arb) -> int:
        """The places where a function that is not constant has a value."""
        if self.functions.fixed[function]:
            return 0
        key = function, float(target)
        known = self._solved.get(key)
        if known is None or not known[0].overlaps(target):  # another value may have the same nearest double
            for form in self.functions.forms[function]:
                found = self._inverted(form, target) if max(form[1:]) < function else None
                if found is not None:
                    break
            else:
                found = self._outright(function, target)
            self._solved[key] = known = target, found
        return known[1]

    def _opposite(self, function: int, target: arb) -> int | None:
        """The places found for the function with the other sign."""
        other = self.functions.opposite(function)
        known = None if other is None else self._solved.get((other, float(-target)))
        return known[1] if known is not None and known[0].overlaps(-target) else None

    def _inverted(self, form: Form, t: arb) -> int | None:
        """Where an operation has the value t, or None if its inverse does not say."""
        code, a, b = form
        fixed, values = self.functions.fixed, self.functions.values
        if code == LEAF:
            return self._place(t)
        name = _NAMES[code]
        if b == NOTHING:
            return self._unary(name, a, t)
        if name == "where":
            return self.solve(b, t)
        if not fixed[a] and not fixed[b]:
            if name in ("*", "/", "pow") and t == 0:
                return self.solve(a, t) | (self.solve(b, t) if name == "*" else 0)
            return None
        side, c = (b, values[a][0]) if fixed[a] else (a, values[b][0])
        if c is None or not c.is_finite():
            return 0
        c = settled(c)
        targets: list[arb] | None
        if name == "+":
            targets = [t - c]
        elif name == "-":
            targets = [c - t if side == b else t + c]
        elif name == "*":
            targets = [t / c]
        elif name == "/":
            targets = [t * c] if side == a else [] if t == 0 else [c / t]
        elif name == "log":
            targets = [c**t] if side == b else [] if t == 0 else [c ** (1 / t)]
        elif side == b:
            targets = [t.log() / c.log()] if t > 0 and c > 0 else []
        else:
            targets = _bases(t, c)
        return self._all(side, targets)

    def _unary(self, name: str, a: int, t: arb) -> int | None:
        if name == "sqrt":
            return self._all(a, [t * t] if t >= 0 else [])
        if name == "abs":
            return self._all(a, [t, -t] if t > 0 else [t] if t == 0 else [])
        if name == "ln":
            return self._all(a, [t.exp()])
        if name not in _INVERSE:
            return None
        inverse = _value(_INVERSE[name], t)
        if inverse is None or not inverse.is_finite():
            return 0
        if name in _PERIODIC:
            period = arb.pi() if name in ("tan", "cot") or t == 0 else 2 * arb.pi()
            other = arb.pi() - inverse if name in ("sin", "csc") else -inverse
            starts = [inverse] if period < 4 else [inverse, other]
            return self._union(self._family(a, start, period) for start in starts)
        back = _value(CODE[name], inverse)
        if back is None or (back.is_finite() and not back.overlaps(t)):
            return 0
        return self._all(a, [inverse, -inverse] if name in ("cosh", "sech") else [inverse])

    def _all(self, function: int, targets: list[arb]) -> int:
        found = 0
        for target in targets:
            if target.is_finite():
                found |= self.solve(function, settled(target))
        return found

    @staticmethod
    def _union(masks: Iterable[int]) -> int:
        found = 0
        for mask in masks:
            found |= mask
        return found

    def _family(self, function: int, start: arb, period: arb) -> int:
        """Where a function is `start`, or any number of periods away from it."""
        if self.functions.fixed[function]:
            return 0
        key = function, float(start), float(period)
        if key not in self._families and self._misses(function, start, period):
            self._families[key] = 0
        if key not in self._families:
            near = self.functions.values[function][self._near]
            first = 0 if near is None or not near.is_finite() else round(float((near - start) / period))
            masks = [
                self.solve(function, settled(start + (first + k) * period))
                for k in range(-_PERIODS, _PERIODS + 1)
            ]
            found = self._union(masks)
            last = [abs(place.value) for place in self.within(masks[0] | masks[-1])]
            self._families[key] = found | (self._mark(min(last)) if last else 0)
        return self._families[key]

    def _misses(self, function: int, start: arb, period: arb) -> bool:
        """Whether a function is an operation whose values are never `start`, however many periods away."""
        for code, *_ in self.functions.forms[function]:
            low, high = _RANGES.get(_NAMES[code] if 0 <= code < LEAF else "", (-inf, inf))
            if high < inf:
                first = float(start + period * ((arb(low) - start) / period).ceil().mid())
                return first > high and first - float(period) < low
        return False

    def _outright(self, function: int, target: arb) -> int:
        """The places where a function as a whole has a value."""
        roots = self._roots.of_ratio(function, target)
        if roots is not None:
            return self._union(map(self._place, roots))
        found = self._opposite(function, target)
        if found is not None:
            return found
        self.searched = True
        roots, known = self._roots.searched(function, target)
        found = self._union(self._place(root + arb(0, TINY)) for root in roots)
        return found | self._mark(None) | (self._mark(known) if known < inf else 0)

    def _mark(self, radius: float | None) -> int:
        """The mark of a family of places that are all known only so far from 0, or of a search."""
        if radius is None:
            self.searches |= 1 << len(self._places)
        else:
            self.endless |= 1 << len(self._places)
        self._places.append(radius)
        return 1 << (len(self._places) - 1)

    def _place(self, point: arb, *, isolated: bool = False) -> int:
        """The bit of a point; none where it is out of reach."""
        point = settled(point)
        value = float(point)
        if not abs(value) <= REACH:
            return 0
        key = value, isolated
        if key not in self._bits:
            self._bits[key] = len(self._places)
            self._places.append(Place(point))
            self.isolated |= isolated << self._bits[key]
        known = self._places[self._bits[key]]
        if isinstance(known, Place) and not known.ball.overlaps(point):
            known.crowded = True
        return 1 << self._bits[key]


def _value(code: int, u: arb) -> Value:
    return applied((code, NOTHING, NOTHING), (u,))[0]


def _bases(t: arb, exponent: arb) -> list[arb]:
    """The real numbers with the power t."""
    if t == 0:
        return [t] if exponent > 0 else []
    root = abs(t) ** (1 / exponent)
    if not exponent.is_integer():
        return [root] if t > 0 else []
    if not (exponent / 2).is_integer():
        return [root if t > 0 else -root]
    return [root, -root] if t > 0 else []
