"""Matches, members, mistakes and neighbours as rows: the fields that filters know on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = [
    "MATCH_FIELDS",
    "MEMBER_FIELDS",
    "MISTAKE_FIELDS",
    "NEIGHBOUR_FIELDS",
    "cluster_address",
    "expression_row",
    "member_address",
    "neighbour_address",
]

MATCH_FIELDS = ("cluster", "head", "verdict", "member", "op")
MEMBER_FIELDS = ("member", "prefix", "infix", "tok", "verdict", "kept", "op")
MISTAKE_FIELDS = ("cost", "query", "expected", "predicted", "note")
NEIGHBOUR_FIELDS = ("cluster", "member", "cosine", "prefix", "infix", "verdict", "same", "op")


Address = Callable[[Mapping[str, Any]], str]


def expression_row(item: Mapping[str, Any], _found: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item that holds an expression in prefix notation, with its operators and the screens' names."""
    row = dict(item)
    row["op"] = str(item.get("prefix", item.get("head", ""))).split()
    if "unicode" in item:
        row["head" if "head" in item else "infix"] = item["unicode"]
    if "tokens" in item:
        row["tok"] = item["tokens"]
    return row


def cluster_address(spec: Any) -> Address:
    """Where notes on the clusters of matches are kept."""
    return lambda match: f"corpus/{spec.corpus.name}/cluster/{match['cluster']}"


def member_address(spec: Any) -> Address:
    """Where notes on the members of a cluster are kept."""
    return lambda member: f"corpus/{spec.corpus.name}/cluster/{spec.cluster}/member/{member['member']}"


def neighbour_address(spec: Any) -> Address:
    """Where notes on neighbours are kept."""
    # Without a corpus it is the sample that ships.
    home = f"corpus/{spec.data.name if spec.data is not None else 'sample-e'}/cluster"
    return lambda found: f"{home}/{found['cluster']}/member/{found['member']}"
