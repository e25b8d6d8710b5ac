"""Growing on the E-graphs screen: watched, stopped, failed, grown again, kept."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

import screens
from engines.core.errors import EngineError
from engines.egen.corpora import save_cluster
from engines.egen.settings import EgenConfig
from screens.app import Workbench
from screens.egraphs.clusters import ClustersPane
from screens.egraphs.growth import GrowLine
from screens.egraphs.screen import EgraphsScreen
from screens.egraphs.sources import ClusterSource, open_source
from screens.widgets.pane import Pane
from tests.screens.driving import PATIENCE_S, place, press, ready, rest, settle, shown, write
from tests.screens.egraph_engine import HEAD
from tests.screens.test_egraphs import WIDE, build, clusters, corpus, grown, members

__all__ = ["build", "corpus"]

Make = Callable[..., Workbench]


@pytest.mark.slow
async def test_growing_is_watched_stopped_and_kept(build: Make) -> None:
    """Way 2."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        line = screen.query_one(GrowLine)
        await write(pilot, "sin(x)^2 + cos(x")
        said = line.query_one(".say", Static)
        assert "✗" in str(said.content)
        await press(pilot, "enter")
        assert not app.engine.calls[-1].params.get("expr", "").startswith("+")  # type: ignore[attr-defined]
        await write(pilot, ")^2")
        assert str(said.content) == "= sin(x)² + cos(x)²"
        await press(pilot, "enter")
        assert members(screen).shown == 5
        assert place(screen)[:2] == ("not saved", "cluster 0")
        assert "iteration 4 · 1 204 nodes · 310 classes · 4 members" in str(said.content)
        assert screen.why_not("add")
        assert screen.why_not("keep")
        await press(pilot, "x")
        await settle(pilot, lambda: not screen.why_not("keep"))
        assert [row["verdict"] for row in members(screen).visible_records()] == ["equal"] * 5
        assert screen.why_not("stop") == "nothing is growing"
        await press(pilot, "K")
        await settle(pilot, lambda: "grown" in place(screen))
        assert clusters(screen).current["head"] == "+ pow sin x 2 pow cos x 2"
        assert screen.query_one("#left", ClustersPane).sources == ("sample-e", "mine", "grown")
        assert (app.workspace.corpora / "grown" / "manifest.json").exists()
        assert members(screen).shown == 5


async def test_what_is_grown_while_a_corpus_is_still_read_stays_in_sight(
    build: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read = threading.Event()

    def slow(path: Path) -> ClusterSource:
        may_read.wait(PATIENCE_S)
        return open_source(path)

    monkeypatch.setattr("screens.egraphs.sources.open_source", slow)
    async with build().run_test(size=WIDE) as pilot:
        screen = pilot.app.screen_stack[0]
        assert isinstance(screen, EgraphsScreen)
        while not screen.built or not screen.query_one("#left", ClustersPane).sources:
            await pilot.pause(0.01)
        await pilot.press("a")
        pilot.app.screen.query_one(GrowLine).query_one(Input).value = "sin x"
        await pilot.press("enter")
        while place(screen)[:1] != ("not saved",):
            await pilot.pause(0.01)
        may_read.set()
        await settle(pilot)
        assert place(screen)[:2] == ("not saved", "cluster 0")
        assert members(screen).shown == 5
        await press(pilot, "x")
        await settle(pilot, lambda: not screen.why_not("keep"))


async def test_a_cluster_is_grown_again_with_its_settings(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        seed = screen.now.cluster.seed  # type: ignore[union-attr]
        await press(pilot, "R")
        call = next(call for call in app.engine.calls if call.params.get("members", 1) > 1)  # type: ignore[attr-defined]
        assert call.params["expr"] == HEAD
        assert (call.params["seed"], call.params["mode"]) == (seed, "strict")
        await press(pilot, "x")
        await settle(pilot, lambda: not screen.why_not("keep"))


async def test_a_growth_that_fails_says_so_and_cannot_be_kept(build: Make) -> None:
    app = build()
    app.engine.errors["egen.generate"] = EngineError("out of memory", remedy="Ask for less.", code="E110")  # type: ignore[attr-defined]
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        await write(pilot, "sin x")
        await press(pilot, "enter")
        assert "E110" in str(screen.query_one(GrowLine).query_one(".say", Static).content)
        assert "failed" in screen.why_not("keep")
        await press(pilot, "a", "escape")
        assert not screen.query_one(GrowLine).display


async def test_a_growth_that_is_stopped_before_it_began_ends_calmly(build: Make) -> None:
    app = build()
    app.engine.cold = True  # type: ignore[attr-defined]
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "R", "x")
        await settle(pilot, lambda: bool(screen.why_not("stop")))
        said = str(screen.query_one(GrowLine).query_one(".say", Static).content)
        assert said.startswith("stopped before anything had grown")
        assert screen.query_one("#middle", Pane).footnote == "stopped at 0 nodes"
        assert screen.why_not("keep") == "it was stopped before it had members; R grows it again"
        assert not app.activity


@pytest.mark.slow
async def test_a_cluster_keeps_the_settings_it_was_grown_with(build: Make) -> None:
    app = build()
    app.workspace.corpora.joinpath("grown").mkdir()
    for mode, head in (("common", "sin x"), ("strict", "cos x")):
        config = EgenConfig(mode=mode, members=7, seed=5)  # type: ignore[arg-type]
        save_cluster(
            app.workspace.corpora / "grown", grown(head, [(f"+ 0 {head}", "equal")], "saturated"), config
        )
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "colon")
        await write(pilot, "corpus grown")
        await press(pilot, "enter")
        await settle(pilot, lambda: "grown" in place(screen))
        cluster = screen.now.cluster
        assert cluster is not None
        assert (cluster.mode, cluster.settings["members"], cluster.seed) == ("common", 7, 5)
        await press(pilot, "enter", "right_square_bracket")
        asked = next(call for call in app.engine.calls if call.task == "egen.egraph")  # type: ignore[attr-defined]
        assert asked.params["mode"] == "common"
        await press(pilot, "R", "x")
        await settle(pilot, lambda: not screen.why_not("keep"))
        # What arrives are members, so they are shown, and not the e-graph that was looked at.
        assert screen.middle.page_name == "members"
        await press(pilot, "K")
        await settle(pilot, lambda: "grown" in place(screen))
        manifest = json.loads((app.workspace.corpora / "grown" / "manifest.json").read_text("utf-8"))
        # The one with the same head that was there stays.
        assert [config["mode"] for config in manifest["configs"]] == ["common", "strict", "common"]
        assert manifest["config"]["mode"] == "common"
        await settle(pilot, lambda: screen.now.cluster is not None and screen.now.cluster.number == 2)
        cluster = screen.now.cluster
        assert cluster is not None
        assert (cluster.mode, cluster.seed, clusters(screen).shown) == ("common", 5, 3)


async def test_the_bar_goes_by_itself_once_the_growth_is_over(
    build: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("screens.egraphs.growth._STAYS_S", 0.05)
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        await write(pilot, "sin(x)^2 + cos(x)^2")
        await press(pilot, "enter", "x")
        await settle(pilot, lambda: not screen.query_one(GrowLine).display)
        assert clusters(screen).current["head"] == "+ pow sin x 2 pow cos x 2"


async def pasted(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await rest(pilot)
    await settle(pilot)


async def test_a_formula_pasted_in_several_lines_is_one(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        line = screen.query_one(GrowLine)
        await pasted(pilot, "\\frac{x}{2}\r\n+ x^2\n")
        assert line.field.value == r"\frac{x}{2} + x^2"
        assert str(line.query_one(".say", Static).content) == "= x/2 + x²"
        line.field.value = "2*"
        line.field.cursor_position = 2
        await pasted(pilot, "sin(\n\n   x\t)\n")
        assert line.field.value == "2*sin( x )"


async def test_of_several_formulas_pasted_each_can_be_grown(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        line = screen.query_one(GrowLine)
        await pasted(pilot, "sin(x)^2\ncos(2*x)\nfoo bar(\n")
        assert "grow 2 formulas" in shown(app)
        assert "cannot be read: foo bar(" in shown(app)
        # Who does not choose still has all of it.
        await press(pilot, "escape")
        assert line.field.value == "sin(x)^2 cos(2*x) foo bar("
        line.field.value = ""
        await pasted(pilot, "sin(x)^2\ncos(2*x)\nfoo bar(\n")
        await press(pilot, "1")
        assert line.field.value == "foo bar("
        for _ in range(2):
            await settle(pilot, lambda: line.growing)
            line._generate.stop()
            await settle(pilot, lambda draft=line.drafts[-1]: draft not in line.drafts)  # type: ignore[misc]
        assert [draft.head for draft in line.drafts] == ["pow sin x 2", "cos * 2 x"]


async def test_too_many_lines_are_a_corpus(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "a")
        await pasted(pilot, "\n".join(f"x + {number}" for number in range(60)))
        assert "60 lines; to grow each" in str(screen.query_one(GrowLine).query_one(".say", Static).content)


async def test_every_field_keeps_all_that_is_pasted(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        for keys in ("slash", "colon", "M"):
            await press(pilot, keys)
            field = app.focused
            assert isinstance(field, Input), keys
            field.value = ""
            await pasted(pilot, "first\n\tsecond\x1b third\r\nfourth")
            assert field.value == "first second  third fourth", keys
            await press(pilot, "escape")


def test_there_is_no_other_field() -> None:
    """Textual's own drops all lines but the first."""
    made = re.compile(r"(?<!Line)\bInput\(|\(Input\):|TextArea")
    files = [path for path in Path(screens.__file__).parent.rglob("*.py") if path.name != "line_input.py"]
    assert not [path.name for path in files if made.search(path.read_text("utf-8"))]
