"""Sums and products with an ellipsis, `1 + 3 + … + (2n - 1)`, as sums and products over an index."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from flint import arb

from engines.core.tree import Tree
from engines.formula.cursor import ELLIPSIS
from engines.mathematics.algebra.rational import TooLargeError, expand_tree, number_tree
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.numbers.precise import BallValue

_STARTS = (1, 0, 2, -1, 3)
_FEWEST = 2
"""Terms before the ellipsis; of numbers one more, unless they grow by the same step."""
_MOST_TERMS = 10**6
_COORDINATE, _COORDINATES = 1.359375, 97
_LABELS = {"+": "sum", "*": "prod"}


def spell_out_ellipses(tree: Tree) -> Tree:
    """Return a term whose ellipses are sums and products over an index, where the terms that are written
    leave one reading; others stay.
    """
    if ELLIPSIS not in tree.list_labels():
        return tree
    spelled = Tree(tree.label, tuple(map(spell_out_ellipses, tree.children)))
    if tree.label not in _LABELS:
        return spelled
    # The last factor of `2 · 4 · … · (2n)` may be a product itself.
    for parts in (_list_written(tree, tree.label), _list_operands(tree, tree.label)):
        # `n + … + 2 + 1` counts down: the same series from its other end.
        for order in (parts, parts[::-1]):
            if (series := _find_series(tree.label, order)) is not None:
                return series
    return spelled


def _find_series(label: str, parts: list[Tree]) -> Tree | None:
    """Return the series that begins with the operands before an ellipsis and ends with those behind it."""
    places = [place for place, part in enumerate(parts) if part.label == ELLIPSIS]
    # Two terms before the dots are the fewest that show a step; with several gaps each could mean another
    # one.
    if len(places) != 1 or not _FEWEST <= places[0] < len(parts) - 1:
        return None
    first, behind = parts[: places[0]], parts[places[0] + 1 :]
    try:
        series = _index_terms(label, first, behind[-1])
    except TooLargeError:  # a step or count with more digits than the language has
        return None
    if series is None:
        return None
    index, _, end, body = series.children
    # What is written between the dots and the last term has to belong to the series too.
    for k, part in enumerate(reversed(behind[:-1]), 1):
        if not _are_equal(replace_variable(body, index.label, Tree("-", (end, number_tree(k)))), part):
            return None
    return series


def _list_written(tree: Tree, label: str) -> list[Tree]:
    """Return the operands of a sum or product as they are written, those in brackets as one."""
    if tree.label != label:
        return [tree]
    first, last = tree.children
    return [*_list_written(first, label), last]


def _list_operands(tree: Tree, label: str) -> list[Tree]:
    if tree.label != label:
        return [tree]
    return [part for child in tree.children for part in _list_operands(child, label)]


def _index_terms(label: str, first: list[Tree], last: Tree) -> Tree | None:
    index = next(name for name in ("k", "j", "m", "l") if name not in free_variables(*first, last))
    # A letter that only the last term has is the index there, as n in `1 + 2 + … + n`.
    names = sorted(free_variables(last) - free_variables(*first))
    if names:
        terms = [one for name in names if (one := _find_term(name, first, last)) is not None]
        # More than one letter would do, so the dots have no single reading.
        if len(terms) != 1:
            return None
        name, start = terms[0]
        body = replace_variable(last, name, Tree(index))
        return Tree(_LABELS[label], (Tree(index), number_tree(start), Tree(name), body))
    # Powers are read as they are written: `1^2 + 2^2 + … + 10^2` does not go by steps of 3.
    if (powers := _find_powers(_LABELS[label], [*first, last], Tree(index))) is not None:
        return powers
    exact = [numbers.exact_value(part) for part in (*first, last)]
    values = [Fraction(value) for value in exact if value is not None]
    if len(values) < len(exact):
        return None
    return _find_progression(_LABELS[label], values[:-1], values[-1], Tree(index))


def _find_term(name: str, first: list[Tree], last: Tree) -> tuple[str, int] | None:
    """Return the index in the last term and where it starts, if that gives the first terms."""
    for start in _STARTS:
        if _are_apart(_value_at_point(last, name, start), _value_at_point(first[0])):
            continue
        terms = (replace_variable(last, name, number_tree(start + k)) for k in range(len(first)))
        if all(map(_are_equal, terms, first)):
            return name, start
    return None


# Whoever tries changes of one term asks for the same pairs again and again.
@lru_cache(maxsize=4096)
def _are_equal(left: Tree, right: Tree) -> bool:
    if left == right:
        return True
    # Different values at one point are much quicker to see than that the terms are equal.
    if _are_apart(_value_at_point(left), _value_at_point(right)):
        return False
    try:
        return expand_tree(Tree("-", (left, right))) == Tree("0")
    except (TooLargeError, KeyError):
        return left == right


@lru_cache(maxsize=4096)
def _value_at_point(term: Tree, index: str = "", start: int = 0) -> BallValue:
    """Return the value of a term at a point that is the same for all terms, but for that of an index."""
    point = {name: _COORDINATE + crc32(name.encode()) % _COORDINATES / 16 for name in free_variables(term)}
    if index:
        point[index] = float(start)
    with suppress(KeyError):
        return numbers.evaluate_at(term, point, bits=64)
    return None


def _are_apart(one: BallValue, other: BallValue) -> bool:
    return isinstance(one, arb) and isinstance(other, arb) and not one.overlaps(other)


def _find_powers(label: str, terms: list[Tree], index: Tree) -> Tree | None:
    """Return the sum or product of powers of numbers with one exponent or one base, where the other of the
    two grows by the same step."""
    if any(len(term.children) != 2 or term.label != "pow" for term in terms):
        return None
    bases, exponents = zip(*(term.children for term in terms), strict=True)
    for growing, constant in ((bases, exponents), (exponents, bases)):
        values = [Fraction(number.label) for number in growing if number.label.isdecimal()]
        if len(set(constant)) > 1 or len(values) < len(growing):
            continue
        *first, last = values
        steps = {after - before for before, after in pairwise(first)}
        step = steps.pop()
        count = (last - first[0]) / step if step else Fraction(0)
        if steps or count.denominator > 1 or not len(first) <= count < _MOST_TERMS:
            continue
        term = Tree("+", (growing[0], Tree("*", (number_tree(step), index))))
        body = (term, constant[0]) if growing is bases else (constant[0], term)
        return Tree(label, (index, Tree("0"), number_tree(count), Tree("pow", body)))
    return None


def _find_progression(label: str, first: list[Fraction], last: Fraction, index: Tree) -> Tree | None:
    """Return the sum or product of an arithmetic or geometric progression, or of squares."""
    progressions = []
    step = first[1] - first[0]
    if step and all(b - a == step for a, b in pairwise(first)):
        count = (last - first[0]) / step
        progressions.append(
            (count, Tree("+", (number_tree(first[0]), Tree("*", (number_tree(step), index)))))
        )
    ratio = first[1] / first[0] if first[0] else Fraction(0)
    # Multiplied up in fractions, since a logarithm would round the count of the terms.
    if ratio > 0 and ratio != 1 and all(a * ratio == b for a, b in pairwise(first)):
        power, count = first[0], Fraction(0)
        while abs(power) < abs(last) if ratio > 1 else abs(power) > abs(last):
            power, count = power * ratio, count + 1
        if power == last:
            body = Tree("*", (number_tree(first[0]), Tree("pow", (number_tree(ratio), index))))
            progressions.append((count, body))
    # Squares are neither of the two, and the only other series that texts write without a formula.
    if first[:3] == [1, 4, 9]:
        roots = [n for n in range(4, 1001) if n * n == last]
        squared = Tree("pow", (Tree("+", (index, Tree("1"))), Tree("2")))
        progressions += [(Fraction(n - 1), squared) for n in roots]
    progressions = [
        (n, body) for n, body in progressions if n.denominator == 1 and len(first) <= n < _MOST_TERMS
    ]
    # Several rules fit, or none: the dots have no single reading then.
    if len(progressions) != 1:
        return None
    ((count, body),) = progressions
    return Tree(label, (index, Tree("0"), number_tree(count), body))
