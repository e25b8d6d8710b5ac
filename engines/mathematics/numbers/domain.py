"""Where on the real line an expression is defined: numerically, by exact roots, at the edges of its terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache, cached_property, reduce
from math import inf
from operator import or_
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpq_poly
from numpy.typing import NDArray

from engines.core.arrays import Floats, sort_distinct
from engines.core.errors import ExpressionError
from engines.mathematics.numbers.numeric import (
    CODE,
    DEFINED,
    UNKNOWN,
    Programs,
    compile_many,
    evaluate,
    evaluate_balls,
)
from engines.mathematics.numbers.numeric_kernel import (
    ADD,
    BINARY,
    DIFF,
    DIV,
    LEAF,
    MUL,
    POW,
    SUB,
    UNARY,
    WHERE,
    find_reached_nodes,
)
from engines.mathematics.numbers.precise import (
    BITS,
    NOTHING,
    BallValue,
    FunctionForm,
    Functions,
    apply_operation,
    integer_or_ball,
)

DomainInterval = tuple[float, float]
# Halving an interval of the grid so often leaves about the last digits of a double.
_BISECTIONS = 48


@cache
def search_grid(points_per_unit: int) -> Floats:
    """Return sorted places to look at: linear and dense near 0, linear to ±130, then by powers of ten to
    ±1e6.

    The offset keeps them off integers and other special places.
    """
    near = np.linspace(-12.0, 12.0, 24 * points_per_unit)
    middle = np.linspace(-130.0, 130.0, 65 * points_per_unit)
    powers = 10.0 ** np.linspace(-5.0, 6.0, 150)
    return sort_distinct(np.concatenate([near, middle, powers, -powers]) * (1.0 + 1e-7) + 1.7e-7)


def list_intervals(program: Programs) -> list[DomainInterval]:
    """Return the intervals on which one program (the first) in one variable is defined, left to right.

    Ends are found by bisection; an interval that reaches ±1e6 is taken to go on to infinity. Intervals or
    gaps narrower than the search (about 0.02 near 0, 0.1 up to 130; a tenth of that where nothing was found)
    can be missed; isolated points are. Places where nothing can be told (overflow) belong to the interval
    beside them.
    """
    positions = search_grid(48)
    state = evaluate(program, positions).state[0]
    # Nothing was found on the coarse grid, so try one that is ten times finer.
    if not (state == DEFINED).any():
        positions = search_grid(480)
        state = evaluate(program, positions).state[0]
        if not (state == DEFINED).any():
            return []
    inside = state == DEFINED
    # Points without a known state are skipped: a change lies between two neighbours that are decided.
    known = np.flatnonzero(state != UNKNOWN)
    changes = np.flatnonzero(np.diff(inside[known].astype(np.int8)))
    low, high = positions[known[changes]].copy(), positions[known[changes + 1]].copy()
    rising = inside[known[changes + 1]]
    # Bisect all changes at once; `rising` says that the domain begins there, read from left to right.
    for _ in range(_BISECTIONS if len(changes) else 0):
        middle = (low + high) / 2
        there = evaluate(program, middle).state[0] == DEFINED
        up = there != rising
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    # Of each bracket the end inside the domain is taken.
    edges = np.where(rising, high, low).tolist()
    if inside[known[0]]:
        edges.insert(0, -inf)
    if inside[known[-1]]:
        edges.append(inf)
    return list(zip(edges[::2], edges[1::2], strict=True))


def list_gaps(intervals: list[DomainInterval]) -> list[DomainInterval]:
    """Return the intervals between and beyond those of `intervals`."""
    ends = [-inf, *(end for interval in intervals for end in interval), inf]
    return [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if low < high]


def draw_points(random: np.random.Generator, low: float, high: float, count: int) -> Floats:
    """Return random points of an interval: odd multiples of a power of two, about 2^-20 of its width.

    Few digits keep sums and products with short constants exact; odd multiples are never special places.
    """
    step = 2.0 ** (np.floor(np.log2(high - low)) - 20.0)
    return np.asarray((2.0 * np.floor(random.uniform(low, high, count) / (2.0 * step)) + 1.0) * step)


# Where a function of one variable has a value: exactly for rational functions, for others by a search.
#
# The search follows changes of sign of the function and of its slope; narrow features can escape it.

TINY = arb(2) ** -160
"""How well a root is known."""
_NEAR_ZERO = arb(2) ** -10
"""A function is less than this so close to where it is 0."""
_MOST_DEGREE = 32
_SEARCHED = 12
"""Points of the grid per unit near 0, where the line is searched."""
_SEARCHED_PLACES = 12
# Newton's method doubles the digits with each step, so few steps are enough once it converges.
_NEWTON, _HALVINGS = 20, 24
_FLAT = 4.0
"""Between two points of the search a function changes by at most so many times its steeper slope there."""

Ratio = tuple[fmpq_poly, fmpq_poly]


class Roots:
    """Roots of functions that are no constants."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._ratios: dict[int, Ratio | None] = {}

    def of_ratio(self, function: int, target: arb) -> list[arb] | None:
        """Return where a rational function has a value; None for another function."""
        ratio = self._cached_ratio(function)
        if ratio is None:
            return None
        mantissa, exponent = target.mid().man_exp()
        above, below = ratio
        left = above - fmpq(mantissa) * fmpq(2) ** int(exponent) * below
        left = left // left.gcd(below) if left else left
        roots: Any = left.numer().complex_roots() if left else ()
        return [root.real for root, _ in roots if root.imag == 0]

    def _cached_ratio(self, function: int) -> Ratio | None:
        """Return a function as a quotient of polynomials with rational coefficients, if it is written as
        one.
        """
        if function not in self._ratios:
            result = self._read_ratio(function)
            if result is not None and max(part.degree() for part in result) > _MOST_DEGREE:
                result = None
            self._ratios[function] = result
        return self._ratios[function]

    def _read_ratio(self, function: int) -> Ratio | None:
        # A ratio is a pair of polynomials with rational coefficients: numerator and denominator.
        if function == self._functions.x:
            return fmpq_poly([0, 1]), fmpq_poly([1])
        code, a, b = self._functions.forms[function][0]
        # `WHERE` only restricts the domain: its second operand is the value.
        if code == WHERE:
            return self._cached_ratio(b)
        if code < 0:
            token = self._functions.constant_token(code)
            # Coefficients are rational, so pi, e and other real numbers make no ratio.
            if token in ("pi", "e", ""):
                return None
            exact = Fraction(token)
            return fmpq_poly([exact.numerator]), fmpq_poly([exact.denominator])
        if code not in (ADD, SUB, MUL, DIV, POW):
            return None
        left, right = self._cached_ratio(a), self._cached_ratio(b)
        if left is None or right is None:
            return None
        (p, q), (r, s) = left, right
        if code == MUL:
            return p * r, q * s
        if code == DIV:
            return (p * s, q * r) if r else None
        if code == POW:
            return _power_of_ratio(p, q, r, s)
        return (p * s + r * q if code == ADD else p * s - r * q), q * s

    def search_roots(self, function: int, target: arb) -> tuple[list[arb], float]:
        """Return where a function crosses or touches a value, and how far from 0 these are all such
        points.
        """
        slope = self._functions.derive_function(function)
        positions = search_grid(_SEARCHED)
        try:
            programs = compile_many([self._functions.to_tree(function), self._functions.to_tree(slope)])
        except ExpressionError:
            return [], 0.0
        # Balls in double precision find the brackets on a grid; precise ones refine them below.
        values, errors = evaluate_balls(programs, positions)
        brackets = sorted(
            _iterate_brackets(positions, values, errors, target), key=lambda one: abs(one[0] + one[1])
        )
        result: list[arb] = []
        for low, high, turns in brackets[:_SEARCHED_PLACES]:
            if not turns:
                result += self._refine_crossing(function, target, arb(low), arb(high))
            else:
                result += self._around_turn(function, slope, target, arb(low), arb(high))
        # Beyond the first bracket that was not searched, nothing is known.
        known = inf if len(brackets) <= _SEARCHED_PLACES else abs(sum(brackets[_SEARCHED_PLACES][:2])) / 2
        return result, known

    def _around_turn(self, function: int, slope: int, target: arb, low: arb, high: arb) -> list[arb]:
        """Return where a function that turns back between two points has a value: at its turn, or beside
        it."""
        turn, exact = self._bisect_roots(slope, arb(0), low, high)
        first, value, last = (self._functions.values_at(point, function)[0] for point in (low, turn, high))
        if value is None or first is None or last is None:
            return []
        if abs(value - target) < TINY * (1 + abs(target)):
            return [turn] if exact else []
        pieces = ((low, turn, first), (turn, high, last))
        return [
            root
            for start, stop, end in pieces
            if (end < target) != (value < target)
            for root in self._refine_crossing(function, target, start, stop)
        ]

    def _refine_crossing(self, function: int, target: arb, low: arb, high: arb) -> list[arb]:
        root, exact = self._bisect_roots(function, target, low, high)
        return [root] if exact else []

    def _bisect_roots(self, function: int, target: arb, low: arb, high: arb) -> tuple[arb, bool]:
        """Return a root between two points with different signs, and True; or where the sign changes, and
        False.
        """
        (first,), (last,) = (self._functions.values_at(point, function) for point in (low, high))
        if first is None or last is None:
            return low, False
        below, above = first - target, last - target
        # Start from the secant, which is mostly closer to the root than the middle.
        middle = ((low * above - high * below) / (above - below)).mid()
        for _ in range(_HALVINGS):
            root = self._refine_newton(function, target, middle, low, high)
            if root is not None:
                return root, True
            value = self._functions.values_at(middle, function)[0]
            if value is None or abs(value - target) > max(abs(below), abs(above)):
                break  # outside the domain, or towards a pole
            if (value < target) == (below < 0):
                low, below = middle, value - target
            else:
                high, above = middle, value - target
            middle = ((low + high) / 2).mid()
        return middle, False

    def _refine_newton(self, function: int, target: arb, start: arb, low: arb, high: arb) -> arb | None:
        slope = self._functions.derive_function(function)
        point = start
        for _ in range(_NEWTON):
            value, steep = self._functions.values_at(point, function, slope)
            if value is None or steep is None or steep.contains(0):
                return None
            step = ((value - target) / steep).mid()
            point = (point - step).mid()
            if not (step.is_finite() and low <= point <= high):
                return None
            if abs(step) < TINY:
                return point
        return None


def _iterate_brackets(
    places: Floats, values: Floats, errors: Floats, target: arb
) -> Iterator[tuple[float, float, bool]]:
    """Neighbouring places between which a function crosses a value, and those between which it turns back not
    far from it.

    Args:
        values, errors: (2, places), of the function and of its slope.
    """
    goals = float(target), 0.0
    for turns, goal, row, error in zip((False, True), goals, values, errors, strict=True):
        apart = row - goal
        signs = np.where(np.abs(apart) > error, np.sign(apart), 0)
        for k in np.flatnonzero(signs[:-1] * signs[1:] < 0).tolist():
            low, high = places[k : k + 2].tolist()
            away = np.abs(values[0, k : k + 2] - goals[0]).min()
            if not turns or away <= _FLAT * (high - low) * np.abs(apart[k : k + 2]).max():
                yield low, high, turns


def _power_of_ratio(p: fmpq_poly, q: fmpq_poly, r: fmpq_poly, s: fmpq_poly) -> Ratio | None:
    if r.degree() > 0 or s.degree() > 0:
        return None
    exponent = r[0] / s[0]
    if exponent.q != 1 or abs(exponent.p) * max(p.degree(), q.degree(), 1) > _MOST_DEGREE:
        return None
    n = abs(int(exponent.p))
    if exponent < 0:
        p, q = q, p
    return (p**n, q**n) if q else None


# Where on the real line the terms of an expression meet the edges of their domains.
#
# An edge is where an operation stops to be defined (a zero below a fraction bar, a pole, an end of sqrt or
# ln) or to be differentiable. The places are found exactly where functions can be inverted step by step, up
# to some periods each way from 0, or are rational, and elsewhere by a search of the line that narrow features
# can escape (`engines.mathematics.numbers.domain`). Places are bits, and sets of them masks.

REACH = 1e300
"""Places farther from 0 are left out; the search of the line ends before (`search_grid`)."""
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


class DomainPlace:
    """A point of the real line: a narrow ball, and the double nearest to it. `crowded` says that another
    point has the same nearest double, and stands for it too."""

    def __init__(self, ball: arb) -> None:
        self.ball = ball
        self.value = float(ball)
        self.crowded = False

    @cached_property
    def exact(self) -> Fraction | None:
        """The point as a fraction, if it is a simple one."""
        return _simple_fraction(self.ball)

    @cached_property
    def text(self) -> str:
        """`-4/9`, `3*pi/4` or `about 0.739`."""
        if self.exact is not None and abs(self.exact) < _SHOWN_BELOW:
            return str(self.exact)
        with ctx.workprec(BITS):
            turns = _simple_fraction(self.ball / arb.pi())
        if turns is None:
            return f"about {self.value:.4g}"
        above = {1: "pi", -1: "-pi"}.get(turns.numerator, f"{turns.numerator}*pi")
        return above if turns.denominator == 1 else f"{above}/{turns.denominator}"


def _simple_fraction(ball: arb) -> Fraction | None:
    """Return the fraction with a small denominator that a narrow ball holds, if it holds one."""
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
        self._families_of_marks: dict[int, int] = {}
        self._roots = Roots(functions)
        self._places: list[DomainPlace | float | None] = []
        self._bits: dict[tuple[float, bool], int] = {}
        self._met: dict[FunctionForm, tuple[int, int, int]] = {}
        self._solved: dict[tuple[int, float], tuple[arb, int]] = {}
        self._families: dict[tuple[int, float, float], int] = {}
        # That there is nothing holds until another form is met, so the count of forms is kept with it.
        self._unsolved: dict[tuple[int, float], tuple[arb, int]] = {}
        self._empty_families: dict[tuple[int, float, float], int] = {}
        self._smooth: dict[tuple[int, DomainPlace], bool] = {}
        sizes = [abs(float(point)) for point in functions.points]
        self._near = sizes.index(min(sizes))

    def compute_masks(
        self, programs: Programs, numbers: list[int], roots: NDArray[np.int32]
    ) -> list[tuple[int, int]]:
        """Return, for programs with these roots, where they or their parts are undefined, and where those
        places end.

        A place counts too where a program bends or jumps. `numbers` is from `Functions.read_programs`. Both
        are bit masks.
        """
        met = self._met
        holes, ends = [0] * len(numbers), [0] * len(numbers)
        inner = np.flatnonzero(find_reached_nodes(programs.nodes, roots) & (programs.nodes[0] < LEAF))
        with ctx.workprec(self.functions.bits):
            for node, code, a, b in zip(inner.tolist(), *programs.nodes[:, inner].tolist(), strict=True):
                here, bends = holes[a] | holes[b], ends[a] | ends[b]
                if code in _JUMPING:
                    bends |= holes[a]
                elif code in _UNJUMPING and programs.nodes[0, a] in _JUMPING:
                    bends = ends[programs.nodes[1, a]]
                if code in _EDGED:
                    form = code, numbers[a], numbers[b]
                    merge_count = self.functions.merge_count
                    known = met.get(form)
                    if known is None or not (known[0] or known[1] or known[2] == merge_count):
                        known = met[form] = *self._find_holes_and_ends(form), merge_count
                    here, bends = here | known[0], bends | known[1]
                elif code == DIFF:
                    here |= self._find_kinks(numbers[b], bends & ~here)
                elif code == WHERE:
                    # A function and its derivative by rule, whose form may be undefined where it is not.
                    here = holes[a] | self._find_kinks(numbers[a], (bends | holes[b]) & ~holes[a])
                holes[node], ends[node] = here, bends
        return [(holes[root], ends[root]) for root in roots.tolist()]

    def iterate_holes_of(self, code: int, a: int, b: int) -> Iterator[DomainPlace]:
        """Return the places at which an operation on functions is undefined that both have a value at;
        those of `compute_masks` are known."""
        return self.iterate_places(self._met.get((code, a, b), (0,))[0])

    def iterate_places(self, mask: int) -> Iterator[DomainPlace]:
        """Return the isolated places of a mask."""
        return (place for place in self._iterate_mask(mask) if isinstance(place, DomainPlace))

    def find_endless(self, mask: int, whole: int) -> set[DomainPlace]:
        """Return the places of the families without end that a mask is made of and that another has
        completely: of integer exponents, places are isolated, and none of the family."""
        families = (family for mark, family in self._families_of_marks.items() if mark & mask)
        return {place for one in families if not one & ~whole for place in self.iterate_places(one)}

    def known_radius(self, mask: int) -> float:
        """Return how far from 0 a mask holds all places of the families it is made of."""
        return min((place for place in self._iterate_mask(mask) if isinstance(place, float)), default=inf)

    def _iterate_mask(self, mask: int) -> Iterator[DomainPlace | float | None]:
        while mask:
            lowest = mask & -mask
            yield self._places[lowest.bit_length() - 1]
            mask ^= lowest

    def _find_holes_and_ends(self, form: FunctionForm) -> tuple[int, int]:
        """Return the holes and ends that an operation adds to those of its operands."""
        code, a, b = form
        name, solve = _NAMES[code], self.solve_equation
        zero = arb(0)
        if name in _POLES:
            return self._solve_periodic(a, arb.pi() * _POLES[name] / 2, arb.pi()), 0
        if name == "/":
            return solve(b, zero), 0
        if name == "pow":
            return self._power_holes_and_ends(a, b)
        if a in self.functions.faded and name in _ENDS:
            return 0, self._add_mark(None)
        if name == "log":
            both = solve(a, zero) | solve(b, zero)
            return both | solve(a, arb(1)), both
        holes = self._unite_masks(solve(a, arb(target)) for target in _HOLES.get(name, ()))
        return holes, self._unite_masks(solve(a, arb(target)) for target in _ENDS.get(name, ()))

    def _power_holes_and_ends(self, a: int, b: int) -> tuple[int, int]:
        """Holes and ends of a power: at zeros of its base, by the exponent there."""
        if not self.functions.fixed[b]:
            zeros = self.solve_equation(a, arb(0))
            known = [self.functions.values_at(place.ball, b)[0] for place in self.iterate_places(zeros)]
            holes = 0 if all(v is not None and v > 0 for v in known) else zeros
            return holes | self._mark_integer_exponents(a, b), zeros
        exponent = self.functions.values[b][0]
        if exponent is None:
            return 0, 0
        exponent = integer_or_ball(exponent)
        if exponent > 0 and exponent.is_integer():
            return 0, 0
        zeros = self.solve_equation(a, arb(0))
        return 0 if exponent > 0 else zeros, 0 if exponent.is_integer() else zeros

    def _mark_integer_exponents(self, a: int, b: int) -> int:
        """Return where an exponent that varies is an integer and its base is negative."""
        base = self.functions.values[a][0]
        if self.functions.fixed[a] and (base is None or base > 0):
            return 0
        periodic = family = self._solve_periodic(b, arb(0), arb(1))
        for place in self.iterate_places(family):
            periodic &= ~self._add_place(place.ball)
            base = self.functions.values_at(place.ball, a)[0]
            if base is not None and base < 0:
                periodic |= self._add_place(place.ball, isolated=True)
        return periodic if periodic & self.isolated else 0

    def _find_kinks(self, function: int, mask: int) -> int:
        """Return the places of a mask at which a function has no derivative although it is defined there."""
        result = 0
        for place in self.iterate_places(mask):
            key = function, place
            if key not in self._smooth:
                self._smooth[key] = self._is_smooth(function, place.ball.mid())
            result |= 0 if self._smooth[key] else self._add_place(place.ball)
        return result

    def _is_smooth(self, function: int, point: arb) -> bool:
        slope = self.functions.derive_function(function)
        size = 1 + abs(point)
        steps = [size * arb(2) ** -power for power in (40, 60)]
        limits = [self.functions.values_at(point + s * step, slope)[0] for step in steps for s in (1, -1)]
        first = limits[0]
        if first is None or not first.is_finite():
            return False
        close = (1 + abs(first)) * arb(2) ** -16
        return all(limit is not None and bool(abs(limit - first) < close) for limit in limits)

    def solve_equation(self, function: int, target: arb) -> int:
        """Return the places where a function that is not constant has a value."""
        if self.functions.fixed[function]:
            return 0
        key = function, float(target)
        known = self._solved.get(key)
        if known is None or not known[0].overlaps(target):  # another value may have the same nearest double
            merge_count = self.functions.merge_count
            unsolved = self._unsolved.get(key)
            if unsolved is not None and unsolved[1] == merge_count and unsolved[0].overlaps(target):
                return 0
            result = None
            for form in self.functions.forms[function]:
                by_inverse = self._solve_by_inverse(form, target) if max(form[1:]) < function else None
                result = result if by_inverse is None else by_inverse
                # Another form may have the value where this one has none: 1/sec u is cos u, and never 0.
                if by_inverse:
                    break
            # Nor is that the last word while more forms may be met.
            if result == 0:
                self._unsolved[key] = target, merge_count
                return 0
            if result is None:
                result = self._solve_directly(function, target)
            self._solved[key] = known = target, result
        return known[1]

    def _solve_by_inverse(self, form: FunctionForm, t: arb) -> int | None:
        """Return where an operation has the value t, or None if its inverse does not say."""
        code, a, b = form
        fixed, values = self.functions.fixed, self.functions.values
        if code == LEAF:
            return self._add_place(t)
        name = _NAMES[code]
        if b == NOTHING:
            return self._solve_unary(name, a, t)
        if name == "where":
            return self.solve_equation(b, t)
        # Both operands vary: only a product, quotient or power that is 0 says what is 0.
        if not fixed[a] and not fixed[b]:
            if name not in ("*", "/", "pow") or t != 0:
                return None
            zeros = self._find_zeros_of(form, a, b)
            return zeros | (self._find_zeros_of(form, b, a) if name == "*" else 0)
        side, c = (b, values[a][0]) if fixed[a] else (a, values[b][0])
        if c is None or not c.is_finite():
            return 0
        # One operand is the constant c: solve "side op c = t" or "c op side = t" for the side.
        c = integer_or_ball(c)
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
            targets = _solve_bases(t, c)
        return self._solve_for_all(side, targets)

    def _find_zeros_of(self, form: FunctionForm, factor: int, other: int) -> int:
        """Return where a product, quotient or power is 0 because a factor is: not where tanh(x)/sinh(x) is
        0/0 and tends to 1."""
        zeros = self.solve_equation(factor, arb(0))
        for place in self.iterate_places(zeros):
            value = self.functions.values_at(place.ball, other)[0]
            known = value is not None and value.is_finite() and (form[0] == MUL or not value.contains(0))
            if not known and not self._tends_to_zero(form, place.ball):
                zeros &= ~self._add_place(place.ball)
        return zeros

    def _tends_to_zero(self, form: FunctionForm, point: arb) -> bool:
        code, a, b = form
        for step in (TINY, -TINY):
            left, right = self.functions.values_at(point + step * (1 + abs(point)), a, b)
            (value,) = apply_operation((code, a, b), (left,), (right,))
            if value is not None and value.is_finite() and abs(value) < _NEAR_ZERO:
                return True
        return False

    def _solve_unary(self, name: str, a: int, t: arb) -> int | None:
        if name == "sqrt":
            return self._solve_for_all(a, [t * t] if t >= 0 else [])
        if name == "abs":
            return self._solve_for_all(a, [t, -t] if t > 0 else [t] if t == 0 else [])
        if name == "ln":
            return self._solve_for_all(a, [t.exp()])
        if name not in _INVERSE:
            return None
        inverse = _apply_function(_INVERSE[name], t)
        if inverse is None or not inverse.is_finite():
            return 0
        if name in _PERIODIC:
            # tan and cot repeat after pi, the others after 2 pi; the zeros of all of
            # them repeat after pi.
            period = arb.pi() if name in ("tan", "cot") or t == 0 else 2 * arb.pi()
            # The second solution within a period: sin(pi - u) = sin u and cos(-u) = cos u.
            mirrored = arb.pi() - inverse if name in ("sin", "csc") else -inverse
            starts = [inverse] if period < 4 else [inverse, mirrored]
            return self._unite_masks(self._solve_periodic(a, start, period) for start in starts)
        # A value that the inverse does not map back lies outside the range of the function.
        back = _apply_function(CODE[name], inverse)
        if back is None or (back.is_finite() and not back.overlaps(t)):
            return 0
        return self._solve_for_all(a, [inverse, -inverse] if name in ("cosh", "sech") else [inverse])

    def _solve_for_all(self, function: int, targets: list[arb]) -> int:
        return self._unite_masks(
            self.solve_equation(function, integer_or_ball(t)) for t in targets if t.is_finite()
        )

    @staticmethod
    def _unite_masks(masks: Iterable[int]) -> int:
        return reduce(or_, masks, 0)

    def _solve_periodic(self, function: int, start: arb, period: arb) -> int:
        """Return where a function is `start`, or any number of periods away from it."""
        if self.functions.fixed[function]:
            return 0
        key = function, float(start), float(period)
        if key not in self._families and self._never_reaches(function, start, period):
            self._families[key] = 0
        merge_count = self.functions.merge_count
        if self._empty_families.get(key) == merge_count:
            return 0
        if key not in self._families:
            near = self.functions.values[function][self._near]
            first = 0 if near is None or not near.is_finite() else round(float((near - start) / period))
            masks = [
                self.solve_equation(function, integer_or_ball(start + (first + k) * period))
                for k in range(-_PERIODS, _PERIODS + 1)
            ]
            result = self._unite_masks(masks)
            if not result:
                self._empty_families[key] = merge_count
                return 0
            last = [abs(place.value) for place in self.iterate_places(masks[0] | masks[-1])]
            self._families[key] = result | (self._add_mark(min(last), result) if last else 0)
        return self._families[key]

    def _never_reaches(self, function: int, start: arb, period: arb) -> bool:
        """Return whether a function is an operation whose values are never `start`, however many periods
        away.
        """
        for code, *_ in self.functions.forms[function]:
            low, high = _RANGES.get(_NAMES[code] if 0 <= code < LEAF else "", (-inf, inf))
            if high < inf:
                first = float(start + period * ((arb(low) - start) / period).ceil().mid())
                return first > high and first - float(period) < low
        return False

    def _solve_directly(self, function: int, target: arb) -> int:
        roots = self._roots.of_ratio(function, target)
        if roots is not None:
            return self._unite_masks(map(self._add_place, roots))
        opposite_function = self.functions.find_opposite(function)
        opposite = (
            None if opposite_function is None else self._solved.get((opposite_function, float(-target)))
        )
        if opposite is not None and opposite[0].overlaps(-target):
            return opposite[1]
        self.searched = True
        roots, known = self._roots.search_roots(function, target)
        result = self._unite_masks(self._add_place(root + arb(0, TINY)) for root in roots)
        return result | self._add_mark(None) | (self._add_mark(known, result) if known < inf else 0)

    def _add_mark(self, radius: float | None, family: int = 0) -> int:
        """Return the mark of a family of places that are all known only so far from 0, or of a search."""
        mark = 1 << len(self._places)
        if radius is None:
            self.searches |= mark
        else:
            self.endless |= mark
            self._families_of_marks[mark] = family
        self._places.append(radius)
        return mark

    def _add_place(self, point: arb, *, isolated: bool = False) -> int:
        point = integer_or_ball(point)
        value = float(point)
        if not abs(value) <= REACH:
            return 0
        key = value, isolated
        if key not in self._bits:
            self._bits[key] = len(self._places)
            self._places.append(DomainPlace(point))
            self.isolated |= isolated << self._bits[key]
        known = self._places[self._bits[key]]
        if isinstance(known, DomainPlace) and not known.ball.overlaps(point):
            known.crowded = True
        return 1 << self._bits[key]


def _apply_function(code: int, u: arb) -> BallValue:
    return apply_operation((code, NOTHING, NOTHING), (u,))[0]


def _solve_bases(t: arb, exponent: arb) -> list[arb]:
    if t == 0:
        return [t] if exponent > 0 else []
    root = abs(t) ** (1 / exponent)
    if not exponent.is_integer():
        return [root] if t > 0 else []
    if not (exponent / 2).is_integer():
        return [root if t > 0 else -root]
    return [root, -root] if t > 0 else []
