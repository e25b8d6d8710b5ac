"""Files and folders that are written complete or not at all, and errors of the system explained.

The rule for what is there already: nothing that this program did not make is deleted or replaced. A folder
is ours when it holds a file of a name, its mark, that only we write into such folders. `refuse_other` asks
that; work that takes long calls it before it begins. Folders are made by `atomic_folder` and removed by
`remove_folder`, which both ask for the mark. The drafts of killed writers are removed by `remove_drafts` and
`remove_stale_drafts`, by names that only we give. Nothing else removes a folder that a user can name.

A file is replaced where the user has named it (`--out FILE`), but for one that the same work reads: the
specs say which paths are written (`Arg.writes`), and `Operation` refuses it. What we write next to a file
without being asked, such as `RUN.json`, goes through `write_note`, which replaces none but our own. A link
is followed: what it leads to is written, and the link stays.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar, overload

from engines.core.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")


_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.tmp")
"""The names that `atomic_writer` gives to files it has not finished."""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_FREE = "Free some space and run it again; finished parts are kept."
_KNOWN = (
    (_FULL, "E310", "the disk is full, or your quota is used up", _FREE),
    (_FORBIDDEN, "E311", "no permission to {doing} here", "Choose another place, or change the permissions."),
    ({errno.ENOENT}, "E312", "there is no such file or folder", "Check the name and the folder you are in."),
    ({errno.EISDIR}, "E313", "this is a folder, and a file is needed", "Name a file in it."),
    (
        {errno.EEXIST, errno.ENOTDIR},
        "E313",
        "a file is in the way where a folder is needed",
        "Choose another place, or move the file.",
    ),
)


def file_error(error: OSError, path: str | Path, doing: str) -> DataError:
    """Return the operating system's complaint about `path`, explained. `doing` is a verb: read, write,
    use.
    """
    if error.errno == errno.ENOENT and doing == "write":
        what = "nothing can be created here: the folder is gone or not writable"
        return DataError(what, path=path, code="E312", remedy="Choose another place.")
    for numbers, code, what, remedy in _KNOWN:
        if error.errno in numbers:
            return DataError(what.format(doing=doing), path=path, code=code, remedy=remedy)
    what = f"could not {doing} it: {error.strerror or error}"
    remedy = "Choose another place, or check this one."
    return DataError(what, path=path, code="E310", exit_code=2, remedy=remedy)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # Some network file systems refuse to sync a folder; the file itself has been synced by then.
        with contextlib.suppress(OSError) if path.is_dir() else contextlib.nullcontext():
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


@overload
def atomic_writer(
    path: str | Path, mode: Literal["w"] = "w"
) -> contextlib.AbstractContextManager[IO[str]]: ...


@overload
def atomic_writer(path: str | Path, mode: Literal["wb"]) -> contextlib.AbstractContextManager[IO[bytes]]: ...


@contextlib.contextmanager
def atomic_writer(path: str | Path, mode: Literal["w", "wb"] = "w") -> Iterator[IO[Any]]:
    """Yield a file that appears under `path` complete or not at all.

    What is written goes to a temporary file beside it, which is synced and renamed at the end of the block;
    when the block fails, it is removed and an older file stays as it was. Missing folders are made. What is
    no regular file (a pipe, /dev/stdout) is written to as it is.

    Raises:
        DataError: When the disk is full (E310), writing is not allowed (E311), or `path` is a folder (E313).
    """
    path = resolve_link(Path(path))
    # A pipe or a device cannot be replaced by a rename, so it is written to directly.
    if path.is_dir():
        raise file_error(IsADirectoryError(errno.EISDIR, ""), path, "write")
    if path.exists() and not path.is_file():
        try:
            with _open_draft(path, mode) as file:
                yield file
        except OSError as error:
            raise file_error(error, path, "write") from error
        return
    temporary = _draft_path(path)
    # Another process may clean up the draft between its creation and its lock; try again until it is ours.
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            file = _open_draft(temporary, mode.replace("w", "x"))
            if _is_claimed(file.fileno(), temporary):
                break
            file.close()
    except OSError as error:
        raise file_error(error, path, "write") from error
    try:
        with file:
            with contextlib.suppress(OSError):  # it replaces a file, and that one's permissions stay
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            yield file
            # Sync the data before the rename and the folder after it: a crash leaves the old file
            # or the new one.
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _FULL | _FORBIDDEN:
            raise file_error(error, path, "write") from error
        raise


def resolve_link(path: Path) -> Path:
    """Return what a link leads to, and any other path as it is."""
    return path.resolve() if path.is_symlink() else path


def _draft_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")


def _open_draft(path: Path, mode: str) -> IO[Any]:
    return path.open(mode) if "b" in mode else path.open(mode, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def atomic_folder(target: str | Path, mark: str | None) -> Iterator[Path]:
    """Yield a folder to fill that appears as `target` complete or not at all.

    It is a draft beside `target`. At the end of the block every file in it is synced and the draft takes the
    place of `target`. When the block fails, the draft is removed and the older folder stays as it was; what a
    killed process has left here is cleaned up.

    Args:
        mark: A file that is in every such folder, without which an older one is something else; an older one
            with it is replaced. None: an older folder stays, whatever it is.

    Raises:
        DataError: When it cannot be written, E310 when the disk is full, E452 for a folder of something else.
    """
    target, keep = resolve_link(Path(target)), mark is None
    # The lock of a draft tells other processes that its owner still lives.
    draft = _draft_path(target)
    old = draft.with_suffix(".old")
    lock = -1
    if mark is not None:
        refuse_other(target, mark)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _clean_up(target)
        lock = _claim_folder(draft)
        yield draft
        # Sync every file before the draft becomes visible under its final name.
        for path in draft.rglob("*"):
            _sync_folder(path)
        _sync_folder(draft)
        # A folder cannot be renamed over a full one: move the old one aside first, and back if the draft
        # fails.
        if target.is_dir() and not keep:
            target.rename(old)
        if not (keep and target.exists()):
            try:
                draft.rename(target)
            except OSError:
                if not (keep and target.is_dir()):  # else another process was there first
                    raise
        _sync_folder(target.parent)
    except OSError as error:
        failed_path = target if error.errno in _FULL else error.filename or target
        raise file_error(error, failed_path, "write") from error
    finally:
        # The old folder comes back if nothing has taken its place.
        if old.exists() and not target.exists():
            old.rename(target)
        for leftover in (draft, old):
            shutil.rmtree(leftover, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


def refuse_other(target: Path, mark: str) -> None:
    """Refuse a folder that holds something, but no file of the name `mark`: it would be lost.

    Raises:
        DataError: E452.
    """
    try:
        held = {one.name for one in target.iterdir()} if target.is_dir() else set()
    except OSError as error:
        raise file_error(error, target, "read") from error
    if held and mark not in held:
        what = "the folder holds other files, which would be lost"
        remedy = "Name a new folder, or remove this one yourself."
        raise DataError(what, path=target, code="E452", remedy=remedy)


def remove_folder(folder: Path, mark: str) -> None:
    """Remove a folder that was made with this mark; it is gone at once, not file by file.

    Raises:
        DataError: E452 for a folder of something else.
    """
    folder = resolve_link(folder)
    refuse_other(folder, mark)
    rubbish = _draft_path(folder)
    with contextlib.suppress(FileNotFoundError):
        folder.rename(rubbish)
    shutil.rmtree(rubbish, ignore_errors=True)


def copy_folder(source: Path, target: Path, mark: str | None) -> None:
    """Copy a folder so that the copy appears complete or not at all; see `atomic_folder`."""
    with atomic_folder(target, mark) as draft:
        # File by file: `copytree` goes on after a failure and hides which one it was.
        for each in sorted(source.rglob("*")):
            copied = draft / each.relative_to(source)
            if each.is_dir():
                copied.mkdir()
            else:
                shutil.copyfile(each, copied)


def _clean_up(target: Path) -> None:
    """Remove the drafts of killed processes, and finish or undo an exchange that was cut short."""
    left = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.(?:tmp|old)")
    for folder in target.parent.iterdir():
        if not left.fullmatch(folder.name) or not folder.is_dir():
            continue
        if folder.suffix == ".old" and not target.exists():
            folder.rename(target)
        elif folder.suffix == ".old":
            shutil.rmtree(folder, ignore_errors=True)
        else:
            remove_abandoned(folder)


def remove_drafts(folder: Path, *, below: bool = True) -> None:
    """Remove the temporary files that killed writers have left in a folder, and in those below it."""
    for path in (folder.rglob if below else folder.glob)(".*.tmp"):
        if _TEMPORARY.fullmatch(path.name) and path.is_file():
            remove_abandoned(path)


def remove_drafts_of(path: Path) -> None:
    """Remove the temporary files of one file that killed writers have left next to it."""
    for draft in path.parent.glob(f".{path.name}.*.tmp"):
        if _TEMPORARY.fullmatch(draft.name):
            remove_abandoned(draft)


def remove_stale_drafts(folder: Path, older_than_s: float = 0) -> None:
    """Remove the drafts of folders that killed writers have left in a folder.

    Args:
        folder: The folder to look in, not below.
        older_than_s: The age in seconds from which a draft is removed.
    """
    for path in folder.glob(".*.tmp"):
        if not _TEMPORARY.fullmatch(path.name) or not path.is_dir():
            continue
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime >= older_than_s:
                remove_abandoned(path)


def remove_abandoned(draft: Path) -> None:
    """Remove a draft, a file or a folder, unless a process is at work on it: that one holds its lock, and the
    system lets go of that however it ends. Whoever has just made a draft and not yet locked it sees that it
    went, and makes it anew."""
    with contextlib.suppress(OSError):
        descriptor = os.open(draft, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if draft.is_dir():
                shutil.rmtree(draft, ignore_errors=True)
            else:
                draft.unlink()
        finally:
            os.close(descriptor)


def _is_claimed(descriptor: int, draft: Path) -> bool:
    """Lock a new draft, and see whether it is still there."""
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(descriptor), draft.stat())
    except FileNotFoundError:
        return False


def _claim_folder(draft: Path) -> int:
    """Make a draft of a folder.

    Returns:
        What holds its lock.
    """
    while True:
        draft.mkdir()
        try:
            descriptor = os.open(draft, os.O_RDONLY)
        except FileNotFoundError:
            continue
        if _is_claimed(descriptor, draft):
            return descriptor
        os.close(descriptor)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, complete or not at all."""
    with atomic_writer(path) as file:
        file.write(text)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a binary file, complete or not at all."""
    with atomic_writer(path, "wb") as file:
        file.write(data)


def write_json(path: str | Path, value: object) -> None:
    """Write one JSON document atomically: indented, UTF-8, keys in the order given."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON Lines, whole or not at all."""
    with atomic_writer(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_note(path: Path, note: Mapping[str, object], mark: str) -> None:
    """Write a note that nobody has named, beside a file that somebody has.

    Args:
        mark: A key that every such note has, without which an older file is something else.

    Raises:
        DataError: E452 for a file of something else, which stays.
    """
    if path.exists():
        try:
            older = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            older = None
        if not isinstance(older, dict) or mark not in older:
            what = "this file is in the way of a note on what was written"
            raise DataError(
                what, path=path, code="E452", remedy="Move it, or choose another name with --out."
            )
    write_json(path, note)


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array as .npy, whole or not at all.

    Raises:
        DataError: E310 when the disk is full.
    """
    import numpy as np

    # numpy's own writer leaves out of its error why it failed.
    array = np.ascontiguousarray(array)
    with atomic_writer(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        file.write(array.data.cast("B") if array.size else b"")


def model_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a Hugging Face folder that make the model: config, tokenizer, weights."""
    kinds = (".json", ".model", ".safetensors", ".txt")
    return tuple(
        file for file in sorted(folder.glob("*")) if file.suffix in kinds and file.name != "training.json"
    )
