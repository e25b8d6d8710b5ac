"""Streaming readers of lines, JSON Lines and CSV, whose errors carry file and line."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

from engines.core.errors import DataError, raise_error
from engines.core.files import file_error
from engines.core.hashing import open_read
from engines.core.system import format_bytes
from engines.core.text import is_text

MAX_LINE_BYTES = 16 * 2**20
"""A longer line is refused: a reader must not need the whole of a corrupt file in memory."""


MAX_DOCUMENT_BYTES = 64 * 2**20
"""Of a line that may be a whole document, as notebooks and arrays of JSON are where a program wrote them."""


def read_lines(
    path: str | Path,
    *,
    on_bad: Callable[[DataError], None] | None = None,
    longest: int = MAX_LINE_BYTES,
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text file, with their numbers from 1 and without line ends.

    Compressed files (gzip, by their first bytes, not by their name) are read through. A line that is
    not UTF-8, holds a NUL or has more than `longest` bytes is an error; with `on_bad` it is reported there
    instead, and the reading goes on after it.

    Raises:
        DataError: With path and line. A file that is empty (E314), binary (E315) or cut short (E316) is
            refused as a whole.
    """
    import gzip

    path = Path(path)
    try:
        with open_read(path) as raw:
            # Peeking leaves a pipe as it was, which cannot be wound back.
            compressed = raw.peek(2).startswith(b"\x1f\x8b")
            source: BinaryIO = gzip.GzipFile(fileobj=raw) if compressed else raw  # type: ignore[assignment]
            yield from _decode_lines(source, path, on_bad, longest)
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise DataError(
                "the compressed file is corrupt", path=path, code="E316", remedy="Download or copy it again."
            ) from error
        raise file_error(error, path, "read") from error


def whole_rows(lines: Iterable[tuple[int, str]], path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a JSON Lines file that are not empty.

    Raises:
        DataError: E316 where the file ends within the last, after the others.
    """
    last, held = 0, ""
    for number, line in lines:
        if line.strip():
            if held:
                yield last, held
            last, held = number, line
    if held.lstrip().startswith("{") and not held.rstrip().endswith("}"):
        remedy = "Copy the file again, or take the line out."
        raise DataError("the file ends within this line", path=path, line=last, code="E316", remedy=remedy)
    if held:
        yield last, held


def _decode_lines(
    stream: BinaryIO, path: Path, on_bad: Callable[[DataError], None] | None, longest: int
) -> Iterator[tuple[int, str]]:
    import zlib

    number = 0
    while True:
        try:
            line = stream.readline(longest + 1)
        except (EOFError, zlib.error) as error:
            what = "the compressed file ends too early or is corrupt"
            remedy = "Download or copy it again."
            raise DataError(what, path=path, line=number + 1, code="E316", remedy=remedy) from error
        if not line:
            break
        number += 1
        if number == 1:
            # Only the first line can hold a byte order mark, or show that the file is binary.
            refuse_binary(line, path)
            line = line.removeprefix(b"\xef\xbb\xbf")
        problem, hint = "", "Save the file as UTF-8 text."
        if len(line) > longest:
            problem, hint = (
                f"the line is longer than {format_bytes(longest)}",
                "Divide it into several lines.",
            )
            # Read on to the end of the line in pieces, so that a huge line never fills the memory.
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
        elif b"\0" in line:
            problem = "the line holds a NUL byte"
        else:
            try:
                text = line.rstrip(b"\r\n").decode("utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of the line is not UTF-8"
        if not problem:
            yield number, text
            continue
        bad = DataError(problem, path=path, line=number, code="E317", remedy=hint)
        if on_bad is None:
            raise bad
        on_bad(bad)
    if number == 0:
        raise DataError("the file is empty", path=path, code="E314", remedy="Name a file that is not empty.")


def refuse_binary(line: bytes, path: Path) -> None:
    """Raise DataError E315 for the beginning of a file that is UTF-16 or no text."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        remedy = "Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8"
        raise DataError("the text is UTF-16, and UTF-8 is needed", path=path, code="E315", remedy=remedy)
    if b"\0" in line[:4096]:
        remedy = "Name a UTF-8 text file."
        raise DataError("this is a binary file, and text is needed", path=path, code="E315", remedy=remedy)


class RepeatedKeyError(ValueError):
    """An object of JSON holds a key twice, so that one of its values would be lost."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON; an `object_pairs_hook`.

    Raises:
        RepeatedKeyError: If a key stands twice.
    """
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RepeatedKeyError(f"{key[:60]!r} stands twice in one object")
            seen.add(key)
    return result


def json_object(line: str) -> dict[str, Any]:
    """Return the object that a line holds.

    Raises:
        ValueError: With a message that says why there is none.

    >>> json_object('{"a": 1}')
    {'a': 1}
    >>> json_object('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    engines.core.rows.RepeatedKeyError: 'a' stands twice in one object
    """
    try:
        result = json.loads(line, object_pairs_hook=unique_keys)
    except RepeatedKeyError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the line is not JSON: {error}") from error
    if not isinstance(result, dict):
        raise ValueError("the line is not a JSON object")
    return result


def json_objects(
    path: Path, *, remedy: str, on_bad: Callable[[DataError], None] = raise_error
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with their lines, in order; blank lines are passed over.

    Args:
        remedy: What lines should be.
        on_bad: What is done with the error of a line, if not to raise it; the line is left out then.

    Raises:
        DataError: E317 for a line that is no JSON object.
    """
    for number, line in read_lines(path, on_bad=on_bad):
        if not line.strip():
            continue
        try:
            row = json_object(line)
        except ValueError as error:
            on_bad(DataError(str(error), path=path, line=number, code="E317", remedy=remedy))
            continue
        yield number, row


def read_json_rows(
    path: Path, *keys: str, one_of: tuple[str, ...] = (), on_bad: Callable[[DataError], None] = raise_error
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their lines, in order; blank lines are passed over.

    Args:
        keys: The texts that each row must hold.
        one_of: Texts of which it must hold at least one.
        on_bad: What is done with the error of a line, if not to raise it; the line is left out then.

    Raises:
        DataError E317: for a line that is no JSON object, or lacks one of the keys.
    """
    wanted = [(*keys, other) for other in one_of] or [keys]
    shapes = ["{" + ", ".join(f'"{key}": "…"' for key in each) + "}" for each in wanted]
    remedy = f"Each line is {' or '.join(shapes)}."
    for number, row in json_objects(path, remedy=remedy, on_bad=on_bad):
        if what := _describe_missing_keys(row, keys, one_of):
            on_bad(DataError(what, path=path, line=number, code="E317", remedy=remedy))
        else:
            yield number, row


def _describe_missing_keys(row: Mapping[str, Any], keys: tuple[str, ...], one_of: tuple[str, ...]) -> str:
    """Return what a row lacks; "" for one that can be used."""
    for key in keys:
        if not isinstance(row.get(key), str):
            return f"the row has no text {key!r}"
    for key in (*keys, *one_of):
        if isinstance(text := row.get(key), str) and not is_text(text):
            return f"the text {key!r} holds half of a UTF-16 pair"
    if one_of and not any(isinstance(row.get(key), str) for key in one_of):
        return f"the row has neither a text {' nor '.join(map(repr, one_of))}"
    return ""


class CsvRow(NamedTuple):
    """A row of a table: the line that it begins on, how many lines it takes, its cells, and what is wrong
    where it is none."""

    line: int
    lines: int
    cells: list[str]
    wrong: str = ""


def csv_rows(
    lines: Iterable[tuple[int, str]], delimiter: str = ",", *, strict: bool = False
) -> Iterator[CsvRow]:
    """Yield the rows of numbered lines; a cell in quotes may go on over several, and is wrong where it
    reaches the end.

    Args:
        strict: A stray quote is wrong, and no character.
    """
    # The limit is one for the whole process.
    csv.field_size_limit(MAX_LINE_BYTES)
    seen: list[int] = []
    taken: list[str] = []

    def note_lines() -> Iterator[str]:
        for number, line in lines:
            seen.append(number)
            taken.append(line + "\n")
            yield taken[-1]

    result = csv.reader(note_lines(), delimiter=delimiter, strict=strict)
    while True:
        # The reader counts the lines that it has taken, which gives the line where this row begins.
        before, wrong = result.line_num, ""
        taken.clear()
        try:
            cells = next(result, None)
            # A quote that is never closed is no error for the library: it reads on
            # to the end of the file.
            if not strict and len(taken) > 1 and _is_open(taken, delimiter):
                cells, wrong = [], "a quote is not closed"
        except csv.Error as error:
            cells, wrong = [], str(error)
        if cells is None:
            return
        yield CsvRow(seen[before] if before < len(seen) else 0, result.line_num - before, cells, wrong)


def _is_open(row: Sequence[str], delimiter: str) -> bool:
    """Return whether a quote of a row is still open at its end."""
    try:
        return next(csv.reader(row, delimiter=delimiter, strict=True), None) is None
    except csv.Error as error:
        return "end of data" in str(error)


def csv_cells(line: str, delimiter: str = ",") -> list[str]:
    """Return the cells of one line, as of a head."""
    return next(csv.reader([line], delimiter=delimiter), [])


@contextmanager
def readable_file(file: Path) -> Iterator[Path]:
    """Give a file that can be read more than once: the file itself, or for `-` a copy of standard input."""
    if str(file) != "-":
        yield file
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input"
        with copy.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        try:
            yield copy
        except DataError as error:
            error.where = error.where.replace(str(copy), "standard input")
            raise
