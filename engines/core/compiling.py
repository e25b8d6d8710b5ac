"""Functions that numba compiles, and that run as plain Python until that is done.

Compiling what one head needs takes some twenty seconds. Where no earlier process has kept the compiled code,
a process of its own compiles it, and a call does the same in plain Python meanwhile, to the last bit (see
`to_plain_python`). Calls with much data, and those after some seconds of plain Python, wait for the compiled
code.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import queue
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock
from numba.np.numpy_support import as_dtype, from_dtype

from engines.core.errors import DataError, StoppedError
from engines.core.events import Stop, never
from engines.core.locks import hold_lock
from engines.core.system import home_folder

Function = TypeVar("Function", bound=Callable[..., Any])

_LARGE = 2**21
"""Bytes of arrays: with more, plain Python would take longer than compiling."""
_PATIENCE_S = 5.0
"""After so much plain Python in a process, calls wait."""
# How often a waiting process looks whether it has been asked to stop.
_POLL_S = 0.1
_TURN_S = 120.0
"""So long a process waits for another one that compiles; then it compiles the same."""
_CHILD = (
    "import sys; sys.path[:] = sys.argv[2:]; from engines.core import compiling; "
    "compiling.serve_compiler(sys.argv[1])"
)


def compile_kernel(function: Function) -> Function:
    """Compile for floats without the interpreter lock; keep the result for the next process if possible."""
    given = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _cache_folder() or given  # the cache looks at it once; others' functions do not
    try:
        kept: Any = numba.njit(cache=_cache_folder() is not None, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = given
    if isinstance(kept, numba.core.dispatcher.Dispatcher):
        kept._cache.save_overload = partial(_save_quietly, kept._cache.save_overload)
        kept._compile_for_args = partial(_compile_missing, kept, kept._compile_for_args)
    result: Function = kept
    return result


@cache
def _cache_folder() -> str | None:
    """Return the folder that keeps compiled code: the one of numba's own setting, or one in the user's cache,
    or one for this process alone; None where nothing can be written. Beside the modules it would outlive
    them.
    """
    if numba.config.CACHE_DIR:
        return str(numba.config.CACHE_DIR)
    folder = home_folder("cache") / "compiled"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return str(folder)
    except OSError:
        return _private_folder()


@cache
def _private_folder() -> str | None:
    try:
        folder = tempfile.mkdtemp(prefix="mathwb-")
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _save_quietly(save: Callable[..., None], *args: Any) -> None:
    with contextlib.suppress(OSError):  # a full disk: what is compiled is not kept, and serves all the same
        save(*args)


def _compile_missing(dispatcher: Any, compile_now: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """What does a call for which this process has no compiled code yet."""
    kinds = tuple(map(dispatcher.typeof_pyval, args))
    if _load_compiled(dispatcher, kinds):
        return dispatcher.overloads[kinds].entry_point
    if sum(value.nbytes for value in args if isinstance(value, np.ndarray)) <= _LARGE:
        with _background.lock:
            wait = _background.plain_s > _PATIENCE_S
            if not _background.is_compiled(dispatcher, kinds, wait=wait):
                return partial(_worked_out, dispatcher)
        if _load_compiled(dispatcher, kinds):
            return dispatcher.overloads[kinds].entry_point
    elif _background.stop():
        raise StoppedError("stopped before functions were compiled", remedy="Start it again.")
    with _compile_alone():
        return compile_now(*args)


@contextlib.contextmanager
def _compile_alone() -> Iterator[None]:
    """Let one process at a time compile for the folder of compiled code: those that wait load what it kept,
    where each would have compiled the same."""
    folder = _cache_folder()
    with contextlib.ExitStack() as stack:
        if folder:
            with contextlib.suppress(DataError):  # there are no locks, or the other one stands still
                stack.enter_context(hold_lock(Path(folder) / "compiling", _TURN_S))
        yield


@global_compiler_lock
def _load_compiled(dispatcher: Any, kinds: tuple[Any, ...]) -> bool:
    """Take compiled code that was kept, as `Dispatcher.compile` does, if there is any."""
    if kinds in dispatcher.overloads:
        return True
    context = dispatcher.targetctx
    result = dispatcher._cache.load_overload(kinds, context)
    if result is not None:
        context.insert_user_function(result.entry_point, result.fndesc, [result.library])
        dispatcher.add_overload(result)
    return result is not None


def _worked_out(dispatcher: Any, *args: Any) -> Any:
    began = time.thread_time()
    with np.errstate(all="ignore"):
        result = to_plain_python(dispatcher)(*args)
    _background.plain_s += time.thread_time() - began
    return result


@cache
def to_plain_python(dispatcher: Any) -> Callable[..., Any]:
    """Return a compiled function as plain Python, with the same results to the last bit.

    Its module sees plain functions where it has compiled ones, and a `math` that gives what the C library
    does instead of raising. So the functions use `math` for what NumPy has ways of its own to work out, make
    Python integers of what they mix, and have no two names for one function.
    """
    function = dispatcher.py_func
    return _rebind_globals(function.__module__)[function.__name__]


@cache
def _rebind_globals(module: str) -> dict[str, Any]:
    result = dict(vars(import_module(module)))
    for name, value in result.items():
        if value is math:
            result[name] = _c_library()
        elif isinstance(value, numba.core.dispatcher.Dispatcher):
            function = value.py_func
            own = result if function.__module__ == module else _rebind_globals(function.__module__)
            result[name] = FunctionType(function.__code__, own, name, function.__defaults__)
        elif name == "fma":
            result[name] = fused_multiply_add
    return result


@cache
def _c_library() -> SimpleNamespace:
    def quiet(function: Callable[..., float], *values: float) -> float:
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    known = vars(math).items()
    return SimpleNamespace(**{name: partial(quiet, one) if callable(one) else one for name, one in known})


def fused_multiply_add(a: float, b: float, c: float) -> float:
    """Return a·b + c, rounded once, for c close to -a·b.

    The product is computed exactly as the sum of two doubles (T. J. Dekker, "A floating-point technique for
    extending the available precision", 1971).
    """
    if abs(c) < 1e-250:  # what is lost would be too small for a double
        small, second_high = sorted((a, b), key=abs)
        return fused_multiply_add(small * 2.0**600, second_high, c * 2.0**600) / 2.0**600 if c else a * b
    # Dekker's split: each factor is the sum of two halves whose products are exact in a double.
    product = a * b
    high, low = _split_halves(a)
    second_high, rest = _split_halves(b)
    # The rounding error of `product`, exactly.
    error = ((high * second_high - product) + high * rest + low * second_high) + low * rest
    return (product + c) + error


def _split_halves(value: float) -> tuple[float, float]:
    scaled = 134217729.0 * value
    high = scaled - (scaled - value)
    return high, value - high


class _Background:
    """The process that compiles what this one misses, in the order in which it was asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.plain_s = 0.0
        self.stop: Stop = never
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: dict[tuple[Any, ...], int] = {}
        self._finished = 0
        self._ended = False

    def is_compiled(self, dispatcher: Any, kinds: tuple[Any, ...], *, wait: bool) -> bool:
        """Return whether it is through with a function, or will never be."""
        key = dispatcher, kinds
        if key not in self._asked:
            self._request_compilation(dispatcher, kinds)
            self._asked[key] = len(self._asked) + 1
        while self._finished < self._asked[key] and not self._ended:
            assert self._process is not None
            assert self._process.stdout is not None
            ready, _, _ = select.select([self._process.stdout], [], [], _POLL_S if wait else 0.0)
            if not ready:
                if wait and not self.stop():
                    continue
                return False
            read = os.read(self._process.stdout.fileno(), 4096)
            self._finished += len(read)
            self._ended = not read
        return True

    def _request_compilation(self, dispatcher: Any, kinds: tuple[Any, ...]) -> None:
        function = dispatcher.py_func
        described = [
            [as_dtype(kind.dtype).str, kind.ndim, kind.layout, not kind.mutable]
            if isinstance(kind, numba.types.Array)
            else [as_dtype(kind).str]
            for kind in kinds
        ]
        asked = [function.__module__, function.__name__, described]
        try:
            self._process = self._process or self._start_process()
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            self._ended = True

    def _start_process(self) -> subprocess.Popen[bytes]:
        folder = _cache_folder()
        private = _private_folder.cache_info().currsize > 0
        return subprocess.Popen(
            [sys.executable, "-c", _CHILD, folder if folder and private else "", *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "NUMBA_CACHE_DIR": folder} if folder else None,
            start_new_session=True,
        )


_background = _Background()


@contextlib.contextmanager
def allow_stopping(stop: Stop) -> Iterator[None]:
    """Let calls inside the block stop waiting for compiled code once `stop` is raised.

    A call with much data raises StoppedError instead of running as plain Python.
    """
    _background.stop = stop
    try:
        yield
    finally:
        _background.stop = never


def _rebuild_type(described: list[Any]) -> Any:
    dtype = from_dtype(np.dtype(described[0]))
    return numba.types.Array(dtype, *described[1:]) if described[1:] else dtype


def serve_compiler(private: str) -> None:
    """Run the process that compiles: read requests from standard input and report each one when it is
    compiled.

    The process ends when its parent does; it ends at once if `private`, the folder of the compiled code, can
    serve nobody else.
    """
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            requests.put(line)
        if private:
            shutil.rmtree(private, ignore_errors=True)
            os._exit(0)
        requests.put(b"")

    threading.Thread(target=listen, daemon=True).start()
    while line := requests.get():
        module, name, kinds = json.loads(line)
        try:
            with _compile_alone():
                getattr(import_module(module), name).compile(tuple(map(_rebuild_type, kinds)))
        finally:
            with contextlib.suppress(OSError):  # the other one has ended
                os.write(1, b".")
