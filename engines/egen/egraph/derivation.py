"""How one expression follows from another, a rule a line, each line checked.

Both ends go into one small e-graph that remembers the reasons (`proofs`), which is grown with the rules of a
mode until they are equal; the path of reasons between them is the derivation, with what can be skipped left
out. Guards about numbers are checked exactly, those about functions at a few points, and each line of the
result is verified against the first. The search is bounded and says so when it fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from engines.core.events import Stop, never
from engines.core.numeric import balls, compile_many
from engines.core.tree import Tree
from engines.egen.egraph.growth import GROUPS, group, guards
from engines.egen.egraph.proofs import ARITHMETIC, Binding, Line, Proofs, reverse
from engines.egen.expressions.patterns import fold, unfolded
from engines.egen.records import Mode, Verdict
from engines.egen.rules.table import Condition, Guards, Rule, is_variable, load_rules
from engines.egen.verification.verify import Verifier

__all__ = ["Derivation", "Step", "derive"]

_POINTS = 8
_MAX_LINES = 200
_SHORTEN_S = 2.0


@dataclass(frozen=True, slots=True)
class Step:
    """A line: the expression, the rule that made it from the line before, its verdict against the first."""

    tree: Tree
    rule: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Derivation:
    """The lines from start to target; none, and why, when no way was found."""

    steps: tuple[Step, ...]
    reason: str = ""


def derive(
    start: Tree,
    target: Tree,
    *,
    mode: Mode = "strict",
    rules: Sequence[Rule] | None = None,
    nodes: int = 40_000,
    time_s: float = 15.0,
    stop: Stop = never,
) -> Derivation:
    """Derive one expression from another.

    Args: rules: instead of those that growth uses. nodes, time_s: how many terms the search may
    hold, and how long it may take.
    """
    verifier = Verifier(start)
    if verifier.reason:
        return Derivation((), f"Nothing can be checked: {verifier.reason}.")
    if verifier.check([target])[0].outcome == "different":
        return Derivation((), "The two are not the same function.")
    points = verifier.points[: verifier.inside][:: max(1, verifier.inside // _POINTS)]
    search = _Search(load_rules() if rules is None else rules, mode, points, nodes, time_s, stop)
    found = search.between(fold(start), fold(target))
    if found is None:
        return Derivation((), "No derivation was found within the bound; there may be a longer one.")
    lines = [("", start), (ARITHMETIC, fold(start)), *found, (ARITHMETIC, target)]
    shown = [(rule, target if tree is target else unfolded(tree)) for rule, tree in lines]
    shown = shown[:1] + [line for before, line in pairwise(shown) if before[1] != line[1]]
    verdicts = verifier.check([tree for _, tree in shown])
    steps = tuple(Step(tree, rule, verdict) for (rule, tree), verdict in zip(shown, verdicts, strict=True))
    wrong = [step for step in steps if step.verdict.outcome == "different"]
    return Derivation((), f"{wrong[0].rule} led to a different function.") if wrong else Derivation(steps)


@dataclass(frozen=True, slots=True)
class _Move:
    """A rule as the search applies it."""

    name: str
    left: Tree
    right: Tree
    guards: tuple[Guards, ...]


class _Search:
    """One e-graph, grown until the two ends meet."""

    def __init__(
        self,
        rules: Iterable[Rule],
        mode: Mode,
        points: NDArray[np.float64],
        nodes: int,
        time_s: float,
        stop: Stop,
    ) -> None:
        self.proofs = Proofs()
        self.points = points
        self.nodes = nodes
        self.stop = stop
        self.deadline = time.monotonic() + time_s
        self._values: dict[int, list[float]] = {}
        self._moves: dict[str, list[_Move]] = {name: [] for name in ("collapse", *GROUPS)}
        for rule in rules:
            left, right, alternatives = fold(rule.left), fold(rule.right), guards(rule, mode)
            if alternatives and left.children:
                self._moves[group(left, right)].append(_Move(rule.name, left, right, alternatives))
        self._by_label: dict[str, list[_Move]] = {}
        for move in chain.from_iterable(self._moves.values()):
            self._by_label.setdefault(move.left.label, []).append(move)

    def between(self, start: Tree, target: Tree) -> list[Line] | None:
        """The lines after `start` up to `target`."""
        proofs = self.proofs
        first, last = proofs.add(start), proofs.add(target)
        rounds = 0
        changed = True
        while proofs.find(first) != proofs.find(last):
            if not changed:
                return None
            changed = False
            for name in ("collapse", *GROUPS):
                if name == "expand" and changed and rounds % 2 == 0:
                    continue  # depth before width, as in growth
                while self.apply(self._moves[name]):
                    changed = True
                    if name != "derive" or rounds:
                        break
                if proofs.find(first) == proofs.find(last):
                    break
                if self.over() or len(proofs) > self.nodes:
                    return None
            rounds += 1
        terms, rules = [start], [""]
        for rule, tree in islice(proofs.explain(first, last), _MAX_LINES):
            terms.append(tree)
            rules.append(rule)
        return self.shortened(terms, rules) if terms[-1] == target else None

    def shortened(self, terms: Sequence[Tree], rules: Sequence[str]) -> list[Line]:
        """The fewest of the lines that one rule each connects; the first is left out."""
        self.deadline = time.monotonic() + _SHORTEN_S
        fewest, source = [0], [0]
        for here in range(1, len(terms)):
            fewest.append(fewest[here - 1] + 1)
            source.append(here - 1)
            for there in range(here - 1):
                if self.over():
                    break
                nearer = fewest[there] + 1 < fewest[here]
                if nearer and self.rule_between(terms[there], terms[here]):
                    fewest[here], source[here] = fewest[there] + 1, there
        lines: list[Line] = []
        place = len(terms) - 1
        while place:
            before = source[place]
            rule = rules[place] if before == place - 1 else self.rule_between(terms[before], terms[place])
            lines.append((rule, terms[place]))
            place = before
        return lines[::-1]

    def rule_between(self, start: Tree, target: Tree) -> str:
        """The rule that makes one term of the other in one place, up to arithmetic; empty if none does."""
        if fold(start) == fold(target):
            return ARITHMETIC
        for move in self._by_label.get(start.label, ()):
            if self.makes(move, start, target):
                return move.name
        for move in self._by_label.get(target.label, ()):
            if self.makes(move, target, start):
                return reverse(move.name)
        if start.label == target.label:
            pairs = zip(start.children, target.children, strict=True)
            changed = [(here, there) for here, there in pairs if here != there]
            if len(changed) == 1:
                return self.rule_between(*changed[0])
        return ""

    def makes(self, move: _Move, start: Tree, target: Tree) -> bool:
        """Whether a rule at the root of one term gives the other."""
        trees: dict[str, Tree] = {}
        if not _fits(move.left, start, trees) or fold(_filled(move.right, trees)) != fold(target):
            return False
        binding = {name: self.proofs.add(tree) for name, tree in trees.items()}
        return any(all(self.holds(one, binding) for one in needed) for needed in move.guards)

    def over(self) -> bool:
        return self.stop() or time.monotonic() > self.deadline

    def apply(self, moves: Sequence[_Move]) -> bool:
        """Apply every rule wherever it fits now; whether that changed anything. Numbers are left alone."""
        proofs = self.proofs
        changed = False
        found: list[tuple[_Move, int, Binding]] = []
        for move in moves:
            for node in proofs.with_label(move.left.label):
                if move.right.children and proofs.constant(node) is not None:
                    continue
                room = self.nodes - len(found)
                found.extend(
                    (move, node, binding) for binding in islice(proofs.matches(move.left, node, {}), room)
                )
                if self.over():
                    return False
        for move, node, binding in found:
            if len(proofs) > self.nodes or self.over():
                break
            if proofs.lookup(move.right, binding) == proofs.find(node):
                continue
            if any(all(self.holds(one, binding) for one in needed) for needed in move.guards):
                left, right = proofs.fill(move.left, binding), proofs.fill(move.right, binding)
                changed |= proofs.unite(left, right, move.name)
        return changed

    def holds(self, condition: Condition, binding: Binding) -> bool:
        """Whether a guard holds: for numbers exactly, for functions at the points."""
        node = self.proofs.fill(fold(condition.pattern), binding)
        if condition.name in _OF_NUMBERS:
            value = self.proofs.constant(node)
            return value is not None and _OF_NUMBERS[condition.name](value)
        values = self.values(node)
        if condition.name == "nonconst":
            return len(set(values)) > 1
        return bool(values) and all(map(_OF_VALUES[condition.name], values))

    def values(self, node: int) -> list[float]:
        """Values of a term at the points where it has one."""
        if node not in self._values:
            near, errors = balls(compile_many([unfolded(self.proofs.term(node))]), self.points)
            self._values[node] = near[0][np.isfinite(errors[0])].tolist()
        return self._values[node]


def _fits(pattern: Tree, tree: Tree, binding: dict[str, Tree]) -> bool:
    if is_variable(pattern):
        return binding.setdefault(pattern.label, tree) == tree
    return (
        pattern.label == tree.label
        and len(pattern.children) == len(tree.children)
        and all(_fits(p, t, binding) for p, t in zip(pattern.children, tree.children, strict=True))
    )


def _filled(pattern: Tree, binding: Mapping[str, Tree]) -> Tree:
    if is_variable(pattern):
        return binding[pattern.label]
    return Tree(pattern.label, tuple(_filled(child, binding) for child in pattern.children))


_OF_NUMBERS: Mapping[str, Callable[[Fraction], bool]] = {
    "const": lambda _: True,
    "int": lambda value: value.denominator == 1,
    "odd": lambda value: value.denominator == 1 and value % 2 == 1,
    "even": lambda value: value.denominator == 1 and value % 2 == 0,
    "posnum": lambda value: value > 0,
    "negnum": lambda value: value < 0,
}
_OF_VALUES: Mapping[str, Callable[[float], bool]] = {
    "total": lambda _: True,
    "nz": lambda value: value != 0,
    "pos": lambda value: value > 0,
    "nonneg": lambda value: value >= 0,
    "unit": lambda value: abs(value) <= 1,
    "absge1": lambda value: abs(value) >= 1,
    "ge1": lambda value: value >= 1,
}
