"""The AMR graphs of contexts, by the built-in parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engines.mathamr.context.window import window

if TYPE_CHECKING:
    from engines.mathamr.graph.amr import Graph

__all__ = ["parsed", "window"]


def parsed(contexts: Sequence[str]) -> list[Graph]:
    """The AMR of each context by the built-in parser."""
    from engines.mathamr.parsing.builtin import parse

    return list(parse(contexts))
