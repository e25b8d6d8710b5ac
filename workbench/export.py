"""What leaves the workbench: tables and documents in open formats, each with a note of where it came from.

`view.csv` gets a sidecar `view.csv.meta.json` that names the program's version and commit, when it was
written, and what the caller knows of the source (run, corpus, filter, settings).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from pathlib import Path
from typing import IO

from engines.core.errors import did_you_mean
from engines.core.files import atomic_writer, write_note, write_text
from engines.core.stored_rows import StoredRows
from engines.core.system import git_answers
from workbench import __version__
from workbench.errors import UsageError

TABLE_FORMATS = (".csv", ".jsonl", ".parquet", ".tex")

ExportRows = Iterable[Sequence[object]]


class TexCell(str):
    """A table cell that is TeX already."""

    __slots__ = ()


_ROOT = Path(__file__).resolve().parents[1]


def write_table(
    path: Path, columns: Sequence[str], rows: ExportRows, *, provenance: Mapping[str, object]
) -> Path:
    """Write rows as csv, jsonl, parquet or tex, by the ending of the path.

    Args:
        path: The file.
        columns: The names of the columns.
        rows: Rows of as many values as there are columns. They are read once; only parquet holds them in
            memory.
        provenance: Where the rows are from, for the file beside it.

    Returns:
        The path.

    Raises:
        UsageError: E430 for another ending.
        DataError: If the file cannot be written.
    """
    if path.suffix == ".parquet":
        _write_parquet(path, columns, rows)
    elif path.suffix in _WRITERS:
        with atomic_writer(path) as file:
            _WRITERS[path.suffix](file, columns, rows)
    else:
        close = did_you_mean(path.suffix, TABLE_FORMATS)
        what = f"a table cannot be written as {path.suffix or 'a file without ending'}"
        remedy = close or f"Choose one of {', '.join(TABLE_FORMATS)}."
        raise UsageError(what, where=str(path), code="E430", remedy=remedy)
    return with_sidecar(path, {"columns": list(columns), **provenance})


def write_document(path: Path, text: str, *, provenance: Mapping[str, object]) -> Path:
    """Write a text that is formatted already (DOT, SVG, JSON, TREC run) and return the path."""
    write_text(path, text)
    return with_sidecar(path, provenance)


def with_sidecar(path: Path, provenance: Mapping[str, object]) -> Path:
    """Write the provenance of a file beside it and return the path of the file."""
    facts = {
        "mathwb": __version__,
        "commit": current_commit(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        **provenance,
    }
    write_note(path.with_name(path.name + ".meta.json"), facts, "mathwb")
    return path


def csv_lines(columns: Sequence[str], rows: ExportRows) -> Iterator[str]:
    """Yield the lines of a CSV, one row at a time; see `_escape_spreadsheet_formula`."""
    from workbench.config import load_config

    as_they_are = bool(load_config().get("csv_formulas"))
    text = io.StringIO()
    # The writer quotes the characters of its line end in a cell, and a lone \r would end a line for readers.
    writer = csv.writer(text, lineterminator="\r\n")
    for row in chain([columns], rows):
        writer.writerow(row if as_they_are else map(_escape_spreadsheet_formula, row))
        yield from text.getvalue().removesuffix("\r\n").split("\n")
        text.seek(0)
        text.truncate()


def _escape_spreadsheet_formula(cell: object) -> object:
    """Return the cell, with a `'` in front of a text that a spreadsheet would run as a formula.

    Those are texts that begin with = or @, or with a sign and hold a letter, as calls of functions and
    programs do. Numbers stay as they are.
    """
    if not isinstance(cell, str) or not _FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


_FORMULA = re.compile(r"\s*([=@＝＠]|[+\-＋－].*[^\W\d_])", re.DOTALL)
"""Some spreadsheets take the wide forms of the signs too."""


def _write_csv(file: IO[str], columns: Sequence[str], rows: ExportRows) -> None:
    file.writelines(f"{line}\n" for line in csv_lines(columns, rows))


def _write_jsonl(file: IO[str], columns: Sequence[str], rows: ExportRows) -> None:
    for row in rows:
        file.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")


_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: "\\" + char for char in "&%$#_{}"},
}


def tex_lines(columns: Sequence[str], rows: ExportRows) -> Iterator[str]:
    """Yield the lines of a LaTeX tabular; columns of numbers are right-aligned.

    Which those are is known after the last row, so until then the lines are kept in a temporary file.
    """
    lines, figures = StoredRows(), [True] * len(columns)
    for row in rows:
        figures = [figure and _is_figure(cell) for figure, cell in zip(figures, row, strict=True)]
        lines.append({"line": _tex_row(row)})
    layout = "".join("r" if figure and lines else "l" for figure in figures)
    yield from (rf"\begin{{tabular}}{{{layout}}}", r"\hline", _tex_row(columns), r"\hline")
    yield from (row["line"] for row in lines)
    yield from (r"\hline", r"\end{tabular}")


def _write_tex(file: IO[str], columns: Sequence[str], rows: ExportRows) -> None:
    file.writelines(f"{line}\n" for line in tex_lines(columns, rows))


def _tex_row(row: Sequence[object]) -> str:
    return " & ".join(map(_tex_cell, row)) + r" \\"


def _tex_cell(value: object) -> str:
    if isinstance(value, TexCell):
        return value
    return "".join(_TEX.get(char, char) for char in " ".join(str(value).splitlines()))


def _is_figure(value: object) -> bool:
    """Return a number, or a text of one; what is empty may stand among them."""
    return isinstance(value, int | float) or _FIGURE.fullmatch(str(value)) is not None


_FIGURE = re.compile(r"([+-]?[\d,]*\.?\d+(e[+-]?\d+)?)?")
_WRITERS: Mapping[str, Callable[[IO[str], Sequence[str], ExportRows], object]] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".tex": _write_tex,
}


def _write_parquet(path: Path, columns: Sequence[str], rows: ExportRows) -> None:
    import pyarrow
    import pyarrow.parquet

    records = [dict(zip(columns, row, strict=True)) for row in rows]
    with atomic_writer(path, "wb") as file:
        table = (
            pyarrow.Table.from_pylist(records) if records else pyarrow.table({name: [] for name in columns})
        )
        pyarrow.parquet.write_table(table, file)


@cache
def current_commit(root: Path = _ROOT) -> str:
    """Return the commit of the checkout that the program runs from, or "" if it is installed.

    A `+` at the end says that there are changes on top. Results of benchmarks do not count as changes;
    otherwise the first benchmark that writes its result would mark the next one.
    """
    changes = ["status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)benchmarks/results"]
    answers = git_answers(root, ["rev-parse", "--short=12", "HEAD"], changes)
    return answers[0] + ("+" if answers[1] else "") if answers else ""
