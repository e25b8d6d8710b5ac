"""Notes and bookmarks, and the files of JSON lines that hold what the user keeps."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from urllib.parse import unquote

from engines.core.errors import DataError
from engines.core.files import atomic_writer, file_error, locked

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from workbench.workspace import Workspace


Key = TypeVar("Key")
Record = TypeVar("Record", bound="DataclassInstance")


class RecordFile(ABC, Generic[Key, Record]):
    """Records in a file of JSON lines, by key.

    Every change reads the file again under a lock, so that two programs lose nothing. Lines that cannot be
    read are reported in `problems` and left, byte by byte, as they are.
    """

    what: ClassVar[str]
    """A record is called so in messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Key, Record] = {}
        self.problems: tuple[DataError, ...] = ()
        self._unread: list[bytes] = []
        self._load()

    @abstractmethod
    def read(self, row: Mapping[str, Any]) -> Record:
        """The record of a line. Raises: ValueError, KeyError, TypeError or AttributeError for none."""

    @abstractmethod
    def key(self, record: Record) -> Key: ...

    def order(self, record: Record) -> Any:
        """What the records are sorted by in the file."""
        return self.key(record)

    def all(self) -> tuple[Record, ...]:
        return tuple(sorted(self.known.values(), key=self.order))

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
                record = self.read(json.loads(line))
                self.known[self.key(record)] = record
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problems.append(
                    DataError(
                        f"this is no {self.what}: {error}",
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
    """What the user keeps about one address; `title` is what stood there. `changed` is UTC, ISO 8601."""

    address: str
    title: str = ""
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


class Notes(RecordFile[str, Note]):
    """The notes of a workspace: one JSON line per address in `notes.jsonl`."""

    what = "note"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace.root / "notes.jsonl")

    def read(self, row: Mapping[str, Any]) -> Note:
        return Note(
            str(row["address"]),
            str(row.get("title", "")),
            str(row.get("note", "")),
            row.get("bookmark") is True,
            str(row.get("changed", "")),
        )

    def key(self, record: Note) -> str:
        return record.address

    def get(self, address: str) -> Note | None:
        return self.known.get(address)

    def under(self, home: str) -> dict[str, Note]:
        """The notes whose addresses begin with `home/`, by what follows that, with its quoted slashes as they
        are."""
        start = f"{home}/"
        return {
            unquote(address.removeprefix(start)): note
            for address, note in self.known.items()
            if address.startswith(start)
        }

    def set_note(self, address: str, text: str, title: str = "") -> Note:
        """Write a note; an empty text takes it away."""
        return self._change(address, title, lambda note: replace(note, note=text.strip()))

    def toggle_bookmark(self, address: str, title: str = "") -> bool:
        """Set or take away a bookmark. Returns: whether it is set now."""
        return self._change(address, title, lambda note: replace(note, bookmark=not note.bookmark)).bookmark

    def export(self, path: Path) -> Path:
        """Write all notes as csv, jsonl, parquet or tex, by the name's ending."""
        from workbench.export import write_table

        columns = [column.name for column in fields(Note)]
        where = {"what": "notes", "workspace": self.path.parent.name}
        return write_table(path, columns, map(astuple, self.all()), provenance=where)

    def _change(self, address: str, title: str, edit: Callable[[Note], Note]) -> Note:
        with self.changing() as notes:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            before = notes.get(address) or Note(address)
            note = replace(edit(before), title=title or before.title, changed=now)
            if note.note or note.bookmark:
                notes[address] = note
            else:
                notes.pop(address, None)
        return note
