"""Worker processes that grow heads, one at a time each; the parent can end them at any moment.

Saturation can neither be interrupted nor be trusted with memory, so each worker is a process of its own that
loads the rules once. A worker that takes too long, grows too large or dies is replaced; the head it was at is
handed back as failed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from multiprocessing.connection import Connection, wait
from multiprocessing.resource_tracker import ensure_running

import psutil

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.egen.language import read_prefix
from engines.egen.records import Cluster, EgenConfig
from engines.egen.shards import GrownHead

__all__ = ["Failed", "Generator", "Service", "WorkerPool", "growth_service", "head_seed"]

Generator = Callable[[Tree, EgenConfig], Cluster]
Service = Callable[[EgenConfig], Generator]
"""Called once in each worker with the configuration; what it returns is called for every head."""

WRONG_RULE = "E211"
"""What `generate` raises in strict mode when a member differs from its head."""
RECYCLE_BYTES = 2**30
"""A worker that holds more than this after a head is replaced before the next one."""
_GRACE_S = 15.0
"""Beyond the growth limit: sampling and verification of a head that is at the limits."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A head that gave no cluster. `final` says that trying again cannot help."""

    source: int
    reason: str
    final: bool = False


def growth_service(config: EgenConfig) -> Generator:
    """The real thing: one grower with the rules of the mode loaded, `generate` for each head."""
    from engines.egen.generate import generate
    from engines.egen.growth import Grower

    grower = Grower(config.mode)
    return lambda head, settings: generate(head, settings, grower=grower)


def head_seed(seed: int, head: str) -> int:
    """A head's own seed (below 2^63): from the corpus seed and the head, never from order."""
    return int.from_bytes(blake2b(f"{seed}|{head}".encode(), digest_size=8).digest()) >> 1


class WorkerPool:
    """A fixed number of workers. `submit` while `free` is positive, then `collect`; `close` ends them all."""

    def __init__(self, service: Service, config: EgenConfig, size: int) -> None:
        self._service = service
        self._config = config
        self._workers = [_Worker(service, config) for _ in range(size)]

    @property
    def free(self) -> int:
        """How many heads can be submitted now."""
        return sum(worker.source is None for worker in self._workers)

    @property
    def memory_bytes(self) -> int:
        """Resident memory of all workers."""
        return sum(worker.memory_bytes() for worker in self._workers)

    def submit(self, source: int, head: str) -> None:
        """Give a head to a free worker."""
        next(worker for worker in self._workers if worker.source is None).submit(source, head)

    def collect(self, timeout_s: float) -> list[GrownHead | Failed]:
        """What was finished or failed, waiting at most `timeout_s` for the first.

        Raises: EngineError that a worker could not start with, or that names a wrong rule.
        """
        busy = [worker for worker in self._workers if worker.source is not None]
        ready = wait([worker.connection for worker in busy], timeout_s) if busy else []
        found: list[GrownHead | Failed] = []
        for place, worker in enumerate(self._workers):
            if worker.source is None:
                continue
            result = worker.receive() if worker.connection in ready else worker.over(self._config)
            if result is None:
                continue
            if isinstance(result, _Ready):
                continue
            found.append(result)
            if not worker.usable():
                worker.close()
                self._workers[place] = _Worker(self._service, self._config)
        return found

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._workers:
            worker.close()


@dataclass(frozen=True, slots=True)
class _Ready:
    """A worker has loaded its rules: the clock of its first head starts."""


@dataclass(frozen=True, slots=True)
class _Broken:
    """What ends the build: a worker's service did not start, or a rule is wrong."""

    error: EngineError


class _Worker:
    """One child process, its pipe, and the head it is at."""

    def __init__(self, service: Service, config: EgenConfig) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, child = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(child, service, config, os.getpid()), daemon=True
        )
        # Children inherit the mask: stopping is the parent's business from their first moment on. The
        # resource tracker would unblock the signals if it were first started in between.
        ensure_running()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        child.close()
        self.source: int | None = None
        self._since: float | None = None
        self._started = False
        self._broken = False

    def submit(self, source: int, head: str) -> None:
        self.source = source
        self._since = time.monotonic() if self._started else None
        # A worker that has died meanwhile is found when its answer is read.
        with suppress(OSError):
            self.connection.send((source, head))

    def receive(self) -> GrownHead | Failed | _Ready:
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            return self._fail(self._end())
        if isinstance(answer, _Ready):
            self._started, self._since = True, time.monotonic()
            return answer
        if isinstance(answer, _Broken):
            raise answer.error
        self.source = None
        assert isinstance(answer, GrownHead | Failed)
        return answer

    def over(self, config: EgenConfig) -> Failed | None:
        """A failure if the head has had more than its share of time or memory."""
        if self.memory_bytes() > config.limits.memory_bytes:
            return self._fail("memory_limit")
        if self._since is not None and time.monotonic() - self._since > 2 * config.limits.time_s + _GRACE_S:
            return self._fail("time_limit")
        return None

    def usable(self) -> bool:
        return not self._broken and self._process.is_alive() and self.memory_bytes() < RECYCLE_BYTES

    def memory_bytes(self) -> int:
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def close(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()

    def _fail(self, reason: str) -> Failed:
        if not self._started:
            raise _not_ready(reason)
        source, self.source, self._broken = self.source, None, True
        assert source is not None
        return Failed(source, reason)

    def _end(self) -> str:
        self._process.join(timeout=5)
        code = self._process.exitcode
        return f"the worker ended by signal {-code}" if code is not None and code < 0 else "the worker ended"


def _serve(connection: Connection, service: Service, config: EgenConfig, parent: int) -> None:
    """The life of a worker; it ends with its parent."""
    _die_with(parent)
    # A pipe that closes means that the parent has ended.
    with suppress(EOFError, OSError):
        try:
            generate = service(config)
        except EngineError as error:
            connection.send(_Broken(error))
            return
        except Exception as error:  # noqa: BLE001  # whatever it is, the parent has to know
            connection.send(_Broken(_not_ready(f"{type(error).__name__}: {error}")))
            return
        connection.send(_Ready())
        while True:
            source, head = connection.recv()
            connection.send(_grow(generate, config, source, head))


def _not_ready(why: str) -> EngineError:
    return EngineError(
        f"a worker could not load the rules: {why}",
        remedy="See what is missing with: mathwb doctor",
        code="E141",
    )


def _grow(generate: Generator, config: EgenConfig, source: int, head: str) -> GrownHead | Failed | _Broken:
    try:
        cluster = generate(read_prefix(head), replace(config, seed=head_seed(config.seed, head)))
    except EngineError as error:
        return _Broken(error) if error.code == WRONG_RULE else Failed(source, error.what, final=True)
    except MemoryError:
        return Failed(source, "memory_limit")
    except BaseException as error:  # noqa: BLE001  # so does egglog's panic; one head must not end the build
        return Failed(source, f"{type(error).__name__}: {error}")
    if cluster.stats.stop_reason in ("time_limit", "memory_limit", "stopped"):
        return Failed(source, cluster.stats.stop_reason)
    return GrownHead.of(source, cluster)


def _die_with(parent: int) -> None:
    """End this process soon after its parent, even in the middle of a head."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
