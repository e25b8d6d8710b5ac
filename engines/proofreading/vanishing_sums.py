"""Sides that are said to be 0 and are not: `(c + c)/h = 0` where `c - c` is meant, `a · 0 + b · 9 = 0`."""

from __future__ import annotations

from engines.core.tree import ONE, ZERO, Tree
from engines.proofreading.number_links import list_terms
from engines.proofreading.term_properties import WHOLE, are_exactly_equal, free_symbols

_TURNED = {"+": "-", "-": "+"}


def find_vanishing_change(left: Tree, right: Tree) -> str:
    """Return the change by which a side is 0 that is said to be: another sign between two terms that are
    alike, a factor 0 beside terms that have one, or a numerator 0; "" where there is none. A letter is itself
    times 1 likewise, and a quotient of equal sums is 1.

    >>> from engines.formula.reader import read
    >>> terms = ("(c + c)/h", "0a + 7b", "5/h", "a + b", "a + 7b")
    >>> [find_vanishing_change(read(text).tree, ZERO) for text in terms]
    ['- for +', '0 for 7', '0 for 5', '', '']
    >>> find_vanishing_change(read("4x").tree, Tree("x"))
    '1 for 4'
    >>> find_vanishing_change(read("(u-1)/(u-8)").tree, ONE)
    '1 for 8'
    """
    for side, other in ((left, right), (right, left)):
        if other == ZERO and free_symbols(side):
            return _find_change(side)
        if other == ONE and side.label == "/" and (change := _find_number_apart(*side.children)):
            return change
        if free_symbols(other) and not other.children and side.label == "*" and side.children[1:] == (other,):
            number = side.children[0].label
            return f"1 for {number}" if number.isdecimal() and number != "0" else ""
    return ""


def _find_change(side: Tree) -> str:
    total = side.children[0] if side.label == "/" else side
    if side.label == "/" and WHOLE.match(total.label) and total != ZERO and "inf" not in side.list_labels():
        return f"0 for {total.label}"
    if total.label not in _TURNED or len(total.children) != 2 or are_exactly_equal(total, ZERO):
        return ""
    turned = _TURNED[total.label]
    if are_exactly_equal(Tree(turned, total.children), ZERO):
        return f"{turned} for {total.label}"
    remaining = [term for term in list_terms(total) if ZERO not in _list_factors(term)]
    if len(remaining) != 1 or not free_symbols(remaining[0]):
        return ""
    numbers = [factor.label for factor in _list_factors(remaining[0]) if WHOLE.match(factor.label)]
    numbers = [number for number in numbers if number not in ("1", "-1")]
    return f"0 for {numbers[0]}" if len(numbers) == 1 else ""


def _find_number_apart(numerator: Tree, denominator: Tree) -> str:
    """Return the number by which two sums of the same terms differ, with what it is in the first; "" where
    they are other sums."""
    if numerator.label not in _TURNED or numerator.label != denominator.label:
        return ""
    apart = [
        pair for pair in zip(numerator.children, denominator.children, strict=False) if pair[0] != pair[1]
    ]
    numbers = len(apart) == 1 and all(WHOLE.match(number.label) for number in apart[0])
    return f"{apart[0][0].label} for {apart[0][1].label}" if numbers else ""


def _list_factors(term: Tree) -> list[Tree]:
    if term.label != "*":
        return [term]
    return [factor for child in term.children for factor in _list_factors(child)]
