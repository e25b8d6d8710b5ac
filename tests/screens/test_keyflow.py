"""Keys that arrive together, as from a fast typist or a pasting multiplexer: none is lost or misfires."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual import events

from screens.app import Workbench
from screens.jobs.form import FormRow, NewJob
from screens.widgets.dialogs import Prompt
from screens.widgets.listing import Listing
from screens.widgets.table import Table
from tests.screens.driving import jobs_ready, until

Make = Callable[..., Workbench]
WIDE = (120, 40)
NAMED = {"\n": "enter", "\x1b": "escape", " ": "space", "/": "slash", ":": "colon", "!": "exclamation_mark"}


def burst(app: Workbench, text: str) -> None:
    """All at once, as the terminal hands them over."""
    for character in text:
        app.post_message(events.Key(NAMED.get(character, character), character))


def jobs(app: Workbench) -> Table:
    return app.screen_stack[0].query_one("#jobs-table", Table)


@pytest.mark.slow
async def test_what_follows_a_key_that_opens_an_input_is_written_there(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        burst(app, "/!succeeded\njj")
        await until(pilot, lambda: jobs(app).current_key == "38")
        assert app.screen.query_one("#jobs", Listing).query_text == "!succeeded"
        burst(app, "\x1bMslow one\n")
        await until(pilot, lambda: bool(app.workspace.notes.known))
        assert app.workspace.notes.get("job/38").note == "slow one"  # type: ignore[union-attr]
        assert jobs(app).shown == 4
        burst(app, ":job 40\nk")
        await until(pilot, lambda: jobs(app).current_key == "41")
        burst(app, "a\x1bet")
        await until(pilot, lambda: isinstance(app.screen, Prompt))
        burst(app, "\x1ba\t\x08")
        await until(pilot, lambda: isinstance(app.screen, NewJob) and bool(app.screen.query(FormRow)))


async def test_a_paste_after_the_key_goes_to_the_input(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        burst(app, "/")
        app.post_message(events.Paste("state:lost"))
        burst(app, "\n")
        await until(pilot, lambda: jobs(app).has_focus and jobs(app).shown == 1)
        assert jobs(app).current_key == "38"


async def test_keys_before_the_panes_are_there_wait_for_them(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = pilot.app
        burst(app, "a")  # type: ignore[arg-type]
        await until(pilot, lambda: isinstance(app.screen, NewJob))
        await until(pilot, lambda: app.focused is not None and app.focused.id == "recipes")


@pytest.mark.slow
async def test_a_key_that_is_lost_on_its_way_holds_up_the_next_ones_for_a_moment_only(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screens.shell.terminal._PATIENCE_S", 0.05)
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        monkeypatch.setattr(app._keys, "_arrive_behind", lambda *_: None)
        burst(app, "j")
        await pilot.pause(0.1)
        burst(app, "j")
        await until(pilot, lambda: jobs(app).cursor == 2)


@pytest.mark.slow
@pytest.mark.parametrize("wait_s", [0.0, 0.01, 0.02, 0.04, 0.08])
async def test_the_app_may_be_left_while_it_is_put_up(make: Make, wait_s: float) -> None:
    app = make(screen="egraphs")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause(wait_s)
        app.exit_now()
    assert app._exception is None
