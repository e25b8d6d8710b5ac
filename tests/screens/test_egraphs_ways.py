"""The ways through the E-graphs screen, begun from any state: sorted, filtered, restored, at 80x24."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from screens.app import Workbench
from screens.egraphs.screen import EgraphsScreen
from screens.widgets.table import Table
from tests.screens.driving import place, press, ready, settle, write
from tests.screens.test_egraphs import NARROW, build, case, clusters, corpus, members

__all__ = ["build", "corpus"]

Build = Callable[..., Workbench]
SORTED = ("S",)
FILTERED = ("slash", "h", "e", "a", "d", "colon", "c", "o", "s", "h", "enter")
DEEP = ("enter", "s", "j", "enter", "tab", "tab")


async def why_a_member_shrinks(pilot: Pilot[Any], screen: EgraphsScreen) -> None:
    """Way 1, from the list of clusters."""
    keys = ("slash", "s", "h", "r", "enter", "enter", "tab")
    assert len(keys) <= 7
    await press(pilot, *keys)
    assert members(screen).current["verdict"] == "shrinks"
    await settle(pilot, lambda: "fails in" in case(screen))
    assert "▾ shrinks  equal on " in case(screen)
    first = screen.query_one("#points-table", Table).current
    assert (first["head_state"], first["member_state"]) == ("defined", "undefined")


async def to_clusters(pilot: Pilot[Any], screen: EgraphsScreen) -> None:
    screen.show_pane("left")
    await press(pilot, "escape", "g")


@pytest.mark.slow
@pytest.mark.parametrize("before", [(), SORTED, FILTERED, DEEP], ids=["fresh", "sorted", "filtered", "deep"])
async def test_way_1_from_any_state_and_after_a_restart(build: Build, before: tuple[str, ...]) -> None:
    app = build()
    async with app.run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        await press(pilot, *before)
        await to_clusters(pilot, screen)
        await why_a_member_shrinks(pilot, screen)
        await press(pilot, "q")
    again = build()
    async with again.run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        await to_clusters(pilot, screen)
        await why_a_member_shrinks(pilot, screen)


@pytest.mark.slow
@pytest.mark.parametrize("before", [SORTED, FILTERED, DEEP], ids=["sorted", "filtered", "deep"])
async def test_way_2_from_any_state(build: Build, before: tuple[str, ...]) -> None:
    app = build()
    async with app.run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        await press(pilot, *before)
        await press(pilot, "a")
        await write(pilot, "sin(x)^2 + cos(x)^2")
        await press(pilot, "enter")
        assert members(screen).shown == 5
        assert screen.active_pane is screen.middle
        await press(pilot, "x")
        await settle(pilot, lambda: not screen.why_not("keep"))
        await press(pilot, "K")
        await settle(pilot, lambda: "grown" in place(screen))
        assert clusters(screen).current["head"] == "+ pow sin x 2 pow cos x 2"


@pytest.mark.slow
@pytest.mark.parametrize("text", [r"\frac{d}{dx}\left(\ln x\right)", "d/dx ln(x)"])
async def test_derivatives_are_grown_as_they_are_written(build: Build, text: str) -> None:
    async with build().run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        assert screen._line is not None
        screen._line.field.value = text
        await press(pilot, "enter", "x")
        await settle(pilot, lambda: not screen.why_not("keep"))
        assert screen.now.drafts[0].head == "d x ln x"
