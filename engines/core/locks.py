"""Locks on files, held by one process at a time; the system lets go of them however a process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.core.errors import EngineError
from engines.core.files import file_error, sweep

__all__ = ["locked", "sole_builder"]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock beside a file that every change replaces; wait for it. Missing folders are made.

    Raises: DataError when the lock cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise file_error(error, path, "write") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def sole_builder(out: Path, *, code: str, lock: str = "build.lock", shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder that is being built; what killed builds left half written there is removed.

    Args: shared: held with others that each build a share; nothing is removed then.
    Raises: EngineError `code` when another has it.
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
            raise EngineError(
                "another build is at work in this folder",
                where=str(out),
                remedy="Wait for it, or stop it, or choose another --out.",
                code=code,
            ) from None
        if not shared:
            sweep(out)
        yield
