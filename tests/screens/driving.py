"""Driving the screens by real keys: press, write, wait until all is done, and read what stands there."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input
from textual.worker import WorkerCancelled

__all__ = ["press", "rest", "settle", "showing", "shown", "write"]

Ready = Callable[[Pilot[Any]], Awaitable[Any]]

_UNENDING = ("look", "request egen.generate")
"""Groups of workers that go on while a test looks: the job watch, and growth that a test ends itself."""


async def settle(pilot: Pilot[Any], until: Callable[[], bool] = lambda: True) -> None:
    """Let threads and messages come to rest, at most a few seconds."""
    for _ in range(400):
        await pilot.pause(0.01)
        if until() and not any(w.is_running and w.group not in _UNENDING for w in pilot.app.workers):
            break
    await pilot.pause(0.01)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when what the one before has begun is done."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def write(pilot: Pilot[Any], text: str) -> None:
    """Write text where the focus is."""
    await pilot.press(*text)
    await settle(pilot)


async def rest(pilot: Pilot[Any]) -> None:
    """Let workers and the messages they make come to rest."""
    for _ in range(2):
        await pilot.pause()
        # One that gave way to its successor is no failure.
        with contextlib.suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete()
    await pilot.pause(0.01)


def showing(ready: Ready, *keys: str) -> Callable[[Pilot[Any]], Any]:
    """For a picture: these keys when the screen is ready, and cursors that stand still."""

    async def run(pilot: Pilot[Any]) -> None:
        await ready(pilot)
        await press(pilot, *keys)
        for field in pilot.app.screen.query(Input):
            field.cursor_blink = False
        await settle(pilot)

    return run


def shown(app: Any) -> str:
    """What stands on the screen, line by line."""
    app.screen._compositor.full_map  # noqa: B018
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())
