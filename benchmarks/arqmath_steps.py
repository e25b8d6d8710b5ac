"""Whether the checked steps of answers help to rank them, on the mini collection of ARQMath.

    .venv/bin/python -m benchmarks.arqmath_steps COLLECTION --cache DIR [--into docs/measurements/arqmath.md]

Every judged answer is proofread. Signals of an answer: the share of its
links that are not wrong, the share that is right, how many are right, and, as a control that checks nothing,
how many there are. Each stands beside a first stage by a weight that is chosen by nDCG' on the topics of one
year and reported on those of the other, both ways round. All systems order the same answers, the judged ones
of a topic, as deep as there are; `random order` is what no system at all reaches. The verdicts are kept in
the cache, and a run that was broken off goes on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of, put_into, table
from benchmarks.arqmath import (
    BM25,
    DEFAULT,
    DIRECTIONS,
    UNTUNED,
    Bench,
    first_stages,
    lexical_runs,
    set_up,
    shuffled,
)
from engines.arqmath.collection.lookup import find_posts
from engines.arqmath.ranking.rank import second_stage, tune_interpolation
from engines.core.files import read_lines
from engines.egen.proofreading.proofread import VERDICTS, TextProofreader
from engines.forum.folder import ArqmathFolder
from engines.retrieval.measures import compare, evaluate, holm
from engines.retrieval.qrels import Qrels, read_qrels
from engines.retrieval.run import Run

Counts = Mapping[str, int]

RIGHT = ("right", "right if", "follows")
WRONG = ("wrong", "loses domain")


def _many(counts: Counts, verdicts: Sequence[str]) -> int:
    return sum(counts.get(verdict, 0) for verdict in verdicts)


SIGNALS: Mapping[str, Callable[[Counts], float]] = {
    "not wrong": lambda counts: -_many(counts, WRONG) / max(1, sum(counts.values())),
    "right": lambda counts: _many(counts, RIGHT) / (1 + sum(counts.values())),
    "right links": lambda counts: log(1 + _many(counts, RIGHT)),
    "links": lambda counts: log(1 + sum(counts.values())),
}


def checked(collection: Path, cache: Path) -> dict[str, Counts]:
    """How many links of each judged answer have which verdict."""
    folder = ArqmathFolder.open(collection)
    wanted = {
        answer
        for file in folder.qrels[1]
        if "_mini" in file.name
        for grades in read_qrels(file).grades.values()
        for answer in grades
    }
    kept = cache / "steps.jsonl"
    rows = [json.loads(line) for _, line in read_lines(kept)] if kept.exists() else []
    known: dict[str, Counts] = {row["id"]: row["verdicts"] for row in rows}
    posts = find_posts(folder, wanted - known.keys())
    proofreader = TextProofreader()
    cache.mkdir(parents=True, exist_ok=True)
    with kept.open("a", encoding="utf-8") as file:
        for number, (answer, post) in enumerate(sorted(posts.items())):
            known[answer] = Counter(link.verdict for link in proofreader.links(post.text))
            file.write(json.dumps({"id": answer, "verdicts": known[answer]}) + "\n")
            file.flush()
            if number % 50 == 0:
                print(f"{number} of {len(posts)}", flush=True)
    return known


def systems(
    bench: Bench, stages: Mapping[str, Run], counts: Mapping[str, Counts], year: str
) -> tuple[dict[str, Run], dict[str, float]]:
    """First stages with each signal beside them, its weight chosen on the topics of `year`."""
    qrels = bench.years[year]
    runs: dict[str, Run] = {}
    weights: dict[str, float] = {}
    for name in stages:
        first = runs[name] = bench.judged(stages[name])
        for signal, value in SIGNALS.items():
            scores = {
                topic: [(answer, value(counts.get(answer, {}))) for answer in grades]
                for topic, grades in bench.both.grades.items()
            }
            scored = Run.from_scores(signal, scores)
            label = f"{name} and {signal}"
            weights[label], _ = tune_interpolation(first, scored, qrels, topics=qrels.grades, steps=20)
            runs[label] = second_stage(first, scored, weight=weights[label])
            if name == BM25:
                runs[f"{signal} alone"] = second_stage(first, scored)
    return runs, weights


def measured(runs: Mapping[str, Run], qrels: Qrels) -> dict[str, Any]:
    """Each system's nDCG', and its difference to its first stage with interval and test."""
    results = {"random order": shuffled(qrels), **{name: evaluate(run, qrels) for name, run in runs.items()}}
    values = {
        name: {topic: row["ndcg_prime"] for topic, row in found.per_topic.items()}
        for name, found in results.items()
    }
    rows = {name: {"ndcg_prime": round(found.mean["ndcg_prime"], 4)} for name, found in results.items()}
    tests = {
        name: compare(values[DEFAULT if name.startswith(DEFAULT) else BM25], values[name])
        for name in results
        if name not in (BM25, DEFAULT)
    }
    adjusted = holm([test.randomisation_p for test in tests.values()])
    for (name, test), p in zip(tests.items(), adjusted, strict=True):
        rows[name] |= {
            "difference": round(test.difference, 4),
            "interval": [round(end, 4) for end in test.interval],
            "p": round(test.randomisation_p, 4),
            "holm_p": round(p, 4),
        }
    return rows


def flagged(counts: Mapping[str, Counts], bench: Bench) -> dict[str, Any]:
    """Of the judged pairs the mean grade, by whether the answer has a wrong link, or only right ones."""
    groups: dict[str, list[int]] = {
        "has a wrong link": [],
        "has right links, none wrong": [],
        "has no link": [],
        "other": [],
    }
    for grades in bench.both.grades.values():
        for answer, grade in grades.items():
            own = counts.get(answer, {})
            name = (
                "has a wrong link" if _many(own, WRONG)
                else "has right links, none wrong" if _many(own, RIGHT)
                else "other" if sum(own.values())
                else "has no link"
            )  # fmt: skip
            groups[name].append(grade)
    return {
        name: {"pairs": len(found), "mean_grade": round(sum(found) / max(1, len(found)), 3),
               "relevant": round(sum(grade >= 2 for grade in found) / max(1, len(found)), 3)}
        for name, found in groups.items()
    }  # fmt: skip


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--lexical", action="store_true", help="beside BM25 alone, without vectors")
    parser.add_argument("--into", type=Path, help="the page whose table is replaced")
    arguments = parser.parse_args()
    kept = Record("arqmath_steps", arguments.out, collection=arguments.collection)
    counts = checked(arguments.collection, arguments.cache)
    vectors_too = not arguments.lexical
    bench = set_up(arguments.collection, arguments.cache, dense=vectors_too)
    lexical = lexical_runs(bench)
    names = ("dense", "questions") if vectors_too else ()
    vectors = {name: bench.index.run(bench.texts, 1_000, how=name) for name in names}
    of_years, weights = {}, {}
    for year, other in DIRECTIONS.items():
        stages = {BM25: lexical[UNTUNED]}
        if vectors:
            stages[DEFAULT] = first_stages(bench, lexical, vectors, other)[0][DEFAULT]
        of_years[year], weights[other] = systems(bench, stages, counts, other)
    both = {
        name: Run(
            name,
            {
                topic: of_years[year][name].rankings[topic]
                for year in DIRECTIONS
                for topic in bench.years[year].grades
            },
        )
        for name in of_years["2021"]
    }
    verdicts = Counter(verdict for own in counts.values() for verdict in Counter(own).elements())
    figures = {
        "answers": len(counts),
        "with_links": sum(bool(sum(own.values())) for own in counts.values()),
        "links": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "flagged": flagged(counts, bench),
        "weights": weights,
        "reports": {
            **{year: measured(of_years[year], bench.years[year]) for year in DIRECTIONS},
            "both years": measured(both, bench.both),
        },
    }
    kept.write(figures, libraries=["faiss-cpu", "torch"])
    text = "\n".join(_tables(figures))
    if arguments.into:
        put_into(arguments.into, text, "steps")
    print(text)


def _tables(figures: Mapping[str, Any]) -> list[str]:
    rows = []
    for name in figures["reports"]["both years"]:
        cells = [name]
        for report in (*DIRECTIONS, "both years"):
            row = figures["reports"][report][name]
            cells.append(f"{row['ndcg_prime']:.3f}")
        if "difference" in row:
            low, high = row["interval"]
            cells += [
                f"{row['difference']:+.3f} ({low:+.3f} to {high:+.3f})",
                f"{row['p']:.3f} ({row['holm_p']:.3f})",
            ]
        else:
            cells += ["", ""]
        rows.append(cells)
    heads = [
        "system",
        "2021, chosen on 2020",
        "2020, chosen on 2021",
        "both years",
        "against its first stage",
        "p (Holm)",
    ]
    found = table(heads, rows)
    groups = [
        [name, f"{row['pairs']:,}", f"{row['mean_grade']:.2f}", f"{row['relevant']:.0%}"]
        for name, row in figures["flagged"].items()
    ]
    return [*found, *table(["a judged answer that", "pairs", "mean grade", "grade 2 or 3"], groups)]


if __name__ == "__main__":
    main()
