"""The worth of each stage of the pipeline on the mini collection, chosen on the topics of one year and
reported on those of the other, both ways round.

    .venv/bin/python -m benchmarks.arqmath COLLECTION --cache DIR [--reranker MODEL] [--second]
        [--into docs/measurements/arqmath.md]

COLLECTION holds posts, topics and `*_mini` judgements of both years, and the table of the topics of 2021
that says whether a topic rests on text, formulas or both. Two pools: the whole collection, of which each
first stage finds 1,000 as `arqmath rank` does, and the judged answers of a topic, all of which every system
orders; a cross-encoder, MODEL, orders the second one, alone and beside a first stage, and so do the second
stages without training (`--second`); all signals beside the first stage with `SHARE` each are one system
more, in which nothing is chosen. The figures of a run with second stages have a file of their own. k1 and b
of BM25, the weights of sums, the constant of reciprocal rank fusion and the weight of the cross-encoder
beside the first stage are chosen by nDCG'. "Both years" puts the two reports together: no topic has had a
say in the settings that it is measured with. Index and scores of cross-encoders are kept in the cache and
used again.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of, put_into, table
from engines.arqmath.collection.index import AnswerIndex, open_index
from engines.arqmath.collection.index_build import build_index, document_text
from engines.arqmath.first_stage import FirstStage
from engines.arqmath.ranking.cross_encoder import CrossEncoder
from engines.arqmath.ranking.rank import combine_stages, compute_recall, tune_interpolation
from engines.arqmath.ranking.reranking import score_candidates
from engines.arqmath.ranking.scorers import FormulaScorer, InteractionScorer, Scorer
from engines.arqmath.ranking.tune import BM25_GRID, RANK_CONSTANTS
from engines.forum.folder import ArqmathFolder
from engines.forum.topics import Topic, read_topics
from engines.retrieval.bm25 import Bm25, Frequencies
from engines.retrieval.fusion import tune_weights, weighted_sum
from engines.retrieval.measures import Evaluation, evaluate
from engines.retrieval.significance import bootstrap_interval, compare, holm
from engines.retrieval.trec import DEPTH, Qrels, TrecRun, read_qrels, read_run
from workbench.cli.command import progress_line

SHOWN = ("ndcg_prime", "map_prime", "p10_prime")
UNTUNED = (1.2, 0.75)
TOKENS = 192
"""Of a pair, for the cross-encoder."""
SHARE = 0.15
"""Of each second stage without training beside the first stage's 1."""
SHUFFLES = 50
KINDS = ("Both", "Math", "Text")
UNTRAINED = ("formulas", "interaction")
SECOND = ("reranker", *UNTRAINED)
THREE: tuple[str, ...] = ("lexical", "dense", "questions")
BM25, TWO, RANKS = "BM25", "rrf(lexical, dense)", "rrf(lexical, dense, questions)"
EQUAL, DEFAULT = "lexical + dense + questions", "lexical + questions"
BASELINES = (BM25, TWO)
"""Every system is tested against both; BM25 with k1 and b as an index has them."""
DIRECTIONS = {"2021": "2020", "2020": "2021"}
"""Which year's topics the settings are chosen on, by the year that is reported."""
REPORTS = (*DIRECTIONS, "both years")

Pools = dict[str, dict[str, TrecRun]]
"""Runs by pool and system."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The collection's answers, the topics and judgements of both years, and what an index found."""

    index: AnswerIndex
    topics: tuple[Topic, ...]
    years: Mapping[str, Qrels]
    kinds: Mapping[str, str]
    cache: Path

    @property
    def texts(self) -> dict[str, str]:
        return {topic.id: topic.text for topic in self.topics}

    @property
    def both(self) -> Qrels:
        return Qrels({topic: grades for year in self.years.values() for topic, grades in year.grades.items()})

    def judged(self, run: TrecRun) -> TrecRun:
        """The run cut to judged answers; those it lacks follow behind in the order of their ids."""
        found = {}
        for topic, grades in self.both.grades.items():
            own = [pair for pair in run.rankings.get(topic, ()) if pair[0] in grades]
            lowest = own[-1][1] if own else 0.0
            rest = sorted(grades.keys() - {answer for answer, _ in own}, reverse=True)
            found[topic] = own + [(answer, lowest - 1e-3 * place) for place, answer in enumerate(rest, 1)]
        return TrecRun(run.tag, found)


def set_up(collection: Path, cache: Path) -> Bench:
    """Open the collection, and build its index in the cache where there is none."""
    folder = ArqmathFolder.open(collection)
    build_index(folder, cache / "index", dense=True, events=progress_line("index"))
    years = {}
    for year in DIRECTIONS:
        chosen = [file for file in folder.qrels[1] if year in file.name and "_mini" in file.name]
        if not chosen:
            raise SystemExit(f"no qrels_task1_{year}_mini in the collection")
        years[year] = read_qrels(chosen[0])
    topics = {topic.id: topic for file in folder.topics[1] for topic in read_topics(file)}
    kinds: dict[str, str] = {}
    for file in folder.topic_info:
        with file.open(encoding="utf-8-sig", newline="") as table:
            for row in csv.DictReader(table):
                kind = row.get("Dependency", "")
                kinds[row["Topic"]] = "Math" if kind == "Formula" else kind
    asked = tuple(topic for name, topic in topics.items() if any(name in q.grades for q in years.values()))
    return Bench(open_index(cache / "index"), asked, years, kinds, cache)


def lexical_runs(bench: Bench) -> dict[tuple[float, float], TrecRun]:
    """BM25 over all answers by k1 and b."""
    ids = [name.decode() for name in bench.index.ids.tolist()]
    answers = bench.index.store.get_posts(ids)
    version = bench.index.open_retriever("lexical").part.about["tokens"]
    counted = Frequencies(map(document_text, map(answers.__getitem__, ids)), bench.texts, version)
    runs = {}
    for k1, b in BM25_GRID:
        found = {
            topic: [(ids[row], float(score)) for row, score in zip(rows.tolist(), scores, strict=True)]
            for topic, scores, rows in counted.search(Bm25(k1, b), DEPTH)
        }
        runs[k1, b] = TrecRun.from_scores("BM25", found)
    return runs


def scores_of(bench: Bench, scorer: Scorer, candidates: TrecRun) -> tuple[TrecRun, dict[str, Any]]:
    """A second stage's run over candidates, from the cache where it is there."""
    asked = {topic: sorted(answer for answer, _ in ranking) for topic, ranking in candidates.rankings.items()}
    content = repr((scorer.fingerprint, sorted(asked.items())))
    out = bench.cache / f"reranker-{hashlib.sha256(content.encode()).hexdigest()[:12]}.run"
    if out.exists():
        return read_run(out), {}
    events = progress_line(scorer.name)
    result = score_candidates(bench.topics, asked, bench.index.store, scorer, out, events=events)
    return result.run, {
        "pairs": result.pairs,
        "truncated_share": round(result.truncated / result.pairs, 4),
        "pairs_per_s": round(result.pairs_per_s, 1),
    }


def shuffled(qrels: Qrels) -> Evaluation:
    """Every judged answer in random order, the mean of many orders: what no system at all reaches."""
    generator = np.random.default_rng(0)
    several = []
    for _ in range(SHUFFLES):
        scores = {
            topic: [(answer, float(generator.random())) for answer in grades]
            for topic, grades in qrels.grades.items()
        }
        several.append(evaluate(TrecRun.from_scores("random", scores), qrels))
    per_topic = {
        topic: {
            name: float(np.mean([one.per_topic[topic][name] for one in several]))
            for name in several[0].per_topic[topic]
        }
        for topic in qrels.grades
    }
    names = next(iter(per_topic.values()))
    mean = {name: float(np.mean([row[name] for row in per_topic.values()])) for name in names}
    return Evaluation(per_topic, mean, tuple(per_topic), mean, several[0].judged_counts)


def ndcg(run: TrecRun, qrels: Qrels) -> float:
    """The mean that everything is chosen by."""
    return evaluate(run, qrels, ["ndcg_prime"]).mean["ndcg_prime"]


def first_stages(
    bench: Bench, lexical: Mapping[tuple[float, float], TrecRun], vectors: Mapping[str, TrecRun], year: str
) -> tuple[dict[str, TrecRun], dict[str, Any]]:
    """First stages by name, with what was chosen on the topics of `year`."""
    qrels = bench.years[year]
    found: dict[str, TrecRun] = {"lexical": lexical[UNTUNED], **vectors}

    def summed(names: Sequence[str]) -> FirstStage:
        weights, _ = tune_weights([found[name] for name in names], qrels, topics=qrels.grades, steps=20)
        return FirstStage(tuple(pair for pair in zip(names, weights, strict=True) if pair[1]))

    def by_ranks(k: int) -> FirstStage:
        return FirstStage(tuple((name, 1.0) for name in THREE), k)

    best = max(lexical, key=lambda at: ndcg(lexical[at], qrels))
    ranks = by_ranks(max(RANK_CONSTANTS, key=lambda k: ndcg(by_ranks(k).fuse_runs(found), qrels)))
    two, three = summed(THREE[:2]), summed(THREE)
    runs = {
        BM25: found["lexical"],
        "BM25, k1 and b chosen": lexical[best],
        "dense": found["dense"],
        "questions": found["questions"],
        TWO: FirstStage.from_text(TWO).fuse_runs(found),
        RANKS: FirstStage.from_text(RANKS).fuse_runs(found),
        "rrf of three, k chosen": ranks.fuse_runs(found),
        "lexical + dense, weights chosen": two.fuse_runs(found),
        EQUAL: FirstStage.from_text(EQUAL).fuse_runs(found),
        "the same, weights chosen": three.fuse_runs(found),
        DEFAULT: FirstStage.from_text(DEFAULT).fuse_runs(found),
    }
    runs = {name: run.limit_depth(DEPTH) for name, run in runs.items()}
    chosen = {"k1": best[0], "b": best[1], "ranks": str(ranks), "two": str(two), "three": str(three)}
    return runs, chosen


def systems(
    bench: Bench,
    lexical: Mapping[tuple[float, float], TrecRun],
    vectors: Mapping[str, TrecRun],
    scorers: Mapping[str, Scorer],
    year: str,
) -> tuple[Pools, dict[str, Any]]:
    """Every system's run with its settings chosen on the topics of `year`, and what was chosen."""
    stages, chosen = first_stages(bench, lexical, vectors, year)
    pools = {"collection": stages, "judged": {name: bench.judged(run) for name, run in stages.items()}}
    qrels, runs = bench.years[year], pools["judged"]
    first, signals = runs[EQUAL], [runs[EQUAL]]
    for name, scorer in scorers.items():
        scored, facts = scores_of(bench, scorer, first)
        weight, _ = tune_interpolation(first, scored, qrels, topics=qrels.grades, steps=20)
        runs[f"{name} alone"] = combine_stages(first, scored)
        runs[f"{EQUAL} and {name}"] = combine_stages(first, scored, weight=weight)
        chosen[name] = {**facts, "weight": weight}
        signals += [scored] if name in UNTRAINED else []
    if len(signals) > 1:
        shares = [1.0, *([SHARE] * (len(signals) - 1))]
        runs[f"{EQUAL} and {' and '.join(UNTRAINED)}, {SHARE:g} each"] = weighted_sum(signals, shares)
    return pools, chosen


def reported(bench: Bench, of_years: Mapping[str, Pools]) -> dict[str, Pools]:
    """The runs of every report: each topic's ranking with the settings of the other year."""
    result: dict[str, Pools] = {report: {} for report in REPORTS}
    for pool, names in of_years["2021"].items():
        for name in names:
            rankings: dict[str, Any] = {}
            for year, pools in of_years.items():
                run = pools[pool][name]
                own = {t: run.rankings[t] for t in bench.years[year].grades if t in run.rankings}
                result[year].setdefault(pool, {})[name] = TrecRun(run.tag, own)
                rankings |= own
            result["both years"].setdefault(pool, {})[name] = TrecRun(name, rankings)
    return result


def measured(
    runs: Mapping[str, TrecRun], qrels: Qrels, kinds: Mapping[str, str], *, random: bool
) -> dict[str, Any]:
    """Each system on some topics: means, intervals, by kind of topic, and the tests against the baselines."""
    results = {name: evaluate(run, qrels) for name, run in runs.items()}
    if random:
        results = {"random order": shuffled(qrels), **results}
    values = {
        name: {topic: row["ndcg_prime"] for topic, row in result.per_topic.items()}
        for name, result in results.items()
    }
    tests: dict[str, dict[str, Any]] = {name: {} for name in results}
    for baseline in (*BASELINES, EQUAL):
        found = {name: compare(values[baseline], values[name]) for name in runs if name != baseline}
        adjusted = holm([test.randomisation_p for test in found.values()])
        for (name, test), holm_p in zip(found.items(), adjusted, strict=True):
            tests[name][baseline] = {
                "difference": round(test.difference, 4),
                "interval": [round(value, 4) for value in test.interval],
                "t_p": round(test.t_p, 5),
                "randomisation_p": round(test.randomisation_p, 5),
                "holm_p": round(holm_p, 5),
                "wins": test.wins,
                "losses": test.losses,
            }
    rows = {}
    for name, result in results.items():
        low, high = bootstrap_interval(list(values[name].values()))
        row: dict[str, Any] = {measure: round(result.mean[measure], 4) for measure in SHOWN}
        row["ndcg_prime_interval"] = [round(low, 4), round(high, 4)]
        for kind in KINDS:
            topics = [topic for topic in result.per_topic if kinds.get(topic) == kind]
            if topics:
                row[f"ndcg_prime_{kind.lower()}"] = round(result.mean_over_topics(topics)["ndcg_prime"], 4)
        rows[name] = row | {"against": tests[name]}
    return rows


def compared(
    figures: Mapping[str, Any], pool: str, baselines: Sequence[str], named: Mapping[str, str]
) -> list[str]:
    """The table of a pool with the tests against some systems."""
    heads = ["topics", "system", "nDCG'", *(h for name in baselines for h in (f"against {name}", "p (Holm)"))]
    rows = []
    for report in REPORTS:
        for name, row in figures["reports"][report][pool].items():
            cells = [named[report], name, f"{row['ndcg_prime']:.3f}"]
            for baseline in baselines:
                test = row["against"].get(baseline)
                cells += _test(test) if test else ["", ""]
            rows.append(cells)
    return table(heads, rows)


def markdown(bench: Bench, figures: Mapping[str, Any]) -> str:
    """The tables of `docs/measurements/arqmath.md`, the one of both directions first."""
    counts = {year: len(qrels.grades) for year, qrels in bench.years.items()}
    counts["both years"] = sum(counts.values())
    named = {
        year: f"{counts[year]} topics of {year}, chosen on {other}" for year, other in DIRECTIONS.items()
    }
    named["both years"] = f"both years, {counts['both years']} topics"
    lines = [f"**The whole mini collection ({len(bench.index):,} answers)**", ""]
    lines += compared(figures, "collection", BASELINES, named)
    if any(name in chosen for chosen in figures["chosen"].values() for name in SECOND):
        lines += ["**The judged answers, with second stages**", ""]
        lines += compared(figures, "judged", (BM25, EQUAL), named)
    for year in DIRECTIONS:
        for pool, rows_of in figures["reports"][year].items():
            title = "The judged answers" if pool == "judged" else "The whole collection"
            lines += [f"**{title}, {named[year]}**", ""]
            kinds = [kind for kind in KINDS if f"ndcg_prime_{kind.lower()}" in rows_of[BASELINES[0]]]
            asked = bench.years[year].grades
            heads = ["system", "nDCG'", "95 %", "mAP'", "P'@10"]
            heads += [f"{kind} ({sum(bench.kinds.get(t) == kind for t in asked)})" for kind in kinds]
            rows = [
                [
                    name,
                    f"{row['ndcg_prime']:.3f}",
                    _interval(row["ndcg_prime_interval"]),
                    *(f"{row[measure]:.3f}" for measure in SHOWN[1:]),
                    *(f"{row[f'ndcg_prime_{kind.lower()}']:.3f}" for kind in kinds),
                ]
                for name, row in rows_of.items()
            ]
            lines += table(heads, rows)
    lines += ["Recall of the first stages at grade 2 and more:", ""]
    depths = list(next(iter(figures["recall"]["2021"].values())))
    rows = [
        [name, *(f"{figures['recall'][year][name][at]:.3f}" for year in DIRECTIONS for at in depths)]
        for name in figures["recall"]["2021"]
    ]
    heads = ["first stage", *(f"{year} at {int(at):,}" for year in DIRECTIONS for at in depths)]
    lines += table(heads, rows)
    for year, chosen in figures["chosen"].items():
        parts = [f"k1 {chosen['k1']:g} and b {chosen['b']:g}"]
        parts += [f"`{chosen[name]}`" for name in ("ranks", "two", "three")]
        parts += [f"{chosen[name]['weight']:.2f} for {name}" for name in SECOND if name in chosen]
        lines += [f"Chosen on the {counts[year]} topics of {year}: {'; '.join(parts)}.", ""]
    return "\n".join(lines)


def _test(test: Mapping[str, Any]) -> list[str]:
    difference = f"{test['difference']:+.3f} ({_interval(test['interval'], '+')})"
    return [difference, f"{test['randomisation_p']:.4f} ({test['holm_p']:.4f})"]


def _interval(bounds: Sequence[float], sign: str = "") -> str:
    low, high = bounds
    return f"{low:{sign}.3f} to {high:{sign}.3f}"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--reranker", type=Path, metavar="MODEL", help="a cross-encoder")
    parser.add_argument("--second", action="store_true", help="second stages without training")
    parser.add_argument("--into", type=Path, help="the page whose tables are replaced")
    arguments = parser.parse_args()
    name = "arqmath_reranker" if arguments.reranker else "arqmath_second" if arguments.second else "arqmath"
    about = {"collection": arguments.collection, "reranker": arguments.reranker}
    kept = Record(name, arguments.out, **about)
    bench = set_up(arguments.collection, arguments.cache)
    lexical = lexical_runs(bench)
    vectors: dict[str, TrecRun] = {
        name: bench.index.rank_topics(bench.texts, DEPTH, how=name) for name in THREE[1:]
    }
    scorers: dict[str, Scorer] = {}
    if arguments.reranker:
        scorers["reranker"] = CrossEncoder(arguments.reranker, max_tokens=TOKENS)
    if arguments.second:
        scorers |= {"formulas": FormulaScorer(), "interaction": InteractionScorer()}
    of_years, chosen, found = {}, {}, {}
    for year, other in DIRECTIONS.items():
        of_years[year], chosen[other] = systems(bench, lexical, vectors, scorers, other)
    runs = reported(bench, of_years)
    for year in DIRECTIONS:
        found[year] = {
            name: {str(at): round(value, 4) for at, value in compute_recall(run, bench.years[year]).items()}
            for name, run in runs[year]["collection"].items()
            if not any(second in name for second in SECOND)
        }
    figures = {
        "answers": len(bench.index),
        "topics": {year: len(qrels.grades) for year, qrels in bench.years.items()},
        "chosen": chosen,
        "recall": found,
        "reports": {
            report: {
                pool: measured(
                    systems_of, bench.years.get(report, bench.both), bench.kinds, random=pool == "judged"
                )
                for pool, systems_of in pools.items()
            }
            for report, pools in runs.items()
        },
    }
    text = markdown(bench, figures)
    kept.write(figures, libraries=["faiss-cpu", "torch", "transformers"])
    if arguments.into:
        put_into(arguments.into, text)
    print(text)


if __name__ == "__main__":
    main()
