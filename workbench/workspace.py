"""The user's folder: data sets, corpora, models, runs, notes.

```
workspace.toml   version of the layout; what of the sample has been put here
data.toml        the registered data sets
notes.jsonl      notes and bookmarks
models/ runs/ exports/, and a folder for each kind of data of a paper, such as corpora/
```
"""

from __future__ import annotations

import errno
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.files import atomic_writer, copy_folder, file_error
from workbench.config import default_workspace, own_config
from workbench.errors import WorkspaceError
from workbench.paper import asset_folders, load, papers

if TYPE_CHECKING:
    from workbench.data import DataRegistry
    from workbench.notes import Notes


LAYOUT_VERSION = 1
_MEND = f"Write `version = {LAYOUT_VERSION}` into it; everything else is stored elsewhere."
_FOLDERS = ("models", "runs", "exports")


@dataclass(frozen=True)
class Workspace:
    """An opened workspace; `root` exists. One that cannot be written to can be looked at."""

    root: Path

    @classmethod
    def open(cls, path: Path | None = None, *, create: bool = True) -> Workspace:
        """Open a workspace, and make it where there is none.

        Args: path: the folder; None takes the setting `workspace`, and without it the default one.
        Raises: WorkspaceError E501 when it is missing and `create` is off, E502 when it cannot be made, E503
        when a newer version made it, E504 when it is corrupt or a folder of something else.
        """
        root = (path or _configured()).expanduser().absolute()
        if not (root / "workspace.toml").exists():
            if not create:
                remedy = "Name another with --workspace, or start mathwb to make one."
                raise _refused("E501", "there is no workspace here", root, remedy)
            _make(root)
        version = _read(root).get("version")
        if not isinstance(version, int):
            raise _refused("E504", "the workspace names no version", root / "workspace.toml", _MEND)
        if version > LAYOUT_VERSION:
            raise _refused(
                "E503",
                f"a newer mathwb made this workspace (layout {version}, and this one reads {LAYOUT_VERSION})",
                root,
                "Update mathwb, or name another workspace with --workspace.",
            )
        return cls(root)

    @property
    def writable(self) -> bool:
        """Whether it can be written to."""
        return os.access(self.root, os.W_OK | os.X_OK)

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def corpora(self) -> Path:
        """One folder per corpus."""
        return self.folder("corpora")

    @property
    def models(self) -> Path:
        return self.folder("models")

    @property
    def runs(self) -> Path:
        """One folder per job: the truth about it."""
        return self.folder("runs")

    @property
    def exports(self) -> Path:
        """Where exports go when no place is named."""
        return self.folder("exports")

    def held(self) -> tuple[tuple[str, Path], ...]:
        """The data that lie in the workspace itself, as (kind, folder)."""
        from workbench.data import kinds

        return tuple(
            (kind.name, path) for kind in kinds().values() if kind.held for path in load(kind.held)(self)
        )

    def folder(self, name: str) -> Path:
        folder = self.root / name
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise file_error(error, folder, "write") from error
        return folder

    @cached_property
    def data(self) -> DataRegistry:
        from workbench.data import DataRegistry

        return DataRegistry(self.root / "data.toml")

    @cached_property
    def notes(self) -> Notes:
        from workbench.notes import Notes

        return Notes(self)


def _configured() -> Path:
    named = str(own_config().get("workspace"))
    return Path(named) if named else default_workspace()


def _refused(code: str, what: str, place: Path, remedy: str) -> WorkspaceError:
    return WorkspaceError(what, where=str(place), code=code, remedy=remedy)


def _not_writable(root: Path) -> WorkspaceError:
    return _refused(
        "E502",
        "the workspace cannot be written to",
        root,
        "Change its permissions, or name another with --workspace.",
    )


def _folders() -> tuple[str, ...]:
    return (*dict.fromkeys(paper.folder for paper in papers() if paper.folder), *_FOLDERS)


def _make(root: Path) -> None:
    if root.is_dir() and any(root.iterdir()):
        raise _refused(
            "E504",
            "this folder has other contents and is not a workspace",
            root,
            "Name an empty or a new folder.",
        )
    try:
        for name in _folders():
            (root / name).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise _refused(
            "E504",
            "a file is in the place of the workspace",
            root,
            "Move it, or name another workspace with --workspace.",
        ) from error
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
            raise _not_writable(root) from error
        raise file_error(error, root, "write") from error
    _write(root, {"version": LAYOUT_VERSION, "sample": []})


def _read(root: Path) -> dict[str, Any]:
    path = root / "workspace.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _refused("E504", f"the workspace's description is corrupt: {error}", path, _MEND) from error
    except PermissionError as error:
        raise _not_writable(root) from error
    except OSError as error:
        raise file_error(error, path, "read") from error


def _write(root: Path, document: dict[str, Any]) -> None:
    import tomli_w

    with atomic_writer(root / "workspace.toml", "wb") as file:
        tomli_w.dump(document, file)


def ensure_sample(workspace: Workspace) -> bool:
    """Put the sample data into a workspace that has not had it.

    Each piece (`corpora/sample-e`) is put there once: a piece that the user removes stays away, and pieces
    that a later version brings are added. Returns: whether anything was added.
    """
    if not workspace.writable:
        return False
    document = _read(workspace.root)
    had = list(document.get("sample", ()))
    added = False
    for piece, source in _sample_pieces():
        if piece in had:
            continue
        if not (workspace.root / piece).exists():
            copy_folder(source, workspace.root / piece, None)
        had.append(piece)
        added = True
    if added:
        _write(workspace.root, document | {"sample": had})
    return added


def _sample_pieces() -> Iterator[tuple[str, Path]]:
    for _, sample in asset_folders("sample"):
        for source in sorted(sample.glob("*/*")):
            yield source.relative_to(sample).as_posix(), source
