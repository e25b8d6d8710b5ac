"""Pairs and triplets: every one that the paper counts, in shuffled order, from any position."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.egen.models.datasets import TrainingPairs, Triplets
from tests.conftest import expect_error

cluster_sizes = st.lists(st.integers(2, 9), min_size=2, max_size=12).map(
    lambda sizes: np.array(sizes, np.int64)
)
seeds = st.integers(0, 2**63 - 1)


def owners(sizes: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)


@settings(deadline=None)
@given(cluster_sizes, seeds)
def test_every_ordered_pair_inside_a_cluster_comes_once(sizes: np.ndarray, seed: int) -> None:
    pairs = TrainingPairs(sizes, seed)
    found = pairs.read_rows(np.arange(len(pairs))).tolist()
    ends = np.cumsum(sizes).tolist()
    expected = {
        pair
        for end, size in zip(ends, sizes, strict=True)
        for pair in permutations(range(end - size, end), 2)
    }
    assert len(found) == len(expected)
    assert {tuple(pair) for pair in found} == expected


@pytest.mark.slow
@settings(deadline=None)
@given(cluster_sizes, seeds, st.integers(3, 40))
def test_any_stretch_of_the_order_can_be_had_alone(sizes: np.ndarray, seed: int, step: int) -> None:
    for stream in (TrainingPairs(sizes, seed), Triplets(sizes, seed, 200)):
        whole = stream.read_rows(np.arange(len(stream)))
        pieces = [
            stream.read_rows(np.arange(a, min(a + step, len(stream)))) for a in range(0, len(stream), step)
        ]
        assert np.array_equal(np.concatenate(pieces), whole)


@settings(deadline=None)
@given(cluster_sizes, seeds, st.integers(1, 400))
def test_triplets_are_in_the_papers_proportions(sizes: np.ndarray, seed: int, target: int) -> None:
    triplets = Triplets(sizes, seed, target)
    each = target // len(sizes) + 1
    rows = triplets.read_rows(np.arange(len(triplets)))
    owner = owners(sizes)
    anchors = owner[rows[:, 0]]
    assert len(triplets) == each * len(sizes)
    assert Counter(anchors.tolist()) == dict.fromkeys(range(len(sizes)), each)
    assert np.array_equal(anchors, owner[rows[:, 1]])
    assert (rows[:, 0] != rows[:, 1]).all()
    assert (anchors != owner[rows[:, 2]]).all()
    for cluster, size in enumerate(sizes.tolist()):
        mine = rows[anchors == cluster]
        used = Counter(map(tuple, mine[:, :2].tolist()))
        assert len(used) == min(each, size * (size - 1))
        assert max(used.values()) - min(used.values()) <= (len(used) == size * (size - 1))
        others = Counter(owner[mine[:, 2]].tolist())
        assert len(others) == min(each, len(sizes) - 1)
        assert max(others.values()) - min(others.values()) <= (len(others) == len(sizes) - 1)


def test_the_order_is_a_shuffle_of_the_whole() -> None:
    """Neighbours in the stream are unrelated: as many share a cluster as in a random order."""
    sizes = np.full(100, 30, np.int64)
    pairs = TrainingPairs(sizes, 7)
    owner = owners(sizes)[pairs.read_rows(np.arange(len(pairs)))[:, 0]]
    together = int((owner[1:] == owner[:-1]).sum())
    expected = len(pairs) / 100
    assert abs(together - expected) < 5 * expected**0.5
    half = len(pairs) // 2
    first_half = Counter(owner[:half].tolist())
    assert all(abs(first_half[c] - 435) < 5 * 435**0.5 for c in range(100))


def test_seeds_give_different_orders() -> None:
    sizes = np.full(20, 20, np.int64)
    first, second = (TrainingPairs(sizes, seed).read_rows(np.arange(1000)) for seed in (1, 2))
    assert (first == second).all(axis=1).sum() < 10


def test_negatives_are_drawn_from_the_whole_cluster() -> None:
    sizes = np.array([2, 50, 50], np.int64)
    triplets = Triplets(sizes, 3, 30_000)
    rows = triplets.read_rows(np.arange(len(triplets)))
    drawn: dict[int, Counter[int]] = defaultdict(Counter)
    for anchor, negative in zip(owners(sizes)[rows[:, 0]].tolist(), rows[:, 2].tolist(), strict=True):
        drawn[anchor][negative] += 1
    from_second = [drawn[0][row] for row in range(2, 52)]
    assert min(from_second) > 50
    assert max(from_second) < 160


def test_a_corpus_of_fifty_thousand_clusters_needs_no_list_of_its_pairs() -> None:
    sizes = np.full(50_000, 1_000, np.int64)
    pairs = TrainingPairs(sizes, 0)
    assert len(pairs) == 49_950_000_000
    rows = pairs.read_rows(np.arange(len(pairs) - 1_000, len(pairs)))
    assert (rows // 1_000)[:, 0].tolist() == (rows // 1_000)[:, 1].tolist()
    assert len(np.unique(rows, axis=0)) == 1_000


def test_one_cluster_has_no_negatives() -> None:
    with expect_error("E455"):
        Triplets(np.array([5]), 0)
