"""`mathwb arqmath backbone`: what a pre-training from nothing begins with."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.common import Json, emit

__all__ = ["backbone"]


class Architecture(StrEnum):
    """Which model."""

    bert = "bert"
    albert = "albert"
    roberta = "roberta"


def backbone(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A collection, or its name.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="The model folder to make.", show_default=False)],
    family: Annotated[Architecture, typer.Option("--family", help="Its architecture.")] = Architecture.bert,
    vocabulary: Annotated[int, typer.Option("--vocabulary", min=100, help="Tokens to learn.")] = 30_000,
    posts: Annotated[int, typer.Option("--posts", min=1, help="Learn them from so many posts.")] = 200_000,
    layers: Annotated[int, typer.Option("--layers", min=1)] = 6,
    hidden: Annotated[int, typer.Option("--hidden", min=1, help="Width.")] = 384,
    heads: Annotated[int, typer.Option("--heads", min=1)] = 12,
    ffn: Annotated[int, typer.Option("--ffn", min=1, help="Width of the feed-forward layers.")] = 1536,
    max_length: Annotated[int, typer.Option("--max-length", min=8, help="Tokens it can read.")] = 512,
    as_json: Json = False,
) -> None:
    """Make a model folder without weights: a tokenizer learned from the collection, and a config.

    Pre-train it with: mathwb train arqmath/pretrain-mathse1-small --set data.backbone=OUT
    """
    from engines.arqmath.collection import Report, read_posts
    from engines.arqmath.folder import ArqmathFolder
    from engines.arqmath.new_backbone import Sizes, new_backbone
    from workbench.collections import collection_path

    sizes = Sizes(layers, hidden, heads, ffn, vocabulary, max_length)
    read = read_posts(ArqmathFolder.open(collection_path(folder)).need_posts(), Report())
    made = new_backbone(family.value, (post.text for post in islice(read, posts)), out, sizes)
    document = {"out": str(out), "family": made.family, "vocabulary": len(made.tokenizer)}
    text = f"{out}: {made.family} without weights, {len(made.tokenizer):,} tokens in its vocabulary"
    emit(document, as_json, text=text)
