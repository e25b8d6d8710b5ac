r"""Words behind a formula that say which numbers its letters stand for: `n any integer`, `A, B constants`.

They are written as a range, `n \in \mathbb{Z}`, which the grammar reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.formula.dialects import recognize_dialect
from engines.formula.latex_conversion import latex_of_plain
from engines.grading.tokens import (
    TEXT_COMMANDS,
    AnswerToken,
    is_blank,
    text_at,
    tokenize,
    unwrap_texts,
)

_LEADS_LISTED = (
    "where with for wobei mit für où avec pour donde con para где для при dove per here 其 任 ( （"
)
_INTEGERS_LISTED = (
    "integer integers ganze ganzen ganzzahlig ganzzahlige ganzzahliges ganzzahligen"
    " entier entiers entero enteros intero interi inteiro inteiros"
    " целое целых целого целые 整"
)
_NATURALS_LISTED = "natural naturals natürliche natürlichen naturel naturels naturales натуральное"
_REALS_LISTED = (
    "real reals reelle reellen réel réels reales reale reali действительное вещественное действительных"
    " вещественных 实"
)
_OPEN_LISTED = (
    "constant constants const arbitrary free parameter parameters konstante konstanten beliebig beliebige"
    " beliebigen frei constante constantes arbitraire arbitraires libre libres quelconque quelconques"
    " arbitraria arbitrarias arbitrario arbitrarios costante costanti константа константы постоянная"
    " постоянные произвольная произвольные произвольное свободная 常"
)
_FILLERS_LISTED = (
    "is are be can an any some every each all take takes on denotes value values variable number numbers the"
    " as of zahl zahlen ist sind ein eine sei seien est sont un une des nombre nombres relatif relatifs"
    " cualquier es son número números число числа чисел любое любых любого любой 任 意 为 是 数 は の 中 即"
    " denote represents runs run ranges range over through varies durchläuft läuft parcourt décrit recorre"
    " пробегает 取遍"
)
_LEADS = frozenset(_LEADS_LISTED.split())
_KINDS = {
    **dict.fromkeys(_INTEGERS_LISTED.split(), "ℤ"),
    **dict.fromkeys(_NATURALS_LISTED.split(), "ℕ"),
    **dict.fromkeys(_REALS_LISTED.split(), "ℝ"),
    **dict.fromkeys(_OPEN_LISTED.split(), ""),
}
"""Words for a set of numbers; "" for those that leave the numbers open."""
_GREEK = frozenset(f"\\{name}" for name in ("alpha", "beta", "delta", "lambda", "mu", "varphi", "phi", "psi"))
_FILLERS = frozenset(_FILLERS_LISTED.split())
_JOINS = frozenset(("and", "und", "et", "y", "и", "e", "和", "与", ",", ";", "，", "、"))
_MARKS = frozenset("—–-:)）.。")
_MARKERS = ("nteger", "ganz", "ntier", "nter", "nteir", "цел", "整", "atur", "real", "réel", "reel", "онстан")
_FURTHER_MARKERS = ("onstant", "rbitra", "free", "frei", "aramet", "eliebig", "libre", "uelconq", "остоян")
_LAST_MARKERS = ("роизвол", "ействит", "ещест", "вобод", "атурал", "实", "常", "ostant", "const")


@dataclass(frozen=True, slots=True)
class WordedRange:
    """Letters, the set of numbers that they are in, and the least of these, "" where there is none."""

    letters: tuple[str, ...]
    numbers: str
    least: str = ""


def spell_ranges(text: str) -> str:
    r"""Return a text in which words for the range of letters at its end are LaTeX.

    >>> spell_ranges("x = 7k + 3 for any integer k"), spell_ranges("2n, where n is a positive integer")
    ('x = 7k + 3, k \\in \\mathbb{Z}', '2n, n \\in \\mathbb{Z}, n \\ge 1')
    >>> spell_ranges("y = A e^{-2x} + B, A and B arbitrary constants")
    'y = A e^{-2x} + B, A \\in \\mathbb{R}, B \\in \\mathbb{R}'
    """
    text = _spell_listed(_spell_interval(_open_range(text)))
    if not any(word in text for word in (*_MARKERS, *_FURTHER_MARKERS, *_LAST_MARKERS)):
        return text
    tokens = [token for token in unwrap_texts(tokenize(text)) if not is_blank(token) and token.text != "$"]
    # At a comma or word before at a letter: the clause of `3x_2, x_2 free` begins at the comma.
    begins = sorted(range(1, len(tokens)), key=lambda at: not _leads_clause(tokens[at]))
    for at in begins:
        is_inside = sum((token.text in "([") - (token.text in ")]") for token in tokens[:at]) > 0
        if is_inside or not _may_begin(tokens, at) or (found := _read_clause(tokens[at:])) is None:
            continue
        if found.numbers == "ℝ" and _is_argument(tokens, found.letters):
            return text
        said = _drop_opening(text[: tokens[at].start])
        if not said:
            return text
        if recognize_dialect(said) == "plain":
            said = latex_of_plain(said)
        return said + "".join(_spell(letter, found) for letter in found.letters)
    return text


def _spell_listed(text: str) -> str:
    r"""Return a text with the few integers at its end that a letter of it runs through as a set.

    >>> _spell_listed("2k + 1 for k = 0, 1, 2"), _spell_listed("x = 0, 1, 2")
    ('2k + 1, k \\in \\{0, 1, 2\\}', 'x = 0, 1, 2')
    """
    if text.count(",") < 1 or "=" not in text:
        return text
    tokens = [token for token in tokenize(text.rstrip(" .")) if not is_blank(token) and token.text != "$"]
    start = len(tokens)
    while start and (tokens[start - 1].kind == "digits" or tokens[start - 1].text in (*_JOINS, "-", "−")):
        start -= 1
    letter = start - 2
    numbers = [token.text for token in tokens[start:] if token.kind == "digits"]
    if (
        letter < 1
        or len(numbers) < 2
        or tokens[start - 1].text != "="
        or not _leads_clause(tokens[letter - 1])
    ):
        return text
    name = tokens[letter].text
    said = _drop_opening(text[: tokens[letter - 1].start])
    if len(name) > 1 or not _holds_letter(said, name) or any(map(_is_long_word, tokens[: letter - 1])):
        return text
    listed = "".join(f"{token.text} " if token.text == "," else token.text for token in tokens[start:])
    if recognize_dialect(said) == "plain":
        said = latex_of_plain(said)
    return rf"{said}, {name} \in \{{{listed}\}}"


def _holds_letter(text: str, name: str) -> bool:
    """Return whether a letter stands in a formula, alone or in a product of letters."""
    return any(
        token.kind == "word" and name in token.text and len(token.text) < 4 for token in tokenize(text)
    )


def _spell_interval(text: str) -> str:
    r"""Return a text with the interval of a letter in signs, as of `with s running from 0 to 1`.

    >>> _spell_interval("x = 2s, where s runs from 0 to 1")
    'x = 2s, 0 \\le s \\le 1'
    """
    tokens = [token for token in unwrap_texts(tokenize(text)) if not is_blank(token) and token.text != "$"]
    starts = [at for at, token in enumerate(tokens) if at > 1 and token.text.lower() in _FROM]
    if not starts or tokens[starts[-1] - 1].text.lower() not in _RUNNING:
        return text
    letter, ends = starts[-1] - 2, tokens[starts[-1] + 1 :]
    to = next((at for at, token in enumerate(ends) if token.text.lower() in _TO), 0)
    rest = ends[to + 1 :]
    lead = letter - 1 if letter and tokens[letter - 1].text.lower() in _LEADS else letter
    if (
        not 0 < to < len(ends) - 1
        or len(tokens[letter].text) > 1
        or any(map(_is_long_word, ends[:to] + rest))
    ):
        return text
    low, high = (text[part[0].start : part[-1].end].strip(" .") for part in (ends[:to], rest))
    said = _drop_opening(text[: tokens[lead].start])
    if recognize_dialect(said) == "plain":
        said, low, high = map(latex_of_plain, (said, low, high))
    return rf"{said}, {low} \le {tokens[letter].text} \le {high}"


_FROM = ("from", "von", "de", "desde", "da", "от")
_TO = ("to", "bis", "à", "a", "hasta", "до", "até")
_RUNNING = (
    "running",
    "runs",
    "going",
    "goes",
    "ranging",
    "ranges",
    "varying",
    "varies",
    "läuft",
    "variant",
    "varía",
)


def _is_long_word(token: AnswerToken) -> bool:
    is_product = any("α" <= letter <= "ω" for letter in token.text)  # 2πik
    return token.kind == "word" and len(token.text) > 2 and not is_product


def _drop_opening(text: str) -> str:
    """Return a text without signs at its end that lead to what stands behind it."""
    shorter = text.rstrip(" ,;，、—–($\\（")
    for command in TEXT_COMMANDS:
        shorter = shorter.removesuffix(f"{command}{{").rstrip(" ,;")
    return shorter if shorter == text else _drop_opening(shorter)


def _spell(letter: str, found: WordedRange) -> str:
    bound = f", {letter} \\ge {found.least}" if found.least else ""
    return f", {letter} \\in \\mathbb{{{_PLAIN[found.numbers]}}}{bound}"


_PLAIN = {"ℤ": "Z", "ℕ": "N", "ℝ": "R"}


def _leads_clause(token: AnswerToken) -> bool:
    return token.text.lower() in _LEADS or token.text in tuple(",;，、—–")


def _may_begin(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a clause may begin at a token: at a comma or word that leads to it, or at a letter with
    white space before it."""
    token, before = tokens[at], tokens[at - 1]
    if _leads_clause(token):
        return True
    is_end = before.kind in ("word", "digits") or before.text in tuple(")}]°") or before.kind == "command"
    return token.kind == "word" and len(token.text) == 1 and token.start > before.end and is_end


def _is_argument(tokens: Sequence[AnswerToken], letters: Sequence[str]) -> bool:
    """Return whether a letter is what a function that is defined depends on: `f(x) = x^2` for all real x."""
    return text_at(tokens, 1) == "(" and text_at(tokens, 3) == ")" and text_at(tokens, 2) in letters


def _read_clause(tokens: Sequence[AnswerToken]) -> WordedRange | None:
    """Return what a clause says of letters; None where it holds any other word."""
    letters: list[str] = []
    kinds: list[str] = []
    sign = ""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        word, following = token.text.lower(), text_at(tokens, at + 1).lower()
        at += 1
        is_article = (
            word == "a" and (following in _KINDS or following in _SIGNS) and (letters or following != "is")
        )
        is_join = word in _JOINS and (len(word) > 1 or not word.isalpha() or bool(letters))
        if word in _KINDS:
            kinds.append(_KINDS[word])
        elif word in _SIGNS:
            sign = _SIGNS[word]
        elif word == "non" and (following in _SIGNS or following == "-"):
            at += 2 if following == "-" else 1
            sign = "0"
        elif is_article or word in _FILLERS or is_join or word in _MARKS or word in _LEADS:
            continue
        elif (token.kind == "word" and len(word) == 1) or word in _GREEK:
            index, at = _take_index(tokens, at)
            letters.append(token.text + index)
        else:
            return None
    if not letters or not kinds:
        return None
    numbers = min(kinds, key=("ℤ", "ℕ", "ℝ", "").index) or "ℝ"
    if sign and numbers == "ℝ":
        return None
    # Positive natural numbers begin with 1 for everybody.
    return WordedRange(tuple(dict.fromkeys(letters)), "ℤ" if sign else numbers, sign)


_SIGNS = {
    **dict.fromkeys(("positive", "positiv", "positiven", "positif", "positivo", "положительное", "正"), "1"),
    **dict.fromkeys(("nonnegative", "nonneg"), "0"),
}


def _take_index(tokens: Sequence[AnswerToken], at: int) -> tuple[str, int]:
    """Return the index behind a letter, as `_1`, and the place behind it."""
    if text_at(tokens, at) != "_":
        return "", at
    if text_at(tokens, at + 1) == "{" and text_at(tokens, at + 3) == "}":
        return f"_{tokens[at + 2].text}", at + 4
    return f"_{text_at(tokens, at + 1)}", at + 2


def _open_range(text: str) -> str:
    r"""Return a text with the range in brackets at its end behind a comma: `2k (k \in \mathbb{Z})`."""
    bare = text.rstrip(" .$")
    if not bare.endswith(")") or "(" not in bare:
        return text
    opening = bare.rfind("(")
    inside = [token.text for token in tokenize(bare[opening + 1 : -1]) if not is_blank(token)]
    before = bare[:opening].rstrip(" ,\\")
    if len(inside) < 3 or not inside[0].isalpha() or len(inside[0]) > 1 or not before:
        return text
    # `f(k ∈ ℤ)` is no formula with a range, but nobody writes it.
    indexed = any(f"_{mark}{inside[0]}" in before for mark in ("", "{"))
    is_range = inside[1] in _MEMBER_SIGNS or (indexed and inside[1] in _BOUND_SIGNS)
    return f"{before}, {bare[opening + 1 : -1]}" if is_range else text


_MEMBER_SIGNS = ("\\in", "∈")
_BOUND_SIGNS = ("=", ">", "≥", "\\ge", "\\geq", "\\geqslant")
