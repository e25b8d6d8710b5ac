"""Models and corpora by name: what stands for a folder on the command line and on the screens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.errors import did_you_mean
from workbench.errors import MissingError

if TYPE_CHECKING:
    from workbench.workspace import Workspace

__all__ = ["corpus_path", "model_path", "models"]


def models(workspace: Workspace) -> list[Path]:
    """The models that turn expressions into vectors: those that ship, then those of the workspace, which hide
    one that ships and has their name."""
    from engines.egen.models.lookup import models_among

    return models_among(sorted(workspace.models.glob("*")))


def model_path(name: str) -> Path:
    """The folder of a model: a path, a name in the workspace, or one that ships (`egen-…`, `arqmath-…`).

    Raises: MissingError E355 when there is none of that name.
    """
    from engines.core.assets import models_folder
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.is_dir():
        return path.absolute()
    workspace = Workspace.open()
    for folder in (workspace.models / name, models_folder() / name):
        if len(path.parts) == 1 and folder.is_dir():
            return folder
    known = [folder.name for folder in models(workspace)]
    remedy = did_you_mean(name, known) or (
        f"There are: {', '.join(known)}." if known else "Train one with: mathwb train --headless"
    )
    raise MissingError(f"there is no model {name!r}", code="E355", remedy=remedy)


def corpus_path(name: str) -> Path:
    """A file or folder as named, or else the corpus of this name: of the workspace, registered, shipped."""
    from engines.core.assets import asset
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    workspace = Workspace.open()
    if (folder := workspace.folder("corpora") / name).is_dir():
        return folder
    entries = (entry for entry in workspace.data.all() if entry.kind == "corpus" and entry.name == name)
    if (registered := next(entries, None)) is not None:
        return registered.place()
    shipped = asset("sample/corpora") / name
    return shipped if name and shipped.is_dir() else path.absolute()
