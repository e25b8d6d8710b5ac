"""Equations that words say of a letter: an idempotent is its square, a root of unity has the power 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.core.tree import ONE, ZERO, Tree
from engines.documents.reading import Document, TextPiece
from engines.proofreading.cue_phrases import ORDINALS, mentions, words_of
from engines.proofreading.reintroduced_letters import list_introduced_letters

_WORDS = 8
"""Before a letter, so many may say what it is."""
_CLAUSE_END = re.compile(r"[.,;:§]|\n[ \t]*\n")
_MOST_CHARACTERS = 60
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)\b")
_LARGEST_ORDER = 24
_SAID = {"is", "be", "are", "denotes", "denote", "as"}


@dataclass(frozen=True, slots=True)
class WordedEquation:
    """An equation that words say of a letter. Attributes: words: those that say it."""

    left: Tree
    right: Tree
    words: str


def read_worded_equations(document: Document) -> Mapping[int, Sequence[WordedEquation]]:
    """Read what words say of letters, by the pieces of the document that are the letters.

    >>> from engines.documents.reading import TextPiece
    >>> pieces = TextPiece("If ", 1), TextPiece("p", 1, True), TextPiece(" is idempotent, so is 1-p.", 1)
    >>> [(each.left.list_labels(), each.words) for each in read_worded_equations(Document("", pieces))[1]]
    [(['pow', 'p', '2'], 'p is idempotent')]
    """
    result: dict[int, Sequence[WordedEquation]] = {}
    for index, piece in enumerate(document.pieces):
        if not piece.formula or len(piece.text) > _MOST_CHARACTERS:
            continue
        words = _find_description(
            document.pieces[max(0, index - 3) : index], document.pieces[index + 1 : index + 4]
        )
        if words and (letters := list_introduced_letters(piece.text)):
            result[index] = [equation for name in letters for equation in _say_equations(name, words)]
    return {index: equations for index, equations in result.items() if equations}


def _find_description(before: Sequence[TextPiece], after: Sequence[TextPiece]) -> str:
    """Return the words beside a letter that say what it is; "" where none do."""
    behind = _CLAUSE_END.split(_join_ordinals(after))[0]
    if next(iter(words_of(behind)), "") in _SAID:
        said = behind
    else:
        said = " ".join(_CLAUSE_END.split(_join_ordinals(before))[-1].split()[-_WORDS:])
    return said if _says_equation(said) and {"not", "no"}.isdisjoint(words_of(said)) else ""


def _join_ordinals(pieces: Sequence[TextPiece]) -> str:
    """Return the words of pieces with numbers that `th` follows, as in `a $5$-th root`, and § for other
    formulas."""
    texts = [
        (piece.text.strip() if piece.text.strip().isdecimal() else "§") if piece.formula else piece.text
        for piece in pieces
    ]
    return re.sub(r"(?<=\d)\s*-\s*(?=th\b|st\b|nd\b|rd\b)", "", "".join(texts))


def _says_equation(words: str) -> bool:
    return any(mentions(cue, words) for cue in ("idempotent", "involution", "root of unity"))


def _say_equations(name: str, words: str) -> Iterator[WordedEquation]:
    """Yield the equations that words say of a letter."""
    letter = Tree(name)
    square = Tree("pow", (letter, Tree("2")))
    if mentions("idempotent", words):
        yield WordedEquation(square, letter, f"{name} is idempotent")
    elif mentions("involution", words):
        yield WordedEquation(square, ONE, f"{name} is an involution")
    elif order := _find_order(words):
        said = f"{name} is a root of unity of order {order}"
        powers = [ONE, letter, *(Tree("pow", (letter, Tree(f"{power}"))) for power in range(2, order))]
        yield WordedEquation(Tree("pow", (letter, Tree(f"{order}"))), ONE, said)
        if mentions("primitive", words):
            total = powers[0]
            for power in powers[1:]:
                total = Tree("+", (total, power))
            yield WordedEquation(total, ZERO, said)


def _find_order(words: str) -> int:
    """Return of which order a root of unity is; 0 where the words do not say it.

    >>> _find_order("a primitive cube root of unity"), _find_order("the 5th root of unity")
    (3, 5)
    """
    number = _ORDINAL.search(words)
    order = (
        int(number[1])
        if number
        else next((ORDINALS[each] for each in words_of(words) if each in ORDINALS), 0)
    )
    return order if 1 < order <= _LARGEST_ORDER else 0
