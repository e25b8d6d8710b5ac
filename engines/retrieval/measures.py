"""The prime measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from engines.retrieval.trec import Qrels, TrecRun

# The prime measures: unjudged documents are deleted first, then the rest is evaluated as trec_eval does.
#
# Gains are the grades themselves (linear), the discount is log2(rank + 1), the ideal list holds every judged
# document of the topic. For the binary measures a document is relevant from grade 2, as ARQMath's organisers
# count.

RELEVANT = 2
"""The lowest grade that counts as relevant in a binary measure."""


def dcg(gains: Sequence[int]) -> float:
    """Return the discounted cumulative gain (DCG) of grades in rank order.

    K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002, with the discount
    log2(rank + 1) of trec_eval.
    """
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain > 0)


def ndcg(ranked: Sequence[int], judged: Iterable[int], *, k: int | None = None) -> float:
    """Return the normalised DCG of grades in rank order against all grades of the topic; 0 if nothing is
    relevant.

    >>> round(ndcg([0, 3, 1, 2], [3, 0, 2, 1, 2]), 4)   # worked by hand
    0.5717
    """
    ideal = dcg(sorted((grade for grade in judged if grade > 0), reverse=True)[:k])
    return dcg(ranked[:k]) / ideal if ideal else 0.0


def average_precision(ranked: Sequence[int], judged: Iterable[int]) -> float:
    """Average precision at grade >= 2, over all relevant documents of the topic."""
    relevant = sum(grade >= RELEVANT for grade in judged)
    found, total = 0, 0.0
    for rank, grade in enumerate(ranked, start=1):
        if grade >= RELEVANT:
            found += 1
            total += found / rank
    return total / relevant if relevant else 0.0


def precision(ranked: Sequence[int], k: int) -> float:
    """Return the number of relevant documents among the first k, divided by k however short the list."""
    return sum(grade >= RELEVANT for grade in ranked[:k]) / k


def reciprocal_rank(ranked: Sequence[int]) -> float:
    """Return 1 / rank of the first relevant document, or 0 if there is none."""
    return next((1 / rank for rank, grade in enumerate(ranked, start=1) if grade >= RELEVANT), 0.0)


def bpref(ranked: Sequence[int], judged: Iterable[int]) -> float:
    """Return bpref as trec_eval computes it: how rarely judged irrelevant documents rank above relevant ones.

    C. Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.
    """
    grades = list(judged)
    relevant = sum(grade >= RELEVANT for grade in grades)
    irrelevant = len(grades) - relevant
    if not relevant:
        return 0.0
    above, total = 0, 0.0
    for grade in ranked:
        if grade < RELEVANT:
            above += 1
        elif above:
            total += 1 - min(above, relevant) / min(relevant, irrelevant)
        else:
            total += 1
    return total / relevant


Measure = Callable[[Sequence[int], Sequence[int]], float]

MEASURES: dict[str, Measure] = {
    "ndcg_prime": ndcg,
    "map_prime": average_precision,
    "p10_prime": lambda ranked, _: precision(ranked, 10),
    "p5_prime": lambda ranked, _: precision(ranked, 5),
    "ndcg10_prime": lambda ranked, judged: ndcg(ranked, judged, k=10),
    "bpref": bpref,
    "mrr": lambda ranked, _: reciprocal_rank(ranked),
}
"""Each takes the grades of the judged documents in rank order, and all grades of the topic. As for the prime
measures, documents without a judgement are left out first: `bpref` and `mrr` are of judged documents too."""

CUT_MEASURES: dict[str, Measure] = {
    "ndcg5_prime": lambda ranked, judged: ndcg(ranked, judged, k=5),
    "ndcg10_prime": MEASURES["ndcg10_prime"],
    "ndcg1000_prime": lambda ranked, judged: ndcg(ranked, judged, k=1_000),
    "p5_prime": MEASURES["p5_prime"],
    "p10_prime": MEASURES["p10_prime"],
    "map_prime": average_precision,
}
"""Those that formula search is reported by (MathAMR, section 5)."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures of a run, for each topic and on average.

    `per_topic` has every judged topic, 0 where the run has none of it. `mean` divides by all judged topics,
    `run_mean` by those that the run has (what trec_eval prints without -c). `judged` counts per topic the
    documents of the run that were judged, of how many.
    """

    per_topic: Mapping[str, Mapping[str, float]]
    mean: Mapping[str, float]
    run_topics: tuple[str, ...]
    run_mean: Mapping[str, float]
    judged: Mapping[str, tuple[int, int]]

    def mean_over_topics(self, topics: Iterable[str]) -> dict[str, float]:
        """Return the means over some of the judged topics."""
        return _mean_rows([self.per_topic[topic] for topic in topics if topic in self.per_topic])


def _mean_rows(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    if not rows:
        return {}
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def evaluate(run: TrecRun, qrels: Qrels, measures: Iterable[str] = tuple(MEASURES)) -> Evaluation:
    """Evaluate a run by the prime measures named.

    Args:
        run: In trec_eval's order (as `read_run` gives it).
        qrels: Its topics are the judged ones.
        measures: Keys of `MEASURES` or `CUT_MEASURES`.
    """
    names = tuple(measures)
    known = MEASURES | CUT_MEASURES
    per_topic: dict[str, dict[str, float]] = {}
    judged: dict[str, tuple[int, int]] = {}
    for topic, grades in qrels.grades.items():
        ranking = run.rankings.get(topic, ())
        ranked = [grades[document] for document, _ in ranking if document in grades]
        everything = list(grades.values())
        per_topic[topic] = {name: known[name](ranked, everything) for name in names}
        judged[topic] = (len(ranked), len(ranking))
    present = tuple(topic for topic in per_topic if topic in run.rankings)
    return Evaluation(
        per_topic,
        _mean_rows(list(per_topic.values())),
        present,
        _mean_rows([per_topic[topic] for topic in present]),
        judged,
    )


@dataclass(frozen=True, slots=True)
class AnswerEvaluation:
    """Task 3: the grade of each topic's answer where it was judged, AR (their mean) and P@1 (share of grade 2
    or more)."""

    grades: Mapping[str, int]
    ar: float
    p1: float


def evaluate_answers(answers: Iterable[tuple[str, str]], qrels: Qrels) -> AnswerEvaluation:
    """Return the average relevance (AR) and P@1 of answers over the topics whose answer was judged.

    Topics with an unjudged answer are left out of the mean, as in ARQMath Task 3.

    Args:
        answers: (topic, document id of the answer).
    """
    grades = {
        topic: qrels.grades[topic][document]
        for topic, document in answers
        if document in qrels.grades.get(topic, {})
    }
    if not grades:
        return AnswerEvaluation({}, 0.0, 0.0)
    relevant = sum(grade >= RELEVANT for grade in grades.values())
    return AnswerEvaluation(grades, sum(grades.values()) / len(grades), relevant / len(grades))
