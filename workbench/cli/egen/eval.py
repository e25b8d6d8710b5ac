"""`mathwb egen eval`: a model by the five evaluations of the paper, beside its figures."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, say, stop_on_interrupt, table

__all__ = ["evaluate"]


class Evaluation(StrEnum):
    """The five tasks."""

    kmeans = "kmeans"
    semantic = "semantic"
    mistakes = "mistakes"
    algebra = "algebra"
    retrieval = "retrieval"


class Split(StrEnum):
    """How a corpus is divided."""

    paper = "paper"
    shapes = "shapes"


class Side(StrEnum):
    """A part of a divided corpus."""

    validation = "validation"
    train = "train"
    all = "all"


def evaluate(
    task: Annotated[Evaluation, typer.Argument(help="What to measure.")],
    model: Annotated[
        str,
        typer.Argument(
            help="A folder (of sentence-transformers too), or a model's name.", show_default=False
        ),
    ],
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="FILE|CORPUS", help="Clusters to measure on.", show_default="the sample"
        ),
    ] = None,
    split: Annotated[Split, typer.Option("--split", help="Of a corpus.")] = Split.paper,
    side: Annotated[
        Side | None, typer.Option("--side", help="Of a corpus.", show_default="validation")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="With what a file lists as equal on a part only.")
    ] = False,
    count: Annotated[
        int | None, typer.Option("--count", min=1, help="Items, derivations or analogies, at most.")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option("--train", metavar="FILE|CORPUS", help="mistakes: where the threshold is learned."),
    ] = None,
    analogies: Annotated[
        Path | None, typer.Option("--analogies", help="algebra: four expressions a line, with tabs.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the test set.")] = 0,
    write: Annotated[
        Path | None, typer.Option("--write", help="Keep the test set that was built in this file.")
    ] = None,
    row: Annotated[
        str | None,
        typer.Option("--row", help="Keep the result for `mathwb repro`, as this row: CL Mean, seq2seq, …"),
    ] = None,
    worst: Annotated[
        int | None,
        typer.Option(
            "--worst",
            min=1,
            help="How many mistakes to list, the costliest first.",
            show_default="5, of 20 with --json",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure a model as the paper does and, where that has a flaw, better; with 95 % bootstrap intervals.

    Of a corpus the validation side is taken. FILE may also hold items that --write kept.
    """
    from workbench.tasks.egen_models import evaluate as run

    params = {
        "task": task.value,
        "model": model,
        "split": split.value,
        "partial": partial,
        "seed": seed,
        **{
            name: str(value) if isinstance(value, Path) else value
            for name, value in (
                ("data", data),
                ("side", side and side.value),
                ("count", count),
                ("train", train),
                ("analogies", analogies),
                ("write", write),
                ("worst", worst),
            )
            if value is not None
        },
    }
    found = run(params, events=progress_line(f"eval {task.value}"), stop=stop_on_interrupt())
    if row is not None:
        say(f"kept in {_keep(found, row, params)}")
    emit(found, as_json, text=_lines(found, worst or 5))


_DEFAULTS: Mapping[str, object] = {"split": "paper", "seed": 0}
_TABLES = {"kmeans": 4, "semantic": 6, "mistakes": 8, "algebra": 10, "retrieval": 15}


def _keep(found: Mapping[str, Any], row: str, params: Mapping[str, Any]) -> Path:
    from workbench.repro import save_result
    from workbench.workspace import Workspace

    values = {
        figure["name"]: {"mean": figure["value"], "low": figure["interval"][0], "high": figure["interval"][1]}
        for figure in found["figures"]
        if figure["protocol"] == "paper"
    }
    options = " ".join(
        f"--{name} {shlex.quote(str(params[name]))}"
        for name in ("data", "split", "side", "count", "train", "analogies", "seed")
        if params.get(name, _DEFAULTS.get(name)) != _DEFAULTS.get(name)
    )
    options += " --partial" if params["partial"] else ""
    return save_result(
        Workspace.open().root,
        "egen",
        table=_TABLES[found["task"]],
        row=row,
        values=values,
        setting=f"{found['model']} on {found['data']}, seed {found['seed']}",
        command=f"mathwb egen eval {found['task']} {shlex.quote(params['model'])} {options}".rstrip(),
    )


def _lines(found: Mapping[str, Any], worst: int) -> Iterator[str]:
    papers = list(dict.fromkeys(name for figure in found["figures"] for name in figure["paper"]))
    rows = [
        (
            figure["name"],
            figure["protocol"],
            f"{figure['value']:.2f}",
            "[{:.2f}, {:.2f}]".format(*figure["interval"]),
            *(f"{figure['paper'][name]:.2f}" if name in figure["paper"] else "" for name in papers),
        )
        for figure in found["figures"]
    ]
    yield f"{found['task']}: {found['model']} on {found['data']}"
    yield from table(("measure, %", "protocol", "here", "95 %", *(f"paper {name}" for name in papers)), rows)
    yield ""
    for name, value in found["setting"].items():
        if not isinstance(value, Mapping):
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            yield f"{name.replace('_', ' ')}: {shown}"
        elif value and name != "by_family":
            yield f"{name.replace('_', ' ')}: " + ", ".join(
                f"{key}: {count:.6g}" for key, count in value.items()
            )
    if families := found["setting"].get("by_family"):
        yield ""
        columns = ("family", "analogies", "paper, %", "any form, %")
        yield from table(columns, [(name, n, f"{a:.1f}", f"{b:.1f}") for name, (n, a, b) in families.items()])
    if found["mistakes"]:
        yield ""
        yield f"wrong: {found['wrong']:,}; the costliest:"
        columns = ("cost", "asked", "expected", "predicted")
        rows = [
            (f"{case['cost']:.4f}", case["query"], case["expected"] or "–", case["predicted"] or "–")
            for case in found["mistakes"][:worst]
        ]
        yield from (f"  {line}" for line in table(columns, rows))
