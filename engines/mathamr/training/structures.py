"""Operator trees and MathAMR graphs as arrays; what is equal to one, and what is one label away from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.mathamr.rows import Representation

Ints = NDArray[np.int64]
TYPES = "VNCFOUMTWE-+"
"""Of nodes of operator trees; what is no such node, as the concept of a word, is a text (T)."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Labelled:
    """Nodes by their labels, edges as (head, role, tail), and the places of the formula's nodes, its root
    first."""

    labels: Sequence[str]
    edges: Sequence[tuple[int, str, int]]
    formula: Sequence[int]


@dataclass(frozen=True, slots=True)
class Structure:
    """The same in numbers: of each node its label and its type; of each edge the places of its ends, and its
    role; the places of the formula's nodes."""

    labels: Ints
    types: Ints
    heads: Ints
    tails: Ints
    roles: Ints
    formula: Ints


class Vocabulary(Generic[T]):
    """Numbers of labels and roles; labels that are not among the commonest have the number of their type
    alone, and roles that are unknown that of the first."""

    kind: ClassVar[str]
    """The `model_type` of the encoders that have it."""
    reads: ClassVar[Representation]
    """The representation whose strings `read` takes."""

    def __init__(self, labels: Sequence[str], roles: Sequence[str]) -> None:
        self.labels, self.roles = tuple(labels), tuple(roles)
        self._numbers = {label: number for number, label in enumerate(labels, start=len(TYPES))}
        self._roles = {role: number for number, role in enumerate(roles)}
        kinds = [self._type(label) for label in labels]
        self.by_type = {
            kind: np.array([n for n, own in enumerate(kinds, start=len(TYPES)) if own == kind], np.int64)
            for kind in range(len(TYPES))
        }

    @classmethod
    def of(cls, read: Iterable[T], size: int) -> Self:
        """The `size` commonest labels, and all roles."""
        counts: Counter[str] = Counter()
        roles: set[str] = set()
        for one in read:
            labelled = cls.labelled(one)
            counts.update(labelled.labels)
            roles.update(role for _, role, _ in labelled.edges)
        commonest = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:size]
        return cls([label for label, _ in commonest], ["", *sorted(roles)])

    @staticmethod
    def read(text: str) -> T:
        """What a text stands for."""
        raise NotImplementedError

    @staticmethod
    def labelled(one: T) -> Labelled:
        """Nodes and edges, in the order in which a larger one is cut."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(TYPES) + len(self.labels)

    @staticmethod
    def _type(label: str) -> int:
        return max(0, TYPES.find(label[:1]))

    def arrays(self, one: T, most: int) -> Structure:
        """As arrays; of a larger one the first `most` nodes and the edges between them."""
        found = self.labelled(one)
        labels = found.labels[:most]
        types = [self._type(label) for label in labels]
        edges = [edge for edge in found.edges if edge[0] < most and edge[2] < most]
        heads, roles, tails = zip(*edges, strict=True) if edges else ((), (), ())
        return Structure(
            np.array([self._numbers.get(label, kind) for label, kind in zip(labels, types, strict=True)]),
            np.array(types),
            np.array(heads, np.int64),
            np.array(tails, np.int64),
            np.array([self._roles.get(role, 0) for role in roles], np.int64),
            np.array([node for node in found.formula if node < most]),
        )

    def equal(self, one: Structure, draw: np.random.Generator, hidden: float = 0.0) -> Structure:
        """The same formula with other letters: its variables renamed, each to one of its own.

        Args: hidden: the share of the nodes around the formula that lose their label.
        """
        labels = one.labels
        own = np.unique(labels[one.types == 0])
        letters = self.by_type[0][:60]
        if len(own) and len(letters) >= len(own):
            renamed = np.arange(len(self))
            renamed[own] = draw.choice(letters, len(own), replace=False)
            labels = renamed[labels]
        if hidden:
            around = np.ones(len(labels), bool)
            around[one.formula] = False
            labels = np.where(around & (draw.random(len(labels)) < hidden), one.types, labels)
        return replace(one, labels=labels)

    def near(self, one: Structure, draw: np.random.Generator) -> Structure:
        """A formula that is one label away: an operator, function or number is another of its type."""
        able = one.formula[one.types[one.formula] > 0]
        labels = one.labels.copy()
        at = int(draw.choice(able if len(able) else one.formula))
        others = self.by_type[int(one.types[at])][:40]
        others = others[others != labels[at]]
        if len(others):
            labels[at] = int(draw.choice(others))
        return replace(one, labels=labels)


def joined(structures: Sequence[Structure]) -> dict[str, Ints]:
    """Structures as one batch: `labels`, `types` and `owner`, the number of its structure, of each node;
    `heads`, `tails` and `roles` of each edge; `roots`: the root of each one's formula."""
    sizes = np.array([len(one.labels) for one in structures])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    edges = np.repeat(starts, [len(one.heads) for one in structures])
    return {
        "labels": np.concatenate([one.labels for one in structures]),
        "types": np.concatenate([one.types for one in structures]),
        "owner": np.repeat(np.arange(len(structures)), sizes),
        "heads": np.concatenate([one.heads for one in structures]) + edges,
        "tails": np.concatenate([one.tails for one in structures]) + edges,
        "roles": np.concatenate([one.roles for one in structures]),
        "roots": starts + np.array([one.formula[0] for one in structures]),
    }
