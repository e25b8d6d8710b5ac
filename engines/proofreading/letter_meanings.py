"""What letters mean where they stand: names that a document gives to other things than usual."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engines.documents.reading import Document, TextPiece
from engines.formula.document_names import weigh_pi
from engines.formula.meaning import Names
from engines.proofreading.cue_phrases import mentions, words_of
from engines.proofreading.scopes import Position

_NAMED = 3
"""The weight of words that say what π is."""
_BEHIND = 4
"""Words before or behind a letter that say what it is."""
_MOST_CHARACTERS = 20_000
_ALONE = (r"\pi", "π")
_COUNTING = ("ranging", "whole", "counter")
_WHOLE_E = re.compile(r"(?:\A|[,;&(]|\\\\)\s*e\s*=\s*\d+\s*(?![\d.,^*/+-]|\\[a-z])")
"""The letter e with a whole number as its value, as an exponent or a number of edges has one."""
_NATURAL_E = re.compile(
    r"(?<![A-Za-z\\])e\s*\^\s*\{?\s*[-+]?\s*(?:[A-Za-z]|\\[A-Za-z]|\d+\s*[a-z\\])|\\(?:ln|exp)(?![A-Za-z])"
)
"""What is written with the number e, and not with a whole one."""


@dataclass(frozen=True, slots=True)
class LetterMeanings:
    """The names of a document, in which π is a letter in some sections.

    Attributes: sections: ids of those. called: ids of the sections in which π has arguments. with_e: ids of
    the sections in which e is a whole number.
    """

    names: Names
    sections: frozenset[int] = frozenset()
    called: frozenset[int] = frozenset()
    with_e: frozenset[int] = frozenset()

    def names_at(self, position: Position) -> Names:
        """Return what letters mean at a place."""
        section = id(position.scope.section)
        names = self.names
        if section in self.with_e:
            names = replace(names, letters=names.letters | {"e"})
        if section not in self.sections:
            return names
        functions = names.functions | ({"π"} if section in self.called else set())
        return replace(names, letters=names.letters | {"π"}, functions=functions)


def read_meanings(document: Document, positions: Sequence[Position], names: Names) -> LetterMeanings:
    r"""Find the sections in which π is a name, as that of a policy, a permutation or a projection.

    >>> from engines.documents.reading import TextPiece
    >>> from engines.proofreading.scopes import read_positions
    >>> words = TextPiece("the stationary distribution ", 1)
    >>> document = Document("", (words, TextPiece(r"\pi", 1, True)))
    >>> positions = read_positions(document)
    >>> read_meanings(document, positions, Names()).names_at(positions[0]).letters
    frozenset({'π'})
    """
    weights: defaultdict[int, int] = defaultdict(int)
    seen: set[int] = set()
    called: set[int] = set()
    for at, (piece, position) in enumerate(zip(document.pieces, positions, strict=True)):
        if not piece.formula or not any(sign in piece.text for sign in _ALONE):
            continue
        section = id(position.scope.section)
        seen.add(section)
        if any(f"{sign}(" in piece.text for sign in _ALONE):
            called.add(section)
        if len(piece.text) <= _MOST_CHARACTERS:
            weights[section] += weigh_pi(piece.text)
        if piece.text.strip().startswith(_ALONE):
            before = document.pieces[at - 1].text if at else ""
            after = document.pieces[at + 1].text if at + 1 < len(document.pieces) else ""
            weights[section] += _NAMED * _is_named(before, after)
    if any(map(_is_counter, document.pieces, document.pieces[1:])):
        names = replace(names, letters=names.letters | {"i"})
    whole = sum(weights.values())
    named = {section for section in seen if (weights[section] or whole) > 0}
    return LetterMeanings(names, frozenset(named), frozenset(called), _find_whole_e(document, positions))


def _find_whole_e(document: Document, positions: Sequence[Position]) -> frozenset[int]:
    """Return the ids of the sections in which e is a whole number, and nothing is written with the number
    e."""
    whole, natural = (
        {
            id(position.scope.section)
            for piece, position in zip(document.pieces, positions, strict=True)
            if piece.formula and sign.search(piece.text)
        }
        for sign in (_WHOLE_E, _NATURAL_E)
    )
    return frozenset(whole - natural)


def _is_counter(before: TextPiece, piece: TextPiece) -> bool:
    """Return whether words say of a formula of i alone that it counts: `for all i`, `an index i`."""
    words = " ".join(words_of(before.text[-20:])[-1:])
    return piece.formula and piece.text.strip() == "i" and any(mentions(cue, words) for cue in _COUNTING)


def _is_named(before: str, after: str) -> bool:
    """Return whether the words around a letter say what it is a name of."""
    words = words_of(before.rpartition("\n\n")[2][-60:])[-_BEHIND:]
    if words and mentions("named quantity", " ".join(words[-2:])):
        return True
    behind = words_of(after[:40])[:2]
    return words[-1:] == ["let"] and behind[:1] in (["be"], ["denote"])
