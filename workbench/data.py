"""The user's own files, registered in the workspace, by kind."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.events import Sink, ignore
from engines.core.files import atomic_writer, watching
from engines.core.spec import read
from workbench.errors import MissingError, UsageError, WorkspaceError
from workbench.paper import load, papers

# Kinds of data a user may register, and how each is checked.
#
# A check reads a file or folder once, in a stream, hands every bad line to `report` and goes on. It returns
# what it counted; `records` is what the kind is about. A paper names its kinds in its registration.

Report = Callable[[DataError], None]
Check = Callable[[Path, Report], dict[str, int]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of data: its name, one line about it, `module:function` of its check, and, for a folder, the
    file in it whose hash stands for the whole. Of a kind that may be a folder or a file, `files` is the
    `module:function` that lists the files that belong to it. `held` is the `module:function` that lists the
    places of this kind in a workspace, `count` the one that says at once how many records such a place holds,
    and `many` what several of them are called."""

    name: str
    help: str
    check: str
    folder: str = ""
    files: str = ""
    held: str = ""
    count: str = ""
    many: str = ""

    def run(self, path: Path, report: Report) -> dict[str, int]:
        """Check `path`. Raises: DataError when it cannot be read as this kind at all."""
        check: Check = load(self.check)
        if not self.files and path.is_dir() != bool(self.folder):
            wanted = "a folder" if self.folder else "a file"
            what = f"data of kind {self.name} is {wanted}"
            raise DataError(what, path=path, code="E313", remedy=f"Name {wanted}.")
        return check(path, report)

    def records(self, path: Path) -> int | None:
        """How many records a place in the workspace holds, told at once; None where it cannot be."""
        try:
            return int(load(self.count)(path)) if self.count else None
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def standing(self, path: Path) -> list[Path]:
        """The files whose hashes stand for the data."""
        if self.files:
            listed: list[Path] = load(self.files)(path)
            return listed
        return [path / self.folder if self.folder else path]


@cache
def kinds() -> Mapping[str, Kind]:
    return {kind.name: kind for paper in papers() if paper.kinds for kind in load(paper.kinds)}


# The user's own files, registered in the workspace: where they are, what they hold, whether they changed.
#
# The files stay where they are; removing an entry removes nothing else.

SHOWN = 100
"""Bad lines kept of a check; all are counted."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A registered file or folder. `counts` is what its kind counts, `bad` the lines that could not be used;
    `added` is UTC, ISO 8601. Data of several files has the hash of each in `files`, by its place in the
    folder, and `sha256` is that of their list."""

    name: str
    kind: str
    path: str
    sha256: str
    bytes: int
    counts: Mapping[str, int] = field(default_factory=dict)
    bad: int = 0
    added: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def place(self) -> Path:
        """Where it is. Raises: MissingError E354 when it is gone from where it was registered."""
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
    """A data set as it is now. `state` is new, unchanged or changed (against what was registered);
    `bad_lines` holds the first hundred errors of `data.bad`."""

    data: DataSet
    state: str
    bad_lines: tuple[DataError, ...]


class DataRegistry:
    """The data sets of a workspace, kept in its `data.toml`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def all(self) -> tuple[DataSet, ...]:
        """Every entry, by name. Raises: WorkspaceError E504 when the file is corrupt."""
        try:
            document = tomllib.loads(self.path.read_text(encoding="utf-8"))
            entries = [
                read(DataSet, {"name": name, **row}, place=f"{name}.") for name, row in document.items()
            ]
        except FileNotFoundError:
            return ()
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError, EngineError) as error:
            what = f"the list of data sets is corrupt: {getattr(error, 'what', error)}"
            remedy = "Fix it, or remove it and add the data sets again."
            raise WorkspaceError(what, where=str(self.path), code="E504", remedy=remedy) from error
        return tuple(sorted(entries, key=lambda entry: entry.name))

    def of(self, kind: str) -> dict[str, DataSet]:
        return {entry.name: entry for entry in self.all() if entry.kind == kind}

    def find(self, name: str) -> DataSet:
        """The entry of a name or path. Raises: MissingError E353."""
        entries = self.all()
        place = str(Path(name).expanduser().absolute())
        for entry in entries:
            if name == entry.name or place == entry.path:
                return entry
        remedy = did_you_mean(name, [entry.name for entry in entries]) or "See: mathwb data list"
        raise MissingError(f"no data set {name!r} is registered", code="E353", remedy=remedy)

    def add(self, kind: str, path: Path, *, name: str | None = None, events: Sink = ignore) -> Checked:
        """Check a file or folder and register it; a path that is registered already is checked anew.

        Each file is read once, for its check and its hash. Events: progress in MiB of large ones.
        Raises: UsageError E431 for an unknown kind, E432 for a name that is taken; DataError when nothing in
        it is of the kind.
        """
        path = path.expanduser().absolute()
        entries = {entry.path: entry for entry in self.all() if entry.path != str(path)}
        taken = {entry.name for entry in entries.values()}
        if name is not None and name in taken:
            raise UsageError(f"the name {name!r} is taken", code="E432", remedy="Choose another --name.")
        stem = path.name.split(".")[0] or "data"
        free = name or next(n for n in (stem, *(f"{stem}-{i}" for i in range(2, 10**6))) if n not in taken)
        checked = _check(_kind(kind), path, free, None, events)
        self._write([*entries.values(), checked.data])
        return checked

    def check(self, entry: DataSet, *, events: Sink = ignore) -> Checked:
        """Read a data set again and compare it with what was registered; the entry stays as it is.

        Events: as of `add`.
        Raises: MissingError E354 when it is gone, DataError when nothing in it is of its kind any more.
        """
        return _check(_kind(entry.kind), entry.place(), entry.name, entry.sha256, events)

    def remove(self, name: str) -> DataSet:
        """Forget a data set; its files stay. Raises: MissingError E353."""
        entry = self.find(name)
        self._write([other for other in self.all() if other.name != entry.name])
        return entry

    def _write(self, entries: list[DataSet]) -> None:
        import tomli_w

        rows = {entry.name: asdict(entry) for entry in sorted(entries, key=lambda entry: entry.name)}
        for row in rows.values():
            del row["name"]
        with atomic_writer(self.path, "wb") as file:
            tomli_w.dump(rows, file)


def _kind(name: str) -> Kind:
    if name not in kinds():
        remedy = did_you_mean(name, kinds()) or f"Kinds: {', '.join(kinds())}."
        raise UsageError(f"unknown kind of data {name!r}", code="E431", remedy=remedy)
    return kinds()[name]


def _check(kind: Kind, path: Path, name: str, registered: str | None, events: Sink) -> Checked:
    bad: list[DataError] = []
    count = 0

    def report(error: DataError) -> None:
        nonlocal count
        count += 1
        if len(bad) < SHOWN:
            bad.append(error)

    with watching(_bytes(kind, path), events) as watch:
        counts = kind.run(path, report)
    if not counts["records"]:
        first = f" The first: {bad[0].where}: {bad[0].what}." if bad else ""
        what = f"nothing in it is of kind {kind.name}; {count:,} bad lines"
        raise DataError(what, path=path, code="E318", remedy=first.strip())
    digests = {file: watch.sha256(file) for file in kind.standing(path)}
    names = {file.relative_to(path).as_posix(): sha for file, sha in digests.items() if file != path}
    files = names if kind.files else {}
    listing = "".join(f"{sha}  {name}\n" for name, sha in sorted(files.items()))
    digest = hashlib.sha256(listing.encode()).hexdigest() if files else next(iter(digests.values()))
    size = _bytes(kind, path)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    data = DataSet(name, kind.name, str(path), digest, size, counts, count, now, files)
    state = "new" if registered is None else "unchanged" if digest == registered else "changed"
    return Checked(data, state, tuple(bad))


def _bytes(kind: Kind, path: Path) -> int:
    try:
        belonging = set(path.rglob("*") if kind.folder else kind.standing(path))
        return sum(file.stat().st_size for file in belonging if file.is_file())
    except (DataError, OSError):
        return 0
