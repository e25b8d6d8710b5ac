"""How many members a second one core judges: reading, compiling, evaluating with error bounds, verdicts.

    .venv/bin/python -m benchmarks.verify [--base FOLDER] [--runs 9]

Two sets of pairs: `made_up`, heads like the templates, a third of them derivatives, and 120 rewrites of each,
right and wrong, with a mean length of 20 tokens; and `corpus`, the heads and members of the sample corpus. A
figure is the median of the runs, in processor time of one thread, with the compiled code loaded.

`--base` names a checkout of the commit before equality was rechecked rigorously, as made by
`git worktree add FOLDER 45225d8`; it judges the same pairs in turn with ours, in the same interpreter's
libraries, and `times_base` says how much longer ours takes.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of

ROOT = Path(__file__).resolve().parents[1]
HEADS, MEMBERS_PER_HEAD = 80, 120
INNER = ("x", "/ * x 2 2", "- + x 3 3", "sinh asinh x", "sin asin x")
OUTER = ("{}", "* -1 * -1 {}", "- + {} 0.5 0.5", "/ 1 / 1 {}", "pow pow {} 3 / 1 3", "ln pow e {}")

ONE_RUN = """
import json, sys, time
from collections import Counter
try:
    from engines.egen.verification.verify import verify_lines
except ImportError:
    from engines.egen.verify import verify_lines
lines = list(enumerate(open(sys.argv[1], encoding="utf-8"), 1))
began = time.process_time()
list(verify_lines(lines[:1]))
load_s = time.process_time() - began
began = time.process_time()
judged = list(verify_lines(lines))
seconds = time.process_time() - began
verdicts = Counter(item.verdict.outcome if item.verdict else "error" for item in judged)
print(json.dumps({"seconds": seconds, "load_s": load_s, "verdicts": dict(sorted(verdicts.items()))}))
"""


def made_up() -> list[str]:
    """Pairs `head<TAB>member` that are drawn here."""
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


def of_corpus() -> list[str]:
    """The pairs of the sample corpus."""
    from engines.egen.corpus.reader import open_corpus

    corpus = open_corpus(ROOT / "assets" / "sample" / "corpora" / "sample-e")
    clusters = (corpus.members(number)["prefix"].to_pylist() for number in range(len(corpus.clusters())))
    return [f"{head}\t{member}" for head, *members in clusters for member in members]


def run(checkout: Path, pairs: Path) -> dict[str, Any]:
    """One run in a process of its own, with the engines of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-c", ONE_RUN, str(pairs)]
    done = subprocess.run(
        words, env=environment, cwd=checkout, check=True, stdout=subprocess.PIPE, text=True, timeout=600
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    kept = Record("verify", arguments.out)
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("made_up", made_up()), ("corpus", of_corpus())):
            pairs = Path(folder) / name
            pairs.write_text("\n".join(lines) + "\n", "utf-8")
            checkouts = {"ours": ROOT} | ({"base": arguments.base.resolve()} if arguments.base else {})
            runs: dict[str, list[dict[str, Any]]] = {who: [] for who in checkouts}
            for _ in range(arguments.runs):
                for who, checkout in checkouts.items():
                    runs[who].append(run(checkout, pairs))
            seconds = {who: statistics.median(one["seconds"] for one in found) for who, found in runs.items()}
            members = [line.partition("\t")[2] for line in lines]
            figures[name] = {
                "pairs": len(lines),
                "heads": len({line.partition("\t")[0] for line in lines}),
                "mean_tokens": round(sum(len(member.split()) for member in members) / len(members), 1),
                "members_per_cpu_s": round(len(lines) / seconds["ours"]),
                "first_call_s": round(statistics.median(one["load_s"] for one in runs["ours"]), 3),
                "verdicts": runs["ours"][0]["verdicts"],
            }
            if arguments.base:
                figures[name] |= {
                    "base_members_per_cpu_s": round(len(lines) / seconds["base"]),
                    "times_base": round(seconds["ours"] / seconds["base"], 2),
                    "base_verdicts": runs["base"][0]["verdicts"],
                }
            print(name, figures[name])
    kept.write(figures, libraries=["numpy", "numba", "python-flint"])


if __name__ == "__main__":
    main()
