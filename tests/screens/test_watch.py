"""The open workbench looks after jobs whose supervisor is gone; they are real ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from screens.app import Workbench
from screens.widgets.table import Table
from tests.jobs.conftest import PATIENCE_S, Lab, lab  # noqa: F401


async def until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        await asyncio.sleep(0.05)


async def test_orphans_are_adopted_and_end_truly_while_it_is_open(
    lab: Lab,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("screens.watch._RECONCILE_S", 0.2)
    lost, number = lab.held(), lab.held()
    app = Workbench(lab.workspace, screen="jobs")

    def state(of: int) -> str:
        rows = app.query_one("#jobs-table", Table).visible_records() if app.query("#jobs-table") else []
        return next((str(row["state"]) for row in rows if row["id"] == of), "")

    async with app.run_test(size=(120, 40)):
        await until(lambda: state(number) == state(lost) == "running", "both on the screen")
        first, worker = lab.supervisor(number), lab.worker(number)
        lab.kill(first)
        lab.kill(lab.supervisor(lost))
        lab.kill(lab.worker(lost))
        await until(lambda: lab.attempt(number).heartbeat().supervisor.pid != first, "a new supervisor")  # type: ignore[union-attr]
        await until(lambda: state(lost) == "lost", "the end of the other")
        await until(lambda: lab.attempt(lost).result() is not None, "its record")
        assert lab.worker(number) == worker
        lab.go(number)
        await until(lambda: state(number) == "succeeded", "the end of the adopted one")
        assert lab.attempt(number).result() is not None
