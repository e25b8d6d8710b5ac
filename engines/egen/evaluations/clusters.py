"""Whether embeddings of one cluster lie together: K-means against true clusters (E-Gen, Table 4), and formula
retrieval, where the nearest expressions are to be equal to the query (Table 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Floats, Ints
from engines.core.events import Sink, Stop, ignore, never
from engines.egen.evaluations.figures import WORST, EvaluationReport, Mistake, mean_figure, select_costliest
from engines.egen.models.datasets import Labelled
from engines.retrieval.dense import Vectors, nearest, precision_at
from engines.retrieval.encoders import Encoder

SEED = 42


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of K-means labels with true clusters, under both ways to assign labels.

    `paper_shares`: walking the clusters in order, each takes its most frequent label that is left.
    `best_shares`: the assignment with the highest mean (Hungarian method), which no order of clusters
    changes; `best_labels` is that assignment. `predicted`: (expressions,) the labels of K-means.
    """

    paper_shares: NDArray[np.float64]
    best_shares: NDArray[np.float64]
    best_labels: Ints
    predicted: Ints

    @property
    def best(self) -> float:
        """The mean share under the best assignment."""
        return float(self.best_shares.mean())


def paper_mapping(labels: Ints, predicted: Ints) -> dict[int, int]:
    """Return the label of each true cluster: the most frequent among its members that no cluster before it
    took. Equal counts go to the label that comes first among the members. Clusters that are left with none
    take what remains, in order.
    """
    taken: dict[int, int] = {}
    used: set[int] = set()
    without = []
    for cluster in dict.fromkeys(labels.tolist()):
        counts = Counter(predicted[labels == cluster].tolist())
        free = [label for label, _ in counts.most_common() if label not in used]
        if free:
            taken[cluster] = free[0]
            used.add(free[0])
        else:
            without.append(cluster)
    remaining = [label for label in range(int(predicted.max()) + 1) if label not in used]
    taken |= dict(zip(without, remaining, strict=False))
    return taken


def measure_agreement(labels: Ints, predicted: Ints) -> Agreement:
    """Return how K-means labels agree with true clusters (numbered from 0)."""
    from scipy.optimize import linear_sum_assignment

    count = max(int(labels.max()), int(predicted.max())) + 1
    table = np.zeros((count, count))
    np.add.at(table, (labels, predicted), 1)
    true = int(labels.max()) + 1
    shares = table[:true] / table[:true].sum(1, keepdims=True)
    mapping = paper_mapping(labels, predicted)
    paper = np.array(
        [shares[cluster, mapping[cluster]] if cluster in mapping else 0.0 for cluster in range(true)]
    )
    rows, columns = linear_sum_assignment(-shares)
    best, assigned = np.zeros(true), np.full(true, -1)
    best[rows], assigned[rows] = shares[rows, columns], columns
    return Agreement(paper, best, assigned, predicted)


def kmeans_accuracy(vectors: Vectors, labels: Ints, *, from_true_means: bool = False) -> Agreement:
    """Run K-means as the paper does and compare its labels with the true clusters (E-Gen, Table 4).

    As many clusters as there are, raw embeddings, at most 1,000 iterations, tolerance 1e-6, seed 42.

    Args:
        from_true_means: Start from the means of the true clusters instead of points drawn at random.
    """
    from sklearn.cluster import KMeans

    count = int(labels.max()) + 1
    start: str | Vectors = "k-means++"
    if from_true_means:
        # With the true means as a start the result shows what the vectors can do, without the luck of a
        # start.
        start = np.stack([vectors[labels == cluster].mean(0) for cluster in range(count)])
    means = KMeans(count, init=start, n_init=1, max_iter=1000, tol=1e-6, random_state=SEED)
    return measure_agreement(labels, means.fit_predict(vectors).astype(np.int64))


def kmeans(
    encoder: Encoder, data: Labelled, *, worst: int = WORST, events: Sink = ignore, stop: Stop = never
) -> EvaluationReport:
    """Measure K-means accuracy in percent, with intervals over clusters; the clustering itself is run once.

    `informed`: from the means of the true clusters. What is lost there the vectors mix up; what is lost
    beyond it is owed to the one random start, which may miss some of many clusters.
    A mistake is a cluster that K-means tore apart: its cost is the share of it that went elsewhere, and
    `predicted` is the head of the cluster where most of that went.
    """
    # Raw vectors, not unit ones: E-Gen clusters what the model returns.
    vectors = encoder.encode(data.texts, normalise=False, events=events, stop=stop)
    result = kmeans_accuracy(vectors, data.labels)
    informed = kmeans_accuracy(vectors, data.labels, from_true_means=True)
    sizes = np.bincount(data.labels)
    torn = list(_iterate_torn_clusters(data, result))
    return EvaluationReport(
        "kmeans",
        encoder.name,
        (
            mean_figure("kmeans_accuracy", "paper", result.paper_shares),
            mean_figure("kmeans_accuracy_best_assignment", "better", result.best_shares),
            mean_figure("kmeans_accuracy_from_true_means", "informed", informed.best_shares),
        ),
        {
            "expressions": len(data.texts),
            "clusters": len(sizes),
            "mean_size": float(sizes.mean()),
            "left_out": data.left_out,
            "seed": SEED,
        },
        len(torn),
        select_costliest(torn, worst),
    )


def _iterate_torn_clusters(data: Labelled, agreement: Agreement) -> Iterator[Mistake]:
    heads = [cluster[0] for cluster in data.clusters]
    owner = {int(label): number for number, label in enumerate(agreement.best_labels) if label >= 0}
    for number in np.flatnonzero(agreement.best_shares < 1).tolist():
        own = agreement.predicted[data.labels == number]
        stray = Counter(own[own != agreement.best_labels[number]].tolist())
        label, _ = stray.most_common(1)[0]
        taker = heads[owner[label]] if label in owner else ""
        note = f"{stray.total()} of {len(own)} members elsewhere"
        yield Mistake(heads[number], heads[number], taker, 1 - float(agreement.best_shares[number]), note)


# Formula retrieval.

CUTOFFS = (5, 10, 15, 20)


def compute_reachable_share(labels: Ints, k: int) -> Floats:
    """Return the greatest share that each query can reach at k: partners are fewer than k in small
    clusters.
    """
    partners = np.bincount(labels)[labels] - 1
    return np.minimum(partners, k) / k


def retrieval(
    encoder: Encoder, data: Labelled, *, worst: int = WORST, events: Sink = ignore, stop: Stop = never
) -> EvaluationReport:
    """Measure the shares of equal expressions among the 5, 10, 15 and 20 nearest, in percent (E-Gen, Table
    15).

    They are given as published and relative to what can be reached, with intervals over clusters. A mistake
    is an expression whose nearest belongs to another cluster; expected is the nearest of its own.
    """
    vectors = encoder.encode(data.texts, events=events, stop=stop)
    result = precision_at(vectors, data.labels, CUTOFFS)
    figures = []
    ceilings = {}
    for k, shares in result.items():
        # A small cluster has fewer than k others, so the share that can be reached is below 1.
        most = compute_reachable_share(data.labels, k)
        ceilings[str(k)] = 100 * float(most.mean())
        figures += [
            mean_figure(f"retrieval_at_{k}", "paper", shares, groups=data.labels),
            mean_figure(f"retrieval_at_{k}_of_reachable", "better", shares / most, groups=data.labels),
        ]
    first = nearest(vectors, vectors, 1, exclude_self=True)[1][:, 0]
    wrong = np.flatnonzero(data.labels[first] != data.labels)
    return EvaluationReport(
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
        select_costliest(_iterate_mistakes(data, vectors, wrong, first), worst),
    )


def _iterate_mistakes(data: Labelled, vectors: Vectors, wrong: Ints, first: Ints) -> Iterator[Mistake]:
    for row in wrong.tolist():
        mates = np.flatnonzero(data.labels == data.labels[row])
        mates = mates[mates != row]
        scores = vectors[mates] @ vectors[row]
        best, taken = int(scores.argmax()), int(first[row])
        cost = max(0.0, float(vectors[taken] @ vectors[row] - scores[best]))
        yield Mistake(data.texts[row], data.texts[int(mates[best])], data.texts[taken], cost)
