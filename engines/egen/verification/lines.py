"""Lines parallel to the axes, and points of them beside the ends of domains.

On such a line an expression of several variables is one of a single variable, so that the places where its
domain may end are worked out as exactly and as far out as there (`engines.core.edges`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.core.edges import Edges
from engines.core.numeric import Programs
from engines.core.precise import Functions
from engines.egen.verification.beside import beside
from engines.egen.verification.regions import Region

__all__ = ["Lines"]

Floats = NDArray[np.float64]

_PROBES = 2


class Lines:
    """Lines through points of a region, along each variable, and the ends of a head's domain on them.

    Args: head: its program. along: the places of the variables. points: (variables, points) in general
    position where the head is defined; through so many of them there are lines.
    """

    def __init__(
        self, head: Programs, region: Region, along: Sequence[int], points: Floats, through: int
    ) -> None:
        lines: dict[tuple[int, tuple[float, ...]], _Line] = {}
        for point in _apart(points, through):
            for place in along:
                others = tuple(float(point[other]) for other in along if other != place)
                if (place, others) not in lines:
                    lines[place, others] = _Line(head, region, place, point)
        self._lines = list(lines.values())
        self._beside: dict[tuple[int, ...], Floats] = {}

    def of_head(self) -> Floats:
        """Points beside the ends of the head's domain: (variables, points)."""
        return self._points(tuple(line.ends for line in self._lines))

    def of(self, programs: Programs, chosen: Sequence[int]) -> list[Floats]:
        """For some of the programs points beside those ends of their domains that are none of the head's."""
        some = programs.only(chosen)
        masks = zip(*(line.masks(some) for line in self._lines), strict=True)
        return [self._points(mask) for mask in masks]

    def _points(self, masks: tuple[int, ...]) -> Floats:
        if masks not in self._beside:
            found = [line.beside(mask) for line, mask in zip(self._lines, masks, strict=True)]
            self._beside[masks] = np.concatenate(found, axis=1)
        return self._beside[masks]


class _Line:
    """The line through a point along one variable. `ends`: of the head's domain there."""

    def __init__(self, head: Programs, region: Region, place: int, point: Floats) -> None:
        self._region, self._place, self._point = region, place, point
        self._name = region.variables[place]
        probes = dict.fromkeys([float(point[place]), *region.points[place].tolist()])
        self._functions = Functions(list(probes)[:_PROBES])
        self._edges = Edges(self._functions)
        self.ends = 0
        (self.ends,) = self.masks(head)

    def masks(self, programs: Programs) -> list[int]:
        """The places where the domains of programs may end, without those of the head."""
        line = programs.along(self._name, self._point)
        numbers = self._functions.read(line, line.roots)
        return [ends & ~self.ends for _, ends in self._edges.masks(line, numbers, line.roots)]

    def beside(self, mask: int) -> Floats:
        """Points of the region at both sides of places."""
        whole = self._name in self._region.assumptions.integers
        found = beside(self._edges, mask, others=self.ends, whole=whole)
        points = np.repeat(self._point[:, np.newaxis], len(found), axis=1)
        points[self._place] = found
        return points[:, self._region.holds(points)]


def _apart(points: Floats, most: int) -> list[Floats]:
    """Some of the points, of every combination of signs first."""
    _, first = np.unique(points > 0, axis=1, return_index=True)
    order = dict.fromkeys([*sorted(first.tolist()), *range(points.shape[1])])
    return [points[:, place] for place in list(order)[:most]]
