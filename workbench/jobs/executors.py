"""Where a job runs: the environment that it takes along and leaves a record of, and how its worker starts."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import workbench
from engines.core.errors import EngineError
from engines.core.files import sha256, write_json
from engines.core.machine import processors
from workbench.jobs import slurm
from workbench.jobs.folder import Attempt, all_jobs, flat, read_document
from workbench.jobs.machine import MARK, Gpu, gpus, memory_bytes
from workbench.recipes import Recipe

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
    named = device.split(",")
    if device in ("all", "auto") or (all(map(_is_gpu, named)) and len(set(named)) == len(named)):
        return
    raise _refused(f"device is {device!r}", "Use auto, all, cpu, or GPUs, each once, as in 0,1.")


def cluster_options(params: Mapping[str, Any]) -> dict[str, str] | None:
    """What to ask the cluster for; None for a job of this machine. Raises: EngineError E638."""
    return _executor(str(params.get("executor", "local")))


def launch(attempt: Attempt, params: Mapping[str, Any], cards: Collection[str] = ()) -> Launch:
    """How the worker of an attempt is to be started on this machine; writes down the device in `device.json`.

    Args: cards: UUIDs of the GPUs that are its own for as long as it runs; none: those that are free.
    Raises: EngineError E634 for a GPU that is not there.
    """
    folder = attempt.folder.resolve()
    worker = _module("workbench.jobs.worker", folder)
    if "device" not in params:
        return Launch(worker)
    policy = str(params["device"])
    if policy.partition(":")[0] == "cpu":
        count = int(policy.partition(":")[2] or 1)
        write_json(attempt.folder / "device.json", {"device": "cpu", "why": "requested", "processes": count})
        environment = {"CUDA_VISIBLE_DEVICES": "", **_patient()}
        if count == 1:
            return Launch(worker, environment)
        return _accelerate(folder, count, environment)
    there = gpus()
    here = visible(there)
    hidden = _hidden(len(there)) if there and not here else ""
    if cards:
        here = [card for card in here if card.uuid in cards]
    chosen, why = choose(policy, here, taken(attempt.folder.parent.parent, but=attempt.job), hidden)
    if not chosen:
        write_json(attempt.folder / "device.json", {"device": "cpu", "why": why, "processes": 1})
        return Launch(worker, _patient())
    write_json(
        attempt.folder / "device.json",
        {
            "device": chosen[0].name,
            "why": why,
            "processes": len(chosen),
            "gpus": [card.to_dict() for card in chosen],
        },
    )
    environment = {"CUDA_VISIBLE_DEVICES": ",".join(card.uuid for card in chosen)}
    return Launch(worker, environment) if len(chosen) == 1 else _accelerate(folder, len(chosen), environment)


def _patient() -> dict[str, str]:
    """Threads of the CPU that sleep while they wait for each other: those that spin make a small model ten
    times slower on a machine that does other work too, and win a tenth on one that does not."""
    return {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE")}


def choose(policy: str, here: list[Gpu], taken: set[str], hidden: str = "") -> tuple[list[Gpu], str]:
    """The GPUs to use, none for the CPU, and why.

    Args: policy: `auto`, `all`, or GPUs by number or UUID. here: those of this machine. taken: UUIDs of
    those that other jobs have. hidden: why none of this machine's may be used. Raises: EngineError E634 for a
    GPU that is not there.
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


def visible(here: list[Gpu], environment: Mapping[str, str] = os.environ) -> list[Gpu]:
    """Those of the cards here that this process may use: CUDA_VISIBLE_DEVICES says which, or Slurm does.

    Numbers count the cards of the machine; on a node that hides the others from a job they count what is
    left. As in CUDA the beginning of a UUID will do, and what follows a card that is not there is hidden.
    """
    name = _restriction(environment)
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


def _restriction(environment: Mapping[str, str]) -> str:
    """The variable that says which cards may be used; empty for none."""
    return next((name for name in VISIBLE if name in environment), "")


def _hidden(cards: int, environment: Mapping[str, str] = os.environ) -> str:
    """That none of so many cards may be used, and by what."""
    name = _restriction(environment)
    return f"{name}={environment[name]} leaves none of {cards} GPU{'s' * (cards > 1)}"


def taken(runs: Path, *, but: int = 0) -> set[str]:
    """UUIDs of the GPUs that live jobs in a folder of runs have, the job `but` left out."""
    result: set[str] = set()
    for job in all_jobs(runs):
        for last in job.attempts()[-1:]:
            if job.id == but or last.result() is not None:
                continue
            beat = last.heartbeat()
            if beat is not None and beat.supervisor.alive() is not False:
                result |= {card["uuid"] for card in device_of(last).get("gpus", ())}
    return result


def device_of(attempt: Attempt) -> dict[str, Any]:
    """What `launch` has written down about the device; empty when nothing."""
    return read_document(attempt.folder / "device.json")


def _accelerate(folder: Path, count: int, environment: Mapping[str, str]) -> Launch:
    threads = max(1, processors() // count)
    # On the CPU too: the name only says that there are several, and the worker takes the CPU by itself.
    options = ["--multi_gpu", "--num_processes", str(count), "--num_machines", "1"]
    options += ["--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"]
    options += ["--num_cpu_threads_per_process", str(threads)]
    command = [sys.executable, "-m", "accelerate.commands.launch", *options, "-m"]
    command += _module("workbench.jobs.worker", folder)[2:]
    return Launch(command, {**environment, LAUNCHED: "1"}, direct=False)


def _module(name: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", name, str(folder.parent), folder.name.removeprefix("attempt-")]


def _executor(text: str) -> dict[str, str] | None:
    name, _, rest = text.partition(":")
    if name == "slurm":
        return slurm.options(rest)
    if text != "local":
        raise _refused(f"executor is {text!r}", "Use local, or slurm with options of sbatch.")
    return None


def _is_gpu(text: str) -> bool:
    return text.isdecimal() or text.startswith(("GPU-", "MIG-"))


def _refused(what: str, remedy: str) -> EngineError:
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


def held(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a job that may have to wait takes along."""
    return {name: value for name, value in environment.items() if _belongs(name, value)}


def placed(taken: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """An environment in which what belongs to a job is as it was `taken` along."""
    return {name: value for name, value in environment.items() if not _belongs(name, value)} | dict(taken)


def _belongs(name: str, value: str) -> bool:
    if name in (MARK, LAUNCHED) or not (name in _SINGLE or _FAMILIES.match(name)):
        return False
    return not (_SECRET & set(name.split("_")) or _WITH_PASSWORD.search(value))


_MANIFEST = "manifest.json"


def record(spec: Recipe) -> dict[str, Any]:
    """The environment of a run, JSON-able. Hashes every file that a parameter names, and of a folder its
    manifest; the folder the task writes to is no input."""
    return {
        "v": 1,
        "recipe_sha256": spec.sha256(),
        "seed": spec.seed,
        "mathwb": workbench.__version__,
        "git": _git(Path(workbench.__file__).parents[1]),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": processors(),
        "memory_bytes": memory_bytes(),
        "packages": _packages(),
        "data": _data(spec),
    }


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between two records, in words: `packages.numpy: 2.1.0 -> 2.2.0`."""
    old, new = flat(before), flat(now)
    differ = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    return [f"{key}: {old.get(key)} -> {new.get(key)}" for key in differ]


def _packages() -> dict[str, str]:
    found = {}
    for requirement in metadata.requires("mathwb") or []:
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return dict(sorted(found.items()))


def _git(folder: Path) -> dict[str, Any] | None:
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return None
    try:
        commit, status = (
            subprocess.run(
                [git, "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=True
            ).stdout.strip()
            for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain"])
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "changed": bool(status)}


def _data(spec: Recipe) -> dict[str, dict[str, Any]]:
    result = {}
    for key, value in flat(spec.params).items():
        if not isinstance(value, str) or key == "out" or not Path(value).is_absolute():
            continue
        path = Path(value)
        file = path / _MANIFEST if path.is_dir() else path
        if file.is_file():
            result[key] = {"path": value, "bytes": file.stat().st_size, "sha256": sha256(file)}
    return result
