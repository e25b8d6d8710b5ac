"""What measures mean that many trainings log: several are losses, and are not the same quantity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

MEASURES: Mapping[str, str] = {
    "loss_nats": "mean over the batches since the last report, as they are trained on (with dropout)",
    "train_loss_nats": "of a fixed part of the training data, at each evaluation (without dropout)",
    "validation_loss_nats": "of held-out data, at each evaluation (without dropout)",
}


def explain_measures(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the measures that have an explanation, with it."""
    return ((name, MEASURES[name]) for name in names if name in MEASURES)
