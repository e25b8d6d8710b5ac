"""The terminal: its end, its pace, its keys in their order."""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from threading import Thread
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

# The end of a program whose terminal is gone.
#
# The kernel tells only the session that the terminal belongs to (SIGHUP). Started in another way, by
# `nohup` or
# by a program that lends it a terminal, the workbench would read an end without end, and wait for ever to
# write.


def end_with_terminal() -> None:
    """From now on the process ends with the terminal of its input, as by SIGHUP: the session was kept a few
    seconds ago, and jobs go on."""
    if sys.stdin is not None and sys.stdin.isatty():
        Thread(target=_wait, args=(sys.stdin.fileno(),), daemon=True).start()


def _wait(terminal: int) -> None:
    poll = select.poll()
    poll.register(terminal, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        os._exit(128 + signal.SIGHUP)


_THRESHOLDS = (5_000, 5, 400)
"""The usual ones look through everything every few keys, for a tenth of a second; these nearly never do."""
_QUIET_S = 1.5
_LONG_QUIET_S = 30.0


class Garbage:
    """Collects garbage while nobody types: what is new soon after the last key, all there is after a while.

    What was there before is set aside (frozen) in between, so that a look at what is new is short.
    """

    def __init__(self) -> None:
        gc.set_threshold(*_THRESHOLDS)
        self._typed = self._swept = time.monotonic()
        self._whole = False

    def typed(self) -> None:
        self._typed = time.monotonic()

    def tick(self) -> None:
        now = time.monotonic()
        if now - self._typed < _QUIET_S:
            return
        if self._swept <= self._typed:
            self._sweep(now, whole=False)
        elif now - max(self._typed, self._swept) >= _LONG_QUIET_S and not self._whole:
            self._sweep(now, whole=True)
        elif now - self._swept >= _LONG_QUIET_S:
            self._sweep(now, whole=False)

    def _sweep(self, now: float, *, whole: bool) -> None:
        if whole:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._swept, self._whole = now, whole


def set_frame_rate(fps: int) -> None:
    import textual.screen
    from textual import constants

    constants.MAX_FPS = fps  # type: ignore[misc]
    textual.screen.UPDATE_PERIOD = 1 / fps  # type: ignore[misc]


Typed = events.Key | events.Paste

_PATIENCE_S = 1.0
"""A key that has not come to its end by then is not waited for when another one arrives."""
_AGAIN_S = 0.02
_ROUNDS = 3
"""How often the way from the widget to the app is gone behind a key: once for the key, then for what it made
the widgets say to each other (enter in a filter: submitted, left, focus the table)."""


class KeyFlow:
    """Lets one key at a time into the app.

    Textual hands keys that arrive together to what has the focus then. If the first of them opens an input,
    the others have already gone to the table behind it. Here a key waits until the one before it was taken
    by a widget or has done what it is bound to, and one that finds the focus moved goes where it is now.

    Args: send: puts a key into the app. ready: whether there is something that could take keys; until then
    they wait.
    """

    def __init__(
        self, app: App[Any], send: Callable[[Typed], Awaitable[None]], ready: Callable[[], bool]
    ) -> None:
        self._app = app
        self._send = send
        self._ready = ready
        self._waiting: deque[Typed] = deque()
        self.busy = False
        """Whether some key has not come to its end."""
        self._present: Typed | None = None
        self._target: MessagePump | None = None
        self._since = 0.0

    async def put(self, event: Typed) -> None:
        self._waiting.append(event)
        late = self._present is not None and time.monotonic() - self._since > _PATIENCE_S
        if not self.busy or late:
            await self._next()

    def came_back(self, event: Typed) -> bool:
        """A key that no widget took has arrived at the app. Returns: whether it was for the app; if not, the
        focus has moved meanwhile, and the key goes there."""
        if event is not self._present or self._target is self._place():
            return True
        again = (
            events.Key(event.key, event.character)
            if isinstance(event, events.Key)
            else events.Paste(event.text)
        )
        self._waiting.appendleft(again)
        return False

    def _place(self) -> MessagePump:
        return self._app.focused or self._app.screen

    async def _next(self) -> None:
        self._present = None
        self.busy = bool(self._waiting)
        if not self._waiting:
            return
        if not self._ready():
            self._app.set_timer(_AGAIN_S, self._next)
            return
        self._present = event = self._waiting.popleft()
        self._target = target = self._place()
        self._since = time.monotonic()
        await self._send(event)
        self._follow(event, target, _ROUNDS)

    def _follow(self, event: Typed, node: MessagePump, rounds: int) -> None:
        """Be where the key is, right behind it: what stands in a widget's queue is done in turn."""
        if not node.call_later(self._behind, event, node, rounds):
            self._app.call_later(self._next)

    def _behind(self, event: Typed, node: MessagePump, rounds: int) -> None:
        if event is not self._present:
            return
        parent = node._parent
        if node is not self._app and parent is not None:
            self._follow(event, parent, rounds)
        elif rounds > 1 and self._target is not None:
            self._follow(event, self._target, rounds - 1)
        else:
            self._app.call_later(self._next)
