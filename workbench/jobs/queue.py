"""Where and when jobs run: on which device or cluster, and the queue of this machine.

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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from engines.core.errors import EngineError
from engines.core.files import write_json
from engines.core.system import count_processors
from workbench.config import load_config
from workbench.folders import state_dir
from workbench.jobs import machine as timing
from workbench.jobs import slurm
from workbench.jobs.folder import Attempt, Job, all_jobs, awaited_attempts, read_document, sweep_lane
from workbench.jobs.machine import MARK, Gpu, list_gpus, start_detached

# Where the worker of an attempt runs: here, as several processes, or on a cluster; and on which device.
#
# Two parameters of a job say so: `device` is auto, cpu, `cpu:N` (N processes on the CPU), all, or GPUs by
# number or UUID with commas between them; `executor` is local, or `slurm` with options of sbatch:
# `slurm:partition=gpu,time=60` (minutes). A job without `device` gets the worker as it is, and no say about
# GPUs.

LAUNCHED = "MATHWB_LAUNCHED"
"""Set for workers that have something between them and the supervisor, which so cannot signal them."""

VISIBLE = ("CUDA_VISIBLE_DEVICES", "SLURM_JOB_GPUS")
"""What says which GPUs a process may use; the first that is set."""


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """How to start a worker. `direct`: the started process is the worker itself."""

    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    direct: bool = True


def check_placement(params: Mapping[str, Any]) -> None:
    """Refuse a device or an executor that makes no sense.

    Raises:
        EngineError: E638 if it does not.
    """
    cluster_options(params)
    device = str(params.get("device", "auto"))
    kind, colon, count = device.partition(":")
    if kind == "cpu" and (not colon or (count.isdecimal() and int(count) > 0)):
        return
    named = device.split(",")
    cards = all(name.isdecimal() or name.startswith(("GPU-", "MIG-")) for name in named)
    if device in ("all", "auto") or (cards and len(set(named)) == len(named)):
        return
    raise _placement_error(f"device is {device!r}", "Use auto, all, cpu, or GPUs, each once, as in 0,1.")


def cluster_options(params: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the options for the cluster, or None for a job on this machine.

    Raises:
        EngineError: E638 if the executor makes no sense.
    """
    text = str(params.get("executor", "local"))
    name, _, rest = text.partition(":")
    if name == "slurm":
        return slurm.parse_options(rest)
    if text != "local":
        raise _placement_error(f"executor is {text!r}", "Use local, or slurm with options of sbatch.")
    return None


def prepare_launch(attempt: Attempt, params: Mapping[str, Any], cards: Collection[str] = ()) -> WorkerLaunch:
    """Return how to start the worker of an attempt on this machine, and store the device in `device.json`.

    Args:
        attempt: The attempt.
        params: The parameters of its recipe.
        cards: UUIDs of the GPUs that are its own as long as it runs; none: those that are free.

    Raises:
        EngineError: E634 for a GPU that does not exist.
    """

    def write_device(device: str, why: str, processes: int, **more: Any) -> None:
        about = {"device": device, "why": why, "processes": processes, **more}
        write_json(attempt.folder / "device.json", about)

    folder = attempt.folder.resolve()
    worker = _module_command("workbench.jobs.worker", folder)
    if "device" not in params:
        return WorkerLaunch(worker)
    policy = str(params["device"])
    if policy.partition(":")[0] == "cpu":
        count = int(policy.partition(":")[2] or 1)
        write_device("cpu", "requested", count)
        environment = {"CUDA_VISIBLE_DEVICES": "", **_passive_threads()}
        if count == 1:
            return WorkerLaunch(worker, environment)
        return _accelerate_launch(folder, count, environment)
    there = list_gpus()
    here = visible_gpus(there)
    hidden = ""
    if there and not here:
        name = _restricting_variable(os.environ)
        hidden = f"{name}={os.environ[name]} leaves none of {len(there)} GPU{'s' * (len(there) > 1)}"
    if cards:
        here = [card for card in here if card.uuid in cards]
    chosen, why = choose_gpus(policy, here, taken_gpus(attempt.folder.parent.parent, but=attempt.job), hidden)
    if not chosen:
        write_device("cpu", why, 1)
        return WorkerLaunch(worker, _passive_threads())
    write_device(chosen[0].name, why, len(chosen), gpus=[asdict(card) for card in chosen])
    environment = {"CUDA_VISIBLE_DEVICES": ",".join(card.uuid for card in chosen)}
    return (
        WorkerLaunch(worker, environment)
        if len(chosen) == 1
        else _accelerate_launch(folder, len(chosen), environment)
    )


def _passive_threads() -> dict[str, str]:
    """Threads of the CPU that sleep while they wait for each other: those that spin make a small model ten
    times slower on a machine that does other work too, and win a tenth on one that does not."""
    return {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE")}


def choose_gpus(policy: str, here: list[Gpu], taken: set[str], hidden: str = "") -> tuple[list[Gpu], str]:
    """Choose the GPUs to use, none for the CPU, and say why.

    Args:
        policy: `auto`, `all`, or GPUs by number or UUID.
        here: The GPUs of this machine.
        taken: UUIDs of those that other jobs use.
        hidden: Why none of this machine's may be used.

    Raises:
        EngineError: E634 for a GPU that does not exist.
    """
    if policy == "all" and here:
        return list(here), "all there are"
    if policy in ("all", "auto"):
        free = [card for card in here if card.uuid not in taken] or here
        if not free:
            return [], hidden or "there is no GPU"
        best = max(free, key=lambda card: card.free_bytes)
        return [best], f"the one of {len(here)} with the most free memory"
    chosen = []
    for wanted in policy.split(","):
        card = next((card for card in here if wanted in (card.uuid, str(card.index))), None)
        if card is None:
            known = (
                ", ".join(f"{card.index} {card.name}" for card in here) or f"none{hidden and f': {hidden}'}"
            )
            raise EngineError(f"there is no GPU {wanted}", code="E634", remedy=f"There is: {known}.")
        chosen.append(card)
    return chosen, "requested"


def visible_gpus(here: list[Gpu], environment: Mapping[str, str] = os.environ) -> list[Gpu]:
    """Return those of the GPUs that this process may use, by CUDA_VISIBLE_DEVICES or Slurm.

    Numbers count the GPUs of the machine; on a node that hides the others from a job they count what is left.
    As in CUDA, the beginning of a UUID suffices, and what follows an unknown GPU is hidden.
    """
    name = _restricting_variable(environment)
    if not name:
        return here
    found: list[Gpu] = []
    for part in map(str.strip, environment[name].split(",")):
        begins = part.startswith(("GPU-", "MIG-"))
        card = next(
            (one for one in here if part == str(one.index) or (begins and one.uuid.startswith(part))), None
        )
        if card is None:
            break
        found.append(card)
    return [card for card in here if card in found]


def _restricting_variable(environment: Mapping[str, str]) -> str:
    """The variable that says which cards may be used; empty for none."""
    return next((name for name in VISIBLE if name in environment), "")


def taken_gpus(runs: Path, *, but: int = 0) -> set[str]:
    """Return the UUIDs of the GPUs that live jobs use.

    Args:
        runs: The folder of runs.
        but: The number of a job to leave out.
    """
    result: set[str] = set()
    for job in all_jobs(runs):
        for last in job.attempts()[-1:]:
            if job.id == but or last.read_result() is not None:
                continue
            beat = last.read_heartbeat()
            if beat is not None and beat.supervisor.is_alive() is not False:
                result |= {card["uuid"] for card in device_of(last).get("gpus", ())}
    return result


def device_of(attempt: Attempt) -> dict[str, Any]:
    """Return what `prepare_launch` has stored about the device; empty if nothing."""
    return read_document(attempt.folder / "device.json")


def _accelerate_launch(folder: Path, count: int, environment: Mapping[str, str]) -> WorkerLaunch:
    threads = max(1, count_processors() // count)
    # On the CPU too: the name only says that there are several, and the worker takes the CPU by itself.
    options = ["--multi_gpu", "--num_processes", str(count), "--num_machines", "1"]
    options += ["--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"]
    options += ["--num_cpu_threads_per_process", str(threads)]
    command = [sys.executable, "-m", "accelerate.commands.launch", *options, "-m"]
    command += _module_command("workbench.jobs.worker", folder)[2:]
    return WorkerLaunch(command, {**environment, LAUNCHED: "1"}, direct=False)


def _module_command(name: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", name, str(folder.parent), folder.name.removeprefix("attempt-")]


def _placement_error(what: str, remedy: str) -> EngineError:
    return EngineError(what, code="E638", remedy=remedy)


# Variables of the environment that belong to a job, whoever starts it: ours, and those that say where the
# libraries find things, how many threads they take, which GPUs there are, and which reporters a job has.
# Secrets are never written down: a job that waits gets those of whoever starts it.

_FAMILIES = re.compile(
    r"(MATHWB|CUDA|OMP|MKL|OPENBLAS|NUMEXPR|HF|TRANSFORMERS|TOKENIZERS|TORCH|PYTORCH|NCCL|WANDB|MLFLOW|TRACKIO)_"
)
_SINGLE = (*VISIBLE, "PYTHONPATH")
_SECRET = {"TOKEN", "KEY", "SECRET", "PASSWORD", "PASS", "CREDENTIALS", "AUTH"}
_WITH_PASSWORD = re.compile(r"://[^/\s]*@")


def job_variables(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables that a job which may have to wait takes along."""
    return {name: value for name, value in environment.items() if _belongs_to_job(name, value)}


def with_job_variables(
    taken: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return an environment in which the variables that belong to a job are those that it took along."""
    return {name: value for name, value in environment.items() if not _belongs_to_job(name, value)} | dict(
        taken
    )


def _belongs_to_job(name: str, value: str) -> bool:
    if name in (MARK, LAUNCHED) or not (name in _SINGLE or _FAMILIES.match(name)):
        return False
    return not (_SECRET & set(name.split("_")) or _WITH_PASSWORD.search(value))


# The queue.

_FOLDER = ".queue"
_NAME = re.compile(r"[0-9]+-([0-9]+)-([0-9]+)(?:\.([0-9]+))?")
_CARDS_S = 5.0
"""What the driver's tool tells of the cards is believed for so long: asking it takes longer than all else."""

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
    with contextlib.suppress(OSError), os.scandir(runs / _FOLDER) as folder:
        names = sorted(each.name for each in folder if each.is_file())
        matches = filter(None, map(_NAME.fullmatch, names))
        return [QueueEntry(each[0], int(each[1]), int(each[2]), float(each[3] or 0)) for each in matches]
    return []


def queue_positions(runs: Path) -> QueuePositions:
    """Read the queue once for looking at many jobs."""
    result: dict[tuple[int, int], tuple[int, float]] = {}
    before = 0
    for entry in queue_entries(runs):
        result.setdefault((entry.job, entry.attempt), (before, entry.started))
        before += not entry.started
    return result


def enqueue(attempt: Attempt) -> None:
    """Put an attempt at the end of the queue.

    Raises:
        DataError: If it cannot be written.
    """
    folder = attempt.folder.parent.parent / _FOLDER
    folder.mkdir(exist_ok=True)
    name = f"{time.time_ns():020d}-{attempt.job}-{attempt.number}"
    write_json(folder / name, {"v": 1, "variables": job_variables()})


def leave_queue(attempt: Attempt) -> None:
    """Take an attempt out of the queue."""
    runs = attempt.folder.parent.parent
    for entry in queue_entries(runs):
        if (entry.job, entry.attempt) == (attempt.job, attempt.number):
            (runs / _FOLDER / entry.name).unlink(missing_ok=True)


def advance_queue(runs: Path) -> bool:
    """Start what fits, in order. An entry that does not fit blocks later ones from what it waits for.

    Returns:
        Whether anything waits.
    """
    return Keeper(runs).advance_queue()


class _Wish(NamedTuple):
    device: str
    variables: Mapping[str, str]
    lane: tuple[int, int]


class Keeper:
    """Starts what fits, again and again; it caches what it has read of entries and GPUs."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._wishes: dict[str, _Wish] = {}
        self._cards: list[Gpu] = []
        self._cards_until = -math.inf

    def advance_queue(self) -> bool:
        """Start what fits, as the function `advance_queue`."""
        if not queue_entries(self._runs):
            return False
        with _hold_lock(self._runs / _FOLDER / "lock", wait=True) as mine:
            if not mine:
                return True
            blocked: set[str | int] = set()
            for entry in queue_entries(self._runs):
                if not entry.started:
                    self._start_entry(entry, blocked)
                elif abs(time.time() - entry.started) > timing.START_LIMIT_S:
                    self._drop_entry(entry)
        return bool(queue_entries(self._runs))

    def _start_entry(self, entry: QueueEntry, blocked: set[str | int]) -> None:
        """Start it when there is room. Args: blocked: what others before it wait for, a kind of slot or a
        sweep of which enough runs; added to."""
        wish = self._wishes.get(entry.name) or self._read_wish(entry)
        wanted = _requested_gpus(wish.device, wish.variables, self._cached_gpus)
        kind = "gpu" if wanted else "cpu"
        sweep, parallel = wish.lane
        if kind in blocked or sweep in blocked:
            return
        job = self._entry_job(entry)
        attempt = job.attempt(entry.attempt)
        if attempt.read_result() is not None or not attempt.folder.is_dir():
            self._drop_entry(entry)
            return
        from workbench.jobs.control import settle_attempt  # which keeps this queue

        for other in awaited_attempts(job):
            settle_attempt(other)  # the end of one that is lost is recorded
        if awaited_attempts(job):
            return
        lanes = (
            _lock_first_free([_lane_lock(job, sweep, number) for number in range(parallel)])
            if parallel
            else ()
        )
        if lanes is None:
            blocked.add(sweep)
            return
        slots = _lock_slots(wanted)
        if slots is None:
            blocked.add(kind)
            Slots(lanes).close()
            return
        slots = Slots((*slots.locks, *lanes), slots.cards)
        path = self._runs / _FOLDER / entry.name
        path.rename(path.with_name(f"{entry.name}.{int(time.time())}"))
        del self._wishes[entry.name]
        start_supervisor(attempt, slots, with_job_variables(wish.variables))
        slots.close()

    def _entry_job(self, entry: QueueEntry) -> Job:
        return Job(entry.job, self._runs / str(entry.job))

    def _read_wish(self, entry: QueueEntry) -> _Wish:
        job, device = self._entry_job(entry), "cpu"
        with contextlib.suppress(EngineError):
            device = _device_policy(job.read_recipe().params)
        taken = read_document(self._runs / _FOLDER / entry.name).get("variables")
        taken = {str(name): str(value) for name, value in taken.items()} if isinstance(taken, dict) else {}
        self._wishes[entry.name] = wish = _Wish(device, taken, sweep_lane(job))
        return wish

    def _drop_entry(self, entry: QueueEntry) -> None:
        self._wishes.pop(entry.name, None)
        (self._runs / _FOLDER / entry.name).unlink(missing_ok=True)

    def _cached_gpus(self) -> list[Gpu]:
        if time.monotonic() > self._cards_until:
            self._cards, self._cards_until = list_gpus(), time.monotonic() + _CARDS_S
        return self._cards


def _lane_lock(job: Job, sweep: int, number: int) -> Path:
    where = hashlib.sha256(str(job.folder.parent.resolve()).encode()).hexdigest()[:16]
    return state_dir() / "slots" / f"sweep-{where}-{sweep}-{number}"


def take_slots(params: Mapping[str, Any]) -> Slots:
    """Take the free slots among those that a foreground job needs; it does not wait for the others."""
    return _lock_slots(_requested_gpus(_device_policy(params), os.environ, list_gpus)) or Slots()


def _device_policy(params: Mapping[str, Any]) -> str:
    return str(params.get("device", "cpu"))


def _requested_gpus(policy: str, asked: Mapping[str, str], cards: Callable[[], list[Gpu]]) -> list[list[str]]:
    """The GPUs that a job needs, each as the UUIDs that will do; none for the CPU. Args: asked: the variables
    that say which of the `cards` there are."""
    if policy.partition(":")[0] == "cpu":
        return []
    here = visible_gpus(cards(), asked)
    if policy == "auto":
        best = sorted(here, key=lambda card: -card.free_bytes)
        return [[card.uuid for card in best]] if best else []
    if policy == "all":
        return [[card.uuid] for card in here]
    parts = policy.split(",")
    return [[card.uuid] for card in here if card.uuid in parts or str(card.index) in parts]


def _lock_slots(wanted: Sequence[Sequence[str]]) -> Slots | None:
    folder = state_dir() / "slots"
    if not wanted:
        most = int(load_config().get("job_slots")) or count_processors()
        result = _lock_first_free([folder / f"cpu-{number}" for number in range(most)])
        return None if result is None else Slots(result)
    locks: list[int] = []
    cards: list[str] = []
    for any_of in wanted:
        for uuid in any_of:
            result = _lock_first_free([folder / f"gpu-{uuid}"])
            if result is not None:
                locks += result
                cards.append(uuid)
                break
        else:
            Slots(tuple(locks)).close()
            return None
    return Slots(tuple(locks), tuple(cards))


def _lock_first_free(any_of: Sequence[Path]) -> tuple[int, ...] | None:
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


def keep_queue(runs: Path) -> None:
    """Start what fits, and make sure that a keeper starts the rest later."""
    if not queue_entries(runs):
        return
    with _hold_lock(runs / _FOLDER / "keeper") as free:
        pass
    # Without the lock: what others have put there, who found it held for this moment, is started too.
    if free and advance_queue(runs):
        start_detached("workbench.jobs.queue", str(runs.resolve()))


@contextlib.contextmanager
def _hold_lock(path: Path, *, wait: bool = False) -> Iterator[bool]:
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
    """Keep the queue of a folder of runs as long as anything waits."""
    runs = Path(arguments[0])
    keeper = Keeper(runs)
    mine = True
    # Asked again without the lock: who puts something there while it is held relies on its holder.
    while mine and queue_entries(runs):
        with _hold_lock(runs / _FOLDER / "keeper") as mine:
            while mine and keeper.advance_queue():
                time.sleep(timing.TICK_S)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
