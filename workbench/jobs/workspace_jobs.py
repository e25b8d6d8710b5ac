"""All jobs of a workspace, kept up to date at a cost that goes by those that may have changed.

Of a job that is over only its run folder can change, and whoever changes one touches the folder of runs,
which also changes when jobs come and go. So while that stands still, only live jobs are read, and some of the
others are looked at in turn, for what other programs do.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.jobs import job_registry
from workbench.jobs.folder import Job, all_jobs
from workbench.jobs.job_index import JobIndex
from workbench.jobs.job_views import IndexRow, JobSnapshot, JobView

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_ROUND = 60
"""In so many looks every job that is over is looked at once."""
_SETTLED_NS = 2_000_000_000
"""A time of change that is closer to now may stand for a later change, too: clocks of file systems tick."""


class JobWatcher:
    """Keeps the jobs of a workspace up to date. Not for several threads at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[int, IndexRow] | None = None
        self._listed: list[Job] = []
        self._listed_ns = -1
        self._over: dict[int, JobView] = {}
        """The jobs whose end is recorded."""
        self._others: dict[int, Job] = {}
        self._folders_ns: dict[int, int] = {}
        """When the run folders of those that are over had been changed."""
        self._turn = 0
        self._jobs: tuple[JobView, ...] = ()

    def read_jobs(self, *, reconcile: bool) -> tuple[JobView, ...]:
        """Return the jobs as they are now, newest first; the same tuple as before if nothing has changed.

        Args:
            reconcile: Whether to correct the records too (`job_registry.reconcile_jobs`).
        """
        # The index is read once; afterwards this object knows at least as much.
        if self._known is None:
            self._known = JobIndex(self._workspace.root).load_rows()
        # Step 1: find out which jobs may have changed. If a job has come or gone, all folders are compared.
        changed = self._list_folders()
        self._forget_views(self._changed_jobs(self._listed if changed else self._next_in_turn()))
        # Nothing has changed and no job is live: the same tuple shows that without a comparison.
        if not (changed or self._others):
            return self._jobs
        # Step 2: read those, and correct their records if that is asked for.
        others = sorted(self._others.values(), key=lambda job: job.id)
        look = JobSnapshot(self._workspace.runs, self._known, self._over)
        if reconcile:
            job_registry.reconcile_jobs(self._workspace, look, others)
        # Step 3: jobs whose end is recorded need not be read again.
        for job in others:
            view = look.view_job(job)
            row = self._known.get(job.id)
            # What the index has is recorded, and has not changed since.
            if row is not None and row.view is view and not view.live:
                self._over[job.id] = view
                del self._others[job.id]
        # Step 4: the complete list. An equal list keeps its identity, so that screens need not redraw.
        jobs = tuple(look.view_job(job) for job in reversed(self._listed))
        if jobs != self._jobs:
            self._jobs = jobs
        return self._jobs

    def _list_folders(self) -> bool:
        """List the run folders, where something may have come or gone.

        Returns:
            Whether that was so.
        """
        runs = self._workspace.runs
        changed_ns = runs.stat().st_mtime_ns
        if changed_ns == self._listed_ns:
            # Asked by one `stat`: the folder of runs changes whenever a job comes, goes or is touched.
            return False
        # A time that is too recent is not remembered, so that a change within the same tick is not missed.
        self._listed_ns = changed_ns if _is_settled(changed_ns) else -1
        self._listed = all_jobs(runs)
        there = {job.id: job for job in self._listed}
        for number in self._over.keys() - there:
            del self._over[number]
        self._others = {number: job for number, job in there.items() if number not in self._over}
        return True

    def _next_in_turn(self) -> list[Job]:
        """Return the next of the jobs that are looked at in turn."""
        # Every sixtieth job, beginning one further each time.
        self._turn = (self._turn + 1) % _ROUND
        return self._listed[self._turn :: _ROUND]

    def _changed_jobs(self, jobs: Iterable[Job]) -> list[Job]:
        """Return those of these jobs whose run folder may have been changed."""
        result = []
        for job in jobs:
            changed_ns = -1
            # A folder that is gone is read too: the view then says so.
            with contextlib.suppress(OSError):
                changed_ns = os.stat(job.folder).st_mtime_ns
            if changed_ns == -1 or self._folders_ns.get(job.id) != changed_ns:
                self._folders_ns[job.id] = changed_ns if _is_settled(changed_ns) else -1
                result.append(job)
        return result

    def _forget_views(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self._over.pop(job.id, None)
            self._others[job.id] = job


def _is_settled(changed_ns: int) -> bool:
    return abs(time.time_ns() - changed_ns) > _SETTLED_NS
