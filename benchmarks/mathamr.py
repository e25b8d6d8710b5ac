"""Search, representations, reranking and fusion of formulas on a collection's judged topics of Task 2.

    .venv/bin/python -m benchmarks.mathamr COLLECTION --cache DIR [--sentences MODEL]
        [--into docs/measurements/mathamr.md]

COLLECTION holds formulas, posts, topics and judgements of 2020 and 2021, as `mathwb data add arqmath` takes
them. Representations are compared on the judged formulas that are in it, as in the paper's Table 1, beside
rankings without any; once on those that judgements by formula id name, once on those by visual id, ARQMath's
own unit of evaluation. The first stage searches all of it; the best 20 of each topic are reranked, the others
follow in their order, alone and fused as in the paper. What is tuned is tuned on 2020;
intervals are 95 % by bootstrap over topics, seed 0. Index and runs are kept in the cache, and those that are
there are not made again: take a new one for other code.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks._record import Record, parser_of, put_into, table
from engines.formula.lexer import token_texts
from engines.formula.operator_tree import count_features
from engines.formula.operator_tree_parser import ParsedFormula, search_tree
from engines.forum.topics import Topic, read_topic_files, read_topics
from engines.mathamr import (
    EvaluateFormulas,
    IndexFormulas,
    SearchFormulas,
    index,
    search,
)
from engines.mathamr import evaluate as evaluated
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.formula_reranking import Rerank, rerank_formulas
from engines.mathamr.retrieval.fuse_formula_runs import FuseFormulaRuns, fuse_runs
from engines.mathamr.retrieval.open_cache import open_index
from engines.mathamr.retrieval.representations import ComparisonName, FormulaStrings, RepresentationName
from engines.mathamr.retrieval.search import rank_formulas
from engines.mathamr.retrieval.task2 import JudgedUnit
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical
from engines.retrieval.encoders import fingerprint_folder
from engines.retrieval.fusion import tune_weights
from engines.retrieval.trec import TrecRun, read_qrels, read_run, write_run

BASELINES = ("random", "exact", "bm25", "path-jaccard")
"""In a drawn order; the same tokens first; BM25 over the tokens and each two neighbours; the share of both
trees' paths that are in both. Equal scores are in the drawn order."""


def baseline(
    name: str, opened: FormulaIndex, topics: Mapping[str, Topic], pool: Mapping[str, Sequence[str]], out: Path
) -> None:
    """Write the run that orders each topic's formulas so."""
    scored = _bm25(opened) if name == "bm25" else _SCORES.get(name)
    drawn = random.Random(0)
    rankings = {}
    for topic, formulas in pool.items():
        order = drawn.sample(sorted(formulas), len(formulas))
        looks = {one: look for one in order if (look := opened.look_of(one)) is not None}
        written = {look: opened.read_latex(look) for look in looks.values()}
        scores = scored(topics[topic].latex, written) if scored else {}
        found = [(one, scores.get(look, 0.0)) for one, look in looks.items()]
        rankings[topic] = sorted(found, key=lambda pair: -pair[1])
    write_run(TrecRun(name, rankings), out)


Scores = Mapping[int, float]
"""Of looks."""


def _exact(query: str, looks: Mapping[int, str]) -> Scores:
    return {look: float(token_texts(latex) == token_texts(query)) for look, latex in looks.items()}


def _jaccard(query: str, looks: Mapping[int, str]) -> Scores:
    wanted = _paths(query)
    return {
        look: len(wanted & own) / max(1, len(wanted | own))
        for look, own in ((look, _paths(latex)) for look, latex in looks.items())
    }


_SCORES = {"exact": _exact, "path-jaccard": _jaccard}


def _paths(latex: str) -> set[str]:
    return {name for name in count_features(search_tree(latex)) if name.startswith("p ")}


def _bm25(opened: FormulaIndex) -> Callable[[str, Mapping[int, str]], Scores]:
    with TemporaryDirectory() as folder:
        place = Path(folder) / "index"
        build_lexical(
            [TermPart.from_texts(f"${latex}$" for latex in opened.looks["latex"].to_pylist())], place
        )
        index = LexicalIndex(place)

        def scores(query: str, looks: Mapping[int, str]) -> Scores:
            result = index.score_documents(f"${query}$")
            return {look: float(result[look]) for look in looks}

    return scores


KINDS: tuple[RepresentationName, ...] = (
    "latex",
    "opt",
    "slt",
    "raw-latex",
    "raw-opt",
    "amr-latex",
    "mathamr",
    "mathamr-marked",
)
FUSED = ("paths", "bm25", "latex", "raw-latex", "mathamr-marked")
"""What a weighted sum may be of: what reads the formula alone, and what reads its sentence."""
SHOWN = ("ndcg5_prime", "ndcg10_prime", "p5_prime", "p10_prime", "map_prime")
YEARS = ("2020", "2021")
UNITS: Mapping[JudgedUnit, str] = {"formula": "formula id", "visual": "visual id"}
"""What judgements name."""
BY: tuple[ComparisonName, ...] = ("latex", "raw-latex", "mathamr")
"""The representations that a first stage is reranked by."""
RERANKED = 20
"""Of each topic, so many of the first stage are reranked."""


class Measured:
    """The collection, its index, and a folder for runs."""

    def __init__(self, collection: Path, place: Path) -> None:
        self.collection, self.place, self.index = collection, place, place / "index"

    def topics(self, year: str) -> Path:
        return self.collection / f"topics_task2_{year}.xml"

    def qrels(self, year: str, unit: JudgedUnit) -> Path:
        name = {"formula": "formula_id_mini.tsv", "visual": "visual_id_v3.tsv.gz"}[unit]
        return self.collection / f"qrels_task2_{year}_{name}"

    def pool(self) -> dict[str, list[str]]:
        """By topic, the judged formulas that the index has, and one of each judged look that has none."""
        opened = open_index(self.index)
        of_visual = {
            visual: look for look, visual in enumerate(opened.looks["visual_id"].to_pylist()) if visual
        }
        found: dict[str, list[str]] = {}
        for year, unit in product(YEARS, UNITS):
            for topic, grades in read_qrels(self.qrels(year, unit)).grades.items():
                own = found.setdefault(topic, [])
                if unit == "formula":
                    own += [one for one in grades if opened.find_row(one) is not None]
                else:
                    known = {opened.look_of(one) for one in own}
                    looks = {of_visual[one] for one in grades if one in of_visual} - known
                    own += [opened.list_members(look)[0]["id"] for look in sorted(looks)]
        return {topic: own for topic, own in found.items() if own}

    def baselines(self) -> dict[str, Path]:
        """The judged formulas in orders that any other is to beat."""
        topics = {topic.id: topic for topic in read_topic_files([self.topics(year) for year in YEARS])}
        pool = {topic: own for topic, own in self.pool().items() if topic in topics}
        for name in BASELINES:
            if not (self.place / f"{name}.tsv").exists():
                baseline(name, open_index(self.index), topics, pool, self.place / f"{name}.tsv")
        return {name: self.place / f"{name}.tsv" for name in BASELINES}

    def judged(self, name: str, kind: ComparisonName, encoder: str = "minilm") -> Path:
        """The judged formulas in the order of a representation."""
        own = encoder if encoder == "minilm" else fingerprint_folder(Path(encoder))
        out = self.place / own / f"{name}.tsv"
        if not out.exists():
            out.parent.mkdir(exist_ok=True)
            run = self.place / "random.tsv"
            rerank_formulas(Rerank(self.collection, self.index, out, run, kind, encoder, depth=1_000))
        return out

    def figures(self, runs: Sequence[Path], year: str, unit: JudgedUnit) -> dict[str, Any]:
        """The measures of runs in a year; the first is what the others are compared with."""
        qrels, topics = (self.qrels(year, unit),), (self.topics(year),)
        spec = EvaluateFormulas(tuple(runs), self.index, qrels, unit, topics)
        result = evaluated(spec)
        rows: dict[str, Any] = {"topics": result["topics"], "judged": result["judged"]}
        for system in result["systems"]:
            low, high = system["intervals"]["ndcg10_prime"]
            rows[Path(system["run"]).stem] = {
                **{name: round(system[name], 4) for name in SHOWN},
                "ndcg10_interval": [round(low, 4), round(high, 4)],
                "by_size_ndcg10": {
                    name: round(third["ndcg10_prime"], 4) for name, third in system["by_size"].items()
                },
            }
        rows["tests"] = [
            {
                "run": Path(one["run"]).stem,
                "measure": one["measure"],
                "difference": round(one["difference"], 4),
                "interval": [round(value, 4) for value in one["interval"]],
                "bonferroni_p": round(one["bonferroni_p"], 4),
            }
            for one in result["comparisons"]
        ]
        return rows


def latencies(measured: Measured) -> dict[str, float]:
    """Milliseconds of processor time a query, over the topics of both years."""
    opened = open_index(measured.index)
    times = []
    for year in YEARS:
        for topic in read_topics(measured.topics(year)):
            began = time.process_time()
            rank_formulas(opened, ParsedFormula(topic.latex), 1_000)
            times.append(1_000 * (time.process_time() - began))
    times.sort()
    return {
        "queries": len(times),
        "median_ms": round(times[len(times) // 2], 1),
        "p95_ms": round(times[int(0.95 * len(times))], 1),
        "slowest_ms": round(times[-1], 1),
    }


def contexts(measured: Measured, count: int = 1_000) -> dict[str, float]:
    """Processor time from fields of posts to marked strings, models loaded before."""
    opened = open_index(measured.index)
    names = [row["id"] for row in opened.formulas.to_pylist() if row["field"] >= 0]
    chosen = names[:: max(1, len(names) // count)][:count]
    strings = FormulaStrings(opened, "mathamr-marked", 0)
    strings.write_formulas(chosen[:5])
    began = time.process_time()
    strings.write_formulas(chosen)
    return {"contexts": len(chosen), "cpu_s": round(time.process_time() - began, 1)}


def tuned(measured: Measured, runs: Sequence[Path]) -> tuple[float, ...]:
    """Weights of a sum of scores that do best on the judged formulas of 2020."""
    qrels = read_qrels(measured.qrels("2020", "formula"))
    read = [read_run(path, task=2) for path in runs]
    return tune_weights(read, qrels, topics=qrels.topics, steps=5, measure="ndcg10_prime")[0]


def stages(measured: Measured) -> list[Path]:
    """The first stage's run over both years, and for each representation that reranked and both fused."""
    place = measured.place
    first = place / "first.tsv"
    if not first.exists():
        whole = place / "first-of-all-topics.tsv"
        search(SearchFormulas(measured.index, topics=tuple(map(measured.topics, YEARS)), run=whole))
        judged = measured.pool()
        run = read_run(whole, task=2)
        write_run(TrecRun("paths", {t: found for t, found in run.rankings.items() if t in judged}), first)
    found = [first]
    for kind in BY:
        again, both = place / f"reranked-{kind}.tsv", place / f"first+{kind}.tsv"
        if not again.exists():
            rerank_formulas(
                Rerank(measured.collection, measured.index, again, first, kind=kind, depth=RERANKED)
            )
        fuse_runs(FuseFormulaRuns((first, again), both))
        found += [again, both]
    return found


def markdown(figures: Mapping[str, Any]) -> str:
    """The tables of `docs/measurements/mathamr.md`."""
    lines: list[str] = []
    titles = {"judged": "Judged formulas", "stages": "First stage, reranked, fused"}
    for part, unit in product(titles, UNITS):
        for year in reversed(YEARS):
            rows_of = figures[part][unit][year]
            title = f"{titles[part]}, judgements by {UNITS[unit]}"
            size = f"{rows_of['topics']} topics of {year} ({rows_of['judged']} visually distinct formulas)"
            lines += [f"**{title}, {size}**", ""]
            tests = {t["run"]: t for t in rows_of["tests"] if t["measure"] == "ndcg10_prime"}
            names = [name for name in rows_of if name not in ("topics", "judged", "tests")]
            base, rows = names[0], []
            for name in sorted(names, key=lambda name: rows_of[name]["ndcg10_prime"]):
                row = rows_of[name]
                cells = [f"`{name}`", *(f"{row[m]:.3f}" for m in SHOWN[:2])]
                cells += ["{:.3f} to {:.3f}".format(*row["ndcg10_interval"])]
                cells += [f"{row[m]:.3f}" for m in ("p5_prime", "map_prime")]
                test = tests.get(name)
                shown = "{:+.3f} ({:+.3f} to {:+.3f})"
                cells += [
                    shown.format(test["difference"], *test["interval"]) if test else "",
                    f"{test['bonferroni_p']:.3f}" if test else "",
                ]
                rows.append(cells)
            heads = ["ranked by", "nDCG'@5", "nDCG'@10", "95 %", "P'@5", "mAP'", f"@10 against `{base}`", "p"]
            lines += table(heads, rows)
    parts = ", ".join(f"{weight:g} `{part}`" for part, weight in figures["weights"].items() if weight)
    lines += [f"`fused`, chosen on 2020 by formula id: {parts}.", ""]
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--sentences", type=Path, help="a sentence encoder trained on marked graphs")
    parser.add_argument("--into", type=Path, help="the page whose tables are replaced")
    given = parser.parse_args()
    kept = Record("mathamr", given.out, collection=given.collection, sentences=given.sentences)
    given.cache.mkdir(parents=True, exist_ok=True)
    measured = Measured(given.collection, given.cache)
    began = time.process_time()
    built = index(IndexFormulas(given.collection, measured.index))
    figures: dict[str, Any] = {
        "index": {
            "formulas": built["formulas"],
            "looks": built["looks"],
            "cpu_s": round(time.process_time() - began, 1),
        },
        "search": latencies(measured),
        "representation": contexts(measured),
    }
    kinds: list[tuple[str, ComparisonName, Path | str | None]] = [
        ("paths", "paths", "minilm"),
        *((kind, kind, "minilm") for kind in KINDS),
        ("trained", "mathamr-marked", given.sentences),
    ]
    runs = measured.baselines()
    runs |= {name: measured.judged(name, kind, str(by)) for name, kind, by in kinds if by}
    found = [part for part in FUSED if part in runs]
    weights = tuned(measured, [runs[part] for part in found])
    figures["weights"] = dict(zip(found, weights, strict=True))
    out = measured.place / "fused.tsv"
    fuse_runs(FuseFormulaRuns(tuple(runs[part] for part in found), out, "weighted", weights))
    runs["fused"] = out
    order = [runs["latex"], *(path for name, path in runs.items() if name != "latex")]
    of_stages = stages(measured)
    figures |= {"judged": {}, "stages": {}}
    for unit, year in product(UNITS, YEARS):
        figures["judged"].setdefault(unit, {})[year] = measured.figures(order, year, unit)
        figures["stages"].setdefault(unit, {})[year] = measured.figures(of_stages, year, unit)
    figures["reranked"] = RERANKED
    kept.write(figures)
    if given.into:
        put_into(given.into, markdown(figures))
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
