"""What one number, sign or operator less or more would make of a link: a slip is known by what it spoils."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from engines.core.tree import Tree
from engines.egen.proofreading.facts import variables
from engines.egen.proofreading.values import agree, worth

_MOST_NODES = 80
_MOST_PLACES = 80
_WHOLE = re.compile(r"-?\d{1,9}\Z")
_CLOSE = 1e-9
_STEPS = (1, -1, 2, -2)
_PLACES = [half / 2 for half in range(-60, 121)]
_OTHER = {"+": ("-", "*"), "-": ("+",)}


@dataclass(frozen=True, slots=True)
class Slip:
    """A change that makes a link hold, and where it does not hold as it stands."""

    instead: str
    at: Mapping[str, float]
    values: tuple[float, float]


def slip(
    left: Tree,
    right: Tree,
    points: Sequence[Mapping[str, float]],
    same: Callable[[Tree, Tree], bool],
    by_facts: bool = False,
) -> Slip | None:
    """The one number, sign or operator of a link that is to be another, if one is; none where a side is
    nothing but a variable.

    Args: points: where what is known holds; same: whether a link holds.
    """
    sides = left, right
    if len(left) + len(right) > _MOST_NODES or any(not side.children and variables(side) for side in sides):
        return None
    values = [[worth(side, at) for at in points] for side in sides]
    first, second = values[0][0], values[1][0]
    if first is None or second is None or agree(left, right, points[0]) is not False:
        return None
    if abs(first + second) < _CLOSE * (1 + abs(first)):  # a = -a says that a is 0
        return None
    for side, other, wanted in ((0, right, values[1]), (1, left, values[0])):
        for changed, instead in _changes(sides[side]):
            if (
                changed == other
                or (by_facts and (instead[0] == "*" or instead.endswith(" 0")))
                or not _meets(changed, wanted, points)
            ):
                continue
            if same(*((changed, other) if side == 0 else (other, changed))):
                return Slip(instead, points[0], (first, second))
    return None


def bound_meant(one: Tree, other: Tree, same: Callable[[Tree, Tree], bool]) -> str:
    """The change that makes a bound on a variable say what another says, where whole numbers tell them apart;
    "" for two that are nothing but a variable and a number, or where no one change does."""
    name = next(iter(variables(one)))
    if len(one) + len(other) > _MOST_NODES or (_is_simple(one) and _is_simple(other)):
        return ""
    wanted = _truths(other, name)
    result = _truths(one, name)
    if result[::2] == wanted[::2] or len({*result, *wanted}) != 2:
        return ""
    for first, second, truths in ((one, other, wanted), (other, one, result)):
        for changed, instead in _changes(first):
            if _truths(changed, name) == truths and name in variables(changed) and same(changed, second):
                return instead
    return ""


def _is_simple(bound: Tree) -> bool:
    return any(not side.children and variables(side) for side in bound.children)


def _truths(bound: Tree, name: str) -> list[bool | None]:
    """Whether a bound holds at whole numbers, and between them."""
    result: list[bool | None] = []
    for place in _PLACES:
        one, other = (worth(side, {name: place}) for side in bound.children)
        if one is None or other is None:
            result.append(None)
        else:
            result.append(one < other if "<" in bound.label else one > other)
            if "=" in bound.label and one == other:
                result[-1] = True
    return result


def points_of(names: Iterable[str]) -> list[dict[str, float]]:
    """Two places where variables have values of no meaning."""
    source = Random(0)
    order = sorted(names)
    return [{name: round(source.uniform(1.2, 2.9), 2) for name in order} for _ in range(2)]


def _meets(changed: Tree, wanted: Sequence[float | None], at: Sequence[Mapping[str, float]]) -> bool:
    for value, point in zip(wanted, at, strict=True):
        result = worth(changed, point)
        if result is None or value is None or abs(result - value) > _CLOSE * (1 + abs(value)):
            return False
    return True


def _changes(tree: Tree) -> Iterator[tuple[Tree, str]]:
    """A term with one place changed, and how."""
    for path, node, above in islice(_places(tree, (), ""), _MOST_PLACES):
        if not node.children:
            for other in _numbers(node.label, above):
                yield tree.replace(path, Tree(other)), f"{other} for {node.label}"
        elif len(node.children) == 2:
            for label in _OTHER.get(node.label, ()):
                if label == "*" and all(map(variables, node.children)):
                    continue
                yield tree.replace(path, Tree(label, node.children)), f"{label} for {node.label}"
            if node.label == "*" and node.children[0].label == "-1":
                yield tree.replace(path, node.children[1]), "+ for -"
            elif node.label in ("+", "-"):
                first = Tree("*", (Tree("-1"), node.children[0]))
                yield tree.replace((*path, 0), first), "- for +"


def _numbers(label: str, above: str) -> Iterator[str]:
    """Numbers that may be meant; none that makes its operation go away."""
    if _WHOLE.match(label):
        value = int(label)
        for step in _STEPS:
            new = value + step
            if value * new >= 0 and new and (new != 1 or above not in ("*", "pow")):
                yield str(new)
        if value and above != "pow":
            yield str(-value)


def _places(tree: Tree, path: tuple[int, ...], above: str) -> Iterator[tuple[tuple[int, ...], Tree, str]]:
    yield path, tree, above
    for place, child in enumerate(tree.children):
        yield from _places(child, (*path, place), tree.label)
