"""The card for a terminal that is too small; only `?` and `q` are live under it."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from screens.shell.keymap import APP_KEYS, bindings

__all__ = ["TooSmall"]


class TooSmall(ModalScreen[None]):
    """Says how much room is needed and how much there is."""

    DEFAULT_CSS = """
    TooSmall { align: center middle; background: $background; }
    TooSmall Static { width: auto; text-align: center; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        [key for key in APP_KEYS if key.verb in ("help", "quit")]
    )

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self._least = (width, height)

    def compose(self) -> ComposeResult:
        yield Static()

    def on_resize(self, event: events.Resize) -> None:
        wide, high = self._least
        self.query_one(Static).update(
            Content.assemble(
                ("please enlarge", "$accent bold"),
                f"\n{event.size.width} x {event.size.height}, needed {wide} x {high}\n",
                ("? help   q quit", "$quiet"),
            )
        )

    async def action_help(self) -> None:
        await self.app.run_action("help")

    async def action_quit(self) -> None:
        await self.app.action_quit()
