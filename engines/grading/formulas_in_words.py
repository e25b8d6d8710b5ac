"""Formulas that a sentence says in words: `so x must be at least 4`, `x equals 3.5`, `p and not q`.

The reader knows the words (`engines.formula.vocabulary`). Here the part of a sentence is found that is made
of nothing but them, letters, numbers and formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.formula.expression_parser import OTHERWISE
from engines.formula.vocabulary import (
    BETWEEN_REMARKS,
    BETWEENS,
    CONNECTIVES,
    DENIALS_OF_STATEMENTS,
    DIFFERENCES,
    GREEK,
    IMPLICATIONS,
    MEMBERSHIP_PHRASES,
    NAMES_IN_TEXT,
    PARITIES,
    QUANTIFYING_PHRASES,
    RANGE_WORDS,
    REMARKS_ON_OR,
    SETS_IN_WORDS,
    SPOKEN_SIGNS,
)
from engines.grading.answer_vocabulary import CONCLUDING, COPULA_VERBS, FORMULA_LEADS
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, text_at, tokenize
from engines.language.numerals import read_numeral

_SAYING = (
    *SPOKEN_SIGNS,
    *QUANTIFYING_PHRASES,
    *MEMBERSHIP_PHRASES,
    *PARITIES,
    *SETS_IN_WORDS,
    *OTHERWISE,
    *REMARKS_ON_OR,
    *BETWEENS,
    *DENIALS_OF_STATEMENTS,
    *IMPLICATIONS,
    "not",
)
_PHRASES = Phrases(
    {
        **dict.fromkeys((*CONNECTIVES, *NAMES_IN_TEXT, *GREEK, "such that"), False),
        **dict.fromkeys((*BETWEEN_REMARKS, *RANGE_WORDS), False),
        **{phrase: True for phrase in _SAYING if phrase},
    }
)
"""Words of formulas, and whether one of them makes a formula of what is around it."""
_SAYING_WORDS = frozenset(
    tokenize(word)[0].text for word in {phrase.lower().split()[0] for phrase in (*_SAYING, "if") if phrase}
)
"""What phrases begin with that make a formula of what is around them."""
_FEW_EQUATIONS = 2
_NO_FORMULAS = tuple("?\"'“”!#@")


def find_formula_in_words(tokens: Sequence[AnswerToken], first: int, last: int) -> int | None:
    """Return where the formula begins that a sentence says in words and ends with; None without one."""
    part = tokens[first:last]
    equations = sum(token.text == "=" for token in part)
    if equations < _FEW_EQUATIONS and not any(token.text.lower() in _SAYING_WORDS for token in part):
        return None
    if first < last and tokens[first].text.lower() == "if":
        return first if is_formula_in_words(tokens[first:last]) else None
    concluded = [end for _, end, _ in CONCLUDING.find_all(tokens, first, last)]
    start = concluded[-1] if concluded and concluded[-1] < last else first
    starts = [start, *_list_starts(tokens, start, last)]
    # `the converse: if q then p`, in which `then` concludes nothing
    starts += [
        at + 1
        for at in range(first, start)
        if tokens[at].text == ":" and text_at(tokens, skip_blanks(tokens, at + 1)).lower() == "if"
    ]
    return next((at for at in starts if is_formula_in_words(tokens[at:last])), None)


def _list_starts(tokens: Sequence[AnswerToken], first: int, last: int) -> list[int]:
    """Return the indices behind what may lead to a formula: a comma, a colon, words such as `we get`."""
    starts, part = [], tokens[:last]
    for at in range(first, last):
        if tokens[at].text in (",", ":"):
            starts.append(at + 1)
        elif (lead := FORMULA_LEADS.match(part, at) or COPULA_VERBS.match(part, at)) is not None:
            starts.append(lead[0])
    return starts


def is_formula_in_words(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether tokens are a formula, and words of formulas are among them."""
    at = skip_blanks(tokens, 0)
    while at < len(tokens) and tokens[at].text == ",":
        at = skip_blanks(tokens, at + 1)
    says, named = at < len(tokens) and tokens[at].text.lower() == "if", False
    while at < len(tokens):
        token = tokens[at]
        if (difference := _match_difference(tokens, at)) is not None:
            at, says, named = difference[0], True, True
        elif (phrase := _PHRASES.match(tokens, at)) is not None:
            named = named or token.text in GREEK or _NAMELESS.match(tokens, at) is not None
            at, says = phrase[0], says or phrase[1]
        elif (
            (token.kind == "word" and len(token.text) > 1 and not _is_of_greek_letters(token.text))
            or token.kind == "command"
            or token.text in _NO_FORMULAS
        ):
            return False
        else:
            named = named or token.kind in ("word", "formula")
            at += 1
    equations = sum(token.text == "=" for token in tokens)
    listed = equations >= _FEW_EQUATIONS and any(
        CONNECTIVES.get(token.text) in ("and", "or") for token in tokens
    )
    return (says or listed) and named


def _is_of_greek_letters(word: str) -> bool:
    """Return whether a word is letters of a formula side by side, as πn."""
    return len(word) <= _MOST_LETTERS and any("α" <= letter <= "ω" for letter in word)


_MOST_LETTERS = 3


def _match_difference(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index behind `one less than` and how the reader has it; None where no such words begin."""
    value = read_numeral(tokens[at].text) if tokens[at].kind == "word" else None
    number = tokens[at].text if tokens[at].kind == "digits" else "" if value is None else str(value)
    phrase = _DIFFERENCES.match(tokens, skip_blanks(tokens, at + 1)) if number else None
    return None if phrase is None else (phrase[0], rf"{number} \text{{ {phrase[1]} }}")


_NAMELESS = Phrases(dict.fromkeys((*REMARKS_ON_OR, *(one for one in BETWEENS if one != "from")), ""))
"""Phrases with which numbers alone are a formula."""
_DIFFERENCES = Phrases({phrase: phrase for phrase in DIFFERENCES})


def write_spoken_signs(tokens: Sequence[AnswerToken]) -> str:
    """Return formulas among words as LaTeX, with the words for signs as signs."""
    written, at = "", 0
    while at < len(tokens):
        token = tokens[at]
        phrase = _PHRASES.match(tokens, at)
        if (difference := _match_difference(tokens, at)) is not None:
            at, said = difference
            written += said
        elif token.kind == "word" and phrase is not None:
            words = "".join(one.text for one in tokens[at : phrase[0]]).lower()
            denies = words == "not" or " ".join(words.split()) in DENIALS_OF_STATEMENTS
            sign = r"\lnot " if denies else SPOKEN_SIGNS.get(" ".join(words.split()))
            written += sign or rf"\text{{ {words} }}"
            at = phrase[0]
        else:
            written += " " if is_blank(token) else token.text
            at += 1
    return written.strip()
