"""Permutations as texts write them: products of cycles, cycles as rows of a matrix, and rows above rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.term_properties import WHOLE

_CYCLE = re.compile(r"\(\s*(\d+)\s*\)")
_CYCLES = re.compile(r"(?:\s*\(\s*\d+\s*\)\s*)+")


def are_equal_permutations(link: ChainLink) -> bool:
    """Return whether both sides are products of cycles, `(12)(123)(12)`, that are one permutation."""
    if not all(map(_CYCLES.fullmatch, (link.left, link.right))):
        return False
    sides = [[cycle.split()[0] for cycle in _CYCLE.findall(side)] for side in (link.left, link.right)]
    if any(len({*cycle}) < len(cycle) for side in sides for cycle in side) or max(map(len, sides)) < 2:
        return False
    if all(len(cycle) < 2 for side in sides for cycle in side):  # (2)(3) = (5)
        return False
    points = sorted({*"".join(cycle for side in sides for cycle in side)})
    return any(
        len({tuple(_follow_cycles(point, side[::step]) for point in points) for side in sides}) == 1
        for step in (1, -1)
    )


def are_rotated_rows(left: Tree, right: Tree) -> bool:
    """Return whether both sides are rows of the same whole numbers that begin at another one, as a cycle in
    the brackets of a matrix can be written from each of its points on."""
    rows = [
        [entry.label for entry in side.children[0].children]
        for side in (left, right)
        if side.label == "matrix" and len(side.children) == 1
    ]
    if len(rows) < 2 or not all(label.isdecimal() for row in rows for label in row):
        return False
    one, other = rows
    turned = [one[at:] + one[:at] for at in range(1, len(one))]
    return len({*one}) == len(one) and other in turned


def _follow_cycles(point: str, cycles: Sequence[str]) -> str:
    for cycle in cycles:
        if point in cycle:
            point = cycle[(cycle.index(point) + 1) % len(cycle)]
    return point


def is_two_line_permutation(side: Tree) -> bool:
    """Return whether a term is a matrix of which each row has the same whole numbers, in some order."""
    rows = [sorted(entry.label for entry in row.children) for row in side.children]
    plain = side.label == "matrix" and all(WHOLE.match(label) for row in rows for label in row)
    return plain and len(rows) > 1 and all(row == rows[0] and len({*row}) == len(row) for row in rows)
