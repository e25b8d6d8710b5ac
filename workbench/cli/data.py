"""`mathwb data`: register and check the user's own files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.errors import EngineError
from workbench.cli.command import Csv, Json, Tex, Where, argument, emit, form_of, group, progress_line, say
from workbench.errors import one_line
from workbench.operations import plain
from workbench.tables import aligned
from workbench.workspace import Checked, Workspace, kinds

app = group("data", "Register and check your own files. They stay where they are.")

_SHOWN = 20
_SIDE = "A corpus, a collection or a file: a path, or a name from `mathwb data list`."


@app.command("add")
def add(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"What the data are: {', '.join(kinds())}.")],
    path: Annotated[Path, argument(metavar="PATH", help="The file or folder.")],
    name: Annotated[
        str | None, typer.Option(help="Name to register it under; default: the file's name.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a file or folder line by line and register it."""
    checked = Workspace.open().data.add(kind, path, name=name, events=progress_line(path.name))
    emit(_document(checked), as_json, text=_lines(checked))


@app.command("list")
def list_(where: Where = None, csv: Csv = False, tex: Tex = False, as_json: Json = False) -> None:
    """List registered data and the data in the workspace folder."""
    from workbench.tables import parse_filter

    workspace = Workspace.open()
    documents: list[dict[str, Any]] = [
        {**asdict(entry), "registered": True} for entry in workspace.data.all()
    ]
    for kind, path in workspace.held():
        about = {"name": path.name, "kind": kind, "records": kinds()[kind].records(path), "path": str(path)}
        documents.append({**about, "registered": False})
    header = ("name", "kind", "records", "bad", "bytes", "path")
    wanted = parse_filter(where or "", header)
    found = []
    for each in documents:
        records = each["counts"]["records"] if "counts" in each else each["records"]
        row = {name: each.get(name, "") for name in header} | {"records": "" if records is None else records}
        if wanted.matches(row):
            found.append((row, each))
    rows = [tuple(row.values()) for row, _ in found]
    none = f"Nothing is registered. Add something with: mathwb data add KIND PATH ({', '.join(kinds())})"
    lines = aligned(header, rows, none="Nothing matches the filter." if where else none)
    emit([each for _, each in found], as_json, text=lines, form=form_of(tex, csv, as_json))


@app.command("check")
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which data sets; default: all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check data sets again: do they exist, are they unchanged, how many lines are bad?"""
    registry = Workspace.open().data
    entries = [registry.find(name) for name in names] if names else list(registry.all())
    documents: list[dict[str, object]] = []
    lines: list[str] = []
    worst = 0
    for entry in entries:
        try:
            checked = registry.check(entry, events=progress_line(entry.name))
        except EngineError as error:
            # One data set that is gone does not keep the others from being checked.
            documents.append({"name": entry.name, "state": "unusable", "error": error.to_dict()})
            lines.append(f"{entry.name}: unusable: {one_line(error)}")
            worst = max(worst, error.exit_code)
        else:
            documents.append(_document(checked))
            lines += _lines(checked)
    emit(documents, as_json, text=lines or ["Nothing is registered."])
    if worst:
        raise typer.Exit(worst)


@app.command("remove")
def remove(
    name: Annotated[str, argument(metavar="NAME", help="Its name or path.")], as_json: Json = False
) -> None:
    """Unregister a data set; its files stay where they are."""
    entry = Workspace.open().data.remove(name)
    emit(entry, as_json, text=f"{entry.name} is no longer registered; {entry.path} is untouched")


@app.command("overlap")
def overlap(
    a: Annotated[Path, argument(metavar="A", help=_SIDE)],
    b: Annotated[Path, argument(metavar="B", help="What to compare it with.")],
    csv: Csv = False,
    tex: Tex = False,
    as_json: Json = False,
) -> None:
    """Find what A and B share: expressions and functions, texts, or posts. Exits with 0 either way."""
    from workbench.overlap import overlap as compare

    result = compare(*map(_place, (a, b)))
    for path, bad in zip((a, b), result.bad, strict=True):
        if bad:
            say(f"{path}: {bad:,} rows could not be read and are left out")
    rows = [(each.what, each.count_a, each.count_b, each.shared) for each in result.found]
    lines = aligned(("", "in A", "in B", "of A in B"), rows)
    for each in result.found:
        if each.examples:
            lines += ["", f"{each.what}, for example"]
            lines += [f"  {mine}  =  {theirs}" for mine, theirs in each.examples[:5]]
    document = {**plain(result), "any": result.any}
    emit(document, as_json, text=lines, form=form_of(tex, csv, as_json))


def _place(given: Path) -> Path:
    """The path, or the place of the data set of this name, registered or in the workspace itself."""
    if given.exists() or len(given.parts) > 1:
        return given
    workspace = Workspace.open()
    name = given.name
    own = (path for _, path in workspace.held() if path.name == name)
    registered = (entry.place() for entry in workspace.data.all() if entry.name == name)
    return next(own, None) or next(registered, given)


def _document(checked: Checked) -> dict[str, object]:
    bad = [error.to_dict() for error in checked.bad_lines]
    return {**asdict(checked.data), "state": checked.state, "bad_lines": bad}


def _lines(checked: Checked) -> list[str]:
    for error in checked.bad_lines[:_SHOWN]:
        say(one_line(error))
    if checked.data.bad > _SHOWN:
        say(f"… and {checked.data.bad - _SHOWN:,} more bad lines")
    counts = ", ".join(f"{count:,} {name}" for name, count in checked.data.counts.items())
    return [f"{checked.data.name}: {checked.state}, {counts}, {checked.data.bad:,} bad"]
