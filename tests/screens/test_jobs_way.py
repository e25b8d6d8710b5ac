"""Way 3, from the keyboard to a real training: launch the quickest one, see the first loss, stop it, resume
it, compare the two attempts."""

from __future__ import annotations

import os

import pytest

from screens.app import Workbench
from screens.jobs.detail import Detail
from screens.jobs.form import NewJob
from screens.widgets.plot import PlotWidget
from screens.widgets.table import Table
from tests.screens.driving import shown, until
from workbench.jobs.control import kill_job
from workbench.workspace import Workspace, ensure_sample


@pytest.mark.slow
async def test_launch_watch_stop_resume_compare(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two threads that wait for each other are slow where the cores have other work too.
    monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", "1")
    ensure_sample(workspace)
    app = Workbench(workspace, screen="jobs")
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: "No jobs yet" in shown(app))
            await pilot.press("a")
            await until(pilot, lambda: isinstance(app.screen, NewJob))
            await until(pilot, lambda: "cl-mean-tiny" in shown(app) and "there is no GPU" in shown(app))
            await pilot.press("enter")
            await until(pilot, lambda: "job 1 is started" in [entry.text for entry in app.activity])
            await until(pilot, lambda: "loss 4." in shown(app))
            await pilot.press("x")
            await until(pilot, lambda: "■ stopped by you" in shown(app))
            await pilot.press("R")
            await until(pilot, lambda: "attempt 2" in shown(app))
            await until(pilot, lambda: "resumed from the checkpoint" in shown(app))
            await until(pilot, lambda: "2 attempts" in curve_of(app))
            await pilot.press("d")
            await until(pilot, lambda: len(app.query_one("#diff-table", Table).rows) > 0)
            assert [series.name for series in app.query_one(PlotWidget).series] == ["attempt 1", "attempt 2"]
            rows = app.query_one("#diff-table", Table).visible_records()
            assert next(row["left"] for row in rows if row["key"] == "state") == "stopped"
            text = shown(app)
            for words in ("● attempt 1", "■ attempt 2", "loss_nats", "[diff]"):
                assert words in text
            # The second attempt begins where the first one stopped.
            first, second = app.query_one(PlotWidget).series
            assert second.xs[0] > first.xs[0]
    finally:
        for view in app.jobs:
            if view.live:
                kill_job(workspace, view.id)


def curve_of(app: Workbench) -> str:
    """How many attempts the curve is of."""
    follower = app.query_one(Detail)._follower
    found = 0 if follower is None else sum(bool(run.curves) for run in follower.curves.attempts)
    return f"{found} attempts"
