"""One line in the registry makes a screen: its key, its place in palette, help and `docs/keys.md`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from screens.registry import Entry
from screens.shell.cards import MissingScreen
from screens.widgets.listing import Notice
from workbench.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
DUMMY = ROOT / "tests" / "dummy_paper"

SCRIPT = """
import asyncio, sys
import engines, screens, workbench.papers
from pathlib import Path

dummy = Path(sys.argv[1])
for package, folder in ((engines, "engines"), (workbench.papers, "papers"), (screens, "screens")):
    package.__path__ = [*package.__path__, str(dummy / folder)]
workbench.papers.PAPERS = (*workbench.papers.PAPERS, "dummy")

import screens.registry as registry

line = registry.Entry("8", "dummy", "Dummy", "screens.dummy.screen:DummyScreen", "screens.dummy.keys:KEYS")
registry.SCREENS = (*registry.SCREENS, line)
registry.SCREEN_KEYS = registry.screen_keys(registry.SCREENS)

from screens.app import Workbench
from screens.keys import document
from screens.widgets.dialogs import Chooser
from screens.widgets.table import Table
from tests.screens.arqmath_engine import HereEngine
from workbench.workspace import Workspace

assert "| `R` | dummy.again | Count the words again. |" in document()
assert "| `8` | app.dummy | Go to the Dummy screen. |" in document()

async def look():
    app = Workbench(Workspace.open(Path(sys.argv[2])), screen="jobs")
    app.engine = HereEngine()
    async with app.run_test(size=(120, 40)) as pilot:
        while app.place is None:
            await pilot.pause(0.01)
        await pilot.press("8")
        while not (app.current_mode == "dummy" and app.place):
            await pilot.pause(0.01)
        while not str(app.screen.words.content):
            await pilot.pause(0.01)
        print(app.screen.title, app.screen.words.content, app.engine.calls[0].task)
        await pilot.press("colon", *"dummy")
        await pilot.pause(0.1)
        assert isinstance(app.screen, Chooser)
        print([row["label"] for row in app.screen.query_one(Table).visible_records()])

asyncio.run(look())
"""


def test_a_dummy_screen_is_entered_by_its_key_and_asks_its_operation(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "sample")
    (workspace.root / "text.txt").write_text("so many words", "utf-8")
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(DUMMY), str(workspace.root)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    title, words, operation = said.stdout.splitlines()[0].split(maxsplit=2)
    assert (title, operation) == ("Dummy", "dummy.count")
    assert words == "3"
    assert "'Dummy'" in said.stdout.splitlines()[1]


async def test_a_screen_that_cannot_be_imported_says_so(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Entry(
        "9", "jobs", "Gone", "no_such_engine.screen:Screen", "", "Install it with: pip install gone"
    )
    monkeypatch.setattr("screens.app.SCREENS", (entry,))
    app = make()  # type: ignore[operator]
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(200):
            await pilot.pause(0.01)
            if app.place is not None:
                break
        assert isinstance(app.place, MissingScreen)
        said = str(app.place.query_one(Notice).content)
        assert "E704" in said
        assert "no_such_engine" in said
        assert "pip install gone" in said
