"""Points of several variables, drawn from where assumptions hold.

Each variable takes its own range, within the bounds that assumptions give it; integers are integers. What
assumptions say of several variables together is looked at afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import ceil, floor, inf, isfinite

import numpy as np
from numpy.typing import NDArray

from engines.core.domain import Interval, draw
from engines.core.errors import EngineError
from engines.core.numeric import balls, compile_many
from engines.core.tree import Tree
from engines.egen.assumptions import NOTHING, Assumptions
from engines.egen.expressions.language import variables_of
from engines.egen.verification.points import FAR, POOL_PER_FAR_RANGE, RANGES

__all__ = ["Region", "relations_hold"]

Floats = NDArray[np.float64]

_POOL = 3_000
_FEWEST = 200
_ROUNDS = 12
_WHOLE_RANGES: tuple[Interval, ...] = ((-2, 2), (-6, 6), (-30, 30))
_SPECIAL = (0.0, 1.0, -1.0, 2.0)
_PAIRED = 4
"""Variables of which two are special together: a power of a power such as (x^2)^(1/2)."""
_ONE_BY_ONE, _TOGETHER = 400, 8
"""So far from 0, or from a bound, integers are tried one by one, and two of them together."""
_IN_A_ROW = 16
_DECADES = range(3, 16)
"""Farther out some are tried between these powers of ten."""
_EVEN = 720_720
"""A number that those up to 16 divide: its multiples and what follows them have all small residues."""


class Region:
    """Where assumptions hold.

    `points` raises EngineError E221 when no such point is found.
    """

    def __init__(
        self, variables: Sequence[str], assumptions: Assumptions = NOTHING, *, seed: int = 0
    ) -> None:
        self.variables = tuple(variables)
        self.assumptions = assumptions
        self._bounds = {name: self._bound(name) for name in self.variables}
        self._seed = seed

    def special(self) -> tuple[Floats, list[str]]:
        """(variables, points) where one variable is 0, 1, -1 or 2, or two are 2 and 1/2.

        The others are in general position. And for each point what is special, such as `a = 0`.
        """
        found, names = [], []
        single = [{name: value} for name in self.variables for value in _SPECIAL]
        real = [name for name in self.variables if name not in self.assumptions.integers]
        pairs = [
            {one: 2.0, two: 0.5} for two in real[:_PAIRED] for one in self.variables[:_PAIRED] if one != two
        ]
        # the first point, and the first of the most other signs
        others = (np.sign(self.points) != np.sign(self.points[:, :1])).sum(axis=0)
        opposite = self.points[:, [0, int(others.argmax())]]
        for values in single + pairs:
            beside = opposite.copy()
            for name, value in values.items():
                beside[self.variables.index(name)] = value
            found.append(beside)
            names += [" and ".join(f"{name} = {value:g}" for name, value in values.items())] * 2
        points = np.concatenate(found, axis=1)
        kept = np.flatnonzero(self.holds(points))
        return points[:, kept], [names[place] for place in kept.tolist()]

    def far(self) -> list[Floats]:
        """For each variable points like the others, but far out along it."""
        random, found = np.random.default_rng([self._seed, 4]), []
        for place, name in enumerate(self.variables):
            values = self._of(name, random, FAR, POOL_PER_FAR_RANGE)
            moved = self.points[:, np.arange(len(values)) % self.points.shape[1]]
            moved[place] = values
            found.append(moved[:, self.holds(moved)])
        return found

    def whole(self, reach: int = _ONE_BY_ONE) -> tuple[Floats, Floats]:
        """(variables, points) where integers are tried one by one, in ascending order, and far out; the other
        variables are in general position, and the same for some in a row. Args: reach: how far one by one."""
        names = [name for name in self.variables if name in self.assumptions.integers]
        random = np.random.default_rng([self._seed, 5])
        near = [self._at({name: self._one_by_one(name, reach)}) for name in names]
        for one, other in combinations(names[:_PAIRED], 2):
            sides = (self._one_by_one(side, min(reach // 2, _TOGETHER)) for side in (one, other))
            grid = np.meshgrid(*sides)
            near.append(self._at({one: grid[0].ravel(), other: grid[1].ravel()}))
        far = [self._at({name: self._far_out(name, random)}) for name in names]
        nothing = np.empty((len(self.variables), 0))
        both = (np.concatenate([nothing, *found], axis=1) for found in (near, far))
        one_by_one, far_out = (points[:, self.holds(points)] for points in both)
        return one_by_one, far_out

    def _at(self, values: Mapping[str, Floats]) -> Floats:
        """Points with these values of some variables."""
        count = len(next(iter(values.values())))
        points = self.points[:, np.arange(count) // _IN_A_ROW % self.points.shape[1]]
        for name, row in values.items():
            points[self.variables.index(name)] = row
        return points

    def _one_by_one(self, name: str, reach: int) -> Floats:
        low, high = self._bounds[name]
        begin, end = _within((-reach, reach), low, high)
        return np.arange(ceil(begin), floor(end) + 1, dtype=np.float64)

    def _far_out(self, name: str, random: np.random.Generator) -> Floats:
        """Powers of ten and their neighbours, random integers, and such as have all small residues."""
        tens = [10**decade + more for decade in _DECADES for more in (-1, 0, 1)]
        drawn = [int(10 ** (decade + share)) for decade in _DECADES for share in random.random(4)]
        even = [_EVEN * int(times) + more for times in 10 ** (9 * random.random(4)) for more in range(17)]
        low, high = self._bounds[name]
        every = np.array(sorted({*tens, *drawn, *even}), np.float64)
        every = np.concatenate([every, -every])
        return every[(low <= every) & (every <= high)]

    def tried(self, points: Floats) -> str:
        """At which integers points lie: `n from 0 to 400, some up to 1e+15`."""
        texts = []
        for name in self.assumptions.integers:
            values = np.unique(points[self.variables.index(name)])
            if not len(values):
                continue
            runs = np.split(values, np.flatnonzero(np.diff(values) != 1) + 1)
            run = max(runs, key=len)
            outer = [end for end in (values[0], values[-1]) if not run[0] <= end <= run[-1]]
            text = f"{name} from {run[0]:.0f} to {run[-1]:.0f}"
            texts.append(text + "".join(f", some up to {end:.4g}" for end in outer))
        return "; ".join(texts)

    def range_of(self, place: int, reach: float) -> Interval:
        """From where to where a variable may run that goes so far from 0; a little off it, so that the middle
        and what divides it evenly are no special places."""
        off = reach * 2.0**-9 / 3
        return _within((-reach - off, reach + 2 * off), *self._bounds[self.variables[place]])

    def holds(self, points: Floats) -> NDArray[np.bool_]:
        """Whether the assumptions certainly hold at each point."""
        return relations_hold(self.assumptions, self.variables, points)

    @cached_property
    def points(self) -> Floats:
        """Points in general position, each once, in the order in which they were drawn."""
        random = np.random.default_rng([self._seed, 3])
        kept = np.empty((len(self.variables), 0))
        possible = all(
            low < high or (name in self.assumptions.integers and low == high and low.is_integer())
            for name, (low, high) in self._bounds.items()
        )
        for _ in range(_ROUNDS if possible else 0):
            rows = []
            for name in self.variables:
                ranges = _WHOLE_RANGES if name in self.assumptions.integers else RANGES
                rows.append(self._of(name, random, ranges, _POOL // len(ranges)))
            points = np.stack(rows)
            kept = np.concatenate([kept, points[:, self.holds(points)]], axis=1)
            _, first = np.unique(kept, axis=1, return_index=True)
            kept = kept[:, np.sort(first)]
            if kept.shape[1] >= _FEWEST or (kept.shape[1] and self._whole()):
                break
        if not kept.shape[1]:
            raise EngineError(
                f"no point was found where {self.assumptions} holds",
                code="E221",
                exit_code=2,
                remedy="Mend or loosen the assumptions.",
            )
        return kept[:, :_POOL]

    def _whole(self) -> bool:
        """Whether nothing varies but integers: there may be few of them."""
        free = set(self.variables) - set(self.assumptions.integers)
        return free <= {"x"} and "x" not in self.assumptions.variables and len(free) < len(self.variables)

    def _of(self, name: str, random: np.random.Generator, ranges: Sequence[Interval], share: int) -> Floats:
        """Values of one variable, so many of each range, in a random order."""
        low, high = self._bounds[name]
        whole = name in self.assumptions.integers
        pieces = []
        for ends in ranges:
            first, last = _within(ends, low, high)
            if whole:
                lowest, highest = ceil(first), max(ceil(first), floor(last))
                pieces.append(random.integers(lowest, highest + 1, share).astype(np.float64))
            else:
                pieces.append(draw(random, first, last, share))
        return random.permutation(np.concatenate(pieces))

    def _bound(self, name: str) -> Interval:
        """The bounds of a variable that assumptions compare with constants."""
        low, high = -inf, inf
        for one in self.assumptions.relations:
            for side, other in ((one.left, one.right), (one.right, one.left)):
                if side != Tree(name) or variables_of(other) or one.sign == "!=":
                    continue
                value = float(balls(compile_many([other]), [0.5])[0][0, 0])
                if side is one.left:
                    high = min(high, value)
                else:
                    low = max(low, value)
        return low, high


def relations_hold(assumptions: Assumptions, variables: Sequence[str], points: Floats) -> NDArray[np.bool_]:
    """Whether what is assumed, but for integers, certainly holds at each point. Args: points: (variables,
    points)."""
    kept = np.ones(points.shape[1], bool)
    if not assumptions.relations:
        return kept
    differences = [Tree("-", (one.left, one.right)) for one in assumptions.relations]
    values, errors = balls(compile_many(differences, variables=variables), points)
    for one, value, error in zip(assumptions.relations, values, errors, strict=True):
        sure = np.isfinite(error)
        if one.sign == "!=":
            kept &= sure & (np.abs(value) > error)
        else:
            kept &= sure & ((value < -error) | ((value == 0) & (error == 0) & (one.sign == "<=")))
    return kept


def _within(ends: Interval, low: float, high: float) -> Interval:
    """A range within bounds; where it misses them, one as wide beside the nearest bound."""
    first, last = max(ends[0], low), min(ends[1], high)
    if first < last:
        return first, last
    width = ends[1] - ends[0]
    if isfinite(low) and ends[0] <= low:
        return low, max(min(high, low + width), low + 1e-9)
    return max(low, high - width), high
