"""Solvers by name: what stands for a folder on the command line and on the screens."""

from __future__ import annotations

from pathlib import Path

from engines.core.assets import models_folder
from engines.core.errors import did_you_mean
from workbench.errors import MissingError
from workbench.workspace import Workspace

__all__ = ["solver_path", "solvers"]

_FILE = "solver.json"


def solvers(workspace: Workspace) -> list[Path]:
    """The solvers that ship, then those of the workspace, which hide one that ships and has their name."""
    shipped = sorted(models_folder().glob(f"*/{_FILE}"))
    own = sorted(workspace.models.glob(f"*/{_FILE}"))
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
