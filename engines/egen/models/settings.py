"""Which models there are, and what a recipe's table `model` says: the sizes of one, and how it is trained."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, overload

from engines.core.spec import Arg, described, known, read, refused
from engines.core.system import models_folder
from engines.egen.corpus.splits import SplitName

Pooling = Literal["mean", "max"]
Precision = Literal["fp32", "fp16"]
Negatives = Literal["one", "batch", "positives"]
"""one: the triplet's own negative, as the paper prints it. batch: the negatives of all triplets of the batch,
as the paper's figures were made. positives: the positives of all other clusters of the batch, in both
directions; no negative is encoded."""

CODE = "E640"

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    d_model: Annotated[int, Arg("Width of the model.", low=2)] = 512
    heads: Annotated[int, Arg("Attention heads.", low=1)] = 8
    ffn: Annotated[int, Arg("Width of the feed-forward layers.", low=1)] = 2048
    layers: Annotated[int, Arg("Layers of the encoder.", low=1)] = 6
    decoder_layers: Annotated[int, Arg("Layers of the decoder; 0: encoder only.", low=0)] = 0
    max_length: Annotated[int, Arg("Longest expression, in tokens, including SOE and EOE.", low=3)] = 200
    dropout: Annotated[float, Arg("Dropout rate.", low=0, high=1)] = 0.0
    pooling: Annotated[Pooling, Arg("Pooling: how token states become one vector.")] = "mean"

    def __post_init__(self) -> None:
        if self.d_model % self.heads or self.d_model % 2:
            wrong = f"d_model {self.d_model} is not an even multiple of {self.heads} heads"
        elif self.dropout == 1:
            wrong = "dropout is 1, and must be below 1"
        else:
            return
        raise refused(wrong, CODE, "Change the sizes of the model.")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ModelConfig:
        """From a table of a model folder. Raises: EngineError E640 that names the size."""
        return read(cls, values, place="", code=CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a recipe's table `model` says besides the sizes: of contrastive training `negatives` to `groups`,
    of seq2seq training `smoothing`."""

    negatives: Annotated[Negatives, Arg("Which expressions to contrast an anchor with.")] = "batch"
    tau: Annotated[float, Arg("Temperature.", low=0)] = 0.1
    triplets: Annotated[int, Arg("Triplets per epoch, approximately.", low=1)] = 50_000_000
    groups: Annotated[int, Arg("Groups by length in which a batch is encoded; few for a GPU.", low=1)] = 6
    smoothing: Annotated[float, Arg("Label smoothing.", low=0, high=1)] = 0.1
    split: Annotated[SplitName, Arg("Use the training side of this split.")] = "paper"
    measured: Annotated[int, Arg("Validation expressions used per evaluation.", low=1)] = 2_000
    precision: Annotated[Precision, Arg("Precision of the stored weights.")] = "fp32"

    def __post_init__(self) -> None:
        if self.tau == 0 or self.smoothing == 1:
            raise refused("tau must be above 0, and smoothing below 1", CODE, "Change the model's settings.")


@overload
def divided(values: Mapping[str, Any]) -> tuple[Settings, ModelConfig]: ...


@overload
def divided(values: Mapping[str, Any], settings: type[S], sizes: type[T]) -> tuple[S, T]: ...


def divided(values: Mapping[str, Any], settings: Any = Settings, sizes: Any = ModelConfig) -> tuple[Any, Any]:
    """A recipe's table as settings and sizes. Raises: EngineError E640 that names the setting."""
    names = {spec: [field.name for field in described(spec)] for spec in (settings, sizes)}
    for key in values:
        if not any(key in own for own in names.values()):
            every = (*names[sizes], *names[settings])
            raise refused(f"unknown setting model.{key}", CODE, known(key, every))
    chosen, shape = (
        read(spec, {key: values[key] for key in own if key in values}, place="model.", code=CODE)
        for spec, own in names.items()
    )
    return chosen, shape


ModelFolder = Annotated[Path, Arg("A folder (of sentence-transformers too), or a model's name.", ref="model")]


_BEST = "egen-both"


def shipped_models() -> list[Path]:
    """All models of expressions that ship, the best first."""
    result = models_folder().glob("egen-*")
    return sorted(result, key=lambda folder: (folder.name != _BEST, folder.name))


def embeds(folder: Path) -> bool:
    """Whether a folder holds a model of ours, or one of sentence-transformers."""
    try:
        if (folder / "modules.json").exists():
            about = json.loads((folder / "config_sentence_transformers.json").read_bytes())
            return about.get("model_type") != "CrossEncoder"
    except (OSError, ValueError, AttributeError):
        return True
    try:
        return "egen" in json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return False


def models_among(folders: Iterable[Path]) -> list[Path]:
    """The models that turn expressions into vectors: those that ship, then those among the folders; of two
    with the same name the latter."""
    found = {folder.name: folder for folder in (*shipped_models(), *folders) if embeds(folder)}
    return list(found.values())
