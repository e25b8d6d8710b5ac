"""The job watch: jobs and load of the machine, looked at once a second in a thread."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from engines.core.system import format_bytes
from screens.shell.bars import Load
from screens.shell.theme import fill_cell

if TYPE_CHECKING:
    from workbench.jobs.job_views import JobView
    from workbench.jobs.workspace_jobs import JobWatcher
    from workbench.workspace import Workspace


# Seconds between two corrections of the records, which read more than a look does.
_RECONCILE_S = 5.0


# Seconds between two questions to the driver's tool.
_GPUS_S = 5.0
# Readings that a meter remembers: a curve of as many characters.
KEPT = 12


class LoadMeter:
    """The last readings of a device: `shares` from 0 to 1, and the last reading in words."""

    def __init__(self) -> None:
        self.shares: deque[float] = deque(maxlen=KEPT)
        self.words = ""

    def add_reading(self, share: float, words: str) -> None:
        """Add a reading; shares outside 0 to 1 are clipped."""
        self.shares.append(min(1.0, max(0.0, share)))
        self.words = words

    def format_readings(self, readings: int) -> str:
        """Draw the last `readings` readings as a curve, followed by the last reading in words."""
        return f"{''.join(map(fill_cell, list(self.shares)[-readings:]))} {self.words}"


class JobWatch:
    """Keep `jobs` and the load of the machine up to date; owned by the app, so it outlives screens."""

    @dataclass
    class Looked(Message):
        """The jobs as they are now, newest first; sent to the open screen."""

        jobs: tuple[JobView, ...]

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._watcher: JobWatcher | None = None
        self._reconciled = float("-inf")
        # Minus infinity: the first look asks at once.
        self._gpus_at = float("-inf")
        self._lock = threading.Lock()
        self.jobs: tuple[JobView, ...] = ()
        self._counted: tuple[JobView, ...] | None = None
        self._live: list[JobView] = []
        """Of the jobs that were `_counted`."""
        self.looked = False
        self.meters: dict[str, LoadMeter] = {}

    def read_jobs(self) -> Load:
        """Read the jobs and measure the machine; call it in a thread.

        Returns:
            The load of the machine.
        """
        from workbench.jobs.workspace_jobs import JobWatcher

        # Looks may overlap on a slow machine, and the watcher is not made for several threads.
        with self._lock:
            self._watcher = self._watcher or JobWatcher(self._workspace)
            now = time.monotonic()
            reconcile = now - self._reconciled >= _RECONCILE_S
            if reconcile:
                self._reconciled = now
            self.jobs = self._watcher.read_jobs(reconcile=reconcile)
            self.looked = True
        return self._measure_load()

    def add_reading(self, name: str, share: float, words: str) -> None:
        """Add a reading to the meter of this name, creating the meter if necessary."""
        self.meters.setdefault(name, LoadMeter()).add_reading(share, words)

    def _look_at_gpus(self) -> None:
        """The driver's tool is slow, so it is asked seldom, and never again where there is none."""
        from workbench.jobs.machine import list_gpus

        now = time.monotonic()
        if now < self._gpus_at:
            return
        cards = list_gpus()
        # Without a card the time of the next question never comes.
        self._gpus_at = now + _GPUS_S if cards else math.inf
        for card in cards:
            used = card.total_bytes - card.free_bytes
            self.add_reading(f"GPU {card.index}", card.busy / 100, f"{card.busy} %, {format_bytes(used)}")

    def _measure_load(self) -> Load:
        import psutil

        cores = os.cpu_count() or 1
        # A sweep is one job, as in the lists of commands.
        if self.jobs is not self._counted:
            self._counted = self.jobs
            self._live = [view for view in self.jobs if view.live and not view.sweep]
        live = self._live
        shares = [view.share for view in live if view.share is not None]
        # Since the last call, over all cores; the first call of a process returns 0.
        cpu = psutil.cpu_percent(interval=None) / 100 * cores
        memory = psutil.virtual_memory()
        self.add_reading("CPU", cpu / cores, f"{cpu:.1f}/{cores}")
        self.add_reading(
            "memory", memory.percent / 100, f"{format_bytes(memory.used)} of {format_bytes(memory.total)}"
        )
        self._look_at_gpus()
        return Load(len(live), max(shares, default=None), cpu, cores)
