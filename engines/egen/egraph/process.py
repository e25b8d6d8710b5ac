"""Growth in processes of their own, with limits of time and memory."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, get_args

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import to_prefix
from engines.core.system import measure_process
from engines.core.tree import Tree
from engines.egen.records import Cluster, Derivation, Stats
from engines.egen.settings import EgenConfig, Limits, Mode, StopReason
from engines.egen.theories.registry import theory_of
from engines.egen.theories.theory import Theory

if TYPE_CHECKING:
    from engines.egen.egraph.growth import EGraphRunner
    from engines.egen.egraph.term_grammar import EGraph


RequestHandler = Callable[[Any, Sink, Stop], Any]
Service = Callable[[], RequestHandler]
"""Called once in a growth process; what it returns answers one request after the other."""


_LOADED = 1
"""Sets of rules that are kept besides those in use: a corpus of several variables has heads of x too."""
# Starting and cleaning up takes time that the limits of growth do not include.
_GRACE_S = 15.0
_MEMBERS_PER_S = 200
"""A tenth of what sampling and verification do at their slowest on one idle processor."""


@dataclass(frozen=True, slots=True)
class GraphRequest:
    head: Tree
    mode: Mode
    limits: Limits
    theory: Theory

    @property
    def seconds(self) -> float:
        """Processor time that it may take: twice the limit of growth, which is looked at between steps only,
        and a grace."""
        return 2 * self.limits.time_s + _GRACE_S


@dataclass(frozen=True, slots=True)
class DerivationRequest(GraphRequest):
    """How `target` follows from the head, or the head's shortest form without one; answered with a
    `Derivation`."""

    target: Tree | None = None


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    head: Tree
    config: EgenConfig

    @property
    def mode(self) -> Mode:
        return self.config.mode

    @property
    def theory(self) -> Theory:
        return theory_of(self.config.theory, self.config.assume, self.head, own=self.config.rules)

    @property
    def limits(self) -> Limits:
        return self.config.limits

    @property
    def seconds(self) -> float:
        """Processor time that it may take: growth as in `GraphRequest`, and its members."""
        return 2 * self.limits.time_s + _GRACE_S + self.config.members / _MEMBERS_PER_S


def serve_growth() -> RequestHandler:
    """Return the real service: the rules of the last modes and theories that were asked for are kept
    loaded."""
    from engines.core.compiling import allow_stopping
    from engines.egen.egraph.growth import EGraphRunner
    from engines.egen.egraph.member_selection import grow_cluster

    first = EGraphRunner("strict")
    loaded: dict[Hashable, EGraphRunner] = {("strict", first.theory.kind): first}

    def answer_request(request: ClusterRequest | GraphRequest, events: Sink, stop: Stop) -> object:
        theory = request.theory
        key = request.mode, theory.kind
        # Taking a service out and putting it back keeps the order of use; the first one is the oldest.
        kept = loaded.pop(key, None) or EGraphRunner(request.mode, theory=theory)
        if len(loaded) > _LOADED:
            del loaded[next(iter(loaded))]
        loaded[key] = kept
        with allow_stopping(stop):
            if isinstance(request, ClusterRequest):
                return grow_cluster(request.head, request.config, grower=kept, events=events, stop=stop)
            if isinstance(request, DerivationRequest):
                return _answer_derivation(request, kept, stop)
            return kept.grow_egraph(request.head, request.limits, theory=theory, events=events, stop=stop)

    return answer_request


def _answer_derivation(request: DerivationRequest, rules: EGraphRunner, stop: Stop) -> Derivation:
    from engines.egen.egraph.derivation import derive

    target = request.target
    if target is None:
        grown = rules.grow_egraph(request.head, request.limits, theory=request.theory, stop=stop)
        terms = [request.head, *map(grown.term_of_node, grown.classes[grown.root])]
        target = min(terms, key=lambda tree: ("d" in tree.list_labels(), len(tree), to_prefix(tree)))
        if target == request.head:
            return Derivation((), "No shorter form of it was found.")
    return derive(request.head, target, mode=request.mode, theory=request.theory, stop=stop)


# Saturation can neither be interrupted nor be trusted with memory, so e-graphs grow in a process that the
# caller can end at any moment. It loads the rules once and answers one request after the other.
# When a request takes too much time or memory, or the process dies, the next one gets a new process.

RECYCLE_BYTES = 2**30
"""A process that holds more than this after a request is replaced before the next one."""
# How often the process looks for a request to stop while it waits for an answer.
_POLL_S = 0.05
_START_S = 120.0
"""How long a process may take to load the rules."""
_PATIENCE = 20
"""So many times the processor time of a request may pass by the clock: what is ended then does not work, or
the machine is so busy that nothing does."""
_POLITE_S = 2.0
"""How long a process may take to answer a request to stop; less than the engine process has."""
_CHILD = (
    "import gc, sys; gc.disable(); sys.path[:] = sys.argv[2:];"
    "from engines.egen.egraph.process import serve_requests; serve_requests(int(sys.argv[1]))"
)


class GrowthError(EngineError):
    """A request without an answer: its process was ended, or died; `reason` is the limit, or how."""

    code = "E142"

    def __init__(self, reason: str) -> None:
        known = reason in get_args(StopReason)
        super().__init__(
            f"growth ended: {reason.replace('_', ' ') if known else reason}",
            remedy="Choose a smaller expression, or allow fewer nodes."
            if known
            else "The next one gets a new process. Signal 9 often means too little memory.",
            exit_code=130 if reason == "stopped" else 1,
        )
        self.reason = reason


_READY = "ready"


@dataclass(frozen=True, slots=True)
class _Answer:
    value: object = None
    error: EngineError | None = None
    panic: str = ""


class GrowthProcess:
    """A guarded process that grows e-graphs, one request at a time; it starts with the first.

    Use it as a context manager, or call `close`. Threads take turns. Every request may raise EngineError as
    its work does, E141 when the process cannot be started, and GrowthError when it was ended or died.
    """

    def __init__(self, service: Service = serve_growth) -> None:
        self._service = service
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._ready = False
        self._request: Any = None
        self._hurried = False
        self._deadline = self._spent_s = 0.0

    def __enter__(self) -> GrowthProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def generate(
        self, head: Tree, config: EgenConfig, *, events: Sink = ignore, stop: Stop = never
    ) -> Cluster:
        """Return the cluster of a head (see `member_selection.grow_cluster`).

        A head that takes too long (see `ClusterRequest`) or crosses `Limits.memory_bytes` comes back
        without members; `stats.stop_reason` says why.
        """
        began = time.monotonic()
        try:
            cluster: Cluster = self.ask_service(ClusterRequest(head, config), events, stop)
        except GrowthError as ended:
            reason = next((known for known in get_args(StopReason) if known == ended.reason), None)
            if reason is None:
                raise
            stats = Stats(reason, 0, 0, 0, time.monotonic() - began, 0.0, 0.0, 0)
            return Cluster(head, (), stats, config)
        return cluster

    def egraph(
        self,
        head: Tree,
        *,
        mode: Mode = "strict",
        limits: Limits | None = None,
        theory: Theory | None = None,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> EGraph:
        """Return the e-graph of a head (see `EGraphRunner.grow_egraph`); events report every iteration."""
        grown: EGraph = self.ask_service(
            GraphRequest(head, mode, limits or Limits(), theory or theory_of("reals", "", head)), events, stop
        )
        return grown

    def derive(
        self,
        start: Tree,
        target: Tree | None = None,
        *,
        mode: Mode = "strict",
        limits: Limits | None = None,
        theory: Theory | None = None,
        stop: Stop = never,
    ) -> Derivation:
        """Return how `target` follows from `start` (see `derivation.derive`); without one, how the
        shortest form in the e-graph of `start` does, one without a derivative if there is any."""
        request = DerivationRequest(
            start, mode, limits or Limits(), theory or theory_of("reals", "", start), target
        )
        derivation: Derivation = self.ask_service(request, ignore, stop)
        return derivation

    def ask_service(self, request: Any, events: Sink = ignore, stop: Stop = never) -> Any:
        """Return the answer to one of the requests above, or what else the service knows that has `limits`
        and `seconds`."""
        with self._turn:
            try:
                self.submit_request(request, listening=events is not ignore)
                asked_to_stop = False
                while True:
                    # Ask once and politely: the service then has a little time to finish what it has.
                    if not asked_to_stop and stop():
                        asked_to_stop = self._hurried = True
                        # The deadline only ever comes nearer.
                        self._deadline = min(self._deadline, time.monotonic() + _POLITE_S)
                        with suppress(OSError):
                            self.connection.send(None)
                    if self.connection.poll(_POLL_S):
                        message = self.receive_message()
                        if isinstance(message, Event):
                            events(message)
                        elif message is not None:
                            return message.value
                    # No message has come: the request may have exceeded its limits.
                    elif (ended := self.end_if_over_limit()) is not None:
                        raise GrowthError("stopped") if asked_to_stop else ended
            finally:
                if self.busy:
                    self.close()

    @property
    def connection(self) -> Connection:
        assert self._connection is not None
        return self._connection

    @property
    def busy(self) -> bool:
        return self._request is not None

    def submit_request(self, request: Any, *, listening: bool = False) -> None:
        """Send a request; its events come when somebody is `listening`."""
        self._ensure_alive()
        self._request, self._hurried = request, False
        if self._ready:
            self._begin_process()
        # A process that has died meanwhile is found when its answer is read.
        with suppress(OSError):
            self.connection.send((request, listening))

    def receive_message(self) -> Event | _Answer | None:
        """Take what has arrived: an event, the answer, or nothing yet. Raises: what the request raised."""
        try:
            message = self.connection.recv()
        except (EOFError, OSError):
            raise self._died_error() from None
        if message == _READY:
            self._ready = True
            if not self._hurried:
                self._begin_process()
            return None
        if isinstance(message, Event):
            return message
        assert isinstance(message, _Answer)
        self._request = None
        # A process that has panicked or grown large is replaced before the next request.
        if message.panic or self.memory_bytes > RECYCLE_BYTES:
            ready = self._ready
            self.close()
            if message.panic:
                raise GrowthError(message.panic) if ready else _not_started(message.panic)
        if message.error is not None:
            raise message.error
        return message

    def end_if_over_limit(self) -> EngineError | None:
        """End a request that has had more than its share of time or memory; the error that says so."""
        full = self.memory_bytes > self._request.limits.memory_bytes
        late = time.monotonic() > self._deadline
        if not (full or late or (self._ready and self.processor_s - self._spent_s > self._request.seconds)):
            return None
        slow = not full and not self._ready
        self.close()
        if slow:
            return _not_started(f"it took more than {_START_S:.0f} s")
        return GrowthError("memory_limit" if full else "time_limit")

    @property
    def memory_bytes(self) -> int:
        return measure_process(self._process.pid)[0] if self._process is not None else 0

    @property
    def processor_s(self) -> float:
        """Processor time of the process so far; what the rest of the machine does is not in it."""
        return measure_process(self._process.pid)[1] if self._process is not None else 0.0

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = self._request = None
        self._ready = False

    def warm_up(self) -> None:
        """Have the rules loaded by the time that a request comes."""
        with self._turn:
            self._ensure_alive()

    def _ensure_alive(self) -> None:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._start_process()

    def _start_process(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            # Ctrl-C reaches the whole group, and a job's end too: the parent asks for what there is, and the
            # child goes on until then. It inherits the block, so that not even its start is interrupted.
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", _CHILD, str(theirs.fileno()), *sys.path],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            self._connection = Connection(ours.detach())
        self._deadline = time.monotonic() + _START_S
        with suppress(OSError):
            self._connection.send((self._service, os.getpid()))

    def _begin_process(self) -> None:
        self._spent_s = self.processor_s
        self._deadline = time.monotonic() + _PATIENCE * self._request.seconds

    def _died_error(self) -> EngineError:
        assert self._process is not None
        ready = self._ready
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            code = 0
        self.close()
        why = f"the worker ended by signal {-code}" if code < 0 else "the worker ended"
        return GrowthError(why) if ready else _not_started(why)


def _not_started(why: str) -> EngineError:
    return EngineError(
        f"the process that grows e-graphs could not load the rules: {why}",
        remedy="See what is missing with: mathwb doctor",
        code="E141",
    )


@cache
def shared_process() -> GrowthProcess:
    """Return the one process that is kept warm for questions; it ends with this one."""
    process = GrowthProcess()
    atexit.register(process.close)
    return process


class GrowthPool:
    """So many processes, as a context manager: `submit` while `free` is positive, then `collect`."""

    def __init__(self, size: int, service: Service = serve_growth) -> None:
        self._processes = [GrowthProcess(service) for _ in range(size)]
        self._at: dict[GrowthProcess, int] = {}

    def __enter__(self) -> GrowthPool:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.close()

    @property
    def free(self) -> int:
        return len(self._processes) - len(self._at)

    @property
    def memory_bytes(self) -> int:
        return sum(process.memory_bytes for process in self._processes)

    def submit_request(self, number: int, request: Any) -> None:
        """Give a request to a free process; its answer comes with the number."""
        process = next(process for process in self._processes if process not in self._at)
        process.submit_request(request)
        self._at[process] = number

    def collect_answers(self, timeout_s: float) -> Sequence[tuple[int, Any]]:
        """Return the answers that are there, waiting at most `timeout_s` for the first; instead of an answer
        the EngineError that a request raised or ended with.

        Raises: EngineError E141 when a process cannot start.
        """
        ready = wait([process.connection for process in self._at], timeout_s) if self._at else []
        answers: list[tuple[int, Any]] = []
        for process, number in list(self._at.items()):
            answer: object
            try:
                message = (
                    process.receive_message() if process.connection in ready else process.end_if_over_limit()
                )
            except EngineError as error:
                message = error
            if message is None or isinstance(message, Event):
                continue
            if isinstance(message, EngineError) and message.code == "E141":
                raise message
            answer = message if isinstance(message, EngineError) else message.value
            del self._at[process]
            answers.append((number, answer))
        return answers


def serve_requests(descriptor: int) -> None:
    """Load the rules, then answer requests until the parent closes its end: the life of a growth process."""
    connection = Connection(descriptor)
    # A pipe that closes means that the parent has ended.
    with suppress(EOFError, OSError):
        service, parent = connection.recv()
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
        try:
            answer = service()
        except BaseException as error:  # noqa: BLE001  # whatever it is, the parent has to know
            connection.send(_Answer(panic=f"{type(error).__name__}: {error}"))
            return
        # What is there by now stays: the collector need not look through it, at the start or for any head.
        gc.freeze()
        gc.set_threshold(100_000)
        gc.enable()
        connection.send(_READY)
        while True:
            message = connection.recv()
            if message is None:
                continue  # a request to stop that came after the last answer
            request, listening = message
            events = connection.send if listening else ignore
            connection.send(_answer_or_error(answer, request, events, connection.poll))


def _answer_or_error(answer: Any, request: object, events: Sink, stop: Stop) -> _Answer:
    try:
        return _Answer(answer(request, events, stop))
    except EngineError as error:
        return _Answer(error=error)
    except MemoryError:
        return _Answer(panic="memory_limit")
    except BaseException as error:  # noqa: BLE001  # egglog's panic is not an Exception
        return _Answer(panic=f"{type(error).__name__}: {error}")


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
