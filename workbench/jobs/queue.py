"""The queue of this machine, and the slots that running jobs occupy.

    runs/.queue/TIME-JOB-ATTEMPT             waits; the names sort as they are to start; holds the
                                             variables of whoever asked for it
                TIME-JOB-ATTEMPT.STARTED     has been handed to a supervisor, which removes it when it begins
    STATE/slots/cpu-0 gpu-UUID …             locks: a slot is taken as long as a process of its job lives

Slots are of the machine, whatever workspace a job is of. The lock of a slot is inherited by supervisor and
worker, so it is free exactly when both are gone, however they ended. `workbench.jobs.scheduler` starts what
waits here.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from engines.core.files import write_json
from engines.core.system import count_processors
from workbench.config import load_config
from workbench.folders import state_dir
from workbench.jobs.folder import Attempt
from workbench.jobs.machine import MARK, Gpu, list_gpus, start_detached
from workbench.jobs.placement import LAUNCHED, VISIBLE, visible_gpus

# Variables of the environment that belong to a job, whoever starts it: ours, and those that say where the
# libraries find things, how many threads they take, which GPUs there are, and which reporters a job has.
# Secrets are never written down: a job that waits gets those of whoever starts it.

_FAMILIES = re.compile(
    r"(MATHWB|CUDA|OMP|MKL|OPENBLAS|NUMEXPR|HF|TRANSFORMERS|TOKENIZERS|TORCH|PYTORCH|NCCL|WANDB|MLFLOW|TRACKIO)_"
)
_SINGLE = (*VISIBLE, "PYTHONPATH")
# Parts of a name between underscores that mark its value as secret, as in `HF_TOKEN` or `WANDB_API_KEY`.
_SECRET = {"TOKEN", "KEY", "SECRET", "PASSWORD", "PASS", "CREDENTIALS", "AUTH"}
_WITH_PASSWORD = re.compile(r"://[^/\s]*@")


def job_variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables that a job which may have to wait takes along."""
    return {name: value for name, value in environment.items() if _belongs_to_job(name, value)}


def with_job_variables(
    taken: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return an environment in which the variables that belong to a job are those that it took along."""
    # Both directions: what the job took along replaces ours, and variables of ours that it did not take are
    # left out.
    return {name: value for name, value in environment.items() if not _belongs_to_job(name, value)} | dict(
        taken
    )


def _belongs_to_job(name: str, value: str) -> bool:
    # `MARK` and `LAUNCHED` describe the process that submits, and would mark the job as its child.
    if name in (MARK, LAUNCHED) or not (name in _SINGLE or _FAMILIES.match(name)):
        return False
    return not (_SECRET & set(name.split("_")) or _WITH_PASSWORD.search(value))


# The queue.

QUEUE_FOLDER = ".queue"
# Time, job and attempt; the optional last number is the time of the hand-over.
_NAME = re.compile(r"[0-9]+-([0-9]+)-([0-9]+)(?:\.([0-9]+))?")

QueuePositions = Mapping[tuple[int, int], tuple[int, float]]
"""The queue by job and attempt: how many wait before it; when it was handed to a supervisor (0: not yet)."""


@dataclass(frozen=True, slots=True)
class Slots:
    """What a job occupies while it runs: file descriptors of locks, and the UUIDs of its GPUs."""

    locks: tuple[int, ...] = ()
    cards: tuple[str, ...] = ()

    def close(self) -> None:
        """Close the locks in this process; processes that have inherited them keep them."""
        for descriptor in self.locks:
            os.close(descriptor)


class QueueEntry(NamedTuple):
    """An entry of the queue. `started` is when it was handed to a supervisor, in Unix seconds; 0 while it
    waits.
    """

    name: str
    job: int
    attempt: int
    started: float = 0.0


def queue_entries(runs: Path) -> list[QueueEntry]:
    """List what waits or is about to start, the first one first."""
    with contextlib.suppress(OSError), os.scandir(runs / QUEUE_FOLDER) as folder:
        names = sorted(each.name for each in folder if each.is_file())
        matches = filter(None, map(_NAME.fullmatch, names))
        return [QueueEntry(match[0], int(match[1]), int(match[2]), float(match[3] or 0)) for match in matches]
    return []


def queue_positions(runs: Path) -> QueuePositions:
    """Read the queue once for looking at many jobs."""
    result: dict[tuple[int, int], tuple[int, float]] = {}
    before = 0
    for entry in queue_entries(runs):
        # Should an attempt be in the queue twice, its earlier entry counts.
        result.setdefault((entry.job, entry.attempt), (before, entry.started))
        # Only entries that still wait are ahead of the next one.
        before += not entry.started
    return result


def enqueue(attempt: Attempt) -> None:
    """Put an attempt at the end of the queue.

    Raises:
        DataError: If it cannot be written.
    """
    folder = attempt.folder.parent.parent / QUEUE_FOLDER
    folder.mkdir(exist_ok=True)
    # Padded to 20 digits, so that the names sort as the times do.
    name = f"{time.time_ns():020d}-{attempt.job}-{attempt.number}"
    write_json(folder / name, {"v": 1, "variables": job_variables()})


def leave_queue(attempt: Attempt) -> None:
    """Take an attempt out of the queue."""
    runs = attempt.folder.parent.parent
    for entry in queue_entries(runs):
        if (entry.job, entry.attempt) == (attempt.job, attempt.number):
            (runs / QUEUE_FOLDER / entry.name).unlink(missing_ok=True)


def take_slots(params: Mapping[str, Any]) -> Slots:
    """Take the free slots among those that a foreground job needs; it does not wait for the others."""
    return lock_slots(requested_gpus(device_policy(params), os.environ, list_gpus)) or Slots()


def device_policy(params: Mapping[str, Any]) -> str:
    """Return the device that a job requests."""
    return str(params.get("device", "cpu"))


def requested_gpus(policy: str, asked: Mapping[str, str], cards: Callable[[], list[Gpu]]) -> list[list[str]]:
    """Return the GPUs that a job needs, each as the UUIDs that will do; none for the CPU.

    Args:
        asked: The variables that say which of the `cards` there are.
    """
    if policy.partition(":")[0] == "cpu":
        return []
    # The cards that the job's own variables let it see, not those that this process sees.
    here = visible_gpus(cards(), asked)
    if policy == "auto":
        # Any card will do, the one with the most free memory first.
        best = sorted(here, key=lambda card: -card.free_bytes)
        return [[card.uuid for card in best]] if best else []
    # Every card is needed, so each is a request with one choice.
    if policy == "all":
        return [[card.uuid] for card in here]
    parts = policy.split(",")
    return [[card.uuid] for card in here if card.uuid in parts or str(card.index) in parts]


def lock_slots(wanted: Sequence[Sequence[str]]) -> Slots | None:
    """Lock the slots for a job, or return None if they are not all free."""
    folder = state_dir() / "slots"
    if not wanted:
        # Without a GPU one slot of the CPU: at most `job_slots` jobs at a time, or one per processor.
        most = int(load_config().get("job_slots")) or count_processors()
        result = lock_first_free([folder / f"cpu-{number}" for number in range(most)])
        return None if result is None else Slots(result)
    locks: list[int] = []
    cards: list[str] = []
    # All or nothing: if one card is not free, those already locked are released again.
    for any_of in wanted:
        for uuid in any_of:
            result = lock_first_free([folder / f"gpu-{uuid}"])
            if result is not None:
                locks += result
                cards.append(uuid)
                break
        else:
            Slots(tuple(locks)).close()
            return None
    return Slots(tuple(locks), tuple(cards))


def lock_first_free(any_of: Sequence[Path]) -> tuple[int, ...] | None:
    """Return the lock of the first of these files that nobody has; None when all are taken. Where there are
    no locks, none is needed.
    """
    for path in any_of:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError:
            # The lock file cannot be made, so jobs run without slots rather than never.
            return ()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return (descriptor,)
        except OSError:
            os.close(descriptor)
    return None


def start_supervisor(
    attempt: Attempt, slots: Slots | None = None, environment: Mapping[str, str] = os.environ
) -> None:
    """Start a supervisor in its own session, out of reach of what happens to this process."""
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
