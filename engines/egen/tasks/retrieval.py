"""Formula retrieval: are the nearest expressions equal to the query? (Fact sheet section 4, Table 15.)"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.core.events import Sink, Stop, ignore, never
from engines.egen.encode import Embedder, Vectors
from engines.egen.labelled import Labelled
from engines.egen.tasks.measured import WORST, Mistake, Report, costliest, mean_figure
from engines.retrieval.similarity import unit

__all__ = ["CUTOFFS", "PAPER", "evaluate", "nearest_rows", "precision_at", "reachable"]

CUTOFFS = (5, 10, 15, 20)
PAPER = {
    5: {"seq2seq": 99.93, "CL Mean": 99.85, "CL Max": 99.78, "SemEmb": 73.47},
    10: {"seq2seq": 99.82, "CL Mean": 99.73, "CL Max": 99.52, "SemEmb": 60.57},
    15: {"seq2seq": 99.76, "CL Mean": 99.50, "CL Max": 99.32, "SemEmb": 51.95},
    20: {"seq2seq": 99.41, "CL Mean": 98.94, "CL Max": 98.82, "SemEmb": 45.56},
}
_ROWS = 1_024

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def nearest_rows(queries: Vectors, pool: Vectors, count: int, *, exclude_self: bool = False) -> Ints:
    """(queries, count) rows of the pool by descending cosine; equal ones in the order of the pool.

    Args: exclude_self: the queries are the pool, and none is its own neighbour.
    """
    left, right = unit(queries), unit(pool)
    count = min(count, len(pool) - exclude_self)
    found = np.empty((len(left), count), np.int64)
    for begin in range(0, len(left), _ROWS):
        scores = left[begin : begin + _ROWS] @ right.T
        if exclude_self:
            own = np.arange(len(scores))
            scores[own, own + begin] = -np.inf
        kept = np.sort(
            np.argpartition(-scores, min(count, scores.shape[1] - 1), axis=1)[:, : count + 1], axis=1
        )
        order = np.argsort(-np.take_along_axis(scores, kept, 1), axis=1, kind="stable")[:, :count]
        found[begin : begin + _ROWS] = np.take_along_axis(kept, order, 1)
    return found


def precision_at(vectors: Vectors, labels: Ints, cutoffs: Sequence[int] = CUTOFFS) -> dict[int, Floats]:
    """For each cutoff k the share of the k nearest others that are in the query's cluster: (expressions,)."""
    nearest = nearest_rows(vectors, vectors, max(cutoffs), exclude_self=True)
    right = labels[nearest] == labels[:, None]
    return {k: right[:, :k].sum(1) / k for k in cutoffs}


def reachable(labels: Ints, k: int) -> Floats:
    """The greatest share that each query can reach at k: partners are fewer than k in small clusters."""
    partners = np.bincount(labels)[labels] - 1
    return np.minimum(partners, k) / k


def evaluate(
    embedder: Embedder, data: Labelled, *, worst: int = WORST, events: Sink = ignore, stop: Stop = never
) -> Report:
    """Shares in percent at 5, 10, 15 and 20, as published and relative to what can be reached; intervals over
    clusters. A mistake is an expression whose nearest is of another cluster; expected is the nearest of its
    own."""
    vectors = embedder.embed(data.texts, events=events, stop=stop)
    found = precision_at(vectors, data.labels)
    figures = []
    ceilings = {}
    for k, shares in found.items():
        most = reachable(data.labels, k)
        ceilings[str(k)] = 100 * float(most.mean())
        figures += [
            mean_figure(f"retrieval_at_{k}", "paper", shares, groups=data.labels, paper=PAPER.get(k)),
            mean_figure(f"retrieval_at_{k}_of_reachable", "better", shares / most, groups=data.labels),
        ]
    first = nearest_rows(vectors, vectors, 1, exclude_self=True)[:, 0]
    wrong = np.flatnonzero(data.labels[first] != data.labels)
    return Report(
        "retrieval",
        embedder.name,
        tuple(figures),
        {
            "expressions": len(data.texts),
            "clusters": int(data.labels.max()) + 1,
            "reachable_percent": ceilings,
            "left_out": data.left_out,
        },
        len(wrong),
        costliest(_mistakes(data, unit(vectors), wrong, first), worst),
    )


def _mistakes(data: Labelled, vectors: Vectors, wrong: Ints, first: Ints) -> Iterator[Mistake]:
    for row in wrong.tolist():
        mates = np.flatnonzero(data.labels == data.labels[row])
        mates = mates[mates != row]
        scores = vectors[mates] @ vectors[row]
        best, taken = int(scores.argmax()), int(first[row])
        cost = max(0.0, float(vectors[taken] @ vectors[row] - scores[best]))
        yield Mistake(data.texts[row], data.texts[int(mates[best])], data.texts[taken], cost)
