"""Growing an e-graph from a head with egglog, under limits that hold.

One egglog e-graph per mode and theory has the rules loaded once; a few heads are grown between push and
pop, and cleared away. The rules run in groups, those that simplify first, with constants folded and facts
derived after each. Growth is a cliff (8,000 nodes can become 223,000 in one iteration), so the step that
crosses the node limit is trimmed to it: the nodes that occur in the shortest members stay. What is grown
depends on the head, the rules and the limits of iterations and nodes alone; time and memory only stop it.
"""

from __future__ import annotations

import heapq
import re
import time
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from typing import Any

import numpy as np

from engines.core.arrays import Bools, Ints
from engines.core.compiling import compile_kernel
from engines.core.errors import ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import HYPERBOLIC, TRIGONOMETRIC, UNDONE_BY, fold_numbers
from engines.core.extensions import load_extension
from engines.core.tree import Tree
from engines.egen.egraph.analysis import (
    condition_query,
    constructor_name,
    iterate_clearing_rules,
    iterate_schema,
    split_atoms,
    term_text,
)
from engines.egen.egraph.term_grammar import EGraph, ENode
from engines.egen.rules.table import Guards, Rule, is_variable
from engines.egen.settings import Limits, Mode, StopReason
from engines.egen.theories.real_functions import Reals
from engines.egen.theories.theory import Theory

_CHUNK = 20
"""Commands per program: egglog's parser is quadratic."""
_RENEWED = 100
"""Heads after which the rules are loaded anew: what push and pop cost rises with every head."""
_COPY_NODES = 16_000
"""Nodes after which a copy of the rules is dropped: making one takes as long as a third of a head, and one
that is cleared and used again works more slowly with every node that it held."""
GROUPS = ("derive", "simplify", "reorder", "rewrite", "expand")
"""In the order in which an iteration runs them; see `group_of_direction`."""
_RULE_GROUPS = frozenset((*GROUPS, "collapse"))
# Searching costs more by the number of rules than by what they find: each ruleset runs no more often than it
# has to.
_FOLD = "(saturate (run fold)) (run spare)"
_SETTLE = f"(run-schedule (saturate (seq {_FOLD} (run collapse))))"
_LEARN = (
    f"(run-schedule (saturate (seq (run shapes) (saturate (run facts)) (run asked) (run collapse) {_FOLD})))"
)
_ARITHMETIC = frozenset(("Add", "Sub", "Mul", "Div", "Pow"))
"""There nearly always, and made by folding."""
_INVERSES = {UNDONE_BY[name]: name for name in TRIGONOMETRIC + HYPERBOLIC}
"""For every inverse function what it undoes."""
_NAME = re.compile(r"\(([^\s()]+)")
_RUN = re.compile(r"\(run (\w+)")
_SMALL_GAIN = 3
"""Tokens by which a rule of the group `rewrite` makes a term longer at most."""
_OVERSHOOT = 6
"""A step that ends with more than this many times the allowed nodes is taken back instead of trimmed."""


def list_guards(rule: Rule, mode: Mode) -> tuple[Guards, ...]:
    """Return the alternatives under which a direction may fire; none when it is inactive.

    In `strict` a direction may not lose domain; gaining some is harmless, because every term of the e-graph
    is defined on the domain of the head (see `analysis`), so that `total` holds of all of them as well.
    """
    if mode != "strict" or rule.claim == "extends":
        return (rule.when,)
    alternatives = []
    for alternative in rule.list_guards(mode):
        needed = tuple(one for one in alternative if one.name != "total")
        if needed not in alternatives:
            alternatives.append(needed)
    return tuple(alternatives)


def group_of_direction(left: Tree, right: Tree) -> str:
    """Return which group a direction runs in: derivatives come first, what adds much last; what
    leaves a variable or number alone (`collapse`) runs between them."""
    if left.label == "d":
        return "derive"
    if not right.children:
        return "collapse"
    gain = len(right) - len(left)
    if gain < 0:
        return "simplify"
    if gain == 0 and sorted(left.list_labels()) == sorted(right.list_labels()):
        return "reorder"
    return "rewrite" if gain <= _SMALL_GAIN else "expand"


def leads_to_detour(rule: Rule) -> bool:
    """Return whether a direction makes a detour, a term that undoes its own work: a function of its inverse,
    a number in disguise, `a/(1/b)` and the like.

    The styles without detours do not fire it, which leaves the nodes to others.
    """
    if is_variable(rule.left) or not rule.left.children:
        return bool(rule.right.children)
    return rule.name in _DETOURS or bool(_pairs_undone(rule.right) - _pairs_undone(rule.left))


_DETOURS = frozenset(("add-to-sub", "mul-to-div", "pull-sign", "div-sign"))


def _pairs_undone(tree: Tree) -> set[tuple[str, str]]:
    inside = ((node.label, node.children[0].label) for node in tree if node.children)
    return {(label, below) for label, below in inside if label in _INVERSES.values() and below in _INVERSES}


@dataclass(frozen=True, slots=True)
class _Direction:
    """A rule under one of the alternatives of its conditions; `index` is its position among all."""

    index: int
    rule: Rule
    number: int
    when: Guards


def _divide_rules(
    rules: Iterable[Rule], mode: Mode, functions: frozenset[str]
) -> dict[frozenset[str], list[_Direction]]:
    """Return the directions by the functions that they need."""
    places = count()
    result: dict[frozenset[str], list[_Direction]] = defaultdict(list)
    for rule in rules:
        if is_variable(rule.left):
            continue  # see `list_paddings`
        for number, alternative in enumerate(list_guards(rule, mode)):
            patterns = (rule.left, *(one.pattern for one in alternative))
            names = {constructor_name(label) for pattern in patterns for label in pattern.list_labels()}
            result[functions & names].append(_Direction(next(places), rule, number, alternative))
    return result


def _compile_directions(
    directions: Iterable[_Direction], labels: Container[str]
) -> Iterator[tuple[str, str, bool, int]]:
    """Yield the ruleset, the text for egglog, whether it leads to a detour, and the place of each one."""
    seen: set[tuple[str, str, str]] = set()
    for one in directions:
        left, right = fold_numbers(one.rule.left), fold_numbers(one.rule.right)
        query = " ".join(
            condition_query(guard.name, term_text(fold_numbers(guard.pattern), labels), f"k{i}")
            for i, guard in enumerate(one.when)
        )
        # Rules with the same sides and conditions differ only in their names, and one of them is enough.
        key = (term_text(left, labels), term_text(right, labels), query)
        if key in seen:
            continue
        seen.add(key)
        group = group_of_direction(left, right)
        text = f"(rule ((= root_ {key[0]}) {query}) ((union root_ {key[1]})) "
        name = f"{one.rule.name}#{one.number}"
        yield group, f'{text}:ruleset {{}} :name "{name}")', leads_to_detour(one.rule), one.index


def list_paddings(rules: Iterable[Rule], mode: Mode) -> tuple[Tree, ...]:
    """Return what every term may be wrapped in: the right sides of u -> 1 u, u -> tan(atan u) and the like.

    They match everything and would eat the node budget; the grammar adds them when padding is asked for.
    """
    return tuple(
        fold_numbers(rule.right) for rule in rules if is_variable(rule.left) and () in list_guards(rule, mode)
    )


@dataclass(slots=True)
class _RuleSet:
    name: str
    rules: list[str]
    index: int = -1
    """The place of its first direction; what the analysis needs comes before all."""
    loaded: bool = False


RuleChoice = tuple[frozenset[str], bool]
"""Which rules run: the functions that are present, and whether those that lead to detours stay out."""


class EGraphRunner:
    """The rules of one mode, loaded once, and what grows heads with them.

    Not for use from several threads; a run cannot be interrupted (see `process`).
    """

    def __init__(
        self, mode: Mode = "strict", *, rules: Sequence[Rule] | None = None, theory: Theory | None = None
    ) -> None:
        self.mode = mode
        self.theory = theory or Reals()
        self.rules = tuple(self.theory.list_rules() if rules is None else rules)
        arity = self.theory.arity.items()
        self.functions = frozenset(constructor_name(label) for label, count in arity if count) - _ARITHMETIC
        # egglog takes the rules with the first head: derivations need none of its e-graphs.
        self._heads_since_reload, self._nodes_since_push = _RENEWED, 0

    def _renew_egraph(self) -> None:
        self._heads_since_reload = self._nodes_since_push = 0
        self._combined: dict[tuple[str, RuleChoice], str] = {}
        self._loaded_since_push: list[_RuleSet] = []
        self.egglog = load_extension("egglog.bindings").EGraph()
        self._load_commands(iterate_schema(self.theory.arity))
        for ruleset in self._rulesets.values():
            ruleset.loaded = False

    @cached_property
    def _rulesets(self) -> dict[tuple[str, frozenset[str], bool], _RuleSet]:
        """The rules by what they belong to, the functions that they need, and whether they lead to detours:
        those of the analysis, and the others once a head has their functions. egglog takes those of a set
        when they can first find something."""
        result: dict[tuple[str, frozenset[str], bool], _RuleSet] = {}
        for rule in (*iterate_clearing_rules(self.theory.arity), *self.theory.analysis_rules()):
            name = rule.rpartition(":ruleset ")[2].split()[0].rstrip(")")
            needed = frozenset(_NAME.findall(next(split_atoms(rule[1:-1])))) & self.functions
            key = name, needed, False
            if key not in result:
                result[key] = _RuleSet(f"{name}_{len(result)}", [])
            result[key].rules.append(rule.replace(f":ruleset {name}", f":ruleset {result[key].name}"))
        return result

    @cached_property
    def _waiting(self) -> dict[frozenset[str], list[_Direction]]:
        """The directions that no head has needed yet, by the functions that they need."""
        return _divide_rules(self.rules, self.mode, self.functions)

    def _compile_needed(self, present: frozenset[str]) -> None:
        for needed in [one for one in self._waiting if one <= present]:
            directions = self._waiting.pop(needed)
            for name, text, detour, index in _compile_directions(directions, self.theory.arity):
                key = name, needed, detour
                if key not in self._rulesets:
                    self._rulesets[key] = _RuleSet(f"{name}_{len(self._rulesets)}", [], index)
                self._rulesets[key].rules.append(text.format(self._rulesets[key].name))

    def _load_ruleset(self, ruleset: _RuleSet) -> None:
        if not ruleset.loaded:
            self._load_commands([f"(ruleset {ruleset.name})", *ruleset.rules])
            ruleset.loaded = True
            self._loaded_since_push.append(ruleset)

    def run_rulesets(self, program: str, choice: RuleChoice) -> list[Any]:
        """Run rulesets without the rules that are not chosen: each costs time, whether it finds anything."""

        def combine_rulesets(match: re.Match[str]) -> str:
            key = match[1], choice
            if key not in self._combined:
                self._combined[key] = f"{match[1]}_of_{len(self._combined)}"
                present, direct = choice
                if match[1] in _RULE_GROUPS:
                    self._compile_needed(present)
                chosen = [
                    ruleset
                    for (name, needed, detour), ruleset in self._rulesets.items()
                    if name == match[1] and needed <= present and not (direct and detour)
                ]
                # In the order of the table, whatever heads there were before.
                chosen.sort(key=lambda ruleset: ruleset.index)
                for ruleset in chosen:
                    self._load_ruleset(ruleset)
                parts = " ".join([ruleset.name for ruleset in chosen])
                self.execute_program(f"(unstable-combined-ruleset {self._combined[key]} {parts})")
            return f"(run {self._combined[key]}"

        return self.execute_program(_RUN.sub(combine_rulesets, program))

    def grow_egraph(
        self,
        head: Tree,
        limits: Limits | None = None,
        *,
        theory: Theory | None = None,
        forms: Sequence[Tree] = (),
        direct: bool = False,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> EGraph:
        """Return the e-graph of a head.

        Args: forms: terms that are known to be equal to the head. direct: leave out the rules that lead to
        detours. theory: of the same kind as the grower's;
        what is assumed in it counts. events: `progress` of stage `grow` with nodes, classes and seconds after
        every iteration; its step is the iteration. Raises: ExpressionError for what has no rules.
        """
        if theory is not None and theory.unwritten:
            raise ExpressionError(theory.unwritten, remedy="Use check or verify.")
        # egglog's memory grows with each head, so it is renewed from time to time.
        if self._heads_since_reload >= _RENEWED and not self._nodes_since_push:
            self._renew_egraph()
        if not self._nodes_since_push:
            # What was taken in a copy was lost with it: it is needed again.
            passing, self._loaded_since_push = self._loaded_since_push, []
            for ruleset in passing:
                ruleset.loaded = False
                self._load_ruleset(ruleset)
            self._loaded_since_push = []
            self.execute_program("(push)")
        else:
            # What is held is cleared only now: a process that grows one head need not clear it.
            self.run_rulesets("(run clear 1)", (self.functions, False))
        self._heads_since_reload += 1
        run = _GrowthRun(self, limits or Limits(), events, stop, direct=direct)
        try:
            self._load_commands((theory or self.theory).iterate_facts())
            run.grow_head(head, forms)
            return run.to_egraph()
        finally:
            # Clearing costs less than copying while few nodes are held; beyond that,
            # the saved state is restored.
            self._nodes_since_push += 1 + run.most
            if self._nodes_since_push > _COPY_NODES:
                self.execute_program("(pop)")
                self._nodes_since_push = 0
                self._combined.clear()

    def _load_commands(self, commands: Iterable[str]) -> None:
        waiting = list(commands)
        for start in range(0, len(waiting), _CHUNK):
            self.execute_program("\n".join(waiting[start : start + _CHUNK]))

    def execute_program(self, program: str) -> list[Any]:
        """Run a program in egglog and return its outputs."""
        outputs: list[Any] = self.egglog.run_program(*self.egglog.parse_program(program))
        return outputs


class _GrowthRun:
    def __init__(
        self, grower: EGraphRunner, limits: Limits, events: Sink, stop: Stop, *, direct: bool
    ) -> None:
        self.grower, self.labels, self.direct = grower, grower.theory.arity, direct
        self.egglog, self.execute = grower.egglog, grower.execute_program
        self.constructors = {
            constructor_name(label): (label, 1 if label == "d" else arity)
            for label, arity in self.labels.items()
        }
        self.counted = ("Num", "Var", *self.constructors)
        self.limits, self.events, self.stop = limits, events, stop
        self.started, self.worked = time.perf_counter(), time.process_time()
        self.iterations = self.changes = self.nodes = self.most = 0
        self.kept: Any = None
        self.rows: dict[str, Sequence[Any]] = {}
        self.outputs: dict[str, Sequence[Any]] = {}
        self.clash = False
        self.fired: dict[str, int] = {}
        self.stop_reason: StopReason = "saturated"

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def grow_head(self, head: Tree, forms: Sequence[Tree]) -> None:
        root, *others = (term_text(fold_numbers(tree), self.labels) for tree in (head, *forms))
        self.execute(f"(Calm) (set (Root) {root})")
        for other in others:
            self.execute(f"(union {root} {other})")
        self.count_nodes()
        self.run_program(f"(run-schedule {_FOLD})")
        self.keep_nodes(self.count_nodes())
        going = self.accept_step()
        while going and self.iterations < self.limits.iterations:
            before = self.changes
            for group in GROUPS:
                if group == "expand" and self.changes > before and self.iterations % 2 == 0:
                    continue  # depth before width: these rules take the nodes that the others would use
                going = going and self.run_group(group)
            self.iterations += 1
            # Counting classes takes time: not for a sink that does not listen.
            if self.events is not ignore and self.changes > before:
                size = {"nodes": self.nodes, "classes": self.count_classes(), "seconds": self.seconds}
                self.events(Event("progress", {"stage": "grow", **size}, step=self.iterations))
            if self.changes == before:
                return
        if going:
            self.stop_reason = "iteration_limit"

    def run_group(self, group: str) -> bool:
        """Run one group once; whether growth goes on. Derivatives are worked out to the end the first
        time."""
        while True:
            if self.stop():
                self.stop_reason = "stopped"
                return False
            if time.process_time() - self.worked > self.limits.time_s:
                self.stop_reason = "time_limit"
                return False
            if not self.run_program(f"(run {group} 1)"):
                return True
            self.changes += 1
            if not self.accept_step():
                return False
            if group != "derive" or self.iterations:
                return True

    def run_program(self, program: str) -> bool:
        report = self.grower.run_rulesets(program, (self.present, self.direct))[0].report
        for name, matches in report.num_matches_per_rule.items():
            rule, mark, _ = name.partition("#")
            if mark and matches:
                self.fired[rule] = self.fired.get(rule, 0) + matches
        return bool(report.updated)

    def accept_step(self) -> bool:
        """Analyse what a step made and keep it, unless it contradicts itself; whether there is room for
        more."""
        self.count_nodes()
        # Rules that settle what was made always run; those that learn only if the graph is not too large.
        self.run_program(_SETTLE)
        nodes = self.count_nodes()
        if nodes > self.limits.nodes:
            self.stop_reason = "node_limit"
            # A step that overshoots a little is kept; a larger one would be cut to a random part.
            if nodes <= _OVERSHOOT * self.limits.nodes and not self.clash:
                self.keep_nodes(nodes)
        elif not self.clash:
            self.run_program(_LEARN)
            nodes = self.count_nodes()
            if not self.clash:
                self.keep_nodes(nodes)
                return True
        if self.clash:
            self.stop_reason = "contradiction"
        return False

    def count_nodes(self) -> int:
        sizes = dict(self.execute("(print-size)")[0].sizes)
        self.clash = bool(sizes["Clash"])
        self.present = frozenset(name for name in self.grower.functions if sizes[name])
        nodes = sum(sizes[name] for name in self.counted)
        self.most = max(self.most, nodes)
        return nodes

    def keep_nodes(self, nodes: int) -> None:
        self.nodes, self.kept, self.rows, self.outputs = nodes, self.egglog.freeze(), {}, {}

    def rows_of(self, name: str) -> Sequence[Any]:
        """Return the rows that were kept of a function; egglog makes those of all whenever it is asked."""
        if not self.rows:
            self.rows = {known: table.rows for known, table in self.kept.functions.items()}
        return self.rows[name]

    def outputs_of(self, name: str) -> Sequence[Any]:
        """Return the classes of the rows that were kept of a function, which cost as much as the rows."""
        if name not in self.outputs:
            self.outputs[name] = [row.output for row in self.rows_of(name)]
        return self.outputs[name]

    def count_classes(self) -> int:
        return len(set(chain.from_iterable(map(self.outputs_of, self.counted))))

    def to_egraph(self) -> EGraph:
        value, names = self.egglog.value_to_bigrat, self.egglog.value_to_string
        # Classes are numbered in the order in which they are met.
        known = defaultdict[Any, int](count().__next__)
        root = known[self.rows_of("Root")[0].output]
        homes: list[int] = []
        labels: list[str] = []
        children: tuple[list[int], list[int]] = [], []

        def put_rows(rows: Sequence[Any], texts: Sequence[str], arity: int) -> None:
            labels.extend(texts)
            inputs = [row.inputs for row in rows] if arity else []
            for side, column in enumerate(children):
                column.extend([known[one[side]] for one in inputs] if side < arity else [-1] * len(rows))

        for name, (label, arity) in self.constructors.items():
            rows = self.rows_of(name)
            homes.extend([known[one] for one in self.outputs_of(name)])
            put_rows(rows, [label] * len(rows), arity)
        exact = [(row, value(row.inputs[0])) for row in self.rows_of("Num")]
        # A fraction's class has a division to print it.
        whole = [(row, str(one.numerator)) for row, one in exact if one.denominator == 1]
        homes.extend([known[row.output] for row, _ in whole])
        put_rows([row for row, _ in whole], [text for _, text in whole], 0)
        rows = self.rows_of("Var")
        homes.extend([known[one] for one in self.outputs_of("Var")])
        put_rows(rows, [names(row.inputs[0]) for row in rows], 0)
        every = sorted({*labels})
        codes = {label: code for code, label in enumerate(every)}
        table = np.array([homes, [codes[label] for label in labels], *children], np.int64).T
        grown = number_classes(every, table, len(known), root, self.limits.nodes)
        nodes = min(self.nodes, self.limits.nodes)
        return EGraph(*grown, self.stop_reason, self.iterations, nodes, self.seconds, self.fired)


# Numbers for the classes of a grown e-graph, the same whatever order things happened in.
#
# egglog's own ids depend on that order. Here classes are numbered by their smallest term: shorter terms
# first, then by label, then by the numbers of the operands. Every class has one smallest term and no two
# classes share a term, so the numbering depends on nothing else, and operands that make up a smallest term
# always have smaller numbers than the class.


def number_classes(
    names: Sequence[str], rows: Ints, count: int, start: int, limit: int | None = None
) -> tuple[int, tuple[str, ...], Ints, Ints, Ints]:
    """Return an e-graph with canonical numbers for what can be reached from a class.

    Args:
        names: The labels, sorted.
        rows: Shape (nodes, 4): class, label and child classes, -1 for no child.
        count: The number of classes.
        start: The root.
        limit: Keep at most this many nodes, those that occur in the shortest terms of the root.

    Returns:
        The first fields of `EGraph`.
    """
    home, label, children = rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2:].copy()
    own = np.array([ENode(name).tokens for name in names], np.int64)[label]
    # Classes are ranked by their smallest terms, which does not depend on the numbers they come with.
    rank, size = _rank_nodes(home, label, own, children, count)
    kept = np.flatnonzero(_find_complete_nodes(children, rank))
    tokens = own + np.where(children < 0, 0, size[children]).sum(axis=1)
    places = np.where(children < 0, -1, rank[children])
    if limit is not None and len(kept) > limit:
        around = _tokens_around(start, home[kept], tokens[kept], children[kept], size)
        kept = kept[around[home[kept]] >= 0]
        # At the same length smallest terms come first, so that no node loses its operands to a tie.
        keys = (
            *(places[kept, 1], places[kept, 0], label[kept], rank[home[kept]]),
            *(tokens[kept] > size[home[kept]], around[home[kept]] + tokens[kept]),
        )
        kept = kept[np.lexsort(keys)[:limit]]
        # Nodes that were dropped may leave others without operands, so rank again.
        still, _ = _rank_nodes(home[kept], label[kept], own[kept], children[kept], count)
        kept = kept[_find_complete_nodes(children[kept], still)]
    reached = _find_reached_classes(start, home[kept], children[kept], count)
    dense = np.full(count, -1, np.int64)
    order = np.flatnonzero(reached)
    dense[order[np.argsort(rank[order])]] = np.arange(len(order))
    kept = kept[reached[home[kept]]]
    below = np.where(children[kept] < 0, -1, dense[children[kept]])
    # Within a class, nodes are in the order of length, label and operands.
    sort = np.lexsort((below[:, 1], below[:, 0], label[kept], tokens[kept], dense[home[kept]]))
    starts = np.searchsorted(dense[home[kept]][sort], np.arange(len(order) + 1))
    return int(dense[start]), tuple(names), label[kept][sort], below[sort], starts


def _find_complete_nodes(children: Ints, rank: Ints) -> Bools:
    return np.all((children < 0) | (rank[children] >= 0), axis=1)


@compile_kernel
def _index_users(homes: Ints, children: Ints, count: int) -> tuple[Ints, Ints]:
    # A counting sort: how many users each class has, where they begin, and then the users themselves.
    starts = np.zeros(count + 1, np.int64)
    for node in range(len(homes)):
        for side in range(2):
            if children[node, side] >= 0:
                starts[children[node, side] + 1] += 1
    starts = np.cumsum(starts)
    free = starts.copy()
    users = np.empty(starts[-1], np.int64)
    for node in range(len(homes)):
        for side in range(2):
            child = children[node, side]
            if child >= 0:
                users[free[child]] = node
                free[child] += 1
    return starts, users


@compile_kernel
def _rank_nodes(homes: Ints, labels: Ints, own: Ints, children: Ints, count: int) -> tuple[Ints, Ints]:
    # Knuth's generalisation of Dijkstra's algorithm (1977): a node is ready when the smallest terms of
    # all its operands are known, and the heap settles classes in the order of their sizes.
    starts, users = _index_users(homes, children, count)
    rank, size = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    waiting = np.zeros(len(homes), np.int64)
    # Numba takes the type of the list from its first element.
    heap = [(0, 0, 0, 0, 0)]
    heap.pop()
    for node in range(len(homes)):
        waiting[node] = int(children[node, 0] >= 0) + int(children[node, 1] >= 0)
        if not waiting[node]:
            heap.append((1, labels[node], -1, -1, node))
    heapq.heapify(heap)
    ranked = 0
    while len(heap):
        tokens, _, _, _, index = heapq.heappop(heap)
        home = homes[index]
        if rank[home] >= 0:
            continue
        rank[home], size[home] = ranked, tokens
        ranked += 1
        for at in range(starts[home], starts[home + 1]):
            node = users[at]
            waiting[node] -= 1
            if not waiting[node] and rank[homes[node]] < 0:
                left, right = children[node, 0], children[node, 1]
                total, second = own[node] + size[left], -1
                if right >= 0:
                    total, second = total + size[right], rank[right]
                heapq.heappush(heap, (total, labels[node], rank[left], second, node))
    return rank, size


@compile_kernel
def _tokens_around(root: int, homes: Ints, tokens: Ints, children: Ints, size: Ints) -> Ints:
    """For each class the fewest tokens that a term of the root has around one of its terms, -1 where it is in
    none of them."""
    order = np.argsort(homes, kind="mergesort")
    firsts = np.searchsorted(homes[order], np.arange(len(size) + 1))
    around = np.full(len(size), -1, np.int64)
    around[root] = 0
    # Dijkstra's algorithm from the root downwards: the distance is what surrounds the class in a term.
    heap = [(0, root)]
    while len(heap):
        outside, home = heapq.heappop(heap)
        # A shorter way to this class was found after this entry was pushed.
        if outside > around[home]:
            continue
        for at in range(firsts[home], firsts[home + 1]):
            node = order[at]
            for side in range(2):
                child = children[node, side]
                if child >= 0:
                    # Around a child: what is around its node, and the node without the child.
                    beside = outside + tokens[node] - size[child]
                    if around[child] < 0 or beside < around[child]:
                        around[child] = beside
                        heapq.heappush(heap, (beside, child))
    return around


@compile_kernel
def _find_reached_classes(root: int, homes: Ints, children: Ints, count: int) -> Bools:
    order = np.argsort(homes, kind="mergesort")
    firsts = np.searchsorted(homes[order], np.arange(count + 1))
    is_reached = np.zeros(count, np.bool_)
    is_reached[root] = True
    frontier = [root]
    while len(frontier):
        home = frontier.pop()
        for at in range(firsts[home], firsts[home + 1]):
            for side in range(2):
                child = children[order[at], side]
                if child >= 0 and not is_reached[child]:
                    is_reached[child] = True
                    frontier.append(child)
    return is_reached
