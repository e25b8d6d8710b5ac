"""The state of files: their hashes, computed while they are read where possible, and their stamps.

A file of many gigabytes is read once where it is both checked and hashed: what `open_read` opens within
`watch_reads` is hashed on the way, and its progress is reported.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar

from engines.core.events import Event, Sink, ignore
from engines.core.files import file_error

T = TypeVar("T")


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


# Progress is reported once for each step of this size, not for each block that is read.
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

    def _report_offset(self, path: Path, offset: int) -> None:
        self._reached[path] = max(self._reached.get(path, 0), offset)
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
        offset = self.tell() if self.seekable() else self._hashed
        count = super().readinto(buffer)
        if offset == self._hashed and count is not None:
            self._hash.update(memoryview(buffer)[:count])
            self._hashed += count
            self._watch._report_offset(self._path, self._hashed)
            if not count:
                self._watch._digests[self._path] = self._hash.hexdigest()
        return count
