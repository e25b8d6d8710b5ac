"""The scheduler of this machine: starts the jobs that wait in the queue of a folder of runs.

No daemon is needed: what waits is files, and `advance_queue` starts what fits. It is called by every command
that looks at jobs, by every job that ends, and by a keeper (`python -m workbench.jobs.scheduler RUNS`) that
lives as long as something waits.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from engines.core.errors import EngineError
from workbench.folders import state_dir
from workbench.jobs import timing
from workbench.jobs.attempt_recording import settle_attempt
from workbench.jobs.folder import Job, read_document
from workbench.jobs.machine import Gpu, list_gpus, start_detached
from workbench.jobs.queue import (
    QUEUE_FOLDER,
    QueueEntry,
    Slots,
    device_policy,
    lock_first_free,
    lock_slots,
    queue_entries,
    requested_gpus,
    start_supervisor,
    with_job_variables,
)
from workbench.jobs.sweep_members import awaited_attempts, sweep_lane

_CARDS_S = 5.0
"""What the driver's tool tells of the cards is believed for so long: asking it takes longer than all else."""


def advance_queue(runs: Path) -> bool:
    """Start the queued jobs for which there is room, in order.

    A job for which there is no room blocks later jobs from the slots that it waits for.

    Returns:
        Whether any job still waits.
    """
    return QueueRunner(runs).advance_queue()


class _Wish(NamedTuple):
    device: str
    variables: Mapping[str, str]
    lane: tuple[int, int]


class QueueRunner:
    """Starter of queued jobs; it caches the entries' requests and the list of GPUs between passes."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._wishes: dict[str, _Wish] = {}
        self._cards: list[Gpu] = []
        self._cards_until = -math.inf

    def advance_queue(self) -> bool:
        """Start the queued jobs for which there is room, as the function `advance_queue` does."""
        # Asked without the lock first: most often nothing waits, and the command that asks should not wait
        # either.
        if not queue_entries(self._runs):
            return False
        with _hold_lock(self._runs / QUEUE_FOLDER / "lock", wait=True) as mine:
            if not mine:
                # The lock cannot be had, for example because the folder is read-only: assume that something
                # waits.
                return True
            # Kinds of slots and sweeps that an earlier entry waits for. Later entries must not overtake it.
            blocked: set[str | int] = set()
            for entry in queue_entries(self._runs):
                if not entry.started:
                    self._start_entry(entry, blocked)
                # `abs`, because the clock may have been set back since.
                elif abs(time.time() - entry.started) > timing.START_LIMIT_S:
                    self._drop_entry(entry)
        return bool(queue_entries(self._runs))

    def _start_entry(self, entry: QueueEntry, blocked: set[str | int]) -> None:
        """Start a waiting job if there is room for it.

        Args:
            blocked: What others before it wait for, a kind of slot or a sweep of which enough runs; added to.
        """
        # What an entry requests never changes, so its files are read once in the life of a keeper.
        wish = self._wishes.get(entry.name) or self._read_wish(entry)
        gpu_requests = requested_gpus(wish.device, wish.variables, self._cached_gpus)
        kind = "gpu" if gpu_requests else "cpu"
        sweep, parallel = wish.lane
        if kind in blocked or sweep in blocked:
            return
        job = self._entry_job(entry)
        attempt = job.attempt(entry.attempt)
        # Stopped while it waited, or deleted.
        if attempt.read_result() is not None or not attempt.folder.is_dir():
            self._drop_entry(entry)
            return
        for awaited in awaited_attempts(job):
            settle_attempt(awaited)  # the end of one that is lost is recorded
        if awaited_attempts(job):
            return
        # First a lane of its sweep, if that limits how many run at a time, then a slot of this machine.
        lanes = (
            lock_first_free([_lane_lock(job, sweep, number) for number in range(parallel)])
            if parallel
            else ()
        )
        if lanes is None:
            blocked.add(sweep)
            return
        slots = lock_slots(gpu_requests)
        if slots is None:
            blocked.add(kind)
            # The lanes are held by now and nobody will use them, so they are given back.
            Slots(lanes).close()
            return
        slots = Slots((*slots.locks, *lanes), slots.cards)
        # The rename takes the entry out of the queue before the supervisor starts.
        path = self._runs / QUEUE_FOLDER / entry.name
        # The time in the name makes an entry that no supervisor has claimed expire after `START_LIMIT_S`.
        try:
            path.rename(path.with_name(f"{entry.name}.{int(time.time())}"))
        except FileNotFoundError:
            pass  # its end was recorded meanwhile, which takes it out of the queue without the lock
        else:
            start_supervisor(attempt, slots, with_job_variables(wish.variables))
        del self._wishes[entry.name]
        # The supervisor has inherited the descriptors; closing ours leaves the locks with it alone.
        slots.close()

    def _entry_job(self, entry: QueueEntry) -> Job:
        return Job(entry.job, self._runs / str(entry.job))

    def _read_wish(self, entry: QueueEntry) -> _Wish:
        job, device = self._entry_job(entry), "cpu"
        with contextlib.suppress(EngineError):
            # A recipe that cannot be read is the worker's to explain: the job starts on the CPU and fails
            # there.
            device = device_policy(job.read_recipe().params)
        taken = read_document(self._runs / QUEUE_FOLDER / entry.name).get("variables")
        taken = {str(name): str(value) for name, value in taken.items()} if isinstance(taken, dict) else {}
        self._wishes[entry.name] = wish = _Wish(device, taken, sweep_lane(job))
        return wish

    def _drop_entry(self, entry: QueueEntry) -> None:
        self._wishes.pop(entry.name, None)
        (self._runs / QUEUE_FOLDER / entry.name).unlink(missing_ok=True)

    def _cached_gpus(self) -> list[Gpu]:
        if time.monotonic() > self._cards_until:
            # A monotonic clock, since a cache must not live longer when the wall clock is set back.
            self._cards, self._cards_until = list_gpus(), time.monotonic() + _CARDS_S
        return self._cards


def _lane_lock(job: Job, sweep: int, number: int) -> Path:
    # The state folder serves all workspaces of the user, so the path of the runs is part of the name.
    where = hashlib.sha256(str(job.folder.parent.resolve()).encode()).hexdigest()[:16]
    return state_dir() / "slots" / f"sweep-{where}-{sweep}-{number}"


def keep_queue(runs: Path) -> None:
    """Start what fits, and make sure that a keeper starts the rest later."""
    if not queue_entries(runs):
        return
    # The lock of a keeper is taken only to see whether one lives; it is released at once.
    with _hold_lock(runs / QUEUE_FOLDER / "keeper") as free:
        pass
    # Without the lock: what others have put there, who found it held for this moment, is started too.
    if free and advance_queue(runs):
        start_detached("workbench.jobs.scheduler", str(runs.resolve()))


@contextlib.contextmanager
def _hold_lock(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock for the length of the block; yields whether it could be had."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        # A read-only folder: nothing can be locked and nothing started.
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)


def main(arguments: list[str]) -> int:
    """Keep the queue of a folder of runs as long as anything waits."""
    runs = Path(arguments[0])
    keeper = QueueRunner(runs)
    mine = True
    # Asked again without the lock: who puts something there while it is held relies on its holder.
    while mine and queue_entries(runs):
        with _hold_lock(runs / QUEUE_FOLDER / "keeper") as mine:
            while mine and keeper.advance_queue():
                time.sleep(timing.TICK_S)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
