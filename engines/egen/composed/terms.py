"""Expressions as a composed encoder takes them: what they share is there once, in levels, operands first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric import Programs, compile_many
from engines.core.numeric_kernel import BINARY, CONSTANT, LEAF, UNARY

if TYPE_CHECKING:
    import torch

__all__ = ["FEATURES", "OPERATIONS", "UNARY_COUNT", "Terms", "features", "terms"]

OPERATIONS = UNARY + BINARY
"""What has a network of its own, by number; those of one operand come first."""
UNARY_COUNT = len(UNARY)
_PERIODS = (1, 2, 4, 8, 16)
FEATURES = 8 + 2 * len(_PERIODS)
"""How many numbers describe a constant."""

Ints = NDArray[np.int64]


class Terms:
    """Sub-terms of expressions in the order in which they can be computed.

    `order`: (nodes,) where each stands among the nodes of `programs`, leaves first, then level by level,
    sorted by operation within a level. `arrays`: what a network reads: `leaves` (leaves, FEATURES), zeros for
    x; `is_x` (leaves,); `level1`, `level2`, …: (nodes, 3) operation and the places of both operands in this
    order, those of one operand twice; `roots` (expressions,) their places. `sizes`: of the levels.
    """

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        codes, left, right = programs.nodes.astype(np.int64)
        leaf = codes >= LEAF
        heights = _heights(leaf, left, right)
        # Node 0 stands for no operand.
        self.order: Ints = np.lexsort((codes, heights))
        self.order = self.order[self.order > 0]
        place = np.zeros(len(codes), np.int64)
        place[self.order] = np.arange(len(self.order))
        right = np.where(right == 0, left, right)
        table = np.stack([codes, place[left], place[right]], 1)[self.order]
        cuts = np.searchsorted(heights[self.order], np.arange(1, heights.max(initial=0) + 1))
        leaves, *levels = np.split(table, cuts)
        numbers = np.append(programs.numbers, 0.0)
        is_x = leaves[:, 0] < CONSTANT
        values = numbers[np.where(is_x, -1, leaves[:, 0] - CONSTANT)]
        self.sizes = [len(rows) for rows in levels]
        self.arrays: dict[str, NDArray[Any]] = {
            "leaves": np.where(is_x[:, None], np.float32(0), features(values)),
            "is_x": is_x,
            **{f"level{number}": rows for number, rows in enumerate(levels, 1)},
            "roots": place[programs.roots],
        }

    def tensors(self) -> dict[str, torch.Tensor]:
        """`arrays` as tensors."""
        import torch

        return {name: torch.from_numpy(rows) for name, rows in self.arrays.items()}


def terms(expressions: Sequence[Sequence[str]]) -> Terms:
    """Of expressions as tokens in generator prefix notation. Raises: ExpressionError for what is none."""
    return Terms(compile_many(expressions))


def _heights(leaf: NDArray[np.bool_], left: Ints, right: Ints) -> Ints:
    """(nodes,) 0 for leaves, and 1 more than the higher operand for the others."""
    heights = np.zeros(len(leaf), np.int64)
    while True:
        found = np.where(leaf, 0, 1 + np.maximum(heights[left], heights[right]))
        found[0] = 0
        if (found == heights).all():
            return heights
        heights = found


def features(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """(constants, FEATURES): size on several scales, sign, whether it is an integer, and its residues."""
    size = np.abs(values)
    found = [np.ones_like(values), values / 10, np.sign(values) * np.log1p(size) / 3, np.tanh(values)]
    found += [1 / (1 + size), np.sign(values), values == np.round(values), size > 9.5]
    for period in _PERIODS:
        found += [np.cos(np.pi * values / period), np.sin(np.pi * values / period)]
    return np.stack(found, -1).astype(np.float32)
