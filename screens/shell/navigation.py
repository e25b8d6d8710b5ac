"""Navigation: to things on any screen, step by step, as soon as they are there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from screens.shell.frame import Frame

if TYPE_CHECKING:
    from screens.shell.screen import WorkbenchScreen
    from screens.shell.selection import Step

__all__ = ["Navigation"]

_PATIENCE_S = 10.0
"""So long a thing that is gone to may take until it is there."""
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
        """Go to what a note is about."""
        from screens.shell.things import at_address

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
