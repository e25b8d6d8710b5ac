r"""The moduli of residues that words and formulas name: `modulo 7`, `GF(4)`, `\mathbb{Z}_8`, `\pmod 5`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isqrt

_NAMED = re.compile(r"\b(?:[Mm]odulo|mod|modulus|characteristic)\s*\Z")
_SAID = re.compile(
    r"\b(?:(?:[Mm]odulo|mod|modulus|characteristic)\s+|(?P<field>GF)\s*\()(?P<modulus>\d{1,9})\b"
    r"|\b[Ff]ields?\s+(?:of|with|on|having)\s+(?P<size>\d{1,9}|[a-z]+)\s+elements\b"
    r"|\b(?P<number>\d{1,9}|[a-z]+)-element\s+field\b"
)
_WRITTEN = re.compile(
    r"(?:(?P<field>\\F|\\math(?:bb|bf|ds)\s*\{?F\}?|\\(?:operatorname|mathrm|text)\s*\{GF\}|GF|𝔽"
    r"|(?<=\\in)\s*F(?=_\{?\d+\}?\s*(?:\Z|,)))"
    r"|(?P<ring>\\Z|\\math(?:bb|bf|ds)\s*\{?Z\}?|ℤ|(?:(?<=\A)|(?<=\\in)|(?<=∈))\s*Z(?=_\{?\d+\}?\s*(?:\Z|\[|\^))))"
    r"\s*(?:_|/|\()\s*\{?\s*\(?(?:(?P<of>\d{1,9})|(?P<letter>[npq])(?![A-Za-z]))"
    r"|\\(?P<congruence>[pb]?mod)\s*\{?\s*(?P<modulus>\d{1,9})"
)


_DIVISORS = re.compile(
    r"/\s*(?:\\left\s*)?(?:\(|\\langle)\s*(?P<ideal>\d{1,9})"
    r"|/\s*(?P<multiples>\d{1,9})\s*(?:\\(?:mathbb|mathcal|mathfrak|mathrm|Z|cO)|[A-Z])"
    r"|(?<![A-Za-z\\])[UC]\s*(?:_\s*\{?|\()\s*(?P<units>\d{1,9})"
    r"|char[^=]{0,24}=\s*(?P<characteristic>\d{1,9})"
)
"""Rings that are divided by the multiples of a number, their units, cyclic groups, and characteristics."""
_SAID_IN_WORDS = {
    "boolean": 2,
    "binary": 2,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "eleven": 11,
    "thirteen": 13,
    "hours": 12,
    "clock": 12,
}
_CHARACTERISTIC = re.compile(
    r"\b(?P<kind>boolean|binary|hours|clock)\b|\bcharacteristic\s+(?P<number>[a-z]+)"
)


def list_possible_moduli(text: str, *, is_formula: bool) -> list[int]:
    r"""List the numbers that words or a formula may name as moduli besides those that they surely do.

    >>> list_possible_moduli(r"\Z[i]/(3), R/5R, U(8)", is_formula=True)
    [3, 5, 8]
    >>> list_possible_moduli("a field of characteristic two", is_formula=False)
    [2]
    """
    if is_formula:
        return _keep_moduli(int(match[match.lastgroup or 0]) for match in _DIVISORS.finditer(text))
    found = (match["kind"] or match["number"] for match in _CHARACTERISTIC.finditer(text.lower()))
    return [_SAID_IN_WORDS[word] for word in found if word in _SAID_IN_WORDS]


def list_said_moduli(words: str) -> list[int]:
    """List the moduli that words name.

    >>> list_said_moduli("modulo 7, and in GF(9)"), list_said_moduli("in a field with four elements")
    ([7, 3], [2])
    """
    found = []
    for match in _SAID.finditer(words):
        if size := match["size"] or match["number"]:
            number = int(size) if size.isdecimal() else _SAID_IN_WORDS.get(size, 0)
            found.append(_find_characteristic(number))
        else:
            number = int(match["modulus"])
            found.append(_find_characteristic(number) if match["field"] else number)
    return _keep_moduli(found)


def list_written_moduli(latex: str, before: str = "") -> list[int]:
    r"""List the moduli that a formula names. Args: before: the words before it, as `modulo`.

    >>> list_written_moduli(r"x \in \mathbb{Z}_8, y \equiv 1 \pmod{5}"), list_written_moduli("6", "modulo ")
    ([8, 5], [6])
    """
    if _NAMED.search(before) and latex.strip().isdecimal():
        return _keep_moduli([int(latex)])
    return _keep_moduli(
        _find_characteristic(int(match["of"])) if match["field"] else int(match["of"] or match["modulus"])
        for match in _WRITTEN.finditer(latex)
        if not match["letter"]
    )


def names_residue_ring(latex: str) -> bool:
    r"""Return whether a formula names a ring or field of residues.

    >>> names_residue_ring(r"\mathbb{F}_2[x]"), names_residue_ring(r"3 \bmod 2")
    (True, False)
    """
    rings = (match for match in _WRITTEN.finditer(latex) if match["field"] or match["ring"])
    return any(match["of"] for match in rings)


def names_open_ring(latex: str) -> bool:
    r"""Return whether a formula names a ring or field of residues whose modulus is a letter.

    >>> names_open_ring(r"x \in \mathbb{F}_p"), names_open_ring(r"\mathbb{Z}/5\mathbb{Z}")
    (True, False)
    """
    return any(match["letter"] for match in _WRITTEN.finditer(latex))


def equates_residues(latex: str) -> bool:
    r"""Return whether a formula has equals signs for congruences, as `5 = 2 \pmod 3`."""
    return any(
        match["congruence"] == "pmod" and "=" in latex[: match.start()] for match in _WRITTEN.finditer(latex)
    )


def _keep_moduli(numbers: Iterable[int]) -> list[int]:
    return [number for number in numbers if number > 1]


def _find_characteristic(size: int) -> int:
    """Return the prime of which the size of a field is a power; the size itself where it is of none.

    >>> [_find_characteristic(size) for size in (2, 8, 9, 12)]
    [2, 2, 3, 12]
    """
    least = next((divisor for divisor in range(2, isqrt(size) + 1) if size % divisor == 0), size)
    rest = size
    while rest > 1 and rest % least == 0:
        rest //= least
    return least if rest == 1 else size
