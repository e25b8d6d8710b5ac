"""What a recipe's table `model` says: the sizes of a model, and how it is trained. No torch is needed for
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from engines.core.errors import EngineError
from engines.egen.splits import SplitName
from engines.training.tables import typed

__all__ = ["ModelConfig", "Negatives", "Pooling", "Precision", "Settings", "divided"]

Pooling = Literal["mean", "max"]
Precision = Literal["fp32", "fp16"]
Negatives = Literal["one", "batch", "positives"]
"""one: the triplet's own negative, as the paper prints it. batch: the negatives of all triplets of the batch,
as the paper's figures were made. positives: the positives of all other clusters of the batch, in both
directions; no negative is encoded."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Sizes and pooling; the paper's are the defaults. `decoder_layers` is 0 for an encoder alone;
    `max_length` counts SOE and EOE."""

    d_model: int = 512
    heads: int = 8
    ffn: int = 2048
    layers: int = 6
    decoder_layers: int = 0
    max_length: int = 200
    dropout: float = 0.0
    pooling: Pooling = "mean"

    def __post_init__(self) -> None:
        """Refuse what makes no model. Raises: EngineError E640."""
        sizes = (self.d_model, self.heads, self.ffn, self.layers)
        wrong = ""
        if min(sizes) < 1 or self.decoder_layers < 0:
            wrong = "d_model, heads, ffn and layers are at least 1"
        elif self.d_model % self.heads or self.d_model % 2:
            wrong = f"d_model {self.d_model} is not an even multiple of {self.heads} heads"
        elif self.pooling not in get_args(Pooling):
            wrong = f"pooling is {self.pooling!r}, not mean or max"
        elif not 0 <= self.dropout < 1 or self.max_length < 3:
            wrong = "dropout is below 1, and max_length at least 3"
        if wrong:
            raise EngineError(wrong, code="E640", exit_code=2, remedy="Change the sizes of the model.")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ModelConfig:
        """From a table of a model folder. Raises: EngineError E640 for an unknown size or a wrong type."""
        return cls(**typed(cls, values, owner="a model", code="E640"))

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a recipe's table `model` says besides the sizes.

    - `negatives`: one, batch or positives (see `losses.Negatives`); `tau` the temperature; `triplets` about
      how many make an epoch; `groups`: the sequences of a batch are encoded in so many groups, shortest
      first, each padded to its own longest (few for a GPU). Of contrastive training.
    - `smoothing`: of labels, in seq2seq training.
    - `split`: paper or shapes, whose training side is used. `measured`: validation expressions, at most, that
      an evaluation looks at. `precision`: of the stored weights, fp32 or fp16.
    """

    negatives: Negatives = "batch"
    tau: float = 0.1
    triplets: int = 50_000_000
    groups: int = 6
    smoothing: float = 0.1
    split: SplitName = "paper"
    measured: int = 2_000
    precision: Precision = "fp32"

    def __post_init__(self) -> None:
        """Refuse what makes no sense. Raises: EngineError E640."""
        wrong = ""
        if self.negatives not in get_args(Negatives):
            wrong = f"negatives is {self.negatives!r}, not {', '.join(get_args(Negatives))}"
        elif self.split not in get_args(SplitName):
            wrong = f"split is {self.split!r}, not {', '.join(get_args(SplitName))}"
        elif self.precision not in get_args(Precision):
            wrong = f"precision is {self.precision!r}, not fp32 or fp16"
        elif self.tau <= 0 or min(self.triplets, self.groups) < 1 or not 0 <= self.smoothing < 1:
            wrong = "tau, triplets and groups are above 0, and smoothing is from 0 to 1"
        if wrong:
            raise EngineError(wrong, code="E640", exit_code=2, remedy="Change the model's settings.")


def divided(values: Mapping[str, Any]) -> tuple[Settings, ModelConfig]:
    """A recipe's table as settings and sizes. Raises: EngineError E640 for what is neither, or of a wrong
    type."""
    names = {field.name for field in fields(Settings)}
    settings = {key: value for key, value in values.items() if key in names}
    sizes = {key: value for key, value in values.items() if key not in names}
    return Settings(**typed(Settings, settings, owner="a model", code="E640")), ModelConfig.of(sizes)
