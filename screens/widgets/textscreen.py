"""A text to look at over the screen: the environment of a job, a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from screens.text import safe_text
from screens.widgets.listing import ReaderBox

__all__ = ["TextScreen"]


class TextScreen(ModalScreen[None]):
    """Lines that can be scrolled and filtered."""

    DEFAULT_CSS = """
    TextScreen { align: center middle; background: $background 60%; }
    TextScreen > Vertical {
        width: 100; max-width: 96%; height: 80%;
        border: round $accent; background: $background; border-subtitle-color: $quiet;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,i", "close", "close", show=False)]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(self._title)
            box.border_subtitle = "/ filter   w wrap   esc close"
            yield ReaderBox(id="text")

    def on_mount(self) -> None:
        box = self.query_one(ReaderBox)
        box.reader.show(self._lines)
        box.reader.focus()

    def action_close(self) -> None:
        self.dismiss(None)
