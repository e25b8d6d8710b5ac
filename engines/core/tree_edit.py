"""Tree edit distance (Zhang and Shasha 1989): the fewest nodes renamed, inserted or deleted, each at cost 1.

Compiled with numba; the first call of a process compiles or loads the compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engines.core.numeric_kernel import compiled
from engines.core.tree import Tree

__all__ = ["Edit", "distance", "edit_script", "pairwise"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one node. `left` and `right` are places in prefix order of the two trees: both for a
    node kept or renamed, one for a node deleted or inserted."""

    kind: Literal["keep", "rename", "delete", "insert"]
    left: int | None
    right: int | None


def distance(a: Tree, b: Tree) -> int:
    """The edit distance of two ordered labelled trees.

    >>> distance(Tree("+", (Tree("x"), Tree("1"))), Tree("+", (Tree("x"), Tree("2"))))
    1
    """
    forest = _Forest((a, b))
    return int(_between(*forest.tree(0), *forest.tree(1))[-1, -1])


def pairwise(trees: Sequence[Tree]) -> Ints:
    """All distances: (n, n), symmetric, zero on the diagonal."""
    forest = _Forest(trees)
    return _all_pairs(forest.labels, forest.leaves, forest.roots, forest.nodes_at, forest.roots_at)


def edit_script(a: Tree, b: Tree) -> list[Edit]:
    """A shortest way from a to b: what becomes of a's nodes in prefix order, then what is inserted.

    Every node of both trees occurs once, and the edits that are no `keep` are as many as the distance.
    """
    forest = _Forest((a, b))
    left, right = forest.tree(0), forest.tree(1)
    costs = _between(*left, *right)
    edits: list[Edit] = []
    places = (_prefix_places(a), _prefix_places(b))
    pairs = [(len(left[0]) - 1, len(right[0]) - 1)]
    while pairs:
        i, j = pairs.pop()
        for x, y, subtrees in _trace(i, j, left, right, costs):
            if subtrees:
                pairs.append((x, y))
            elif y < 0:
                edits.append(Edit("delete", places[0][x], None))
            elif x < 0:
                edits.append(Edit("insert", None, places[1][y]))
            else:
                same = left[0][x] == right[0][y]
                edits.append(Edit("keep" if same else "rename", places[0][x], places[1][y]))
    return sorted(edits, key=lambda edit: (edit.left is None, edit.left, edit.right))


class _Forest:
    """Trees as flat arrays in postfix order: label numbers, leftmost leaf of each node, key roots."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        numbers: dict[str, int] = {}
        labels: list[int] = []
        leaves: list[int] = []
        roots: list[int] = []
        self.nodes_at = np.zeros(len(trees) + 1, np.int64)
        self.roots_at = np.zeros(len(trees) + 1, np.int64)
        for index, tree in enumerate(trees):
            order, leftmost = _postfix(tree)
            labels += [numbers.setdefault(node.label, len(numbers)) for node in order]
            leaves += leftmost
            # The last node with a given leftmost leaf is a key root.
            roots += sorted({leaf: place for place, leaf in enumerate(leftmost)}.values())
            self.nodes_at[index + 1] = len(labels)
            self.roots_at[index + 1] = len(roots)
        self.labels = np.array(labels, np.int32)
        self.leaves = np.array(leaves, np.int32)
        self.roots = np.array(roots, np.int32)

    def tree(self, index: int) -> tuple[Ints, Ints, Ints]:
        """Label numbers, leftmost leaves and key roots of one tree."""
        nodes = slice(self.nodes_at[index], self.nodes_at[index + 1])
        roots = slice(self.roots_at[index], self.roots_at[index + 1])
        return self.labels[nodes], self.leaves[nodes], self.roots[roots]


def _postfix(tree: Tree) -> tuple[list[Tree], list[int]]:
    """The nodes in postfix order and for each the place of its leftmost leaf."""
    order: list[Tree] = []
    leftmost: list[int] = []
    waiting: list[tuple[Tree, int]] = [(tree, -1)]
    while waiting:
        node, first = waiting.pop()
        if first < 0:
            waiting.append((node, len(order)))
            waiting += ((child, -1) for child in reversed(node.children))
        else:
            leftmost.append(first)
            order.append(node)
    return order, leftmost


def _prefix_places(tree: Tree) -> list[int]:
    """For each node in postfix order its place in prefix order."""
    places: list[int] = []
    count = 0
    waiting: list[tuple[Tree, int]] = [(tree, -1)]
    while waiting:
        node, place = waiting.pop()
        if place < 0:
            waiting.append((node, count))
            count += 1
            waiting += ((child, -1) for child in reversed(node.children))
        else:
            places.append(place)
    return places


def _trace(
    i: int,
    j: int,
    left: tuple[Ints, Ints, Ints],
    right: tuple[Ints, Ints, Ints],
    costs: Ints,
) -> list[tuple[int, int, bool]]:
    """The steps between the subtrees that end at i and j: two nodes (-1 for none) or two smaller subtrees."""
    (labels_a, leaves_a, _), (labels_b, leaves_b, _) = left, right
    forest = np.empty((i + 2, j + 2), np.int32)
    _fill(labels_a, leaves_a, i, labels_b, leaves_b, j, costs, forest)
    start_a, start_b = int(leaves_a[i]), int(leaves_b[j])
    x, y = i, j
    steps: list[tuple[int, int, bool]] = []
    while x >= start_a or y >= start_b:
        here = forest[x - start_a + 1, y - start_b + 1]
        if x >= start_a and y >= start_b:
            first_a, first_b = int(leaves_a[x]), int(leaves_b[y])
            if first_a == start_a and first_b == start_b:
                before = forest[x - start_a, y - start_b]
                if here == before + (labels_a[x] != labels_b[y]):
                    steps.append((x, y, False))
                    x, y = x - 1, y - 1
                    continue
            elif here == forest[first_a - start_a, first_b - start_b] + costs[x, y]:
                steps.append((x, y, True))
                x, y = first_a - 1, first_b - 1
                continue
        if x >= start_a and here == forest[x - start_a, y - start_b + 1] + 1:
            steps.append((x, -1, False))
            x -= 1
        else:
            steps.append((-1, y, False))
            y -= 1
    return steps


@compiled
def _fill(
    labels_a: Ints,
    leaves_a: Ints,
    i: int,
    labels_b: Ints,
    leaves_b: Ints,
    j: int,
    costs: Ints,
    forest: Ints,
) -> None:
    """Distances between the forests that end inside the subtrees of i and j; `costs` between subtrees is read
    where known and written where both forests are whole trees."""
    start_a, start_b = leaves_a[i], leaves_b[j]
    forest[0, 0] = 0
    for x in range(start_a, i + 1):
        forest[x - start_a + 1, 0] = forest[x - start_a, 0] + 1
    for y in range(start_b, j + 1):
        forest[0, y - start_b + 1] = forest[0, y - start_b] + 1
    for x in range(start_a, i + 1):
        row = x - start_a + 1
        for y in range(start_b, j + 1):
            column = y - start_b + 1
            best = min(forest[row - 1, column], forest[row, column - 1]) + 1
            if leaves_a[x] == start_a and leaves_b[y] == start_b:
                kept = forest[row - 1, column - 1] + (labels_a[x] != labels_b[y])
                best = min(best, kept)
                costs[x, y] = best
            else:
                best = min(best, forest[leaves_a[x] - start_a, leaves_b[y] - start_b] + costs[x, y])
            forest[row, column] = best


@compiled
def _subtrees(
    labels_a: Ints,
    leaves_a: Ints,
    roots_a: Ints,
    labels_b: Ints,
    leaves_b: Ints,
    roots_b: Ints,
    costs: Ints,
    forest: Ints,
) -> None:
    for i in roots_a:
        for j in roots_b:
            _fill(labels_a, leaves_a, i, labels_b, leaves_b, j, costs, forest)


def _between(
    labels_a: Ints, leaves_a: Ints, roots_a: Ints, labels_b: Ints, leaves_b: Ints, roots_b: Ints
) -> Ints:
    """The distances between all subtrees: (nodes of a, nodes of b)."""
    shape = len(labels_a), len(labels_b)
    costs = np.zeros(shape, np.int32)
    forest = np.empty((shape[0] + 1, shape[1] + 1), np.int32)
    _subtrees(labels_a, leaves_a, roots_a, labels_b, leaves_b, roots_b, costs, forest)
    return costs


@compiled
def _all_pairs(
    labels: Ints, leaves: Ints, roots: Ints, nodes_at: NDArray[np.int64], roots_at: NDArray[np.int64]
) -> Ints:
    count = len(nodes_at) - 1
    found = np.zeros((count, count), np.int32)
    largest = 0
    for a in range(count):
        largest = max(largest, nodes_at[a + 1] - nodes_at[a])
    costs = np.empty((largest, largest), np.int32)
    forest = np.empty((largest + 1, largest + 1), np.int32)
    for a in range(count):
        nodes_a, end_a = nodes_at[a], nodes_at[a + 1]
        labels_a, leaves_a = labels[nodes_a:end_a], leaves[nodes_a:end_a]
        roots_a = roots[roots_at[a] : roots_at[a + 1]]
        for b in range(a):
            nodes_b, end_b = nodes_at[b], nodes_at[b + 1]
            labels_b, leaves_b = labels[nodes_b:end_b], leaves[nodes_b:end_b]
            _subtrees(
                labels_a,
                leaves_a,
                roots_a,
                labels_b,
                leaves_b,
                roots[roots_at[b] : roots_at[b + 1]],
                costs,
                forest,
            )
            found[a, b] = found[b, a] = costs[end_a - nodes_a - 1, end_b - nodes_b - 1]
    return found
