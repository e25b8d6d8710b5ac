"""A workbench whose clock, jobs, paths and load stand still."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app, visible_screen_stack
from textual.geometry import Region

from screens.app import Workbench
from screens.shell.bars import Load
from screens.shell.watch import JobWatch
from screens.widgets.table import Table
from tests.screens.driving import KEYS_LEFT, PATIENCE_S
from workbench.engine_process import EngineProcess
from workbench.jobs.job_views import JobView
from workbench.workspace import Workspace

WAIT = Table._wait_for_rest
"""What tests that hold a key put back."""
PAINT = Compositor.render_update
"""What makes the pieces of a frame that have changed."""
START = 1_790_000_000.0


class StillWatch(JobWatch):
    """Jobs that are given, and a load that never changes."""

    def __init__(self, workspace: Workspace, jobs: list[JobView]) -> None:
        super().__init__(workspace)
        self.jobs = tuple(jobs)

    def read_jobs(self) -> Load:
        self.looked = True
        live = sum(view.live for view in self.jobs)
        return Load(live, 0.64 if live else None, 1.7, 2)


@pytest.fixture(autouse=True)
def still_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No colour, language or remote settings from outside; UTC."""
    for name in ("NO_COLOR", "SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY", "PAGER", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(autouse=True)
def keys_come_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """`pilot.press` waits until each key has done what it does, and in the end draws what has changed.

    Frames in between are not painted: without a terminal they are thrown away. Pictures are whole frames.
    """
    press = Workbench._press_keys

    def paint_if_seen(self: Compositor, full: bool = False, **options: Any) -> Any:
        unseen = isinstance(app := active_app.get(), Workbench) and app.is_headless
        return PAINT(self, full, **options) if full or not unseen else None

    monkeypatch.setattr(Compositor, "render_update", paint_if_seen)

    async def press_and_wait(self: Workbench, keys: Iterable[str]) -> None:
        for key in keys:
            await press(self, [key])
            deadline = time.monotonic() + PATIENCE_S
            while self._keys.busy and self._running and time.monotonic() < deadline:
                await asyncio.sleep(0.002)
        if not KEYS_LEFT.get() and self.is_headless and self._running and self.screen_stack:
            _draw_changes(self)

    monkeypatch.setattr(Workbench, "_press_keys", press_and_wait)
    # A crowded machine gets behind with keys that come in a burst, and with what the palette leads to.
    monkeypatch.setattr("screens.shell.terminal._PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr("screens.shell.navigation._PATIENCE_S", PATIENCE_S)
    # No key is held: each that is pressed is one of its own.
    monkeypatch.setattr("screens.widgets.table.REST_S", 0.0)
    monkeypatch.setattr(Table, "_wait_for_rest", Table._say_moved)


def _draw_changes(app: Workbench) -> None:
    """Have the widgets draw their lines that have changed; no frame is put together of them."""
    compositor = app.screen._compositor
    visible_screen_stack.set(app._background_screens)
    if changed := compositor._dirty_regions.copy():
        compositor._dirty_regions.clear()
        for _ in compositor._get_renders(Region.from_union(changed).intersection(compositor.size.region)):
            pass


class _Lasting(EngineProcess):
    """Who closes it ends what was asked, and leaves it warm."""

    def close(self) -> None:
        with self._lock:
            for call in filter(None, (*self._waiting, self._current)):
                call.cancel()


_lasting = cache(lambda number: _Lasting(grace_s=PATIENCE_S))


@pytest.fixture
def warm_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first, second, … engine process that an app starts is that of the app before."""
    started = count()
    monkeypatch.setattr(Workbench, "new_engine", lambda _: _lasting(next(started)))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace called `sample`."""
    return Workspace.open(tmp_path / "sample")


def _log(folder: Path, *events: tuple[float, str, int | None, dict[str, Any]]) -> None:
    attempt = folder / "attempt-1"
    attempt.mkdir(parents=True)
    with (attempt / "events.jsonl").open("w", encoding="utf-8") as file:
        for number, (at, kind, step, data) in enumerate(events):
            line = {"v": 1, "t": START + at, "job": 1, "attempt": 1, "seq": number, "kind": kind}
            file.write(json.dumps({**line, "step": step, "data": data}, separators=(",", ":")) + "\n")
    for path in attempt.iterdir():
        os.utime(path, (START, START))


def _job(workspace: Workspace, number: int, title: str, state: str, **more: Any) -> JobView:
    folder = workspace.runs / str(number)
    view = JobView(
        number,
        more.pop("task", "egen.corpus"),
        title,
        state,
        folder=str(folder),
        out=str(more.pop("out", folder / "out")),
        created=START,
        started=START,
        **more,
    )
    folder.mkdir(parents=True)
    view.spec.write(folder / "recipe.toml")
    os.utime(folder / "recipe.toml", (START, START))
    return view


@pytest.fixture
def jobs(workspace: Workspace) -> list[JobView]:
    """Four jobs, newest first: running, succeeded, failed, lost; their run folders exist."""
    running = _job(
        workspace, 41, "egen/cl-mean-small", "running", task="train",
        params={"trainer": "egen.contrastive", "lr": 0.001, "batch": 64},
        step=5200, done=5200.0, total=8100.0, unit="steps", rate=8.66, eta_s=335.0,
        memory_bytes=1_900 * 2**20, heartbeat_age_s=2.0, last_event_age_s=0.4,
        metrics={"loss_nats": 0.3101, "tokens_per_s": 41200.0},
    )  # fmt: skip
    metrics = [
        (step / 10, "metric", step, {"loss_nats": 0.31 + 1.5 * 0.9 ** (step / 80), "tokens_per_s": 41200.0})
        for step in range(0, 5201, 40)
    ]
    _log(
        Path(running.folder),
        (0.0, "state", None, {"state": "running"}),
        (100.0, "checkpoint", 1000, {"folder": "step-001000"}),
        (240.0, "warning", 2400, {"message": "odd \x1b[31mtext\x1b[0m with [b]markup[/b]"}),
        *metrics,
    )
    succeeded = _job(
        workspace, 40, "egen corpus all", "succeeded",
        params={"templates": "all", "members": 120, "out": str(workspace.corpora / "all")},
        done=4944.0, total=4944.0, unit="heads", ended=START + 700, wall_s=700.0, peak_bytes=2 * 2**30,
        out=workspace.corpora / "all",
    )  # fmt: skip
    failed = _job(
        workspace, 39, "arqmath/finetune-n1", "failed", task="train",
        params={"trainer": "arqmath.crossencoder", "lr": 3e-5},
        reason="out of memory; peak 61 GiB of 64", code="E110", ended=START + 60, wall_s=60.0,
        remedy="Use smaller limits or fewer workers, then: mathwb jobs resume 39",
    )  # fmt: skip
    lost = _job(
        workspace, 38, "mwp/gts-cl", "lost", task="train", code="E620",
        reason="worker and supervisor are gone and left no result", remedy="Resume it: mathwb jobs resume 38",
    )  # fmt: skip
    return [running, succeeded, failed, lost]


Make = Callable[..., Workbench]


@pytest.fixture
def make(workspace: Workspace, jobs: list[JobView]) -> Make:
    """Makes the app; `jobs` may be others than the four, all else goes to `Workbench`."""

    def build(**options: Any) -> Workbench:
        watch = StillWatch(workspace, options.pop("jobs", jobs))
        options.setdefault("screen", "jobs")
        return Workbench(workspace, watch=watch, **options)

    return build
