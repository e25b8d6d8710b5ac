"""MathAMR strings as a signal for Task 1: whether the sentences with formulas of an answer tell its worth.

    .venv/bin/python -m benchmarks.mathamr_answers COLLECTION --index INDEX [--into docs/mathamr.md]

COLLECTION holds posts, topics and `*_mini` judgements of 2020 and 2021; INDEX is what `mathwb arqmath index`
made of it. Every system orders the judged answers of a topic. A sentence with formulas becomes the string of
its MathAMR graph (built-in parser, no formula marked); beside it, the same sentence as text with LaTeX, and
with the strings of the operator trees. An answer's score is the mean, over the sentences with formulas of the
topic, of the cosine (MiniLM, without training) of the nearest sentence of the answer; an answer without
formulas stands last. Each signal is added to the first stage, which is `lexical + dense + questions`, with a
weight chosen on 2020; what is reported is 2021, and 2020 as what was tuned on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of, put_into, table
from engines.arqmath.collection.index import DEPTH, open_index
from engines.formula.formula import Formula
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Report, read_posts
from engines.forum.topics import read_topics
from engines.language.sentences import sentences
from engines.mathamr.context import PLACEHOLDER, ids, in_fields
from engines.mathamr.graph.amr import Graph
from engines.mathamr.parsing.parsers import parsed, parser
from engines.mathamr.retrieval.representations import REPRESENTATIONS, InContext, Kind
from engines.retrieval.dense import Vectors
from engines.retrieval.encoders import encoder
from engines.retrieval.fusion import tune_weights, weighted_sum
from engines.retrieval.measures import bootstrap_interval, compare, evaluate, holm
from engines.retrieval.qrels import Qrels, read_qrels
from engines.retrieval.run import Run

KINDS: tuple[Kind, ...] = ("mathamr", "raw-opt", "raw-latex")
FIRST = "lexical + dense + questions"
SHOWN = ("ndcg_prime", "map_prime", "p10_prime")
YEARS = ("2020", "2021")
STEPS = 20
MOST = 40
"""Sentences with formulas of one text; a few answers are much longer."""

Sentence = tuple[str, Mapping[str, str]]
"""Its text with placeholders, and the LaTeX of its formulas."""
Field = tuple[str, Sequence[tuple[str, str]]]
"""A cleaned text, and its formulas as (id, LaTeX)."""


def with_formulas(fields: Sequence[Field]) -> list[Sentence]:
    """The sentences of a text that have a formula."""
    found = []
    for text, formulas in fields:
        marked = in_fields(text, formulas)
        unquoted = PLACEHOLDER.sub(lambda match: match[0].replace('"', "x"), marked.text)
        for start, end in sentences(unquoted):
            sentence = " ".join(marked.text[start:end].split())
            if own := {name: marked.formulas[name] for name in ids(sentence) if name in marked.formulas}:
                found.append((sentence, own))
    return found[:MOST]


def strings(kind: Kind, chosen: Sequence[Sentence]) -> list[str]:
    """The string of each sentence."""
    graphs: list[Graph | None] = [None] * len(chosen)
    if kind == "mathamr":
        graphs = [found.graph for found in parsed([text for text, _ in chosen], parser("builtin"))]
    return [
        REPRESENTATIONS[kind].write(
            InContext(next(iter(latex)), {name: Formula(one) for name, one in latex.items()}, text, graph)
        )
        for (text, latex), graph in zip(chosen, graphs, strict=True)
    ]


def vectors(kind: Kind, texts: Mapping[str, Sequence[Sentence]]) -> dict[str, Vectors]:
    """(sentences, dimension) of each text that has sentences with formulas, unit rows."""
    names = [name for name, own in texts.items() for _ in own]
    made = strings(kind, [sentence for own in texts.values() for sentence in own])
    row = {text: number for number, text in enumerate(dict.fromkeys(made))}
    encoded = encoder("minilm").encode(list(row))
    rows: dict[str, list[int]] = {}
    for name, text in zip(names, made, strict=True):
        rows.setdefault(name, []).append(row[text])
    return {name: encoded[own] for name, own in rows.items()}


def signal(of_topics: Mapping[str, Vectors], of_answers: Mapping[str, Vectors], qrels: Qrels) -> Run:
    """The judged answers in the order of how near their sentences are to the topic's."""
    found = {}
    for topic, grades in qrels.grades.items():
        own = of_topics.get(topic)
        scores = []
        for answer in grades:
            other = of_answers.get(answer)
            near = -1.0 if own is None or other is None else float((own @ other.T).max(1).mean())
            scores.append((answer, near))
        found[topic] = scores
    return Run.from_scores("signal", found)


def judged(run: Run, qrels: Qrels) -> Run:
    """A run cut to the judged answers of each topic; those that it lacks stand last."""
    found = {}
    for topic, grades in qrels.grades.items():
        scores = dict(run.rankings.get(topic, ()))
        lowest = min((scores[one] for one in grades if one in scores), default=0.0)
        found[topic] = [(one, scores.get(one, lowest - 1e-3)) for one in grades]
    return Run.from_scores(run.tag, found)


def report(runs: Mapping[str, Run], qrels: Qrels) -> dict[str, Any]:
    """Measures with intervals, and the tests against the first stage."""
    results = {name: evaluate(run, qrels) for name, run in runs.items()}
    values = {
        name: {topic: row["ndcg_prime"] for topic, row in result.per_topic.items()}
        for name, result in results.items()
    }
    tests = {name: compare(values[FIRST], values[name]) for name in runs if name != FIRST}
    adjusted = holm([test.randomisation_p for test in tests.values()])
    holms = dict(zip(tests, adjusted, strict=True))
    rows: dict[str, Any] = {}
    for name, result in results.items():
        rows[name] = {measure: round(result.mean[measure], 4) for measure in SHOWN}
        low, high = bootstrap_interval(list(values[name].values()))
        rows[name]["ndcg_prime_interval"] = [round(low, 4), round(high, 4)]
        if test := tests.get(name):
            rows[name] |= {
                "difference": round(test.difference, 4),
                "interval": [round(value, 4) for value in test.interval],
                "randomisation_p": round(test.randomisation_p, 4),
                "holm_p": round(holms[name], 4),
            }
    return rows


def markdown(figures: Mapping[str, Any]) -> str:
    """The tables of `docs/mathamr.md`."""
    lines: list[str] = []
    for year, about in (("2021", "reported"), ("2020", "the weights were chosen on them")):
        lines += [f"**Judged answers, {figures['topics'][year]} topics of {year} ({about})**", ""]
        rows = []
        for name, row in figures["reports"][year].items():
            test = [""] * 2
            if "difference" in row:
                low, high = row["interval"]
                shown = f"{row['difference']:+.3f} ({low:+.3f} to {high:+.3f})"
                test = [shown, f"{row['randomisation_p']:.3f} ({row['holm_p']:.3f})"]
            low, high = row["ndcg_prime_interval"]
            figure = [f"{row[measure]:.3f}" for measure in SHOWN]
            rows.append([f"`{name}`", figure[0], f"{low:.3f} to {high:.3f}", *figure[1:], *test])
        heads = ["ordered by", "nDCG'", "95 %", "mAP'", "P'@10", "against the first stage", "p (Holm)"]
        lines += table(heads, rows)
    weights = ", ".join(f"{weight:g} for `{kind}`" for kind, weight in figures["weights"].items())
    return "\n".join([*lines, f"Weights beside the first stage, chosen on 2020: {weights}.", ""])


def main() -> None:
    parser_ = parser_of(__doc__)
    parser_.add_argument("collection", type=Path)
    parser_.add_argument("--index", type=Path, required=True, help="of the collection's answers")
    parser_.add_argument("--into", type=Path, help="the page whose tables are replaced")
    given = parser_.parse_args()
    kept = Record("mathamr_answers", given.out, collection=given.collection)
    folder = ArqmathFolder.open(given.collection)
    years = {
        year: read_qrels(next(file for file in folder.qrels[1] if year in file.name and "_mini" in file.name))
        for year in YEARS
    }
    both = Qrels({topic: grades for year in years.values() for topic, grades in year.grades.items()})
    topics = {topic.id: topic for file in folder.topics[1] for topic in read_topics(file)}
    wanted = {answer for grades in both.grades.values() for answer in grades}
    assert folder.posts is not None
    answers = {
        post.id: with_formulas([(post.body.text, post.body.formulas)])
        for post in read_posts(folder.posts, Report())
        if post.id in wanted
    }
    asked = {
        name: with_formulas(
            [(field.text, field.formulas) for field in (topics[name].title, topics[name].question)]
        )
        for name in both.grades
    }
    index = open_index(given.index)
    first = judged(index.run({name: topics[name].text for name in asked}, DEPTH, how=FIRST), both)
    runs, weights = {FIRST: first}, {}
    for kind in KINDS:
        found = vectors(kind, {**answers, **asked})
        runs[kind] = signal(found, found, both)
        chosen, _ = tune_weights([first, runs[kind]], years["2020"], topics=years["2020"].grades, steps=STEPS)
        weights[kind] = chosen[1]
        runs[f"first stage + {kind}"] = weighted_sum([first, runs[kind]], chosen)
    figures = {
        "topics": {year: len(qrels.grades) for year, qrels in years.items()},
        "judged": {year: len(qrels) for year, qrels in years.items()},
        "sentences": {
            "topics": sum(map(len, asked.values())),
            "answers": sum(map(len, answers.values())),
            "answers_without": int(np.sum([not own for own in answers.values()])),
        },
        "weights": weights,
        "reports": {year: report(runs, qrels) for year, qrels in years.items()},
    }
    kept.write(figures, libraries=["torch", "transformers"])
    if given.into:
        put_into(given.into, markdown(figures), mark="answers")
    print(markdown(figures))


if __name__ == "__main__":
    main()
