"""Steps of Gaussian elimination between matrices, which many texts join by equals signs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from engines.core.tree import Tree
from engines.proofreading.term_properties import evaluate_term

_LARGEST_DENOMINATOR = 10**6
_FEWEST_CHANGES = 2
"""Entries: one alone that differs is a slip."""


def are_steps_of_elimination(left: Tree, right: Tree) -> bool:
    """Return whether each row of a matrix of numbers is a row of another matrix, or a multiple of one to
    which a multiple of another row was added, and several entries differ.

    >>> rows = [Tree("matrix", (Tree("row", (Tree("1"), Tree("2"))), Tree("row", pair)))
    ...         for pair in ((Tree("3"), Tree("4")), (Tree("0"), Tree("-2")))]
    >>> are_steps_of_elimination(*rows)
    True
    """
    before, after = _read_rows(left), _read_rows(right)
    if not before or not after or len(before) != len(after) or len({*map(len, (*before, *after))}) != 1:
        return False
    entries = zip(chain(*before), chain(*after), strict=True)
    if sum(a != b for a, b in entries) < _FEWEST_CHANGES:
        return False
    if sorted(before) == sorted(after):
        return True
    known = (*before, *after)
    return all(
        new == old or any(_is_combined(new, old, row) for row in known)
        for new, old in zip(after, before, strict=True)
    )


def _read_rows(side: Tree) -> list[tuple[Fraction, ...]]:
    """Return the rows of a matrix of numbers; none for another term."""
    if side.label != "matrix" or len(side.children) < 2:
        return []
    values = [[evaluate_term(entry, {}) for entry in row.children] for row in side.children]
    if any(value is None for row in values for value in row):
        return []
    return [
        tuple(Fraction(value or 0).limit_denominator(_LARGEST_DENOMINATOR) for value in row) for row in values
    ]


def _is_combined(new: Sequence[Fraction], old: Sequence[Fraction], added: Sequence[Fraction]) -> bool:
    """Return whether a row is a multiple of an old one, and one of another row added to it."""
    from flint import fmpq, fmpq_mat

    if added in (new, old):
        return False
    old_row, added_row, new_row = (
        [fmpq(x.numerator, x.denominator) for x in row] for row in (old, added, new)
    )
    independent = int(fmpq_mat([added_row, new_row]).rank()) == 2
    return independent and int(fmpq_mat([old_row, added_row, new_row]).rank()) <= 2
