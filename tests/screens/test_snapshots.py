"""What the screens look like; `pytest tests/screens --snapshot-update` after a look at the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from screens.app import Workbench
from tests.screens.driving import jobs_ready

Make = Callable[..., Workbench]
Compare = Callable[..., bool]


async def _rest(pilot: Pilot[Any]) -> None:
    """The cursor comes first, then what it points at, then what a thread has read of it."""
    for _ in range(4):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.05)


def pressing(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Wait for the jobs, press, and come to rest with a cursor that does not blink."""

    async def run(pilot: Pilot[Any]) -> None:
        app = pilot.app
        await jobs_ready(pilot)
        # One more look at the log is due within this time.
        await pilot.pause(0.3)
        await _rest(pilot)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await _rest(pilot)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await pilot.pause(0.05)

    return run


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_jobs(size: tuple[int, int], make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(), terminal_size=size, run_before=pressing())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_help(size: tuple[int, int], make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(), terminal_size=size, run_before=pressing("question_mark"))


def test_failed_job(make: Make, snap_compare: Compare) -> None:
    assert snap_compare(
        make(), terminal_size=(120, 40), run_before=pressing("j", "j", "right_square_bracket")
    )


def test_no_jobs(make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(jobs=[]), terminal_size=(80, 24), run_before=pressing())


def test_one_pane(make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(), terminal_size=(64, 20), run_before=pressing("tab"))


def test_too_small(make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(), terminal_size=(50, 15), run_before=pressing())


def test_light(make: Make, snap_compare: Compare) -> None:
    app = make()
    app.theme = "mathwb-light"
    assert snap_compare(app, terminal_size=(120, 40), run_before=pressing("colon"))


@pytest.mark.slow
def test_contrast(make: Make, snap_compare: Compare) -> None:
    app = make()
    app.theme = "mathwb-contrast"
    assert snap_compare(app, terminal_size=(80, 24), run_before=pressing("space", "slash", *"state:running"))


def test_ascii(make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(ascii=True), terminal_size=(80, 24), run_before=pressing())


def test_no_color(make: Make, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(make(), terminal_size=(80, 24), run_before=pressing("j"))
