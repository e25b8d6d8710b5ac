"""Jump letters: one on everything that takes the focus; typing it goes there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from screens.widgets.dialogs import Dialog
from screens.widgets.pane import Pane

__all__ = ["LETTERS", "JumpScreen", "Target", "targets"]

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class Target:
    """Somewhere to go, and where its letter stands."""

    place: Offset
    go: Callable[[], Awaitable[object]]


def targets(screen: Screen[object]) -> list[Target]:
    """Everything visible that takes the focus, then the tabs that are not shown.

    A letter stands in the blank cell to the left of what it labels: the gutter of a list or text, the space
    before a tab.
    """
    found = [
        Target(widget.region.offset, partial(_focus, widget))
        for widget in screen.focus_chain
        if widget.region and not widget.has_class("-not-by-tab")
    ]
    for pane in screen.query(Pane):
        if pane.display:
            found += [
                Target(place - Offset(1, 0), partial(_show, pane, page.id or ""))
                for page, place in pane.tab_places()
                if page is not pane.page
            ]
    return found


async def _focus(widget: Widget) -> None:
    widget.focus()


async def _show(pane: Pane, page: str) -> None:
    await pane.show_page(page)
    pane.focus_inside()


class JumpScreen(Dialog[int]):
    """Letters over these places; returns the number of the chosen one."""

    DEFAULT_CSS = """
    JumpScreen { align: left top; background: $background 40%; }
    JumpScreen Static {
        width: 1; height: 1; position: absolute; background: $accent; color: $background; text-style: bold;
    }
    """

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
