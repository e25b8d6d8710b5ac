"""Reading that is watched: what a reader takes from a file is hashed on the way, and progress is told.

So that a file of many gigabytes is read once where it is both checked and hashed.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from engines.core.events import Event, Sink, ignore
from engines.core.files import sha256

__all__ = ["Watch", "open_read", "watching"]

_STEP_BYTES = 8 * 2**20
_MIB = 2**20
_BUFFER_BYTES = 128 * 1024
"""As large as a chunk that is hashed at once is worth."""


class Watch:
    """What was read while it watched."""

    def __init__(self, total: int, events: Sink) -> None:
        self._digests: dict[Path, str] = {}
        self._reached: dict[Path, int] = {}
        self._total, self._events, self._told = total, events, 0

    def sha256(self, path: Path) -> str:
        """The SHA-256 of a file: as it was read, or read now where nobody took all of it, one byte after the
        other. Raises: DataError when it cannot be read."""
        return self._digests.get(path) or sha256(path)

    def _at(self, path: Path, place: int) -> None:
        self._reached[path] = max(self._reached.get(path, 0), place)
        done = min(sum(self._reached.values()), self._total)
        if done - self._told >= _STEP_BYTES:
            self._told = done
            mib = {"done": done // _MIB, "total": self._total // _MIB, "unit": "MiB"}
            self._events(Event("progress", mib))


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching(total: int, events: Sink = ignore) -> Iterator[Watch]:
    """Watch what is opened by `open_read` in the block. Args: total: bytes that are to be read.
    Events: progress in MiB, every eighth."""
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
        super().__init__(path, "rb")
        self._path, self._watch, self._hash, self._hashed = path, watch, hashlib.sha256(), 0

    def readinto(self, buffer: Any) -> int | None:
        place = self.tell() if self.seekable() else self._hashed
        count = super().readinto(buffer)
        if place == self._hashed and count is not None:
            self._hash.update(memoryview(buffer)[:count])
            self._hashed += count
            self._watch._at(self._path, self._hashed)
            if not count:
                self._watch._digests[self._path] = self._hash.hexdigest()
        return count
