"""Numbers in the text of a problem: found, valued exactly, and replaced by placeholders `N_0`, `N_1`, …"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

__all__ = ["Language", "Masked", "language_of", "mask", "mask_words", "plain_digits", "value_of"]

Language = Literal["en", "zh"]

_ZH = re.compile(r"\d*\(\d+/\d+\)\d*|\d+\.\d+%?|\d+%?")
"""Mixed numbers and fractions in brackets, decimals, integers, these two also with a percent sign."""
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
_EN = re.compile(
    rf"(?<![\w/])(?:{_DIGITS}\s+\d+/\d+|\d+/\d+|{_DIGITS}?\.\d+%?|{_DIGITS}%?)(?!\d|(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"(\d*)\(\(?(\d+)\)?/\(?(\d+)\)?\)")
_MIXED = re.compile(r"(?:(\d+)\s+)?(\d+)/(\d+)")
_DECIMAL = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?")
_LONGEST = 40
_CJK = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_WORDS = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * (place + 2) for place, word in enumerate(_TENS)},
}
_WORD = "|".join(sorted((*_WORDS, *_SCALES), key=len, reverse=True))
_IN_WORDS = re.compile(rf"\b(?:{_WORD})(?:(?:\s+and\s+|\s+|-)(?:{_WORD}))*\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with placeholders for its numbers, which are kept as written and as exact values."""

    text: str
    numbers: tuple[str, ...]
    values: tuple[Fraction, ...]


def language_of(text: str) -> Language:
    """Chinese where a text has a Chinese character or mark, full-width digits aside, otherwise English."""
    return "zh" if _CJK.search(plain_digits(text)) else "en"


def plain_digits(text: str) -> str:
    """The text with full-width digits and what belongs to numbers as plain characters.

    A full-width point, slash or percent sign is changed only beside a full-width digit: elsewhere it ends a
    sentence.

    >>> plain_digits("每小时行３．５千米．")
    '每小时行3.5千米．'
    """

    def plain(found: re.Match[str]) -> str:
        return unicodedata.normalize("NFKC", found[0])

    return re.sub(r"[０-９]+(?:[．／][０-９]+)*％?|(?<=\d)％", plain, text)


@lru_cache(maxsize=2**16)
def value_of(written: str) -> Fraction:
    """The exact value of a number as written.

    Raises: ValueError for what is no number, a denominator of 0 and more than 40 characters included.

    >>> [str(value_of(text)) for text in ("3(1/2)", "12.5%", "1,000", "2 1/3", "((3)/(4))")]
    ['7/2', '1/8', '1000', '7/3', '3/4']
    """
    text = plain_digits(written).strip().replace(",", "")
    short = text if len(text) <= _LONGEST else ""
    try:
        if found := _BRACKETED.fullmatch(short) or _MIXED.fullmatch(short):
            whole, over, under = found.groups()
            return int(whole or 0) + Fraction(int(over), int(under))
        if _DECIMAL.fullmatch(short.removesuffix("%")):
            return Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ZeroDivisionError:
        pass
    raise ValueError(f"{written!r} is no number")


def mask(text: str, language: Language | None = None, *, words: bool = False) -> Masked:
    """Replace the numbers of a problem by placeholders, in order of appearance.

    Args: language: found in the text where it is not given. words: in English, number words such as
    "twenty-five" count as numbers too.

    >>> mask("Tom has 3 pens and buys 1,200 more, 20% off.").text
    'Tom has N_0 pens and buys N_1 more, N_2 off.'
    """
    text = plain_digits(text)
    language = language or language_of(text)
    found = [(match.span(), match[0], value_of(match[0])) for match in _numbers(text, language)]
    if words and language == "en":
        taken = [span for span, _, _ in found]
        found += [
            (match.span(), match[0], _worded(match[0]))
            for match in _IN_WORDS.finditer(text)
            if not any(begin < match.end() and match.start() < end for begin, end in taken)
        ]
        found.sort()
    parts: list[str] = []
    last = 0
    for place, ((begin, end), _, _) in enumerate(found):
        before, after = text[last:begin], text[end : end + 1]
        # A placeholder is a token of its own in English, as in the masked data sets.
        lead = " " if language == "en" and begin and not text[begin - 1].isspace() else ""
        trail = " " if (language == "en" and after.isalnum()) or after == "-" else ""
        parts += [before, lead, f"N_{place}", trail]
        last = end
    parts.append(text[last:])
    return Masked(
        "".join(parts), tuple(written for _, written, _ in found), tuple(value for _, _, value in found)
    )


def mask_words(words: Iterable[str]) -> Masked:
    """Replace the numbers of a segmented Chinese text, where a word begins with one; words are joined.

    >>> mask_words("还剩 (1/6) ， 第3 天".split()).text
    '还剩N_0，第3天'
    """
    parts: list[str] = []
    numbers: list[str] = []
    for word in words:
        found = _ZH.match(plain_digits(word))
        if found and _is_number(found[0]):
            parts.append(f"N_{len(numbers)}{plain_digits(word)[found.end() :]}")
            numbers.append(found[0])
        else:
            parts.append(word)
    return Masked("".join(parts), tuple(numbers), tuple(map(value_of, numbers)))


def _numbers(text: str, language: Language) -> Iterable[re.Match[str]]:
    return (match for match in (_ZH if language == "zh" else _EN).finditer(text) if _is_number(match[0]))


def _is_number(written: str) -> bool:
    try:
        value_of(written)
    except ValueError:
        return False
    return True


def _worded(text: str) -> Fraction:
    """The value of a number in words: "one hundred and five", "twenty-five"."""
    total = part = 0
    for word in re.split(r"[\s-]+", text.lower()):
        if word in _WORDS:
            part += _WORDS[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
    return Fraction(total + part)
