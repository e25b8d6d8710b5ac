"""The settings of a training that are the same for every model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from engines.core.spec import Arg, known, read, refused

__all__ = ["TrainConfig"]

CODE = "E630"


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """How to train. A step is one update of the weights, made from `accumulate` batches of every process."""

    steps: Annotated[int, Arg("How many steps; 0: as many as `epochs` are.", low=0)] = 0
    epochs: Annotated[float, Arg("How many times through the data, where `steps` is 0.", low=0)] = 0.0
    epoch_steps: Annotated[int, Arg("Steps of an epoch, for data of unknown length; 0: counted.", low=0)] = 0
    batch_size: Annotated[int, Arg("Examples of a batch.", low=1)] = 32
    batch_tokens: Annotated[
        int, Arg("As many examples as fit into so many tokens, padding counted; 0: `batch_size`.", low=0)
    ] = 0
    accumulate: Annotated[int, Arg("Batches that make a step.", low=1)] = 1
    bucket: Annotated[
        int, Arg("Batches read at a time and sorted by length; 1 keeps the order of the data.", low=1)
    ] = 64
    lr: Annotated[float, Arg("Learning rate at its highest.", low=0)] = 1e-4
    lr_min: Annotated[float, Arg("Learning rate at its lowest.", low=0)] = 0.0
    schedule: Annotated[
        Literal["constant", "linear", "cosine_restarts"],
        Arg("After the warm-up: as it is, down to lr_min at the last step, or from lr to lr_min in cycles."),
    ] = "linear"
    warmup: Annotated[int, Arg("Steps in which the learning rate rises to `lr`.", low=0)] = 0
    restart_epochs: Annotated[int, Arg("Epochs of the first cycle of cosine_restarts.", low=1)] = 10
    restart_factor: Annotated[int, Arg("How many times as long the next cycle is.", low=1)] = 2
    per_step: Annotated[bool, Arg("Cycles change the learning rate at every step, not once an epoch.")] = (
        False
    )
    weight_decay: Annotated[float, Arg("Weight decay of AdamW.", low=0)] = 0.01
    clip: Annotated[float, Arg("Greatest norm of the gradient; 0: any.", low=0)] = 1.0
    precision: Annotated[
        Literal["auto", "bf16", "fp32"], Arg("Numbers to calculate with; auto is bf16 where a GPU has it.")
    ] = "auto"
    compile: Annotated[bool, Arg("Use torch.compile.")] = False
    eval_every: Annotated[int, Arg("Steps between evaluations; 0: at the end only.", low=0)] = 0
    save_every: Annotated[int, Arg("Steps between checkpoints; 0: only when stopped.", low=0)] = 0
    log_every: Annotated[int, Arg("Steps between logged losses, the first besides.", low=1)] = 10
    best: Annotated[str, Arg("Measure that chooses the model; empty: the last one.")] = ""
    best_is_lowest: Annotated[bool, Arg("The lowest value of `best` is the best.")] = False
    patience: Annotated[
        int, Arg("So many evaluations in a row without a better one end it; 0: never.", low=0)
    ] = 0
    keep: Annotated[int, Arg("Checkpoints that stay, besides the best.", low=1)] = 2
    seed: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def __post_init__(self) -> None:
        """Refuse what does not go together. Raises: EngineError E630."""
        if not self.steps and not self.epochs:
            raise _refused("neither steps nor epochs says how long to train")
        if self.patience and not (self.best and self.eval_every):
            raise _refused("patience needs best, the measure to be better in, and eval_every")
        if not self.lr:
            raise _refused("lr is 0, so nothing would be learned")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> TrainConfig:
        """From the table `train` of a recipe. Raises: EngineError E630 that names the setting."""
        return read(cls, values, place="train.", code=CODE)

    def check_best(self, measures: Iterable[str]) -> None:
        """Refuse to choose by a measure that is not among these. Raises: EngineError E630."""
        if self.best and self.best not in (names := list(measures)):
            what = f"train.best is {self.best!r}, which the evaluation does not measure"
            raise refused(what, CODE, known(self.best, names))

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def _refused(what: str) -> Exception:
    return refused(what, CODE, "Change it with --set or in the recipe.")
