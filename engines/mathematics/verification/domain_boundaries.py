"""Points beyond curves at which domains end, found by interval subdivision.

A domain ends where the argument of a root, a logarithm or an inverse function leaves what the function takes,
and an expression bends where that of an absolute value changes its sign. The margin of such an argument is a
number that is negative beyond the curve (or surface) and is not on this side of it. A box of the variables is
cut into smaller ones, and those are dropped in which the margin certainly is not negative, or in which the
other expression is certainly undefined: the kernel's error bounds are those of a whole box where each
variable is a ball as wide as the box (`_widen_programs`). What is left is evaluated in each box's middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from engines.core.arrays import Floats
from engines.core.tree import Tree
from engines.mathematics.numbers.numeric import CODE, Programs, compile_many, evaluate_balls
from engines.mathematics.numbers.numeric_kernel import (
    ADD,
    BINARY,
    CONSTANT,
    LEAF,
    MUL,
    POW,
    UNARY,
    find_reached_nodes,
)
from engines.mathematics.numbers.precise import Functions, integer_or_ball
from engines.mathematics.verification.points import Region

INNER, _OUTER = 10.0, 5_000.0
"""The search goes so far from 0 along each variable: finely, and then once more coarsely."""
_FIRST, _MOST, _BEST = 256, 4096, 128
"""Boxes to begin with and at most, and those that are cut further beyond that: the nearest to a curve."""
_FINEST, _FEW_FINEST = 2.0**-10, 2.0**-34
"""Boxes are not cut further than to this share of the whole; a few are cut further."""
_SIDES = 16
"""So many of the last boxes are looked at where a margin comes close to 0 and is never seen to be less."""
_ROUNDED = 2.0**-52
"""Margins are known up to this."""

# Where a function is defined, as a margin that must not be negative: u, -u, 1 - |u|, |u| - 1, and so on.
_PLUS, _MINUS, _INSIDE, _OUTSIDE, _ABOVE, _BELOW = range(6)
_KINDS: dict[int, Callable[[Floats], Floats]] = {
    _PLUS: lambda u: u,
    _MINUS: lambda u: -u,
    _INSIDE: lambda u: 1 - np.abs(u),
    _OUTSIDE: lambda u: np.abs(u) - 1,
    _ABOVE: lambda u: u - 1,
    _BELOW: lambda u: 1 - u,
}
"""Margins of an argument u; all of them are as far off as u."""
_ENDS = {_PLUS: (0,), _MINUS: (0,), _INSIDE: (-1, 1), _OUTSIDE: (-1, 1), _ABOVE: (1,), _BELOW: (1,)}
"""What the argument is where its margin is 0."""
_BOTH = _PLUS, _MINUS
_MARGINS = {
    **dict.fromkeys(("sqrt", "ln"), (_PLUS,)),
    **dict.fromkeys(("asin", "acos", "atanh"), (_INSIDE,)),
    **dict.fromkeys(("acsc", "asec", "acoth"), (_OUTSIDE,)),
    "acosh": (_ABOVE,),
    "asech": (_PLUS, _BELOW),
    "abs": _BOTH,
}
_OF_FIRST = {CODE[name]: kinds for name, kinds in _MARGINS.items()} | dict.fromkeys(
    (POW, CODE["log"]), (_PLUS,)
)
_JUMPING = {CODE["atan"], CODE["acot"]}
"""What jumps where its argument has a pole: looked at on both sides."""
_POLES = {CODE[name] for name in ("/", "tan", "sec", "csc", "cot", "csch", "coth", "pow")}


class Margin(NamedTuple):
    """A margin: its kind, the number of its argument among `Functions`, and the margins within the argument:
    what has the same values may be undefined elsewhere."""

    kind: int
    function: int
    within: frozenset[Margin]


class BoundarySearchResult(NamedTuple):
    """Points beyond the boundary of a domain, and how complete the search was.

    Attributes:
        points: (variables, points) points beyond the boundary.
        side: The least side of a square (cube) in the region beyond that certainly contains one of the points
            that were searched; 0 if nothing is beyond, inf if nothing is claimed.
    """

    points: Floats
    side: float


class BoundarySearch:
    """Search, in a region, for points beyond the boundaries of the domains of a head and its members.

    Args:
        head: Program of the head.
        along: Indices of the variables.
        functions: The functions by whose values arguments are told apart.
        point: A point of the head's domain.
        most: The most points beyond a curve.
        unsure: Whether there may be other places than the known ones at which a function has one of these
            values; by default there may.
    """

    def __init__(
        self,
        head: Programs,
        region: Region,
        along: Sequence[int],
        functions: Functions,
        point: Floats,
        *,
        most: int = 256,
        unsure: Callable[[int, Sequence[int]], bool] | None = None,
    ) -> None:
        whole = region.assumptions.integers
        self._moving = [index for index in along if region.variables[index] not in whole]
        self._claims = len(self._moving) == len(along)
        self._most = most
        self._head, self._point = _widen_programs(head), point[:, np.newaxis]
        self._functions, self._unsure = functions, unsure
        self._place = _BoxGrid(region, self._moving, self._point)
        self._beyond: dict[frozenset[Margin], BoundarySearchResult] = {}
        self._found: dict[tuple[Margin, bool], BoundarySearchResult] = {}
        self._harmless: set[Margin] = set()
        self._forms: dict[Margin, tuple[Programs, int]] = {}
        self._next_unshared_number = 0
        (self._own,) = self._iterate_margins(head)
        self._head_forms = self._forms

    def search_programs(self, programs: Programs, chosen: Sequence[int]) -> list[BoundarySearchResult]:
        """Return, for each chosen program, points beyond the boundaries that only it or only the head has.

        Programs with the same boundaries have the same points.
        """
        some = programs.select_programs(chosen)
        self._forms = {}
        results = []
        for margins in self._iterate_margins(some):
            if margins not in self._beyond:
                self._beyond[margins] = self._search_margins(margins)
            results.append(self._beyond[margins])
        return results

    def _search_margins(self, margins: frozenset[Margin]) -> BoundarySearchResult:
        """Search beyond the boundaries that only a program has, where the head is defined, and beyond those
        that only the head has."""
        own = sorted(margins - self._own, key=lambda margin: len(margin.within))
        results = [self._search_margin(margin, self._forms[margin], self._head) for margin in own]
        results += [self._search_margin(margin, self._head_forms[margin]) for margin in self._own - margins]
        points = [self._point[:, :0], *(one.points for one in results)]
        side = max([one.side for one in results], default=0.0) if self._claims else inf
        return BoundarySearchResult(np.concatenate(points, axis=1), side)

    def _search_margin(
        self, margin: Margin, form: tuple[Programs, int], domain: Programs | None = None
    ) -> BoundarySearchResult:
        if not self._moving:
            return BoundarySearchResult(self._point[:, :0], inf)
        within = margin.within - self._own - self._harmless
        key = margin._replace(within=within), domain is None
        if key not in self._found:
            programs, node = form
            root = np.array([node], np.int32)
            argument = replace(programs, roots=root, nesting=programs.nesting[:1]).select_programs([0])
            search = _Search(self._place, domain, _widen_programs(argument), margin.kind, self._most)
            result = search.run_search(INNER)
            # on a line `Edges` looks farther, but where the argument is taken for a constant
            if not result.points.size and (len(self._moving) > 1 or margin.function < 0):
                result = BoundarySearchResult(search.run_search(_OUTER).points, result.side)
            self._found[key] = result
        if not self._found[key].points.size:
            self._harmless.add(margin)
        return self._found[key]

    def _iterate_margins(self, programs: Programs) -> Iterator[frozenset[Margin]]:
        node_functions = self._functions.read_programs(programs, programs.roots)
        nodes = programs.nodes.T.tolist()
        margins: list[frozenset[Margin]] = [frozenset()] * len(nodes)
        poles, varies = [False] * len(nodes), [False] * len(nodes)
        # Operands have smaller numbers than their terms, so that they are done already.
        for node in np.flatnonzero(find_reached_nodes(programs.nodes, programs.roots)).tolist():
            code, a, b = nodes[node]
            if code >= LEAF:
                varies[node] = code < CONSTANT
                continue
            varies[node] = varies[a] or varies[b]
            poles[node] = poles[a] or poles[b] or code in _POLES
            # A node's own margins: the values of an operand where the operation begins or ceases to be
            # defined.
            own = [(kind, a) for kind in _OF_FIRST.get(code, ())]
            if code == CODE["log"]:
                own.append((_PLUS, b))
            # A whole exponent restricts nothing.
            if code == POW and self._is_integer(node_functions[b]):
                own = []
            if code in _JUMPING and poles[a]:
                own = [(kind, a) for kind in _BOTH]
            # A term has the margins of its parts too.
            results = set(margins[a] | margins[b])
            for kind, operand in self._simplify_margins(own, nodes, node_functions):
                function = node_functions[operand]
                if varies[operand] and (self._unsure is None or self._unsure(function, _ENDS[kind])):
                    if self._functions.fixed[function]:  # by its values alone: no two of these are one
                        self._next_unshared_number -= 1
                        function = self._next_unshared_number
                    margin = Margin(kind, function, margins[operand])
                    self._forms.setdefault(margin, (programs, operand))
                    results.add(margin)
            margins[node] = frozenset(results)
        return (margins[root] for root in programs.roots.tolist())

    def _simplify_margins(
        self, margins: Iterable[tuple[int, int]], nodes: list[list[int]], node_functions: list[int]
    ) -> Iterator[tuple[int, int]]:
        waiting = list(margins)
        while waiting:
            kind, node = waiting.pop()
            code, a, b = nodes[node]
            name = (UNARY + BINARY)[code] if code < LEAF else ""
            square = code == MUL and node_functions[a] == node_functions[b]
            if kind not in _BOTH or name not in ("*", "/", "pow"):
                yield kind, node
            elif square or (name == "pow" and self._is_integer(node_functions[b], halved=True)):
                waiting += ((side, a) for side in _BOTH) if kind == _PLUS else ()
            elif name != "pow" and (sign := self._constant_sign(node_functions[b])):
                waiting.append((kind if sign > 0 else _BOTH[kind == _PLUS], a))
            elif code == MUL and (sign := self._constant_sign(node_functions[a])):
                waiting.append((kind if sign > 0 else _BOTH[kind == _PLUS], b))
            else:
                yield kind, node

    def _is_integer(self, function: int, *, halved: bool = False) -> bool:
        value = self._functions.values[function][0] if self._functions.fixed[function] else None
        return value is not None and bool(integer_or_ball(value / 2 if halved else value).is_integer())

    def _constant_sign(self, function: int) -> int:
        """Return the sign of a function that is constant, and 0 for any other function."""
        value = self._functions.values[function][0] if self._functions.fixed[function] else None
        return 0 if value is None else int(value > 0) - int(value < 0)


def _widen_programs(programs: Programs) -> Programs:
    """Return the same functions over boxes.

    Their variables are the middle of a box along each axis, then half its width along each; a variable of the
    functions is a ball of that width.
    """
    count, unit = len(programs.variables), CONSTANT + len(programs.constants)
    before = [[-1, 0, 0], [unit, 0, 0], *([LEAF + index, 0, 0] for index in range(2 * count))]
    before += [[MUL, 2 + count + index, 1] for index in range(count)]
    nodes = programs.nodes[:, 1:].copy()
    nodes[1:] += np.where(nodes[1:] > 0, len(before) - 1, 0).astype(np.int32)
    for index in range(count):
        nodes[:, programs.nodes[0, 1:] == LEAF + index] = [[ADD], [2 + index], [2 + 2 * count + index]]
    return replace(
        programs,
        nodes=np.ascontiguousarray(np.concatenate([np.array(before, np.int32).T, nodes], axis=1)),
        roots=programs.roots + np.int32(len(before) - 1),
        constants=(*programs.constants, "0"),
        numbers=np.append(programs.numbers, 0.0),
        radii=np.append(programs.radii, 1.0),
        variables=(*programs.variables, *(f"{name}/2" for name in programs.variables)),
    )


def _evaluate_boxes(programs: Programs, centers: Floats, halves: Floats) -> tuple[Floats, Floats]:
    wide = np.repeat(halves[:, np.newaxis], centers.shape[1], axis=1)
    return evaluate_balls(programs, np.concatenate([centers, wide]))


class _BoxGrid:
    """Boxes of a region, cut along the moving variables; the other variables have their values at a point."""

    def __init__(self, region: Region, moving: list[int], point: Floats) -> None:
        self.region, self.moving, self.point = region, moving, point
        differences = [
            Tree("-", (one.left, one.right)) for one in region.assumptions.relations if one.sign != "!="
        ]
        self._differences = _widen_programs(compile_many(differences, variables=region.variables))

    def box_grid(self, reach: float) -> tuple[Floats, Floats]:
        count = max(2, round(_FIRST ** (1 / len(self.moving))))
        axes, halves = [], np.zeros(len(self.point))
        for index in self.moving:
            low, high = self.region.range_of(index, reach)
            halves[index] = (high - low) / count / 2
            axes.append(low + halves[index] * (2 * np.arange(count) + 1))
        rows = np.stack([row.ravel() for row in np.meshgrid(*axes, indexing="ij")])
        centers = np.repeat(self.point, rows.shape[1], axis=1)
        centers[self.moving] = rows
        return centers, halves

    def halve_boxes(self, centers: Floats, halves: Floats) -> tuple[Floats, Floats]:
        halves = halves / 2
        for index in self.moving:
            count = centers.shape[1]
            centers = np.concatenate([centers, centers], axis=1)
            centers[index, :count] -= halves[index]
            centers[index, count:] += halves[index]
        return centers, halves

    def find_allowed(self, centers: Floats, halves: Floats) -> Floats:
        if not len(self._differences):
            return centers
        values, errors = _evaluate_boxes(self._differences, centers, halves)
        return centers[:, ~(values > errors).any(axis=0)]


@dataclass(frozen=True, slots=True)
class _Search:
    """A search for points where a margin is negative and an expression is defined, both over boxes."""

    grid: _BoxGrid
    domain: Programs | None
    argument: Programs
    kind: int
    most: int

    def run_search(self, reach: float) -> BoundarySearchResult:
        centers, halves = self.grid.box_grid(reach)
        side, complete = inf, True
        parts, several = 2 ** len(self.grid.moving), len(self.grid.moving) > 1
        best = min(_BEST, _MOST // parts // 4)
        while True:
            # Each round drops the boxes that cannot contain a point, judges the middles of
            # the rest, and halves them.
            centers = self._find_remaining(centers, halves)
            if not centers.size:
                return BoundarySearchResult(centers, 0.0 if complete else side)
            margins, errors, within = self._evaluate_middles(centers)
            # Middles that are certainly beyond the margin, where the expression has a value.
            beyond = (margins < -errors) & np.isfinite(within)
            sure = beyond | (margins > errors) | np.isnan(margins) | np.isnan(within)
            if beyond.any():
                beyond[beyond] = self.grid.region.assumptions_hold(centers[:, beyond])
            if complete and sure.all():
                side = 2.0 * float(halves.max())
            if beyond.any():
                points = centers[:, beyond]
                step = -(-points.shape[1] // self.most)
                return BoundarySearchResult(points[:, ::step], side if step == 1 else inf)
            deeper = complete and several and centers.shape[1] <= _BEST
            last = halves.max() <= reach * (_FEW_FINEST if deeper else _FINEST)
            # Too many boxes: go on with those nearest to the margin, after which the
            # search is no longer complete.
            if last or centers.shape[1] * parts > _MOST:
                margins[~np.isfinite(margins) | np.isnan(within)] = inf
                nearest = np.argsort(margins, kind="stable")[: _SIDES if last else best]
                centers, complete = centers[:, nearest], False
            if last:
                return BoundarySearchResult(centers[:, self.grid.region.assumptions_hold(centers)], side)
            centers, halves = self.grid.halve_boxes(centers, halves)

    def _find_remaining(self, centers: Floats, halves: Floats) -> Floats:
        (values,), (errors,) = _evaluate_boxes(self.argument, centers, halves)
        margins = _KINDS[self.kind](values)
        centers = centers[:, (margins <= errors + _ROUNDED) & ~np.isnan(values)]
        centers = self.grid.find_allowed(centers, halves)
        if self.domain is not None:
            (values,), _ = _evaluate_boxes(self.domain, centers, halves)
            centers = centers[:, ~np.isnan(values)]
        return centers

    def _evaluate_middles(self, centers: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the margins in the middles of boxes, their errors, and those of the other expression, which
        are NaN where it is undefined."""
        still = np.zeros(len(centers))
        (values,), (errors,) = _evaluate_boxes(self.argument, centers, still)
        within = np.zeros(centers.shape[1])
        if self.domain is not None:
            (values_of,), (within,) = _evaluate_boxes(self.domain, centers, still)
            within = np.where(np.isnan(values_of), np.nan, within)
        margins = np.where(np.isfinite(errors) | np.isnan(values), _KINDS[self.kind](values), 0.0)
        return margins, errors + _ROUNDED, within
