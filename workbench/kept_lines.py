"""What the user keeps in a file of JSON lines: notes, judgements, labels; one record for each key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engines.core.errors import DataError
from engines.core.files import atomic_writer, file_error
from engines.core.locks import locked

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["KeptLines"]

Key = TypeVar("Key")
Record = TypeVar("Record", bound="DataclassInstance")


class KeptLines(Generic[Key, Record]):
    """Records of a file, by key.

    Every change reads the file again under a lock, so that two programs lose nothing. Lines that cannot be
    read are reported in `problems` and kept, byte by byte, as they are.

    Args: what: a record is called, in messages. read: makes a record of a line's table; raises ValueError,
    KeyError, TypeError or AttributeError for what is none. key: of a record. order: of the records in the
    file, by record.
    Attributes: known: the records by key.
    """

    def __init__(
        self,
        path: Path,
        what: str,
        *,
        read: Callable[[Mapping[str, Any]], Record],
        key: Callable[[Record], Key],
        order: Callable[[Record], Any],
    ) -> None:
        self.path = path
        self.known: dict[Key, Record] = {}
        self.problems: tuple[DataError, ...] = ()
        self._what, self._read, self._key, self._order = what, read, key, order
        self._unread: list[bytes] = []
        self._load()

    def all(self) -> tuple[Record, ...]:
        """Every record, in order."""
        return tuple(sorted(self.known.values(), key=self._order))

    @contextmanager
    def changing(self) -> Iterator[dict[Key, Record]]:
        """The records as they are now, to be changed in the block and written at its end."""
        with locked(self.path):
            self._load()
            yield self.known
            with atomic_writer(self.path, "wb") as file:
                file.writelines(line + b"\n" for line in self._unread)
                file.writelines(
                    json.dumps(asdict(record), ensure_ascii=False).encode() + b"\n" for record in self.all()
                )

    def _load(self) -> None:
        self.known, self._unread = {}, []
        problems: list[DataError] = []
        try:
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        except OSError as error:
            raise file_error(error, self.path, "read") from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = self._read(json.loads(line))
                self.known[self._key(record)] = record
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problems.append(
                    DataError(
                        f"this is no {self._what}: {error}",
                        path=self.path,
                        line=number,
                        code="E317",
                        remedy="The line is kept as it is; mend it or take it out.",
                    )
                )
                self._unread.append(line)
        self.problems = tuple(problems)
