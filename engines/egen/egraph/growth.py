"""Growing an e-graph from a head with egglog, under limits that hold.

One egglog e-graph per mode has the rules loaded once; a few heads are grown between push and pop, and
cleared away. The rules run in groups, those that simplify first, with constants folded and facts derived
after each. Growth is a cliff (8,000 nodes can become 223,000 in one iteration), so the step that crosses the
node limit is trimmed to it: the nodes that occur in the shortest members stay. What is grown depends on the
head, the rules and the limits of iterations and nodes alone; time and memory only stop it.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from engines.core.errors import ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.tree import Tree
from engines.egen.egraph.analysis import atoms, clearing, condition, constructor, schema, term
from engines.egen.egraph.grammar import EGraph, number_classes
from engines.egen.expressions.language import fold
from engines.egen.records import Limits, Mode, StopReason
from engines.egen.rules.table import Guards, Rule, is_variable
from engines.egen.theories.reals import Reals
from engines.egen.theories.theory import Theory

_CHUNK = 20
"""Commands per program: egglog's parser is quadratic."""
_RENEWED = 100
"""Heads after which the rules are loaded anew: what push and pop cost rises with every head."""
_COPY_NODES = 16_000
"""Nodes after which a copy of the rules is dropped: making one takes as long as a third of a head, and one
that is cleared and used again works more slowly with every node that it held."""
GROUPS = ("derive", "simplify", "reorder", "rewrite", "expand")
"""In the order in which an iteration runs them; see `group`."""
# Searching costs more by the number of rules than by what they find: each ruleset runs no more often than it
# has to.
_FOLD = "(saturate (run fold)) (run spare)"
_SETTLE = f"(run-schedule (saturate (seq {_FOLD} (run collapse))))"
_LEARN = (
    f"(run-schedule (saturate (seq (run shapes) (saturate (run facts)) (run asked) (run collapse) {_FOLD})))"
)
_ARITHMETIC = frozenset(("Add", "Sub", "Mul", "Div", "Pow"))
"""There nearly always, and made by folding."""
_NAME = re.compile(r"\(([^\s()]+)")
_RUN = re.compile(r"\(run (\w+)")
_SMALL_GAIN = 3
"""Tokens by which a rule of the group `rewrite` makes a term longer at most."""
_OVERSHOOT = 6
"""A step that ends with more than this many times the allowed nodes is taken back instead of trimmed."""


def guards(rule: Rule, mode: Mode) -> tuple[Guards, ...]:
    """The alternatives under which a direction may fire; none when it is inactive.

    In `strict` a direction may not lose domain; gaining some is harmless, because every term of the e-graph
    is defined on the domain of the head (see `analysis`), so that `total` holds of all of them as well.
    """
    if mode != "strict" or rule.claim == "extends":
        return (rule.when,)
    alternatives = []
    for alternative in rule.guards(mode):
        needed = tuple(one for one in alternative if one.name != "total")
        if needed not in alternatives:
            alternatives.append(needed)
    return tuple(alternatives)


def group(left: Tree, right: Tree) -> str:
    """Which group a direction runs in: derivatives come first, what adds much last."""
    if left.label == "d":
        return "derive"
    if not right.children:
        return "collapse"
    gain = len(right) - len(left)
    if gain < 0:
        return "simplify"
    if gain == 0 and sorted(left.labels()) == sorted(right.labels()):
        return "reorder"
    return "rewrite" if gain <= _SMALL_GAIN else "expand"


def _compiled(rules: Iterable[Rule], mode: Mode, labels: Container[str]) -> Iterator[str]:
    seen: set[tuple[str, str, str]] = set()
    for rule in rules:
        left, right = fold(rule.left), fold(rule.right)
        if is_variable(left):
            continue  # see `paddings`
        for place, alternative in enumerate(guards(rule, mode)):
            query = " ".join(
                condition(one.name, term(fold(one.pattern), labels), f"k{i}")
                for i, one in enumerate(alternative)
            )
            key = (term(left, labels), term(right, labels), query)
            if key in seen:
                continue
            seen.add(key)
            yield (
                f"(rule ((= root_ {key[0]}) {query}) ((union root_ {key[1]})) "
                f':ruleset {group(left, right)} :name "{rule.name}#{place}")'
            )


def paddings(rules: Iterable[Rule], mode: Mode) -> tuple[Tree, ...]:
    """What every term may be wrapped in: the right sides of u -> 1 u, u -> tan(atan u) and the like.

    They match everything and would eat the node budget; the grammar adds them when padding is asked for.
    """
    return tuple(fold(rule.right) for rule in rules if is_variable(rule.left) and () in guards(rule, mode))


class Grower:
    """The rules of one mode, loaded once, and what grows heads with them.

    Not for use from several threads; a run cannot be interrupted (see `process`).
    """

    def __init__(
        self, mode: Mode = "strict", *, rules: Sequence[Rule] | None = None, theory: Theory | None = None
    ) -> None:
        self.mode = mode
        self.theory = theory or Reals()
        self.rules = tuple(self.theory.rules() if rules is None else rules)
        arity = self.theory.arity.items()
        self.functions = frozenset(constructor(label) for label, count in arity if count) - _ARITHMETIC
        self._renew()

    def _renew(self) -> None:
        from egglog.bindings import EGraph as Egglog

        self._grown = self._held = 0
        self._combined: dict[tuple[str, frozenset[str]], str] = {}
        self.egglog = Egglog()
        self._load(schema(self.theory.arity))
        self._load(f"(ruleset {group})" for group in ("collapse", *GROUPS))
        rules = [*clearing(self.theory.arity), *self.theory.analysis()]
        rules += _compiled(self.rules, self.mode, self.theory.arity)
        self._rulesets: dict[str, dict[frozenset[str], str]] = {}
        self._load(map(self._apart, rules))

    def _apart(self, rule: str) -> str:
        """A rule in a ruleset of those that need the same functions, after the ruleset."""
        name = rule.rpartition(":ruleset ")[2].split()[0].rstrip(")")
        needed = frozenset(_NAME.findall(next(atoms(rule[1:-1])))) & self.functions
        sets = self._rulesets.setdefault(name, {frozenset(): name})
        if needed not in sets:
            sets[needed] = f"{name}_{len(sets)}"
            self.execute(f"(ruleset {sets[needed]})")
        return rule.replace(f":ruleset {name}", f":ruleset {sets[needed]}")

    def run(self, program: str, present: frozenset[str]) -> list[Any]:
        """Run rulesets, without the rules of functions that are not `present`: looking for them takes as long
        as for others."""

        def combined(found: re.Match[str]) -> str:
            key = found[1], present
            if key not in self._combined:
                self._combined[key] = f"{found[1]}_of_{len(self._combined)}"
                sets = self._rulesets.get(found[1], {frozenset(): found[1]}).items()
                parts = " ".join(part for needed, part in sets if needed <= present)
                self.execute(f"(unstable-combined-ruleset {self._combined[key]} {parts})")
            return f"(run {self._combined[key]}"

        return self.execute(_RUN.sub(combined, program))

    def grow(
        self,
        head: Tree,
        limits: Limits | None = None,
        *,
        theory: Theory | None = None,
        forms: Sequence[Tree] = (),
        events: Sink = ignore,
        stop: Stop = never,
    ) -> EGraph:
        """The e-graph of a head.

        Args: forms: terms that are known to be equal to the head. theory: of the same kind as the grower's;
        what is assumed in it counts. events: `progress` of stage `grow` with nodes, classes and seconds after
        every iteration; its step is the iteration. Raises: ExpressionError for what has no rules.
        """
        if theory is not None and theory.unwritten:
            raise ExpressionError(theory.unwritten, remedy="Use check or verify.")
        if self._grown >= _RENEWED and not self._held:
            self._renew()
        if not self._held:
            self.execute("(push)")
        self._grown += 1
        run = _Run(self, limits or Limits(), events, stop)
        try:
            self._load((theory or self.theory).facts())
            run.grow(head, forms)
            return run.result()
        finally:
            self._held += 1 + run.most
            if self._held > _COPY_NODES:
                self.execute("(pop)")
                self._held = 0
                self._combined.clear()
            else:
                self.run("(run clear 1)", self.functions)

    def _load(self, commands: Iterable[str]) -> None:
        waiting = list(commands)
        for start in range(0, len(waiting), _CHUNK):
            self.execute("\n".join(waiting[start : start + _CHUNK]))

    def execute(self, program: str) -> list[Any]:
        outputs: list[Any] = self.egglog.run_program(*self.egglog.parse_program(program))
        return outputs


class _Run:
    def __init__(self, grower: Grower, limits: Limits, events: Sink, stop: Stop) -> None:
        self.grower, self.labels = grower, grower.theory.arity
        self.egglog, self.execute = grower.egglog, grower.execute
        self.constructors = {
            constructor(label): (label, 1 if label == "d" else arity) for label, arity in self.labels.items()
        }
        self.counted = ("Num", "Var", *self.constructors)
        self.limits, self.events, self.stop = limits, events, stop
        self.started, self.worked = time.perf_counter(), time.process_time()
        self.iterations = self.changes = self.nodes = self.most = 0
        self.kept: Any = None
        self.clash = False
        self.fired: dict[str, int] = {}
        self.stop_reason: StopReason = "saturated"

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def grow(self, head: Tree, forms: Sequence[Tree]) -> None:
        root, *others = (term(fold(tree), self.labels) for tree in (head, *forms))
        self.execute(f"(Calm) (set (Root) {root})")
        for other in others:
            self.execute(f"(union {root} {other})")
        self.size()
        self.run(f"(run-schedule {_FOLD})")
        self.keep(self.size())
        going = self.accept()
        while going and self.iterations < self.limits.iterations:
            before = self.changes
            for group in GROUPS:
                if group == "expand" and self.changes > before and self.iterations % 2 == 0:
                    continue  # depth before width: these rules take the nodes that the others would use
                going = going and self.step(group)
            self.iterations += 1
            # Counting classes takes time: not for a sink that does not listen.
            if self.events is not ignore and self.changes > before:
                size = {"nodes": self.nodes, "classes": self.classes(), "seconds": self.seconds}
                self.events(Event("progress", {"stage": "grow", **size}, step=self.iterations))
            if self.changes == before:
                return
        if going:
            self.stop_reason = "iteration_limit"

    def step(self, group: str) -> bool:
        """Run one group once; whether growth goes on. Derivatives are worked out to the end the first
        time."""
        while True:
            if self.stop():
                self.stop_reason = "stopped"
                return False
            if time.process_time() - self.worked > self.limits.time_s:
                self.stop_reason = "time_limit"
                return False
            if not self.run(f"(run {group} 1)"):
                return True
            self.changes += 1
            if not self.accept():
                return False
            if group != "derive" or self.iterations:
                return True

    def run(self, program: str) -> bool:
        report = self.grower.run(program, self.present)[0].report
        for name, matches in report.num_matches_per_rule.items():
            rule, mark, _ = name.partition("#")
            if mark and matches:
                self.fired[rule] = self.fired.get(rule, 0) + matches
        return bool(report.updated)

    def accept(self) -> bool:
        """Analyse what a step made and keep it, unless it contradicts itself; whether there is room for
        more."""
        self.size()
        self.run(_SETTLE)
        nodes = self.size()
        if nodes > self.limits.nodes:
            self.stop_reason = "node_limit"
            if nodes <= _OVERSHOOT * self.limits.nodes and not self.clash:
                self.keep(nodes)
        elif not self.clash:
            self.run(_LEARN)
            nodes = self.size()
            if not self.clash:
                self.keep(nodes)
                return True
        if self.clash:
            self.stop_reason = "contradiction"
        return False

    def size(self) -> int:
        sizes = dict(self.execute("(print-size)")[0].sizes)
        self.clash = bool(sizes["Clash"])
        self.present = frozenset(name for name in self.grower.functions if sizes[name])
        nodes = sum(sizes[name] for name in self.counted)
        self.most = max(self.most, nodes)
        return nodes

    def keep(self, nodes: int) -> None:
        self.nodes, self.kept = nodes, self.egglog.freeze()

    def classes(self) -> int:
        return len({row.output for name in self.counted for row in self.kept.functions[name].rows})

    def result(self) -> EGraph:
        value, names = self.egglog.value_to_bigrat, self.egglog.value_to_string
        functions = self.kept.functions
        known = defaultdict[Any, int](count().__next__)
        root = known[functions["Root"].rows[0].output]
        homes: list[int] = []
        labels: list[str] = []
        children: tuple[list[int], list[int]] = [], []

        def put(rows: Sequence[Any], texts: Sequence[str], arity: int) -> None:
            homes.extend([known[row.output] for row in rows])
            labels.extend(texts)
            inputs = [row.inputs for row in rows] if arity else []
            for side, column in enumerate(children):
                column.extend([known[one[side]] for one in inputs] if side < arity else [-1] * len(rows))

        for name, (label, arity) in self.constructors.items():
            rows = functions[name].rows
            put(rows, [label] * len(rows), arity)
        exact = [(row, value(row.inputs[0])) for row in functions["Num"].rows]
        # A fraction's class has a division to print it.
        whole = [(row, str(one.numerator)) for row, one in exact if one.denominator == 1]
        put([row for row, _ in whole], [text for _, text in whole], 0)
        rows = functions["Var"].rows
        put(rows, [names(row.inputs[0]) for row in rows], 0)
        every = sorted({*labels})
        codes = {label: code for code, label in enumerate(every)}
        table = np.array([homes, [codes[label] for label in labels], *children], np.int64).T
        grown = number_classes(every, table, len(known), root, self.limits.nodes)
        nodes = min(self.nodes, self.limits.nodes)
        return EGraph(*grown, self.stop_reason, self.iterations, nodes, self.seconds, self.fired)
