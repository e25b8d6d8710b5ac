"""Ways to anything on any screen: jump letters, names, addresses."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from screens.registry import SCREENS, at_address
from screens.shell.export import Destination, Step
from screens.shell.frame import Frame
from screens.widgets.dialogs import Dialog
from screens.widgets.pane import Pane
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from screens.shell.export import Step
    from screens.shell.screen import WorkbenchScreen


LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class Target:
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


Reach = tuple[str, Destination]
"""A destination, and the name of the screen that shows it."""

"""Words of addresses that the palette calls otherwise."""
_MOST = 100


def gather(workspace: Workspace) -> list[Reach]:
    """Everything that the screens name; call it in a thread. What cannot be read is left out: its screen says
    why."""
    found: list[Reach] = []
    for entry in SCREENS:
        if (make := entry.load_destinations()) is None:
            continue
        try:
            for place in make(workspace):
                found.append((entry.name, place))  # those before a failure stay
        except Exception:  # noqa: BLE001  # see above
            continue
    return found


def matching(destinations: Iterable[Reach], text: str) -> list[Reach]:
    """The destinations whose name or sentence has all words of the text, at most 100: first those whose name
    has them as words of its own, then as parts of words, then those whose sentence has them."""
    words = text.casefold().split()
    own, named, described = [], [], []
    for reach in destinations:
        label = reach[1].label.casefold()
        if all(word in label.split() for word in words):
            own.append(reach)
        elif all(word in label for word in words):
            named.append(reach)
        elif all(word in f"{label} {reach[1].sentence}".casefold() for word in words):
            described.append(reach)
    return [*own, *named, *described][:_MOST]


_PATIENCE_S = 10.0
"""So long a destination may take until it is there."""
_STEP_S = 0.1


class Navigation:
    """Goes to screens and to what they show.

    Args: place: the screen under all dialogs, once it is there.
    """

    def __init__(self, app: Frame, place: Callable[[], WorkbenchScreen | None]) -> None:
        self._app = app
        self._place = place

    def _here(self, mode: str) -> WorkbenchScreen | None:
        """The screen of this mode, if it is the one that is shown."""
        place = self._place()
        return place if place is not None and mode == place.MODE else None

    def go_to_address(self, address: str) -> None:
        found = at_address(address)
        if found is None:
            self._app.warn(f"no screen shows {address}")
        else:
            self.go_along(*found)

    def go_along(self, mode: str, steps: Sequence[Step]) -> None:
        """Go to a screen and look up one thing after the other, as soon as they are there."""
        patient = self._here(mode) is None or len(steps) > 1
        elsewhere = mode != self._app.current_mode
        self._app.switch_mode(mode)
        until = time.monotonic() + (_PATIENCE_S if patient else 0.0)
        # Another screen comes to the front only with the next messages; what opens a dialog waits for it.
        if elsewhere:
            self._app.set_timer(_STEP_S, lambda: self._follow(mode, list(steps), until))
        else:
            self._follow(mode, list(steps), until)

    def _follow(self, mode: str, steps: list[Step], until: float) -> None:
        if self._app.current_mode != mode or not steps:
            return
        word, wanted = steps[0]
        here = self._here(mode)
        lookups = here.lookups() if here is not None else ()
        lookup = next((lookup for lookup in lookups if lookup.word == word), None)
        if lookup is not None and lookup.go(wanted):
            steps.pop(0)
            until = time.monotonic() + _PATIENCE_S
        elif time.monotonic() >= until:
            self._app.warn(f"there is no {word} {wanted}")
            return
        if steps:
            self._app.set_timer(_STEP_S, lambda: self._follow(mode, steps, until))

    def go_and_do(self, mode: str, verb: str) -> None:
        """Go to a screen and do this there, as soon as it is built."""
        self._app.switch_mode(mode)
        self._app.set_timer(_STEP_S, lambda: self._do_when_built(mode, verb))

    async def _do_when_built(self, mode: str, verb: str) -> None:
        if self._app.current_mode != mode:
            return
        if (here := self._here(mode)) is None:
            self._app.set_timer(_STEP_S, lambda: self._do_when_built(mode, verb))
        elif reason := here.why_not(verb):
            here.refuse(verb, reason)
        else:
            await self._app.run_action(verb, here)
