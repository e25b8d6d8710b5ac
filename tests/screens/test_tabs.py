"""Tabs that have no room: the shown one is in sight, and it is said that there are others."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane, TabStrip
from screens.widgets.table import Column

LABELS = ["sample-e", "grown", "templates", "not kept"]


class Strip(App[None]):
    def compose(self) -> ComposeResult:
        yield TabStrip()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict.fromkeys(("quiet", "accent", "line", "cursor", "cursor-blurred"), "#888888")


@pytest.mark.parametrize("cells", [60, 30, 16])
async def test_the_shown_tab_is_in_sight(cells: int) -> None:
    app = Strip()
    async with app.run_test(size=(cells, 4)) as pilot:
        strip = app.query_one(TabStrip)
        for active, label in enumerate(LABELS):
            strip.show_tabs(LABELS, active)
            await pilot.pause()
            line = strip.render_line(0).text
            assert f"[{label}]" in line
            for index, x in strip.in_sight:
                assert line[x:].startswith(f"[{LABELS[index]}]")
            hidden = len(strip.in_sight) < len(LABELS)
            assert ("…" in line) == hidden == (cells < 60)


async def test_tabs_come_back_with_the_room() -> None:
    app = Strip()
    async with app.run_test(size=(20, 4)) as pilot:
        strip = app.query_one(TabStrip)
        strip.show_tabs(LABELS, 3)
        await pilot.pause()
        assert "sample-e" not in strip.render_line(0).text
        await pilot.resize_terminal(60, 4)
        await pilot.pause()
        assert "sample-e" in strip.render_line(0).text


async def test_sources_are_no_pages_to_jump_to() -> None:
    class Sources(Strip):
        def compose(self) -> ComposeResult:
            yield ListPane(Listing([Column("id", "id")], id="few"), title="clusters", id="left")

    app = Sources()
    async with app.run_test(size=(40, 8)) as pilot:
        pane = app.query_one(ListPane)
        pane.show_sources(LABELS, "grown")
        await pilot.pause()
        assert pane.query_one(TabStrip).in_sight
        assert pane.tab_places() == []


async def test_names_from_data_are_escaped() -> None:
    app = Strip()
    async with app.run_test(size=(60, 4)) as pilot:
        app.query_one(TabStrip).show_tabs(["a\x1b[31mb", "c"], 0)
        await pilot.pause()
        assert "[a\\x1b[31mb] [c]" in app.query_one(TabStrip).render_line(0).text
