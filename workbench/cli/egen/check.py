"""`mathwb egen check`: the first wrong step of a derivation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt

__all__ = ["check"]


def check(
    file: Annotated[
        Path,
        typer.Argument(
            help="A step a line, prefix or infix; a blank line ends a derivation.", show_default=False
        ),
    ],
    model: Annotated[
        str | None, typer.Option("--model", help="For the second opinion.", show_default="the one that ships")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", help="A cosine below it is suspicious.", show_default="learned on derivations"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the first wrong step: by the verifier, with a counterexample, and by the embeddings beside it.

    Exits with 1 when the verifier finds a wrong step.
    """
    from workbench.tasks.egen_models import check as run

    params: dict[str, Any] = {"file": str(file)}
    if model is not None:
        params["model"] = model
    if threshold is not None:
        params["threshold"] = threshold
    found = run(params, events=progress_line("derivations"), stop=stop_on_interrupt())
    emit(found, as_json, text=_lines(found))
    if any(each["first_wrong"] is not None for each in found["derivations"]):
        raise typer.Exit(1)


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    if found["model"]:
        yield f"threshold of {found['model']}: cosine {found['threshold']:.4f}"
    for number, derivation in enumerate(found["derivations"], 1):
        yield f"derivation {number}: {_verdict(derivation)}"
        for place, step in enumerate(derivation["steps"]):
            note = _note(derivation["transitions"][place - 1]) if place else ""
            yield f"  {place + 1}. {step['infix']}{note}"


def _verdict(derivation: Mapping[str, Any]) -> str:
    wrong, flagged = derivation["first_wrong"], derivation["first_flagged"]
    text = "every step is right" if wrong is None else f"step {wrong + 2} is wrong"
    if flagged is not None and flagged != wrong:
        text += f"; the embeddings suspect step {flagged + 2}"
    return text


def _note(transition: Mapping[str, Any]) -> str:
    parts = []
    example = transition["counterexample"]
    if transition["verdict"] in ("different", "nowhere"):
        values = (
            ("undefined" if v is None else f"{v:.6g}" for v in (example["head"], example["member"]))
            if example
            else ()
        )
        parts.append("WRONG" + (f": at x = {example['x']:.4g} {' becomes '.join(values)}" if example else ""))
    elif transition["verdict"] != "equal":
        parts.append(transition["verdict"])
    if transition["cosine"] is not None:
        parts.append(f"cosine {transition['cosine']:.3f}" + (", suspicious" if transition["flagged"] else ""))
    return f"   [{'; '.join(parts)}]" if parts else ""
