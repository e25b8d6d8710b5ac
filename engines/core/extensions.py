"""Extension modules of packages, without the packages around them, which take long to import."""

from __future__ import annotations

import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType


def find_extension(name: str) -> ModuleSpec:
    """Return where an extension module is.

    Raises:
        ImportError: If there is no such package or module.

    >>> find_extension("numba._dynfunc").name
    'numba._dynfunc'
    """
    package, *folders = name.split(".")[:-1]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"there is no package {package}", name=package)
    folder = Path(spec.origin).parent.joinpath(*folders)
    module_spec = FileFinder(str(folder), (ExtensionFileLoader, EXTENSION_SUFFIXES)).find_spec(name)
    if module_spec is None:
        raise ImportError(f"{package} has no extension module {name}", name=name)
    return module_spec


def load_extension(name: str) -> ModuleType:
    """Return an extension module; its package, imported later, takes the same one.

    Raises:
        ImportError: If there is no such package or module.
    """
    if name not in sys.modules:
        spec = find_extension(name)
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
