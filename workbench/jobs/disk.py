"""Disk space that a job occupies."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from workbench.jobs.view import JobView

__all__ = ["DiskUse", "disk_use"]


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Disk space in bytes: of the run folder, and of the folder written to when that lies elsewhere."""

    run_bytes: int
    out_bytes: int


def disk_use(view: JobView) -> DiskUse:
    """How much a job occupies. Walks its folders: not for every frame."""
    folder, out = Path(view.folder), Path(view.out or view.folder)
    return DiskUse(_size(folder), 0 if out.is_relative_to(folder) else _size(out))


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total
