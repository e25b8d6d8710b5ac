"""What determines the result of a job besides its recipe: versions, code, data, variables."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import workbench
from engines.core.files import sha256
from engines.core.machine import processors
from workbench.jobs.executors import LAUNCHED, VISIBLE
from workbench.jobs.folder import flat
from workbench.jobs.machine import MARK, memory_bytes
from workbench.recipes import Recipe

# Variables of the environment that belong to a job: it has those of whoever asked for it, whoever starts
# it.
#
# They are ours, and those that say where the libraries find things, how many threads they take, which GPUs
# there are, and which reporters a job has. Secrets are never written down: a job that waits gets those of
# whoever
# starts it.

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
    """The versions of what this program is built on, as far as it is installed."""
    found = {}
    for requirement in metadata.requires("mathwb") or []:
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return dict(sorted(found.items()))


def _git(folder: Path) -> dict[str, Any] | None:
    """Commit of the checkout that runs, and whether it has been changed since; None for a package."""
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
    found = {}
    for key, value in flat(spec.params).items():
        if not isinstance(value, str) or key == "out" or not Path(value).is_absolute():
            continue
        path = Path(value)
        file = path / _MANIFEST if path.is_dir() else path
        if file.is_file():
            found[key] = {"path": value, "bytes": file.stat().st_size, "sha256": sha256(file)}
    return found
