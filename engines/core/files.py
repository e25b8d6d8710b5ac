"""Files: atomic writes, streaming readers whose errors carry file and line, JSON Lines, locks."""

from __future__ import annotations

import contextlib
import csv
import errno
import fcntl
import io
import json
import math
import os
import random
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeVar, overload
from zlib import crc32

from engines.core.errors import DataError, EngineError, raise_error
from engines.core.events import Event, Sink, ignore
from engines.core.system import format_bytes, home_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")


def is_text(text: str) -> bool:
    """Return whether all of a text can be written as UTF-8.

    >>> is_text("\N{GRINNING FACE}"), is_text("\\ud83d")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# Files: atomic files and folders, streaming readers whose errors carry file and line, content hashes, safe
# text.
#
# The rule for what is there already: nothing that this program did not make is deleted or replaced. A folder
# is ours when it holds a file of a name, its mark, that only we write into such folders. `refuse_other` asks
# that; work that takes long calls it before it begins. Folders are made by `atomic_folder` and removed by
# `remove_folder`, which both ask for the mark, and what killed writers left is removed by `remove_drafts` and
# `sweep_folders`, by names that only we give. Nothing else removes a folder that a user can name.
#
# A file is replaced where the user has named it (`--out FILE`), but for one that the same work reads: the
# specs say which paths are written (`Arg.writes`), and `Operation` refuses it. What we write beside a file
# without being asked, such as `RUN.json`, goes through `write_note`, which replaces none but our own. A link
# is followed: what it leads to is written, and the link stays.

MAX_LINE_BYTES = 16 * 2**20
"""A longer line is refused: a reader must not need the whole of a corrupt file in memory."""
MAX_DOCUMENT_BYTES = 64 * 2**20
"""Of a line that may be a whole document, as notebooks and arrays of JSON are where a program wrote them."""

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.tmp")
"""The names that `atomic_writer` gives to files it has not finished."""

_FULL = {errno.ENOSPC, errno.EDQUOT}
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
    path = _resolve_link(Path(path))
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
                # Sync the data before the rename and the folder after it: a crash leaves the old file or the
                # new one.
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _FULL | _FORBIDDEN:
            raise file_error(error, path, "write") from error
        raise


def _resolve_link(path: Path) -> Path:
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
    target, keep = _resolve_link(Path(target)), mark is None
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
    folder = _resolve_link(folder)
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
            place = draft / each.relative_to(source)
            if each.is_dir():
                place.mkdir()
            else:
                shutil.copyfile(each, place)


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


def sweep_folders(folder: Path, older_than_s: float = 0) -> None:
    """Remove the drafts of folders that killed writers have left in a folder."""
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


def file_stamp(path: Path) -> tuple[int, int]:
    """Return when a file was written (nanoseconds) and its size (bytes), or zeros for a missing file.

    The pair is a cache key for what was computed from the file.
    """
    try:
        result = path.stat()
    except OSError:
        return (0, 0)
    return (result.st_mtime_ns, result.st_size)


def cache_by_file_state(
    most: int, state: Callable[[Path], Hashable] = file_stamp
) -> Callable[[Callable[[Path], T]], Callable[[Path], T]]:
    """Decorate a function of a path so that it runs again only when the `state` of that file has changed.

    Args:
        most: How many paths are cached.
        state: Returns what identifies the contents of a file.
    """

    def decorate(make: Callable[[Path], T]) -> Callable[[Path], T]:
        of_state = lru_cache(most)(lambda path, _state: make(path))
        return wraps(make)(lambda path: of_state(path, state(path)))

    return decorate


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        DataError: When the file cannot be read.
    """
    import hashlib

    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise file_error(error, path, "read") from error


def read_lines(
    path: str | Path,
    *,
    on_bad: Callable[[DataError], None] | None = None,
    longest: int = MAX_LINE_BYTES,
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text file, with their numbers from 1 and without line ends.

    Compressed files (gzip, by their first bytes, not by their name) are read through. A line that is
    not UTF-8, holds a NUL or has more than `longest` bytes is an error; with `on_bad` it is reported there
    instead, and the reading goes on after it.

    Raises:
        DataError: With path and line. A file that is empty (E314), binary (E315) or cut short (E316) is
            refused as a whole.
    """
    import gzip

    path = Path(path)
    try:
        with open_read(path) as raw:
            # Peeking leaves a pipe as it was, which cannot be wound back.
            compressed = raw.peek(2).startswith(b"\x1f\x8b")
            source: BinaryIO = gzip.GzipFile(fileobj=raw) if compressed else raw  # type: ignore[assignment]
            yield from _decode_lines(source, path, on_bad, longest)
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise DataError(
                "the compressed file is corrupt", path=path, code="E316", remedy="Download or copy it again."
            ) from error
        raise file_error(error, path, "read") from error


def whole_rows(lines: Iterable[tuple[int, str]], path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a JSON Lines file that are not empty.

    Raises:
        DataError: E316 where the file ends within the last, after the others.
    """
    last, held = 0, ""
    for number, line in lines:
        if line.strip():
            if held:
                yield last, held
            last, held = number, line
    if held.lstrip().startswith("{") and not held.rstrip().endswith("}"):
        remedy = "Copy the file again, or take the line out."
        raise DataError("the file ends within this line", path=path, line=last, code="E316", remedy=remedy)
    if held:
        yield last, held


def _decode_lines(
    stream: BinaryIO, path: Path, on_bad: Callable[[DataError], None] | None, longest: int
) -> Iterator[tuple[int, str]]:
    import zlib

    number = 0
    while True:
        try:
            line = stream.readline(longest + 1)
        except (EOFError, zlib.error) as error:
            what = "the compressed file ends too early or is corrupt"
            remedy = "Download or copy it again."
            raise DataError(what, path=path, line=number + 1, code="E316", remedy=remedy) from error
        if not line:
            break
        number += 1
        if number == 1:
            # Only the first line can hold a byte order mark, or show that the file is binary.
            refuse_binary(line, path)
            line = line.removeprefix(b"\xef\xbb\xbf")
        problem, hint = "", "Save the file as UTF-8 text."
        if len(line) > longest:
            problem, hint = (
                f"the line is longer than {format_bytes(longest)}",
                "Divide it into several lines.",
            )
            # Read on to the end of the line in pieces, so that a huge line never fills the memory.
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
        elif b"\0" in line:
            problem = "the line holds a NUL byte"
        else:
            try:
                text = line.rstrip(b"\r\n").decode("utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of the line is not UTF-8"
        if not problem:
            yield number, text
            continue
        bad = DataError(problem, path=path, line=number, code="E317", remedy=hint)
        if on_bad is None:
            raise bad
        on_bad(bad)
    if number == 0:
        raise DataError("the file is empty", path=path, code="E314", remedy="Name a file that is not empty.")


def refuse_binary(line: bytes, path: Path) -> None:
    """Raise DataError E315 for the beginning of a file that is UTF-16 or no text."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        remedy = "Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8"
        raise DataError("the text is UTF-16, and UTF-8 is needed", path=path, code="E315", remedy=remedy)
    if b"\0" in line[:4096]:
        remedy = "Name a UTF-8 text file."
        raise DataError("this is a binary file, and text is needed", path=path, code="E315", remedy=remedy)


def make_printable(text: str) -> str:
    """Return the text with nothing in it that a terminal would act upon.

    Control and format characters, bidirectional overrides and lone surrogates become visible escapes; line
    ends count as control characters.

    >>> make_printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    import unicodedata

    return "".join(
        char
        if char.isprintable() or unicodedata.category(char) == "Zs"
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )


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


class RepeatedKeyError(ValueError):
    """An object of JSON holds a key twice, so that one of its values would be lost."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON; an `object_pairs_hook`.

    Raises:
        RepeatedKeyError: If a key stands twice.
    """
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RepeatedKeyError(f"{key[:60]!r} stands twice in one object")
            seen.add(key)
    return result


def json_object(line: str) -> dict[str, Any]:
    """Return the object that a line holds.

    Raises:
        ValueError: With a message that says why there is none.

    >>> json_object('{"a": 1}')
    {'a': 1}
    >>> json_object('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    engines.core.files.RepeatedKeyError: 'a' stands twice in one object
    """
    try:
        result = json.loads(line, object_pairs_hook=unique_keys)
    except RepeatedKeyError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the line is not JSON: {error}") from error
    if not isinstance(result, dict):
        raise ValueError("the line is not a JSON object")
    return result


def json_objects(
    path: Path, *, remedy: str, on_bad: Callable[[DataError], None] = raise_error
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with their lines, in order; blank lines are passed over.

    Args:
        remedy: What lines should be.
        on_bad: What is done with the error of a line, if not to raise it; the line is left out then.

    Raises:
        DataError: E317 for a line that is no JSON object.
    """
    for number, line in read_lines(path, on_bad=on_bad):
        if not line.strip():
            continue
        try:
            row = json_object(line)
        except ValueError as error:
            on_bad(DataError(str(error), path=path, line=number, code="E317", remedy=remedy))
            continue
        yield number, row


def read_json_rows(
    path: Path, *keys: str, one_of: tuple[str, ...] = (), on_bad: Callable[[DataError], None] = raise_error
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their lines, in order; blank lines are passed over.

    Args:
        keys: The texts that each row must hold.
        one_of: Texts of which it must hold at least one.
        on_bad: What is done with the error of a line, if not to raise it; the line is left out then.

    Raises:
        DataError E317: for a line that is no JSON object, or lacks one of the keys.
    """
    wanted = [(*keys, other) for other in one_of] or [keys]
    shapes = ["{" + ", ".join(f'"{key}": "…"' for key in each) + "}" for each in wanted]
    remedy = f"Each line is {' or '.join(shapes)}."
    for number, row in json_objects(path, remedy=remedy, on_bad=on_bad):
        if what := _describe_missing_keys(row, keys, one_of):
            on_bad(DataError(what, path=path, line=number, code="E317", remedy=remedy))
        else:
            yield number, row


def _describe_missing_keys(row: Mapping[str, Any], keys: tuple[str, ...], one_of: tuple[str, ...]) -> str:
    """What a row lacks; "" for one that can be used."""
    for key in keys:
        if not isinstance(row.get(key), str):
            return f"the row has no text {key!r}"
    for key in (*keys, *one_of):
        if isinstance(text := row.get(key), str) and not is_text(text):
            return f"the text {key!r} holds half of a UTF-16 pair"
    if one_of and not any(isinstance(row.get(key), str) for key in one_of):
        return f"the row has neither a text {' nor '.join(map(repr, one_of))}"
    return ""


class CsvRow(NamedTuple):
    """A row of a table: the line that it begins on, how many lines it takes, its cells, and what is wrong
    where it is none."""

    line: int
    lines: int
    cells: list[str]
    wrong: str = ""


def csv_rows(
    lines: Iterable[tuple[int, str]], delimiter: str = ",", *, strict: bool = False
) -> Iterator[CsvRow]:
    """Yield the rows of numbered lines; a cell in quotes may go on over several, and is wrong where it
    reaches the end.

    Args:
        strict: A stray quote is wrong, and no character.
    """
    # The limit is one for the whole process.
    csv.field_size_limit(MAX_LINE_BYTES)
    seen: list[int] = []
    taken: list[str] = []

    def counted() -> Iterator[str]:
        for number, line in lines:
            seen.append(number)
            taken.append(line + "\n")
            yield taken[-1]

    result = csv.reader(counted(), delimiter=delimiter, strict=strict)
    while True:
        before, wrong = result.line_num, ""
        taken.clear()
        try:
            cells = next(result, None)
            if not strict and len(taken) > 1 and _is_open(taken, delimiter):
                cells, wrong = [], "a quote is not closed"
        except csv.Error as error:
            cells, wrong = [], str(error)
        if cells is None:
            return
        yield CsvRow(seen[before] if before < len(seen) else 0, result.line_num - before, cells, wrong)


def _is_open(row: Sequence[str], delimiter: str) -> bool:
    """Return whether a quote of a row is still open at its end."""
    try:
        return next(csv.reader(row, delimiter=delimiter, strict=True), None) is None
    except csv.Error as error:
        return "end of data" in str(error)


def csv_cells(line: str, delimiter: str = ",") -> list[str]:
    """Return the cells of one line, as of a head."""
    return next(csv.reader([line], delimiter=delimiter), [])


_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EBADF}
_PATIENCE_S = 30.0
"""So long one update waits for others, which take milliseconds."""


def update(path: str | Path, change: Callable[[bytes], bytes]) -> bytes:
    """Change a file that other processes may be changing: lock it, read it, write what `change` makes of it.

    Every file that is read in order to be written again goes through here (`tests/test_layers.py` sees to
    that). The lock is held while `change` runs, so what takes long is done before. When `change` raises or
    returns what it was given, nothing is written. Missing folders are made.

    Args:
        change: Makes the new bytes of the file from those that it holds; none where there is no file.

    Returns:
        The bytes that the file holds now.

    Raises:
        DataError: When it cannot be read or written, E461 where nothing can be locked, E462 when another
            process keeps the file locked; what `change` raises.
    """
    path = _resolve_link(Path(path))
    with hold_lock(path, wait_s=_PATIENCE_S):
        try:
            before = path.read_bytes()
        except FileNotFoundError:
            before = b""
        except OSError as error:
            raise file_error(error, path, "read") from error
        after = change(before)
        if after != before:
            for draft in path.parent.glob(f".{path.name}.*.tmp"):  # of writers that were killed
                if _TEMPORARY.fullmatch(draft.name):
                    remove_abandoned(draft)
            write_bytes(path, after)
    return after


@contextmanager
def hold_lock(path: Path, wait_s: float = math.inf) -> Iterator[None]:
    """Hold the lock beside a file that every change replaces; wait for it. Missing folders are made.

    The system lets go of it however the process ends. The lock's own file stays: to remove it safely, all
    who wait for it would have to see that at once, which file servers do not promise.

    Raises:
        DataError: When the lock cannot be written, E461 where nothing can be locked, E462 when another
            process holds it for longer than `wait_s`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _lock_beside(path, wait_s)
    except OSError as error:
        raise file_error(error, path, "write") from error
    try:
        yield
    finally:
        os.close(descriptor)


def _lock_beside(path: Path, wait_s: float) -> int:
    """Return the open and locked file beside `path`. Where the file system has no locks, one in the user's
    state folder stands for it, which holds among the processes of one machine.
    """
    descriptor = _open_lock(path.with_suffix(".lock"))
    if _try_flock(descriptor, path, wait_s):
        return descriptor
    os.close(descriptor)
    here = home_folder("state") / "locks" / f"{crc32(str(path.resolve()).encode()):08x}"
    here.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _open_lock(here)
    if _try_flock(descriptor, path, wait_s):
        return descriptor
    os.close(descriptor)
    what = "the file systems of this file and of the state folder have no locks, so a change could be lost"
    remedy = f"Set MATHWB_HOME to a folder on a local disk; the state folder is {home_folder('state')}."
    raise DataError(what, path=path, code="E461", remedy=remedy)


def _open_lock(lock: Path) -> int:
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        if not lock.exists():
            raise
        return os.open(lock, os.O_RDONLY)  # another user's: to read it is enough to lock it


def _try_flock(descriptor: int, path: Path, wait_s: float) -> bool:
    """Lock an open file, waiting for those that hold it; False where there are no locks."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait_s == math.inf else fcntl.LOCK_NB))
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                what = f"another process has kept this file locked for {wait_s:.0f} s"
                remedy = "Let a suspended mathwb go on (fg), or end it."
                raise DataError(what, path=path, code="E462", remedy=remedy) from None
            time.sleep(random.uniform(0.002, 0.02))
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            os.close(descriptor)
            raise


@contextmanager
def sole_builder(out: Path, *, code: str, lock: str = "build.lock", shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder that is being built; what killed builds left half written there is removed.

    Args:
        shared: Held with others that each build a share; nothing is removed then.

    Raises:
        EngineError: `code` when another has it.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        file = (out / lock).open("a+")  # a shared lock on a file server needs a file that can be read
    except OSError as error:
        raise file_error(error, out, "write") from error
    with file:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            what = "another build is running in this folder"
            remedy = "Wait for it, or stop it, or choose another --out."
            raise EngineError(what, where=str(out), remedy=remedy, code=code) from None
        if not shared:
            remove_drafts(out)
        yield


# Reading that is hashed on the way, and reports its progress.
#
# So that a file of many gigabytes is read once where it is both checked and hashed.

_STEP_BYTES = 8 * 2**20
_MIB = 2**20
_BUFFER_BYTES = 128 * 1024
"""As large as a chunk that is hashed at once is worth."""


class Watch:
    """A record of the files read within a block: their SHA-256 and the progress so far."""

    def __init__(self, total: int, events: Sink) -> None:
        self._digests: dict[Path, str] = {}
        self._reached: dict[Path, int] = {}
        self._total, self._events, self._reported = total, events, 0

    def hash_file(self, path: Path) -> str:
        """Return the SHA-256 of a file: as it was read, or read now where nobody took all of it, one byte
        after the other.

        Raises:
            DataError: When it cannot be read.
        """
        return self._digests.get(path) or sha256(path)

    def _report_offset(self, path: Path, place: int) -> None:
        self._reached[path] = max(self._reached.get(path, 0), place)
        done = min(sum(self._reached.values()), self._total)
        if done - self._reported >= _STEP_BYTES:
            self._reported = done
            mib = {"done": done // _MIB, "total": self._total // _MIB, "unit": "MiB"}
            self._events(Event("progress", mib))


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watch_reads(total: int, events: Sink = ignore) -> Iterator[Watch]:
    """Watch what is opened by `open_read` in the block.

    Args:
        total: Bytes that are to be read.

    Events:
        Progress in MiB, every eighth.
    """
    watch = Watch(total, events)
    token = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(token)


def open_read(path: Path) -> io.BufferedReader:
    """Open a file for reading bytes. Raises: OSError."""
    watch = _WATCH.get()
    if watch is None:
        return path.open("rb")
    return io.BufferedReader(_Hashed(path, watch), _BUFFER_BYTES)


class _Hashed(io.FileIO):
    """A file whose bytes are hashed while they are read from its beginning to its end."""

    def __init__(self, path: Path, watch: Watch) -> None:
        import hashlib

        super().__init__(path, "rb")
        self._path, self._watch, self._hash, self._hashed = path, watch, hashlib.sha256(), 0

    def readinto(self, buffer: Any) -> int | None:
        place = self.tell() if self.seekable() else self._hashed
        count = super().readinto(buffer)
        if place == self._hashed and count is not None:
            self._hash.update(memoryview(buffer)[:count])
            self._hashed += count
            self._watch._report_offset(self._path, self._hashed)
            if not count:
                self._watch._digests[self._path] = self._hash.hexdigest()
        return count


def model_files(folder: Path) -> tuple[Path, ...]:
    """Return the files of a Hugging Face folder that make the model: config, tokenizer, weights."""
    kinds = (".json", ".model", ".safetensors", ".txt")
    return tuple(
        file for file in sorted(folder.glob("*")) if file.suffix in kinds and file.name != "training.json"
    )


@contextmanager
def readable_file(file: Path) -> Iterator[Path]:
    """Give a file that can be read more than once: the file itself, or for `-` a copy of standard input."""
    if str(file) != "-":
        yield file
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input"
        with copy.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        try:
            yield copy
        except DataError as error:
            error.where = error.where.replace(str(copy), "standard input")
            raise
