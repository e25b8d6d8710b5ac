"""Locks of files and folders: changing a shared file, and being the only one to build in a folder."""

from __future__ import annotations

import errno
import fcntl
import math
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

from engines.core.errors import DataError, EngineError
from engines.core.files import file_error, remove_drafts, remove_drafts_of, resolve_link, write_bytes
from engines.core.system import home_folder

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
    path = resolve_link(Path(path))
    with hold_lock(path, wait_s=_PATIENCE_S):
        try:
            before = path.read_bytes()
        except FileNotFoundError:
            before = b""
        except OSError as error:
            raise file_error(error, path, "read") from error
        after = change(before)
        if after != before:
            remove_drafts_of(path)
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
