"""Way 10: a sweep of six runs has ended in the background; which setting won, by how much, and is that more
than the spread of its runs?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from statistics import fmean

import pytest

import workbench.jobs
from screens.app import Workbench
from tests.jobs.test_standings import VALUES, run
from tests.screens.driving import jobs_ready, rest, shown
from workbench.jobs import JobView


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "running"])
async def test_way_10(
    make: Callable[..., Workbench], jobs: list[JobView], monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    rows = [(lr, seed, value) for lr, values in VALUES.items() for seed, value in enumerate(values[:3])]
    runs = {id: run(id, lr, seed, value if ended else None) for id, (lr, seed, value) in enumerate(rows, 1)}
    monkeypatch.setattr(workbench.jobs, "members", lambda _, __: list(runs))
    monkeypatch.setattr(workbench.jobs, "job", lambda _, number: runs[number])
    sweep = dataclasses.replace(jobs[1], task="sweep", title="sweep egen/cl-mean-tiny", attempt=1)
    async with make(jobs=[sweep]).run_test(size=(80, 24)) as pilot:
        app = await jobs_ready(pilot, sweep.id)
        await pilot.press("d")
        await rest(pilot)
        said = " ".join(shown(app).replace("│", " ").split())
        if not ended:
            assert "E645" in said
            return
        best, other = (fmean(values[:3]) for values in VALUES.values())
        assert "accuracy: train.lr=0.1" in said
        assert f"by {best - other:.4g}, no more than the spread of 3 shared runs" in said
        assert "so few runs could not show more" in said
        await pilot.press("y")
        await rest(pilot)
        copied = (app.workspace.root / "clipboard.txt").read_text("utf-8")
        assert copied.endswith(f"mathwb jobs compare {sweep.id}")


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
