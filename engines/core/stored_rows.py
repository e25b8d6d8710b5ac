"""Rows of a result that may be larger than memory: they are kept in a temporary file."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from engines.core.files import file_error

# Results up to this size stay in memory; larger ones go to a temporary file.
_IN_MEMORY_BYTES = 8 << 20
_BLOCK_BYTES = 1 << 16


class StoredRows(Sequence[Mapping[str, Any]]):
    """Rows of texts and numbers. They take 8 bytes of memory each once they are more than a few.

    >>> rows = StoredRows()
    >>> for number in range(3):
    ...     rows.append({"line": number})
    >>> len(rows), rows[1], [row["line"] for row in rows]
    (3, {'line': 1}, [0, 1, 2])
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115  # closed with it
        self._starts = array("Q")
        self._end = 0

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a row after the others.

        Raises:
            DataError: E310 or E312 where the disk is full.
        """
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        try:
            self._file.seek(self._end)
            self._file.write(line)
        except OSError as error:
            raise file_error(error, tempfile.gettempdir(), "write") from error
        self._starts.append(self._end)
        self._end += len(line)

    def read_lines(self) -> Iterator[str]:
        """Read every row as one line of JSON, without its line end."""
        position = 0
        while position < self._end:
            self._file.seek(position)
            for line in self._file.readlines(_BLOCK_BYTES):
                position += len(line)
                yield line[:-1].decode()

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return map(json.loads, self.read_lines())

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        self._file.seek(self._starts[index])
        return json.loads(self._file.readline())
