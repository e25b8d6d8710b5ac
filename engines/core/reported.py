"""Reported figures: what the papers print, kept in `assets/repro/<paper>.toml` and nowhere else."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from engines.core.assets import asset

__all__ = ["reported", "reported_row", "reported_tables"]


@cache
def reported_tables(paper: str) -> tuple[Mapping[str, Any], ...]:
    """The tables of a paper, as the file has them."""
    return tuple(tomllib.loads(asset(f"repro/{paper}.toml").read_text(encoding="utf-8"))["table"])


def reported_row(paper: str, number: int, name: str) -> dict[str, float]:
    """A row of a table by measure; a figure that is misprinted stands as the paper's other figures give it.

    >>> reported_row("egen", 4, "CL Mean")
    {'kmeans_accuracy': 97.61}
    """
    (table,) = (one for one in reported_tables(paper) if one["number"] == number)
    (row,) = (one for one in table["rows"] if one["name"] == name)
    measures = [column["measure"] for column in table["columns"]]
    return {
        **dict(zip(measures, row["values"], strict=True)),
        **row.get("corrected", {}),
        **row.get("more", {}),
    }


def reported(paper: str, measure: str) -> dict[str, float]:
    """What a paper reports for a measure, by the name of the model; of the first table that has it."""
    for table in reported_tables(paper):
        if measure in (column["measure"] for column in table["columns"]):
            rows = {row["name"]: reported_row(paper, table["number"], row["name"]) for row in table["rows"]}
            return {name: row[measure] for name, row in rows.items()}
    return {}
