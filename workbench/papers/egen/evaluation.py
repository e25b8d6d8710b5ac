"""Evaluations, kept as a row of the paper's table when one is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.egen.evaluations.evaluate import Evaluate

__all__ = ["EvaluateRow", "evaluate"]


@dataclass(frozen=True, slots=True)
class EvaluateRow(Evaluate):
    """Measure a model as the paper does and, where that has a flaw, better; with 95 % bootstrap intervals.

    Of a corpus the validation side is taken. FILE may also hold items that --write kept. With --llm the
    questions of semantic, mistakes and algebra are sent to a language model instead, with the key in
    MATHWB_LLM_KEY where one is needed; prompts and answers are kept, and a run that was stopped goes on.
    """

    row: Annotated[
        str | None, Arg("Keep the result for `mathwb repro`, as this row: CL Mean, seq2seq, …")
    ] = None


def evaluate(
    spec: EvaluateRow, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """As `engines.egen.evaluations.evaluate.evaluate`, with `kept`, the file, where a row is named."""
    from engines.egen.evaluations.evaluate import evaluate as measure

    found = measure(spec, cache=cache, events=events, stop=stop)
    return found if spec.row is None else {**found, "kept": str(_keep(found, spec, spec.row))}


def _keep(found: Mapping[str, Any], spec: EvaluateRow, row: str) -> Path:
    from engines.core.reported import reported_tables
    from workbench.operation import command_line, operation
    from workbench.repro import save_result
    from workbench.workspace import Workspace

    values = {
        figure["name"]: {"mean": figure["value"], "low": figure["interval"][0], "high": figure["interval"][1]}
        for figure in found["figures"]
        if figure["protocol"] == "paper"
    }
    table = next(
        table["number"]
        for table in reported_tables("egen")
        if {column["measure"] for column in table["columns"]} <= values.keys()
    )
    return save_result(
        Workspace.open().root,
        "egen",
        table=table,
        row=row,
        values=values,
        setting=f"{found['model']} on {found['data']}, seed {found['seed']}",
        command=command_line(operation("egen.eval"), replace(spec, row=None, worst=None, write=None)),
    )
