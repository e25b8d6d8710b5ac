"""Slips, known by what they spoil: the change of one number, sign or operator that makes a link hold."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from math import floor
from random import Random

from engines.core.expression_language import display_name
from engines.core.tree import ONE, ZERO, Tree
from engines.proofreading.known_points import PartNames
from engines.proofreading.operation_values import OF_REAL
from engines.proofreading.term_properties import (
    apply_label,
    are_exactly_equal,
    evaluate_complex,
    evaluate_term,
    free_symbols,
    has_empty_range,
    real_roots,
    values_agree,
)

_MOST_NODES = 120
_VANISHING_VALUE = 1e-9
_MOST_PLACES = 80
_ENOUGH = 9
"""Nodes of a link in which a number is hardly another by chance."""
_LONG_LINK = 14
_LEAST = 5
"""… of one that would follow from what was said."""
_ORDERS = frozenset(("O", "O(", "o(", "Θ(", "Ω(", "ω("))
"""Names of orders of growth, which no equation of values is about."""
_LONG_ARGUMENT = 7
"""Nodes of an argument that is calculated, and does not tell a property of its function."""
_WHOLE = re.compile(r"-?\d{1,9}\Z")
_DECIMAL = re.compile(r"-?\d{1,9}\.\d{1,9}\Z")
_CLOSE = 1e-9
_STEPS = (1, -1, 2, -2)
_PLACES = [half / 2 for half in range(-60, 121)]
_SEEDS = 6
_SCALES = (1.0, 0.125, 3.0, -1.0, -0.125)
"""Of points that meet what is known of the variables."""
_COMPARISONS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
_FACTORIAL_ROOM = 9
"""What is added to the arguments of factorials, of which numbers of one digit are taken away."""
_MANY = 60.0
"""Terms of an infinite sum; its values are taken where more of them add nothing."""
_OF_WHOLE = frozenset(("sum", "prod", "binomial", "factorial", "mod", "gcd", "lcm"))
_OTHER = {"+": ("-", "*"), "-": ("+",)}


@dataclass(frozen=True, slots=True)
class Slip:
    """A change that makes a link hold, and where it does not hold as it stands."""

    instead: str
    at: Mapping[str, complex]
    values: tuple[complex, ...]

    @property
    def reason(self) -> str:
        """In words: `x = 2: 4 and 5; it holds with 4 for 5`."""
        at = {name: value for name, value in self.at.items() if name != "inf" and not name.endswith("(")}
        point = ", ".join(f"{display_name(name)} = {_write_value(value)}" for name, value in at.items())
        values = " and ".join(map(_write_value, self.values))
        if not values:
            return f"it holds with {self.instead}"
        return f"{point}: {values}; it holds with {self.instead}".removeprefix(": ")


def _write_value(value: complex) -> str:
    """Return a value for people: `0.5 - 2i`."""
    if not isinstance(value, complex):
        return f"{value:.6g}"
    if not value.imag:
        return f"{value.real:.6g}"
    return f"{value.real:.6g} {'-' if value.imag < 0 else '+'} {abs(value.imag):.6g}i"


def find_slip(
    left: Tree,
    right: Tree,
    points: Sequence[Mapping[str, float]],
    same: Callable[[Tree, Tree], bool],
    by_facts: bool = False,
    in_calls: bool = False,
    ordered: bool = False,
    others: frozenset[str] = frozenset(),
    alike: bool = False,
    determined: bool = False,
    opposite: bool = False,
    zeros: bool = False,
) -> Slip | None:
    """Return the one number, sign or operator of a link that is to be another, if one is; none where a side
    is nothing but a variable that the other has not.

    Args: points: where what is known holds; same: whether a link holds; in_calls: look also at the arguments
    of functions of which nothing is known; ordered: the factors of a product may not be exchanged;
    determined: a side is a variable whose value is known; opposite: a side may have the wrong sign as a
    whole, although a = -a can say that a is 0; zeros: a number of a sum may become 0 where the sides differ
    by the same everywhere.
    """
    opposite = opposite or determined
    if left.label == right.label == "limit" and left.children[:3] == right.children[:3]:
        left, right = left.children[3], right.children[3]
    sides, names = (left, right), sorted(free_symbols(left) | free_symbols(right) | others)
    if len(left) + len(right) > _MOST_NODES or any(
        not side.children
        and not free_symbols(side) <= free_symbols(other)
        and not (determined or (by_facts and len(other) >= _LEAST and free_symbols(other)))
        for side, other in (sides, sides[::-1])
    ):
        return None
    values = [[evaluate_term(side, at) for at in points] for side in sides]
    # Large values differ by little where the sides differ in a small term.
    apart = next((at for at, point in enumerate(points) if values_agree(left, right, point) is False), 0)
    first, second = values[0][apart], values[1][apart]
    # A side that has no value, as the arcsine of 7, can get one by a change.
    if all(one is None for one in values[0]) != all(one is None for one in values[1]):
        return _find_value_given(left, right, points, same, in_calls)
    if first is None or second is None or values_agree(left, right, points[apart]) is not False:
        return None
    # … but not of an a that is 0 nowhere, such as a number or (-1)^n.
    sizes = [value and abs(value) for value in values[0]]
    is_never_zero = not by_facts and first != 0 and all(_are_near(size, abs(first)) for size in sizes)
    if not (opposite or is_never_zero) and abs(first + second) < _CLOSE * (1 + abs(first)):
        return None
    # What a variable has no one value of can be equal to many.
    varying = determined and not all(_are_near(*pair) for pair in values)
    for side, other, wanted in ((0, right, values[1]), (1, left, values[0])):
        reordered = other if ordered else _sort_operands(other)
        tables = [_tabulate_values(sides[side], point) for point in points]
        # B sin(√2 π) = 0 is a condition: nobody means the B sin(√1 π) that vanishes by itself.
        vanishing = by_facts and all(value is not None and abs(value) < _VANISHING_VALUE for value in wanted)
        if vanishing and sides[side].label not in ("+", "-"):
            continue
        # In a long link a factor 1 is written rather than an equation in which it stands.
        long = len(left) + len(right) >= _LONG_LINK
        with_zeros = zeros and long and _differ_alike(*values)
        changes = iterate_changes(
            sides[side], names, in_calls, with_ones=long, with_zeros=with_zeros, with_exponents=not by_facts
        )
        opposites = _turn_sign(sides[side]) if opposite and side == 1 else []
        for path, changed, instead in chain(changes, opposites):
            if by_facts and (instead[0] == "*" or instead.endswith(" 0")):
                continue
            if varying and not path and not changed.children and free_symbols(changed):
                continue
            short = by_facts and not determined and len(left) + len(right) < _LEAST
            if short and not (_is_near(instead) or is_retyped(instead)):
                continue  # by what was said, many numbers fit
            meets = all(
                (one := _evaluate_changed(sides[side], path, changed, table, point)) is not None
                and value is not None
                and abs(one - value) <= _CLOSE * (1 + abs(value))
                for table, value, point in zip(tables, wanted, points, strict=True)
            )
            if not meets:
                continue
            whole = sides[side].replace_subtree(path, changed)
            if has_empty_range(whole):
                continue
            # a + b = a - b would say that b is 0
            if (alike or (whole if ordered else _sort_operands(whole)) != reordered) and same(
                *((whole, other) if side == 0 else (other, whole))
            ):
                return Slip(instead, points[apart], (first, second))
    return None


def _turn_sign(side: Tree) -> list[tuple[tuple[int, ...], Tree, str]]:
    """Return the change of a whole side into its opposite, as `iterate_changes` does."""
    return [((), Tree("*", (Tree("-1"), side)), "the opposite")]


def _find_value_given(
    left: Tree,
    right: Tree,
    points: Sequence[Mapping[str, float]],
    same: Callable[[Tree, Tree], bool],
    in_calls: bool,
) -> Slip | None:
    """Return the one change that gives the side of a link that has no value that of the other one."""
    place = 0 if evaluate_term(left, points[0]) is None else 1
    side, other = (left, right)[place], (right, left)[place]
    wanted = [evaluate_term(other, at) for at in points]
    for path, changed, instead in iterate_changes(side, (), in_calls):
        whole = side.replace_subtree(path, changed)
        values = (evaluate_term(whole, at) for at in points)
        if all(map(_are_near, values, wanted)) and same(*(whole, other)[:: 1 if side is left else -1]):
            return Slip(instead, {}, ())
    return None


def _differ_alike(first: Sequence[float | None], second: Sequence[float | None]) -> bool:
    """Return whether two sides differ by the same at all points, as those of an equation without solution."""
    gaps = [one - two for one, two in zip(first, second, strict=True) if one is not None and two is not None]
    return len(gaps) == len(first) and all(_are_near(gap, gaps[0]) for gap in gaps)


def _have_values(sides: Iterable[Tree], points: Sequence[Mapping[str, float]]) -> bool:
    return all(evaluate_term(side, at) is not None for side in sides for at in points)


def _are_near(one: float | None, two: float | None) -> bool:
    return one is not None and two is not None and abs(one - two) <= _CLOSE * (1 + abs(one))


def find_identity_slip(
    left: Tree,
    right: Tree,
    same: Callable[[Tree, Tree], bool],
    *,
    alike: bool = False,
    opposite: bool = False,
    zeros: bool = False,
    known: Sequence[Tree] = (),
) -> Slip | None:
    """Return the one change by which both sides of a link are equal whatever its variables are.

    Infinite sums are compared at small values, complex numbers by their parts, and the arguments of unknown
    functions are changed where the sides are more than such functions.

    Args: alike: the sides may be written alike after the change, since they were calculated. opposite: a side
    may have the wrong sign as a whole. zeros: a number of a sum may become 0. known: what holds for the
    variables.
    """

    is_steady = False

    def are_same(one: Tree, other: Tree) -> bool:
        shared = free_symbols(one) & free_symbols(other)
        # An integral from a to a is 0 whatever it is of.
        if has_empty_range(one) or has_empty_range(other):
            return False
        # a - a = 0 comes of any a - b.
        now = free_symbols(one) | free_symbols(other)
        if ZERO in (one, other) and now != free:
            return False
        # … and f(c) (a - a) = 0 (b - a) of f(c) (b - a) = 0 (b - a), which says that f(c) is 0.
        renamed = any(free_symbols(new) < free_symbols(old) for new, old in ((one, left), (other, right)))
        if renamed and ZERO not in (one, other) and evaluate_term(one, points_of(now)[0]) == 0:
            return False
        # f(a) + f(a) = 0 comes from f(a) + f(b) = 0, and is an equation.
        # … but arcsin x + arccos x is a number, whatever x is.
        constant = "call" not in labels and (is_steady or len(left) + len(right) >= _ENOUGH)
        constant = constant and not (free_symbols(one) and free_symbols(other))
        return bool(shared or constant) and same(one, other)

    if (terms := _take_integrands(left, right)) is not None:
        slip = find_identity_slip(*terms, same, alike=True, opposite=opposite, known=known)
        return slip and replace(slip, at={}, values=())
    if left.label == right.label == "limit" and left.children[:3] == right.children[:3]:
        head = left.children[:3]
        return find_identity_slip(
            left.children[3],
            right.children[3],
            lambda *bodies: same(*(Tree("limit", (*head, body)) for body in bodies)),
            alike=alike,
            opposite=opposite,
        )
    labels = {*left.list_labels(), *right.list_labels()}
    free = free_symbols(left) | free_symbols(right)
    if not free.isdisjoint(_ORDERS):
        return None
    opposite = opposite or _call_other_functions(left, right)
    if not labels.isdisjoint(_OF_COMPLEX):
        real = labels.isdisjoint(_OF_COMPLEX - {"i"})
        slip = find_complex_slip(left, right, are_same, real=real, opposite=opposite)
        slip = slip or find_slip(left, right, points_of({*free, "i"}), are_same)
        return slip or (_find_slip_beside_slopes(left, right, are_same) if "d" in labels else None)
    whole = not labels.isdisjoint(_OF_WHOLE)
    sides = left, right
    points = points_of(free, whole)
    infinite = "inf" in labels and "sum" in labels
    # e^{-x^6} is nearly 0 but for a small x.
    if not (whole or infinite or any(values_agree(left, right, at) is False for at in points)):
        points = [{name: value / 4 for name, value in at.items()} for at in points]
    # roots and powers of differences, as (1 - x)^a, have values between 0 and 1
    if infinite or not _have_values((left, right), points):
        points = [{name: value / 8 for name, value in at.items()} for at in points_of(free)]
    if not infinite and not _have_values((left, right), points):
        points = [{name: value * 3 for name, value in at.items()} for at in points_of(free)]
    if not infinite and not _have_values((left, right), points):
        points = points_of(free, whole=True)  # (-1)^n has real values at whole numbers
    # … and powers such as (z - p)^k have them where z is the larger one.
    if "pow" in labels and not infinite and not _have_values((left, right), points):
        others = (points_of(free, whole, seed) for seed in range(1, _SEEDS))
        points = next((one for one in others if _have_values((left, right), one)), points)
    if infinite:
        ends = frozenset().union(*(_list_ends(side) for side in (left, right)))
        points = [
            {name: float(row) if name in ends else value for name, value in at.items()} | {"inf": _MANY}
            for row, at in enumerate(points, 2)
        ]
    # An arcsine that is not of a number up to 1 has no value, and the other side has.
    if not infinite and not _have_values(sides, points):
        scaled = (_place_points(free, 0, scale) for scale in _SCALES)
        points = next((one for one in scaled if any(_have_values((side,), one) for side in sides)), points)
    # √(1 - sin² x) is cos x only where that is positive.
    if known and not infinite and not all(_meet(known, at) for at in points):
        tried = (_place_points(free, seed, scale) for scale in _SCALES for seed in range(_SEEDS))
        meeting = (one for one in tried if all(_meet(known, at) for at in one) and _have_values(sides, one))
        points = next(meeting, points)
    is_steady = not (whole or infinite) and _is_steady(left, right, points)
    in_calls = not any(_is_value(side) for side in (left, right)) or _are_long_values(left, right)
    # |f|² = f(e^{jω}) f(e^{-jω}) is said of a function with complex values.
    in_calls = in_calls and not any(
        node.label == "abs" and "call" in node.list_labels() for side in (left, right) for node in side
    )
    slip = find_slip(
        left, right, points, are_same, in_calls=in_calls, alike=alike, opposite=opposite, zeros=zeros
    )
    # A coefficient n over k, and the factorial of n - k, have values where n is the larger one.
    for step in (1, -1) if whole and slip is None else ():
        ordered = [
            {name: float(value) for name, value in zip(sorted(free)[::step], count(first, 2), strict=False)}
            for first in (2, 3)
        ]
        # … and that of k - 7 where k is larger.
        if not _have_values((left, right), ordered):
            ordered = [{name: value + _FACTORIAL_ROOM for name, value in at.items()} for at in ordered]
        slip = slip or find_slip(left, right, ordered, are_same, in_calls=in_calls, alike=alike)
    return slip or (_find_slip_beside_slopes(left, right, are_same) if "d" in labels else None)


def _meet(conditions: Sequence[Tree], at: Mapping[str, float]) -> bool:
    """Return whether a point meets all conditions that compare values."""
    for each in conditions:
        if each.label in _COMPARISONS:
            one, other = (evaluate_term(side, at) for side in each.children)
            if one is None or other is None or not _COMPARISONS[each.label](one, other):
                return False
    return True


def _place_points(names: Iterable[str], seed: int, scale: float) -> list[dict[str, float]]:
    return [{name: value * scale for name, value in at.items()} for at in points_of(names, seed=seed)]


def _is_steady(left: Tree, right: Tree, points: Sequence[Mapping[str, float]]) -> bool:
    """Return whether a side has letters and one value, whatever they are, by functions of them."""
    if are_exactly_equal(left, right) is not None:
        return False
    values = [[evaluate_term(side, at) for at in points] for side in (left, right) if free_symbols(side)]
    return any(all(_are_near(value, several[0]) for value in several) for several in values)


def _list_ends(tree: Tree) -> frozenset[str]:
    """Return the variables at which sums and products begin or end, which are whole numbers."""
    ends = (end for node in tree if node.label in ("sum", "prod") for end in node.children[1:-1])
    return frozenset().union(*map(free_symbols, ends)) - {"inf"}


def _find_slip_beside_slopes(left: Tree, right: Tree, same: Callable[[Tree, Tree], bool]) -> Slip | None:
    """Return a change outside of derivatives of which nothing is known; they are numbers with a name here."""
    names = PartNames({})
    sides = [names.replace_parts(side) for side in (left, right)]
    letters = {"i"} & {*sides[0].list_labels(), *sides[1].list_labels()}
    points = points_of({*free_symbols(sides[0]), *free_symbols(sides[1]), *letters})
    slip = find_slip(
        sides[0], sides[1], points, lambda *pair: same(*(names.restore_parts(side) for side in pair))
    )
    return slip and replace(slip, at=names.show_place(slip.at))


def _take_integrands(left: Tree, right: Tree) -> tuple[Tree, Tree] | None:
    """Return what two integrals of one variable are of, with the numbers before them, where they go over the
    same; None for other sides: one slip makes integrals equal by what they are of."""
    parts = [_split_integral(side) for side in (left, right)]
    if parts[0] is None or parts[1] is None or parts[0][0] != parts[1][0]:
        return None
    if left.label == "antiderivative":
        return parts[0][1], parts[1][1]
    # From -a to a, f(x) and f(-x) have the same integral.
    agree = [values_agree(left, right, at) for at in points_of(free_symbols(left) | free_symbols(right))]
    with_letters = any(map(free_symbols, parts[0][0].children[1:]))
    is_settled = True not in agree and (with_letters or False in agree)
    return (parts[0][1], parts[1][1]) if is_settled else None


def _split_integral(side: Tree) -> tuple[Tree, Tree] | None:
    """Return over what an integral goes, and what it is of with the factors before it; None for another
    term."""
    if side.label in ("integral", "antiderivative"):
        return Tree(side.label, side.children[:-1]), side.children[-1]
    if side.label not in ("*", "/") or not side.children:
        return None
    place = 0 if side.label == "/" else len(side.children) - 1
    inner = _split_integral(side.children[place])
    others = [part for at, part in enumerate(side.children) if at != place]
    if inner is None or any(inner[0].children[0].label in free_symbols(part) for part in others):
        return None
    return inner[0], side.replace_subtree((place,), inner[1])


def _call_other_functions(left: Tree, right: Tree) -> bool:
    """Return whether two sides have functions of other names each, and no roots: nobody says that `sin 2x` is
    0 by `sin 2x = -2 sin x cos x`, but that `cos x` is by `cos x = -cos x`."""
    labels = [{*side.list_labels()} for side in (left, right)]
    called = [each & _NAMED_FUNCTIONS for each in labels]
    return all(called) and called[0] != called[1] and _OF_EITHER_SIGN.isdisjoint(labels[0] | labels[1])


_OF_EITHER_SIGN = frozenset(("sqrt", "root", "abs", "pm", "call"))
"""Operations of which a text may mean the value with another sign."""
_NAMED_FUNCTIONS = (frozenset(OF_REAL) | {"e", "log"}) - _OF_EITHER_SIGN


def _are_long_values(left: Tree, right: Tree) -> bool:
    """Return whether both sides are values of one function at terms that say what they are."""
    return (
        left.label == right.label == "call"
        and left.children[0] == right.children[0]
        and max(len(each) for side in (left, right) for each in side.children) >= _LONG_ARGUMENT
    )


_OF_COMPLEX = frozenset(("i", "conj", "re", "im", "arg"))


def find_complex_slip(
    left: Tree,
    right: Tree,
    same: Callable[[Tree, Tree], bool],
    *,
    real: bool = True,
    opposite: bool = False,
) -> Slip | None:
    """Return the one change by which both sides of a link with imaginary numbers are equal.

    Args: real: its variables stand for real numbers. opposite: a side may have the wrong sign as a whole.
    """
    if len(left) + len(right) > _MOST_NODES:
        return None
    sides = left, right
    free = free_symbols(left) | free_symbols(right)
    points: list[dict[str, complex]] = [{**at} for at in points_of(free - {"i"})]
    if not real:
        for at, turned in zip(points, points_of(free - {"i"}, seed=1), strict=True):
            at.update({name: complex(at[name], turned[name]) for name in at})
    values = [[evaluate_complex(side, at) for at in points] for side in sides]
    first, second = values[0][0], values[1][0]
    if first is None or second is None or abs(first - second) <= _CLOSE * (1 + abs(first)):
        return None
    if not opposite and abs(first + second) < _CLOSE * (1 + abs(first)):
        return None
    for side, other, wanted in ((0, right, values[1]), (1, left, values[0])):
        opposites = _turn_sign(sides[side]) if opposite and side == 1 else []
        for path, changed, instead in chain(iterate_changes(sides[side]), opposites):
            whole = sides[side].replace_subtree(path, changed)
            meets = all(
                (one := evaluate_complex(whole, at)) is not None
                and value is not None
                and abs(one - value) <= _CLOSE * (1 + abs(value))
                for value, at in zip(wanted, points, strict=True)
            )
            if meets and same(*((whole, other) if side == 0 else (other, whole))):
                return Slip(instead, points[0], (first, second))
    return None


def _is_value(side: Tree) -> bool:
    """Return whether a side is nothing but a value of an unknown function, or one with another sign or
    factor."""
    parts = side.children if side.label in ("*", "/", "+", "-") else (side,)
    return sum(part.label == "call" or not part.children for part in parts) == len(parts)


def _is_near(instead: str) -> bool:
    """Return whether a change puts no number in the place of another that is far from it."""
    new, _, old = instead.partition(" for ")
    if not (_WHOLE.match(new) and _WHOLE.match(old)):
        return True
    return int(new) - int(old) in _STEPS or int(new) == -int(old)


def is_retyped(instead: str) -> bool:
    """Return whether a change is that of one digit of several, which is hardly a coincidence."""
    new, _, old = instead.partition(" for ")
    return len(old) > 1 and _WHOLE.match(old) is not None and new in iterate_retyped(old)


def _sort_operands(tree: Tree) -> Tree:
    """A term whose sums and products are the same in any order."""
    parts = [_sort_operands(part) for part in tree.children]
    if tree.label in ("+", "*"):
        flat = [one for part in parts for one in (part.children if part.label == tree.label else (part,))]
        parts = sorted(flat, key=repr)
    return Tree(tree.label, tuple(parts))


_Values = dict[tuple[int, ...], "float | None"]


def _tabulate_values(tree: Tree, at: Mapping[str, float]) -> _Values:
    """Return the values of the parts of a term, by their places."""
    table: _Values = {}

    def add_values(node: Tree, path: tuple[int, ...]) -> float | None:
        if not node.children or node.label in _WHOLE_TERMS:
            table[path] = evaluate_term(node, at)
            return table[path]
        parts = [add_values(part, (*path, index)) for index, part in enumerate(node.children)]
        table[path] = _apply(node.label, parts)
        return table[path]

    add_values(tree, ())
    return table


_WHOLE_TERMS = ("sum", "prod", "call", "det", "matrix", "row", "unit", "integral", "d")
"""Terms that have a value as a whole, and not by those of their parts."""


def _apply(label: str, parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    with suppress(ArithmeticError, ValueError):
        if len(known) == len(parts):
            return apply_label(label, known)
    return None


def _evaluate_changed(
    tree: Tree, path: tuple[int, ...], changed: Tree, table: _Values, at: Mapping[str, float]
) -> float | None:
    """Return the value of a term with another in a place of it, by the values of the parts that stay."""
    nodes = [tree]
    for index in path:
        nodes.append(nodes[-1].children[index])
    whole = next((depth for depth, node in enumerate(nodes) if node.label in _WHOLE_TERMS), None)
    if whole is not None and whole < len(path):
        path, changed = path[:whole], nodes[whole].replace_subtree(path[whole:], changed)
    value = evaluate_term(changed, at)
    for depth in reversed(range(len(path))):
        if value is None:
            return None
        node = nodes[depth]
        parts = [
            value if index == path[depth] else table[(*path[:depth], index)]
            for index in range(len(node.children))
        ]
        value = _apply(node.label, parts)
    return value


def bound_meant(
    one: Tree, other: Tree, same: Callable[[Tree, Tree], bool], *, is_next_row: bool = False
) -> str:
    """Return the change that makes a bound on a variable say what another says, where whole numbers tell
    them apart; "" for two that are nothing but a variable and a number, or where no one change does.

    Args:
        is_next_row: Whether one stands in the row below the other: any number may be meant.
    """
    name = next(iter(free_symbols(one)))
    if len(one) + len(other) > _MOST_NODES or (_is_simple(one) and _is_simple(other)):
        return ""
    # Bounds by large numbers differ only near those.
    ends = {
        root for bound in (one, other) for root in real_roots(bound.children[0], bound.children[1], name, {})
    }
    places = [*_PLACES, *(floor(end) + half / 2 for end in sorted(ends) for half in range(-2, 5))]
    whole = [index for index, place in enumerate(places) if place == floor(place)]
    wanted = _sample_truths(other, name, places)
    result = _sample_truths(one, name, places)
    if all(result[at] == wanted[at] for at in whole) or len({*result, *wanted}) != 2:
        return ""
    for first, second, truths in ((one, other, wanted), (other, one, result)):
        for path, part, instead in iterate_changes(first):
            changed = first.replace_subtree(path, part)
            if (
                (is_next_row or _is_near(instead))
                and _sample_truths(changed, name, places) == truths
                and name in free_symbols(changed)
                and same(changed, second)
            ):
                return instead
    return ""


def _is_simple(bound: Tree) -> bool:
    return any(not side.children and free_symbols(side) for side in bound.children)


def _sample_truths(bound: Tree, name: str, places: Sequence[float]) -> list[bool | None]:
    """Return whether a bound holds at some places."""
    result: list[bool | None] = []
    for place in places:
        one, other = (evaluate_term(side, {name: place}) for side in bound.children)
        if one is None or other is None:
            result.append(None)
        else:
            result.append(one < other if "<" in bound.label else one > other)
            if "=" in bound.label and one == other:
                result[-1] = True
    return result


def points_of(names: Iterable[str], whole: bool = False, seed: int = 0) -> list[dict[str, float]]:
    """Return two points at which the variables have random values.

    Args:
        names: The variables.
        whole: Whether the values are integers.
        seed: The same seed gives the same points.
    """
    source = Random(seed)
    order = sorted(names)
    if whole:
        return [{name: float(source.randint(3, 9)) for name in order} for _ in range(2)]
    return [{name: round(source.uniform(1.2, 2.9), 2) for name in order} for _ in range(2)]


def iterate_changes(
    tree: Tree,
    names: Sequence[str] = (),
    in_calls: bool = False,
    with_ones: bool = False,
    with_zeros: bool = False,
    with_exponents: bool = False,
) -> Iterator[tuple[tuple[int, ...], Tree, str]]:
    """Yield each change of a number, sign or operator: its path, what takes its place, the change in words.

    Args:
        tree: The term.
        names: The variables of the link, one of which may be meant with another index.
        in_calls: Whether arguments of unknown functions are changed too.
        with_ones: Whether a number may become a factor 1.
        with_zeros: Whether one may become a 0 in a sum or difference.
        with_exponents: Whether an exponent with letters may have the other sign.
    """
    for path, node, above in islice(_iterate_places(tree, (), "", in_calls), _MOST_PLACES):
        if not node.children:
            is_factor = with_ones and above == "*" and node.label != "-1"
            is_summand = with_zeros and above in ("+", "-")
            for instead in _iterate_numbers(
                node.label, "" if is_factor else "bound" if is_summand else above
            ):
                yield path, Tree(instead), f"{instead} for {node.label}"
            base, indexed, _ = node.label.partition("_")
            for instead in names if indexed and node.label in names else ():
                # f_xy is f_yx for most functions.
                exchanged = sorted(instead) == sorted(node.label)
                if not exchanged and instead.startswith(f"{base}_"):
                    yield path, Tree(instead), f"{instead} for {node.label}"
        elif len(node.children) == 2:
            for label in _OTHER.get(node.label, ()):
                if label == "*" and (ONE in node.children or all(map(free_symbols, node.children))):
                    continue
                yield path, Tree(label, node.children), f"{label} for {node.label}"
            if node.label == "*" and node.children[0].label == "-1":
                yield path, node.children[1], "+ for -"
            elif node.label == "pow" and with_exponents and _may_have_sign(node.children[1]):
                yield (*path, 1), Tree("*", (Tree("-1"), node.children[1])), "the opposite exponent"
            elif node.label in ("+", "-"):
                first = Tree("*", (Tree("-1"), node.children[0]))
                yield (*path, 0), first, "- for +"


def _may_have_sign(exponent: Tree) -> bool:
    """Return whether an exponent has letters, and no sign that is changed by itself."""
    signed = exponent.label in ("+", "-") or exponent.children[:1] == (Tree("-1"),)
    return bool(free_symbols(exponent)) and not signed


def _iterate_numbers(label: str, above: str) -> Iterator[str]:
    """Numbers that may be meant: near ones, and those with another digit; none that makes its operation go
    away."""
    if _WHOLE.match(label):
        value = int(label)
        near = [value + step for step in _STEPS]
        for new in dict.fromkeys([*near, *map(int, iterate_retyped(label))]):
            kept = new or above in _KEEPING_ZERO
            if new != value and value * new >= 0 and kept and (new != 1 or above not in _VANISHING):
                yield str(new)
        if value and above != "pow" and (value != -1 or above not in _VANISHING):
            yield str(-value)
    elif _DECIMAL.match(label):
        yield from iterate_retyped(label)


def iterate_retyped(number: str) -> Iterator[str]:
    """Return the numbers that differ from a number in one digit.

    >>> list(iterate_retyped("-0.5"))[7:11]
    ['-8.5', '-9.5', '-0.0', '-0.1']
    """
    for index, old in enumerate(number):
        for digit in "0123456789" if old.isdecimal() else "":
            if digit != old:
                yield number[:index] + digit + number[index + 1 :]


_KEEPING_ZERO = ("bound", "sin", "cos", "tan", "exp", "sinh", "cosh")
"""Operations of which a 0 is written, as that of the place at which a term is looked at."""
_VANISHING = ("*", "pow", "below")
"""Operations that do nothing with a 1."""


def _iterate_places(
    tree: Tree, path: tuple[int, ...], above: str, in_calls: bool
) -> Iterator[tuple[tuple[int, ...], Tree, str]]:
    yield path, tree, above
    # What an unknown function is at another place may be said of it: f(-x) = f(x).
    for index, child in enumerate(tree.children if in_calls or tree.label != "call" else ()):
        name = tree.label
        if name == "/" and index == 1:
            name = "below"
        elif name in ("sum", "prod", "integral", "limit") and index in (1, 2):
            name = "bound"
        yield from _iterate_places(child, (*path, index), name, in_calls)
