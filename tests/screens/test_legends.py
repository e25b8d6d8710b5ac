"""What the signs of lists mean is told by `?`, on every screen."""

from __future__ import annotations

from screens.arqmath.columns import grade_cell, move_cell
from screens.arqmath.ranking import RankingPane, TopicsPane
from screens.arqmath.searching import HitList
from screens.jobs.job_list import JobList
from screens.mathamr.graph import GraphPane
from screens.shell.theme import STATES
from screens.triplets.panes import AnchorsPane, ProblemPane, WhyPane
from screens.widgets.pane import Pane


def signs(pane: Pane) -> str:
    return " ".join(sign for sign, _ in pane.list_signs())


def test_each_pane_with_signs_of_its_own_explains_them() -> None:
    topics, anchors = TopicsPane(id="topics", share=1), AnchorsPane(id="anchors")
    for pane in (topics, anchors, ProblemPane("anchor", id="a"), WhyPane(id="w"), GraphPane(id="g", share=1)):
        assert pane.list_signs(), pane
        assert all(sign and means for sign, means in pane.list_signs())
    assert {"delta", "nDCG′"} <= set(signs(topics).split())
    assert {"✗", "p", "n", "1"} <= set(signs(anchors).split())


def test_the_signs_of_a_ranking_are_those_that_it_draws() -> None:
    told = signs(RankingPane({}, HitList(id="hits"), id="ranking", share=1))
    row = {"rank": 2, "other": 6, "compared": True}
    for move in (4, -1, 0, None):
        assert move_cell({**row, "move": move}).plain in told
    assert move_cell({**row, "rank": None, "move": None}).plain in told
    assert grade_cell(3).plain in told


def test_the_glyphs_of_jobs_are_all_told() -> None:
    told = signs(JobList(id="list"))
    assert {glyph for glyph, _ in STATES.values()} - {"·"} <= set(told)
