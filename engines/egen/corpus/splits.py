"""Which clusters are for training and which for validation.

Splits, all seeded. `paper`: random clusters of 20..40 members until enough expressions are together
(as E-Gen published), which leaves clusters on the training side that differ from a validation cluster in
their constants only. `shapes`: whole template shapes are held out, for every function, with and without d/dx.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

Side = Literal["train", "validation", "neither"]
SplitName = Literal["paper", "shapes"]

MIN_SIZE, MAX_SIZE = 20, 40


def paper_split(sizes: Sequence[int], wanted: int, seed: int) -> list[Side]:
    """Random clusters of `MIN_SIZE`..`MAX_SIZE` expressions until they hold `wanted`.

    As published: draw wanted // MAX_SIZE clusters, and draw anew with one more until the sum suffices. Where
    clusters of that size do not hold enough, as in a corpus whose clusters are all large, every cluster of at
    least `MIN_SIZE` may be drawn; where that is not enough either, any. One cluster is left to train on.
    """
    draw = random.Random(seed)
    eligible: list[int] = []
    for low, high in ((MIN_SIZE, MAX_SIZE), (MIN_SIZE, None), (2, None)):
        eligible = [n for n, size in enumerate(sizes) if size >= low and (high is None or size <= high)]
        if sum(sizes[n] for n in eligible) >= wanted:
            break
    chosen: list[int] = []
    largest = max((sizes[n] for n in eligible), default=1)
    count = max(1, wanted // max(largest, MAX_SIZE))
    while count < len(sizes) and count <= len(eligible):
        chosen = draw.sample(eligible, count)
        if sum(sizes[n] for n in chosen) >= wanted:
            break
        count += 1
    held = set(chosen)
    return ["validation" if n in held else "train" for n in range(len(sizes))]


def held_out_split(count: int, share: float, seed: int) -> list[Side]:
    """Random clusters, as many as the share says; one is left to train on.

    >>> held_out_split(10, 0.2, 0).count("validation")
    2
    """
    held = {*random.Random(seed).sample(range(count), min(round(share * count), max(0, count - 1)))}
    return ["validation" if n in held else "train" for n in range(count)]


def shape_split(shapes: Sequence[frozenset[str]], sizes: Sequence[int], wanted: int, seed: int) -> list[Side]:
    """Hold out whole shapes, in random order, as long as they fit into `wanted` expressions; at least one.

    Args: shapes: of each cluster, those of all heads merged into it. A cluster that has a shape of either
    side is on neither. A single shape stays on the training side.
    """
    total: dict[str, int] = defaultdict(int)
    for names, size in zip(shapes, sizes, strict=True):
        for name in names:
            total[name] += size
    order = sorted(total)
    random.Random(seed).shuffle(order)
    held: set[str] = set()
    room = wanted
    for name in order:
        if total[name] <= room:
            held.add(name)
            room -= total[name]
    if not held and len(order) > 1:
        held.add(min(order, key=lambda name: total[name]))
    return ["validation" if names <= held else "train" if not names & held else "neither" for names in shapes]
