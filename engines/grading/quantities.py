"""Quantities in one or several units, as answers write them: `2 h 30 min`, `5 ft 6 in`."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from engines.grading.numbers import Term
from engines.grading.unit_reader import names_unit, read_unit

_ONE = re.compile(r"[\d.,/ ]*\d\s+([^\d]+)")
_FEET = re.compile(r"^(\d+)\s?['′]\s?(\d+)\s?(?:\"|″|'')$")
_MINUTES = re.compile(r"^(\d+)\s?°\s?(\d+)\s?['′]$")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(\s*)([^\W\d_]+\.?|°)((?:,?\s+(?:and\s+|und\s+|et\s+)?|\s*)(?=\d)|$)")


def read_quantity(text: str) -> Term | None:
    r"""Read a quantity in several units of one kind, the larger first, as the sum in the last.

    >>> read_quantity("2 h 30 min").value, read_quantity("5'6\"").unit.text
    (Fraction(150, 1), 'inches')
    """
    text = _FEET.sub(r"\1 feet \2 inches", text)
    text = _MINUTES.sub(lambda match: f"{match[1]} ° {match[2]} arcminutes", text)
    pieces = _QUANTITY.findall(text)
    if len(pieces) < 2 or "".join("".join(piece) for piece in pieces) != text:
        return None
    units = [read_unit(word) for _, _, word, _ in pieces]
    if any(one is None or not one.known for one in units):
        return None
    known = [one for one in units if one is not None]
    falling = all(one.factor > other.factor for one, other in pairwise(known))
    if len({one.powers for one in known}) != 1 or not falling:
        return None
    numbers = [Fraction(number) for number, *_ in pieces]
    last = known[-1]
    total = sum((number * one.factor for number, one in zip(numbers, known, strict=True)), Fraction(0))
    return Term(str(total / last.factor), total / last.factor, unit=last)


def is_quantity(text: str) -> bool:
    """Return whether a text is no more than numbers with known units."""
    if not text[:1].isdigit() or not text[-1:].isalpha():
        return False
    return read_quantity(text) is not None or (
        (match := _ONE.fullmatch(text)) is not None and names_unit(match[1])
    )
