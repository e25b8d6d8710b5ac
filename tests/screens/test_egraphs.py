"""The E-graphs screen by real keys."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engines.core.errors import EngineError
from engines.egen.corpora import save_cluster
from engines.egen.corpus.folder import GrownHead, StoredMember
from engines.egen.settings import EgenConfig
from engines.mathematics.verification.verdicts import MemberVerdict
from screens.app import Workbench
from screens.egraphs.egraph import EgraphListing
from screens.egraphs.member import MemberPane
from screens.egraphs.screen import EgraphsScreen
from screens.shell.bars import Header
from screens.widgets.dialogs import TextScreen
from screens.widgets.listing import ReaderBox
from screens.widgets.pane import Pane
from screens.widgets.plot import PlotWidget
from screens.widgets.table import Table
from tests.screens.driving import place, press, ready, settle, showing, until, write
from tests.screens.egraph_engine import HEAD, StillEngine
from workbench.workspace import Workspace, ensure_sample

Make = Callable[..., Workbench]
WIDE, NARROW = (120, 40), (80, 24)
CLUSTERS = (
    (HEAD, [("/ 63 sech - * 7 x 2", "equal"), ("* 63 cosh - * 7 x 2", "equal")], "node_limit"),
    ("x", [("ln pow e x", "equal"), ("pow sqrt x 2", "shrinks"), ("sin asin x", "shrinks")], "saturated"),
    ("sin ln x", [("* 1 sin ln x", "equal"), ("sin / ln pow x 2 2", "extends")], "saturated"),
)


def grown(head: str, members: list[tuple[str, str]], stop: str) -> GrownHead:
    rows = [
        StoredMember(text, MemberVerdict(verdict, 0.5 if verdict == "shrinks" else 1.0))
        for text, verdict in [(head, "equal"), *members]
    ]
    return GrownHead(0, tuple(rows), stop, 5, 3_000, 410, "21000000000000000")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora") / "sample-e"
    for head, members, stop in CLUSTERS:
        save_cluster(folder, grown(head, members, stop), EgenConfig())
    return folder


@pytest.fixture
def build(workspace: Workspace, corpus: Path, make: Make) -> Callable[..., Workbench]:
    """The app over a workspace with that corpus and a second one, with an engine that stands still."""
    for name in ("sample-e", "mine"):
        shutil.copytree(corpus, workspace.corpora / name)

    def built(**options: Any) -> Workbench:
        app = make(screen="egraphs", jobs=[], **options)
        app.__dict__["engine"] = StillEngine()
        return app

    return built


def clusters(screen: EgraphsScreen) -> Table:
    return screen.query_one("#clusters-table", Table)


def members(screen: EgraphsScreen) -> Table:
    return screen.query_one("#members-table", Table)


def case(screen: EgraphsScreen) -> str:
    return str(screen.query_one("#case", Static).content)


async def test_the_first_cluster_is_shown_with_members_and_curve(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert place(screen) == ("sample-e", "cluster 0", "members", "head")
        assert (clusters(screen).shown, members(screen).shown) == (3, 3)
        middle = screen.query_one("#middle", Pane)
        assert middle.detail == "2 of 2.1e16"
        assert middle.footnote.startswith("stop: node limit 3 000 · rules ")
        assert middle.footnote.endswith(" · any, seed 0")
        await press(pilot, "enter", "j")
        assert place(screen)[-1] == "member 1"
        assert "✓ equal" in case(screen)
        assert "domain every real x" in case(screen)
        assert len(screen.query_one(PlotWidget).series) == 2
        assert screen.query_one(PlotWidget).gaps == ()


def test_the_screen_loads_nothing_heavy() -> None:
    heavy = {"numpy", "pyarrow", "torch", "sympy", "egglog"}
    # What is not seen at first comes when it is opened.
    later = ("egraph", "vectors", "growth", "sheets")
    heavy |= {f"screens.egraphs.{name}" for name in later} | {"screens.widgets.scatter"}
    code = f"import sys, screens.egraphs.screen; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.slow
async def test_why_a_member_shrinks_in_seven_keys(workspace: Workspace, make: Make) -> None:
    """Way 1, on the sample workspace and with the real tasks."""
    ensure_sample(workspace)
    app = make(screen="egraphs", jobs=[])
    app.__dict__["engine"] = StillEngine()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        keys = ("slash", "s", "h", "r", "enter", "enter")
        assert len(keys) <= 7
        await press(pilot, *keys)
        assert members(screen).current["verdict"] == "shrinks"
        assert "▾ shrinks" in case(screen)
        assert "fails in" in case(screen)
        first = screen.query_one("#points-table", Table).current
        assert (first["head_state"], first["member_state"]) == ("defined", "undefined")
        assert first["why"]
        assert first["term"]
        assert screen.query_one(PlotWidget).gaps


async def test_the_points_where_a_member_fails_come_first(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "j", "enter", "j", "j")
        assert members(screen).current["prefix"] == "pow sqrt x 2"
        points = screen.query_one("#points-table", Table).visible_records()
        failing = [point for point in points if point["member_state"] != "defined"]
        assert points[: len(failing)] == failing
        assert all(point["x"] < 0 and point["term"] == "sqrt x" for point in failing)
        assert "head: every real x" in case(screen)
        assert "fails in √x: negative" in case(screen)
        await press(pilot, "enter")
        assert app.focused is screen.query_one("#points-table")
        await press(pilot, "right_square_bracket")
        forms = screen.query_one("#forms", ReaderBox).reader.lines
        assert "  sqrt(x)^2" in forms
        assert "  pow sqrt x 2" in forms
        assert "  └ 2" in forms


async def test_isolated_points_are_named_beside_the_verdict(build: Make) -> None:
    app = build()
    app.engine.exceptions = "0, 1/2"  # type: ignore[attr-defined]
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "j")
        assert "✓ equal except at 0, 1/2  on " in case(screen)


async def test_nothing_of_before_stands_under_a_notice(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "right_square_bracket")
        listing = screen.query_one("#graph", EgraphListing)
        assert listing.table.has_focus
        listing.show_loading("growing the e-graph")
        await settle(pilot)
        assert listing.notice.display
        assert "growing" in str(listing.notice.content)
        assert listing.table.has_focus
        assert listing.table.shown == 0


@pytest.mark.slow
async def test_the_egraph_is_walked_by_keys(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "right_square_bracket")
        listing = screen.query_one("#graph", EgraphListing)
        middle = screen.query_one("#middle", Pane)
        assert middle.detail == "› c7 · 8 classes, 10 nodes"
        assert listing.table.shown == 10
        await press(pilot, "j", "l")
        assert listing.table.shown == 12
        await press(pilot, "j", "j", "enter")
        assert middle.detail.startswith("› c7 › c6 ")
        await press(pilot, "j", "enter")
        assert middle.detail.startswith("› c7 › c6 › c5 ")
        assert screen.query_one(MemberPane).title == "class c5"
        await press(pilot, "escape", "escape")
        assert middle.detail.startswith("› c7 › c6 ")
        assert listing.table.current_key == "c7.0.1"
        await press(pilot, "h")
        assert listing.table.current_key == "c7.0"
        await press(pilot, "h", "h", "h")
        assert listing.table.current_key == "c7"
        await press(pilot, "h")
        assert screen.active_pane is not None
        assert screen.active_pane.id == "left"
        await press(pilot, "l", "slash")
        await write(pilot, "label:cosh")
        assert next(row["class"] for row in listing.table.visible_records()) == "c6"
        await press(pilot, "enter", "escape", "left_square_bracket")
        assert place(screen) == ("sample-e", "cluster 0", "members", "head")


async def test_an_egraph_that_cannot_be_grown_says_why(build: Make) -> None:
    app = build()
    app.engine.errors["egen.egraph"] = EngineError("out of memory", code="E110")  # type: ignore[attr-defined]
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "right_square_bracket")
        notice = screen.query_one("#graph", EgraphListing).notice
        assert notice.display
        assert "E110 out of memory" in str(notice.content)


@pytest.mark.slow
async def test_filters_reach_operator_size_verdict_and_text(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        found = {}
        for text in ("op:cosh size<9", "!all", "verdict:extends", "63*cosh"):
            await press(pilot, "slash")
            await write(pilot, text)
            found[text] = [row["cluster"] for row in clusters(screen).visible_records()]
            await press(pilot, "escape")
        assert found == {
            "op:cosh size<9": [0],
            "!all": [1, 2],
            "verdict:extends": [2],
            "63*cosh": [0],
        }


@pytest.mark.slow
async def test_corpora_are_changed_by_brackets_and_palette(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "right_square_bracket")
        assert place(screen)[0] == "mine"
        await press(pilot, "left_square_bracket")
        assert place(screen)[0] == "sample-e"
        for wanted, crumb in {
            "corpus mine": "mine",
            "cluster 2": "cluster 2",
            "member 1": "member 1",
        }.items():
            await press(pilot, "colon")
            await write(pilot, wanted)
            await press(pilot, "enter")
            await settle(pilot, lambda crumb=crumb: crumb in place(screen))
            assert crumb in place(screen)


async def test_a_corpus_being_built_shows_what_is_there(build: Make, workspace: Workspace) -> None:
    folder = workspace.corpora / "mine"
    plan = json.loads((folder / "manifest.json").read_text("utf-8"))
    plan["source"]["heads"] = 40
    (folder / "plan.json").write_text(json.dumps(plan), "utf-8")
    (folder / "manifest.json").unlink()
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "right_square_bracket")
        assert place(screen)[0] == "mine"
        assert screen.query_one("#left", Pane).footnote == "not finished: 1 of 3 shards"
        assert [row["cluster"] for row in clusters(screen).visible_records()] == [0, 1, 2]
        await press(pilot, "j", "enter", "j", "j")
        assert members(screen).current["verdict"] == "shrinks"


async def test_a_damaged_corpus_is_one_explained_error(build: Make, workspace: Workspace) -> None:
    (workspace.corpora / "sample-e" / "clusters.parquet").write_bytes(b"cut")
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = pilot.app.screen_stack[0]
        assert isinstance(screen, EgraphsScreen)
        await settle(pilot, lambda: bool(screen.query("#clusters Notice")))
        notice = screen.query_one("#clusters").query_one("Notice", Static)
        await settle(pilot, lambda: "E320" in str(notice.content))
        assert "clusters.parquet" in str(notice.content)
        assert screen.why_not("yank")
        await press(pilot, "right_square_bracket")
        assert place(screen)[0] == "mine"


async def test_a_workspace_without_corpora_says_what_to_do(make: Make) -> None:
    app = make(screen="egraphs", jobs=[])
    app.__dict__["engine"] = StillEngine()
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot, lambda: bool(pilot.app.screen_stack[0].query("#clusters Notice")))
        screen = pilot.app.screen_stack[0]
        notice = screen.query_one("#clusters").query_one("Notice", Static)
        await settle(pilot, lambda: "No corpus yet" in str(notice.content))
        assert "a  grow one" in str(notice.content)


async def test_derivations_and_their_absence(build: Make) -> None:
    app = build()
    steps = [
        {"prefix": "/ 63 sech - * 7 x 2", "rule": None, "verdict": "equal"},
        {"prefix": "* 63 cosh - * 7 x 2", "rule": "cosh-reciprocal", "verdict": "equal"},
    ]
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert screen.why_not("diff")
        await press(pilot, "enter", "j", "space", "space", "d")
        assert isinstance(app.screen, TextScreen)
        await settle(pilot, lambda: "… searching" not in app.screen.query_one(ReaderBox).reader.lines)
        lines = app.screen.query_one(ReaderBox).reader.lines
        assert "No derivation was found within the bound; there may be a longer one." in lines
        app.engine.steps = steps  # type: ignore[attr-defined]
        await press(pilot, "escape", "d")
        await settle(pilot, lambda: "… searching" not in app.screen.query_one(ReaderBox).reader.lines)
        lines = app.screen.query_one(ReaderBox).reader.lines
        assert lines[-3].endswith("cosh-reciprocal")
        assert lines[-3].startswith("✓ 63·cosh(7x − 2)")
        assert "mathwb egen derive --mode strict -- " in lines[-1]
        asked = app.engine.calls[-1].params  # type: ignore[attr-defined]
        assert (asked["start"], asked["target"]) == (steps[0]["prefix"], steps[1]["prefix"])


async def test_provenance_names_settings_and_rules(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "i")
        await settle(pilot, lambda: "cosh-even" in "".join(app.screen.query_one(ReaderBox).reader.lines))
        text = "\n".join(app.screen.query_one(ReaderBox).reader.lines)
        assert "stopped     node limit, after 5 iterations" in text
        assert "rule table" in text
        assert "  4  mul-comm\n  1  cosh-even" in text
        await press(pilot, "i")
        assert isinstance(app.screen, EgraphsScreen)


@pytest.mark.slow
async def test_the_session_comes_back_to_the_same_member(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "right_square_bracket", "j", "enter", "j", "j")
        before = place(screen)
        await press(pilot, "q")
    assert before == ("mine", "cluster 1", "members", "member 2")
    again = build()
    async with again.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await settle(pilot, lambda: place(screen) == before)
        assert place(screen) == before


async def test_a_narrow_terminal_shows_the_case_in_place_of_the_members(build: Make) -> None:
    app = build()
    async with app.run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        await press(pilot, "j", "enter", "j", "j", "enter")
        assert screen.query_one("#right", Pane).display
        assert not screen.query_one("#middle", Pane).display
        await press(pilot, "escape")
        assert screen.query_one("#middle", Pane).display


# What it looks like


SHRINKS = ("j", "enter", "j", "j")
Compare = Callable[..., bool]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(200, 50), WIDE, NARROW, (60, 16)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_looks(build: Make, snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(build(), terminal_size=size, run_before=showing(ready, *SHRINKS))


def test_looks_of_the_case(build: Make, snap_compare: Compare) -> None:
    assert snap_compare(build(), terminal_size=NARROW, run_before=showing(ready, *SHRINKS, "enter"))


@pytest.mark.slow
def test_looks_of_the_egraph(build: Make, snap_compare: Compare) -> None:
    keys = ("enter", "right_square_bracket", "j", "l")
    assert snap_compare(build(), terminal_size=WIDE, run_before=showing(ready, *keys))


@pytest.mark.slow
def test_looks_of_growing(build: Make, snap_compare: Compare) -> None:
    keys = ("a", *"sin", "space", "x", "enter")
    shown = showing(ready, *keys)

    async def run(pilot: Pilot[None]) -> None:
        await shown(pilot)
        # The sign of what runs comes with the next look.
        await until(pilot, lambda: bool(pilot.app.screen.query_one(Header).badges))
        await pilot.pause()

    assert snap_compare(build(), terminal_size=WIDE, run_before=run)


@pytest.mark.slow
def test_looks_light(build: Make, snap_compare: Compare) -> None:
    app = build()
    app.theme = "mathwb-light"
    assert snap_compare(app, terminal_size=WIDE, run_before=showing(ready, *SHRINKS))


def test_looks_ascii(build: Make, snap_compare: Compare) -> None:
    assert snap_compare(build(ascii=True), terminal_size=NARROW, run_before=showing(ready, *SHRINKS, "enter"))


@pytest.mark.slow
def test_looks_without_colour(build: Make, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(build(), terminal_size=WIDE, run_before=showing(ready, *SHRINKS))
