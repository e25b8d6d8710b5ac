"""Domains in words: where an expression is defined, its ends and single points worked out where they can be.

The intervals are found by a search of the line (`engines.core.domain`), which narrow features can escape.
Their ends are then looked for among the places where terms meet the edges of their domains
(`engines.core.domain`): what is found there is written as it is (`x ≥ -3/2`, `0 < x < pi/2`), the rest with
`about` in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite

from engines.core.domain import Edges, Interval, Place, intervals
from engines.core.numeric import DEFINED, UNDEFINED, UNKNOWN, Programs, compile_many, evaluate
from engines.core.precise import Functions
from engines.core.tree import Tree

_NEAR = 1e-8
"""An end that the search found is the place that lies so near to it."""
_SHOWN_INTERVALS = 3
_SHOWN_POINTS = 3
_PROBES = (0.3127, -0.7263, 1.6181, -2.4142)


@dataclass(frozen=True, slots=True)
class Domain:
    """Where an expression is defined: in words, and as intervals, ±inf for no end."""

    text: str
    intervals: tuple[Interval, ...]


@lru_cache(256)
def described(tree: Tree) -> Domain:
    """The domain of an expression."""
    program = compile_many([tree])
    found = intervals(program)
    edges = _Met(program, found)
    parts = [_interval(ends, edges) for ends in sorted(found, key=lambda ends: min(map(abs, ends)))]
    text = " or ".join(parts[:_SHOWN_INTERVALS])
    if len(parts) > _SHOWN_INTERVALS:
        text += f" or in about {len(parts) - _SHOWN_INTERVALS} more intervals"
    single = _listed(edges.single(found), more=edges.endless)
    if single:
        text = f"{text} or x = {single}" if text else f"only x = {single}"
    if missing := _listed(edges.missing(found), more=edges.endless):
        text += f" without {missing}" if text != "R" else f", x ≠ {missing}"
    if text and edges.searched and not text.startswith("about"):
        text = f"about {text}"
    return Domain(text or _nowhere(program, edges), tuple(found))


def _nowhere(program: Programs, edges: _Met) -> str:
    if (evaluate(program, _PROBES).state == UNKNOWN).any():
        return "unknown: values overflow or lose all digits"
    return "nowhere, as far as a search sees" if edges.searched else "nowhere"


class _Met:
    """The places where an expression meets edges; `searched` says that some may have escaped a search,
    `endless` that there may be more of them, farther out than is looked."""

    def __init__(self, program: Programs, found: Sequence[Interval]) -> None:
        inside = [_inner(ends) for ends in found]
        functions = Functions([*inside[:2], *_PROBES][: len(_PROBES)])
        edges = Edges(functions)
        numbers = functions.read(program, program.roots)
        ((holes, ends),) = edges.masks(program, numbers, program.roots)
        self._program = program
        self._known = edges.radius(holes | ends)
        self._holes = sorted(edges.within(holes & ~edges.isolated), key=_distance)
        self._all = sorted(edges.within(holes | ends), key=_distance)
        self.searched = edges.searched
        reach = max((abs(end) for ends in found for end in ends), default=inf)
        self.endless = self._known < reach

    def near(self, end: float) -> Place | None:
        close = (place for place in self._all if abs(place.value - end) <= _NEAR * max(1.0, abs(end)))
        return min(close, key=lambda place: abs(place.value - end), default=None)

    def defined(self, place: Place) -> bool | None:
        """Whether the expression has a value there; None where it cannot be told."""
        if place.exact is not None and Fraction(place.value) == place.exact:
            state = int(evaluate(self._program, [place.value]).state[0, 0])
            if state in (DEFINED, UNDEFINED):
                return state == DEFINED
        return False if place in self._holes else None

    def closed(self, place: Place) -> bool | None:
        """Whether an interval that ends there has a value there too: functions that end without a hole do."""
        known = self.defined(place)
        if known is None and not self.searched and abs(place.value) < self._known:
            return True
        return known

    def missing(self, found: Sequence[Interval]) -> list[Place]:
        return [
            place
            for place in self._holes
            if abs(place.value) < self._known
            and any(low < place.value < high for low, high in found)
            and not any(place is self.near(end) for ends in found for end in ends if isfinite(end))
            and self.defined(place) is False
        ]

    def single(self, found: Sequence[Interval]) -> list[Place]:
        return [
            place
            for place in self._all
            if not any(low - _NEAR <= place.value <= high + _NEAR for low, high in found)
            and self.defined(place) is True
        ]


def _inner(ends: Interval) -> float:
    low, high = ends
    if low == -inf:
        return high - 1.618 if isfinite(high) else _PROBES[0]
    return low + (0.618 * (high - low) if isfinite(high) else 1.618)


def _interval(ends: Interval, edges: _Met) -> str:
    low, high = ends
    if low == -inf and high == inf:
        return "R"
    about, parts = "", {}
    for end in ends:
        if isfinite(end):
            place = edges.near(end)
            closed = place is not None and edges.closed(place)
            if place is None or closed is None:
                about = "about "
            parts[end] = (
                place.text.removeprefix("about ") if place else f"{end:.4g}",
                "≤" if closed else "<",
            )
            if place is not None and place.text.startswith("about"):
                about = "about "
    if low == -inf:
        text, sign = parts[high]
        return f"{about}x {sign} {text}"
    if high == inf:
        text, sign = parts[low]
        return f"{about}x {'≥' if sign == '≤' else '>'} {text}"
    return f"{about}{parts[low][0]} {parts[low][1]} x {parts[high][1]} {parts[high][0]}"


def _distance(place: Place) -> tuple[float, float]:
    return abs(place.value), place.value


def _listed(places: Sequence[Place], *, more: bool) -> str:
    """The points nearest to 0; `more`: those that are known are not all."""
    shown = [place.text for place in places[:_SHOWN_POINTS]]
    return ", ".join([*shown, *["…"] * (bool(shown) and (more or len(places) > _SHOWN_POINTS))])
