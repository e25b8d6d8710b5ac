"""Numbers in words, in English, German, Dutch, French, Spanish, Italian, Portuguese, Russian and Chinese, and
digits of other scripts as ASCII."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from engines.language.english import SCALES, SMALL, TENS

_ORDINALS = {
    "half": 2,
    "halve": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "hundredth": 100,
    "thousandth": 1000,
}
_MINUS = ("minus", "negative")
_OTHER_MINUS = ("minus ", "moins ", "menos ", "минус ", "meno ")
HAN_DIGITS = {"〇": 0} | {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_OTHER_SIGNS = dict(
    zip("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬億", "一二二三三四五六六七八九十百千万亿", strict=True)
)
_OTHER_SIGNS |= {"廿": "二十", "卅": "三十", "兩": "两", "點": "点", "負": "负"}
_PLAIN_HAN = str.maketrans(_OTHER_SIGNS)
CHINESE = frozenset((*HAN_DIGITS, *HAN_UNITS, *_OTHER_SIGNS, *"负点分之"))
"""The characters of numbers in Chinese."""


def read_numeral(text: str) -> Fraction | None:
    """Read a number in words of one of the languages of this module.

    >>> read_numeral("one hundred forty-two"), read_numeral("three quarters"), read_numeral("一百零五")
    (Fraction(142, 1), Fraction(3, 4), Fraction(105, 1))
    """
    text = text.strip()
    if text.isascii() and (value := _english(text.lower())) is not None:
        return value
    small = text.lower()
    sign = next(filter(small.startswith, _OTHER_MINUS), "")
    if (known := _OTHERS.get(small.removeprefix(sign))) is not None:
        return -Fraction(known) if sign else Fraction(known)
    return None if text.isascii() else read_chinese(text)


_GERMAN_WORDS = (
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
    " siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
)
_FRENCH_WORDS = (
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente"
    " quarante cinquante soixante quatre-vingt"
)
_SPANISH_WORDS = (
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete"
    " dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis"
    " veintisiete veintiocho veintinueve treinta cuarenta cincuenta sesenta setenta ochenta noventa cien"
    " doscientos"
    " trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
_RUSSIAN_WORDS = (
    "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать"
    " четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок"
    " пятьдесят шестьдесят семьдесят восемьдесят девяносто сто двести триста четыреста пятьсот шестьсот"
    " семьсот восемьсот девятьсот"
)


def _list_german() -> dict[str, int]:
    """List the numbers up to 999 in German, without the word for 0, which is one of English."""
    words = _GERMAN_WORDS.split()
    ones = words[:9]
    below = {word: value for value, word in enumerate(words[:19], 1)}
    for value, ten in enumerate(words[19:], 2):
        below |= {ten: 10 * value}
        below |= {f"{one}und{ten}": 10 * value + digit for digit, one in enumerate(ones, 1)}
    below["eins"] = 1
    hundreds = {f"{one}hundert": 100 * digit for digit, one in enumerate(("", *ones))} | {"hundert": 100}
    return (
        below
        | hundreds
        | {f"{word}{rest}": value + more for word, value in hundreds.items() for rest, more in below.items()}
    )


_DUTCH_WORDS = (
    "een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien"
    " achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig"
)


def _list_dutch() -> dict[str, int]:
    """List the numbers up to 999 in Dutch, without the word for 1, which is also an article."""
    words = _DUTCH_WORDS.split()
    ones = words[:9]
    below = {word: value for value, word in enumerate(words[:19], 1)}
    for value, ten in enumerate(words[19:], 2):
        # Two vowels side by side are parted: tweeëntwintig.
        joins = ("ën" if one.endswith("e") else "en" for one in ones)
        below |= {ten: 10 * value}
        below |= {
            f"{one}{join}{ten}": 10 * value + digit
            for digit, (one, join) in enumerate(zip(ones, joins, strict=True), 1)
        }
    hundreds = {"honderd": 100} | {
        f"{one}honderd": 100 * digit for digit, one in enumerate(ones, 1) if digit > 1
    }
    listed = (
        below
        | hundreds
        | {f"{word}{rest}": value + more for word, value in hundreds.items() for rest, more in below.items()}
    )
    return {word: value for word, value in listed.items() if word != "een"}


def _list_russian() -> dict[str, int]:
    """List the numbers up to 999 in Russian."""
    words = _RUSSIAN_WORDS.split()
    below = {word: value for value, word in enumerate(words[:19], 1)} | {"одна": 1, "две": 2}
    ones = {word: value for word, value in below.items() if value < 10}
    for value, ten in enumerate(words[19:27], 2):
        below |= {ten: 10 * value} | {f"{ten} {one}": 10 * value + digit for one, digit in ones.items()}
    hundreds = {word: 100 * value for value, word in enumerate(words[27:], 1)}
    return (
        {"ноль": 0}
        | below
        | hundreds
        | {f"{word} {rest}": value + more for word, value in hundreds.items() for rest, more in below.items()}
    )


def _list_spanish() -> dict[str, int]:
    """List the numbers up to 999 in Spanish, without those that are words of English."""
    words = _SPANISH_WORDS.split()
    below = {word: value for value, word in enumerate(words[:29], 1)}
    ones = {word: value for word, value in below.items() if value < 10}
    for value, ten in enumerate(words[29:36], 3):
        below |= {ten: 10 * value} | {f"{ten} y {one}": 10 * value + digit for one, digit in ones.items()}
    hundreds = {"ciento": 100} | {word: 100 * value for value, word in enumerate(words[37:], 2)}
    listed = below | {"cien": 100} | {word: value for word, value in hundreds.items() if value > 100}
    listed |= {
        f"{word} {rest}": value + more for word, value in hundreds.items() for rest, more in below.items()
    }
    return {word: value for word, value in listed.items() if word not in ("once", "uno")}


_ITALIAN_WORDS = (
    "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici"
    " diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta"
)
_PORTUGUESE_WORDS = (
    "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete"
    " dezoito dezenove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa duzentos trezentos"
    " quatrocentos quinhentos seiscentos setecentos oitocentos novecentos"
)


def _list_italian() -> dict[str, int]:
    """List the numbers up to 999 in Italian, without those that are words of English or German."""
    words = _ITALIAN_WORDS.split()
    below = {word: value for value, word in enumerate(words[:19], 1)}
    ones = {word: value for word, value in below.items() if value < 10} | {"tré": 3}
    for value, ten in enumerate(words[19:], 2):
        below |= {ten: 10 * value}
        # venti and otto are ventotto
        below |= {
            f"{ten[:-1] if one[0] in 'uo' else ten}{one}": 10 * value + digit for one, digit in ones.items()
        }
    hundreds = {"cento": 100} | {f"{one}cento": 100 * digit for one, digit in ones.items() if digit > 1}
    listed = (
        below
        | hundreds
        | {f"{word}{rest}": value + more for word, value in hundreds.items() for rest, more in below.items()}
    )
    return {word: value for word, value in listed.items() if word not in ("uno", "due", "sei")}


def _list_portuguese() -> dict[str, int]:
    """List the numbers up to 999 in Portuguese."""
    words = _PORTUGUESE_WORDS.split()
    below = {word: value for value, word in enumerate(words[:19], 1)}
    below |= {"duas": 2, "quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19}
    ones = {word: value for word, value in below.items() if value < 10} | {"uma": 1}
    for value, ten in enumerate(words[19:27], 2):
        below |= {ten: 10 * value} | {f"{ten} e {one}": 10 * value + digit for one, digit in ones.items()}
    hundreds = {"cento": 100} | {word: 100 * value for value, word in enumerate(words[27:], 2)}
    listed = below | {"cem": 100} | {word: value for word, value in hundreds.items() if value > 100}
    listed |= {
        f"{word} e {rest}": value + more for word, value in hundreds.items() for rest, more in below.items()
    }
    return {word: value for word, value in listed.items() if word != "um"}


def _list_french() -> dict[str, int]:
    """List the numbers up to 999 in French, without the words that are others in English texts."""
    words = _FRENCH_WORDS.split()
    small = {word: value for value, word in enumerate(words[:16], 1)}
    small |= {f"dix-{word}": 10 + value for word, value in small.items() if 7 <= value <= 9}
    below = dict(small)
    for value, ten in zip((20, 30, 40, 50, 60, 80), words[16:], strict=True):
        most = 19 if value >= 60 else 9
        below |= {f"{ten}s" if value == 80 else ten: value}
        below |= {f"{ten}-{word}": value + more for word, more in small.items() if more <= most}
        if value < 80:
            one = {1: "un", 11: "onze"} if most > 9 else {1: "un"}
            below |= {
                f"{ten}{gap}{word}": value + more for gap in (" et ", "-et-") for more, word in one.items()
            }
    hundreds = {"cent": 100} | {f"{word} cent": 100 * more for word, more in small.items() if 1 < more < 10}
    listed = below | {f"{word}s": value for word, value in hundreds.items() if value > 100}
    listed |= {
        f"{word} {rest}": value + more for word, value in hundreds.items() for rest, more in below.items()
    }
    return {word: value for word, value in listed.items() if word not in ("un", "six", "sept", "cent")}


def _list_fractions() -> dict[str, Fraction]:
    """List the fractions with small terms in German, French, Spanish and Russian."""
    listed = {"anderthalb": Fraction(3, 2), "полтора": Fraction(3, 2), "полторы": Fraction(3, 2)}
    listed |= dict.fromkeys(
        ("одной второй", "одна вторая", "un demi", "un medio", "ein halb"), Fraction(1, 2)
    )
    listed |= {"треть": Fraction(1, 3), "четверть": Fraction(1, 4)}
    for words, half in (
        (_GERMAN_WORDS.split()[:12], "einhalb"),
        (_FRENCH_WORDS.split()[:12], " et demi"),
        (_FRENCH_WORDS.split()[:12], " et demie"),
        (_SPANISH_WORDS.split()[:12], " y medio"),
        (_SPANISH_WORDS.split()[:12], " y media"),
        (_RUSSIAN_WORDS.split()[:12], " с половиной"),
        (_ITALIAN_WORDS.split()[:12], " e mezzo"),
        (_PORTUGUESE_WORDS.split()[:12], " e meio"),
    ):
        listed |= {f"{word}{half}": Fraction(2 * value + 1, 2) for value, word in enumerate(words, 1)}
    listed |= {
        "une et demie": Fraction(3, 2),
        "una y media": Fraction(3, 2),
        "две с половиной": Fraction(5, 2),
    }
    for counts, parts, plural in (
        (
            _GERMAN_WORDS.split()[:9],
            "drittel viertel fünftel sechstel siebtel achtel neuntel zehntel",
            "",
        ),
        (
            _FRENCH_WORDS.split()[:9],
            "tiers quart cinquième sixième septième huitième neuvième dixième",
            "s",
        ),
        (
            ["un", *_SPANISH_WORDS.split()[1:9]],
            "tercio cuarto quinto sexto séptimo octavo noveno décimo",
            "s",
        ),
    ):
        for above, count in enumerate(counts, 1):
            for below, part in enumerate(parts.split(), 3):
                ending = plural if above > 1 and not part.endswith("s") else ""
                listed[f"{count} {part}{ending}"] = Fraction(above, below)
    for counts, parts, plural in (
        (["un", *_ITALIAN_WORDS.split()[1:9]], "terzo quarto quinto sesto settimo ottavo nono decimo", "i"),
        (["um", *_PORTUGUESE_WORDS.split()[1:9]], "terço quarto quinto sexto sétimo oitavo nono décimo", "s"),
    ):
        for above, count in enumerate(counts, 1):
            for below, part in enumerate(parts.split(), 3):
                several = part[:-1] + plural if plural == "i" else part + plural
                listed[f"{count} {several if above > 1 else part}"] = Fraction(above, below)
    for below, stem in enumerate(["пят", "шест", "седьм", "восьм", "девят", "десят"], 5):
        ones = zip(
            ("две", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять"), range(2, 10), strict=True
        )
        listed |= {f"{count} {stem}ых": Fraction(above, below) for count, above in ones}
        listed |= {f"одна {stem}ая": Fraction(1, below)}
    for below, named in enumerate(("треть трети третей третям", "четверть четверти четвертей четвертям"), 3):
        for above, forms in enumerate(("одна одной", "две двум", "три трём трем"), 1):
            listed |= {
                f"{count} {part}": Fraction(above, below) for count in forms.split() for part in named.split()
            }
    return listed


_OTHERS: dict[str, int | Fraction] = {
    **_list_italian(),
    **_list_portuguese(),
    **_list_fractions(),
    **_list_dutch(),
    **_list_german(),
    **_list_french(),
    **_list_spanish(),
    **_list_russian(),
}


def find_numerals(text: str) -> list[tuple[int, int]]:
    """Find the numbers in words in a text, as long as each can be: where each begins and ends.

    >>> [text[one:other] for text in ("She has twenty-six eggs.",) for one, other in find_numerals(text)]
    ['twenty-six']
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)][:_MOST_WORDS]
    spans: list[tuple[int, int]] = []
    for start, first_end in words:
        word = text[start:first_end].lower()
        if (spans and start < spans[-1][1]) or (word.isascii() and word.split("-")[0] not in _FIRST_WORDS):
            continue
        ends = [end for _, end in words if start < end <= start + _LONGEST]
        last = next((end for end in reversed(ends) if read_numeral(text[start:end]) is not None), 0)
        if last:
            spans.append((start, last))
    return spans


def write_numerals(text: str) -> str:
    """Return a text with its numbers in words as digits; those of Chinese where they count something.

    >>> write_numerals("twelve dollars and fifty cents"), write_numerals("还剩三十六本书")
    ('12 dollars and 50 cents', '还剩36本书')
    """
    spans = [*find_numerals(text), *_find_chinese(text)]
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}{read_numeral(text[start:end])}{text[end:]}"
    return text


def _find_chinese(text: str) -> list[tuple[int, int]]:
    """Find the numbers in Chinese that are fractions, end a text, or stand before what is counted."""
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(text):
        numeral, _ = split_chinese(text[at:])
        end = at + len(numeral)
        behind = text[end : end + 1]
        counts = "分之" in numeral or not behind or behind in _COUNTED or behind in "。，,. "
        if numeral and counts and read_chinese(numeral) is not None:
            spans.append((at, end))
        at = max(end, at + 1)
    return spans


_COUNTED = frozenset("个個本只元人次条天种张棵岁米支块件名页倍度円枚匹冊通台辆岁年月日小厘毫千公克升平立です")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MOST_WORDS = 60
_FIRST_WORDS = frozenset(
    phrase.replace("-", " ").split()[0]
    for phrase in (*_MINUS, *_OTHER_MINUS, *SMALL, *TENS, "a", "an", "half", *_OTHERS)
)
"""Words that a number in words can begin with where it does not in letters of Chinese."""
_LONGEST = 60
"""Characters of a number in words that is searched for in a text."""


def _english(text: str) -> Fraction | None:
    words = text.replace("-", " ").split()
    sign = 1
    if words[:1] and words[0] in _MINUS:
        sign, words = -1, words[1:]
    if "and" in words[1:-1] and words[-1].removesuffix("s") in _ORDINALS:  # four and a half
        index = len(words) - 1 - words[::-1].index("and")
        whole, part = _whole(words[:index]), _english(" ".join(words[index + 1 :]))
        if whole is not None and part is not None and 0 < part < 1:
            return sign * (whole + part)
    if len(words) > 1 and (below := _ORDINALS.get(words[-1].removesuffix("s"))):
        above = 1 if words[:-1] in (["a"], ["an"]) else _whole(words[:-1])
        return None if above is None or above >= below * 10 else Fraction(sign * above, below)
    if words[:2] == ["half", "a"]:  # half a dozen, half a million
        value = _whole(["a", *words[2:]])
        return None if value is None else Fraction(sign * value, 2)
    value = _whole(words)
    return None if value is None else Fraction(sign * value)


def _whole(words: list[str]) -> int | None:
    if words[-1:] == ["dozen"]:
        number = 1 if words[:-1] in (["a"], ["one"]) else _whole(words[:-1])
        return None if number is None else 12 * number
    total = group = 0
    last = ""
    for index, word in enumerate(words):
        if word == "and" and 0 < index < len(words) - 1 and last in ("hundred", *SCALES):
            continue
        if word == "a" and index == 0 and words[1:2] and words[1] in ("hundred", *SCALES):
            group = 1
        elif word in SMALL and (last in ("", "hundred", *SCALES) or (last in TENS and 0 < SMALL[word] < 10)):
            group += SMALL[word]
        elif word in TENS and last in ("", "hundred", *SCALES):
            group += TENS[word]
        elif word == "hundred" and 0 < group < 100:
            group *= 100
        elif word in SCALES and group:
            total, group = total + group * SCALES[word], 0
        else:
            return None
        last = word
    return total + group if words else None


def read_chinese(text: str) -> Fraction | None:
    """Read a number in Chinese words, also with signs of cheques, or with digits before its units.

    >>> [str(read_chinese(text)) for text in ("廿五", "伍仟", "13万2", "三又二分之一", "两个半", "万")]
    ['25', '5000', '132000', '7/2', '5/2', 'None']
    """
    text = text.translate(_PLAIN_HAN)
    if text[:1] == "负":
        value = read_chinese(text[1:])
        return None if value is None else -value
    if text in ("半", "一半"):
        return Fraction(1, 2)
    if text.endswith("个半"):
        count = _chinese_count(text.removesuffix("个半"))
        return None if count is None else count + Fraction(1, 2)
    whole, mixed, part = text.rpartition("又")
    under, parted, over = part.partition("分之")
    if not parted:
        return None if mixed else _chinese_count(text)
    first = _chinese_count(whole) if mixed else Fraction(0)
    below = Fraction(HAN_UNITS[under]) if under in HAN_UNITS else _chinese_count(under)
    above = _chinese_count(over)
    return None if first is None or above is None or not below else first + above / below


def _chinese_count(text: str) -> Fraction | None:
    """Return the value of 一百二十, 两万五, 三点一四, 二〇一九, 1.5万 or 13万2."""
    if parts := re.findall(r"(\d+(?:\.\d+)?)([百千万亿]*)", text):
        return _sum_chinese_parts(parts) if "".join(map("".join, parts)) == text else None
    whole, pointed, decimals = text.partition("点")
    if not whole or (pointed and not decimals) or not set(decimals) <= set(HAN_DIGITS):
        return None
    after = Fraction("0." + "".join(str(HAN_DIGITS[sign]) for sign in decimals)) if decimals else 0
    if set(whole) <= set(HAN_DIGITS):
        return Fraction("".join(str(HAN_DIGITS[sign]) for sign in whole)) + after
    total = part = digit = 0
    least = 1
    for sign in whole:
        unit = HAN_UNITS.get(sign, 1)
        if unit == 1:
            if digit or sign not in HAN_DIGITS:  # 二三十: twenty or thirty
                return None
            digit = HAN_DIGITS[sign]
            least = least if digit else 10
        elif unit < 10**4:
            part, digit, least = part + (digit or 1) * unit, 0, unit
        elif total >= unit and (part or digit):  # 一亿二千万
            total, part, digit, least = total + (part + digit) * unit, 0, 0, unit
        elif total + part + digit:  # 三万亿
            total, part, digit, least = (total + part + digit) * unit, 0, 0, unit
        else:
            return None
    # 两万五 is 25,000, and 一百二 is 120.
    return total + part + Fraction(digit * max(1, least // 10)) + after


def _sum_chinese_parts(parts: Sequence[tuple[str, str]]) -> Fraction:
    """Return the value of digits with their units: 13万2 is 132,000, and 1百01 is 101."""
    total, least = Fraction(0), 0
    for digits, units in parts:
        short = not units and len(digits) == 1
        below = max(1, least // 10) if short else 1
        least = math.prod(HAN_UNITS[unit] for unit in units)
        total += Fraction(digits) * max(least, below)
    return total


def split_chinese(text: str) -> tuple[str, str]:
    """Split a text into the number in Chinese that it begins with, if any, and the rest.

    >>> split_chinese("十二个")
    ('十二', '个')
    """
    end = next((at for at, character in enumerate(text) if character not in CHINESE), len(text))
    return text[:end], text[end:]


def with_ascii_digits(text: str) -> str:
    """Write digits of other scripts, and full-width signs, in ASCII.

    >>> with_ascii_digits("５０％ ٤٢")
    '50% 42'
    """
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return chr(ord(character) - 0xFEE0) if "！" <= character <= "～" else character
