"""Tree edit distance (Zhang and Shasha 1989): the fewest nodes renamed, inserted or deleted, each at cost 1.

Compiled with numba; the first call of a process compiles or loads the compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import ShortInts
from engines.core.compiling import compile_kernel
from engines.core.tree import Tree


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one node: it is kept, renamed, deleted or inserted.

    `left` and `right` are positions in prefix order of the two trees: both for a node kept or renamed, one
    for a node deleted or inserted.
    """

    kind: Literal["keep", "rename", "delete", "insert"]
    left: int | None
    right: int | None


def edit_distance(a: Tree, b: Tree) -> int:
    """Return the edit distance of two ordered labelled trees.

    >>> edit_distance(Tree("+", (Tree("x"), Tree("1"))), Tree("+", (Tree("x"), Tree("2"))))
    1
    """
    forest = _Forest((a, b))
    return int(_all_subtree_distances(*forest.tree_arrays(0), *forest.tree_arrays(1))[-1, -1])


class NearestTrees:
    """The most similar of many trees, by 1 - distance / (nodes of both)."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._forest = _Forest(trees)
        self._order = np.argsort(np.diff(self._forest.nodes_at), kind="stable")
        self._places = np.argsort(self._order)

    def list_neighbours(self, index: int, *, levels: int = 1) -> list[tuple[float, NDArray[np.int64]]]:
        """Return the other trees that are most similar to one of them, all that tie, then those of the next
        level.

        Returns:
            (similarity, places in ascending order) for each level, most similar first. Trees that cannot
            reach the last level by their sizes and labels are not compared.
        """
        result = _similarities_outwards(
            index, self._order, int(self._places[index]), levels, *self._forest.arrays
        )
        result[index] = -1.0
        best = np.unique(result[result >= 0.0])[::-1][:levels]
        return [(float(level), np.flatnonzero(result == level)) for level in best]

    def compute_similarities(self, index: int, among: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return how similar one tree is to every tree, or only to those `among`.

        Returns:
            Similarities between 0 and 1, shape `(trees,)`; -1 for trees that are not compared.
        """
        order = self._order if among is None else among
        result = _similarities_outwards(index, order, len(order), 0, *self._forest.arrays)
        result[index] = 1.0
        return result


def edit_script(a: Tree, b: Tree) -> list[Edit]:
    """Return a shortest way from a to b: what becomes of a's nodes in prefix order, then what is inserted.

    Every node of both trees occurs once, and the edits that are no `keep` are as many as the distance.
    """
    forest = _Forest((a, b))
    left, right = forest.tree_arrays(0), forest.tree_arrays(1)
    costs = _all_subtree_distances(*left, *right)
    edits: list[Edit] = []
    positions = (_prefix_places(a), _prefix_places(b))
    pairs = [(len(left[0]) - 1, len(right[0]) - 1)]
    while pairs:
        i, j = pairs.pop()
        for x, y, subtrees in _trace_steps(i, j, left, right, costs):
            if subtrees:
                pairs.append((x, y))
            elif y < 0:
                edits.append(Edit("delete", positions[0][x], None))
            elif x < 0:
                edits.append(Edit("insert", None, positions[1][y]))
            else:
                same = left[0][x] == right[0][y]
                edits.append(Edit("keep" if same else "rename", positions[0][x], positions[1][y]))
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
            order, leftmost = _to_postfix(tree)
            labels += [numbers.setdefault(node.label, len(numbers)) for node in order]
            leaves += leftmost
            # The last node with a given leftmost leaf is a key root.
            roots += sorted({leaf: index for index, leaf in enumerate(leftmost)}.values())
            self.nodes_at[index + 1] = len(labels)
            self.roots_at[index + 1] = len(roots)
        self.labels = np.array(labels, np.int32)
        self.leaves = np.array(leaves, np.int32)
        self.roots = np.array(roots, np.int32)
        # Sorted labels give a lower bound of the distance without comparing the trees.
        self.sorted = self.labels.copy()
        for begin, end in zip(self.nodes_at, self.nodes_at[1:], strict=False):
            self.sorted[begin:end].sort()

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.labels, self.leaves, self.roots, self.sorted, self.nodes_at, self.roots_at

    def tree_arrays(self, index: int) -> tuple[ShortInts, ShortInts, ShortInts]:
        nodes = slice(self.nodes_at[index], self.nodes_at[index + 1])
        roots = slice(self.roots_at[index], self.roots_at[index + 1])
        return self.labels[nodes], self.leaves[nodes], self.roots[roots]


def _to_postfix(tree: Tree) -> tuple[list[Tree], list[int]]:
    """Return the nodes in postfix order and for each the place of its leftmost leaf."""
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
    positions: list[int] = []
    count = 0
    waiting: list[tuple[Tree, int]] = [(tree, -1)]
    while waiting:
        node, index = waiting.pop()
        if index < 0:
            waiting.append((node, count))
            count += 1
            waiting += ((child, -1) for child in reversed(node.children))
        else:
            positions.append(index)
    return positions


def _trace_steps(
    i: int,
    j: int,
    left: tuple[ShortInts, ShortInts, ShortInts],
    right: tuple[ShortInts, ShortInts, ShortInts],
    costs: ShortInts,
) -> list[tuple[int, int, bool]]:
    """Return the steps between the subtrees that end at i and j: two nodes (-1 for none) or two smaller
    subtrees.
    """
    (labels_a, leaves_a, _), (labels_b, leaves_b, _) = left, right
    forest = np.empty((i + 2, j + 2), np.int32)
    _fill_forest_costs(labels_a, leaves_a, i, labels_b, leaves_b, j, costs, forest)
    start_a, start_b = int(leaves_a[i]), int(leaves_b[j])
    x, y = i, j
    steps: list[tuple[int, int, bool]] = []
    # Walk back from the last cell: each step that explains the cost of this cell belongs to a cheapest way.
    while x >= start_a or y >= start_b:
        here = forest[x - start_a + 1, y - start_b + 1]
        if x >= start_a and y >= start_b:
            first_a, first_b = int(leaves_a[x]), int(leaves_b[y])
            # Both are whole trees from the start: their roots are matched here.
            if first_a == start_a and first_b == start_b:
                before = forest[x - start_a, y - start_b]
                if here == before + (labels_a[x] != labels_b[y]):
                    steps.append((x, y, False))
                    x, y = x - 1, y - 1
                    continue
            # Otherwise a subtree is matched as a whole; its steps are traced by another call.
            elif here == forest[first_a - start_a, first_b - start_b] + costs[x, y]:
                steps.append((x, y, True))
                x, y = first_a - 1, first_b - 1
                continue
        # A node is removed, or else one is inserted: nothing is left to compare before the start.
        if x >= start_a and here == forest[x - start_a, y - start_b + 1] + 1:
            steps.append((x, -1, False))
            x -= 1
        else:
            steps.append((-1, y, False))
            y -= 1
    return steps


@compile_kernel
def _fill_forest_costs(
    labels_a: ShortInts,
    leaves_a: ShortInts,
    i: int,
    labels_b: ShortInts,
    leaves_b: ShortInts,
    j: int,
    costs: ShortInts,
    forest: ShortInts,
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


@compile_kernel
def _subtree_distances(
    labels_a: ShortInts,
    leaves_a: ShortInts,
    roots_a: ShortInts,
    labels_b: ShortInts,
    leaves_b: ShortInts,
    roots_b: ShortInts,
    costs: ShortInts,
    forest: ShortInts,
) -> None:
    for i in roots_a:
        for j in roots_b:
            _fill_forest_costs(labels_a, leaves_a, i, labels_b, leaves_b, j, costs, forest)


def _all_subtree_distances(
    labels_a: ShortInts,
    leaves_a: ShortInts,
    roots_a: ShortInts,
    labels_b: ShortInts,
    leaves_b: ShortInts,
    roots_b: ShortInts,
) -> ShortInts:
    """Return the distances between all subtrees: (nodes of a, nodes of b)."""
    shape = len(labels_a), len(labels_b)
    costs = np.zeros(shape, np.int32)
    forest = np.empty((shape[0] + 1, shape[1] + 1), np.int32)
    _subtree_distances(labels_a, leaves_a, roots_a, labels_b, leaves_b, roots_b, costs, forest)
    return costs


@compile_kernel
def _similarities_outwards(
    query: int,
    order: NDArray[np.int64],
    start: int,
    levels: int,
    labels: ShortInts,
    leaves: ShortInts,
    roots: ShortInts,
    labels_sorted: ShortInts,
    nodes_at: NDArray[np.int64],
    roots_at: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the similarities of trees to the query, -1 for those not compared.

    `order` lists trees by size. The search goes outwards from position `start`, where trees are as large as
    the query, and leaves out trees that cannot be among the best `levels` similarities (0: all trees are
    compared). The similarity is 1 - distance / (size_a + size_b).
    """
    count = len(nodes_at) - 1
    result = np.full(count, -1.0)
    best = np.full(max(levels, 1), -1.0)
    largest = 0
    for tree in range(count):
        largest = max(largest, nodes_at[tree + 1] - nodes_at[tree])
    begin_a, end_a = nodes_at[query], nodes_at[query + 1]
    size_a = end_a - begin_a
    # The tables of Zhang and Shasha are allocated once, for the largest tree.
    costs = np.empty((size_a, largest), np.int32)
    forest = np.empty((size_a + 1, largest + 1), np.int32)
    up, down = start, start - 1
    # Alternate between the next larger (step 0) and the next smaller tree (step 1).
    while up < len(order) or down >= 0:
        for step in range(2):
            if (step == 0 and up >= len(order)) or (step == 1 and down < 0):
                continue
            tree = order[up] if step == 0 else order[down]
            begin_b, end_b = nodes_at[tree], nodes_at[tree + 1]
            size_b = end_b - begin_b
            total = float(size_a + size_b)
            # A distance is at least the difference of the sizes, which bounds the similarity from above.
            if levels and 1.0 - abs(size_a - size_b) / total < best[-1]:
                # Sizes differ even more further on.
                if step == 0:
                    up = len(order)
                else:
                    down = -1
                continue
            if step == 0:
                up += 1
            else:
                down -= 1
            if tree == query:
                continue
            if levels:
                # It is also at least the number of labels that the smaller tree cannot supply.
                common = _count_common_labels(labels_sorted[begin_a:end_a], labels_sorted[begin_b:end_b])
                if 1.0 - (max(size_a, size_b) - common) / total < best[-1]:
                    continue
            _subtree_distances(
                labels[begin_a:end_a],
                leaves[begin_a:end_a],
                roots[roots_at[query] : roots_at[query + 1]],
                labels[begin_b:end_b],
                leaves[begin_b:end_b],
                roots[roots_at[tree] : roots_at[tree + 1]],
                costs,
                forest,
            )
            similarity = 1.0 - costs[size_a - 1, size_b - 1] / total
            result[tree] = similarity
            # Insert the similarity into the descending list of the best different levels.
            for level in range(levels):
                if similarity == best[level]:
                    break
                if similarity > best[level]:
                    for slot in range(levels - 1, level, -1):
                        best[slot] = best[slot - 1]
                    best[level] = similarity
                    break
    return result


@compile_kernel
def _count_common_labels(left: ShortInts, right: ShortInts) -> int:
    i = j = shared = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            shared += 1
            i += 1
            j += 1
        elif left[i] < right[j]:
            i += 1
        else:
            j += 1
    return shared
