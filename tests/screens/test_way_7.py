"""Way 7: what is copied as a command line prints, without the screen, what its page shows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engines.core.spec import to_mapping
from screens.app import Workbench
from screens.egraphs.sheets import AnalogiesSheet, DerivationSheet, MistakesSheet
from screens.widgets.reader import TextReader
from screens.widgets.table import Table
from tests.conftest import mathwb
from tests.screens import test_arqmath as arqmath
from tests.screens import test_egraphs_models as egraphs
from tests.screens.driving import press, settle
from tests.screens.egraph_engine import HEAD
from workbench.folders import state_dir
from workbench.operations import Operation, find_operation

build, files, engine = egraphs.build, arqmath.files, arqmath.engine
build_arqmath = pytest.fixture(arqmath.build.__wrapped__)  # type: ignore[attr-defined]
Make = Callable[..., Workbench]


class Asked(BaseException):
    """An operation is about to begin."""

    def __init__(self, name: str, spec: Any) -> None:
        super().__init__(name)
        self.name = name
        self.spec = spec


def words_of(line: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words of a command line behind `mathwb`; the workspace before it is set."""
    place, program, *words = shlex.split(line)
    assert program == "mathwb"
    monkeypatch.setenv("MATHWB_WORKSPACE", place.removeprefix("MATHWB_WORKSPACE="))
    return words


def meant(line: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Mapping[str, Any]]:
    """The operation and the settled spec that a command line comes to."""
    from workbench.cli import main

    def begun(row: Operation, spec: Any, **_: Any) -> Any:
        raise Asked(row.name, spec)

    with monkeypatch.context() as patch:
        patch.setattr(Operation, "start", begun)
        patch.setattr("sys.argv", ["mathwb", *words_of(line, patch)])
        with pytest.raises(Asked) as caught:
            main()
    return caught.value.name, to_mapping(caught.value.spec)


async def yanked(pilot: Pilot[Any], *keys: str) -> str:
    """What `Y` and `c`, or these keys, copy."""
    app = pilot.app
    assert isinstance(app, Workbench)
    file = state_dir() / "clipboard.txt"
    file.unlink(missing_ok=True)
    await press(pilot, *(keys or ("Y", "c")))
    await settle(pilot, file.exists)
    return file.read_text("utf-8")


async def to_map(pilot: Pilot[Any]) -> str:
    await egraphs.on_map(pilot)
    return await yanked(pilot)


async def to_nearest(pilot: Pilot[Any]) -> str:
    await egraphs.on_nearest(pilot, "j")
    return await yanked(pilot)


async def to_derivation(pilot: Pilot[Any]) -> str:
    await egraphs.ready(pilot)
    await press(pilot, "enter", "space", "space", "d")
    assert isinstance(pilot.app.screen, DerivationSheet)
    return await yanked(pilot, "y")


async def to_mistakes(pilot: Pilot[Any]) -> str:
    await egraphs.ready(pilot)
    await press(pilot, "E", "right_square_bracket")
    assert isinstance(pilot.app.screen, MistakesSheet)
    return await yanked(pilot, "y")


async def to_analogies(pilot: Pilot[Any]) -> str:
    screen = await egraphs.ready(pilot)
    screen.open_analogies()
    await settle(pilot, lambda: isinstance(pilot.app.screen, AnalogiesSheet))
    await settle(pilot, lambda: pilot.app.screen.query_one("#hits-table", Table).shown > 0)
    return await yanked(pilot, "y")


PAGES = {
    "egen.map": to_map,
    "egen.nearest": to_nearest,
    "egen.derive": to_derivation,
    "egen.eval": to_mistakes,
    "egen.analogy": to_analogies,
}


@pytest.mark.slow
@pytest.mark.parametrize("task", PAGES)
async def test_a_page_and_its_command_ask_the_same(
    task: str, build: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same operation settled to the same spec: what it answers is the same document at every door."""
    app = build()
    async with app.run_test(size=egraphs.WIDE) as pilot:
        line = await PAGES[task](pilot)
        asked = [call.params for call in app.engine.calls if call.task == task][-1]  # type: ignore[attr-defined]
    found, spec = meant(line, monkeypatch)
    # The screen waits for no more than so much to be encoded; that changes no answer.
    page = {
        name: value
        for name, value in to_mapping(find_operation(task).resolve_spec(asked)).items()
        if name != "at_most"
    }
    assert (found, spec) == (task, page)
    assert HEAD in line or str(app.workspace.corpora / "sample-e") in line


def printed(line: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a command line prints with --json."""
    with monkeypatch.context() as patch:
        done = mathwb(*words_of(line, patch), "--json")
    assert not done.returncode
    return json.loads(done.stdout)


@pytest.mark.slow
async def test_moves_and_written_answers_are_printed(
    build_arqmath: Make, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_arqmath()
    async with app.run_test(size=arqmath.WIDE) as pilot:
        screen = await arqmath.ready(pilot)
        await press(pilot, "d")
        table = screen.query_one("#moves-table", Table)
        drawn = [
            (row[side]["id"], row[side]["other"], row[side]["rank"])
            for row in table.visible_records()
            for side in ("left", "right")
            if row[side] is not None
        ]
        moves = await yanked(pilot)
        await press(pilot, *["right_square_bracket"] * 2)
        spread = screen.query_one("#qrels-text", TextReader).lines[1:5]
        grades = await yanked(pilot)
        await press(pilot, "right_square_bracket")
        table = screen.query_one("#written-table", Table)
        written = [(row["run"], row["grade"], row["written"]["latex"]) for row in table.visible_records()]
        answers = await yanked(pilot)
    found = printed(moves, monkeypatch)
    # A judged answer that neither run has is printed too; it has no place among the moves.
    ranked = [row for row in found["answers"] if row["other"] is not None or row["rank"] is not None]
    assert {(row["id"], row["other"], row["rank"]) for row in ranked} == set(drawn)
    found = printed(grades, monkeypatch)
    for grade, line in zip((3, 2, 1, 0), spread, strict=True):
        assert re.search(rf" {found['grades'][grade]} +\d+ %", str(line))
    found = printed(answers, monkeypatch)
    assert written
    assert [(one["run"], one["grade"], one["text"]) for one in found] == written
