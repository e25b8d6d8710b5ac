"""Records of problem files: JSON Lines, JSON, CSV and the XML of ASDiv, each with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.rows import (
    MAX_DOCUMENT_BYTES,
    RepeatedKeyError,
    csv_cells,
    csv_rows,
    json_object,
    read_lines,
    unique_keys,
)
from engines.mwp.problems.layouts import layout_of, lower_keys

OnBadRecord = Callable[[int, str], None]
_REMEDY = (
    "Problems are rows of JSON Lines, JSON or CSV with `text` (or `question`), `equation` and `answer`, or a "
    "file of a known set; --field text=COLUMN names other columns, or counts them (--field text=2) where "
    "they have no names."
)


def read_records(
    path: Path, bad: OnBadRecord, columns: Collection[str] = ()
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each record with its line (of its beginning); keys in lower case. Compressed files are read
    through.

    Args:
        bad: Takes line and reason of a record that cannot be read.
        columns: Those that a table must have instead of the ones of a known format.
    """
    lines = read_lines(
        path, on_bad=lambda error: bad(error.line or 0, error.what), longest=MAX_DOCUMENT_BYTES
    )
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return iter(())  # blank, or no line could be read
    start = first[1].lstrip()[0]
    rest = chain([first], lines)
    if start == "<":
        return _read_xml(path, rest)
    if start == "{" and _is_json(first[1]) and (second := next(lines, None)) is not None:
        return _read_json_lines(chain([first, second], lines), bad)
    if start in "[{":
        return _read_json(rest, bad, columns, are_rows=start == "[" and _is_json(first[1]))
    return _read_csv(path, rest, bad, frozenset(column.lower() for column in columns))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read_json_lines(
    lines: Iterator[tuple[int, str]], bad: OnBadRecord
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json_object(line)
        except ValueError as error:
            bad(number, str(error))
            continue
        yield number, lower_keys(row)


def _number_columns(cells: Sequence[Any]) -> dict[str, Any]:
    """Return the cells of a row without names by their places, from 1."""
    return {str(column): cell for column, cell in enumerate(cells, start=1)}


def _read_json(
    lines: Iterator[tuple[int, str]], bad: OnBadRecord, columns: Collection[str], *, are_rows: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON array, of objects one after the other, or of the only list of one object;
    lists are rows without names.

    Args:
        are_rows: The first line is a whole value: it may be the first of several lists, not one list of rows.
    """
    numbered = list(lines)
    text = "\n".join(line for _, line in numbered)
    repeated: list[RepeatedKeyError] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        try:
            return unique_keys(pairs)
        except RepeatedKeyError as error:
            repeated.append(error)
            return {}

    # Rows are decoded one by one from the whole text: an object may go on over several lines.
    decoder = json.JSONDecoder(object_pairs_hook=object_of)
    begins_row = are_rows and not isinstance(next(iter(json.loads(numbered[0][1])), None), (list, dict))
    offset = len(text) - len(text.lstrip() if begins_row else text.lstrip().removeprefix("["))
    offset = _find_row_list(text, columns) or offset
    counted = number = 0
    # `offset` is a position in the text; `counted` is how far line breaks have been counted.
    while match := re.compile(r"[\s,]*").match(text, offset):
        offset = match.end()
        if offset >= len(text) or text[offset] == "]":
            return
        number += text.count("\n", counted, offset)
        counted = offset
        line = numbered[number][0]
        try:
            row, offset = decoder.raw_decode(text, offset)
        except (ValueError, RecursionError) as error:
            # Where the next object begins cannot be known.
            bad(line, f"from here on the file is not JSON: {error}")
            return
        if repeated:
            bad(line, str(repeated[0]))
            repeated.clear()
        elif isinstance(row, dict):
            yield line, lower_keys(row)
        elif isinstance(row, list):
            yield line, _number_columns(row)
        else:
            bad(line, "this is neither a JSON object nor a list")


def _find_row_list(text: str, columns: Collection[str]) -> int:
    """Return the offset behind the bracket of the only list of objects in a file that is one object, such as
    `{"version": 1, "items": [{…}, {…}]}`; 0 for any other file, and for an object that is itself a row.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    if not isinstance(document, dict):
        return 0
    lists = [key for key, value in document.items() if isinstance(value, list) and value]
    lists = [key for key in lists if all(isinstance(row, dict) for row in document[key])]
    own = lower_keys(document)
    is_row = {column.lower().partition(".")[0] for column in columns} & own.keys() or layout_of(own)
    if len(lists) != 1 or is_row:
        return 0
    # Go through the members of the object until the value of that key begins.
    decoder, offset = json.JSONDecoder(), text.index("{") + 1
    while True:
        offset = _skip(text, offset, ",")
        key, offset = decoder.raw_decode(text, offset)
        offset = _skip(text, offset, ":")
        if key == lists[0] and text[offset] == "[":
            return offset + 1
        _, offset = decoder.raw_decode(text, offset)


def _skip(text: str, offset: int, sign: str) -> int:
    """Return the offset of what comes next after blanks and a sign."""
    while text[offset].isspace() or text[offset] == sign:
        offset += 1
    return offset


_HEADLESS = re.compile(r"[^\t]*[^\t\d][^\t]*\t\s*-?[\d.,]+\s*")
"""A line of a table of two columns, of which the second is a number."""
_MOST = 100_000
"""Characters of a cell: more is a quote that nothing closes."""


def _read_csv(
    path: Path, lines: Iterator[tuple[int, str]], bad: OnBadRecord, asked: frozenset[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    head_line, head = next(lines)
    if re.fullmatch('"?sep=.?"?', head.strip(), re.IGNORECASE):
        # A spreadsheet's own line, which says what separates.
        head_line, head = next(lines, (head_line, ""))
    separators = (",", "\t", ";")
    if asked and all(column.isdecimal() for column in asked):
        # Columns that are numbered have no names, and the first line is a row as any other.
        numbered = {one: set(_number_columns(csv_cells(head, one))) for one in separators}
        separator = max(separators, key=lambda one: len(numbered[one]))
        if not asked <= numbered[separator]:
            count, last = len(numbered[separator]), max(asked, key=int)
            what = f"the first line has {count} columns, and column {last} is asked for"
            remedy = "Columns without names are counted from 1: --field text=2."
            raise DataError(what, path=path, line=head_line, code="E318", remedy=remedy)
        names = separator.join(sorted(numbered[separator], key=int))
        yield from _read_named_rows(chain([(head_line, names), (head_line, head)], lines), bad, separator)
        return
    known = {one: lower_keys(dict.fromkeys(csv_cells(head, one))) for one in separators}
    fitting = [one for one in separators if (asked <= {*known[one]} if asked else layout_of(known[one]))]
    if not fitting and not asked and _HEADLESS.fullmatch(head):
        # MGSM: a question and its answer, without names of the columns.
        yield from _read_csv(
            path, chain([(head_line, "question\tanswer"), (head_line, head)], lines), bad, asked
        )
        return
    if not fitting:
        columns = max((csv_cells(head, one) for one in separators), key=len)
        what = f"the columns {', '.join(columns)[:120]!r} are not those of problems"
        remedy = _REMEDY
        if asked:
            what = f"of the columns {', '.join(sorted(asked))} not all are in the first line, "
            what += f"{', '.join(columns)[:120]!r}"
            remedy = "Name columns as they are there, or by their numbers from 1 where it has no names."
        raise DataError(what, path=path, line=head_line, code="E318", remedy=remedy)
    separator = max(fitting, key=lambda one: len(csv_cells(head, one)))
    yield from _read_named_rows(chain([(head_line, head)], lines), bad, separator)


def _read_named_rows(
    lines: Iterator[tuple[int, str]], bad: OnBadRecord, separator: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a table below the line that names its columns."""
    header = csv_cells(next(lines)[1], separator)
    for row in csv_rows(lines, separator):
        long = bool(row.cells) and max(map(len, row.cells)) > _MOST
        if row.wrong or long:
            wrong = row.wrong or f"a cell has more than {_MOST:,} characters"
            bad(row.line, f"from here on the file is not CSV: {wrong}")
            return
        if row.cells and len(row.cells) != len(header):
            over = f" over {row.lines} lines: a quote may not be closed" if row.lines > 1 else ""
            bad(row.line, f"{len(row.cells)} columns, not {len(header)}{over}")
        elif row.cells:
            yield row.line, lower_keys(zip(header, row.cells, strict=True))


def _read_xml(path: Path, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the problems of ASDiv; the folds are read where the folder `nfolds` lies beside the file."""
    from lxml import etree

    text = "\n".join(line for _, line in lines)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        what, remedy = f"the XML is broken: {error.msg}", "Fix the line, or download the file again."
        raise DataError(what, path=path, line=error.position[0], code="E318", remedy=remedy) from error
    folds = _read_folds(path)
    result = root.findall(".//Problem")
    if not result:
        raise DataError("the XML holds no element Problem", path=path, code="E318", remedy=_REMEDY)
    for problem in result:
        row: dict[str, Any] = {str(key): str(value) for key, value in problem.items()}
        for child in problem.iterchildren(tag=etree.Element):
            row[str(child.tag)] = "".join(map(str, child.itertext())).strip()
        begins: Any = problem.sourceline
        yield begins or 0, lower_keys({**row, "fold": folds.get(row.get("ID", ""))})


def _read_folds(path: Path) -> dict[str, int]:
    folds: dict[str, int] = {}
    for file in sorted(path.parent.glob("nfolds/asdiv-a/fold*.txt")):
        if match := re.fullmatch(r"fold(\d+)", file.stem):
            folds |= {line.strip(): int(match[1]) for _, line in read_lines(file) if line.strip()}
    return folds
