"""The end of an attempt that had nobody to take its exit code: what it left behind, what its cluster says."""

from __future__ import annotations

from pathlib import Path

from workbench.jobs.folder import Attempt, Ending
from workbench.jobs.slurm import Told

__all__ = ["cluster_words", "last_words", "modified"]

_STATES = {
    "BOOT_FAIL": ("lost", "its node could not be started"),
    "CANCELLED": ("stopped", "cancelled on the cluster"),
    "DEADLINE": ("failed", "the cluster's deadline for it has passed"),
    "NODE_FAIL": ("lost", "its node failed"),
    "OUT_OF_MEMORY": ("failed", "it took more memory than the cluster allowed it"),
    "PREEMPTED": ("stopped", "the cluster gave its place to another job"),
    "TIMEOUT": ("failed", "the cluster's time limit ended it before it could save"),
}
"""What a state of Slurm means for the attempt."""

_REMEDIES = {
    "OUT_OF_MEMORY": "Ask for more with memory=GB",
    "TIMEOUT": "Ask for more with time=MINUTES, or for an earlier warning with warning=SECONDS",
}


def last_words(attempt: Attempt) -> Ending:
    """The end of an attempt whose worker is known to be gone and had nobody to take its exit code."""
    if (outcome := attempt.outcome()) is not None:
        return outcome
    if (asked := _asked(attempt)) is not None:
        return asked
    beat = attempt.heartbeat()
    if beat is None:
        reason = "its supervisor never started"
    elif beat.supervisor.before_restart:
        reason = "the machine was restarted while it ran"
    else:
        reason = "its worker and its supervisor ended without recording a result"
    if attempt.wanted() == "stop":
        reason += ", after you asked it to stop"
    return _of(attempt, "lost", reason, f"Resume it: mathwb jobs resume {attempt.job}", "E620")


def cluster_words(attempt: Attempt, told: Told) -> Ending:
    """The end of an attempt that the cluster says is over, or does not know any more."""
    if (outcome := attempt.outcome()) is not None:
        return outcome
    if (asked := _asked(attempt)) is not None:
        return asked
    if told.state == "CANCELLED" and attempt.wanted() == "stop":
        return _of(attempt, "stopped", attempt.wanted_why() or "stopped by you")
    state, reason = _STATES.get(told.state, ("lost", ""))
    if not reason and told.state:
        reason = f"the cluster says {told.state}, and it recorded no result"
    elif not reason:
        reason = "the cluster does not know it any more"
        reason += "" if told.accounting else " and keeps no accounting, so how it ended is not known"
    if told.state == "CANCELLED" and attempt.heartbeat() is None:
        reason += " before it started"
    resume = f"mathwb jobs resume {attempt.job}"
    more = _REMEDIES.get(told.state)
    remedy = f"{more}, then: {resume}" if more else f"Resume it: {resume}"
    return _of(attempt, state, reason, remedy, "" if state == "stopped" else "E625")


def _asked(attempt: Attempt) -> Ending | None:
    """The end of an attempt that was killed on request, or stopped before it began."""
    wanted = attempt.wanted()
    if wanted == "kill":
        return _of(attempt, "stopped", "killed by you")
    if wanted and attempt.heartbeat() is None:
        return _of(attempt, "stopped", "stopped by you before it started")
    return None


def _of(attempt: Attempt, state: str, reason: str, remedy: str = "", code: str = "") -> Ending:
    beat, worker = attempt.heartbeat(), attempt.worker()
    ended = max(beat.t if beat else attempt.created(), modified(attempt.events) or 0.0)
    if attempt.wanted() and beat is None:
        ended = max(ended, attempt.wanted_since())
    started = worker[1] if worker else None
    peak = beat.peak_bytes if beat else 0
    return Ending(state, reason, remedy, code, started=started, ended=ended, peak_bytes=peak)


def modified(path: Path) -> float | None:
    """When a log last grew, in Unix seconds; None while it is empty."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime if status.st_size else None
