"""How long a cluster of 1,000 verified members takes, for the initial expressions of E-Gen's Tables 2 and 12.

    .venv/bin/python -m benchmarks.generate [--runs 5] [--mode strict]

Each head is grown from scratch, in the growth process that every caller uses; the rules are loaded there and
the compiled code is warm. One thread. The figures of a head are the medians of the runs, by the clock and of
the process's own time, which what else runs on the machine changes less; in style `any`, and as the command
does it, in style `plain` with all classical forms. Of the members of each style it counts those that make a
detour and those that are another one after trivial arithmetic (`normalise_arithmetic`).
"""

from __future__ import annotations

import os
import statistics
import time
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

from benchmarks._record import Record, parser_of
from engines.core.tree import Tree

HEADS = (
    "+ pow + / x 6 2 9 * 3 x",
    "- tanh + * 3 x 4 6",
    "d x * -2 pow ln / x 7 -2",
    "d x * -9 sinh + * -7 x 2",
    "+ pow csc / x 7 -3 3",
    "/ asec + * 7 x 6 -7",
    "pow sin + * 2 x 5 -8",
    "- tanh - * 3 x -4 6",
)
"""The first five are named in the paper (Tables 2 and 12); the others are of the same kinds."""
MEMBERS, MAX_TOKENS = 1_000, 25
STYLES: dict[str, dict[str, Any]] = {"any": {}, "plain": {"style": "plain", "forms": "all"}}
STYLES["distinct"] = {"style": "distinct", "forms": "all"}


def counted(members: list[Tree]) -> Counter[str]:
    """Members of a cluster that meet an inverse, have a needless sign, do either, or count as another one."""
    from engines.mathematics.terms.arithmetic_normal_form import normalise_arithmetic
    from tests.egen.detours import detours

    found = [detours(tree.list_labels()) for tree in members]
    return Counter(
        members=len(members),
        inverse=sum(met > 0 for met, _ in found),
        sign=sum(signs > 0 for _, signs in found),
        either=sum(any(both) for both in found),
        another=len(members) - len({normalise_arithmetic(tree).text for tree in members}),
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mode", choices=("strict", "common", "paper"), default="strict")
    arguments = parser.parse_args()
    name = "generate" if arguments.mode == "strict" else f"generate-{arguments.mode}"
    result = Record(name, arguments.out)
    for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from engines.core.expression_language import read_prefix
    from engines.egen.egraph.process import shared_process
    from engines.egen.settings import EgenConfig

    began = time.perf_counter()
    shared_process().generate(read_prefix("sin x"), EgenConfig(members=50, mode=arguments.mode))
    start_s = time.perf_counter() - began
    config = EgenConfig(members=MEMBERS, max_tokens=MAX_TOKENS, mode=arguments.mode)
    rows: list[dict[str, Any]] = []
    counts: dict[str, Counter[str]] = {style: Counter() for style in STYLES}
    for style, text in product(STYLES, HEADS):
        head, asked = read_prefix(text), replace(config, **STYLES[style])
        shared_process().generate(head, asked)
        seconds, worked = [], []
        for _ in range(arguments.runs):
            began, used = time.perf_counter(), shared_process().processor_s
            cluster = shared_process().generate(head, asked)
            seconds.append(time.perf_counter() - began)
            worked.append(shared_process().processor_s - used)
        stats = cluster.stats
        counts[style] += counted([member.tree for member in cluster.members])
        row = {
            "head": text,
            "style": style,
            "members": len(cluster.members),
            "processor_s": round(statistics.median(worked), 3),
            "median_s": round(statistics.median(seconds), 3),
            "worst_s": round(max(seconds), 3),
            "grow_s": round(stats.grow_s, 3),
            "sample_s": round(stats.sample_s, 3),
            "verify_s": round(stats.verify_s, 3),
            "nodes": stats.nodes,
            "classes": stats.classes,
            "iterations": stats.iterations,
            "stop_reason": stats.stop_reason,
            "terms": stats.total_members,
            "dropped": dict(stats.dropped),
        }
        rows.append(row)
        terms = f"{float(stats.total_members):.1e}"
        print(
            f"{row['median_s']:6.3f} s, {row['processor_s']:6.3f} s of processor time  "
            f"{row['members']:5,} members of {terms}, {style}  {text}"
        )
    medians = {style: [row["median_s"] for row in rows if row["style"] == style] for style in STYLES}
    spent = {style: [row["processor_s"] for row in rows if row["style"] == style] for style in STYLES}
    figures = {
        "mode": arguments.mode,
        "members_asked": MEMBERS,
        "max_tokens": MAX_TOKENS,
        "runs": arguments.runs,
        "start_s": round(start_s, 3),
        "median_s": {style: round(statistics.median(found), 3) for style, found in medians.items()},
        "worst_s": {style: max(found) for style, found in medians.items()},
        "processor_s": {style: round(statistics.median(found), 3) for style, found in spent.items()},
        "members": counts,
        "heads": rows,
    }
    for figure in ("median_s", "worst_s", "processor_s", "members"):
        print(figure, figures[figure])
    result.write(figures, libraries=["egglog", "numpy", "numba"])


if __name__ == "__main__":
    main()
