"""`mathwb arqmath index FOLDER --out DIR`: make a collection searchable."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt

__all__ = ["index"]


def index(
    folder: Annotated[
        str, typer.Argument(help="A collection, its name, or its file of posts.", metavar="FOLDER")
    ],
    out: Annotated[Path, typer.Option("--out", help="The index to write.", show_default=False)],
    dense: Annotated[bool, typer.Option("--dense", help="Vectors too, for searching by meaning.")] = False,
    encoder: Annotated[
        str, typer.Option("--encoder", metavar="minilm|FOLDER", help="The model that makes the vectors.")
    ] = "minilm",
    detach: Annotated[bool, typer.Option("--detach", help="Build it in the background, as a job.")] = False,
    as_json: Json = False,
) -> None:
    """Index the answers of a collection by their words and formulas, and by vectors if asked for.

    Ctrl-C stops gently, and the same command goes on from there; --dense may be added later. Searching takes
    what the index was built with.
    """
    from workbench.collections import collection_path

    params = {
        "folder": str(collection_path(folder)),
        "out": str(out.absolute()),
        "dense": dense,
        "encoder": encoder if encoder == "minilm" else str(Path(encoder).expanduser().absolute()),
    }
    if detach:
        _submit(params, as_json)
        return
    from workbench.tasks.arqmath_index import index as build

    built = build(params, events=progress_line("index"), stop=stop_on_interrupt())
    emit(built, as_json, text=_built(built))
    if not built["complete"]:
        raise typer.Exit(130)


def _submit(params: dict[str, Any], as_json: bool) -> None:
    from workbench.jobs import JobSpec, submit
    from workbench.workspace import Workspace

    name = Path(params["folder"]).name
    job = submit(Workspace.open(), JobSpec("arqmath.index", f"arqmath index {name}", params))
    text = f"job {job.id} builds {params['out']}; follow it with: mathwb jobs tail {job.id}"
    emit({"job": job.id, "out": params["out"]}, as_json, text=text)


def _built(built: Mapping[str, Any]) -> list[str]:
    if not built["complete"]:
        return ["stopped; the same command goes on"]
    counts, lexical, dense = built["counts"], built["lexical"], built["dense"]
    lines = [
        f"{built['documents']:,} answers to {counts['questions']:,} questions in {built['out']}",
        f"lexical: {lexical['terms']:,} terms, {lexical['mean_terms']:.0f} in an answer; BM25 with "
        f"k1 {lexical['bm25']['k1']:g}, b {lexical['bm25']['b']:g}",
    ]
    if dense:
        lines.append(f"dense: {built['encoder']['name']}, {dense['kind']}: {dense['reason']}")
    if counts["left_out"]:
        lines.append(f"rows that could not be read: {counts['left_out']:,}")
    return lines
