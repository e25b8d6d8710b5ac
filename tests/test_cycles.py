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


def test_no_screen_does_so_for_type_checking_either() -> None:
    graph = imports_of(for_types=True)
    screens = {
        name: {one for one in graph[name] if one.startswith("screens")}
        for name in graph
        if name.startswith("screens")
    }
    assert len(screens) > 40
    assert cycles_of(screens) == []
