"""`mathwb trash`: what was deleted, and how to get it back."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Annotated

import typer

from workbench.cli.command import CsvOption, JsonOption, TexOption, form_of, plain_argument, print_result
from workbench.cli.command_groups import make_group
from workbench.errors import UsageError
from workbench.jobs.control import deleted_jobs
from workbench.tables import TableForm, align_rows
from workbench.trash import TrashItem
from workbench.workspace import Workspace

app = make_group("trash", "List and restore what was deleted: jobs, notes, registered data.")

Addresses = Annotated[list[str], plain_argument(metavar="ITEM...", help="As in `mathwb trash list`: job/12.")]


def emit_items(items: Sequence[TrashItem], as_json: bool, form: TableForm | None) -> None:
    """Print deleted items as a table."""
    documents = [item.to_dict() for item in items]
    rows = [
        (row["item"], row["title"], _format_time(row["deleted"]), _format_time(row["until"]))
        for row in documents
    ]
    lines = align_rows(("item", "title", "deleted", "kept until"), rows, none="Nothing was deleted.")
    print_result(documents, as_json, text=lines, form=form)


def _format_time(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def _list_items(workspace: Workspace) -> list[TrashItem]:
    deleted_jobs(workspace)  # with those of earlier versions
    return workspace.trash.list_items()


@app.command("list")
def list_deleted(csv: CsvOption = False, tex: TexOption = False, as_json: JsonOption = False) -> None:
    """List what was deleted, the latest first. It is kept for 30 days (the setting `trash_days`)."""
    emit_items(_list_items(Workspace.open()), as_json, form_of(tex, csv, as_json))


@app.command("restore")
def restore_items(addresses: Addresses, as_json: JsonOption = False) -> None:
    """Restore what was deleted; of several items of one name, the one that was deleted last."""
    workspace = Workspace.open()
    items = [workspace.trash.find_item(address) for address in addresses]
    for item in items:
        workspace.trash.restore_item(workspace, item)
    print_result(
        [item.to_dict() for item in items], as_json, text=[f"{item.sentence}  restored" for item in items]
    )


@app.command("empty")
def empty_trash(
    addresses: Annotated[
        list[str] | None, plain_argument(metavar="[ITEM]...", help="Which items; default: everything.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; required without a terminal.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove deleted items for good, which frees their space."""
    workspace = Workspace.open()
    items = (
        [workspace.trash.find_item(address) for address in addresses] if addresses else _list_items(workspace)
    )
    if items and not yes:
        if not sys.stdin.isatty():
            raise UsageError("confirmation is needed", code="E401", remedy="Add --yes.")
        if not typer.confirm(f"Remove {len(items)} deleted items for good?", err=True):
            raise typer.Exit(1)
    for item in items:
        workspace.trash.remove_item(item)
    print_result(
        [item.to_dict() for item in items], as_json, text=[f"{item.sentence}  removed" for item in items]
    )
