"""What two sentences with the same answer say of whom, and how: words that change places, or that one
has alone."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.meanings.sentence_items import list_items
from engines.grading.tokens import AnswerToken, Phrases, is_blank, tokenize

_MOST_TOKENS = 40
_JOINS = frozenset((",", ";", "and", "und", "et", "y", "e", "и", "，", "；", "、", "while", "but"))
_DECISIONS = frozenset(
    ("yes", "no", "true", "false", "t", "f", "ja", "nein", "oui", "non", "sí", "да", "нет")
)
_QUALIFIERS = make_phrases(
    "integer, rational, complex, positive integer, ganzzahlig, ganzzahlige, entière, entera, intera",
    "целых, in integers, from the left, from the right, left, right, weakly, strongly, linearly",
    "quadratically, quickly, slowly, pointwise, punktweise, ponctuellement, поточечно, in distribution",
    "in probability, in norm, almost surely, uniformly, gleichmäßig, равномерно, uniformément",
    "not attained, not uniformly, not absolutely, nicht gleichmäßig, не равномерно",
)
"""Words that limit what is said of something."""
_DIRECTED = make_phrases(
    "loss, debt, owes, owe, deficit, decrease, decreased, Verlust, Schulden, perte, dette, pérdida",
    "deuda, perdita, debito, perda, dívida, убыток, долг, 亏, 亏损, 损失, 盈利, 赤字, ago, left to right",
    "right to left, 向左, 向右, 左に, 右に, 왼쪽, 오른쪽, east, west, north, south, farther, N of E, E of N",
)
"""Words that give an amount a sign or direction."""
_STATES = make_phrases(
    "each, per person, in total, altogether, left, remaining, gone, lost, übrig, verloren, 剩, 还剩, 用了",
    "left over, left the party, remain, used",
)
"""Words that say of what an amount is."""


def find_exchange(texts: tuple[str, str], problem: str) -> str:
    """Return what one of two short sentences says and the other not, or of another; "" where nothing is
    found.

    >>> find_exchange(("A lies and B is honest", "A is honest and B lies"), "")
    'which of them says what of whom'
    >>> find_exchange(("a loss of 5", "5"), "")
    'only one of them says loss'
    """
    sides = [
        [token for token in tokenize(text) if not is_blank(token) and token.text != "$"] for text in texts
    ]
    if not all(sides) or max(map(len, sides)) > _MOST_TOKENS:
        return ""
    said = [[token.text.lower() for token in side if token.text not in (".", "!")] for side in sides]
    if said[0] == said[1]:
        return ""
    asked = [token for token in tokenize(problem) if not is_blank(token)]
    return _find_swap(said) or _find_replacement(texts, sides) or _find_limit(sides, asked)


def _find_swap(said: Sequence[Sequence[str]]) -> str:
    """Return a reason where two sentences have the same words, and their clauses have not."""
    if sorted(said[0]) != sorted(said[1]) or not _FORMULA_SIGNS.isdisjoint(said[0]):
        return ""
    clauses = [_split_clauses(words) for words in said]
    if {*said[0]} - _JOINS <= _DECISIONS:
        return "in which order they decide"
    if any(len(clause) < _SHORTEST for side in clauses for clause in side):
        return ""
    if not any(len(word) > 1 and word.isalpha() for word in {*said[0]} - _JOINS):
        return ""
    if len(clauses[0]) == 1 and len(said[0]) < _SENTENCE + 1:
        return ""  # the day and its month
    parts = [sorted(map(tuple, side)) for side in clauses]
    return "" if parts[0] == parts[1] else "which of them says what of whom"


_FORMULA_SIGNS = frozenset(("=", "{", "\\\\", "&", "<", ">", "\\text"))
_SHORTEST = 2
"""Words of a clause with a subject."""


def _split_clauses(words: Sequence[str]) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for word in words:
        if word in _JOINS:
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [clause for clause in clauses if clause]


def _find_replacement(texts: tuple[str, str], sides: Sequence[Sequence[AnswerToken]]) -> str:
    """Return the one word in which two sentences differ, with that of the other, if none of them is a
    class whose
    meaning was compared."""
    words = sum(token.kind == "word" and len(token.text) > 1 for token in sides[0])
    if len(sides[0]) != len(sides[1]) or len(sides[0]) < _SENTENCE or words < _MOST_LONE:
        return ""
    pairs = [
        (one, other) for one, other in zip(*sides, strict=True) if one.text.lower() != other.text.lower()
    ]
    if len(pairs) != 1 or not all(token.kind == "word" for token in pairs[0]):
        return ""
    one, other = pairs[0]
    is_name = one.text.isupper() and other.text.isupper() and len(one.text) > 1
    is_long = len(one.text) > _LONG and len(other.text) > _LONG
    if not (is_name or is_long) or one.text[:4].lower() == other.text[:4].lower():
        return ""
    classes = [_list_classes(text) for text in texts]
    if one.text.lower() in classes[0] and other.text.lower() in classes[1]:
        return ""
    return f"{one.text} and {other.text}"


_SENTENCE = 3
_MOST_LONE = 2
_LONG = 3


def _list_classes(text: str) -> set[str]:
    """Return the words of the classes that a sentence names."""
    tokens, items = list_items(text)
    return {
        token.text.lower()
        for item in items
        if item.kind in ("class", "not", "decision")
        for token in tokens[item.start : item.end]
    }


def _find_limit(sides: Sequence[Sequence[AnswerToken]], asked: Sequence[AnswerToken]) -> str:
    """Return a word that limits or directs what is said and that only one of two short sentences has."""
    if max(map(len, sides)) > _MOST_LIMITED:
        return ""
    for table in (_QUALIFIERS, _DIRECTED, _STATES):
        if table is _QUALIFIERS and not all(map(_is_plain, sides)):
            continue  # what is said of formulas is compared with these
        if table is _DIRECTED and any(token.text in _MINUSES for side in sides for token in side):
            continue
        said = [_list_phrases(table, side) for side in sides]
        if table is _STATES and not all(said):
            continue
        alone = sorted((said[0] ^ said[1]) - _list_phrases(table, asked))
        if alone:
            return f"only one of them says {alone[0]}"
    return ""


_MINUSES = ("-", "−")


def _list_phrases(table: Phrases[str], side: Sequence[AnswerToken]) -> set[str]:
    """Return the phrases of a table in a sentence, those that begin alike as one."""
    return {
        " ".join(token.text.lower() for token in side[at:end])[:_STEM]
        for at, end, _ in table.find_all(side, 0, len(side))
    }


_STEM = 8
_MOST_LIMITED = 14


def _is_plain(side: Sequence[AnswerToken]) -> bool:
    """Return whether a sentence has words and no figures or relations."""
    has_figures = any(token.kind in ("digits", "command") or token.text in "=<>" for token in side)
    return not has_figures and any(len(token.text) > 1 for token in side)
