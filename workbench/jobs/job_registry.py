"""The records of jobs: listed, read, put straight, and the index of them kept."""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.files import remove_drafts
from workbench.jobs import scheduler
from workbench.jobs.attempt_recording import settle_attempt
from workbench.jobs.folder import (
    Job,
    all_jobs,
    find_job,
)
from workbench.jobs.job_index import JobIndex
from workbench.jobs.job_views import (
    AttemptView,
    IndexRow,
    JobSnapshot,
    JobView,
    attempt_view,
    changed_at,
    job_view,
)

if TYPE_CHECKING:
    from workbench.workspace import Workspace


def list_jobs(workspace: Workspace, look: JobSnapshot | None = None) -> list[JobView]:
    """List all jobs, newest first. Finished and waiting jobs are taken from the index, others from their
    folder.
    """
    look = look or look_at(workspace)
    return [look.view_job(item) for item in reversed(all_jobs(workspace.runs))]


def read_job(workspace: Workspace, number: int) -> JobView:
    """Read the view of one job.

    Raises:
        EngineError: E601 if there is none with that number.
    """
    return job_view(find_job(workspace.runs, number))


def list_attempts(workspace: Workspace, number: int) -> list[AttemptView]:
    """List the attempts at a job, oldest first."""
    return [attempt_view(attempt) for attempt in find_job(workspace.runs, number).attempts()]


# Putting the records straight
_HALF_MADE = re.compile(r"\.draft-[0-9a-f]{12}")


def look_at(workspace: Workspace) -> JobSnapshot:
    """Take a snapshot of all jobs, with what the index knows."""
    return JobSnapshot(workspace.runs, JobIndex(workspace.root).load_rows())


def reconcile_jobs(
    workspace: Workspace, look: JobSnapshot | None = None, among: Sequence[Job] | None = None
) -> list[JobView]:
    """Correct the records: store the end of attempts whose supervisor could not, and supervise orphaned
    workers.
    """
    scheduler.keep_queue(workspace.runs)
    index = JobIndex(workspace.root)
    look = look or look_at(workspace)
    known = look.known
    jobs = all_jobs(workspace.runs) if among is None else among
    news, rows = [], []
    # The members of a sweep, which are younger, before it: its state follows from theirs.
    for item in reversed(jobs):
        # An unchanged job that is over or waits: reading its folder would tell nothing new.
        if look.known_view(item) is not None:
            continue
        row = known.get(item.id)
        # Taken before the view is read: a change in between makes the next look read it again, and is never
        # missed.
        changed_ns = changed_at(item)
        last = item.attempts()[-1:]
        in_order = not last or settle_attempt(last[0], look=look)
        view = look.view_job(item)
        # Another process holds the lock and records the end at this moment; the next look takes it from
        # there.
        if not view.live and not in_order:
            continue
        # News are jobs that were live at the last look and have ended since.
        if row is not None and row.view.live and not view.live:
            news.append(view)
        before = row and (row.changed_ns, row.view.state, row.view.attempt)
        if not view.live or before != (changed_ns, view.state, view.attempt):
            rows.append(IndexRow(view, changed_ns))
    if rows:
        index.save_rows(rows)
        known |= {row.view.id: row for row in rows}
    # Only a complete list of the jobs shows which rows of the index have lost their folder.
    missing = set(known) - {item.id for item in jobs} if among is None else set()
    if missing:
        index.forget_jobs(missing)
    return news[::-1]


def rebuild_index(workspace: Workspace) -> tuple[int, str]:
    """Rebuild the index from the run folders and remove half-made runs.

    Returns:
        The number of jobs, and what is unusual about the index.
    """
    # Step 1: drafts that a crash has left, of jobs and of attempts.
    with contextlib.suppress(OSError):
        for place in (workspace.runs, *(item.folder for item in all_jobs(workspace.runs))):
            for entry in place.iterdir():
                if _HALF_MADE.fullmatch(entry.name) and _is_old(entry):
                    shutil.rmtree(entry, ignore_errors=True)
    # Step 2: drafts of single files.
    for item in all_jobs(workspace.runs):
        for folder in (item.folder, *(each.folder for each in item.attempts())):
            remove_drafts(folder, below=False)
    # Step 3: an index from nothing. It contains nothing that the run folders do not.
    index = JobIndex(workspace.root)
    index.clear()
    look = JobSnapshot(workspace.runs)
    for item in all_jobs(workspace.runs):
        for attempt in item.attempts()[-1:]:
            settle_attempt(attempt, look=look)
    result = update_index(workspace, all_jobs(workspace.runs), index)
    return result, index.notice


def update_index(workspace: Workspace, jobs: list[Job], index: JobIndex | None = None) -> int:
    """Bring the index up to date with these jobs and return how many there are."""
    look = JobSnapshot(workspace.runs)
    rows = [IndexRow(changed_ns=changed_at(item), view=look.view_job(item)) for item in jobs]
    (index or JobIndex(workspace.root)).save_rows(rows)
    return len(rows)


def _is_old(path: Path) -> bool:
    # An hour: a draft that is younger may belong to a process that is still at work on it.
    with contextlib.suppress(OSError):
        return time.time() - path.lstat().st_mtime > 3600
    return False
