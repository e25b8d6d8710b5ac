"""Embedding algebra: x1 : y1 :: x2 : ? by adding and subtracting vectors (E-Gen, Table 10)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.egen.evaluations.analogies import Analogy
from engines.egen.evaluations.measured import WORST, Mistake, Report, costliest, mean_figure, unread
from engines.egen.models.datasets import usable
from engines.egen.models.encode import longest
from engines.retrieval.dense import unit
from engines.retrieval.encoders import Encoder

Bools = NDArray[np.bool_]


def evaluate(
    encoder: Encoder,
    analogies: Sequence[Analogy],
    pool: Sequence[str],
    *,
    worst: int = WORST,
    events: Sink = ignore,
    stop: Stop = never,
) -> Report:
    """The nearest by cosine to -f(x1) + f(y1) + f(x2) among a pool of expressions and all those of analogies.

    `paper`: expressions equal to x2 or y2 are not in the pool, and only y2 is right. `better`: they are, and
    any form of y2 is right. x1, y1 and x2 are never candidates. Equal means: the same values at the points of
    the fingerprints. Intervals over analogies. Mistakes are those of `paper`; the note is `x1 : y1`.
    """
    kept = [
        item
        for item in analogies
        if all(usable(text, longest(encoder)) for text in (item.x1, item.y1, item.x2, item.y2))
    ]
    if not kept:
        raise EngineError(
            "no analogy can be solved",
            code="E645",
            remedy="The model can read none of them: give shorter ones with --analogies.",
        )
    needed = [text for item in kept for text in (item.x1, item.y1, item.x2, item.y2)]
    texts = list(dict.fromkeys([*needed, *pool]))
    place = {text: number for number, text in enumerate(texts)}
    vectors = encoder.encode(texts, normalise=False, events=events, stop=stop)
    normal = unit(vectors)
    equal = _Equality(texts)
    strict, fair = np.zeros(len(kept)), np.zeros(len(kept))
    failures = []
    for number, item in enumerate(kept):
        if stop():
            break
        x1, y1, x2, y2 = (place[text] for text in (item.x1, item.y1, item.x2, item.y2))
        target = vectors[y1] - vectors[x1] + vectors[x2]
        scores = normal @ target
        scores[[x1, y1, x2]] = -np.inf
        like_y = equal.to(y2)
        fair[number] = like_y[int(scores.argmax())]
        out = like_y | equal.to(x2)
        out[y2] = False
        result = int(np.where(out, -np.inf, scores).argmax())
        strict[number] = result == y2
        if result != y2:
            cost = float(scores[result] - scores[y2]) / max(float(np.linalg.norm(target)), 1e-12)
            failures.append(Mistake(item.x2, item.y2, texts[result], cost, f"{item.x1} : {item.y1}"))
        events(Event("progress", {"done": number + 1, "total": len(kept), "unit": "analogies"}))
    return Report(
        "algebra",
        encoder.name,
        (
            mean_figure("algebra_accuracy", "paper", strict),
            mean_figure("algebra_accuracy_any_form", "better", fair),
        ),
        {
            "analogies": len(kept),
            "pool": len(texts),
            "left_out": unread(len(analogies) - len(kept)),
            "by_family": _by_family(kept, strict, fair),
        },
        len(failures),
        costliest(failures, worst),
    )


class _Equality:
    def __init__(self, texts: Sequence[str]) -> None:
        from engines.egen.corpus.assemble import fingerprints

        self._prints = fingerprints([text.split() for text in texts])
        self._known: dict[int, Bools] = {}

    def to(self, row: int) -> Bools:
        """(texts,) True for the expression itself too."""
        from engines.egen.corpus.assemble import look_alike

        if row not in self._known:
            result = np.zeros(len(self._prints), bool)
            result[look_alike(self._prints[row], self._prints)] = True
            result[row] = True
            self._known[row] = result
        return self._known[row]


def _by_family(
    kept: Sequence[Analogy], strict: NDArray[np.float64], fair: NDArray[np.float64]
) -> dict[str, list[float]]:
    rows: dict[str, list[int]] = {}
    for number, item in enumerate(kept):
        rows.setdefault(item.family or "from a file", []).append(number)
    return {
        name: [len(places), 100 * float(strict[places].mean()), 100 * float(fair[places].mean())]
        for name, places in sorted(rows.items())
    }
