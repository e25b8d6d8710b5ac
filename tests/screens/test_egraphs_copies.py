"""What is taken away from the E-graphs screen: copies, command lines, files, notes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable

import pytest

from screens.app import Workbench
from screens.widgets.dialogs import Chooser, Prompt
from tests.conftest import mathwb
from tests.screens.driving import press, ready, settle, write
from tests.screens.egraph_engine import HEAD
from tests.screens.test_egraphs import CLUSTERS, WIDE, build, corpus
from workbench.folders import state_dir

__all__ = ["build", "corpus"]

Make = Callable[..., Workbench]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["cluster", "member", "class"])
async def test_everything_is_copied_as_a_command_that_prints_it(build: Make, place: str) -> None:
    """Way 7: the command line prints the same without the screen."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        if place == "member":
            await press(pilot, "j", "enter", "j", "j")
        elif place == "class":
            await press(pilot, "enter", "right_square_bracket")
        await press(pilot, "Y", "c")
        await settle(pilot, lambda: (state_dir() / "clipboard.txt").exists())
        line = (state_dir() / "clipboard.txt").read_text("utf-8")
        explained = app.engine.answers.get("egen.explain")  # type: ignore[attr-defined]
    if place == "class":
        assert line.endswith(f"mathwb egen egraph --mode strict --class 7 -- '{HEAD}'")
        return
    words = shlex.split(line)
    words = words[words.index("mathwb") + 1 :]
    at = words.index("--") if "--" in words else len(words)
    printed = json.loads(mathwb(*words[:at], "--json", *words[at:]).stdout)
    if place == "member":
        assert printed == explained
    else:
        assert [row["prefix"] for row in printed["members"]] == [HEAD, *(text for text, _ in CLUSTERS[0][1])]


@pytest.mark.slow
async def test_yank_and_its_forms(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        file = state_dir() / "clipboard.txt"
        await press(pilot, "y")
        await settle(pilot, file.exists)
        assert file.read_text("utf-8") == "63·cosh(2 − 7x)"
        for key, text in {"p": HEAD, "i": "63*cosh(2 - 7*x)", "l": r"63 \cosh\left(2 - 7 x\right)"}.items():
            await press(pilot, "Y", key)
            assert file.read_text("utf-8") == text
        await press(pilot, "Y", "t")
        assert file.read_text("utf-8").splitlines()[:2] == ["*", "├ 63"]
        await press(pilot, "Y", "j")
        assert json.loads(file.read_text("utf-8"))["prefix"] == HEAD


EXPORTS = {
    "j": (".jsonl", "cosh"),
    "c": (".csv", "cosh"),
    "t": (".tex", r"\cosh"),
    "g": (".dot", "digraph egraph {"),
    "J": (".json", '"fired"'),
}


@pytest.mark.slow
async def test_exports(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "enter", "right_square_bracket")
        written = app.workspace.exports
        for number, (key, (name, text)) in enumerate(EXPORTS.items(), 1):
            await press(pilot, "e")
            assert isinstance(app.screen, Chooser)
            await press(pilot, key)
            assert isinstance(app.screen, Prompt)
            await press(pilot, "enter")
            await settle(pilot, lambda number=number: len(list(written.glob("*.meta.json"))) == number)  # type: ignore[misc]
            (file,) = (
                path for path in written.iterdir() if path.name.endswith((f"0{name}", f"egraph{name}"))
            )
            assert text in file.read_text("utf-8"), key


async def test_notes_and_bookmarks_have_the_members_address(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "m", "enter", "j", "M")
        await write(pilot, "look")
        await press(pilot, "enter")
        kept = {note.address: (note.note, note.bookmark) for note in app.workspace.notes.all_records()}
        assert kept == {
            "corpus/sample-e/cluster/0": ("", True),
            "corpus/sample-e/cluster/0/member/1": ("look", False),
        }
