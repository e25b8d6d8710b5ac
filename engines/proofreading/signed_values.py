"""Numbers with signs ±, which can be imaginary."""

from __future__ import annotations

from itertools import repeat

from engines.core.tree import Tree
from engines.mathematics.judging.shapes import choose_signs
from engines.proofreading.term_properties import evaluate_complex, values_agree

_SEEN = 1e-3
"""Share by which two numbers differ that nobody takes for equal."""


def apart_in_any_sign(left: Tree, right: Tree) -> bool:
    """Return whether two terms with signs ± differ whichever of both is meant."""
    sides = [[choose_signs(side, repeat(sign)) for sign in "+-"] for side in (left, right)]
    return all(_are_apart(one, other) for one in sides[0] for other in sides[1])


def _are_apart(left: Tree, right: Tree) -> bool:
    """Return whether two numbers differ, which can be imaginary."""
    if "i" not in (*left.list_labels(), *right.list_labels()):
        return values_agree(left, right, {}) is False
    one, other = evaluate_complex(left, {}), evaluate_complex(right, {})
    return one is not None and other is not None and abs(one - other) > _SEEN * (1 + abs(one))
