"""Jobs whose supervisors and workers are forked from a process that has imported what they need, which takes
longer than what most tests do with them.

`python -m tests.forked_jobs SOCKET MODULE,… ROOM` is that process; it imports the modules. It starts what it
is told to as `start_detached` does, and the processes of a job that are started by others are forked
likewise. All else starts as ever.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import psutil

from tests import conftest
from workbench.jobs import machine, timing

ROOT = Path(__file__).parents[1]
LAUNCHER = "accelerate.commands.launch"
PARTS = tuple(f"workbench.jobs.{name}" for name in ("supervisor", "worker", "scheduler"))
MODULES = (*PARTS, LAUNCHER)
TRAINING = ("torch._dynamo", "accelerate", "tiny", "engines.training.loop", *MODULES)
"""What jobs that train import; others import `PARTS` and their operations."""
_ROOM = "x" * 2**15
"""Fills what `/proc` shows of a process, so that what a fork is said to be has room there."""
HIGH = 500
"""The first of the descriptors that the process has for itself; lower ones are those that jobs are given."""


def start_forked(
    module: str,
    *arguments: str,
    pass_fds: tuple[int, ...] = (),
    imports: tuple[str, ...] = PARTS,
    **options: Any,
) -> None:
    """Start a module as `start_detached` does, from the process that has imported what it needs."""
    options["environment"] = dict(options.get("environment", os.environ))
    _, nursery = _start_nursery(options["environment"].get("PYTHONPATH", ""), imports)
    socket.send_fds(nursery, [pickle.dumps((module, arguments, pass_fds, options))], pass_fds)
    assert nursery.recv(1)


def mathwb(*words: object) -> subprocess.CompletedProcess[str]:
    """What the command prints, and its exit code; one that trains runs in a fork."""
    if words[0] != "train" and words[:2] != ("jobs", "run"):
        return conftest.mathwb(*words)
    children = str(Path(__file__).parent / "training" / "children")
    _, nursery = _start_nursery(os.environ.get("PYTHONPATH", children), TRAINING)
    nursery.send(pickle.dumps((dict(os.environ), str(Path.cwd()), list(map(str, words)))))
    done: subprocess.CompletedProcess[str] = pickle.loads(nursery.recv(2**20))
    return done


def end_forked() -> None:
    """Kill what is left of the jobs that were started."""
    for nursery in _NURSERIES:
        for process in psutil.Process(nursery.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.kill()


_NURSERIES: list[subprocess.Popen[bytes]] = []


@cache
def _start_nursery(path: str, imports: tuple[str, ...]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the process that forks, with a path on which it finds modules; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", "tests.forked_jobs", str(theirs.fileno()), ",".join(imports), _ROOM]
        environment = {**os.environ, "PYTHONPATH": path, "ROOM": _ROOM}
        nursery = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[theirs.fileno()])
    _NURSERIES.append(nursery)
    return nursery, ours


class _Forked(subprocess.Popen[bytes]):
    """A process of a job that is a fork of this one; any other is started as ever."""

    def _execute_child(self, args: Any, *options: Any) -> None:
        words = [word for word in args if word != "-u"] if isinstance(args, list | tuple) else []
        if words[:2] != [sys.executable, "-m"] or words[2] not in MODULES:
            super()._execute_child(args, *options)  # type: ignore[misc]
            return
        _, _, _, passed, folder, environment, _, _, _, *pipes, _, _, _, _, _, session, group = options
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self.pid = os.fork()
        if self.pid == 0:
            streams = pipes[0], pipes[3], pipes[5]
            _become(words[2], words[3:], streams, passed, folder, environment, session, group)
        self._child_created = True
        if group == 0:
            with contextlib.suppress(OSError):  # the fork has done it
                os.setpgid(self.pid, self.pid)
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def _become(
    module: str,
    arguments: list[str],
    streams: tuple[int, ...],
    passed: tuple[int, ...],
    folder: Path | None,
    environment: Mapping[str, str],
    session: bool,
    group: int,
) -> NoReturn:
    """Run a module with nothing of the process from which it was forked but what that has imported."""
    code: Any = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if session:
            os.setsid()
        elif group == 0:
            os.setpgid(0, 0)
        for target, stream in enumerate(streams):
            if stream >= 0:
                os.dup2(stream, target)
        for descriptor in {int(name) for name in os.listdir("/proc/self/fd")} - {0, 1, 2, *passed}:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
        os.chdir(folder or ".")
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [module, *arguments]
        _show_in_proc([sys.executable, "-m", module, *arguments], environment)
        for name, value in json.loads(environment.get("JOBS_TEST_TIMING", "{}")).items():
            setattr(timing, name, value)
        main = import_module(module).main
        code = main() if module == LAUNCHER else main(arguments)
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # whatever it is, this process does not go on as the other
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _show_in_proc(arguments: list[str], environment: Mapping[str, str]) -> None:
    """Let `/proc` show the arguments and the environment of a fork, by which the processes of a job are
    found: it shows the memory in which they stood when the process began, which the fork has inherited."""
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    marked = sorted(environment.items(), key=lambda item: item[0] != machine.MARK)
    arguments_at, arguments_end, environment_at, environment_end = map(int, stat[45:49])
    # Leading zeros: who reads arguments looks at the last ones.
    room = arguments_end - arguments_at
    shown = b"".join(f"{word}\0".encode() for word in arguments)[-room:].rjust(room, b"\0")
    ctypes.memmove(arguments_at, shown, room)
    room = environment_end - environment_at
    shown = b"".join(f"{name}={value}\0".encode() for name, value in marked)[:room].ljust(room, b"\0")
    ctypes.memmove(environment_at, shown, room)


def serve(asked: socket.socket, imports: list[str]) -> None:
    """Start what is asked for until nobody can ask any more."""
    subprocess.Popen = _Forked  # type: ignore[misc]
    for name in imports:
        import_module(name)
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, 2**20, 16)
        if not message:
            return
        request = pickle.loads(message)
        if len(request) == 3:
            _run_command(asked, *request)
            continue
        module, arguments, targets, options = request
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, HIGH) for descriptor in descriptors]
        for descriptor in descriptors:
            os.close(descriptor)
        for descriptor, target in zip(high, targets, strict=True):
            os.dup2(descriptor, target)
            os.close(descriptor)
        machine.start_detached(module, *arguments, pass_fds=targets, **options)
        for target in targets:
            os.close(target)
        asked.send(b"1")


def _run_command(asked: socket.socket, environment: dict[str, str], folder: str, words: list[str]) -> None:
    if process := os.fork():
        os.waitpid(process, 0)
        return
    try:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        asked.send(pickle.dumps(conftest.mathwb(*words)))
    finally:
        os._exit(0)


if __name__ == "__main__":
    here = fcntl.fcntl(int(sys.argv[1]), fcntl.F_DUPFD, HIGH)
    os.close(int(sys.argv[1]))
    serve(socket.socket(fileno=here), sys.argv[2].split(","))
