"""The keys that all screens share, by real keys: each is pressed alone and does what it says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

import pytest
from textual.app import SuspendNotSupported
from textual.pilot import Pilot

from screens.app import Workbench
from screens.jobs.job_detail import Detail
from screens.registry import SCREEN_KEYS
from screens.shell.cards import ActivityScreen, NoteList
from screens.shell.keymap import APP_KEYS, LIST_KEYS, TEXT_KEYS, VERBS, VIEW_KEYS
from screens.shell.navigation import JumpScreen
from screens.widgets.dialogs import Chooser, Prompt
from screens.widgets.reader import TextReader
from tests.screens.driving import jobs_ready, settle, shown, until
from tests.screens.test_shell import NARROW, WIDE, table
from workbench.folders import state_dir

Make = Callable[..., Workbench]
Check = Callable[[Pilot[Any], str], Awaitable[None]]

# What each key does: pressed alone after a fresh start, with the list of jobs in focus.

CHECKS: dict[str, Check] = {}


def check(*ids: str) -> Callable[[Check], Check]:
    def keep(function: Check) -> Check:
        CHECKS.update(dict.fromkeys(ids, function))
        return function

    return keep


@check("app.jobs")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    assert pilot.app.current_mode == "jobs"


@check("app.egraphs")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert pilot.app.current_mode == "egraphs"


@check("app.triplets")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert pilot.app.current_mode == "triplets"


@check("app.arqmath")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert pilot.app.current_mode == "arqmath"


@check("app.mathamr")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert pilot.app.current_mode == "mathamr"


@check("app.jump")
async def _(pilot: Pilot[Any], key: str) -> None:
    # What is not there yet gets no letter.
    await until(pilot, lambda: all(words in shown(pilot.app) for words in ("metrics", "config")))
    await pilot.press(key)
    assert isinstance(pilot.app.screen, JumpScreen)
    # Each letter stands left of what it labels and covers nothing of it.
    await until(pilot, lambda: all(words in shown(pilot.app) for words in ("d[metrics]", "f[config]")))  # type: ignore[arg-type]
    await pilot.press("s")
    assert isinstance(pilot.app.focused, TextReader)
    await pilot.press(key)
    await settle(pilot)
    await pilot.press("d")
    await settle(pilot)
    assert pilot.app.screen.query_one(Detail).page.id == "metrics-page"  # type: ignore[union-attr]
    assert pilot.app.focused is pilot.app.screen.query_one("#metrics-table")


@check("app.notes")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    assert isinstance(pilot.app.screen, NoteList)


@check("app.activity")
async def _(pilot: Pilot[Any], key: str) -> None:
    pilot.app.warn("something odd", remedy="look again")  # type: ignore[attr-defined]
    await pilot.press(key)
    await settle(pilot)
    assert isinstance(pilot.app.screen, ActivityScreen)
    assert "something odd" in shown(pilot.app)  # type: ignore[arg-type]
    assert "look again" in shown(pilot.app)  # type: ignore[arg-type]
    await pilot.press("escape")
    assert not isinstance(pilot.app.screen, ActivityScreen)


@check("app.quit")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    assert pilot.app._exit


@check("app.palette")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key, *"job 39", "enter")
    await settle(pilot)
    assert table(pilot.app).current_key == "39"  # type: ignore[arg-type]


@check("app.suspend")
async def _(pilot: Pilot[Any], key: str) -> None:
    with mock.patch.object(pilot.app, "suspend", side_effect=SuspendNotSupported) as lend:
        await pilot.press(key)
        await settle(pilot)
    assert lend.called


@check("app.help")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert isinstance(pilot.app.screen, Chooser)
    await pilot.press(*"go one line down", "enter")
    await settle(pilot)
    assert table(pilot.app).cursor == 1  # type: ignore[arg-type]


@check("view.yank", "view.yank_as")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    if key == "Y":
        await settle(pilot)
        await pilot.press("c")
    await pilot.app.workers.wait_for_complete()
    await settle(pilot)
    copied = (state_dir() / "clipboard.txt").read_text("utf-8")  # type: ignore[attr-defined]
    assert copied.endswith("mathwb jobs show 41")


@check("view.export")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    await pilot.press("t")
    await settle(pilot)
    assert isinstance(pilot.app.screen, Prompt)
    await pilot.press("enter")
    await pilot.app.workers.wait_for_complete()
    await settle(pilot)
    written = pilot.app.workspace.root / "exports" / "jobs.csv"  # type: ignore[attr-defined]
    assert len(written.read_text("utf-8").splitlines()) == 5
    assert written.with_name("jobs.csv.meta.json").exists()


@check("view.bookmark")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    note = pilot.app.workspace.notes.get("job/41")  # type: ignore[attr-defined]
    assert note is not None
    assert note.bookmark


@check("view.note")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    await pilot.press(*"too slow", "enter")
    await settle(pilot)
    assert pilot.app.workspace.notes.get("job/41").note == "too slow"  # type: ignore[attr-defined]


@check("view.full")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert pilot.app.screen.query_one("#list").region.width == 120
    await pilot.press("escape")
    await settle(pilot)
    assert pilot.app.screen.query_one("#list").region.width < 120


@check("view.next_pane", "view.previous_pane", "view.right")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert isinstance(pilot.app.focused, TextReader)


@check("view.left", "view.back")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press("tab")
    await settle(pilot)
    await pilot.press(key)
    await settle(pilot)
    assert pilot.app.focused is table(pilot.app)  # type: ignore[arg-type]


@check("view.next_tab", "view.previous_tab")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press("tab")
    await settle(pilot)
    await pilot.press(key)
    await settle(pilot)
    page = pilot.app.screen.query_one(Detail).page
    assert page is not None
    assert page.id == {"right_square_bracket": "metrics-page", "left_square_bracket": "files-page"}[key]


@check("list.open")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settle(pilot)
    assert isinstance(pilot.app.focused, TextReader)


@check("list.filter")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key, *"!state:succeeded attempt=1", "enter")
    await settle(pilot)
    app = pilot.app
    assert [r["id"] for r in table(app).visible_records()] == [41, 39, 38]  # type: ignore[arg-type]
    assert "3 of 4" in app.screen.query_one("#list").border_title
    await pilot.press("escape")
    assert table(app).shown == 4  # type: ignore[arg-type]


@check("list.next_match", "list.previous_match")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press("slash", *"failed", "enter", "escape", "g", key)
    await settle(pilot)
    assert table(pilot.app).current_key == "39"  # type: ignore[arg-type]


@check("list.mark", "list.mark_range")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    assert list(table(pilot.app).marks) == ["41"]  # type: ignore[arg-type]


@check("list.sort", "list.reverse")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    assert table(pilot.app).sorting == ("id", key == "S")  # type: ignore[arg-type]


@check("list.down", "list.bottom", "list.half_down")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    assert table(pilot.app).cursor == (1 if key in ("j", "down") else 3)  # type: ignore[arg-type]


@check("list.up", "list.top", "list.half_up")
async def _(pilot: Pilot[Any], key: str) -> None:
    await pilot.press("j", "j", key)
    assert table(pilot.app).cursor == (1 if key in ("k", "up") else 0)  # type: ignore[arg-type]


async def _reader(pilot: Pilot[Any]) -> TextReader:
    await pilot.press("tab")
    reader = pilot.app.screen.query_one("#log-text", TextReader)
    reader.follow = False
    reader.show_lines([f"line {number}" for number in range(300)])
    await settle(pilot)
    reader.scroll_to(y=100, animate=False, immediate=True)
    await settle(pilot)
    return reader


@check("app.undo")
async def _(pilot: Pilot[Any], key: str) -> None:
    done: list[str] = []
    pilot.app.remember_change("a change", lambda: done.append("back"))  # type: ignore[attr-defined]
    await pilot.press(key, key)
    assert done == ["back"]


@check("text.down", "text.up", "text.top", "text.bottom", "text.half_down", "text.half_up")
async def _(pilot: Pilot[Any], key: str) -> None:
    reader = await _reader(pilot)
    await pilot.press(key)
    await settle(pilot)
    verb = next(verb for verb, what in VERBS.items() if key in what.keys)
    half = reader.size.height // 2
    end = round(reader.max_scroll_y)
    wanted = {"down": 101, "up": 99, "top": 0, "bottom": end, "half_down": 100 + half, "half_up": 100 - half}
    assert round(reader.scroll_y) == wanted[verb]


@check("text.follow")
async def _(pilot: Pilot[Any], key: str) -> None:
    reader = await _reader(pilot)
    reader.append_lines(["and", "more"])
    await settle(pilot)
    assert "+2 lines below" in shown(pilot.app)  # type: ignore[arg-type]
    await pilot.press(key)
    await settle(pilot)
    assert reader.follow
    assert "following" in shown(pilot.app)  # type: ignore[arg-type]


@check("text.wrap")
async def _(pilot: Pilot[Any], key: str) -> None:
    reader = await _reader(pilot)
    before = reader.virtual_size.height
    reader.append_lines(["long " * 60])
    await pilot.press(key)
    await settle(pilot)
    assert reader.virtual_size.height > before + 2


@check("text.filter")
async def _(pilot: Pilot[Any], key: str) -> None:
    reader = await _reader(pilot)
    await pilot.press(key, *"!line", "enter")
    await settle(pilot)
    assert reader.virtual_size.height == 0


@check("text.next_match", "text.previous_match")
async def _(pilot: Pilot[Any], key: str) -> None:
    reader = await _reader(pilot)
    await pilot.press("slash", *"250", "enter", "escape", key)
    await settle(pilot)
    assert "line 250" in [reader.render_line(y).text.strip() for y in range(reader.size.height)]


SCOPES = {"app": (*SCREEN_KEYS, *APP_KEYS), "view": VIEW_KEYS, "list": LIST_KEYS, "text": TEXT_KEYS}


async def start_over(app: Workbench, pilot: Pilot[Any]) -> None:
    """As after a fresh start, which would take longer."""
    while len(app.screen_stack) > 1:
        app.pop_screen()
    await app.switch_mode("jobs")
    place = app.screen_stack[0]
    place.full = False  # type: ignore[attr-defined]
    for box in place.query("Listing, ReaderBox"):
        box.clear_filter()  # type: ignore[attr-defined]
    table(app).marks.clear()
    table(app).set_sorting(None)
    table(app).cursor = 0
    await place.query_one(Detail).show_page("log-page")
    place.query_one("#log-text", TextReader).show_lines([])
    await settle(pilot)
    table(app).focus()
    await settle(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
async def test_every_shared_key_does_what_it_says(scope: str, make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        for known in SCOPES[scope]:
            for key in known.keys:
                if known.id == "app.quit":
                    continue
                await start_over(app, pilot)
                try:
                    await CHECKS[known.id](pilot, key)
                except BaseException as error:
                    error.add_note(f"{known.id} on {key}")
                    raise


@pytest.mark.slow
@pytest.mark.parametrize("key", VERBS["quit"].keys)
async def test_quitting(key: str, make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        await jobs_ready(pilot)
        await CHECKS["app.quit"](pilot, key)
