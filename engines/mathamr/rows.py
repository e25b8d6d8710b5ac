"""Rows of JSON Lines files, with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, raised
from engines.core.files import read_lines

__all__ = ["rows"]


def rows(
    path: Path, *keys: str, one_of: tuple[str, ...] = (), on_bad: Callable[[DataError], None] = raised
) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file, in order; blank lines are passed over.

    Args: keys: the texts that each row must hold. one_of: texts of which it must hold at least one. on_bad:
    what is done with the error of a line, if not to raise it; the line is left out then.

    Raises:
        DataError E317: for a line that is no JSON object, or lacks one of the keys.
    """
    wanted = [(*keys, other) for other in one_of] or [keys]
    for number, line in read_lines(path, on_bad=on_bad):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            on_bad(_unusable(path, number, f"the line is no JSON: {error}", wanted))
            continue
        if what := _lacking(row, keys, one_of):
            on_bad(_unusable(path, number, what, wanted))
        else:
            yield row


def _lacking(row: object, keys: tuple[str, ...], one_of: tuple[str, ...]) -> str:
    """What is wrong with a row; "" for one that can be used."""
    if not isinstance(row, dict):
        return "the line is no JSON object"
    for key in keys:
        if not isinstance(row.get(key), str):
            return f"the row has no text {key!r}"
    if one_of and not any(isinstance(row.get(key), str) for key in one_of):
        return f"the row has neither a text {' nor '.join(map(repr, one_of))}"
    return ""


def _unusable(path: Path, line: int, what: str, wanted: list[tuple[str, ...]]) -> DataError:
    objects = ["{" + ", ".join(f'"{key}": "…"' for key in keys) + "}" for keys in wanted]
    return DataError(what, path=path, line=line, code="E317", remedy=f"Each line is {' or '.join(objects)}.")
