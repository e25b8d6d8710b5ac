"""Records of jobs put straight: ends that nobody could write down, orphaned workers, and the index."""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.errors import EngineError
from engines.core.files import sweep as clear_away
from workbench.jobs import queue
from workbench.jobs.folder import LIVE, Attempt, Ending, Job, all_jobs
from workbench.jobs.process import sweep
from workbench.jobs.store import Index, Row
from workbench.jobs.view import AttemptView, JobView, Look, attempt_view, changed_at, standing

if TYPE_CHECKING:
    from workbench.workspace import Workspace


_RUBBISH = re.compile(r"\.draft-[0-9a-f]{12}|\.removed-\d+-[0-9a-f]{8}")
"""The names of runs half made or half removed."""


def look_at(workspace: Workspace) -> Look:
    """A look at all jobs of a workspace, with what the index knows."""
    return Look(workspace.runs, Index(workspace.root).load())


def reconcile(workspace: Workspace, look: Look | None = None) -> list[JobView]:
    """Put the records straight: write down the end of attempts whose supervisor could not, give orphaned
    workers a new one, and bring the index up to date.

    Args: look: just begun, to be gone on with. Returns: the jobs that are over now and were not when the
    index last knew of them.
    """
    queue.keep(workspace.runs)
    index = Index(workspace.root)
    look = look or look_at(workspace)
    known = look.known
    found = all_jobs(workspace.runs)
    news, rows = [], []
    # The members of a sweep, which are younger, before it: its state follows from theirs.
    for item in reversed(found):
        if look.kept(item) is not None:
            continue
        row = known.get(item.id)
        changed_ns = changed_at(item)
        last = item.attempts()[-1:]
        settled = not last or settle(last[0], look=look)
        view = look.view(item)
        if not view.live and not settled:
            continue
        if row is not None and row.view.live and not view.live:
            news.append(view)
        before = row and (row.changed_ns, row.view.state, row.view.attempt)
        if not view.live or before != (changed_ns, view.state, view.attempt):
            rows.append((item, Row(view, changed_ns)))
    if rows:
        index.save([row for _, row in rows], _all_attempts([item for item, _ in rows], look))
    gone = set(known) - {item.id for item in found}
    if gone:
        index.forget(gone)
    return news[::-1]


def reindex(workspace: Workspace) -> tuple[int, str]:
    """Make the index anew from the run folders, and clear away what half-made or half-removed runs have left.

    Returns: how many jobs there are, and what is unusual about the index ("" for nothing).
    """
    with contextlib.suppress(OSError):
        for place in (workspace.runs, *(item.folder for item in all_jobs(workspace.runs))):
            for entry in place.iterdir():
                if _RUBBISH.fullmatch(entry.name) and _old(entry):
                    shutil.rmtree(entry, ignore_errors=True)
    for item in all_jobs(workspace.runs):
        for folder in (item.folder, *(each.folder for each in item.attempts())):
            clear_away(folder, below=False)
    index = Index(workspace.root)
    index.clear()
    look = Look(workspace.runs)
    for item in all_jobs(workspace.runs):
        for attempt in item.attempts()[-1:]:
            settle(attempt, look=look)
    found = enter(workspace, all_jobs(workspace.runs), index)
    return found, index.notice


def settle(attempt: Attempt, *, give_up: bool = False, look: Look | None = None) -> bool:
    """Record the end of an attempt that has no one to record it, or give its worker a new supervisor.

    Args: look: the look at many jobs that this is part of. Returns: whether what its folder says now is
    settled; not so when an end could not be written down.
    """
    now = standing(attempt, places=look.places if look else None)
    if now.recorded:
        return True
    silent = now.health == "silent" and give_up and attempt.ticket() is None
    if now.state in LIVE and not silent:
        if now.health == "orphaned":
            queue.supervise(attempt)
        return True
    # A full disk or a read-only folder: the state is right without being written, and another time will do.
    with contextlib.suppress(OSError, EngineError), attempt.held() as mine:
        if not mine:
            return False
        again = standing(attempt)
        if silent and again.health == "silent" and again.heartbeat is not None:
            reason = "given up by you: its machine had fallen silent"
            worker = attempt.worker()
            attempt.say_result(
                Ending("lost", reason, started=worker[1] if worker else None, ended=again.heartbeat.t)
            )
        elif again.ending is not None and not again.recorded:
            sweep(attempt.folder)
            attempt.say_result(again.ending)
            queue.leave(attempt)
        return True
    return False


def enter(workspace: Workspace, found: list[Job], index: Index | None = None) -> int:
    """Bring the index up to date with these jobs. Returns: how many there are."""
    look = Look(workspace.runs)
    rows = [Row(changed_ns=changed_at(item), view=look.view(item)) for item in found]
    (index or Index(workspace.root)).save(rows, _all_attempts(found, look))
    return len(rows)


def _all_attempts(found: Sequence[Job], look: Look) -> list[tuple[int, AttemptView]]:
    return [
        (item.id, attempt_view(attempt, places=look.places)) for item in found for attempt in item.attempts()
    ]


def _old(path: Path) -> bool:
    """Whether nobody can still be writing it."""
    with contextlib.suppress(OSError):
        return time.time() - path.lstat().st_mtime > 3600
    return False
