"""Slips in congruences with letters, which fail whatever whole numbers these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from random import Random

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.residue_rings import find_integer
from engines.proofreading.slips import iterate_changes
from engines.proofreading.term_properties import find_residue, free_symbols

_MANY = 24
"""Points at which a congruence is tried."""
_LARGEST = 24
"""Whole numbers that letters are tried as."""
_MOST_NODES = 60


def find_congruence_slip(left: Tree, right: Tree, modulus: int, judge: Judge) -> str:
    """Return the change of a number or sign by which a congruence holds for all whole numbers, where it holds
    for none as it stands; "" where no change does that.

    >>> from engines.formula.reader import read
    >>> from engines.mathematics.judging import judge
    >>> texts = ("(2^3)^m + 1 = 1^m - 1", "n^2 + n = 4", "3^k = 1")
    >>> [find_congruence_slip(*read(text).tree.children, 7, judge()) for text in texts]
    ['- for +', '', '']
    """
    free = sorted(free_symbols(left) | free_symbols(right))
    if not free or modulus <= 2 or len(left) + len(right) > _MOST_NODES:
        return ""
    # One point at which it holds is enough not to accuse: the congruence may be one to be solved.
    points = _list_points(free)
    residues = [[_find_residue(side, at, modulus) for at in points] for side in (left, right)]
    if any(one is None or two is None or one == two for one, two in zip(*residues, strict=True)):
        return ""
    of_left = ((path, new, instead, left, 0) for path, new, instead in iterate_changes(left))
    of_right = ((path, new, instead, right, 1) for path, new, instead in iterate_changes(right))
    for path, new, instead, side, at in chain(of_left, of_right):
        changed = side.replace_subtree(path, new)
        wanted = residues[1 - at]
        # A change that leaves no letter says nothing about all whole numbers.
        if not free_symbols(changed) and not free_symbols((right, left)[at]):
            continue
        if any(
            _find_residue(changed, here, modulus) != one for here, one in zip(points, wanted, strict=True)
        ):
            continue
        # The points only choose among changes; the judge proves that one of them makes it hold.
        sides = (changed, right) if at == 0 else (left, changed)
        if judge.holds(Tree("congruent", (*sides, Tree(str(modulus))))).outcome == "equal":
            return instead
    return ""


def _list_points(names: Sequence[str]) -> list[Mapping[str, int]]:
    if len(names) == 1:
        return [{names[0]: value} for value in range(1, _MANY + 1)]
    source = Random(1)
    return [{name: source.randint(1, _LARGEST) for name in names} for _ in range(_MANY)]


def _find_residue(tree: Tree, at: Mapping[str, int], modulus: int) -> int | None:
    return find_residue(_put_values(tree, at), modulus)


def _put_values(tree: Tree, at: Mapping[str, int]) -> Tree:
    """Return a term with values for its letters, and with exponents that are numbers."""
    if not tree.children:
        return Tree(str(at[tree.label])) if tree.label in at else tree
    parts = [_put_values(part, at) for part in tree.children]
    if tree.label == "pow" and (exponent := find_integer(parts[1])) is not None:
        parts[1] = Tree(str(exponent))
    return Tree(tree.label, tuple(parts))
