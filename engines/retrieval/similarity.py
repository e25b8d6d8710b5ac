"""Cosine similarity of texts and vectors, and the nearest of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engines.core.events import Sink, Stop, ignore, never

if TYPE_CHECKING:
    from engines.retrieval.encoders import Encoder

__all__ = ["Vectors", "cosines", "nearest", "text_similarity", "unit"]

Vectors = NDArray[np.float32]
_BLOCK = 65_536


def unit(vectors: Vectors) -> Vectors:
    """The vectors, (…, d), at length 1; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def cosines(left: Vectors, right: Vectors) -> Vectors:
    """(n,): row by row the cosine of two arrays (n, d)."""
    return np.asarray((unit(left) * unit(right)).sum(-1), np.float32)


def nearest(queries: Vectors, vectors: Vectors, k: int) -> tuple[Vectors, NDArray[np.int64]]:
    """The `k` vectors of greatest inner product with each query, exactly: scores and rows, (queries, k).

    Args: queries (q, d) and vectors (n, d), any float; unit rows make it the cosine. Equal scores come in the
    order of the rows. Fewer than `k` vectors give fewer columns.
    """
    queries = np.asarray(queries, np.float32)
    k = min(k, len(vectors))
    scores = np.zeros((len(queries), 0), np.float32)
    rows = np.zeros((len(queries), 0), np.int64)
    for begin in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[begin : begin + _BLOCK], np.float32)
        numbers = np.arange(begin, begin + len(block))
        scores = np.hstack([scores, queries @ block.T])
        rows = np.hstack([rows, np.broadcast_to(numbers, (len(queries), len(block)))])
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        scores, rows = np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1)
    return scores, rows


def text_similarity(
    encoder: Encoder, left: Sequence[str], right: Sequence[str], *, events: Sink = ignore, stop: Stop = never
) -> Vectors:
    """(n,): the cosine of each pair of texts under an encoder. Raises: ValueError for unequal numbers."""
    if len(left) != len(right):
        raise ValueError(f"{len(left)} texts on the left and {len(right)} on the right")
    vectors = encoder.encode([*left, *right], events=events, stop=stop)
    return cosines(vectors[: len(left)], vectors[len(left) :])
