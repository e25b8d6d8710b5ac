"""Imports of the screens go one way: no circles, also none inside functions or under TYPE_CHECKING."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tests.source_trees import outline_modules


def graph_of_screens() -> dict[str, set[str]]:
    """Return the modules of the screens that each of them names in imports anywhere."""
    modules = {
        module.file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): module
        for module in outline_modules()
        if module.file.startswith("screens/")
    }
    graph: dict[str, set[str]] = {}
    for name, module in modules.items():
        targets: set[str] = set()
        for node, _ in module.imports:
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            else:
                assert node.level == 0, f"{module.file}: relative import"
                targets |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        graph[name] = targets & modules.keys() - {name}
    return graph


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
    graph = graph_of_screens()
    assert len(graph) > 40
    assert circles(graph) == []
