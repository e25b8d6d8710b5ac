"""Files of math word problems and solvers in the workspace, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engines.core.assets import asset, models_folder
from engines.core.errors import DataError, EngineError, did_you_mean
from workbench.data import Kind, Report
from workbench.doctor import Finding
from workbench.errors import MissingError
from workbench.workspace import Workspace

_HERE = "workbench.papers.mwp.data"
_FILE = "problems.jsonl"
KINDS = (
    Kind(
        "problems",
        "math word problems: ASDiv, MAWPS, SVAMP, ParaMAWPS, Math23K or rows of text, equation and answer",
        f"{_HERE}:check",
        held=f"{_HERE}:held",
        count=f"{_HERE}:rows",
        many="sets of problems",
    ),
)


def held(workspace: Workspace) -> Iterator[Path]:
    """The folders of the sets of problems that lie in a workspace itself."""
    yield from sorted(file.parent for file in (workspace.root / "problems").glob(f"*/{_FILE}"))


def rows(folder: Path) -> int:
    """How many lines a set of problems has."""
    with (folder / _FILE).open("rb") as file:
        return sum(1 for line in file if line.strip())


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


def examine() -> Iterator[Finding]:
    """The sets of problems at hand."""
    try:
        sets = [folder.name for folder in held(Workspace.open(create=False))]
    except EngineError:
        return  # said of the workspace
    if sets:
        yield Finding("word problems", "ok", f"sets in the workspace: {', '.join(sets)}")
    else:
        yield Finding(
            "word problems",
            "note",
            "the workspace has no problems",
            "Register some: mathwb data add problems FILE",
        )


_FILE_models = "solver.json"


def solvers(workspace: Workspace) -> list[Path]:
    """The solvers that ship, then those of the workspace, which hide one that ships and has their name."""
    shipped = sorted(models_folder().glob(f"*/{_FILE_models}"))
    own = sorted(workspace.models.glob(f"*/{_FILE_models}"))
    return list({path.parent.name: path.parent for path in (*shipped, *own)}.values())


def solver_path(name: str) -> Path:
    """The folder of a solver: a path, a name in the workspace, or one that ships (`mwp-…`).

    Raises: MissingError E355 when there is none of that name.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path.absolute()
    known = {folder.name: folder for folder in solvers(Workspace.open())}
    if name in known:
        return known[name]
    listed = f"There are: {', '.join(known)}." if known else "Train one: mathwb train mwp/solver-tiny"
    remedy = did_you_mean(name, list(known)) or listed
    raise MissingError(f"there is no solver {name!r}", code="E355", remedy=remedy)
