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
import json
import os
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from urllib.parse import unquote

from engines.core.errors import DataError
from engines.core.files import atomic_writer, copy_folder, file_error, locked
from workbench.config import default_workspace, own_config
from workbench.errors import WorkspaceError
from workbench.paper import asset_folders, load, papers

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from workbench.data import DataRegistry


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
        named = path or Path(str(own_config().get("workspace")) or default_workspace())
        root = named.expanduser().absolute()
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
        return os.access(self.root, os.W_OK | os.X_OK)

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def corpora(self) -> Path:
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
        return Notes(self)


def _refused(code: str, what: str, place: Path, remedy: str) -> WorkspaceError:
    return WorkspaceError(what, where=str(place), code=code, remedy=remedy)


def _not_writable(root: Path) -> WorkspaceError:
    return _refused(
        "E502",
        "the workspace cannot be written to",
        root,
        "Change its permissions, or name another with --workspace.",
    )


def _make(root: Path) -> None:
    if root.is_dir() and any(root.iterdir()):
        raise _refused(
            "E504",
            "this folder has other contents and is not a workspace",
            root,
            "Name an empty or a new folder.",
        )
    try:
        for name in (*(paper.folder for paper in papers() if paper.folder), *_FOLDERS):
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
    for _, sample in asset_folders("sample"):
        for source in sorted(sample.glob("*/*")):
            piece = source.relative_to(sample).as_posix()
            if piece in had:
                continue
            if not (workspace.root / piece).exists():
                copy_folder(source, workspace.root / piece, None)
            had.append(piece)
            added = True
    if added:
        _write(workspace.root, document | {"sample": had})
    return added


Key = TypeVar("Key")
Record = TypeVar("Record", bound="DataclassInstance")


class RecordFile(ABC, Generic[Key, Record]):
    """Records in a file of JSON lines, by key.

    Every change reads the file again under a lock, so that two programs lose nothing. Lines that cannot be
    read are reported in `problems` and left, byte by byte, as they are.
    """

    what: ClassVar[str]
    """A record is called so in messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Key, Record] = {}
        self.problems: tuple[DataError, ...] = ()
        self._unread: list[bytes] = []
        self._load()

    @abstractmethod
    def read(self, row: Mapping[str, Any]) -> Record:
        """The record of a line. Raises: ValueError, KeyError, TypeError or AttributeError for none."""

    @abstractmethod
    def key(self, record: Record) -> Key: ...

    def order(self, record: Record) -> Any:
        """What the records are sorted by in the file."""
        return self.key(record)

    def __len__(self) -> int:
        return len(self.known)

    def all(self) -> tuple[Record, ...]:
        return tuple(sorted(self.known.values(), key=self.order))

    @contextmanager
    def changing(self) -> Iterator[dict[Key, Record]]:
        """The records as they are now, to be changed in the block and written at its end."""
        with locked(self.path):
            self._load()
            yield self.known
            with atomic_writer(self.path, "wb") as file:
                file.writelines(line + b"\n" for line in self._unread)
                file.writelines(
                    json.dumps(asdict(record), ensure_ascii=False).encode() + b"\n" for record in self.all()
                )

    def _load(self) -> None:
        self.known, self._unread = {}, []
        problems: list[DataError] = []
        try:
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        except OSError as error:
            raise file_error(error, self.path, "read") from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = self.read(json.loads(line))
                self.known[self.key(record)] = record
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problems.append(
                    DataError(
                        f"this is no {self.what}: {error}",
                        path=self.path,
                        line=number,
                        code="E317",
                        remedy="The line is left as it is; fix or remove it.",
                    )
                )
                self._unread.append(line)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Note:
    """What the user keeps about one address; `title` is what stood there. `changed` is UTC, ISO 8601."""

    address: str
    title: str = ""
    note: str = ""
    bookmark: bool = False
    changed: str = ""

    @property
    def fields(self) -> dict[str, object]:
        """What filters ask for: `is:bookmarked`, `is:noted`, `note:word`."""
        words = {"bookmarked": self.bookmark, "noted": bool(self.note)}
        return {"is": [word for word, holds in words.items() if holds], "note": self.note}


NOTE_FIELDS = ("is", "note")
"""The names of those fields."""


class Notes(RecordFile[str, Note]):
    """The notes of a workspace: one JSON line per address in `notes.jsonl`."""

    what = "note"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace.root / "notes.jsonl")

    def read(self, row: Mapping[str, Any]) -> Note:
        return Note(
            str(row["address"]),
            str(row.get("title", "")),
            str(row.get("note", "")),
            row.get("bookmark") is True,
            str(row.get("changed", "")),
        )

    def key(self, record: Note) -> str:
        return record.address

    def get(self, address: str) -> Note | None:
        return self.known.get(address)

    def under(self, home: str) -> dict[str, Note]:
        """The notes whose addresses begin with `home/`, by what follows that, with its quoted slashes as they
        are."""
        start = f"{home}/"
        return {
            unquote(address.removeprefix(start)): note
            for address, note in self.known.items()
            if address.startswith(start)
        }

    def set_note(self, address: str, text: str, title: str = "") -> Note:
        """Write a note; an empty text takes it away."""
        return self._change(address, title, lambda note: replace(note, note=text.strip()))

    def toggle_bookmark(self, address: str, title: str = "") -> bool:
        """Set or take away a bookmark. Returns: whether it is set now."""
        return self._change(address, title, lambda note: replace(note, bookmark=not note.bookmark)).bookmark

    def export(self, path: Path) -> Path:
        """Write all notes as csv, jsonl, parquet or tex, by the name's ending."""
        from workbench.export import write_table

        columns = [column.name for column in fields(Note)]
        where = {"what": "notes", "workspace": self.path.parent.name}
        return write_table(path, columns, map(astuple, self.all()), provenance=where)

    def _change(self, address: str, title: str, edit: Callable[[Note], Note]) -> Note:
        with self.changing() as notes:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            before = notes.get(address) or Note(address)
            note = replace(edit(before), title=title or before.title, changed=now)
            if note.note or note.bookmark:
                notes[address] = note
            else:
                notes.pop(address, None)
        return note
