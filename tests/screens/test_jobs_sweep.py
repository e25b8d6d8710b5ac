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
from tests.screens.driving import rest, shown
from tests.screens.test_jobs_screen import ready
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
        app = await ready(pilot, sweep.id)
        await pilot.press("d")
        await rest(pilot)
        said = " ".join(shown(app).replace("│", " ").split())
        if not ended:
            assert "E645" in said
            return
        best, other = (fmean(values[:3]) for values in VALUES.values())
        assert "accuracy: train.lr=0.1" in said
        assert f"by {best - other:.4g}, no more than the spread of 3 shared runs" in said
        assert "so few could not show more" in said
