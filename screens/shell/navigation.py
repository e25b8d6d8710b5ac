"""Ways to anything on any screen: jump letters, names and addresses."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from screens.registry import at_address
from screens.shell.export import PaletteStep
from screens.shell.frame import AppFrame
from screens.shell.screen import WorkbenchScreen
from screens.widgets.dialogs import Dialog
from screens.widgets.pane import Pane

# The home row first, since most screens have few targets.
LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class Target:
    """A place that the jump labels lead to."""

    place: Offset
    go: Callable[[], Awaitable[object]]


def list_targets(screen: Screen[object]) -> list[Target]:
    """Return everything visible that takes the focus, then the tabs that are not shown.

    A label stands in the blank cell to the left of its target: the gutter of a list or text, or the
    space before a tab.
    """
    # Widgets that the tab key reaches, in its order.
    targets = [
        Target(widget.region.offset, partial(_focus_widget, widget))
        for widget in screen.focus_chain
        if widget.region and not widget.has_class("-not-by-tab")
    ]
    for pane in screen.query(Pane):
        if pane.display:
            targets += [
                # One cell to the left: the blank before the tab.
                Target(tab_offset - Offset(1, 0), partial(_show_tab, pane, page.id or ""))
                for page, tab_offset in pane.tab_places()
                if page is not pane.page
            ]
    return targets


async def _focus_widget(widget: Widget) -> None:
    widget.focus()


async def _show_tab(pane: Pane, page: str) -> None:
    await pane.show_page(page)
    pane.focus_inside()


class JumpScreen(Dialog[int]):
    """Label every target with a letter; the dialog returns the index of the target whose letter is typed."""

    DEFAULT_CSS = """
    JumpScreen { align: left top; background: $background 40%; }
    JumpScreen Static {
        width: 1; height: 1; position: absolute; background: $accent; color: $background; text-style: bold;
    }
    """

    def __init__(self, offsets: Sequence[Offset]) -> None:
        super().__init__()
        self._offsets = offsets[: len(LETTERS)]

    def compose(self) -> ComposeResult:
        for letter, position in zip(LETTERS, self._offsets, strict=False):
            label = Static(letter)
            label.styles.offset = (position.x, position.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in LETTERS[: len(self._offsets)]:
            event.stop()
            self.dismiss(LETTERS.index(event.character))


_PATIENCE_S = 10.0
"""So long a destination may take until it is there."""
_STEP_S = 0.1


class Navigation:
    """Go to screens and to what they show; `place` returns the screen below all dialogs, once it is built."""

    def __init__(self, app: AppFrame, place: Callable[[], WorkbenchScreen | None]) -> None:
        self._app = app
        self._place = place

    def _shown_screen(self, mode: str) -> WorkbenchScreen | None:
        """Return the screen of this mode, if it is the one that is shown."""
        screen = self._place()
        return screen if screen is not None and mode == screen.MODE else None

    def go_to_address(self, address: str) -> None:
        """Go to what has this address, or warn that no screen shows it."""
        result = at_address(address)
        if result is None:
            self._app.warn(f"no screen shows {address}")
        else:
            self.go_along(*result)

    def go_along(self, mode: str, steps: Sequence[PaletteStep]) -> None:
        """Go to a screen and follow the lookups there, each as soon as its target exists."""
        # A screen that has still to load, or a lookup after another one, may need time.
        patient = self._shown_screen(mode) is None or len(steps) > 1
        elsewhere = mode != self._app.current_mode
        self._app.switch_mode(mode)
        until = time.monotonic() + (_PATIENCE_S if patient else 0.0)
        # Another screen comes to the front only with the next messages; what opens a dialog waits for it.
        if elsewhere:
            self._app.set_timer(_STEP_S, lambda: self._follow_steps(mode, list(steps), until))
        else:
            self._follow_steps(mode, list(steps), until)

    def _follow_steps(self, mode: str, steps: list[PaletteStep], until: float) -> None:
        if self._app.current_mode != mode or not steps:
            return
        word, wanted = steps[0]
        here = self._shown_screen(mode)
        lookups = here.lookups() if here is not None else ()
        lookup = next((lookup for lookup in lookups if lookup.word == word), None)
        # A lookup fails while its source is still being read, so it is tried again until the time is over.
        if lookup is not None and lookup.go(wanted):
            steps.pop(0)
            until = time.monotonic() + _PATIENCE_S
        elif time.monotonic() >= until:
            self._app.warn(f"there is no {word} {wanted}")
            return
        if steps:
            self._app.set_timer(_STEP_S, lambda: self._follow_steps(mode, steps, until))

    def go_and_do(self, mode: str, verb: str) -> None:
        """Go to a screen and perform an action there as soon as the screen is built."""
        self._app.switch_mode(mode)
        self._app.set_timer(_STEP_S, lambda: self._do_when_built(mode, verb))

    async def _do_when_built(self, mode: str, verb: str) -> None:
        if self._app.current_mode != mode:
            return
        if (here := self._shown_screen(mode)) is None:
            self._app.set_timer(_STEP_S, lambda: self._do_when_built(mode, verb))
        elif reason := here.why_not(verb):
            here.show_refusal(verb, reason)
        else:
            await self._app.run_action(verb, here)
