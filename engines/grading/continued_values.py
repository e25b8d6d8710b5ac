r"""What dots leave out of answers: `1 + 3 + … + (2n-1)`, `n = 0, ±1, ±2, …`, `k = 0, 1, …, n`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engines.core.tree import ZERO, Tree
from engines.formula.cursor import ELLIPSIS
from engines.formula.ellipsis import continue_members
from engines.grading.linear_terms import read_number

_DOTS = Tree(ELLIPSIS)
_MOST_VALUES = 200


def settle_ellipses(tree: Tree) -> Tree | None:
    """Return what a text says with the values that its dots leave out; None where these are not shown.

    The dots at the end of a sum without end stay: it is compared with other series term by term.
    """
    if ELLIPSIS not in tree.list_labels():
        return tree
    from engines.mathematics.judging.ellipses import spell_out_ellipses  # loads NumPy

    settled = _settle(spell_out_ellipses(tree))
    return settled if settled is not None and _goes_on_only_at_ends(settled) else None


def _settle(tree: Tree) -> Tree | None:
    if tree.label == "or" and (values := _read_values(tree)) is not None:
        return values
    if tree.label == "list" and _DOTS in tree.children:
        return continue_members(tree.children, _DOTS)
    parts = [_settle(part) for part in tree.children]
    known = tuple(part for part in parts if part is not None)
    return Tree(tree.label, known) if len(known) == len(parts) else None


def _goes_on_only_at_ends(tree: Tree) -> bool:
    """Return whether dots stand nowhere but at the end of whole sums."""
    if tree.label in ("=", "and", "such", "approx", "forall") or (
        tree.label == "cases" and len(tree.children) == 2
    ):
        return all(map(_goes_on_only_at_ends, tree.children))
    if tree.label in ("+", "-") and tree.children[-1] == _DOTS:
        return ELLIPSIS not in tree.children[0].list_labels()
    return ELLIPSIS not in tree.list_labels()


def _read_values(tree: Tree) -> Tree | None:
    """Return the range of a letter whose values are listed with dots; None for other statements."""
    names = {one.children[0] if one.label == "=" else None for one in tree.children}
    name = next(iter(names))
    if len(names) > 1 or name is None or name.children:
        return None
    values = [one.children[1] for one in tree.children]
    if values.count(_DOTS) != 1:
        return None
    within = Tree("in", (name, Tree("ℤ")))
    place = values.index(_DOTS)
    shown, behind = values[:place], values[place + 1 :]
    if not behind and _shows_both_signs(shown):
        excluded = () if shown[0] == ZERO else (Tree("!=", (name, ZERO)),)
        return Tree("and", (within, *excluded)) if excluded else within
    first = _count_up(shown)
    if first is None or len(behind) > 1 or (not behind and len(shown) < 2):
        return None
    low = Tree(">=", (name, Tree(str(first))))
    if not behind:
        return Tree("and", (within, low))
    last = read_number(behind[0])
    if last is None:
        return Tree("and", (within, low, Tree("<=", (name, behind[0]))))
    if last.denominator > 1 or not first + len(shown) - 1 < last <= first + _MOST_VALUES:
        return None
    counted = range(first, int(last) + 1)
    return Tree("or", tuple(Tree("=", (name, Tree(str(number)))) for number in counted))


def _count_up(shown: Sequence[Tree]) -> int | None:
    """Return the first of integers that follow each other; None for other values."""
    numbers = [read_number(one) for one in shown]
    known = [int(one) for one in numbers if one is not None and one.denominator == 1]
    if not known or len(known) < len(numbers) or any(b - a != 1 for a, b in pairwise(known)):
        return None
    return known[0]


def _shows_both_signs(shown: Sequence[Tree]) -> bool:
    """Return whether values begin as 0, ±1, ±2 or as ±1, ±2."""
    signed = shown[1:] if shown[:1] == [ZERO] else shown
    counts = [one.children[0].label if one.label == "pm" else "" for one in signed]
    return bool(counts) and counts == [str(number) for number in range(1, len(counts) + 1)]
