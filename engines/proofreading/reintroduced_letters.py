"""Letters that a text takes for something new: what was said of them before does not hold any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from engines.core.tree import Tree
from engines.documents.reading import Document
from engines.formula.cursor import UnreadError
from engines.formula.lexer import LatexSource
from engines.formula.meaning import pieces_of
from engines.formula.symbols import PieceRole
from engines.formula.vocabulary import is_variable, name_of
from engines.proofreading.chains import SENTENCE_BREAK, ChainLink
from engines.proofreading.cue_phrases import ends_with_phrase, has_last_word, is_made_of, mentions
from engines.proofreading.link_verdicts import LinkVerdict

_MOST_CHARACTERS = 60
_INCREMENT = "Δ"
_MEMBERS = ("∈", r"\in", ":", r"\colon", ">", r"\ge", r"\geq")


def read_renewals(document: Document) -> Mapping[int, Sequence[str]]:
    r"""Read which letters are introduced anew, by the pieces of the document that do it.

    >>> from engines.documents.reading import TextPiece
    >>> pieces = TextPiece("Let ", 1), TextPiece("f", 1, True), TextPiece(" be a function", 1)
    >>> dict(read_renewals(Document("", pieces)))
    {1: ['f']}
    """
    result: defaultdict[int, list[str]] = defaultdict(list)
    words = ""
    listed = False
    for at, piece in enumerate(document.pieces):
        if not piece.formula:
            words = SENTENCE_BREAK.split(piece.text)[-1] if piece.text.strip() else ""
            listed = listed and is_made_of("joining", words)
            continue
        listed = listed or has_last_word("introducing", words) or _is_introduced(words)
        listed = listed or ends_with_phrase("renewing", words)
        names = list_introduced_letters(piece.text) if listed and len(piece.text) <= _MOST_CHARACTERS else []
        result[at] += names
        listed = listed and bool(names)
    return {at: names for at, names in result.items() if names}


def is_defined_anew(judged: LinkVerdict, following: ChainLink, left: Tree | None, right: Tree | None) -> bool:
    """Return whether the next statement of a list says anew what an accusation uses: in `b_1 = 1, b_2 = 5,
    b_n = b_{n-1} b_{n-2}` all are about that recurrence, and not about one before.

    Args:
        judged: The accusation.
        following: The next statement.
        left, right: The sides of that.
    """
    apart = following.piece_index - judged.link.piece_index
    is_listed = apart == 0 or (apart == _BESIDE and is_made_of("joining", judged.link.words_after))
    if not is_listed or following.relation != "=" or following.connective not in _LISTING:
        return False
    return any(source.left == left and source.right != right for source in judged.evidence.sources)


def _is_introduced(words: str) -> bool:
    """Return whether words before a letter introduce it with what it is: `let a continuous function f`."""
    last = " ".join(words.lower().split()[-_WORDS:])
    opening, _, kind = last.rpartition(" a ")
    return (
        bool(kind) and mentions("introducing", f"{opening} ") and mentions("kind of letter", kind.split()[-1])
    )


_WORDS = 6
_LISTING = (",", "and", "")
"""What joins the statements of a list; rows go on from each other."""
_BESIDE = 2
"""Pieces from a formula to the next, with words between them."""


def list_introduced_letters(latex: str) -> list[str]:
    """Return the letters that a formula introduces: it has nothing else, or says where they are from."""
    try:
        parts = pieces_of(LatexSource.from_latex(latex))
    except UnreadError:
        return []
    names: list[str] = []
    # Δx is one name
    if len(parts) == 2 and parts[0].text == _INCREMENT and is_variable(parts[1]):
        return [_INCREMENT + name_of(parts[1])]
    for at, piece in enumerate(parts):
        if at % 2:
            if piece.text == ",":
                continue
            return names if piece.text in _MEMBERS or piece.role == PieceRole.COLON else []
        if not is_variable(piece):
            return []
        names.append(name_of(piece))
    return names
