"""Times of day and dates, as 4:30 p.m., 16:30, March 14 and 2025-03-14."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.tokens import AnswerToken, Phrases, is_blank, tokenize, unwrap_texts
from engines.language.numerals import read_numeral

_MONTH_NAMES = (
    "January February March April May June July August September October November December",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
MONTHS = tuple(_MONTH_NAMES[0].split())
_BY_NAME = {name.lower(): index for names in _MONTH_NAMES for index, name in enumerate(names.split())}
_ORDINALS = ("st", "nd", "rd", "th")
_BETWEEN = ("of", "the", "de", "del", ",", ".", "on", "le", "am", "el", "года")
_WEEKDAYS = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])


def read_clock(tokens: Sequence[AnswerToken]) -> str:
    """Return a time of day as `16:30` or `4:30 pm`; "" for anything else."""
    said = [token.text for token in unwrap_texts(tokens) if not is_blank(token)]
    if len(said) in (2, 3) and said[0].isdecimal() and said[1].lower() in _HOUR_WORDS:
        said = [said[0], ":", *(said[2:] or ["00"])]  # 21 Uhr 30
    # 12.35 is a time only where it is said whose half of the day it is.
    marked = len(said) > 2 and (said[1] == ":" or (said[1] == "." and len(said) > 3))
    if not marked or not (said[0].isdecimal() and said[2].isdecimal()):
        return ""
    half = "".join(said[3:]).lower().replace(".", "")
    right = len(said[0]) < 3 and len(said[2]) == 2 and int(said[0]) <= 24 and int(said[2]) < 60
    if not right or half not in ("", "am", "pm") or (int(said[0]) == 0 and half):
        return ""
    return f"{int(said[0])}:{said[2]}{' ' + half if half else ''}"


_HOUR_WORDS = ("uhr",)


def find_clock_bound(gold: str, pred: str) -> str:
    """Return the word that makes a bound of the time of day in an answer where the reference says a time; ""
    without one.

    >>> find_clock_bound("21:15", "before 9:15 pm"), find_clock_bound("21:15", "at 9:15 pm")
    ('before', '')
    """
    if ":" not in gold or not read_clock(tokenize(gold.strip(" $."))):
        return ""
    tokens = tokenize(pred)
    bound = _CLOCK_BOUNDS.find(tokens)
    return "" if bound is None else "".join(token.text for token in tokens[bound[0] : bound[1]])


_CLOCK_BOUNDS = Phrases(
    dict.fromkeys(
        (
            *(
                "before",
                "after",
                "until",
                "till",
                "earlier than",
                "later than",
                "no later than",
                "vor",
                "nach",
            ),
            *("avant", "après", "antes de", "después de", "prima di", "dopo", "depois de", "до", "после"),
        ),
        "",
    )
)


def find_spoken_clock(tokens: Sequence[AnswerToken], first: int, last: int) -> str:
    """Return the time of day that words of a sentence say, as `half past five`; "" without one."""
    words = [token.text.lower() for token in tokens[first:last] if token.kind == "word" or token.text == "-"]
    for at, word in enumerate(words):
        hour = _read_count(words[at + 1 : at + 2])
        if word in ("past", "to") and at and 0 < hour < _NOON + 1:
            before = [word for word in words[:at] if word not in ("minutes", "minute")]
            minute = _QUARTERS.get(before[-1], 0) if before else 0
            minute = minute or _read_count(before[-2:]) or _read_count(before[-1:])
            if 0 < minute < _HOUR and (word == "past" or before[-1] == "quarter"):
                hour = hour if word == "past" else hour - 1 or _NOON
                behind = next((_HALVES[word] for word in words[at + 2 :] if word in _HALVES), "")
                return f"{hour}:{minute if word == 'past' else _HOUR - minute:02}{behind}"
    return ""


_HALVES = {"morning": " am", "afternoon": " pm", "evening": " pm", "night": " pm", "am": " am", "pm": " pm"}
_QUARTERS = {"half": 30, "quarter": 15}
_HOUR, _NOON = 60, 12


def _read_count(words: Sequence[str]) -> int:
    value = read_numeral(" ".join(words)) if words else None
    return int(value) if value is not None and value.denominator == 1 else 0


def read_date(tokens: Sequence[AnswerToken]) -> str:
    """Return a day of a month, with its year if there is one, as `March 14, 2025`; "" for anything else."""
    if numbered := _read_numbered_date([token.text for token in tokens if not is_blank(token)]):
        return numbered
    month, day, year = -1, 0, ""
    for token in unwrap_texts(tokens):
        word = token.text.lower()
        if is_blank(token) or word in _BETWEEN or word in _ORDINALS or word in _WEEKDAYS:
            continue
        if word in _BY_NAME and month < 0:
            month = _BY_NAME[word]
        elif token.kind == "digits" and len(word) < 3 and not day:
            day = int(word)
        elif token.kind == "digits" and len(word) == 4 and not year:
            year = word
        else:
            return ""
    if month < 0 or not 0 < day < 32:
        return ""
    return f"{MONTHS[month]} {day}" + (f", {year}" if year else "")


def _read_numbered_date(said: Sequence[str]) -> str:
    """Return a date that is written as ISO 8601 has it, as 2025-03-14, or as 2025年3月14日; "" for others."""
    iso = said[1::2] == ["-", "-"] and [len(one) for one in said[::2]] == [4, 2, 2]
    if not iso and said[1::2] != ["年", "月", "日"]:
        return ""
    figures = said[:6:2]
    if len(figures) != 3 or not all(one.isdecimal() for one in figures):
        return ""
    year, month, day = map(int, figures)
    return f"{MONTHS[month - 1]} {day}, {year}" if 0 < month < 13 and 0 < day < 32 else ""


def find_date(tokens: Sequence[AnswerToken], first: int, last: int) -> tuple[int, int] | None:
    """Return where the only day of a month in a sentence begins and ends; None where there is none."""
    months = [at for at in range(first, last) if tokens[at].text.lower() in _BY_NAME]
    if len(months) != 1:
        return None
    (month,) = months
    spans = [
        (start, end)
        for start in range(max(first, month - _DATE_TOKENS), month + 1)
        for end in range(month + 1, min(last, month + _DATE_TOKENS) + 1)
        if tokens[start].kind in ("digits", "word") and tokens[end - 1].kind in ("digits", "word")
        if read_date(tokens[start:end])
    ]
    return max(spans, key=lambda span: span[1] - span[0], default=None)


_DATE_TOKENS = 8


def count_minutes(words: str) -> int | None:
    """Return the minutes since midnight of a time of day that names its half, or that is after noon; None for
    others.

    >>> count_minutes("4:30 pm"), count_minutes("16:30"), count_minutes("4:30")
    (990, 990, None)
    """
    clock, _, half = words.partition(" ")
    hour, _, minute = clock.partition(":")
    if not (hour.isdecimal() and minute.isdecimal()) or half not in ("", "am", "pm"):
        return None
    if not half and 0 < int(hour) < 13:
        return None
    hours = int(hour) % 12 + 12 * (half == "pm") if half else int(hour)
    return hours * 60 + int(minute)
