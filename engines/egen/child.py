"""Generation in a child process that the caller can end at any moment.

Growth can neither be interrupted nor be trusted with memory. The child loads the rules once and serves one
head after the other; when a head takes too much time or memory the child is killed, the head is answered
with what stopped it, and the next one gets a new child.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.resource_tracker import ensure_running

import psutil

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.tree import Tree
from engines.egen.records import Cluster, EgenConfig, Stats, StopReason

__all__ = ["GrowthChild"]

_POLL_S = 0.05
_GRACE_S = 15.0
"""Beyond the limit of growth: sampling and verification of a head that is at its limits."""
_POLITE_S = 3.0
"""How long a child may take to answer a request to stop."""


@dataclass(frozen=True, slots=True)
class _Asked:
    head: Tree
    config: EgenConfig


@dataclass(frozen=True, slots=True)
class _Failed:
    error: EngineError


class GrowthChild:
    """`generate` in a child process; a context manager, or call `close`."""

    def __init__(self) -> None:
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> GrowthChild:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def generate(
        self, head: Tree, config: EgenConfig, *, events: Sink = ignore, stop: Stop = never
    ) -> Cluster:
        """The cluster of a head, as `engines.egen.generate.generate` makes it.

        A head that crosses `limits.time_s` (and a grace) or `limits.memory_bytes` comes back without members;
        `stats.stop_reason` says why. Raises: EngineError as in the child; E141 when the child died.
        """
        connection = self._started()
        connection.send(_Asked(head, config))
        since = time.monotonic()
        deadline = since + 2 * config.limits.time_s + _GRACE_S
        asked_to_stop = False
        while True:
            if not asked_to_stop and stop():
                asked_to_stop = True
                deadline = min(deadline, time.monotonic() + _POLITE_S)
                connection.send(None)
            if connection.poll(_POLL_S):
                answer = self._receive(connection)
                if isinstance(answer, Event):
                    events(answer)
                    continue
                if isinstance(answer, _Failed):
                    raise answer.error
                assert isinstance(answer, Cluster)
                return answer
            over = self._over(config, deadline)
            if over:
                self.close()
                return _without_members(
                    head, config, "stopped" if asked_to_stop else over, time.monotonic() - since
                )

    def close(self) -> None:
        """End the child at once."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _started(self) -> Connection:
        if self._connection is None or self._process is None or not self._process.is_alive():
            self.close()
            context = multiprocessing.get_context("spawn")
            self._connection, child = context.Pipe()
            self._process = context.Process(target=_serve, args=(child, os.getpid()), daemon=True)
            # Ctrl-C reaches the whole group: the parent asks for what there is, and the child goes on until
            # then. It inherits the block, so that not even its start is interrupted; the resource tracker
            # would lift it if it were first started in between.
            ensure_running()
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                self._process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            child.close()
        return self._connection

    def _receive(self, connection: Connection) -> object:
        try:
            return connection.recv()
        except (EOFError, OSError):
            assert self._process is not None
            self._process.join(timeout=5)
            code = self._process.exitcode
            self.close()
            raise EngineError(
                f"the process that grows e-graphs ended (exit code {code})",
                remedy="See what is missing with: mathwb doctor. Signal 9 often means too little memory.",
                code="E141",
            ) from None

    def _over(self, config: EgenConfig, deadline: float) -> StopReason | None:
        if time.monotonic() > deadline:
            return "time_limit"
        assert self._process is not None
        with suppress(psutil.Error):
            if psutil.Process(self._process.pid).memory_info().rss > config.limits.memory_bytes:
                return "memory_limit"
        return None


def _without_members(head: Tree, config: EgenConfig, reason: StopReason, seconds: float) -> Cluster:
    stats = Stats(
        stop_reason=reason,
        iterations=0,
        nodes=0,
        classes=0,
        grow_s=seconds,
        sample_s=0.0,
        verify_s=0.0,
        total_members=0,
    )
    return Cluster(head, (), stats, config)


def _serve(connection: Connection, parent: int) -> None:
    """The life of a child; it ends with its parent."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    from engines.egen.generate import generate
    from engines.egen.growth import Grower

    grower: Grower | None = None
    # A pipe that closes means that the parent has ended.
    with suppress(EOFError, OSError):
        while True:
            asked = connection.recv()
            if not isinstance(asked, _Asked):
                continue  # a request to stop that came after the last answer
            try:
                if grower is None or grower.mode != asked.config.mode:
                    grower = Grower(asked.config.mode)
                answer: object = generate(
                    asked.head, asked.config, grower=grower, events=connection.send, stop=connection.poll
                )
            except EngineError as error:
                answer = _Failed(error)
            except BaseException as error:  # noqa: BLE001  # egglog's panic is not an Exception
                grower = None
                answer = _Failed(EngineError(f"growth failed: {type(error).__name__}: {error}", code="E210"))
            connection.send(answer)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
