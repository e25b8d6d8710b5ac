"""Near-copies: one operator, function or number changed, so that the expression means something else."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from engines.core.tree import Tree
from engines.egen.expressions.language import FUNCTIONS, is_constant_token
from engines.egen.verification.verify import Verifier

__all__ = ["changed", "mistaken", "near_copies"]

_BINARY = ("+", "-", "*", "/")
_NUMBERS = tuple(str(number) for number in range(-9, 10) if abs(number) > 1)


def _replaced(tree: Tree, path: tuple[int, ...], label: str) -> Tree:
    node = tree.at(path)
    return tree.replace(path, Tree(label, node.children))


def _paths(tree: Tree) -> Iterator[tuple[tuple[int, ...], Tree]]:
    stack: list[tuple[tuple[int, ...], Tree]] = [((), tree)]
    while stack:
        path, node = stack.pop()
        yield path, node
        stack.extend((((*path, place), child) for place, child in enumerate(node.children)))


def _others(label: str) -> Sequence[str]:
    """What may stand in the place of a label, by kind."""
    if label in FUNCTIONS:
        return FUNCTIONS
    if label in _BINARY:
        return _BINARY
    return _NUMBERS if is_constant_token(label) else ()


def changed(tree: Tree, draw: random.Random) -> Iterator[Tree]:
    """All trees that differ from this one in the label of one node (a function, one of + - * /, or a number),
    in random order."""
    found = [
        (path, other) for path, node in _paths(tree) for other in _others(node.label) if other != node.label
    ]
    draw.shuffle(found)
    for path, other in found:
        yield _replaced(tree, path, other)


def near_copies(tree: Tree, count: int, draw: random.Random) -> list[Tree]:
    """`count` changed trees that are verified to differ from the original in value somewhere; fewer when
    there are not so many. No two change the same node as long as others are left."""
    verifier = Verifier(tree)
    found: list[Tree] = []
    spare: list[Tree] = []
    nodes: set[tuple[str, ...]] = set()
    for other in changed(tree, draw):
        if len(found) == count:
            break
        if verifier.check([other])[0].outcome != "different":
            continue
        place = _place(tree, other)
        if place in nodes:
            spare.append(other)
            continue
        nodes.add(place)
        found.append(other)
    return (found + spare)[:count]


def _place(tree: Tree, other: Tree) -> tuple[str, ...]:
    """Where two trees of one shape differ, as a key."""
    pairs = zip(tree, other, strict=True)
    return tuple(str(place) for place, (a, b) in enumerate(pairs) if a.label != b.label)


def mistaken(tree: Tree, draw: random.Random) -> Tree | None:
    """The tree with a mistake as E-Gen makes them: a random function becomes another one; without a function,
    a random one of + - * / becomes another. Verified to differ; None when no such mistake is found."""
    verifier = Verifier(tree)
    functions = [path for path, node in _paths(tree) if node.label in FUNCTIONS]
    operators = [path for path, node in _paths(tree) if node.label in _BINARY]
    names = FUNCTIONS if functions else _BINARY
    places = functions or operators
    draw.shuffle(places)
    for path in places:
        others = [name for name in names if name != tree.at(path).label]
        for name in draw.sample(others, min(4, len(others))):
            wrong = _replaced(tree, path, name)
            if verifier.check([wrong])[0].outcome == "different":
                return wrong
    return None
