"""What stands about a list while a filter is in force, and how earlier filters come back."""

from __future__ import annotations

import pytest

from screens.widgets.listing import FilterLine
from tests.screens.driving import shown
from tests.screens.test_table import ROWS, One, keys


@pytest.mark.slow
async def test_the_arrows_lead_to_other_filters_than_the_one_in_force() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        app.listing.table.focus()
        for text in ("size>90", "size>50", "size>10"):
            await keys(pilot, "slash", *["backspace"] * 9, *text, "enter")
        line = app.listing.query_one(FilterLine)
        await keys(pilot, "slash")
        seen = []
        for key in ("up", "up", "up", "down", "down", "down"):
            await keys(pilot, key)
            seen.append(line.text)
        assert seen == ["size>50", "size>90", "size>90", "size>50", "size>10", "size>10"]
        await keys(pilot, "up", "enter")
        assert {record["size"] for record in app.listing.table.visible_records()} == set(range(51, 101))


async def test_what_passes_no_filter_is_said_under_the_header() -> None:
    app = One()
    async with app.run_test(size=(60, 24)) as pilot:
        app.listing.load(ROWS)
        table = app.listing.table
        table.focus()
        await keys(pilot, "G", "slash", *"size>900", "enter")
        lines = shown(app).splitlines()
        assert lines[0].split() == ["id", "head", "size"]
        assert "No line matches the filter" in lines[2]
        assert table.has_focus
        app.listing.clear_filter()
        await keys(pilot, "G")
        assert table.current_key == "199"
        assert "199" in shown(app).splitlines()[app.listing.region.height - 1]
        # Other rows are on their way: no header of those before.
        app.listing.show_loading("reading")
        await pilot.pause()
        assert "reading" in "".join(shown(app).splitlines()[:2])
        assert table.has_focus
