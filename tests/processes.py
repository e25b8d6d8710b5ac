"""Several processes at once, and processes that are killed at a write.

They are forked from a small process that has imported what they need and nothing else: what a fork takes
grows with the memory of the process that forks, and a worker of pytest holds thousands of tests and their
libraries. What is done there is sent to it, so it can be pickled, and sees the environment and folder of the
sender.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from workbench.folders import config_dir

MANY = 12
KILLED = -signal.SIGKILL
ROOT = Path(__file__).parents[1]

Act = Callable[[], object]


def run_at_once(acts: Iterable[Act]) -> list[int]:
    """Do all of it in as many processes, which begin together. Returns: their exit codes, in that order; the
    code of one that was killed is below 0."""
    return _ask_nursery(list(acts), 0, Path())


def run_until_write(act: Act, number: int, home: Path) -> int:
    """Do it in a process that is killed before it writes for the nth time; what a file below this home gets
    is torn in the middle, since the number counts syncing too. Returns: its exit code."""
    return _ask_nursery([act], number, home)[0]


def read_failures(home: Path) -> str:
    """What went wrong in the processes, whose home this is."""
    return "\n".join(path.read_text() for path in home.glob("failed-*"))


def _ask_nursery(acts: Sequence[Act], number: int, home: Path) -> list[int]:
    # What a process reads as it starts is the same for all that the nursery forks.
    nursery = _start_nursery(os.environ.get("PYTHONPATH"), os.environ.get("JOBS_TEST_TIMING"))
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    pickle.dump((dict(os.environ), str(Path.cwd()), acts, number, home), nursery.stdin)
    nursery.stdin.flush()
    codes: list[int] = pickle.load(nursery.stdout)
    return codes


@cache
def _start_nursery(*_read_at_start: str | None) -> subprocess.Popen[bytes]:
    """Start the process that forks; it ends with this one."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.processes"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def serve_forks() -> None:
    """Fork what is asked for until nobody can ask any more."""
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("r+b") as nothing:
        os.dup2(nothing.fileno(), 1)
        while asked.peek(1):
            environment, folder, acts, number, home = pickle.load(asked)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            gc.collect()
            gc.freeze()  # what a fork does not look at, it need not copy
            codes, imported = _fork_all(acts, number, home, nothing.fileno())
            pickle.dump(codes, answers)
            answers.flush()
            for name in imported:  # once here, and not in each fork
                with contextlib.suppress(Exception):
                    import_module(name)


def _fork_all(acts: Sequence[Act], number: int, home: Path, nothing: int) -> tuple[list[int], list[str]]:
    """Returns: the exit codes, and the modules that the first process has imported."""
    waiting, go = os.pipe()
    told, tell = os.pipe()
    known = set(sys.modules)
    processes = []

    def tell_imported() -> None:
        os.write(tell, "\n".join(sys.modules.keys() - known).encode()[: 2**15])

    for place, act in enumerate(acts):
        if process := os.fork():
            processes.append(process)
            continue
        code = 1
        try:
            os.dup2(nothing, 0)
            os.dup2(nothing, 2)
            os.close(go)
            os.read(waiting, 1)
            if number:
                _die_at(number, home, tell_imported)
            act()
            if place == 0:
                tell_imported()
            code = 0
        except BaseException:  # whatever it is, the other process goes on elsewhere
            with contextlib.suppress(OSError):
                (config_dir().parent / f"failed-{os.getpid()}").write_text(traceback.format_exc())
        finally:
            os._exit(code)
    for end in (go, waiting, tell):  # now they begin
        os.close(end)
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
    with open(told, encoding="utf-8") as names:
        return codes, names.read().split("\n")


WRITES = {f"os.{name}" for name in ("rename", "remove", "mkdir", "rmdir", "link", "symlink", "truncate")}
WRITES |= {"fcntl.flock", "subprocess.Popen"}


def _die_at(number: int, home: Path, last_words: Callable[[], None]) -> None:
    """Let this process be killed before it writes for the nth time, after its last words."""
    left = number

    def count() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            last_words()
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            if str(args[0]).startswith(str(home)):
                count()
        elif event in WRITES:
            count()

    sync = os.fsync

    def synced(descriptor: int) -> None:
        count()
        sync(descriptor)

    os.fsync = synced
    sys.addaudithook(hook)


if __name__ == "__main__":
    serve_forks()
