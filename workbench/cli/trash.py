"""`mathwb trash`: what was deleted, and how to get it back."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Annotated

import typer

from workbench.cli.command import Csv, Json, Tex, argument, emit, form_of, group
from workbench.errors import UsageError
from workbench.jobs.control import deleted
from workbench.tables import Form, aligned
from workbench.trash import Item
from workbench.workspace import Workspace

app = group("trash", "List and restore what was deleted: jobs, notes, registered data.")

Addresses = Annotated[list[str], argument(metavar="ITEM...", help="As in `mathwb trash list`: job/12.")]


def emit_items(items: Sequence[Item], as_json: bool, form: Form | None) -> None:
    documents = [item.to_dict() for item in items]
    rows = [(row["item"], row["title"], _day(row["deleted"]), _day(row["until"])) for row in documents]
    lines = aligned(("item", "title", "deleted", "kept until"), rows, none="Nothing was deleted.")
    emit(documents, as_json, text=lines, form=form)


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def _items(workspace: Workspace) -> list[Item]:
    deleted(workspace)  # with those of earlier versions
    return workspace.trash.items()


@app.command("list")
def list_(csv: Csv = False, tex: Tex = False, as_json: Json = False) -> None:
    """List what was deleted, the latest first. It is kept for 30 days (the setting `trash_days`)."""
    emit_items(_items(Workspace.open()), as_json, form_of(tex, csv, as_json))


@app.command("restore")
def restore(addresses: Addresses, as_json: Json = False) -> None:
    """Bring back what was deleted; of several items of one name, the one that was deleted last."""
    workspace = Workspace.open()
    items = [workspace.trash.find(address) for address in addresses]
    for item in items:
        workspace.trash.restore(workspace, item)
    emit([item.to_dict() for item in items], as_json, text=[f"{item.sentence}  restored" for item in items])


@app.command("empty")
def empty(
    addresses: Annotated[
        list[str] | None, argument(metavar="[ITEM]...", help="Which items; default: everything.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; required without a terminal.")] = False,
    as_json: Json = False,
) -> None:
    """Remove deleted items for good, which frees their space."""
    workspace = Workspace.open()
    items = [workspace.trash.find(address) for address in addresses] if addresses else _items(workspace)
    if items and not yes:
        if not sys.stdin.isatty():
            raise UsageError("confirmation is needed", code="E401", remedy="Add --yes.")
        if not typer.confirm(f"Remove {len(items)} deleted items for good?", err=True):
            raise typer.Exit(1)
    for item in items:
        workspace.trash.remove(item)
    emit([item.to_dict() for item in items], as_json, text=[f"{item.sentence}  removed" for item in items])
