"""Where on the real line an expression is defined, found numerically, and points to test it at."""

from __future__ import annotations

from functools import cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric import DEFINED, UNKNOWN, Programs, evaluate

__all__ = ["Interval", "draw", "gaps", "grid", "intervals"]

Interval = tuple[float, float]
Floats = NDArray[np.float64]
_BISECTIONS = 48


@cache
def grid(points_per_unit: int) -> Floats:
    """Sorted places to look at: linear and dense near 0, linear to ±130, then by powers of ten to ±1e6.

    The offset keeps them off integers and other special places.
    """
    near = np.linspace(-12.0, 12.0, 24 * points_per_unit)
    middle = np.linspace(-130.0, 130.0, 65 * points_per_unit)
    powers = 10.0 ** np.linspace(-5.0, 6.0, 150)
    return np.unique(np.concatenate([near, middle, powers, -powers]) * (1.0 + 1e-7) + 1.7e-7)


def intervals(program: Programs) -> list[Interval]:
    """The intervals on which one program (the first) in one variable is defined, left to right.

    Ends are found by bisection; an interval that reaches ±1e6 is taken to go on to infinity. Intervals or
    gaps narrower than the search (about 0.02 near 0, 0.1 up to 130; a tenth of that where nothing was found)
    can be missed; isolated points are. Places where nothing can be told (overflow) belong to the interval
    beside them.
    """
    places = grid(48)
    state = evaluate(program, places).state[0]
    if not (state == DEFINED).any():
        places = grid(480)
        state = evaluate(program, places).state[0]
        if not (state == DEFINED).any():
            return []
    inside = state == DEFINED
    known = np.flatnonzero(state != UNKNOWN)
    changes = np.flatnonzero(np.diff(inside[known].astype(np.int8)))
    low, high = places[known[changes]].copy(), places[known[changes + 1]].copy()
    rising = inside[known[changes + 1]]
    for _ in range(_BISECTIONS if len(changes) else 0):
        middle = (low + high) / 2
        there = evaluate(program, middle).state[0] == DEFINED
        up = there != rising
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    edges = np.where(rising, high, low).tolist()
    if inside[known[0]]:
        edges.insert(0, -inf)
    if inside[known[-1]]:
        edges.append(inf)
    return list(zip(edges[::2], edges[1::2], strict=True))


def gaps(found: list[Interval]) -> list[Interval]:
    """The intervals between and beyond those of `intervals`."""
    ends = [-inf, *(end for interval in found for end in interval), inf]
    return [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if low < high]


def draw(random: np.random.Generator, low: float, high: float, count: int) -> Floats:
    """Random points of an interval: odd multiples of a power of two about 2^-20 of its width.

    Few digits keep sums and products with short constants exact; odd multiples are never special places.
    """
    step = 2.0 ** (np.floor(np.log2(high - low)) - 20.0)
    return np.asarray((2.0 * np.floor(random.uniform(low, high, count) / (2.0 * step)) + 1.0) * step)
