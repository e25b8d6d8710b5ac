"""Numbers as answers have them: in digits, as fractions and mixed numbers, in another base, in words, with a
unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.grading.unit_reader import MeasureUnit, read_unit
from engines.language.numerals import read_numeral


@dataclass(frozen=True, slots=True)
class Term:
    """A formula or number.

    Args:
        text: What was written.
        value: The value of a plain number.
        decimals: How many decimals it is written with.
        unit: Its unit.
        base: The base of its digits.
        shown_digits: How many decimals are written of a number that goes on, as 0.333…
        tree: What the text was read as, if it was.
    """

    text: str
    value: Fraction | None = None
    decimals: int | None = None
    unit: MeasureUnit | None = None
    base: int = 10
    shown_digits: int = 0
    tree: Tree | None = None

    @property
    def significant(self) -> int:
        """How many significant digits a decimal is written with: zeros in front do not count."""
        return len(str(abs(self.value * 10**self.decimals).numerator)) if self.value and self.decimals else 0


_INTEGER = re.compile(r"[-+]?\d{1,400}")
_DECIMAL = re.compile(r"([-+]?)(\d{0,400})\.(\d{1,400})")
_FRACTION = re.compile(
    r"([-+]?)\s*\\frac\s*(?:\{\s*([-+]?\d{1,400})\s*\}|(\d))\s*(?:\{\s*(\d{1,400})\s*\}|(\d))"
)
_SLASH = re.compile(r"([-+]?\d{1,400})\s?/\s?(\d{1,400})")
_MIXED = re.compile(r"([-+]?)(\d{1,400})\s*\\frac\s*(?:\{(\d{1,400})\}|(\d))\s*(?:\{(\d{1,400})\}|(\d))")
_MIXED_SLASH = re.compile(r"([-+]?)(\d{1,400})\s(\d{1,400})/(\d{1,400})")
_SPACED = re.compile(r"([-+]?\d{1,3}(?: \d{3})+)(\.\d+)?")
_SCIENTIFIC = re.compile(
    r"([-+]?\d{1,40}(?:\.\d{1,40})?)\s*(?:(?:\\times|\\cdot|\*|x)\s*10\s*\^\s*\{?\s*(-?\d{1,3})\s*\}?|[eE]([-+]?\d{1,3}))"
)
_BASED = re.compile(r"([0-9A-Z]{1,200})(?:\.([0-9A-Z]{1,200}))?_\s*\{?\s*(\d{1,2})\s*\}?")


def plain_number(text: str) -> Term | None:
    r"""A text that is one number: `-7`, `2.50`, `\frac{3}{4}`, `3/4`, `1\frac12`, `1 1/2`, `10 000`, `204_5`.

    >>> plain_number(r"1\frac12").value
    Fraction(3, 2)
    """
    if _INTEGER.fullmatch(text):
        return Term(text, Fraction(int(text)), 0)
    if match := _DECIMAL.fullmatch(text):
        value = Fraction(f"{match[1]}{match[2] or 0}.{match[3]}")
        return Term(text, value, len(match[3]))
    if not text[0].isdigit() and text[0] not in "-+\\.":
        return None
    if "." in text:
        if match := _PERIODIC.fullmatch(text):
            return Term(text, _read_periodic(match[1], match[2], match[3] or match[4]))
        if match := _GOING_ON.fullmatch(text):
            return _going_on(*match.groups())
    if text[-1] not in "0123456789}":
        return None
    minus = -1 if text.startswith("-") else 1
    if match := _FRACTION.fullmatch(text):
        above, below = int(match[2] or match[3]), int(match[4] or match[5])
        return Term(text, minus * Fraction(above, below)) if below else None
    if match := _SLASH.fullmatch(text):
        return Term(text, Fraction(int(match[1]), int(match[2]))) if int(match[2]) else None
    if match := _MIXED.fullmatch(text):
        return _read_mixed_number(text, minus, match[2], match[3] or match[4], match[5] or match[6])
    if match := _MIXED_SLASH.fullmatch(text):
        return _read_mixed_number(text, minus, *match.groups()[1:])
    if match := _SPACED.fullmatch(text):
        return plain_number(text.replace(" ", ""))
    if match := _SCIENTIFIC.fullmatch(text):
        return Term(text, Fraction(match[1]) * Fraction(10) ** int(match[2] or match[3]))
    if match := _BASED.fullmatch(text):
        return _read_based_number(text, match[1], match[2] or "", int(match[3]))
    return None


_PERIODIC = re.compile(
    r"([-+]?\d{0,400})\.(\d{0,400})(?:\\overline\s*\{?\s*(\d{1,400})\s*\}?|\((\d{1,400})\))"
)
_GOING_ON = re.compile(r"([-+]?\d{0,400})\.(\d{1,400})\s*(?:…|\{?\\(?:l|c)?dots\}?)")
_SHOWN = re.compile(r"(\d)\1{2,}$|(\d{2,}?)\2+$")
"""A digit that stands at the end three times, or several that stand there twice."""


def _read_periodic(whole: str, digits: str, period: str) -> Fraction:
    r"""`0.1\overline{6}` as 1/6."""
    minus = -1 if whole.startswith("-") else 1
    before_period = Fraction(int(whole.lstrip("+-") + digits or "0"), 10 ** len(digits))
    return minus * (before_period + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(digits)))


def _going_on(whole: str, digits: str) -> Term:
    """`0.333…`: the number whose digits go on as they end, where they repeat themselves."""
    match = _SHOWN.search(digits)
    value = None if match is None else _read_periodic(whole, digits, match[1] or match[2])
    return Term(f"{whole or '0'}.{digits}", value, shown_digits=len(digits))


def _read_mixed_number(text: str, minus: int, whole: str, above: str, below: str) -> Term | None:
    if int(below) <= int(above):
        return None
    return Term(text, minus * (int(whole) + Fraction(int(above), int(below))))


def _read_based_number(text: str, whole: str, part: str, base: int) -> Term | None:
    if not 2 <= base <= 36:
        return None
    try:
        value = Fraction(int(whole + part, base), base ** len(part))
    except ValueError:
        return None
    return Term(text, value, base=base)


def in_words(text: str) -> Term | None:
    """Read a number in words: `forty-two`, `minus three`, `three quarters`, `十二`, `fifty percent`."""
    for word, percent in (("percent", "%"), ("per cent", "%")):
        if text.lower().endswith(f" {word}") and (value := read_numeral(text[: -len(word)])) is not None:
            return Term(str(value), value, unit=read_unit(percent))
    if text.startswith("百分之") and (value := read_numeral(text.removeprefix("百分之"))) is not None:
        return Term(str(value), value, unit=read_unit("%"))
    value = read_numeral(text)
    return None if value is None else Term(text, value, 0 if value.denominator == 1 else None)
