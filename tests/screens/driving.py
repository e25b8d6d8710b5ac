"""Driving the screens by real keys: press, write, wait until all is done, and read what stands there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

__all__ = ["press", "settle", "shown", "write"]

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


def shown(app: Any) -> str:
    """What stands on the screen, line by line."""
    app.screen._compositor.full_map  # noqa: B018
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())
