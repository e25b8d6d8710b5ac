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
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engines.core.errors import EngineError
from engines.core.files import write_json
from engines.core.machine import processors
from workbench.config import load_config, state_dir
from workbench.jobs import machine as timing
from workbench.jobs.executors import held, placed, visible
from workbench.jobs.folder import Attempt, Job, read_document
from workbench.jobs.machine import Gpu, gpus, start_detached
from workbench.jobs.sweeps import awaited, lane

_FOLDER = ".queue"
_NAME = re.compile(r"[0-9]+-([0-9]+)-([0-9]+)(?:\.([0-9]+))?")
_CARDS_S = 5.0
"""What the driver's tool tells of the cards is believed for so long: asking it takes longer than all else."""

Places = Mapping[tuple[int, int], tuple[int, float]]
"""The queue by job and attempt: how many wait before it; when it was handed to a supervisor (0: not yet)."""


@dataclass(frozen=True, slots=True)
class Slots:
    """What a job holds while it runs: descriptors of locks, and the UUIDs of its GPUs."""

    locks: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()

    def close(self) -> None:
        """Leave them to whoever has inherited them."""
        for descriptor in self.locks:
            os.close(descriptor)


class Entry(NamedTuple):
    """A place in the queue. `started`: when it was handed to a supervisor, in Unix seconds; 0 while it
    waits."""

    name: str
    job: int
    attempt: int
    started: float = 0.0


def entries(runs: Path) -> list[Entry]:
    """What waits or is about to start, the first one first."""
    with contextlib.suppress(OSError), os.scandir(runs / _FOLDER) as folder:
        names = sorted(each.name for each in folder if each.is_file())
        matches = filter(None, map(_NAME.fullmatch, names))
        return [Entry(each[0], int(each[1]), int(each[2]), float(each[3] or 0)) for each in matches]
    return []


def waits(runs: Path) -> bool:
    """Whether anything waits or is about to start."""
    return bool(entries(runs))


def places(runs: Path) -> Places:
    """The queue as it is now; who looks at many jobs reads it once."""
    result: dict[tuple[int, int], tuple[int, float]] = {}
    before = 0
    for entry in entries(runs):
        result.setdefault((entry.job, entry.attempt), (before, entry.started))
        before += not entry.started
    return result


def enqueue(attempt: Attempt) -> None:
    """Put an attempt at the end of the queue. Raises: DataError when it cannot be written."""
    folder = attempt.folder.parent.parent / _FOLDER
    folder.mkdir(exist_ok=True)
    name = f"{time.time_ns():020d}-{attempt.job}-{attempt.number}"
    write_json(folder / name, {"v": 1, "variables": held()})


def leave(attempt: Attempt) -> None:
    runs = attempt.folder.parent.parent
    for entry in entries(runs):
        if (entry.job, entry.attempt) == (attempt.job, attempt.number):
            (runs / _FOLDER / entry.name).unlink(missing_ok=True)


def advance(runs: Path) -> bool:
    """Start what fits, in order: one that does not fit keeps those after it from what it waits for.

    Returns: whether anything waits.
    """
    return Keeper(runs).advance()


class _Wish(NamedTuple):
    device: str
    variables: Mapping[str, str]
    lane: tuple[int, int]


class Keeper:
    """Starts what fits, again and again; what it has read of entries and cards it remembers."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._wishes: dict[str, _Wish] = {}
        self._cards: list[Gpu] = []
        self._cards_until = -math.inf

    def advance(self) -> bool:
        """As the function of this name."""
        if not waits(self._runs):
            return False
        with _alone(self._runs / _FOLDER / "lock", wait=True) as mine:
            if not mine:
                return True
            blocked: set[str | int] = set()
            for entry in entries(self._runs):
                if not entry.started:
                    self._start(entry, blocked)
                elif abs(time.time() - entry.started) > timing.START_LIMIT_S:
                    self._drop(entry)
        return waits(self._runs)

    def _start(self, entry: Entry, blocked: set[str | int]) -> None:
        """Start it when there is room. Args: blocked: what others before it wait for, a kind of slot or a
        sweep of which enough runs; added to."""
        wish = self._wishes.get(entry.name) or self._wish(entry)
        wanted = _wanted(wish.device, wish.variables, self._gpus)
        kind = "gpu" if wanted else "cpu"
        sweep, parallel = wish.lane
        if kind in blocked or sweep in blocked:
            return
        job = self._job(entry)
        attempt = job.attempt(entry.attempt)
        if attempt.result() is not None or not attempt.folder.is_dir():
            self._drop(entry)
            return
        if _awaits(job):
            return
        lanes = _lock([_lane_lock(job, sweep, number) for number in range(parallel)]) if parallel else ()
        if lanes is None:
            blocked.add(sweep)
            return
        slots = _taken(wanted)
        if slots is None:
            blocked.add(kind)
            Slots(lanes).close()
            return
        slots = Slots((*slots.locks, *lanes), slots.cards)
        path = self._runs / _FOLDER / entry.name
        path.rename(path.with_name(f"{entry.name}.{int(time.time())}"))
        del self._wishes[entry.name]
        supervise(attempt, slots, placed(wish.variables))
        slots.close()

    def _job(self, entry: Entry) -> Job:
        return Job(entry.job, self._runs / str(entry.job))

    def _wish(self, entry: Entry) -> _Wish:
        job, device = self._job(entry), "cpu"
        with contextlib.suppress(EngineError):
            device = _device(job.spec().params)
        taken = read_document(self._runs / _FOLDER / entry.name).get("variables")
        taken = {str(name): str(value) for name, value in taken.items()} if isinstance(taken, dict) else {}
        self._wishes[entry.name] = wish = _Wish(device, taken, lane(job))
        return wish

    def _drop(self, entry: Entry) -> None:
        self._wishes.pop(entry.name, None)
        (self._runs / _FOLDER / entry.name).unlink(missing_ok=True)

    def _gpus(self) -> list[Gpu]:
        if time.monotonic() > self._cards_until:
            self._cards, self._cards_until = gpus(), time.monotonic() + _CARDS_S
        return self._cards


def _awaits(job: Job) -> bool:
    """Whether it begins when others are over, and they are not; the end of one that is lost is recorded."""
    from workbench.jobs.records import settle  # which keeps this queue

    for attempt in awaited(job):
        settle(attempt)
    return bool(awaited(job))


def _lane_lock(job: Job, sweep: int, number: int) -> Path:
    where = hashlib.sha256(str(job.folder.parent.resolve()).encode()).hexdigest()[:16]
    return state_dir() / "slots" / f"sweep-{where}-{sweep}-{number}"


def take(params: Mapping[str, Any]) -> Slots:
    """The slots of a job in front, which does not wait: what is free of them."""
    return _taken(_wanted(_device(params), os.environ, gpus)) or Slots()


def _device(params: Mapping[str, Any]) -> str:
    return str(params.get("device", "cpu"))


def _wanted(policy: str, asked: Mapping[str, str], cards: Callable[[], list[Gpu]]) -> list[list[str]]:
    """The GPUs that a job needs, each as the UUIDs that will do; none for the CPU. Args: asked: the variables
    that say which of the `cards` there are."""
    if policy.partition(":")[0] == "cpu":
        return []
    here = visible(cards(), asked)
    if policy == "auto":
        best = sorted(here, key=lambda card: -card.free_bytes)
        return [[card.uuid for card in best]] if best else []
    if policy == "all":
        return [[card.uuid] for card in here]
    parts = policy.split(",")
    return [[card.uuid] for card in here if card.uuid in parts or str(card.index) in parts]


def _taken(wanted: Sequence[Sequence[str]]) -> Slots | None:
    folder = state_dir() / "slots"
    if not wanted:
        result = _lock([folder / f"cpu-{number}" for number in range(_most())])
        return None if result is None else Slots(result)
    locks: list[int] = []
    cards: list[str] = []
    for any_of in wanted:
        for uuid in any_of:
            result = _lock([folder / f"gpu-{uuid}"])
            if result is not None:
                locks += result
                cards.append(uuid)
                break
        else:
            Slots(tuple(locks)).close()
            return None
    return Slots(tuple(locks), tuple(cards))


def _most() -> int:
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
    run = attempt.folder.parent.resolve()
    start_detached(
        "workbench.jobs.supervisor",
        str(run),
        ",".join(map(str, slots.locks)),
        ",".join(slots.cards),
        cwd=run,
        log=attempt.folder / "supervisor.log",
        environment=environment,
        pass_fds=slots.locks,
    )


def keep(runs: Path) -> None:
    """Start what fits; and see to it that someone does so when more fits. A keeper that lives does both."""
    if not waits(runs):
        return
    with _alone(runs / _FOLDER / "keeper") as free:
        pass
    # Without the lock: what others have put there, who found it held for this moment, is started too.
    if free and advance(runs):
        start_detached("workbench.jobs.queue", str(runs.resolve()))


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
    keeper = Keeper(runs)
    mine = True
    # Asked again without the lock: who puts something there while it is held relies on its holder.
    while mine and waits(runs):
        with _alone(runs / _FOLDER / "keeper") as mine:
            while mine and keeper.advance():
                time.sleep(timing.TICK_S)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
