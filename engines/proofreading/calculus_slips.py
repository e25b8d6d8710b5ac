"""Slips in antiderivatives and limits, which have no values: slopes and terms near the place have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from engines.core.tree import ONE, ZERO, Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.slips import Slip, iterate_changes, points_of
from engines.proofreading.term_properties import count_terms, evaluate_term, free_symbols

_MOST_NODES = 80
_MOST_TRIALS = 12
"""Changes that are judged one by one after their values fit."""
_STEP = 1e-4
"""By which a variable is moved on both sides of a place to find a slope."""
_SCALES = (1.0, 0.125, 3.0)
"""Of the points at which slopes are taken: √(1 - x²) has one between 0 and 1, √(x² - 9) above 3."""
_NEAR_PLACES = (1e-2, 1e-4)
"""Distances from the place of a limit; those from infinity are their inverses, where 4^n has a value."""
_FITS = 1e-5
_LIMIT_FITS = 0.02
"""… of a term so near the place of its limit."""
_INTEGRAL_FITS = 1e-3
"""… of an integral to infinity, taken at few places."""
_PLACE = "place"
_INFINITY = Tree("inf")

KnownValues = list[float | None]


def find_calculus_slip(left: Tree, right: Tree, same: Callable[[Tree, Tree], bool]) -> Slip | None:
    """Return the one change by which a link with antiderivatives or limits holds; None where none does.

    Args:
        same: Whether a link holds whatever its variables are.
    """
    if len(left) + len(right) > _MOST_NODES:
        return None
    # A d without operands is a letter.
    nodes = [node for side in (left, right) for node in side if node.children]
    variables = {node.children[0].label for node in nodes if node.label == "antiderivative"}
    if len(variables) == 1:
        (name,) = variables
        return _find_by_values(left, right, lambda side: _list_slopes(side, name, left, right), same, _FITS)
    points = points_of(free) if (free := free_symbols(left) | free_symbols(right)) else [{}]
    if any(map(_reaches_infinity, nodes)):
        return _find_by_values(
            left,
            right,
            lambda side: [evaluate_term(_bring_ends_near(side), at) for at in points],
            same,
            _INTEGRAL_FITS,
        )
    if any(node.label == "limit" for node in nodes):
        return _find_by_values(left, right, lambda side: _list_values_nearby(side, points), same, _LIMIT_FITS)
    if any(node.label == "d" for node in nodes):
        places = _list_points(free, (_spread_slopes(left), _spread_slopes(right)))
        return _find_by_values(
            left, right, lambda side: [evaluate_term(_spread_slopes(side), at) for at in places], same, _FITS
        )
    return None


def find_shorter_sum(left: Tree, right: Tree, most: int, same: Callable[[Tree, Tree], bool]) -> Slip | None:
    """Return the number of a sum or product with too many terms to be added up, with which it has fewer and
    the link holds; None where none does that.

    Args:
        most: The terms that may be added up.
        same: Whether a link with fewer terms holds.
    """
    for side, other in ((left, right), (right, left)):
        if count_terms(side) <= most:
            continue
        for path, changed, instead in iterate_changes(side):
            whole = side.replace_subtree(path, changed)
            is_short = count_terms(whole) + count_terms(other) <= most
            if is_short and same(*((whole, other) if side is left else (other, whole))):
                return Slip(instead, {}, ())
    return None


def _find_by_values(
    left: Tree,
    right: Tree,
    evaluate: Callable[[Tree], KnownValues],
    same: Callable[[Tree, Tree], bool],
    room: float,
) -> Slip | None:
    """Return the change by which the values of both sides fit, and the link holds."""
    wanted = evaluate(left), evaluate(right)
    # The last one is nearest: n^(1/n) comes near to 1 slowly.
    known = [pair for pair in zip(*wanted, strict=False) if None not in pair]
    # A side without a value, as the integral of a term that grows, can get one by a change.
    if all(None in values or not values for values in wanted):
        return None
    if known and _fit([known[-1][0]], [known[-1][1]], room):
        return None
    for pair, instead in islice(_iterate_fitting(left, right, wanted, evaluate, room), _MOST_TRIALS):
        # That two limits of a function are equal says something of the function.
        if pair[0] != pair[1] and same(*pair):
            return Slip(instead, {}, ())
    return None


def _iterate_fitting(
    left: Tree,
    right: Tree,
    wanted: tuple[KnownValues, KnownValues],
    evaluate: Callable[[Tree], KnownValues],
    room: float,
) -> Iterator[tuple[tuple[Tree, Tree], str]]:
    """Yield the sides with each change of one after which their values fit, and the change in words."""
    for path, changed, instead in iterate_changes(right, with_ones=True):
        whole = right.replace_subtree(path, changed)
        if _fit(wanted[0], evaluate(whole), room):
            yield (left, whole), instead
    for path, changed, instead in iterate_changes(left, with_ones=True):
        whole = left.replace_subtree(path, changed)
        if _fit(evaluate(whole), wanted[1], room):
            yield (whole, right), instead


def _fit(one: KnownValues, other: KnownValues, room: float) -> bool | None:
    """Return whether all values agree; None where one is not known."""
    if None in one or None in other or not one:
        return None
    return all(
        math.isclose(first or 0.0, second or 0.0, rel_tol=room, abs_tol=room)
        for first, second in zip(one, other, strict=True)
    )


def _list_slopes(side: Tree, name: str, left: Tree, right: Tree) -> KnownValues:
    """Return the slopes of a side at the points where both sides of a link have some."""
    free = (free_symbols(left) | free_symbols(right)) - {name}
    for scale in _SCALES:
        points = [{key: value * scale for key, value in at.items()} for at in points_of({*free, name})]
        slopes = [[_find_slope(each, name, at) for at in points] for each in (left, right)]
        if all(None not in each for each in slopes):
            return [_find_slope(side, name, at) for at in points]
    return []


def _find_slope(side: Tree, name: str, at: Mapping[str, float]) -> float | None:
    """Return the slope of a term; an antiderivative has that of a line through the place."""
    line = _draw_lines(side, name)
    values = [
        evaluate_term(line, {**at, name: at[name] + step, _PLACE: at[name]}) for step in (_STEP, -_STEP)
    ]
    if values[0] is None or values[1] is None:
        return None
    return (values[0] - values[1]) / (2 * _STEP)


def _draw_lines(tree: Tree, name: str) -> Tree:
    if tree.label == "antiderivative" and tree.children[0].label == name:
        return Tree("*", (tree.children[1], Tree("-", (Tree(name), Tree(_PLACE)))))
    return Tree(tree.label, tuple(_draw_lines(part, name) for part in tree.children))


def _list_points(names: frozenset[str], sides: Sequence[Tree]) -> Sequence[Mapping[str, float]]:
    """Return points at which terms have values; none where none are found."""
    for scale in _SCALES:
        points = [{name: value * scale for name, value in at.items()} for at in points_of(names)]
        if all(evaluate_term(side, at) is not None for side in sides for at in points):
            return points
    return []


def _spread_slopes(tree: Tree) -> Tree:
    """Return a term with quotients of small differences for its derivatives."""
    if tree.label != "d" or not tree.children:
        return Tree(tree.label, tuple(map(_spread_slopes, tree.children)))
    variable, body = tree.children[0], _spread_slopes(tree.children[1])
    ends = (Tree(sign, (variable, Tree(f"{_STEP}"))) for sign in ("+", "-"))
    apart = Tree("-", tuple(replace_variable(body, variable.label, end) for end in ends))
    return Tree("/", (apart, Tree(f"{2 * _STEP}")))


def _list_values_nearby(side: Tree, points: Sequence[Mapping[str, float]]) -> KnownValues:
    """Return the values of a term near the places of its limits."""
    near = [_approach_limits(_spread_slopes(side), distance) for distance in _NEAR_PLACES]
    return [evaluate_term(term, at) for term in near for at in points]


def _approach_limits(tree: Tree, distance: float) -> Tree:
    """Return a term with what limits are of, near their places, for these limits."""
    if tree.label != "limit":
        return Tree(tree.label, tuple(_approach_limits(part, distance) for part in tree.children))
    variable, place, side, body = tree.children
    sign = "-" if side.label == "-" else "+"
    if "inf" in place.list_labels():
        inverse = f"{1 / distance:.0f}"
        near = Tree(inverse if place == Tree("inf") else f"-{inverse}")
    else:
        near = Tree(sign, (place, Tree(f"{distance:.6f}")))
    return replace_variable(_approach_limits(body, distance), variable.label, near)


def _reaches_infinity(node: Tree) -> bool:
    return node.label == "integral" and _INFINITY in node.children[1:3]


def _bring_ends_near(tree: Tree) -> Tree:
    """Return a term with integrals from 0 to 1 for those to infinity: x is a + t/(1 - t). Those over all
    numbers are two of them."""
    if not _reaches_infinity(tree):
        return Tree(tree.label, tuple(map(_bring_ends_near, tree.children)))
    variable, first, last, body = tree.children
    if last == _INFINITY and "inf" in first.list_labels():
        opposite = replace_variable(body, variable.label, Tree("*", (Tree("-1"), variable)))
        body, first = Tree("+", (body, opposite)), ZERO
    rest = Tree("-", (ONE, variable))
    place = Tree("+", (first, Tree("/", (variable, rest))))
    near = replace_variable(_bring_ends_near(body), variable.label, place)
    return Tree("integral", (variable, ZERO, ONE, Tree("/", (near, Tree("pow", (rest, Tree("2")))))))
