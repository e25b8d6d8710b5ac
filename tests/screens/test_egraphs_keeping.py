"""Nothing on the E-graphs screen is lost or replaced without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from screens.app import Workbench
from screens.widgets.dialogs import Confirm, Prompt
from tests.screens.driving import place, press, ready, settle, write
from tests.screens.test_egraphs import WIDE, build, corpus

__all__ = ["build", "corpus"]

Build = Callable[..., Workbench]


@pytest.mark.slow
async def test_leaving_with_a_grown_cluster_asks(build: Build) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert not screen.describe_unsaved()
        await press(pilot, "a")
        await write(pilot, "sin x")
        await press(pilot, "enter", "x")
        await settle(pilot, lambda: not screen.why_not("keep"))
        await press(pilot, "q")
        assert isinstance(app.screen, Confirm)
        shown = "".join(str(part.render()) for part in app.screen.query("Static"))
        assert "1 cluster grown here and not saved: sin(x)" in shown
        await press(pilot, "n")
        assert app.screen is screen
        await press(pilot, "K")
        await settle(pilot, lambda: "grown" in place(screen))
        assert not screen.describe_unsaved()
        await press(pilot, "q")
        assert not app.is_running or app._exit


async def test_leaving_all_the_same_leaves(build: Build) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "R", "q")
        assert isinstance(app.screen, Confirm)
        assert "63·cosh(2 − 7x)" in screen.describe_unsaved()
        await press(pilot, "y")
        assert app._exit


async def export_members(pilot: object, app: Workbench, *keys: str) -> Path:
    """Press `e`, choose CSV and stop at the file's name; then these keys. Returns: the name."""
    await press(pilot, "e", "c")  # type: ignore[arg-type]
    assert isinstance(app.screen, Prompt)
    name = Path(app.screen.query_one("Input").value)  # type: ignore[attr-defined]
    await press(pilot, *keys)  # type: ignore[arg-type]
    return name


@pytest.mark.slow
async def test_an_export_never_replaces_a_file_silently(build: Build) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "enter")
        first = await export_members(pilot, app, "enter")
        await settle(pilot, first.exists)
        first.write_text("mine")
        second = await export_members(pilot, app, "enter")
        await settle(pilot, second.exists)
        assert (first.name, second.name) == ("sample-e-0.csv", "sample-e-0-2.csv")
        assert first.read_text() == "mine"
        await export_members(pilot, app)
        app.screen.query_one("Input").value = str(first)  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert isinstance(app.screen, Confirm)
        await press(pilot, "n")
        assert first.read_text() == "mine"
        await export_members(pilot, app)
        app.screen.query_one("Input").value = str(first)  # type: ignore[attr-defined]
        await press(pilot, "enter", "y")
        await settle(pilot, lambda: first.read_text() != "mine")
        assert first.read_text() == second.read_text()
