"""A small e-graph that remembers why things are equal.

Every node is one concrete term: its operands are nodes, not classes. Two nodes become equal by a rule, or by
congruence because their operands are. These reasons form a forest over the nodes (Nieuwenhuis and Oliveras,
"Proof-producing congruence closure", 2005): between two equal nodes there is one path, and as a path never
changes once it exists, taking congruences apart comes to an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from engines.core.tree import Tree
from engines.egen.expressions.patterns import is_number, operate
from engines.egen.rules.table import is_variable

__all__ = ["ARITHMETIC", "ASSUMED", "Binding", "Line", "Proofs", "reverse"]

ARITHMETIC, ASSUMED = "arithmetic", "assumed"
_CONGRUENCE = ""

Binding = dict[str, int]
"""Pattern variable -> node."""
Line = tuple[str, Tree]
"""A rule and the term it leads to."""


def reverse(rule: str) -> str:
    """A rule's name in the other direction."""
    if rule in (_CONGRUENCE, ARITHMETIC, ASSUMED):
        return rule
    return rule.removesuffix("~") if rule.endswith("~") else rule + "~"


class Proofs:
    """Terms, their classes, and the reasons."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.constants: dict[int, Fraction] = {}
        self.assuming = False
        self._above: list[int] = []
        self._reasons: list[tuple[int, str] | None] = []
        self._nodes: dict[tuple[str, tuple[int, ...]], int] = {}
        self._shapes: dict[tuple[str, tuple[int, ...]], int] = {}
        self._members: dict[int, dict[str, list[int]]] = {}
        self._users: dict[int, list[int]] = {}
        self._waiting: list[tuple[int, int, str]] = []

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, tree: Tree) -> int:
        """The node of a term; numbers are leaves (see `patterns`)."""
        return self.node(tree.label, tuple(self.add(child) for child in tree.children))

    def node(self, label: str, children: tuple[int, ...] = ()) -> int:
        """The node of an operator over nodes."""
        known = self._nodes.get((label, children))
        if known is not None:
            return known
        number = len(self.labels)
        self._nodes[label, children] = number
        self.labels.append(label)
        self.children.append(children)
        self._above.append(number)
        self._reasons.append(None)
        self._members[number] = {label: [number]}
        self._users[number] = []
        if not children and is_number(Tree(label)):
            self.constants[number] = Fraction(label)
        for child in set(map(self.find, children)):
            self._users[child].append(number)
        self._place(number)
        self._settle()
        return number

    def find(self, node: int) -> int:
        """The representative of a node's class."""
        above = self._above
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    def unite(self, left: int, right: int, rule: str) -> bool:
        """Make two nodes equal by a rule; whether they were not before."""
        if self.find(left) == self.find(right):
            return False
        self._waiting.append((left, right, rule))
        self._settle()
        return True

    def constant(self, node: int) -> Fraction | None:
        """The number that a node is equal to."""
        return self.constants.get(self.find(node))

    def with_label(self, label: str) -> Iterator[int]:
        """Every node with this operator, one of those with equal operands; not those that only wrap
        themselves, like `* 1 u`, unless something is assumed: p -> q and p may both be true."""
        alike: dict[tuple[int, ...], int] = {}
        for home, nodes in self._members.items():
            for node in nodes.get(label, ()):
                children = tuple(map(self.find, self.children[node]))
                if self.assuming or home not in children:
                    alike.setdefault(children, node)
        yield from alike.values()

    def matches(self, pattern: Tree, node: int, binding: Binding) -> Iterator[Binding]:
        """How a pattern fits a node or, below the root, any node of the operand's class."""
        if len(pattern.children) != len(self.children[node]) or pattern.label != self.labels[node]:
            return
        yield from self._operands(pattern.children, self.children[node], binding)

    def _operands(
        self, patterns: Sequence[Tree], nodes: Sequence[int], binding: Binding
    ) -> Iterator[Binding]:
        if not patterns:
            yield binding
            return
        pattern, node = patterns[0], nodes[0]
        if is_variable(pattern):
            bound = binding.get(pattern.label)
            found = [binding if bound is not None else {**binding, pattern.label: node}]
            if bound is not None and self.find(bound) != self.find(node):
                return
        elif is_number(pattern):
            found = [binding] if self.constant(node) == Fraction(pattern.label) else []
        else:
            inside = self._members[self.find(node)].get(pattern.label, ())
            found = [more for member in tuple(inside) for more in self.matches(pattern, member, binding)]
        for more in found:
            yield from self._operands(patterns[1:], nodes[1:], more)

    def fill(self, pattern: Tree, binding: Mapping[str, int]) -> int:
        """The node of a pattern with its variables filled in."""
        if is_variable(pattern):
            return binding[pattern.label]
        return self.node(pattern.label, tuple(self.fill(child, binding) for child in pattern.children))

    def lookup(self, pattern: Tree, binding: Mapping[str, int]) -> int | None:
        """The class of a filled pattern, if it is there already."""
        if is_variable(pattern):
            return self.find(binding[pattern.label])
        children = []
        for child in pattern.children:
            found = self.lookup(child, binding)
            if found is None:
                return None
            children.append(found)
        node = self._shapes.get((pattern.label, tuple(children)))
        return None if node is None else self.find(node)

    def term(self, node: int) -> Tree:
        """The term of a node."""
        return Tree(self.labels[node], tuple(map(self.term, self.children[node])))

    def explain(self, start: int, target: int) -> Iterator[Line]:
        """The lines from one node to an equal one, the first left out."""
        up, down = self._path(start), self._path(target)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        for here, there in [*pairwise(up), *pairwise(down[::-1])]:
            reason = self._reasons[here]
            if reason is None or reason[0] != there:
                back = self._reasons[there]
                assert back is not None
                reason = (there, reverse(back[1]))
            if reason[1] != _CONGRUENCE:
                yield reason[1], self.term(there)
                continue
            parts = list(map(self.term, self.children[here]))
            for place, (mine, wanted) in enumerate(
                zip(self.children[here], self.children[there], strict=True)
            ):
                for rule, part in self.explain(mine, wanted):
                    parts[place] = part
                    yield rule, Tree(self.labels[here], tuple(parts))

    def _path(self, node: int) -> list[int]:
        path = [node]
        while (reason := self._reasons[path[-1]]) is not None:
            path.append(reason[0])
        return path

    def _settle(self) -> None:
        """Carry out what is waiting, and the congruences that follow."""
        while self._waiting:
            left, right, rule = self._waiting.pop()
            keep, lose = self.find(left), self.find(right)
            if keep == lose:
                continue
            self._hang(left, right, rule)
            if len(self._users[keep]) < len(self._users[lose]):
                keep, lose = lose, keep
            self._above[lose] = keep
            for label, nodes in self._members.pop(lose).items():
                self._members[keep].setdefault(label, []).extend(nodes)
            value = self.constants.pop(lose, None)
            if value is not None:
                self.constants.setdefault(keep, value)
            users = self._users.pop(lose)
            again = [*users, *self._users[keep]] if value is not None else users
            self._users[keep] += users
            for user in again:
                self._place(user)

    def _hang(self, left: int, right: int, rule: str) -> None:
        """Turn the tree of `left` round, so that it can hang below `right`."""
        node: int = left
        link: tuple[int, str] | None = (right, rule)
        while link is not None:
            before = self._reasons[node]
            self._reasons[node] = link
            link = None if before is None else (node, reverse(before[1]))
            node = node if before is None else before[0]

    def _place(self, node: int) -> None:
        """Note equal operands' equal results, and work out arithmetic."""
        label, children = self.labels[node], self.children[node]
        shape = (label, tuple(map(self.find, children)))
        twin = self._shapes.setdefault(shape, node)
        if self.find(twin) != self.find(node):
            self._waiting.append((node, twin, _CONGRUENCE))
        left, right = (
            (self.constants.get(place) for place in shape[1]) if len(children) == 2 else (None, None)
        )
        if left is None or right is None:
            return
        value = operate(label, left, right)
        if value is not None and self.constant(node) is None:
            numbers = tuple(self.node(str(number)) for number in (left, right))
            self._waiting.append((self.node(label, numbers), self.node(str(value)), ARITHMETIC))
