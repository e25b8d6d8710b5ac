"""Where the worker of an attempt runs: here, as several processes, or on a cluster; and on which device.

Two parameters of a job say so: `device` is auto, cpu, `cpu:N` (N processes on the CPU), or GPUs by number or
UUID with commas between them; `executor` is local, or `slurm` with options: `slurm:partition=gpu,time=60`
(minutes; memory in GB). A job without `device` gets the worker as it is, and no say about GPUs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import write_json
from workbench.jobs.devices import Gpu, cpus, gpus
from workbench.jobs.folder import Attempt, Job, all_jobs

__all__ = [
    "LAUNCHED",
    "Launch",
    "check_placement",
    "choose",
    "device_of",
    "launch",
    "main",
    "on_node",
    "taken",
]

LAUNCHED = "MATHWB_LAUNCHED"
"""Set for workers that have something between them and the supervisor, which so cannot signal them."""

CLUSTERS = {"slurm": "slurm", "process": "local", "debug": "debug"}
"""Executors and what submitit calls them; `process` and `debug` are for trying it out on one machine."""

_OPTIONS = {"partition": "slurm_partition", "account": "slurm_account", "qos": "slurm_qos"}
_NUMBERS = {"time": "timeout_min", "gpus": "gpus_per_node", "cpus": "cpus_per_task", "memory": "mem_gb"}
_POLL_S = 1.0


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker. `direct`: the process started is the worker itself."""

    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    direct: bool = True


def check_placement(params: Mapping[str, Any]) -> None:
    """Refuse a device or an executor that cannot be meant. Raises: EngineError E638."""
    _executor(str(params.get("executor", "local")))
    device = str(params.get("device", "auto"))
    kind, colon, count = device.partition(":")
    if kind == "cpu" and (not colon or (count.isdecimal() and int(count) > 0)):
        return
    if device == "auto" or all(_is_gpu(part) for part in device.split(",")):
        return
    raise _refused(f"device is {device!r}", "Use auto, cpu, or GPUs by number or UUID, as in 0,1.")


def launch(attempt: Attempt, params: Mapping[str, Any]) -> Launch:
    """How the worker of an attempt is to be started; writes down the device in `device.json`.

    Raises: EngineError E634 for a GPU that is not there, E639 when submitit is missing.
    """
    folder = attempt.folder.resolve()
    cluster, _ = _executor(str(params.get("executor", "local")))
    if not cluster:
        return _local(attempt, folder, params)
    try:
        import submitit  # noqa: F401
    except ModuleNotFoundError as error:
        raise EngineError(
            "submitit is not installed", code="E639", exit_code=3, remedy="pip install mathwb[slurm]"
        ) from error
    return Launch(_module("workbench.jobs.executors", folder), {LAUNCHED: "1"}, direct=False)


def _local(attempt: Attempt, folder: Path, params: Mapping[str, Any]) -> Launch:
    worker = _module("workbench.jobs.worker", folder)
    if "device" not in params:
        return Launch(worker)
    policy = str(params["device"])
    if policy.partition(":")[0] == "cpu":
        count = int(policy.partition(":")[2] or 1)
        write_json(attempt.folder / "device.json", {"device": "cpu", "why": "asked for", "processes": count})
        environment = {"CUDA_VISIBLE_DEVICES": "", **_patient()}
        if count == 1:
            return Launch(worker, environment)
        return _accelerate(folder, count, environment)
    chosen, why = choose(policy, gpus(), taken(attempt.folder.parent.parent, but=attempt.job))
    if not chosen:
        write_json(attempt.folder / "device.json", {"device": "cpu", "why": why, "processes": 1})
        return Launch(worker, _patient())
    cards = [card.to_dict() for card in chosen]
    write_json(
        attempt.folder / "device.json",
        {"device": chosen[0].name, "why": why, "processes": len(chosen), "gpus": cards},
    )
    environment = {"CUDA_VISIBLE_DEVICES": ",".join(card.uuid for card in chosen)}
    return Launch(worker, environment) if len(chosen) == 1 else _accelerate(folder, len(chosen), environment)


def _patient() -> dict[str, str]:
    """Threads of the CPU that sleep while they wait for each other: those that spin make a small model ten
    times slower on a machine that does other work too, and win a tenth on one that does not."""
    return {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE")}


def choose(policy: str, here: list[Gpu], taken: set[str]) -> tuple[list[Gpu], str]:
    """The GPUs to use, none for the CPU, and why.

    Args: policy: `auto`, or GPUs by number or UUID. here: those of this machine. taken: UUIDs of those that
    other jobs have. Raises: EngineError E634 for a GPU that is not there.
    """
    if policy == "auto":
        free = [card for card in here if card.uuid not in taken] or here
        if not free:
            return [], "there is no GPU"
        best = max(free, key=lambda card: card.free_bytes)
        return [best], f"the one of {len(here)} with the most free memory"
    chosen = []
    for wanted in policy.split(","):
        card = next((card for card in here if wanted in (card.uuid, str(card.index))), None)
        if card is None:
            known = ", ".join(f"{card.index} {card.name}" for card in here) or "none"
            raise EngineError(
                f"there is no GPU {wanted}", code="E634", exit_code=3, remedy=f"There is: {known}."
            )
        chosen.append(card)
    return chosen, "asked for"


def taken(runs: Path, *, but: int = 0) -> set[str]:
    """UUIDs of the GPUs that live jobs in a folder of runs have, the job `but` left out."""
    found: set[str] = set()
    for job in all_jobs(runs):
        for last in job.attempts()[-1:]:
            if job.id == but or last.result() is not None:
                continue
            beat = last.heartbeat()
            if beat is not None and beat.supervisor.alive() is not False:
                found |= {card["uuid"] for card in device_of(last).get("gpus", ())}
    return found


def device_of(attempt: Attempt) -> dict[str, Any]:
    """What `launch` has written down about the device; empty when nothing."""
    try:
        found: dict[str, Any] = json.loads((attempt.folder / "device.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found


def _accelerate(folder: Path, count: int, environment: Mapping[str, str]) -> Launch:
    """So many processes on this machine, each a rank."""
    threads = max(1, cpus() // count)
    # On the CPU too: the name only says that there are several, and the worker takes the CPU by itself.
    options = ["--multi_gpu", "--num_processes", str(count), "--num_machines", "1"]
    options += ["--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"]
    options += ["--num_cpu_threads_per_process", str(threads)]
    command = [sys.executable, "-m", "accelerate.commands.launch", *options, "-m"]
    command += _module("workbench.jobs.worker", folder)[2:]
    return Launch(command, {**environment, LAUNCHED: "1"}, direct=False)


def _module(name: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", name, str(folder.parent), folder.name.removeprefix("attempt-")]


def _executor(text: str) -> tuple[str, dict[str, Any]]:
    """Submitit's name of the cluster, empty for this machine, and options. Raises: EngineError E638."""
    if text == "local":
        return "", {}
    name, _, rest = text.partition(":")
    cluster = CLUSTERS.get(name, "")
    if not cluster:
        raise _refused(f"executor is {text!r}", f"Use one of local, {', '.join(CLUSTERS)}.")
    options: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        name, equals, value = part.partition("=")
        number = name in _NUMBERS and value.isdecimal()
        if not equals or not (number or name in _OPTIONS):
            known = ", ".join([*_OPTIONS, *_NUMBERS])
            raise _refused(f"executor has {part!r}", f"Its options: {known}; numbers as numbers.")
        options[_NUMBERS[name] if number else _OPTIONS[name]] = int(value) if number else value
    return cluster, options


def _is_gpu(text: str) -> bool:
    return text.isdecimal() or text.startswith(("GPU-", "MIG-"))


def _refused(what: str, remedy: str) -> EngineError:
    return EngineError(what, code="E638", exit_code=2, remedy=remedy)


def on_node(run: str, number: str) -> int:
    """What submitit runs on the node it was given: the worker, on a device of that machine."""
    job = Job(int(Path(run).name), Path(run))
    params = dict(job.spec().params)
    params.pop("executor", None)
    made = launch(job.attempt(int(number)), params)
    environment = {**os.environ, **made.environment, LAUNCHED: "1", "PYTHONSAFEPATH": "1"}
    return subprocess.call(made.command, env=environment)


def main(arguments: list[str]) -> int:
    """Submit an attempt to a cluster and stay until it is over there. Returns: the worker's exit code.

    The worker itself sees in the run folder that it is to stop; one that still waits is taken back here.
    """
    import submitit

    run, number = arguments
    job = Job(int(Path(run).name), Path(run))
    attempt = job.attempt(int(number))
    cluster, options = _executor(str(job.spec().params["executor"]))
    executor = submitit.AutoExecutor(folder=attempt.folder / "cluster", cluster=cluster)
    executor.update_parameters(name=f"mathwb-{job.id}", **options)
    submitted = executor.submit(on_node, run, number)
    write_json(attempt.folder / "cluster.json", {"v": 1, "cluster": cluster, "id": submitted.job_id})
    if cluster == "debug":
        return int(submitted.result())
    while not submitted.done():
        if attempt.wanted() and attempt.worker() is None:
            submitted.cancel()
            return 128 + 15
        time.sleep(_POLL_S)
    error = submitted.exception()
    if error is not None:
        sys.stderr.write(f"{error}\n")
        return 1
    return int(submitted.result())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
