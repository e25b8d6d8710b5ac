"""Which module of the program imports which, late imports included, and the cycles among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["cycles_of", "imports_of"]

ROOT = Path(__file__).resolve().parents[1]


def imports_of(*rooms: str) -> dict[str, set[str]]:
    """Return what every module below these folders imports of them, except for type checking only."""
    files = [path.relative_to(ROOT) for room in rooms for path in (ROOT / room).rglob("*.py")]
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in files}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        targets: set[str] = set()
        for node in _executed(ast.parse((ROOT / path).read_text("utf-8"))):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                below = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                targets |= {full if full in modules else node.module for full in below.values()}
        graph[name] = targets & modules.keys() - {name}
    return graph


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _executed(child)


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
