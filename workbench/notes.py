"""Notes and bookmarks on anything that has an address, such as `corpus/sample-e/cluster/412/member/37`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from workbench.kept_lines import KeptLines

if TYPE_CHECKING:
    from engines.core.errors import DataError
    from workbench.workspace import Workspace

__all__ = ["NOTE_FIELDS", "Note", "Notes"]


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
        """The note of an address, if there is one."""
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
        """Every note, by address."""
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
