"""What names of measures tell: what each loss describes, since they are not the same quantity, and whether
the lowest value is the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

LOSS_DESCRIPTIONS: Mapping[str, str] = {
    "loss_nats": "mean over the batches since the last report, as they are trained on (with dropout)",
    "train_loss_nats": "of a fixed part of the training data, at each evaluation (without dropout)",
    "validation_loss_nats": "of held-out data, at each evaluation (without dropout)",
}


def describe_losses(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the losses among measures, each with its description."""
    return ((name, LOSS_DESCRIPTIONS[name]) for name in names if name in LOSS_DESCRIPTIONS)


def is_lowest_best(measure: str, train_tables: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the lowest value of a measure is the best.

    Args:
        measure: The name of the measure.
        train_tables: The tables `train` of the runs.
    """
    # The names that losses, perplexities and durations have in all engines.
    if "loss" in measure or "perplexity" in measure or measure.endswith("_s"):
        return True
    return any(table.get("best") == measure and table.get("best_is_lowest") for table in train_tables)
