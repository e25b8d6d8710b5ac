"""`mathwb arqmath pairs`: the pairs that a cross-encoder is fine-tuned on, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.common import Json, emit, table
from workbench.errors import UsageError

__all__ = ["pairs"]


def pairs(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A collection, or its name.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="The file to write.", show_default=False)],
    per_question: Annotated[
        int, typer.Option("--per-question", min=1, help="Correct answers of a question, at most: 1 or 10.")
    ] = 1,
    annotated: Annotated[
        Path | None,
        typer.Option("--annotated", metavar="QRELS", help="Relevant answers of judged topics instead."),
    ] = None,
    run: Annotated[
        Path | None, typer.Option("--run", help="Of a model: the incorrect answers to judged topics.")
    ] = None,
    hard_negatives: Annotated[
        Path | None,
        typer.Option(
            "--hard-negatives", metavar="RUN", help="Of a first stage; its topics are question ids."
        ),
    ] = None,
    hard_share: Annotated[
        float, typer.Option("--hard-share", min=0, max=1, help="How many incorrect answers are hard ones.")
    ] = 0.5,
    exclude: Annotated[
        Path | None, typer.Option("--exclude", help="Ids of posts that are evaluated on, one per line.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses answers, order and sides.")] = 0,
    as_json: Json = False,
) -> None:
    """Draw pairs of question and answer: correct ones (1) and as many incorrect ones (0).

    Incorrect answers belong to questions with a tag in common. A tenth of the questions is held out.
    """
    from engines.arqmath.finetuning import pair_source
    from engines.arqmath.folder import ArqmathFolder
    from engines.arqmath.pairs import draw_pairs, write_pairs
    from workbench.collections import collection_path

    if annotated is None and run is not None:
        raise UsageError(
            "--run belongs to --annotated",
            code="E427",
            remedy="A first stage's run over questions is --hard-negatives.",
        )
    source, threads = pair_source(
        ArqmathFolder.open(collection_path(folder)),
        annotated=annotated,
        run=run,
        hard_negatives=hard_negatives,
        hard_share=hard_share,
        exclude=exclude,
    )
    many = len(threads.known) if annotated is not None else per_question
    drawn = draw_pairs(source, per_question=many, seed=seed)
    write_pairs(drawn, out)
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in drawn.counts.items()]
    rows += [(name, f"{count:,}") for name, count in threads.left_out.items() if count]
    document = {"out": str(out), **drawn.counts, "left_out": threads.left_out, "seed": seed}
    emit(document, as_json, text=[*table(("", "count"), rows), f"written to {out}"])
