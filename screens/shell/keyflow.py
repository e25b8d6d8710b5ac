"""Key queue: keys go into the app one after another, so that whoever types fast loses none."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

__all__ = ["KeyFlow", "Typed"]

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
        """A key came from the terminal."""
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
