"""What the ARQMath screen says of collections and topics that cannot be read, and of hostile text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

from engines.core.errors import EngineError
from screens.app import Workbench
from screens.arqmath.screen import ArqmathScreen
from screens.widgets.listing import Notice
from tests.screens.arqmath_engine import HereEngine, write_collection, write_run
from tests.screens.driving import press, ready, settle
from tests.screens.test_arqmath import WIDE, answers, build, engine, files, ids, read
from workbench.workspace import Workspace

__all__ = ["build", "engine", "files"]

Make = Callable[..., Workbench]


async def test_no_collection_a_broken_one_and_one_without_posts(
    make: Make, workspace: Workspace, engine: HereEngine
) -> None:
    app = make(screen="arqmath", jobs=[])
    async with app.run_test(size=WIDE) as pilot:
        screen = app.screen_stack[0]
        await settle(pilot, lambda: bool(screen.query("#topics")))
        await settle(pilot)
        assert "No collection yet" in str(screen.query_one("#topics Notice", Notice).content)
        assert isinstance(screen, ArqmathScreen)
        assert screen.why_not("add") == "there is no collection"
        write_collection(workspace.make_folder("arqmath") / "bare", posts=False)
        await press(pilot, "r")
        await ready(pilot)
        assert screen.why_not("add") == "the collection has no posts"
        assert "no posts to read" in " ".join(read(screen).split())
        (workspace.make_folder("arqmath") / "bare" / "arqmath.toml").write_text("posts = [", "utf-8")
        await press(pilot, "r")
        await settle(pilot)
        assert "E327" in str(screen.query_one("#topics Notice", Notice).content)


async def test_hostile_text_stays_text(build: Make, workspace: Workspace) -> None:
    nasty = "[red]mark[/red]\x1b[31mred\u202e[b]"
    folder = workspace.make_folder("arqmath") / "mini"
    app = build()
    shutil.rmtree(folder / "index")
    (folder / "posts.jsonl").write_text(
        json.dumps({"id": "13", "type": 2, "parent_id": "10", "body": nasty}) + "\n", "utf-8"
    )
    write_run(folder / "runs_task1" / "[b]x[b].tsv", {"A.1": ["13"]})
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await ready(pilot)
        await settle(pilot, lambda: bool(read(screen)))
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        controls = {*range(32), *range(127, 160), 0x202E}
        assert not controls & {ord(character) for line in lines for character in line}
        assert any("[red]mark[/red]\\x1b[31mred" in line for line in lines)
        assert any("[b]x[b]" in line for line in lines)
        assert (screen.runs.run, screen.runs.against) == ("bm25", "[b]x[b]")


async def test_a_topic_that_cannot_be_read_says_why(build: Make, engine: HereEngine) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        engine.errors["arqmath.ranking"] = EngineError(
            "the engine was lost", code="E701", remedy="Try again."
        )
        await press(pilot, "j")
        assert "E701" in str(screen.query_one("#answers Notice", Notice).content)
        engine.errors.clear()
        await press(pilot, "k", "j")
        assert ids(answers(screen))[:3] == ["21", "22", "23"]
        engine.errors["arqmath.post"] = EngineError("gone", code="E701")
        await press(pilot, "enter", "j")
        assert "E701 gone" in read(screen)
