r"""Rings and fields of residues that a document names anywhere, as `\mathbb{F}_2`, and what can hold in them.

A text that is about one such field says so at its beginning, and calculates in it to its end. What fails for
numbers and holds in that field is no sure mistake, wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set
from dataclasses import replace

from engines.core.tree import Tree
from engines.documents.reading import Document
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.moduli import list_written_moduli, names_residue_ring
from engines.proofreading.residue_rings import find_least_modulus
from engines.proofreading.term_properties import WHOLE, are_equal_modulo, free_symbols

_ORDINARY = re.compile(
    r"\\math(?:bb|bf)\s*\{?(?:[QRC]|Z\}?(?!\}?\s*[_/]))|\\[QR](?![A-Za-z])|\\Z(?![A-Za-z]|\s*[_/])|[ℚℝℂ]"
)
_OFTEN = 3
"""So often a document names the field that it is about."""
_LEAST_SAID = 5
"""Of a modulus that words or congruences name: every third number is 0 modulo 3."""
_OF_RINGS = frozenset(("+", "-", "*", "/", "pow", "pm", "call"))


def count_named_rings(document: Document) -> Counter[int]:
    r"""Return how often the formulas of a document name rings of residues, by their moduli; 0 stands for the
    rings of ordinary numbers.

    >>> from engines.documents.reading import TextPiece
    >>> dict(count_named_rings(Document("", (TextPiece(r"x \in \mathbf{F}_4", 1, True),))))
    {2: 1}
    """
    rings = Counter(
        modulus
        for piece in document.pieces
        if piece.formula and names_residue_ring(piece.text)
        for modulus in list_written_moduli(piece.text)
    )
    ordinary = sum(piece.formula and _ORDINARY.search(piece.text) is not None for piece in document.pieces)
    return rings + Counter({0: ordinary})


def judge_in_named_rings(
    judged: LinkVerdict,
    left: Tree,
    right: Tree,
    rings: Counter[int],
    moduli: Set[int],
    *,
    names_bits: bool = False,
) -> LinkVerdict:
    """Return the verdict on a link that is accused, in the light of the rings that its document names: it is
    right if one of them is meant and it holds there. A calculation with numbers may be one in any of them; a
    link with variables, in the only one that the document names often.

    Args:
        rings: How often the document names rings of residues, by their moduli.
        moduli: Those that the text around the link names, in whatever way.
        names_bits: Whether the document speaks of bits, of which a plus can be the exclusive or.
    """
    if judged.link.relation != "=" or not _is_of_rings(left, right):
        return judged
    if not free_symbols(left) | free_symbols(right):
        meant = [modulus for modulus in {*rings} if _is_sum_of_residues(left, right, modulus)]
        least = max(_LEAST_SAID, find_least_modulus(left, right))
        meant += [
            modulus for modulus in moduli if modulus >= least or _is_sum_of_residues(left, right, modulus)
        ]
    else:
        # Of a ring that is named beside others nobody knows whether it is meant.
        only = [(modulus, count) for modulus, count in rings.items() if len(rings) == 1]
        meant = [modulus for modulus, count in only if modulus and count >= _OFTEN]
        numerals = {node.label for side in (left, right) for node in side if node.label.isdecimal()}
        of_sums = numerals <= {"0"} and _is_of_sums(left, right)
        meant += [2] if (names_bits or 2 in moduli) and of_sums else []
    fitting = [modulus for modulus in meant if are_equal_modulo(left, right, modulus)]
    # Where 2 is 0, a plus and a minus are the same.
    if not fitting and 2 in meant and any(sign in judged.reason for sign in _SIGNS):
        return replace(judged, outcome="not shown", reason="a plus and a minus are the same modulo 2")
    if not fitting:
        return judged
    return replace(judged, outcome="right if", reason=f"modulo {max(fitting)}, which the text names")


def _is_of_sums(left: Tree, right: Tree) -> bool:
    return all(node.label == "+" for side in (left, right) for node in side if node.children)


def _is_sum_of_residues(left: Tree, right: Tree, modulus: int) -> bool:
    """Return whether a calculation has no number as large as a modulus, and a numeral as its result."""
    numerals = [int(node.label) for side in (left, right) for node in side if WHOLE.match(node.label)]
    result = WHOLE.match(right.label) is not None
    return result and max(numerals, default=0) < modulus


_SIGNS = ("holds with - for +", "holds with + for -")


def _is_of_rings(left: Tree, right: Tree) -> bool:
    return all(node.label in _OF_RINGS for side in (left, right) for node in side if node.children)
