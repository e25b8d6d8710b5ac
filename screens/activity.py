"""The activity log: what happened in this session, newest first; failures keep their remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from screens.text import clock, safe_text
from screens.widgets.listing import Listing
from screens.widgets.rows import Column, Record
from screens.widgets.table import Table

__all__ = ["ActivityScreen", "Entry"]

_GLYPHS = {"information": ("✓", "$success"), "warning": ("!", "$warning"), "error": ("✗", "$error")}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened: `severity` is information, warning or error; `time` in Unix seconds."""

    time: float
    severity: str
    text: str
    code: str = ""
    remedy: str = ""


def _glyph(record: Record) -> Content:
    glyph, colour = _GLYPHS[record["severity"]]
    return Content.styled(glyph, colour)


class ActivityScreen(ModalScreen[None]):
    """The list, and under it the whole text of the chosen line."""

    DEFAULT_CSS = """
    ActivityScreen { align: center middle; background: $background 60%; }
    ActivityScreen > Vertical {
        width: 100; max-width: 96%; height: 24; max-height: 90%;
        border: round $accent; background: $background;
        border-subtitle-color: $quiet;
    }
    ActivityScreen #entry { height: auto; max-height: 8; padding: 0 1; border-top: solid $line; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,at,q", "close", "close", show=False)]

    def __init__(self, entries: Sequence[Entry]) -> None:
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
                Column("text", "what"),
            ]
            listing = Listing(columns, id="activity", counts=False)
            listing.when_empty("Nothing has happened yet", "Failures stay here with their remedy.")
            yield listing
            yield Static(id="entry")

    def on_mount(self) -> None:
        rows = [
            {
                "id": number,
                "time": entry.time,
                "severity": entry.severity,
                "code": entry.code,
                "text": entry.text,
                "remedy": entry.remedy,
            }
            for number, entry in enumerate(reversed(self._entries))
        ]
        self.query_one(Listing).load(rows)
        self.query_one(Table).focus()

    def on_table_moved(self, event: Table.Moved) -> None:
        record = event.table.current
        if record is not None:
            text = safe_text(record["text"])
            if record["remedy"]:
                text = text + Content("\n") + safe_text(record["remedy"], "$quiet")
            self.query_one("#entry", Static).update(text)

    def action_close(self) -> None:
        self.dismiss(None)
