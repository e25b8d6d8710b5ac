"""Sheets of a model over the E-graphs screen: its mistakes, and analogies."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.app import Workbench
from screens.egraphs.screen import EgraphsScreen
from screens.egraphs.sheets import AnalogiesSheet, MistakesSheet, read_analogy, read_pair
from screens.widgets.dialogs import TextScreen
from screens.widgets.listing import Listing
from screens.widgets.table import Table
from tests.screens.driving import press, ready, settle, shown, write
from tests.screens.test_egraphs_models import WIDE, build, engine_of, only_own_models

__all__ = ["build", "only_own_models"]

Make = Callable[..., Workbench]


async def test_mistakes_are_sorted_by_cost_and_shown_in_full(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "E")
        sheet = app.screen
        assert isinstance(sheet, MistakesSheet)
        await settle(pilot, lambda: sheet.query_one(Listing).table.shown == 2)
        assert engine_of(app).asked("egen.eval")[-1]["task"] == "kmeans"
        figures = str(sheet.query_one(".figures", Static).content)
        assert "retrieval at 5  91.50 % [90.0, 93.0]" in figures
        assert "of reachable  92.50 % [91.0, 94.0]" in figures
        assert "2 wrong" in figures
        await press(pilot, "left_square_bracket")
        assert engine_of(app).asked("egen.eval")[-1]["task"] == "retrieval"
        words = sheet.command_words()
        assert words[:4] == ["egen", "eval", "retrieval", "m"]
        await press(pilot, "right_square_bracket")
        assert len(engine_of(app).asked("egen.eval")) == 2  # what was measured is kept
        await press(pilot, "enter")
        assert isinstance(app.screen, TextScreen)
        await press(pilot, "escape", "escape")
        assert isinstance(app.screen, EgraphsScreen)


@pytest.mark.slow
async def test_analogies_are_answered_and_own_ones_written(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        screen.open_analogies()
        await settle(pilot, lambda: isinstance(app.screen, AnalogiesSheet))
        sheet = app.screen
        assert isinstance(sheet, AnalogiesSheet)
        await settle(pilot, lambda: sheet.query_one("#hits-table", Table).shown == 2)
        assert engine_of(app).asked("egen.analogy")[-1]["expected"] == "* 2 ln x"
        assert "2·ln(x) is the first answer" in str(sheet.query_one(".figures", Static).content)
        await press(pilot, "a")
        await write(pilot, "sin(x)")
        await press(pilot, "enter")
        assert not isinstance(app.screen, AnalogiesSheet)  # what is no analogy is not taken
        await write(pilot, " : csc(x) :: sinh(x)")
        await press(pilot, "enter")
        await settle(pilot, lambda: "expected" not in engine_of(app).asked("egen.analogy")[-1])
        asked = engine_of(app).asked("egen.analogy")[-1]
        assert (asked["x1"], asked["y1"], asked["x2"]) == ("sin x", "csc x", "sinh x")
        assert sheet.command_words()[-3:] == ["sin x", "csc x", "sinh x"]


@pytest.mark.parametrize(
    ("text", "found", "wrong"),
    [
        ("sin x : cos x :: sinh(x)", ("sin x", "cos x", "sinh x", ""), ""),
        ("x^2:2*x::x^3 = 3*x^2", ("pow x 2", "* 2 x", "pow x 3", "* 3 pow x 2"), ""),
        ("x : 2*x", None, "x2 is missing"),
        ("x : sin( :: x", None, "y1: "),
    ],
)
def test_an_analogy_is_read(text: str, found: tuple[str, ...] | None, wrong: str) -> None:
    read, said = read_analogy(text)
    assert said.startswith(wrong)
    if found:
        assert tuple(read[name] for name in ("x1", "y1", "x2", "y2")) == found


async def test_a_pair_of_ones_own_is_judged_and_derived(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        engine_of(app).steps = [
            {"prefix": "+ x x", "verdict": None, "rule": ""},
            {"prefix": "* 2 x", "verdict": "equal", "rule": "same-add"},
        ]
        pair = next(lookup for lookup in screen.lookups() if lookup.word == "pair")
        assert not pair.go("x + x")  # no pair
        assert pair.go("x + x = 2*x")
        await settle(pilot, lambda: "verdict  ✓ equal" in shown(app))
        assert "same-add" in shown(app)
        asked = engine_of(app).asked("egen.derive")[-1]
        assert (asked["start"], asked["target"]) == ("x + x", "2*x")
        await press(pilot, "escape")
        command = next(one for one in screen.list_commands() if one.name == "judge a pair")
        command.run()
        await settle(pilot)
        await write(pilot, "x")
        await press(pilot, "enter")
        assert "one = between" in shown(app)
        await write(pilot, "=2")
        engine_of(app).errors["egen.derive"] = EngineError("it cannot be read", code="E204")
        await press(pilot, "enter")
        await settle(pilot, lambda: "no derivation" in shown(app))


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (r"\sum_{i=1}^n i = n(n+1)/2", (r"\sum_{i=1}^n i", "n(n+1)/2")),
        ("f(x=1)\t2 = 2", ("f(x=1)", "2 = 2")),
        ("a = b = c", None),
        ("= b", None),
    ],
)
def test_a_pair_is_read(text: str, pair: tuple[str, str] | None) -> None:
    assert read_pair(text) == pair
