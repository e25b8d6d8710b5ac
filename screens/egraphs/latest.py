"""Questions to the engine of which only the newest matters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from textual.widget import Widget

__all__ = ["Latest"]

T = TypeVar("T")


class Latest(Generic[T]):
    """Answers one question at a time, and then the newest; those in between are never asked.

    A question that has begun is let finish: ending one would cost the warm process.
    """

    def __init__(self, owner: Widget, answer: Callable[[T], Awaitable[None]]) -> None:
        self._owner = owner
        self._answer = answer
        self._waiting: list[T] = []
        self._busy = False

    def ask(self, question: T) -> None:
        """Answer this as soon as the present one is done, unless a newer one comes."""
        self._waiting = [question]
        if not self._busy:
            self._busy = True
            self._owner.run_worker(self._work(), group="latest", exit_on_error=False)

    def forget(self) -> None:
        """What waits is not wanted any more."""
        self._waiting = []

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._answer(self._waiting.pop())
        finally:
            self._busy = False
