"""The nearest of a million vectors, for each kind of index, and fusion beside it.

    .venv/bin/python -m benchmarks.dense [INDEX] [--vectors 1000000] [--queries 200] [--kinds flat hnsw ivfpq]

INDEX is what `mathwb arqmath index --dense` made: its vectors are replicated and jittered, so that neighbours
lie as in real data. Without it the vectors are random ones around 2,000 centres. Queries are jittered vectors
too. Recall@10 is against an exact search in single precision. Timed are single queries for 1,000 neighbours,
and the fusion of two rankings of 1,000 for 100 topics.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks._record import Record, parser_of
from engines.retrieval.dense import DenseIndex, Kind, Vectors, build_dense, choose, nearest, unit
from engines.retrieval.fusion import reciprocal_rank_fusion
from engines.retrieval.run import Run

PART = 50_000
JITTER = 0.35
"""Length of what is added to a unit vector; copies of one vector then have a cosine of about 0.9."""


def originals(index: Path | None) -> Vectors:
    """Unit vectors to multiply."""
    if index is None:
        rng = np.random.default_rng(1)
        centres = rng.normal(size=(2_000, 384))
        return unit(
            (centres[rng.integers(0, 2_000, 20_000)] + rng.normal(size=(20_000, 384))).astype(np.float32)
        )
    held = DenseIndex(index / "dense")
    return held.vectors()


def jittered(base: Vectors, count: int, seed: int) -> Iterator[Vectors]:
    """Parts of `count` vectors: copies of the originals in turn, each moved a little."""
    rng = np.random.default_rng(seed)
    for begin in range(0, count, PART):
        rows = np.arange(begin, min(begin + PART, count)) % len(base)
        noise = rng.normal(size=(len(rows), base.shape[1])).astype(np.float32)
        yield unit(base[rows] + JITTER / np.sqrt(base.shape[1]) * noise)


def measured(
    kind: Kind, base: Vectors, count: int, queries: Vectors, exact: Any, place: Path
) -> dict[str, Any]:
    began = time.perf_counter()
    about = build_dense(jittered(base, count, 0), place / kind, total=count, dim=base.shape[1], kind=kind)
    build_s = time.perf_counter() - began
    size = sum(file.stat().st_size for file in (place / kind).iterdir())
    index = DenseIndex(place / kind)
    ten = index.search(queries, 10)[1]
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(ten, exact, strict=True)])
    seconds = []
    for query in queries[:50]:
        began = time.perf_counter()
        index.search(query[None], 1_000)
        seconds.append(time.perf_counter() - began)
    settings = {key: value for key, value in about.items() if key not in ("kind", "reason", "vectors", "dim")}
    return {
        "build_s": round(build_s, 1),
        "size_mib": round(size / 2**20),
        "recall_at_10": round(float(recall), 4),
        "query_median_ms": round(1000 * float(np.median(seconds)), 2),
        "query_p95_ms": round(1000 * float(np.percentile(seconds, 95)), 2),
        **settings,
    }


def fusion_ms() -> float:
    """For one topic: two rankings of 1,000 that share about half of their documents."""
    rng = np.random.default_rng(0)

    def ranking() -> list[tuple[str, float]]:
        documents = map(str, rng.permutation(2_000)[:1_000])
        return list(zip(documents, rng.random(1_000).tolist(), strict=True))

    runs = [Run.from_scores("", {f"A.{topic}": ranking() for topic in range(100)}) for _ in range(2)]
    began = time.perf_counter()
    reciprocal_rank_fusion(runs)
    return round((time.perf_counter() - began) * 1000 / 100, 3)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("index", type=Path, nargs="?")
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--kinds", nargs="+", choices=get_args(Kind), default=get_args(Kind))
    arguments = parser.parse_args()
    about = {"index": arguments.index, "vectors": arguments.vectors, "kinds": arguments.kinds}
    kept = Record("dense", arguments.out, **about)
    import faiss

    base = originals(arguments.index)
    queries = next(jittered(base, arguments.queries, 2))
    everything = np.concatenate(list(jittered(base, arguments.vectors, 0)))
    exact = nearest(queries, everything, 10)[1]
    del everything
    figures: dict[str, Any] = {
        "vectors": arguments.vectors,
        "dim": int(base.shape[1]),
        "originals": len(base),
        "threads": faiss.omp_get_max_threads(),
        "chosen": choose(arguments.vectors, base.shape[1]).kind,
        "fusion_of_two_rankings_of_1000_ms": fusion_ms(),
    }
    with tempfile.TemporaryDirectory() as place:
        for kind in arguments.kinds:
            figures[kind] = measured(kind, base, arguments.vectors, queries, exact, Path(place))
            own = figures[kind]
            print(
                f"{kind}: {own['query_median_ms']} ms a query, recall@10 {own['recall_at_10']}, "
                f"{own['size_mib']:,} MiB, built in {own['build_s']} s",
                flush=True,
            )
    kept.write(figures, libraries=["faiss-cpu", "numpy"])
    print(f"fusion: {figures['fusion_of_two_rankings_of_1000_ms']} ms a topic")


if __name__ == "__main__":
    main()
