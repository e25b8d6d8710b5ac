"""Notes and bookmarks, and the files of JSON lines that hold what the user keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import unquote

from engines.core.errors import DataError
from engines.core.files import atomic_writer, file_error, locked

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from engines.core.errors import DataError
    from workbench.workspace import Workspace


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
                        remedy="The line is left as it is; fix or remove it.",
                    )
                )
                self._unread.append(line)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Note:
    """What the user keeps about one address. `changed` is UTC, ISO 8601."""

    address: str
    note: str = ""
    bookmark: bool = False
    changed: str = ""

    @property
    def fields(self) -> dict[str, object]:
        """What filters ask for: `is:bookmarked`, `is:noted`, `note:word`."""
        words = {"bookmarked": self.bookmark, "noted": bool(self.note)}
        return {"is": [word for word, holds in words.items() if holds], "note": self.note}


NOTE_FIELDS = ("is", "note")
"""The names of those fields."""


class Notes:
    """The notes of a workspace: one JSON line per address in `notes.jsonl`; see `KeptLines`."""

    def __init__(self, workspace: Workspace) -> None:
        self.path: Path = workspace.root / "notes.jsonl"
        self._kept = KeptLines(
            self.path,
            "note",
            read=_read_note,
            key=lambda note: note.address,
            order=lambda note: note.address,
        )

    @property
    def problems(self) -> tuple[DataError, ...]:
        """The lines that cannot be read."""
        return self._kept.problems

    def get(self, address: str) -> Note | None:
        return self._kept.known.get(address)

    def under(self, home: str) -> dict[str, Note]:
        """The notes whose addresses begin with `home/`, by what follows that, with its quoted slashes as they
        are."""
        start = f"{home}/"
        return {
            unquote(address.removeprefix(start)): note
            for address, note in self._kept.known.items()
            if address.startswith(start)
        }

    def all(self) -> tuple[Note, ...]:
        return self._kept.all()

    def set_note(self, address: str, text: str) -> Note:
        """Write a note; an empty text takes it away."""
        return self._change(address, lambda note: replace(note, note=text.strip()))

    def toggle_bookmark(self, address: str) -> bool:
        """Set or take away a bookmark. Returns: whether it is set now."""
        return self._change(address, lambda note: replace(note, bookmark=not note.bookmark)).bookmark

    def export(self, path: Path) -> Path:
        """Write all notes as csv, jsonl, parquet or tex, by the name's ending."""
        from workbench.export import write_table

        columns = [column.name for column in fields(Note)]
        where = {"what": "notes", "workspace": self.path.parent.name}
        return write_table(path, columns, map(astuple, self.all()), provenance=where)

    def _change(self, address: str, edit: Callable[[Note], Note]) -> Note:
        with self._kept.changing() as notes:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            note = replace(edit(notes.get(address) or Note(address)), changed=now)
            if note.note or note.bookmark:
                notes[address] = note
            else:
                notes.pop(address, None)
        return note


def _read_note(row: Mapping[str, object]) -> Note:
    return Note(
        str(row["address"]),
        str(row.get("note", "")),
        row.get("bookmark") is True,
        str(row.get("changed", "")),
    )
