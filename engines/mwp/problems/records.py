"""Records of a file, whatever it is written in: JSON Lines, JSON, CSV, or ASDiv's XML."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.files import read_lines
from engines.core.json_lines import json_object
from engines.mwp.problems.layouts import layout_of, lowered

__all__ = ["records"]

Bad = Callable[[int, str], None]
_REMEDY = (
    "Problems are rows of JSON Lines, JSON or CSV with `text` (or `question`), `equation` and `answer`, or a "
    "file of ASDiv, MAWPS, SVAMP, ParaMAWPS or Math23K."
)


def records(path: Path, bad: Bad) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each record with its line (of its beginning); keys in lower case. Compressed files are read through.

    Args: bad: takes line and reason of a record that cannot be read.
    Raises: DataError E318 for a file that holds no problems at all, and as `read_lines` does.
    """
    lines = read_lines(path, on_bad=lambda error: bad(error.line or 0, error.what))
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return iter(())  # blank, or no line could be read
    start = first[1].lstrip()[0]
    rest = chain([first], lines)
    if start == "<":
        return _xml(path, rest)
    if start == "{" and _is_json(first[1]):
        return _json_lines(rest, bad)
    if start in "[{":
        return _json(rest, bad)
    return _csv(path, rest, bad)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_lines(lines: Iterator[tuple[int, str]], bad: Bad) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json_object(line)
        except ValueError as error:
            bad(number, str(error))
            continue
        yield number, lowered(row)


def _json(lines: Iterator[tuple[int, str]], bad: Bad) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON array, or objects one after the other, as Math23K has them."""
    numbered = list(lines)
    text = "\n".join(line for _, line in numbered)
    decoder = json.JSONDecoder()
    place = len(text) - len(text.lstrip().removeprefix("["))
    counted = number = 0
    while found := re.compile(r"[\s,]*").match(text, place):
        place = found.end()
        if place >= len(text) or text[place] == "]":
            return
        number += text.count("\n", counted, place)
        counted = place
        line = numbered[number][0]
        try:
            row, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            # Where the next object begins cannot be known.
            bad(line, f"from here on the file is no JSON: {error}")
            return
        if isinstance(row, dict):
            yield line, lowered(row)
        else:
            bad(line, "this is no JSON object")


_MOST = 100_000
"""Characters of a cell: more is a quote that nothing closes."""


def _csv(path: Path, lines: Iterator[tuple[int, str]], bad: Bad) -> Iterator[tuple[int, dict[str, Any]]]:
    head_line, head = next(lines)
    if re.fullmatch('"?sep=.?"?', head.strip(), re.IGNORECASE):
        # A spreadsheet's own line, which says what separates.
        head_line, head = next(lines, (head_line, ""))
    separators = (",", "\t", ";")
    fitting = [one for one in separators if layout_of(lowered(dict.fromkeys(_cells(head, one))))]
    if not fitting:
        columns = max((_cells(head, one) for one in separators), key=len)
        raise DataError(
            f"the columns {', '.join(columns)[:120]!r} are not those of problems",
            path=path,
            line=head_line,
            code="E318",
            remedy=_REMEDY,
        )
    separator = max(fitting, key=lambda one: len(_cells(head, one)))
    header = _cells(head, separator)
    # A cell may go on over lines, so the reader counts them.
    seen = [head_line]

    def counted() -> Iterator[str]:
        for number, line in lines:
            seen.append(number)
            yield line + "\n"

    rows = csv.reader(counted(), delimiter=separator)
    while True:
        before = rows.line_num
        try:
            row = next(rows, None)
            # The reader's own limit is one for the whole process, and others raise it.
            if row and max(map(len, row)) > _MOST:
                raise csv.Error(f"a cell has more than {_MOST:,} characters")
        except csv.Error as error:
            bad(seen[before + 1], f"from here on the file is no CSV: {error}")
            return
        if row is None:
            return
        lines_read = rows.line_num - before
        begin = seen[before + 1]
        if row and len(row) != len(header):
            over = f" over {lines_read} lines: a quote may not be closed" if lines_read > 1 else ""
            bad(begin, f"{len(row)} columns, not {len(header)}{over}")
        elif row:
            yield begin, lowered(zip(header, row, strict=True))


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _xml(path: Path, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The problems of ASDiv; the folds are read where the folder `nfolds` lies beside the file."""
    from lxml import etree

    text = "\n".join(line for _, line in lines)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        line = error.position[0]
        raise DataError(
            f"the XML is broken: {error.msg}",
            path=path,
            line=line,
            code="E318",
            remedy="Mend the line, or fetch the file again.",
        ) from error
    folds = _folds(path)
    found = root.findall(".//Problem")
    if not found:
        raise DataError("the XML holds no element Problem", path=path, code="E318", remedy=_REMEDY)
    for problem in found:
        row: dict[str, Any] = {str(key): str(value) for key, value in problem.items()}
        for child in problem.iterchildren(tag=etree.Element):
            row[str(child.tag)] = "".join(map(str, child.itertext())).strip()
        begins: Any = problem.sourceline
        yield begins or 0, lowered({**row, "fold": folds.get(row.get("ID", ""))})


def _folds(path: Path) -> dict[str, int]:
    """The fold of each problem of ASDiv-A."""
    folds: dict[str, int] = {}
    for file in sorted(path.parent.glob("nfolds/asdiv-a/fold*.txt")):
        if found := re.fullmatch(r"fold(\d+)", file.stem):
            folds |= {line.strip(): int(found[1]) for _, line in read_lines(file) if line.strip()}
    return folds
