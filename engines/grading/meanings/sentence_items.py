"""Sentences as items: the words of the tables, formulas between them, and the marks that part clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from engines.grading.meanings.class_vocabulary import CLASSES
from engines.grading.meanings.sentence_vocabulary import (
    AND,
    BUT,
    CONCLUSIONS,
    DENYING,
    DOMAINS,
    ELSEWHERE,
    EVERYWHERE,
    EXACT_PLACES,
    FILLERS,
    LIMITS,
    NEITHER,
    NOR,
    OR,
    PLACES,
    POINT_PLACES,
    REASONS,
    SOLUTION_NOUNS,
    SOUGHT,
    SUBJECTS,
)
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    is_spaced,
    join_formulas,
    tokenize,
    unwrap_texts,
)

ItemKind = str
"""class, decision, not, neither, nor, and, or, but, reason, conclusion, limit, place, point, everywhere,
elsewhere, domain, filler, formula, mark or unknown."""


class SentenceItem(NamedTuple):
    """A phrase, formula or mark of a sentence; `name`: the class, domain or mark; `domain`: of a class."""

    kind: ItemKind
    name: str
    start: int
    end: int
    domain: str = ""


_ENDINGS = (
    *("ого", "ому", "ыми", "ая", "яя", "ое", "ее", "ые", "ие", "ый", "ий", "ой", "ую", "ых", "ым", "ом"),
    *("es", "en", "er", "em", "os", "as", "e", "s", "o", "a", "i", "ы", "а", "о", "и", "е"),
)
_SHORTEST_STEM = 4


@lru_cache(maxsize=4096)
def fold_word(word: str) -> str:
    """Return a word in small letters without an ending of inflection.

    >>> fold_word("Convergentes"), fold_word("convergente"), fold_word("odd")
    ('convergent', 'convergent', 'odd')
    """
    small = word.lower()
    ending = next(
        (one for one in _ENDINGS if small.endswith(one) and len(small) - len(one) >= _SHORTEST_STEM), ""
    )
    return small.removesuffix(ending)


def fold_phrase(phrase: str) -> str:
    """Return a phrase with each of its words folded."""
    if is_spaced(phrase):
        return " ".join(map(fold_word, phrase.split()))
    return "".join(fold_word(token.text) for token in tokenize(phrase))


def list_phrases(group: str) -> list[str]:
    """Return the phrases of a group that is listed with commas."""
    return [fold_phrase(phrase) for phrase in group.split(", ") if phrase.strip()]


@cache
def _sentence_phrases() -> Phrases[tuple[ItemKind, str, str]]:
    """Return all phrases; of those that stand in several tables the last one counts."""
    tables: tuple[tuple[ItemKind, str], ...] = (
        *(("filler", FILLERS), ("place", PLACES), ("reason", REASONS), ("limit", LIMITS), ("and", AND)),
        ("conclusion", CONCLUSIONS),
        *(("or", OR), ("but", BUT), ("nor", NOR), ("neither", NEITHER)),
        *(("everywhere", EVERYWHERE), ("point", POINT_PLACES)),
    )
    phrases: dict[str, tuple[ItemKind, str, str]] = {}
    for kind, group in tables:
        phrases.update(dict.fromkeys(list_phrases(group), (kind, "", "")))
    phrases.update(dict.fromkeys(list_phrases(EXACT_PLACES), ("place", "exact", "")))
    phrases.update(dict.fromkeys(list_phrases(ELSEWHERE), ("elsewhere", "", "")))
    for subject, group in SUBJECTS.items():
        phrases.update(dict.fromkeys(list_phrases(group), ("filler", subject, "")))
    others = {*phrases, *list_phrases(DENYING)}
    for name, (_, words) in CLASSES.items():
        for phrase in list_phrases(words):
            # A word such as `no` or `是` decides a question only where it stands alone.
            decides = name in ("yes", "no") and phrase in others
            phrases[phrase] = ("decision" if decides else "class", name, "")
    for phrase in list_phrases(DENYING):
        kind, name, _ = phrases.get(phrase, ("not", "", ""))
        phrases[phrase] = ("decision", name, "not") if kind == "decision" else ("not", "", "")
    nouns = list_phrases(SOLUTION_NOUNS)
    phrases.update(dict.fromkeys(list_phrases(SOUGHT), ("class", "solutions", "")))
    for domain, (adjectives, behind) in DOMAINS.items():
        phrases.update(dict.fromkeys(list_phrases(behind), ("domain", domain, "")))
        for adjective, noun in product(list_phrases(adjectives), nouns):
            value: tuple[ItemKind, str, str] = ("class", "solutions", domain)
            for phrase in (f"{adjective} {noun}", f"{noun} {adjective}"):
                phrases.setdefault(phrase, value)
    phrases.update(dict.fromkeys(("integ", "integer"), ("class", "integer", "")))
    return Phrases(phrases)


_MARKS = ",.;:—–()，。；：（）、"
_OPENING, _CLOSING = "([{", ")]}"
_WIDE = "\u3040"
"""The first character of the scripts whose words have no spaces between them."""


def list_items(text: str) -> tuple[Sequence[AnswerToken], list[SentenceItem]]:
    """Return the tokens of a text, each formula as one, and the items that they make up."""
    written = text.replace("**", "").replace("’", "'").replace("\\%", "%")
    tokens = unwrap_texts([token for token in join_formulas(written, tokenize(written)) if token.text != "$"])
    return tokens, list(_parse_items(tokens))


def _parse_items(tokens: Sequence[AnswerToken]) -> Iterator[SentenceItem]:
    phrases = _sentence_phrases()
    folded = [
        token if token.kind == "formula" else token._replace(text=fold_word(token.text)) for token in tokens
    ]
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if is_blank(token):
            at += 1
            continue
        match = phrases.match(folded, at) if token.kind != "formula" else None
        if match is not None and not _is_letter_of_formula(tokens, at, match[0]):
            end, (kind, name, domain) = match
            yield SentenceItem(kind, name, at, end, domain)
        elif token.text in _MARKS and not _begins_formula(tokens, at):
            end = at + 1
            yield SentenceItem("mark", token.text, at, end)
        elif is_word(token):
            end = at + 1
            yield SentenceItem("unknown", token.text, at, end)
        else:
            end = _find_run_end(tokens, at)
            yield SentenceItem("formula", _spell_run(tokens[at:end]), at, end)
        at = end


def is_word(token: AnswerToken) -> bool:
    """Return whether a token is a word of a language, and no letter of a formula."""
    return (
        token.kind == "word" and (len(token.text) > 1 or token.text >= _WIDE) and token.text not in _FUNCTIONS
    )


_FUNCTIONS = (
    "sin",
    "cos",
    "tan",
    "ln",
    "log",
    "exp",
    "lim",
    "max",
    "min",
    "det",
    "sqrt",
    "mod",
    "gcd",
    "sup",
)


def _is_letter_of_formula(tokens: Sequence[AnswerToken], first: int, last: int) -> bool:
    """Return whether a phrase of one letter is rather part of a formula, as `a` of `a > 0`."""
    token = tokens[first]
    if last != first + 1 or len(token.text) > 1 or token.text >= _WIDE or token.kind != "word":
        return False
    behind = next((one for one in tokens[last:] if not is_blank(one)), None)
    return behind is not None and behind.kind in ("sign", "digits") and behind.text not in "'’,.;:)"


def _begins_formula(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a bracket opens a tuple or term, and no remark in words."""
    if tokens[at].text != "(":
        return False
    depth = 0
    for token in tokens[at:]:
        depth += (token.text == "(") - (token.text == ")")
        if is_word(token):
            return False
        if not depth:
            return True
    return False


def _find_run_end(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind a formula without delimiters."""
    if (outward := _find_interval_end(tokens, at)) is not None:
        return outward
    depth, end = 0, at
    for index in range(at, len(tokens)):
        token = tokens[index]
        if token.kind == "formula" and index > at:
            break
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth < 0 or (depth == 0 and token.text in _MARKS and token.text != ")"):
            between = token.text in ",." and index + 1 < len(tokens) and tokens[index + 1].kind == "digits"
            if not between:
                break
        if is_word(token) and not _is_braced(tokens, index):
            break
        if not is_blank(token):
            end = index + 1
        if token.kind == "formula":
            break
    return max(end, at + 1)


def _find_interval_end(tokens: Sequence[AnswerToken], at: int) -> int | None:
    """Return the index behind an interval with a bracket that is turned outwards, as ]0, 2[; None for
    others."""
    if tokens[at].text not in ("]", "[", "("):
        return None
    for index in range(at + 1, len(tokens)):
        token = tokens[index]
        if token.text in ("[", "]", ")"):
            turned = tokens[at].text == "]" or token.text == "["
            return index + 1 if turned else None
        if is_word(token) or token.text == "(":
            return None
    return None


def _is_braced(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a word is the argument of a command, as in `\\mathbb{R}`."""
    return at > 1 and tokens[at - 1].text == "{" and tokens[at - 2].kind == "command"


def _spell_run(tokens: Sequence[AnswerToken]) -> str:
    return "".join(token.text for token in tokens)
