"""The activity log of this session, and the list of all notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from screens.shell.frame import LogEntry
from screens.shell.theme import clock, safe_text
from screens.widgets.dialogs import Dialog, framed
from screens.widgets.listing import Listing
from screens.widgets.table import Record, Table, note_signs
from workbench.notes import NOTE_FIELDS, Note
from workbench.tables import Column

_GLYPHS = {"information": ("✓", "$success"), "warning": ("!", "$warning"), "error": ("✗", "$error")}


def _glyph(record: Record) -> Content:
    glyph, colour = _GLYPHS[record["severity"]]
    return Content.styled(glyph, colour)


class ActivityScreen(Dialog[None]):
    DEFAULT_CSS = """
    ActivityScreen > Vertical { height: 24; max-height: 90%; }
    ActivityScreen #entry { height: auto; max-height: 8; padding: 0 1; border-top: solid $line; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("at,q", "close", "close", show=False)]

    def __init__(self, entries: Sequence[LogEntry]) -> None:
        super().__init__()
        self._entries = entries

    def compose(self) -> ComposeResult:
        columns = (
            Column("time", "time", 8, show=lambda r: clock(r["time"])),
            Column("severity", "", 1, show=_glyph),
            Column("code", "code", 5, drop=1),
            Column("text", "text"),
        )
        empty = "Nothing has happened yet", "Failures are listed here with their remedies."
        listing = Listing(columns, id="activity", counts=False, empty=empty)
        yield framed("activity in this session", "/ filter   esc close", listing, Static(id="entry"))

    def on_mount(self) -> None:
        entries = enumerate(reversed(self._entries))
        self.query_one(Listing).load([{"id": number, **asdict(entry)} for number, entry in entries])
        self.query_one(Table).focus()

    def on_table_moved(self, event: Table.Moved) -> None:
        record = event.table.current
        if record is not None:
            text = safe_text(record["text"])
            if record["remedy"]:
                text = text + Content("\n") + safe_text(record["remedy"], "$quiet")
            self.query_one("#entry", Static).update(text)


class NoteList(Dialog[str]):
    """Returns the address of the chosen line."""

    DEFAULT_CSS = """
    NoteList > Vertical { height: 24; max-height: 90%; }
    NoteList #whole { height: auto; max-height: 6; padding: 0 1; border-top: solid $line; }
    """

    def __init__(self, notes: Sequence[Note]) -> None:
        super().__init__()
        self._notes = notes

    def compose(self) -> ComposeResult:
        columns = (
            Column("marks", "", 2, show=lambda r: note_signs(r["kept"])),
            Column("address", "address", 40),
            Column("note", "note", show=lambda r: safe_text(r["note"], "$foreground")),
            Column("changed", "changed", 16, drop=1, show=lambda r: r["changed"][:16].replace("T", " ")),
        )
        empty = "No notes or bookmarks yet", "m bookmarks what is selected, M writes a note on it."
        fields = ("address", *NOTE_FIELDS, "changed")
        listing = Listing(columns, id="notes", fields=fields, counts=False, empty=empty)
        keys = "enter go there   / filter   esc close"
        yield framed("notes and bookmarks", keys, listing, Static(id="whole"))

    def on_mount(self) -> None:
        notes = sorted(self._notes, key=lambda note: note.changed, reverse=True)
        known = (
            (note, {"id": note.address, "address": note.address, "changed": note.changed}) for note in notes
        )
        self.query_one(Listing).load([{**row, "kept": note, **note.fields} for note, row in known])
        self.query_one(Table).focus()

    @on(Table.Moved)
    def _show_whole(self, event: Table.Moved) -> None:
        record = event.table.current or {"address": "", "note": ""}
        parts = [safe_text(part) for part in (record["address"], record["note"]) if part]
        self.query_one("#whole", Static).update(Content("\n").join(parts))

    @on(Table.Opened)
    def _chosen(self, event: Table.Opened) -> None:
        if (address := event.table.current_key) is not None:
            self.dismiss(address)
