"""Languages of answers: the words that announce an answer or limit a number, and how numbers are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engines.grading.tokens import AnswerToken, Phrases, skip_blanks, text_at, tokenize

Locale = Literal["auto", "en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "zh", "ja", "ko"]
"""The languages; `auto` takes the one that the text shows."""


@dataclass(frozen=True, slots=True)
class AnswerLanguage:
    """A language.

    Attributes:
        nouns: The words for an answer.
        verbs: What stands between these and the answer.
        others: Other words that only this language has.
        limits: Words before a number that say that another is meant.
        has_decimal_comma: Whether decimals have a comma.
    """

    nouns: str
    verbs: str
    others: str = ""
    limits: str = ""
    has_decimal_comma: bool = True


LANGUAGES: dict[str, AnswerLanguage] = {
    "en": AnswerLanguage(
        "answer, answers",
        "is, are, =, must be, has to be, will be, should be",
        limits="exceed, exceeds, exceeding, no longer, at least, at most, less than, more than, fewer than, "
        "greater than, smaller than, larger than, bigger than, higher than, lower than, up to, not, "
        "below, above, "
        "under, over, cannot be, can't be, isn't, never, root of, square root of, cube root of, half, "
        "half of, twice, double, triple, negative, minus, times, plus, divided by",
        has_decimal_comma=False,
    ),
    "de": AnswerLanguage(
        "Antwort, Ergebnis, Lösung",
        "ist, lautet, beträgt",
        "beträgt, ergibt, und, oder, Stunden, Grad, der, das, ist, sind, kostet, Euro, für, gilt, eine",
        "mindestens, höchstens, weniger als, mehr als, kleiner als, größer als, nicht, minus, halb, doppelt, "
        "unter, über, bis zu, fast",
    ),
    "fr": AnswerLanguage(
        "réponse, résultat",
        "est, est égal à, est égale à, est de, vaut",
        "vaut, donc, égal, égale, heures, est, soit, longueur, coûte, mesure",
        "au moins, au plus, moins de, plus de, inférieur à, supérieur à, pas, moins",
    ),
    "es": AnswerLanguage(
        "respuesta, resultado",
        "es",
        "el, los, las, del, está, euros, precio, longitud, vale, mide, cuesta",
        "al menos, como máximo, menos de, más de, menor que",
    ),
    "it": AnswerLanguage(
        "risposta, risultato",
        "è",
        "è, sono, il, della, euro, misura, costa",
        "almeno, al massimo, meno di, più di",
    ),
    "pt": AnswerLanguage(
        "resposta", "é", "é, são, reais, mede, custa", "pelo menos, no máximo, menos de, mais de"
    ),
    "nl": AnswerLanguage(
        "antwoord", "is", "het, een, uur, kost", "minstens, hoogstens, minder dan, meer dan"
    ),
    "pl": AnswerLanguage(
        "odpowiedź, wynik",
        "to",
        "jest, wynosi, zł, złotych",
        "co najmniej, co najwyżej, mniej niż, więcej niż",
    ),
    "ru": AnswerLanguage(
        "ответ",
        "равен, составляет",
        "км, м, руб, стоит, длина, равен, равна, равно, составляет, или, часа, рубля, рублей, руб",
        "не менее, не более, менее, более, меньше, больше, не, минус",
    ),
    "uk": AnswerLanguage("відповідь", "дорівнює", "", "не менше, не більше, менше, більше, мінус"),
    "zh": AnswerLanguage(
        "答案, 答, 故选, 应选",
        "是, 为, 為",
        "",
        "至少, 至多, 大于, 小于, 不是, 不超过, 不少于, 超过, 多于, 少于, 高于, 低于, 不到, 负",
        has_decimal_comma=False,
    ),
    "ja": AnswerLanguage("答え, 正解", "は", has_decimal_comma=False),
    "ko": AnswerLanguage("정답, 답", "은, 는", has_decimal_comma=False),
}
LIMITS = Phrases({phrase: "" for one in LANGUAGES.values() for phrase in one.limits.split(", ") if phrase})
"""Words before a number that say that another is meant."""
LIMITS_BEHIND = (
    *("以上", "以下", "以内", "以外", "未満", "ではない", "ではありません"),
    *("이상", "이하", "미만", "아니다", "아닙니다"),
)
"""Words right behind a number and what is counted that say so."""
_NOUNS = Phrases({noun: name for name, one in LANGUAGES.items() for noun in one.nouns.split(", ")})
_VERBS = {name: Phrases(dict.fromkeys(one.verbs.split(", "), "")) for name, one in LANGUAGES.items()}
_OTHERS = {word: name for name, one in LANGUAGES.items() if one.others for word in one.others.split(", ")}


def may_announce(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether a word that announces answers is among tokens."""
    return _NOUNS.may_occur(tokens)


def match_announcement(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index behind what announces an answer, a noun with a verb or a colon behind it, and its
    language; None where none begins at a token.

    >>> match_announcement(tokenize("Die Antwort ist: 5"), 2)
    (6, 'de')
    """
    named = _NOUNS.match(tokens, at)
    if named is None:
        return None
    end, language = named
    end = skip_blanks(tokens, end)
    if text_at(tokens, end) == "(":  # what the answer is about
        closing = next((index for index in range(end, len(tokens)) if tokens[index].text == ")"), None)
        end = end if closing is None else skip_blanks(tokens, closing + 1)
    verb = _VERBS[language].match(tokens, end)
    if verb is not None:
        colon = skip_blanks(tokens, verb[0])
        return (colon + 1 if text_at(tokens, colon) in _COLONS else verb[0]), language
    return (end + 1, language) if text_at(tokens, end) in _COLONS else None


_COLONS = (":", "：")


def find_language(tokens: Sequence[AnswerToken]) -> str:
    """Return the language whose words announce the answer at the end of a text, or else the one that other
    words show; "" where that is unknown or English.

    >>> find_language(tokenize("Die Antwort ist 3,5")), find_language(tokenize("The answer is 3"))
    ('de', '')
    """
    last = tokens[-_SEARCHED:]
    places = range(len(last)) if may_announce(last) else ()
    shown = {announced[1] for at in places if (announced := match_announcement(last, at))}
    words = {word for token in last if token.kind == "word" for word in (token.text, token.text.lower())}
    others = {_OTHERS.get(word, "") for word in words}
    if any("а" <= word[0] <= "я" for word in words):
        others.add("ru")  # also where the only word is a unit
    for languages in (shown, others):
        if known := next((name for name in LANGUAGES if name in languages and name != "en"), ""):
            return known
    return ""


_SEARCHED = 400
"""Tokens at the end of a text in which its answer is announced."""


# ---- numbers


def has_decimal_comma(language: str) -> bool:
    """Return whether decimals of a language have a comma."""
    known = LANGUAGES.get(language)
    return known is not None and known.has_decimal_comma


@dataclass(frozen=True, slots=True)
class Figures:
    """A number in digits with what parts these: where it stands, its groups of digits, and the marks between
    them."""

    start: int
    end: int
    groups: tuple[str, ...]
    marks: tuple[str, ...]

    @property
    def is_in_thousands(self) -> bool:
        """Return whether all groups but the first have three digits, and the first has no zero in front."""
        first, *others = self.groups
        return len(first) < 4 and first[0] != "0" and all(len(group) == 3 for group in others)

    @property
    def may_part_thousands(self) -> bool:
        """Return whether points part its digits as thousands: 1.000 is 1000 to some."""
        return {*self.marks} == {"."} and self.is_in_thousands


_SPACES = (" ", "\u00a0", "\u202f")


def list_figures(text: str) -> list[Figures]:
    """Return the numbers of a text that have marks between their digits.

    >>> [(number.groups, number.marks) for number in list_figures("1.234,5 m")]
    [(('1', '234', '5'), ('.', ','))]
    """
    if "." not in text and "," not in text:
        return []
    tokens = tokenize(text)
    result: list[Figures] = []
    at = 0
    while at < len(tokens):
        first = at
        at += 1
        if tokens[first].kind != "digits":
            continue
        while (
            at + 1 < len(tokens)
            and tokens[at + 1].kind == "digits"
            and (
                tokens[at].text in (".", ",")
                or (tokens[at].text in _SPACES and len(tokens[at + 1].text) == 3)
            )
        ):
            at += 2
        groups = tuple(token.text for token in tokens[first:at:2])
        before, after = text_at(tokens, first - 1), text_at(tokens, at)
        if len(groups) == 1 or before in (".", ",") or before[-1:].isalnum():
            continue
        if after in (".", ",") and at + 1 < len(tokens) and tokens[at + 1].kind == "digits":
            continue
        marks = tuple(" " if token.text in _SPACES else token.text for token in tokens[first + 1 : at : 2])
        result.append(Figures(tokens[first].start, tokens[at - 1].end, groups, marks))
    return result


def _is_pair(text: str, number: Figures) -> bool:
    """Return whether a comma parts two numbers in brackets."""
    before, after = text[: number.start].rstrip("-")[-1:], text[number.end : number.end + 1]
    return before in tuple("([{") or after in tuple(")]")


def _parts_by_semicolons(text: str) -> bool:
    """Return whether a set or point has semicolons between its members, so that each of its commas is one of
    decimals; in square brackets semicolons part the rows of a matrix.

    >>> [*map(_parts_by_semicolons, ("{-0,5; 2/3}", "(0,5; 2)", "[1,2; 3,4]", "{1, 2; 3}"))]
    [True, True, False, False]
    """
    bare = text.strip(" .$")
    if ";" not in bare or bare[-1:] not in ("}", ")") or "[" in bare:
        return False
    numbers = list_figures(bare)
    decimals = sum(number.marks == (",",) and len(number.groups[-1]) != 3 for number in numbers)
    return bare.count(",") == decimals


def with_decimal_points(text: str, language: str, *, asked: bool = False) -> str:
    """Write numbers as English does: `1.234,56` as 1234.56, and where decimals of the language have a comma
    `3,5` as 3.5.

    Args:
        text: an answer.
        language: as `find_language` names it.
        asked: whether it was asked for: points then part thousands.

    >>> with_decimal_points("1.234,56", ""), with_decimal_points("3,5", "de"), with_decimal_points("3,5", "")
    ('1234.56', '3.5', '3,5')
    """
    if "," not in text and "." not in text:
        return text
    comma, is_parted = has_decimal_comma(language), _parts_by_semicolons(text)
    for number in reversed(list_figures(text)):
        *parts, last = number.groups
        written = ""
        if number.may_part_thousands and ((comma and asked) or len(number.marks) > 1):
            written = "".join(number.groups)
        elif number.marks[-1] == "," and "," not in number.marks[:-1] and len({*number.marks[:-1]}) < 2:
            parted = len(parts) > 1
            whole = Figures(0, 0, tuple(parts), number.marks[:-1])
            if parted and not whole.is_in_thousands:
                continue
            shown = parted and (number.marks[0] == "." or len(last) < 3)
            if shown or is_parted or (comma and not _is_pair(text, number)):
                written = f"{''.join(parts)}.{last}"
        if written:
            text = f"{text[: number.start]}{written}{text[number.end :]}"
    return text


def join_thousands(text: str) -> str:
    """Return a text without the points that may part thousands.

    >>> join_thousands("1.000 m or 0.125 m")
    '1000 m or 0.125 m'
    """
    for number in reversed(list_figures(text)):
        if number.may_part_thousands:
            text = f"{text[: number.start]}{''.join(number.groups)}{text[number.end :]}"
    return text


def write_points_beside(texts: tuple[str, str], beside: tuple[str, str]) -> tuple[str, str]:
    """Return two texts with decimal points where one of those beside them is of a language that has commas.

    >>> write_points_beside(("3,5", "5,3"), ("3,5", "Die Antwort ist 5,3."))
    ('3.5', '5.3')
    """
    # A comma of one of them alone may part the values of a list that the other one writes with a word.
    if not all(any("," in number.marks for number in list_figures(text)) for text in texts):
        return texts
    language = next(filter(has_decimal_comma, (find_language(tokenize(text)) for text in beside)), "")
    return with_decimal_points(texts[0], language), with_decimal_points(texts[1], language)
