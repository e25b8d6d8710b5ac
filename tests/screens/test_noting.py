"""Notes and bookmarks where their rows stand: signs, filters, the line under the panes, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from screens.app import Workbench
from screens.shell.cards import NoteList
from screens.shell.screen import NoteLine
from screens.widgets.listing import Listing
from screens.widgets.table import Table
from tests.screens.arqmath_engine import HereEngine
from tests.screens.conftest import Make
from tests.screens.driving import shown, until
from tests.screens.egraph_engine import StillEngine
from tests.screens.test_arqmath import files
from tests.screens.test_egraphs import corpus
from workbench.workspace import Workspace

__all__ = ["corpus", "files"]

NARROW = (80, 24)
FILTERS = {
    "is:bookmarked": [40, 39],
    "is:noted": [39],
    "!is:bookmarked": [41, 38],
    "note:WHY": [39],
    "why": [39],
    "state:failed is:bookmarked": [39],
}
"""Filters, and the jobs that pass when 39 is bookmarked and noted, and 40 bookmarked."""


class BothEngines:
    """Answers of the E-graphs screen stand still, those of ARQMath are the real ones."""

    def __init__(self) -> None:
        self._still, self._here = StillEngine(), HereEngine()

    def call(self, task: str, params: Mapping[str, Any]) -> Any:
        return (self._still if task.startswith("egen.") else self._here).call(task, params)

    def close(self) -> None:
        pass


def app_of(pilot: Pilot[Any]) -> Workbench:
    assert isinstance(pilot.app, Workbench)
    return pilot.app


def listing(app: Workbench, name: str) -> Listing:
    return app.screen_stack[0].query_one(f"#{name}", Listing)


def here(app: Workbench, mode: str, name: str) -> str | None:
    """What is under the cursor of this list of this screen, once that is in front."""
    found = app.screen_stack[0].query(f"#{name}-table") if app.current_mode == mode else ()
    return next((table.current_key for table in found if isinstance(table, Table)), None)


def selected(app: Workbench) -> str:
    """The address of what is selected."""
    selection = app.place.selection() if app.place is not None else None
    return selection.address if selection is not None else ""


def noted(app: Workbench) -> str:
    """The line under the panes."""
    line = app.screen_stack[0].query_one(NoteLine)
    return str(line.content) if line.display else ""


@pytest.mark.slow
async def test_signs_filters_and_text_of_a_note(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: here(app, "jobs", "jobs") == "41")
        await until(pilot, lambda: any(" 40 " in line for line in shown(app).splitlines()))
        plain = next(line for line in shown(app).splitlines() if " 40 " in line)
        await pilot.press("j", "j", "m", "M", *"ask why", "enter", "k", "m")
        await until(pilot, lambda: shown(app).count("★") >= 2 and "✎" in shown(app))
        rows = {
            number: line
            for line in shown(app).splitlines()
            for number in (39, 40, 41)
            if f" {number} " in line
        }
        assert "★✎" in rows[39]
        assert "★" in rows[40]
        assert "✎" not in rows[40]
        assert "★" not in rows[41] + plain
        assert "★" in noted(app)
        await pilot.press("j")
        await until(pilot, lambda: "ask why" in noted(app))
        await pilot.press("j")
        await until(pilot, lambda: not noted(app))
        table = listing(app, "jobs").table
        ids_shown = lambda: [record["id"] for record in table.visible_records()]  # noqa: E731
        for text, ids in FILTERS.items():
            await listing(app, "jobs").set_query(text)
            await until(pilot, lambda ids=ids: ids_shown() == ids)  # type: ignore[misc]
        await listing(app, "jobs").set_query("")
        # What a note says no longer passes, as soon as it is another one.
        await listing(app, "jobs").set_query("note:why")
        await until(pilot, lambda: table.current_key == "39")
        await pilot.press("M", "right", *"!", "enter")
        await until(pilot, lambda: noted(app).endswith("ask why!"))
        # What stood there is selected: what is typed takes its place.
        await pilot.press("M", *"no why", "enter")
        await until(pilot, lambda: noted(app).endswith("  no why"))
        await pilot.press("u")
        await until(pilot, lambda: noted(app).endswith("ask why!"))
        await pilot.press("B")
        await until(pilot, lambda: isinstance(app.screen, NoteList))
        assert "job 39 arqmath/finetune-n1" in shown(app)


async def test_the_filter_line_offers_the_fields_of_notes(make: Make) -> None:
    async with make().run_test(size=NARROW) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: here(app, "jobs", "jobs") == "41")
        await pilot.press("slash", *"is", "colon", "tab")
        await until(pilot, lambda: listing(app, "jobs").query_text == "is:bookmarked")


@pytest.fixture
def build(workspace: Workspace, corpus: Path, files: Path, make: Make, monkeypatch: Any) -> Make:
    """The app over a workspace with a corpus, a collection and jobs; what it loads comes from the disk."""
    (workspace.corpora / "sample-e").symlink_to(corpus)
    (workspace.make_folder("arqmath") / "mini").symlink_to(files)
    monkeypatch.setattr("workbench.engine_process.EngineProcess", BothEngines)

    def built(**options: Any) -> Workbench:
        # As a new process would find it.
        workspace.__dict__.pop("notes", None)
        return make(**options)

    return built


@pytest.mark.slow
async def test_way_8_what_was_bookmarked_is_found_again(build: Make, workspace: Workspace) -> None:
    async with build(screen="egraphs").run_test(size=NARROW) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: here(app, "egraphs", "clusters") and here(app, "egraphs", "members"))
        await pilot.press("j")
        await until(pilot, lambda: here(app, "egraphs", "members") == "0")
        await pilot.press("m", "M", *"odd domain", "enter", "enter", "j", "m")
        # What is gone to later is not what a session comes back to.
        await pilot.press("k", "h", "k", "3")
        await until(pilot, lambda: here(app, "jobs", "jobs"))
        await pilot.press("j", "j", "m", "M", *"ask why", "enter", "4")
        await until(pilot, lambda: here(app, "arqmath", "answers"))
        await pilot.press("enter", "j", "m", "M", *"fell", "enter")
        answer = here(app, "arqmath", "answers")
        topic = here(app, "arqmath", "topics")
        # A filter that hides what is gone to later.
        await listing(app, "answers").set_query("rank=1")
        await pilot.press("h", "j")
        await until(pilot, lambda: here(app, "arqmath", "topics") != topic)
    kept = {note.address: note.note for note in workspace.notes.all_records()}
    assert kept == {
        "corpus/sample-e/cluster/1": "odd domain",
        "corpus/sample-e/cluster/1/member/1": "",
        "job/39": "ask why",
        f"arqmath/mini/topic/{topic}/post/{answer}": "fell",
    }
    ends = {
        "corpus/sample-e/cluster/1": ("egraphs", "clusters", "1", "odd domain"),
        "corpus/sample-e/cluster/1/member/1": ("egraphs", "members", "1", "★"),
        "job/39": ("jobs", "jobs", "39", "ask why"),
        f"arqmath/mini/topic/{topic}/post/{answer}": ("arqmath", "answers", answer, "fell"),
    }
    async with build(screen="jobs").run_test(size=NARROW) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: here(app, "jobs", "jobs"))
        for address, (mode, name, key, told) in ends.items():
            await pilot.press("B")
            await until(pilot, lambda: isinstance(app.screen, NoteList))
            table = app.screen.query_one(Table)
            assert {str(record["id"]) for record in table.visible_records()} == set(kept)
            while table.current_key != address:
                await pilot.press("j")
            await pilot.press("enter")
            await until(pilot, lambda: here(app, mode, name) == key and selected(app) == address)  # noqa: B023
            await until(pilot, lambda: told in noted(app))  # noqa: B023
            assert address == f"{listing(app, name).home}/{key}"
            assert any(sign in shown(app) for sign in ("★✎", "★ "))
