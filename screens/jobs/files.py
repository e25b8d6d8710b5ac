"""The files of a job, for the [files] tab."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.sizes import size
from screens.shell.text import clock
from screens.widgets.rows import Column, Record

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["FILE_COLUMNS", "MOST", "job_files"]

MOST = 2_000

FILE_COLUMNS = (
    Column("file", "file"),
    Column("size", "size", 10, "point", show=lambda record: size(record["size"])),
    Column("changed", "changed", 8, show=lambda record: clock(record["changed"]), drop=1),
)


def job_files(view: JobView) -> list[Record]:
    """The files of the run folder, then those of the folder that the task writes to; at most `MOST`."""
    found: list[Record] = []
    folder, out = Path(view.folder), Path(view.out or view.folder)
    places = [folder] if out.is_relative_to(folder) else [folder, out]
    for place in places:
        for parent, folders, names in os.walk(place):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                try:
                    status = path.stat()
                except OSError:
                    continue
                shown = path.relative_to(folder) if place == folder else path
                row = {"id": str(path), "file": str(shown), "size": status.st_size}
                found.append({**row, "changed": status.st_mtime})
                if len(found) >= MOST:
                    return found
    return found
