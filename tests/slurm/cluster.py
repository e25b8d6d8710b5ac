"""A Slurm cluster of one machine on the loopback: munged, slurmctld and slurmd, in a folder of their own.

    python -m tests.slurm.cluster FOLDER     starts one, says how to use it, and keeps it until Ctrl-C

It needs slurm-wlm and munge (Debian's packages will do), and root, since slurmd starts work as other users.
There are neither cgroups nor accounting: processes are found by `proctrack/linuxproc`, and `sacct` answers
that accounting is disabled.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Cluster", "missing"]

TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")
KILL_WAIT_S = 5
PATIENCE_S = 30.0

CONF = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
KillWait={kill_wait}
OverTimeLimit=0
ReturnToService=2
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> list[str]:
    """What a cluster needs and is not here."""
    lacking = [tool for tool in TOOLS if shutil.which(tool, path=_path()) is None]
    return lacking if os.geteuid() == 0 else [*lacking, "root"]


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


class Cluster:
    """A running cluster; `environment` is what its users need."""

    def __init__(self, folder: Path, *, cpus: int = 2, nodes: int = 1) -> None:
        """Start it.

        Args: folder: on a path that everybody may enter, short enough for a socket. cpus: of each node.
        nodes: how many machines this one plays. Raises: RuntimeError when it does not come up.
        """
        self.folder = folder
        self.conf = folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.conf), "PATH": _path()}
        self._names = (
            [socket.gethostname().partition(".")[0]] if nodes == 1 else [f"n{i}" for i in range(nodes)]
        )
        ports = _free_ports(nodes + 1)
        host = socket.gethostname().partition(".")[0]
        lines = [
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory=4000"
            for name, port in zip(self._names, ports[1:], strict=True)
        ]
        for name in ("munge", "state", *(f"spool.{name}" for name in self._names)):
            (folder / name).mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        text = CONF.format(
            host=host, controller=ports[0], folder=folder, kill_wait=KILL_WAIT_S, nodes="\n".join(lines)
        )
        self.conf.write_text(text)
        try:
            self._start()
        except BaseException:
            self.end()
            raise

    def _start(self) -> None:
        munge = self.folder / "munge"
        key = munge / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        places = {
            "key-file": "key",
            "socket": "socket",
            "pid-file": "pid",
            "log-file": "log",
            "seed-file": "seed",
        }
        options = [f"--{name}={munge / place}" for name, place in places.items()]
        self.run("munged", *options, "--num-threads=10")
        self.run("slurmctld", "-c")
        for name in self._names:
            self.run("slurmd", "-N", name)
        deadline = time.monotonic() + PATIENCE_S
        while self.run("sinfo", "--noheader", "--format=%D %t") != f"{len(self._names)} idle":
            if time.monotonic() > deadline:
                logs = [path.read_text()[-2000:] for path in sorted(self.folder.glob("slurm*.log"))]
                raise RuntimeError("the cluster does not come up:\n" + "\n".join(logs))
            time.sleep(0.1)

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands. Returns: what it prints. Raises: RuntimeError when it fails."""
        done = subprocess.run(
            command,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
        return done.stdout.strip()

    def state(self, number: str) -> str:
        """What the cluster says of a job: `RUNNING None`; empty when it does not know it."""
        done = subprocess.run(
            ["squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T %r"],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def end(self) -> None:
        """End its work and its daemons."""
        if self._alive(self.folder / "slurmctld.pid"):
            subprocess.run(
                ["scancel", "--user=root", "--quiet"], env={**os.environ, **self.environment}, check=False
            )
            time.sleep(0.5)
        for pid in (
            *self.folder.glob("slurmd.*.pid"),
            self.folder / "slurmctld.pid",
            self.folder / "munge" / "pid",
        ):
            _end(pid)

    @staticmethod
    def _alive(pid: Path) -> bool:
        try:
            os.kill(int(pid.read_text()), 0)
        except (OSError, ValueError):
            return False
        return True


def _end(pid: Path) -> None:
    try:
        number = int(pid.read_text())
        os.kill(number, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            os.kill(number, 0)
            time.sleep(0.05)
        os.kill(number, signal.SIGKILL)
    except (OSError, ValueError):
        return


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def main(arguments: Sequence[str]) -> int:
    """Start a cluster and keep it until Ctrl-C."""
    lacking = missing()
    if lacking:
        sys.stderr.write(f"not here: {', '.join(lacking)}\n")
        return 3
    folder = Path(arguments[0]) if arguments else Path(tempfile.mkdtemp(prefix="slurm-"))
    cluster = Cluster(folder.absolute())
    print(f"export SLURM_CONF={cluster.conf}", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        cluster.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
