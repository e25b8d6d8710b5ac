"""Ways 4, 6 and 7 from a screen that was sorted, filtered, left and opened again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engines.core.spec import to_mapping
from screens.app import Workbench
from screens.widgets.table import Table
from tests.screens import test_arqmath as arqmath
from tests.screens import test_mathamr as mathamr
from tests.screens.driving import press, ready
from tests.screens.mathamr_engine import QuickEngine, write_formula_collection
from tests.screens.test_arqmath import answers, topics
from tests.screens.test_way_7 import meant, printed, yanked
from workbench.operations import find_operation
from workbench.workspace import Workspace

build, files, engine = arqmath.build, arqmath.files, arqmath.engine
Make = Callable[..., Workbench]


@pytest.mark.slow
async def test_ways_4_and_7_on_arqmath(
    build: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = build()
    async with app.run_test(size=arqmath.WIDE) as pilot:
        await ready(pilot)
        # Another run, topics filtered and sorted by their second column, answers sorted by their first.
        await press(pilot, "c", "1", "slash", *"topic", "colon", "a", "enter", "s", "s")
        await press(pilot, "enter", "s", "q")
    again = build()
    async with again.run_test(size=arqmath.WIDE) as pilot:
        screen = await ready(pilot)
        assert screen.runs is not None
        assert (screen.runs.run, screen.runs.against) == ("bm25", "dense")
        assert topics(screen).sorting is not None
        assert topics(screen).filter is not None
        await press(pilot, "h", "S", "enter", "S")
        rows = topics(screen).visible_records()
        deltas = [row["delta"] for row in rows if row["delta"] is not None]
        topic, answer = topics(screen).current, answers(screen).current
        assert topic is not None
        assert answer is not None
        assert topic["delta"] == min(deltas)
        changes = [row["change"] for row in answers(screen).visible_records() if row["change"] is not None]
        assert answer["change"] == min(changes)
        # What is copied prints the topic that is shown, by the run that is shown.
        shown = {(row["id"], row["rank"], row["change"]) for row in screen.ranking.rows}
        await press(pilot, "h")
        of_topic = await yanked(pilot)
        everything = await yanked(pilot, "Y", "a")
        await press(pilot, "enter")
        of_answer = await yanked(pilot)
    found = printed(of_topic, monkeypatch)
    assert {(row["id"], row["rank"], row["change"]) for row in found["answers"]} == shown
    found = printed(everything, monkeypatch)
    assert found["run"] == "bm25"
    assert {row["id"] for row in rows} <= {row["id"] for row in found["topics"]}
    assert printed(of_answer, monkeypatch)["id"] == answer["id"]


@pytest.mark.slow
async def test_way_7_on_bars_and_search_hits(
    build: Make,
    engine: arqmath.HereEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = build()
    async with app.run_test(size=arqmath.WIDE) as pilot:
        await ready(pilot)
        await arqmath.press(pilot, "c", "1", "s", "s", "q")
    again = build()
    async with again.run_test(size=arqmath.WIDE) as pilot:
        screen = await ready(pilot)
        await arqmath.press(pilot, "enter", "right_square_bracket", "right_square_bracket")
        assert screen.page == "bars"
        bars = {row["id"]: row["ndcg"] for row in screen.query_one("#bars-table", Table).visible_records()}
        of_bars = await yanked(pilot)
        await arqmath.press(pilot, "a")
        await arqmath.write(pilot, "binomial theorem")
        await arqmath.press(pilot, "enter")
        hits = screen.query_one("#hits-table", Table)
        await arqmath.settle(pilot, lambda: hits.shown > 0)
        found = [row["id"] for row in hits.visible_records()]
        of_hits = await yanked(pilot)
        (asked,) = [call.params for call in engine.calls if call.task == "arqmath.search"]
    document = printed(of_bars, monkeypatch)
    assert document["run"] == "bm25"
    assert bars == {row["id"]: row["ndcg"]["bm25"] for row in document["topics"] if row["id"] in bars}
    assert len(bars) == 2
    # As many answers are asked for, and from the same index.
    assert meant(of_hits, monkeypatch) == (
        "arqmath.search",
        to_mapping(find_operation("arqmath.search").resolve_spec(asked)),
    )
    assert [hit["id"] for hit in printed(of_hits, monkeypatch)["hits"]] == found


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_formula_collection(tmp_path_factory.mktemp("collections") / "mini")


@pytest.mark.slow
async def test_way_6_on_mathamr(
    workspace: Workspace, formulas: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = QuickEngine()
    monkeypatch.setattr("engines.language.english.split_sentences", lambda text, **_: [(0, len(text))])
    monkeypatch.setattr("workbench.engine_process.EngineProcess", lambda: quick)
    shutil.copytree(formulas, workspace.make_folder("arqmath") / "mini")

    def built() -> Any:
        return make(screen="mathamr", jobs=[])

    app = built()
    async with app.run_test(size=mathamr.WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "enter", "s", "S")
        assert screen.inspection is not None
        name = screen.inspection.subject.name
        await press(pilot, "q")
    again = built()
    async with again.run_test(size=mathamr.WIDE) as pilot:
        screen = await ready(pilot)
        assert mathamr.subject(screen) == name
        await press(pilot, "enter", "slash", *"kind", "colon", *"reference", "enter", "g")
        table: Table = mathamr.nodes(screen)
        reference = table.current
        assert reference is not None
        assert reference["kind"] == "reference"
        await press(pilot, "enter")
        target = table.current
        assert target is not None
        assert target["kind"] != "reference"
        assert target["concept"] == reference["concept"]
        assert mathamr.lit(screen)
        await press(pilot, "escape")
        assert table.current_key == reference["id"]
