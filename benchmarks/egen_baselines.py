"""What two simple baselines reach where the shipped encoders are measured: K-means and retrieval at 5.

    .venv/bin/python -m benchmarks.egen_baselines CLUSTERS

CLUSTERS is a file of published clusters, read as `mathwb egen eval` reads it. *Token bigrams* count which
label follows which in prefix notation, weighted by how rare that is (TF-IDF). *Values* are those of the
expressions at the 216 points that find equal heads, sign(v) ln(1 + |v|), and 0 where there is none: they are
what no encoder is shown, and say how far plain numbers go. Prints the table of `docs/egen.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks._record import Record, parser_of, table
from engines.egen.corpus.assemble import UNDEFINED_MARK, fingerprints
from engines.egen.expressions.language import read_prefix
from engines.egen.models.datasets import Labelled, read_labelled
from engines.retrieval.dense import Vectors, unit


def baselines(data: Labelled) -> Mapping[str, Vectors]:
    """By name the vectors of every expression, of length 1."""
    from engines.egen.semvec.measure import bigrams

    trees = [read_prefix(text) for text in data.texts]
    prints = fingerprints(trees)
    prints[~np.isfinite(prints) | (prints == UNDEFINED_MARK)] = 0
    return {"token bigrams": bigrams(trees), "values": unit(prints)}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("clusters", type=Path)
    arguments = parser.parse_args()
    kept = Record("egen_baselines", arguments.out, clusters=arguments.clusters)
    from engines.egen.evaluations.kmeans import kmeans_accuracy
    from engines.egen.evaluations.measured import mean_figure
    from engines.egen.evaluations.retrieval import precision_at

    data = read_labelled(arguments.clusters)
    figures: dict[str, object] = {"clusters": len(data.clusters), "expressions": len(data.texts)}
    rows = []
    for name, vectors in baselines(data).items():
        found = kmeans_accuracy(vectors, data.labels)
        measured = (
            mean_figure("kmeans_accuracy", "paper", found.paper_shares),
            mean_figure("kmeans_accuracy_best_assignment", "better", found.best_shares),
            mean_figure(
                "retrieval_at_5", "paper", precision_at(vectors, data.labels, [5])[5], groups=data.labels
            ),
        )
        cells = [f"{one.value:.1f} [{one.interval[0]:.1f}, {one.interval[1]:.1f}]" for one in measured]
        rows.append([name, *cells])
        figures[name] = {one.name: [one.value, *one.interval] for one in measured}
    print("\n".join(table(["percent", "K-means", "… best assignment", "retrieval at 5"], rows)))
    kept.write(figures, libraries=["numpy", "scikit-learn"])


if __name__ == "__main__":
    main()
