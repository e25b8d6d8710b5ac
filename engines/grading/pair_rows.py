"""The rows of a file with answers and their references: JSON Lines or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.rows import csv_cells, csv_rows, json_object, read_lines, whole_rows
from engines.core.text import is_text
from engines.documents.reading import OnBad

PAIRS_REMEDY = (
    'Each line is {"gold": "…", "pred": "…"}, or the first line of a CSV names the columns gold and pred.'
)
"""What to do about a file of which no row can be used."""


def read_pairs(path: Path, on_bad: OnBad) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the pairs of a file with their lines; JSON Lines begin with a brace, CSV with the names of
    columns."""
    lines = read_lines(path, on_bad=on_bad)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        return
    rows = _json_rows if first[1].lstrip().startswith(("{", "[")) else _csv_rows
    for number, row in rows(chain([first], lines), path, on_bad):
        what = _describe_missing(row)
        if what:
            on_bad(_bad_line_error(what, path, number))
        else:
            pair = {key: row[key] for key in ("gold", "pred")}
            texts = {key: value if isinstance(value, str) else repr(value) for key, value in pair.items()}
            yield number, {**row, **texts}


def _describe_missing(row: Mapping[str, Any]) -> str:
    for key in ("gold", "pred"):
        value = row.get(key)
        if value is None:
            return f"the row has no {key}"
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return f"{key} is {type(value).__name__}, and text or a number is needed"
        if isinstance(value, float) and value - value != 0:
            return f"{key} is {value}, and a finite number is needed"
        if isinstance(value, str) and not is_text(value):
            return f"the text {key!r} holds half of a UTF-16 pair"
    return ""


def _bad_line_error(what: str, path: Path, line: int) -> DataError:
    return DataError(what, path=path, line=line, code="E317", remedy=PAIRS_REMEDY)


def _json_rows(
    lines: Iterator[tuple[int, str]], path: Path, on_bad: OnBad
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in whole_rows(lines, path):
        try:
            yield number, json_object(line)
        except ValueError as error:
            on_bad(_bad_line_error(str(error), path, number))


def _csv_rows(
    lines: Iterator[tuple[int, str]], path: Path, on_bad: OnBad
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of a CSV; a row that goes over several lines has the number of its first."""
    at, header = next(lines)
    delimiter = max(",;\t", key=header.count)
    columns = [name.strip() for name in csv_cells(header, delimiter)]
    missing = [name for name in ("gold", "pred") if name not in columns]
    twice = [name for name in ("gold", "pred") if columns.count(name) > 1]
    if twice:
        raise _bad_line_error(f"there are two columns {twice[0]}", path, at)
    if missing:
        raise _bad_line_error(f"there is no column {' nor '.join(missing)}", path, at)
    for row in csv_rows(lines, delimiter, strict=True):
        if row.wrong:
            on_bad(_bad_line_error(f"the row is no CSV: {row.wrong}", path, row.line))
        elif len(row.cells) > len(columns):
            what = f"the row has {len(row.cells)} cells, and there are {len(columns)} columns"
            on_bad(_bad_line_error(what, path, row.line))
        elif row.cells:
            yield row.line, dict(zip(columns, row.cells, strict=False))
