"""Numbers in the text of a problem: found, valued exactly, and replaced by placeholders `N_0`, `N_1`, …

What `mask` finds in a text, `value_of` reads, in digits and in words, English and Chinese alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Literal

from engines.language.english import SCALES, SMALL, TENS
from engines.language.numerals import HAN_DIGITS, HAN_UNITS, read_chinese

Language = Literal["en", "zh"]

_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"
_THIN = "[\u00a0\u2009\u202f]"
"""Blanks that only separate thousands; an ordinary one does before a group that begins with 0."""
_GROUPED = (
    rf"\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?!\d)|\d{{1,3}}(?:{_THIN}\d{{3}})+(?!\d)"
    r"|\d{1,3}(?: \d{3})*? 0\d{2}(?: \d{3})*(?!\d)"
)
_DIGITS = rf"(?:(?<!\d)(?:{_GROUPED})|\d+)"
_VALUE = rf"(?:{_DIGITS}?\.\d+|{_DIGITS})"
_PERCENT = r"\s?[%‰]|[\s-]+per\s?cent\b"
_MONEY = rf"[$€£]\s?{_VALUE}\s?(?:k|m|mn|b|bn|K|M|B)\b"
"""Money in thousands, millions and billions: `$1.5k`. Without a sign of money `5 m` are metres."""
_OPERATOR = r"[\d.+*/=×÷-]"
_ZH = (
    r"\d+又(?:\(\d+/\d+\)|\d+/\d+|\d+分之\d+)|\d*\(\d+/\d+\)|\d+分之\d+"
    rf"|[百千万]分之\d+(?:\.\d+)?|{_DIGITS}?[{_VULGAR}]"
    rf"|(?<!{_OPERATOR})\d+/\d+(?!{_OPERATOR}|的?[商积和差])|{_DIGITS}\.\d+(?:\s?[%‰])?|{_DIGITS}(?:\s?[%‰])?"
)
"""A fraction without brackets is one where it is no part of a calculation."""
_EN = (
    rf"{_MONEY}|(?<![\w/])(?:{_DIGITS}\s+(?:and\s+)?\d+[/⁄]\d+|\d+[/⁄]\d+|{_DIGITS}?\s?[{_VULGAR}])"
    r"(?:rds?\b|ths?\b)?(?!\d|[/⁄]\d)"
    rf"|(?<![\w/]){_VALUE}(?:{_PERCENT})?(?!\d|[/⁄]\d|(?:st|nd|rd|th)\b)"
)
_PLAIN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,30}(?:\.\d{1,30})?|\.\d{1,30}")
_FRACTION = re.compile(r"(?:(\d+)(?:\s+(?:and\s+)?|又|(?=\()))?\(*(\d+)\)?[/⁄]\(?(\d+)\)*(?:rds?|ths?)?")
_DECIMAL = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?"
_LONGEST = 40

_ORDINALS = ("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PARTS = {"half": 2, "quarter": 4, "hundredth": 100} | {name: at + 3 for at, name in enumerate(_ORDINALS)}
_WORDS = SMALL | TENS
_HINT = re.compile("|".join([*_WORDS, *SCALES, *_PARTS, "hundred", "dozen"]), re.IGNORECASE)
"""Every number in English words has one of these; it is compiled at once, and the whole pattern is not."""


def _english_pattern() -> str:
    """Return the pattern of numbers in English words. "Five twenty-dollar bills" are two numbers,
    "twenty-five" is one: a unit follows tens, tens no unit, and a word that a hyphen ties to its noun
    begins another.
    """
    unit, tens, scale = "|".join([*SMALL][1:10]), "|".join(TENS), "|".join(SCALES)
    # `below` is a number under 100, `hundreds` one under 1,000 (with `a hundred`), both not tied to an
    # ordinal: `twenty-first` is none.
    below = rf"(?:(?:{tens})(?:-(?:{unit})|\s+(?:{unit})(?!-[a-z]))?|{'|'.join(reversed(SMALL))})\b"
    below += rf"(?!-(?:first|second|{'|'.join(_ORDINALS)})\b)"
    rest = rf"[\s-]+(?:and\s+)?{below}(?!-[a-z]|[\s-]+hundred)"
    hundreds = rf"(?:(?:{below}|an?\b)[\s-]+hundred\b(?:{rest})?|hundred\b{rest}|{below})"
    digits = rf"(?<![\w/.])(?:(?:\d+\s+)?\d+[/⁄]\d+|{_DIGITS}?\s?[{_VULGAR}]|{_VALUE})"
    count = rf"(?:{hundreds}|an?\b|{digits})"
    # `two million three thousand`: scales only fall, and each may be left out.
    parts = [rf"{count}[\s-]+{name}\b" for name in reversed(SCALES)]
    large = "|".join(
        part + "".join(rf"(?:,?\s+{less})?" for less in parts[index + 1 :])
        for index, part in enumerate(parts)
    )
    whole = (
        rf"(?:(?:{large})(?:,?\s+(?:and\s+)?{hundreds}(?!-[a-z]|[\s-]+(?:{scale})))?"
        rf"|{digits}\s+hundred\b|{hundreds})"
    )
    # Fractions need a word behind or a hyphen, since `a third` and `second` are more often ordinals.
    named = "|".join(name for name in _PARTS if name not in ("half", "quarter"))
    fraction = (
        rf"(?:(?<!-)(?:one|an?)[\s-]half\b|(?:{unit})-(?:quarter|{named})\b|(?:one|an?)\s+(?:quarter|{named})(?=\s+(?:of|as)\b)"
        rf"|{below}-quarters\b|{below}\s+quarters(?=\s+(?:of|as)\b)|{below}[\s-](?:{named})s\b)"
    )
    part = rf"(?:{fraction}|(?:an?|one)[\s-]+(?:half|quarter|{named})\b)"
    half = r"(?<!first )(?<!second )(?<!other )half(?=\s+(?:of|as|an?|the)\b)"
    dozen = rf"(?:(?:half\s+an?\s+|(?:an?\s+)?half[\s-]|an?\s+|{hundreds}[\s-]+|{digits}\s+)dozen)\b"
    decimals = rf"{whole}\s+point(?:\s+(?:oh|zero|one|{unit})\b)+"
    percent = rf"(?:{decimals}|{whole})(?:\s?%|[\s-]+per\s?cent\b)"
    parted = rf"(?:{whole}|{_VALUE})[\s-]+and[\s-]+{part}"
    # Longer readings come first, since the first alternative that matches is taken.
    return rf"\b(?:{dozen}|{parted}|{percent}|{decimals}|{fraction}|{whole}|{half})"


_HAN = "".join(HAN_DIGITS)
_HAN_NUMBER = rf"(?:[{_HAN}十](?:[{_HAN}十百万亿]|千(?![米克瓦卡]))*(?:点[{_HAN}]+)?)"
_BANK_NUMBER = (
    "(?:(?:[壹贰貳叁參肆伍陆陸柒捌玖零〇]+[拾佰仟萬億万亿]+)+[壹贰貳叁參肆伍陆陸柒捌玖]?"
    "|拾[壹贰貳叁參肆伍陆陸柒捌玖]|[廿卅][一二三四五六七八九]?)"
)
"""Signs of cheques, which are numbers only where a digit and a unit stand together; most are names too."""


def _chinese_pattern() -> str:
    """Return the pattern of numbers in Chinese words.

    It leaves out ordinals (第三), days (星期三), vague numbers (几十) and shapes (三角形); 一 alone is an
    article.
    """
    count = rf"(?:{_HAN_NUMBER}|\d+(?:\.\d+)?)"
    signs = f"{_HAN}{''.join(HAN_UNITS)}"
    return (
        rf"(?:{count}又)?(?:{count}|[百千万])分之{count}|{count}个半|一半"
        r"|(?<![前后上下大多])半(?=[个小天年月日斤吨箱袋瓶块米公千里])"
        r"|(?<![\d.])\d+(?:\.\d+)?(?:(?:[百万亿]|千(?![米克瓦卡]))+(?:\d+(?![\d.]))?)+(?!分之)"
        rf"|{_BANK_NUMBER}|(?<![第几数{signs}\d])[百千]万(?=[元人个只棵株吨亩])"
        rf"|(?<![第初期周拜几数{signs}])(?!零下){_HAN_NUMBER}(?!年级|分之|[角边面轮字川季金手楼班月号几多]|千(?![米克瓦卡]))"
        rf"(?![{signs.replace('千', '')}])"
    )


_EN_FOUND = re.compile(_EN, re.IGNORECASE)
_ZH_FOUND = re.compile(_ZH)


@cache
def _word_pattern(language: Language, *, digits: bool = False) -> re.Pattern[str]:
    """Return the pattern of numbers in words, or in words and digits. To compile one takes long, so each is
    compiled when it is first needed."""
    if language == "en":
        return re.compile(_english_pattern() + (f"|{_EN}" if digits else ""), re.IGNORECASE)
    return re.compile(_chinese_pattern() + (f"|{_ZH}" if digits else ""))


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text with placeholders for its numbers, which are kept as written and as exact values."""

    text: str
    numbers: tuple[str, ...]
    values: tuple[Fraction, ...]


def language_of(text: str, *, without: Language = "en") -> Language:
    """Return Chinese for a text with more Chinese characters than words in letters, otherwise English.

    Args:
        without: The language of a text that has neither, as a calculation alone.

    >>> language_of("Tom和Ann共有5个苹果"), language_of("李明 has 5 pens ， how many ？")
    ('zh', 'en')
    """
    text = re.sub(r"N_\d+", "", text)
    chinese, words = len(re.findall("[㐀-鿿]", text)), len(re.findall(r"[^\W\d_㐀-鿿]{2,}", text))
    return without if not (chinese or words) else "zh" if chinese > words else "en"


def plain_digits(text: str) -> str:
    """Return the text with full-width digits and what belongs to numbers as plain characters.

    A full-width point, comma, slash or percent sign is changed only beside a full-width digit: elsewhere it
    ends a sentence or parts a list.

    >>> plain_digits("每小时行３．５千米．")
    '每小时行3.5千米．'
    """

    def to_plain(match: re.Match[str]) -> str:
        return unicodedata.normalize("NFKC", match[0])

    return re.sub(r"[０-９]+(?:，[０-９]{3}(?![０-９]))*(?:[．／][０-９]+)*％?|(?<=\d)％", to_plain, text)


@lru_cache(maxsize=2**16)
def value_of(written: str) -> Fraction:
    """Return the exact value of a number as written, in digits or in words.

    Raises:
        ValueError: For what is no number, a denominator of 0 and more than 40 characters in digits included.

    >>> [str(value_of(text)) for text in ("3(1/2)", "12.5%", "1,000", "2 1/3", "((3)/(4))", "1½", "3又1/2")]
    ['7/2', '1/8', '1000', '7/3', '3/4', '3/2', '7/2']
    >>> [str(value_of(text)) for text in ("two-thirds", "two and a half", "一百二十", "三分之二")]
    ['2/3', '5/2', '120', '2/3']
    """
    text = plain_digits(written).strip()
    try:
        if len(text) <= _LONGEST and (value := _of_digits(text)) is not None:
            return value
        # What follows says of some words that they are numbers: one third of, half of.
        if (match := _word_pattern("en").match(f"{text} of")) and match.end() == len(text):
            return _of_english(text.lower())
        if (match := _word_pattern("zh").match(f"{text}个")) and match.end() == len(text):
            return _of_chinese(text)
    except (ZeroDivisionError, ValueError):
        pass
    raise ValueError(f"{written!r} is not a number")


def _of_digits(text: str) -> Fraction | None:
    text = re.sub(
        f"[{_VULGAR}]", lambda digits_match: f" {unicodedata.normalize('NFKC', digits_match[0])}", text
    )
    if match := re.fullmatch(r"(?:(\d+)又)?(\d+|[百千万])分之(\d+(?:\.\d+)?)", text):
        whole, under, over = match.groups()
        return int(whole or 0) + Fraction(over) / int(HAN_UNITS.get(under, under))
    text = re.sub(
        rf"(?<!\d)(?:{_GROUPED})", lambda digits_match: re.sub(r"\D", "", digits_match[0]), text
    ).strip()
    if match := _FRACTION.fullmatch(text):
        whole, over, under = match.groups()
        return int(whole or 0) + Fraction(int(over), int(under))
    if match := re.fullmatch(rf"[$€£]\s?({_DECIMAL})\s?(k|mn?|bn?)", text, re.IGNORECASE):
        return Fraction(match[1]) * {"k": 10**3, "m": 10**6, "b": 10**9}[match[2][0].lower()]
    if match := re.fullmatch(rf"({_DECIMAL})({_PERCENT})?", text, re.IGNORECASE):
        return Fraction(match[1]) / {"": 1, "‰": 1000}.get((match[2] or "").strip(), 100)
    return None


def _of_english(text: str) -> Fraction:
    """Return the value of a number in words: "one hundred and five", "two and a half", "three dozen"."""
    if match := re.fullmatch(r"(.+?)(?:\s?%|[\s-]+per\s?cent)", text):
        return _of_english(match[1]) / 100
    if match := re.fullmatch(r"(.+?)\s+point\s+(.+)", text):
        digits = "".join(str(0 if word == "oh" else SMALL[word]) for word in match[2].split())
        return _sum_english_words(match[1]) + Fraction(f"0.{digits}")
    if match := re.fullmatch(rf"(?:(.+?)[\s-]+and[\s-]+)?(?:(.+?)[\s-]+)?({'|'.join(_PARTS)})s?", text):
        whole, over, part = match.groups()
        return _sum_english_words(whole or "") + (_sum_english_words(over or "") or 1) / Fraction(
            _PARTS[part]
        )
    if text.endswith("dozen"):
        return (
            Fraction(6)
            if "half" in text
            else Fraction(12) * (_sum_english_words(text.removesuffix("dozen")) or 1)
        )
    return _sum_english_words(text)


def _sum_english_words(text: str) -> Fraction:
    total = part = Fraction(0)
    for word in re.findall(r"[a-z]+|[^\sa-z-]+", text):
        if word == "hundred":
            part = Fraction(100) * (part or 1)
        elif word in SCALES:
            total, part = total + Fraction(SCALES[word]) * (part or 1), Fraction(0)
        elif word not in ("a", "an", "and", ","):
            part += _WORDS[word] if word in _WORDS else value_of(word.rstrip(","))
    return total + part


def _of_chinese(text: str) -> Fraction:
    """Return the value of a number in Chinese words.

    Raises:
        ValueError: For 一 alone, an article, and for vague ones (三四).
    """
    value = None if text == "一" or _is_vague(text) else read_chinese(text)
    if value is None:
        raise ValueError(text)
    return value


def _is_vague(text: str) -> bool:
    """Return whether a count is two digits without a unit: 三四 is three or four."""
    counts = text.removesuffix("个半").replace("又", " ").replace("分之", " ").split()
    wholes = [count.partition("点")[0] for count in counts]
    return any(len(whole) == 2 and set(whole) <= set(_HAN) - {"〇", "零"} for whole in wholes)


def mask_numbers(text: str, language: Language | None = None, *, words: bool = False) -> MaskedText:
    """Replace the numbers of a problem by placeholders, in order of appearance.

    Args:
        language: Found in the text where it is not given.
        words: Number words count too: "twenty-five", "two-thirds", "a dozen", 一百二十.

    >>> mask_numbers("Tom has 3 pens and buys 1,200 more, 20% off.").text
    'Tom has N_0 pens and buys N_1 more, N_2 off.'
    >>> mask_numbers("Five twenty-dollar bills", words=True).numbers
    ('Five', 'twenty')
    """
    text = plain_digits(text)
    language = language or language_of(text)
    digits = _EN_FOUND if language == "en" else _ZH_FOUND
    pattern = _word_pattern(language, digits=True) if words else digits
    matches = [match for match in pattern.finditer(text) if _is_number(match[0])]
    parts: list[str] = []
    last = 0
    for index, match in enumerate(matches):
        begin, end = match.span()
        before, after = text[last:begin], text[end : end + 1]
        # A placeholder is a token of its own in English, as in the masked data sets.
        lead = " " if language == "en" and begin and not text[begin - 1].isspace() else ""
        trail = " " if (language == "en" and after.isalnum()) or after == "-" else ""
        parts += [before, lead, f"N_{index}", trail]
        last = end
    parts.append(text[last:])
    numbers = tuple(match[0] for match in matches)
    return MaskedText("".join(parts), numbers, tuple(map(value_of, numbers)))


def mask_digits(text: str) -> MaskedText:
    """Replace every number in digits, as MathQA counts them: percentages and fractions are none of their own.

    >>> mask_digits("20 % of 1/4 is 1,000.5 ?").numbers
    ('20', '1', '4', '1,000.5')
    """
    numbers = [match[0] for match in _PLAIN.finditer(text)]
    places = iter(range(len(numbers)))
    masked = _PLAIN.sub(lambda _: f"N_{next(places)}", text)
    return MaskedText(masked, tuple(numbers), tuple(map(value_of, numbers)))


def mask_words(words: Iterable[str]) -> MaskedText:
    """Replace the numbers of a segmented Chinese text, where a word begins with one; words are joined.

    >>> mask_words("还剩 (1/6) ， 第3 天".split()).text
    '还剩N_0，第3天'
    """
    parts: list[str] = []
    numbers: list[str] = []
    for word in words:
        match = _ZH_FOUND.match(plain_digits(word))
        if match and _is_number(match[0]):
            parts.append(f"N_{len(numbers)}{plain_digits(word)[match.end() :]}")
            numbers.append(match[0])
        else:
            parts.append(word)
    return MaskedText("".join(parts), tuple(numbers), tuple(map(value_of, numbers)))


_BEHIND = (
    r"%|‰|per ?cent\b|halves\b|(?:k|hundred|thousand|million|billion|trillion|dozen)\b"
    r"|[成折亿]|[百万](?!分之)|千(?![米克瓦卡])"
)
"""What belongs to the number before it."""
_NOT_READ = re.compile(
    rf"\b(?:{'|'.join(name for name in _WORDS if name != 'one')})\b"
    rf"|\b(?:hundreds?|(?:{'|'.join(SCALES)})s?|dozens?|half)\b"
    rf"|(?<![第周期{_HAN}十百千万亿])(?:[{_HAN}十百万亿]|千(?![米克瓦卡])){{2,}}",
    re.IGNORECASE,
)
"""Number words that are none of a number that was read: "half his pens", 几百万."""


def list_unread_numbers(
    text: str, numbers: Sequence[str], original: str, *, words: bool = False
) -> list[str]:
    """Return a sentence for each piece of text that looks like a number but was not read as one.

    Args:
        text: The text with a mark N_0, N_1, … in the place of each number.
        original: The text as it was written.
        words: Whether number words were read as numbers.

    >>> list_unread_numbers("On 3/4/2020 we were N_0.", ["5"], "On 3/4/2020 we were 5.")
    ['3/4/2020 is not read as a number']
    """
    rest = re.sub(r"N_\d+|\d+(?:st|nd|rd|th)\b", " ", text)
    said = [
        f"{word} is not read as a number" for word in re.findall(r"(?<![^\W_])\d[\d./:,^-]*(?<![.,:])", rest)
    ]
    for index, written in enumerate(numbers):
        here = rf"N_{index}(?!\d)"
        if re.search(rf"(?:^|[^\d\s]\s+)[-−] ?{here}", text):
            said.append(f"the minus before {written} is read as a word: numbers of a text are not negative")
        if "零下" in original and re.search(rf"下 ?{here}", text):
            said.append(f"the 零下 before {written} is read as words: numbers of a text are not negative")
        if part := re.search(rf"{here} ?({_BEHIND})", text):
            said.append(f"the {part[1]} behind {written} is read as a word: the number is {written} alone")
        if re.search(rf"(?:{'|'.join(SCALES)}) and (?:an?|one) half$", written, re.IGNORECASE):
            said.append(f"{written} is read as {float(value_of(written)):,}: write the number out")
        if power := re.search(rf"{here} ?([eE][-+]?\d+|\^\d+|[⁰¹²³⁴-⁹]+)", text):
            said.append(f"{written}{power[1]} is read as {written}: write the number out")
    if words:
        said += (f"{word} is read as a word" for word in dict.fromkeys(_NOT_READ.findall(rest)))
    two = r"(?<![\d,.])(?:\d+,\d{1,2}|\d{1,3} \d{3}|\d+-\d+[/⁄]\d+)(?![\d,./])"
    for pair in re.findall(two, plain_digits(original)):
        if pair not in numbers:
            said.append(f"{pair} is read as two numbers")
    return said


def list_number_words(text: str, numbers: Sequence[str]) -> list[str]:
    """Return the numbers in words of a text whose numbers in digits were read.

    >>> list_number_words("Two of 12 pens, one lost", ["12"])
    ['Two']
    """
    if language_of(text) == "en" and not _HINT.search(text):
        return []
    number_words = mask_numbers(text, words=True).numbers
    return [word for word in dict.fromkeys(number_words) if word not in numbers and word.lower() != "one"]


def _is_number(written: str) -> bool:
    try:
        value_of(written)
    except ValueError:
        return False
    return True
