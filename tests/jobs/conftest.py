"""A workspace whose jobs run quickly, and ways to wait for them and to do them harm."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.forked_jobs import end_forked, start_forked
from workbench.jobs import control, job_registry, queue, scheduler, slurm, timing
from workbench.jobs.folder import Attempt, find_job
from workbench.jobs.job_views import JobView
from workbench.jobs.machine import MARK
from workbench.jobs.tail import EventTail, LoggedEvent
from workbench.operations import Operation, all_operations
from workbench.recipes import Recipe
from workbench.workspace import Workspace

CHILDREN = Path(__file__).parent / "children"
TIMING = {"HEARTBEAT_S": 0.1, "TICK_S": 0.05, "LOCK_WAIT_S": 2.0, "RESULT_RETRY_S": 20.0}
PATIENCE_S = 120.0


@dataclass
class Lab:
    """One workspace and its jobs."""

    workspace: Workspace

    @staticmethod
    def until(condition: Callable[[], Any], what: str = "") -> Any:
        """Wait for something to become true, and return it."""
        deadline, wait_s = time.monotonic() + PATIENCE_S, 0.01
        while not (found := condition()):
            assert time.monotonic() < deadline, f"waited in vain for {what or condition}"
            # Looking costs time that what is waited for needs too.
            time.sleep(wait_s := min(1.2 * wait_s, 0.04))
        return found

    @staticmethod
    def alive(pid: int) -> bool:
        """Whether a process runs, a zombie not counted."""
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def submit(self, task: str = "count", **params: Any) -> int:
        """Start a test task."""
        return control.submit_job(self.workspace, Recipe(f"test.{task}", f"test {task}", params, seed=7)).id

    def held(self, **params: Any) -> int:
        """Start the counting task and wait until it stands before item 3 of 6."""
        number = self.submit(n=6, hold=3, **params)
        self.wait(number, "running")
        self.until(lambda: self.view(number).done == 3, "item 3")
        return number

    def view(self, number: int) -> JobView:
        return job_registry.read_job(self.workspace, number)

    def attempt(self, number: int) -> Attempt:
        return find_job(self.workspace.runs, number).attempts()[-1]

    def events(self, number: int) -> list[LoggedEvent]:
        """What the last attempt has reported, oldest first."""
        return EventTail(self.attempt(number).events).read_events()

    def out(self, number: int) -> Path:
        return Path(self.view(number).out)

    def go(self, number: int) -> None:
        """Let a held task go on."""
        self.out(number).mkdir(parents=True, exist_ok=True)
        (self.out(number) / "go").touch()

    def wait(self, number: int, *states: str) -> JobView:
        """Wait for one of these states, or for the end; anything else that is terminal is a failure."""
        wanted = states or ("succeeded", "failed", "stopped", "lost")

        def there() -> JobView | None:
            view = self.view(number)
            assert view.live or view.state in wanted, view
            return view if view.state in wanted else None

        return self.until(there, f"job {number} to be {' or '.join(wanted)}")

    def supervisor(self, number: int) -> int:
        """The process number of the live supervisor."""

        def there() -> int:
            beat = self.attempt(number).read_heartbeat()
            return beat.supervisor.pid if beat and beat.supervisor.is_alive() else 0

        return self.until(there, "a supervisor")

    def worker(self, number: int) -> int:
        found = self.until(lambda: self.attempt(number).worker_process(), "a worker")
        return found.pid

    def processes(self) -> list[int]:
        """The numbers of the processes that the workspace's jobs have, supervisors or workers."""
        return [process.pid for process in processes_of(self.workspace.root)]

    def kill(self, pid: int) -> None:
        """-9, and wait until it is gone."""
        os.kill(pid, signal.SIGKILL)
        self.until(lambda: not self.alive(pid), f"the death of {pid}")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    hurry(monkeypatch)
    monkeypatch.setenv("MATHWB_WORKSPACE", str(tmp_path / "workspace"))
    made = Lab(Workspace.open())
    yield made
    end_all(tmp_path)


@pytest.fixture
def forked_jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fork supervisors, workers and keepers from a process that has imported what they need. How real ones
    start, live and are killed is tested in `test_kill`, `test_foreground` and `test_cluster`."""
    for module in (queue, scheduler):
        monkeypatch.setattr(module, "start_detached", start_forked)
    yield
    end_forked()


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short intervals here and in every process of a job, and the test tasks among the operations."""
    monkeypatch.setenv("PYTHONPATH", str(CHILDREN))
    monkeypatch.setenv("JOBS_TEST_TIMING", json.dumps(TIMING))
    for name, value in TIMING.items():
        monkeypatch.setattr(timing, name, value)
    row = Operation("test.count", "count", "fake_tasks:count", "fake_tasks:Fake")
    monkeypatch.setitem(all_operations(), "test.count", row)


def processes_of(place: Path) -> Iterator[psutil.Process]:
    """The processes of jobs below a folder, and those that were started with its name."""
    for process in psutil.process_iter():
        try:
            mark = process.environ().get(MARK, "")
            command = " ".join(process.cmdline())
            if process.pid != os.getpid() and (mark.startswith(str(place)) or str(place) in command):
                yield process
        except psutil.Error:
            continue


def end_all(place: Path) -> None:
    """Leave no process behind, whatever a test has done."""
    while processes := list(processes_of(place)):  # one may have started another before it was killed
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.kill()


SLURM = """#!/bin/sh
# One of Slurm's commands: says what the test has written down, and remembers how it was asked.
here={here}
name=$(basename "$0")
printf '%s\\n' "$name" "$@" --- >> "$here/asked"
if [ "$name" = sbatch ] && [ ! -e "$here/sbatch.err" ]; then
    cat > "$here/script"
    [ -e "$here/hold" ] || SLURM_JOB_ID=71 setsid sh "$here/script" > "$here/script.log" 2>&1 &
fi
[ "$name" != scancel ] || echo '71|CANCELLED|None' > "$here/squeue.out"
cat "$here/$name.out"
if [ -e "$here/$name.err" ]; then cat "$here/$name.err" >&2; exit 1; fi
"""


class Played:
    """A cluster that is played by a script: its job is number 71, and it says what it is told to say."""

    def __init__(self, here: Path) -> None:
        self._here = here
        for name in ("sbatch", "squeue", "sacct", "scancel", "scontrol"):
            tool = here / name
            tool.write_text(SLURM.format(here=here))
            tool.chmod(0o755)
            self.says(name)
        self.says("sbatch", "71")
        self.says("squeue", "71|RUNNING|None")
        self.says("sacct", error="Slurm accounting storage is disabled")

    def says(self, name: str, words: str = "", *, error: str = "") -> None:
        """What a command prints, or how it fails."""
        slurm.forget_states()
        (self._here / f"{name}.out").write_text(words)
        (self._here / f"{name}.err").unlink(missing_ok=True)
        if error:
            (self._here / f"{name}.err").write_text(error)

    def hold(self) -> None:
        """Start nothing."""
        (self._here / "hold").touch()

    def asked(self, name: str) -> list[list[str]]:
        """How a command was called."""
        calls = (self._here / "asked").read_text().split("---\n")
        return [call.split("\n")[1:-1] for call in calls if call.startswith(f"{name}\n")]


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Slurm's commands, played by a script."""
    here = tmp_path / "slurm"
    here.mkdir()
    monkeypatch.setenv("PATH", f"{here}{os.pathsep}{os.environ['PATH']}")
    return Played(here)


@pytest.fixture(scope="session")
def whole() -> dict[str, Any]:
    """What the counting task of `Lab.held` returns when nothing happens to it."""
    import hashlib

    content = b"".join(f"7:{number}".encode() for number in range(6))
    return {"items": 6, "sha256": hashlib.sha256(content).hexdigest()}
