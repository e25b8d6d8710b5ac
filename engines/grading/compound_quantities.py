"""Read quantities in several units of one kind as one number: `2 h 30 min` is 150 min, `5'6"` 66 inches."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from engines.grading.numbers import NumberParser, Term
from engines.grading.tokens import tokenize, unwrap_texts
from engines.grading.unit_reader import MeasureUnit, read_unit
from engines.language.numerals import read_numeral

_FEET, _INCHES = ("'", "′"), ('"', "″", "''")
_JOINS = ("and", "und", "et", "y", "e", "и")
_IN_MINUTES = ("h", "hour", "hours", "uhr", "heures", "heure")
_HOUR = 60
_IN_CENTS = ("dollar", "dollars", "euro", "euros")


def read_compound(text: str) -> Term | None:
    r"""Read a quantity in several units of one kind, the larger first, as the sum in the last.

    >>> read_compound("2 h 30 min").value, read_compound("5'6\"").unit.text
    (Fraction(150, 1), 'inches')
    >>> read_compound("an hour and a half").value, read_compound("3 dollars 75").value
    (Fraction(3, 2), Fraction(15, 4))
    """
    return _CompoundParser(text, unwrap_texts(tokenize(text))).parse_compound()


def _is_cents(text: str) -> bool:
    return len(text) == len("00") and text.isdecimal()


class _CompoundParser(NumberParser):
    """Parser of numbers, each with its unit."""

    def parse_compound(self) -> Term | None:
        """Return the sum in the last unit; None where the units are not of one kind, the larger first."""
        parts: list[tuple[Fraction, MeasureUnit]] = []
        self.take_space()
        while self.at < len(self.tokens):
            if len(parts) == 1 and (part := self.read_part(*parts[0])) is not None:
                ((whole, only),) = parts
                return Term(str(whole + part), whole + part, unit=only)
            amount = self.take_amount()
            unit = self.take_unit(parts[-1][1] if parts else None)
            if amount is None or unit is None or not unit.known:
                return None
            parts.append((amount, unit))
            self.take(",")
            self.take_space()
            if self.take(*_JOINS):
                self.take_space()
        falling = all(one.factor > other.factor for (_, one), (_, other) in pairwise(parts))
        if len(parts) < 2 or len({unit.powers for _, unit in parts}) != 1 or not falling:
            return None
        last = parts[-1][1]
        total = sum((amount * unit.factor for amount, unit in parts), Fraction(0)) / last.factor
        return Term(str(total), total, unit=last)

    def read_part(self, whole: Fraction, unit: MeasureUnit) -> Fraction | None:
        """Return what the rest adds to a whole number of a unit: a fraction in words, or the cents behind
        dollars and the minutes behind hours, which need not be called so; None for other texts."""
        rest = self.text[self.tokens[self.at].start :].strip()
        if whole.denominator != 1:
            return None
        if (
            rest.isdecimal()
            and len(rest) == len("30")
            and unit.text.lower() in _IN_MINUTES
            and int(rest) < _HOUR
        ):
            return Fraction(int(rest), _HOUR)
        if _is_cents(rest) and unit.text.lower() in _IN_CENTS:
            return Fraction(int(rest), 100)
        part = read_numeral(rest)
        return part if part is not None and 0 < part < 1 else None

    def take_amount(self) -> Fraction | None:
        if self.take("a", "an"):
            self.take_space()
            return Fraction(1)
        digits = self.take_digits()
        decimals = self.take_digits() if digits and self.peek(1).isdecimal() and self.take(".") else ""
        self.take_space()
        return Fraction(f"{digits}.{decimals or 0}") if digits else None

    def take_unit(self, before: MeasureUnit | None) -> MeasureUnit | None:
        """Take one word or mark of a unit; a prime means minutes behind degrees, and feet elsewhere."""
        if self.at >= len(self.tokens):
            return None
        token = self.tokens[self.at]
        self.at += 1
        if token.text in _FEET:
            if token.text == "'" and self.take("'"):
                return read_unit("inches")
            is_angle = before is not None and before.measures_only("angle")
            return read_unit("arcminutes" if is_angle else "feet")
        if token.text in _INCHES:
            return read_unit("inches")
        if token.kind != "word" and token.text != "°":
            return None
        word = token.text
        while word[-1] >= "\u3040" and self.at < len(self.tokens) and self.tokens[self.at].kind == "word":
            word += self.tokens[self.at].text
            self.at += 1
        self.take(".")
        # The cents behind euros are those of a euro.
        of_euros = before is not None and before.measures_only("euros")
        return read_unit("centimes" if of_euros and word.lower() in ("cent", "cents") else word)
