"""No module imports itself by way of others, late imports included."""

from __future__ import annotations

from tests.import_graph import cycles_of, imports_of


def test_cycles_are_seen() -> None:
    assert cycles_of({"a": {"b"}, "b": {"a", "c"}, "c": set(), "d": {"e"}, "e": {"f"}, "f": {"d"}}) == [
        {"a", "b"},
        {"d", "e", "f"},
    ]


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = imports_of()
    assert "workbench.jobs.worker" in graph["workbench.jobs.control"], "a late import is seen"
    assert cycles_of(graph) == []
