"""Topics of Task 2, and formulas found, as rows: the fields that filters know on screen and command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["HIT_FIELDS", "NEAREST_FIELDS", "TOPIC_FIELDS", "topic_address", "topic_row"]

TOPIC_FIELDS = ("topic", "nodes", "judged", "graph", "formula", "latex", "title")
HIT_FIELDS = ("rank", "score", "latex", "formula", "post", "kind", "formulas")
NEAREST_FIELDS = ("rank", "score", "grade", "latex", "formula", "post")
"""Of the formulas nearest to one that is inspected, and of those that a run ranks."""

Found = Mapping[str, Any]


def topic_row(topic: Found, _found: object = None) -> dict[str, Any]:
    """A topic of what `mathamr topics` found."""
    from engines.formula.unicode import unicode_text

    return {
        **topic,
        "topic": topic["id"],
        "judged": sum(topic["judged"]),
        "graph": "yes" if topic["graph"] else "no",
        "formula": unicode_text(topic["latex"]),
    }


def topic_address(spec: Any) -> Callable[[Found], str]:
    """Where notes on topics are kept."""
    from workbench.papers.arqmath.collections import name_of

    home = f"mathamr/{name_of(spec.folder)}/topic"
    return lambda topic: f"{home}/{topic['id']}"
