"""Read quantities as answers write them: numbers and formulas with a unit, `$5`, `30°`, 42只."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engines.formula.unit_table import BARE_UNITS, UNIT_SYMBOLS
from engines.grading.compound_quantities import read_compound
from engines.grading.numbers import NumberParser, Term, in_words, plain_number
from engines.grading.tokens import (
    TEXT_COMMANDS,
    AnswerToken,
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
    unwrap_texts,
)
from engines.grading.unit_reader import MeasureUnit, names_unit, read_unit
from engines.language.numerals import split_chinese

_CURRENCIES = {"$": "$", "\\$": "$", "€": "€", "£": "£", "¥": "¥", "USD": "usd", "BRL": "brl"}
_UNIT_SIGNS = ("%", "\\%", "€", "\\$", "$", "£", "¢")
_ADJACENT = frozenset(("cm", "km", "mm", "kg", "ft", "in", "mi", "am", "pm"))
"""Short units that need no space before them."""
_RATES = ("a", "an", "each", "every")
"""Words before what a number is for one of."""
_TIMES = ("\\times", "\\cdot")
_MOST_WORDS = 5
_CLASSIFIER = 3
"""Characters of a word that is counted in Chinese."""


def read_figures(text: str) -> Term | None:
    """Read a text that is one number, also with commas, or in several units (2 h 30 min); None for others."""
    number = plain_number(text)
    if text.startswith(("a ", "an ")):
        return read_compound(text)  # an hour and a half
    if number is not None or not (text[0].isdecimal() or text[0] in "-+"):
        return number
    tokens = tokenize(text)
    if any(token.text == "," for token in tokens):
        is_quotient = any(token.text == "/" for token in tokens)
        return _parse_all(text, _join_commas(tokens, thousands=is_quotient, few=False))
    return read_compound(text)


def read_measure(text: str) -> Term | None:
    """Read a number or formula with a unit behind it, or a currency before it; None for other texts."""
    return _MeasureParser(text, tokenize(text)).parse_measure()


def is_quantity(text: str) -> bool:
    """Return whether a text is no more than numbers with known units."""
    if not text[:1].isdecimal() or not text[-1:].isalpha():
        return False
    if read_compound(text) is not None:
        return True
    tokens = tokenize(text)
    last = max(at for at, token in enumerate(tokens) if token.kind == "digits")
    figures = all(token.kind in ("digits", "space") or token.text in tuple(".,/") for token in tokens[:last])
    spaced = last + 1 < len(tokens) and is_blank(tokens[last + 1])
    return figures and spaced and names_unit(text[tokens[last].end :])


def _parse_all(text: str, tokens: Sequence[AnswerToken]) -> Term | None:
    """Return the number that tokens are; None where they are anything else."""
    parser = NumberParser(text, tokens)
    number = parser.parse_number() if tokens else None
    return number if number is not None and parser.at == len(tokens) else None


def _join_commas(tokens: Sequence[AnswerToken], *, thousands: bool, few: bool) -> list[AnswerToken]:
    """Return tokens with commas that part thousands removed, and those before decimals as points.

    Args: thousands: whether commas may part thousands. few: whether one or two digits are decimals.
    """
    result: list[AnswerToken] = []
    at = 0
    while at < len(tokens):
        first = at
        at += 1
        if tokens[first].kind == "digits" and text_at(tokens, first - 1) not in (".", ","):
            while text_at(tokens, at) == "," and at + 1 < len(tokens) and tokens[at + 1].kind == "digits":
                at += 2
        groups = [token.text for token in tokens[first:at:2]]
        start, end = tokens[first].start, tokens[at - 1].end
        if len(groups) == 1 or text_at(tokens, at) == ",":
            result += tokens[first:at]
        elif thousands and len(groups[0]) < 4 and groups[0][0] != "0" and {*map(len, groups[1:])} == {3}:
            result.append(AnswerToken("digits", "".join(groups), start, end))
        elif len(groups) == 2 and (
            (groups[0] == "0" and len(groups[1]) > 1) or (len(groups[1]) < 3 and (few or len(groups[0]) > 3))
        ):
            result += [tokens[first], AnswerToken("sign", ".", end, end), tokens[at - 1]]
        else:
            result += tokens[first:at]
    return result


class _MeasureParser(NumberParser):
    """Parser of a number or formula with a unit."""

    def parse_measure(self) -> Term | None:
        """Return the quantity that the whole text is; None where it is none."""
        return self.parse_currency() or self.parse_plain() or self.parse_marked() or self.parse_counted()

    def read_amount(self, first: int, last: int) -> Term | None:
        """Return the number that a part of the tokens is, whose commas part thousands or decimals."""
        return _parse_all(self.text, _join_commas(self.tokens[first:last], thousands=True, few=True))

    def parse_currency(self) -> Term | None:
        """Parse an amount with its currency before it: `$5 million`, `-€3`."""
        at = int(text_at(self.tokens, 0) in ("-", "+"))
        sign = text_at(self.tokens, 0) if at else ""
        at = skip_blanks(self.tokens, at)
        currency = _CURRENCIES.get(text_at(self.tokens, at))
        if currency is None:
            return None
        at = skip_blanks(self.tokens, at + 1)
        number = at + (text_at(self.tokens, at) in ("-", "+"))
        if not (text_at(self.tokens, number).isdecimal() or text_at(self.tokens, number) == "."):
            return None
        rest = sign + self.text[self.tokens[at].start :]
        amount = _parse_all(rest, _join_commas(tokenize(rest), thousands=True, few=True))
        inside = amount or read_measure(rest) or Term(rest)
        if inside.unit is not None and not inside.unit.measures_only("dollars"):
            return None
        return replace(inside, unit=inside.unit or read_unit(currency))

    def parse_plain(self) -> Term | None:
        """Parse a number with words behind it: `5 cm`, `1,200 square feet`, `9 a.m.`."""
        last = 0
        while last < len(self.tokens) and self.tokens[last].kind not in ("word", "command"):
            last += 1
        if text_at(self.tokens, last) in _TIMES:
            return self.parse_scientific_measure()
        if last == len(self.tokens) or self.tokens[last].kind == "command":
            return None
        end = last
        while end and is_blank(self.tokens[end - 1]):
            end -= 1
        if not end or self.tokens[end - 1].kind != "digits":
            return None
        unit = self.read_words(last, is_spaced=end < last)
        first = int(text_at(self.tokens, 0) in _CURRENCIES)
        number = self.read_amount(first, end) if unit is not None else None
        return None if number is None else replace(number, unit=unit)

    def parse_scientific_measure(self) -> Term | None:
        r"""Parse a number with a power of ten and the symbol of a unit behind it: `1.6 \times 10^{-19} C`."""
        number = self.parse_number()
        behind = skip_blanks(self.tokens, self.at)
        if number is None or number.value is None or behind == self.at or behind >= len(self.tokens):
            return None
        if any(token.kind == "command" for token in self.tokens[behind:]):
            return None
        unit = read_unit(self.text[self.tokens[behind].start :])
        return replace(number, unit=unit) if unit is not None and unit.known else None

    def read_words(self, first: int, *, is_spaced: bool) -> MeasureUnit | None:
        """Return the unit that the words from a token on are; None where they may be letters of a formula."""
        word = self.tokens[first].text
        behind = self.tokens[first + 1 :]
        words = sum(token.kind == "word" for token in behind) + 1
        if words > _MOST_WORDS or any(
            not (
                token.kind == "word"
                or is_blank(token)
                or token.text in tuple("/-.^{}²³123⁻¹·'’")
                or token.text == "sq"
            )
            for token in behind
        ):
            return None
        if word.lower() in _RATES and behind and is_blank(behind[0]) and len(behind[-1].text) > 2:
            return read_unit(f"per {self.text[behind[0].end :]}")  # 30 a week
        unit = read_unit(self.text[self.tokens[first].start :])
        if unit is None:
            return None
        if len(word) > 2 and word < "\u0370":
            return unit if unit.known or is_spaced else None
        dotted = word.lower() in ("a", "p") and text_at(self.tokens, first + 1) == "."
        short = word in BARE_UNITS or (word in UNIT_SYMBOLS and (len(word) > 1 or word == "Ω"))
        squared = word == "m" and text_at(self.tokens, first + 1) in ("²", "³")
        # 20 m s^{-1}: letters of formulas are seldom units all, with one divided by.
        divided = is_spaced and words > 1 and any(token.text in tuple("-⁻") for token in behind)
        allowed = dotted or squared or divided or word in (*_ADJACENT, "sq") or (is_spaced and short)
        return unit if allowed and unit.known else None

    def parse_marked(self) -> Term | None:
        r"""Parse a number or formula with a sign or a text behind it: `5\%`, `30°`, `2\pi \text{ cm}^2`."""
        for at in range(1, len(self.tokens)):
            token, before = self.tokens[at], at
            while before and is_blank(self.tokens[before - 1]):
                before -= 1
            mark = self.tokens[before - 1].text[-1:] if before else ""
            if not (mark.isdecimal() or mark in tuple("})|") or "a" <= mark <= "z"):
                continue
            if token.text in TEXT_COMMANDS:
                end = self.match_group(at)
            elif token.text == "°":
                end = skip_blanks(self.tokens, at + 1)
                end += text_at(self.tokens, end) in ("C", "F")
            else:
                end = at + 1 if token.text in _UNIT_SIGNS else 0
            if end != len(self.tokens):
                continue
            unit = read_unit(self.text[token.start :])
            if unit is not None:
                head = self.text[: self.tokens[before - 1].end]
                return replace(self.read_amount(0, before) or plain_number(head) or Term(head), unit=unit)
        return None

    def match_group(self, at: int) -> int:
        r"""Return the index behind `\text{…}` with its power and what it is divided by; 0 where it is not
        whole."""
        opening = skip_blanks(self.tokens, at + 1)
        if text_at(self.tokens, opening) != "{":
            return 0
        depth, end = 1, opening + 1
        while depth and end < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.tokens[end].text, 0)
            end += 1
        power = skip_blanks(self.tokens, end)
        if text_at(self.tokens, power) == "^":
            power = skip_blanks(self.tokens, power + 1)
            braced = text_at(self.tokens, power) == "{"
            end = power + 1 + 2 * braced
        slash = skip_blanks(self.tokens, end)
        below = skip_blanks(self.tokens, slash + 1)
        if text_at(self.tokens, slash) == "/" and text_at(self.tokens, below) in TEXT_COMMANDS:
            return self.match_group(below)
        return end if not depth else 0

    def parse_counted(self) -> Term | None:
        """Parse a number with a word of another script behind it: 42只, 42 рубля, 15 км/ч, 十二个."""
        if self.text.isascii():
            return None
        tokens = unwrap_texts(self.tokens)
        written = (at for at, token in enumerate(tokens) if token.kind == "word" and token.text != "π")
        first = next(written, len(tokens))
        words = (
            token.text >= "\u0400"
            if token.kind == "word"
            else is_blank(token) or token.text in ("/", "²", "³")
            for token in tokens[first:]
        )
        if first and all(words):
            end = first - is_blank(tokens[first - 1])
            number = _parse_all(self.text, tokens[:end])
            counted = "".join(token.text for token in tokens[first:]).removesuffix("です")
            unit = read_unit(counted)
            if number is None and unit is not None and unit.known and tokens[end - 1].text == "π":
                number = Term(self.text[: tokens[end - 1].end])
            several = any(map(is_blank, tokens[first:]))
            if number is not None and unit is not None and (unit.known or not several):
                return replace(number, unit=unit)
        numeral, counted = split_chinese(self.text)
        if numeral and len(counted) <= _CLASSIFIER and (number := in_words(numeral)) is not None:
            unit = read_unit(counted)
            return replace(number, unit=unit) if unit is not None or not counted else None
        return None
