"""What stands in files and records is text: never markup, and never control codes for the terminal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from screens.app import Workbench
from screens.egraphs.screen import EgraphsScreen
from screens.widgets.table import Table
from tests.screens.driving import until
from tests.screens.egraph_engine import StillEngine
from workbench.jobs.job_views import JobView
from workbench.workspace import Workspace, ensure_sample

Make = Callable[..., Workbench]
SIZE = (200, 50)
NASTY = "[red]mark[/red]\x1b[31mred\x1b]0;t\x07\u202e[b]"
SHOWN = "[red]mark[/red]\\x1b[31mred\\x1b]0;t\\x07\\u202e[b]"
CONTROLS = {*range(32), *range(127, 160), 0x202E}


def shown(app: Workbench) -> str:
    """What goes to the terminal, without our own styles."""
    lines = [strip.text for strip in app.screen._compositor.render_strips()]
    assert not CONTROLS & {ord(character) for line in lines for character in line}
    return "\n".join(lines)


def said(app: Workbench, *words: str) -> Callable[[], bool]:
    return lambda: all(word in shown(app) for word in words)


async def test_a_job_with_a_hostile_title(make: Make, jobs: list[JobView]) -> None:
    failed = replace(jobs[2], title=NASTY, reason=f"no {NASTY}", remedy=f"try {NASTY}", params={NASTY: NASTY})
    recipe = Path(failed.folder) / "recipe.toml"
    recipe.write_text(recipe.read_text("utf-8") + f"# {NASTY}\n", "utf-8")
    app = make(jobs=[failed])
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, said(app, f"39 {SHOWN}", f"no {SHOWN}", f"try {SHOWN}"))
        await pilot.press("tab", "right_square_bracket", "right_square_bracket")
        await until(pilot, said(app, f"# {SHOWN}"))
        app.warn(NASTY, remedy=NASTY)
        await pilot.press("at")
        await until(pilot, said(app, SHOWN))
        await pilot.press("escape", "x")
        await until(pilot, said(app, "job 39 is over"))


@pytest.mark.slow
async def test_a_corpus_with_a_hostile_name_and_source(make: Make, workspace: Workspace) -> None:
    ensure_sample(workspace)
    shutil.rmtree(workspace.corpora / "sample-classical")
    name = NASTY.replace("/", "|")
    folder = (workspace.corpora / "sample-e").rename(workspace.corpora / name)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["source"] |= {"name": NASTY, "bad_lines": [{"line": 3, "what": NASTY}]}
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    app = make(screen="egraphs", jobs=[])
    app.__dict__["engine"] = StillEngine()
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, said(app, SHOWN.replace("/", "|"), "cluster 0 ›"))
        screen = app.screen
        assert isinstance(screen, EgraphsScreen)
        await pilot.press("i")
        await until(pilot, said(app, f"name         {SHOWN}", "[red]mark[/red]\\u001b[31mred"))
        await pilot.press("escape", "slash", *("left_square_bracket", "b", "right_square_bracket"))
        await until(pilot, said(app, "/[b]"))
        await pilot.press("escape", "M", "left_square_bracket", "b", "enter")
        await until(pilot, lambda: app.workspace.notes.all_records())
        (note,) = app.workspace.notes.all_records()
        assert (note.address, note.note) == (f"corpus/{name}/cluster/0", "[b")
        assert screen.query_one("#clusters-table", Table).shown == 80
