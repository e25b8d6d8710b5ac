"""Mistake detection in derivations by a threshold on embeddings (fact sheet section 4, Tables 8 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.egen.encode import Embedder
from engines.egen.labelled import usable
from engines.egen.language import prefix
from engines.egen.sequences import without_log
from engines.egen.tasks.derivations import Derivation
from engines.egen.tasks.measured import WORST, Figure, Mistake, Report, costliest, interval
from engines.retrieval.similarity import cosines

__all__ = ["PAPER", "best_threshold", "evaluate", "scores", "step_cosines", "threshold"]

PAPER = {
    "none_precision": {"seq2seq": 96.40, "CL Mean": 97.59, "CL Max": 97.78, "SemEmb": 92.92},
    "none_recall": {"seq2seq": 94.69, "CL Mean": 92.52, "CL Max": 91.93, "SemEmb": 83.49},
    # CL Max is printed as 89.14, a copy of a recall.
    "none_f1": {"seq2seq": 95.54, "CL Mean": 94.99, "CL Max": 94.77, "SemEmb": 87.95},
    "mistake_precision": {"seq2seq": 74.68, "CL Mean": 69.33, "CL Max": 67.96, "SemEmb": 44.46},
    "mistake_recall": {"seq2seq": 81.61, "CL Mean": 88.10, "CL Max": 89.14, "SemEmb": 67.50},
    "mistake_f1": {"seq2seq": 77.99, "CL Mean": 77.60, "CL Max": 77.12, "SemEmb": 53.61},
}

Floats = NDArray[np.float64]


def step_cosines(
    embedder: Embedder, derivations: Sequence[Derivation], *, events: Sink = ignore, stop: Stop = never
) -> list[Floats]:
    """For each derivation the cosine of every step with the next: (steps - 1,) each."""
    texts = [prefix(without_log(step)) for derivation in derivations for step in derivation.steps]
    vectors = embedder.embed(texts, events=events, stop=stop)
    found = []
    begin = 0
    for derivation in derivations:
        own = vectors[begin : begin + len(derivation.steps)]
        begin += len(own)
        found.append(cosines(own[:-1], own[1:]).astype(np.float64))
    return found


def threshold(cosines: Sequence[Floats], wrong: Sequence[int | None]) -> float:
    """Algorithm 1: the mean over derivations of the lowest cosine of a transition that is right."""
    lowest = [
        float(np.delete(values, place).min() if place is not None else values.min())
        for values, place in zip(cosines, wrong, strict=True)
        if len(values) > (place is not None)
    ]
    if not lowest:
        raise EngineError(
            "no derivation has a right transition to learn a threshold from",
            code="E645",
            exit_code=2,
            remedy="Name data with longer expressions.",
        )
    return float(np.mean(lowest))


def best_threshold(values: Floats, wrong: NDArray[np.bool_]) -> float:
    """The threshold below which flagging has the highest F1 of mistakes, midway between two cosines."""
    order = np.argsort(values, kind="stable")
    caught = np.cumsum(wrong[order])
    flagged = np.arange(1, len(values) + 1)
    place = int(np.argmax(2 * caught / (flagged + wrong.sum())))
    ahead = values[order[min(place + 1, len(values) - 1)]]
    return float((values[order[place]] + ahead) / 2)


def scores(flagged: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> dict[str, float]:
    """Precision, recall and F1 of both classes in percent, 0 where there is nothing to divide by."""
    cells = [said & true for said in (flagged, ~flagged) for true in (wrong, ~wrong)]
    return _scores(np.array([cell.sum() for cell in cells], float))


def _scores(counts: Floats) -> dict[str, float]:
    """From how many are (flagged and wrong, flagged and right, missed, passed)."""
    hit, false, missed, passed = counts.tolist()
    found = {}
    for name, both, said, true in (
        ("none", passed, passed + missed, passed + false),
        ("mistake", hit, hit + false, hit + missed),
    ):
        precision, recall = both / max(1.0, said), both / max(1.0, true)
        found[f"{name}_precision"] = 100 * precision
        found[f"{name}_recall"] = 100 * recall
        found[f"{name}_f1"] = 200 * precision * recall / max(precision + recall, 1e-12)
    return found


def evaluate(
    embedder: Embedder,
    training: Sequence[Derivation],
    test: Sequence[Derivation],
    *,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> Report:
    """Flag transitions whose cosine is below a threshold learned on training derivations alone.

    `paper`: the threshold of Algorithm 1. `better`: the one with the highest F1 of mistakes in training,
    which knows the wrong transitions there. Intervals over derivations. Wrong are mistakes that were missed
    and right steps that were flagged, by `paper`; the cost is the distance of their cosine from the
    threshold.
    """
    training, test = (_readable(side, embedder.max_length) for side in (training, test))
    if not training or not test:
        raise EngineError(
            "there are not enough derivations to learn from and to test",
            code="E645",
            exit_code=2,
            remedy="Name data with longer expressions.",
        )
    learned = step_cosines(embedder, training, events=events, stop=stop)
    limit = threshold(learned, [derivation.wrong for derivation in training])
    best = best_threshold(np.concatenate(learned), _marks(training))
    found = step_cosines(embedder, test, events=events, stop=stop)
    values, wrong = np.concatenate(found), _marks(test)
    owner = np.repeat(np.arange(len(found)), [len(part) for part in found])
    figures = [
        *_figures("paper", values < limit, wrong, owner),
        *_figures("better", values < best, wrong, owner),
    ]
    return Report(
        "mistakes",
        embedder.name,
        tuple(figures),
        {
            "threshold": limit,
            "threshold_best_f1": best,
            "training_derivations": len(training),
            "derivations": len(test),
            "transitions": len(values),
            "mistakes": int(wrong.sum()),
        },
        int(((values < limit) != wrong).sum()),
        costliest(_failures(test, owner, values, limit, wrong), worst),
    )


def _readable(derivations: Sequence[Derivation], max_length: int) -> list[Derivation]:
    return [
        derivation
        for derivation in derivations
        if all(usable(prefix(without_log(step)), max_length) for step in derivation.steps)
    ]


def _marks(derivations: Sequence[Derivation]) -> NDArray[np.bool_]:
    return np.array(
        [place == item.wrong for item in derivations for place in range(len(item.steps) - 1)], bool
    )


def _figures(
    protocol: str, flagged: NDArray[np.bool_], wrong: NDArray[np.bool_], owner: NDArray[np.int64]
) -> list[Figure]:
    """All six scores; a resample of derivations is counted by weights."""
    count = int(owner.max()) + 1
    cells = [said & true for said in (flagged, ~flagged) for true in (wrong, ~wrong)]
    table = np.stack([np.bincount(owner, weights=cell, minlength=count) for cell in cells], 1)
    figures = []
    for name, value in scores(flagged, wrong).items():

        def resampled(rows: NDArray[np.int64], name: str = name) -> float:
            return _scores(table[rows].sum(0))[name]

        low, high = interval(resampled, count)
        paper = PAPER[name] if protocol == "paper" else {}
        figures.append(Figure(name, protocol, value, low, high, paper))
    return figures


def _failures(
    test: Sequence[Derivation],
    owner: NDArray[np.int64],
    values: Floats,
    limit: float,
    wrong: NDArray[np.bool_],
) -> Iterator[Mistake]:
    places = np.concatenate([np.arange(len(item.steps) - 1) for item in test])
    for row in np.flatnonzero((values < limit) != wrong).tolist():
        steps = test[owner[row]].steps
        before, after = (prefix(without_log(steps[places[row] + n])) for n in (0, 1))
        said = f"cosine {values[row]:.4f}, threshold {limit:.4f}"
        missed, cost = bool(wrong[row]), abs(float(values[row]) - limit)
        note = f"a mistake that was missed: {said}" if missed else f"a right step that was flagged: {said}"
        yield Mistake(before, "" if missed else after, after if missed else "", cost, note)
