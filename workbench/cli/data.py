"""`mathwb data`: register and check the user's own files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.errors import EngineError
from workbench.cli.command import (
    CsvOption,
    JsonOption,
    TexOption,
    WhereOption,
    form_of,
    plain_argument,
    print_result,
    progress_line,
)
from workbench.cli.command_groups import make_group
from workbench.cli.failures import print_message
from workbench.errors import MissingError, one_line
from workbench.operations import to_plain
from workbench.tables import align_rows
from workbench.workspace import Checked, Workspace, all_kinds, remove_own_data

app = make_group("data", "Register and check your own files. They stay where they are.")

# Bad lines that are printed; all are counted.
_SHOWN = 20
_SIDE = "A corpus, a collection or a file: a path, or a name from `mathwb data list`."


@app.command("add")
def add_data(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help=f"What the data are: {', '.join(all_kinds())}.")
    ],
    path: Annotated[Path, plain_argument(metavar="PATH", help="The file or folder.")],
    name: Annotated[
        str | None, typer.Option(help="Name to register it under; default: the file's name.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a file or folder line by line and register it."""
    checked = Workspace.open().data.add_entry(kind, path, name=name, events=progress_line(path.name))
    print_result(_checked_document(checked), as_json, text=_checked_lines(checked))


@app.command("list")
def list_data(
    where: WhereOption = None, csv: CsvOption = False, tex: TexOption = False, as_json: JsonOption = False
) -> None:
    """List registered data and the data in the workspace folder."""
    from workbench.tables import parse_filter

    # Step 1: the registered data and the data of the workspace, as one list.
    workspace = Workspace.open()
    documents: list[dict[str, Any]] = [
        {**asdict(entry), "registered": True} for entry in workspace.data.list_entries()
    ]
    for kind, path in workspace.list_own_data():
        about = {
            "name": path.name,
            "kind": kind,
            "records": all_kinds()[kind].count_records(path),
            "path": str(path),
        }
        documents.append({**about, "registered": False})
    # Step 2: filter the rows as they are printed; the document has all fields.
    header = ("name", "kind", "records", "bad", "bytes", "path")
    wanted = parse_filter(where or "", header)
    results = []
    for document in documents:
        records = document["counts"]["records"] if "counts" in document else document["records"]
        row = {name: document.get(name, "") for name in header} | {
            "records": "" if records is None else records
        }
        if wanted.matches(row):
            results.append((row, document))
    # Step 3: print.
    rows = [tuple(row.values()) for row, _ in results]
    none = f"Nothing is registered. Add something with: mathwb data add KIND PATH ({', '.join(all_kinds())})"
    lines = align_rows(header, rows, none="Nothing matches the filter." if where else none)
    print_result([each for _, each in results], as_json, text=lines, form=form_of(tex, csv, as_json))


@app.command("check")
def check_data(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which data sets; default: all.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check data sets again: do they exist, are they unchanged, how many lines are bad?"""
    registry = Workspace.open().data
    entries = [registry.find_entry(name) for name in names] if names else list(registry.list_entries())
    documents: list[dict[str, object]] = []
    lines: list[str] = []
    # The worst exit code of all is that of the command.
    worst = 0
    for entry in entries:
        try:
            checked = registry.check_entry(entry, events=progress_line(entry.name))
        except EngineError as error:
            # One data set that is gone does not keep the others from being checked.
            documents.append({"name": entry.name, "state": "unusable", "error": error.to_dict()})
            lines.append(f"{entry.name}: unusable: {one_line(error)}")
            worst = max(worst, error.exit_code)
        else:
            documents.append(_checked_document(checked))
            lines += _checked_lines(checked)
    print_result(documents, as_json, text=lines or ["Nothing is registered."])
    if worst:
        raise typer.Exit(worst)


@app.command("remove")
def remove_data(
    name: Annotated[str, plain_argument(metavar="NAME", help="Its name or path.")],
    as_json: JsonOption = False,
) -> None:
    """Unregister a data set; its files stay where they are.

    What lies in the workspace itself, such as the corpus of saved clusters, goes into the trash.
    `mathwb trash restore` restores either.
    """
    workspace = Workspace.open()
    # Registered data is removed from the list; only data of the workspace itself is moved.
    try:
        workspace.data.find_entry(name)
    except MissingError:
        item = remove_own_data(workspace, name)
        text = f"{name} is in the trash; mathwb trash restore {item.address} restores it"
        print_result(item.to_dict(), as_json, text=text)
        return
    entry = workspace.data.remove_entry(name)
    print_result(entry, as_json, text=f"{entry.name} is no longer registered; {entry.path} is untouched")


@app.command("overlap")
def find_overlap(
    a: Annotated[Path, plain_argument(metavar="A", help=_SIDE)],
    b: Annotated[Path, plain_argument(metavar="B", help="What to compare it with.")],
    csv: CsvOption = False,
    tex: TexOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find what A and B share: expressions and functions, texts, or posts. Exits with 0 either way."""
    from workbench.overlap import compare_data as compare

    result = compare(*map(_resolve_path, (a, b)))
    for path, bad in zip((a, b), result.bad, strict=True):
        if bad:
            print_message(f"{path}: {bad:,} rows could not be read and are left out")
    rows = [(each.what, each.count_a, each.count_b, each.shared) for each in result.found]
    lines = align_rows(("", "in A", "in B", "of A in B"), rows)
    for each in result.found:
        if each.examples:
            lines += ["", f"{each.what}, for example"]
            lines += [f"  {mine}  =  {theirs}" for mine, theirs in each.examples[:5]]
    document = {**to_plain(result), "any": result.any}
    print_result(document, as_json, text=lines, form=form_of(tex, csv, as_json))


def _resolve_path(given: Path) -> Path:
    """Return the path, or the place of the data set of this name, registered or in the workspace itself."""
    # A path that exists is meant before a name.
    if given.exists() or len(given.parts) > 1:
        return given
    workspace = Workspace.open()
    name = given.name
    own = (path for _, path in workspace.list_own_data() if path.name == name)
    registered = (entry.locate_data() for entry in workspace.data.list_entries() if entry.name == name)
    return next(own, None) or next(registered, given)


def _checked_document(checked: Checked) -> dict[str, object]:
    bad = [error.to_dict() for error in checked.bad_lines]
    return {**asdict(checked.data), "state": checked.state, "bad_lines": bad}


def _checked_lines(checked: Checked) -> list[str]:
    for error in checked.bad_lines[:_SHOWN]:
        print_message(one_line(error))
    if checked.data.bad > _SHOWN:
        print_message(f"… and {checked.data.bad - _SHOWN:,} more bad lines")
    counts = ", ".join(f"{count:,} {name}" for name, count in checked.data.counts.items())
    return [f"{checked.data.name}: {checked.state}, {counts}, {checked.data.bad:,} bad"]
