"""Operator trees as arrays, and what is equal to one and what is one label away from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.formula.operator_tree import OperatorTree

__all__ = ["TYPES", "TreeArrays", "Vocabulary", "joined"]

Ints = NDArray[np.int64]
TYPES = "VNCFOUMTWE-+"
PLACES = 8
"""Operands of ordered operators are told apart up to here."""


@dataclass(frozen=True, slots=True)
class TreeArrays:
    """A tree: of each node its label's number, its type, its parent's place (-1: the root), and which operand
    it is (0 under commutative operators)."""

    labels: Ints
    types: Ints
    parents: Ints
    places: Ints


class Vocabulary:
    """Numbers of labels; those that are not among the commonest have the number of their type alone."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self._numbers = {label: number for number, label in enumerate(labels, start=len(TYPES))}
        kinds = [self._type(label) for label in labels]
        self.by_type = {
            kind: np.array([n for n, own in enumerate(kinds, start=len(TYPES)) if own == kind], np.int64)
            for kind in range(len(TYPES))
        }

    @classmethod
    def of(cls, trees: Iterable[OperatorTree], size: int) -> Vocabulary:
        """The `size` commonest labels of trees."""
        counts = Counter(node.label for tree in trees for node in tree.walk())
        return cls([label for label, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:size]])

    def __len__(self) -> int:
        return len(TYPES) + len(self.labels)

    @staticmethod
    def _type(label: str) -> int:
        return max(0, TYPES.find(label[:1]))

    def arrays(self, tree: OperatorTree, most: int) -> TreeArrays:
        """A tree as arrays; of a larger one the first `most` nodes, level by level."""
        queue: list[tuple[OperatorTree, int, int]] = [(tree, -1, 0)]
        at = 0
        while at < min(len(queue), most):
            node = queue[at][0]
            queue += [
                (child, at, 0 if node.unordered else min(number + 1, PLACES - 1))
                for number, child in enumerate(node.children)
            ]
            at += 1
        queue = queue[:most]
        types = np.array([self._type(node.label) for node, _, _ in queue], np.int64)
        labels = [
            self._numbers.get(node.label, int(kind)) for (node, _, _), kind in zip(queue, types, strict=True)
        ]
        return TreeArrays(
            np.array(labels, np.int64),
            types,
            np.array([parent for _, parent, _ in queue], np.int64),
            np.array([place for _, _, place in queue], np.int64),
        )

    def equal(self, tree: TreeArrays, draw: np.random.Generator) -> TreeArrays:
        """The same formula with other letters: its variables renamed, each to one of its own."""
        own = np.unique(tree.labels[tree.types == 0])
        letters = self.by_type[0][:60]
        if not len(own) or len(letters) < len(own):
            return tree
        renamed = np.arange(len(self))
        renamed[own] = draw.choice(letters, len(own), replace=False)
        return TreeArrays(renamed[tree.labels], tree.types, tree.parents, tree.places)

    def near(self, tree: TreeArrays, draw: np.random.Generator) -> TreeArrays:
        """A formula that is one label away: an operator, function or number is another of its type."""
        able = np.flatnonzero(tree.types > 0)
        labels = tree.labels.copy()
        at = int(draw.choice(able if len(able) else np.arange(len(labels))))
        others = self.by_type[int(tree.types[at])][:40]
        others = others[others != labels[at]]
        if len(others):
            labels[at] = int(draw.choice(others))
        return TreeArrays(labels, tree.types, tree.parents, tree.places)


def joined(trees: Sequence[TreeArrays]) -> dict[str, Ints]:
    """Trees as one batch: `labels`, `types`, `parents` (a root is its own), `places`, (nodes,), and `tree`,
    the number of each node's tree."""
    sizes = np.array([len(tree.labels) for tree in trees])
    starts = np.repeat(np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    parents = np.concatenate([tree.parents for tree in trees])
    return {
        "labels": np.concatenate([tree.labels for tree in trees]),
        "types": np.concatenate([tree.types for tree in trees]),
        "parents": np.where(parents < 0, np.arange(len(parents)), parents + starts),
        "places": np.concatenate([tree.places for tree in trees]),
        "tree": np.repeat(np.arange(len(trees)), sizes),
    }
