"""The symbols of LaTeX, amsmath and amssymb, and the LaTeX that other characters stand for."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from engines.core.errors import DataError
from engines.core.system import asset
from engines.formula.operators import roles


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
    result: dict[str, Symbol] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 3 or columns[1] in result:
            raise DataError("not a row of group, symbol, unicode", path=path, line=number, code="E300")
        result[columns[1]] = Symbol(columns[1], columns[0], columns[2])
    return result


SCRIPTS = {"<super>": "^", "<sub>": "_"}
"""What raised and lowered characters are made of, and the marks of LaTeX."""
_SPELLED = {
    **dict.fromkeys("−–—‐‑‒﹣", "-"),
    **dict.fromkeys("′’´ʹ", "'"),
    "″": "''",
    "‴": "'''",
    "⁗": "''''",
    "∶": ":",
    "⁄": "/",
    "∕": "/",
    "、": ",",
    "∆": r"\Delta",
    "·": r"\cdot",
    "°": r"^{\circ}",
    "√": r"\sqrt",
    "∛": r"\sqrt[3]",
    "∜": r"\sqrt[4]",
    "‖": r"\|",
}


@cache
def _commands() -> Mapping[str, str]:
    """The command of each character that has one; of several the one whose meaning is known."""
    result: dict[str, str] = {}
    for name, symbol in sorted(symbols().items(), key=lambda pair: pair[0] not in roles()):
        character = symbol.unicode
        if len(character) == 1 and not character.isascii() and name[:1] == "\\" and symbol.group != "accents":
            result.setdefault(character, name)
    return result


@cache
def _accents() -> Mapping[str, str]:
    result: dict[str, str] = {}
    for name, symbol in symbols().items():
        if symbol.group == "accents" and symbol.unicode:
            result.setdefault(symbol.unicode, name)
    return result


def accent(character: str) -> str:
    """The command of a combining accent; "" of other characters."""
    return _accents().get(character, "")


def script(character: str) -> str:
    """The mark of a raised or lowered character: ^ or _; "" of other characters."""
    return SCRIPTS.get(unicodedata.decomposition(character).partition(" ")[0], "")


@lru_cache(4096)
def latex_of(character: str) -> str:
    r"""What a character stands for; one of which nothing is known is itself, one that is not seen is nothing.

    >>> latex_of("≤"), latex_of("½"), latex_of("é"), latex_of("ﬁ")
    ('\\leq', '\\frac{1}{2}', "\\'{e}", 'fi')
    """
    if character in _SPELLED:
        return _SPELLED[character]
    if unicodedata.category(character) == "Cf":
        return ""
    kind = unicodedata.decomposition(character).partition(" ")[0]
    plain = unicodedata.normalize("NFKC", character)
    parts = unicodedata.normalize("NFD", character)
    if len(parts) == 2 and parts[0].isalpha() and parts[0].isascii() and (command := accent(parts[1])):
        return f"{command}{{{parts[0]}}}"
    if len(plain) > 1 and plain.isascii() and plain.isalpha():
        return plain
    if kind == "<fraction>" and "⁄" in plain:
        above, _, below = plain.partition("⁄")
        return rf"\frac{{{above}}}{{{below}}}"
    if kind == "<font>" and plain.isascii():
        return character
    if character in _commands() and not unicodedata.name(character, "").startswith("LATIN "):
        return _commands()[character]
    return latex_of(plain) if len(plain) == 1 and plain != character else character
