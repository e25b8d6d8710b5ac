"""Way 10: a sweep of six runs has ended in the background; which setting won, by how much, and is that more
than the spread of its runs?"""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Callable
from statistics import fmean

import pytest

from screens.app import Workbench
from tests.jobs.test_standings import VALUES, run
from tests.screens.driving import jobs_ready, rest, shown, until
from workbench.folders import state_dir
from workbench.jobs.job_views import JobView
from workbench.jobs.sweep_members import SweepMember


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "running"])
async def test_way_10(make: Callable[..., Workbench], jobs: list[JobView], ended: bool) -> None:
    rows = [(lr, seed, value) for lr, values in VALUES.items() for seed, value in enumerate(values[:3])]
    runs = [run(id, lr, seed, value if ended else None) for id, (lr, seed, value) in enumerate(rows, 1)]
    runs = [dataclasses.replace(view, sweep=jobs[1].id) for view in runs]
    sweep = dataclasses.replace(jobs[1], task="sweep", title="sweep egen/cl-mean-tiny", attempt=1)
    async with make(jobs=[sweep, *reversed(runs)]).run_test(size=(80, 24)) as pilot:
        app = await jobs_ready(pilot, sweep.id)
        table = app.place.query_one("#jobs-table")
        assert [row["id"] for row in table.visible_records()] == [sweep.id]
        await rest(pilot)
        said = " ".join(shown(app).replace("│", " ").split())
        tables = [one for one in app.place.detail.exports() if one.suffix == ".tex"]
        if not ended:
            assert "No run has ended yet" in said
            assert not tables
            return
        place = app.workspace.root / "settings.tex"
        tables[0].write(place)
        assert "lr=0.1 & " in place.read_text("utf-8")
        best, other = (fmean(values[:3]) for values in VALUES.values())
        assert "accuracy: lr=0.1" in said
        assert f"by {best - other:.4g}, no more than the spread of 3 shared runs" in said
        assert "so few runs cannot show significance" in said
        await pilot.press("d", "y")
        await rest(pilot)
        copied = (state_dir() / "clipboard.txt").read_text("utf-8")
        assert copied.endswith(f"mathwb jobs compare {sweep.id}")
        # The last job is deleted: nothing of it stays.
        await app.place.detail.show_job(None)
        assert app.place.detail.page_name == "log"


async def test_the_runs_of_a_sweep_are_told_apart_at_80_columns(
    make: Callable[..., Workbench], jobs: list[JobView]
) -> None:
    settings = [(lr, seed) for lr in ("1e-3", "2e-3") for seed in (1, 2)]
    members = [
        dataclasses.replace(
            jobs[0],
            id=number,
            sweep=5,
            title=f"train egen/cl-mean-tiny lr={lr} seed={seed}",
            params={**jobs[0].params, "recipe": "egen/cl-mean-tiny"},
        )
        for number, (lr, seed) in enumerate(settings, 6)
    ]
    async with make(jobs=members).run_test(size=(80, 24)) as pilot:
        lines = shown(await jobs_ready(pilot, 6)).splitlines()
        for view, (lr, seed) in zip(members, settings, strict=True):
            assert any(f" {view.id} {lr} {seed} " in line for line in lines)


async def test_a_sweep_unfolds_and_shows_the_curves_of_all_its_runs(
    make: Callable[..., Workbench], jobs: list[JobView]
) -> None:
    runs = [
        dataclasses.replace(jobs[0], id=number, sweep=5, title=f"train r seed={number}")
        for number in (8, 7, 6)
    ]
    sweep = dataclasses.replace(
        jobs[0], id=5, task="sweep", title="sweep r", folder=f"{jobs[0].folder}/none", done=0.0, total=3.0
    )
    async with make(jobs=[*runs, sweep, jobs[1]]).run_test(size=(120, 40)) as pilot:
        app = await jobs_ready(pilot, 5)
        table = app.place.query_one("#jobs-table")
        ids = lambda: [row["id"] for row in table.visible_records()]  # noqa: E731
        assert ids() == [5, jobs[1].id]
        await until(pilot, lambda: len(app.place.detail.plot.series) == 3)
        await pilot.press("l")
        await rest(pilot)
        assert ids() == [5, 6, 7, 8, jobs[1].id]
        await pilot.press("j", "j", "h")
        await rest(pilot)
        assert table.current["id"] == 5
        await pilot.press("h")
        await rest(pilot)
        assert ids() == [5, jobs[1].id]
        await pilot.press("slash", *"id=7", "enter")
        await rest(pilot)
        assert ids() == [7]
        await pilot.press("escape", "l", "l")
        await rest(pilot)
        app.place.jobs.go_to(str(jobs[1].id))
        await pilot.press("l")
        await rest(pilot)
        assert app.place.active_pane is app.place.detail


async def test_the_page_of_a_sweep_speaks_of_its_runs(
    make: Callable[..., Workbench], jobs: list[JobView], monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {7: "1e-3", 8: "2e-3"}
    found = [SweepMember(number, {"lr": rate, "heads": "12000000"}) for number, rate in rates.items()]
    monkeypatch.setattr("workbench.jobs.sweep_members.sweep_members", lambda sweep: found)
    runs = [dataclasses.replace(jobs[0], id=number, sweep=5) for number in (8, 7)]
    sweep = dataclasses.replace(jobs[0], id=5, task="sweep", title="sweep r", folder=f"{jobs[0].folder}/none")
    async with make(jobs=[*runs, sweep]).run_test(size=(120, 40)) as pilot:
        app = await jobs_ready(pilot, 5)
        detail = app.place.detail
        await until(pilot, lambda: len(detail.plot.series) == 2)
        assert [one.name for one in detail.plot.series] == [
            f"lr={rate} heads=12000000" for rate in ("0.001", "0.002")
        ]
        await detail.show_page("metrics-page")
        await rest(pilot)
        assert "last" not in {column.name for column in detail.query_one("#metrics-table").columns}
        (metrics,) = (one for one in detail.exports() if one.key == "m")
        place = app.workspace.root / "metrics.csv"
        metrics.write(place)
        first, *rows = csv.DictReader(place.read_text("utf-8").splitlines())
        assert {first["job"], *(row["job"] for row in rows)} == {"7", "8"}
        await pilot.press("i")
        await rest(pilot)
        assert "where job 7, the first of sweep 5, ran" in shown(app)
        await pilot.press("escape", "j", "escape")
        app.place.jobs.go_to("7")
        await rest(pilot)
        await detail.show_page("metrics-page")
        await rest(pilot)
        assert "last" in {column.name for column in detail.query_one("#metrics-table").columns}
