"""The symbols of LaTeX, amsmath and amssymb: their groups and what they look like in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engines.core.assets import asset
from engines.core.errors import DataError

__all__ = ["Symbol", "symbols"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """`name` as it is written (`\\alpha`, `pmatrix`, `=`), its `group`, and its Unicode text, "" where it has
    none of its own. Accents have a combining character."""

    name: str
    group: str
    unicode: str


@cache
def symbols() -> Mapping[str, Symbol]:
    """Every symbol by name, in the order of `assets/latex/symbols.tsv`: commoner groups and symbols first."""
    path = asset("latex/symbols.tsv")
    found: dict[str, Symbol] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 3 or columns[1] in found:
            raise DataError("not a row of group, symbol, unicode", path=path, line=number, code="E300")
        found[columns[1]] = Symbol(columns[1], columns[0], columns[2])
    return found
