"""What a corpus holds, in the terms of the paper's Table 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engines.egen.assemble import OUTCOMES
from engines.egen.corpus import open_corpus
from engines.egen.pairs import TRIPLETS

__all__ = ["PAPER", "corpus_stats"]

PAPER: dict[str, int] = {
    "operators": 34,
    "mean_cluster_size": 102,
    "mean_tokens": 15,
    "pairs": 55_000_000,
    "triplets": 50_000_000,
    "validation_expressions": 8_077,
}
"""Table 3 of the paper (fact sheet section 2.2)."""


def corpus_stats(path: Path) -> dict[str, Any]:
    """The statistics of a finished corpus, JSON-able; computed from its table of clusters.

    `pairs` are the ordered pairs inside training clusters (`pairs_in_all` inside all), `triplets` what the
    paper's target gives with this many training clusters; token means are over expressions, heads included;
    `verdicts` are shares of members, `stop_reasons` and `kinds` count clusters.
    Raises: DataError for a corpus that is unfinished or damaged.
    """
    corpus = open_corpus(path)
    table = corpus.clusters()
    size = table["size"].to_numpy()
    ordered = size * (size - 1)
    members = int((size - 1).sum())
    heads = sum(len(sources) for sources in table["merged_from"].to_pylist())
    operators = Counter(name for names in table["operators"].to_pylist() for name in names)
    outcomes = {name: int(pc.sum(table[name]).as_py() or 0) for name in OUTCOMES}
    return {
        "path": str(path),
        "source": corpus.manifest["source"]["name"],
        "heads": corpus.manifest["source"]["heads"],
        "clusters": table.num_rows,
        "merged_heads": heads - table.num_rows,
        "skipped": corpus.manifest["skipped"],
        "bad_lines": len(corpus.manifest["source"]["bad_lines"]),
        "expressions": int(size.sum()),
        "mean_cluster_size": round(float(size.mean()), 2) if len(size) else 0.0,
        "mean_members_per_head": round(members / heads, 2) if heads else 0.0,
        "clusters_of_one": int((size == 1).sum()),
        "mean_tokens": _mean(table["mean_tokens"], size),
        "mean_training_tokens": _mean(table["mean_training_tokens"], size),
        "operators": len(operators),
        "clusters_by_operator": dict(operators.most_common()),
        "pairs_in_all": int(ordered.sum()),
        **{
            name: _split(table[column].to_pylist(), size)
            for name, column in (("split", "split"), ("split_by_shape", "split_by_shape"))
        },
        "verdicts": {name: round(count / members, 6) if members else 0.0 for name, count in outcomes.items()},
        "stop_reasons": _counts(table["stop_reason"]),
        "kinds": _counts(table["kind"]),
        "seed": corpus.manifest["config"]["seed"],
        "mode": corpus.manifest["config"]["mode"],
        "rules": corpus.manifest["rules"],
        "paper": PAPER,
    }


def _split(sides: Sequence[str], size: Any) -> dict[str, Any]:
    """Clusters and expressions on each side, and the pairs and triplets of the training side."""
    count = {
        side: [int(n) for n, here in zip(size, sides, strict=True) if here == side]
        for side in ("train", "validation", "neither")
    }
    training = [n for n in count["train"] if n > 1]
    return {
        **{side: {"clusters": len(sizes), "expressions": sum(sizes)} for side, sizes in count.items()},
        "pairs": sum(n * (n - 1) for n in training),
        "triplets": (TRIPLETS // len(training) + 1) * len(training) if len(training) > 1 else 0,
    }


def _mean(means: pa.ChunkedArray, size: Any) -> float | None:
    pairs = [(mean, int(n)) for mean, n in zip(means.to_pylist(), size, strict=True) if mean is not None]
    total = sum(n for _, n in pairs)
    return round(sum(mean * n for mean, n in pairs) / total, 2) if total else None


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    return dict(Counter(column.to_pylist()).most_common())
