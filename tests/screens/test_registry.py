"""One line in the registry makes a screen: its key, its place in palette, help and `docs/keys.md`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from screens.registry import ScreenEntry
from screens.shell.cards import MissingScreen
from screens.widgets.listing import Notice
from tests.screens.driving import until

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import asyncio, sys
from pathlib import Path

from screens.app import Workbench
from screens.keys import write_reference
from screens.widgets.dialogs import Chooser
from screens.widgets.table import Table
from tests.screens.arqmath_engine import HereEngine
from workbench.workspace import Workspace, ensure_sample

assert "| `R` | words.again | Count the words again. |" in write_reference()
assert "| `6` | app.words | Go to the Words screen (Words: count them). |" in write_reference()

async def look():
    workspace = Workspace.open()
    ensure_sample(workspace)
    app = Workbench(workspace, screen="jobs")
    app.engine = HereEngine()
    async with app.run_test(size=(120, 40)) as pilot:
        while app.place is None:
            await pilot.pause(0.01)
        await pilot.press("6")
        while not (app.current_mode == "words" and app.place):
            await pilot.pause(0.01)
        while not str(app.screen.words.content):
            await pilot.pause(0.01)
        print(app.screen.title, app.screen.words.content, app.engine.calls[0].task)
        await pilot.press("colon", *"words")
        labels = []
        while "Words" not in labels:
            await pilot.pause(0.01)
            labels = [row["label"] for table in app.screen.query(Table) for row in table.visible_records()]
        assert isinstance(app.screen, Chooser)

asyncio.run(look())
"""


@pytest.mark.slow
def test_the_screen_of_an_installed_paper_has_a_key_and_asks_its_operation(
    own_paper: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(own_paper)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Words 7 words.count\n"


async def test_a_screen_that_cannot_be_imported_says_so(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = ScreenEntry(
        "9", "jobs", "Gone", "no_such_engine.screen:Screen", "", "Install it with: pip install gone"
    )
    monkeypatch.setattr("screens.app.SCREENS", (entry,))
    app = make()  # type: ignore[operator]
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.place is not None)
        assert isinstance(app.place, MissingScreen)
        said = str(app.place.query_one(Notice).content)
        assert "E704" in said
        assert "no_such_engine" in said
        assert "pip install gone" in said
