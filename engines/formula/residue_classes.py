r"""Multiples of an integer and their cosets as sets of integers: `3\mathbb Z`, `1 + 3\mathbb Z`."""

from __future__ import annotations

from engines.core.tree import Tree

_INTEGERS = Tree("ℤ")
_INDEX = Tree("k")


def make_multiples(factor: Tree, numbers: Tree) -> Tree | None:
    """Return all multiples of an integer, as 3ℤ, as a set; None for other products.

    >>> make_multiples(Tree("3"), Tree("ℤ")).label, make_multiples(Tree("3"), Tree("x"))
    ('such', None)
    """
    if numbers != _INTEGERS or not factor.label.lstrip("-").isdecimal() or factor.children:
        return None
    return Tree("such", (Tree("*", (factor, _INDEX)), Tree("in", (_INDEX, _INTEGERS))))


def shift_multiples(sign: str, left: Tree, right: Tree) -> Tree | None:
    """Return the coset that a number and a set of multiples give, as 1 + 3ℤ; None for other sums."""
    sets = [side for side in (left, right) if side.label == "such"]
    number = right if left.label == "such" else left
    if len(sets) != 1 or sign not in "+-" or not number.label.lstrip("-").isdecimal():
        return None
    member, condition = sets[0].children
    if condition != Tree("in", (_INDEX, _INTEGERS)):
        return None
    sides = (member, right) if left.label == "such" else (left, member)
    return Tree("such", (Tree(sign, sides), condition))
