"""The page of all commands, made from the commands themselves: `python -m workbench.cli.manual`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from workbench.operation import operations
from workbench.paper import load

PATH = Path(__file__).resolve().parents[2] / "docs" / "commands.md"

_HEAD = """# Commands

Every command with its arguments and options. `--json` prints one document instead of text; what a command
prints besides its result goes to standard error. This page is written by `python -m workbench.cli.manual`.
"""


def page() -> str:
    from workbench.cli.root import app

    root = typer.main.get_command(app)
    context = root.make_context(
        "mathwb", ["--help-page"], ignore_unknown_options=True, resilient_parsing=True
    )
    return "\n".join((_HEAD, *_described(root, context, "mathwb", 2)))


def _described(command: Any, context: Any, path: str, level: int) -> Iterator[str]:
    yield f"{'#' * level} {path}"
    yield ""
    yield inspect.cleandoc(command.help or "")
    yield ""
    records = [parameter.get_help_record(context) for parameter in command.params]
    rows = [f"| `{_cell(name)}` | {_cell(help)} |" for name, help in filter(None, records)]
    if rows:
        yield "| | |"
        yield "|---|---|"
        yield from rows
        yield ""
    row = operations().get(path.removeprefix("mathwb ").replace(" ", "."))
    if row is not None and row.where is not None:
        known = (column for column in load(row.where.table).columns if not column.unfiltered)
        names = (f"`{one.name}`" + (f" ({one.unit})" if one.unit else "") for one in known)
        yield f"Columns for `--where`: {', '.join(names)}."
        yield ""
    if not hasattr(command, "list_commands"):
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if not inner.hidden:
            below = inner.make_context(name, [], parent=context, resilient_parsing=True)
            yield from _described(inner, below, f"{path} {name}", level + 1)


def _cell(text: str) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def write() -> None:
    from engines.core.files import write_text

    write_text(PATH, page())


if __name__ == "__main__":
    write()
