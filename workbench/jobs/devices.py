"""What this machine offers a job: processors and memory, as far as this process may use them."""

from __future__ import annotations

import contextlib
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))

_NETWORK = {
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "fhgfs",
    "fuse.sshfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "nfs",
    "nfs4",
}
_NETWORK |= {"fuse.glusterfs", "panfs", "smb3", "smbfs", "virtiofs", "wekafs"}


def memory_bytes() -> int:
    """All memory that jobs can have together: the machine's, or the container's limit when that is lower."""
    total = int(psutil.virtual_memory().total)
    for limit in _LIMITS:
        with contextlib.suppress(OSError, ValueError):
            total = min(total, int(limit.read_text(encoding="ascii")))
    return total


def is_network(path: Path) -> bool:
    """Whether the path lies on a network file system, where SQLite's WAL mode fails."""
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

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


_QUESTION = "index,uuid,name,memory.total,memory.free,utilization.gpu"


def gpus() -> list[Gpu]:
    """The NVIDIA cards of this machine, asked of the driver's own tool; none when there is no driver."""
    command = ["nvidia-smi", f"--query-gpu={_QUESTION}", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    found = []
    for line in answer.splitlines():
        # A value that a card does not tell is written [N/A].
        with contextlib.suppress(ValueError):
            index, uuid, name, total, free, busy = (part.strip() for part in line.split(","))
            use = int(busy) if busy.isdecimal() else 0
            found.append(Gpu(int(index), uuid, name, int(total) * 2**20, int(free) * 2**20, use))
    return found
