"""What a corpus of many members would take on a cluster: a simulation from measured unit costs.

    .venv/bin/python -m benchmarks.corpus_plan --members 100000000 --nodes 16 --cores 32

Growth and encoding are what `benchmarks.corpus` and `benchmarks.encoding` have measured on two cores, divided
evenly; merging is measured here, on made-up fingerprints of growing numbers, and goes on as the square.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from benchmarks._record import Record, parser_of
from engines.egen.corpus.assemble import POINTS, look_alike
from engines.egen.corpus.shards import BLOCK

RESULTS = Path(__file__).parent / "results"
SIZES = (10_000, 20_000, 40_000)
ASKED = 40


def _figures(name: str) -> dict[str, float]:
    found: dict[str, float] = json.loads((RESULTS / f"{name}.json").read_text())["figures"]
    return found


def merging_s(rows: int) -> float:
    """Processor seconds in which one fingerprint is held against so many."""
    prints = np.random.default_rng(rows).normal(size=(rows, len(POINTS))).astype(np.float32)
    look_alike(prints[0], prints)
    began = time.process_time()
    for row in range(ASKED):
        look_alike(prints[row], prints)
    return (time.process_time() - began) / ASKED


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--members", type=int, default=100_000_000)
    parser.add_argument("--nodes", type=int, default=16)
    parser.add_argument("--cores", type=int, default=32)
    arguments = parser.parse_args()
    asked = {"members": arguments.members, "nodes": arguments.nodes, "cores": arguments.cores}
    kept = Record("corpus_plan", arguments.out, **asked)
    corpus, encoding = _figures("corpus"), _figures("encoding")
    head_s = 2 * corpus["build_s"] / corpus["heads"]
    a_head = corpus["mean_members_per_head"]
    heads = round(arguments.members / a_head)
    cores = arguments.nodes * arguments.cores
    per_row = {rows: merging_s(rows) / rows for rows in SIZES}
    plan = {
        "heads": heads,
        "shards": -(-heads // BLOCK),
        "growth_core_hours": heads * head_s / 3600,
        "growth_hours": heads * head_s / 3600 / cores,
        "bytes": arguments.members * corpus["corpus_bytes"] / corpus["expressions"],
        "merging_hours": heads**2 / 2 * per_row[SIZES[-1]] / 3600,
        "encoding_hours": arguments.members / encoding["ours_expressions_per_s"] / (cores / 2) / 3600,
    }
    units = {"head_core_s": head_s, "merging_ns_per_pair": {n: 1e9 * s for n, s in per_row.items()}}
    for name, value in {**units, **plan}.items():
        print(f"{name:22}{value}")
    kept.write({**asked, **units, **plan}, libraries=["numpy"])


if __name__ == "__main__":
    main()
