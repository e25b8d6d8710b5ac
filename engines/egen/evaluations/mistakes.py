"""Mistake detection in derivations by a threshold on embeddings (E-Gen, Algorithm 1, Tables 8 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.reported import reported
from engines.egen.corpus.labelled import sample_corpus
from engines.egen.evaluations.derivations import Derivation, open_derivations
from engines.egen.evaluations.measured import RESAMPLES, WORST, Figure, Mistake, Report, costliest, unread
from engines.egen.expressions.language import prefix
from engines.egen.models.encode import encode_readable, longest
from engines.egen.models.sequences import usable, without_log
from engines.retrieval.encoders import Encoder
from engines.retrieval.significance import bootstrap
from engines.retrieval.similarity import cosines

__all__ = [
    "best_threshold",
    "evaluate",
    "figures",
    "learned_threshold",
    "marks",
    "scores",
    "step_cosines",
    "threshold",
]


Floats = NDArray[np.float64]


def step_cosines(
    encoder: Encoder, derivations: Sequence[Derivation], *, events: Sink = ignore, stop: Stop = never
) -> list[Floats]:
    """For each derivation the cosine of every step with the next: (steps - 1,) each, nan where the model
    cannot read one of the two."""
    texts = [prefix(without_log(step)) for derivation in derivations for step in derivation.steps]
    vectors = encode_readable(encoder, texts, events=events, stop=stop)
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


def learned_threshold(
    encoder: Encoder, count: int, *, events: Sink = ignore, stop: Stop = never
) -> tuple[float, dict[str, float]]:
    """`threshold` on so many derivations made from the training side of the sample corpus.

    Returns: it, and the `precision` and `recall` of the mistakes below it in as many other derivations, in
    percent.
    """
    made = open_derivations(sample_corpus(), 2 * count, side="train", seed=1, events=events, stop=stop)
    cosines = step_cosines(encoder, made, events=events, stop=stop)
    limit = threshold(cosines[::2], [each.wrong for each in made[::2]])
    held = list(zip(cosines[1::2], made[1::2], strict=True))
    wrong = np.concatenate([np.arange(len(values)) == each.wrong for values, each in held])
    found = scores(np.concatenate([values for values, _ in held]) < limit, wrong)
    return limit, {"precision": found["mistake_precision"], "recall": found["mistake_recall"]}


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
    found = _scores([np.float64(cell.sum()) for cell in _cells(flagged, wrong)])
    return {name: float(value) for name, value in found.items()}


def _cells(flagged: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Flagged and wrong, flagged and right, missed, passed."""
    return [said & true for said in (flagged, ~flagged) for true in (wrong, ~wrong)]


def _scores(counts: Sequence[Any]) -> dict[str, Any]:
    """From how many there are of each of `_cells`, numbers or arrays of one shape."""
    hit, false, missed, passed = counts
    found = {}
    for name, both, said, true in (
        ("none", passed, passed + missed, passed + false),
        ("mistake", hit, hit + false, hit + missed),
    ):
        precision, recall = both / np.maximum(1, said), both / np.maximum(1, true)
        found[f"{name}_precision"] = 100 * precision
        found[f"{name}_recall"] = 100 * recall
        found[f"{name}_f1"] = 200 * precision * recall / np.maximum(precision + recall, 1e-12)
    return found


def evaluate(
    encoder: Encoder,
    training: Sequence[Derivation],
    test: Sequence[Derivation],
    *,
    left_out: Mapping[str, int] | None = None,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> Report:
    """Flag transitions whose cosine is below a threshold learned on training derivations alone.

    `paper`: the threshold of Algorithm 1. `better`: the one with the highest F1 of mistakes in training,
    which knows the wrong transitions there. Intervals over derivations. Wrong are mistakes that were missed
    and right steps that were flagged, by `paper`; the cost is the distance of their cosine from the
    threshold.

    Args: left_out: what the derivations were made without, by reason, for the report.
    """
    given = len(training) + len(test)
    training, test = (_readable(side, longest(encoder)) for side in (training, test))
    if not training or not test:
        raise EngineError(
            "there are not enough derivations to learn from and to test",
            code="E645",
            exit_code=2,
            remedy="Name data with longer expressions.",
        )
    learned = step_cosines(encoder, training, events=events, stop=stop)
    limit = threshold(learned, [derivation.wrong for derivation in training])
    best = best_threshold(np.concatenate(learned), marks(training))
    found = step_cosines(encoder, test, events=events, stop=stop)
    values, wrong = np.concatenate(found), marks(test)
    owner = np.repeat(np.arange(len(found)), [len(part) for part in found])
    return Report(
        "mistakes",
        encoder.name,
        (
            *figures("paper", values < limit, wrong, owner),
            *figures("better", values < best, wrong, owner),
        ),
        {
            "threshold": limit,
            "threshold_best_f1": best,
            "training_derivations": len(training),
            "derivations": len(test),
            "transitions": len(values),
            "mistakes": int(wrong.sum()),
            "left_out": {**(left_out or {}), **unread(given - len(training) - len(test))},
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


def marks(derivations: Sequence[Derivation]) -> NDArray[np.bool_]:
    """(transitions,) whether each is known to be wrong, over all derivations in order."""
    return np.array(
        [place == item.wrong for item in derivations for place in range(len(item.steps) - 1)], bool
    )


def figures(
    protocol: str, flagged: NDArray[np.bool_], wrong: NDArray[np.bool_], owner: NDArray[np.int64]
) -> list[Figure]:
    """All six scores of transitions; a resample of derivations is counted by weights.

    Args: flagged, wrong: (transitions,). owner: (transitions,) the derivation of each, numbered from 0.
    """
    count = int(owner.max()) + 1
    table = [np.bincount(owner, weights=cell, minlength=count) for cell in _cells(flagged, wrong)]
    found = []
    for name, value in scores(flagged, wrong).items():

        def resampled(rows: NDArray[np.int64], name: str = name) -> Floats:
            return _scores([cell[rows].sum(-1) for cell in table])[name]

        interval = bootstrap(resampled, count, draws=RESAMPLES)
        paper = reported("egen", name) if protocol == "paper" else {}
        found.append(Figure(name, protocol, value, interval, paper))
    return found


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
