"""Checkpoints that a crash cannot spoil.

    checkpoints/step-000500/    model.safetensors, training.pt, manifest.json
                latest              the name of the newest, for people

A checkpoint appears whole or not at all. Only one whose manifest, with the sizes and hashes of its files,
verifies is ever resumed from.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import (
    atomic_folder,
    refuse_other,
    remove_folder,
    sha256,
    sweep_folders,
    write_text,
)

__all__ = [
    "Checkpoint",
    "all_checkpoints",
    "corrupt",
    "newest",
    "prune",
    "refuse_others",
    "verify",
    "write",
]

MANIFEST = "manifest.json"
VERSION = 2
"""Those of version 1 do not say which training they are of."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that has been verified; `facts` is what was written down with it."""

    folder: Path
    step: int
    facts: Mapping[str, Any] = field(default_factory=dict)


def write(root: Path, step: int, files: Mapping[str, bytes], facts: Mapping[str, Any]) -> Path:
    """Write the checkpoint of a step so that it is there whole or not at all; one that is there is replaced.

    Args: files: contents by file name. facts: JSON-able, kept in the manifest. Returns: its folder.
    Raises: DataError E310 when the disk is full; what was begun is removed then.
    """
    final = root / f"step-{step:06d}"
    with atomic_folder(final, MANIFEST) as draft:
        for name, data in files.items():
            (draft / name).write_bytes(data)
        sizes = {name: {"bytes": len(data), "sha256": _hash(data)} for name, data in files.items()}
        manifest = {"v": VERSION, "step": step, "files": sizes, **facts}
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    write_text(root / "latest", final.name + "\n")
    return final


def verify(folder: Path) -> Checkpoint:
    """Read a checkpoint's manifest and compare every file with it.

    Raises: EngineError E635 that says what is wrong.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        files = dict(manifest["files"])
        step = int(manifest["step"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise corrupt(folder, "its manifest cannot be read") from error
    for name, known in files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError as error:
            raise corrupt(folder, f"{name} is missing") from error
        if size != known["bytes"] or sha256(folder / name) != known["sha256"]:
            raise corrupt(folder, f"{name} is not what was written")
    return Checkpoint(folder, step, manifest)


def newest(root: Path, *, on_bad: Callable[[EngineError], None] | None = None) -> Checkpoint | None:
    """The newest checkpoint that verifies; each newer one that does not is reported to `on_bad`."""
    for _, folder in reversed(all_checkpoints(root)):
        try:
            return verify(folder)
        except EngineError as error:
            if on_bad:
                on_bad(error)
    return None


def all_checkpoints(root: Path) -> list[tuple[int, Path]]:
    """Finished checkpoint folders with their steps, oldest first; whether they verify is not asked."""
    found = []
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(root):
            _, dash, step = entry.name.partition("step-")
            if dash and step.isdecimal() and entry.is_dir():
                found.append((int(step), Path(entry.path)))
    return sorted(found)


def prune(root: Path, keep: int, *, protect: int | None = None) -> list[Path]:
    """Remove all but the newest `keep` checkpoints and the one of step `protect`, and unfinished ones.

    Returns: the checkpoints that were removed. Raises: DataError E452 for a folder of such a name that is
    none.
    """
    found = all_checkpoints(root)
    old = [folder for step, folder in found[: max(0, len(found) - keep)] if step != protect]
    for folder in old:
        remove_folder(folder, MANIFEST)
    sweep_folders(root)
    return old


def refuse_others(root: Path) -> None:
    """Refuse folders of the name of a checkpoint that are none. Raises: DataError E452."""
    for _, folder in all_checkpoints(root):
        refuse_other(folder, MANIFEST)


def corrupt(folder: Path, what: str) -> EngineError:
    """The error for a checkpoint that is not what was saved."""
    return EngineError(
        f"the checkpoint is corrupt: {what}",
        where=str(folder),
        code="E635",
        remedy="Go on from an older one, or start anew in another folder.",
    )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
