"""Measures of rankings against judgements: nDCG', MAP', P'@k, bpref and MRR, of a topic and of a run.

They are the prime measures of ARQMath: unjudged documents are deleted first, then the rest is evaluated as
trec_eval does. Gains are the grades themselves (linear), the discount is log2(rank + 1), the ideal list holds
every judged document of the topic. For the binary measures a document is relevant from grade 2, as ARQMath's
organisers count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from engines.retrieval.trec import Qrels, TrecRun

RELEVANT = 2
"""The lowest grade that counts as relevant in a binary measure."""


def dcg(gains: Sequence[int]) -> float:
    """Return the discounted cumulative gain (DCG) of grades in rank order.

    K. Järvelin and J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002, with the discount
    log2(rank + 1) of trec_eval.
    """
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1) if gain > 0)


def ndcg(ranked_grades: Sequence[int], topic_grades: Iterable[int], *, k: int | None = None) -> float:
    """Return the normalised DCG of grades in rank order against all grades of the topic; 0 if nothing is
    relevant.

    >>> round(ndcg([0, 3, 1, 2], [3, 0, 2, 1, 2]), 4)   # worked by hand
    0.5717
    """
    ideal = dcg(sorted((grade for grade in topic_grades if grade > 0), reverse=True)[:k])
    return dcg(ranked_grades[:k]) / ideal if ideal else 0.0


def average_precision(ranked_grades: Sequence[int], topic_grades: Iterable[int]) -> float:
    """Compute the average precision at grade >= 2, over all relevant documents of the topic."""
    relevant = sum(grade >= RELEVANT for grade in topic_grades)
    relevant_above, total = 0, 0.0
    for rank, grade in enumerate(ranked_grades, start=1):
        if grade >= RELEVANT:
            relevant_above += 1
            total += relevant_above / rank
    return total / relevant if relevant else 0.0


def precision(ranked_grades: Sequence[int], k: int) -> float:
    """Return the number of relevant documents among the first k, divided by k however short the list."""
    return sum(grade >= RELEVANT for grade in ranked_grades[:k]) / k


def reciprocal_rank(ranked_grades: Sequence[int]) -> float:
    """Return 1 / rank of the first relevant document, or 0 if there is none."""
    return next((1 / rank for rank, grade in enumerate(ranked_grades, start=1) if grade >= RELEVANT), 0.0)


def bpref(ranked_grades: Sequence[int], topic_grades: Iterable[int]) -> float:
    """Return bpref as trec_eval computes it: how rarely judged irrelevant documents rank above relevant ones.

    C. Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.
    """
    grades = list(topic_grades)
    relevant = sum(grade >= RELEVANT for grade in grades)
    irrelevant = len(grades) - relevant
    if not relevant:
        return 0.0
    above, total = 0, 0.0
    for grade in ranked_grades:
        if grade < RELEVANT:
            above += 1
        elif above:
            # The divisor is not 0: a document that is not relevant stands above this one, which is relevant.
            total += 1 - min(above, relevant) / min(relevant, irrelevant)
        else:
            total += 1
    return total / relevant


Measure = Callable[[Sequence[int], Sequence[int]], float]

MEASURES: dict[str, Measure] = {
    "ndcg_prime": ndcg,
    "map_prime": average_precision,
    "p10_prime": lambda ranked_grades, _: precision(ranked_grades, 10),
    "p5_prime": lambda ranked_grades, _: precision(ranked_grades, 5),
    "ndcg10_prime": lambda ranked_grades, topic_grades: ndcg(ranked_grades, topic_grades, k=10),
    "bpref": bpref,
    "mrr": lambda ranked_grades, _: reciprocal_rank(ranked_grades),
}
"""Each takes the grades of the judged documents in rank order, and all grades of the topic. As for the prime
measures, documents without a judgement are left out first: `bpref` and `mrr` are of judged documents too."""

FORMULA_MEASURES: dict[str, Measure] = {
    "ndcg5_prime": lambda ranked_grades, topic_grades: ndcg(ranked_grades, topic_grades, k=5),
    "ndcg10_prime": MEASURES["ndcg10_prime"],
    "ndcg1000_prime": lambda ranked_grades, topic_grades: ndcg(ranked_grades, topic_grades, k=1_000),
    "p5_prime": MEASURES["p5_prime"],
    "p10_prime": MEASURES["p10_prime"],
    "map_prime": average_precision,
}
"""Those that formula search is reported by (MathAMR, section 5)."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures of a run, for each topic and on average.

    `per_topic` has every judged topic, 0 where the run has none of it. `mean` divides by all judged topics,
    `mean_in_run` by those that the run has, `topics_in_run` (what trec_eval prints without -c).
    `judged_counts` has for each topic how many documents of the run were judged, and how many there are.
    """

    per_topic: Mapping[str, Mapping[str, float]]
    mean: Mapping[str, float]
    topics_in_run: tuple[str, ...]
    mean_in_run: Mapping[str, float]
    judged_counts: Mapping[str, tuple[int, int]]

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
        measures: Keys of `MEASURES` or `FORMULA_MEASURES`.
    """
    names = tuple(measures)
    known = MEASURES | FORMULA_MEASURES
    per_topic: dict[str, dict[str, float]] = {}
    judged_counts: dict[str, tuple[int, int]] = {}
    for topic, grades in qrels.grades.items():
        ranking = run.rankings.get(topic, ())
        # Unjudged documents are left out before ranks are counted: this makes the measures prime.
        ranked_grades = [grades[document] for document, _ in ranking if document in grades]
        topic_grades = list(grades.values())
        per_topic[topic] = {name: known[name](ranked_grades, topic_grades) for name in names}
        judged_counts[topic] = (len(ranked_grades), len(ranking))
    present = tuple(topic for topic in per_topic if topic in run.rankings)
    return Evaluation(
        per_topic,
        _mean_rows(list(per_topic.values())),
        present,
        _mean_rows([per_topic[topic] for topic in present]),
        judged_counts,
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
