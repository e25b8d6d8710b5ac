"""The nearest vectors by inner product, with faiss, in folders that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, ignore
from engines.core.system import format_bytes
from engines.retrieval.index_storage import (
    Rows,
    best_of_both,
    corrupt_file_error,
    map_array,
    new_folder,
    read_about,
)

Vectors = NDArray[np.float32]
_QUERIES, _VECTORS = 1_024, 65_536
"""How many are compared at once: 256 MiB of scores."""


def normalize_rows(vectors: Vectors) -> Vectors:
    """Return the vectors, (…, d), at length 1; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def row_cosines(left: Vectors, right: Vectors) -> Vectors:
    """Return the cosine of each pair of rows of two arrays `(n, d)`, shape `(n,)`."""
    return np.asarray((normalize_rows(left) * normalize_rows(right)).sum(-1), np.float32)


def nearest(
    queries: Vectors, vectors: Vectors, k: int, *, exclude_self: bool = False
) -> tuple[Vectors, Rows]:
    """Return the `k` vectors of greatest inner product with each query, exactly: scores and rows, (queries,
    k).

    Args: queries (q, d) and vectors (n, d), any float; unit rows make it the cosine. exclude_self: the
    queries are the vectors, and none is its own neighbour. Equal scores come in the order of the rows. Fewer
    than `k` vectors give fewer columns.
    """
    k = max(0, min(k, len(vectors) - exclude_self))
    result = np.zeros((len(queries), k), np.float32)
    positions = np.zeros((len(queries), k), np.int64)
    for first in range(0, len(queries), _QUERIES):
        block = np.asarray(queries[first : first + _QUERIES], np.float32)
        best = np.zeros((len(block), 0), np.float32), np.zeros((len(block), 0), np.int64)
        for begin in range(0, len(vectors), _VECTORS):
            part = block @ np.asarray(vectors[begin : begin + _VECTORS], np.float32).T
            if exclude_self:
                own = np.arange(max(first, begin), min(first + len(block), begin + part.shape[1]))
                part[own - first, own - begin] = -np.inf
            best = best_of_both(best, part, begin, k)
        result[first : first + len(block)], positions[first : first + len(block)] = best
    return result, positions


def precision_at(
    vectors: Vectors, labels: NDArray[np.int64], cutoffs: Sequence[int]
) -> dict[int, NDArray[np.float64]]:
    """Return, for each cutoff k, the share of each expression's k nearest neighbours that are in its own
    cluster.

    Returns:
        One array of shape `(expressions,)` per cutoff.

    Args:
        vectors: (expressions, d) of length 1.
        labels: (expressions,) cluster numbers.
    """
    _, rows = nearest(vectors, vectors, max(cutoffs), exclude_self=True)
    right = labels[rows] == labels[:, None]
    return {k: right[:, :k].sum(1) / k for k in cutoffs}


# The nearest vectors by inner product, with faiss: exact in half precision, a graph, or compressed cells.
#
# Which of them is chosen by the size (`choose`) unless asked otherwise; kind and reason stand in the index.
#
# - flat: all vectors in half precision, compared one by one. Exact up to rounding at 10 bits.
# - hnsw: the same vectors in a graph of neighbours (Malkov and Yashunin 2016): milliseconds, more memory.
# - ivfpq: vectors in cells and compressed (Jégou, Douze and Schmid 2011); the best 8 k are compared again
# with
#   the vectors in half precision, which stay on the disk.

IndexKind = Literal["flat", "hnsw", "ivfpq"]

FLAT_BYTES = 2 * 2**30
"""Up to here every vector is looked at: 1.4 million of 384 dimensions are half of it and take 0.1 s a query
on one core."""
HNSW_BYTES = 12 * 2**30
"""A graph may take so much memory, if the machine has twice as much."""
_LINKS = 32
_BUILD_WIDTH = 80
_SEARCH_WIDTH = 128
"""How many candidates HNSW keeps while it is built and searched; at least k."""
_PROBED_CELLS = 48
_RERANK = 8
"""Of IVF-PQ, how many times k candidates are compared again."""
_TRAIN_PER_CELL = 64
_MIN_FOR_8_BIT_CODES = 39 * 256
"""Fewer vectors cannot teach 256 code words, says faiss; then codes have 4 bits."""
_ADD_BATCH = 16_384
"""Stored vectors that are added at once."""
_INDEX, _STORED = "index.faiss", "vectors.npy"


@dataclass(frozen=True, slots=True)
class IndexChoice:
    """An index that fits: `kind` and, in words, why."""

    kind: IndexKind
    reason: str


def choose_index_kind(
    vectors: int, dim: int, *, kind: IndexKind | None = None, memory: int | None = None
) -> IndexChoice:
    """Return the kind of index for so many vectors.

    Args:
        kind: What the user asks for.
        memory: Of the machine, in bytes; found out unless given.

    Raises:
        EngineError: For an unknown kind.
    """
    # Bytes of a flat index (two per number), and of a graph: 2 · _LINKS links on the lowest layer, four bytes
    # each.
    half = 2 * dim * vectors
    graph = half + 4 * (2 * _LINKS + 2) * vectors
    taken = f"{vectors:,} vectors of {dim} in half precision take {format_bytes(half)}"
    if kind is not None:
        if kind not in get_args(IndexKind):
            remedy = f"Known: {', '.join(get_args(IndexKind))}."
            raise EngineError(f"unknown dense index {kind!r}", code="E665", remedy=remedy)
        return IndexChoice(kind, f"requested; {taken}")
    if half <= FLAT_BYTES:
        return IndexChoice(
            "flat", f"{taken}, at most {format_bytes(FLAT_BYTES)}: exact comparison with every vector"
        )
    if memory is None:
        import psutil

        memory = int(psutil.virtual_memory().total)
    if graph <= min(HNSW_BYTES, memory // 2):
        return IndexChoice(
            "hnsw", f"{taken}, too many to compare each; with its links {format_bytes(graph)}, which fits"
        )
    limit = format_bytes(min(HNSW_BYTES, memory // 2))
    return IndexChoice("ivfpq", f"{taken}, with links {format_bytes(graph)}, over {limit}: compressed")


def build_dense(
    parts: Iterable[Vectors],
    out: Path,
    *,
    total: int,
    dim: int,
    kind: IndexKind | None = None,
    events: Sink = ignore,
) -> dict[str, Any]:
    """Write the index of all rows of the parts, in their order, into the folder `out`; all or nothing.

    Args:
        parts: (n, dim) unit rows, any float; they are gone through once, and hold `total` rows in all.

    Returns:
        What `about.json` in it says: kind, reason, vectors, dim and the settings of the kind.

    Raises:
        DataError: When `out` cannot be written.
    """
    choice = choose_index_kind(total, dim, kind=kind)
    events(Event("log", {"message": f"dense index: {choice.kind}; {choice.reason}"}))
    about: dict[str, Any] = {**asdict(choice), "vectors": total, "dim": dim}
    with new_folder(out, about) as draft:
        about |= _build_files(choice.kind, parts, draft, total, dim, events)
    return about


def _build_files(
    kind: IndexKind, parts: Iterable[Vectors], folder: Path, total: int, dim: int, events: Sink
) -> dict[str, Any]:
    faiss = _import_faiss()
    metric = faiss.METRIC_INNER_PRODUCT
    settings: dict[str, Any] = {}
    # Product quantisation is trained on a sample, so all vectors are stored first.
    if kind == "ivfpq":
        stored = np.lib.format.open_memmap(folder / _STORED, "w+", np.float16, (total, dim))
        end = 0
        for part in parts:
            stored[end : end + len(part)] = part
            end += len(part)
        stored.flush()
        cells = _cell_count(total)
        # The number of codes must divide the dimension.
        codes = max(size for size in range(1, max(1, dim // 8) + 1) if dim % size == 0)
        bits = 8 if total >= _MIN_FOR_8_BIT_CODES else 4
        index = faiss.IndexIVFPQ(faiss.IndexFlatIP(dim), dim, cells, codes, bits, metric)
        # 10 is enough for cells; what it learns from is spread over the whole collection.
        index.cp.niter = 10
        count = min(total, max(_TRAIN_PER_CELL * cells, 65_536))
        rows = np.sort(np.random.default_rng(0).choice(total, count, replace=False))
        index.train(np.asarray(stored[rows], np.float32))
        # Add the stored vectors in pieces; what is added is compressed at once.
        parts = (stored[begin : begin + _ADD_BATCH] for begin in range(0, total, _ADD_BATCH))
        settings = {"cells": cells, "codes": codes, "bits": bits, "probed": min(_PROBED_CELLS, cells)}
        settings["reranked"] = f"{_RERANK} k"
    elif kind == "hnsw":
        index = faiss.IndexHNSWSQ(dim, faiss.ScalarQuantizer.QT_fp16, _LINKS, metric)
        index.hnsw.efConstruction = _BUILD_WIDTH
        settings = {"links": _LINKS, "build_width": _BUILD_WIDTH, "search_width": _SEARCH_WIDTH}
    else:
        index = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_fp16, metric)
    for part in parts:
        index.add(np.ascontiguousarray(part, np.float32))
        events(Event("progress", {"done": int(index.ntotal), "total": total, "unit": "vectors"}))
    faiss.write_index(index, str(folder / _INDEX))
    return settings


def _import_faiss() -> Any:
    """Return the library; the types that it declares are narrower than what it takes."""
    import faiss

    return faiss


def _cell_count(total: int) -> int:
    """About 4 sqrt(n), and enough vectors in each to learn from."""
    return max(1, min(int(4 * total**0.5), total // 40))


class DenseIndex:
    """A stored dense index, opened for searches."""

    def __init__(self, folder: Path) -> None:
        faiss = _import_faiss()
        self.about: Mapping[str, Any] = read_about(folder)
        self._kind: IndexKind = self.about["kind"]
        path = folder / _INDEX
        try:
            self._index = faiss.read_index(str(path))
        except RuntimeError as error:
            raise corrupt_file_error(path, error) from error
        self.dim = int(self._index.d)
        if self._index.ntotal != self.about["vectors"] or self.dim != self.about["dim"]:
            raise corrupt_file_error(path, "its vectors do not match its description")
        self._vectors = None
        if self._kind == "ivfpq":
            self._index.nprobe = self.about["probed"]
            self._vectors = map_array(folder / _STORED)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def vectors(self) -> Vectors:
        """All vectors, shape `(vectors, dim)`, with the accuracy of half precision."""
        if self._vectors is not None:
            return np.asarray(self._vectors, np.float32)
        return np.asarray(self._index.reconstruct_n(0, len(self)), np.float32)

    def search(self, queries: Vectors, k: int) -> tuple[Vectors, NDArray[np.int64]]:
        """Return (scores, rows), both (queries, k): inner products, the greatest first.

        Fewer than `k` vectors give fewer columns; a row of -1 (score -inf) is a place that an approximate
        search could not fill.

        Raises:
            EngineError: E666 for queries of another dimension.
        """
        queries = np.ascontiguousarray(queries, np.float32)
        if queries.ndim != 2 or queries.shape[1] != self.dim:
            what = f"vectors of {queries.shape[-1]} numbers cannot be searched among vectors of {self.dim}"
            remedy = "Search with the model that the index was built with."
            raise EngineError(what, code="E666", remedy=remedy)
        k = min(k, len(self))
        if self._kind == "hnsw":
            self._index.hnsw.efSearch = max(_SEARCH_WIDTH, 2 * k)
        wide = min(_RERANK * k, len(self)) if self._vectors is not None else k
        scores, rows = self._index.search(queries, wide)
        if self._vectors is not None:
            for number, query in enumerate(queries):
                held = np.where(rows[number] >= 0, rows[number], 0)
                exact = np.asarray(self._vectors[held], np.float32) @ query
                scores[number] = np.where(rows[number] >= 0, exact, -np.inf)
        scores = np.where(rows < 0, -np.inf, scores).astype(np.float32)
        order = np.lexsort((rows, -scores), axis=1)[:, :k]
        return np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1).astype(np.int64)
