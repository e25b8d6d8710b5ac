"""How many members a second one core judges: reading, compiling, evaluating with error bounds, verdicts.

    .venv/bin/python -m benchmarks.verify [FILE] [--runs 9]

Without FILE (lines `head<TAB>member`) the pairs are made here: heads like the templates, a third of them
derivatives, and 120 rewrites of each, right and wrong, with a mean length of 20 tokens. The figure is the
median of the runs, in one thread, with the compiled code loaded.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections import Counter
from pathlib import Path

from benchmarks._record import record

HEADS, MEMBERS_PER_HEAD = 80, 120
INNER = ("x", "/ * x 2 2", "- + x 3 3", "sinh asinh x", "sin asin x")
OUTER = ("{}", "* -1 * -1 {}", "- + {} 0.5 0.5", "/ 1 / 1 {}", "pow pow {} 3 / 1 3", "ln pow e {}")


def made_up() -> list[str]:
    """The pairs, one per line."""
    from engines.egen.expressions.language import FUNCTIONS

    draw = random.Random(0)
    lines = []
    for k in range(HEADS):
        a, b, c = (draw.choice((-1, 1)) * draw.randint(2, 9) for _ in range(3))
        body = f"+ * {a} {FUNCTIONS[k % len(FUNCTIONS)]} + * {b} x {c} {c}"
        wanted = "d x {}" if k % 3 == 0 else "{}"
        for _ in range(MEMBERS_PER_HEAD):
            rewritten = body.replace(" x ", f" {draw.choice(INNER)} ")
            member = draw.choice(OUTER).format(wanted.format(rewritten))
            lines.append(f"{wanted.format(body)}\t{draw.choice(OUTER).format(member)}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from engines.core.files import read_lines
    from engines.egen.verification.points import RANGES
    from engines.egen.verification.verify import Verifier, verify_lines

    lines = list(read_lines(arguments.file)) if arguments.file else list(enumerate(made_up(), 1))
    began = time.perf_counter()
    list(verify_lines(lines[:1]))
    load_s = time.perf_counter() - began
    rates, cpu_rates = [], []
    for _ in range(arguments.runs):
        began, began_cpu = time.perf_counter(), time.process_time()
        judged = list(verify_lines(lines))
        rates.append(len(lines) / (time.perf_counter() - began))
        cpu_rates.append(len(lines) / (time.process_time() - began_cpu))
    outcomes = Counter(item.verdict.outcome if item.verdict else "error" for item in judged)
    tokens = sum(len(item.member.split()) for item in judged) / len(judged)
    figures = {
        "pairs": len(lines),
        "heads": len({item.head for item in judged}),
        "mean_tokens": round(tokens, 1),
        "points_per_member": len(Verifier(["x"]).points),
        "ranges": len(RANGES),
        "members_per_s": round(statistics.median(rates)),
        "members_per_cpu_s": round(statistics.median(cpu_rates)),
        "first_call_s": round(load_s, 3),
        "verdicts": dict(sorted(outcomes.items())),
    }
    record("verify", figures, libraries=["numpy", "numba"])
    print(f"{figures['members_per_s']:,} members/s, {figures['members_per_cpu_s']:,} per CPU second")


if __name__ == "__main__":
    main()
