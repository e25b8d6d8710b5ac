"""Roman numerals beside numbers in figures: 14 is XIV."""

from __future__ import annotations

from itertools import pairwise

from engines.grading.verdicts import GradeVerdict, differ_by

_SIGNS = {
    "M": 1000,
    "CM": 900,
    "D": 500,
    "CD": 400,
    "C": 100,
    "XC": 90,
    "L": 50,
    "XL": 40,
    "X": 10,
    "IX": 9,
    "V": 5,
    "IV": 4,
    "I": 1,
}
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_LARGEST = 3_999


def compare_roman(gold: str, pred: str) -> GradeVerdict | None:
    """Compare a number in figures and one in Roman numerals; None for other answers.

    >>> compare_roman("14", "XIV").outcome, compare_roman("IX", "11").outcome, compare_roman("14", "AB")
    ('equal', 'different', None)
    """
    texts = [text.strip(" .$") for text in (gold, pred)]
    figures = [text for text in texts if text.isdecimal() and text.isascii() and len(text) <= len("3999")]
    roman = next((text for text in texts if not text.isdecimal()), "")
    # A single letter may be a variable, and CD a segment.
    if len(figures) != 1 or len(roman) < 2 or not {*roman} & {*"IVX"} or not {*roman} <= _VALUES.keys():
        return None
    values = [*(_VALUES[letter] for letter in roman), 0]
    total = sum(one if one >= other else -one for one, other in pairwise(values))
    if not 0 < total <= _LARGEST or _write_roman(total) != roman:
        return None
    if total == int(figures[0]):
        return GradeVerdict("equal", reason=f"{roman} is a Roman numeral")
    return differ_by(f"{roman} is {total}")


def _write_roman(number: int) -> str:
    written = ""
    for signs, value in _SIGNS.items():
        written += signs * (number // value)
        number %= value
    return written
