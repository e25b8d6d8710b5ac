"""Sets whose members go on as they begin: `{3, 5, 7, …}`, `{1, 2, …, 10}`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from engines.core.expression_language import is_constant_token
from engines.core.tree import ZERO, Tree

_FEWEST_SHOWN = 3
"""Members that show how a set goes on without end."""
_MOST_LISTED = 200


def continue_members(members: Sequence[Tree], ellipsis: Tree) -> Tree | None:
    """Return the set whose members have the same step between them, before and behind an ellipsis; None where
    they do not show how it goes on.

    >>> continue_members([Tree("1"), Tree("3"), Tree("…"), Tree("7")], Tree("…")).list_labels()
    ['set', '1', '3', '5', '7']
    """
    places = [at for at, one in enumerate(members) if one == ellipsis]
    shown = [_read_integer(one) for one in members if one != ellipsis]
    numbers = [number for number in shown if number is not None]
    if len(numbers) < len(shown) or len(numbers) < _FEWEST_SHOWN or len(places) > 2:
        return None
    begins, ends = places[0] == 0, places[-1] == len(members) - 1
    if len(places) == 1 and not begins and not ends:
        return _list_between(numbers, places[0])
    step = numbers[1] - numbers[0]
    regular = all(other - one == step for one, other in pairwise(numbers))
    if not step or not regular or (len(places) == 2 and not (begins and ends)):
        return None
    first, step = (numbers[-1], -step) if begins and not ends else (numbers[0], step)
    counter = Tree("k")
    member = Tree("+", (Tree(str(first)), Tree("*", (Tree(str(step)), counter))))
    within = Tree("in", (counter, Tree("ℤ")))
    if len(places) == 2:
        return Tree("such", (member, within))
    return Tree("such", (member, Tree("and", (within, Tree(">=", (counter, ZERO))))))


def _list_between(numbers: Sequence[int], place: int) -> Tree | None:
    before, behind = numbers[:place], numbers[place:]
    step = before[1] - before[0] if len(before) > 1 else 0
    if not step or not 0 <= (count := Fraction(behind[-1] - before[0], step)) <= _MOST_LISTED:
        return None
    listed = [before[0] + step * index for index in range(int(count) + 1)] if count.denominator == 1 else []
    shows = listed[: len(before)] == list(before) and listed[-len(behind) :] == list(behind)
    return Tree("set", tuple(Tree(str(number)) for number in listed)) if shows else None


def _read_integer(tree: Tree) -> int | None:
    label = tree.label
    return int(label) if is_constant_token(label) and label.removeprefix("-").isdecimal() else None
