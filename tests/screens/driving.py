"""Driving the screens by real keys: press, write, wait until all is done, and read what stands there."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.widgets import Input
from textual.worker import WorkerCancelled

__all__ = ["jobs_ready", "place", "press", "ready", "rest", "settle", "showing", "shown", "until", "write"]

PATIENCE_S = 120.0
"""A crowded machine may take so long; how long a quiet one takes is what `benchmarks` say."""

KEYS_LEFT = ContextVar("keys that are pressed before anybody looks", default=0)

Ready = Callable[[Pilot[Any]], Awaitable[Any]]

_UNENDING = ("look", "request egen.generate")
"""Groups of workers that go on while a test looks: the job watch, and growth that a test ends itself."""


_LOADED: dict[str, Callable[[Any], object]] = {
    "ArqmathScreen": lambda screen: _rows(screen, "answers"),
    # What can be asked of a model is greyed until the models have been found.
    "EgraphsScreen": lambda screen: _rows(screen, "members") and screen.now.models is not None,
    "MathamrScreen": lambda screen: screen.inspection is not None,
    "TripletsScreen": lambda screen: screen.shown is not None,
}


def _rows(screen: Any, name: str) -> int | None:
    tables = screen.query(f"#{name}-table")
    return tables.first().shown if tables else None


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Wait until something is so; what stands on the screen if it never is."""
    deadline, wait_s = time.monotonic() + PATIENCE_S, 0.01
    await pilot.pause(wait_s)
    while not condition():
        assert time.monotonic() < deadline, shown(pilot.app)
        # Looking costs time that what is waited for needs too.
        await pilot.pause(wait_s := min(1.3 * wait_s, 0.1))


async def settle(pilot: Pilot[Any], condition: Callable[[], object] = lambda: True) -> None:
    """Wait until something is so and threads have come to rest."""
    running = lambda: any(w.is_running and w.group not in _UNENDING for w in pilot.app.workers)  # noqa: E731
    await until(pilot, lambda: condition() and not running())
    await pilot.pause(0.01)


async def ready(pilot: Pilot[Any]) -> Any:
    """Wait until the screen in front has loaded what it shows. Returns: it."""
    screen = pilot.app.screen_stack[0]
    await settle(pilot, lambda: _LOADED[type(screen).__name__](screen))
    return screen


async def jobs_ready(pilot: Pilot[Any], at: int | None = None) -> Any:
    """Wait until the jobs are on the screen, and put the cursor on one. Returns: the app."""
    app = pilot.app

    def listed() -> bool:
        screen = app.screen_stack[0]
        # The detail of a job is read behind the list.
        read = all(detail.view is not None and not detail._reading for detail in screen.query("Detail"))
        known = app.watch_jobs.looked and tuple(screen.jobs.listing.jobs) == tuple(app.jobs)
        return known and (read or not app.jobs)

    await settle(pilot, listed)
    if at is not None:
        app.screen_stack[0].jobs.go_to(str(at))
        await rest(pilot)
    return app


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when what the one before has begun is done, and draw what they have changed."""
    for number, key in enumerate(keys, 1):
        KEYS_LEFT.set(len(keys) - number)
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


def place(screen: Any) -> tuple[str, ...]:
    """Where one is, as the frames of the first three panes say."""
    first, second, third = screen._panes[:3]
    return (*first.trail, *second.trail, second.title, third.title)


def shown(app: Any) -> str:
    """What stands on the screen, line by line."""
    # Lines of a dialog are kept as they are drawn first, so the screens below it have to be known by then.
    visible_screen_stack.set(app._background_screens)
    app.screen._compositor.full_map  # noqa: B018
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())
