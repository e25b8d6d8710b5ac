"""What each stage of the pipeline is worth on the mini collection: tuned on the topics of 2020, told of 2021.

    .venv/bin/python -m benchmarks.arqmath COLLECTION --cache DIR [--plain MODEL] [--pretrained MODEL]
        [--depth 100] [--into docs/arqmath.md]

COLLECTION holds posts, topics and `*_mini` judgements of both years, and the table of the topics of 2021 that
says whether a topic rests on text, formulas or both. MODEL is a fine-tuned cross-encoder, without and with
mathematical pre-training; what is not given is left out. Two pools: the judged answers of a topic, all of
which every system orders, and the whole collection, of which a first stage finds 1,000 and the cross-encoder
orders the first 100 anew. k1 and b of BM25, the weight of dense beside lexical and that of the cross-encoder
beside the first stage are chosen by nDCG' on 2020. Index and runs are kept in the cache and used again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import record
from engines.arqmath.collection import Topic, read_topics
from engines.arqmath.cross_encoder import CrossEncoder
from engines.arqmath.folder import ArqmathFolder
from engines.arqmath.index import Index, build_index, document_text, open_index
from engines.arqmath.ranking import rank
from engines.arqmath.stages import recall, second_stage, tune_interpolation
from engines.retrieval.fusion import reciprocal_rank_fusion, tune_weights, weighted_sum
from engines.retrieval.lexical import Bm25, LexicalIndex, TermPart, build_lexical
from engines.retrieval.measures import Evaluation, evaluate
from engines.retrieval.qrels import Qrels, read_qrels
from engines.retrieval.run import Run, read_run
from engines.retrieval.significance import bootstrap_interval, compare, holm
from workbench.cli.common import progress_line

SHOWN = ("ndcg_prime", "map_prime", "p10_prime")
K1 = (0.4, 0.8, 1.2, 1.6, 2.0, 3.0)
B = (0.0, 0.25, 0.5, 0.75, 1.0)
SHUFFLES = 50
KINDS = ("Both", "Math", "Text")
BASELINE = "BM25"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True, slots=True)
class Bench:
    """The collection's answers, the topics and judgements of both years, and what an index found."""

    index: Index
    topics: tuple[Topic, ...]
    tuning: Qrels
    report: Qrels
    both: Qrels
    kinds: Mapping[str, str]
    cache: Path
    depth: int

    @property
    def texts(self) -> dict[str, str]:
        return {topic.id: topic.text for topic in self.topics}

    def judged(self, run: Run) -> Run:
        """The run cut to judged answers; those it lacks follow behind in the order of their ids."""
        found = {}
        for topic, grades in self.both.grades.items():
            own = [pair for pair in run.rankings.get(topic, ()) if pair[0] in grades]
            lowest = own[-1][1] if own else 0.0
            rest = sorted(grades.keys() - {answer for answer, _ in own}, reverse=True)
            found[topic] = own + [(answer, lowest - 1e-3 * place) for place, answer in enumerate(rest, 1)]
        return Run(run.tag, found)


def one_qrels(files: Iterable[Path], year: str) -> Qrels:
    """The judgements of one year that the mini collection can answer."""
    chosen = [file for file in files if year in file.name and "_mini" in file.name]
    if not chosen:
        raise SystemExit(f"no qrels_task1_{year}_mini in the collection")
    return read_qrels(chosen[0])


def set_up(collection: Path, cache: Path, depth: int) -> Bench:
    """Open the collection, and build its index in the cache where there is none."""
    folder = ArqmathFolder.open(collection)
    build_index(folder, cache / "index", dense=True, events=progress_line("index"))
    tuning, report = (one_qrels(folder.qrels[1], year) for year in ("2020", "2021"))
    both = Qrels({**tuning.grades, **report.grades})
    topics = {topic.id: topic for file in folder.topics[1] for topic in read_topics(file)}
    kinds: dict[str, str] = {}
    for file in folder.topic_info:
        with file.open(encoding="utf-8-sig", newline="") as table:
            for row in csv.DictReader(table):
                kind = row.get("Dependency", "")
                kinds[row["Topic"]] = "Math" if kind == "Formula" else kind
    asked = tuple(topic for name, topic in topics.items() if name in both.grades)
    return Bench(open_index(cache / "index"), asked, tuning, report, both, kinds, cache, depth)


def lexical_run(bench: Bench, index: LexicalIndex, depth: int) -> Run:
    ids = [name.decode() for name in bench.index.ids.tolist()]
    found = {}
    for topic, text in bench.texts.items():
        scores, rows = index.search(text, depth)
        found[topic] = [
            (ids[row], float(score)) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        ]
    return Run.from_scores("BM25", found)


def tuned_bm25(bench: Bench, every: int) -> tuple[Run, Run, dict[str, Any]]:
    """BM25 as it comes and as it does best on the topics of 2020, over all answers."""
    answers = bench.index.store.many([name.decode() for name in bench.index.ids.tolist()])
    texts = [document_text(answers[name.decode()]) for name in bench.index.ids.tolist()]
    part = TermPart.of(texts)
    tried: dict[tuple[float, float], float] = {}
    runs: dict[tuple[float, float], Run] = {}
    for k1, b in product(K1, B):
        place = bench.cache / "bm25"
        build_lexical([part], place, Bm25(k1, b))
        runs[k1, b] = lexical_run(bench, LexicalIndex(place), every)
        tried[k1, b] = evaluate(runs[k1, b], bench.tuning, ["ndcg_prime"]).mean["ndcg_prime"]
    best = max(tried, key=lambda at: tried[at])
    figures = {
        "k1": best[0],
        "b": best[1],
        "ndcg_prime_2020": round(tried[best], 4),
        "ndcg_prime_2020_untuned": round(tried[1.2, 0.75], 4),
    }
    return runs[1.2, 0.75], runs[best], figures


def scores_of(
    bench: Bench, model: Path, candidates: Run | Mapping[str, Sequence[str]], name: str
) -> tuple[Run, Any]:
    """The cross-encoder's run over candidates, from the cache where it is there."""
    encoder = CrossEncoder(model)
    if isinstance(candidates, Run):
        candidates = {topic: [a for a, _ in ranking] for topic, ranking in candidates.rankings.items()}
    content = repr((encoder.fingerprint, sorted((topic, tuple(ids)) for topic, ids in candidates.items())))
    out = bench.cache / f"{name}-{hashlib.sha256(content.encode()).hexdigest()[:12]}.run"
    if out.exists():
        return read_run(out), {"cached": True}
    events = progress_line(name)
    found = rank(bench.topics, candidates, bench.index.store, encoder, out, tag=name, events=events)
    facts = {
        "pairs": found.pairs,
        "truncated_share": round(found.truncated / found.pairs, 4),
        "pairs_per_s": round(found.pairs_per_s, 1),
    }
    return found.run, facts


def shuffled(bench: Bench) -> Evaluation:
    """Every judged answer in random order, the mean of many orders: what no system at all reaches."""
    generator = np.random.default_rng(0)
    several = []
    for _ in range(SHUFFLES):
        scores = {
            topic: [(answer, float(generator.random())) for answer in grades]
            for topic, grades in bench.report.grades.items()
        }
        several.append(evaluate(Run.from_scores("random", scores), bench.report))
    per_topic = {
        topic: {
            name: float(np.mean([one.per_topic[topic][name] for one in several]))
            for name in several[0].per_topic[topic]
        }
        for topic in bench.report.grades
    }
    names = next(iter(per_topic.values()))
    mean = {name: float(np.mean([row[name] for row in per_topic.values()])) for name in names}
    return Evaluation(per_topic, mean, tuple(per_topic), mean, several[0].judged)


def systems(bench: Bench, models: Mapping[str, Path]) -> tuple[dict[str, dict[str, Run]], dict[str, Any]]:
    """Every system's run over both years by pool and name, and what was chosen on the way."""
    every = len(bench.index)
    untuned, bm25, chosen = tuned_bm25(bench, every)
    dense = bench.index.run(bench.texts, every, how="dense")
    deep = {"BM25, untuned": untuned, BASELINE: bm25, "dense MiniLM": dense}
    deep["BM25 + dense, RRF"] = reciprocal_rank_fusion([bm25, dense])
    weights, _ = tune_weights([bm25, dense], bench.tuning, topics=bench.tuning.grades, steps=20)
    fused = weighted_sum([bm25, dense], weights, tag="fused")
    deep["BM25 + dense, weighted"] = fused
    figures: dict[str, Any] = {"bm25": chosen, "dense_weight": weights[1]}
    figures["recall_2021"] = {
        name: {str(at): round(value, 4) for at, value in recall(run, bench.report).items()}
        for name, run in deep.items()
    }
    pools = {
        "judged": {name: bench.judged(run) for name, run in deep.items()},
        "collection": {name: run.cut(1_000) for name, run in deep.items()},
    }
    figures["cross_encoders"] = {}
    for name, model in models.items():
        found: dict[str, Any] = {}
        first = pools["judged"]["BM25 + dense, weighted"]
        scored, found["judged"] = scores_of(bench, model, first, f"{name}-judged")
        weight, _ = tune_interpolation(first, scored, bench.tuning, topics=bench.tuning.grades, steps=20)
        pools["judged"][f"cross-encoder, {name}"] = scored
        pools["judged"][f"weighted + cross-encoder, {name}"] = second_stage(first, scored, weight=weight)
        found["weight_judged"] = weight
        first = pools["collection"]["BM25 + dense, weighted"]
        scored, found["collection"] = scores_of(bench, model, first.cut(bench.depth), f"{name}-top")
        weight, _ = tune_interpolation(first, scored, bench.tuning, topics=bench.tuning.grades, steps=20)
        pools["collection"][f"two-stage, {name}"] = second_stage(first, scored)
        pools["collection"][f"two-stage, weighted, {name}"] = second_stage(first, scored, weight=weight)
        found["weight_collection"] = weight
        figures["cross_encoders"][name] = found
    return pools, figures


def measured(bench: Bench, runs: Mapping[str, Run], *, random: bool) -> dict[str, dict[str, Any]]:
    """Each system on the topics of 2021: means, intervals, by kind of topic, and the test against BM25."""
    results = {name: evaluate(run, bench.report) for name, run in runs.items()}
    if random:
        results = {"random order": shuffled(bench), **results}
    values = {
        name: {topic: row["ndcg_prime"] for topic, row in result.per_topic.items()}
        for name, result in results.items()
    }
    others = [name for name in runs if name != BASELINE]
    tests = {name: compare(values[BASELINE], values[name]) for name in others}
    adjusted = dict(zip(others, holm([tests[name].randomisation_p for name in others]), strict=True))
    rows = {}
    for name, result in results.items():
        low, high = bootstrap_interval(list(values[name].values()))
        row: dict[str, Any] = {measure: round(result.mean[measure], 4) for measure in SHOWN}
        row["ndcg_prime_interval"] = [round(low, 4), round(high, 4)]
        for kind in KINDS:
            topics = [topic for topic in result.per_topic if bench.kinds.get(topic) == kind]
            row[f"ndcg_prime_{kind.lower()}"] = (
                round(result.over(topics)["ndcg_prime"], 4) if topics else None
            )
        if name in tests:
            test = tests[name]
            row |= {
                "difference": round(test.difference, 4),
                "difference_interval": [round(value, 4) for value in test.interval],
                "randomisation_p": round(test.randomisation_p, 5),
                "holm_p": round(adjusted[name], 5),
                "wins": test.wins,
                "losses": test.losses,
            }
        rows[name] = row
    return rows


def markdown(bench: Bench, pools: Mapping[str, Mapping[str, Any]], figures: Mapping[str, Any]) -> str:
    """The tables of `docs/arqmath.md`."""
    titles = {
        "judged": f"The judged answers, {len(bench.report.grades)} topics of 2021",
        "collection": f"The whole mini collection ({len(bench.index):,} answers), the same topics",
    }
    counts = {kind: sum(bench.kinds.get(topic) == kind for topic in bench.report.grades) for kind in KINDS}
    heads = ["system", "nDCG'", "95 %", "mAP'", "P'@10", *(f"{kind} ({counts[kind]})" for kind in KINDS)]
    heads += ["against BM25", "Holm"]
    lines: list[str] = []
    for pool, rows in pools.items():
        lines += [f"**{titles[pool]}**", "", "| " + " | ".join(heads) + " |"]
        lines.append("|---|" + "--:|" * (len(heads) - 1))
        for name, row in rows.items():
            cells = [name, f"{row['ndcg_prime']:.3f}", "{:.3f} to {:.3f}".format(*row["ndcg_prime_interval"])]
            cells += [f"{row[measure]:.3f}" for measure in SHOWN[1:]]
            parts = [row[f"ndcg_prime_{kind.lower()}"] for kind in KINDS]
            cells += ["" if part is None else f"{part:.3f}" for part in parts]
            if "holm_p" in row:
                cells += [f"{row['difference']:+.3f}", f"{row['holm_p']:.4f}"]
            else:
                cells += ["", ""]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["Recall of the first stages at grade 2 and more, the same topics:", ""]
    depths = list(next(iter(figures["recall_2021"].values())))
    lines += ["| first stage | " + " | ".join(f"at {int(at):,}" for at in depths) + " |"]
    lines.append("|---|" + "--:|" * len(depths))
    for name, found in figures["recall_2021"].items():
        lines.append(f"| {name} | " + " | ".join(f"{found[at]:.3f}" for at in depths) + " |")
    bm25 = figures["bm25"]
    chosen = [f"k1 {bm25['k1']:g} and b {bm25['b']:g}", f"{figures['dense_weight']:.2f} for dense"]
    for name, found in figures["cross_encoders"].items():
        weights = f"{found['weight_judged']:.2f} (judged) and {found['weight_collection']:.2f} (collection)"
        chosen.append(f"{weights} for the cross-encoder, {name}")
    lines += ["", f"Chosen on the {len(bench.tuning.grades)} topics of 2020: {'; '.join(chosen)}.", ""]
    return "\n".join(lines)


def put_into(page: Path, text: str) -> None:
    """Replace what stands between the two marks of the page."""
    before, mark, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{page} has no lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--plain", type=Path, help="a cross-encoder without mathematical pre-training")
    parser.add_argument("--pretrained", type=Path, help="one with it")
    parser.add_argument("--depth", type=int, default=100, help="answers that go to the second stage")
    parser.add_argument("--into", type=Path, help="the page whose tables are replaced")
    parser.add_argument("--try", dest="trial", action="store_true", help="print only, keep no result")
    arguments = parser.parse_args()
    given = {"plain": arguments.plain, "pre-trained": arguments.pretrained}
    bench = set_up(arguments.collection, arguments.cache, arguments.depth)
    runs, figures = systems(bench, {name: model for name, model in given.items() if model})
    pools = {pool: measured(bench, found, random=pool == "judged") for pool, found in runs.items()}
    figures = {
        "answers": len(bench.index),
        "topics_2020": len(bench.tuning.grades),
        "topics_2021": len(bench.report.grades),
        "depth": arguments.depth,
        **figures,
        "pools": pools,
    }
    text = markdown(bench, pools, figures)
    if not arguments.trial:
        record("arqmath", figures, libraries=["bm25s", "faiss-cpu", "torch", "transformers"])
        if arguments.into:
            put_into(arguments.into, text)
    print(text)


if __name__ == "__main__":
    main()
