"""Settings of MathAMR's trainers, as a recipe's table `model` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from engines.core.errors import DataError
from engines.core.spec import Arg
from engines.mathamr.retrieval.representations import Kind
from engines.mathamr.rows import Window


def need_collection(data: Mapping[str, Path]) -> None:
    """Raises: DataError E644 when a recipe names no collection."""
    if "collection" not in data:
        raise DataError(
            "the recipe names no collection",
            code="E644",
            exit_code=3,
            remedy="Name one with --set data.collection=NAME.",
        )


def index_files(data: Mapping[str, Path]) -> dict[str, tuple[Path, ...]]:
    """An index of formulas that is named, as data of the training: it is read instead of the collection's."""
    return {"index": (data["index"],)} if "index" in data else {}


CODE = "E677"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSettings:
    """How a sentence encoder learns from judged formulas (MathAMR, section 4.2)."""

    kind: Annotated[Kind, Arg("Which strings it reads.")] = "mathamr-marked"
    window: Window = 0
    contrastive: Annotated[
        Literal["online", "all"], Arg("The first loss: of the hard pairs of a batch, or of all pairs.")
    ] = "online"
    margin: Annotated[float, Arg("Cosine distance beyond which unequal pairs are left alone.", low=0)] = 0.5
    scale: Annotated[float, Arg("What cosines are multiplied by in the ranking loss.", low=0)] = 20.0
    block: Annotated[int, Arg("Pairs of one loss in a row: as many as batch_size.", low=1)] = 16
    max_length: Annotated[int, Arg("Tokens of a string; the rest is cut.", low=8)] = 128
    first_topic: Annotated[int, Arg("Topics by number: B.1 to B.99 are those of 2020.", low=0)] = 0
    last_topic: Annotated[int, Arg("The last one.", low=0)] = 199
    split: Annotated[
        Literal["topics", "pairs"], Arg("Hold out whole topics, or pairs by grade, as the paper does.")
    ] = "topics"
    held_out: Annotated[float, Arg("Share that is measured on.", low=0, high=0.9)] = 0.1
