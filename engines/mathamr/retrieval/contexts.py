"""The sentences around a formula, and their AMR graphs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from engines.mathamr.retrieval.fields import formula_ids

if TYPE_CHECKING:
    from engines.mathamr.graph.amr import Graph

__all__ = ["parsed", "window"]

_ENDS = re.compile(r"(?<=[.?!])\s+(?=[\"A-Z])|\n+")


def window(text: str, formula: str, width: int) -> str:
    """The sentence of a formula in a text with placeholders, and `width` sentences before and after it."""
    parts = [part.strip() for part in _ENDS.split(text) if part.strip()]
    at = next((number for number, part in enumerate(parts) if formula in formula_ids(part)), None)
    if at is None:
        return text
    return " ".join(parts[max(0, at - width) : at + width + 1])


def parsed(contexts: Sequence[str]) -> list[Graph]:
    """The AMR of each context by the built-in parser."""
    from engines.mathamr.graph.amr import Branch, Graph, Node

    try:
        parser: Any = import_module("engines.mathamr.parsing.builtin")
    except ImportError:
        found = []
        for context in contexts:
            branches = [Branch(":value", f'"eqx{name}eqx"') for name in formula_ids(context)]
            found.append(Graph(Node("s", "string-entity", branches)))
        return found
    return list(parser.parse(contexts))
