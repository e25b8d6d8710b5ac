"""The points at which members are compared with their head.

They depend on head and seed only. From some thousand candidates of several ranges those are taken that
represent every combination of signs and sizes of the head's sub-terms, because it is there that other forms
gain or lose domain; some lie far out, and some close to the ends of the head's domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engines.core.domain import Interval, draw, gaps, intervals
from engines.core.numeric import Programs, balls
from engines.core.numeric_kernel import compiled, signatures

__all__ = ["FAR", "RANGES", "choose", "telling"]

Floats = NDArray[np.float64]

RANGES: tuple[Interval, ...] = (
    *((-0.1, 0.1), (-1.0, 1.0), (-6.0, 6.0), (-30.0, 30.0), (-120.0, 120.0)),
    (25.0, 75.0),  # where E-Gen looked
)
FAR: tuple[Interval, ...] = ((-1e3, 1e3), (-1e4, 1e4), (-1e5, 1e5), (-1e6, 1e6))
POOL_PER_RANGE, POOL_PER_FAR_RANGE = 256, 32
MAX_INSIDE, MAX_OUTSIDE = 72, 24
MAX_FAR = 8
"""Of the points far out, so many inside and so many outside the head's domain."""
MIN_POOL = 64
"""With fewer candidates inside the head's domain, or at its other side, its intervals are searched for."""
LEVELS = np.array([0.54, 0.84, 1.0, 1.19, 1.56])
"""Sizes of a sub-term of the head at which members gain or lose domain: about cos 1, sin 1, 1, their
reciprocals and pi/2. An inverse function of the sub-term, or of another inverse of it, ends there."""


@cache
def _pool(seed: int) -> Floats:
    """Candidates of all ranges in turn: (ranges x points per range,)."""
    random = np.random.default_rng(seed)
    return np.stack([draw(random, *ends, POOL_PER_RANGE) for ends in RANGES], axis=1).ravel()


@cache
def _far_pool(seed: int) -> Floats:
    """Candidates far out, none of them an integer."""
    random = np.random.default_rng([seed, 2])
    return np.stack([draw(random, *ends, POOL_PER_FAR_RANGE) for ends in FAR], axis=1).ravel() + 2.0**-4


def _points_within(found: Sequence[Interval], random: np.random.Generator) -> Floats:
    """As many candidates as a range has, spread over intervals near 0; an unbounded one gives 100 units."""
    pieces = []
    for low, high in sorted(found, key=lambda ends: min(map(abs, ends)))[:POOL_PER_RANGE]:
        if low == -np.inf:
            low, high = (-100.0, 100.0) if high == np.inf else (high - 100.0, high)
        pieces.append((low, min(high, low + 100.0)))
    if not pieces:
        return np.empty(0)
    share = -(-POOL_PER_RANGE // len(pieces))
    return np.stack([draw(random, *ends, share) for ends in pieces], axis=1).ravel()


@compiled
def _chosen(candidates: NDArray[np.intp], cells: NDArray[np.int64], count: int) -> NDArray[np.intp]:
    """Some of the candidates: one of each cell for half of them, rarest cells first, then in order."""
    total, room = len(candidates), 2
    while room < 2 * total:
        room *= 2
    place = np.zeros(room, np.int64)
    names, firsts, sizes = np.empty(total, np.int64), np.empty(total, np.int64), np.zeros(total, np.int64)
    groups = 0
    for k in range(total):
        cell = cells[candidates[k]]
        spot = (cell ^ (cell >> 29)) & (room - 1)
        while place[spot] and names[place[spot] - 1] != cell:
            spot = (spot + 1) & (room - 1)
        if place[spot] == 0:
            names[groups], firsts[groups] = cell, k
            groups += 1
            place[spot] = groups
        sizes[place[spot] - 1] += 1
    order = np.argsort(names[:groups], kind="mergesort")
    rare = firsts[order[np.argsort(sizes[order], kind="mergesort")[: count // 2]]]
    found, taken, known = np.empty(min(count, total), np.intp), np.zeros(total, np.bool_), len(rare)
    for k in range(known):
        found[k], taken[rare[k]] = candidates[rare[k]], True
    for k in range(total):
        if known == len(found):
            break
        if not taken[k]:
            found[known] = candidates[k]
            known += 1
    return found


def choose(program: Programs, seed: int) -> tuple[Floats, bool]:
    """Points for one program (the first), and whether at most candidates its domain cannot be told."""
    places = _pool(seed)
    values, errors = balls(program, places, trace=True)
    inside, outside = np.isfinite(errors[-1]), np.isnan(values[-1])
    if inside.sum() < MIN_POOL or 0 < outside.sum() < MIN_POOL:
        found, random = intervals(program), np.random.default_rng([seed, 1])
        more = _points_within(found, random), _points_within(gaps(found), random)
        places = np.concatenate([places, *more])
        values, errors = balls(program, places, trace=True)
    near = places[telling(values, errors)]
    distant = _far_pool(seed)
    far = distant[telling(*balls(program, distant, trace=True), MAX_FAR, MAX_FAR)]
    known = np.isfinite(errors[-1]).sum(), np.isnan(values[-1]).sum()
    return np.concatenate([near, far]), len(places) - sum(known) > known[0]


def telling(
    values: Floats, errors: Floats, most_inside: int = MAX_INSIDE, most_outside: int = MAX_OUTSIDE
) -> NDArray[np.intp]:
    """Candidates within the head's domain, then beyond it, by the cells that the head's sub-terms make.

    Args: values, errors: (nodes, candidates) of the head's program.
    """
    cells = signatures(values[1:], errors[1:], LEVELS)
    within = _chosen(np.flatnonzero(np.isfinite(errors[-1])), cells, most_inside)
    beyond = _chosen(np.flatnonzero(np.isnan(values[-1])), cells, most_outside)
    return np.concatenate([within, beyond])
