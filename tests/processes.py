"""Several processes at once, and processes that are killed at a write.

They are forked from this one, so that they all begin at the same moment, and nothing is imported in between.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from workbench.folders import config_dir

MANY = 12
KILLED = -signal.SIGKILL


def start_fork(act: Callable[[], None], prepare: Callable[[], None] = lambda: None) -> int:
    """Do it in a process of its own, after what prepares it. Returns: the number of the process."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        prepare()
        act()
        code = 0
    except BaseException:  # whatever it is, the other process goes on elsewhere
        with contextlib.suppress(OSError):
            (config_dir().parent / f"failed-{os.getpid()}").write_text(traceback.format_exc())
    finally:
        os._exit(code)


def await_exit(process: int) -> int:
    """Wait for the end of a process. Returns: its exit code, below 0 if it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def read_failures(home: Path) -> str:
    """What went wrong in the processes, whose home this is."""
    return "\n".join(path.read_text() for path in home.glob("failed-*"))


def run_at_once(acts: Iterable[Callable[[], None]]) -> list[int]:
    """Do all of it in as many processes, which begin together. Returns: their exit codes, in that order."""
    waiting, go = os.pipe()

    def wait() -> None:
        os.close(go)
        os.read(waiting, 1)

    processes = [start_fork(act, wait) for act in acts]
    os.close(go)  # now they begin
    os.close(waiting)
    return [await_exit(process) for process in processes]


WRITES = {f"os.{name}" for name in ("rename", "remove", "mkdir", "rmdir", "link", "symlink", "truncate")}
WRITES |= {"fcntl.flock", "subprocess.Popen"}


def die_at(number: int, home: Path) -> Callable[[], None]:
    """Let this process be killed before it writes for the nth time; what a file gets is torn in the middle,
    since the number counts syncing too."""
    left = number

    def count() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            if str(args[0]).startswith(str(home)):
                count()
        elif event in WRITES:
            count()

    def begin() -> None:
        sync = os.fsync

        def synced(descriptor: int) -> None:
            count()
            sync(descriptor)

        os.fsync = synced
        sys.addaudithook(hook)

    return begin
