"""Smatch of the built-in AMR parser against published graphs.

    .venv/bin/python -m benchmarks.amr TOPICS.jsonl … [--amr FILE.amr.txt.gz …] [--labeller FILE]

TOPICS are lines `{"topic_id", "context", "amr"}`, as in `topic_amr_formula_cut_2020.jsonl`; AMR files are
blocks of PENMAN with `# ::snt`. Smatch is that of the smatch package, 20 restarts, seed 0; beside it the
standardised score of `mathamr compare --edges dereified`. Intervals are 95 % by bootstrap over the graphs,
seed 0. The record names the files by their stems. With a labeller of roles other than the one that ships
nothing is recorded. `micro_f1_with_perfect_senses` is Smatch where each frame that only lacks the sense of
the published graph is given it: what choosing senses could gain at most.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from benchmarks._record import Record, parser_of, table
from engines.mathamr.graph.amr import Graph, read_blocks, read_graph, write_graph
from engines.mathamr.graph.comparison import Compare, compare
from engines.mathamr.parsing.parsers import math_for_placeholders, parsed, parser

_RESTARTS = 20
"""Of the climb from pairings drawn at random: the package's 4 leave a figure that depends on the seed."""
Pair = tuple[str, str]
"""A text and its published graph."""


def topics(path: Path) -> list[Pair]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["context"], row["amr"]) for row in rows]


def blocks(path: Path) -> list[Pair]:
    return [(one.sentence, one.graph) for one in read_blocks(path)]


def give_senses(graph: Graph, published: Graph) -> None:
    """Give each frame of a graph, which is changed, the sense that it has in the published one."""
    known = {node.concept for node in published.nodes()}
    senses = {concept[:-3]: concept for concept in sorted(known) if re.fullmatch(r".+-\d\d", concept)}
    for node in graph.nodes():
        if re.fullmatch(r".+-\d\d", node.concept) and node.concept not in known:
            node.concept = senses.get(node.concept[:-3], node.concept)


def measured(pairs: Sequence[Pair], labeller: Path | None) -> dict[str, Any]:
    """Smatch over all triples, and the mean over graphs with its interval; sentences need one core."""
    import smatch

    builtin = parser("builtin", labeller=labeller)
    list(parsed(["Warm."], builtin))
    began = time.process_time()
    made = [one.graph for one in parsed((text for text, _ in pairs), builtin)]
    cpu_s = time.process_time() - began
    random.seed(0)
    smatch.iteration_num = 1 + _RESTARTS
    counts, standard, perfect, unproved = [], [], [], 0
    for graph, (_, published) in zip(made, pairs, strict=True):
        math_for_placeholders(graph)
        written = write_graph(graph)
        give_senses(graph, read_graph(published))
        for own, text in ((counts, written), (perfect, write_graph(graph))):
            smatch.match_triple_dict.clear()
            own.append(smatch.get_amr_match(*(" ".join(one.split()) for one in (text, published))))
        found = compare(Compare(written, published, "dereified"))
        places = Counter(row["in"] for row in found["triples"])
        standard.append((places["both"], *(places["both"] + places[side] for side in ("one", "other"))))
        unproved += not found["optimal"]
    return {
        "graphs": len(pairs),
        **scores(counts),
        "standardised": {**scores(standard), "pairings_not_proved_best": unproved},
        "micro_f1_with_perfect_senses": scores(perfect)["micro_f1"],
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
    options.add_argument("--labeller", type=Path, help="of roles, instead of the one that ships")
    given = options.parse_args()
    kept = Record("amr", given.out, topics=given.topics, amr=given.amr, labeller=given.labeller)
    sets = {path.stem: topics(path) for path in given.topics}
    sets |= {path.name.partition(".amr")[0]: blocks(path) for path in given.amr}
    figures = {name: measured(pairs, given.labeller) for name, pairs in sets.items()}
    rows = []
    for name, found in figures.items():
        row = [f"`{name}` ({found['graphs']})"]
        for own in (found, found["standardised"]):
            row.append(f"{own['micro_f1']:.3f}")
            row.append("{:.3f} ({:.3f} to {:.3f})".format(own["mean_f1"], *own["mean_f1_interval"]))
        row.append(f"{found['micro_f1_with_perfect_senses']:.3f}")
        rows.append([*row, f"{found['graphs_per_cpu_s']:.0f}"])
    heads = ["", "Smatch, micro", "mean, 95 %", "standardised, micro", "mean, 95 %"]
    heads += ["micro with perfect senses", "graphs a second"]
    print("\n".join(table(heads, rows)))
    kept.write(figures, libraries=("smatch", "spacy"))


if __name__ == "__main__":
    main()
