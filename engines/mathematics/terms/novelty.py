"""Which members come first: each unlike those before it, so that the first twenty are twenty ideas.

Two expressions are one idea where trivial arithmetic makes them the same (`arithmetic_normal_form`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from engines.core.tree import Tree
from engines.mathematics.terms.arithmetic_normal_form import ArithmeticReader

_UNNAMED_WEIGHT = 0.6
"""What a member that no classical form names weighs; one that has a name weighs 1."""
_EXTRA_TOKENS_AT_HALF = 8
"""Tokens that a member may have more than the head before it counts half."""

T = TypeVar("T")


def order_by_novelty(
    items: Iterable[T],
    head: Tree,
    count: int,
    of: Callable[[T], tuple[Tree, bool]],
    reader: ArithmeticReader | None = None,
) -> list[T]:
    """Return all items: first the head in fewer tokens, if one is that; then up to `count`, each as unlike
    the head and those before it as any that is left, short ones before long ones; then the others as they
    come, what is the same idea as another at the end.

    Args:
        of: An item's expression, and whether a classical form is named for it.
    """
    reader = reader or ArithmeticReader()
    start = reader.read_tree(head)
    seen = {start.text}
    waiting: list[tuple[T, frozenset[str], float]] = []
    same: list[T] = []
    shorter: tuple[int, T] | None = None
    for item in items:
        tree, named = of(item)
        one = reader.read_tree(tree)
        if one.text == start.text and len(tree) < (shorter[0] if shorter else len(head)):
            same += [shorter[1]] if shorter else []
            shorter = len(tree), item
            continue
        if one.text in seen:
            same.append(item)
            continue
        seen.add(one.text)
        # Named forms weigh more, and long expressions less.
        weight = (1.0 if named else _UNNAMED_WEIGHT) / (
            1 + (len(tree) / (len(head) + _EXTRA_TOKENS_AT_HALF)) ** 2
        )
        waiting.append((item, reader.parts_of(tree), weight))
    # Greedy choice of the farthest point: `nearest` is the distance to the
    # nearest of those chosen so far.
    own = reader.parts_of(head)
    nearest = [_jaccard_distance(parts, own) for _, parts, _ in waiting]
    chosen: list[T] = [shorter[1]] if shorter else []
    left = list(range(len(waiting)))
    while left and len(chosen) < count:
        best = max(left, key=lambda index: (nearest[index] * waiting[index][2], -index))
        left.remove(best)
        chosen.append(waiting[best][0])
        for index in left:
            nearest[index] = min(nearest[index], _jaccard_distance(waiting[index][1], waiting[best][1]))
    return chosen + [waiting[index][0] for index in left] + same


def _jaccard_distance(left: frozenset[str], right: frozenset[str]) -> float:
    """1 less the share of parts that two have in common (Jaccard)."""
    common = len(left & right)
    return 1 - common / (len(left) + len(right) - common)
