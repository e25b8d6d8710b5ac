"""Cosine similarity of texts and vectors, and the greatest of many scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Vectors", "cosines", "nearest", "top_k", "unit"]

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
_QUERIES, _VECTORS = 1_024, 65_536
"""How many are compared at once: 256 MiB of scores."""


def unit(vectors: Vectors) -> Vectors:
    """The vectors, (…, d), at length 1; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def cosines(left: Vectors, right: Vectors) -> Vectors:
    """(n,): row by row the cosine of two arrays (n, d)."""
    return np.asarray((unit(left) * unit(right)).sum(-1), np.float32)


def top_k(scores: NDArray[np.floating[Any]], k: int) -> Rows:
    """The places of the `k` greatest scores along the last axis, greatest first, equal ones in their order.

    Args: scores: (…, n); NaN counts as the least. Returns: (…, min(k, n)).

    >>> top_k(np.array([0.1, 0.7, 0.3, 0.7]), 3).tolist()
    [1, 3, 2]
    """
    count = scores.shape[-1]
    k = max(0, min(k, count))
    found = np.zeros((*scores.shape[:-1], k), np.int64)
    if not found.size:
        return found
    rows = scores.reshape(-1, count)
    if np.isnan(rows.max()):
        rows = np.where(np.isnan(rows), -np.inf, rows)
    for row, places in zip(rows, found.reshape(-1, k), strict=True):
        least = np.partition(row, count - k)[count - k]
        above = np.flatnonzero(row > least)
        equal = np.flatnonzero(row == least)[: k - len(above)]
        places[:] = np.concatenate([above[np.argsort(-row[above], kind="stable")], equal])
    return found


def nearest(
    queries: Vectors, vectors: Vectors, k: int, *, exclude_self: bool = False
) -> tuple[Vectors, Rows]:
    """The `k` vectors of greatest inner product with each query, exactly: scores and rows, (queries, k).

    Args: queries (q, d) and vectors (n, d), any float; unit rows make it the cosine. exclude_self: the
    queries are the vectors, and none is its own neighbour. Equal scores come in the order of the rows. Fewer
    than `k` vectors give fewer columns.
    """
    k = max(0, min(k, len(vectors) - exclude_self))
    found = np.zeros((len(queries), k), np.float32)
    places = np.zeros((len(queries), k), np.int64)
    for first in range(0, len(queries), _QUERIES):
        block = np.asarray(queries[first : first + _QUERIES], np.float32)
        scores = np.zeros((len(block), 0), np.float32)
        rows = np.zeros((len(block), 0), np.int64)
        for begin in range(0, len(vectors), _VECTORS):
            part = block @ np.asarray(vectors[begin : begin + _VECTORS], np.float32).T
            if exclude_self:
                own = np.arange(max(first, begin), min(first + len(block), begin + part.shape[1]))
                part[own - first, own - begin] = -np.inf
            best = top_k(part, k)
            scores = np.hstack([scores, np.take_along_axis(part, best, 1)])
            rows = np.hstack([rows, best + begin])
            order = top_k(scores, k)
            scores, rows = np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1)
        found[first : first + len(block)], places[first : first + len(block)] = scores, rows
    return found, places
