"""What equations of numbers can mean besides: angles but for full turns, numbers that are sets, points for
products, and numbers that were rounded before they were calculated with."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from engines.core.tree import ONE, ZERO, Tree
from engines.formula.cursor import UnreadError
from engines.formula.lexer import LatexSource
from engines.formula.meaning import Names, pieces_of
from engines.formula.reader import read
from engines.formula.symbols import PieceRole
from engines.mathematics.judging.judge import Judge
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import mentions, starts_with_phrase
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.number_links import NumberLinks, measure_rounding
from engines.proofreading.open_ends import hold_as
from engines.proofreading.term_properties import (
    DECIMAL,
    DEGREES,
    OF_ANGLES,
    WHOLE,
    are_equal_modulo,
    evaluate_term,
    free_symbols,
)

_LEAST_POINTED = 8
"""Nodes of an equation of products with points, which two decimals are by chance."""
_TIME = re.compile(r"(\d{1,2})\.([0-5]\d)\Z")
_DAYS = (12, 24)
"""Hours after which a clock shows the same."""
_SCRIPTED_COUNT = re.compile(r"(?<![A-Za-z])[CA]\}*\s*[_^]")
_OF_TANGENTS = frozenset(("atan", "acot"))
_LEAST_DENOMINATOR = 20
"""Of fractions that are close to an irrational number by no chance."""
_WORD_SIZES = (4, 8, 16, 32, 64)
_OF_BRANCHES = frozenset(("atan", "acot", "+", "-", "*", "/", "sqrt", "pow"))
_UNITS_IN_DEGREES = (90.0, 0.9, 1 / 60, 1 / 3600)
"""A right angle, a grade, a minute and a second."""
_GIVING_ANGLES = frozenset(("arg", "asin", "acos", "atan"))
_ANGLES = ("θ", "ϕ", "φ", "ϑ", "α", "β", "γ")
"""Letters that are usual for angles."""
_OF_MULTIPLES = frozenset(("+", "-", "*", "/"))
_IRRATIONAL = OF_ANGLES | {"sqrt", "root", "ln", "log", "exp", "e", "pi"}
_CLOSE, _HALF = 1e-9, 0.5
_MOST_TURNS = 20
_HUNDRED = Tree("100")
_FULL_TURN = 360
_LARGEST_SET = 40
"""Numbers are written as sets of all smaller ones up to this one."""
_LEAST_DIGITS = 3
"""Decimals of numbers that add up to 0 but for what they were rounded by."""


def judge_number_notations(
    judged: LinkVerdict,
    links: Sequence[ChainLink],
    left: Tree,
    right: Tree,
    judge: Judge,
    numbers: NumberLinks,
) -> LinkVerdict | None:
    """Return the verdict on an equation that fails and holds with one of these meanings; None for another."""
    link = judged.link
    if link.relation != "=":
        return None
    if pointed := _judge_points_as_products(judged, numbers):
        return pointed
    if left == Tree("e") and free_symbols(right):
        return LinkVerdict(link, "given", "e can be a letter, such as an eccentricity")
    if free_symbols(left) | free_symbols(right):
        return None
    if angle := _judge_angles(link, left, right, numbers):
        return angle
    if _are_equal_as_angles(links, left, right, numbers):
        return LinkVerdict(link, "right if", "angles are equal that differ by full turns")
    if "%" in link.left and "%" not in link.right and hold_as(_take_percentages, left, right, judge):
        return LinkVerdict(link, "right if", "per cent are those of the number before them")
    if _stands_in_brackets(link.left) and _stands_in_brackets(link.right):
        if hold_as(_take_divisors, left, right, judge):
            return LinkVerdict(link, "right if", "numbers in brackets are ideals")
        if not all(WHOLE.match(node.label) for side in (left, right) for node in side if not node.children):
            return LinkVerdict(link, "not shown", "what stands in brackets can be ideals")
    if _are_equal_as_set_numbers(left, right):
        named = link.position.domain == "sets"
        reason = "each number is the set of all smaller ones"
        return LinkVerdict(link, "right" if named else "right if", reason)
    if _are_equal_as_times(link, left, right, judge):
        return LinkVerdict(link, "right if", "the digits behind points are minutes")
    if _are_equal_as_hours(link, left, right):
        return LinkVerdict(link, "right if", "the hours of a clock begin again behind 12 or 24")
    if (bits := _find_word_size(link)) and are_equal_modulo(left, right, 2**bits):
        return LinkVerdict(link, "right if", f"numbers of {bits} bits begin again behind the largest")
    if _says(link, "whole division") and hold_as(_take_whole_quotients, left, right, judge):
        return LinkVerdict(link, "right if", "a division leaves its remainder out")
    if mentions("puzzle", link.words_before):
        return LinkVerdict(link, "not shown", "the signs of a puzzle can be other operations")
    if _is_convergent(left, right):
        return LinkVerdict(link, "not shown", "no fraction of such numbers is closer to an irrational number")
    if _is_root_of_either_sign(links, link, left, right, numbers):
        return LinkVerdict(link, "not shown", "the sign of a root is that of what the chain begins with")
    if _are_equal_but_for_rounding(links, link, left, right, numbers):
        return LinkVerdict(link, "not shown", "calculated with what was rounded")
    return None


def _are_equal_as_angles(links: Sequence[ChainLink], left: Tree, right: Tree, numbers: NumberLinks) -> bool:
    """Return whether two multiples of π or numbers of degrees differ by full turns, in a chain or sentence
    about an angle.

    Args:
        links: The chain of the link.
        left: The left side of the link.
        right: The right side of the link.
        numbers: The judge of numbers, which reads the chain's beginning.
    """
    link = links[0]
    said = mentions("angle", f"{link.words_before} {link.words_after}")
    if all(map(DEGREES.search, (link.left, link.right))) and len(links) == 1:
        return said and are_equal_modulo(left, right, _FULL_TURN)
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
    return named or said


def _judge_angles(link: ChainLink, left: Tree, right: Tree, numbers: NumberLinks) -> LinkVerdict | None:
    """Return the verdict on a link with angles in degrees of which some have no sign, in other units, or with
    another branch of the inverse tangent."""
    one, other = evaluate_term(left, {}), evaluate_term(right, {})
    labels = {*left.list_labels(), *right.list_labels()}
    if one is not None and other is not None and not _OF_TANGENTS.isdisjoint(labels):
        branches = (one - other) / math.pi
        sums = all({node.label for node in side if node.children} <= _OF_BRANCHES for side in (left, right))
        if sums and round(branches) and abs(branches - round(branches)) < _CLOSE:
            return LinkVerdict(link, "right if", "inverse tangents are meant up to multiples of π")
    signed = [DEGREES.search(side) is not None for side in (link.left, link.right)]
    plain = [numbers.read_formula(DEGREES.sub("", side)).tree for side in (link.left, link.right)]
    if plain[0] is None or plain[1] is None:
        return None
    if any(signed) and not OF_ANGLES.isdisjoint(labels):
        in_degrees = [_take_sums_of_degrees(side) for side in plain if side is not None]
        verdict = numbers.compare_by_relation(link.relation, *in_degrees)
        if verdict.outcome == "equal":
            return LinkVerdict(link, "right", "with all angles in degrees")
    values = [evaluate_term(side, {}) for side in plain if side is not None]
    in_right_angles = starts_with_phrase("right angle", link.words_after)
    is_plain = "pi" not in (*plain[0].list_labels(), *plain[1].list_labels())
    if (signed == [True, False] or in_right_angles) and values[0] and values[1] and is_plain:
        ratio = values[0] / values[1]
        if any(abs(ratio - size) < _CLOSE * size for size in _UNITS_IN_DEGREES):
            return LinkVerdict(link, "not shown", "an angle can be in right angles, grades or minutes")
    return None


def _take_sums_of_degrees(tree: Tree) -> Tree:
    """Return a term in which all that angles are given by is in degrees."""
    if tree.label in OF_ANGLES and tree.children and "pi" not in tree.list_labels():
        return Tree(tree.label, (Tree("/", (Tree("*", (tree.children[0], Tree("pi"))), Tree("180"))),))
    return Tree(tree.label, tuple(map(_take_sums_of_degrees, tree.children)))


def _stands_in_brackets(latex: str) -> bool:
    """Return whether all terms and factors of a side stand in brackets of their own, as ideals do."""
    depth, was_outside = 0, False
    try:
        pieces = pieces_of(LatexSource.from_latex(latex))
    except UnreadError:
        return False
    for piece in pieces:
        if piece.role in (PieceRole.OPEN, PieceRole.CLOSE) and piece.text not in "()":
            return False
        depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
        joins = piece.role in (PieceRole.ADD, PieceRole.MULTIPLY, PieceRole.CLOSE, PieceRole.SCRIPT)
        # An interval or a tuple has a comma.
        was_outside = was_outside or (depth == 0 and not joins) or piece.role == PieceRole.PUNCTUATION
    return bool(pieces) and not was_outside


def _take_percentages(tree: Tree) -> Tree:
    """Return a term in which hundredths that are added or taken off are those of what stands before them."""
    parts = tuple(map(_take_percentages, tree.children))
    is_share = len(parts) == 2 and parts[1].label == "/" and parts[1].children[1] == _HUNDRED
    if tree.label in ("+", "-") and is_share:
        return Tree("*", (parts[0], Tree(tree.label, (ONE, parts[1]))))
    return Tree(tree.label, parts)


def _take_divisors(tree: Tree) -> Tree:
    """Return the number that generates an ideal of whole numbers: a sum has what divides its terms."""
    parts = tuple(map(_take_divisors, tree.children))
    numbers = [int(part.label) for part in parts if WHOLE.match(part.label)]
    if tree.label == "+" and len(numbers) == len(parts):
        return Tree(str(math.gcd(*numbers)))
    return Tree(tree.label, parts)


def _are_equal_as_set_numbers(left: Tree, right: Tree) -> bool:
    """Return whether two terms are one set where each whole number is the set of all smaller ones, and one
    of them has the empty set in it: {∅, {∅}} = {0, 1}."""
    if Tree("set") not in (*left, *right):
        return False
    one, other = _evaluate_set(left), _evaluate_set(right)
    return one is not None and one == other


def _are_equal_as_times(link: ChainLink, left: Tree, right: Tree, judge: Judge) -> bool:
    """Return whether a link adds or subtracts times, hours before a point and minutes behind it, where words
    are about times: `10.30 + 1.45 = 12.15`."""
    numerals = [label for label in (*left.list_labels(), *right.list_labels()) if label[:1].isdecimal()]
    told = mentions("clock time", f"{link.words_before} {link.words_after}")
    return told and all(map(_TIME.match, numerals)) and hold_as(_take_minutes, left, right, judge)


def _are_equal_as_hours(link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether a sum of whole hours is the hour that a clock shows, where words are about one."""
    hours = all(WHOLE.match(node.label) for side in (left, right) for node in side if not node.children)
    sums = left.label in ("+", "-") and not right.children
    return (
        hours and sums and _says(link, "clock") and any(are_equal_modulo(left, right, day) for day in _DAYS)
    )


def _find_word_size(link: ChainLink) -> int:
    """Return the number of bits that the words beside a link say that numbers have: 8 in "8-bit integers"; 0
    for none."""
    words = " ".join((link.words_before, link.words_after)).replace("-bit", " bits").split()
    sizes = (int(one) for one, other in pairwise(words) if one.isdecimal() and other.startswith("bit"))
    return next((size for size in sizes if size in _WORD_SIZES), 0)


def compare_versions(link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on numbers of versions, in which a point parts whole numbers: 1.10 > 1.9."""
    labels = left.label, right.label
    if link.relation not in ("<", ">") or not all(map(DECIMAL.match, labels)) or not _says(link, "version"):
        return None
    one, other = ([int(part) for part in label.split(".")] for label in labels)
    holds = one > other if link.relation == ">" else one < other
    return LinkVerdict(link, "right if", "the numbers are those of versions") if holds else None


def _says(link: ChainLink, cue: str) -> bool:
    """Return whether the words beside a link, or the headings above it, have a phrase of a cue."""
    titles = (scope.title for scope in link.position.scope.lineage)
    return any(mentions(cue, words) for words in (link.words_before, link.words_after, *titles))


def _take_whole_quotients(tree: Tree) -> Tree:
    quotient = Tree(tree.label, tuple(map(_take_whole_quotients, tree.children)))
    return Tree("floor", (quotient,)) if tree.label == "/" else quotient


def _take_minutes(tree: Tree) -> Tree:
    if match := _TIME.match(tree.label):
        minutes = Tree("/", (Tree(f"{int(match[2])}"), Tree("60")))
        return Tree("+", (Tree(f"{int(match[1])}"), minutes))
    return Tree(tree.label, tuple(map(_take_minutes, tree.children)))


def _is_convergent(value: Tree, fraction: Tree) -> bool:
    """Return whether a fraction is one of the best for an irrational number, as of its continued fraction:
    √7 = 2024/765. 22/7 is too short to be no other by chance."""
    parts = fraction.children if fraction.label == "/" else ()
    exact, shown = evaluate_term(value, {}), evaluate_term(fraction, {})
    if exact is None or shown is None or _IRRATIONAL.isdisjoint(value.list_labels()):
        return False
    whole = len(parts) == 2 and all(part.label.isdecimal() for part in parts)
    return (
        whole
        and int(parts[1].label) >= _LEAST_DENOMINATOR
        and (abs(exact - shown) < 1 / (2 * int(parts[1].label) ** 2))
    )


def _is_root_of_either_sign(
    links: Sequence[ChainLink], link: ChainLink, left: Tree, right: Tree, numbers: NumberLinks
) -> bool:
    """Return whether a link further on in a chain takes the negative square root of a number: that is what a
    sine or a letter can be that the chain is about, unless this has a value that tells."""
    one, other = evaluate_term(left, {}), evaluate_term(right, {})
    parts = left.children if left.label in ("*", "/") else (left,)
    is_root = any(part.label == "sqrt" for part in parts)
    if not (link.index and is_root and one and other and one > 0 and abs(one + other) <= _CLOSE * one):
        return False
    start = numbers.read_formula(links[0].left).tree
    value = evaluate_term(start, {}) if start is not None else None
    return start is not None and (value is None or abs(value - other) <= _CLOSE * one)


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


def _judge_points_as_products(judged: LinkVerdict, numbers: NumberLinks) -> LinkVerdict | None:
    """Return the verdict on a link in which points stand between factors, as in `10.2 = 20`; None where it
    has none, or fails as one of products, too."""
    link = judged.link
    # Who has another sign for products writes decimals with points.
    written = link.left + link.right
    if "." not in written or any(sign in written for sign in ("\\cdot", "\\times", "*")):
        return None
    plain = [numbers.read_formula(side).tree or ZERO for side in (link.left, link.right)]
    names = Names(reads_unknown_signs=True, has_points_for_products=True)
    one, other = (read(side, names=names).tree for side in (link.left, link.right))
    if one is None or other is None or [one, other] == plain:
        return None
    # "5.4 = 4.5" is no equation of products, and nobody writes "2.0" for one.
    anew, before = (
        Counter(first.list_labels() + last.list_labels()) for first, last in ((one, other), plain)
    )
    if any(label.startswith("0") for label in anew - before):
        return None
    both = all(any(map(DECIMAL.match, side.list_labels())) for side in plain)
    if both and len(one) + len(other) < _LEAST_POINTED:
        return None
    verdict = numbers.compare_by_relation("=", one, other)
    if verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness):
        return LinkVerdict(link, "right if", "a point stands for a product")
    refuted = verdict.outcome == "different" and judged.evidence.kind == "sides"
    if any(side.label == "list" for side in plain) and not refuted:
        return LinkVerdict(link, "not shown", "points can stand for products")
    return None


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
    if _is_rounded_to_whole(before, value, decimals, right, numbers):
        return True
    if {node.label for node in left if node.children} != {"*"} or not DECIMAL.match(right.label):
        return False
    # The value that was rounded stands before, and it is none that can be worked out.
    source = numbers.read_formula(before[-1].left).tree if before else None
    unknown = source is not None and evaluate_term(source, {}) is None
    if not unknown and not mentions("rounded value", link.words_before):
        return False
    return abs(value - shown) <= measure_rounding(left) + measure_rounding(right) + _CLOSE


def _is_rounded_to_whole(
    before: Sequence[ChainLink], value: float, decimals: set[str], right: Tree, numbers: NumberLinks
) -> bool:
    """Return whether a whole number of several digits is a value, where that was calculated with decimals for
    irrational numbers that stand before: 150 tan 32° = 150 · 0.6249 = 94."""
    source = numbers.read_sides(before[-1])[0].tree if before else None
    if source is None or not right.label.isdecimal() or len(right.label) < 2:
        return False
    labels = {*source.list_labels()}
    irrational = not labels.isdisjoint(_IRRATIONAL) and labels.isdisjoint(decimals)
    return irrational and abs(value - int(right.label)) < _HALF


def hold_with_scripted_counts(link: ChainLink, numbers: NumberLinks) -> bool:
    """Return whether an equation holds where `C_n^k` is how many ways there are to choose k of n."""
    if link.relation != "=" or _SCRIPTED_COUNT.search(link.left + link.right) is None:
        return False
    names = Names(reads_unknown_signs=True, has_scripted_counts=True)
    left, right = (read(side, names=names).tree for side in (link.left, link.right))
    if left is None or right is None:
        return False
    verdict = numbers.compare_by_relation("=", left, right)
    return verdict.outcome in ("equal", "equal if") and not verdict.witness


def is_measured(node: Tree) -> bool:
    """Return whether a term is a decimal number with its uncertainty."""
    return node.label == "pm" and any(map(DECIMAL.match, node.list_labels()))
