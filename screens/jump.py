"""Jump letters: one on everything that takes the focus; typing it goes there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from screens.widgets.pane import Pane

__all__ = ["LETTERS", "JumpScreen", "Target", "targets"]

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class Target:
    """Somewhere to go, and where its letter stands."""

    place: Offset
    go: Callable[[], Awaitable[object]]


def targets(screen: Screen[object]) -> list[Target]:
    """Everything visible that takes the focus, then the tabs that are not shown."""
    found = [
        Target(Offset(widget.region.x + 1, widget.region.y), partial(_focus, widget))
        for widget in screen.focus_chain
        if widget.region and not widget.has_class("-not-by-tab")
    ]
    for pane in screen.query(Pane):
        if pane.display:
            found += [
                Target(place, partial(_show, pane, page.id or ""))
                for page, place in pane.tab_places()
                if page is not pane.page
            ]
    return found


async def _focus(widget: Widget) -> None:
    widget.focus()


async def _show(pane: Pane, page: str) -> None:
    await pane.show_page(page)
    pane.focus_inside()


class JumpScreen(ModalScreen[int | None]):
    """Letters over these places; returns the number of the chosen one."""

    DEFAULT_CSS = """
    JumpScreen { background: $background 40%; }
    JumpScreen Static {
        width: 3; height: 1; position: absolute; background: $accent; color: $background;
        text-style: bold; text-align: center;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "close", show=False)]

    def __init__(self, places: Sequence[Offset]) -> None:
        super().__init__()
        self._places = places[: len(LETTERS)]

    def compose(self) -> ComposeResult:
        for letter, place in zip(LETTERS, self._places, strict=False):
            label = Static(letter)
            label.styles.offset = (place.x, place.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in LETTERS[: len(self._places)]:
            event.stop()
            self.dismiss(LETTERS.index(event.character))

    def action_close(self) -> None:
        self.dismiss(None)
