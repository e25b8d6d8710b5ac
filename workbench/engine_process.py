"""The engine process: one warm child that answers interactive questions, so that the screens stay light.

The parent writes JSON lines `{"id", "task", "params"}` and `{"stop": id}`; the child answers
`{"id", "event"}` and, once per call, `{"id", "result"}` or `{"id", "error"}`. Calls run one after the
other. A call that does not heed a stop is ended with the child; the next call starts a new one.
`python -m workbench.engine_process` is the child.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, ignore
from workbench.errors import explain, from_dict
from workbench.folders import state_dir
from workbench.operations import find_operation, to_json

_CHILD = (sys.executable, "-m", "workbench.engine_process")


@dataclass(frozen=True, slots=True)
class CallResult:
    """The last item of a call: what the task returned."""

    value: dict[str, Any]


class Call:
    """A call of a task: iterate over it (`async for`) for events and, last, a `CallResult`.

    A failure is raised as `EngineError`. `stop` asks the task to end with what it has; `cancel` also stops
    listening, and happens by itself when the task that iterates is cancelled.
    """

    def __init__(self, engine: EngineProcess, task: str, params: Mapping[str, Any]) -> None:
        self.task = task
        self.params = dict(params)
        self.id = next(engine._ids)
        self._engine = engine
        # Filled by the thread that reads the child, emptied by whoever iterates or waits.
        self._items: deque[Event | CallResult | EngineError] = deque()
        self._arrived = threading.Condition()
        # The loop of a waiting task with the future that wakes it: the items arrive in another thread.
        self._waiter: tuple[asyncio.AbstractEventLoop, asyncio.Future[None]] | None = None
        self._over = False

    @property
    def behind(self) -> str:
        """The task that this call waits for, or "" once it has begun."""
        return self._engine._running_before(self)

    def stop(self) -> None:
        """Ask the task to end early with what it has; after the grace period its process is killed."""
        self._engine._stop_call(self)

    def cancel(self) -> None:
        """Stop the task and drop everything that it still sends."""
        with self._arrived:
            self._over = True
            self._wake_waiter()
        self._engine._stop_call(self)

    def __aiter__(self) -> Call:
        return self

    async def __anext__(self) -> Event | CallResult:
        while True:
            with self._arrived:
                if self._over:
                    raise StopAsyncIteration
                if self._items:
                    return self._next_item()
                # The future is made under the lock, so that an item that arrives now finds it.
                loop = asyncio.get_running_loop()
                future: asyncio.Future[None] = loop.create_future()
                self._waiter = (loop, future)
            try:
                await future
            # The task that listens was cancelled, for example because the user left the screen.
            except asyncio.CancelledError:
                self.cancel()
                raise

    def wait(self, events: Sink = ignore) -> dict[str, Any]:
        """Block until the result has arrived, and return it.

        Args:
            events: Called with each event, in this thread.

        Raises:
            EngineError: What the task raised, or E703 if the call was cancelled.
        """
        while True:
            with self._arrived:
                while not self._items and not self._over:
                    self._arrived.wait()
                if self._over:
                    raise EngineError("it was cancelled", code="E703")
                item = self._next_item()
            if isinstance(item, CallResult):
                return item.value
            events(item)

    def _next_item(self) -> Event | CallResult:
        item = self._items.popleft()
        # A result or an error is the last item.
        if not isinstance(item, Event):
            self._over = True
        if isinstance(item, EngineError):
            raise item
        return item

    def _add_item(self, item: Event | CallResult | EngineError) -> None:
        with self._arrived:
            # Nobody listens to a call that was cancelled.
            if self._over:
                return
            self._items.append(item)
            self._wake_waiter()

    def _wake_waiter(self) -> None:
        self._arrived.notify_all()
        waiter, self._waiter = self._waiter, None
        if waiter:
            loop, future = waiter
            # The loop may have been closed by an app that has ended.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_resolve_future, future)


def _resolve_future(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class EngineProcess:
    """The child process and the calls that wait for it. Thread-safe; the first call starts the child.

    Args:
        grace_s: Seconds that a stopped task may take to end before its process is killed.
        command: How the child is started.
    """

    def __init__(self, *, grace_s: float = 3.0, command: Sequence[str] = _CHILD) -> None:
        self.grace_s = grace_s
        self._command = list(command)
        self._ids = itertools.count(1)
        # Reentrant: starting a call may fail at once, which starts the next one under the same lock.
        self._lock = threading.RLock()
        self._waiting: deque[Call] = deque()
        self._current: Call | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._killed_for: Call | None = None
        # At the end of this program the child must not live on.
        atexit.register(self.close)

    def call(self, task: str, params: Mapping[str, Any]) -> Call:
        """Queue a task and return its call, which gives events and the result."""
        call = Call(self, task, params)
        with self._lock:
            self._waiting.append(call)
            self._start_next()
        return call

    def call_blocking(self, task: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a task and wait for its result.

        Raises:
            EngineError: What the task raised, or E701 if the process was lost.
        """
        return self.call(task, params).wait()

    def _running_before(self, call: Call) -> str:
        with self._lock:
            return self._current.task if self._current is not None and call in self._waiting else ""

    def close(self) -> None:
        """Kill the child and end all calls that wait."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
            if self._process is not None:
                self._kill_child()
        for call in waiting:
            call._add_item(EngineError("stopped before it started", code="E703"))

    def _start_next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        self._current = call = self._waiting.popleft()
        try:
            if self._process is None:
                self._start_child()
            self._send_message({"id": call.id, "task": call.task, "params": call.params})
        # The call cannot be sent, for example because its parameters are no JSON; the others go on.
        except (OSError, TypeError, ValueError) as error:
            # A pipe that broke is reported by the reader, which sees the child end.
            if not isinstance(error, BrokenPipeError):
                self._current = None
                call._add_item(explain(error))
                self._start_next()

    def _start_child(self) -> None:
        log = state_dir() / "engine.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                # A group of its own: a kill reaches the task's children, Ctrl-C in the terminal does not.
                start_new_session=True,
                env=os.environ | {"PYTHONSAFEPATH": "1"},
            )
        threading.Thread(target=self._read_messages, args=(self._process,), daemon=True).start()

    def _send_message(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _stop_call(self, call: Call) -> None:
        with self._lock:
            if call in self._waiting:
                self._waiting.remove(call)
                call._add_item(EngineError("stopped before it started", code="E703"))
            elif call is self._current:
                # The child may have ended just now, which the reader reports.
                with contextlib.suppress(OSError):
                    self._send_message({"stop": call.id})
                # A task that does not look at its flag is ended after the grace period.
                timer = threading.Timer(self.grace_s, self._end_overdue, (call,))
                timer.daemon = True
                timer.start()

    def _end_overdue(self, call: Call) -> None:
        with self._lock:
            if call is self._current:
                # Remembered, so that the reader can say that it was ended and not that it crashed.
                self._killed_for = call
                self._kill_child()

    def _kill_child(self) -> None:
        """Kill the child's whole group; the listener then tidies up. The lock is held."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read_messages(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        # One thread for each child reads until the pipe closes, which is when the child ends.
        for line in process.stdout:
            self._handle_message(json.loads(line))
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            # What was not sent cannot be flushed any more.
            with contextlib.suppress(OSError):
                pipe.close() if pipe else None
        with self._lock:
            # The child is gone: its call fails, and the next call starts a new child.
            call, self._current, self._process = self._current, None, None
            killed, self._killed_for = self._killed_for is call, None
            if call:
                call._add_item(_lost_error(code, killed))
            self._start_next()

    def _handle_message(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            call = self._current
            # The rest of a call that was answered or given up.
            if call is None or message["id"] != call.id:
                return
            if "event" in message:
                call._add_item(Event(**message["event"]))
                return
            self._current = None
            if "result" in message:
                call._add_item(CallResult(message["result"]))
            else:
                call._add_item(from_dict(message["error"]))
            self._start_next()


def _lost_error(code: int, killed: bool) -> EngineError:
    if killed:
        return EngineError("it did not stop in time and was ended", code="E702")
    how = f"was killed by signal {-code}, often for memory" if code < 0 else f"ended with code {code}"
    what = f"the engine process {how}"
    remedy = "Try again with smaller limits; the next call starts a new process."
    return EngineError(what, code="E701", where=str(state_dir() / "engine.log"), remedy=remedy)


class _Child:
    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source = source
        self._sink = sink
        self._calls: deque[Mapping[str, Any]] = deque()
        # Counts the calls that wait, so that the main thread sleeps until there is one.
        self._arrived = threading.Semaphore(0)
        self._write_lock = threading.Lock()
        # Ids of stopped calls. Only added to by the reading thread, so no lock is needed.
        self._stopped: set[int] = set()

    def run(self) -> None:
        # The main thread works and another one reads, so that a stop arrives while a task runs.
        threading.Thread(target=self._read_messages, daemon=True).start()
        while True:
            self._arrived.acquire()
            message = self._calls.popleft()
            self._run_task(message["id"], message["task"], message["params"])

    def _read_messages(self) -> None:
        for line in self._source:
            message = json.loads(line)
            if "stop" in message:
                self._stopped.add(message["stop"])
            else:
                self._calls.append(message)
                self._arrived.release()
        # The parent is gone, whatever the main thread is doing.
        os._exit(0)

    def _write_message(self, message: Mapping[str, Any]) -> None:
        data = to_json(message) + b"\n"
        # Events may come from threads of the task.
        with self._write_lock:
            self._sink.write(data)
            self._sink.flush()

    def _run_task(self, number: int, task: str, params: dict[str, Any]) -> None:

        def send_event(event: Event) -> None:
            content = {"kind": event.kind, "data": dict(event.data), "step": event.step}
            self._write_message({"id": number, "event": content})

        try:
            value = find_operation(task).run(params, events=send_event, stop=lambda: number in self._stopped)
            self._write_message({"id": number, "result": value})
        except BaseException as error:  # noqa: BLE001  # egglog's panics are no Exceptions
            self._write_message({"id": number, "error": explain(error).to_dict()})


def serve_calls() -> None:
    """Run as the child: answer the calls that arrive on stdin until it closes."""
    # Our messages get a channel of their own; a stray print goes to the log with stderr.
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _Child(sys.stdin.buffer, channel).run()


if __name__ == "__main__":
    serve_calls()
