"""Screens of the app itself: what stands in for one that cannot be shown, the activity log, the notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.shell.frame import LogEntry
from screens.shell.keymap import APP_KEYS, bindings
from screens.shell.screen import WorkbenchScreen
from screens.shell.theme import format_time, safe_text
from screens.widgets.dialogs import Dialog, frame_dialog
from screens.widgets.listing import Listing, Notice
from screens.widgets.pane import Pane
from screens.widgets.table import Table, note_signs
from workbench.notes import NOTE_FIELDS, UserNote
from workbench.tables import Column


class MissingScreen(WorkbenchScreen):
    """Stand in for a screen that cannot be opened, and show the reason."""

    def __init__(self, mode: str, advice: str, error: Exception) -> None:
        super().__init__()
        # Every other class of screens has one mode; this one stands in for any of them.
        self.MODE = mode  # type: ignore[misc]
        self._error = EngineError(f"this screen cannot be opened: {error}", remedy=advice, code="E704")

    def panes(self) -> Iterable[Pane]:
        self._notice = Notice()
        yield Pane(self._notice, title=self.title or "", id="missing")

    def begin(self) -> None:
        self._notice.show_error(self._error)


class TooSmall(ModalScreen[None]):
    """Cover the app while the terminal is too small, and say how much room is needed."""

    DEFAULT_CSS = """
    TooSmall { align: center middle; background: $background; }
    TooSmall Static { width: auto; text-align: center; }
    """
    # A modal screen hides the keys of the app; these two have to work all the same.
    BINDINGS: ClassVar[list[BindingType]] = bindings(key for key in APP_KEYS if key.verb in ("help", "quit"))

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self._least = (width, height)

    def compose(self) -> ComposeResult:
        yield Static()

    def on_resize(self, event: events.Resize) -> None:
        wide, high = self._least
        sizes = f"\n{event.size.width} x {event.size.height}, needed {wide} x {high}\n"
        keys = ("? help   q quit", "$quiet")
        self.query_one(Static).update(Content.assemble(("please enlarge", "$accent bold"), sizes, keys))

    async def action_help(self) -> None:
        await self.app.run_action("help")

    async def action_quit(self) -> None:
        await self.app.action_quit()


_GLYPHS = {"information": ("✓", "$success"), "warning": ("!", "$warning"), "error": ("✗", "$error")}


class ActivityScreen(Dialog[None]):
    """List the activity log of this session, newest first, with the hint for the selected entry."""

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
            Column("time", "time", 8, show=lambda r: format_time(r["time"])),
            Column("severity", "", 1, show=lambda r: Content.styled(*_GLYPHS[r["severity"]])),
            Column("code", "code", 5, drop=1),
            Column("text", "text"),
        )
        empty = "Nothing has happened yet", "Failures are listed here with their remedies."
        listing = Listing(columns, id="activity", empty=empty)
        yield frame_dialog("activity in this session", "/ filter   esc close", listing, Static(id="entry"))

    def on_mount(self) -> None:
        entries = enumerate(reversed(self._entries))
        self.query_one(Listing).load([{"id": number, **asdict(entry)} for number, entry in entries])
        self.query_one(Table).focus()

    def on_table_moved(self, event: Table.Moved) -> None:
        if (record := event.table.current) is not None:
            remedy = [safe_text(record["remedy"], "$quiet")] if record["remedy"] else []
            text = Content("\n").join([safe_text(record["text"]), *remedy])
            self.query_one("#entry", Static).update(text)


class NoteList(Dialog[str]):
    """List all notes and bookmarks; the dialog returns the address of the chosen one."""

    DEFAULT_CSS = """
    NoteList > Vertical { height: 24; max-height: 90%; }
    NoteList #whole { height: auto; max-height: 6; padding: 0 1; border-top: solid $line; }
    """

    def __init__(self, notes: Sequence[UserNote]) -> None:
        super().__init__()
        self._notes = notes

    def compose(self) -> ComposeResult:
        columns = (
            Column("marks", "", 2, show=lambda r: note_signs(r["noted"])),
            Column("title", "title", 40, show=lambda r: safe_text(r["title"] or r["address"])),
            Column("note", "note", show=lambda r: safe_text(r["note"], "$foreground")),
            Column("changed", "changed", 16, drop=1, show=lambda r: r["changed"][:16].replace("T", " ")),
        )
        empty = "No notes or bookmarks yet", "m bookmarks what is selected, M writes a note on it."
        fields = ("title", "address", *NOTE_FIELDS, "changed")
        listing = Listing(columns, id="notes", fields=fields, empty=empty)
        keys = "enter go there   / filter   esc close"
        yield frame_dialog("notes and bookmarks", keys, listing, Static(id="whole"))

    def on_mount(self) -> None:
        notes = sorted(self._notes, key=lambda note: note.changed, reverse=True)
        rows = [{**asdict(note), "id": note.address, "noted": note, **note.fields} for note in notes]
        self.query_one(Listing).load(rows)
        self.query_one(Table).focus()

    @on(Table.Moved)
    def _show_whole(self, event: Table.Moved) -> None:
        record = event.table.current or {"address": "", "note": ""}
        parts = [safe_text(part) for part in (record["address"], record["note"]) if part]
        self.query_one("#whole", Static).update(Content("\n").join(parts))

    @on(Table.Opened)
    def _choose_note(self, event: Table.Opened) -> None:
        if (address := event.table.current_key) is not None:
            self.dismiss(address)
