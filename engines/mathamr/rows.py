"""Rows of JSON Lines files, with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.files import read_lines

__all__ = ["rows"]


def rows(path: Path, *keys: str, one_of: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file, in order; blank lines are passed over.

    Args: keys: the texts that each row must hold. one_of: texts of which it must hold at least one.

    Raises:
        DataError E317: for a line that is no JSON object, or lacks one of the keys.
    """
    wanted = [(*keys, other) for other in one_of] or [keys]
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _unusable(path, number, f"the line is no JSON: {error}", wanted) from error
        if not isinstance(row, dict):
            raise _unusable(path, number, "the line is no JSON object", wanted)
        for key in keys:
            if not isinstance(row.get(key), str):
                raise _unusable(path, number, f"the row has no text {key!r}", wanted)
        if one_of and not any(isinstance(row.get(key), str) for key in one_of):
            names = " nor ".join(map(repr, one_of))
            raise _unusable(path, number, f"the row has neither a text {names}", wanted)
        yield row


def _unusable(path: Path, line: int, what: str, wanted: list[tuple[str, ...]]) -> DataError:
    objects = ["{" + ", ".join(f'"{key}": "…"' for key in keys) + "}" for keys in wanted]
    return DataError(what, path=path, line=line, code="E317", remedy=f"Each line is {' or '.join(objects)}.")
