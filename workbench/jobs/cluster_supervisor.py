"""The supervisor of a job on a node of a cluster, which is what a batch job of Slurm runs.

`python -m workbench.jobs.cluster_supervisor RUN_DIR`. It lives and dies with the batch job, so that nothing
of the job is left on the machine that it was submitted from. The cluster starts it anew when it has put the
job back into its queue: a start that finds an attempt begun ends that one and goes on with the next.

Before its time limit the cluster warns with SIGUSR2: the work saves and stops, the attempt ends as stopped,
and the job is queued again, unless it has got no further than the attempt before.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from workbench.jobs import timing
from workbench.jobs.attempt_state import ending_without_exit_code
from workbench.jobs.executors import executor_of, executor_options
from workbench.jobs.folder import Attempt, Ending, Job, Ticket
from workbench.jobs.supervisor import Signals, Supervisor
from workbench.jobs.tail import read_progress

TIME_LIMIT = "the cluster's time limit"
CANCELLED = "cancelled on the cluster"
REQUEUED = "requeued by the cluster"


class _NodeSupervisor(Supervisor):
    """A supervisor that heeds the warning before a time limit, and asks the cluster who sent a signal."""

    def __init__(self, job: Job, attempt: Attempt, ticket: Ticket) -> None:
        super().__init__(attempt)
        self._job, self._ticket = job, ticket
        self.next: Attempt | None = None
        """The attempt that goes on, when the job has not come to its end."""

    def _forward_requests(self, signals: Signals) -> None:
        # The time limit is written down as a request, so that the worker, the result and the user see one
        # reason.
        if signals.warnings and not self.attempt.read_request():
            self.attempt.request_end("stop", TIME_LIMIT)
        super()._forward_requests(signals)

    def _find_ending(self, signals: Signals) -> Ending:
        ending = super()._find_ending(signals)
        # Stopped without a request: a signal of the cluster. Only the cluster knows why it was sent.
        if ending.state != "stopped" or not signals.stops or self.attempt.read_request():
            return ending
        # The signal went to the worker too, and neither can know why.
        by = executor_of(self._ticket).ending_kind(self._ticket.number, os.environ)
        reason = REQUEUED if by == "requeued" else CANCELLED if by else ending.reason
        return replace(ending, reason=reason)

    def _record_ending(self, ending: Ending, signals: Signals) -> Ending:
        # A user who asks for no requeue gets none of ours either.
        once = "no-requeue" in (executor_options(self._job.read_recipe().params) or {})
        again = ending.reason == REQUEUED or (ending.reason == TIME_LIMIT and not once)
        if ending.state == "stopped" and again and self.attempt.read_request() != "kill":
            # Before the end is recorded: between the two the job would seem to be over.
            self.next = self._job.add_attempt(self.attempt.number, self._ticket)
        return super()._record_ending(ending, signals)


def _own_ticket(job: Job) -> Ticket | None:
    """Return the ticket of the job of an executor that this process runs in, or None if it runs in none."""
    stored = job.last_attempt().cluster_ticket()
    if stored is None:
        return None
    number = executor_of(stored).job_id(os.environ)
    return stored if number is None else replace(stored, number=number)


def _begin_attempt(job: Job, ticket: Ticket) -> Attempt | None:
    attempt = job.last_attempt()
    # Another submission has taken over the attempt, for example after a resume.
    if attempt.cluster_ticket() not in (Ticket(ticket.executor), ticket):
        return None
    # Everything is done; the cluster has started the script again without need.
    if attempt.read_result() is not None:
        return None
    # The usual case: the first start of this attempt.
    if attempt.read_heartbeat() is None:
        attempt.write_ticket(ticket)
        return attempt
    # Begun by an earlier start of the same batch job.
    ending = ending_without_exit_code(attempt)
    # The node failed or the job was preempted: nothing of that is the user's to repair.
    if ending.state == "lost":
        ending = replace(ending, state="stopped", reason=REQUEUED, remedy="", code="")
    # A stop by the user is final; a stop by the time limit is not.
    goes_on = ending.state == "stopped" and (not attempt.read_request() or bool(attempt.request_reason()))
    made = job.add_attempt(attempt.number, ticket) if goes_on else None
    with attempt.hold_lock(timing.LOCK_WAIT_S) as mine:
        # A node that the cluster has lost touch with may have it; the next attempt takes over from it.
        if mine:
            attempt.write_result(ending)
    return made


def _requeue_job(job: Job, attempt: Attempt, made: Attempt, ticket: Ticket) -> None:
    """Queue the job again for the attempt that was made after a time limit, as far as that makes sense."""
    if _has_progressed(job, attempt):
        # Requeueing ends this process, so everything else has been recorded before.
        problem = executor_of(ticket).requeue_job(ticket.number)
    else:
        problem = "it got no further than the previous attempt, so it was not queued again"
    # The next attempt exists already; it gets an end, so that the job does not seem to wait.
    if problem:
        resume = f"Ask for more with time=MINUTES, then: mathwb jobs resume {job.id}"
        made.write_result(Ending("failed", f"{TIME_LIMIT}: {problem}", resume, "E625", ended=time.time()))


def _has_progressed(job: Job, attempt: Attempt) -> bool:
    if attempt.number == 1:
        return True
    # Work that does not report its progress is given the benefit of the doubt.
    now, before = (read_progress(each.events).done for each in (attempt, job.attempt(attempt.number - 1)))
    return now is None or before is None or now > before


def main(arguments: list[str]) -> int:
    """Supervise a job on a node, as the batch script starts it.

    Returns:
        0, or 1 if the work has failed.
    """
    # Before and after the work a signal must not keep its end from being written down.
    for each in (signal.SIGTERM, signal.SIGUSR2):
        signal.signal(each, signal.SIG_IGN)
    folder = Path(arguments[0])
    job = Job(int(folder.name), folder)
    ticket = _own_ticket(job)
    if ticket is None or (attempt := _begin_attempt(job, ticket)) is None:
        return 0
    supervisor = _NodeSupervisor(job, attempt, ticket)
    ending = supervisor.run()
    if ending is None:
        return 0
    if supervisor.next is not None and ending.reason == TIME_LIMIT:
        _requeue_job(job, attempt, supervisor.next, ticket)
    supervisor.await_reporters()
    return 1 if ending.state == "failed" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
