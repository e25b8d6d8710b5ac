"""The verbs that a package offers, each loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def offered(package: str, verbs: Mapping[str, tuple[str, str]]) -> tuple[list[str], Callable[[str], Any]]:
    """`__all__` and `__getattr__` of a package. Args: verbs: of each the module it is in, and its spec."""
    modules = {name: module for verb, (module, spec) in verbs.items() for name in (verb, spec)}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return [*modules], load
