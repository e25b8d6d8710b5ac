"""Looking at the jobs and the machine once a second, away from the screen's thread."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from textual.message import Message

from screens.widgets.bars import Load

if TYPE_CHECKING:
    from workbench.jobs.view import JobView
    from workbench.workspace import Workspace

__all__ = ["JobWatch"]

_RECONCILE_S = 5.0
"""How often workers that lost their supervisor are looked for."""


class JobWatch:
    """Keeps `jobs` up to date. It belongs to the app, so that it goes on while screens come and go."""

    class Looked(Message):
        """The jobs as they are now, newest first; sent to the open screen."""

        def __init__(self, jobs: tuple[JobView, ...]) -> None:
            super().__init__()
            self.jobs = jobs

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._reconciled = float("-inf")
        self._lock = threading.Lock()
        self.jobs: tuple[JobView, ...] = ()
        self.looked = False

    def look(self) -> tuple[Load, str]:
        """Read the jobs; call it in a thread. Returns: the load, and news to tell once, or nothing."""
        from workbench import jobs

        with self._lock:
            news = ""
            now = time.monotonic()
            if now - self._reconciled >= _RECONCILE_S:
                self._reconciled = now
                ended = jobs.reconcile(self._workspace)
                # Later ones are seen to end as they do.
                if ended and not self.looked:
                    news = f"{len(ended)} job{'s' if len(ended) > 1 else ''} ended while you were away"
            self.jobs = tuple(jobs.jobs(self._workspace))
            self.looked = True
        return self._load(), news

    def _load(self) -> Load:
        import psutil

        cores = os.cpu_count() or 1
        live = [view for view in self.jobs if view.live]
        shares = [view.done / view.total for view in live if view.done is not None and view.total]
        cpu = psutil.cpu_percent(interval=None) / 100 * cores
        return Load(len(live), max(shares, default=None), cpu, cores)
