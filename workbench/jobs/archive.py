"""A job as one archive: packed to be repeated elsewhere, and unpacked with care.

A job that somebody else has written down, as an archive or as a recipe, writes inside of its run folder,
whatever its recipe says; what it reads elsewhere is listed before it is run. An archive holds files and
folders, no links, no devices and no sparse files, and unpacks to no more than `_max_unpacked_bytes`.
"""

from __future__ import annotations

import io
import os
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from gzip import BadGzipFile, GzipFile
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from typing import IO, Any

from engines.core.errors import DataError, EngineError
from engines.core.files import atomic_folder, atomic_writer, file_error, remove_folder
from engines.core.spec import describe_fields
from engines.core.system import format_bytes
from engines.core.text import make_printable
from workbench.jobs.control import disk_use, next_free
from workbench.jobs.folder import INSIDE, Job, iterate_texts, map_texts
from workbench.jobs.job_views import JobView, job_view
from workbench.operations import find_operation, option_name
from workbench.recipes import Recipe

# Data beyond 1 GiB is left out of an archive.
MOST_DATA_BYTES = 2**30
_LOGS = ("events.jsonl", "result.json", "stdout.log", "stderr.log", "device.json")


@dataclass(frozen=True, slots=True)
class Packing:
    """The planned contents of an archive: generated texts and files by their names in it, each with its
    size.

    `left_out` lists what is named or lies in a folder and is not included: links, hidden files, and data that
    is too large or gone.
    """

    job: Job
    texts: Mapping[str, str]
    files: Mapping[str, Path]
    sizes: Mapping[str, int]
    left_out: tuple[str, ...]


def plan_packing(job: Job) -> Packing:
    """Plan the archive of a job: recipe, environment, logs, the finished model, data that the recipe names
    (up to 1 GiB), and a README with the command that runs it again.

    In the recipe of the archive paths are relative to it. Links in a folder are not followed, since they may
    lead anywhere, and hidden files (`.git`, `.env`) are left out; a file or folder that the recipe names
    itself is read where it is.
    """
    view = job_view(job)
    # Step 1: what the recipe reads and what it writes; only the former is packed.
    spec = job.read_recipe()
    written = {
        field.name for field in describe_fields(find_operation(spec.task).spec_type) if field.arg.writes
    }
    read = {name: value for name, value in spec.params.items() if name not in written}
    # Step 2: the files, by their names in the archive.
    files: dict[str, Path] = {"env.json": job.environment}
    for attempt in job.attempts():
        files |= {f"{attempt.folder.name}/{name}": attempt.folder / name for name in _LOGS}
    model, links = _list_files(Path(view.out) / "model", "model")
    files |= model
    data, inside, left_out = _collect_data(read)
    files |= data
    # Step 3: leave out links among our own files; data that is a link is packed as what it leads to.
    own = [name for name, path in files.items() if path.is_symlink() and name not in data]
    files = {name: path for name, path in files.items() if path.is_file() and name not in own}
    left_out += links + [f"{name} (a link)" for name in own]
    # Step 4: the recipe, with names inside the archive instead of paths of this machine.
    names = {name: Path(spec.params[name]).name for name in written - {"publish"} if name in spec.params}
    inner = replace(spec, params={**map_texts(read, lambda text: inside.get(text, text)), **names})
    texts = {_RECIPE: inner.to_toml(), "README.md": _write_readme(view, left_out)}
    # Step 5: sizes, so that the caller can show the plan before anything is written.
    sizes = {name: len(text.encode()) for name, text in texts.items()}
    sizes |= {name: path.stat().st_size for name, path in files.items()}
    return Packing(job, texts, files, sizes, tuple(left_out))


def write_planned(packing: Packing, target: Path) -> dict[str, Any]:
    """Write a planned archive as .tar.gz.

    Returns:
        A document with path, bytes, files (their number), `contents` (the size of each by name) and
        `left_out`.

    Raises:
        DataError: If it cannot be written.
    """
    root = f"mathwb-job-{packing.job.id}"
    try:
        with atomic_writer(target, "wb") as out, tarfile.open(fileobj=out, mode="w:gz") as archive:
            for name, text in packing.texts.items():
                _add_file(archive, f"{root}/{name}", io.BytesIO(text.encode()), len(text.encode()))
            for name, path in packing.files.items():
                # The size is that of the open file, which may have changed since it was planned.
                with path.open("rb") as file:
                    _add_file(archive, f"{root}/{name}", file, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise file_error(error, target, "write") from error
    return {
        "path": str(target),
        "bytes": target.stat().st_size,
        "files": len(packing.sizes),
        "contents": dict(packing.sizes),
        "left_out": list(packing.left_out),
    }


def drop_checkpoints(view: JobView, keep: int) -> int:
    """Remove the checkpoints of a finished job except the newest `keep`, and return the bytes freed.

    Raises:
        EngineError: E603 while it runs.
    """
    from engines.training.checkpoints import prune_checkpoints

    if view.live:
        raise EngineError(f"job {view.id} is {view.state}", code="E603", remedy="Wait for it to end.")
    before = disk_use(view)
    prune_checkpoints(Path(view.out) / "checkpoints", keep)
    after = disk_use(view)
    return before.run_bytes + before.out_bytes - after.run_bytes - after.out_bytes


def _collect_data(params: Mapping[str, Any]) -> tuple[dict[str, Path], dict[str, str], list[str]]:
    """Files that parameters name, by their names in the archive; the name there of each file and folder that
    is named; and what is left out."""
    files: dict[str, Path] = {}
    inside: dict[str, str] = {}
    left_out: list[str] = []
    # Space that is left for data.
    room = MOST_DATA_BYTES
    for key, value in iterate_texts(params):
        # Relative texts are not paths of the workspace, and each file is packed once.
        if not Path(value).is_absolute() or value in inside:
            continue
        # The number keeps two files of the same name apart.
        path, name = Path(value), f"data/{len(inside)}-{Path(value).name}"
        here, links = _list_files(path, name)
        size = sum(file.stat().st_size for file in here.values())
        # Data that does not fit is named in the README, so the user can bring it along otherwise.
        if not path.exists() or size > room:
            left_out.append(f"{key} = {path.name}" + ("" if path.exists() else " (gone)"))
            continue
        room -= size
        inside[value] = name
        files |= here
        left_out += links
    return files, inside, left_out


def _list_files(path: Path, name: str) -> tuple[dict[str, Path], list[str]]:
    """Return a file, or the files of a folder at any depth, by their names in an archive; and what of the
    folder is left out: links, what is hidden, and what is neither file nor folder.
    """
    if path.is_file():
        return {name: path}, []
    files: dict[str, Path] = {}
    left_out: list[str] = []
    for entry in sorted(path.iterdir()) if path.is_dir() else []:
        inner = f"{name}/{entry.name}"
        # Asked first, since `is_dir` and `is_file` follow links.
        if entry.is_symlink():
            left_out.append(f"{inner} (a link)")
        elif entry.name.startswith("."):
            left_out.append(f"{inner} (hidden)")
        elif entry.is_dir() or entry.is_file():
            below, others = _list_files(entry, inner)
            files |= below
            left_out += others
        else:
            left_out.append(f"{inner} (no file)")
    return files, left_out


def _add_file(archive: tarfile.TarFile, name: str, file: IO[bytes], size: int) -> None:
    """Add a file with nothing but its name and content: no owner, no time, no link."""
    member = tarfile.TarInfo(name)
    member.size = size
    archive.addfile(member, file)


def _write_readme(view: JobView, left_out: list[str]) -> str:
    lines = [
        f"# {view.title}",
        "",
        f"It ended as {view.state}" + (f": {view.reason}" if view.reason else "") + ".",
        "",
        "To run it again, in this folder:",
        "",
        "    mathwb jobs run recipe.toml",
        "",
        "`env.json` has versions, commit, device and hashes of the data; `attempt-*/` the logs.",
    ]
    if left_out:
        lines += ["", "Not included; put your own paths in recipe.toml:", ""]
        lines += [f"    {make_printable(name)}" for name in left_out]
    return "\n".join([*lines, ""])


_ENDINGS = (".tar.gz", ".tgz")
_RECIPE = "recipe.toml"
_PACKED = "Make one with: mathwb jobs pack ID"
# Against archives with millions of empty files, which the limit on bytes does not stop.
_MOST_FILES = 100_000


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A packed job as it will run here.

    Args:
        recipe: The recipe, with paths of this machine.
        folder: The folder of its files.
        remarks: What it does, where it writes, and what it reads outside of the folder.
        new: Whether the folder was made for it.
    """

    recipe: Recipe
    folder: Path
    remarks: tuple[str, ...]
    new: bool

    def remove(self) -> None:
        """Remove the unpacked files."""
        if self.new:
            remove_folder(self.folder, _RECIPE)


def unpack_job(given: Path, into: Path) -> Unpacked:
    """Read a job from a recipe file, or from an archive, which is unpacked into a new folder in `into`.

    Paths in the recipe that exist beside it become absolute.

    Raises:
        DataError: E316 for an archive that is corrupt or too large, E318 for one that is not of a job or
            holds links, devices or sparse files.
    """
    # An archive gets a folder of its own; a recipe that is a plain file is used where it is.
    new = given.name.endswith(_ENDINGS)
    if new:
        stem = next(given.name.removesuffix(end) for end in _ENDINGS if given.name.endswith(end))
        folder = next_free(into, stem or "job")
        _extract_archive(given, folder)
    else:
        folder = given.absolute().parent
    try:
        recipe = Recipe.read(folder / _RECIPE if new else given)

        def make_absolute(text: str) -> str:
            # Only texts with a slash are taken for paths: a plain word such as `train` may also be the name
            # of a folder.
            beside = "/" in text and "\0" not in text and (folder / text).exists()
            return str(folder / text) if beside else text

        recipe = replace(recipe, params=map_texts(recipe.params, make_absolute))
        recipe, remarks = _confine_job(recipe, folder)
    # Whatever is wrong with the recipe, nothing of the archive is left behind.
    except EngineError:
        if new:
            remove_folder(folder, _RECIPE)
        raise
    return Unpacked(recipe, folder, remarks, new)


def _confine_job(recipe: Recipe, folder: Path) -> tuple[Recipe, tuple[str, ...]]:
    """Return the job as it writes to its run folder alone, and remarks on that."""
    # The recipe is somebody else's: it may write into the run folder only, and reads elsewhere are shown.
    fields = {field.name: field for field in describe_fields(find_operation(recipe.task).spec_type)}
    params = dict(recipe.params)
    remarks = [f"{recipe.task}: {recipe.title}", "writes to its run folder alone"]
    if executor := params.pop("executor", ""):
        remarks.append(f"  here, not by executor = {executor}")
    # What is no text is left as it is: reading the spec refuses it by its type.
    written = {
        name: value
        for name, value in params.items()
        if name in fields and fields[name].arg.writes and isinstance(value, str)
    }
    # Step 1: outputs get their last name inside the run folder, or the name of their parameter.
    taken: set[str] = set()
    for name, value in written.items():
        last = Path(value).name
        params[name] = INSIDE + (name if last in ("", "..") or last in taken else last)
        taken.add(last)
        if value != last:
            remarks.append(f"  {option_name(fields[name])} {params[name]}, not {value}")
    # Step 2: list what is read from outside of the folder.
    for key, text in iterate_texts({name: value for name, value in params.items() if name not in written}):
        field, path = fields.get(key.partition(".")[0]), Path(text).expanduser()
        # Fields that are references or paths count even if they are relative, since they name data of this
        # machine.
        is_path = field is not None and (field.kind is Path or bool(field.arg.ref) or key.startswith("data."))
        here = path.is_absolute() and path.resolve().is_relative_to(folder.resolve())
        if (is_path or path.is_absolute()) and not here:
            remarks.append(f"reads {key} = {text}, which is not in the archive")
    return replace(recipe, params=params), tuple(remarks)


def _max_unpacked_bytes(archive: Path) -> int:
    """Return how many bytes an archive may unpack to: more than those of any job, less than what fills a
    disk.
    """
    # A hundred times the compressed size, plus 64 MiB for small archives.
    return 100 * archive.stat().st_size + 2**26


class _LimitedReader:
    """A file that ends with an error where more is read of it than is allowed: neither what is unpacked nor
    what describes it can be larger."""

    def __init__(self, file: GzipFile, most: int) -> None:
        self._file, self._left = file, most

    # The protocol of `tarfile` for streams: it asks for nothing but `read`.
    def read(self, count: int) -> bytes:
        try:
            # One byte more than is allowed, to notice that there is more.
            data = self._file.read(min(count, self._left + 1))
        except BadGzipFile as error:  # an OSError, which would blame the folder
            raise tarfile.ReadError(str(error)) from error
        self._left -= len(data)
        if self._left < 0:
            raise _TooLargeError
        return data


class _TooLargeError(Exception):
    pass


def _extract_archive(archive: Path, folder: Path) -> None:
    try:
        most = _max_unpacked_bytes(archive)
        with GzipFile(archive) as raw, atomic_folder(folder, _RECIPE) as draft:
            limited: Any = _LimitedReader(raw, most)
            # "r|" reads a stream from front to back, so nothing is read twice and the limit counts
            # everything.
            with tarfile.open(fileobj=limited, mode="r|") as file:
                for number, member in enumerate(file):
                    # The size in the header is checked before anything of the member is written.
                    if number >= _MOST_FILES or member.size > most:
                        raise _TooLargeError
                    _write_member(file, member, draft, archive)
            # Without a recipe it is some other archive; the draft is removed by `atomic_folder`.
            if not (draft / _RECIPE).is_file():
                raise DataError("this is not a job archive", path=archive, code="E318", remedy=_PACKED)
    except _TooLargeError:
        what = f"the archive unpacks to more than {format_bytes(most)} or {_MOST_FILES:,} files"
        remedy = "Unpack it yourself, if you trust it."
        raise DataError(what, path=archive, code="E316", remedy=remedy) from None
    except (tarfile.TarError, EOFError, zlib.error, ValueError) as error:
        raise DataError("the archive is corrupt", path=archive, code="E316", remedy=_PACKED) from error
    except OSError as error:
        raise file_error(error, archive, "read") from error


def _write_member(file: tarfile.TarFile, member: tarfile.TarInfo, draft: Path, archive: Path) -> None:
    # The holes of a sparse file take no room in the archive: their size is not limited by what is read of it.
    name, sparse = PurePosixPath(member.name), member.issparse()
    usual = (member.isfile() or member.isdir()) and not sparse
    # Names are checked before the path is built, because the first folder of the name is dropped below.
    if not usual or name.is_absolute() or ".." in name.parts:
        link = member.islnk() or member.issym()
        kind = "a link" if link else "a sparse file" if sparse else "a device"
        what = f"the archive holds {'a file elsewhere' if usual else kind}: {member.name!r}"
        raise DataError(what, path=archive, code="E318", remedy=_PACKED)
    # The outermost folder is the name of the archive.
    path = draft.joinpath(*name.parts[1:])
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    source = file.extractfile(member)
    assert source is not None
    # "x" refuses a second member of the same name, which could replace a checked file.
    with source, path.open("xb") as target:
        copyfileobj(source, target)
