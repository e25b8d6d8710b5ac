"""What determines a result besides the recipe: versions, code, data and machine; no host or user names."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

import workbench
from engines.core.files import sha256
from engines.core.machine import processors
from workbench.jobs.devices import memory_bytes
from workbench.jobs.differences import flat
from workbench.recipes import Recipe

__all__ = ["changes", "record"]

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
