"""What is true about an attempt at this moment, decided here alone: whether it waits, lives, is lost or has
ended, and how, on this machine, another one or a cluster.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from workbench.jobs import queue, timing
from workbench.jobs.executors import ask_state
from workbench.jobs.folder import Attempt, Ending, Heartbeat, Job, Ticket
from workbench.jobs.slurm import ClusterState
from workbench.jobs.sweep_members import awaited_attempts

_STATES = {
    "BOOT_FAIL": ("lost", "its node could not be started"),
    "CANCELLED": ("stopped", "cancelled on the cluster"),
    "DEADLINE": ("failed", "the cluster's deadline for it passed"),
    "NODE_FAIL": ("lost", "its node failed"),
    "OUT_OF_MEMORY": ("failed", "it took more memory than the cluster allowed it"),
    "PREEMPTED": ("stopped", "the cluster preempted it for another job"),
    "TIMEOUT": ("failed", "the cluster's time limit ended it before it could save"),
}
"""What a state of Slurm means for the attempt."""

_REMEDIES = {
    "OUT_OF_MEMORY": "Ask for more with memory=GB",
    "TIMEOUT": "Ask for more with time=MINUTES, or for an earlier warning with warning=SECONDS",
}


def ending_without_exit_code(attempt: Attempt) -> Ending:
    """Return the end of an attempt whose worker is gone and left its exit code to nobody."""
    # What is known for certain comes first; everything below is a conclusion from what is missing.
    if (known := _known_ending(attempt)) is not None:
        return known
    beat = attempt.read_heartbeat()
    if beat is None:
        reason = "its supervisor never started"
    elif beat.supervisor.before_restart:
        reason = "the machine was restarted while it ran"
    else:
        reason = "its worker and its supervisor ended without recording a result"
    if attempt.read_request() == "stop":
        reason += ", after you asked it to stop"
    return _make_ending(attempt, "lost", reason, f"Resume it: mathwb jobs resume {attempt.job}", "E620")


def ending_from_cluster(attempt: Attempt, answer: ClusterState) -> Ending:
    """Return the end of an attempt that, by the cluster, is over or unknown."""
    if (known := _known_ending(attempt)) is not None:
        return known
    # `scancel` was ours: a stop of a job that had not begun is passed on to the cluster as that.
    if answer.state == "CANCELLED" and attempt.read_request() == "stop":
        return _make_ending(attempt, "stopped", attempt.request_reason() or "stopped by you")
    state, reason = _STATES.get(answer.state, ("lost", ""))
    if not reason and answer.state:
        reason = f"the cluster says {answer.state}, and it recorded no result"
    elif not reason:
        # Slurm forgets a job soon after its end, and without accounting nobody can say how it ended.
        reason = "the cluster no longer knows it"
        reason += "" if answer.accounting else " and keeps no accounting, so its end is unknown"
    if answer.state == "CANCELLED" and attempt.read_heartbeat() is None:
        reason += " before it started"
    resume = f"mathwb jobs resume {attempt.job}"
    more = _REMEDIES.get(answer.state)
    remedy = f"{more}, then: {resume}" if more else f"Resume it: {resume}"
    # A stop needs no code of an error, whoever asked for it.
    return _make_ending(attempt, state, reason, remedy, "" if state == "stopped" else "E625")


def _known_ending(attempt: Attempt) -> Ending | None:
    """Return the worker's own account; else the end of an attempt that was killed, or stopped before it
    began.
    """
    if (outcome := attempt.read_outcome()) is not None:
        return outcome
    # The request is believed, since whoever writes it also sees to it that it happens.
    wanted = attempt.read_request()
    if wanted == "kill":
        return _make_ending(attempt, "stopped", "killed by you")
    if wanted and attempt.read_heartbeat() is None:
        return _make_ending(attempt, "stopped", "stopped by you before it started")
    return None


def _make_ending(attempt: Attempt, state: str, reason: str, remedy: str = "", code: str = "") -> Ending:
    beat = attempt.read_heartbeat()
    # The last sign of life is the best estimate: a heartbeat or a line of the log, whichever came later.
    ended = max(beat.t if beat else attempt.created_at(), modified_at(attempt.events) or 0.0)
    if attempt.read_request() and beat is None:
        ended = max(ended, attempt.requested_at())
    peak = beat.peak_bytes if beat else 0
    return Ending(state, reason, remedy, code, started=attempt.started_at(), ended=ended, peak_bytes=peak)


def modified_at(path: Path) -> float | None:
    """Return when a log last grew, in Unix seconds, or None while it is empty."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime if status.st_size else None


@dataclass(frozen=True, slots=True)
class AttemptState:
    """The state of one attempt.

    Args:
        state: One of `LIVE` or `TERMINAL`.
        health: Of a live attempt. "ok"; "silent": no heartbeat for a while from another machine; "orphaned":
            the supervisor is gone and the worker goes on; "stalled": no event for ten minutes.
        ending: The end, in a terminal state.
        recorded: Whether the run folder has the end.
        heartbeat: The last sign of life.
        waiting: What a queued attempt waits for, as its cluster puts it.
    """

    state: str
    health: str = "ok"
    ending: Ending | None = None
    recorded: bool = False
    heartbeat: Heartbeat | None = None
    waiting: str = ""


def read_attempt_state(
    attempt: Attempt, *, now: float | None = None, places: queue.QueuePositions | None = None
) -> AttemptState:
    """Return the state of an attempt, from its files and the processes they name.

    The order of the questions matters: whether a process is alive is asked before what it has left is read,
    so an end that comes between the two is not taken for a loss.

    Args:
        attempt: The attempt.
        now: The time, in Unix seconds.
        places: The queue, if it has just been read.
    """
    now = time.time() if now is None else now
    # 1. What is recorded is final, and costs one read.
    if (ending := attempt.read_result()) is not None:
        return AttemptState(ending.state, ending=ending, recorded=True)
    # 2. A cluster is asked itself, since its nodes' processes cannot be looked at from here.
    if (ticket := attempt.cluster_ticket()) is not None:
        return _on_cluster(attempt, ticket, now)
    # 3. Without a heartbeat no supervisor has begun.
    beat = attempt.read_heartbeat()
    if beat is None:
        return state_before_start(attempt, now, places)
    # 4. Only a process of this machine can be looked at; of another machine there is only the age of its
    # heartbeat.
    health = "ok"
    alive = beat.supervisor.is_alive()
    if alive is None and now - beat.t > timing.STALE_AFTER_S:
        # The worker has written its end but its supervisor was not there to record it.
        if attempt.read_outcome() is not None:
            return _state_dead(attempt)
        health = "silent"
    if alive is False:
        # The supervisor is dead. Its worker may go on, and then needs a new supervisor.
        worker = attempt.worker_process()
        if worker is None or not worker.is_alive():
            return _state_dead(attempt)
        health = "orphaned"
    return _state_alive(attempt, health, beat, now)


def state_before_start(attempt: Attempt, now: float, places: queue.QueuePositions | None) -> AttemptState:
    """Return the state of an attempt that no supervisor has begun.

    Args:
        attempt: The attempt.
        now: The time, in Unix seconds.
        places: The queue, if it has just been read.
    """
    if places is None:
        places = queue.queue_positions(attempt.folder.parent.parent)
    position = places.get((attempt.job, attempt.number))
    # In the queue, and not yet handed to a supervisor.
    if position is not None and not position[1]:
        if attempt.read_request():
            return _state_dead(attempt)
        if awaited_attempts(Job(attempt.job, attempt.folder.parent)):
            return AttemptState("queued", waiting="until the others are over")
        return AttemptState("queued", waiting=f"{position[0]} before it" if position[0] else "next")
    # Handed over, or not in the queue yet: a supervisor needs a moment to start.
    since = position[1] if position else attempt.created_at()
    if abs(now - since) < timing.START_LIMIT_S:  # the clock may have been set back since
        return AttemptState("stopping" if attempt.read_request() else "queued")
    return _state_dead(attempt)


def _state_alive(attempt: Attempt, health: str, beat: Heartbeat, now: float) -> AttemptState:
    # A request counts before anything else: the user wants to see that it was received.
    if attempt.read_request():
        return AttemptState("stopping", health, heartbeat=beat)
    events = modified_at(attempt.events)
    if events is None:
        # The first event of a worker is that it runs, so without any it is still starting.
        return AttemptState("starting", health, heartbeat=beat)
    if health == "ok" and now - events > timing.STALLED_AFTER_S:
        health = "stalled"
    return AttemptState("running", health, heartbeat=beat)


def _on_cluster(attempt: Attempt, ticket: Ticket, now: float) -> AttemptState:
    """Return the state of an attempt on a cluster. A fresh heartbeat and the worker's own account are
    believed first; whether an attempt without them waits, runs or is over, the cluster alone knows.
    """
    beat = attempt.read_heartbeat()
    if beat is not None:
        alive = beat.supervisor.is_alive()
        if alive or (alive is None and now - beat.t <= timing.STALE_AFTER_S):
            return _state_alive(attempt, "ok", beat, now)
    if attempt.read_outcome() is not None:
        return _state_dead(attempt)
    # The ticket has no number while the job is being handed over, which a crash may have cut short.
    if not ticket.number:
        handed_over = abs(now - attempt.created_at()) < timing.START_LIMIT_S
        return (
            AttemptState("stopping" if attempt.read_request() else "queued")
            if handed_over
            else _state_dead(attempt)
        )
    answer = ask_state(ticket)
    if answer is not None and not answer.live:
        # It may have ended between the two questions.
        if (ending := attempt.read_result()) is not None:
            return AttemptState(ending.state, ending=ending, recorded=True)
        ending = ending_from_cluster(attempt, answer)
        return AttemptState(ending.state, ending=ending)
    # The cluster cannot be reached, or it makes the job wait; a heartbeat from before says that it ran.
    if answer is None or answer.pending:
        waiting = "the cluster cannot be reached from here" if answer is None else answer.reason
        if beat is None or answer is not None:
            return AttemptState(
                "stopping" if attempt.read_request() else "queued", waiting=waiting, heartbeat=beat
            )
    if beat is None:
        return AttemptState("stopping" if attempt.read_request() else "starting")
    return _state_alive(attempt, "silent", beat, now)


def _state_dead(attempt: Attempt) -> AttemptState:
    if (ending := attempt.read_result()) is not None:
        return AttemptState(ending.state, ending=ending, recorded=True)
    ending = ending_without_exit_code(attempt)
    return AttemptState(ending.state, ending=ending)
