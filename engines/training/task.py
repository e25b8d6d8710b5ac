"""Training tasks: what an engine gives to be trained, and what it gets back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import torch

__all__ = ["Batch", "Origin", "Stream", "Table", "TrainResult", "TrainingTask"]

Batch = Mapping[str, Any]
"""Tensors by name, the batch in the first dimension; they are moved to the device by the loop."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a model is made from besides `TrainConfig`.

    `trainer` is the trainer's name, `model` its settings with their defaults, `data` the files that are read,
    by what they serve as.
    """

    trainer: str
    model: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Sequence[Path]] = field(default_factory=dict)


@runtime_checkable
class Table(Protocol):
    """Training data with random access, shuffled anew for every epoch.

    May have `__getitems__(indices) -> list` to read many at once, as data sets of torch do, and
    `shuffled(epoch) -> Table`, when it can be had in the random order of an epoch: then nothing is held per
    example.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


@runtime_checkable
class Stream(Protocol):
    """Training data that is read in order. It must be the same at every reading of the same epoch."""

    def read(self, epoch: int, start: int) -> Iterator[Any]:
        """The examples of an epoch (counted from 0) from position `start` on."""
        ...


class TrainingTask(Protocol):
    """A model to train, its data, its loss and its measures. Everything is asked for in this order, once.

    May have `keep_rows(kept)`, called before all else: what takes long to make of the data, such as its
    tokens, may be kept there for later attempts, other trainings and the other processes (see `Kept`).
    """

    @property
    def measures(self) -> Sequence[str]:
        """What `evaluate` may return, by name; known before any data are read."""
        ...

    def origin(self) -> Origin:
        """What the model is made from; nothing else may change its weights."""
        ...

    def model(self) -> torch.nn.Module:
        """The model, new; random numbers are seeded before it is asked for. All weights that require a
        gradient get one from the loss."""
        ...

    def train_data(self) -> Table | Stream:
        """The training data."""
        ...

    def length(self, example: Any) -> int:
        """Real tokens of an example, for batches of about one length and for the throughput."""
        ...

    def collate(self, examples: Sequence[Any]) -> Batch:
        """A batch of these examples, padded; on the CPU, without use of torch's global random numbers. It is
        called in a thread of its own while a step is made, never during `evaluate` and `save`."""
        ...

    def counts(self, batch: Batch) -> tuple[int, ...]:
        """(losses,) over how much each loss of the batch is a mean: tokens, or examples. On the CPU."""
        ...

    def loss(self, model: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """(losses,) the mean losses of a batch in nats with gradient, which are added; a scalar when there is
        one. `model` is what `model()` returned. Several processes call it at the same time."""
        ...

    def evaluate(self, model: torch.nn.Module) -> Mapping[str, float]:
        """Measures on held-out data by name, units in the names. Called in eval mode without gradients, by
        the first process alone; the random numbers of the training are put back afterwards. Must not change
        the model. Those of `measures` that there is nothing to take from are left out."""
        ...

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model into an empty folder: safetensors, config, tokenizer, and a card (see `card`).

        `facts` says how it was made: config, identity, result, device, versions; JSON-able.
        """
        ...


@dataclass(frozen=True, slots=True)
class TrainResult:
    """How a training ended. `stop_reason` is finished, early_stop or stopped; a stopped one has no model.

    `measures` are those of the model in `model`, `step` that of the last update, `best_step` that of the
    model. `tokens` counts real tokens, `seconds` the time in this call.
    """

    complete: bool
    stop_reason: str
    step: int
    best_step: int = 0
    measures: Mapping[str, float] = field(default_factory=dict)
    loss_nats: float | None = None
    model: str = ""
    tokens: int = 0
    examples: int = 0
    seconds: float = 0.0
    device: str = ""
    precision: str = ""
    parameters: int = 0
    resumed_from: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**asdict(self), "measures": dict(self.measures)}
