"""Fusion of several runs into one, in memory or as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import fsum
from pathlib import Path
from typing import Annotated, Literal

from engines.core.errors import EngineError
from engines.core.events import Sink, warn
from engines.core.spec import Arg, make_refusal, no_effect, specification
from engines.retrieval.measures import evaluate
from engines.retrieval.trec import (
    DEPTH,
    Qrels,
    Scored,
    TrecRun,
    check_out,
    scored_depth,
    warned_run,
    with_tail,
    write_run,
)


def min_max(ranking: Sequence[Scored]) -> list[Scored]:
    """Return scores of one topic moved to 0 … 1; all 1 where they are equal."""
    if not ranking:
        return []
    scores = [score for _, score in ranking]
    low, high = min(scores), max(scores)
    # All documents of such a topic are equally good, and better than those that the run lacks.
    if high == low:
        return [(document, 1.0) for document, _ in ranking]
    return [(document, (score - low) / (high - low)) for document, score in ranking]


def _one_scale(run: TrecRun, path: Path) -> TrecRun:
    """Put what has no scores of its own just below the rest, where the run's manifest says how many have."""
    depth = scored_depth(path)
    if depth is None:
        return run
    return replace(
        run,
        rankings={
            topic: with_tail(ranking[:depth], [document for document, _ in ranking[depth:]])
            for topic, ranking in run.rankings.items()
        },
    )


def _sum_contributions(
    runs: Sequence[TrecRun], tag: str, contribute: Callable[[int, Sequence[Scored]], Iterable[Scored]]
) -> TrecRun:
    """Sum what each run contributes to a document; `contribute` gets the run's number and a ranking. Sums are
    rounded once, so that documents with the same ranks in different runs have the same."""
    sums: dict[str, dict[str, list[float]]] = {}
    for number, run in enumerate(runs):
        for topic, ranking in run.rankings.items():
            documents = sums.setdefault(topic, {})
            for document, value in contribute(number, ranking):
                documents.setdefault(document, []).append(value)
    # fsum rounds once: the result does not depend on the order of the runs.
    return TrecRun.from_scores(
        tag,
        {topic: ((one, fsum(own)) for one, own in documents.items()) for topic, documents in sums.items()},
    )


def reciprocal_rank_fusion(
    runs: Sequence[TrecRun], *, k: int = 60, by_score: bool = False, normalise: bool = False, tag: str = "rrf"
) -> TrecRun:
    """Fuse runs by reciprocal rank fusion (RRF): the sum over runs of 1 / (k + rank).

    G. V. Cormack, C. L. A. Clarke and S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", SIGIR 2009; `k` = 60 is theirs.

    With `by_score` each term is the document's score instead of 1, after min-max where `normalise` is set:
    score-weighted RRF, as MathAMR fuses.
    """

    def contribute(_: int, ranking: Sequence[Scored]) -> Iterable[Scored]:
        weighted = min_max(ranking) if normalise else ranking
        for rank, (document, score) in enumerate(weighted, start=1):
            yield document, (score if by_score else 1.0) / (k + rank)

    return _sum_contributions(runs, tag, contribute)


def weighted_sum(runs: Sequence[TrecRun], weights: Sequence[float], *, tag: str = "weighted") -> TrecRun:
    """Fuse runs by the weighted sum of their min-max normalised scores; a run that lacks a document adds
    0.
    """
    if len(weights) != len(runs):
        raise ValueError(f"{len(weights)} weights for {len(runs)} runs")
    # CombSUM (Fox and Shaw 1994) with a weight for each run: s(d) = sum_i w_i s_i(d), with s_i from 0 to 1.
    scaled = [
        TrecRun(run.tag, {topic: min_max(ranking) for topic, ranking in run.rankings.items()}) for run in runs
    ]
    return _weighted_sum(scaled, weights, tag)


def _weighted_sum(runs: Sequence[TrecRun], weights: Sequence[float], tag: str) -> TrecRun:
    def contribute(number: int, ranking: Sequence[Scored]) -> Iterable[Scored]:
        return ((document, weights[number] * score) for document, score in ranking)

    return _sum_contributions(runs, tag, contribute)


def grid_weightings(count: int, steps: int) -> Iterator[tuple[float, ...]]:
    """Yield all so many weights on a grid of 1/`steps` that sum to 1."""
    for parts in product(range(steps + 1), repeat=count - 1):
        if sum(parts) <= steps:
            yield tuple(part / steps for part in (*parts, steps - sum(parts)))


def tune_weights(
    runs: Sequence[TrecRun],
    qrels: Qrels,
    *,
    topics: Iterable[str],
    steps: int = 10,
    measure: str = "ndcg_prime",
) -> tuple[tuple[float, ...], Mapping[str, float]]:
    """Return the weights, on a grid of 1/`steps` and with sum 1, that do best on `topics`; no other topic is
    read.

    Returns:
        The weights and the mean of every tried weighting's measure, by its weights as text.
    """
    chosen = Qrels({topic: grades for topic, grades in qrels.grades.items() if topic in set(topics)})
    # Scaled among all that a run found; then only what is judged has a say in the measure.
    own = [
        TrecRun(
            run.tag,
            {
                topic: [pair for pair in min_max(run.rankings[topic]) if pair[0] in grades]
                for topic, grades in chosen.grades.items()
                if topic in run.rankings
            },
        )
        for run in runs
    ]
    tried: dict[tuple[float, ...], float] = {}
    for weights in grid_weightings(len(runs), steps):
        tried[weights] = evaluate(_weighted_sum(own, weights, ""), chosen, [measure]).mean[measure]
    best = max(tried, key=lambda weights: tried[weights])
    return best, {" ".join(f"{w:.2f}" for w in weights): value for weights, value in tried.items()}


# Files

How = Literal["rrf-score", "rrf", "weighted"]
_K = 60


@specification
class FuseRuns:
    """Fuse runs by reciprocal ranks, plain or weighted by scores, or by weighted scores."""

    runs: Annotated[tuple[Path, ...], Arg("Two runs or more.", metavar="RUN RUN...")]
    out: Annotated[Path, Arg("The run to write.", option=True, writes=True)]
    how: Annotated[
        How,
        Arg(
            "rrf sums 1 / (k + rank), rrf-score score / (k + rank), weighted weight * score; scores are "
            "scaled to 0-1 within a topic."
        ),
    ] = "rrf"
    weights: Annotated[tuple[float, ...], Arg("One weight per run, for weighted.")] = ()
    k: Annotated[int | None, Arg("Constant k of reciprocal rank fusion.", low=0, shown="60")] = None
    tag: Annotated[str, Arg("Name of the run.")] = "fused"

    def __post_init__(self) -> None:
        if len(self.runs) < 2:
            raise EngineError("one run cannot be fused", code="E406", remedy="Give two runs or more.")
        if (self.how == "weighted") != bool(self.weights) or len(self.weights) not in (0, len(self.runs)):
            what = f"{len(self.weights)} weights for {len(self.runs)} runs fused by {self.how}"
            remedy = "Give a weight for each run with --how weighted, and none otherwise."
            raise EngineError(what, code="E434", remedy=remedy)
        if self.how == "weighted":
            no_effect({"--k": self.k}, "--how weighted", "E434")
        if self.weights and not any(self.weights):
            raise make_refusal("all weights are 0, so that no run counts", "E434", "Give one that is not.")


def fused_runs(spec: FuseRuns, *, task: int, events: Sink) -> tuple[TrecRun, int]:
    """Read, fuse and write.

    Returns:
        The run as it is written, and how many documents were left out of it, which has 1,000 of a topic at
        most.

    Events:
        Warnings of what was mended in a run, of topics that not all have, and of what was left out.

    Raises:
        DataError: For runs that cannot be read, and as `check_out`.
    """
    runs = [warned_run(path, task, events) for path in spec.runs]
    topics = [run.rankings.keys() for run in runs]
    partly = set().union(*topics) - set(topics[0]).intersection(*topics[1:])
    if partly:
        what = f"{len(partly):,} topics are not in all runs, such as {min(partly)}; runs with them are fused"
        warn(events, what)
    check_out(spec.out, set().union(*topics))
    if spec.how != "rrf":
        runs = [_one_scale(run, path) for run, path in zip(runs, spec.runs, strict=True)]
    if spec.how == "weighted":
        fused = weighted_sum(runs, spec.weights, tag=spec.tag)
    else:
        by_score = spec.how == "rrf-score"
        k = _K if spec.k is None else spec.k
        fused = reciprocal_rank_fusion(runs, k=k, by_score=by_score, normalise=by_score, tag=spec.tag)
    left_out = write_run(fused, spec.out, depth=DEPTH)
    if left_out:
        warn(events, f"{left_out:,} documents beyond the first {DEPTH:,} of a topic are left out")
    return fused.limit_depth(DEPTH), left_out
