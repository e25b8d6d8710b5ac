"""The ARQMath collections that a workspace knows: those in its folder `arqmath/`, and registered ones.

Each has a folder `arqmath/NAME/` in the workspace for what the user adds: `judgements.jsonl`, `runs.json`
(run files that stay where they are) and `index/`. A collection that lies in the workspace is that folder.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engines.core.errors import EngineError, did_you_mean
from engines.core.files import write_json
from workbench.errors import MissingError, WorkspaceError
from workbench.papers.arqmath.judgements import Judgements

if TYPE_CHECKING:
    from workbench.workspace import Workspace

__all__ = [
    "Collection",
    "collection_path",
    "collections",
    "encoder_path",
    "find_collection",
    "index_path",
    "name_of",
    "place",
    "rankers",
    "settled",
    "source_path",
]

SAMPLE = "sample"

T = TypeVar("T", bound=Any)


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection: its name, where its files are (a folder, or a file of posts), and the user's folder."""

    name: str
    path: Path
    home: Path

    @property
    def index(self) -> Path:
        """Where its index is, or would be."""
        return self.home / "index"

    @property
    def indexed(self) -> bool:
        """Whether there is a finished index."""
        return (self.index / "manifest.json").exists()

    def judgements(self) -> Judgements:
        """The user's own judgements."""
        return Judgements(self.home / "judgements.jsonl")

    def added_runs(self) -> list[Path]:
        """Run files from elsewhere. Raises: WorkspaceError E504 when the list of them is corrupt."""
        path = self.home / "runs.json"
        try:
            names = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise WorkspaceError(
                f"the list of runs is corrupt: {error}",
                where=str(path),
                code="E504",
                remedy="Remove the file and add the runs again.",
            ) from error
        return [Path(str(name)) for name in names]

    def add_run(self, path: Path) -> None:
        """Show this run file with the collection from now on. Raises: DataError when it is no run."""
        from engines.retrieval.run import read_run

        path = path.expanduser().absolute()
        read_run(path)
        known = self.added_runs()
        if path not in known:
            self.home.mkdir(parents=True, exist_ok=True)
            write_json(self.home / "runs.json", [str(one) for one in (*known, path)])

    def forget_run(self, path: Path) -> None:
        """Do not show an added run any more; the file stays."""
        write_json(self.home / "runs.json", [str(one) for one in self.added_runs() if one != path])


def collections(workspace: Workspace) -> tuple[Collection, ...]:
    """Every collection of the workspace, samples first."""
    from engines.forum.folder import ArqmathFolder

    place = workspace.folder("arqmath")
    found: list[Collection] = []
    for path in sorted(place.iterdir()):
        if path.name.startswith(".") or not path.is_dir():
            continue
        try:
            ArqmathFolder.open(path)
        except EngineError:
            # It may only keep what the user adds to a registered one; a corrupt description is reported.
            if not (path / "arqmath.toml").exists():
                continue
        found.append(Collection(path.name, path, path))
    taken = {one.name for one in found}
    for entry in workspace.data.all():
        if entry.kind == "arqmath":
            name = entry.name if entry.name not in taken else f"{entry.name}-data"
            found.append(Collection(name, Path(entry.path), place / name))
    return tuple(sorted(found, key=lambda one: (not one.name.startswith(SAMPLE), one.name)))


def find_collection(workspace: Workspace, name: str) -> Collection:
    """A collection by its name or its path. Raises: MissingError E354."""
    known = collections(workspace)
    place = Path(name).expanduser().absolute()
    for one in known:
        if one.name == name or one.path.absolute() == place:
            if not one.path.exists():
                workspace.data.find(str(one.path)).place()  # says what to do
            return one
    names = [one.name for one in known]
    raise MissingError(
        f"there is no collection {name!r}",
        code="E354",
        remedy=did_you_mean(name, names)
        or (f"Known: {', '.join(names)}." if names else "Register one with mathwb data add arqmath PATH.")
        + " The sample is put into the workspace by: mathwb tour",
    )


def place(workspace: Workspace, name: str) -> Path | None:
    """Where the collection of a name is; None when there is none."""
    return next((one.path for one in collections(workspace) if one.name == name), None)


def name_of(place: Path) -> str:
    """The name of the collection of the workspace that lies here or has its index here; the folder's without
    one."""
    from workbench.workspace import Workspace

    for one in collections(Workspace.open()):
        if place in (one.path.absolute(), one.index.absolute()):
            return one.name
    return place.name


def collection_path(name: str) -> Path:
    """A file or folder as it is named, or else the collection of the workspace that has this name.

    Raises: MissingError E354.
    """
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    return path.absolute() if path.exists() else find_collection(Workspace.open(create=False), name).path


def index_path(name: str) -> Path:
    """The folder of an index as it is named, or else the index of the collection of this name or place.

    Raises: MissingError E312 when that has none, E354 for an unknown name.
    """
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.exists() and not (path / "arqmath.toml").exists():
        return path.absolute()
    try:
        one = find_collection(Workspace.open(create=False), name)
    except MissingError:
        if path.exists():
            return path.absolute()
        raise
    if not one.indexed:
        raise MissingError(
            "the collection has no index yet",
            where=name,
            code="E312",
            remedy=f"Make it with: mathwb arqmath index {name} --out {one.index}",
        )
    return one.index


def source_path(name: str) -> Path:
    """What is ranked: a collection or an index as it is named, or else that of the workspace's collection of
    this name, its index where it has one. Raises: MissingError E354."""
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.exists():
        return path.absolute()
    found = find_collection(Workspace.open(create=False), name)
    return found.index if found.indexed else found.path


def settled(spec: T) -> T:
    """What the workspace knows of a spec's collection: its index, and the runs from elsewhere added to it."""
    from workbench.workspace import Workspace

    try:
        every = collections(Workspace.open(create=False))
    except EngineError:  # a collection needs no workspace
        return spec
    known = next((one for one in every if one.path.absolute() == spec.folder), None)
    if known is None:
        return spec
    has = {field.name for field in fields(spec)}
    given: dict[str, Any] = {}
    if "index" in has and spec.index is None:
        given["index"] = known.index
    if "added" in has:
        given["added"] = tuple(dict.fromkeys((*spec.added, *known.added_runs())))
    return replace(spec, **given)


def encoder_path(name: str) -> str:
    """An encoder as it is named: the built-in one, or the absolute path of a model folder."""
    return name if name == "minilm" else str(Path(name).expanduser().absolute())


def rankers(workspace: Workspace) -> list[Path]:
    """The cross-encoders there are, models that classify a pair or compare its sides: the workspace's, then
    those that ship, but for one that has the name of one of the workspace."""
    from engines.core.assets import models_folder

    found: dict[str, Path] = {}
    for folder in (workspace.models, models_folder()):
        for path in sorted(folder.glob("*/config.json")):
            if _ranks(path.parent):
                found.setdefault(path.parent.name, path.parent)
    return list(found.values())


def _ranks(model: Path) -> bool:
    from engines.arqmath.training.cosine_head import has_cosine_head

    try:
        kinds = json.loads((model / "config.json").read_text("utf-8")).get("architectures") or []
        compares = has_cosine_head(model)
    except (OSError, ValueError, AttributeError):
        return False
    return compares or any(str(kind).endswith("ForSequenceClassification") for kind in kinds)
