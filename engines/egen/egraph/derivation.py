"""How one expression follows from another, a step a line, each line checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice, pairwise

import numpy as np

from engines.core.events import Stop, never
from engines.core.tree import Tree
from engines.core.vocabulary import VARIABLE, apply_operator, fold_numbers, is_number, unfold_numbers
from engines.egen.algebra.relations import ARITHMETIC, TermLine
from engines.egen.egraph.growth import GROUPS, group_of_direction, list_guards
from engines.egen.records import Derivation, DerivationStep
from engines.egen.rules.table import (
    OF_NUMBERS,
    Guards,
    Rule,
    RuleCondition,
    fill_pattern,
    is_variable,
    match_pattern,
    reversed_rule,
)
from engines.egen.settings import ACCEPTED, Mode
from engines.egen.theories.reals import Reals
from engines.egen.theories.theory import Theory
from engines.mathematics.algebra.atoms import Signs
from engines.mathematics.numbers.numeric import compile_many, evaluate_balls
from engines.mathematics.verification.verdicts import (
    MemberVerdict,
    describe_point,
    format_distinguishable,
)

# A small e-graph that remembers why things are equal.
#
# Every node is one concrete term: its operands are nodes, not classes. Two nodes become equal by a rule, or
# by congruence because their operands are. These reasons form a forest over the nodes (Nieuwenhuis and
# Oliveras, "Proof-producing congruence closure", 2005): between two equal nodes there is one path, and as a
# path never changes once it exists, taking congruences apart comes to an end.

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
            found = [binding if bound is not None else {**binding, pattern.label: node}]
            if bound is not None and self.find(bound) != self.find(node):
                return
        elif is_number(pattern):
            found = [binding] if self.constant_value(node) == Fraction(pattern.label) else []
        else:
            # A subterm matches any node with its label in the class of the operand.
            inside = self._members[self.find(node)].get(pattern.label, ())
            found = [
                more for member in tuple(inside) for more in self.iterate_matches(pattern, member, binding)
            ]
        for more in found:
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
            found = self.lookup_pattern(child, binding)
            if found is None:
                return None
            children.append(found)
        node = self._shapes.get((pattern.label, tuple(children)))
        return None if node is None else self.find(node)

    def to_tree(self, node: int) -> Tree:
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
            for place, (mine, wanted) in enumerate(
                zip(self.children[here], self.children[there], strict=True)
            ):
                for rule, part in self.explain_equality(mine, wanted):
                    parts[place] = part
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
            (self.constants.get(place) for place in shape[1]) if len(children) == 2 else (None, None)
        )
        if left is None or right is None:
            return
        # An operation on two known constants equals their exact result.
        value = apply_operator(label, left, right)
        if value is not None and self.constant_value(node) is None:
            numbers = tuple(self.add_node(str(number)) for number in (left, right))
            self._waiting.append((self.add_node(label, numbers), self.add_node(str(value)), ARITHMETIC))


# A single rule is tried first. Then both ends are taken apart by named procedures until two of their lines
# are equal by algebra (`algebra.relations`), which decides most identities of the tables. What is left goes
# into one small e-graph that remembers the reasons (`ProofEGraph`), grown with the rules of a mode from both
# ends until they are equal; the path of reasons between them is the derivation, with what can be skipped left
# out. Each line of the result is verified against the first. The search is bounded by work, never by the
# clock, and says so when it fails.

_MAX_LINES = 200
_MOST_CANDIDATES = 12
"""Ways that are verified; their lines may lose domain where others do not."""
_MATCHES = 400_000
"""Matches of rules that a search looks at."""
_COMPARED = 3_000
"""Pairs of lines that are held against each other to leave out what is between."""


def derive(
    start: Tree,
    target: Tree,
    *,
    mode: Mode = "strict",
    theory: Theory | None = None,
    nodes: int = 12_000,
    stop: Stop = never,
) -> Derivation:
    """Derive one expression from another.

    Args: mode: whether lines may lose domain. theory: real
    functions of x unless given, with what is assumed. nodes: how many terms the e-graph may hold. Raises:
    EngineError E221 when what is assumed holds nowhere.
    """
    theory = theory or Reals()
    judge = theory.make_judge(start)
    if judge.reason:
        return Derivation((), f"Nothing can be checked: {judge.reason}.")
    # First judge the target itself: no chain of valid lines leads to something that differs.
    last = judge.check([target])[0]
    accepted = {*ACCEPTED[mode], "undecided"}
    if last.outcome not in accepted:
        return Derivation((), _explain_refusal(last), last.counterexample)
    if theory.unwritten:
        verdict = "They are equal at all points tested"
        if last.outcome == "undecided":
            verdict = "Whether they are equal is undecided"
        return Derivation((), f"{verdict}; {theory.unwritten}.")
    rules = theory.list_rules()
    search = _Search(rules, mode, theory.sample_signs(judge), nodes, stop)
    for left, right in theory.list_equalities():
        search.assume_equal(left, right)
    by_name = {one.name: one for one in rules}
    for lines in _iterate_candidate_derivations(
        start, target, search, theory.iterate_meetings(start, target, by_name, judge)
    ):
        shown = [("", unfold_numbers(start))]
        # Folded numbers are written out again; a line that then repeats the one before is left out.
        for rule, tree in lines:
            written = tree if tree is lines[-1][1] else unfold_numbers(tree)
            if written != shown[-1][1]:
                shown.append((rule, written))
        # Every line is judged against the start, whatever is known of its rule.
        verdicts = judge.check([tree for _, tree in shown])
        steps = tuple(
            DerivationStep(tree, rule, verdict) for (rule, tree), verdict in zip(shown, verdicts, strict=True)
        )
        if all(step.verdict.outcome in accepted for step in steps):
            return Derivation(steps)
        if stop():
            break
    return Derivation((), "No derivation was found within the bound; there may be a longer one.")


def _explain_refusal(verdict: MemberVerdict) -> str:
    example = verdict.counterexample
    if example is None:
        return "The two are not the same function."
    if example.said:
        return f"The two are not equal: {example.said}."
    one, other = format_distinguishable(example.head, example.member, example.difference, digits=6)
    what = "are not the same function" if verdict.outcome == "different" else "do not have the same domain"
    point = describe_point(example.x, dict(example.at))
    return f"The two {what}: at {point} the first is {one}, the second {other}."


def _iterate_candidate_derivations(
    start: Tree, target: Tree, search: _Search, meetings: Iterator[list[TermLine]]
) -> Iterator[list[TermLine]]:
    rule = search.rule_between(fold_numbers(start), fold_numbers(target))
    if rule:
        yield [(rule, target)]
        return
    yield from islice(meetings, _MOST_CANDIDATES)
    found = search.find_lines(fold_numbers(start), fold_numbers(target))
    if found is not None:
        yield [(ARITHMETIC, fold_numbers(start)), *found, (ARITHMETIC, target)]


@dataclass(frozen=True, slots=True)
class _Move:
    name: str
    left: Tree
    right: Tree
    guards: tuple[Guards, ...]


class _Search:
    def __init__(
        self, rules: Iterable[Rule], mode: Mode, signs: Signs | None, nodes: int, stop: Stop
    ) -> None:
        self.proofs = ProofEGraph()
        self.signs = signs
        self.nodes = nodes
        self.stop = stop
        self.matched = 0
        self._values: dict[int, list[float]] = {}
        self._moves: dict[str, list[_Move]] = {name: [] for name in ("collapse", *GROUPS)}
        for rule in rules:
            left, right, alternatives = (
                fold_numbers(rule.left),
                fold_numbers(rule.right),
                list_guards(rule, mode),
            )
            if alternatives and left.children:
                self._moves[group_of_direction(left, right)].append(
                    _Move(rule.name, left, right, alternatives)
                )
        self._by_label: dict[str, list[_Move]] = {}
        for move in chain.from_iterable(self._moves.values()):
            self._by_label.setdefault(move.left.label, []).append(move)

    def assume_equal(self, left: Tree, right: Tree) -> None:
        self.proofs.assuming = True
        self.proofs.union(
            self.proofs.add_tree(fold_numbers(left)), self.proofs.add_tree(fold_numbers(right)), ASSUMED
        )

    def find_lines(self, start: Tree, target: Tree) -> list[TermLine] | None:
        proofs = self.proofs
        first, last = proofs.add_tree(start), proofs.add_tree(target)
        rounds = 0
        changed = True
        while proofs.find(first) != proofs.find(last):
            if not changed:
                return None
            changed = False
            for name in ("collapse", *GROUPS):
                # Even rounds run the simplifying groups alone, if they change anything.
                if name == "expand" and changed and rounds % 2 == 0:
                    continue  # depth before width, as in growth
                while self.apply_moves(self._moves[name]):
                    changed = True
                    if name != "derive" or rounds:
                        break
                if proofs.find(first) == proofs.find(last):
                    break
                if self.is_over() or len(proofs) > self.nodes:
                    return None
            rounds += 1
        terms, rules = [start], [""]
        for rule, tree in islice(proofs.explain_equality(first, last), _MAX_LINES):
            terms.append(tree)
            rules.append(rule)
        return self.shorten_lines(terms, rules) if terms[-1] == target else None

    def shorten_lines(self, terms: Sequence[Tree], rules: Sequence[str]) -> list[TermLine]:
        """Return the fewest of the lines that one rule each connects; the first is left out."""
        # The shortest path through the lines, where an edge is a single application of a rule.
        compared = 0
        fewest, source = [0], [0]
        for here in range(1, len(terms)):
            fewest.append(fewest[here - 1] + 1)
            source.append(here - 1)
            for there in range(here - 1):
                if self.stop() or compared > _COMPARED:
                    break
                # Compare only where it would shorten the way, since comparing is the costly part.
                if fewest[there] + 1 >= fewest[here]:
                    continue
                compared += 1
                if self.rule_between(terms[there], terms[here]):
                    fewest[here], source[here] = fewest[there] + 1, there
        lines: list[TermLine] = []
        place = len(terms) - 1
        while place:
            before = source[place]
            rule = rules[place] if before == place - 1 else self.rule_between(terms[before], terms[place])
            lines.append((rule, terms[place]))
            place = before
        return lines[::-1]

    def rule_between(self, start: Tree, target: Tree) -> str:
        """The rule that makes one term of the other in one place, up to arithmetic; empty if none does."""
        if fold_numbers(start) == fold_numbers(target):
            return ARITHMETIC
        # A rule may connect the two terms at their roots in either direction, or below in one operand.
        for move in self._by_label.get(start.label, ()):
            if self.rule_connects(move, start, target):
                return move.name
        for move in self._by_label.get(target.label, ()):
            if self.rule_connects(move, target, start):
                return reverse_step_name(move.name)
        if start.label == target.label:
            pairs = zip(start.children, target.children, strict=True)
            changed = [(here, there) for here, there in pairs if here != there]
            if len(changed) == 1:
                return self.rule_between(*changed[0])
        return ""

    def rule_connects(self, move: _Move, start: Tree, target: Tree) -> bool:
        trees: dict[str, Tree] = {}
        if not match_pattern(move.left, start, trees) or fold_numbers(
            fill_pattern(move.right, trees)
        ) != fold_numbers(target):
            return False
        binding = {name: self.proofs.add_tree(tree) for name, tree in trees.items()}
        return any(all(self.condition_holds(one, binding) for one in needed) for needed in move.guards)

    def is_over(self) -> bool:
        return self.stop() or self.matched > _MATCHES

    def apply_moves(self, moves: Sequence[_Move]) -> bool:
        """Apply every rule wherever it fits now; whether that changed anything. Numbers are left alone."""
        proofs = self.proofs
        changed = False
        found: list[tuple[_Move, int, Substitution]] = []
        for move in moves:
            for node in proofs.list_distinct_nodes(move.left.label):
                # Evaluating stays ahead: terms that are numbers are not rewritten into larger ones.
                if move.right.children and proofs.constant_value(node) is not None:
                    continue
                room = self.nodes - len(found)
                fitting = list(islice(proofs.iterate_matches(move.left, node, {}), room))
                found.extend((move, node, binding) for binding in fitting)
                self.matched += 1 + len(fitting)
                if self.is_over():
                    return False
        # Matches are collected before any is applied, so all rules see the same graph.
        for move, node, binding in found:
            if len(proofs) > self.nodes or self.is_over():
                break
            if proofs.lookup_pattern(move.right, binding) == proofs.find(node):
                continue
            if any(all(self.condition_holds(one, binding) for one in needed) for needed in move.guards):
                left, right = (
                    proofs.fill_pattern(move.left, binding),
                    proofs.fill_pattern(move.right, binding),
                )
                changed |= proofs.union(left, right, move.name)
        return changed

    def condition_holds(self, condition: RuleCondition, binding: Substitution) -> bool:
        node = self.proofs.fill_pattern(fold_numbers(condition.pattern), binding)
        if condition.name in OF_NUMBERS:
            value = self.proofs.constant_value(node)
            return value is not None and OF_NUMBERS[condition.name](value)
        if condition.name == "free":
            return VARIABLE not in self.proofs.to_tree(node).list_labels()
        values = self.sample_values(node)
        if condition.name == "nonconst":
            return len(set(values)) > 1
        return bool(values) and all(map(_OF_VALUES[condition.name], values))

    def sample_values(self, node: int) -> list[float]:
        if self.signs is None:
            return []
        if node not in self._values:
            program = compile_many(
                [unfold_numbers(self.proofs.to_tree(node))], variables=self.signs.variables
            )
            near, errors = evaluate_balls(program, self.signs.points)
            self._values[node] = near[0][np.isfinite(errors[0])].tolist()
        return self._values[node]


_OF_VALUES: Mapping[str, Callable[[float], bool]] = {
    "total": lambda _: True,
    "nz": lambda value: value != 0,
    "pos": lambda value: value > 0,
    "nonneg": lambda value: value >= 0,
    "nonpos": lambda value: value <= 0,
    "unit": lambda value: abs(value) <= 1,
    "absge1": lambda value: abs(value) >= 1,
    "ge1": lambda value: value >= 1,
    "whole": lambda value: value == round(value),
}
