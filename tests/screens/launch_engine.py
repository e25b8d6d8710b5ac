"""An engine that answers the launch form at once, and a machine that stands still."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from engines.core.errors import EngineError
from screens.app import Workbench
from screens.jobs import form
from screens.jobs.run_reading import Machine
from workbench.engine_process import CallResult


class Engine:
    """Answers `train.check` at once."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self.error: EngineError | None = None

    async def call(self, task: str, params: Mapping[str, Any]) -> AsyncIterator[CallResult]:
        assert task == "train.check"
        self.asked.append(params)
        if self.error is not None:
            raise self.error
        yield CallResult({"measures": ["validation_kmeans_percent", "loss_nats"]})

    def close(self) -> None:
        """Nothing to close."""


def answer_at_once(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Put such an engine in the place of the app's own."""
    made = Engine()
    monkeypatch.setattr(Workbench, "engine", made)
    monkeypatch.setattr(form, "_PATIENCE_S", 0.0)
    return made


def stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores, 5 GB free, no GPU."""
    machine = Machine(2, 5 * 2**30)
    monkeypatch.setattr(form, "look_at_machine", lambda _: machine)
    monkeypatch.setattr("engines.core.system.count_processors", lambda: 2)
