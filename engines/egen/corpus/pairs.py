"""Training pairs and triplets in the paper's proportions, in random order, without a list of them anywhere.

The n-th pair is computed from n: a keyed permutation of 0..count-1 gives its rank among all pairs, the rank
gives cluster and members. So the order is a shuffle of the whole, a position is enough to go on from, and
memory holds the expressions and nothing per pair. Numbers of E-Gen, Table 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.egen.corpus.reader import Corpus
from engines.egen.corpus.splits import SplitName

TRIPLETS = 50_000_000
"""The paper's target."""

Integers = NDArray[np.int64]
_Words = NDArray[np.uint64]
_BATCH = 8_192
_ROUNDS = 6


def stream_pairs(
    corpus: Corpus, *, split: SplitName = "paper", seed: int = 0, start: int = 0
) -> Iterator[tuple[str, str]]:
    """All ordered pairs inside training clusters, each once, shuffled; from position `start` on."""
    texts, sizes = training_rows(corpus, split)
    return _streamed(texts, Pairs(sizes, seed), start)


def stream_triplets(
    corpus: Corpus, *, split: SplitName = "paper", seed: int = 0, start: int = 0, target: int = TRIPLETS
) -> Iterator[tuple[str, str, str]]:
    """(anchor, positive, negative), shuffled, `target // clusters + 1` of each training cluster.

    The positive is of the anchor's cluster: ordered pairs in random order, again from the first when they are
    used up. The negative is a random member of another cluster: other clusters in random order likewise.
    """
    texts, sizes = training_rows(corpus, split)
    return _streamed(texts, Triplets(sizes, seed, target), start)


def _streamed(texts: pa.Array, drawn: Pairs | Triplets, start: int) -> Iterator[Any]:
    for first in range(start, len(drawn), _BATCH):
        rows = drawn.rows(np.arange(first, min(first + _BATCH, len(drawn))))
        yield from zip(*(texts.take(pa.array(column)).to_pylist() for column in rows.T), strict=True)


def training_rows(corpus: Corpus, split: SplitName) -> tuple[pa.Array, Integers]:
    """The expressions of all training clusters of two or more, back to back, and the size of each cluster.

    Raises: EngineError E455 when the training side holds no pair.
    """
    found = corpus.each("train", split)
    parts = [members["prefix"].combine_chunks() for _, members in found if members.num_rows > 1]
    if not parts:
        raise no_pairs(corpus)
    return pa.concat_arrays(parts), np.array([len(part) for part in parts], np.int64)


def no_pairs(corpus: Corpus) -> EngineError:
    what = "no training cluster has two expressions"
    return EngineError(what, where=str(corpus.path), remedy="Build a larger corpus.", code="E455")


@dataclass(frozen=True, slots=True)
class Pairs:
    """The shuffled ordered pairs inside clusters of the given sizes; `len` is their number. Every `epoch` has
    all of them, in an order of its own."""

    sizes: Integers
    seed: int
    epoch: int = 0

    def __len__(self) -> int:
        return int((self.sizes * (self.sizes - 1)).sum())

    def rows(self, positions: Integers) -> Integers:
        """(positions, 2) row numbers of the pairs at these positions of the shuffled order."""
        ends = np.cumsum(self.sizes * (self.sizes - 1))
        rank = _permuted(positions, np.int64(len(self)), _order(self.seed, 1, self.epoch))
        cluster = np.searchsorted(ends, rank, side="right")
        begins = np.cumsum(self.sizes) - self.sizes
        local = rank - (ends[cluster] - self.sizes[cluster] * (self.sizes[cluster] - 1))
        first, second = _ordered_pair(local, self.sizes[cluster])
        return np.stack([begins[cluster] + first, begins[cluster] + second], axis=1)


@dataclass(frozen=True, slots=True)
class Triplets:
    """The shuffled triplets over clusters of the given sizes (two or more each); `len` is their number. Every
    `epoch` has the same ones, in an order of its own."""

    sizes: Integers
    seed: int
    target: int = TRIPLETS
    epoch: int = 0

    def __post_init__(self) -> None:
        if len(self.sizes) < 2:
            raise EngineError(
                "a negative needs a second training cluster", remedy="Build a larger corpus.", code="E455"
            )

    @property
    def per_cluster(self) -> int:
        return self.target // len(self.sizes) + 1

    def __len__(self) -> int:
        return self.per_cluster * len(self.sizes)

    def rows(self, positions: Integers) -> Integers:
        """(positions, 3) row numbers: anchor, positive, negative."""
        begins = np.cumsum(self.sizes) - self.sizes
        rank = _permuted(positions, np.int64(len(self)), _order(self.seed, 2, self.epoch))
        cluster, turn = np.divmod(rank, self.per_cluster)
        size = self.sizes[cluster]
        pairs, others = size * (size - 1), len(self.sizes) - 1
        pair = _permuted(turn % pairs, pairs, _key(self.seed, 3, cluster))
        first, second = _ordered_pair(pair, size)
        other = _permuted(turn % others, np.int64(others), _key(self.seed, 4, cluster))
        other += other >= cluster
        place = _below(self.sizes[other], _key(self.seed, 5, rank))
        return np.stack([begins[cluster] + first, begins[cluster] + second, begins[other] + place], axis=1)


def _ordered_pair(number: Integers, size: Integers) -> tuple[Integers, Integers]:
    """The number-th of the size·(size-1) ordered pairs of different places below size."""
    first, second = np.divmod(number, size - 1)
    return first, second + (second >= first)


def _below(bounds: Integers, words: _Words) -> Integers:
    """Uniform on 0..bound-1 from the upper 32 bits of each word; bounds are far below 2^32."""
    return (((words >> np.uint64(32)) * bounds.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)


def _mix(words: _Words) -> _Words:
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _key(seed: int, purpose: int, number: Integers | None = None) -> _Words:
    base = _mix(np.array([(seed * 8 + purpose) & (2**64 - 1)], np.uint64))
    return base if number is None else _mix(base ^ _mix(number.astype(np.uint64) + np.uint64(1)))


def _order(seed: int, purpose: int, epoch: int) -> _Words:
    return _key(seed, purpose, np.array([epoch], np.int64)) if epoch else _key(seed, purpose)


def _permuted(numbers: Integers, count: Integers | np.int64, key: _Words) -> Integers:
    """Where keyed permutations of 0..count-1 send `numbers` (below `count`; one count and key for each).

    A Feistel network over the next power of four, walked until it lands inside: on average in four steps.
    """
    counts = np.broadcast_to(np.asarray(count), numbers.shape)
    keys = np.broadcast_to(key, numbers.shape)
    half = np.maximum(1, np.ceil(np.log2(np.maximum(counts, 2)) / 2 + 1e-9)).astype(np.uint64)
    result = numbers.astype(np.uint64)
    outside = np.arange(len(numbers))
    while len(outside):
        result[outside] = _feistel(result[outside], half[outside], keys[outside])
        outside = outside[result[outside] >= counts[outside].astype(np.uint64)]
    return result.astype(np.int64)


def _feistel(words: _Words, half: _Words, keys: _Words) -> _Words:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = words >> half, words & mask
    for step in range(_ROUNDS):
        # The round function takes its bits from the top, where the mixing is best.
        mixed = _mix(right ^ keys ^ _mix(np.array([step + 1], np.uint64))) >> np.uint64(24)
        left, right = right, left ^ (mixed & mask)
    return (left << half) | right
