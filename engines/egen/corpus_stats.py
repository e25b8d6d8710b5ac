"""Statistics of a corpus, in the terms of the paper's Table 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.reported import reported_row
from engines.core.spec import Arg

if TYPE_CHECKING:
    import pyarrow as pa

    from engines.egen.corpus.reader import Corpus

__all__ = ["CorpusStats", "corpus_stats"]

_RENAMED = {"cluster_size": "mean_cluster_size", "tokens": "mean_tokens"}
"""Measures of the paper's table, and what they are called here."""


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Statistics of a corpus, beside the paper's Table 3."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]


def corpus_stats(spec: CorpusStats) -> dict[str, Any]:
    """What a finished corpus holds, from its table of clusters, once every shard was found whole.

    `pairs` are the ordered pairs inside training clusters (`pairs_in_all` inside all), `triplets` what the
    paper's target gives with this many training clusters; token means are over expressions, heads included;
    `verdicts` are shares of members, `stop_reasons` and `kinds` count clusters.
    Raises: DataError for a corpus that is unfinished or corrupt.
    """
    import pyarrow.compute as pc

    from engines.egen.corpus.assemble import OUTCOMES
    from engines.egen.corpus.reader import open_corpus

    corpus = open_corpus(spec.corpus, several=True)
    corpus.check_shards()
    table = corpus.clusters()
    size = table["size"].to_numpy()
    ordered = size * (size - 1)
    members = int((size - 1).sum())
    heads = sum(len(sources) for sources in table["merged_from"].to_pylist())
    operators = Counter(name for names in table["operators"].to_pylist() for name in names)
    outcomes = {name: int(pc.sum(table[name]).as_py() or 0) for name in OUTCOMES}
    return {
        "path": str(spec.corpus),
        "source": corpus.manifest["source"]["name"],
        "heads": corpus.manifest["source"]["heads"],
        **_header(corpus),
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
        **{name: _split(table[name].to_pylist(), size) for name in ("split", "split_by_shape")},
        "verdicts": {name: round(count / members, 6) if members else 0.0 for name, count in outcomes.items()},
        "stop_reasons": _counts(table["stop_reason"]),
        "kinds": _counts(table["kind"]),
        "seed": corpus.manifest["config"]["seed"],
        "mode": corpus.manifest["config"]["mode"],
        "rules": corpus.manifest["rules"],
        "paper": {_RENAMED.get(key, key): value for key, value in reported_row("egen", 3, "corpus").items()},
    }


def _split(sides: Sequence[str], size: Any) -> dict[str, Any]:
    """Clusters and expressions on each side, and the pairs and triplets of the training side."""
    from engines.egen.corpus.pairs import TRIPLETS

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


def _header(corpus: Corpus) -> dict[str, Any]:
    """The variables and what is assumed, of a corpus of more than x."""
    if not corpus.letters:
        return {}
    assumed = sorted({corpus.assumed(number) for number in range(corpus.clusters().num_rows)} - {""})
    return {"variables": list(corpus.variables), "assumed": assumed}


def _mean(means: pa.ChunkedArray, size: Any) -> float | None:
    pairs = [(mean, int(n)) for mean, n in zip(means.to_pylist(), size, strict=True) if mean is not None]
    total = sum(n for _, n in pairs)
    return round(sum(mean * n for mean, n in pairs) / total, 2) if total else None


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    return dict(Counter(column.to_pylist()).most_common())
