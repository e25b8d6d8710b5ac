"""`train`: the one entry. What it does step by step is in `session`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.core.events import Sink, Stop, ignore, never
from engines.training.config import TrainConfig
from engines.training.task import TrainingTask, TrainResult

__all__ = ["train"]


def train(
    task: TrainingTask,
    config: TrainConfig,
    out: Path,
    *,
    events: Sink = ignore,
    stop: Stop = never,
    facts: Mapping[str, Any] | None = None,
) -> TrainResult:
    """Train a model, or go on with a training that was begun in `out`.

    In `out` there will be `model/` (complete or not at all), `checkpoints/` and `tensorboard/`. A training
    that is killed at any moment and begun again ends, on a CPU, with the same weights bit for bit as one that
    was never interrupted. When `stop` is raised, the step at hand is finished and a checkpoint written.

    Args: facts: what else to write down with the model (recipe, data hashes); JSON-able.
    Events: `progress` in steps; `metric` with loss_nats, lr, tokens_per_s (real tokens), examples_per_s,
    memory_bytes (GPU memory at its highest, or resident memory), epoch, and the task's measures when they are
    taken; `checkpoint`; `log`; `warning`.
    Raises: EngineError E630 a setting makes no sense, E631 the loss is no number, E632 out of memory, E633
    the device is gone, E634 there is no such device, E636 no data, E637 `out` holds another training, E310
    the disk is full.
    """
    from engines.core.files import file_error
    from engines.training.failures import explained
    from engines.training.session import Session

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(error, out, "write") from error
    with explained(config, out):
        return Session(task, config, out, events=events, stop=stop, facts=facts or {}).run()
