"""`mathwb egen rewrite` and `semembed`: what a sequence model writes, and the baseline's corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt, table

__all__ = ["rewrite", "semembed"]


def rewrite(
    model: Annotated[str, typer.Argument(help="A seq2seq model: folder or name.", show_default=False)],
    expression: Annotated[
        list[str],
        typer.Argument(metavar="EXPR", help="Infix or prefix; may begin with -.", show_default=False),
    ],
    beams: Annotated[int, typer.Option("--beams", min=1, help="1 is greedy.")] = 5,
    as_json: Json = False,
) -> None:
    """Other forms of an expression, written by a sequence-to-sequence model and verified."""
    from engines.core.events import ignore, never
    from workbench.tasks.egen_models import write

    params = {"model": model, "expr": " ".join(expression), "beams": beams}
    found = write(params, events=ignore, stop=never)
    rows = [
        (f"{each['score_nats']:.3f}", each["verdict"] or "no expression", each["prefix"] or "")
        for each in found["written"]
    ]
    emit(found, as_json, text=table(("nats a token", "verdict", "written"), rows))


def semembed(
    out: Annotated[Path, typer.Option("--out", help="The corpus folder to write.", show_default=False)],
    templates: Annotated[
        str,
        typer.Option("--templates", metavar="all|poly|functions|derivatives|FILE", help="What to rewrite."),
    ] = "all",
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="Only so many heads.")] = None,
    time_s: Annotated[float, typer.Option("--time", min=0.1, help="Seconds for one rewriting.")] = 2.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the sample and the splits.")] = 0,
    as_json: Json = False,
) -> None:
    """Build the corpus of the SemEmb baseline: equal forms by SymPy's rewriting alone."""
    from workbench.tasks.egen_models import semembed as run

    params: dict[str, Any] = {"out": str(out), "templates": templates, "time_s": time_s, "seed": seed}
    if sample is not None:
        params["sample"] = sample
    found = run(params, events=progress_line("semembed"), stop=stop_on_interrupt())
    text = f"{found['clusters']:,} clusters, {found['expressions']:,} expressions in {out}"
    emit(found, as_json, text=text)
