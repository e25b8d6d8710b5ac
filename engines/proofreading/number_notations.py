"""What equations of numbers can mean besides: angles but for full turns, numbers that are sets, points for
products, and numbers that were rounded before they were calculated with."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from engines.core.tree import ZERO, Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import mentions
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.number_links import NumberLinks, measure_rounding
from engines.proofreading.open_ends import hold_as
from engines.proofreading.term_properties import DECIMAL, WHOLE, evaluate_term, free_symbols

_POINTED = re.compile(r"([1-9]\d*)\.([1-9]\d*)\Z")
"""Two whole numbers with a point between, as a product."""
_GIVING_ANGLES = frozenset(("arg", "asin", "acos", "atan"))
_ANGLES = ("θ", "ϕ", "φ", "ϑ", "α", "β", "γ")
"""Letters that are usual for angles."""
_OF_MULTIPLES = frozenset(("+", "-", "*", "/"))
_CLOSE = 1e-9
_MOST_TURNS = 20
_LARGEST_SET = 40
"""Numbers are written as sets of all smaller ones up to this one."""
_LEAST_DIGITS = 3
"""Decimals of numbers that add up to 0 but for what they were rounded by."""


def judge_number_notations(
    links: Sequence[ChainLink],
    link: ChainLink,
    left: Tree,
    right: Tree,
    judge: Judge,
    numbers: NumberLinks,
) -> LinkVerdict | None:
    """Return the verdict on an equation that fails and holds with one of these meanings; None for another."""
    if _has_points_on_one_side(left, right) and hold_as(_take_points_as_products, left, right, judge):
        return LinkVerdict(link, "right if", "a point stands for a product")
    if free_symbols(left) | free_symbols(right):
        return None
    if _are_equal_as_angles(links, left, right, numbers):
        return LinkVerdict(link, "right if", "angles are equal that differ by full turns")
    if _are_equal_as_set_numbers(left, right):
        named = link.position.domain == "sets"
        reason = "each number is the set of all smaller ones"
        return LinkVerdict(link, "right" if named else "right if", reason)
    if _are_equal_but_for_rounding(links, link, left, right, numbers):
        return LinkVerdict(link, "not shown", "calculated with what was rounded")
    return None


def _are_equal_as_angles(links: Sequence[ChainLink], left: Tree, right: Tree, numbers: NumberLinks) -> bool:
    """Return whether two multiples of π differ by full turns, in a chain or sentence about an angle.

    Args:
        links: The chain of the link.
        left: The left side of the link.
        right: The right side of the link.
        numbers: The judge of numbers, which reads the chain's beginning.
    """
    if not all({node.label for node in side if node.children} <= _OF_MULTIPLES for side in (left, right)):
        return False
    if "pi" not in (*left.list_labels(), *right.list_labels()):
        return False
    values = evaluate_term(left, {}), evaluate_term(right, {})
    if values[0] is None or values[1] is None:
        return False
    turns = (values[0] - values[1]) / (2 * math.pi)
    if not 0 < abs(round(turns)) <= _MOST_TURNS or abs(turns - round(turns)) > _CLOSE:
        return False
    start = numbers.read_formula(links[0].left).tree
    named = start is not None and (
        start.label.partition("_")[0] in _ANGLES or not _GIVING_ANGLES.isdisjoint(start.list_labels())
    )
    return named or mentions("angle", f"{links[0].words_before} {links[0].words_after}")


def _are_equal_as_set_numbers(left: Tree, right: Tree) -> bool:
    """Return whether two terms are one set where each whole number is the set of all smaller ones, and one
    of them has the empty set in it: {∅, {∅}} = {0, 1}."""
    if Tree("set") not in (*left, *right):
        return False
    one, other = _evaluate_set(left), _evaluate_set(right)
    return one is not None and one == other


_NestedSet = frozenset["_NestedSet"]


def _evaluate_set(tree: Tree) -> _NestedSet | None:
    """Return the set that a term is, with whole numbers as sets; None for another term."""
    if WHOLE.match(tree.label) and not tree.label.startswith("-") and int(tree.label) <= _LARGEST_SET:
        number: _NestedSet = frozenset()
        for _ in range(int(tree.label)):
            number |= {number}
        return number
    parts = [_evaluate_set(part) for part in tree.children]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if tree.label == "set":
        return frozenset(known)
    return frozenset().union(*known) if tree.label == "union" else None


def _take_points_as_products(tree: Tree) -> Tree:
    """Return a term with products for decimal numbers, as where `10.2` is 10 times 2; nobody writes a factor
    1 so."""
    if not tree.children and (match := _POINTED.match(tree.label)) and "1" not in match.groups():
        return Tree("*", (Tree(match[1]), Tree(match[2])))
    return Tree(tree.label, tuple(map(_take_points_as_products, tree.children)))


def _has_points_on_one_side(left: Tree, right: Tree) -> bool:
    """Return whether one side has decimal numbers and the other has none."""
    return len({any(map(DECIMAL.match, side.list_labels())) for side in (left, right)}) == 2


def _are_equal_but_for_rounding(
    links: Sequence[ChainLink], link: ChainLink, left: Tree, right: Tree, numbers: NumberLinks
) -> bool:
    """Return whether a link holds but for what decimals of its left side were rounded by before: in multiples
    of a value, `2P = 2(0.0108) = 0.0215`, or in a sum that is 0 but for their last digits."""
    value, shown = evaluate_term(left, {}), evaluate_term(right, {})
    decimals = {label for label in left.list_labels() if DECIMAL.match(label)}
    if value is None or shown is None or not decimals or right.children:
        return False
    before = [each for each in links if each.index < link.index and each.relation in ("=", "approx")]
    if right == ZERO:
        if any(len(label.partition(".")[2]) < _LEAST_DIGITS for label in decimals):
            return False
        # What they were multiplied by stands further on the left.
        sides = [numbers.read_formula(each.left).tree for each in before]
        meant = [left, *(side for side in sides if side is not None and evaluate_term(side, {}) is not None)]
        return abs(value) <= max(map(measure_rounding, meant)) + _CLOSE
    if {node.label for node in left if node.children} != {"*"} or not DECIMAL.match(right.label):
        return False
    # The value that was rounded stands before, and it is none that can be worked out.
    source = numbers.read_formula(before[-1].left).tree if before else None
    unknown = source is not None and evaluate_term(source, {}) is None
    if not unknown and not mentions("rounded value", link.words_before):
        return False
    return abs(value - shown) <= measure_rounding(left) + measure_rounding(right) + _CLOSE
