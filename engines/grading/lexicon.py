"""Words of answers: what is looked up in a text as a whole, before `engines.formula` reads what it says."""

from __future__ import annotations

from collections.abc import Sequence

from engines.formula.vocabulary import SETS_IN_WORDS
from engines.grading.choices import read_choice
from engines.grading.forms import EMPTY, Form, WordsForm
from engines.grading.formulas_in_words import is_formula_in_words
from engines.grading.numbers import Term, in_words
from engines.grading.times import MONTHS, read_clock, read_date
from engines.grading.tokens import (
    TEXT_COMMANDS,
    AnswerToken,
    Phrases,
    is_blank,
    skip_blanks,
    tokenize,
)
from engines.grading.unit_reader import names_unit
from engines.grading.word_answers import find_word_answer, is_plain_sentence

_DECISIONS = Phrases(
    {
        word: decision
        for decision, words in (
            ("yes", "ja oui sí si sì да sim 是 是的 はい 예 네"),
            ("no", "nein non нет não 否 不是 いいえ 아니요"),
        )
        for word in words.split()
    }
)
"""Words of other languages that decide a question, and the English ones."""


def _is_remark(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether tokens are a comma or full stop with words behind it."""
    return tokens[0].text in (*",.!，。、",) and all(
        token.kind == "word" or is_blank(token) or token.text in (*",.!，。、",) for token in tokens
    )


def read_words(text: str) -> Form | None:
    """Return what a text of words, or the letter of a choice, says as a whole; None for other texts."""
    inside = unwrap_text(text)
    whole, inside = inside is not None, text if inside is None else inside
    folded = inside.lower()
    if folded in _EMPTY:
        return EMPTY
    if folded in _NO_VALUE or folded in _NO_LIMIT:
        return WordsForm("does not exist")
    if (sign := _INFINITIES.get(folded)) is not None:
        return Term(f"{sign}\\infty")
    tokens = tokenize(inside)
    if date := read_date(tokens):
        return WordsForm(date)
    if any(token.text in MONTHS for token in tokens) and "\\" not in inside:
        return WordsForm(inside)
    if (number := in_words(inside)) is not None:
        return number
    if (choice := read_choice(inside)) is not None and not choice.text:
        return WordsForm(choice.letter if whole else choice.letter.upper())
    # "Нет, нельзя" decides the question, and is no list.
    # Behind yes or no only words may follow, which comment on it.
    if (decided := _DECISIONS.match(tokens, 0)) is not None:
        behind, decision = decided
        if behind >= len(tokens) or _is_remark(tokens[behind:]):
            return WordsForm(decision + inside[tokens[behind - 1].end :])
    if clock := read_clock(tokens):
        return WordsForm(clock)
    if is_plain_sentence(tokens) and (stated := find_word_answer(tokens, 0, len(tokens))):
        sign, infinite = stated[:-1], stated[-1] == "∞"
        return Term(f"{sign}\\infty") if infinite else EMPTY if stated == "no solution" else WordsForm(stated)
    if folded in SETS_IN_WORDS:
        return None
    words = _is_words(tokens) and not is_formula_in_words(tokens)
    if (
        words
        and len(tokens) > 1
        and tokens[1].text == ","
        and _CONFIRMING.issuperset(_list_words(tokens[2:]))
    ):
        return WordsForm(tokens[0].text)
    if words and (said := _find_predicate(tokens)):
        predicate = inside[tokens[said].start :]
        return read_words(predicate) or WordsForm(predicate)
    if whole and not is_figures(inside):
        return WordsForm(inside)
    return WordsForm(text) if words and not whole and not names_unit(text) else None


def unwrap_text(text: str) -> str | None:
    r"""Return the words of a text that is no more than `\text{…}`; None for other texts."""
    if not text.startswith("\\") or not text.endswith("}"):
        return None
    command, opening, inside = text.partition("{")
    plain = not any(mark in inside[:-1] for mark in "{}\\")
    return inside[:-1].strip() if opening and plain and command.strip() in TEXT_COMMANDS else None


def is_figures(text: str) -> bool:
    """Return whether a text is numbers with what joins them, or a list of letters as A, B."""
    tokens = tokenize(text.removesuffix("%"))
    numeric = (
        token.kind == "digits" or token.text in (*"-+.,/:", "and", "or") or is_blank(token)
        for token in tokens
    )
    if tokens and all(numeric):
        return True
    said = [token.text for token in tokens if not is_blank(token)]
    letters = (len(word) == 1 and "A" <= word <= "Z" for word in said[::2])
    return len(said) > 2 and len(said) % 2 == 1 and {*said[1::2]} == {","} and all(letters)


def _list_words(tokens: Sequence[AnswerToken]) -> list[str]:
    return [token.text.lower() for token in tokens if not is_blank(token) and token.text != "."]


def _is_words(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether tokens are words of an answer, and no letters of a formula."""
    words = [token.text for token in tokens if token.kind == "word"]
    return (
        bool(words)
        and tokens[0].kind == "word"
        and all(word.isascii() for word in words)
        and all(token.kind == "word" or token.text in (" ", *"',.-") for token in tokens)
        and max(map(len, words)) > 2
        and not _VOWELS.isdisjoint("".join(words).lower())
    )


def _find_predicate(tokens: Sequence[AnswerToken]) -> int | None:
    """Return where the predicate of a sentence begins, as in `The function is even`; None without one."""
    subject = tokens[0].text.lower() in _ARTICLES
    for at in range(len(tokens)):
        verb = _VERBS.match(tokens, at)
        short = at == 2 and tokens[0].text.lower() == "it"
        if verb is not None and (at == 0 or short or (subject and at > 3)):
            begin = skip_blanks(tokens, verb[0])
            plain = all(
                token.kind == "word" or is_blank(token) or token.text == "-" for token in tokens[begin:]
            )
            return begin if begin < len(tokens) and begin > verb[0] and plain else None
    return None


_SOUGHT = (
    *("n", "x", "number", "numbers", "integer", "integers", "pair", "pairs", "triple", "triples"),
    *("function", "functions", "prime", "primes", "value", "values", "polynomial", "polynomials"),
)
_EMPTY = frozenset(
    f"{before}{words}"
    for before, group in (
        (
            "",
            (
                "no solution",
                "no solutions",
                "no real solution",
                "no real solutions",
                "empty set",
                "none exist",
                "none",
                "there are none",
            ),
        ),
        *((f"no such {noun} ", ("exist", "exists")) for noun in _SOUGHT),
        *((f"there {verb} no such ", _SOUGHT) for verb in ("is", "are", "exist", "exists")),
        ("there is ", ("no solution", "no real solution")),
        ("there are ", ("no solutions", "no real solutions")),
        ("the ", ("empty set",)),
    )
    for words in group
) | frozenset(
    (
        *("keine lösung", "keine lösungen", "keine reelle lösung", "aucune solution", "pas de solution"),
        *("нет решений", "решений нет", "нет корней", "корней нет", "无解", "無解", "无实数解", "解なし"),
    )
)
_NO_VALUE = ("dne", "does not exist", "doesn't exist")
_NO_LIMIT = frozenset(
    f"{subject} {verb}" for subject in ("limit", "the limit", "this limit", "it") for verb in _NO_VALUE
)
_INFINITIES = {
    f"{mark}{gap}{word}": sign
    for mark, sign in (("", ""), ("+", ""), ("-", "-"))
    for gap in ("", " ")
    for word in ("infinity", "inf")
}
_VOWELS = frozenset("aeiouy")
_ARTICLES = ("the", "this", "its")
_CONFIRMING = frozenset(
    (
        "it",
        "they",
        "this",
        "he",
        "she",
        "we",
        "you",
        "is",
        "are",
        "does",
        "do",
        "can",
        "will",
        "not",
        "cannot",
    )
)
"""Words behind a yes or no that say it once more."""
_VERBS = Phrases(dict.fromkeys(("is", "are", "diverges to", "tends to", "goes to", "approaches"), ""))
