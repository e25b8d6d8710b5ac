"""What the E-graphs screen says of verdicts, signs and waiting, and where it spends its width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engines.egen.generation import Generate, cluster_document, generate, without_members
from screens.app import Workbench
from screens.egraphs.columns import verdict_content
from screens.egraphs.growth import GrowLine, GrowthDraft
from screens.egraphs.screen import EgraphsScreen
from screens.shell.palette import help_lines
from screens.widgets.listing import ReaderBox
from screens.widgets.plot import PlotWidget
from screens.widgets.reader import TextReader
from screens.widgets.table import Table
from screens.widgets.table_columns import cell_content
from tests.screens.driving import press, ready, settle, until
from tests.screens.test_egraphs import NARROW, WIDE, build, case, clusters, corpus, members
from workbench.papers.egen.tables import CLUSTERS

__all__ = ["build", "corpus"]

Build = Callable[..., Workbench]
LARGE = (200, 50)


async def on_shrinking(pilot: Pilot[Any]) -> EgraphsScreen:
    screen = await ready(pilot)
    await press(pilot, "j", "enter", "j", "j")
    assert members(screen).current["prefix"] == "pow sqrt x 2"
    return screen


def widths(table: Table) -> dict[str, int]:
    return {column.name: cells for column, cells in table._column_widths()}


@pytest.mark.slow
async def test_the_share_of_a_verdict_says_of_what(build: Build) -> None:
    async with build().run_test(size=WIDE) as pilot:
        screen = await on_shrinking(pilot)
        rows = screen.query_one("#points-table", Table).visible_records()
        judged = [row for row in rows if row["head_state"] == "defined"]
        lost = [row for row in judged if row["member_state"] != "defined"]
        kept = len(judged) - len(lost)
        of = f"of {len(judged)} points of the head's domain"
        assert f"▾ shrinks  equal on {kept} {of}, undefined on {len(lost)}" in case(screen)


@pytest.mark.slow
@pytest.mark.parametrize("size", [NARROW, WIDE, LARGE])
async def test_the_plot_says_what_its_crosses_are(build: Build, size: tuple[int, int]) -> None:
    async with build().run_test(size=size) as pilot:
        screen = await on_shrinking(pilot)
        await press(pilot, "enter")
        assert "× " in str(screen.query_one(PlotWidget).render()).splitlines()[-1]
        reason = str(screen.query_one("#reason", Static).render())
        assert reason.startswith("x = -")
        assert reason.endswith("negative, in √x")
        assert "fails in √x: negative" in case(screen)
        # The points beside their header, at every size.
        assert screen.query_one("#points-table", Table).size.height >= 4


@pytest.mark.slow
@pytest.mark.parametrize("size", [NARROW, WIDE, LARGE])
async def test_heads_and_members_have_the_room(build: Build, size: tuple[int, int]) -> None:
    async with build().run_test(size=size) as pilot:
        screen = await ready(pilot)
        of_clusters, of_members = widths(clusters(screen)), widths(members(screen))
        assert ("size" in of_clusters) == (size == LARGE)  # they differ, and a head has more to say
        assert "tok" not in of_clusters or size == LARGE
        assert of_members["infix"] >= 20
        assert of_members["verdict"] <= 9
        rows = [CLUSTERS.make_row({**row, "size": 5}) for row in clusters(screen).rows.records]
        assert screen.left._source is not None
        screen.left.show_clusters(screen.left._source, rows, keep=True)
        alike = widths(clusters(screen))
        assert "size" not in alike
        room = of_clusters["size"] + 1 if size == LARGE else 0
        assert alike["head"] == of_clusters["head"] + room >= 20


async def test_the_order_is_seen_after_the_terminal_became_narrow(build: Build) -> None:
    async with build().run_test(size=LARGE) as pilot:
        screen = await ready(pilot)
        clusters(screen).set_sorting(("tok", False))
        await pilot.resize_terminal(*NARROW)
        await settle(pilot)
        assert "tok▲" in clusters(screen).render_line(0).text
        await press(pilot, "S")
        assert "tok▼" in clusters(screen).render_line(0).text
        await press(pilot, "s", "s")
        assert clusters(screen).sorting is None
        assert "tok" not in widths(clusters(screen))


async def test_help_explains_the_signs_of_the_pane(build: Build) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)

        def signs() -> dict[str, str]:
            lines = help_lines(app, screen)
            return {line.key: line.detail for line in lines if line.name.startswith("sign ")}

        assert "share of members" in signs()["▾ 40 %"]
        assert "bookmarked" in signs()["★ ✎"]
        await press(pilot, "enter")
        assert signs()["▴"].startswith("extends")
        assert "generator notation" in signs()["tok"]
        await press(pilot, "enter")
        assert "no value" in signs()["×"]
        await press(pilot, "question_mark", "s", "i", "g", "n")
        table = app.screen.query_one(Table)
        assert {"▴", "×", "–"} <= {row["key"] for row in table.visible_records()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expr", "more", "why", "change"),
    [
        (
            "sin(sin(sin(x)*2)*3) + x^9",
            {"max_tokens": 5},
            "it has 12 tokens, and nothing",
            {"max_tokens": 12},
        ),
        ("abs(x)", {"style": "any"}, "no rule gives it another form", {"style": "plain"}),
        ("sqrt(-1 - x^2)", {"nodes": 100}, "it has no value", {}),
    ],
)
def test_growth_without_members_says_why_and_what_to_change(
    expr: str, more: dict[str, Any], why: str, change: dict[str, Any]
) -> None:
    found = cluster_document(generate(Generate(expr, members=20, **more)))
    assert not found["members"]
    said, changes = without_members(found)
    assert said.startswith(why)
    assert changes == change
    draft = GrowthDraft(0, found["head"], {}).with_result(found)
    assert draft.none.startswith(f"no members: {said}")
    assert draft.row["verdict"] == []
    if change:
        name, value = next(iter(change.items()))
        assert f"mathwb config set egen.{name} {value}" in draft.none


@pytest.mark.slow
async def test_growth_without_members_has_no_check_mark(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.screens.egraph_engine.GROWN", [])
    async with build().run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        await press(pilot, "R", "x")
        await settle(pilot, lambda: screen.why_not("stop") != "")
        said = str(screen.query_one(GrowLine).query_one(".say", Static).content)
        assert said.startswith("– no members: ")
        assert "✓" not in said
        assert "–" in str(cell_content(clusters(screen).columns[-1], clusters(screen).current))


@pytest.mark.slow
async def test_a_derivation_says_what_it_waits_for(build: Build) -> None:
    app = build()
    async with app.run_test(size=WIDE) as pilot:
        await ready(pilot)
        await press(pilot, "enter", "j", "space", "space")
        app.engine.behind = "egen.map"  # type: ignore[attr-defined]
        await pilot.press("d")
        reader = app.screen.query_one(ReaderBox).reader
        assert reader.lines[0].startswith("from ")
        assert any(words in reader.lines[-1] for words in ("growing one e-graph", "waiting for the encoding"))
        await until(pilot, lambda: "waiting for the encoding for the map" in reader.lines[-1])
        app.engine.behind = ""  # type: ignore[attr-defined]
        await settle(pilot, lambda: "No derivation" in "".join(reader.lines))


async def test_provenance_keeps_its_place_when_the_answer_comes(build: Build) -> None:
    app = build()
    async with app.run_test(size=(80, 16)) as pilot:
        await ready(pilot)
        await pilot.press("i")
        reader = app.screen.query_one(ReaderBox).reader
        await pilot.press("j", "j", "j")
        assert reader.scroll_y == 3
        await settle(pilot, lambda: "cosh-even" in "".join(reader.lines))
        assert reader.scroll_y == 3


@pytest.mark.slow
async def test_forms_are_folded_at_the_width_there_is(build: Build) -> None:
    app = build()
    async with app.run_test(size=NARROW) as pilot:
        screen = await on_shrinking(pilot)
        forms = screen.query_one("#forms", ReaderBox).reader
        # While it is hidden it has no width: nothing is folded then.
        assert len(forms._rows) == len(forms.lines)
        await press(pilot, "enter", "right_square_bracket")
        for size in (LARGE, (60, 16), LARGE, WIDE, LARGE):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            cells = forms.scrollable_content_region.width
            assert cells > 20
            starts = [start for _, start in forms._rows if start]
            assert all(start % cells == 0 for start in starts)


@pytest.mark.slow
async def test_a_reader_folds_again_when_its_width_was_another(build: Build) -> None:
    app = build()
    async with app.run_test(size=LARGE) as pilot:
        screen = await on_shrinking(pilot)
        await press(pilot, "enter", "right_square_bracket")
        forms: TextReader = screen.query_one("#forms", ReaderBox).reader
        forms.show_lines(["x" * 400])
        forms._cells, forms._rows = 1, [(0, at) for at in range(400)]  # as folded at another moment
        forms.refresh()
        app.screen._compositor.render_update(full=True)
        await settle(pilot)
        assert len(forms._rows) == -(-400 // forms.scrollable_content_region.width)


def test_verdicts_are_signs_where_there_is_little_room() -> None:
    drawn = [
        verdict_content(*case).plain for case in (("equal", "", 2), ("equal", "0", 2), ("shrinks", "", 2))
    ]
    assert drawn == ["✓", "✓*", "▾"]
    assert verdict_content("equal", "0, 1/2", 16).plain == "✓ except 0, 1/2"
    assert verdict_content("shrinks", "", 16).plain == "▾ shrinks"
    assert verdict_content("equal", "0, 1/2").plain == "✓ equal except at 0, 1/2"


async def test_beside_a_member_stands_its_derivation_from_the_head(build: Build) -> None:
    app = build()
    app.engine.steps = [  # type: ignore[attr-defined]
        {"prefix": "* 63 cosh - 2 * 7 x", "rule": None},
        {"prefix": "/ 63 sech - * 7 x 2", "rule": "cosh-even"},
    ]
    async with app.run_test(size=WIDE) as pilot:
        screen = await ready(pilot)
        derivation = screen.query_one("#derivation", Static)
        assert not derivation.display, "the head has none"
        await press(pilot, "enter", "j")
        await settle(pilot, lambda: derivation.display)
        assert str(derivation.content) == "from the head\n= 63/sech(7x − 2)  cosh-even"
