"""A grown e-graph as plain data: numbered classes of operators over classes (see `numbering`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from engines.core.tree import Tree
from engines.egen.expressions.language import VARIABLE, is_constant_token
from engines.egen.records import StopReason

__all__ = ["EGraph", "ENode", "with_padding"]


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
            if not node.children and is_constant_token(node.label):
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
