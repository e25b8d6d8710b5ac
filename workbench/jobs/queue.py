"""The queue of this machine: jobs wait for a free slot, one after the other.

    runs/.queue/TIME-JOB-ATTEMPT             waits; the names sort as they are to start; holds the
                                             variables of whoever asked for it
                TIME-JOB-ATTEMPT.STARTED     has been handed to a supervisor, which removes it when it begins
    STATE/slots/cpu-0 gpu-UUID …             locks: a slot is taken as long as a process of its job lives

Slots are of the machine, whatever workspace a job is of. The lock of a slot is inherited by supervisor and
worker, so it is free exactly when both are gone, however they ended. Nobody has to be there for the queue
to be kept: what waits is files, `advance` starts what fits, and every command that looks at jobs, every job
that ends, and a keeper (`python -m workbench.jobs.queue RUNS`) that lives as long as something waits call
it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import write_json
from engines.core.machine import processors
from workbench import paths
from workbench.jobs import timing
from workbench.jobs.devices import gpus
from workbench.jobs.executors import visible
from workbench.jobs.folder import Attempt, Job, read_document
from workbench.jobs.process import MARK
from workbench.jobs.sweeps import awaited, lane
from workbench.jobs.variables import held, placed

__all__ = ["Slots", "advance", "enqueue", "keep", "take"]

_FOLDER = ".queue"
_NAME = re.compile(r"\d+-(?P<job>\d+)-(?P<attempt>\d+)(?:\.(?P<started>\d+))?")


@dataclass(frozen=True, slots=True)
class Slots:
    """What a job holds while it runs: descriptors of locks, and the UUIDs of its GPUs."""

    locks: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()

    def close(self) -> None:
        """Leave them to whoever has inherited them."""
        for descriptor in self.locks:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Entry:
    """A place in the queue. `started`: when it was handed to a supervisor, in Unix seconds; 0 while it
    waits."""

    path: Path
    attempt: Attempt
    started: float = 0.0


def entries(runs: Path) -> list[Entry]:
    """What waits or is about to start, the first one first."""
    found = []
    with contextlib.suppress(OSError):
        for path in sorted((runs / _FOLDER).iterdir()):
            if (match := _NAME.fullmatch(path.name)) and path.is_file():
                of = Job(int(match["job"]), runs / match["job"]).attempt(int(match["attempt"]))
                found.append(Entry(path, of, float(match["started"] or 0)))
    return found


def enqueue(attempt: Attempt) -> None:
    """Put an attempt at the end of the queue. Raises: DataError when it cannot be written."""
    folder = attempt.folder.parent.parent / _FOLDER
    folder.mkdir(exist_ok=True)
    name = f"{time.time_ns():020d}-{attempt.job}-{attempt.number}"
    write_json(folder / name, {"v": 1, "variables": held()})


def place(attempt: Attempt) -> tuple[int, float] | None:
    """How many wait before an attempt, and when it was handed to a supervisor (0: not yet); None when it
    does not wait."""
    before = 0
    for entry in entries(attempt.folder.parent.parent):
        if entry.attempt == attempt:
            return before, entry.started
        before += not entry.started
    return None


def leave(attempt: Attempt) -> None:
    """Take an attempt out of the queue."""
    for entry in entries(attempt.folder.parent.parent):
        if entry.attempt == attempt:
            entry.path.unlink(missing_ok=True)


def advance(runs: Path) -> bool:
    """Start what fits, in order: one that does not fit keeps those after it from what it waits for.

    Returns: whether anything waits.
    """
    if not entries(runs):
        return False
    with _alone(runs / _FOLDER / "lock", wait=True) as mine:
        if not mine:
            return True
        blocked: set[str] = set()
        for entry in entries(runs):
            if entry.started:
                if abs(time.time() - entry.started) > timing.START_LIMIT_S:
                    entry.path.unlink(missing_ok=True)
                continue
            if entry.attempt.result() is not None or not entry.attempt.folder.is_dir():
                entry.path.unlink(missing_ok=True)
                continue
            _start(entry, blocked)
    return bool(entries(runs))


def _start(entry: Entry, blocked: set[str]) -> None:
    """Start it when there is room. Args: blocked: what others before it wait for; added to."""
    job = Job(entry.attempt.job, entry.attempt.folder.parent)
    if _awaits(job):
        return
    try:
        params = job.spec().params
    except EngineError:
        params = {}
    taken = read_document(entry.path).get("variables")
    taken = {str(name): str(value) for name, value in taken.items()} if isinstance(taken, dict) else {}
    wanted = _wanted(params, taken)
    kind = "gpu" if wanted else "cpu"
    if kind in blocked:
        return
    sweep, parallel = lane(job)
    lanes = _lock([_lane_lock(job, sweep, number) for number in range(parallel)]) if parallel else ()
    if lanes is None:
        return
    slots = _taken(wanted)
    if slots is None:
        blocked.add(kind)
        Slots(lanes).close()
        return
    slots = Slots((*slots.locks, *lanes), slots.cards)
    entry.path.rename(entry.path.with_name(f"{entry.path.name}.{int(time.time())}"))
    supervise(entry.attempt, slots, placed(taken))
    slots.close()


def _awaits(job: Job) -> bool:
    """Whether it begins when others are over, and they are not; the end of one that is lost is recorded."""
    from workbench.jobs.records import settle  # which keeps this queue

    for attempt in awaited(job):
        settle(attempt)
    return bool(awaited(job))


def _lane_lock(job: Job, sweep: int, number: int) -> Path:
    where = hashlib.sha256(str(job.folder.parent.resolve()).encode()).hexdigest()[:16]
    return paths.state_dir() / "slots" / f"sweep-{where}-{sweep}-{number}"


def take(params: Mapping[str, Any]) -> Slots:
    """The slots of a job in front, which does not wait: what is free of them."""
    return _taken(_wanted(params, os.environ)) or Slots()


def _wanted(params: Mapping[str, Any], asked: Mapping[str, str]) -> list[list[str]]:
    """The GPUs that a job needs, each as the UUIDs that will do; none for the CPU. Args: asked: the variables
    that say which there are."""
    policy = str(params.get("device", "cpu"))
    if policy.partition(":")[0] == "cpu":
        return []
    here = visible(gpus(), asked)
    if policy == "auto":
        best = sorted(here, key=lambda card: -card.free_bytes)
        return [[card.uuid for card in best]] if best else []
    if policy == "all":
        return [[card.uuid] for card in here]
    parts = policy.split(",")
    return [[card.uuid] for card in here if card.uuid in parts or str(card.index) in parts]


def _taken(wanted: Sequence[Sequence[str]]) -> Slots | None:
    """Slots for these GPUs, or one of the CPU; None when they are not all free."""
    folder = paths.state_dir() / "slots"
    if not wanted:
        found = _lock([folder / f"cpu-{number}" for number in range(_most())])
        return None if found is None else Slots(found)
    locks: list[int] = []
    cards: list[str] = []
    for any_of in wanted:
        for uuid in any_of:
            found = _lock([folder / f"gpu-{uuid}"])
            if found is not None:
                locks += found
                cards.append(uuid)
                break
        else:
            Slots(tuple(locks)).close()
            return None
    return Slots(tuple(locks), tuple(cards))


def _most() -> int:
    """How many jobs run on the CPU at a time."""
    from workbench.config import load_config

    return int(load_config().get("job_slots")) or processors()


def _lock(any_of: Sequence[Path]) -> tuple[int, ...] | None:
    """The lock of the first of these files that nobody has; None when all are taken. Where there are no
    locks, none is needed."""
    for path in any_of:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError:
            return ()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return (descriptor,)
        except OSError:
            os.close(descriptor)
    return None


def supervise(
    attempt: Attempt, slots: Slots | None = None, environment: Mapping[str, str] = os.environ
) -> None:
    """A supervisor of its own session, which nothing that happens to this process can reach."""
    slots = slots or Slots()
    clean = {key: value for key, value in environment.items() if key != MARK}
    run = attempt.folder.parent.resolve()
    command = [sys.executable, "-m", "workbench.jobs.supervisor", str(run)]
    command += [",".join(map(str, slots.locks)), ",".join(slots.cards)]
    with (attempt.folder / "supervisor.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=run,
            env=clean | {"PYTHONSAFEPATH": "1"},
            start_new_session=True,
            pass_fds=slots.locks,
        )
    # As long as this process lives it is the parent: it takes the exit code, or a zombie would stay.
    threading.Thread(target=process.wait, daemon=True).start()


def keep(runs: Path) -> None:
    """Start what fits; and see to it that someone does so when more fits."""
    if not advance(runs):
        return
    with _alone(runs / _FOLDER / "keeper") as free:
        if not free:
            return
    environment = {key: value for key, value in os.environ.items() if key != MARK}
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench.jobs.queue", str(runs.resolve())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=environment | {"PYTHONSAFEPATH": "1"},
        start_new_session=True,
    )
    threading.Thread(target=process.wait, daemon=True).start()


@contextlib.contextmanager
def _alone(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a lock for the length of the block; yields whether it could be had."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
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
    """The keeper of the queue of a folder of runs: lives as long as something waits."""
    runs = Path(arguments[0])
    with _alone(runs / _FOLDER / "keeper") as mine:
        while mine and advance(runs):
            time.sleep(timing.TICK_S)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
