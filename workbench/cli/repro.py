"""`mathwb repro`: every table of the papers: their numbers, ours, and what is missing."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.common import Json, emit, table
from workbench.repro import Cell, Table, engines, tables
from workbench.workspace import Workspace

__all__ = ["repro"]


def repro(
    engine: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENGINE]", help="egen, mwp, arqmath or mathamr; all without.", show_default=False
        ),
    ] = None,
    number: Annotated[
        int | None, typer.Option("--table", metavar="N", help="One table.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """The tables of the papers: the paper's numbers, ours with their intervals, setting, what is missing."""
    workspace = Workspace.open()
    wanted = [engine] if engine else engines()
    found = [item for name in wanted for item in tables(workspace, name, number=number)]
    lines = [line for item in found for line in [*_lines(item), ""]]
    emit(found, as_json, text=lines[:-1])


def _lines(item: Table) -> list[str]:
    head = f"{item.engine}, Table {item.number}: {item.title}"
    columns = [cell.column for cell in item.rows[0].cells]
    rows = []
    for row in item.rows:
        papers = [_number(cell.paper, item.decimals) for cell in row.cells]
        rows.append((row.name, "paper" if set(papers) != {"-"} else "", *papers))
        if row.source:
            rows.append((f"  {row.source}", "ours", *(_ours(cell, item.decimals) for cell in row.cells)))
    lines = [head, f"  paper's setting: {item.setting}"]
    lines += [f"  {line}" for line in table(("", "", *columns), rows)]
    if item.note:
        lines.append(f"  note: {item.note}")
    if not any(row.source for row in item.rows):
        lines.append("  ours: not measured here yet")
    measured = {(row.command, row.record) for row in item.rows if row.command}
    lines += [f"  ours by: {command}{record and f' -> {record}'}" for command, record in sorted(measured)]
    lines.append(f"  to measure: {item.command}")
    return lines + [f"  missing: {what}" for what in item.missing]


def _ours(cell: Cell, decimals: int) -> str:
    if cell.ours is None:
        return ""
    mean = _number(cell.ours, decimals)
    if cell.low is None or cell.high is None:
        return mean
    return f"{mean} [{_number(cell.low, decimals)}, {_number(cell.high, decimals)}]"


def _number(value: float, decimals: int) -> str:
    if value != value:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{decimals}f}"
