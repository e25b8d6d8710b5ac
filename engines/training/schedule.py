"""The learning rate as a function of the step alone, so that there is nothing to restore."""

from __future__ import annotations

import math

from engines.training.config import TrainConfig

__all__ = ["factor"]


def factor(config: TrainConfig, step: int, *, total: int, epoch_steps: int) -> float:
    """What `lr` is multiplied with for the update after `step` updates.

    >>> config = TrainConfig(steps=100, schedule="linear", warmup=10)
    >>> [factor(config, step, total=100, epoch_steps=50) for step in (0, 4, 10, 55, 100)]
    [0.1, 0.5, 1.0, 0.5, 0.0]
    """
    if step < config.warmup:
        return (step + 1) / config.warmup
    low = config.lr_min / config.lr
    if config.schedule == "linear":
        share = (step - config.warmup) / max(1, total - config.warmup)
        return low + (1 - low) * max(0.0, 1 - share)
    if config.schedule == "cosine_restarts":
        epochs = (step - config.warmup) / max(1, epoch_steps)
        share = _share_of_cycle(epochs if config.per_step else math.floor(epochs), config)
        return low + (1 - low) * (1 + math.cos(math.pi * share)) / 2
    return 1.0


def _share_of_cycle(epochs: float, config: TrainConfig) -> float:
    """How far into its cycle an epoch is, from 0 to 1 (exclusive)."""
    length = float(config.restart_epochs)
    if config.restart_factor == 1:
        return (epochs % length) / length
    while epochs >= length:
        epochs -= length
        length *= config.restart_factor
    return epochs / length
