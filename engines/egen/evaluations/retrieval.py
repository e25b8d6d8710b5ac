"""Formula retrieval: are the nearest expressions equal to the query? (E-Gen, Table 15.)"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engines.core.events import Sink, Stop, ignore, never
from engines.egen.evaluations.measured import WORST, Mistake, Report, costliest, mean_figure
from engines.egen.models.datasets import Labelled
from engines.retrieval.dense import Vectors, nearest, precision_at
from engines.retrieval.encoders import Encoder

CUTOFFS = (5, 10, 15, 20)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def reachable(labels: Ints, k: int) -> Floats:
    """The greatest share that each query can reach at k: partners are fewer than k in small clusters."""
    partners = np.bincount(labels)[labels] - 1
    return np.minimum(partners, k) / k


def evaluate(
    encoder: Encoder, data: Labelled, *, worst: int = WORST, events: Sink = ignore, stop: Stop = never
) -> Report:
    """Shares in percent at 5, 10, 15 and 20, as published and relative to what can be reached; intervals over
    clusters. A mistake is an expression whose nearest is of another cluster; expected is the nearest of its
    own."""
    vectors = encoder.encode(data.texts, events=events, stop=stop)
    result = precision_at(vectors, data.labels, CUTOFFS)
    figures = []
    ceilings = {}
    for k, shares in result.items():
        most = reachable(data.labels, k)
        ceilings[str(k)] = 100 * float(most.mean())
        figures += [
            mean_figure(f"retrieval_at_{k}", "paper", shares, groups=data.labels),
            mean_figure(f"retrieval_at_{k}_of_reachable", "better", shares / most, groups=data.labels),
        ]
    first = nearest(vectors, vectors, 1, exclude_self=True)[1][:, 0]
    wrong = np.flatnonzero(data.labels[first] != data.labels)
    return Report(
        "retrieval",
        encoder.name,
        tuple(figures),
        {
            "expressions": len(data.texts),
            "clusters": int(data.labels.max()) + 1,
            "reachable_percent": ceilings,
            "left_out": data.left_out,
        },
        len(wrong),
        costliest(_mistakes(data, vectors, wrong, first), worst),
    )


def _mistakes(data: Labelled, vectors: Vectors, wrong: Ints, first: Ints) -> Iterator[Mistake]:
    for row in wrong.tolist():
        mates = np.flatnonzero(data.labels == data.labels[row])
        mates = mates[mates != row]
        scores = vectors[mates] @ vectors[row]
        best, taken = int(scores.argmax()), int(first[row])
        cost = max(0.0, float(vectors[taken] @ vectors[row] - scores[best]))
        yield Mistake(data.texts[row], data.texts[int(mates[best])], data.texts[taken], cost)
