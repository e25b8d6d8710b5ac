"""The user's folder: data sets, corpora, models, runs, notes.

```
workspace.toml   version of the layout; what of the sample has been put here
data.toml        the registered data sets
notes.jsonl      notes and bookmarks
.trash/          what was deleted, for a while (`workbench.trash`)
models/ runs/ exports/, and a folder for each kind of data of a paper, such as corpora/
```
"""

from __future__ import annotations

import errno
import hashlib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.events import Sink, ignore
from engines.core.files import copy_folder, file_error
from engines.core.hashing import watch_reads
from engines.core.locks import update
from engines.core.spec import read
from engines.moved import moved_verb
from workbench.config import own_config
from workbench.errors import MissingError, UsageError, WorkspaceError
from workbench.folders import default_workspace
from workbench.notes import Notes
from workbench.paper import all_papers, asset_folders, load
from workbench.trash import Trash, TrashItem, restore_contents

if TYPE_CHECKING:
    pass


LAYOUT_VERSION = 1
_MEND = f"Write `version = {LAYOUT_VERSION}` into it; everything else is stored elsewhere."
_FOLDERS = ("models", "runs", "exports")


@dataclass(frozen=True)
class Workspace:
    """An opened workspace; its folder `root` exists. A read-only workspace can be looked at."""

    root: Path

    @classmethod
    def open(cls, path: Path | None = None, *, create: bool = True) -> Workspace:
        """Open a workspace, or make it.

        Args:
            path: The folder; None takes the setting `workspace`, or else the default one.
            create: Whether to make it if there is none.

        Raises:
            WorkspaceError: E501 if it is missing and `create` is off, E502 if it cannot be made, E503 if a
                newer version made it, E504 if it is corrupt or a folder of something else.
        """
        named = path or Path(str(own_config().get("workspace")) or default_workspace())
        root = named.expanduser().absolute()
        if not (root / "workspace.toml").exists():
            if not create:
                remedy = "Name another with --workspace, or start mathwb to make one."
                raise _workspace_error("E501", "there is no workspace here", root, remedy)
            _make_workspace(root)
        version = _read_description(root).get("version")
        # Before `version > …`, since a text or a list cannot be compared with a number.
        if not isinstance(version, int):
            raise _workspace_error("E504", "the workspace names no version", root / "workspace.toml", _MEND)
        if version > LAYOUT_VERSION:
            raise _workspace_error(
                "E503",
                f"a newer mathwb made this workspace (layout {version}, and this one reads {LAYOUT_VERSION})",
                root,
                "Update mathwb, or name another workspace with --workspace.",
            )
        return cls(root)

    @property
    def writable(self) -> bool:
        """Whether the workspace can be written to."""
        return os.access(self.root, os.W_OK | os.X_OK)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.root.name

    @property
    def corpora(self) -> Path:
        """The folder of the corpora."""
        return self.make_folder("corpora")

    @property
    def models(self) -> Path:
        """The folder of the models."""
        return self.make_folder("models")

    @property
    def runs(self) -> Path:
        """The folder of the run folders, one for each job."""
        return self.make_folder("runs")

    @property
    def exports(self) -> Path:
        """The folder of exported files."""
        return self.make_folder("exports")

    def list_own_data(self) -> tuple[tuple[str, Path], ...]:
        """List the data in the workspace itself, as (kind, folder)."""
        return tuple(
            (kind.name, path) for kind in all_kinds().values() if kind.held for path in load(kind.held)(self)
        )

    def make_folder(self, name: str) -> Path:
        """Return a folder of the workspace, making it if it is missing."""
        folder = self.root / name
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise file_error(error, folder, "write") from error
        return folder

    @cached_property
    def data(self) -> DataRegistry:
        """The registered data sets."""
        return DataRegistry(self.root / "data.toml")

    @cached_property
    def notes(self) -> Notes:
        """The user's notes and bookmarks."""
        return Notes(self.root, self.trash)

    @cached_property
    def trash(self) -> Trash:
        """The deleted items."""
        return Trash(self.root)


def _workspace_error(code: str, what: str, path: Path, remedy: str) -> WorkspaceError:
    return WorkspaceError(what, where=str(path), code=code, remedy=remedy)


def _not_writable(root: Path) -> WorkspaceError:
    return _workspace_error(
        "E502",
        "the workspace cannot be written to",
        root,
        "Change its permissions, or name another with --workspace.",
    )


def _folder_names() -> tuple[str, ...]:
    return (*(paper.folder for paper in all_papers() if paper.folder), *_FOLDERS)


def _is_begun(root: Path) -> bool:
    """Return whether a folder holds no more than a workspace whose making was cut short: its description
    comes last, and before it there are only empty folders.
    """
    for one in root.iterdir():
        empty = one.name in _folder_names() and one.is_dir() and not any(one.iterdir())
        if not empty and one.name != "workspace.lock" and not one.match(".workspace.toml.*.tmp"):
            return False
    return True


def _make_workspace(root: Path) -> None:
    """Make a workspace, or finish one.

    Its description is looked for after its contents: another process, which may be making the same one, puts
    contents only where there is a description.
    """
    try:
        # An empty folder may become a workspace, and so may one whose making was cut short; a folder with
        # other contents may not.
        if root.is_dir() and not _is_begun(root) and not (root / "workspace.toml").exists():
            what = "this folder has other contents and is not a workspace"
            raise _workspace_error("E504", what, root, "Name an empty or a new folder.")
        for name in _folder_names():
            (root / name).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise _workspace_error(
            "E504",
            "a file is in the place of the workspace",
            root,
            "Move it, or name another workspace with --workspace.",
        ) from error
    # Errors that the user can solve with permissions or another folder get a message about that.
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
            raise _not_writable(root) from error
        raise file_error(error, root, "write") from error
    # `data or begin`: if another process has written the description in the meantime, it stays.
    begin = f"version = {LAYOUT_VERSION}\nsample = []\n".encode()
    update(root / "workspace.toml", lambda data: data or begin)


def _read_description(root: Path) -> dict[str, Any]:
    path = root / "workspace.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _workspace_error(
            "E504", f"the workspace's description is corrupt: {error}", path, _MEND
        ) from error
    except PermissionError as error:
        raise _not_writable(root) from error
    except OSError as error:
        raise file_error(error, path, "read") from error


def ensure_sample(workspace: Workspace) -> bool:
    """Copy the sample data into a workspace that has not had it.

    Each piece (`corpora/sample-e`) is copied once: a piece that the user removes is not restored, and pieces
    that a later version brings are added.

    Returns:
        Whether anything was added.
    """
    if not workspace.writable:
        return False
    # The pieces that ship with the papers, by their path in the workspace.
    pieces = {
        source.relative_to(sample).as_posix(): source
        for _, sample in asset_folders("sample")
        for source in sorted(sample.glob("*/*"))
    }
    # Asked without the lock first: nearly always the workspace has had them all.
    if pieces.keys() <= {*_read_description(workspace.root).get("sample", ())}:
        return False
    added = False

    def add_pieces(data: bytes) -> bytes:
        nonlocal added
        import tomlkit

        document = tomlkit.parse(data)
        had = document.setdefault("sample", tomlkit.array())
        had.multiline(multiline=True)
        for piece, source in pieces.items():
            if piece not in had:
                # A folder of this name may be the user's own; the piece then counts as given.
                if not (workspace.root / piece).exists():
                    copy_folder(source, workspace.root / piece, None)
                had.append(piece)
                added = True
        return tomlkit.dumps(document).encode()

    update(workspace.root / "workspace.toml", add_pieces)
    return added


# Kinds of data that a user may register, each with its check, and what is registered. The files stay where
# they are; removing an entry removes nothing else.
#
# A check reads a file or folder once, in a stream, hands every bad line to `report` and goes on. It returns
# what it counted; `records` is what the kind is about. A paper names its kinds in its registration.

BadLineSink = Callable[[DataError], None]
DataCheck = Callable[[Path, BadLineSink], dict[str, int]]


@dataclass(frozen=True, slots=True)
class DataKind:
    """A kind of data that a user may register.

    Args:
        name: Its name.
        help: One line about it.
        check: `module:function` of its check.
        folder: The file in a folder of this kind whose hash stands for the whole folder.
        files: `module:function` that lists the files of data that may be a folder or a file.
        held: `module:function` that lists the data of this kind in a workspace.
        count: `module:function` that returns at once how many records such data has.
        many: What several of them are called.
    """

    name: str
    help: str
    check: str
    folder: str = ""
    files: str = ""
    held: str = ""
    count: str = ""
    many: str = ""

    def run_check(self, path: Path, report: BadLineSink) -> dict[str, int]:
        """Check a file or folder and return what was counted.

        Raises:
            DataError: If it cannot be read as this kind at all.
        """
        check: DataCheck = load(self.check)
        # A kind with `files` takes files and folders alike.
        if not self.files and path.is_dir() != bool(self.folder):
            wanted = "a folder" if self.folder else "a file"
            what = f"data of kind {self.name} is {wanted}"
            raise DataError(what, path=path, code="E313", remedy=f"Name {wanted}.")
        return check(path, report)

    def count_records(self, path: Path) -> int | None:
        """Return the number of records of data in the workspace, or None if it is not known at once."""
        try:
            return int(load(self.count)(path)) if self.count else None
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def hashed_files(self, path: Path) -> list[Path]:
        """List the files whose hashes stand for the data."""
        if self.files:
            listed: list[Path] = load(self.files)(path)
            return listed
        return [path / self.folder if self.folder else path]


@cache
def all_kinds() -> Mapping[str, DataKind]:
    """Return the kinds of data of all papers by name."""
    return {kind.name: kind for paper in all_papers() if paper.kinds for kind in load(paper.kinds)}


SHOWN = 100
"""Bad lines kept of a check; all are counted."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A registered file or folder.

    Args:
        name: Its name.
        kind: The name of its kind.
        path: The absolute path.
        sha256: The hash of the file; of several files, that of the list of their hashes.
        bytes: The size.
        counts: What its kind counts.
        bad: The number of lines that could not be used.
        added: When it was registered, UTC, ISO 8601.
        files: The hash of each of several files, by its path in the folder.
    """

    name: str
    kind: str
    path: str
    sha256: str
    bytes: int
    counts: Mapping[str, int] = field(default_factory=dict)
    bad: int = 0
    added: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def locate_data(self) -> Path:
        """Return the path.

        Raises:
            MissingError: E354 if nothing is there any more.
        """
        path = Path(self.path)
        if not path.exists():
            raise MissingError(
                "it is no longer at its registered place",
                where=self.path,
                code="E354",
                remedy=f"Put it back, or register the new place: mathwb data remove {self.name}, then: "
                f"mathwb data add {self.kind} PATH --name {self.name}",
            )
        return path


@dataclass(frozen=True, slots=True)
class Checked:
    """A data set as it is now. `state`, against what was registered, is new, unchanged or changed;
    `bad_lines` has the first hundred errors of `data.bad`.
    """

    data: DataSet
    state: str
    bad_lines: tuple[DataError, ...]


class DataRegistry:
    """The data sets of a workspace, kept in its `data.toml`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def list_entries(self) -> tuple[DataSet, ...]:
        """List all registered data sets by name.

        Raises:
            WorkspaceError: E504 if the file is corrupt.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise file_error(error, self.path, "read") from error
        return self._parse_entries(data)

    def _parse_entries(self, data: bytes) -> tuple[DataSet, ...]:
        try:
            document = tomllib.loads(data.decode())
            entries = [
                read(DataSet, {"name": name, **row}, prefix=f"{name}.") for name, row in document.items()
            ]
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError, EngineError) as error:
            what = f"the list of data sets is corrupt: {getattr(error, 'what', error)}"
            remedy = "Fix it, or remove it and add the data sets again."
            raise WorkspaceError(what, where=str(self.path), code="E504", remedy=remedy) from error
        return tuple(sorted(entries, key=lambda entry: entry.name))

    def entries_of(self, kind: str) -> dict[str, DataSet]:
        """Return the data sets of a kind by name."""
        return {entry.name: entry for entry in self.list_entries() if entry.kind == kind}

    def find_entry(self, name: str) -> DataSet:
        """Return the data set with a name or path.

        Raises:
            MissingError: E353 if there is none.
        """
        entries = self.list_entries()
        absolute_path = str(Path(name).expanduser().absolute())
        for entry in entries:
            if name == entry.name or absolute_path == entry.path:
                return entry
        remedy = did_you_mean(name, [entry.name for entry in entries]) or "See: mathwb data list"
        raise MissingError(f"no data set {name!r} is registered", code="E353", remedy=remedy)

    def add_entry(self, kind: str, path: Path, *, name: str | None = None, events: Sink = ignore) -> Checked:
        """Check a file or folder and register it; if the path is registered already, it is checked again.

        Each file is read once, for its check and its hash. Other programs may register data meanwhile.

        Args:
            kind: The name of the kind.
            path: The file or folder.
            name: The name to register; None takes that of the file.
            events: Receives progress in MiB for large files.

        Raises:
            UsageError: E431 for an unknown kind, E432 for a name that is taken.
            DataError: If nothing in it is of the kind.
        """
        path = path.expanduser().absolute()
        self._choose_name(self.list_entries(), path, name)  # a taken one is refused before the work
        checked = _run_check(_find_kind(kind), path, name or "", None, events)

        def with_entry(entries: tuple[DataSet, ...]) -> list[DataSet]:
            nonlocal checked
            # Chosen again under the lock: another program may have taken the name while the data was checked.
            data = replace(checked.data, name=self._choose_name(entries, path, name))
            checked = replace(checked, data=data)
            return [data, *(entry for entry in entries if entry.path != data.path)]

        self._change_entries(with_entry)
        return checked

    def _choose_name(self, entries: Iterable[DataSet], path: Path, name: str | None) -> str:
        """Return the name that a path gets.

        Raises:
            UsageError: E432.
        """
        taken = {entry.name for entry in entries if entry.path != str(path)}
        if name is not None and name in taken:
            raise UsageError(f"the name {name!r} is taken", code="E432", remedy="Choose another --name.")
        # The part before the first dot, so that `posts.xml.gz` is registered as `posts`.
        stem = path.name.split(".")[0] or "data"
        numbered = (f"{stem}-{number}" for number in count(2))
        return name or next(each for each in chain((stem,), numbered) if each not in taken)

    def check_entry(self, entry: DataSet, *, events: Sink = ignore) -> Checked:
        """Read a data set again and compare it with what was registered; the entry stays as it is.

        Args:
            entry: The data set.
            events: As for `add_entry`.

        Raises:
            MissingError: E354 if it is gone.
            DataError: If nothing in it is of its kind any more.
        """
        return _run_check(_find_kind(entry.kind), entry.locate_data(), entry.name, entry.sha256, events)

    def remove_entry(self, name: str) -> DataSet:
        """Unregister a data set. Its files stay; its entry moves into the trash.

        Raises:
            MissingError: E353 if it is not registered.
        """
        entry = self.find_entry(name)
        Trash(self.path.parent).put_item("data", entry.name, entry.path, record=asdict(entry))
        self._change_entries(lambda entries: [other for other in entries if other.name != entry.name])
        return entry

    def restore_entry(self, record: Mapping[str, Any]) -> None:
        """Register a removed data set again, as it was.

        Raises:
            EngineError: E466 if its name or its path is registered now.
        """
        entry = read(DataSet, dict(record))

        def with_it(entries: tuple[DataSet, ...]) -> list[DataSet]:
            for other in entries:
                # Either would make two entries stand for one thing.
                if entry.name == other.name or entry.path == other.path:
                    what = f"{other.name} is registered as {other.path} now"
                    remedy = f"Remove it first: mathwb data remove {other.name}"
                    raise EngineError(what, code="E466", remedy=remedy)
            return [*entries, entry]

        self._change_entries(with_it)

    def _change_entries(self, edit: Callable[[tuple[DataSet, ...]], list[DataSet]]) -> None:
        import tomli_w

        def apply_edit(data: bytes) -> bytes:
            entries = sorted(edit(self._parse_entries(data)), key=lambda entry: entry.name)
            # The name is the key of the table and is not repeated in it.
            rows = {entry.name: asdict(entry) for entry in entries}
            for row in rows.values():
                del row["name"]
            return tomli_w.dumps(rows).encode()

        update(self.path, apply_edit)


def restore_note(workspace: Workspace, item: TrashItem) -> None:
    """Restore a note from the trash."""
    workspace.notes.restore_note(item.record)


def restore_data(workspace: Workspace, item: TrashItem) -> None:
    """Restore an entry of the data registry from the trash."""
    workspace.data.restore_entry(item.record)


def remove_own_data(workspace: Workspace, name: str) -> TrashItem:
    """Move data of the workspace itself, such as a corpus of saved clusters, into the trash.

    Raises:
        MissingError: E353 if neither such data nor a registered data set has this name.
        DataError: If it cannot be moved.
    """
    own = {path.name: path for _, path in workspace.list_own_data()}
    folder = own.get(name)
    # Data that is only registered, or lies elsewhere, is not ours to move.
    if folder is None or folder.parent.parent != workspace.root:
        names = [*own, *(entry.name for entry in workspace.data.list_entries())]
        remedy = did_you_mean(name, names) or "See: mathwb data list"
        raise MissingError(f"there is no data set {name!r}", code="E353", remedy=remedy)
    record = {"folder": folder.parent.name}
    return workspace.trash.put_item("folder", name, str(folder), [folder], record)


def restore_folder(workspace: Workspace, item: TrashItem) -> None:
    """Restore data of the workspace itself to its place."""
    restore_contents(item, workspace.root / item.record["folder"])


def _find_kind(name: str) -> DataKind:
    if name not in all_kinds():
        remedy = did_you_mean(name, all_kinds()) or f"Kinds: {', '.join(all_kinds())}."
        raise UsageError(f"unknown kind of data {name!r}", code="E431", remedy=remedy)
    return all_kinds()[name]


def _run_check(kind: DataKind, path: Path, name: str, registered: str | None, events: Sink) -> Checked:
    bad: list[DataError] = []
    count = 0

    # All bad lines are counted, and the first hundred are stored.
    def add_bad_line(error: DataError) -> None:
        nonlocal count
        count += 1
        if len(bad) < SHOWN:
            bad.append(error)

    # Step 1: read the data once. What the check reads is hashed on the way.
    with watch_reads(_data_size(kind, path), events) as watch:
        counts = kind.run_check(path, add_bad_line)
    if not counts["records"]:
        first = f" The first: {bad[0].where}: {bad[0].what}." if bad else ""
        what = f"nothing in it is of kind {kind.name}; {count:,} bad lines"
        raise DataError(what, path=path, code="E318", remedy=first.strip())
    # Step 2: the hash of the data. Of several files it is the hash of the list of their hashes.
    digests = {file: watch.hash_file(file) for file in kind.hashed_files(path)}
    names = {file.relative_to(path).as_posix(): sha for file, sha in digests.items() if file != path}
    files = names if kind.files else {}
    listing = "".join(f"{sha}  {name}\n" for name, sha in sorted(files.items()))
    digest = hashlib.sha256(listing.encode()).hexdigest() if files else next(iter(digests.values()))
    # Step 3: the record, and whether it differs from what was registered.
    size = _data_size(kind, path)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    data = DataSet(name, kind.name, str(path), digest, size, counts, count, now, files)
    state = "new" if registered is None else "unchanged" if digest == registered else "changed"
    return Checked(data, state, tuple(bad))


def _data_size(kind: DataKind, path: Path) -> int:
    try:
        # A set, since a kind may list a file twice.
        belonging = set(path.rglob("*") if kind.folder else kind.hashed_files(path))
        return sum(file.stat().st_size for file in belonging if file.is_file())
    except (DataError, OSError):
        return 0


def __getattr__(name: str) -> object:
    return moved_verb(__name__, name)
