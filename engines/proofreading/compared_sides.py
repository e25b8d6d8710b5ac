"""Sides of a link in the form in which they are compared: products of vectors worked out, ranges of sums,
angles in radians and degrees."""

from __future__ import annotations

from engines.core.errors import EngineError
from engines.core.tree import ONE, ZERO, Tree
from engines.mathematics.judging.shapes import evaluate_matrices
from engines.proofreading.other_meanings import take_degrees
from engines.proofreading.slips import points_of
from engines.proofreading.term_properties import (
    AMBIGUOUS_LABELS,
    free_symbols,
    is_ambiguous,
    values_agree,
)

_VECTORS = frozenset(("matrix", "tuple"))
_NOT_COMPARED = frozenset(("unit", "integral", "pm"))
_PARTS_OF_SUM = 4


def differ_at_a_point(left: Tree, right: Tree) -> bool:
    """Return whether terms of numbers, without what is only approximated here, differ at a point."""
    if not _NOT_COMPARED.isdisjoint((*left.list_labels(), *right.list_labels())):
        return False
    return values_agree(left, right, points_of(free_symbols(left) | free_symbols(right))[0]) is False


def multiply_out(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    """Return the sides of a link with products of vectors worked out where both are numbers."""
    if _VECTORS.isdisjoint((*left.list_labels(), *right.list_labels())):
        return left, right
    try:
        sides = evaluate_matrices(left, right)
    except EngineError:
        return left, right
    is_number = all(_VECTORS.isdisjoint(side.list_labels()) for side in sides)
    return sides if is_number else (left, right)


def list_summed_ranges(*sides: Tree) -> list[Tree]:
    """List what holds where finite sums with variable ends have terms, or are about to: `n - 1 >= 0` of a sum
    from 1 to n - 1."""
    ranges = [
        Tree(">=", (node.children[2], Tree("-", (node.children[1], ONE))))
        for side in sides
        for node in side
        if node.label in ("sum", "prod") and len(node.children) == _PARTS_OF_SUM
        if free_symbols(node.children[2]) and "inf" not in node.children[2].list_labels()
    ]
    tops = {node.children[0] for side in sides for node in side if node.label == "binomial" and ranges}
    return [*ranges, *(Tree(">=", (top, ZERO)) for top in tops if not top.children and free_symbols(top))]


def is_inverse_residue(node: Tree) -> bool:
    """Return whether a term is an inverse modulo a number, as `3^{-1} mod 5`."""
    return node.label == "mod" and any(
        part.label == "pow" and part.children[1].label.startswith("-") for part in node.children[0]
    )


def differ_in_any_angle(left: Tree, right: Tree) -> bool:
    """Return whether terms can be compared: no sign, unit or name in them can be meant in several ways, and
    if their angles can be in degrees, they differ for those too."""
    if not any(map(is_ambiguous, (left, right))):
        return True
    labels = {*left.list_labels(), *right.list_labels()}
    if not labels.isdisjoint(AMBIGUOUS_LABELS) or free_symbols(left) or free_symbols(right):
        return False
    return values_agree(take_degrees(left), take_degrees(right), {}) is False
