"""Numbers as answers have them: in digits, as fractions and mixed numbers, in another base, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from engines.egen.grading.units import Unit
from engines.language.number_words import SMALL, TENS


@dataclass(frozen=True, slots=True)
class Term:
    """A formula or number. `value` is that of a plain number, `decimals` how many it is written with; `begun`
    how many are written of one that goes on, as 0.333…"""

    text: str
    value: Fraction | None = None
    decimals: int | None = None
    unit: Unit | None = None
    base: int = 10
    begun: int = 0


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
    if found := _DECIMAL.fullmatch(text):
        value = Fraction(f"{found[1]}{found[2] or 0}.{found[3]}")
        return Term(text, value, len(found[3]))
    if not text[0].isdigit() and text[0] not in "-+\\.":
        return None
    if "." in text:
        if found := _PERIODIC.fullmatch(text):
            return Term(text, _periodic(found[1], found[2], found[3] or found[4]))
        if found := _GOING_ON.fullmatch(text):
            return _going_on(*found.groups())
    if text[-1] not in "0123456789}":
        return None
    minus = -1 if text.startswith("-") else 1
    if found := _FRACTION.fullmatch(text):
        above, below = int(found[2] or found[3]), int(found[4] or found[5])
        return Term(text, minus * Fraction(above, below)) if below else None
    if found := _SLASH.fullmatch(text):
        return Term(text, Fraction(int(found[1]), int(found[2]))) if int(found[2]) else None
    if found := _MIXED.fullmatch(text):
        return _mixed(text, minus, found[2], found[3] or found[4], found[5] or found[6])
    if found := _MIXED_SLASH.fullmatch(text):
        return _mixed(text, minus, *found.groups()[1:])
    if found := _SPACED.fullmatch(text):
        return plain_number(text.replace(" ", ""))
    if found := _SCIENTIFIC.fullmatch(text):
        return Term(text, Fraction(found[1]) * Fraction(10) ** int(found[2] or found[3]))
    if found := _BASED.fullmatch(text):
        return _based(text, found[1], found[2] or "", int(found[3]))
    return None


_PERIODIC = re.compile(
    r"([-+]?\d{0,400})\.(\d{0,400})(?:\\overline\s*\{?\s*(\d{1,400})\s*\}?|\((\d{1,400})\))"
)
_GOING_ON = re.compile(r"([-+]?\d{0,400})\.(\d{1,400})\s*(?:…|\{?\\(?:l|c)?dots\}?)")
_SHOWN = re.compile(r"(\d)\1{2,}$|(\d{2,}?)\2+$")
"""A digit that stands at the end three times, or several that stand there twice."""


def _periodic(whole: str, digits: str, period: str) -> Fraction:
    r"""`0.1\overline{6}` as 1/6."""
    minus = -1 if whole.startswith("-") else 1
    begun = Fraction(int(whole.lstrip("+-") + digits or "0"), 10 ** len(digits))
    return minus * (begun + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(digits)))


def _going_on(whole: str, digits: str) -> Term:
    """`0.333…`: the number whose digits go on as they end, where they repeat themselves."""
    found = _SHOWN.search(digits)
    value = None if found is None else _periodic(whole, digits, found[1] or found[2])
    return Term(f"{whole or '0'}.{digits}", value, begun=len(digits))


def _mixed(text: str, minus: int, whole: str, above: str, below: str) -> Term | None:
    if int(below) <= int(above):
        return None
    return Term(text, minus * (int(whole) + Fraction(int(above), int(below))))


def _based(text: str, whole: str, part: str, base: int) -> Term | None:
    if not 2 <= base <= 36:
        return None
    try:
        value = Fraction(int(whole + part, base), base ** len(part))
    except ValueError:
        return None
    return Term(text, value, base=base)


def in_words(text: str) -> int | None:
    """A whole number below 100 in words: `forty-two`, `minus three`."""
    minus, _, rest = text.lower().rpartition("minus " if "minus" in text.lower() else "negative ")
    tens, _, ones = rest.strip().replace("-", " ").rpartition(" ")
    if minus.strip() or (tens and tens not in TENS):
        return None
    if ones in TENS and not tens:
        value = TENS[ones]
    elif ones in SMALL and (not tens or 0 < SMALL[ones] < 10):
        value = SMALL[ones] + (TENS[tens] if tens else 0)
    else:
        return None
    return -value if rest != text.lower() else value
