"""The Triplets screen by real keys."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input, Static

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.core.tree import Tree
from engines.mwp.problems.problem import Problem, read_equation
from engines.mwp.solver.reading import ScoredEquation
from engines.mwp.triplets.settings import Similarity
from engines.mwp.triplets.similarity import compare_problems
from screens.app import Workbench
from screens.shell.theme import text_width
from screens.triplets.columns import (
    OTHER,
    TripletChoice,
    align_edits,
    list_choices,
    mark_differences,
    tree_drawing,
)
from screens.triplets.evaluation import EvaluationSheet
from screens.triplets.screen import TripletsScreen
from screens.triplets.sheets import EditPath, ProblemMap, SolveSheet, solver_for
from screens.widgets.dialogs import Chooser
from screens.widgets.listing import Notice
from screens.widgets.scatter import Scatter
from screens.widgets.table import Table
from tests.conftest import mathwb
from tests.screens.arqmath_engine import HereCall, HereEngine
from tests.screens.driving import place, press, ready, settle, shown, until
from workbench.engine_process import CallResult
from workbench.workspace import Workspace

Make = Callable[..., Workbench]
Compare = Callable[..., bool]
WIDE, NARROW = (120, 40), (80, 24)

PROBLEMS = {
    "p1": ("Tom has 3 red pens and 4 blue pens . How many pens does Tom have ?", "3+4", 7),
    "p2": ("Ann has 5 red pens and 6 blue cups . How many things does Ann have ?", "5+6", 11),
    "p3": ("While 2 birds sat on the wire , another 7 came . Count all birds !", "2+7", 9),
    "p4": ("Tom has 9 red pens and loses 4 blue pens . How many pens does Tom have ?", "9-4", 5),
    "p5": ("Of 8 books on a shelf 3 were taken away . What is left ?", "8-3", 5),
    "p6": ("Each of 4 boxes holds 6 pens and 5 of them break . How many pens write ?", "4*6-5", 19),
}
CHINESE = {
    "1": ("小明有3个苹果，又买了4个，现在有多少个苹果？", "x=3+4", 7),
    "2": ("小红有5支笔，妈妈给她6支，她一共有几支笔？", "x=5+6", 11),
    "3": ("小明有9个苹果，吃了4个，还剩多少个苹果？", "x=9-4", 5),
}


def write_set(workspace: Workspace, name: str, problems: dict[str, tuple[str, str, float]]) -> Path:
    """A set of problems of the workspace."""
    file = workspace.make_folder("problems") / name / "problems.jsonl"
    file.parent.mkdir()
    rows = (
        {"id": id_, "text": text, "equation": equation, "answer": answer}
        for id_, (text, equation, answer) in problems.items()
    )
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> HereEngine:
    """What stands in for the engine processes: it runs the operations in this one."""
    engine = HereEngine()
    monkeypatch.setattr("workbench.engine_process.EngineProcess", lambda: engine)
    return engine


@pytest.fixture
def build(workspace: Workspace, make: Make, engine: HereEngine) -> Make:
    """The app over a workspace with such a set."""
    write_set(workspace, "mini", PROBLEMS)
    return lambda **options: make(**{"screen": "triplets", "jobs": [], **options})


def ids(screen: TripletsScreen) -> tuple[str, str, str]:
    assert screen.shown is not None
    triplet = screen.shown.found["triplet"]
    return triplet["anchor"], triplet["positive"], triplet["negative"]


def row(screen: TripletsScreen, id_: str) -> Any:
    return next(one for one in screen.anchors.table.rows.records if one["id"] == id_)


def words(screen: Any, name: str) -> str:
    return str(screen.query_one(f"#{name}", Static).content)


async def test_anchor_positive_and_negative_stand_side_by_side(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        # The sum that shares no word is the positive, the difference told in the same words the negative.
        assert ids(screen) == ("p1", "p3", "p4")
        assert place(screen)[:2] == ("mini", "anchor")
        assert [pane.region.y for pane in screen.problems] == [1, 1, 1]
        assert len({pane.region.x for pane in screen.problems}) == 3
        text = shown(app)
        for part in (
            "⟨3⟩ red pens",
            "⟨2⟩ birds",
            "N_0+N_1 = 7",
            "-  N_0=9  N_1=4",
            "highest of 2",
            "lowest of 2",
        ):
            assert part in text, part
        assert row(screen, "p1")["margin"] > 0
        assert row(screen, "p6")["alone"] == "yes"
        kinds = [one["as"] for one in screen.query_one("#candidates-table", Table).rows.records]
        assert kinds[:2] == ["negative", "negative"]
        assert "lost" in kinds


async def test_another_strategy_changes_the_triplet_and_says_what_changed(build: Make) -> None:
    """Way 5."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "G")
        assert ids(screen) == ("p6", "p6", ids(screen)[2])
        assert "the anchor itself" in shown(app)
        await press(pilot, "C")
        assert screen.choice == TripletChoice("nn")
        assert ids(screen)[1] != "p6"
        said = words(screen, "reasons")
        assert said.startswith(f"em · bibleu → nn · bibleu: positive p6 → {ids(screen)[1]} (text ")
        assert "p" in row(screen, "p6")["moved"]
        assert row(screen, "p1")["moved"] == ""
        assert screen.anchors.footnote.startswith("nn · bibleu")
        await press(pilot, "c", "1")
        assert screen.choice == TripletChoice("em")
        # What is known is there without a question.
        before = len(app.engine.calls)
        await press(pilot, "C")
        assert screen.choice.strategy == "nn"
        assert len(app.engine.calls) == before


async def test_another_pool_has_its_statistics(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        screen.change_choice(TripletChoice(pool="train,qr"))
        await settle(pilot)
        assert screen.pool is not None
        assert screen.pool["pool"]["qr"] > 0
        screen.show_pane("why")
        await press(pilot, "right_square_bracket")
        assert f"{screen.pool['pool']['qr']} qr" in words(screen, "pool-words")
        templates = screen.query_one("#templates-table", Table)
        chosen = screen.selection()
        assert chosen is not None
        assert chosen.command.endswith("problems.jsonl --pool train,qr")
        await press(pilot, "g", "enter")
        assert screen.anchors.listing.query_text == f'template="{templates.rows.get_record(0)["id"]}"'


async def test_the_edit_path_between_two_trees(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter")
        assert screen.active_pane is screen.problems[2]
        await press(pilot, "enter")
        assert isinstance(app.screen, EditPath)
        rows = app.screen.query_one("#edits-table", Table).rows.records
        assert [one["edit"] for one in rows] == ["rename", "keep", "keep"]
        assert (rows[0]["left"], rows[0]["right"]) == ("+", "-")
        assert "1 − 1/(3 + 3) = .83" in shown(app)
        assert app.screen.command_words() == ["mwp", "similarity", "N_0+N_1", "N_0-N_1"]
        await press(pilot, "escape", "tab", "G", "enter")
        assert isinstance(app.screen, EditPath)
        assert app.screen.query_one("#edits-table", Table).columns[-1].title == screen.why.candidate["id"]


async def test_a_bad_triplet_is_labelled_and_kept(build: Make, workspace: Workspace, tmp_path: Path) -> None:
    app = build()
    file = workspace.make_folder("problems") / "labels.jsonl"
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "J", "n")
        (kept,) = map(json.loads, file.read_text().splitlines())
        assert (kept["set"], kept["anchor"], kept["negative"], kept["label"]) == (
            "mini",
            "p1",
            "p4",
            "negative",
        )
        assert row(screen, "p1")["label"] == "negative"
        way = next(one for one in screen.exports() if one.name == "your labels")
        way.write(tmp_path / "labels.jsonl")
        assert json.loads((tmp_path / "labels.jsonl").read_text()) == kept
    again = build()
    async with again.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert row(screen, "p1")["label"] == "negative"
        await press(pilot, "J")
        assert isinstance(again.screen, Chooser)
        await press(pilot, "minus")
        assert file.read_text() == ""
        assert row(screen, "p1")["label"] == ""
        await press(pilot, "u")
        assert row(screen, "p1")["label"] == "negative"
        assert json.loads(file.read_text())["label"] == "negative"


async def test_a_bookmark_leads_to_the_same_triplet(build: Make, workspace: Workspace) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "G", "C", "m")
        (note,) = workspace.notes.all_records()
        assert note.address == "problems/mini/strategy/nn-bibleu-train/triplet/p6"
        await screen.anchors.listing.set_query("is:bookmarked")
        assert [one["id"] for one in screen.anchors.table.visible_records()] == ["p6"]
        await press(pilot, "escape")
        there = ids(screen)
        await press(pilot, "g", "C")
        assert ids(screen) != there
        app.navigation.go_to_address(note.address)
        await settle(pilot, lambda: ids(screen) == there)
        assert ids(screen) == there


async def test_the_palette_finds_a_problem_from_another_screen(build: Make) -> None:
    """Way 9."""
    app = build(screen="jobs")
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot, lambda: app.place is not None)
        await press(pilot, "colon")
        await settle(pilot, lambda: bool(app.destinations))
        await pilot.press("escape", "colon", *"holds")
        await settle(pilot)
        await press(pilot, "enter")
        await settle(pilot, lambda: isinstance(app.screen_stack[0], TripletsScreen))
        screen = await ready(pilot)
        await settle(pilot, lambda: screen.shown is not None and ids(screen)[0] == "p6")
        assert ids(screen)[0] == "p6"


async def test_a_yanked_command_prints_the_same(build: Make) -> None:
    """Way 7."""
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "C")
        chosen = screen.selection()
        assert chosen is not None
        told = shlex.split(chosen.command)
        place = told.index("mathwb")
        found = screen.shown.found["triplet"]  # type: ignore[union-attr]
    said = mathwb(*told[place + 1 :], "--json")
    assert json.loads(said.stdout)["triplet"] == found


async def test_any_problem_is_solved_and_the_tree_grows(
    build: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Solver:
        languages, note = ("en",), ""

        def solve(self, problems: list[Problem], *, beam: int) -> list[list[ScoredEquation]]:
            assert problems[0].numbers == ("4", "6", "5")
            found = ("(N_0*N_1)-N_2", -0.1), ("N_0*N_1+N_2", -2.5)
            return [[ScoredEquation(read_equation(text, Tree), score) for text, score in found][:beam]]

    monkeypatch.setattr("engines.mwp.solver.solve._open_light_solver", lambda _: None)
    monkeypatch.setattr("engines.mwp.solver.solve.open_cached_solver", lambda _: Solver())
    for name in ("mwp-en-mine", "mwp-zh-mine"):
        (workspace.models / name).mkdir()
        (workspace.models / name / "solver.json").write_text("{}")
    app = build()
    async with app.run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        assert {path.name for path in screen.solvers} >= {"mwp-en-mine", "mwp-zh-mine"}
        await press(pilot, "G", "a", "enter")
        sheet = app.screen
        assert isinstance(sheet, SolveSheet)
        assert sheet.model.name.startswith("mwp-en")
        steps = [row["work"] for row in sheet.query_one("#steps-table", Table).rows.records]
        assert steps == ["4 × 6 = 24", "24 − 5 = 19"]
        sheet._stop_growth()
        await press(pilot, "g")
        assert words(sheet, "tree") == "·\n├ *\n│ ├ N_0=4\n│ └ N_1=6\n└ N_2=5"
        await press(pilot, "down")
        assert words(sheet, "tree").startswith("-\n├ *")
        await press(pilot, "tab", "down")
        assert words(sheet, "tree").startswith("+\n├ *")
        assert "19" in shown(app)
        command = sheet.command_words()
        assert command is not None
        assert command[:2] == ["mwp", "solve"]
        assert command[3] == "Each of 4 boxes holds 6 pens and 5 of them break . How many pens write ?"


async def test_problems_are_mapped_before_and_after_training(
    build: Make, workspace: Workspace, engine: HereEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Solver:
        languages = ("en",)

        base = "another"

        def embed_problems(self, rows: list[Problem]) -> Any:
            import numpy

            return numpy.eye(len(rows))

    monkeypatch.setattr("engines.mwp.evaluations.evaluate.open_cached_solver", lambda _: Solver())
    (workspace.models / "mwp-en-mine").mkdir()
    (workspace.models / "mwp-en-mine" / "solver.json").write_text("{}")
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        command = next(one for one in screen.list_commands() if one.name == "map of the problems")
        assert command.reason == ""
        command.run()
        await settle(pilot, lambda: isinstance(app.screen, ProblemMap))
        sheet = app.screen
        assert isinstance(sheet, ProblemMap)
        after = sheet.query_one("#after", Scatter)
        await settle(pilot, lambda: len(after.dots) == len(PROBLEMS))
        assert {dot.key: dot.kind for dot in after.dots}["p6"] == "N_0*N_1-N_2"
        # This one was not begun from an encoder that had vectors before.
        assert "E645" in shown(app)
        after.lit = "p5"
        await press(pilot, "enter")
        assert ids(screen)[0] == "p5"


def test_the_solver_is_one_of_the_language_unless_one_was_chosen() -> None:
    known = [Path("mine"), Path("mwp-en"), Path("mwp-zh")]
    assert solver_for("Tom has 3 pens.", known, "") == known[1]
    assert solver_for("小明有3个苹果", known, "") == known[2]
    assert solver_for("小明有3个苹果", known, "mine") == known[0]
    assert solver_for("Tom has 3 pens.", known[:1], "") == known[0]
    assert solver_for("Tom has 3 pens.", [], "") is None


async def test_chinese_problems_keep_their_columns(
    workspace: Workspace, make: Make, engine: HereEngine
) -> None:
    write_set(workspace, "chinese", CHINESE)
    app = make(screen="triplets", jobs=[])
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        assert ids(screen) == ("1", "2", "3")
        text = shown(app)
        assert "小明有⟨3⟩个苹果" in text
        assert {text_width(line) for line in text.splitlines()} == {WIDE[0]}
        # The built-in sentence encoder reads no Chinese.
        assert screen.choice.next_choice(bertsim=screen.bertsim).text == "bibleu"
        assert all(one.text != "bertsim" for one in list_choices(bertsim=screen.bertsim))


async def test_narrow_terminals_have_the_three_as_tabs(build: Make) -> None:
    app = build()
    async with app.run_test(size=NARROW) as pilot:
        screen = await ready(pilot)
        for pane in screen.problems:
            await press(pilot, "tab")
            assert screen.active_pane is pane
            assert [one.display for one in screen.problems].count(True) == 1
            assert pane.region.right == NARROW[0]
        await press(pilot, "tab")
        assert screen.active_pane is screen.why
        await press(pilot, "f")
        assert screen.why.region.height == NARROW[1] - 2
        # There is room now, so the reason is whole.
        await pilot.pause()
        lines = [line.strip("│ ") for line in shown(app).splitlines()]
        assert "nearest other equation, text most similar to the anchor's" in " ".join(
            " ".join(lines).split()
        )


async def test_hostile_text_stays_text(workspace: Workspace, make: Make, engine: HereEngine) -> None:
    nasty = "[red]mark[/red]\x1b[31mred\u202e has 3 pens and 4 [b]cups . How many ?"
    write_set(workspace, "nasty", {"[b]x": (nasty, "3+4", 7), **PROBLEMS})
    app = make(screen="triplets", jobs=[])
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await ready(pilot)
        assert ids(screen)[0] == "[b]x"
        text = shown(app).replace("\n", "")
        assert not {*range(32), *range(127, 160), 0x202E} & set(map(ord, text))
        assert "[red]mark[/red]" in text


async def test_what_fails_says_why(build: Make, engine: HereEngine, workspace: Workspace) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        engine.errors["mwp.explain"] = EngineError("no negative", code="E685", remedy="Use a larger pool.")
        await press(pilot, "j")
        assert "E685" in shown(app)
        assert screen.why_not("judge") == "no triplet is shown"
        engine.errors["mwp.anchors"] = EngineError("too few equations", code="E681")
        await press(pilot, "r")
        assert "E681" in str(screen.query_one("#anchors Notice", Notice).content)


async def test_without_problems_the_screen_says_what_to_do(make: Make, engine: HereEngine) -> None:
    app = make(screen="triplets", jobs=[])
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot, lambda: bool(app.screen.query("#anchors Notice")))
        await settle(pilot)
        assert "No problems yet" in str(app.screen.query_one("#anchors Notice", Notice).content)


def test_the_screen_loads_nothing_heavy() -> None:
    heavy = {"numpy", "pyarrow", "torch", "numba", "faiss"}
    code = f"import sys, screens.triplets.screen, screens.triplets.panes; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_words_that_the_other_lacks_are_marked() -> None:
    def marks(text: str, other: str, language: str) -> set[str]:
        one, two = ({"text": t, "language": language, "numbers": ["7"]} for t in (text, other))
        found: Content = mark_differences(one, two)
        return {found.plain[span.start : span.end] for span in found.spans if span.style == OTHER}

    assert marks("Tom has N_0 pens .", "tom LOST N_0 Pens", "en") == {"has"}
    assert marks("小明买了苹果", "小明吃了苹果", "zh") == {"买"}


def test_a_tree_is_drawn_with_the_numbers_of_the_text() -> None:
    problem = {"numbers": ["4", "6", "5"]}
    assert tree_drawing(["-", "*", "N_0", "N_1", "N_2"], problem) == ["-", "├ *  N_0=4  N_1=6", "└ N_2=5"]
    assert tree_drawing(["*", "C_3_14", "N_1"], problem) == ["*  3.14  N_1=6"]


def test_edits_stand_in_the_order_of_both_trees() -> None:
    found = compare_problems(Similarity("N_0-N_1", "(N_0-N_1)*N_2+N_3"))
    order = align_edits(found["edits"])
    assert [one["left"] for one in order if one["left"] is not None] == [0, 1, 2]
    assert [one["right"] for one in order if one["right"] is not None] == list(range(7))


# What it looks like


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=lambda size: f"{size[0]}x{size[1]}")
def test_looks(build: Make, snap_compare: Compare, size: tuple[int, int]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await ready(pilot)
        await press(pilot, "G", "C")
        for field in pilot.app.screen.query(Input):
            field.cursor_blink = False
        # The sign of what runs goes with the next look.
        await settle(pilot, lambda: not pilot.app.badges)

    assert snap_compare(build(), terminal_size=size, run_before=run)


# The evaluation of a set


class Guesses:
    """A solver that gives every problem the same equation."""

    languages, note, learned, chosen = ("en",), "", (), ()

    def __init__(self, equation: str) -> None:
        self._equation = read_equation(equation, Tree)

    def solve(self, problems: list[Problem], **_: Any) -> list[list[ScoredEquation]]:
        return [[ScoredEquation(self._equation, -0.1)] for _ in problems]


@pytest.fixture
def guessing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two solvers of the workspace: one always adds, one always subtracts."""
    known = {"adds": Guesses("N_0+N_1"), "takes": Guesses("N_0-N_1")}
    for name in known:
        (workspace.models / name).mkdir()
        (workspace.models / name / "solver.json").write_text("{}")
    monkeypatch.setattr("engines.mwp.evaluations.evaluate.open_cached_solver", lambda path: known[path.name])


def listed(sheet: Any) -> list[Any]:
    return list(sheet._listing.table.rows.records)


@pytest.mark.usefixtures("guessing")
@pytest.mark.parametrize("size", [NARROW, pytest.param((200, 50), marks=pytest.mark.slow)])
async def test_a_set_is_evaluated_by_keys(build: Make, tmp_path: Path, size: tuple[int, int]) -> None:
    app = build()
    async with app.run_test(size=size) as pilot:
        screen = await ready(pilot)
        await press(pilot, "E")
        sheet = app.screen
        assert isinstance(sheet, EvaluationSheet)
        # Solutions first: each as steps, and as one tree.
        assert [row["chain"] for row in listed(sheet)][-1] == "4 × 6 = 24; 24 − 5 = 19"
        await press(pilot, "G")
        text = shown(app)
        for part in ("6 problems, 6 with steps", "1  4*6 = 24", "2  24-5 = 19", "N_0*N_1-N_2 = 19"):
            assert part in text, part
        # The audit: nothing is wrong here.
        await press(pilot, "right_square_bracket")
        assert "The audit found nothing" in shown(app)
        await press(pilot, "right_square_bracket")
        assert "No solver is evaluated yet" in shown(app)
        await press(pilot, "p")
        await press(pilot, str([path.name for path in screen.solvers].index("adds") + 1))
        # Three are sums; of the others two need another operation, one also a number more.
        assert {row["id"]: row["kind"] for row in listed(sheet)} == {
            "p4": "operation",
            "p5": "operation",
            "p6": "missed number",
        }
        assert "50.0 %" in shown(app)
        assert "answered 13, expected 5" in shown(app)
        await press(pilot, "right_square_bracket")
        assert "b chooses the solver" in shown(app)
        others = [path.name for path in screen.solvers if path.name != "adds"]
        await press(pilot, "b", str(others.index("takes") + 1))
        assert {row["id"]: row["right"] for row in listed(sheet)} == {
            **dict.fromkeys(("p1", "p2", "p3"), "here"),
            **dict.fromkeys(("p4", "p5"), "there"),
        }
        assert "right only here 3, only there 2" in shown(app)
        (jsonl, _) = sheet.exports()
        jsonl.write(tmp_path / "flips.jsonl")
        kept = [json.loads(line) for line in (tmp_path / "flips.jsonl").read_text().splitlines()]
        assert [row["id"] for row in kept] == ["p1", "p2", "p3", "p4", "p5"]
        # Enter leaves for the problem's triplet, and the evaluation is there again when it is opened.
        await press(pilot, "G", "enter")
        assert app.screen is screen
        assert screen.anchors.anchor_id == "p5"
        asked = [call.task for call in app.engine.calls].count("mwp.eval")
        await press(pilot, "E")
        assert len(listed(app.screen)) == 5
        assert [call.task for call in app.engine.calls].count("mwp.eval") == asked == 2


class SlowCall(HereCall):
    """An evaluation that is at its third problem until it is stopped."""

    def __init__(self, engine: HereEngine, task: str, params: Mapping[str, Any]) -> None:
        super().__init__(engine, task, params)
        self.ended = asyncio.Event()

    def stop(self) -> None:
        super().stop()
        self.ended.set()

    async def __aiter__(self) -> AsyncIterator[Event | CallResult]:
        yield Event("progress", {"done": 3, "total": 6, "unit": "problems"})
        await self.ended.wait()
        raise EngineError("the evaluation was stopped", code="E646", remedy="Run it again.")


@pytest.mark.usefixtures("guessing")
@pytest.mark.parametrize("key", ["x", pytest.param("escape", marks=pytest.mark.slow)])
async def test_an_evaluation_says_how_far_it_is_and_is_stopped(
    build: Make, engine: HereEngine, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    slow: list[SlowCall] = []

    def call(task: str, params: Mapping[str, Any]) -> HereCall:
        if task != "mwp.eval":
            return HereCall(engine, task, params)
        slow.append(SlowCall(engine, task, params))
        return slow[-1]

    monkeypatch.setattr(engine, "call", call)
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "E", "right_square_bracket", "right_square_bracket", "p")
        await pilot.press("1")
        await until(pilot, lambda: "evaluating: 3 of 6" in shown(app))
        # A comparison takes its place; wrong answers and flips are parts of one report.
        await pilot.press("b", "1")
        await until(pilot, lambda: slow[0].stopped and "evaluating both: 3 of 6" in shown(app))
        await pilot.press("left_square_bracket", "right_square_bracket")
        assert len(slow) == 2
        await pilot.press(key)
        await settle(pilot, lambda: slow[1].stopped)
        if key == "escape":
            assert app.screen is screen
        else:
            await settle(pilot, lambda: "E646" in shown(app))


@pytest.mark.slow
async def test_a_file_of_answers_is_evaluated(build: Make, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    given = {"p1": "7", "p2": "11", "p3": "9", "p4": "5", "p5": "5", "p6": "24 pens"}
    file.write_text("".join(json.dumps({"id": id_, "answer": text}) + "\n" for id_, text in given.items()))
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "E", "p", "f")
        await press(pilot, *str(tmp_path / "nowhere"))
        assert "there is no such file" in shown(app)
        await press(pilot, *("backspace" for _ in "nowhere"), *file.name, "enter")
        sheet = app.screen
        assert isinstance(sheet, EvaluationSheet)
        assert [(row["id"], row["kind"]) for row in listed(sheet)] == [("p6", "number of steps")]
        words = sheet.command_words()
        assert words is not None
        assert words[-2:] == ["--answers", str(file)]
    said = json.loads(mathwb(*words, "--json").stdout)
    assert said["mistakes"]["kinds"]["number of steps"]["ids"] == ["p6"]


async def test_solutions_without_equations_are_shown_with_their_wrong_step(
    workspace: Workspace, make: Make, engine: HereEngine
) -> None:
    file = workspace.make_folder("problems") / "gsm" / "problems.jsonl"
    file.parent.mkdir()
    answer = "In May 48/2 = <<48/2=25>>25.\nIn all 48+25 = <<48+25=73>>73.\n#### 73"
    row = {"question": "Ann sold 48 clips in April and half as many in May. How many?", "answer": answer}
    file.write_text(json.dumps(row) + "\n")
    app = make(screen="triplets", jobs=[])
    async with app.run_test(size=WIDE) as pilot:
        screen = app.screen_stack[0]
        await settle(pilot, lambda: getattr(screen, "source", "") and "E681" in shown(app))
        await press(pilot, "E")
        text = shown(app)
        assert "step 1: 48/2=25, it is 24" in text
        assert "✗ 48/2=25" in text
        await press(pilot, "enter")
        assert isinstance(app.screen, EvaluationSheet)
