"""Exports: the ways to write a view to a file, and the tables among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Export", "picked", "table_exports", "unused"]

Table = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Headings, and rows of as many values."""

_FORMATS = {".csv": "as CSV", ".jsonl": "as JSON lines", ".tex": "as a TeX table"}


@dataclass(frozen=True, slots=True)
class Export:
    """A way to write a view to a file: `write(path)` runs in a thread and writes atomically."""

    key: str
    name: str
    suffix: str
    stem: str
    write: Callable[[Path], object]


def unused(path: Path) -> Path:
    """The path, or where there is a file already the first of `name-2`, `name-3`, … that is free."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def table_exports(
    what: str, stem: str, keys: Mapping[str, str], table: Callable[[], Table], facts: Mapping[str, object]
) -> list[Export]:
    """A table in several formats.

    Args: what: its name in a sentence. keys: the letter of each format, by suffix (`.csv`, `.jsonl`, `.tex`).
    table: called when it is written, in a thread. facts: kept beside the file as its provenance.
    """

    def write(path: Path) -> object:
        from workbench.export import write_table

        columns, rows = table()
        return write_table(path, tuple(columns), rows, provenance=facts)

    return [Export(key, f"{what} {_FORMATS[suffix]}", suffix, stem, write) for suffix, key in keys.items()]


def picked(records: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> Table:
    """Fields of records as a table; `columns` are headings by field. None is empty, figures have 6 digits."""
    return tuple(columns.values()), ([_cell(record[name]) for name in columns] for record in records)


def _cell(value: object) -> object:
    return "" if value is None else round(value, 6) if isinstance(value, float) else value
