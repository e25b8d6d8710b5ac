"""What foot, titles and notices say at 80 columns is whole, and true of the keys as they are just then."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets._toast import Toast

import screens.app
from screens.app import Workbench
from screens.shell.bars import KeyBar
from screens.shell.cards import NoteList
from screens.shell.palette import gather_destinations, match_destinations
from screens.shell.theme import text_width
from screens.widgets.dialogs import Chooser, Prompt
from screens.widgets.pane import Pane
from screens.widgets.plot import PlotWidget, Series
from screens.widgets.reader import TextReader
from screens.widgets.table import Table
from tests.screens.driving import jobs_ready, settle, shown, until
from tests.screens.test_shell import NARROW
from workbench.workspace import Workspace, ensure_sample

Make = Callable[..., Workbench]


def foot(app: Any) -> str:
    return str(shown(app).splitlines()[-1])


def test_the_keys_of_a_dialog_are_whole_at_80_columns() -> None:
    """Its frame leaves 70."""
    sources = "".join(path.read_text("utf-8") for path in Path(screens.app.__file__).parent.rglob("*.py"))
    found = re.findall(r'"([^"\n]* {3}esc close)"', sources)
    assert len(found) > 8
    assert not [keys for keys in found if text_width(keys) > 70]


async def test_the_hint_of_a_line_to_write_is_whole(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        Prompt("inspect", hint=f"{'words and formulas ' * 4}enter shows it, esc cancels").ask(app, print)
        await settle(pilot)
        assert "enter shows it, esc cancels" in " ".join(shown(app).split())


async def test_a_plot_says_between_which_values_it_is_drawn() -> None:
    """As finely as it is drawn: a sine between 0.9994 and -1 goes from -1 to 1."""

    class Drawn(App[None]):
        def compose(self) -> ComposeResult:
            yield PlotWidget()

    app = Drawn()
    async with app.run_test(size=(60, 12)) as pilot:
        for ys, labels in (
            ((0.9994, -0.99991), ("1│", "-1│")),
            ((1.0, 0.0003028), ("1│", "0│")),
            ((4.5332, 0.6557), ("4.53│", "0.66│")),
            ((99.587, 98.347), ("99.59│", "98.35│")),
            ((5e-7, 1e-7), ("5e-7│", "1e-7│")),
        ):
            app.query_one(PlotWidget).series = (Series("y", (0.0, 1.0), ys),)
            await pilot.pause()
            for label in labels:
                assert any(line.lstrip().startswith(label) for line in shown(app).splitlines()), (
                    ys,
                    shown(app),
                )


async def test_a_greyed_key_gives_its_whole_reason(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("d")
        await settle(pilot)
        assert foot(app).strip().startswith("✗ not now: mark two jobs with space, or one other than this")


async def test_no_hint_names_a_key_that_is_written(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)

        def keys() -> set[str]:
            return {key for _, key, _ in app.screen.query_one(KeyBar).list_hints()}

        assert {"/", "@", "tab", "?"} <= keys()
        await pilot.press("slash")
        await settle(pilot)
        # tab completes and escape clears here, as the line itself says.
        assert not {"/", "@", "'", "tab", "esc", "?", ":"} & keys()
        assert {"^o", "^p", "f1"} <= keys()
        await pilot.press("at", "slash")
        assert isinstance(app.focused, Input)
        assert app.focused.value == "@/"
        await pilot.press("escape")
        await settle(pilot)
        assert {"/", "@", "tab", "?"} <= keys()


@pytest.mark.parametrize("size", [NARROW, (60, 24)])
async def test_panes_of_one_place_are_all_named(make: Make, size: tuple[int, int]) -> None:
    async with make().run_test(size=size) as pilot:
        app = await jobs_ready(pilot)
        pane = Pane(title="members", id="one")
        await app.screen.mount(pane)
        pane.styles.width = 40
        await settle(pilot)
        pane.detail = "120 of 52 996 (plain, seed 7810237638654417562)"
        pane.neighbours = ("members", "member 37")
        await settle(pilot)
        title = Content.from_markup(str(pane.border_title)).plain
        assert title.endswith("… │ member 37")
        assert title.startswith("members 120 of 52 996")
        assert text_width(title) == 40 - 6
        assert title in shown(app)
        pane.detail = "120"
        await settle(pilot)
        assert Content.from_markup(str(pane.border_title)).plain == "members 120 │ member 37"


async def test_a_cut_line_of_the_log_says_so() -> None:
    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield TextReader(id="log", follow=True)

    async with Alone().run_test(size=NARROW) as pilot:
        reader = pilot.app.query_one(TextReader)
        reader.show_lines(["x" * 100, *"short" * 30])
        await settle(pilot)
        reader.scroll_to(y=0, animate=False)
        await settle(pilot)
        seen = reader.scrollable_content_region.width
        assert seen < reader.size.width  # a scroll bar stands there
        assert reader.render_line(0).text[:seen] == "x" * (seen - 1) + "…"


async def test_a_notice_leaves_the_prompt_free(make: Make) -> None:
    async with make().run_test(size=NARROW, notifications=True) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("m")
        await until(pilot, lambda: any(toast.region.area for toast in app.screen.query(Toast)))
        await pilot.press("M")
        await settle(pilot)
        assert isinstance(app.screen, Prompt)
        told = next(iter(app.screen.query(Toast)))
        assert "bookmarked" in str(told._notification.message)
        assert not told.region.overlaps(app.screen.query_one(Input).region)


async def test_the_list_of_notes_has_the_whole_note(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("M", *"ask why", "enter", "colon", *"notes and", "enter")
        await settle(pilot)
        assert isinstance(app.screen, NoteList)
        assert str(app.screen.query_one("#whole", Static).render()).splitlines() == ["job/41", "ask why"]


async def test_a_screen_is_the_first_of_its_name(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("colon", *"triplets")
        await settle(pilot)
        assert isinstance(app.screen, Chooser)
        assert app.screen.query_one(Table).current_key == "go triplets"


async def test_ascii_names_keys_by_words(make: Make) -> None:
    async with make(ascii=True).run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        assert "enter open" in foot(app)
        await pilot.press("question_mark", *"previous pane")
        await settle(pilot)
        assert "shift+tab" in shown(app)
        assert "enter run   esc close" in shown(app)
        keys = {record["key"] for record in app.screen.query_one(Table).rows.records}
        assert all(key.isascii() for key in keys)


def test_corpora_models_topics_and_problems_are_found_by_name(workspace: Workspace) -> None:
    ensure_sample(workspace)
    found = gather_destinations(workspace)
    for words, mode, name in (
        ("corpus sample-e", "egraphs", "corpus sample-e"),
        ("model egen-both", "egraphs", "model egen-both"),
        ("topic A.911", "arqmath", "topic A.911"),
        ("problem en-017", "triplets", "triplet en-017"),
        ("train egen/cl-mean-tiny", "jobs", "train egen/cl-mean-tiny"),
    ):
        first = match_destinations(found, words)[0]
        assert (first[0], first[1].label) == (mode, name)
