"""Stores the ends of attempts that nobody else can store them for, and supervises orphaned workers."""

from __future__ import annotations

import contextlib

from engines.core.errors import EngineError
from workbench.jobs.attempt_state import read_attempt_state
from workbench.jobs.folder import LIVE, Attempt, Ending
from workbench.jobs.job_views import JobSnapshot
from workbench.jobs.machine import kill_leftovers
from workbench.jobs.queue import leave_queue, start_supervisor


def settle_attempt(attempt: Attempt, *, give_up: bool = False, look: JobSnapshot | None = None) -> bool:
    """Store the end of an attempt that nobody else can store it for, or give its worker a new supervisor."""
    # The state is read without the lock first: nearly always there is nothing to do.
    now = read_attempt_state(attempt, places=look.places if look else None)
    if now.recorded:
        return True
    # A job of a cluster is never given up here: the cluster itself knows what has become of it.
    silent = now.health == "silent" and give_up and attempt.cluster_ticket() is None
    if now.state in LIVE and not silent:
        if now.health == "orphaned":
            start_supervisor(attempt)
        return True
    # A full disk or a read-only folder: the state is right without being written, and another time will do.
    with contextlib.suppress(OSError, EngineError), attempt.hold_lock() as mine:
        if not mine:
            return False
        # Asked again under the lock: another process may have recorded the end in the meantime.
        again = read_attempt_state(attempt)
        if silent and again.health == "silent" and again.heartbeat is not None:
            reason = "abandoned by you: its machine had stopped responding"
            attempt.write_result(
                # The last sign of life is the best estimate of the end.
                Ending("lost", reason, started=attempt.started_at(), ended=again.heartbeat.t)
            )
        elif again.ending is not None and not again.recorded:
            # Leftovers are killed before the result: after it, nothing may write into the folder.
            kill_leftovers(attempt.folder)
            attempt.write_result(again.ending)
            leave_queue(attempt)
        return True
    return False
