"""The two stages of a ranking: candidates from an index, and what a cross-encoder makes of them.

The first stage may end before a relevant answer is found: its recall is what the second one cannot mend, so
it is measured. Behind the answers that were scored anew the list goes on in the first stage's order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engines.core.errors import DataError
from engines.forum.topics import Topic
from engines.retrieval.fusion import tune_weights, weighted_sum
from engines.retrieval.measures import RELEVANT
from engines.retrieval.qrels import Qrels
from engines.retrieval.run import Run, Scored, with_tail

__all__ = [
    "RECALL_DEPTHS",
    "judged_candidates",
    "recall",
    "second_stage",
    "tune_interpolation",
]

RECALL_DEPTHS = (10, 50, 100, 1_000)


def judged_candidates(topics: Sequence[Topic], qrels: Qrels) -> dict[str, list[str]]:
    """Every judged answer of each topic; topics without judgements are left out.

    Raises: DataError E344 when no topic is judged.
    """
    found = {topic.id: list(qrels.grades[topic.id]) for topic in topics if topic.id in qrels.grades}
    if not found:
        raise DataError(
            f"none of the topics is judged (topics: {topics[0].id} …, qrels: {qrels.topics[0]} …)",
            code="E344",
            remedy="Are topics and qrels of the same task and year?",
        )
    return found


def recall(run: Run, qrels: Qrels, *, depths: Iterable[int] = RECALL_DEPTHS) -> dict[int, float]:
    """The share of a topic's relevant answers that is among the first so many, by depth.

    The mean is over the topics of the run that have such an answer; unjudged answers take their places.
    """
    wanted = {
        topic: {document for document, mark in grades.items() if mark >= RELEVANT}
        for topic, grades in qrels.grades.items()
        if topic in run.rankings
    }
    wanted = {topic: documents for topic, documents in wanted.items() if documents}
    found: dict[int, float] = {}
    for depth in depths:
        shares = [
            len(documents.intersection(document for document, _ in run.rankings[topic][:depth]))
            / len(documents)
            for topic, documents in wanted.items()
        ]
        found[depth] = sum(shares) / len(shares) if shares else 0.0
    return found


def second_stage(first: Run, scored: Run, *, weight: float = 1.0, tag: str = "") -> Run:
    """One list out of both stages.

    Args: first: the candidates. scored: the cross-encoder's scores of the best of them. weight: its share
    beside the first stage, both after min-max over the answers that were scored; 1 takes its order alone.
    Returns: per topic the answers that were scored, then the first stage's others in their order, with
    scores just below: min-max over the whole list, as in a fusion, leaves the scored ones their spread.
    """
    own = _restricted(first, scored)
    top = scored if weight == 1.0 else weighted_sum([own, scored], [1.0 - weight, weight])
    rankings: dict[str, Sequence[Scored]] = {}
    for topic, ranking in first.rankings.items():
        best = top.rankings.get(topic, ())
        known = {document for document, _ in best}
        rankings[topic] = with_tail(best, [document for document, _ in ranking if document not in known])
    return Run(tag or scored.tag, rankings)


def tune_interpolation(
    first: Run, scored: Run, qrels: Qrels, *, topics: Iterable[str], steps: int = 10
) -> tuple[float, Mapping[float, float]]:
    """The cross-encoder's `weight` in `second_stage` that does best by nDCG' on `topics`, and on no other.

    Returns: the weight, and every weight tried with its mean.
    """
    _, tried = tune_weights([_restricted(first, scored), scored], qrels, topics=topics, steps=steps)
    by_weight = {float(weights.split()[1]): value for weights, value in tried.items()}
    return max(by_weight, key=lambda weight: (by_weight[weight], weight)), by_weight


def _restricted(first: Run, scored: Run) -> Run:
    """The first stage's scores of those answers that the second one scored."""
    own = {}
    for topic, ranking in scored.rankings.items():
        kept = {document for document, _ in ranking}
        own[topic] = [pair for pair in first.rankings.get(topic, ()) if pair[0] in kept]
    return Run(first.tag, own)
