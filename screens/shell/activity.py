"""The activity log: what happened in this session, newest first; failures keep their remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from screens.shell.frame import Happening
from screens.shell.text import clock, safe_text
from screens.widgets.dialogs import Dialog
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table

__all__ = ["ActivityScreen"]

_GLYPHS = {"information": ("✓", "$success"), "warning": ("!", "$warning"), "error": ("✗", "$error")}


def _glyph(record: Record) -> Content:
    glyph, colour = _GLYPHS[record["severity"]]
    return Content.styled(glyph, colour)


class ActivityScreen(Dialog[None]):
    """The list, and under it the whole text of the chosen line."""

    DEFAULT_CSS = """
    ActivityScreen > Vertical { height: 24; max-height: 90%; }
    ActivityScreen #entry { height: auto; max-height: 8; padding: 0 1; border-top: solid $line; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("at,q", "close", "close", show=False)]

    def __init__(self, entries: Sequence[Happening]) -> None:
        super().__init__()
        self._entries = entries

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "activity in this session"
            box.border_subtitle = "/ filter   esc close"
            columns = [
                Column("time", "time", 8, show=lambda r: clock(r["time"])),
                Column("severity", "", 1, show=_glyph),
                Column("code", "code", 5, drop=1),
                Column("text", "text"),
            ]
            empty = "Nothing has happened yet", "Failures stay here with their remedy."
            yield Listing(columns, id="activity", counts=False, empty=empty)
            yield Static(id="entry")

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
