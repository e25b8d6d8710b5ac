"""What a recipe's table `model` says of a model of E-Gen: its sizes and choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from engines.core.spec import Arg, make_refusal, read, specification

Pooling = Literal["mean", "max"]
Precision = Literal["fp32", "fp16"]
Negatives = Literal["one", "batch", "positives"]
"""one: the triplet's own negative, as the paper prints it. batch: the negatives of all triplets of the batch,
as the paper's figures were made. positives: the positives of all other clusters of the batch, in both
directions; no negative is encoded."""
CODE = "E640"


@specification
class ModelConfig:
    """The sizes and choices of a transformer of E-Gen."""

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
        raise make_refusal(wrong, CODE, "Change the sizes of the model.")

    @classmethod
    def from_table(cls, values: Mapping[str, Any]) -> ModelConfig:
        """Return the sizes from the table of a model folder."""
        return read(cls, values, prefix="", code=CODE)
