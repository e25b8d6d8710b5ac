"""The files that ship with the program, the papers' figures among them; and where the user's files live."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

from engines.core.errors import DataError

_HERE = Path(__file__).resolve()
_ROOTS = (_HERE.parents[2] / "assets", _HERE.parents[1] / "_assets")
"""That of a checkout, and that of an installed wheel."""


def asset(relative: str) -> Path:
    """The path of a shipped file or folder, as in `asset("rules/egen.toml")`.

    Raises: DataError (exit code 3) when the installation lacks it.
    """
    for root in _ROOTS:
        path = root / relative
        if path.exists():
            return path
    raise DataError(
        f"the file {relative} that ships with mathwb is missing",
        remedy="Install mathwb again; the installation is incomplete.",
        code="E356",
    )


def models_folder() -> Path:
    """The folder of the models that ship, which may not be there; that of recipes always is."""
    return asset("recipes").parent / "models"


@cache
def reported_tables(paper: str) -> tuple[Mapping[str, Any], ...]:
    """The tables of a paper, as the file has them."""
    import tomllib

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
    """What a paper reports for a measure, by the name of the model; of the first table that has it.

    >>> "egen-both" in reported("egen", "kmeans_accuracy")  # a row of ours in that table
    False
    """
    for table in reported_tables(paper):
        if measure in (column["measure"] for column in table["columns"]):
            rows = {row["name"]: reported_row(paper, table["number"], row["name"]) for row in table["rows"]}
            return {name: row[measure] for name, row in rows.items() if not isnan(row[measure])}
    return {}


def home(kind: str) -> Path:
    """The folder of one kind: `data`, `config`, `state` or `cache`."""
    moved = os.environ.get("MATHWB_HOME")
    if moved:
        return Path(moved).expanduser() / kind
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("mathwb", appauthor=False))
