"""This machine: its graphics cards, memory and file systems, and processes that are known again."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

# The limit of a container, in version 2 and version 1 of control groups.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))

_NETWORK_WORDS = """
9p afs beegfs ceph cifs fhgfs fuse.sshfs glusterfs gpfs lustre nfs nfs4 fuse.glusterfs panfs smb3 smbfs
virtiofs wekafs
"""
_NETWORK = frozenset(_NETWORK_WORDS.split())


def memory_bytes() -> int:
    """Return the memory that all jobs can have together: the machine's, or the container's limit if it is
    lower.
    """
    total = int(psutil.virtual_memory().total)
    # The file may be missing, or contain the word "max".
    for limit in _LIMITS:
        with contextlib.suppress(OSError, ValueError):
            total = min(total, int(limit.read_text(encoding="ascii")))
    return total


def is_network(path: Path) -> bool:
    """Return whether a path is on a network file system, where SQLite's WAL mode fails."""
    # The last mount with the longest path wins, since a later mount hides an earlier one at the same point.
    path = path.resolve()
    best, kind = -1, ""
    for part in psutil.disk_partitions(all=True):
        mount = Path(part.mountpoint)
        if path.is_relative_to(mount) and len(mount.parts) >= best:
            best, kind = len(mount.parts), part.fstype
    return kind.lower() in _NETWORK


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics card: memory in bytes, `busy` its use in percent."""

    index: int
    uuid: str
    name: str
    total_bytes: int
    free_bytes: int
    busy: int


_QUESTION = "index,uuid,name,memory.total,memory.free,utilization.gpu"


def list_gpus() -> list[Gpu]:
    """List the NVIDIA cards of this machine, as the driver's tool reports them; none if there is no
    driver.
    """
    command = ["nvidia-smi", f"--query-gpu={_QUESTION}", "--format=csv,noheader,nounits"]
    try:
        # The first call after a start of the machine can take many seconds, until the driver is loaded.
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    result = []
    for line in answer.splitlines():
        # A value that a card does not tell is written [N/A].
        with contextlib.suppress(ValueError):
            index, uuid, name, total, free, busy = (part.strip() for part in line.split(","))
            use = int(busy) if busy.isdecimal() else 0
            # The tool counts in MiB when it prints no units.
            result.append(Gpu(int(index), uuid, name, int(total) * 2**20, int(free) * 2**20, use))
    return result


# Processes
MARK = "MATHWB_ATTEMPT"
"""Environment variable of a worker and everything it starts: the folder of its attempt."""


@functools.cache
def _host_name() -> str:
    return socket.gethostname()


@functools.cache
def _boot_id() -> str:
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    with contextlib.suppress(OSError, subprocess.SubprocessError):  # macOS
        asked = ["sysctl", "-n", "kern.bootsessionuuid"]
        return subprocess.run(asked, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    # Neither exists: the time of the boot, rounded because it is computed from the clock.
    return str(round(psutil.boot_time()))


def _start_ticks(pid: int) -> int | None:
    """When the process began, in clock ticks since the machine did; None when it is gone or only its exit
    code is left. Ticks, since the wall-clock time of a start shifts whenever the clock is set."""
    try:
        # The second field is the name in parentheses and may contain anything, so the fields are counted from
        # the last parenthesis: the state is the first, the start time the twentieth.
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
        return None if fields[0] in "ZX" else int(fields[19])
    except FileNotFoundError:
        # The process is gone. Without any /proc, as on macOS, psutil is asked instead.
        if Path("/proc/self/stat").exists():
            return None
    except (OSError, IndexError, ValueError):
        return None
    try:
        process = psutil.Process(pid)
        # Hundredths of a second, so that the value is an integer like the ticks.
        return None if process.status() == psutil.STATUS_ZOMBIE else round(process.create_time() * 100)
    except psutil.Error:
        return None


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process of a machine since one start of that machine; the number alone would come again."""

    host: str
    boot: str
    pid: int
    start: int

    @classmethod
    def of_this_process(cls) -> ProcessId:
        """Return the identity of this process."""
        return cls(_host_name(), _boot_id(), os.getpid(), _start_ticks(os.getpid()) or 0)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> ProcessId:
        """Read the process of a document; other keys are ignored."""
        return cls(str(document["host"]), str(document["boot"]), int(document["pid"]), int(document["start"]))

    @property
    def here(self) -> bool:
        """Whether it belongs to this machine, in this boot or an earlier one."""
        # A Mac takes its name from the network. Containers share a boot, and each has its own processes.
        return self.host == _host_name() or (sys.platform == "darwin" and self.boot == _boot_id())

    @property
    def before_restart(self) -> bool:
        """Whether this machine has been restarted since."""
        return self.here and self.boot != _boot_id()

    def is_alive(self) -> bool | None:
        """Return whether it still runs; None on another machine, where only its heartbeat shows that."""
        if not self.here:
            return None
        return self.boot == _boot_id() and _start_ticks(self.pid) == self.start

    def send_signal(self, number: signal.Signals, *, group: bool = False) -> bool:
        """Signal this process (or the group that it leads), and never a later process with its number.

        Returns:
            Whether it was there to be signalled.
        """
        # Handle first, identity after: so the two cannot be about different processes.
        handle = -1
        if hasattr(os, "pidfd_open"):
            # Not every kernel and container has it; without, a window of microseconds stays.
            with contextlib.suppress(OSError):
                handle = os.pidfd_open(self.pid)
        try:
            # The handle refers to whoever has the number now; this check makes sure that it is the right one.
            if not self.is_alive():
                return False
            if group:
                # There is no handle for a group; while its leader lives, the number of the group cannot be
                # reused.
                os.killpg(self.pid, number)
            elif handle >= 0:
                signal.pidfd_send_signal(handle, number)
            else:
                os.kill(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        finally:
            if handle >= 0:
                os.close(handle)
        return True


def start_detached(
    module: str,
    *arguments: str,
    cwd: Path = Path("/"),
    log: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    pass_fds: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start `python -m module` in its own session, out of reach of what happens to this process."""
    # A supervisor or keeper is not part of the attempt that starts it, and must survive `kill_leftovers`.
    ours = {name: value for name, value in environment.items() if name != MARK}
    with (log or Path(os.devnull)).open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=cwd,
            env=ours | {"PYTHONSAFEPATH": "1"},
            # Away from the terminal: closing it sends no SIGHUP to the new process.
            start_new_session=True,
            pass_fds=pass_fds,
        )
    # As long as this process lives it is the parent: it takes the exit code, or a zombie would stay.
    threading.Thread(target=process.wait, daemon=True).start()
    return process


def attempt_mark(attempt: Path) -> str:
    """Return the value of `MARK` for an attempt."""
    return str(attempt.resolve())


def kill_leftovers(attempt: Path) -> int:
    """Kill what a dead worker has left: every process with the mark of its attempt.

    Returns:
        The number of processes.
    """
    killed, wanted = 0, attempt_mark(attempt)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            # Other users' environments cannot be read, and their processes are not ours.
            if process.pid != os.getpid() and process.environ().get(MARK) == wanted:
                process.kill()
                killed += 1
    return killed
