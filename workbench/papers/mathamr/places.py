"""Where the workspace keeps indexes of formulas (`mathamr/NAME/index`, NAME being a collection's), and which
model amrlib is to take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engines.core.errors import EngineError
from workbench.errors import MissingError
from workbench.papers.arqmath.collections import collections, find_collection
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from engines.mathamr.inspection import Inspect
    from engines.mathamr.parsing.parse import Amr, Parse
    from engines.mathamr.retrieval.standings import Standings

__all__ = ["index_path", "index_place", "settled", "with_index", "with_model"]

Parsing = TypeVar("Parsing", "Amr", "Inspect", "Parse")
Searching = TypeVar("Searching", "Inspect", "Standings")


def index_place(workspace: Workspace, name: str) -> Path:
    """Where the index of a collection is, or would be."""
    return workspace.folder("mathamr") / name / "index"


def index_path(name: str) -> Path:
    """The folder of an index as it is named, or else that of the workspace's collection of this name.

    Raises: MissingError E312 when that has none, E354 for an unknown name.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path.absolute()
    workspace = Workspace.open(create=False)
    place = index_place(workspace, find_collection(workspace, name).name)
    if not (place / "about.json").exists():
        raise MissingError(
            "the collection has no index of its formulas yet",
            where=name,
            code="E312",
            remedy=f"Make it with: mathwb mathamr index {name} --out {place}",
        )
    return place


def settled(spec: Inspect) -> Inspect:
    """With the index that the workspace has of the collection, and amrlib's model."""
    return with_index(with_model(spec))


def with_index(spec: Searching) -> Searching:
    """With the index that the workspace has of the collection, where none is given."""
    if spec.index is not None or spec.folder is None:
        return spec
    try:
        workspace = Workspace.open(create=False)
        known = next((one for one in collections(workspace) if one.path.absolute() == spec.folder), None)
    except EngineError:  # a collection needs no workspace
        return spec
    if known is None:
        return spec
    place = index_place(workspace, known.name)
    return replace(spec, index=place) if (place / "about.json").exists() else spec


def with_model(spec: Parsing) -> Parsing:
    """With the model that the settings name, where amrlib is to parse and none is given."""
    if spec.parser != "amrlib" or spec.model is not None:
        return spec
    from workbench.config import load_config

    folder = load_config().get("mathamr.amr_model")
    return replace(spec, model=Path(str(folder)).expanduser().absolute()) if folder else spec
