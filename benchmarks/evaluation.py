"""Time that evaluating a run takes, the start of the program included.

    .venv/bin/python -m benchmarks.evaluation [--runs 9]

A run of 100 topics and 1,000 answers each against 40,000 judgements, both made up; `mathwb arqmath eval`
in a process of its own, and `ir_measures` (trec_eval) with the same files beside it, by turns. That the
command imports no torch is checked, and that both give the same nDCG'.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._record import Record, parser_of

TOPICS, DEPTH, JUDGED, POOL = 100, 1_000, 400, 100_000

THEIRS = """
import sys, ir_measures
from ir_measures import nDCG, AP, P
run, qrels = list(ir_measures.read_trec_run(sys.argv[1])), list(ir_measures.read_trec_qrels(sys.argv[2]))
measures = [nDCG(judged_only=True), AP(rel=2, judged_only=True), P(rel=2, judged_only=True) @ 10]
print({str(key): value for key, value in ir_measures.calc_aggregate(measures, qrels, run).items()})
"""

OURS = """
import sys
from workbench.cli import main
code = 0
try:
    main()
except SystemExit as end:
    code = end.code or 0
assert "torch" not in sys.modules, "the command imports torch"
sys.exit(code)
"""


def made_up(folder: Path) -> tuple[Path, Path]:
    """A run and its judgements; half of what is judged is in the run."""
    rng = random.Random(0)
    run, qrels = folder / "run.tsv", folder / "qrels.tsv"
    with open(run, "w") as runs, open(qrels, "w") as judgements:
        for topic in (f"A.{number}" for number in range(1, TOPICS + 1)):
            documents = rng.sample(range(POOL), DEPTH + JUDGED // 2)
            scores = sorted((rng.random() for _ in range(DEPTH)), reverse=True)
            for rank, (document, score) in enumerate(zip(documents, scores, strict=False), 1):
                runs.write(f"{topic}\tQ0\t{document}\t{rank}\t{score:.9f}\tmade-up\n")
            for document in [*rng.sample(documents[:DEPTH], JUDGED // 2), *documents[DEPTH:]]:
                judgements.write(f"{topic}\t0\t{document}\t{rng.choice((0, 0, 0, 1, 2, 3))}\n")
    return run, qrels


def seconds(command: list[str]) -> tuple[float, str]:
    """How long a command takes, and what it prints."""
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return time.perf_counter() - began, done.stdout


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    kept = Record("evaluation", arguments.out)
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = made_up(Path(folder))
        ours = [sys.executable, "-c", OURS, "arqmath", "eval", str(run), "--qrels", str(qrels), "--json"]
        theirs = [sys.executable, "-c", THEIRS, str(run), str(qrels)]
        times: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(arguments.runs):
            took, printed = seconds(ours)
            times["ours"].append(took)
            took, other = seconds(theirs)
            times["theirs"].append(took)
        same = abs(json.loads(printed)["ndcg_prime"] - eval_ndcg(other)) < 5e-5
    figures = {
        "topics": TOPICS,
        "documents_per_topic": DEPTH,
        "judgements": TOPICS * JUDGED,
        "median_s": round(statistics.median(times["ours"]), 3),
        "worst_s": round(max(times["ours"]), 3),
        "ir_measures_median_s": round(statistics.median(times["theirs"]), 3),
        "same_ndcg_to_4_digits": same,
    }
    print(json.dumps(figures, indent=2))
    kept.write(figures, libraries=["ir_measures"])


def eval_ndcg(printed: str) -> float:
    """The nDCG' among the measures that the other program prints."""
    text = printed.replace("'", '"')
    return float(next(value for name, value in json.loads(text).items() if name.startswith("nDCG")))


if __name__ == "__main__":
    main()
