"""Matches, members and neighbours as rows: the fields that filters know on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["MATCH_FIELDS", "MEMBER_FIELDS", "NEIGHBOUR_FIELDS", "expression_row"]

MATCH_FIELDS = ("cluster", "head", "verdict", "member", "op")
MEMBER_FIELDS = ("member", "prefix", "infix", "tok", "verdict", "kept", "op")
NEIGHBOUR_FIELDS = ("cluster", "member", "cosine", "prefix", "infix", "verdict", "same", "op")


def expression_row(item: Mapping[str, Any], _found: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item that holds an expression in prefix notation, with its operators and the screens' names."""
    row = dict(item)
    row["op"] = str(item.get("prefix", item.get("head", ""))).split()
    if "unicode" in item:
        row["head" if "head" in item else "infix"] = item["unicode"]
    if "tokens" in item:
        row["tok"] = item["tokens"]
    return row
