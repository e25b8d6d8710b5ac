"""What stands in for a screen that cannot be shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.shell.keymap import APP_KEYS, bindings
from screens.shell.screen import WorkbenchScreen
from screens.widgets.listing import Notice
from screens.widgets.pane import Pane


class MissingScreen(WorkbenchScreen):
    """Says what is missing, and what can be done about it."""

    def __init__(self, mode: str, advice: str, error: Exception) -> None:
        super().__init__()
        self.MODE = mode  # type: ignore[misc]
        self._error = EngineError(f"this screen cannot be opened: {error}", remedy=advice, code="E704")

    def panes(self) -> Iterable[Pane]:
        self._notice = Notice()
        yield Pane(self._notice, title=self.title or "", id="missing")

    def begin(self) -> None:
        self._notice.show_error(self._error)


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
