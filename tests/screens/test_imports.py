"""Imports of the screens go one way: no circles, also none inside functions or under TYPE_CHECKING."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import screens

ROOT = Path(screens.__file__).parent


def modules() -> dict[str, Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """All modules of the room that are named in imports anywhere in the file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name in known)


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The strongly connected components with more than one member, by what reaches what and back."""
    reach = {name: set(targets) for name, targets in graph.items()}
    for middle in graph:
        for name in graph:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    found = [{other for other in reach[name] if name in reach[other]} | {name} for name in graph]
    return [circle for number, circle in enumerate(found) if len(circle) > 1 and circle not in found[:number]]


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set()}
    assert circles(graph) == [{"a", "b", "c"}]


@pytest.mark.slow
def test_no_module_imports_itself_round_about() -> None:
    known = modules()
    graph = {name: set(imported(path, known)) - {name} for name, path in known.items()}
    assert len(graph) > 40
    assert circles(graph) == []
