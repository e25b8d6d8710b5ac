"""`mathwb arqmath pretrain-data`: what a language model is pre-trained on, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.common import Json, emit, say, table
from workbench.errors import UsageError, did_you_mean

__all__ = ["pretrain_data"]

_CORPORA = {"1": "mathse1", "2": "mathse2", "3": "mathse3", "khan": "khan", "amps": "amps"}


def pretrain_data(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER", help="A collection or its name, or the folder of AMPS.", show_default=False
        ),
    ],
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            help="1 sentences, 2 text and formulas, 3 parts of formulas; khan or amps: exercises.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The JSON lines to write, .jsonl or .jsonl.gz.", show_default=False)
    ],
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Sentence-order pairs instead of segments; label 1 is swapped.")
    ] = False,
    backbone: Annotated[
        str,
        typer.Option(
            "--backbone", help="Of --pairs: the model whose tokens are counted, a folder or minilm."
        ),
    ] = "minilm",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the pairs.")] = 0,
    as_json: Json = False,
) -> None:
    """Cut a collection into segments for pre-training, or into sentence-order pairs of up to 512 tokens."""
    from engines.arqmath.collection import Report
    from engines.arqmath.pretraining_data import documents
    from engines.arqmath.sentence_order import write_segments
    from engines.arqmath.training_settings import PretrainSettings
    from workbench.collections import collection_path

    if strategy not in _CORPORA:
        raise UsageError(
            f"there is no strategy {strategy!r}",
            code="E404",
            remedy=did_you_mean(strategy, _CORPORA) or f"Strategies: {', '.join(_CORPORA)}.",
        )
    tokenizer = None
    if pairs:
        from engines.arqmath.backbones import open_backbone
        from engines.arqmath.latex_tokens import add_latex_tokens

        tokenizer = open_backbone(backbone).tokenizer
        add_latex_tokens(tokenizer)
    place, report = collection_path(folder), Report()
    read = documents(
        PretrainSettings(corpora=_CORPORA[strategy]), {"collection": place, "amps": place}, report
    )
    counts = write_segments(read, out, tokenizer=tokenizer, seed=seed)
    counts |= {"left_out": report.bad, "broken": report.warned}
    for line, reason in report.first:
        say(f"{place}: row {line}: {reason}")
    document = {"out": str(out), "strategy": strategy, **counts, "seed": seed}
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in counts.items()]
    emit(document, as_json, text=[*table(("", "count"), rows), f"written to {out}"])
