"""What is copied and exported: selections, the clipboard, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from workbench.tables import TableSpec

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess

PaletteStep = tuple[str, str]
"""A palette id: a word that a screen looks up, and what it looks up by it."""

CommandLine = Callable[..., str]
"""Makes a line to type in a shell out of the words of a `mathwb` command."""


@dataclass(frozen=True, slots=True)
class CopyForm:
    """A form in which something can be copied: the menu's letter, a name, and the text, made on demand."""

    key: str
    name: str
    text: Callable[[], str]


def json_form(document: Callable[[], object]) -> CopyForm:
    """Return the form that copies a document as JSON."""
    return CopyForm("j", "JSON", lambda: json.dumps(document(), ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class PaneSelection:
    """The selection of a pane, for copying, notes and bookmarks.

    Args:
        address: the key of its notes and bookmarks (`corpus/sample-e/cluster/412`).
        title: its name in a sentence.
        command: the command line that prints the same thing without the screen.
        forms: the forms in which it can be copied, the usual one first; the command line is added as `c`
            unless a form already has that letter.
        about: returns its content, for the list of notes.
    """

    address: str
    title: str
    command: str
    forms: tuple[CopyForm, ...] = ()
    about: Callable[[], str] = str

    @property
    def noted_as(self) -> str:
        """Return the line by which the list of notes names the selection."""
        return shorten(f"{self.title}  {self.about()}", 120, placeholder="…")

    def all_forms(self) -> tuple[CopyForm, ...]:
        """Return the forms, with the command line among them."""
        if any(form.key == "c" for form in self.forms):
            return self.forms
        return (*self.forms, CopyForm("c", "command line", lambda: self.command))


@dataclass(frozen=True, slots=True)
class Lookup:
    """A palette id, `:<word> <id>`; `go(id)` shows the thing and returns whether it exists."""

    word: str
    sentence: str
    go: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Destination:
    """Something in a workspace that the palette finds by name.

    Args:
        steps: the lookups that lead to it on its screen, such as a collection and then a topic.
        sentence: what it is.
    """

    steps: tuple[PaletteStep, ...]
    sentence: str

    @property
    def label(self) -> str:
        """The last step of the address in words: `topic A.301`."""
        return " ".join(self.steps[-1])


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the palette: its name, what it does, and the reason if it does not apply now."""

    name: str
    sentence: str
    run: Callable[[], object]
    reason: str = ""


ExportTable = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Headings, and rows of as many values."""

# The letters of the usual formats in the menu.
FORMATS = {".jsonl": "j", ".csv": "c"}
_FORMATS = {".csv": "as CSV", ".jsonl": "as JSON lines", ".tex": "as a TeX table"}


@dataclass(frozen=True, slots=True)
class Export:
    """A way to write a view to a file: `write(path)` runs in a thread and writes atomically."""

    key: str
    name: str
    suffix: str
    stem: str
    write: Callable[[Path], object]


def find_unused_path(path: Path) -> Path:
    """Return the path, or the first of `name-2`, `name-3`, … that does not exist yet."""
    # Counted on until a name is free: an export never replaces an earlier one by default.
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def table_exports(
    what: str,
    stem: str,
    keys: Mapping[str, str],
    table: Callable[[], ExportTable],
    facts: Mapping[str, object],
) -> list[Export]:
    """Return exports of a table, one for each format.

    Args:
        what: the table's name in a sentence.
        stem: the file name without its suffix.
        keys: the letter of each format, by suffix (`.csv`, `.jsonl`, `.tex`).
        table: makes the table; called in a thread when a file is written.
        facts: stored next to the file as its provenance.
    """

    def write_rows(path: Path) -> object:
        from workbench.export import write_table

        columns, rows = table()
        return write_table(path, tuple(columns), rows, provenance=facts)

    return [
        Export(key, f"{what} {_FORMATS[suffix]}", suffix, stem, write_rows) for suffix, key in keys.items()
    ]


def declared_exports(
    table: TableSpec,
    what: str,
    stem: str,
    keys: Mapping[str, str],
    rows: Callable[[], Iterable[Mapping[str, Any]]],
    facts: Mapping[str, object],
) -> list[Export]:
    """Return exports of the rows of a declared table, one for each format.

    Args:
        table: the declaration.
        what: the table's name in a sentence.
        stem: the file name without its suffix.
        keys: the letter of each format, by suffix.
        rows: returns the rows; called when a file is written.
        facts: stored next to the file as its provenance.
    """

    def make_table(location: str) -> ExportTable:
        return table.file_rows(location, rows())

    ways: list[Export] = []
    # JSON lines have the same columns and values as CSV.
    for suffix, key in keys.items():
        format_name = "tex" if suffix == ".tex" else "csv"
        ways += table_exports(what, stem, {suffix: key}, partial(make_table, format_name), facts)
    return ways


def text_writer(text: Callable[[], str], facts: Mapping[str, object]) -> Callable[[Path], object]:
    """Return a function that writes a text to a path, with `facts` next to it as its provenance."""

    def write_text_file(path: Path) -> object:
        from workbench.export import write_document

        return write_document(path, text(), provenance=facts)

    return write_text_file


def engine_writer(
    engine: EngineProcess,
    operation: str,
    params: Mapping[str, object],
    facts: Mapping[str, object],
    out: str = "out",
) -> Callable[[Path], object]:
    """Return a function that lets an engine operation write a file.

    Args:
        engine: the process that runs the operation.
        operation: the operation's name.
        params: its parameters without the path.
        facts: stored next to the file as its provenance.
        out: the parameter that gets the path.
    """

    def write_engine_file(path: Path) -> object:
        from workbench.export import with_sidecar

        engine.call_blocking(operation, {**params, out: str(path)})
        return with_sidecar(path, facts)

    return write_engine_file


def pick_columns(records: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> ExportTable:
    """Make a table of some fields of records.

    Args:
        records: the rows.
        columns: the heading of each field. None becomes an empty cell; floats are rounded to 6 digits.
    """

    def format_cell(value: object) -> object:
        return "" if value is None else round(value, 6) if isinstance(value, float) else value

    return tuple(columns.values()), ([format_cell(record[name]) for name in columns] for record in records)
