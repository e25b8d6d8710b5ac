"""The points at which members are compared with their head."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import combinations, islice, pairwise
from math import ceil, floor, inf, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Floats, sort_distinct
from engines.core.compiling import compile_kernel
from engines.core.errors import EngineError
from engines.core.expression_language import display_name, variables_of
from engines.core.tree import Tree
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions
from engines.mathematics.numbers.domain import (
    REACH,
    DomainInterval,
    DomainPlace,
    Edges,
    draw_points,
    list_gaps,
    list_intervals,
)
from engines.mathematics.numbers.numeric import Programs, compile_many, evaluate_balls
from engines.mathematics.numbers.numeric_kernel import compute_signatures
from engines.mathematics.numbers.precise import BITS, BallValue, Functions

# The points depend on head and seed only. From some thousand candidates of several ranges those are taken
# that represent every combination of signs and sizes of the head's sub-terms, because it is there that other
# forms gain or lose domain; some lie far out, and some close to the ends of the head's domain.


RANGES: tuple[DomainInterval, ...] = (
    *((-0.1, 0.1), (-1.0, 1.0), (-6.0, 6.0), (-30.0, 30.0), (-120.0, 120.0)),
    (25.0, 75.0),  # where E-Gen looked
)
# Points far out tell functions apart that agree in all digits near 0.
FAR: tuple[DomainInterval, ...] = ((-1e3, 1e3), (-1e4, 1e4), (-1e5, 1e5), (-1e6, 1e6))
POOL_PER_RANGE, POOL_PER_FAR_RANGE = 256, 32
MAX_INSIDE, MAX_OUTSIDE = 72, 24
MAX_FAR = 8
"""Of the points far out, so many inside and so many outside the head's domain."""
MIN_POOL = 64
"""With fewer candidates inside the head's domain, or at its other side, its intervals are searched for."""
LEVELS = np.array([0.54, 0.84, 1.0, 1.19, 1.56])
"""Sizes of a sub-term of the head between which members keep their domain: about cos 1, sin 1, 1, their
reciprocals and pi/2. They are the ends of the domain of an inverse function that is taken of the sub-term, or
of an inverse function of it."""


@cache
def _candidate_pool(seed: int) -> Floats:
    random = np.random.default_rng(seed)
    return np.stack([draw_points(random, *ends, POOL_PER_RANGE) for ends in RANGES], axis=1).ravel()


@cache
def _far_pool(seed: int) -> Floats:
    random = np.random.default_rng([seed, 2])
    return (
        np.stack([draw_points(random, *ends, POOL_PER_FAR_RANGE) for ends in FAR], axis=1).ravel() + 2.0**-4
    )


def _points_within(intervals: Sequence[DomainInterval], random: np.random.Generator) -> Floats:
    pieces = []
    for low, high in sorted(intervals, key=lambda ends: min(map(abs, ends)))[:POOL_PER_RANGE]:
        if low == -np.inf:
            low, high = (-100.0, 100.0) if high == np.inf else (high - 100.0, high)
        pieces.append((low, min(high, low + 100.0)))
    if not pieces:
        return np.empty(0)
    share = -(-POOL_PER_RANGE // len(pieces))
    return np.stack([draw_points(random, *ends, share) for ends in pieces], axis=1).ravel()


@compile_kernel
def _choose_candidates(
    candidates: NDArray[np.intp], cells: NDArray[np.int64], count: int
) -> NDArray[np.intp]:
    total, room = len(candidates), 2
    # An open hash table with a power of two of places counts the candidates of each cell.
    while room < 2 * total:
        room *= 2
    slots = np.zeros(room, np.int64)
    names, firsts, sizes = np.empty(total, np.int64), np.empty(total, np.int64), np.zeros(total, np.int64)
    groups = 0
    for k in range(total):
        cell = cells[candidates[k]]
        spot = (cell ^ (cell >> 29)) & (room - 1)
        while slots[spot] and names[slots[spot] - 1] != cell:
            spot = (spot + 1) & (room - 1)
        if slots[spot] == 0:
            names[groups], firsts[groups] = cell, k
            groups += 1
            slots[spot] = groups
        sizes[slots[spot] - 1] += 1
    # Half of the points come from the rarest cells, and the rest in the order of the candidates. Sorting
    # by name first makes the choice independent of the order in the table.
    order = np.argsort(names[:groups], kind="mergesort")
    rare = firsts[order[np.argsort(sizes[order], kind="mergesort")[: count // 2]]]
    chosen, taken, known = np.empty(min(count, total), np.intp), np.zeros(total, np.bool_), len(rare)
    for k in range(known):
        chosen[k], taken[rare[k]] = candidates[rare[k]], True
    for k in range(total):
        if known == len(chosen):
            break
        if not taken[k]:
            chosen[known] = candidates[k]
            known += 1
    return chosen


def choose_points(program: Programs, seed: int) -> tuple[Floats, bool]:
    """Return points for one program (the first), and whether at most of the candidates it cannot be
    decided if it is defined.
    """
    positions = _candidate_pool(seed)
    values, errors = evaluate_balls(program, positions, trace=True)
    inside, outside = np.isfinite(errors[-1]), np.isnan(values[-1])
    if inside.sum() < MIN_POOL or 0 < outside.sum() < MIN_POOL:
        intervals, random = list_intervals(program), np.random.default_rng([seed, 1])
        more = _points_within(intervals, random), _points_within(list_gaps(intervals), random)
        positions = np.concatenate([positions, *more])
        values, errors = evaluate_balls(program, positions, trace=True)
    near = positions[choose_telling(values, errors)]
    distant = _far_pool(seed)
    far = distant[choose_telling(*evaluate_balls(program, distant, trace=True), MAX_FAR, MAX_FAR)]
    known = np.isfinite(errors[-1]).sum(), np.isnan(values[-1]).sum()
    return np.concatenate([near, far]), len(positions) - sum(known) > known[0]


def choose_telling(
    values: Floats, errors: Floats, most_inside: int = MAX_INSIDE, most_outside: int = MAX_OUTSIDE
) -> NDArray[np.intp]:
    """Return indices of candidate points within the head's domain, then beyond it, one for each cell of
    sub-term signs.

    Args:
        values, errors: Of the head's program at the candidates, shape `(nodes, candidates)`.
    """
    cells = compute_signatures(values[1:], errors[1:], LEVELS)
    within = _choose_candidates(np.flatnonzero(np.isfinite(errors[-1])), cells, most_inside)
    beyond = _choose_candidates(np.flatnonzero(np.isnan(values[-1])), cells, most_outside)
    return np.concatenate([within, beyond])


CLEAR_GAP_SHARE = 1e-9
"""A relative difference that double precision alone decides, where it is beyond the error bounds too."""
CLEAR_GAP_ERROR_MULTIPLE = 8.0
"""Multiple of the error bounds beyond which a difference is one."""
_BESIDE = 2.0**-20
"""How far from an end a point beside it is, relative to its size."""
_NEAREST = 8
"""Places that are looked at, those nearest to 0."""


def points_around(place: DomainPlace) -> tuple[float, float]:
    """Return the points close to a place, below and above it."""
    step = max(abs(place.value), 2.0**-10) * _BESIDE
    return place.value - step, place.value + step


def points_beside(edges: Edges, mask: int, *, others: int = 0, whole: bool = False) -> list[float]:
    """Return the points around those of the places of a mask that are nearest to 0, and between two that are
    close, of which one may be among others; two may have the same nearest double.

    Args:
        whole: Integers only.
    """
    if not mask:
        return []
    positions = sorted(edges.iterate_places(mask), key=lambda place: abs(place.value))[:_NEAREST]
    if whole:
        return [float(x) for index in positions for x in (ceil(index.value) - 1, floor(index.value) + 1)]
    points = [x for index in positions for x in points_around(index)]
    points += [index.value for index in positions if index.crowded]
    values = sorted({place.value for place in (*positions, *edges.iterate_places(others))})
    close = [
        (low + high) / 2 for low, high in pairwise(values) if high - low < 2 * _BESIDE * max(1.0, abs(high))
    ]
    return points + close


def search_radius(edges: Edges, mask: int) -> float:
    """Return the distance from 0 up to which `points_beside` considers all places of a mask."""
    if mask.bit_count() <= _NEAREST and not mask & edges.endless:
        return REACH
    positions = sorted(abs(place.value) for place in edges.iterate_places(mask))
    return min(edges.known_radius(mask), *positions[_NEAREST : _NEAREST + 1], REACH)


def exact_value_at(programs: Programs, k: int, point: Floats, bits: int = BITS) -> BallValue:
    """Return the value of a program at a point, by rigorous bounds."""
    return values_of(functions_at(programs.variables, point[:, np.newaxis], bits), programs, [k])[0][0]


def functions_at(
    variables: Sequence[str],
    points: Floats,
    bits: int = BITS,
    *,
    merged: bool = False,
    whole: Collection[str] = (),
) -> Functions:
    """Return the `Functions` at points of shape (variables, points)."""
    first, *rest = points.tolist()
    others = dict(zip(variables[1:], rest, strict=True))
    return Functions(first, bits, merged=merged, others=others, whole=whole)


def values_of(functions: Functions, programs: Programs, chosen: Sequence[int]) -> list[tuple[BallValue, ...]]:
    """Return the values of some of the programs at the points of the functions."""
    some = programs.select_programs(chosen)
    node_functions = functions.read_programs(some, some.roots)
    return [functions.values[node_functions[root]] for root in some.roots.tolist()]


def compare_at_points(
    head: Programs, programs: Programs, chosen: Sequence[int], points: Sequence[Floats]
) -> Iterator[tuple[int, int, int]]:
    """Compare some programs with the head, each at points of its own, shape `(variables, points)`.

    Returns:
        For each program the indices of points where it certainly has another value than the head, where only
            the head has a value, and where only the program has one; -1 for none.
    """
    # Programs that share an array of points are evaluated together.
    starts: dict[int, int] = {}
    pieces: list[Floats] = []
    for own in points:
        if id(own) not in starts:
            starts[id(own)] = sum(piece.shape[1] for piece in pieces)
            pieces.append(own)
    if not pieces:
        return
    every = np.concatenate(pieces, axis=1)
    ((value,), (error,)), (values, errors) = (
        evaluate_balls(one, every) for one in (head, programs.select_programs(chosen))
    )
    # First in double precision with its error bounds.
    inside, known = np.isfinite(error), np.isfinite(errors)
    size = np.maximum(np.abs(values), np.abs(value))
    differs = (
        inside
        & known
        & (np.abs(values - value) > CLEAR_GAP_SHARE * size + CLEAR_GAP_ERROR_MULTIPLE * (errors + error))
    )
    kinds = np.stack([differs, inside & np.isnan(values), np.isnan(value) & known])
    # where double precision tells nothing of one of the two, rigorous bounds may
    unknown = (~inside & ~np.isnan(value)) | (~known & ~np.isnan(values))
    rows: dict[int, list[int]] = {}
    for row, own in enumerate(points):
        for column in range(starts[id(own)], starts[id(own)] + own.shape[1]):
            if unknown[row, column]:
                rows.setdefault(column, []).append(row)
    # Then by rigorous bounds, at the points where double precision says nothing.
    for column, doubtful in rows.items():
        functions = functions_at(head.variables, every[:, [column]])
        ((first,),) = values_of(functions, head, [0])
        others = values_of(functions, programs, [chosen[row] for row in doubtful])
        for row, (second,) in zip(doubtful, others, strict=True):
            differ = first is not None and second is not None and not first.overlaps(second)
            lost = second is None and first is not None and first.is_finite()
            gained = first is None and second is not None and second.is_finite()
            kinds[:, row, column] = differ, lost, gained
    for row, own in enumerate(points):
        own_kinds = kinds[:, row, starts[id(own)] : starts[id(own)] + own.shape[1]]
        first_columns = (
            np.where(own_kinds.any(axis=1), own_kinds.argmax(axis=1), -1) if own.size else (-1, -1, -1)
        )
        yield int(first_columns[0]), int(first_columns[1]), int(first_columns[2])


# Points of several variables, drawn from where assumptions hold.
#
# Each variable takes its own range, within the bounds that assumptions give it; integers are integers. What
# assumptions say of several variables together is looked at afterwards.

# Points from which those of a head are chosen, the fewest that count as enough, and how often drawing is
# repeated until there are enough.
_POOL = 3_000
_FEWEST = 200
_ROUNDS = 12
_WHOLE_RANGES: tuple[DomainInterval, ...] = ((-2, 2), (-6, 6), (-30, 30))
# Values near which exceptional points are frequent: zeros, poles, and powers with another domain.
_SPECIAL = (0.0, 1.0, -1.0, 2.0)
_PAIRED = 4
"""Variables of which two are special together: a power of a power such as (x^2)^(1/2), or x^2 + y^2 = 0."""
_ONE_BY_ONE, _TOGETHER = 400, 8
"""So far from 0, or from a bound, integers are tried one by one, and two of them together."""
_IN_A_ROW = 16
_DECADES = range(3, 16)
"""Farther out some are tried between these powers of ten."""
_EVEN = 720_720
"""A number that those up to 16 divide: its multiples and what follows them have all small residues."""


class Region:
    """The region where assumptions hold, and points in it.

    `points` raises EngineError E221 when no such point is found.
    """

    def __init__(
        self, variables: Sequence[str], assumptions: Assumptions = NO_ASSUMPTIONS, *, seed: int = 0
    ) -> None:
        self.variables = tuple(variables)
        self.assumptions = assumptions
        self._bounds = {name: self._bounds_of(name) for name in self.variables}
        self._seed = seed

    @cached_property
    def special_points(self) -> tuple[Floats, list[dict[str, float]]]:
        """Points with special values of one or two variables; the others are in general position.

        One variable is 0, 1, -1 or 2, or two are 0, or 2 and 1/2. The points have the shape (variables,
        points); for each there are the variables that are special with their values.
        """
        groups, names = [], []
        single = [{name: value} for name in self.variables for value in _SPECIAL]
        real = [name for name in self.variables if name not in self.assumptions.integers]
        pairs = [
            {one: 2.0, two: 0.5} for two in real[:_PAIRED] for one in self.variables[:_PAIRED] if one != two
        ]
        pairs += [{one: 0.0, two: 0.0} for one, two in combinations(self.variables[:_PAIRED], 2)]
        # the first point, and the first of the most other signs
        others = (np.sign(self.points) != np.sign(self.points[:, :1])).sum(axis=0)
        opposite = self.points[:, [0, int(others.argmax())]]
        for values in single + pairs:
            beside = opposite.copy()
            for name, value in values.items():
                beside[self.variables.index(name)] = value
            groups.append(beside)
            names += [values] * 2
        points = np.concatenate(groups, axis=1)
        kept = np.flatnonzero(self.assumptions_hold(points))
        return points[:, kept], [names[position] for position in kept.tolist()]

    @cached_property
    def far_points(self) -> list[Floats]:
        """For each variable, points like the others but far out along it."""
        random, groups = np.random.default_rng([self._seed, 4]), []
        for index, name in enumerate(self.variables):
            values = self._sample_variable(name, random, FAR, POOL_PER_FAR_RANGE)
            moved = self.points[:, np.arange(len(values)) % self.points.shape[1]]
            moved[index] = values
            groups.append(moved[:, self.assumptions_hold(moved)])
        return groups

    def integer_points(self, reach: int = _ONE_BY_ONE) -> tuple[Floats, Floats]:
        """Return points where integers are tried one by one, in ascending order, and points far out.

        Shape `(variables, points)`; the other variables are in general position, and the same for some points
        in a row.

        Args:
            reach: How far one by one.
        """
        names = [name for name in self.variables if name in self.assumptions.integers]
        nothing = np.empty((len(self.variables), 0))
        if not names:
            return nothing, nothing
        random = np.random.default_rng([self._seed, 5])
        near = [self._fill_points({name: self._one_by_one(name, reach)}) for name in names]
        for left, right in combinations(names[:_PAIRED], 2):
            sides = (self._one_by_one(side, min(reach // 2, _TOGETHER)) for side in (left, right))
            grid = np.meshgrid(*sides)
            near.append(self._fill_points({left: grid[0].ravel(), right: grid[1].ravel()}))
        far = [self._fill_points({name: self._far_out(name, random)}) for name in names]
        both = (np.concatenate([nothing, *groups], axis=1) for groups in (near, far))
        one_by_one, far_out = (points[:, self.assumptions_hold(points)] for points in both)
        return one_by_one, far_out

    def _fill_points(self, values: Mapping[str, Floats]) -> Floats:
        count = len(next(iter(values.values())))
        points = self.points[:, np.arange(count) // _IN_A_ROW % self.points.shape[1]]
        for name, row in values.items():
            points[self.variables.index(name)] = row
        return points

    def _one_by_one(self, name: str, reach: int) -> Floats:
        low, high = self._bounds[name]
        begin, end = _intersect((-reach, reach), low, high)
        return np.arange(ceil(begin), floor(end) + 1, dtype=np.float64)

    def _far_out(self, name: str, random: np.random.Generator) -> Floats:
        tens = [10**decade + more for decade in _DECADES for more in (-1, 0, 1)]
        drawn = [int(10 ** (decade + share)) for decade in _DECADES for share in random.random(4)]
        even = [_EVEN * int(times) + more for times in 10 ** (9 * random.random(4)) for more in range(17)]
        low, high = self._bounds[name]
        every = np.array(sorted({*tens, *drawn, *even}), np.float64)
        every = np.concatenate([every, -every])
        return every[(low <= every) & (every <= high)]

    def describe_tried(self, points: Floats) -> str:
        """Return in words at which integers the two were compared."""
        texts = []
        for name in self.assumptions.integers:
            values = sort_distinct(points[self.variables.index(name)])
            if not len(values):
                continue
            runs = np.split(values, np.flatnonzero(np.diff(values) != 1) + 1)
            run = max(runs, key=len)
            outer = [end for end in (values[0], values[-1]) if not run[0] <= end <= run[-1]]
            text = f"{display_name(name)} from {run[0]:.0f} to {run[-1]:.0f}"
            texts.append(text + "".join(f", some up to {end:.4g}" for end in outer))
        return "; ".join(texts)

    def range_of(self, index: int, reach: float) -> DomainInterval:
        """Return the interval in which a variable may run that goes so far from 0.

        It is a little asymmetric, so that its middle and even divisions are no special points.
        """
        off = reach * 2.0**-9 / 3
        return _intersect((-reach - off, reach + 2 * off), *self._bounds[self.variables[index]])

    def assumptions_hold(self, points: Floats) -> NDArray[np.bool_]:
        """Return whether the assumptions certainly hold at each point."""
        return relations_hold(self.assumptions, self.variables, points)

    @cached_property
    def points(self) -> Floats:
        """Points in general position, each once, in the order in which they were drawn."""
        integers = self.assumptions.integers
        spans = tuple(_Span(*self._bounds[name], name in integers) for name in self.variables)
        free = set(self.variables) - set(integers)
        only_integers = (
            free <= {"x"} and "x" not in self.assumptions.variables and len(free) < len(self.variables)
        )
        fewest = 1 if only_integers else _FEWEST
        # Where nothing else is assumed, the names of the variables do not matter.
        assumed = (self.variables, self.assumptions) if self.assumptions.relations else ((), NO_ASSUMPTIONS)
        kept = _draw_region(spans, self._seed, fewest, *assumed)
        if not kept.shape[1]:
            raise EngineError(
                f"no point was found where {self.assumptions} holds",
                code="E221",
                remedy="Correct or relax the assumptions.",
            )
        return kept

    def _sample_variable(
        self, name: str, random: np.random.Generator, ranges: Sequence[DomainInterval], share: int
    ) -> Floats:
        span = _Span(*self._bounds[name], name in self.assumptions.integers)
        return _sample_span(span, random, ranges, share)

    def _bounds_of(self, name: str) -> DomainInterval:
        low, high = -inf, inf
        for one in self.assumptions.relations:
            for side, bound in ((one.left, one.right), (one.right, one.left)):
                if side != Tree(name) or variables_of(bound) or one.sign == "!=":
                    continue
                value = float(evaluate_balls(compile_many([bound]), [0.5])[0][0, 0])
                if side is one.left:
                    high = min(high, value)
                else:
                    low = max(low, value)
        return low, high


class _Span(NamedTuple):
    """Where the values of a variable lie, and whether they are integers."""

    low: float
    high: float
    whole: bool

    @property
    def is_possible(self) -> bool:
        return self.low < self.high or (self.whole and self.low == self.high and self.low.is_integer())


@lru_cache(64)
def share_region(variables: tuple[str, ...], assumptions: Assumptions, seed: int) -> Region:
    """Return a region; verifiers ask for the same ones again and again, and change none of its points."""
    return Region(variables, assumptions, seed=seed)


@lru_cache(64)
def _draw_region(
    spans: tuple[_Span, ...], seed: int, fewest: int, variables: tuple[str, ...], assumptions: Assumptions
) -> Floats:
    """Return distinct points by rejection sampling: drawn from the ranges, kept where all assumptions hold.
    The same regions are asked for again and again; their points are shared and cannot be changed."""
    random = np.random.default_rng([seed, 3])
    kept = np.empty((len(spans), 0))
    for _ in range(_ROUNDS if all(span.is_possible for span in spans) else 0):
        rows = []
        for span in spans:
            ranges = _WHOLE_RANGES if span.whole else RANGES
            rows.append(_sample_span(span, random, ranges, _POOL // len(ranges)))
        points = np.stack(rows)
        kept = np.concatenate([kept, points[:, relations_hold(assumptions, variables, points)]], axis=1)
        # `unique` sorts; the sorted first indices restore the order in which points were drawn. Points
        # that differ in one variable are distinct, which is seen sooner.
        if not any(len(sort_distinct(row)) == len(row) for row in kept):
            _, first = np.unique(kept, axis=1, return_index=True)
            kept = kept[:, np.sort(first)]
        if kept.shape[1] >= fewest:
            break
    kept = kept[:, :_POOL]
    kept.flags.writeable = False
    return kept


def _sample_span(
    span: _Span, random: np.random.Generator, ranges: Sequence[DomainInterval], share: int
) -> Floats:
    pieces = []
    for ends in ranges:
        first, last = _intersect(ends, span.low, span.high)
        if span.whole:
            lowest, highest = ceil(first), max(ceil(first), floor(last))
            pieces.append(random.integers(lowest, highest + 1, share).astype(np.float64))
        else:
            pieces.append(draw_points(random, first, last, share))
    return random.permutation(np.concatenate(pieces))


def relations_hold(assumptions: Assumptions, variables: Sequence[str], points: Floats) -> NDArray[np.bool_]:
    """Return whether what is assumed, but for integers, certainly holds at each point.

    Args:
        points: (variables, points).
    """
    kept = np.ones(points.shape[1], bool)
    if not assumptions.relations:
        return kept
    differences = [Tree("-", (one.left, one.right)) for one in assumptions.relations]
    values, errors = evaluate_balls(compile_many(differences, variables=variables), points)
    for one, value, error in zip(assumptions.relations, values, errors, strict=True):
        sure = np.isfinite(error)
        if one.sign == "!=":
            kept &= sure & (np.abs(value) > error)
        else:
            kept &= sure & ((value < -error) | ((value == 0) & (error == 0) & (one.sign == "<=")))
    return kept


def _intersect(ends: DomainInterval, low: float, high: float) -> DomainInterval:
    first, last = max(ends[0], low), min(ends[1], high)
    if first < last:
        return first, last
    width = ends[1] - ends[0]
    if isfinite(low) and ends[0] <= low:
        return low, max(min(high, low + width), low + 1e-9)
    return max(low, high - width), high


# Lines parallel to the axes, and points of them beside the ends of domains.
#
# On such a line an expression of several variables is one of a single variable, so that the places where its
# domain may end are worked out as exactly and as far out as there (`engines.mathematics.numbers.domain`).

_PROBES = 2
"""Values on a line by which its functions are told apart, the point's own first."""


class BoundaryLines:
    """Lines through points of a region, along each variable, and the ends of a head's domain on them.

    Args: head: its program. along: the places of the variables. points: (variables, points) in general
    position where the head is defined; through so many of them there are lines.
    """

    def __init__(
        self, head: Programs, region: Region, along: Sequence[int], points: Floats, through: int
    ) -> None:
        lines: dict[tuple[int, tuple[float, ...]], BoundaryLine] = {}
        # First a point of each combination of signs.
        first: dict[tuple[int, ...], int] = {}
        for index, signs in enumerate(zip(*np.packbits(points > 0, axis=0).tolist(), strict=True)):
            first.setdefault(signs, index)
        order = dict.fromkeys([*first.values(), *range(points.shape[1])])
        for point in (points[:, index] for index in list(order)[:through]):
            for index in along:
                others = tuple(float(point[axis]) for axis in along if axis != index)
                if (index, others) not in lines:
                    lines[index, others] = BoundaryLine(head, region, index, point)
        self.lines = list(lines.values())
        self._beside: dict[tuple[int, ...], Floats] = {}

    def points_beside_head_ends(self) -> Floats:
        """Return points beside the ends of the head's domain: (variables, points)."""
        return self._line_points(tuple(line.ends for line in self.lines))

    def points_for_programs(
        self, programs: Programs, chosen: Sequence[int]
    ) -> list[tuple[Floats, tuple[int, ...]]]:
        """Return, for some of the programs, points beside those ends of their domains that are none of the
        head's, and their holes on each line.
        """
        some = programs.select_programs(chosen)
        rows = zip(*(line.compute_masks(some) for line in self.lines), strict=True)
        return [
            (self._line_points(tuple(ends for _, ends in row)), tuple(holes for holes, _ in row))
            for row in rows
        ]

    def _line_points(self, masks: tuple[int, ...]) -> Floats:
        if masks not in self._beside:
            results = [line.points_beside(mask) for line, mask in zip(self.lines, masks, strict=True)]
            self._beside[masks] = np.concatenate(results, axis=1)
        return self._beside[masks]


class BoundaryLine:
    """The line through a point along one variable.

    Attributes: name: of the variable. edges: of head and members on the line. holes, ends: of the head's
    domain there.
    """

    def __init__(self, head: Programs, region: Region, index: int, point: Floats) -> None:
        self._region, self._place, self.point = region, index, point
        self.name = region.variables[index]
        own = float(point[index])
        others = (value for value in map(float, region.points[index]) if value != own)
        self._functions = Functions([own, *islice(others, _PROBES - 1)])
        self.edges = Edges(self._functions)
        self.ends = 0
        ((self.holes, self.ends),) = self.compute_masks(head)

    def restrict(self, programs: Programs) -> Programs:
        """Return the programs on the line, with x for its variable."""
        return programs.restrict_to_line(self.name, self.point)

    def compute_masks(self, programs: Programs) -> list[tuple[int, int]]:
        """Return the holes of programs, and those ends of their domains that are none of the head's."""
        line = self.restrict(programs)
        node_functions = self._functions.read_programs(line, line.roots)
        masks = self.edges.compute_masks(line, node_functions, line.roots)
        return [(holes, ends & ~self.ends) for holes, ends in masks]

    def point_at(self, value: float) -> dict[str, float]:
        """Return the point of the line where its variable has a value, by variable."""
        return {**dict(zip(self._region.variables, self.point.tolist(), strict=True)), self.name: value}

    def allows(self, value: float) -> bool:
        """Return whether the variable of the line can have a value by what is assumed."""
        if self.name in self._region.assumptions.integers and value != round(value):
            return False
        point = self.point.copy()
        point[self._place] = value
        return bool(self._region.assumptions_hold(point[:, np.newaxis])[0])

    def points_beside(self, mask: int) -> Floats:
        """Return points of the line next to ends of a domain, as far as the assumptions allow them.

        Args:
            mask: The ends, as a mask of places.

        Returns:
            The points, shape (variables, points).
        """
        whole = self.name in self._region.assumptions.integers
        result = points_beside(self.edges, mask, others=self.ends, whole=whole)
        points = np.repeat(self.point[:, np.newaxis], len(result), axis=1)
        points[self._place] = result
        return points[:, self._region.assumptions_hold(points)]
