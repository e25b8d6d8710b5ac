"""The E-graphs screen with several variables and assumptions: growing, what is copied, slices."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engines.core.expression_language import LETTERS, to_prefix
from engines.formula.infix import read_infix
from screens.app import Workbench
from screens.egraphs.growth import GrowLine
from screens.egraphs.growth_text import parse_growth
from screens.egraphs.member import MemberPane
from screens.egraphs.screen import EgraphsScreen
from screens.widgets.listing import ReaderBox
from screens.widgets.pane import Pane
from screens.widgets.plot import PlotWidget
from screens.widgets.table import Table
from tests.screens.driving import press, ready, settle
from tests.screens.test_egraphs import WIDE, build, case, corpus
from workbench.config import set_value
from workbench.folders import state_dir

__all__ = ["build", "corpus"]

Build = Callable[..., Workbench]
HEAD = "sqrt(x^2)*y"
GROWN = ["* y sqrt pow x 2", "* x y"]


@pytest.mark.parametrize(
    ("text", "infix", "settings"),
    [
        ("x^2 - y^2 ", "x^2 - y^2", {}),
        (r"\frac{x}{y} where y != 0", "x/y", {"assume": "y != 0"}),
        ("a*x  where x>0, n integer", "a*x", {"assume": "n integer, 0 < x"}),
        ("sin x weights trig=4,hyperbolic=.2", "sin(x)", {"weights": "hyperbolic=0.2, trig=4.0"}),
        ("x where x>0 weights power=2", "x", {"assume": "0 < x", "weights": "power=2.0"}),
        ("x weights power=2 where x > 0", "x", {"assume": "0 < x", "weights": "power=2.0"}),
        ("ln x members 50 holes mode common", "ln x", {"members": 50, "holes": True, "mode": "common"}),
    ],
)
def test_what_is_assumed_and_weighed_comes_after_the_expression(
    text: str, infix: str, settings: dict[str, object]
) -> None:
    assert parse_growth(text) == (to_prefix(read_infix(infix, LETTERS)), settings, "")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x where x", "compares nothing"),
        ("x weights trig", "is not a family's weight"),
        ("x mode strikt", "Did you mean 'strict'?"),
        ("x members many", "a whole number is needed"),
        ("where x > 0", "is empty"),
        ("x^ where x > 0", "character"),
        ("sum(k, 1, n, k)", "not rewritten"),
    ],
)
def test_what_cannot_be_grown_is_said(text: str, wrong: str) -> None:
    found = parse_growth(text)
    assert found[:2] == ("", {})
    assert wrong in found[2]


@contextlib.asynccontextmanager
async def growing(
    build: Build, monkeypatch: pytest.MonkeyPatch, *keys: str
) -> AsyncIterator[tuple[Pilot[None], EgraphsScreen]]:
    """Open the screen and grow `GROWN` from `HEAD` where x > 0; the keys are pressed in the line before."""
    monkeypatch.setattr("tests.screens.egraph_engine.GROWN", GROWN)
    set_value("egen.style", "any")
    set_value("egen.order", "readable")
    async with build().run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        screen.query_one(GrowLine).field.value = f"{HEAD} where x > 0 weights power=2"
        await press(pilot, *keys, "enter", "x")
        await settle(pilot, lambda: bool(screen.why_not("stop")))
        yield pilot, screen


@pytest.mark.slow
async def test_the_line_says_how_members_are_drawn_and_two_keys_change_it(build: Build) -> None:
    set_value("egen.style", "any")
    set_value("egen.order", "readable")
    async with build().run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        line = screen.query_one(GrowLine)
        assert "style any (F2), readable first (F3)" in str(line.query_one(".say", Static).content)
        line.field.value = f"{HEAD} where x > 0 weights power=2"
        await press(pilot, "f3")
        assert "style any (F2), random first (F3)" in str(line.query_one(".say", Static).content)


@pytest.mark.slow
async def test_what_was_asked_is_said_at_what_was_grown(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The keys go once through all styles and all orders.
    async with growing(build, monkeypatch, *["f2"] * 3, *["f3"] * 4) as (_, screen):
        wanted = {"expr": "* sqrt pow x 2 y", "assume": "0 < x", "style": "any", "order": "readable"}
        wanted["weights"] = "power=2.0"
        assert wanted.items() <= screen.now.drafts[0].params.items()
        middle = screen.query_one("#middle", Pane)
        assert middle.footnote.startswith("x, y where 0 < x · stopped")
        assert middle.footnote.endswith(" · any, readable, weighted, seed 0")
        assert not screen.why_not("keep")
        assert screen.describe_unsaved()
        assert "K saves it" in str(screen.query_one(GrowLine).query_one(".say", Static).content)


@pytest.mark.slow
async def test_a_member_is_judged_where_the_assumptions_hold(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with growing(build, monkeypatch) as (pilot, screen):
        await press(pilot, "j", "j")
        await settle(pilot, lambda: "✓ equal" in case(screen))
        assert "where 0 < x" in case(screen)
        assert str(screen.query_one("#points-table", Table).columns[0].title) == "where"


@pytest.mark.slow
async def test_a_slice_goes_through_a_judged_point(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the same values as the engine's there."""
    async with growing(build, monkeypatch) as (pilot, screen):
        await press(pilot, "j", "j")
        await settle(pilot, lambda: "✓ equal" in case(screen))
        pane, plot = screen.query_one("#right", MemberPane), screen.query_one(PlotWidget)
        assert not screen.why_not("later")
        runs = []
        for _ in range(2):
            over = pane.slices[len(runs)]
            assert plot.caption.startswith(over.words)
            runs.append(over.runs)
            held = dict(over.fixed)
            # Only where x > 0, as is assumed, though the head has values elsewhere.
            assert plot.series[0].xs[-1] == 5
            assert 0 < plot.series[0].xs[0] < 1 if over.runs == "x" else plot.series[0].xs[0] == -5
            at = [(x, y) for x, y in zip(plot.series[1].xs, plot.series[1].ys, strict=True) if y is not None]
            assert all(y == pytest.approx(x * next(iter(held.values())), rel=1e-6, abs=1e-6) for x, y in at)
            await press(pilot, "greater_than_sign")
        assert runs == ["x", "y"]
        await press(pilot, "less_than_sign", "less_than_sign")
        assert plot.caption.startswith(pane.slices[0].words)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("j", "j"), "mathwb egen explain --assume '0 < x' --seed 0 -- '* sqrt pow x 2 y' '* x y'"),
        (("h",), "--style any --weights power=2.0 --order readable"),
    ],
    ids=["member", "head"],
)
async def test_copied_commands_have_the_options(
    build: Build, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...], words: str
) -> None:
    async with growing(build, monkeypatch) as (pilot, screen):
        await press(pilot, *keys)
        await settle(pilot, lambda: "h" in keys or "✓ equal" in case(screen))
        await press(pilot, "Y", "c")
        path = state_dir() / "clipboard.txt"
        await settle(pilot, lambda: path.exists() and words in path.read_text("utf-8"))
        assert words in path.read_text("utf-8")
        assert "--assume '0 < x'" in path.read_text("utf-8")


@pytest.mark.slow
async def test_growing_again_has_the_same_settings(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    async with growing(build, monkeypatch) as (pilot, screen):
        asked_for = screen.now.drafts[0].params
        await press(pilot, "i")
        await settle(pilot)
        lines = set(map(str, pilot.app.screen.query_one(ReaderBox).reader.lines))
        assert {"variables   x, y", "assumed     0 < x", "weights     power=2.0"} <= lines
        assert "style       any, readable first" in lines
        await press(pilot, "escape", "R", "x")
        await settle(pilot, lambda: bool(screen.why_not("stop")))
        assert screen.now.drafts[1].params == asked_for
        assert screen.query_one(GrowLine).field.value == "sqrt(x^2)*y where 0 < x weights power=2.0"


@pytest.mark.slow
async def test_curves_are_drawn_only_where_what_is_assumed_holds(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At y = 2 the range of x reaches below 2, where x > y does not hold; n has values at whole numbers."""
    monkeypatch.setattr("tests.screens.egraph_engine.GROWN", ["abs - x y", "+ - x y * 0 n"])
    app = build()
    async with app.run_test(size=(80, 40)) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        screen.query_one(GrowLine).field.value = "abs(x - y) + 0*n where x > y, n integer"
        await press(pilot, "enter", "x")
        await settle(pilot, lambda: bool(screen.why_not("stop")))
        await press(pilot, "j", "j", "tab")
        pane, plot = screen.query_one("#right", MemberPane), screen.query_one(PlotWidget)
        await settle(pilot, lambda: bool(plot.series))
        seen = set()
        for number in range(len(pane.slices)):
            over = pane.slices[number]
            await settle(pilot, lambda over=over: over.words in plot.caption)  # type: ignore[misc]
            held = dict(over.fixed)
            for one in plot.series:
                for run, value in zip(one.xs, one.ys, strict=True):
                    at = {**held, over.runs: run}
                    assert (value is not None) == (at["x"] > at["y"] and at["n"].is_integer())
            seen.add(over.runs)
            # Which variable runs, and at which values of the others, is said where there is little room too.
            assert over.words in plot.render().plain
            assert not plot.gaps
            await press(pilot, "greater_than_sign")
        assert seen == {"x", "y", "n"}
