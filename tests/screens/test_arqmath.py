"""The ARQMath screen by real keys."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from textual.pilot import Pilot
from textual.widgets import Input, Static

from engines.arqmath.collection.posts import StoredPost
from engines.core.errors import EngineError
from engines.core.events import ignore, never
from screens.app import Workbench
from screens.arqmath.answer import GradeLine
from screens.arqmath.columns import draw_bar, draw_sparkline, format_fraction, format_signed
from screens.arqmath.screen import ArqmathScreen
from screens.egraphs.sheets import DerivationSheet
from screens.shell.request import RequestAnswer
from screens.shell.theme import fold_lines, text_width
from screens.widgets.dialogs import Prompt, TextScreen
from screens.widgets.listing import Notice, ReaderBox
from screens.widgets.pane import Pane
from screens.widgets.table import Table
from screens.widgets.table_columns import cell_content
from tests.screens.arqmath_engine import HereEngine, write_collection, write_run
from tests.screens.driving import place, press, ready, settle, showing, shown, until, write
from workbench.operations import find_operation
from workbench.papers.arqmath.data import Collection
from workbench.workspace import Workspace, ensure_sample

Make = Callable[..., Workbench]
Compare = Callable[..., bool]
WIDE, NARROW = (120, 40), (80, 24)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with its index."""
    folder = write_collection(tmp_path_factory.mktemp("collections") / "mini")
    params = {"folder": str(folder), "index": str(folder / "index")}
    assert find_operation("arqmath.prepare").run(params, events=ignore, stop=never)["complete"]
    return folder


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> HereEngine:
    """What stands in for both engine processes."""
    engine = HereEngine()
    monkeypatch.setattr("workbench.engine_process.EngineProcess", lambda: engine)
    return engine


@pytest.fixture
def build(workspace: Workspace, files: Path, make: Make, engine: HereEngine) -> Make:
    """The app over a workspace with that collection."""
    shutil.copytree(files, workspace.make_folder("arqmath") / "mini")

    def built(**options: Any) -> Workbench:
        return make(**{"screen": "arqmath", "jobs": [], **options})

    return built


@pytest.fixture
def read_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the cross-encoders that were asked; each likes calculators."""
    asked: list[str] = []

    class LikesCalculators:
        def select_text(self, answer: StoredPost) -> str:
            return answer.text

        def score(self, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
            return np.array([0.9 if "calculator" in answer else 0.1 for _, answer in pairs])

        def probability(self, score: float) -> float:
            return score

    def opened(folder: Path) -> LikesCalculators:
        asked.append(folder.name)
        return LikesCalculators()

    monkeypatch.setattr("engines.arqmath.ranking.search._load_cross_encoder", opened)
    return asked


async def search(pilot: Pilot[Any], words: str) -> Table:
    """The answers that are found for these words."""
    await press(pilot, "a")
    await write(pilot, words)
    await press(pilot, "enter")
    hits = pilot.app.screen.query_one("#hits-table", Table)
    await settle(pilot, lambda: hits.shown > 0)
    return hits


def topics(screen: ArqmathScreen) -> Table:
    return screen.query_one("#topics-table", Table)


def answers(screen: ArqmathScreen) -> Table:
    return screen.query_one("#answers-table", Table)


def ids(table: Table) -> list[str]:
    return [str(record["id"]) for record in table.visible_records()]


def read(screen: ArqmathScreen, name: str = "answer") -> str:
    return "\n".join(screen.query_one(f"#{name}-text", ReaderBox).reader.lines)


def about(screen: ArqmathScreen) -> str:
    return str(screen.query_one("#about", Static).content)


async def test_topics_ranking_and_answer_stand_side_by_side(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        # The last run is shown, the first one is what it is held against.
        assert (screen.runs.run, screen.runs.against) == ("dense", "bm25")
        assert place(screen) == ("mini", "dense", "A.1", "answer 13")
        assert ids(topics(screen)) == ["A.1", "A.2", "A.3"]
        assert topics(screen).current["kind"] == "both"
        rows = answers(screen).visible_records()
        assert [row["id"] for row in rows] == ["13", "22", "12", "14", "11", "99"]
        by_id = {row["id"]: row for row in rows}
        assert [(by_id[i]["rank"], by_id[i]["move"], by_id[i]["grade"]) for i in ("13", "12", "11")] == [
            (1, 3, 0),
            (3, -1, 2),
            (5, -4, 3),
        ]
        assert by_id["22"]["grade"] is None
        assert (by_id["99"]["rank"], by_id["99"]["grade"]) == (None, 2)
        assert by_id["11"]["answer"].startswith("Count subsets by size: ∑")
        assert "A.1 · 5 answers" in f"{screen.query_one('#middle', Pane).title} " + str(
            screen.query_one("#middle", Pane).detail
        )
        foot = str(screen.query_one("#mean", Static).content)
        mean = next(run for run in screen.runs.overview["runs"] if run["name"] == "dense")["ndcg_prime"]
        assert f"mean {format_fraction(mean)} [" in foot
        await press(pilot, "enter", "G", "k")
        assert about(screen).startswith("Sum of binomials"), "the question first"
        assert "grade 3  high" in about(screen)
        assert "▼4" in about(screen)
        assert "1 bm25 · 5 dense" in about(screen)
        text = read(screen)
        assert "∑" in text
        assert "\\binom" not in text
        assert "question it answers: 10" in text
        assert "How many subsets has a set?" in text
        assert "tags combinatorics" in text
        await press(pilot, "L")
        assert "\\binom{n}{k}" in read(screen)
        await press(pilot, "enter", "right_square_bracket")
        assert "without induction" in read(screen, "topic")


def links(screen: ArqmathScreen) -> list[tuple[str, str]]:
    table = screen.query_one("#links-table", Table)
    return [(row["link"], row["verdict"]) for row in table.visible_records()]


@pytest.mark.slow
async def test_the_links_of_an_answer_are_judged_once(build: Make, engine: HereEngine) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "j", "j", "j", "enter")
        assert place(screen)[-1] == "answer 14"
        assert not [call for call in engine.calls if call.task == "proofread"]
        await press(pilot, "left_square_bracket")
        await settle(pilot, lambda: links(screen) == [("2ⁿ⁻¹ + 2ⁿ⁻¹ = 2ⁿ", "right")])
        assert "1 right" in shown(app)
        await press(pilot, "L")
        assert links(screen) == [("2^{n-1} + 2^{n-1} = 2^n", "right")]
        [asked] = [call for call in engine.calls if call.task == "proofread"]
        given = Path(asked.params["file"])
        await press(pilot, "h", "k", "j")
        assert [verdict for _, verdict in links(screen)] == ["right"]
        assert sum(call.params.get("file") == str(given) for call in engine.calls) == 1
        engine.errors["proofread"] = EngineError("the judge is gone", code="E661")
        await press(pilot, "j")
        await settle(pilot, lambda: "✗ E661 the judge is gone" in shown(app))
    assert not given.exists()


@pytest.mark.slow
async def test_a_link_is_derived_on_the_e_graphs_screen_and_opened_at_its_line(
    build: Make, engine: HereEngine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Way 12: an answer, its links, the derivation of one, and its line in the editor."""
    from contextlib import nullcontext

    app = build()
    monkeypatch.setattr(app, "suspend", nullcontext)
    opened = tmp_path / "opened"
    editor = tmp_path / "vi"
    editor.write_text(f'#!/bin/sh\nprintf "%s " "$1" > {opened}\ncat "$2" >> {opened}\n')
    editor.chmod(0o755)
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "j", "j", "j", "enter")
        assert "no link is shown" in screen.why_not("edit")
        await press(pilot, "left_square_bracket")
        await settle(pilot, lambda: links(screen))
        await press(pilot, "o")
        assert "no editor is set" in [happening.text for happening in app.activity][-1]
        monkeypatch.setenv("EDITOR", str(tmp_path / "none"))
        await press(pilot, "o")
        assert "cannot be started" in [happening.text for happening in app.activity][-1]
        monkeypatch.setenv("EDITOR", str(editor))
        await press(pilot, "o")
        assert (
            opened.read_text() == "+1 By induction on $n$: Pascal's rule gives $2^{n-1} + 2^{n-1} = 2^n$.\n"
        )
        await press(pilot, "d")
        await until(pilot, lambda: isinstance(app.screen, DerivationSheet))
        assert app.current_mode == "egraphs"
        await settle(pilot, lambda: "verdict  ✓ equal" in shown(app))
        [asked] = [call for call in engine.calls if call.task == "egen.derive"]
        assert (asked.params["start"], asked.params["target"]) == ("2^{n-1} + 2^{n-1}", "2^n")


async def test_a_written_answer_is_checked_before_its_text(build: Make, engine: HereEngine) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await screen.ranking.show_page("written-page")
        screen.show_pane("middle")
        await settle(pilot, lambda: "checked: no links" in read(screen))
        assert [call.task for call in engine.calls].count("proofread") == 1
        await press(pilot, "right_square_bracket")


def test_the_screen_loads_nothing_heavy() -> None:
    heavy = {"numpy", "pyarrow", "torch", "lxml", "faiss"}
    modules = "screens.arqmath.screen, workbench.papers.arqmath.data"
    code = f"import sys, {modules}; print(*{heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


async def test_where_a_run_hurts_most_and_the_answer_that_fell(
    make: Make, workspace: Workspace, engine: HereEngine
) -> None:
    """Way 4, from the start screen of the sample workspace and with the real tasks."""
    ensure_sample(workspace)
    engine.indexes = False  # texts are read from the posts: indexing takes seconds
    app = make(screen="egraphs", jobs=[])
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot, lambda: app.place is not None)
        await pilot.press("4")
        await settle(pilot, lambda: isinstance(app.screen_stack[0], ArqmathScreen))
        screen = await ready(pilot)
        keys = ["S", "enter", "S"]
        if screen.runs.run not in ("cross-encoder", "dense"):
            names = [run["name"] for run in screen.runs.overview["runs"]]
            wanted = "cross-encoder" if "cross-encoder" in names else "dense"
            keys = ["c", str(names.index(wanted) + 1), *keys]
        assert len(keys) + 1 <= 6
        await press(pilot, *keys)
        assert screen.runs.against == "bm25"
        losses = [topic["delta"] for topic in topics(screen).visible_records() if topic["delta"] is not None]
        assert topics(screen).current["delta"] == min(losses) < 0
        row = answers(screen).current
        changes = [one["change"] for one in answers(screen).visible_records() if one["change"] is not None]
        assert row["change"] == min(changes) < 0
        assert place(screen)[-1] == f"answer {row['id']}"
        assert "rank" in about(screen)
        await settle(pilot, lambda: bool(read(screen)))
        assert "question it answers" in read(screen)


async def test_two_runs_side_by_side(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "d")
        moves = screen.query_one("#moves-table", Table)
        pairs = [
            (row["left"] and row["left"]["id"], row["right"] and row["right"]["id"])
            for row in moves.visible_records()
        ]
        assert pairs == [("11", "13"), ("12", "22"), ("14", "12"), ("13", "14"), (None, "11")]
        assert [column.title for column in moves.columns] == ["rank", "bm25", "", "dense"]
        drawn = [str(cell_content(moves.columns[2], row)) for row in moves.visible_records()]
        assert any(character > "\u2800" for line in drawn for character in line)
        assert place(screen)[-1] == "answer 13"
        await press(pilot, "h")
        assert place(screen)[-1] == "answer 11"
        await press(pilot, "h")
        assert app.focused is topics(screen)


async def test_other_runs_are_chosen_and_added(build: Make, tmp_path: Path) -> None:
    more = write_run(tmp_path / "mine.tsv", {"A.1": ["11", "12"], "A.2": ["21", "22"]})
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "c", "1")
        assert (screen.runs.run, screen.runs.against) == ("bm25", "dense")

        screen.change_runs(more, add=True)
        await settle(pilot, lambda: len(screen.runs.names) == 3)
        await settle(pilot)
        await press(pilot, "c", "3")
        assert (screen.runs.run, screen.runs.against) == ("mine", "dense")
        await press(pilot, "b", "1")
        assert (screen.runs.run, screen.runs.against) == ("mine", "bm25")
        assert topics(screen).visible_records()[0]["ndcg"] < 1.0
        screen.change_runs(tmp_path / "none.tsv", add=True)
        await settle(pilot)
        assert "none.tsv" in app.activity[-1].text
        screen.change_runs(more, add=False)
        await settle(pilot, lambda: len(screen.runs.names) == 2)
        assert more.exists()


async def test_filters_know_grades_judgements_and_runs(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter")
        for query, found in (
            ("judged:no", ["22"]),
            ("grade:0", ["13"]),
            ("grade>1 run:dense", ["12", "11"]),
            ("!run:bm25", ["22", "99"]),
            ("induction", ["14"]),
        ):
            await screen.query_one("#answers").set_query(query)  # type: ignore[attr-defined]
            await settle(pilot)
            assert ids(answers(screen)) == found, query
        await press(pilot, "escape")
        assert len(ids(answers(screen))) == 6


@pytest.mark.slow
async def test_an_unjudged_answer_is_judged_by_key(build: Make, workspace: Workspace, tmp_path: Path) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        official = Path(workspace.make_folder("arqmath") / "mini" / "qrels_task1.tsv").read_text("utf-8")
        assert screen.why_not("judge") == "it has an official grade, which cannot be changed"
        # J where nothing can be judged says so, and the grade behind it goes to no other screen.
        await press(pilot, "J")
        assert isinstance(app.screen, GradeLine)
        assert "answer 13 cannot be judged: it has an official grade, which cannot be changed" in shown(app)
        await press(pilot, "3")
        assert isinstance(app.screen, GradeLine)
        await press(pilot, "escape")
        assert app.current_mode == "arqmath"
        await press(pilot, "enter", "j", "J")
        assert isinstance(app.screen, GradeLine)
        assert "grade 0-3 of answer 22 to A.1, esc cancels" in shown(app)
        await press(pilot, "2")
        assert answers(screen).current["own"] == 2
        assert "your grade 2  medium" in about(screen)
        own = Collection(
            "mini", workspace.make_folder("arqmath") / "mini", workspace.make_folder("arqmath") / "mini"
        ).open_judgements()
        assert own.qrels_lines() == ["A.1\t0\t22\t2"]
        # The official grades and all that is counted from them stay.
        assert (workspace.make_folder("arqmath") / "mini" / "qrels_task1.tsv").read_text("utf-8") == official
        assert answers(screen).current["grade"] is None
        await press(pilot, "e", "q")
        assert isinstance(app.screen, Prompt)
        app.screen.query_one(Input).value = str(tmp_path / "own.tsv")
        await press(pilot, "enter")
        await settle(pilot, lambda: (tmp_path / "own.tsv").exists())
        assert (tmp_path / "own.tsv").read_text("utf-8") == "A.1\t0\t22\t2\n"
        await press(pilot, "J", "minus")
        assert answers(screen).current["own"] is None
        assert len(screen.ranking.judgements or ()) == 0
        await press(pilot, "u")
        assert answers(screen).current["own"] == 2
        await press(pilot, "u")
        assert answers(screen).current["own"] is None


@pytest.mark.slow
async def test_a_free_query(build: Make, engine: HereEngine) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "p", "j", "enter")
        hits = await search(pilot, "binomial theorem")
        assert ids(hits)[0] == "12"
        assert place(screen) == ("mini", "search", "answer 12")
        assert "Put x = y = 1" in read(screen)
        assert "lexical, not ranked again" in screen.query_one("#middle", Pane).footnote
        chosen = screen.selection()
        assert chosen is not None
        assert "arqmath search" in chosen.command
        engine.errors["arqmath.search"] = EngineError("the index is damaged", code="E661")
        await press(pilot, "a", "enter")
        assert "E661" in str(screen.query_one("#hits Notice", Notice).content)


@pytest.mark.usefixtures("read_again")
async def test_what_was_found_is_forgotten_with_the_collection(build: Make, tmp_path: Path) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        hits = await search(pilot, "binomial theorem")
        mini = screen.collection
        assert mini is not None
        screen.open_collection(mini)
        assert hits.shown > 0  # the same one is read again
        screen.open_collection(Collection("other", write_collection(tmp_path / "other"), tmp_path / "index"))
        await settle(pilot, lambda: hits.shown == 0)
        assert "No search yet" in str(screen.query_one("#hits Notice", Notice).content)


@pytest.mark.slow
async def test_a_second_opinion_comes_first(build: Make, read_again: list[str]) -> None:
    """In a workspace without models by the one that ships; another one, or none, is chosen by keys."""
    app = build()
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await ready(pilot)
        footnote = screen.query_one("#middle", Pane)
        hits = await search(pilot, "derivative limit")
        assert (read_again, hits.visible_records()[0]["again"]) == (["arqmath-reranker"], 0.9)
        assert ids(hits)[0] == "23"
        assert "lexical, then arqmath-reranker (ships with mathwb)" in footnote.footnote
        chosen = screen.selection()
        assert chosen is not None
        assert chosen.command.endswith("models/arqmath-reranker")
        await press(pilot, "p", "j", "enter")
        assert [record["again"] for record in hits.visible_records()] == [None] * hits.shown
        assert ids(hits)[0] != "23"
        folder = app.workspace.models / "judge"
        folder.mkdir()
        (folder / "config.json").write_text('{"architectures": ["BertForSequenceClassification"]}', "utf-8")
        await press(pilot, "p", "g", "enter")
        assert (read_again[1:], ids(hits)[0]) == (["judge"], "23")
        assert "then judge (of this workspace)" in footnote.footnote
        await press(pilot, "p", "j", "enter", "q")
    again = build()
    async with again.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await search(pilot, "derivative limit")
    assert read_again[1:] == ["judge", "arqmath-reranker", "arqmath-reranker"]


@pytest.mark.usefixtures("read_again")
async def test_answers_to_an_earlier_search_come_too_late(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        hits = await search(pilot, "binomial theorem")
        before = ids(hits)
        model = screen.hits.model
        screen.take_search_result(
            RequestAnswer(("use limit", model), {"how": "lexical", "matched": False, "hits": []})
        )
        await settle(pilot)
        assert ids(hits) == before
        screen.take_search_result(
            RequestAnswer(("binomial theorem", model), {"how": "lexical", "matched": False, "hits": []})
        )
        await settle(pilot)
        assert ids(hits) == []


async def test_written_answers_bars_and_judgements_have_pages(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "right_square_bracket", "right_square_bracket")
        bars = screen.query_one("#bars-table", Table)
        assert ids(bars) == ["A.1", "A.2"]
        await press(pilot, "right_square_bracket")
        lines = screen.query_one("#qrels", ReaderBox).reader.lines
        assert any(line.startswith("3 high") and line.split()[2] == "2" for line in lines)
        assert "2 of 3 topics are judged" in lines
        assert "    AR 3.000  P@1 1.000  over 1 of 2 answers" in lines
        await press(pilot, "right_square_bracket")
        written = screen.query_one("#written-table", Table)
        assert [(row["run"], row["grade"]) for row in written.visible_records()] == [("gpt", 3)]
        assert "so 2ⁿ." in " ".join(read(screen).split())
        await press(pilot, "greater_than_sign")
        assert screen.topic == "A.2"
        assert written.current["grade"] is None
        await press(pilot, "left_square_bracket", "left_square_bracket", "j", "enter")
        assert screen.page == "rank"
        assert screen.topic == "A.2"


async def test_provenance_names_the_files(build: Make, workspace: Workspace) -> None:
    (workspace.root / "exports").mkdir(exist_ok=True)
    app = build()
    (workspace.make_folder("arqmath") / "mini" / "runs_task1" / "broken.tsv").write_text(
        "A.1 Q0 11 1 nan x\n", "utf-8"
    )
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        assert "broken.tsv" in app.activity[-1].text
        await press(pilot, "i")
        assert isinstance(app.screen, TextScreen)
        text = "\n".join(app.screen.query_one(ReaderBox).reader.lines)
        for words in ("qrels_task1.tsv", "run bm25   tag bm25", "over 2 judged topics", "left out"):
            assert words in text


@pytest.mark.slow
async def test_the_place_is_found_again(build: Make) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "c", "1", "j", "enter", "j")
        before = place(screen)
        await press(pilot, "q")
    assert before == ("mini", "bm25", "A.2", "answer 23")
    again = build()
    async with again.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await settle(pilot, lambda: place(screen) == before)
        assert place(screen) == before


def test_figures_are_written_short_and_bars_have_their_length() -> None:
    assert [format_fraction(value) for value in (0.6123, 1.0, 0.0, None)] == [".612", "1.00", ".000", "–"]
    assert [format_signed(value) for value in (0.104, -0.22, 0.0001, None)] == ["+.104", "−.220", ".000", ""]
    assert draw_sparkline([0.0, 0.5, 1.0], 3) == "▁▅█"
    assert draw_sparkline([0.0, 1.0, 0.0, 1.0], 2) == "▅▅"
    assert draw_sparkline([0.0, 1.0], 20) == "▁█"
    assert str(draw_bar(0.5, cells=4)) == "██  "
    assert str(draw_bar(0.5, 0.99, cells=4)) == "██ ┃"


@pytest.mark.parametrize("cells", [8, 13, 40])
def test_folded_text_fits_and_loses_nothing(cells: int) -> None:
    text = "∑_{k=0}^n C(n,k) = 2ⁿ and averyveryverylongwordwithoutanyspace 漢字漢字漢字漢字漢字\n\nnext"
    lines = fold_lines(text, cells)
    assert all(text_width(line) <= cells for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


# What it looks like


@pytest.mark.parametrize("size", [(200, 50), WIDE, NARROW, (60, 16)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_looks(build: Make, snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(build(), terminal_size=size, run_before=showing(ready, "enter", "S"))


def test_looks_of_an_answer(build: Make, snap_compare: Compare) -> None:
    assert snap_compare(build(), terminal_size=NARROW, run_before=showing(ready, "enter", "S", "enter"))


def test_looks_of_two_runs(build: Make, snap_compare: Compare) -> None:
    assert snap_compare(build(), terminal_size=WIDE, run_before=showing(ready, "d", "j", "j"))


def test_looks_of_the_judgements_ascii(build: Make, snap_compare: Compare) -> None:
    keys = ("enter", *["right_square_bracket"] * 3)
    assert snap_compare(build(ascii=True), terminal_size=NARROW, run_before=showing(ready, *keys))
