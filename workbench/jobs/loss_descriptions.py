"""Descriptions of the losses that training runs log: they are not the same quantity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

LOSS_DESCRIPTIONS: Mapping[str, str] = {
    "loss_nats": "mean over the batches since the last report, as they are trained on (with dropout)",
    "train_loss_nats": "of a fixed part of the training data, at each evaluation (without dropout)",
    "validation_loss_nats": "of held-out data, at each evaluation (without dropout)",
}


def describe_losses(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the losses among measures, each with its description."""
    return ((name, LOSS_DESCRIPTIONS[name]) for name in names if name in LOSS_DESCRIPTIONS)
