"""Where a job runs: on this machine or by an executor, on which device, and with how many processes.

Two parameters of a job say so: `device` is auto, cpu, `cpu:N` (N processes on the CPU), all, or GPUs by
number or UUID with commas between them; `executor` is local, or `slurm` with options of sbatch:
`slurm:partition=gpu,time=60` (minutes). A job without `device` gets the worker as it is, and no say about
GPUs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import write_json
from engines.core.system import count_processors
from workbench.jobs.executors import executor_options
from workbench.jobs.folder import Attempt, all_jobs, read_document
from workbench.jobs.machine import Gpu, list_gpus

LAUNCHED = "MATHWB_LAUNCHED"
"""Set for workers that have something between them and the supervisor, which so cannot signal them."""

VISIBLE = ("CUDA_VISIBLE_DEVICES", "SLURM_JOB_GPUS")
"""What says which GPUs a process may use; the first that is set."""


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """The command and the environment to start a worker with; `direct` says that the started process is the
    worker itself.
    """

    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    direct: bool = True


def check_placement(params: Mapping[str, Any]) -> None:
    """Refuse a device or an executor that makes no sense.

    Raises:
        EngineError: E638 if it does not.
    """
    executor_options(params)
    device = str(params.get("device", "auto"))
    # `cpu` or `cpu:N`; anything else is a word or a list of cards.
    kind, colon, count = device.partition(":")
    if kind == "cpu" and (not colon or (count.isdecimal() and int(count) > 0)):
        return
    named = device.split(",")
    cards = all(name.isdecimal() or name.startswith(("GPU-", "MIG-")) for name in named)
    if device in ("all", "auto") or (cards and len(set(named)) == len(named)):
        return
    raise _placement_error(f"device is {device!r}", "Use auto, all, cpu, or GPUs, each once, as in 0,1.")


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
    # The number of the attempt is an argument, so that a late worker does not take up the next attempt.
    worker = _module_command("workbench.jobs.worker", folder)
    # The task knows nothing of devices: it gets the environment as it is.
    if "device" not in params:
        return WorkerLaunch(worker)
    # The CPU, alone or with several processes.
    policy = str(params["device"])
    if policy.partition(":")[0] == "cpu":
        count = int(policy.partition(":")[2] or 1)
        write_device("cpu", "requested", count)
        # No card is visible to a job on the CPU, or its libraries would still start one.
        environment = {"CUDA_VISIBLE_DEVICES": "", **_passive_threads()}
        if count == 1:
            return WorkerLaunch(worker, environment)
        return _accelerate_launch(folder, count, environment)
    # The variables of the environment may hide cards from this process.
    all_cards = list_gpus()
    usable_cards = visible_gpus(all_cards)
    # Why no card can be used, for the user who wonders why the job runs on the CPU.
    hidden = ""
    if all_cards and not usable_cards:
        name = _restricting_variable(os.environ)
        hidden = f"{name}={os.environ[name]} leaves none of {len(all_cards)} GPU{'s' * (len(all_cards) > 1)}"
    # The queue has locked cards for this job; it must not take others.
    if cards:
        usable_cards = [card for card in usable_cards if card.uuid in cards]
    chosen, why = choose_gpus(
        policy, usable_cards, taken_gpus(attempt.folder.parent.parent, but=attempt.job), hidden
    )
    if not chosen:
        write_device("cpu", why, 1)
        return WorkerLaunch(worker, _passive_threads())
    write_device(chosen[0].name, why, len(chosen), gpus=[asdict(card) for card in chosen])
    # UUIDs, because the numbers of cards change with what is visible.
    environment = {"CUDA_VISIBLE_DEVICES": ",".join(card.uuid for card in chosen)}
    return (
        WorkerLaunch(worker, environment)
        if len(chosen) == 1
        else _accelerate_launch(folder, len(chosen), environment)
    )


def _passive_threads() -> dict[str, str]:
    """Threads of the CPU that sleep while they wait for each other: those that spin make a small model ten
    times slower on a machine that does other work too, and win a tenth on one that does not."""
    # The user's own setting wins.
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
        # If all cards are in use, one of them is shared rather than the CPU taken.
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
    # Neither variable is set: every card may be used.
    name = _restricting_variable(environment)
    if not name:
        return here
    results: list[Gpu] = []
    for part in map(str.strip, environment[name].split(",")):
        begins = part.startswith(("GPU-", "MIG-"))
        card = next(
            (one for one in here if part == str(one.index) or (begins and one.uuid.startswith(part))), None
        )
        # CUDA itself ignores everything after the first card that it does not know.
        if card is None:
            break
        results.append(card)
    # The order of the machine, and each card once.
    return [card for card in here if card in results]


def _restricting_variable(environment: Mapping[str, str]) -> str:
    """Return the variable that says which cards may be used; empty for none."""
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
            # `but` is the job that is about to start, and only its last attempt could be live.
            if job.id == but or last.read_result() is not None:
                continue
            beat = last.read_heartbeat()
            # A supervisor on another machine cannot be looked at, so its cards count as taken.
            if beat is not None and beat.supervisor.is_alive() is not False:
                result |= {card["uuid"] for card in device_of(last).get("gpus", ())}
    return result


def device_of(attempt: Attempt) -> dict[str, Any]:
    """Return what `prepare_launch` has stored about the device; empty if nothing."""
    return read_document(attempt.folder / "device.json")


def _accelerate_launch(folder: Path, count: int, environment: Mapping[str, str]) -> WorkerLaunch:
    # The processors are shared out among the processes.
    threads = max(1, count_processors() // count)
    # On the CPU too: the name only says that there are several, and the worker takes the CPU by itself.
    options = ["--multi_gpu", "--num_processes", str(count), "--num_machines", "1"]
    # Port 0 lets the system choose a free one, so that two jobs do not collide.
    options += ["--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"]
    options += ["--num_cpu_threads_per_process", str(threads)]
    command = [sys.executable, "-m", "accelerate.commands.launch", *options, "-m"]
    # `-m module …` without the interpreter, which the launcher adds itself.
    command += _module_command("workbench.jobs.worker", folder)[2:]
    return WorkerLaunch(command, {**environment, LAUNCHED: "1"}, direct=False)


def _module_command(name: str, folder: Path) -> list[str]:
    # The interpreter's options are the supervisor's to set, by environment variables.
    return [sys.executable, "-m", name, str(folder.parent), folder.name.removeprefix("attempt-")]


def _placement_error(what: str, remedy: str) -> EngineError:
    return EngineError(what, code="E638", remedy=remedy)
