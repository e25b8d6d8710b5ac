"""Weights in eight bits, and tables of word pieces in four: as small as a shipped solver must be.

In eight bits each row of a matrix stores whole numbers q from -127 to 127 and a scale s in half precision; a
weight is q * s. In four bits each block of 32 neighbours has numbers from -8 to 7 and a scale of its own; of
several scales the one with the smallest squared error is taken. A layer in four bits is too coarse: a solver
of six layers loses a quarter of its right answers by it, and none in eight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats

BLOCK = 32
TOKEN_TABLE = "embeddings.word_embeddings.weight"
"""How the name of a BERT's table of word pieces ends."""
_FOUR, _EIGHT, _SCALES = ".q4", ".q8", ".scale"
_TRIED = np.linspace(0.75, 1.05, 13, dtype=np.float32)
"""Parts of the scale at which the largest weight of a block would be met exactly."""


def pack_weights(
    weights: Mapping[str, ShortFloats], in_four_bits: Collection[str] = ()
) -> dict[str, NDArray[np.generic]]:
    """Return weights as they are stored: matrices in whole numbers, everything else in half precision.

    A matrix (rows, columns) becomes `NAME.q8`, of its shape, and `NAME.scale`, (rows,).

    Args:
        weights: By name.
        in_four_bits: Names of matrices whose columns are a multiple of 32; each becomes `NAME.q4`, (rows,
            columns / 2) bytes of two numbers each, and `NAME.scale`, (rows, columns / 32).
    """
    stored: dict[str, NDArray[np.generic]] = {}
    for name, rows in weights.items():
        if rows.ndim != 2:
            stored[name] = rows.astype(np.float16)
        elif name in in_four_bits:
            stored[name + _FOUR], stored[name + _SCALES] = _pack_in_four_bits(np.asarray(rows, np.float32))
        else:
            stored[name + _EIGHT], stored[name + _SCALES] = _pack_in_eight_bits(np.asarray(rows, np.float32))
    return stored


def unpack_weights(stored: Mapping[str, NDArray[np.generic]]) -> dict[str, ShortFloats]:
    """Return stored weights in single precision, whether they were packed or not.

    Raises:
        ValueError: For numbers without their scales, or scales of another shape.
    """
    weights: dict[str, ShortFloats] = {}
    packed = {name.rpartition(".")[0]: name for name in stored if name.endswith((_FOUR, _EIGHT))}
    for whole, name in packed.items():
        rows, scales, in_four_bits = stored[name], stored.get(whole + _SCALES), name.endswith(_FOUR)
        shape = (len(rows), rows.shape[1] * 2 // BLOCK) if in_four_bits else (len(rows),)
        if scales is None or scales.shape != shape:
            raise ValueError(f"{name} has no scales that fit")
        wide = scales.astype(np.float32)
        if in_four_bits:
            weights[whole] = _unpack_four_bits(rows, wide)
        else:
            weights[whole] = rows.astype(np.float32) * wide[:, None]
    others = stored.keys() - packed.values() - {whole + _SCALES for whole in packed}
    return weights | {name: rows.astype(np.float32) for name, rows in stored.items() if name in others}


def _pack_in_eight_bits(rows: ShortFloats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    scales = (np.abs(rows).max(1) / np.float32(127)).astype(np.float16)
    # In half precision the scale may have been rounded down, or, of the smallest weights, to zero.
    wide = scales.astype(np.float32)[:, None]
    ratio = np.divide(rows, wide, out=np.zeros_like(rows), where=wide != 0)
    return np.clip(np.rint(ratio), -127, 127).astype(np.int8), scales


def _pack_in_four_bits(rows: ShortFloats) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    blocks = rows.reshape(len(rows), -1, BLOCK)
    largest = np.abs(blocks).argmax(-1, keepdims=True)
    # The largest weight of a block becomes -8, whichever its sign.
    full = np.take_along_axis(blocks, largest, -1) / np.float32(-8)
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


def _unpack_four_bits(packed: NDArray[np.generic], scales: ShortFloats) -> ShortFloats:
    data = packed.astype(np.uint8, copy=False)
    numbers = np.empty((len(data), data.shape[1] * 2), np.float32)
    numbers[:, ::2], numbers[:, 1::2] = data & 15, data >> 4
    blocks = numbers.reshape(len(data), -1, BLOCK) - np.float32(8)
    blocks *= scales[..., None]
    return blocks.reshape(numbers.shape)
