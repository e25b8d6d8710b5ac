"""At 80x24 nothing that matters is cut off, and no key is silent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from screens.app import Workbench
from screens.shell.bars import KeyBar
from screens.widgets.dialogs import Chooser
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane
from screens.widgets.reader import TextReader
from screens.widgets.scatter import Scatter
from screens.widgets.table import Table
from tests.screens.driving import jobs_ready, shown
from tests.screens.test_shell import NARROW
from workbench.tables import Column

Make = Callable[..., Workbench]


async def sentence(pilot: Pilot[Any]) -> str:
    """What a chooser says of the line under its cursor, as it stands on the terminal."""
    await pilot.pause()
    app = pilot.app
    assert isinstance(app, Workbench)
    place = app.screen.query_one(".whole", Static).region
    lines = [line[place.x : place.right] for line in shown(app).splitlines()[place.y : place.bottom]]
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("size", [NARROW, (60, 16)])
@pytest.mark.parametrize("key", ["question_mark", "colon"])
async def test_the_sentence_of_a_choice_is_read_to_its_end(
    make: Make, key: str, size: tuple[int, int]
) -> None:
    app = make()
    async with app.run_test(size=size) as pilot:
        await jobs_ready(pilot)
        await pilot.press(key)
        assert isinstance(app.screen, Chooser)
        table = app.screen.query_one(Table)
        for _ in range(6):
            record = table.current
            assert record is not None
            assert (record["reason"] or record["detail"]) in await sentence(pilot)
            await pilot.press("down")
        below = shown(app).splitlines()[app.screen.query_one(".whole", Static).region.bottom]
        assert below.strip("│ ").startswith("╰")


async def test_steps_from_match_to_match_say_that_there_is_no_filter(make: Make) -> None:
    app = make()
    async with app.run_test(size=NARROW) as pilot:
        await jobs_ready(pilot)
        said = app.screen.query_one(KeyBar)
        for key in ("n", "N"):
            await pilot.press(key)
            assert "no filter" in said.said
        await pilot.press("slash", "a", "enter", "n")
        assert not said.said


def test_a_dot_that_is_alone_has_no_next() -> None:
    scatter = Scatter(id="map")
    assert scatter.why_not("next_match")
    assert not scatter.why_not("down")


async def test_keys_that_lead_nowhere_say_so(make: Make) -> None:
    app = make(jobs=[])
    async with app.run_test(size=NARROW) as pilot:
        await jobs_ready(pilot)
        said = app.screen.query_one(KeyBar)
        for key in ("enter", "space", "v", "s", "S"):
            await pilot.press(key)
            assert said.said, key


def test_a_text_that_never_grows_is_not_followed() -> None:
    assert TextReader(id="text").why_not("follow")
    assert not TextReader(id="log", follow=True).why_not("follow")


async def test_the_first_and_the_last_have_none_beyond(make: Make) -> None:
    app = make()
    async with app.run_test(size=NARROW) as pilot:
        await jobs_ready(pilot)
        pane = ListPane(Listing([Column("id", "id")], id="few"), title="few", id="few-pane")
        await app.screen.mount(pane)
        assert pane.why_no_step("later") == "there is nothing to open"
        pane.listing.load([{"id": "a"}, {"id": "b"}])
        assert (pane.why_no_step("earlier"), pane.why_no_step("later")) == ("this is the first", "")
        pane.step_cursor(1)
        assert (pane.why_no_step("earlier"), pane.why_no_step("later")) == ("", "this is the last")
