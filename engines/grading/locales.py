"""Languages of answers: the words that announce an answer, and how numbers are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Locale = Literal["auto", "en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "zh", "ja", "ko"]
"""The languages; `auto` takes the one that the text shows."""


@dataclass(frozen=True, slots=True)
class AnswerLanguage:
    """A language: the words for an answer, what stands between these and the answer, other words that only it
    has, whether decimals have a comma."""

    nouns: str
    verbs: str
    others: str = ""
    has_decimal_comma: bool = True


LANGUAGES: dict[str, AnswerLanguage] = {
    "de": AnswerLanguage(
        "Antwort Ergebnis Lösung", "ist lautet beträgt", "beträgt ergibt und oder Stunden Grad"
    ),
    "fr": AnswerLanguage(
        "réponse résultat", "est_égal_à est_égale_à est_de est vaut", "vaut donc égal égale heures"
    ),
    "es": AnswerLanguage("respuesta resultado", "es"),
    "it": AnswerLanguage("risposta risultato", "è"),
    "pt": AnswerLanguage("resposta", "é"),
    "nl": AnswerLanguage("antwoord", "is"),
    "pl": AnswerLanguage("odpowiedź wynik", "to"),
    "ru": AnswerLanguage(
        "ответ", "равен составляет", "равен равна равно составляет или часа рубля рублей руб"
    ),
    "uk": AnswerLanguage("відповідь", "дорівнює"),
    "zh": AnswerLanguage("答案 答", "是 为 為", has_decimal_comma=False),
    "ja": AnswerLanguage("答え 正解", "は", has_decimal_comma=False),
    "ko": AnswerLanguage("정답 답", "은 는", has_decimal_comma=False),
}


def _announcement(language: AnswerLanguage) -> re.Pattern[str]:
    nouns, verbs = ("|".join(words.split()).replace("_", r"\s") for words in (language.nouns, language.verbs))
    apart = nouns[0] < "\u2e80"  # scripts with spaces between words
    start, end = (r"(?<!\w)", r"(?!\w)") if apart else ("", "")
    return re.compile(rf"{start}(?:{nouns})(?:\s*(?:{verbs}){end}\s*[:：]?|\s*[:：])\s*", re.IGNORECASE)


ANNOUNCED = {name: _announcement(one) for name, one in LANGUAGES.items()}
"""What announces an answer, by language: a noun with a verb or a colon behind it."""


def language_of(text: str, locale: Locale = "auto") -> str:
    """Return the language of a text: the one that is asked for, or else the one whose words announce its
    answer; "" where that is unknown or English.

    >>> language_of("Die Antwort ist 3,5"), language_of("The answer is 3")
    ('de', '')
    """
    if locale != "auto":
        return "" if locale == "en" else locale
    text = text[-_SEARCHED:]
    if text.isascii() and not _SOME.search(text):
        return ""
    announced = next((name for name, pattern in ANNOUNCED.items() if pattern.search(text)), "")
    return announced or next((name for name, pattern in _OTHERS.items() if pattern.search(text)), "")


_SEARCHED = 1_000
"""Characters at the end of a text in which its answer is announced."""


_OTHERS = {
    name: re.compile(rf"(?<!\w)(?:{'|'.join(one.others.split())})(?!\w)")
    for name, one in LANGUAGES.items()
    if one.others
}
_SOME = re.compile(
    "|".join(
        word
        for one in LANGUAGES.values()
        for word in (*one.nouns.split(), *one.others.split())
        if word.isascii()
    ),
    re.IGNORECASE,
)
DECIMAL_WITH_COMMA = re.compile(r"-?\d+,\d+(?![\d,])")
"""What may be a decimal with a comma, or two numbers."""
_COMMA = re.compile(r"(?<![\w.,(\[{])-?\d{1,3}(?:(?:[. \u00a0\u202f]\d{3})+|\d*),\d+(?![\d,.]*\d|[)\]])")
_UNMISTAKABLE = re.compile(
    r"(?<![\w.,])\d{1,3}(?:(?:\.\d{3})+,\d{1,9}|(?:[ \u00a0\u202f]\d{3})+,\d{1,2})(?![\d,]|\.\d)"
)
_GROUPED = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d,.]*\d)")


def with_decimal_points(text: str, language: str, *, asked: bool = False) -> str:
    """Write numbers as English does: `1.234,56` as 1234.56, and where decimals of the language have a comma
    `3,5` as 3.5.

    Args:
        text: an answer.
        language: as `language_of` names it.
        asked: whether it was asked for: points then part thousands.

    >>> with_decimal_points("1.234,56", ""), with_decimal_points("3,5", "de"), with_decimal_points("3,5", "")
    ('1234.56', '3.5', '3,5')
    """
    if "," not in text and not asked:
        return text
    known = LANGUAGES.get(language)
    if known is not None and known.has_decimal_comma:
        if asked:
            text = _GROUPED.sub(lambda match: match[0].replace(".", ""), text)
        return _COMMA.sub(_write_decimal_point, text)
    return _UNMISTAKABLE.sub(_write_decimal_point, text)


def _write_decimal_point(match: re.Match[str]) -> str:
    whole, _, digits = match[0].rpartition(",")
    return f"{re.sub(r'[^-0-9]', '', whole)}.{digits}"
