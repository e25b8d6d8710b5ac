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

from engines.core.expression_language import apply_operator, is_number
from engines.core.tree import Tree
from engines.egen.algebra.relations import ARITHMETIC, TermLine
from engines.egen.rules.table import is_variable, reversed_rule

ASSUMED = "assumed"
_CONGRUENCE = ""

Substitution = dict[str, int]
"""Pattern variable -> node."""


def reverse_step_name(rule: str) -> str:
    """Return the name of a step in the other direction."""
    return rule if rule in (_CONGRUENCE, ARITHMETIC, ASSUMED) else reversed_rule(rule)


class ProofEGraph:
    """Terms, their classes, and the reasons."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.constants: dict[int, Fraction] = {}
        self.assuming = False
        self._parents: list[int] = []
        self._reasons: list[tuple[int, str] | None] = []
        self._nodes: dict[tuple[str, tuple[int, ...]], int] = {}
        self._shapes: dict[tuple[str, tuple[int, ...]], int] = {}
        self._members: dict[int, dict[str, list[int]]] = {}
        self._users: dict[int, list[int]] = {}
        self._waiting: list[tuple[int, int, str]] = []

    def __len__(self) -> int:
        return len(self.labels)

    def add_tree(self, tree: Tree) -> int:
        """Return the node of a term; numbers are leaves."""
        return self.add_node(tree.label, tuple(self.add_tree(child) for child in tree.children))

    def add_node(self, label: str, children: tuple[int, ...] = ()) -> int:
        """Return the node of a label over children, added if it is new."""
        # Nodes are unique: the same label over the same children is one node.
        known = self._nodes.get((label, children))
        if known is not None:
            return known
        number = len(self.labels)
        self._nodes[label, children] = number
        self.labels.append(label)
        self.children.append(children)
        self._parents.append(number)
        self._reasons.append(None)
        self._members[number] = {label: [number]}
        self._users[number] = []
        if not children and is_number(Tree(label)):
            self.constants[number] = Fraction(label)
        # A class knows the nodes that use it, which a merge makes equal to others.
        for child in set(map(self.find, children)):
            self._users[child].append(number)
        self._index_node(number)
        self._restore_congruence()
        return number

    def find(self, node: int) -> int:
        """Return the representative of a node's class (union-find with path halving)."""
        above = self._parents
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    def union(self, left: int, right: int, rule: str) -> bool:
        """Make two nodes equal by a rule, and return whether they were not before."""
        if self.find(left) == self.find(right):
            return False
        self._waiting.append((left, right, rule))
        self._restore_congruence()
        return True

    def constant_value(self, node: int) -> Fraction | None:
        """Return the constant that a node's class is known to be equal to, or None."""
        return self.constants.get(self.find(node))

    def list_distinct_nodes(self, label: str) -> Iterator[int]:
        """Yield the nodes with this operator, one of those with equal operands; not those that only wrap
        themselves, like `* 1 u`, unless something is assumed: p -> q and p may both be true."""
        alike: dict[tuple[int, ...], int] = {}
        for home, nodes in self._members.items():
            for node in nodes.get(label, ()):
                children = tuple(map(self.find, self.children[node]))
                if self.assuming or home not in children:
                    alike.setdefault(children, node)
        yield from alike.values()

    def iterate_matches(self, pattern: Tree, node: int, binding: Substitution) -> Iterator[Substitution]:
        """Return how a pattern fits a node or, below the root, any node of the operand's class."""
        if len(pattern.children) != len(self.children[node]) or pattern.label != self.labels[node]:
            return
        yield from self._match_operands(pattern.children, self.children[node], binding)

    def _match_operands(
        self, patterns: Sequence[Tree], nodes: Sequence[int], binding: Substitution
    ) -> Iterator[Substitution]:
        if not patterns:
            yield binding
            return
        pattern, node = patterns[0], nodes[0]
        # A variable that occurs twice must match equal classes both times.
        if is_variable(pattern):
            bound = binding.get(pattern.label)
            bindings = [binding if bound is not None else {**binding, pattern.label: node}]
            if bound is not None and self.find(bound) != self.find(node):
                return
        elif is_number(pattern):
            bindings = [binding] if self.constant_value(node) == Fraction(pattern.label) else []
        else:
            # A subterm matches any node with its label in the class of the operand.
            inside = self._members[self.find(node)].get(pattern.label, ())
            bindings = [
                more for member in tuple(inside) for more in self.iterate_matches(pattern, member, binding)
            ]
        for more in bindings:
            yield from self._match_operands(patterns[1:], nodes[1:], more)

    def fill_pattern(self, pattern: Tree, binding: Mapping[str, int]) -> int:
        """Return the node of a pattern with its variables filled in."""
        if is_variable(pattern):
            return binding[pattern.label]
        return self.add_node(
            pattern.label, tuple(self.fill_pattern(child, binding) for child in pattern.children)
        )

    def lookup_pattern(self, pattern: Tree, binding: Mapping[str, int]) -> int | None:
        """Return the class of a filled pattern, if it is there already."""
        if is_variable(pattern):
            return self.find(binding[pattern.label])
        children = []
        for child in pattern.children:
            class_id = self.lookup_pattern(child, binding)
            if class_id is None:
                return None
            children.append(class_id)
        node = self._shapes.get((pattern.label, tuple(children)))
        return None if node is None else self.find(node)

    def to_tree(self, node: int) -> Tree:
        """Return the term whose root is a node."""
        return Tree(self.labels[node], tuple(map(self.to_tree, self.children[node])))

    def explain_equality(self, start: int, target: int) -> Iterator[TermLine]:
        """Return the lines from one node to an equal one, the first left out."""
        # Both proofs lead to the root of the class; the shared end of the two ways is left out.
        up, down = self._path_to_root(start), self._path_to_root(target)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        for here, there in [*pairwise(up), *pairwise(down[::-1])]:
            reason = self._reasons[here]
            # A reason stored in the other direction is used backwards.
            if reason is None or reason[0] != there:
                back = self._reasons[there]
                assert back is not None
                reason = (there, reverse_step_name(back[1]))
            if reason[1] != _CONGRUENCE:
                yield reason[1], self.to_tree(there)
                continue
            # Congruent nodes have equal operands: change one operand after the other.
            parts = list(map(self.to_tree, self.children[here]))
            for index, (mine, wanted) in enumerate(
                zip(self.children[here], self.children[there], strict=True)
            ):
                for rule, part in self.explain_equality(mine, wanted):
                    parts[index] = part
                    yield rule, Tree(self.labels[here], tuple(parts))

    def _path_to_root(self, node: int) -> list[int]:
        path = [node]
        while (reason := self._reasons[path[-1]]) is not None:
            path.append(reason[0])
        return path

    def _restore_congruence(self) -> None:
        while self._waiting:
            left, right, rule = self._waiting.pop()
            keep, lose = self.find(left), self.find(right)
            if keep == lose:
                continue
            self._link_nodes(left, right, rule)
            # The class with fewer users is merged into the other, which bounds the work (union by size).
            if len(self._users[keep]) < len(self._users[lose]):
                keep, lose = lose, keep
            self._parents[lose] = keep
            for label, nodes in self._members.pop(lose).items():
                self._members[keep].setdefault(label, []).extend(nodes)
            value = self.constants.pop(lose, None)
            if value is not None:
                self.constants.setdefault(keep, value)
            users = self._users.pop(lose)
            # A class that has just become a constant may make the operations that use it computable.
            again = [*users, *self._users[keep]] if value is not None else users
            self._users[keep] += users
            for user in again:
                self._index_node(user)

    def _link_nodes(self, left: int, right: int, rule: str) -> None:
        node: int = left
        link: tuple[int, str] | None = (right, rule)
        while link is not None:
            before = self._reasons[node]
            self._reasons[node] = link
            link = None if before is None else (node, reverse_step_name(before[1]))
            node = node if before is None else before[0]

    def _index_node(self, node: int) -> None:
        label, children = self.labels[node], self.children[node]
        shape = (label, tuple(map(self.find, children)))
        # Two nodes of the same shape are congruent, and their classes are merged.
        twin = self._shapes.setdefault(shape, node)
        if self.find(twin) != self.find(node):
            self._waiting.append((node, twin, _CONGRUENCE))
        left, right = (
            (self.constants.get(operand) for operand in shape[1]) if len(children) == 2 else (None, None)
        )
        if left is None or right is None:
            return
        # An operation on two known constants equals their exact result.
        value = apply_operator(label, left, right)
        if value is not None and self.constant_value(node) is None:
            numbers = tuple(self.add_node(str(number)) for number in (left, right))
            self._waiting.append((self.add_node(label, numbers), self.add_node(str(value)), ARITHMETIC))
