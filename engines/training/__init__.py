"""One way to train anything: an engine says what (`TrainingTask`), a config says how, `train` does it.

`train(task, config, out, events=..., stop=...)` is the same call for a command, a screen, a job and a test.
It loads torch only when it is called.
"""

from __future__ import annotations

from engines.training.loop import RECORD, refuse_foreign_folder, train
from engines.training.task import Origin, Stream, TrainConfig, TrainingTable, TrainingTask, TrainResult

__all__ = [
    "RECORD",
    "Origin",
    "Stream",
    "TrainConfig",
    "TrainResult",
    "TrainingTable",
    "TrainingTask",
    "refuse_foreign_folder",
    "train",
]
