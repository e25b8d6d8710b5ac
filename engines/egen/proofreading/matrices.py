"""Matrices in a text: which letters are matrices, how their products are read, and what stands for any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from engines.core.tree import Tree
from engines.documents.reading import Document
from engines.egen.judging.names import replaced
from engines.egen.proofreading.chains import SENTENCE

_CAPITAL = re.compile("[A-Z]")
_VALUE = re.compile(
    r"(?<![A-Za-z\\])([A-Z])\s*&?=\s*(?:\\left\s*[(\[]\s*)?\\begin\{[pbB]?(?:small)?(?:matrix|array)\}"
)
_TRANSPOSED = re.compile(r"\^\s*(?:T(?![A-Za-z])|\{\s*T\s*\})")
_TOGETHER = re.compile(
    r"\\(?:text|mathrm|operatorname|mbox)\s*\{[^{}]*\}|\\[A-Za-z]+|[A-Z](?: *[A-Z])+(?![a-z_'])"
)
_ROWS = (
    ("2 3 1", "5 7 4", "1 6 8"),
    ("11 1 2", "4 13 3", "7 2 9"),
    ("1 6 5", "17 3 2", "4 1 8"),
    ("8 19 3", "1 5 6", "2 7 4"),
)


def _matrix(rows: Iterable[str]) -> Tree:
    return Tree("matrix", tuple(Tree("row", tuple(map(Tree, row.split()))) for row in rows))


def matrices_of(document: Document) -> frozenset[str]:
    """The capital letters that are matrices: by their values, or in a sentence about matrices."""
    named: set[str] = set()
    sentence: set[str] = set()
    words = ""
    for piece in document.pieces:
        if piece.formula:
            named.update(_VALUE.findall(piece.text))
            if _CAPITAL.fullmatch(piece.text.strip()):
                sentence.add(piece.text.strip())
            continue
        first, *others = SENTENCE.split(piece.text)
        words += first
        if others:
            named |= sentence if "matri" in words.lower() else set()
            sentence, words = set(), others[-1]
    return frozenset(named | (sentence if "matri" in words.lower() else set()))


def as_products(latex: str, matrices: frozenset[str]) -> str:
    r"""A formula in which letters that stand together are no name, and an exponent T is the transpose.

    >>> as_products(r"(AB)^T + \text{AB} \det A", frozenset("AB"))
    '(A \\cdot B)^{\\top} + \\text{AB} \\det A'
    """

    def instead(found: re.Match[str]) -> str:
        letters = found[0].replace(" ", "")
        return r" \cdot ".join(letters) if {*letters} <= {*matrices, "I"} else found[0]

    return _TRANSPOSED.sub(r"^{\\top}", _TOGETHER.sub(instead, latex))


def any_values(matrices: Iterable[str]) -> dict[str, Tree]:
    """Matrices that stand for any: no two commute."""
    return {name: _matrix(_ROWS[at % len(_ROWS)]) for at, name in enumerate(sorted(matrices))}


def at_values(left: Tree, right: Tree, values: Mapping[str, Tree]) -> tuple[Tree, Tree]:
    """Both sides with matrices in the place of their names, I the identity, and 0 that of the left side."""
    if right == Tree("0"):
        right = Tree("*", (right, left))
    size = len(next(iter(values.values())).children)
    identity = _matrix(" ".join("01"[row == column] for column in range(size)) for row in range(size))
    for name, value in {"I": identity, **values}.items():
        left, right = replaced(left, name, value), replaced(right, name, value)
    return left, right
