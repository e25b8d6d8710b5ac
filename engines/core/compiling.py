"""Functions that numba compiles, and that run as plain Python until that is done.

Compiling what one head needs takes some twenty seconds. Where no earlier process has kept the compiled code,
a process of its own compiles it, and a call does the same in plain Python meanwhile, to the last bit (see
`to_plain_python`). Calls with much data, and those after some seconds of plain Python, wait for the compiled
code. What was kept is linked without numba, which only what compiles imports.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import math
import os
import pickle
import queue
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, cached_property, partial, update_wrapper
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, TypeVar, cast

import numpy as np

from engines.core.errors import DataError, StoppedError
from engines.core.events import Stop, never
from engines.core.files import write_bytes
from engines.core.locks import hold_lock
from engines.core.object_code import ObjectCode, describe_linker, link_code, list_needed
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


class Kernel:
    """A function that numba compiles, once for each kind of arguments that it is called with."""

    __name__: str

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.linked: dict[Kinds, Callable[..., Any]] = {}
        self.linking = threading.RLock()
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled code for arguments of these kinds, or do the same until there is some."""
        kinds = tuple([_kind_of(value) for value in args])
        return (self.linked.get(kinds) or _find_compiled(self, kinds, args))(*args)

    @cached_property
    def digest(self) -> str:
        """A digest of its code and of all that its code calls."""
        described: list[str] = []
        self._describe_code(described, set())
        return hashlib.sha256("\n".join(described).encode()).hexdigest()

    def _describe_code(self, described: list[str], known: set[Kernel]) -> None:
        if self in known:
            return
        known.add(self)
        waiting = [self.function.__code__]
        for code in waiting:
            waiting += (one for one in code.co_consts if isinstance(one, CodeType))
            constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
            described.append(repr((code.co_code, constants, code.co_names, code.co_varnames)))
            for name in code.co_names:
                value = self.function.__globals__.get(name)
                if isinstance(value, Kernel):
                    value._describe_code(described, known)
                elif isinstance(value, (bool, int, float, str, tuple)):
                    described.append(f"{name}={value!r}")


def compile_kernel(function: Function) -> Function:
    """Compile for floats without the interpreter lock; keep the result for the next process if possible."""
    return cast(Function, Kernel(cast(FunctionType, function)))


Kinds = tuple[tuple[Any, ...], ...]
"""Of each argument the type, and of an array also dimensions, layout, and whether it is read only."""


def _kind_of(value: Any) -> tuple[Any, ...]:
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return value.dtype.str, value.ndim, layout, not flags.writeable
    return _SCALARS.get(type(value)) or (value.dtype.str,)


_SCALARS = {kind: (np.dtype(kind).str,) for kind in (bool, int, float)}


@cache
def _cache_folder() -> str | None:
    """Return the folder that keeps compiled code: the one of numba's own setting, or one in the user's cache,
    or one for this process alone; None where nothing can be written. Beside the modules it would outlive
    them.
    """
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return given
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


def _find_compiled(kernel: Kernel, kinds: Kinds, args: tuple[Any, ...]) -> Callable[..., Any]:
    """Return what does a call for which this process has no compiled code yet."""
    if _load_compiled(kernel, kinds):
        return kernel.linked[kinds]
    if sum(value.nbytes for value in args if isinstance(value, np.ndarray)) <= _LARGE:
        with _background.lock:
            wait = _background.plain_s > _PATIENCE_S
            if not _background.is_compiled(kernel, kinds, wait=wait):
                return partial(_worked_out, kernel)
    elif _background.stop():
        raise StoppedError("stopped before functions were compiled", remedy="Start it again.")
    with _compile_alone():
        compile_kinds(kernel, kinds)
    return kernel.linked[kinds]


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


def compile_kinds(kernel: Kernel, kinds: Kinds) -> None:
    """Compile a function for arguments of some kinds and keep the code, unless it is kept already."""
    if _load_compiled(kernel, kinds):
        return
    try:
        code = _compile_code(kernel, kinds)
        if path := _path_of(kernel, kinds):
            with contextlib.suppress(OSError, DataError):  # a full disk: what is compiled serves all the same
                path.parent.mkdir(parents=True, exist_ok=True)
                write_bytes(path, pickle.dumps(code))
        linked = link_code(code)
    except (AttributeError, ImportError, KeyError, RuntimeError):
        # A numba or LLVM that looks different inside: its own function does the same, after a slower start.
        linked = _give_to_numba(kernel.__module__)[kernel.__name__]
    with kernel.linking:
        kernel.linked[kinds] = linked


def _load_compiled(kernel: Kernel, kinds: Kinds) -> bool:
    """Link compiled code that was kept, if there is any."""
    with kernel.linking:
        if kinds in kernel.linked:
            return True
        path = _path_of(kernel, kinds)
        if path is None or not path.exists():
            return False
        try:
            kernel.linked[kinds] = link_code(pickle.loads(path.read_bytes()))
        except Exception:  # noqa: BLE001  # a damaged file fails in many ways; the function is compiled again
            return False
        return True


def _path_of(kernel: Kernel, kinds: Kinds) -> Path | None:
    folder = _cache_folder()
    if folder is None:
        return None
    function = kernel.function
    try:
        about = repr((kernel.digest, kinds, describe_linker(), ObjectCode.__slots__))
    except ImportError:
        return None
    digest = hashlib.sha256(about.encode()).hexdigest()[:32]
    return Path(folder) / f"{function.__module__}.{function.__name__}.{digest}.compiled"


def _compile_code(kernel: Kernel, kinds: Kinds) -> ObjectCode:
    """Have numba compile a function."""
    import numba
    from numba.np.numpy_support import from_dtype

    types = []
    for name, *array in kinds:
        kind = from_dtype(np.dtype(name))
        types.append(numba.types.Array(kind, *array) if array else kind)
    function = kernel.function
    dispatcher = _give_to_numba(function.__module__)[function.__name__]
    dispatcher.compile(tuple(types))
    compiled = dispatcher.overloads[tuple(types)]
    described = compiled.fndesc
    image = compiled.library._get_compiled_object()
    return ObjectCode(
        function.__name__,
        function.__module__,
        image,
        described.llvm_cpython_wrapper_name,
        described.env_name,
        tuple(compiled.environment.consts),
        list_needed(image),
    )


def _worked_out(kernel: Kernel, *args: Any) -> Any:
    began = time.thread_time()
    with np.errstate(all="ignore"):
        result = to_plain_python(kernel)(*args)
    _background.plain_s += time.thread_time() - began
    return result


def to_plain_python(kernel: Any) -> Callable[..., Any]:
    """Return a compiled function as plain Python, with the same results to the last bit.

    Its module sees plain functions where it has compiled ones, and a `math` that gives what the C library
    does instead of raising. So the functions use `math` for what NumPy has ways of its own to work out, make
    Python integers of what they mix, and have no two names for one function.
    """
    result: Callable[..., Any] = _make_plain(kernel.__module__)[kernel.__name__]
    return result


@cache
def _make_plain(module: str) -> dict[str, Any]:
    result = dict(vars(import_module(module)))
    for name, value in result.items():
        if value is math:
            result[name] = _c_library()
        elif isinstance(value, Kernel):
            own = result if value.__module__ == module else _make_plain(value.__module__)
            result[name] = _with_globals(value.function, own)
    return result


@cache
def _give_to_numba(module: str) -> dict[str, Any]:
    """Return what a module sees with numba's functions in the place of ours."""
    import numba

    result = dict(vars(import_module(module)))
    for name, value in result.items():
        if value is fused_multiply_add:
            result[name] = _make_fused_multiply_add()
        elif isinstance(value, Kernel):
            if value.__module__ == module:
                function = _with_globals(value.function, result)
                result[name] = numba.njit(nogil=True, error_model="numpy")(function)
            else:
                result[name] = _give_to_numba(value.__module__)[value.__name__]
    return result


def _with_globals(function: FunctionType, known: dict[str, Any]) -> FunctionType:
    return FunctionType(function.__code__, known, function.__name__, function.__defaults__)


@cache
def _make_fused_multiply_add() -> Any:
    import numba
    from numba.extending import intrinsic

    double = numba.types.float64

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.fma(*arguments)

    @intrinsic
    def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001  # numba looks at the names
        return double(double, double, double), build

    return fma


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

    def is_compiled(self, kernel: Kernel, kinds: Kinds, *, wait: bool) -> bool:
        """Return whether it is through with a function, or will never be."""
        key = kernel, kinds
        if key not in self._asked:
            self._request_compilation(kernel, kinds)
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

    def _request_compilation(self, kernel: Kernel, kinds: Kinds) -> None:
        asked = [kernel.__module__, kernel.__name__, kinds]
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
                compile_kinds(getattr(import_module(module), name), tuple(map(tuple, kinds)))
        finally:
            with contextlib.suppress(OSError):  # the other one has ended
                os.write(1, b".")
