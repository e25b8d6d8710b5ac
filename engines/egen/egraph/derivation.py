"""How one expression follows from another, a step a line, each line checked.

A single rule is tried first. Then both ends are taken apart by named procedures until two of their lines
are equal by algebra (`algebra.relations`), which decides most identities of the tables. What is left goes
into one small e-graph that remembers the reasons (`ProofEGraph`), grown with the rules of a mode from both
ends until they are equal; the path of reasons between them is the derivation, with what can be skipped left
out. Each line of the result is verified against the first. The search is bounded by work, never by the
clock, and says so when it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from engines.core.events import Stop, never
from engines.core.expression_language import VARIABLE, fold_numbers, unfold_numbers
from engines.core.tree import Tree
from engines.egen.algebra.relations import ARITHMETIC, TermLine
from engines.egen.egraph.growth import GROUPS, group_of_direction, list_guards
from engines.egen.egraph.proof_egraph import ASSUMED, ProofEGraph, Substitution, reverse_step_name
from engines.egen.records import Derivation, DerivationStep
from engines.egen.rules.table import OF_NUMBERS, Guards, Rule, RuleCondition, fill_pattern, match_pattern
from engines.egen.settings import ACCEPTED, Mode
from engines.egen.theories.real_functions import Reals
from engines.egen.theories.theory import Theory
from engines.mathematics.algebra.atoms import Signs
from engines.mathematics.numbers.numeric import compile_many, evaluate_balls
from engines.mathematics.verification.verdicts import MemberVerdict, describe_point, format_distinguishable

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
    last = judge.judge_members([target])[0]
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
        verdicts = judge.judge_members([tree for _, tree in shown])
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
    left, right = format_distinguishable(example.head, example.member, example.difference, digits=6)
    what = "are not the same function" if verdict.outcome == "different" else "do not have the same domain"
    point = describe_point(example.x, dict(example.at))
    return f"The two {what}: at {point} the first is {left}, the second {right}."


def _iterate_candidate_derivations(
    start: Tree, target: Tree, search: _Search, meetings: Iterator[list[TermLine]]
) -> Iterator[list[TermLine]]:
    rule = search.rule_between(fold_numbers(start), fold_numbers(target))
    if rule:
        yield [(rule, target)]
        return
    yield from islice(meetings, _MOST_CANDIDATES)
    lines = search.find_lines(fold_numbers(start), fold_numbers(target))
    if lines is not None:
        yield [(ARITHMETIC, fold_numbers(start)), *lines, (ARITHMETIC, target)]


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
        index = len(terms) - 1
        while index:
            before = source[index]
            rule = rules[index] if before == index - 1 else self.rule_between(terms[before], terms[index])
            lines.append((rule, terms[index]))
            index = before
        return lines[::-1]

    def rule_between(self, start: Tree, target: Tree) -> str:
        """Return the rule that makes one term of the other in one place, up to arithmetic; empty if none
        does."""
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
        matches: list[tuple[_Move, int, Substitution]] = []
        for move in moves:
            for node in proofs.list_distinct_nodes(move.left.label):
                # Evaluating stays ahead: terms that are numbers are not rewritten into larger ones.
                if move.right.children and proofs.constant_value(node) is not None:
                    continue
                room = self.nodes - len(matches)
                fitting = list(islice(proofs.iterate_matches(move.left, node, {}), room))
                matches.extend((move, node, binding) for binding in fitting)
                self.matched += 1 + len(fitting)
                if self.is_over():
                    return False
        # Matches are collected before any is applied, so all rules see the same graph.
        for move, node, binding in matches:
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
