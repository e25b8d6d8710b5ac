r"""Geometric series that go on without end: `1 - \frac13 + \frac19 - \dots = \frac34`."""

from __future__ import annotations

from itertools import pairwise

from engines.core.tree import Tree
from engines.formula.cursor import ELLIPSIS
from engines.proofreading.term_properties import evaluate_term, free_symbols, values_agree

_LEAST_TERMS = 3
_CLOSE = 1e-9


def find_other_sum(left: Tree, right: Tree) -> str:
    """Return the sum of a geometric series that is said to be another number; "" where it is that, or the
    numbers before the ellipsis are none of a geometric series.

    >>> from engines.formula.reader import read
    >>> from engines.formula.meaning import Names
    >>> series = read("1 + 1/2 + 1/4 + ...", names=Names(reads_unknown_signs=True)).tree
    >>> find_other_sum(series, Tree("3"))
    'the sum is 2'
    """
    terms = _list_terms(left)
    values = [evaluate_term(term, {}) for term in terms[:-1]] if terms[-1].label == ELLIPSIS else []
    known = [value for value in values if value]
    if len(known) < max(_LEAST_TERMS, len(values)) or ELLIPSIS in right.list_labels() or free_symbols(right):
        return ""
    ratio = known[1] / known[0]
    geometric = all(abs(later - ratio * one) < _CLOSE * abs(one) for one, later in pairwise(known))
    if not geometric or abs(ratio) >= 1:
        return ""
    total = known[0] / (1 - ratio)
    return f"the sum is {total:.6g}" if values_agree(Tree(f"{total:.15g}"), right, {}) is False else ""


def _list_terms(tree: Tree, sign: int = 1) -> list[Tree]:
    """List the terms of a sum in their order, with their signs."""
    if tree.label in ("+", "-") and len(tree.children) == 2:
        left, right = tree.children
        last = sign if tree.label == "+" else -sign
        return [*_list_terms(left, sign), *_list_terms(right, last)]
    is_plain = sign > 0 or tree.label == ELLIPSIS
    return [tree if is_plain else Tree("*", (Tree("-1"), tree))]
