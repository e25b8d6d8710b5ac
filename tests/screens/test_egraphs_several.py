"""The E-graphs screen with several variables and assumptions: growing, what is copied, slices."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.widgets import Static

from engines.core.vocabulary import LETTERS, to_prefix
from engines.formula.infix import read_infix
from screens.app import Workbench
from screens.egraphs.columns import parse_growth
from screens.egraphs.growth import GrowLine
from screens.egraphs.member import MemberPane
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
    ],
)
def test_what_is_assumed_and_weighed_comes_after_the_expression(
    text: str, infix: str, settings: dict[str, str]
) -> None:
    assert parse_growth(text) == (to_prefix(read_infix(infix, LETTERS)), settings, "")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x where x", "compares nothing"),
        ("x weights trig", "is not a family's weight"),
        ("x weights trig=2 where x > 0", "is not a family's weight"),
        ("where x > 0", "where"),
        ("x^ where x > 0", "character"),
        ("sum(k, 1, n, k)", "not rewritten"),
    ],
)
def test_what_cannot_be_grown_is_said(text: str, wrong: str) -> None:
    found = parse_growth(text)
    assert found[:2] == ("", {})
    assert wrong in found[2]


@pytest.mark.slow
async def test_several_variables_are_grown_copied_and_sliced(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.screens.egraph_engine.GROWN", GROWN)
    set_value("egen.style", "any")
    set_value("egen.order", "readable")
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert screen.why_not("later")
        await press(pilot, "a")
        line = screen.query_one(GrowLine)
        assert "style any (F2), readable first (F3)" in str(line.query_one(".say", Static).content)
        line.field.value = f"{HEAD} where x > 0 weights power=2"
        await press(pilot, "f3")
        assert "style any (F2), random first (F3)" in str(line.query_one(".say", Static).content)
        await press(pilot, "f2", "f2", "f2", "f3", "f3", "f3", "enter", "x")
        await settle(pilot, lambda: bool(screen.why_not("stop")))

        # What was asked, and where it is said.
        asked_for = screen.now.drafts[0].params
        wanted = {"expr": "* sqrt pow x 2 y", "assume": "0 < x", "style": "any", "order": "readable"}
        wanted["weights"] = "power=2.0"
        assert wanted.items() <= asked_for.items()
        middle = screen.query_one("#middle", Pane)
        assert middle.footnote.startswith("x, y where 0 < x · stopped")
        assert middle.footnote.endswith(" · any, readable, weighted, seed 0")
        assert not screen.why_not("keep")
        assert screen.describe_unsaved()
        assert "K saves it" in str(line.query_one(".say", Static).content)

        # The member that holds only where x is positive is judged there.
        await press(pilot, "j", "j")
        await settle(pilot, lambda: "✓ equal" in case(screen))
        assert "where 0 < x" in case(screen)
        assert str(screen.query_one("#points-table", Table).columns[0].title) == "where"

        # A slice goes through a judged point, with the same values as the engine's there.
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

        # The command lines have the options, and growing again has the settings.
        for member, words in (
            (True, "mathwb egen explain --assume '0 < x' --seed 0 -- '* sqrt pow x 2 y' '* x y'"),
            (False, "--style any --weights power=2.0 --order readable"),
        ):
            if not member:
                await press(pilot, "h")
            await press(pilot, "Y", "c")
            path = state_dir() / "clipboard.txt"
            await settle(pilot, lambda words=words, path=path: words in path.read_text("utf-8"))  # type: ignore[misc]
            assert words in path.read_text("utf-8")
        assert "--assume '0 < x'" in path.read_text("utf-8")
        await press(pilot, "i")
        await settle(pilot)
        lines = app.screen.query_one(ReaderBox).reader.lines
        told = {
            "variables   x, y",
            "assumed     0 < x",
            "style       any, readable first",
            "weights     power=2.0",
        }
        assert told <= set(map(str, lines))
        await press(pilot, "escape", "R", "x")
        await settle(pilot, lambda: bool(screen.why_not("stop")))
        assert screen.now.drafts[1].params == asked_for
        assert line.field.value == "sqrt(x^2)*y where 0 < x weights power=2.0"


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
