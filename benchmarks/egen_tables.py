"""The paper's Tables 4, 6, 8, 10 and 15 with four models of ours, small and trained on one corpus.

    .venv/bin/python -m benchmarks.egen_tables egen_clusters_sample.jsonl.gz --cache FOLDER

trains seq2seq, CL Mean and CL Max by the recipes `egen/…-tiny` (or `--size small`) on the sample corpus (or
`--corpus`), SemEmb by that of seq2seq on what SymPy makes of the heads of the same corpus, and measures each
by the five evaluations on the same clusters, items, derivations and analogies. What was trained, built and
measured lies in the cache and is not made again. The models are compared in pairs by the sign test over what
one has right and the other wrong (clusters that K-means keeps whole, items, transitions, analogies,
expressions with an equal nearest), with Holm's correction for each table.
"""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of, put_into, table
from engines.core.files import write_json
from engines.egen.corpus.folder import open_corpus
from engines.egen.evaluations.evaluate import Evaluate, EvaluationName, evaluate
from engines.egen.models.datasets import sample_corpus
from engines.retrieval.significance import holm, sign_p

MODELS = {"seq2seq": "seq2seq", "CL Mean": "cl-mean", "CL Max": "cl-max", "SemEmb": "seq2seq"}
"""The recipe of each column, without its size."""
TASKS: tuple[EvaluationName, ...] = ("kmeans", "semantic", "mistakes", "algebra", "retrieval")
SHOWN = {
    "kmeans_accuracy": "K-means (Table 4)",
    "semantic_accuracy": "semantic understanding (6)",
    "mistake_f1": "mistakes, F1 (8)",
    "algebra_accuracy": "embedding algebra (10)",
    "retrieval_at_5": "retrieval at 5 (15)",
}
ALL = 10**6


def mathwb(*words: object) -> None:
    start = "from workbench.cli import main; main()"
    subprocess.run([sys.executable, "-P", "-c", start, *map(str, words)], check=True)


def rewritten(corpus: Path, seconds: float, cache: Path) -> Path:
    """The corpus that SymPy makes of the heads of another in so many seconds each."""
    heads, result = cache / "heads.txt", cache / "semembed"
    if not (result / "manifest.json").exists():
        heads.write_text("\n".join(open_corpus(corpus).read_clusters()["head"].to_pylist()) + "\n")
        mathwb("egen", "semembed", "--templates", heads, "--time", seconds, "--out", result)
    return result


def train(name: str, given: Namespace) -> None:
    """Make the model of a column; a training that was stopped goes on."""
    out = given.cache / name.replace(" ", "-").lower()
    own = name == "SemEmb"
    corpus = rewritten(given.corpus, given.sympy_seconds, given.cache) if own else given.corpus
    settings = [f"data.corpus={corpus}", f"data.exclude={given.data}", f"steps={given.steps}", *given.set]
    if not (out / "model").is_dir():
        words = [part for setting in settings for part in ("--set", setting)]
        recipe = f"egen/{MODELS[name]}-{given.size}"
        mathwb("train", recipe, "--headless", "--device", "cpu", "--out", out, *words)


def measured(task: EvaluationName, name: str, data: Path, count: int, cache: Path) -> dict[str, Any]:
    """The figures of an evaluation of a column's model, and which answers are wrong. Test sets are
    those of the first model."""
    folder = cache / name.replace(" ", "-").lower()
    done = folder / f"{task}-{count}.json"
    if done.exists():
        result: dict[str, Any] = json.loads(done.read_bytes())
        return result
    built = task in ("semantic", "mistakes")
    kept = cache / f"{task}-{count}.jsonl"
    asked = {"data": kept} if built and kept.exists() else {"data": data, "write": kept if built else None}
    sized = {"count": count} if built else {}
    report = evaluate(Evaluate(task, folder / "model", worst=ALL, **asked, **sized))
    wrong = {
        (each["query"], each["expected"] or each["predicted"], each["note"] if task == "algebra" else "")
        for each in report["mistakes"]
    }
    of_paper = {each["name"]: each for each in report["figures"] if each["protocol"] == "paper"}
    write_json(done, {"figures": of_paper, "wrong": sorted(wrong)})
    return measured(task, name, data, count, cache)


def compared(wrong: dict[str, set[tuple[str, ...]]]) -> list[dict[str, Any]]:
    """Every pair of models: what the one has right and the other wrong, and the adjusted p-value."""
    pairs: list[dict[str, Any]] = [
        {"a": a, "b": b, "a_alone": len(wrong[b] - wrong[a]), "b_alone": len(wrong[a] - wrong[b])}
        for a, b in combinations(wrong, 2)
    ]
    adjusted = holm([sign_p(pair["a_alone"], pair["b_alone"]) for pair in pairs])
    return [{**pair, "p": p} for pair, p in zip(pairs, adjusted, strict=True)]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument(
        "data", type=Path, help="clusters in the published layout; none of them is trained on"
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, default=sample_corpus(), help="what is trained on")
    parser.add_argument("--size", choices=("tiny", "small"), default="tiny", help="of the recipes")
    parser.add_argument("--steps", type=int, default=400, help="of each training")
    parser.add_argument("--set", action="append", default=[], help="a setting of all trainings, KEY=VALUE")
    parser.add_argument("--sympy-seconds", type=float, default=1.0, help="for each rewriting of SymPy")
    parser.add_argument("--count", type=int, default=300, help="items and derivations, at most")
    parser.add_argument("--page", type=Path, help="where the table is put")
    given = parser.parse_args()
    asked = {"size": given.size, "steps": given.steps, "settings": given.set, "count": given.count}
    kept = Record("egen_tables", given.out, data=given.data, corpus=given.corpus, **asked)
    given.cache.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        train(name, given)
    figures: dict[str, Any] = {
        "size": given.size,
        "steps": given.steps,
        "settings": given.set,
        "clusters": len(open_corpus(given.corpus).read_clusters()),
        "count": given.count,
    }
    rows = []
    for task in TASKS:
        found = {name: measured(task, name, given.data, given.count, given.cache) for name in MODELS}
        pairs = compared({name: set(map(tuple, each["wrong"])) for name, each in found.items()})
        values = {name: each["figures"] for name, each in found.items()}
        figures[task] = {"figures": values, "pairs": pairs}
        for figure in SHOWN.keys() & values["seq2seq"].keys():
            cells = [values[name][figure] for name in MODELS]
            told = (
                f"{each['value']:.1f} [{each['interval'][0]:.1f}, {each['interval'][1]:.1f}]"
                for each in cells
            )
            apart = [f"{pair['a']}, {pair['b']}" for pair in pairs if pair["p"] >= 0.05]
            rows.append(
                [SHOWN[figure], *told, "any two" if len(apart) == len(pairs) else "; ".join(apart) or "none"]
            )
    lines = table(["percent", *MODELS, "not told apart (p ≥ .05)"], rows)
    print("\n".join(lines))
    if given.page:
        put_into(given.page, "\n".join(lines), "egen_tables")
    kept.write(figures, libraries=("torch", "numpy"))


if __name__ == "__main__":
    main()
