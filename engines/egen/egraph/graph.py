"""A grown e-graph as plain data, numbered so that the same graph always looks the same.

egglog's own ids depend on the order in which things happened. Here classes are numbered by their smallest
term: shorter terms first, then by label, then by the numbers of the operands. Every class has one smallest
term and no two classes share a term, so the numbering depends on nothing else, and operands that make up a
smallest term always have smaller numbers than the class.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from engines.core.tree import Tree
from engines.egen.expressions.language import VARIABLE, is_constant_token
from engines.egen.records import StopReason

__all__ = ["EGraph", "ENode", "number_classes", "with_padding"]


class ENode(NamedTuple):
    """An operator over classes. `d` has its body as only child: the variable is always x."""

    label: str
    children: tuple[int, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of the node itself in generator notation."""
        return 2 if self.label == "d" else 1


@dataclass(frozen=True, slots=True)
class EGraph:
    """What can be reached from the root class, and how it came about.

    `classes` lists the nodes of each class, the root of its smallest term first. `nodes` counts the nodes
    that were grown, reachable or not; `fired` counts matches by rule; `seconds` is wall time.
    """

    root: int
    classes: Mapping[int, tuple[ENode, ...]]
    stop_reason: StopReason = "saturated"
    iterations: int = 0
    nodes: int = 0
    seconds: float = 0.0
    fired: Mapping[str, int] = field(default_factory=dict)

    def constant(self, number: int) -> Fraction | None:
        """The value of a class that is a rational constant."""
        for node in self.classes[number]:
            if is_constant_token(node.label):
                return Fraction(node.label)
            if node.label == "/":
                value = [leaf.label for child in node.children for leaf in self.classes[child][:1]]
                if all(map(is_constant_token, value)) and Fraction(value[1]):
                    return Fraction(value[0]) / Fraction(value[1])
        return None

    def smallest(self, number: int) -> Tree:
        """The smallest term of a class."""
        return self.term(self.classes[number][0])

    def term(self, node: ENode) -> Tree:
        """The node over the smallest terms of its operands."""
        children = tuple(self.smallest(child) for child in node.children)
        return Tree(node.label, (Tree(VARIABLE), *children) if node.label == "d" else children)


def with_padding(egraph: EGraph, wrappings: Iterable[Tree]) -> EGraph:
    """The same e-graph where every class that is not a number also holds its own wrappings.

    Args: wrappings: terms over one pattern variable that are equal to it, such as `* 1 ?a`.
    """
    classes = {number: list(nodes) for number, nodes in egraph.classes.items()}
    homes = {node: number for number, nodes in egraph.classes.items() for node in nodes}

    def place(tree: Tree, inside: int) -> int:
        if tree.label.startswith("?"):
            return inside
        node = ENode(tree.label, tuple(place(child, inside) for child in tree.children))
        if node not in homes:
            homes[node] = len(classes)
            classes[homes[node]] = [node]
        return homes[node]

    for number in egraph.classes:
        if egraph.constant(number) is None:
            for tree in wrappings:
                node = ENode(tree.label, tuple(place(child, number) for child in tree.children))
                if homes.setdefault(node, number) == number and node not in classes[number]:
                    classes[number].append(node)
    return replace(egraph, classes={number: tuple(nodes) for number, nodes in classes.items()})


Row = tuple[Hashable, str, tuple[Hashable, ...]]


def number_classes(
    rows: Iterable[Row], root: Hashable, limit: int | None = None
) -> tuple[int, dict[int, tuple[ENode, ...]]]:
    """Canonical numbers for what can be reached from `root`.

    Args: rows: (class, label, child classes), one for each node. limit: keep this many nodes at most, those
    that occur in the shortest terms of the root. Returns: the root's number and the classes.
    """
    nodes = list(rows)
    rank, size = _ranked(nodes)
    built = [
        _Built(_own(label) + sum(size[child] for child in children), label, children, home)
        for home, label, children in nodes
        if all(child in rank for child in children)
    ]
    if limit is not None and len(built) > limit:
        kept = _useful(built, root, rank, size)[:limit]
        whole, _ = _ranked([(node.home, node.label, node.children) for node in kept])
        built = [node for node in kept if all(child in whole for child in node.children)]
    members: dict[Hashable, list[_Built]] = {}
    for node in built:
        members.setdefault(node.home, []).append(node)
    reached = {root}
    frontier = [root]
    while frontier:
        for node in members[frontier.pop()]:
            for child in node.children:
                if child not in reached:
                    reached.add(child)
                    frontier.append(child)
    order = sorted(reached, key=rank.__getitem__)
    dense = {home: number for number, home in enumerate(order)}
    classes = {}
    for home in order:
        found = sorted(
            (node.tokens, node.label, tuple(dense[c] for c in node.children)) for node in members[home]
        )
        classes[dense[home]] = tuple(ENode(label, children) for _, label, children in found)
    return dense[root], classes


class _Built(NamedTuple):
    """A node whose operands have terms; tokens: length of its smallest term."""

    tokens: int
    label: str
    children: tuple[Hashable, ...]
    home: Hashable


def _own(label: str) -> int:
    return 2 if label == "d" else 1


def _ranked(nodes: list[Row]) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
    """Place and length of each class's smallest term, found shortest first."""
    parents: dict[Hashable, list[int]] = {}
    waiting: list[int] = []
    heap: list[tuple[int, str, tuple[int, ...], int]] = []
    for place, (_, label, children) in enumerate(nodes):
        waiting.append(len(children))
        for child in children:
            parents.setdefault(child, []).append(place)
        if not children:
            heap.append((1, label, (), place))
    heapq.heapify(heap)
    rank: dict[Hashable, int] = {}
    size: dict[Hashable, int] = {}
    while heap:
        tokens, _, _, place = heapq.heappop(heap)
        home = nodes[place][0]
        if home in rank:
            continue
        rank[home] = len(rank)
        size[home] = tokens
        for parent in parents.get(home, ()):
            waiting[parent] -= 1
            if not waiting[parent] and nodes[parent][0] not in rank:
                _, label, children = nodes[parent]
                total = _own(label) + sum(size[child] for child in children)
                heapq.heappush(heap, (total, label, tuple(rank[child] for child in children), parent))
    return rank, size


def _useful(
    built: list[_Built], root: Hashable, rank: Mapping[Hashable, int], size: Mapping[Hashable, int]
) -> list[_Built]:
    """The nodes by the length of the shortest term of the root that they occur in; the rest is left out."""
    members: dict[Hashable, list[_Built]] = {}
    for node in built:
        members.setdefault(node.home, []).append(node)
    outside = {root: 0}
    heap = [(0, rank[root], root)]
    while heap:
        around, _, home = heapq.heappop(heap)
        if around > outside[home]:
            continue
        for node in members[home]:
            for child in node.children:
                beside = around + node.tokens - size[child]
                if beside < outside.get(child, beside + 1):
                    outside[child] = beside
                    heapq.heappush(heap, (beside, rank[child], child))
    return sorted(
        (node for node in built if node.home in outside),
        key=lambda node: (
            # At the same length smallest terms come first, so that no node loses its operands to a tie.
            *(outside[node.home] + node.tokens, node.tokens > size[node.home], rank[node.home], node.label),
            [rank[child] for child in node.children],
        ),
    )
