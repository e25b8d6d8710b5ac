"""Training tasks: what an engine gives to be trained, and the settings that are the same for every model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, runtime_checkable

from engines.core.spec import Arg, make_refusal, read, specification, suggest_name

if TYPE_CHECKING:
    import torch


CODE = "E630"


@specification
class TrainConfig:
    """The settings that every training has; a step is one update of the weights, made from `accumulate`
    batches of every process.
    """

    steps: Annotated[int, Arg("Number of steps; 0: set by `epochs`.", low=0)] = 0
    epochs: Annotated[float, Arg("Passes over the data, if `steps` is 0.", low=0)] = 0.0
    epoch_steps: Annotated[int, Arg("Steps per epoch, for data of unknown length; 0: counted.", low=0)] = 0
    batch_size: Annotated[int, Arg("Examples per batch.", low=1)] = 32
    batch_tokens: Annotated[
        int, Arg("Batch size in tokens, padding included; 0: use `batch_size`.", low=0)
    ] = 0
    accumulate: Annotated[int, Arg("Batches per step (gradient accumulation).", low=1)] = 1
    bucket: Annotated[
        int, Arg("Batches read at a time and sorted by length; 1 keeps the order of the data.", low=1)
    ] = 64
    lr: Annotated[float, Arg("Highest learning rate.", low=0)] = 1e-4
    lr_min: Annotated[float, Arg("Lowest learning rate.", low=0)] = 0.0
    schedule: Annotated[
        Literal["constant", "linear", "cosine_restarts"],
        Arg("After the warm-up: constant, down to lr_min at the last step, or in cycles from lr to lr_min."),
    ] = "linear"
    warmup: Annotated[int, Arg("Warm-up steps, in which the learning rate rises to `lr`.", low=0)] = 0
    warmup_share: Annotated[
        float | None,
        Arg("Warm-up as a share of all steps, if `warmup` is 0.", low=0, high=1, shown="no warm-up"),
    ] = None
    restart_epochs: Annotated[int, Arg("Epochs of the first cycle of cosine_restarts.", low=1)] = 10
    restart_factor: Annotated[int, Arg("Factor by which each cycle is longer than the last.", low=1)] = 2
    per_step: Annotated[
        bool, Arg("In cycles, change the learning rate at every step, not once per epoch.")
    ] = False
    weight_decay: Annotated[float, Arg("Weight decay of AdamW.", low=0)] = 0.01
    clip: Annotated[float, Arg("Clip the gradient to this norm; 0: no clipping.", low=0)] = 1.0
    precision: Annotated[
        Literal["auto", "bf16", "fp32"], Arg("Number format; auto is bf16 if the GPU supports it.")
    ] = "auto"
    compile: Annotated[bool, Arg("Use torch.compile.")] = False
    eval_every: Annotated[int, Arg("Steps between evaluations; 0: at the end only.", low=0)] = 0
    save_every: Annotated[int, Arg("Steps between checkpoints; 0: only when stopped.", low=0)] = 0
    log_every: Annotated[int, Arg("Steps between logged losses; the first step is always logged.", low=1)] = (
        10
    )
    best: Annotated[str, Arg("Measure that selects the model; empty: keep the last.")] = ""
    best_is_lowest: Annotated[bool, Arg("Lower values of `best` are better.")] = False
    patience: Annotated[
        int, Arg("Stop after this many evaluations without improvement; 0: never.", low=0)
    ] = 0
    keep: Annotated[int, Arg("Checkpoints to keep, besides the best.", low=1)] = 2
    seed: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def __post_init__(self) -> None:
        if not self.steps and not self.epochs:
            raise _refuse_setting("set steps or epochs: neither is given")
        if self.patience and not (self.best and self.eval_every):
            raise _refuse_setting("patience needs best (the measure to improve) and eval_every")
        if not self.lr:
            raise _refuse_setting("lr is 0, so nothing would be learned")

    @classmethod
    def from_table(cls, values: Mapping[str, Any]) -> TrainConfig:
        """Return the settings in the table `train` of a recipe."""
        return read(cls, values, prefix="train.", code=CODE)

    def count_warmup_steps(self, total: int) -> int:
        """Return the steps of the warm-up of a training run of `total` steps.

        >>> TrainConfig(epochs=3, warmup_share=0.1).count_warmup_steps(3_473)
        347
        """
        return self.warmup or round((self.warmup_share or 0.0) * total)

    def check_best(self, measures: Iterable[str]) -> None:
        """Refuse to choose by a measure that is not among these."""
        if self.best and self.best not in (names := list(measures)):
            what = f"train.best is {self.best!r}, which the evaluation does not compute"
            raise make_refusal(what, CODE, suggest_name(self.best, names))

    def check_data(self, task: TrainingTask) -> None:
        """Refuse to choose by a measure that the task's data do not allow."""
        unmeasured = getattr(task, "unmeasured", None)
        if not self.best or unmeasured is None or not (why := unmeasured(self.best)):
            return
        other = next((name for name in task.measures if not unmeasured(name)), "")
        lowest = " --set train.best_is_lowest=true" if other.endswith("_nats") else ""
        remedy = (
            f"Use other data, or choose by another measure: --set train.best={other}{lowest}"
            if other
            else "Use other data, or keep the last model: --set train.best="
        )
        raise make_refusal(f"train.best is {self.best!r}, which cannot be measured: {why}", CODE, remedy)


def _refuse_setting(what: str) -> Exception:
    return make_refusal(what, CODE, "Change it with --set or in the recipe.")


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
class TrainingTable(Protocol):
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

    def read_epoch(self, epoch: int, start: int) -> Iterator[Any]:
        """Return the examples of an epoch (counted from 0) from position `start` on."""
        ...


class TrainingTask(Protocol):
    """A model to train, its data, its loss and its measures. Everything is asked for in this order, once.

    May have `use_cache(cache)`, called before all else: what takes long to make of the data, such as its
    tokens, may be stored there for later attempts, other trainings and other processes (see `TokenCache`).
    """

    @property
    def measures(self) -> Sequence[str]:
        """The names of the measures that `evaluate` may return, known before any data is read."""
        ...

    def origin(self) -> Origin:
        """Return what the model is made from; nothing else may change its weights."""
        ...

    def model(self) -> torch.nn.Module:
        """Return the model, new; random numbers are seeded before it is asked for. All weights that require a
        gradient get one from the loss.
        """
        ...

    def train_data(self) -> TrainingTable | Stream:
        """Return the examples to train on."""
        ...

    def length(self, example: Any) -> int:
        """Return real tokens of an example, for batches of about one length and for the throughput."""
        ...

    def collate(self, examples: Sequence[Any]) -> Batch:
        """Return a batch of these examples, padded; on the CPU, without use of torch's global random numbers.
        It is called in a thread of its own while a step is made, never during `evaluate` and `save`.
        """
        ...

    def counts(self, batch: Batch) -> tuple[int, ...]:
        """Return, for each loss of the batch, the number of tokens or examples that it is a mean over; on the
        CPU.
        """
        ...

    def loss(self, model: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """Return the mean losses of a batch in nats with gradient, shape `(losses,)`, or a scalar if there is
        one.

        The losses are added. `model` is what `model()` returned. Several processes call this at the same
        time.
        """
        ...

    def evaluate(self, model: torch.nn.Module) -> Mapping[str, float]:
        """Return measures on held-out data by name, with units in the names.

        It is called in eval mode without gradients, by the first process alone; the random numbers of the
        training are restored afterwards. It must not change the model. Measures for which there is no data
        are left out.
        """
        ...

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model into an empty folder: safetensors, config, tokenizer, a card (see `model_card`).

        `facts` says how it was made: config, identity, result, device, versions; JSON-able.
        """
        ...


@dataclass(frozen=True, slots=True)
class TrainResult:
    """The result of a training run; `stop_reason` is finished, early_stop or stopped, and a stopped one has
    no model.

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
        """Return the result as JSON."""
        return {**asdict(self), "measures": dict(self.measures)}
