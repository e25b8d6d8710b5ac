"""Object code that numba made, linked into the process without numba.

To import numba and to have it load what it has kept takes most of a second; LLVM's linker takes a few
milliseconds. The code calls functions of numba's extension modules and of the process, by their names.
"""

from __future__ import annotations

import builtins
import ctypes
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from engines.core.extensions import find_extension, load_extension

_EXTENSIONS = ("numba._helperlib", "numba._dynfunc", "numba.core.runtime._nrt_python")
"""Whose functions compiled code calls."""


@dataclass(frozen=True, slots=True)
class ObjectCode:
    """A compiled function: the symbols of what Python calls, of the pointer to its environment, which holds
    `constants`, and of what its image needs."""

    name: str
    module: str
    image: bytes
    wrapper: str
    environment: str
    constants: tuple[Any, ...]
    needed: tuple[str, ...]


def list_needed(image: bytes) -> tuple[str, ...]:
    """Return the symbols of the process and of numba that an image names: to define all takes as long as to
    link."""
    return tuple(name for name in _list_symbols() if name.encode() + b"\0" in image)


@cache
def describe_linker() -> str:
    """Return what the code depends on besides the function: the processor, Python, numba and LLVM."""
    from llvmlite import binding

    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    extensions = [Path(str(find_extension(name).origin)).stat() for name in _EXTENSIONS]
    installed = [(extension.st_size, extension.st_mtime_ns) for extension in extensions]
    return repr((sys.version, binding.llvm_version_info, processor, installed))


def link_code(code: ObjectCode) -> Callable[..., Any]:
    """Return the function that Python calls.

    Raises:
        RuntimeError: If the linker refuses the code.
    """
    from llvmlite import binding

    dynamic = load_extension("numba._dynfunc")
    builder = binding.JITLibraryBuilder().add_object_img(code.image).add_current_process()
    for name in code.needed:
        builder.import_symbol(name, _list_symbols()[name])
    builder.export_symbol(code.wrapper).export_symbol(code.environment)
    # Every function is a library of its own: functions that several of them contain have the same names.
    library = builder.link(_linker(), code.wrapper)
    environment = dynamic.Environment(vars(sys.modules[code.module]))
    environment.consts.extend(code.constants)
    ctypes.c_void_p.from_address(library[code.environment]).value = id(environment)
    function: Callable[..., Any] = dynamic.make_function(
        sys.modules[code.module], code.name, "", library[code.wrapper], environment, (library,)
    )
    # What is linked stays, and its linker with it: nobody knows what the process calls last.
    library.detach()
    return function


@cache
def _linker() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.create_lljit_compiler()


@cache
def _list_symbols() -> Mapping[str, int]:
    """Return the addresses of what compiled code calls, by the names that numba gives them."""
    result = {f"PyExc_{name}": id(value) for name, value in vars(builtins).items() if _is_error(value)}
    *others, memory = (load_extension(name).c_helpers for name in _EXTENSIONS)
    for helpers in others:
        result |= {f"numba_{name}": address for name, address in helpers.items()}
    for name, address in memory.items():
        result[name if name.startswith("_") else f"NRT_{name}"] = address
    # Numba's own way to read a pickled constant would import numba.
    result["numba_unpickle"] = ctypes.cast(_unpickler().call, ctypes.c_void_p).value or 0
    return result


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


@cache
def _unpickler() -> SimpleNamespace:
    known: dict[int, Any] = {}

    @ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    def unpickle(address: int, length: int, _digest: int) -> Any:
        if address not in known:
            known[address] = pickle.loads(ctypes.string_at(address, length))
        return known[address]

    return SimpleNamespace(call=unpickle)
