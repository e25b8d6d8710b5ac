"""Which module of the program imports which, late imports included, and the cycles among them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tests.source_trees import outline_modules

__all__ = ["cycles_of", "imports_of"]


def imports_of(*, for_types: bool = False) -> dict[str, set[str]]:
    """Return what every module of the program imports of others; if asked, also for type checking only."""
    modules = {
        module.file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): module
        for module in outline_modules()
    }
    graph: dict[str, set[str]] = {}
    for name, module in modules.items():
        targets: set[str] = set()
        for node in (one.node for one in module.imports if one.is_executed or for_types):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif node.module:
                below = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                targets |= {full if full in modules else node.module for full in below.values()}
        graph[name] = targets & modules.keys() - {name}
    return graph


def cycles_of(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of modules of which each is reached from each other one along imports.

    >>> cycles_of({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}]
    True
    """
    reached = {name: _reached(graph, name) for name in graph}
    groups = {frozenset(one for one in reached[name] if name in reached[one]) for name in graph}
    return sorted((set(group) for group in groups if group), key=sorted)


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph[name]
    return seen
