"""Smatch of the built-in AMR parser against published graphs.

    .venv/bin/python -m benchmarks.amr TOPICS.jsonl … [--amr FILE.amr.txt.gz …]

TOPICS are lines `{"topic_id", "context", "amr"}`, as in `topic_amr_formula_cut_2020.jsonl`; AMR files are
blocks of PENMAN with `# ::snt`. Smatch is that of the smatch package, seed 0; beside it the standardised
score of `mathamr compare --edges dereified`. Intervals are 95 % by bootstrap over the graphs, seed 0. The
record names the files by their stems.
"""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from benchmarks._record import parser_of, record, table
from engines.mathamr.graph.amr import write_graph
from engines.mathamr.graph.comparison import Compare, compare
from engines.mathamr.parsing.parsers import math_for_placeholders, parsed, parser

Pair = tuple[str, str]
"""A text and its published graph."""


def topics(path: Path) -> list[Pair]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["context"], row["amr"]) for row in rows]


def blocks(path: Path) -> Iterator[Pair]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = file.read().split("\n\n")
    for block in found:
        lines = block.strip().splitlines()
        texts = [line.removeprefix("# ::snt ") for line in lines if line.startswith("# ::snt ")]
        if texts:
            yield texts[0], "\n".join(line for line in lines if not line.startswith("#"))


def measured(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Smatch over all triples, and the mean over graphs with its interval; sentences need one core."""
    import smatch

    list(parsed(["Warm."], parser("builtin")))
    began = time.process_time()
    made = [one.graph for one in parsed((text for text, _ in pairs), parser("builtin"))]
    cpu_s = time.process_time() - began
    random.seed(0)
    counts, standard, unproved = [], [], 0
    for graph, (_, published) in zip(made, pairs, strict=True):
        math_for_placeholders(graph)
        written = write_graph(graph)
        smatch.match_triple_dict.clear()
        counts.append(smatch.get_amr_match(*(" ".join(text.split()) for text in (written, published))))
        found = compare(Compare(written, published, "dereified"))
        places = Counter(row["in"] for row in found["triples"])
        standard.append((places["both"], *(places["both"] + places[side] for side in ("one", "other"))))
        unproved += not found["optimal"]
    return {
        "graphs": len(pairs),
        **scores(counts),
        "standardised": {**scores(standard), "pairings_not_proved_best": unproved},
        "graphs_per_cpu_s": round(len(pairs) / cpu_s, 1),
    }


def scores(counts: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    """Micro and mean scores of (triples that agree, of ours, of the published graph)."""
    each = np.array([2 * matched / (one + other) for matched, one, other in counts])
    low, high = bootstrap((each,), np.mean, rng=np.random.default_rng(0)).confidence_interval
    matched, one, other = (sum(column) for column in zip(*counts, strict=True))
    return {
        "micro_f1": round(2 * matched / (one + other), 4),
        "micro_precision": round(matched / one, 4),
        "micro_recall": round(matched / other, 4),
        "mean_f1": round(float(each.mean()), 4),
        "mean_f1_interval": [round(float(low), 4), round(float(high), 4)],
    }


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("topics", type=Path, nargs="*")
    options.add_argument("--amr", type=Path, nargs="*", default=[])
    given = options.parse_args()
    sets = {path.stem: topics(path) for path in given.topics}
    sets |= {path.name.partition(".amr")[0]: list(blocks(path)) for path in given.amr}
    figures = {name: measured(pairs) for name, pairs in sets.items()}
    rows = []
    for name, found in figures.items():
        row = [f"`{name}` ({found['graphs']})"]
        for own in (found, found["standardised"]):
            row.append(f"{own['micro_f1']:.3f}")
            row.append("{:.3f} ({:.3f} to {:.3f})".format(own["mean_f1"], *own["mean_f1_interval"]))
        rows.append([*row, f"{found['graphs_per_cpu_s']:.0f}"])
    heads = ["", "Smatch, micro", "mean, 95 %", "standardised, micro", "mean, 95 %", "graphs a second"]
    print("\n".join(table(heads, rows)))
    record("amr", figures, libraries=("smatch", "spacy"))


if __name__ == "__main__":
    main()
