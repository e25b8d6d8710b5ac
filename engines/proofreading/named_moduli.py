"""The moduli that a text names, and the rings of residues that its formulas can be about."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from engines.documents.reading import Document
from engines.proofreading.cue_phrases import is_made_of, words_of
from engines.proofreading.domain_words import names_discrete_logarithms
from engines.proofreading.moduli import (
    list_possible_moduli,
    list_said_moduli,
    list_written_moduli,
    names_open_ring,
    names_residue_ring,
)
from engines.proofreading.residue_rings import RingsMeant
from engines.proofreading.scopes import NUMBERS, Position

_NUMERAL = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_CONGRUENT = re.compile(r"\\equiv(?![A-Za-z])|≡")


class Moduli:
    r"""The moduli that a text names, in words or as `\mathbb{Z}_8`, by the sections that name them.

    >>> from engines.documents.reading import TextPiece
    >>> from engines.proofreading.scopes import read_positions
    >>> text = TextPiece("work modulo ", 1), TextPiece("8", 1, True), TextPiece(r"\Z_5", 1, True)
    >>> document = Document("", text)
    >>> positions = read_positions(document)
    >>> sorted(Moduli(document, positions).list_moduli(positions[0]))
    [5, 8]
    """

    def __init__(self, document: Document, positions: Sequence[Position]) -> None:
        self._of: dict[int, list[tuple[int, int]]] = {}
        self._in_paragraph: dict[int, list[tuple[int, int]]] = {}
        self._behind: dict[int, int] = {}
        self._everywhere: set[int] = set()
        self._numerals: dict[int, Counter[int]] = defaultdict(Counter)
        self._with_rings: set[int] = set()
        self._with_open_rings: set[int] = set()
        self._with_discrete_logarithms: set[int] = set()
        self._writes_congruences = False
        # Each modulus is noted for its paragraph and the scopes around it, with the piece that names it.
        before = ""
        for at, (piece, position) in enumerate(zip(document.pieces, positions, strict=True)):
            moduli = (
                list_written_moduli(piece.text, before) if piece.formula else list_said_moduli(piece.text)
            )
            if moduli:
                self._note(position, [(at, modulus) for modulus in moduli])
                # "5 = 0 in Z_5": the modulus stands behind what it is said of.
                if piece.formula and words_of(before) and is_made_of("surrounding", before):
                    self._behind[at - 2] = moduli[0]
            before = "" if piece.formula else piece.text
            self._everywhere.update(moduli, list_possible_moduli(piece.text, is_formula=piece.formula))
            section = id(position.scope.section)
            self._numerals[section].update(map(int, _NUMERAL.findall(piece.text)))
            if piece.formula and names_residue_ring(piece.text):
                self._with_rings.add(section)
            if piece.formula and names_open_ring(piece.text):
                self._with_open_rings.add(section)
            if not piece.formula and names_discrete_logarithms(piece.text):
                self._with_discrete_logarithms.add(section)
            congruent = piece.formula and _CONGRUENT.search(piece.text) is not None
            self._writes_congruences = self._writes_congruences or congruent

    def describe_rings(self, position: Position, piece: int) -> RingsMeant:
        """Return what the text says of rings of residues where a formula stands."""
        # Where congruences have a sign of their own, an equals sign is one of integers.
        around = {id(scope) for scope in position.scope.lineage}
        return RingsMeant(
            self.find_modulus(position, piece),
            self.list_moduli(position),
            frozenset(self._everywhere),
            self._numerals[id(position.scope.section)],
            self._writes_congruences and self._with_rings.isdisjoint(around),
            not self._with_open_rings.isdisjoint(around),
            id(position.scope.section) in self._with_discrete_logarithms,
        )

    def _note(self, position: Position, named: Sequence[tuple[int, int]]) -> None:
        """Note moduli, with the pieces that name them, of a paragraph and of the scopes around it up to its
        section."""
        self._in_paragraph.setdefault(position.paragraph, []).extend(named)
        for scope in position.scope.lineage:
            self._of.setdefault(id(scope), []).extend(named)
            if scope is position.scope.section:
                break

    def list_moduli(self, position: Position) -> frozenset[int]:
        """Return those of the innermost scope around a position that names any, but for exercises: they have
        parts, and a solution may stand far from its question."""
        return next(
            (
                frozenset(modulus for _, modulus in known)
                for scope in position.scope.lineage
                if scope.kind not in ("list", "exercise") and (known := self._of.get(id(scope)))
            ),
            frozenset(),
        )

    def find_modulus(self, position: Position, piece: int) -> int | None:
        """Return the modulus that a formula is about: the one that the words behind it name, else the only
        one of its example, exercise, proof or item; of several, and in the rest of a text about residues or
        rings, the last one before it."""
        if piece in self._behind:
            return self._behind[piece]
        of_numbers = position.domain == NUMBERS
        around = [
            self._of.get(id(scope), ())
            for scope in position.scope.lineage
            # a list names the moduli of its other items too
            if scope.kind != "list" and not (of_numbers and scope.kind in ("section", "document"))
        ]
        if not of_numbers:
            around.insert(0, self._in_paragraph.get(position.paragraph, ()))
        known: Sequence[tuple[int, int]] = next((named for named in around if named), ())
        if len({modulus for _, modulus in known}) == 1:
            return known[0][1]
        before = [modulus for at, modulus in known if at <= piece]
        return before[-1] if before and not of_numbers else None
