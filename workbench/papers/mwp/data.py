"""Files of math word problems: as registered data, and by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engines.core.assets import asset
from engines.core.errors import DataError, did_you_mean
from workbench.data_kinds import Kind, Report
from workbench.errors import MissingError
from workbench.workspace import Workspace

__all__ = ["KINDS", "check", "held", "place", "problems_path", "sets"]

_HERE = "workbench.papers.mwp.data"
_FILE = "problems.jsonl"
KINDS = (
    Kind(
        "problems",
        "math word problems: ASDiv, MAWPS, SVAMP, ParaMAWPS, Math23K or rows of text, equation and answer",
        f"{_HERE}:check",
        held=f"{_HERE}:held",
        many="sets of problems",
    ),
)


def held(workspace: Workspace) -> Iterator[Path]:
    """The folders of the sets of problems that lie in a workspace itself."""
    yield from sorted(file.parent for file in (workspace.root / "problems").glob(f"*/{_FILE}"))


def sets(workspace: Workspace) -> dict[str, Path]:
    """All sets of problems by name: those of the workspace, then the registered ones."""
    found = {folder.name: folder / _FILE for folder in held(workspace)}
    for entry in workspace.data.all():
        if entry.kind == "problems":
            found.setdefault(entry.name, Path(entry.path))
    return found


def check(path: Path, report: Report) -> dict[str, int]:
    """Problems, those with an equation, and rows that are none; disagreeing answers are reported too."""
    from engines.mwp.problems.readers import read_problems

    found = read_problems(path)
    for note in (*found.skipped, *found.disagreements):
        report(DataError(note.reason, path=path, line=note.line, code="E317"))
    return {"records": len(found.rows), **found.counts()}


def place(workspace: Workspace, name: str) -> Path | None:
    """A set of problems of the workspace, a registered one, or one that ships."""
    named = Path(name) / _FILE
    if len(named.parts) == 2 and (workspace.folder("problems") / named).exists():
        return workspace.folder("problems") / named
    entries = (entry for entry in workspace.data.all() if entry.kind == "problems" and entry.name == name)
    registered = next((entry.place() for entry in entries), None)
    shipped = asset("sample/problems") / named
    return shipped if registered is None and len(named.parts) == 2 and shipped.exists() else registered


def problems_path(name: str) -> Path:
    """The file that a name stands for: a path, else a set of the workspace, a registered one, a sample.

    Raises: MissingError E354 for a name that stands for nothing.
    """
    path = Path(name).expanduser()
    if path.is_dir() and (path / _FILE).exists():
        return (path / _FILE).absolute()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    workspace = Workspace.open()
    if (found := place(workspace, name)) is not None:
        return found
    known = list(sets(workspace))
    remedy = did_you_mean(name, known) or f"There are: {', '.join(known)}."
    raise MissingError(f"there are no problems {name!r}", code="E354", remedy=remedy)
