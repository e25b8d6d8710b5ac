"""How to train: everything that is the same for every model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from engines.core.errors import EngineError
from engines.training.tables import typed

__all__ = ["PRECISIONS", "SCHEDULES", "TrainConfig"]

SCHEDULES = ("constant", "linear", "cosine_restarts")
PRECISIONS = ("auto", "bf16", "fp32")

_FROM_ONE_ON = (
    "batch_size",
    "accumulate",
    "bucket",
    "log_every",
    "restart_epochs",
    "restart_factor",
    "keep",
)
_NOT_THE_RESULT = ("log_every", "keep", "device", "compile", "save_every")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Hyperparameters and policies. A step is one update of the weights.

    - How long: `steps`, or `epochs` when `steps` is 0; `epoch_steps` says how long an epoch is for data whose
      length is not known (0: from the data).
    - A batch: `batch_size` examples, or with `batch_tokens` as many as fit into so many tokens, padding
      counted; `accumulate` batches make a step. `bucket` batches are read at a time and sorted by length, so
      that a batch holds examples of about one length; 1 keeps the order of the data.
    - Learning rate: `lr` at its highest, reached over `warmup` steps; then `constant`, `linear` down to
      `lr_min` at the last step, or `cosine_restarts`: from `lr` to `lr_min` in `restart_epochs` epochs and
      again over `restart_factor` times as many, changed once an epoch or, with `per_step`, at every step.
    - `clip`: greatest norm of the gradient, 0 for none. `precision`: auto takes bf16 where a GPU has it.
    - `eval_every`, `save_every`, `log_every` in steps, the first of which is logged in any case; 0 evaluates
      at the end only and saves checkpoints only when stopped. `best` names the measure that chooses the model
      (empty: the last one), the higher the better unless `best_is_lowest`; `patience` evaluations in a row
      without a better one end the training (0: never). `keep` checkpoints stay besides the best.
    - `device`: auto, cpu or cuda. `compile` uses torch.compile.
    """

    steps: int = 0
    epochs: float = 0.0
    epoch_steps: int = 0
    batch_size: int = 32
    batch_tokens: int = 0
    accumulate: int = 1
    bucket: int = 64
    lr: float = 1e-4
    lr_min: float = 0.0
    schedule: str = "linear"
    warmup: int = 0
    restart_epochs: int = 10
    restart_factor: int = 2
    per_step: bool = False
    weight_decay: float = 0.01
    clip: float = 1.0
    precision: str = "auto"
    compile: bool = False
    eval_every: int = 0
    save_every: int = 0
    log_every: int = 10
    best: str = ""
    best_is_lowest: bool = False
    patience: int = 0
    keep: int = 2
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        """Refuse what makes no sense. Raises: EngineError E630."""
        if wrong := _wrong(self):
            raise _refused(wrong)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> TrainConfig:
        """From a table of a recipe. Raises: EngineError E630 for an unknown key or another type of value."""
        return cls(**typed(cls, values, owner="training", code="E630"))

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)

    def sha256(self) -> str:
        """Identifies what the result depends on: not where it runs, nor how often it reports and saves."""
        content = {key: value for key, value in asdict(self).items() if key not in _NOT_THE_RESULT}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _refused(what: str) -> EngineError:
    return EngineError(what, code="E630", exit_code=2, remedy="Change it with --set or in the recipe.")


def _wrong(config: TrainConfig) -> str:
    for field in fields(config):
        value = getattr(config, field.name)
        if isinstance(value, int | float) and field.name != "seed" and not value >= 0:
            return f"{field.name} is {value}, and it cannot be negative"
    for name in _FROM_ONE_ON:
        if getattr(config, name) < 1:
            return f"{name} is {getattr(config, name)}, and at least 1 is needed"
    if not config.steps and not config.epochs:
        return "neither steps nor epochs says how long to train"
    if config.schedule not in SCHEDULES:
        return f"schedule is {config.schedule!r}, not one of {', '.join(SCHEDULES)}"
    if config.precision not in PRECISIONS:
        return f"precision is {config.precision!r}, not one of {', '.join(PRECISIONS)}"
    if config.device not in ("auto", "cpu", "cuda"):
        return f"device is {config.device!r}, not one of auto, cpu, cuda"
    if config.patience and not (config.best and config.eval_every):
        return "patience needs best, the measure to be better in, and eval_every"
    if not config.lr:
        return "lr is 0, so nothing would be learned"
    return ""
