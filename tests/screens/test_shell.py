"""The frame around all screens: help, palette, footer, terminals of all sizes, what stays, copying."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engines.core.errors import EngineError
from screens.app import Workbench, run
from screens.jobs.form import NewJob
from screens.jobs.job_detail import Detail
from screens.shell.bars import Header, KeyBar
from screens.shell.cards import TooSmall
from screens.shell.export import Destination
from screens.shell.palette import match_destinations
from screens.widgets.dialogs import Chooser
from screens.widgets.listing import Listing
from screens.widgets.reader import TextReader
from screens.widgets.table import Table
from tests.screens.arqmath_engine import HereEngine, write_collection
from tests.screens.driving import jobs_ready, settle, shown, until
from workbench.folders import config_file, crash_dir, state_dir
from workbench.jobs.job_views import JobView
from workbench.workspace import Workspace

Make = Callable[..., Workbench]
WIDE, NARROW = (120, 40), (80, 24)


def table(app: Workbench) -> Table:
    return app.screen_stack[0].query_one("#jobs-table", Table)


# Help, palette, footer


async def test_greyed_keys_give_their_reason(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        hints = {verb for verb, _, _ in app.screen.query_one(KeyBar).list_hints()}
        assert "stop" in hints
        assert "again" not in hints
        await pilot.press("R")
        await settle(pilot)
        assert "✗ not now: job 41 is running" in shown(app).splitlines()[-1]
        await pilot.press("j")
        await settle(pilot)
        assert "not now" not in shown(app)
        await pilot.press("k", "question_mark", *"again")
        await settle(pilot)
        assert "not now: job 41 is running" in shown(app)
        await pilot.press("enter")
        assert isinstance(app.screen, Chooser)


async def test_the_footer_keeps_help_to_the_end(make: Make) -> None:
    for cells in (120, 80, 60):
        async with make().run_test(size=(cells, 24)) as pilot:
            app = await jobs_ready(pilot)
            last = shown(app).splitlines()[-1].rstrip()
            assert last.endswith("? help"), last


async def test_clicking_a_hint_does_what_its_key_does(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        bar = app.screen.query_one(KeyBar)
        await pilot.click(bar, offset=(shown(app).splitlines()[-1].index("filter"), 0))
        await settle(pilot)
        assert app.screen.query("FilterLine Input").first().has_focus


def test_every_theme_can_be_set_and_no_other(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from screens.shell.theme import THEMES
    from workbench.config import all_settings

    names = all_settings()["theme"].choices[1:]
    assert [f"mathwb-{name}" for name in names] == [theme.name for theme in THEMES]
    for name in names:
        monkeypatch.setenv("MATHWB_THEME", name)
        assert make().theme == f"mathwb-{name}"
    monkeypatch.setenv("MATHWB_THEME", "textual-light")
    with pytest.raises(EngineError) as caught:
        make()
    assert caught.value.code == "E421"


@pytest.mark.slow
async def test_the_palette_changes_the_theme_and_lists_what_cannot_be_done(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("colon", *"theme light", "enter")
        await settle(pilot)
        assert app.theme == "mathwb-light"
        await pilot.press("colon", *"delete", "enter")
        await settle(pilot)
        assert "not now: job 41 is running" in shown(app)
        await pilot.press("escape", "colon", *"job 7", "enter")
        await settle(pilot)
        assert any("no job 7" in entry.text for entry in app.activity)


async def test_remapped_keys_work_and_are_shown(make: Make) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text('[keymap]\nfull = "z"\n"list.mark" = "b"\n', encoding="utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await until(pilot, lambda: app._keymap)
        await pilot.press("b")
        assert list(table(app).marks) == ["41"]
        await pilot.press("z")
        await settle(pilot)
        assert app.screen.query_one("#list").region.width == 120
        hints = {verb: key for verb, key, _ in app.screen.query_one(KeyBar).list_hints()}
        assert (hints["mark"], hints["full"], hints["filter"]) == ("b", "z", "/")


async def test_a_wrong_remap_is_told_and_the_others_hold(make: Make) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text('[keymap]\n"list.mrk" = "b"\nmark = "z"\nfull = 5\n', encoding="utf-8")
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        for name in ("list.mrk", "keymap.full"):
            await until(pilot, lambda name=name: any(name in entry.text for entry in app.activity))
        await pilot.press("z")
        assert list(table(app).marks) == ["41"]


# Terminals


@pytest.mark.parametrize(("cells", "titles"), [(120, 0), (79, 2), (60, 2)])
async def test_panes_share_a_place_when_it_is_narrow(cells: int, titles: int, make: Make) -> None:
    async with make().run_test(size=(cells, 24)) as pilot:
        app = await jobs_ready(pilot)
        panes = [pane for pane in app.screen.query("Pane") if pane.display]
        assert len(panes) == (1 if titles else 2)
        assert len(panes[0].neighbours) == titles  # type: ignore[attr-defined]
        await pilot.press("tab")
        await settle(pilot)
        assert app.screen.query_one(Detail).display
        assert isinstance(app.focused, TextReader)


@pytest.mark.slow
async def test_a_terminal_that_is_too_small_asks_for_room(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.resize_terminal(50, 15)
        await settle(pilot)
        assert isinstance(app.screen, TooSmall)
        assert "please enlarge" in shown(app)
        assert "50 x 15, needed 60 x 16" in shown(app)
        await pilot.press("3", "a", "colon", "x")
        assert isinstance(app.screen, TooSmall)
        await pilot.press("question_mark")
        await settle(pilot)
        assert isinstance(app.screen, Chooser)
        await pilot.press("escape")
        await pilot.resize_terminal(*NARROW)
        await settle(pilot)
        assert not isinstance(app.screen, TooSmall)
        await pilot.resize_terminal(50, 15)
        await settle(pilot)
        await pilot.press("q")
        assert app._exit


async def test_ascii_draws_nothing_else(make: Make) -> None:
    async with make(ascii=True).run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        for keys in ((), ("question_mark",), ("escape", "colon"), ("escape", "a"), ("escape", "at")):
            await pilot.press(*keys)
            await settle(pilot)
            svg = app.export_screenshot()
            text = svg[svg.index('<g class="') :]
            assert text.replace("&#160;", " ").isascii(), keys


async def test_no_color_is_grey(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        styles = {segment.style for strip in app.screen._compositor.render_strips() for segment in strip}
        colours = {style.color.triplet for style in styles if style and style.color and style.color.triplet}
        assert colours
        filtered = {f.__class__.__name__ for f in app.get_line_filters()}
        assert "Monochrome" in filtered
        assert not app.current_theme.ansi


# What stays


async def test_a_theme_of_the_environment_is_not_remembered_and_a_chosen_one_is(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(*, choose: str = "") -> str:
        async with make().run_test(size=NARROW) as pilot:
            app = await jobs_ready(pilot)
            if choose:
                await pilot.press("colon", *f"theme {choose}", "enter")
                await settle(pilot)
            await pilot.press("q")
        return str(app.theme)

    assert await start() == "mathwb-dark"
    monkeypatch.setenv("MATHWB_THEME", "light")
    assert await start() == "mathwb-light"
    monkeypatch.delenv("MATHWB_THEME")
    assert await start() == "mathwb-dark"
    assert await start(choose="contrast") == "mathwb-contrast"
    assert await start() == "mathwb-contrast"


@pytest.mark.slow
async def test_the_session_comes_back(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        await jobs_ready(pilot)
        await pilot.press("j", "space", "s", "slash", *"!lost", "enter", "G", "q")
    kept = json.loads((state_dir() / "session.json").read_text("utf-8"))
    kept["from_a_newer_one"] = {"a": 1}
    (state_dir() / "session.json").write_text(json.dumps(kept), encoding="utf-8")
    async with make(screen=None).run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        listing = app.screen.query_one("#jobs", Listing)
        await until(pilot, lambda: listing.query_text == "!lost" and listing.table.current_key == "41")
        assert list(listing.table.marks) == ["40"]
        assert listing.table.sorting == ("id", False)
        await pilot.press("q")
    assert json.loads((state_dir() / "session.json").read_text("utf-8"))["from_a_newer_one"] == {"a": 1}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 99}', '{"version": 1, "workspaces": {}}'])
async def test_a_session_that_cannot_be_read_is_no_obstacle(content: str, make: Make) -> None:
    state_dir().mkdir(parents=True, exist_ok=True)
    (state_dir() / "session.json").write_text(content, encoding="utf-8")
    async with make().run_test(size=NARROW) as pilot:
        app = await jobs_ready(pilot)
        assert table(app).shown == 4


def test_a_crash_leaves_a_file_and_one_line(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(self: Workbench) -> None:
        raise RuntimeError("not [b]foreseen[/b]")

    def headless(self: Workbench) -> None:
        App.run(self, headless=True, size=NARROW)

    from textual.app import App

    monkeypatch.setattr(Workbench, "_start_deferred_work", broken)
    monkeypatch.setattr(Workbench, "run", headless)
    assert run(workspace.root) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "not [b]foreseen[/b]" in said
    reports = list(crash_dir().iterdir())
    assert len(reports) == 1
    assert str(reports[0]) in said
    assert "RuntimeError" in reports[0].read_text("utf-8")
    assert json.loads((state_dir() / "session.json").read_text("utf-8"))["crash"]


def test_leaving_says_how_many_jobs_go_on(
    workspace: Workspace,
    jobs: list[JobView],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def pretend(self: Workbench) -> None:
        self.watch_jobs.jobs = tuple(jobs)

    monkeypatch.setattr(Workbench, "run", pretend)
    assert run(workspace.root) == 0
    assert capsys.readouterr().out == "1 job keeps running: mathwb jobs list\n"


# Copying


@pytest.mark.parametrize("remote", [True, False])
async def test_copying_goes_to_the_terminal_and_to_a_file_of_the_state(
    make: Make, monkeypatch: pytest.MonkeyPatch, workspace: Workspace, remote: bool
) -> None:
    """In a container or in tmux nothing says where the terminal is, and the workspace may be of others."""
    monkeypatch.delenv("DISPLAY", raising=False)
    if remote:
        monkeypatch.setenv("SSH_CONNECTION", "1 2 3 4")
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        assert (app.animation_level == "none") == remote
        workspace.root.chmod(0o500)
        await pilot.press("Y")
        await settle(pilot)
        await pilot.press("i")
        await app.workers.wait_for_complete()
        await settle(pilot)
        workspace.root.chmod(0o700)
        assert app.clipboard == "41"
        file = state_dir() / "clipboard.txt"
        assert app.activity[-1].text == f"id copied to the terminal, and to {file}"
        assert file.read_text("utf-8") == "41"


async def test_copying_here_takes_the_tool_of_the_desktop(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "bin" / "xclip"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/copied\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("y")
        await app.workers.wait_for_complete()
        await settle(pilot)
        assert "copied to the terminal and with xclip, and to " in app.activity[-1].text
        assert app.clipboard.endswith("mathwb jobs show 41")
    assert (tmp_path / "copied").read_text("utf-8").endswith("mathwb jobs show 41")


async def test_the_screens_stand_above_all_with_what_runs_or_failed(make: Make, jobs: list[JobView]) -> None:
    app = make()
    async with app.run_test(size=WIDE) as pilot:
        await jobs_ready(pilot)
        await until(pilot, lambda: "3 Jobs ⣶" in shown(app))
        first = shown(app).splitlines()[0]
        screens = " mathwb   1 E-graphs │ 2 Triplets │ 3 Jobs ⣶ │ 4 ARQMath │ 5 MathAMR "
        assert first.startswith(screens)
        assert first.rstrip().endswith("ws: sample   CPU 1.7/2")
        header = app.screen.query_one(Header)
        header.workspace = "a-workspace-with-quite-a-name-for-a-line-that-has-little-room"
        await settle(pilot)
        assert "ws: a-" in shown(app).splitlines()[0]
        for width, left in ((80, screens.strip()), (60, screens.replace("mathwb", "").strip())):
            await pilot.resize_terminal(width, 24)
            await settle(pilot)
            assert shown(app).splitlines()[0].strip().startswith(left), width
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        await pilot.click(Header, offset=(screens.index("5 MathAMR"), 0))
        await until(pilot, lambda: app.current_mode == "mathamr" and app.place)
        # A job that fails is said until one looks.
        app.watch_jobs.jobs = (replace(jobs[0], state="failed", code="E110"), *jobs[1:])
        app.look_now()
        await until(pilot, lambda: "3 Jobs ✗" in shown(app))
        await pilot.press("3")
        await until(pilot, lambda: "3 Jobs │" in shown(app))


async def test_the_log_has_every_failure_shown_and_toasts_wait_for_dialogs(make: Make) -> None:
    app = make()
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await jobs_ready(pilot)
        listing = app.screen.query_one("#jobs", Listing)
        listing.show_error(EngineError("the index is cut", remedy="Make it anew.", code="E320"))
        await settle(pilot)
        assert [(entry.code, entry.text) for entry in app.activity] == [("E320", "the index is cut")]
        await pilot.press("colon")
        app.warn("something to know")
        await settle(pilot)
        assert not app.screen.query("Toast")
        assert app.activity[-1].text == "something to know"
        line = app.screen.query_one("Input").region
        await pilot.press(*"theme")
        await settle(pilot)
        assert app.screen.query_one("Input").region == line
        await pilot.press("escape")
        await until(pilot, lambda: "something to know" in shown(app))


def test_nothing_heavy_is_loaded_before_the_first_paint() -> None:
    heavy = {
        "numpy",
        "pyarrow",
        "torch",
        "egglog",
        "numba",
        "sympy",
        "psutil",
    }
    code = (
        "import sys, screens.app\n"
        "from screens.registry import SCREENS\n"
        "for entry in SCREENS: entry.load_screen()\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    said = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.slow
async def test_the_palette_finds_things_of_screens_not_opened_yet(
    make: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Way 9: a word of a recipe, a topic, a job, from a screen that is none of theirs."""
    collection = write_collection(workspace.make_folder("arqmath") / "mini", posts=False)
    assert collection.is_dir()
    monkeypatch.setattr("workbench.engine_process.EngineProcess", HereEngine)
    async with make(screen="egraphs").run_test(size=NARROW) as pilot:
        app = pilot.app
        assert isinstance(app, Workbench)

        await until(pilot, lambda: app.place)
        app._gather_destinations()
        await until(pilot, lambda: app.destinations)
        await pilot.press("colon", *"binomials", "enter")
        await until(pilot, lambda: app.current_mode == "arqmath" and "A.1 ·" in shown(app))
        await pilot.press("colon", *"job 40", "enter")
        await until(pilot, lambda: app.current_mode == "jobs" and table(app).current_key == "40")
        await pilot.press("1", "colon", *"train templ", "enter")
        await until(pilot, lambda: app.current_mode == "jobs" and isinstance(app.screen, NewJob))
        await pilot.press("escape", "1", "colon", *"jobs: new", "enter")
        await until(pilot, lambda: app.current_mode == "jobs" and isinstance(app.screen, NewJob))


async def test_notes_are_listed_and_lead_back(make: Make) -> None:
    async with make().run_test(size=WIDE) as pilot:
        app = await jobs_ready(pilot)
        await pilot.press("j", "j", "m", "M", *"ask why", "enter", "k")
        await settle(pilot)
        assert table(app).current_key == "40"
        await pilot.press("1", "B")
        await settle(pilot)
        text = shown(app)
        assert "★✎" in text
        assert "job/39" in text
        assert "ask why" in text
        await pilot.press("enter")
        await until(pilot, lambda: app.current_mode == "jobs" and table(app).current_key == "39")
        assert app.current_mode == "jobs"
        assert table(app).current_key == "39"


def test_what_has_a_word_as_its_own_comes_before_many_that_have_it_inside() -> None:
    problems = [
        ("triplets", Destination((("triplet", f"training-{number}"),), "a problem about trains"))
        for number in range(500)
    ]
    recipe = ("jobs", Destination((("train", "egen/cl-mean-tiny"),), "a recipe"))
    found = match_destinations([*problems, recipe], "train")
    assert found[0] == recipe
    assert len(found) == 100
    assert match_destinations([*problems, recipe], "train cl-mean") == [recipe]
