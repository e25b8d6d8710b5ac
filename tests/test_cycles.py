"""No module imports itself by way of others; the cycles that there still are may only shrink."""

from __future__ import annotations

from tests.import_graph import cycles_of, imports_of

REMAINING: tuple[str, ...] = (
    "workbench.jobs.control "
    "workbench.jobs.queue "
    "workbench.jobs.reporting "
    "workbench.jobs.supervisor "
    "workbench.jobs.view "
    "workbench.jobs.worker",
)
"""The modules of every cycle; one that is gone is taken off this list."""


def test_cycles_are_seen() -> None:
    assert cycles_of({"a": {"b"}, "b": {"a", "c"}, "c": set(), "d": {"e"}, "e": {"f"}, "f": {"d"}}) == [
        {"a", "b"},
        {"d", "e", "f"},
    ]


def test_there_are_no_other_cycles() -> None:
    graph = imports_of("engines", "workbench", "screens")
    assert {"engines.core.errors", "engines.core.system"} <= graph["engines.core.files"], "a late import"
    known = [set(one.split()) for one in REMAINING]
    cycles = cycles_of(graph)
    assert [one for one in cycles if not any(one <= group for group in known)] == []
    assert [group for group in known if group not in cycles] == [], "a cycle that shrank is listed as it was"
