"""`mathwb arqmath rank FOLDER|INDEX --topics TOPICS.xml --model MODEL --out RUN`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt

__all__ = ["rank"]


class First(StrEnum):
    """How the first stage finds candidates."""

    lexical = "lexical"
    dense = "dense"
    fused = "fused"


class Candidates(StrEnum):
    """What the model scores."""

    of_index = "index"
    judged = "judged"
    every = "all"


def rank(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|INDEX", help="A collection, or what arqmath index made of it.", show_default=False
        ),
    ],
    topics: Annotated[
        list[Path], typer.Option("--topics", help="A topic file; may be given again.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="The run to write.", show_default=False)],
    model: Annotated[
        str | None,
        typer.Option("--model", help="A cross-encoder: a folder, or a model's name.", show_default=False),
    ] = None,
    first: Annotated[
        First | None,
        typer.Option("--first", help="The first stage.", show_default="fused where there are vectors"),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth",
            min=1,
            max=1_000,
            help="So many of the first stage go to the model, or, without one, into the run.",
            show_default="100; without a model 1,000",
        ),
    ] = None,
    candidates: Annotated[
        Candidates,
        typer.Option(
            "--candidates",
            help="The model scores the first stage's best, all judged answers, or all there are.",
        ),
    ] = Candidates.of_index,
    qrels: Annotated[
        list[Path] | None,
        typer.Option(
            "--qrels", help="Judgements; with them the first stage's recall is told.", show_default=False
        ),
    ] = None,
    rerank: Annotated[
        bool, typer.Option("--rerank/--no-rerank", help="Without, the first stage is the run.")
    ] = True,
    weight: Annotated[
        float,
        typer.Option("--weight", min=0, max=1, help="The model's, beside the first stage; 1: it alone."),
    ] = 1.0,
    tune_topics: Annotated[
        list[Path] | None,
        typer.Option(
            "--tune-topics",
            help="Choose the weight by the judgements of these topics only.",
            show_default=False,
        ),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=16, help="Of question and answer together.")
    ] = 512,
    exact: Annotated[
        bool, typer.Option("--exact", help="Single precision also where 16 bits are several times faster.")
    ] = False,
    tag: Annotated[
        str | None, typer.Option("--tag", help="The run's name.", show_default="the model's")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    detach: Annotated[bool, typer.Option("--detach", help="In the background, as a job.")] = False,
    as_json: Json = False,
) -> None:
    """Rank answers for topics: a first stage finds candidates, a cross-encoder scores them by P(label 1).

    Ctrl-C stops gently: finished topics stay, and the same command goes on from them.
    """
    from workbench.tasks.arqmath_rank import rank as run

    place = Path(source).expanduser()
    params: dict[str, Any] = {
        "source": str(place.absolute()) if place.exists() else source,
        "topics": _absolute(topics),
        "run": str(out.expanduser().absolute()),
        "model": _place(model),
        "first": first and first.value,
        "depth": depth,
        "candidates": candidates.value,
        "qrels": _absolute(qrels) or None,
        "rerank": rerank,
        "weight": weight,
        "tune_topics": _absolute(tune_topics) or None,
        "max_tokens": max_tokens,
        "exact": exact,
        "tag": tag,
        "device": device,
    }
    if detach:
        _submit({key: value for key, value in params.items() if value is not None}, as_json)
        return
    found = run(params, events=progress_line("rank"), stop=stop_on_interrupt())
    emit(found, as_json, text=_told(found))
    if not found["complete"]:
        raise typer.Exit(130)


def _absolute(paths: list[Path] | None) -> list[str]:
    return [str(path.expanduser().absolute()) for path in paths or ()]


def _place(model: str | None) -> str | None:
    if model is None:
        return None
    path = Path(model).expanduser()
    return str(path.absolute()) if path.is_dir() else model


def _submit(params: dict[str, Any], as_json: bool) -> None:
    from workbench.jobs import JobSpec, submit
    from workbench.workspace import Workspace

    job = submit(
        Workspace.open(), JobSpec("arqmath.rank", f"arqmath rank {Path(params['run']).name}", params)
    )
    text = f"job {job.id} ranks into {params['run']}; follow it with: mathwb jobs tail {job.id}"
    emit({"job": job.id, "run": params["run"]}, as_json, text=text)


def _told(found: Mapping[str, Any]) -> list[str]:
    lines = []
    if not found["complete"]:
        lines.append("stopped; the finished topics are kept, and the same command goes on")
    else:
        lines.append(f"{found['documents']:,} answers to {found['topics']:,} topics in {found['run']}")
    if "pairs" in found:
        lines.append(
            f"{found['pairs']:,} pairs scored, {found['pairs_per_s']:.1f}/s; "
            f"{found['truncated_share']:.1%} were too long and cut, the longer side first"
        )
    if found.get("first") and 0 < found["weight"] < 1:
        lines.append(f"weight of the model beside the first stage: {found['weight']:g}")
    if "recall" in found:
        shares = ", ".join(f"{at}: {share:.3f}" for at, share in found["recall"].items())
        lines.append(f"recall of the first stage ({found['first']}), grade 2 and more, at {shares}")
    return lines
