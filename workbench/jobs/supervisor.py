"""The supervisor of one attempt: starts the worker, says that it lives, passes requests on, records the end.

`python -m workbench.jobs.supervisor RUN_DIR` takes the last attempt of a run. An attempt that has a live
worker already (its first supervisor was killed) is adopted: the new supervisor watches the worker by its
identity, and the worker's own account of its end becomes the result, since only a parent can have the exit
code. A worker that loses its supervisor carries on.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import psutil

from engines.core.errors import EngineError
from engines.core.events import Event, Sink
from engines.core.system import format_bytes
from engines.core.text import make_printable
from workbench.jobs import timing
from workbench.jobs.attempt_state import ending_without_exit_code
from workbench.jobs.early_stopping import why_stop_early
from workbench.jobs.folder import Attempt, Ending, Heartbeat, Job
from workbench.jobs.machine import MARK, ProcessId, attempt_mark, kill_leftovers, memory_bytes
from workbench.jobs.placement import prepare_launch
from workbench.jobs.queue import Slots, leave_queue
from workbench.jobs.reporting import start_reporters
from workbench.jobs.scheduler import keep_queue
from workbench.jobs.tail import EventTail, last_lines

DISK_FULL = 74
"""Exit code of a worker that could not even write down how it ended."""

ORPHANED = 75
"""Exit code of a worker whose supervisor was gone before the work began."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2, signal.SIGCHLD)


class Signals:
    """Turns signals into something to wait for: Python's handlers only count, and a pipe wakes the waiting
    thread.
    """

    def __init__(self) -> None:
        self.stops = 0
        # Counts and not flags: a second Ctrl-C means something else than the first.
        self.interrupts = 0
        self.warnings = 0
        # Python's own handlers run between bytecodes of the main thread; a byte in this pair ends `select` at
        # once.
        self._read, self._write = socket.socketpair()
        self._before: dict[signal.Signals, object] = {}
        self._wakeup = -1

    def __enter__(self) -> Signals:
        # Neither end may block: a full buffer must not stop a handler, and `wait` reads whatever has come.
        self._read.setblocking(False)
        self._write.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        # SIGCHLD is among them only to wake the loop when the worker has ended; its handler counts nothing.
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._note_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal returned
        signal.set_wakeup_fd(self._wakeup)
        self._read.close()
        self._write.close()

    def _note_signal(self, number: int, _frame: FrameType | None) -> None:
        self.interrupts += number == signal.SIGINT
        self.warnings += number == signal.SIGUSR2
        self.stops += number in (signal.SIGTERM, signal.SIGHUP)

    def wait(self, timeout_s: float) -> None:
        """Return after a signal, or after a timeout."""
        select.select([self._read], [], [], max(0.0, timeout_s))
        # One read empties the pair of all signals so far; the counters, not the bytes, say which they were.
        with contextlib.suppress(BlockingIOError):
            self._read.recv(4096)


class Supervisor:
    """Watches over one attempt from its start, or from wherever it is, to its end."""

    def __init__(self, attempt: Attempt, *, sink: Sink | None = None, slots: Slots | None = None) -> None:
        """`sink`: who wants the worker's events as they come (a command in the foreground). `slots`: what
        of this machine it may use."""
        self.attempt = attempt
        self._sink = sink
        self._slots = slots or Slots()
        self._tail = EventTail(attempt.events)
        self._child: subprocess.Popen[bytes] | None = None
        self._status: int | None = None
        # The memory of the supervisor itself does not count; `rss_bytes` is that of the worker.
        self._beat = Heartbeat(0.0, ProcessId.of_this_process())
        self._delivered = ""
        # Whether the worker is our child itself. Behind a launcher it is a grandchild, and signals do not
        # reach it.
        self._direct = True
        self._reporters: list[subprocess.Popen[bytes]] = []
        # Device and inode of the folder: a folder that was removed and made again is not the same one.
        self._folder = _folder_identity(attempt.folder)

    def run(self) -> Ending | None:
        """Supervise the attempt to its end.

        Returns:
            How it ended, or None if another supervisor has it or its folder was removed.
        """
        # Whoever holds this lock may write the result, so it is held from here to the end.
        with self.attempt.hold_lock(timing.LOCK_WAIT_S) as mine:
            if not mine:
                return None
            # The attempt may have been settled while this process was starting.
            if (ending := self.attempt.read_result()) is not None:
                return ending
            with Signals() as signals:
                try:
                    # The start may fail in two ways; both are an end of the attempt, not of the supervisor.
                    begun = self._begin_attempt()
                except EngineError as error:
                    ending = Ending.of_error(error)
                except OSError as error:
                    reason = f"the worker could not be started: {error.strerror}"
                    ending = Ending("failed", reason, code="E624", ended=time.time())
                else:
                    # Reporters are optional: one that cannot be started must not fail the job.
                    with contextlib.suppress(OSError):
                        self._reporters = start_reporters(self.attempt) if begun else []
                    ending = self._watch_worker(signals) if begun else ending_without_exit_code(self.attempt)
                return None if self._is_folder_removed() else self._record_ending(ending, signals)

    def await_reporters(self) -> None:
        """Wait a while for reporters to pass on the end; on a cluster everything ends with this process."""
        deadline = time.monotonic() + timing.REPORTERS_WAIT_S
        for process in self._reporters:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))

    def _begin_attempt(self) -> bool:
        first = self.attempt.read_heartbeat() is None
        # Stopped before it began: nothing is started, and the end is recorded as such.
        if first and self.attempt.read_request():
            return False
        # The heartbeat comes before the entry leaves the queue, so that the attempt is always in one of both
        # states.
        self.attempt.write_heartbeat(replace(self._beat, t=time.time()))
        leave_queue(self.attempt)
        if first:
            self.attempt.reserve_space()
            self._start_worker()
            return True
        # There is a heartbeat but no child of ours: adopt the worker of an earlier supervisor, if it lives.
        worker = self.attempt.worker_process()
        return worker is not None and bool(worker.is_alive())

    def _start_worker(self) -> None:
        folder = self.attempt.folder.resolve()
        params: Mapping[str, Any] = {}
        with contextlib.suppress(EngineError):  # the worker will explain it
            params = Job(self.attempt.job, folder.parent).read_recipe().params
        made = prepare_launch(self.attempt, params, self._slots.cards)
        self._direct = made.direct
        ours = {"PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1", MARK: attempt_mark(folder)}
        # Later entries win: what the launch sets replaces the inherited value, and our own variables replace
        # both.
        environment = {**os.environ, **made.environment, **ours}
        with self.attempt.stdout.open("ab") as out, self.attempt.stderr.open("ab") as err:
            self._child = subprocess.Popen(
                made.command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder.parent,
                env=environment,
                # A group of its own, so that a kill reaches all that the worker has started, and Ctrl-C in
                # the terminal does not.
                process_group=0,
                # The worker inherits the slots, which stay taken until it ends even if the supervisor is
                # killed.
                pass_fds=self._slots.locks,
            )

    def _watch_worker(self, signals: Signals) -> Ending:
        next_beat = 0.0
        while True:
            # Asked before the log is read: events that the worker wrote just before its end are still passed
            # on.
            over = self._is_over()
            self._forward_events()
            if over:
                return self._find_ending(signals)
            if self._is_folder_removed():
                # Nobody could see what it does, and what it goes on to write would look like a lost job.
                self._signal_worker("kill")
            # Heartbeats are rare because they are writes; all other rounds look for requests.
            elif time.monotonic() >= next_beat:
                self._write_heartbeat()
                next_beat = time.monotonic() + timing.HEARTBEAT_S
            else:
                self._forward_requests(signals)
            signals.wait(min(timing.TICK_S, next_beat - time.monotonic()))

    def _is_folder_removed(self) -> bool:
        return _folder_identity(self.attempt.folder) != self._folder

    def _is_over(self) -> bool:
        # An adopted worker is not our child, so its exit code cannot be had.
        if self._child is None:
            worker = self.attempt.worker_process()
            return worker is None or not worker.is_alive()
        # Not Popen.poll: the resource use comes with the exit code only here.
        pid, status, usage = os.wait4(self._child.pid, os.WNOHANG)
        if pid == 0:
            return False
        self._status = self._child.returncode = os.waitstatus_to_exitcode(status)
        # macOS counts `ru_maxrss` in bytes, Linux in KiB.
        unit = 1 if sys.platform == "darwin" else 1024
        self._beat = replace(self._beat, peak_bytes=max(self._beat.peak_bytes, usage.ru_maxrss * unit))
        return True

    def _write_heartbeat(self) -> None:
        rss = self._measure_memory()
        peak = max(rss, self._beat.peak_bytes)
        self._beat = replace(self._beat, t=time.time(), rss_bytes=rss, peak_bytes=peak)
        # A full disk costs a heartbeat, not the job: readers then see a stale one for a while.
        with contextlib.suppress(OSError, EngineError):
            self.attempt.write_heartbeat(self._beat)
            # The median rule is applied at the pace of heartbeats, since it reads the logs of all members.
            if not self.attempt.read_request() and (why := why_stop_early(self.attempt)):
                self.attempt.request_end("stop", why)

    def _measure_memory(self) -> int:
        total = 0
        worker = self.attempt.worker_process()
        # Behind a launcher the child is the launcher, and the worker is among its descendants.
        pid = self._child.pid if self._child else worker.pid if worker else 0
        # Processes may end while they are listed; each that does is left out.
        with contextlib.suppress(psutil.Error):
            leader = psutil.Process(pid)
            for process in [leader, *leader.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += process.memory_info().rss
        return total

    def _forward_requests(self, signals: Signals) -> None:
        # What the folder requests, or a signal to this process, or Ctrl-C in the foreground.
        want = self.attempt.read_request()
        if not want and signals.stops:
            want = "stop"
        if signals.interrupts:
            # Ctrl-C is written down too, so that the result says that the user stopped the job.
            want = "kill" if signals.interrupts > 1 else want or "stop"
            with contextlib.suppress(OSError, EngineError):
                self.attempt.request_end(want)
        # A request is passed on once; only a kill may follow a stop.
        if want in ("", self._delivered):
            return
        self._delivered = want
        if not self._direct and want == "stop":
            # A signal would end the launcher between us and the worker, which finds the request by itself.
            with contextlib.suppress(OSError, EngineError):
                self.attempt.request_end(want)
            return
        self._signal_worker(want)

    def _signal_worker(self, want: str) -> None:
        worker = self.attempt.worker_process()
        number = signal.SIGKILL if want == "kill" else signal.SIGTERM
        if self._child is not None:
            # Not reaped yet, so the number is still that of our child.
            with contextlib.suppress(ProcessLookupError):
                # The child leads its group, so its number is also that of the group.
                if want == "kill":
                    os.killpg(self._child.pid, number)
                else:
                    os.kill(self._child.pid, number)
        elif worker is not None:
            worker.send_signal(number, group=want == "kill")

    def _forward_events(self) -> None:
        # Only a command in the foreground listens to the events.
        if self._sink is None:
            return
        for event in self._tail.read_events():
            self._sink(Event(event.kind, event.data, event.step))

    def _find_ending(self, signals: Signals) -> Ending:
        """Return how the attempt ended. The worker's own account comes first: its work was done when it gave
        it.
        """
        # Nothing that the worker started may go on writing into the folder once the result is recorded.
        kill_leftovers(self.attempt.folder)
        self._forward_events()
        # The log may be longer than one reading; everything is passed on before the end is reported.
        while self._tail.unread_bytes:
            self._forward_events()
        peak = self._beat.peak_bytes
        # The worker's own account, then what can be concluded without an exit code, then the exit code.
        outcome = self.attempt.read_outcome()
        if outcome is not None:
            return self._exit_of(replace(outcome, peak_bytes=max(peak, outcome.peak_bytes)))
        if self._status is None:
            return ending_without_exit_code(self.attempt)
        plain = Ending("failed", started=self.attempt.started_at(), ended=time.time(), peak_bytes=peak)
        return self._exit_of(self._without_account(plain, signals))

    def _exit_of(self, ending: Ending) -> Ending:
        status = self._status
        if status is None:
            return ending
        if status < 0:
            return replace(ending, signal=-status)
        return replace(ending, exit_code=status)

    def _without_account(self, plain: Ending, signals: Signals) -> Ending:
        """Return the end of a worker of ours that died without a word, from its exit code."""
        status = self._status or 0
        wanted = self.attempt.read_request()
        resume = f"mathwb jobs resume {self.attempt.job}"
        # A negative status is the number of the signal that ended the worker.
        if status < 0:
            if wanted == "kill":
                return replace(plain, state="stopped", reason="killed by you")
            if -status == signal.SIGTERM and (wanted or signals.stops):
                return replace(
                    plain, state="stopped", reason=f"{self.attempt.stop_reason()} before the work began"
                )
            # SIGKILL without a request is most often the kernel, which had no memory left; the reason gives
            # the figures.
            memory = f"peak {format_bytes(plain.peak_bytes)} of {format_bytes(memory_bytes())}"
            often = ", often memory" if -status == signal.SIGKILL else f" ({signal.strsignal(-status)})"
            reason = f"killed by signal {-status}{often}; {memory}"
            return replace(plain, reason=reason, remedy=f"Resume it: {resume}", code="E621")
        # A launcher ends with 1 and prints which of its processes was killed.
        if (number := self._killed_rank(status)) and wanted != "kill":
            reason = f"one of its processes was killed by signal {number}"
            reason += ", often memory" if number == signal.SIGKILL else ""
            return replace(plain, reason=reason, remedy=f"Resume it: {resume}", code="E621")
        if status == DISK_FULL:
            remedy = f"Free some space, then: {resume}"
            return replace(plain, reason=f"disk full: {self.attempt.folder}", remedy=remedy, code="E310")
        # The last line on stderr is usually the exception; it may contain control characters of a terminal.
        said = [make_printable(line)[:200] for line in last_lines(self.attempt.stderr, 20) if line.strip()]
        reason = f"the worker ended with exit code {status} and no result" + (f": {said[-1]}" if said else "")
        return replace(plain, reason=reason, remedy=f"See {self.attempt.stderr}", code="E622")

    def _killed_rank(self, status: int) -> int:
        """Return the signal that one of several processes was killed by, as their launcher says; 0 for
        none.
        """
        if self._direct or status != 1:
            return 0
        # The format is that of torchrun's report of failures.
        result = re.findall(r"exitcode\s*: -(\d+) ", "\n".join(last_lines(self.attempt.stderr, 60)))
        return int(result[-1]) if result else 0

    def _record_ending(self, ending: Ending, signals: Signals) -> Ending:
        """Write the result, however long a full disk takes to have room again."""
        deadline = time.monotonic() + timing.RESULT_RETRY_S
        while True:
            try:
                # On a file system without locks another may have been quicker.
                if (known := self.attempt.read_result()) is not None:
                    return known
                self.attempt.write_result(ending)
                return ending
            except (EngineError, OSError):
                if time.monotonic() > deadline:
                    raise
            # Any signal ends the wait early, but the loop only tries again.
            signals.wait(timing.TICK_S)


def _folder_identity(folder: Path) -> tuple[int, int] | None:
    try:
        result = folder.stat()
    except FileNotFoundError:
        return None
    return result.st_dev, result.st_ino


def main(arguments: list[str]) -> int:
    """Run the supervisor of one attempt: the command that `submit` and `reconcile` start."""
    folder = Path(arguments[0])
    # Both are empty for a supervisor that adopts a worker.
    locks, cards = (*arguments[1:], "", "")[:2]
    slots = Slots(tuple(map(int, filter(None, locks.split(",")))), tuple(filter(None, cards.split(","))))
    supervisor = Supervisor(Job(int(folder.name), folder).last_attempt(), slots=slots)
    supervisor.run()
    # The slots are free before the queue is asked, so that the next job finds them.
    slots.close()
    keep_queue(folder.parent)
    supervisor.await_reporters()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
