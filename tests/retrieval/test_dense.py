"""Nearest vectors: against plain numpy, and the choice of an index."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from engines.core.errors import DataError, EngineError
from engines.core.events import Event
from engines.retrieval.dense import (
    DenseIndex,
    IndexKind,
    Vectors,
    build_dense,
    choose_index_kind,
    nearest,
    normalize_rows,
    row_cosines,
)
from engines.retrieval.index_storage import top_k
from tests.conftest import expect_error

RNG = np.random.default_rng(0)


def clustered(count: int, dim: int = 32) -> Vectors:
    centres = RNG.normal(size=(40, dim))
    return normalize_rows(
        (centres[RNG.integers(0, 40, count)] + 0.5 * RNG.normal(size=(count, dim))).astype(np.float32)
    )


VECTORS = clustered(3_000)
QUERIES = normalize_rows(VECTORS[:40] + 0.05 * RNG.normal(size=(40, 32)).astype(np.float32))


def index(folder: Path, kind: IndexKind) -> DenseIndex:
    parts = (VECTORS[begin : begin + 700] for begin in range(0, len(VECTORS), 700))
    build_dense(parts, folder / kind, total=len(VECTORS), dim=32, kind=kind)
    return DenseIndex(folder / kind)


def recall(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found, exact, strict=True)]))


def test_flat_equals_numpy_in_half_precision(tmp_path: Path) -> None:
    scores, rows = index(tmp_path, "flat").search(QUERIES, 10)
    products = QUERIES @ VECTORS.astype(np.float16).astype(np.float32).T
    expected = np.argsort(-products, axis=1, kind="stable")[:, :10]
    # A number halfway between two of half precision is rounded up by one and to even by the other.
    assert scores == pytest.approx(np.take_along_axis(products, expected, 1), abs=3e-4)
    assert recall(rows, expected) > 0.995


def test_top_k_is_a_stable_sort() -> None:
    values = np.random.default_rng(0).integers(0, 5, (6, 50)).astype(np.float32)
    values[2:, ::7] = -np.inf
    for k in (0, 1, 7, 50, 60):
        expected = [sorted(range(50), key=lambda place: (-row[place], place))[:k] for row in values]
        assert top_k(values, k).tolist() == expected
        assert top_k(values[3], k).tolist() == expected[3]
    assert top_k(np.array([np.nan, 1, np.nan, 3]), 3).tolist() == [3, 1, 0]
    assert top_k(np.zeros((0, 4)), 2).shape == (0, 2)


def test_nearest_equals_a_full_sort_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.retrieval.dense._VECTORS", 256)
    monkeypatch.setattr("engines.retrieval.dense._QUERIES", 7)
    scores, rows = nearest(QUERIES, VECTORS, 12)
    products = QUERIES @ VECTORS.T
    assert rows.tolist() == np.argsort(-products, axis=1, kind="stable")[:, :12].tolist()
    assert scores == pytest.approx(np.sort(products, axis=1)[:, ::-1][:, :12])
    assert nearest(QUERIES, VECTORS[:3], 12)[1].shape == (40, 3)


def test_nobody_is_its_own_neighbour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.retrieval.dense._VECTORS", 16)
    monkeypatch.setattr("engines.retrieval.dense._QUERIES", 7)
    products = QUERIES @ QUERIES.T
    np.fill_diagonal(products, -np.inf)
    expected = np.argsort(-products, axis=1, kind="stable")
    assert nearest(QUERIES, QUERIES, 5, exclude_self=True)[1].tolist() == expected[:, :5].tolist()
    assert nearest(QUERIES, QUERIES, 99, exclude_self=True)[1].tolist() == expected[:, :39].tolist()


@pytest.mark.parametrize(("kind", "least"), [("hnsw", 0.95), ("ivfpq", 0.7)])
def test_approximate_kinds_find_most(tmp_path: Path, kind: IndexKind, least: float) -> None:
    scores, rows = index(tmp_path, kind).search(QUERIES, 10)
    assert recall(rows, nearest(QUERIES, VECTORS, 10)[1]) > least
    assert (np.diff(scores, axis=1) <= 0).all()


@pytest.mark.parametrize("kind", get_args(IndexKind))
def test_few_vectors_and_a_large_k(tmp_path: Path, kind: IndexKind) -> None:
    few = VECTORS[:700]
    build_dense([few], tmp_path / "few", total=700, dim=32, kind=kind)
    scores, rows = DenseIndex(tmp_path / "few").search(QUERIES[:1], 5_000)
    assert rows.shape == scores.shape == (1, 700)
    filled = rows[0][rows[0] >= 0].tolist()
    assert len(set(filled)) == len(filled)
    assert np.isneginf(scores[rows < 0]).all()


def test_the_choice_goes_by_size_and_says_why() -> None:
    memory = 64 * 2**30
    assert choose_index_kind(3_395, 384, memory=memory).kind == "flat"
    assert choose_index_kind(1_400_000, 384, memory=memory).kind == "flat"
    assert choose_index_kind(6_000_000, 384, memory=memory).kind == "hnsw"
    assert choose_index_kind(6_000_000, 384, memory=8 * 2**30).kind == "ivfpq"
    assert choose_index_kind(28_000_000, 384, memory=memory).kind == "ivfpq"
    assert (
        "28,000,000 vectors of 384 in half precision take 20.0 GiB"
        in choose_index_kind(28_000_000, 384).reason
    )
    assert choose_index_kind(10, 384, kind="hnsw").reason.startswith("requested")
    with expect_error("E665"):
        choose_index_kind(10, 384, kind="annoy")  # type: ignore[arg-type]


def test_the_reason_is_told_and_kept(tmp_path: Path) -> None:
    events: list[Event] = []
    about = build_dense([VECTORS], tmp_path / "d", total=3_000, dim=32, events=events.append)
    (told,) = [str(event.data["message"]) for event in events if event.kind == "log"]
    assert about["reason"] in told
    assert DenseIndex(tmp_path / "d").about == about


def test_vectors_of_another_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        index(tmp_path, "flat").search(QUERIES[:, :16], 3)
    assert caught.value.code == "E666"


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    index(tmp_path, "flat")
    path = tmp_path / "flat" / "index.faiss"
    path.write_bytes(path.read_bytes()[:1_000])
    with pytest.raises(DataError) as caught:
        DenseIndex(path.parent)
    assert caught.value.code == "E661"
    assert "index.faiss" in caught.value.where


def test_cosines_and_unit() -> None:
    left, right = RNG.normal(size=(2, 9, 5)).astype(np.float32)
    expected = [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(left, right, strict=True)]
    assert row_cosines(left, right) == pytest.approx(expected, abs=1e-5)
    assert normalize_rows(np.zeros((1, 3), np.float32)).tolist() == [[0, 0, 0]]
