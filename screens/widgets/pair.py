"""The two records that `d` compares: the marked pair of a table."""

from __future__ import annotations

from screens.widgets.rows import Record
from screens.widgets.table import Table

__all__ = ["pair", "why_no_pair"]


def pair(table: Table) -> tuple[Record, Record] | None:
    """The two marked records; a single mark is paired with the record under the cursor. None when there is
    no such pair."""
    marked, here = table.marked, table.current
    if len(marked) == 1 and here is not None and here["id"] != marked[0]["id"]:
        marked.append(here)
    return (marked[0], marked[1]) if len(marked) == 2 else None


def why_no_pair(table: Table, things: str) -> str:
    """Why there is nothing to compare; nothing when there is.

    `things`: what the records are, as in "members".
    """
    if pair(table) is not None:
        return ""
    return f"two {things} have to be marked with space, or one that is not under the cursor"
