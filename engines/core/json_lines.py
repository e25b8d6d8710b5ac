"""JSON Lines: the objects of a file, with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, raised
from engines.core.files import read_lines
from engines.core.unicode import is_text

__all__ = ["json_object", "json_objects", "rows"]


def json_object(line: str) -> dict[str, Any]:
    """The object that a line holds. Raises: ValueError that says why there is none.

    >>> json_object('{"a": 1}')
    {'a': 1}
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the line is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("the line is no JSON object")
    return found


def json_objects(
    path: Path, *, remedy: str, on_bad: Callable[[DataError], None] = raised
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their lines, in order; blank lines are passed over.

    Args: remedy: what lines should be. on_bad: what is done with the error of a line, if not to raise it; the
    line is left out then. Raises: DataError E317 for a line that is no JSON object.
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


def rows(
    path: Path, *keys: str, one_of: tuple[str, ...] = (), on_bad: Callable[[DataError], None] = raised
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their lines, in order; blank lines are passed over.

    Args: keys: the texts that each row must hold. one_of: texts of which it must hold at least one. on_bad:
    what is done with the error of a line, if not to raise it; the line is left out then.

    Raises:
        DataError E317: for a line that is no JSON object, or lacks one of the keys.
    """
    wanted = [(*keys, other) for other in one_of] or [keys]
    shapes = ["{" + ", ".join(f'"{key}": "…"' for key in each) + "}" for each in wanted]
    remedy = f"Each line is {' or '.join(shapes)}."
    for number, row in json_objects(path, remedy=remedy, on_bad=on_bad):
        if what := _lacking(row, keys, one_of):
            on_bad(DataError(what, path=path, line=number, code="E317", remedy=remedy))
        else:
            yield number, row


def _lacking(row: Mapping[str, Any], keys: tuple[str, ...], one_of: tuple[str, ...]) -> str:
    """What a row lacks; "" for one that can be used."""
    for key in keys:
        if not isinstance(row.get(key), str):
            return f"the row has no text {key!r}"
    for key in (*keys, *one_of):
        if isinstance(text := row.get(key), str) and not is_text(text):
            return f"the text {key!r} holds half of a UTF-16 pair"
    if one_of and not any(isinstance(row.get(key), str) for key in one_of):
        return f"the row has neither a text {' nor '.join(map(repr, one_of))}"
    return ""
