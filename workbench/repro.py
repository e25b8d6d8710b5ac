"""What the papers report and what we have measured, table by table.

The papers' numbers are in `assets/repro/<engine>.toml`. Ours come from result files of the workspace,
`results/<engine>/*.json` (see `save_result`), from its finished trainings, or from the result files that
ship. A number of ours says what it was measured with; nothing is shown that has not been measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import DataError
from engines.core.files import write_json
from engines.core.spec import suggest_name
from engines.core.system import asset, reported_tables
from workbench.errors import MissingError, UsageError
from workbench.jobs.job_registry import list_jobs
from workbench.jobs.machine import list_gpus
from workbench.recipes import list_recipes
from workbench.tables import choose_noun
from workbench.train import MeasureSummary, job_spec, summarize_values

if TYPE_CHECKING:
    from workbench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReproCell:
    """A number of a paper (NaN if it prints none) and ours, in its unit; `low` and `high` bound a 95 %
    interval.
    """

    column: str
    paper: float
    ours: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ReproRow:
    """A row of a table: a model.

    Args:
        name: The name of the model.
        cells: Its numbers.
        source: What our numbers were measured with: a setting or a recipe.
        command: The command that measures them again.
        record: Where they are stored, with the commit that measured them.
    """

    name: str
    cells: tuple[ReproCell, ...]
    source: str = ""
    command: str = ""
    record: str = ""


@dataclass(frozen=True, slots=True)
class ReproTable:
    """A table of a paper. `missing` lists what is needed to fill it; `decimals` is how many the paper
    prints.
    """

    engine: str
    number: int
    title: str
    setting: str
    command: str
    rows: tuple[ReproRow, ...]
    missing: tuple[str, ...] = field(default=())
    note: str = ""
    decimals: int = 2


def engine_names() -> tuple[str, ...]:
    """List the engines whose papers have tables."""
    return tuple(sorted(path.stem for path in asset("repro").glob("*.toml")))


def paper_tables(workspace: Workspace, engine: str, *, number: int | None = None) -> list[ReproTable]:
    """Return the tables of an engine's paper.

    Args:
        workspace: The workspace.
        engine: The engine.
        number: Only this table.

    Raises:
        UsageError: E428 for an unknown engine or table.
    """
    if engine not in engine_names():
        known = suggest_name(engine, engine_names())
        raise UsageError(f"there are no tables for {engine!r}", code="E428", remedy=known)
    entries = reported_tables(engine)
    results = [entry for entry in entries if number in (None, entry["number"])]
    if not results:
        numbers = ", ".join(str(entry["number"]) for entry in entries)
        raise UsageError(f"there is no table {number}", code="E428", remedy=f"There are: {numbers}.")
    stored, shipped = (
        list(_stored_results(base / "results" / engine)) for base in (workspace.root, asset("repro").parent)
    )
    # Recipe and measures of every finished training of the workspace.
    runs = [
        (str(view.params.get("recipe", "")), view.value.get("measures", {}))
        for view in list_jobs(workspace)
        if view.state == "succeeded" and view.params.get("recipe")
    ]
    return [_make_table(workspace, engine, entry, stored, runs, shipped) for entry in results]


def save_result(
    folder: Path,
    engine: str,
    *,
    table: int,
    row: str,
    values: Mapping[str, float | Mapping[str, float]],
    setting: str,
    command: str,
    record: str = "",
    commit: str = "",
) -> Path:
    """Store a measured result where `paper_tables` finds it, replacing one of the same table and row.

    Args:
        folder: A workspace, or the assets.
        engine: The engine.
        table: The number of the table.
        row: The name of the row.
        values: By measure, in the paper's unit: a number, or `mean`, `low`, `high` and `runs`.
        setting: What it was measured with, in a line.
        command: The command that measures it again.
        record: Where the numbers are from.
        commit: What measured them.

    Returns:
        The file.
    """
    name = f"table-{table}-{''.join(c if c.isalnum() else '-' for c in row.lower())}.json"
    path = folder / "results" / engine / name
    numbers = {
        key: dict(value) if isinstance(value, Mapping) else {"mean": value} for key, value in values.items()
    }
    document = {"v": 1, "table": table, "row": row, "values": numbers, "setting": setting, "command": command}
    write_json(path, document | ({"record": record, "commit": commit} if record else {}))
    return path


def _stored_results(file_path: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(file_path.glob("*.json")):
        try:
            document = json.loads(path.read_bytes())
            document["table"], document["row"], document["values"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            remedy = "Remove it from the folder, or give it table, row and values."
            raise DataError("this is not a result file", path=path, code="E318", remedy=remedy) from error
        yield document


def _make_table(
    workspace: Workspace,
    engine: str,
    entry: Mapping[str, Any],
    stored: Sequence[Mapping[str, Any]],
    runs: Sequence[tuple[str, Mapping[str, Any]]],
    shipped: Sequence[Mapping[str, Any]],
) -> ReproTable:
    rows, missing = [], []
    measures = [column["measure"] for column in entry["columns"]]
    for row in entry["rows"]:
        said, ours = _our_measures(entry["number"], row, measures, stored, runs, shipped)
        cells = []
        for column, paper in zip(entry["columns"], row["values"], strict=True):
            own = ours.get(column["measure"])
            cells.append(ReproCell(column["name"], paper, *((own.mean, own.low, own.high) if own else ())))
        rows.append(ReproRow(row["name"], tuple(cells), *said))
        if row.get("recipe"):
            missing += _missing_inputs(workspace, row["recipe"])
    missing += [need["what"] for need in entry.get("needs", ()) if not _has_data(workspace, need)]
    if entry.get("gpu") and not list_gpus():
        missing.append(f"a GPU, for training at the paper's size ({entry['gpu']})")
    about = {name: entry[name] for name in ("number", "title", "setting", "command")}
    about |= {name: entry[name] for name in ("note", "decimals") if name in entry}
    return ReproTable(engine, rows=tuple(rows), missing=tuple(dict.fromkeys(missing)), **about)


def _our_measures(
    table: int,
    row: Mapping[str, Any],
    measures: Sequence[str],
    stored: Sequence[Mapping[str, Any]],
    runs: Sequence[tuple[str, Mapping[str, Any]]],
    shipped: Sequence[Mapping[str, Any]],
) -> tuple[tuple[str, ...], Mapping[str, MeasureSummary]]:
    """Return the source of our numbers in a row (see `ReproRow`), and the numbers by measure.

    They come from a result file of the workspace if there is one, else from the recipe with most finished
    runs, else from the results that ship with the program.
    """
    by_recipe: dict[str, list[Mapping[str, Any]]] = {}
    for recipe, results in runs:
        if row.get("recipe") and _is_of(recipe, row["recipe"]) and any(name in results for name in measures):
            by_recipe.setdefault(recipe, []).append(results)
    for document in stored if by_recipe else (*stored, *shipped):
        if (document["table"], document["row"]) == (table, row["name"]):
            return _of_file(document)
    if not by_recipe:
        return (), {}
    recipe, several = max(by_recipe.items(), key=lambda item: len(item[1]))
    numbers = {name: [float(results[name]) for results in several if name in results] for name in measures}
    values = {name: summarize_values(results, name) for name, results in numbers.items() if results}
    return (f"{recipe}, {len(several)} {choose_noun(len(several), 'run')}",), values


def _of_file(document: Mapping[str, Any]) -> tuple[tuple[str, ...], Mapping[str, MeasureSummary]]:
    values = {
        key: MeasureSummary(value["mean"], value.get("low"), value.get("high"), value.get("runs", 1))
        for key, value in document["values"].items()
    }
    setting, command, record = (str(document.get(key, "")) for key in ("setting", "command", "record"))
    commit = f" of commit {document['commit']}" if document.get("commit") else ""
    return (setting, command, f"{record}{commit}"), values


def _is_of(recipe: str, stem: str) -> bool:
    return recipe == stem or recipe.startswith(stem + "-")


def _missing_inputs(workspace: Workspace, stem: str) -> list[str]:
    """Return what keeps a recipe from being run here."""
    known = [recipe for recipe in list_recipes() if _is_of(recipe.name, stem)]
    if not known:
        return [f"a recipe {stem}"]
    result = []
    for recipe in known:
        if recipe.task == "train":
            try:
                job_spec(workspace, recipe, publish=False)
            except MissingError as error:
                result.append(f"{recipe.name}: {error.what}")
    return result


def _has_data(workspace: Workspace, need: Mapping[str, Any]) -> bool:
    """Return whether data of the kind is registered with at least so many of what is counted."""
    return any(
        data.kind == need["kind"] and data.counts.get(need["count"], 0) >= need["least"]
        for data in workspace.data.list_entries()
    )
