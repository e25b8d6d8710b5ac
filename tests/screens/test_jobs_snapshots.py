"""What the launch form and runs side by side look like; see test_snapshots for how to renew them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from screens.app import Workbench
from tests.screens.launch_engine import answer_at_once, stand_still
from tests.screens.test_snapshots import pressing
from workbench.jobs.job_views import JobView
from workbench.recipes import Recipe, load_recipe
from workbench.workspace import Workspace, ensure_sample

Make = Callable[..., Workbench]
Compare = Callable[..., bool]
SIZES = [(80, 24), (200, 50)]


@pytest.fixture
def still_form(monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> None:
    """A form over two recipes, on a machine that stands still."""
    answer_at_once(monkeypatch)
    stand_still(monkeypatch)
    few: tuple[Recipe, ...] = tuple(
        load_recipe(f"egen/{name}") for name in ("cl-mean-tiny", "polynomials", "templates")
    )
    monkeypatch.setattr("workbench.recipes.list_recipes", lambda: few)
    ensure_sample(workspace)


@pytest.mark.slow
@pytest.mark.usefixtures("still_form")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_launch_form(size: tuple[int, int], make: Make, snap_compare: Compare) -> None:
    assert snap_compare(make(), terminal_size=size, run_before=pressing("a", "tab", "end", "backspace"))


def _log(view: JobView, attempt: int, begin: int, end: int, floor: float, rate: float) -> None:
    folder = Path(view.folder) / f"attempt-{attempt}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "events.jsonl").open("w", encoding="utf-8") as file:
        for step in range(begin, end, 40):
            loss = floor + 1.5 * math.exp(-step / rate) + 0.05 * math.sin(step)
            line = {"v": 1, "t": 1.79e9 + step / 10, "job": view.id, "attempt": attempt, "seq": step}
            line |= {"kind": "metric", "step": step, "data": {"loss_nats": loss, "accuracy": 1 - loss / 2}}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


@pytest.fixture
def runs(jobs: list[JobView]) -> list[JobView]:
    """Three runs of a training; the first has been resumed."""
    _log(jobs[0], 1, 0, 3000, 0.31, 900)
    _log(jobs[0], 2, 2600, 5200, 0.25, 900)
    _log(jobs[2], 1, 0, 4000, 0.6, 500)
    _log(jobs[3], 1, 0, 5000, 0.1, 2500)
    return [dataclasses.replace(jobs[0], attempt=2), *jobs[1:]]


def _and_then(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Press, and wait until every curve is drawn."""

    async def run(pilot: Pilot[Any]) -> None:
        await pressing(*keys)(pilot)
        await pilot.pause(0.6)
        await pressing()(pilot)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_three_runs(size: tuple[int, int], make: Make, runs: list[JobView], snap_compare: Compare) -> None:
    keys = ("space", "j", "space", "space", "g", "tab")
    assert snap_compare(make(jobs=runs), terminal_size=size, run_before=_and_then(*keys))


@pytest.mark.slow
def test_two_attempts_without_colour(
    make: Make, runs: list[JobView], snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(make(jobs=runs), terminal_size=(120, 40), run_before=_and_then("d", "z"))


@pytest.mark.slow
def test_three_runs_in_ascii(make: Make, runs: list[JobView], snap_compare: Compare) -> None:
    keys = ("space", "j", "space", "space", "g")
    assert snap_compare(make(jobs=runs, ascii=True), terminal_size=(120, 40), run_before=_and_then(*keys))
