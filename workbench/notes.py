"""Notes and bookmarks, and other records of a workspace that are one line each of a file."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from urllib.parse import unquote

from engines.core.errors import DataError, EngineError
from engines.core.files import file_error
from engines.core.locks import update
from workbench.trash import Trash

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

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
        # Lines that could not be read, which go back into the file as they are.
        self._unread: list[bytes] = []
        try:
            self._load_lines(path.read_bytes() if path.exists() else b"")
        except OSError as error:
            raise file_error(error, path, "read") from error

    @abstractmethod
    def read_record(self, row: Mapping[str, Any]) -> Record:
        """Read the record of a line.

        Raises:
            ValueError: If the line is not a record; also KeyError, TypeError and AttributeError.
        """

    @abstractmethod
    def record_key(self, record: Record) -> Key:
        """Return the key of a record."""
        ...

    def sort_key(self, record: Record) -> Any:
        """Return what the records of the file are sorted by."""
        return self.record_key(record)

    def __len__(self) -> int:
        return len(self.known)

    def all_records(self) -> tuple[Record, ...]:
        """Return all records in the order of the file."""
        return tuple(sorted(self.known.values(), key=self.sort_key))

    def change_records(self, edit: Callable[[dict[Key, Record]], None]) -> None:
        """Change the records under a lock and write the file; `known` follows.

        Args:
            edit: Changes the records, by key, as the file holds them now.
        """

        def apply_edit(data: bytes) -> bytes:
            # Read again under the lock: another program may have changed the file since `known` was filled.
            self._load_lines(data)
            known = dict(self.known)
            edit(known)
            rows = [asdict(record) for record in sorted(known.values(), key=self.sort_key)]
            lines = [json.dumps(row, ensure_ascii=False).encode() for row in rows]
            return b"".join(line + b"\n" for line in (*self._unread, *lines))

        # What `update` has written is also what this object knows from now on.
        self._load_lines(update(self.path, apply_edit))

    def _load_lines(self, data: bytes) -> None:
        self.known, self._unread = {}, []
        problems: list[DataError] = []
        for number, line in enumerate(data.split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                record = self.read_record(json.loads(line))
                self.known[self.record_key(record)] = record
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
class UserNote:
    """What the user keeps about one address. `title` is what was there; `changed` is UTC, ISO 8601."""

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


class Notes(RecordFile[str, UserNote]):
    """The notes of a workspace: one JSON line per address in `notes.jsonl`."""

    what = "note"

    def __init__(self, root: Path, trash: Trash) -> None:
        super().__init__(root / "notes.jsonl")
        self._trash = trash

    def read_record(self, row: Mapping[str, Any]) -> UserNote:
        return UserNote(
            str(row["address"]),
            str(row.get("title", "")),
            str(row.get("note", "")),
            row.get("bookmark") is True,
            str(row.get("changed", "")),
        )

    def record_key(self, record: UserNote) -> str:
        return record.address

    def get(self, address: str) -> UserNote | None:
        """Return the note on an address, or None."""
        return self.known.get(address)

    def filter_fields(self, address: str) -> dict[str, object]:
        """Return the fields that a filter may ask for of an address."""
        return (self.get(address) or UserNote(address)).fields

    def notes_under(self, home: str) -> dict[str, UserNote]:
        """Return the notes on the addresses that begin with `home/`, by the rest of the address, unquoted."""
        start = f"{home}/"
        return {
            unquote(address.removeprefix(start)): note
            for address, note in self.known.items()
            if address.startswith(start)
        }

    def set_note(self, address: str, text: str, title: str = "") -> UserNote:
        """Write a note. An empty text deletes it, which moves it into the trash."""
        before = self.get(address)
        # Only the text of a note goes into the trash; a bookmark is set again with one key.
        if before is not None and before.note and not text.strip():
            self._trash.put_item("note", address, before.note, record=asdict(before))
        return self._change_note(address, title, lambda note: replace(note, note=text.strip()))

    def restore_note(self, record: Mapping[str, Any]) -> None:
        """Restore a deleted note.

        Raises:
            EngineError: E466 if there is another note on the address now.
        """
        note = self.read_record(record)

        def add_note(notes: dict[str, UserNote]) -> None:
            # A bookmark on the address may exist without a note, and stays.
            now = notes.get(note.address, note)
            if now.note not in ("", note.note):
                what = f"there is another note on {note.address} now"
                raise EngineError(what, code="E466", remedy="Remove that note first.")
            notes[note.address] = replace(note, bookmark=note.bookmark or now.bookmark)

        self.change_records(add_note)

    def toggle_bookmark(self, address: str, title: str = "") -> bool:
        """Set or remove a bookmark and return whether it is set now."""
        return self._change_note(
            address, title, lambda note: replace(note, bookmark=not note.bookmark)
        ).bookmark

    def export_notes(self, path: Path) -> Path:
        """Write all notes as csv, jsonl, parquet or tex, by the ending of the path."""
        from workbench.export import write_table

        columns = [column.name for column in fields(UserNote)]
        where = {"what": "notes", "workspace": self.path.parent.name}
        return write_table(path, columns, map(astuple, self.all_records()), provenance=where)

    def _change_note(self, address: str, title: str, edit: Callable[[UserNote], UserNote]) -> UserNote:
        note = UserNote(address)

        def apply_edit(notes: dict[str, UserNote]) -> None:
            nonlocal note
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            before = notes.pop(address, note)
            note = replace(edit(before), title=title or before.title, changed=now)
            # A record without a note and without a bookmark is none.
            if note.note or note.bookmark:
                notes[address] = note

        self.change_records(apply_edit)
        return note
