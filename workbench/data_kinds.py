"""Kinds of data a user may register, and how each is checked.

A check reads a file or folder once, in a stream, hands every bad line to `report` and goes on. It returns
what it counted; `records` is what the kind is about. A paper names its kinds in its registration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engines.core.errors import DataError
from workbench.operation import load

__all__ = ["Kind", "Report", "kinds"]

Report = Callable[[DataError], None]
Check = Callable[[Path, Report], dict[str, int]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of data: its name, one line about it, `module:function` of its check, and, for a folder, the
    file in it whose hash stands for the whole. Of a kind that may be a folder or a file, `files` is the
    `module:function` that lists the files that belong to it. `held` is the `module:function` that lists the
    places of this kind in a workspace, and `many` what several of them are called."""

    name: str
    help: str
    check: str
    folder: str = ""
    files: str = ""
    held: str = ""
    many: str = ""

    def run(self, path: Path, report: Report) -> dict[str, int]:
        """Check `path`. Raises: DataError when it cannot be read as this kind at all."""
        check: Check = load(self.check)
        if not self.files and path.is_dir() != bool(self.folder):
            wanted = "a folder" if self.folder else "a file"
            raise DataError(
                f"data of kind {self.name} is {wanted}", path=path, code="E313", remedy=f"Name {wanted}."
            )
        return check(path, report)

    def standing(self, path: Path) -> list[Path]:
        """The files whose hashes stand for the data."""
        if self.files:
            listed: list[Path] = load(self.files)(path)
            return listed
        return [path / self.folder if self.folder else path]


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind of data that a paper registers, by name."""
    from workbench.paper import papers

    return {kind.name: kind for paper in papers() if paper.kinds for kind in load(paper.kinds)}
