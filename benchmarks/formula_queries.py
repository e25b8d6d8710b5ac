"""What consistent letters, and words beside a formula, give on Task 2, by their share of the score.

    .venv/bin/python -m benchmarks.formula_queries COLLECTION INDEX

COLLECTION has `topics_task2_<year>.xml` and `qrels_task2_<year>_visual_id_v3`, INDEX is one of it. Ranked are
all visually distinct formulas, and the judged ones are measured. The words are those of the sentence of the
topic's formula. `difference` is that of nDCG'@10 from a share of 0, with a 95 % interval over topics; a share
that was chosen by one year is tested by the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks._record import Record, parser_of
from benchmarks.mathamr import YEARS
from engines.formula.operator_tree import count_features
from engines.formula.operator_tree_parser import search_tree
from engines.forum.topics import Topic, read_topic_files
from engines.mathamr.retrieval import formula_query
from engines.mathamr.retrieval.formula_index import FormulaIndex, remove_formulas
from engines.mathamr.retrieval.formula_query import ScoredLook
from engines.mathamr.retrieval.texts import cut_topic_context
from engines.retrieval.measures import evaluate
from engines.retrieval.significance import compare
from engines.retrieval.trec import Qrels, TrecRun, read_qrels

LETTERS = (0.0, 0.1, 0.2, 0.4, 0.6, 1.0)
WORDS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)


def judged(folder: Path, year: str, opened: FormulaIndex) -> tuple[Mapping[str, Topic], Qrels]:
    topics = {one.id: one for one in read_topic_files((folder / f"topics_task2_{year}.xml",))}
    looks = {visual: look for look, visual in enumerate(opened.looks["visual_id"].to_pylist()) if visual}
    grades = {
        topic: {str(looks[visual]): grade for visual, grade in own.items() if visual in looks}
        for topic, own in read_qrels(folder / f"qrels_task2_{year}_visual_id_v3.tsv.gz").grades.items()
        if topic in topics
    }
    return topics, Qrels({topic: own for topic, own in grades.items() if any(own.values())})


def measured(lists: Mapping[str, Sequence[ScoredLook]], qrels: Qrels) -> Mapping[str, Mapping[str, float]]:
    order = {topic: sorted(found, key=lambda one: -one.score) for topic, found in lists.items()}
    run = TrecRun(
        "run", {topic: [(str(one.look), one.score) for one in found] for topic, found in order.items()}
    )
    return evaluate(run, qrels).per_topic


def rows(
    ways: Iterator[tuple[float, Mapping[str, Sequence[ScoredLook]]]], qrels: Qrels
) -> Iterator[dict[str, object]]:
    first: dict[str, float] = {}
    for share, lists in ways:
        per_topic = measured(lists, qrels)
        own = {topic: row["ndcg10_prime"] for topic, row in per_topic.items()}
        first = first or own
        test = compare(first, own, seed=1)
        yield {
            "share": share,
            "ndcg10_prime": round(sum(own.values()) / len(own), 4),
            "map_prime": round(sum(row["map_prime"] for row in per_topic.values()) / len(own), 4),
            "difference": test.difference,
            "interval": test.interval,
        }


def _lettered(found: Sequence[ScoredLook], again: Sequence[ScoredLook], share: float) -> list[ScoredLook]:
    head = zip(found, again, strict=False)
    scored = [replace(one, score=(1 - share) * one.score + share * other.score) for one, other in head]
    return [*scored, *found[len(again) :]]


def _worded(found: Sequence[ScoredLook], said: Sequence[float], share: float) -> list[ScoredLook]:
    return [
        replace(one, score=(1 - share) * one.score + share * own)
        for one, own in zip(found, said, strict=True)
    ]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("index", type=Path)
    given = parser.parse_args()
    kept = Record("formula_queries", given.out, collection=given.collection)
    opened = FormulaIndex(given.index)
    figures: dict[str, object] = {}
    for year in YEARS:
        topics, qrels = judged(given.collection, year, opened)
        plain: dict[str, list[ScoredLook]] = {}
        again: dict[str, list[ScoredLook]] = {}
        said: dict[str, list[float]] = {}
        for topic in qrels.grades:
            tree = search_tree(topics[topic].latex)
            scores, looks = opened.search(count_features(tree), 1_000)
            plain[topic] = [
                ScoredLook(int(look), float(score)) for look, score in zip(looks, scores, strict=True)
            ]
            head = plain[topic][: formula_query.RESCORED]
            again[topic] = formula_query.rescore_consistently(opened, tree, head, share=1.0)
            found = opened.score_words(remove_formulas(cut_topic_context(topics[topic], 0)[1]))
            said[topic] = [
                float(
                    formula_query.select_word_scores(found, opened.fields_of(opened.rows_of(one.look))).max()
                )
                for one in plain[topic]
            ]

        usual = {
            topic: _lettered(found, again[topic], formula_query.CONSISTENT) for topic, found in plain.items()
        }
        letters = (
            (share, {topic: _lettered(found, again[topic], share) for topic, found in plain.items()})
            for share in LETTERS
        )
        worded = (
            (share, {topic: _worded(found, said[topic], share) for topic, found in usual.items()})
            for share in WORDS
        )
        figures[year] = {
            "topics": len(qrels.grades),
            "judged": len(qrels),
            "letters": list(rows(letters, qrels)),
            "words": list(rows(worded, qrels)),
        }
        print(year, json.dumps(figures[year], indent=1), flush=True)
    kept.write(figures)


if __name__ == "__main__":
    main()
