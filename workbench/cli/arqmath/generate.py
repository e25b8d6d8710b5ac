"""`mathwb arqmath generate TOPICS --out RUN`: answers to the topics of Task 3."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt
from workbench.errors import UsageError

__all__ = ["generate_answers"]


class How(StrEnum):
    """How candidates are found."""

    lexical = "lexical"
    dense = "dense"
    fused = "fused"


def generate_answers(
    topics: Annotated[Path, typer.Argument(help="Topics of Task 1 or 3, XML.", metavar="TOPICS")],
    out: Annotated[Path, typer.Option("--out", help="The run to write.", show_default=False)],
    model: Annotated[
        str | None, typer.Option("--model", help="Write answers with this GPT-2 folder, or model by name.")
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            "--index", help="Extract passages of the answers in this index (or collection) instead."
        ),
    ] = None,
    shortest: Annotated[
        list[str] | None, typer.Option("--shortest", help="Or take the shortest of these runs; repeatable.")
    ] = None,
    recipe: Annotated[
        str | None, typer.Option("--recipe", help="Decode as a recipe says: arqmath/task3-….")
    ] = None,
    beams: Annotated[int | None, typer.Option("--beams", min=1, help="Beam width. [default: 5]")] = None,
    length_penalty: Annotated[
        float | None, typer.Option("--length-penalty", help="Above 0 favours longer ones. [default: 1]")
    ] = None,
    hint: Annotated[
        bool | None, typer.Option("--hint/--no-hint", help="Begin with HINT: shorter. [default: no]")
    ] = None,
    sample: Annotated[
        bool | None, typer.Option("--sample/--no-sample", help="Draw the tokens. [default: no]")
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Among so many. [default: 50]")] = None,
    new_tokens: Annotated[
        int | None, typer.Option("--new-tokens", min=1, help="At most. [default: 400]")
    ] = None,
    no_repeat: Annotated[
        int | None, typer.Option("--no-repeat", min=0, help="No n tokens twice. [default: 0, allowed]")
    ] = None,
    how: Annotated[How, typer.Option("--how", help="--index: how candidates are found.")] = How.lexical,
    depth: Annotated[int, typer.Option("--depth", min=1, help="--index: from so many answers.")] = 10,
    scorer: Annotated[
        str | None, typer.Option("--scorer", help="--index: judge passages by this cross-encoder.")
    ] = None,
    tag: Annotated[
        str | None, typer.Option("--tag", help="The run's name.", show_default="the file's")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Of --sample. [default: 0]")] = None,
    as_json: Json = False,
) -> None:
    """Answer topics, one answer of at most 1,200 characters each.

    A run that was stopped or killed goes on with the same command.
    """
    from workbench.collections import index_path
    from workbench.tasks.arqmath_generate import generate

    params: dict[str, Any] = _recipe(recipe) if recipe else {}
    params |= {"topics": str(topics), "out": str(out), "tag": tag}
    given = {
        "model": model and _model(model),
        "index": index and str(index_path(index)),
        "shortest": shortest,
        "beams": beams,
        "length_penalty": length_penalty,
        "hint": hint,
        "sample": sample,
        "top_k": top_k,
        "new_tokens": new_tokens,
        "no_repeat": no_repeat,
        "seed": seed,
    }
    params |= {name: value for name, value in given.items() if value is not None}
    if index is not None:
        params |= {"how": how.value, "depth": depth, "scorer": scorer and _model(scorer)}
    ways = [name for name in ("model", "index", "shortest") if params.get(name)]
    if len(ways) != 1:
        raise UsageError(
            "no way to answer is given" if not ways else f"{' and '.join(ways)} are different ways to answer",
            code="E402",
            remedy="Give one of --model, --index and --shortest.",
        )
    made = generate(params, events=progress_line("answers"), stop=stop_on_interrupt())
    lines = [f"{made['answers']:,} answers to {made['topics']:,} topics in {made['out']}"]
    if not made["complete"]:
        lines = [f"stopped after {made['answers']:,} of {made['topics']:,} topics; the same command goes on"]
    emit(made, as_json, text=lines)
    if not made["complete"]:
        raise typer.Exit(130)


def _recipe(name: str) -> dict[str, Any]:
    from workbench.recipes import load

    found = load(name)
    if found.task != "arqmath.generate":
        raise UsageError(f"{name} does not answer topics: its task is {found.task}", code="E425")
    return {**found.params, "seed": found.seed}


def _model(name: str) -> str:
    from workbench.tasks.egen_models import model_folder

    return str(model_folder(name))
