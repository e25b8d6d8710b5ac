"""Weights in four bits: blocks of 32 neighbours with one scale, as small as a shipped solver must be.

Each block stores 32 whole numbers q from -8 to 7 and a scale s in half precision; a weight is q * s. Of
several scales the one with the smallest squared error is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats

BLOCK = 32
_NUMBERS, _SCALES = ".q4", ".scale"
_TRIED = np.linspace(0.75, 1.05, 13, dtype=np.float32)
"""Parts of the scale at which the largest weight of a block would be met exactly."""


def pack_weights(weights: Mapping[str, ShortFloats]) -> dict[str, NDArray[np.generic]]:
    """Return weights as they are stored: matrices in four bits, everything else in half precision.

    A matrix (rows, columns) whose columns are a multiple of 32 becomes `NAME.q4`, (rows, columns / 2) bytes
    of two numbers each, and `NAME.scale`, (rows, columns / 32).
    """
    stored: dict[str, NDArray[np.generic]] = {}
    for name, rows in weights.items():
        if rows.ndim == 2 and rows.shape[1] % BLOCK == 0:
            stored[name + _NUMBERS], stored[name + _SCALES] = _pack_matrix(np.asarray(rows, np.float32))
        else:
            stored[name] = rows.astype(np.float16)
    return stored


def unpack_weights(stored: Mapping[str, NDArray[np.generic]]) -> dict[str, ShortFloats]:
    """Return stored weights in single precision, whether they were packed or not.

    Raises:
        ValueError: For numbers without their scales, or scales of another shape.
    """
    weights: dict[str, ShortFloats] = {}
    for name, rows in stored.items():
        if name.endswith(_NUMBERS):
            scales = stored.get(name.removesuffix(_NUMBERS) + _SCALES)
            if scales is None or scales.shape != (len(rows), rows.shape[1] * 2 // BLOCK):
                raise ValueError(f"{name} has no scales that fit")
            weights[name.removesuffix(_NUMBERS)] = _unpack_matrix(rows, scales)
        elif not (name.endswith(_SCALES) and name.removesuffix(_SCALES) + _NUMBERS in stored):
            weights[name] = rows.astype(np.float32)
    return weights


def _pack_matrix(rows: ShortFloats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    blocks = rows.reshape(len(rows), -1, BLOCK)
    place = np.abs(blocks).argmax(-1, keepdims=True)
    # The largest weight of a block becomes -8, whichever its sign.
    full = np.take_along_axis(blocks, place, -1) / np.float32(-8)
    best = np.full(full.shape, np.inf, np.float32)
    scales = np.zeros(full.shape, np.float16)
    # A smaller scale cuts off the largest weights and is finer for all others; the squared error decides.
    for part in _TRIED:
        tried = (full * part).astype(np.float16)
        error = ((blocks - _round_blocks(blocks, tried) * tried.astype(np.float32)) ** 2).sum(
            -1, keepdims=True
        )
        scales = np.where(error < best, tried, scales)
        best = np.minimum(error, best)
    # Stored as 0 to 15, two in a byte: the even places in its lower half.
    numbers = (_round_blocks(blocks, scales) + 8).astype(np.uint8).reshape(len(rows), -1)
    pairs: NDArray[np.uint8] = numbers[:, ::2] | np.left_shift(numbers[:, 1::2], 4, dtype=np.uint8)
    return pairs, scales[..., 0]


def _round_blocks(blocks: ShortFloats, scales: NDArray[np.float16]) -> ShortFloats:
    # A block of zeros has the scale 0.
    wide = scales.astype(np.float32)
    ratio = np.divide(blocks, wide, out=np.zeros_like(blocks), where=wide != 0)
    return np.clip(np.rint(ratio), -8, 7)


def _unpack_matrix(packed: NDArray[np.generic], scales: NDArray[np.generic]) -> ShortFloats:
    data = packed.astype(np.uint8, copy=False)
    numbers = np.empty((len(data), data.shape[1] * 2), np.float32)
    numbers[:, ::2], numbers[:, 1::2] = data & 15, data >> 4
    blocks = numbers.reshape(len(data), -1, BLOCK) - np.float32(8)
    blocks *= scales.astype(np.float32)[..., None]
    return blocks.reshape(numbers.shape)
