"""Equation similarity and triplets of Math23K's training problems, beside zss and NLTK on a sample.

    .venv/bin/python -m benchmarks.mwp MATH23K_TRAIN [--pairs 20000] [--texts 2000]

Timed are: reading the file; the tree edit distances of all pairs of distinct normalised equations; all
triplets of `mathwb mwp triplets`, exact match with Bi-BLEU, in a process of its own that is measured from
its start to its end, memory included. zss takes pairs of equations and NLTK pairs of texts, drawn at random
with seed 0; their results are compared with ours. Microseconds a pair are of the processor.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import zss
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from benchmarks._record import Record, parser_of
from engines.core.tree import Tree
from engines.core.tree_edit import pairwise
from engines.mwp.problems.readers import read_problems
from engines.mwp.triplets.similarity import BiBleu, tokens


def by_zss(left: Tree, right: Tree) -> int:
    """The tree edit distance, with costs that do not depend on what else is installed."""
    found = zss.distance(
        left,
        right,
        lambda node: list(node.children),
        lambda _: 1,
        lambda _: 1,
        lambda one, other: int(one.label != other.label),
    )
    return int(found)


def by_nltk(left: tuple[str, ...], right: tuple[str, ...]) -> float:
    """Bi-BLEU."""
    smooth = SmoothingFunction().method1
    there = sentence_bleu([left], right, smoothing_function=smooth)
    return (there + sentence_bleu([right], left, smoothing_function=smooth)) / 2


def timed(work: Callable[[], object]) -> tuple[float, float, object]:
    """Seconds, seconds of the processor (of this process and of those it has waited for), and the result."""
    began, before = time.perf_counter(), os.times()
    found = work()
    spent = (now - then for now, then in zip(os.times()[:4], before[:4], strict=True))
    return time.perf_counter() - began, sum(spent), found


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--texts", type=int, default=2_000)
    arguments = parser.parse_args()
    kept = Record("mwp", arguments.out, problems=arguments.problems)
    chance = np.random.default_rng(0)

    read_s, read_cpu, read = timed(lambda: read_problems(arguments.problems))
    usable = read.usable  # type: ignore[attr-defined]
    trees = list({problem.template: problem.normal for problem in usable}.values())
    pairwise(trees[:10])
    pairs_s, pairs_cpu, distances = timed(lambda: pairwise(trees))
    count = len(trees) * (len(trees) - 1) // 2

    drawn = chance.integers(len(trees), size=(arguments.pairs, 2))
    _, zss_cpu, theirs = timed(lambda: [by_zss(trees[a], trees[b]) for a, b in drawn])
    assert [int(distances[a, b]) for a, b in drawn] == theirs  # type: ignore[index]

    texts = [tokens(problem.text, problem.language) for problem in usable]
    counts_s, counts_cpu, counted = timed(lambda: BiBleu(texts))
    assert isinstance(counted, BiBleu)
    counted.of(0, np.arange(10))
    rows = chance.integers(len(texts), size=20)
    _, ours_cpu, _ = timed(lambda: [counted.of(int(row), np.arange(len(texts))) for row in rows])
    ours_us = ours_cpu / (len(rows) * len(texts)) * 1e6
    drawn = chance.integers(len(texts), size=(arguments.texts, 2))
    _, nltk_cpu, scores = timed(lambda: [by_nltk(texts[a], texts[b]) for a, b in drawn])
    assert isinstance(scores, list)
    same = [
        abs(counted.of(int(a), np.array([b]))[0] - score) for (a, b), score in zip(drawn, scores, strict=True)
    ]
    assert max(same) < 1e-12

    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "triplets.jsonl"
        line = ["mwp", "triplets", str(arguments.problems.absolute()), "--out", str(out)]
        code = "import sys; from workbench.cli import main; sys.argv[0] = 'mathwb'; main()"
        command = [sys.executable, "-c", code, *line]
        whole_s, whole_cpu, _ = timed(lambda: subprocess.run(command, check=True, capture_output=True))
        triplets = len(out.read_text().splitlines())
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    nltk_us = nltk_cpu / arguments.texts * 1e6
    pair_us, zss_us = pairs_cpu / count * 1e6, zss_cpu / arguments.pairs * 1e6
    kept.write(
        {
            "problems": len(usable),
            "read_s": round(read_s, 2),
            "read_processor_s": round(read_cpu, 2),
            "equations": len(trees),
            "equation_pairs": count,
            "equation_pairs_s": round(pairs_s, 2),
            "equation_pairs_processor_s": round(pairs_cpu, 2),
            "equation_pair_us": round(pair_us, 3),
            "zss_pair_us": round(zss_us, 1),
            "zss_ratio": round(zss_us / pair_us),
            "text_counts_s": round(counts_s, 2),
            "text_counts_processor_s": round(counts_cpu, 2),
            "text_pair_us": round(ours_us, 3),
            "nltk_pair_us": round(nltk_us, 1),
            "nltk_ratio": round(nltk_us / ours_us),
            "triplets": triplets,
            "triplets_whole_command_s": round(whole_s, 1),
            "triplets_whole_command_processor_s": round(whole_cpu, 1),
            "triplets_peak_mib": round(peak / 1024),
        },
        libraries=("numba", "numpy", "nltk", "zss"),
    )


if __name__ == "__main__":
    main()
