"""The lease of a run folder: only the worker of the latest attempt writes to it.

A worker claims the folder by saying which process it is. The worker before it, which may be on another
machine, sees the claim within a heartbeat and ends; the new one waits that long before it begins.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from engines.core.errors import EngineError
from engines.core.events import Event, Sink
from workbench.jobs import timing
from workbench.jobs.folder import Attempt, Ending, Job


def watch_lease(job: Job, attempt: Attempt, log: Sink) -> None:
    """End this process, with all that it has started, once a later attempt has begun to work: it writes to
    the same folder, and of two writers each would remove the other's checkpoints."""
    # This thread only ever ends the process when two attempts would work at the same time.
    after = job.attempt(attempt.number + 1)
    while after.worker_process() is None:
        time.sleep(timing.HEARTBEAT_S)
    with contextlib.suppress(EngineError, OSError):
        message = f"attempt {after.number} is running, so this one ends"
        log(Event("warning", {"message": message}))
        # The account is written before the kill, since nothing runs after it.
        attempt.write_outcome(Ending("lost", message, code="E626", ended=time.time()))
    # Group 0 is the group of this process, which contains all that it has started.
    os.killpg(0, signal.SIGKILL)


def await_lease(job: Job, attempt: Attempt) -> None:
    """Give the worker of the previous attempt time to see this one's claim, where it may still be at work: on
    another machine, without having said how it ended."""
    before = job.attempt(attempt.number - 1)
    worker = before.worker_process()
    if worker is not None and worker.is_alive() is None and before.read_outcome() is None:
        # Two beats of the other worker's watch: it reads this claim every `HEARTBEAT_S` seconds.
        time.sleep(2 * timing.HEARTBEAT_S)
