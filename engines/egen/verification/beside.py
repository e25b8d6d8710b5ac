"""Points beside the places where domains end, and what a head and its members are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core.edges import REACH, Edges, Place
from engines.core.numeric import Programs, balls
from engines.core.precise import BITS, Functions, Value

__all__ = ["CLEAR", "SAFETY", "Seen", "around", "beside", "exactly", "looked", "seen"]

Floats = NDArray[np.float64]

CLEAR = 1e-9
"""A relative difference that double precision alone decides, where it is beyond the error bounds too."""
SAFETY = 8.0
"""Multiple of the error bounds beyond which a difference is one."""
_BESIDE = 2.0**-20
"""How far from an end a point beside it is, relative to its size."""
_NEAREST = 8
"""Places that are looked at, those nearest to 0."""


class Seen(NamedTuple):
    """Points, by their places, where a member certainly has another value than the head, where only the head
    has one, and where only the member has; -1 for none."""

    apart: int
    lost: int
    gained: int


_NOTHING = Seen(-1, -1, -1)


def around(place: Place) -> tuple[float, float]:
    """The points close to a place, below and above it."""
    step = max(abs(place.value), 2.0**-10) * _BESIDE
    return place.value - step, place.value + step


def beside(edges: Edges, mask: int, *, others: int = 0, whole: bool = False) -> list[float]:
    """The points around those of the places of a mask that are nearest to 0, and between two that are close,
    of which one may be among others; two may have the same nearest double.

    Args: whole: integers only.
    """
    if not mask:
        return []
    places = sorted(edges.within(mask), key=lambda place: abs(place.value))[:_NEAREST]
    if whole:
        return [float(x) for place in places for x in (ceil(place.value) - 1, floor(place.value) + 1)]
    points = [x for place in places for x in around(place)]
    points += [place.value for place in places if place.crowded]
    values = sorted({place.value for place in (*places, *edges.within(others))})
    close = [
        (low + high) / 2 for low, high in pairwise(values) if high - low < 2 * _BESIDE * max(1.0, abs(high))
    ]
    return points + close


def looked(edges: Edges, mask: int) -> float:
    """How far from 0 `beside` looks at all places of a mask."""
    if mask.bit_count() <= _NEAREST and not mask & edges.endless:
        return REACH
    places = sorted(abs(place.value) for place in edges.within(mask))
    return min(edges.radius(mask), *places[_NEAREST : _NEAREST + 1], REACH)


def exactly(programs: Programs, k: int, point: Floats, bits: int = BITS) -> Value:
    """The value of a program at a point, by rigorous bounds."""
    return _values(_functions(programs, point, bits), programs, [k])[0]


def _functions(programs: Programs, point: Floats, bits: int = BITS) -> Functions:
    """What evaluates programs at a point; what they have in common is evaluated once."""
    first, *rest = ([float(one)] for one in point)
    others = dict(zip(programs.variables[1:], rest, strict=True))
    return Functions(first, bits, merged=False, others=others)


def _values(functions: Functions, programs: Programs, chosen: Sequence[int]) -> list[Value]:
    """The values of some programs."""
    some = programs.only(chosen)
    numbers = functions.read(some, some.roots)
    return [functions.values[numbers[root]][0] for root in some.roots.tolist()]


def _kinds(head: Value, member: Value) -> tuple[bool, bool, bool]:
    """Whether values are apart, or only one of them is there."""
    if head is None or member is None:
        found = member if head is None else head
        sure = found is not None and bool(found.is_finite())
        return False, sure and member is None, sure and head is None
    return not head.overlaps(member), False, False


def seen(
    head: Programs, programs: Programs, chosen: Sequence[int], points: Sequence[Floats]
) -> Iterator[Seen]:
    """What some of the programs are at points, of which each has its own: (variables, points)."""
    starts: dict[int, int] = {}
    pieces: list[Floats] = []
    for own in points:
        if id(own) not in starts:
            starts[id(own)] = sum(piece.shape[1] for piece in pieces)
            pieces.append(own)
    if not pieces:
        return
    every = np.concatenate(pieces, axis=1)
    ((value,), (error,)), (values, errors) = (balls(one, every) for one in (head, programs.only(chosen)))
    inside, known = np.isfinite(error), np.isfinite(errors)
    size = np.maximum(np.abs(values), np.abs(value))
    apart = inside & known & (np.abs(values - value) > CLEAR * size + SAFETY * (errors + error))
    kinds = np.stack([apart, inside & np.isnan(values), np.isnan(value) & known])
    # where double precision tells nothing of one of the two, rigorous bounds may
    unknown = (~inside & ~np.isnan(value)) | (~known & ~np.isnan(values))
    rows: dict[int, list[int]] = {}
    for row, own in enumerate(points):
        for place in range(starts[id(own)], starts[id(own)] + own.shape[1]):
            if unknown[row, place]:
                rows.setdefault(place, []).append(row)
    for place, doubtful in rows.items():
        functions = _functions(head, every[:, place])
        (first,) = _values(functions, head, [0])
        for row, other in zip(
            doubtful, _values(functions, programs, [chosen[row] for row in doubtful]), strict=True
        ):
            kinds[:, row, place] = _kinds(first, other)
    for row, own in enumerate(points):
        here = kinds[:, row, starts[id(own)] : starts[id(own)] + own.shape[1]]
        yield Seen(*np.where(here.any(axis=1), here.argmax(axis=1), -1).tolist()) if own.size else _NOTHING
