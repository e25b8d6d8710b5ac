r"""Permutations as products of cycles: `(1\,3\,2)` is (3 2 1), and `(1 2)(3 4)` is (3 4)(1 2)."""

from __future__ import annotations

from engines.grading.tokens import is_blank, tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_SPACES = ("\\,", "\\;", "\\ ", "\\:", "~", "\\quad")
_LONGEST = 120


def read_cycles(text: str) -> dict[str, str] | None:
    """Return where a product of cycles takes what it moves; None for other texts.

    >>> read_cycles("(1 3 2)") == read_cycles("(3 2 1)"), read_cycles("(1, 2)")
    (True, None)
    """
    moved: list[list[str]] = []
    opened, spaced = False, True
    for token in tokenize(text.strip(" .$")) if len(text) < _LONGEST else ():
        if is_blank(token) or token.text in _SPACES:
            spaced = True
        elif token.text == "(" and not opened:
            moved.append([])
            opened = spaced = True
        elif token.text == ")" and opened:
            opened = False
        elif opened and spaced and token.text.isalnum() and len(token.text) < 3:
            moved[-1].append(token.text)
            spaced = False
        elif opened or token.text not in ("∘", "\\circ", "·", "\\cdot"):
            return None
    if opened or not moved or any(len({*cycle}) != len(cycle) or len(cycle) < 2 for cycle in moved):
        return None
    images: dict[str, str] = {}
    for item in {item for cycle in moved for item in cycle}:
        image = item
        # The last cycle acts first.
        for cycle in reversed(moved):
            if image in cycle:
                image = cycle[(cycle.index(image) + 1) % len(cycle)]
        if image != item:
            images[item] = image
    return images


def compare_cycles(gold: str, pred: str) -> GradeVerdict | None:
    """Compare two permutations that are written as cycles; None for other texts."""
    mine, theirs = read_cycles(gold), read_cycles(pred)
    if mine is None or theirs is None:
        return None
    if mine == theirs:
        return GradeVerdict("equal", reason="cycles are compared as permutations")
    apart = next(item for item in sorted({*mine, *theirs}) if mine.get(item, item) != theirs.get(item, item))
    return differ_by(f"{apart} goes to {mine.get(apart, apart)} and to {theirs.get(apart, apart)}")
