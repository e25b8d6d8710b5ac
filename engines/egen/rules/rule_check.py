"""Checks of what each rewrite rule does to values and domains on the reals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engines.core.expression_language import is_constant_token
from engines.core.tree import Tree
from engines.egen.rules.table import OF_NUMBERS, Effect, Guards, Rule, RuleCondition, pattern_variables
from engines.mathematics.numbers.numeric import DEFINED, UNDEFINED, BallEvaluation, compile_many, evaluate

# Rules at exceptional constants: multiples of pi, where poles and zeros sit.
#
# Floating point cannot hold pi, so the evaluator of `numbers.numeric` rightly answers "unknown" at a
# pole such as tan(pi/2). A rule must not be trusted there: a term that has no value anywhere, merged with a
# number, ends in 0 = 1. Here every intermediate value that is within 1e-11 of a multiple of 1/4 is taken for
# it, which makes those zeros exact; that is right for these few constants, and only for them.

CONSTANTS: Mapping[str, float] = {
    **{text: float(Fraction(text)) for text in ("0", "1", "-1", "2", "0.5", "-0.5", "0.3")},
    "pi": math.pi,
    **{f"* {factor} pi": float(factor) * math.pi for factor in ("-1", "2", "-2", "1.5")},
    **{f"* {factor} pi": float(factor) * math.pi for factor in ("0.5", "-0.5", "0.25", "-0.25", "0.75")},
}
"""Constants to bind pattern variables to, by their prefix notation."""
X = 0.4371
"""A generic place, for functions of x beside the constants."""
FUNCTIONS: Mapping[str, float] = {"x": X, "+ 2 x": 2 + X, "- x 3": X - 3}
"""What is not constant, with its value at `X`."""


class _UndefinedError(Exception):
    pass


def _divide(top: float, bottom: float) -> float:
    if bottom == 0:
        raise _UndefinedError
    return top / bottom


def _tidy_value(value: float) -> float:
    near = round(4 * value) / 4
    return near if abs(value - near) < 1e-11 else value


def _invert_function(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda u: _divide(1.0, _tidy_value(function(u)))


def _of_reciprocal(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda u: function(_tidy_value(_divide(1.0, u)))


def _compute_power(base: float, exponent: float) -> float:
    if (base < 0 and not exponent.is_integer()) or (base == 0 and exponent <= 0):
        raise _UndefinedError
    return float(base**exponent)


_UNARY: Mapping[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "sinh", "cosh", "tanh")},
    **{name: getattr(math, name) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "abs": abs,
    "ln": math.log,
    "tan": lambda u: _divide(math.sin(u), _tidy_value(math.cos(u))),
    "cot": lambda u: _divide(math.cos(u), _tidy_value(math.sin(u))),
    "sec": _invert_function(math.cos),
    "csc": _invert_function(math.sin),
    "sech": _invert_function(math.cosh),
    "csch": _invert_function(math.sinh),
    "coth": _invert_function(math.tanh),
    "acot": lambda u: math.atan2(1.0, u),
    "asec": _of_reciprocal(math.acos),
    "acsc": _of_reciprocal(math.asin),
    "asech": _of_reciprocal(math.acosh),
    "acsch": _of_reciprocal(math.asinh),
    "acoth": _of_reciprocal(math.atanh),
}
_BINARY: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "pow": _compute_power,
    "log": lambda base, u: _divide(math.log(u), _tidy_value(math.log(base))),
}


def constant_value(tree: Tree, binding: Mapping[str, float]) -> float | None:
    """Return the value of a pattern without `d` whose variables are these constants; None where it has
    none.
    """
    try:
        return _evaluate_tree(tree, binding)
    except (_UndefinedError, ValueError):  # math says ValueError outside a domain
        return None
    except OverflowError:
        return math.nan


def _evaluate_tree(tree: Tree, binding: Mapping[str, float]) -> float:
    if tree.label in binding:
        return binding[tree.label]
    parts = [_evaluate_tree(child, binding) for child in tree.children]
    if len(parts) == 2:
        return _tidy_value(_BINARY[tree.label](*parts))
    if parts:
        return _tidy_value(_UNARY[tree.label](*parts))
    if tree.label in ("pi", "e"):
        return math.pi if tree.label == "pi" else math.e
    return float(Fraction(tree.label))


# Pattern variables are bound to functions of x, as they are in an e-graph: constants, functions with gaps in
# their domain, one that exists nowhere, and, for derivative rules, inner functions. Both sides are evaluated
# at seeded points with error bounds; derivatives by dual numbers. A point decides when both sides are known
# there: defined, or surely undefined. Random points see intervals, not isolated points. Multiples of pi are
# looked at separately (`CONSTANTS`).
#
# A direction's class is found under its `when` conditions, and again under each alternative of its `exact`
# conditions, where it must be sound. This is a test that looks for counterexamples, not a proof.

INNER = (
    *("0", "1", "-1", "2", "-2", "3", "-3", "4", "-4"),
    *("0.5", "-0.5", "0.25", "1.5", "-1.5", "-2.5", "0.3"),
    *("x", "* -1 x", "+ x 2", "- 0.7 x", "* 0.3 x", "/ 1 x", "pow x 2", "pow x 3", "* -1 pow x 2", "abs x"),
    *("+ 1 pow x 2", "- -1 pow x 2", "+ 2 abs x", "sqrt + 1 pow x 2", "/ 1 + 1 pow x 2", "/ -1 + 1 pow x 2"),
    *("sin x", "* 2 sin x", "cos * 2 x", "abs sin x", "tan x", "pow e x", "cosh x", "tanh x"),
    # defined on a part of the line, on none of it, constant in disguise, zero on a half-line
    *("ln x", "sqrt x", "sqrt * -1 x", "asin x", "acosh x", "atanh x", "sqrt sin * 3 x"),
    *("ln - -1 pow x 2", "- x x", "/ x x", "/ x abs x", "- abs x x"),
)
"""What pattern variables are bound to, as functions of x."""

SAMPLES = 150
"""Bindings tried for each set of guards of a rule with more than one variable."""


def comparison_points() -> NDArray[np.float64]:
    """Return the points at which functions of x are compared, shape `(36,)`: seeded, increasing, generic."""
    rng = np.random.default_rng(20)
    return np.sort(np.concatenate([rng.uniform(-size, size, n) for size, n in ((1, 12), (4, 14), (12, 10))]))


@dataclass(frozen=True, slots=True)
class Witness:
    """A point at which a rule is not sound: its variables, the point and both values (None where
    undefined).
    """

    binding: Mapping[str, str]
    x: float
    left: float | None
    right: float | None

    def describe(self) -> str:
        """Return the point and both values in words: `?a = sin x at x = -1: -0.84 and undefined`."""
        named = ", ".join(f"{name} = {text}" for name, text in self.binding.items())
        left, right = ("undefined" if side is None else f"{side:.8g}" for side in (self.left, self.right))
        return f"{named} at x = {self.x:.6g}: {left} and {right}"


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What a direction of a rule does under some guards.

    `points` counts what decided; without any it is untested.
    """

    guards: Guards
    effect: Effect
    points: int
    witness: Witness | None

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as a row of JSON."""
        example = self.witness and asdict(self.witness)
        return {"found": self.effect, "points": self.points, "counterexample": example}


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """A rule as found: under `when`, and under each exact alternative."""

    rule: Rule
    found: RuleFinding
    exact: tuple[RuleFinding, ...]

    @property
    def problem(self) -> str:
        """How the table's claim differs from what was found, or an empty text."""
        if not self.found.points or not all(finding.points for finding in self.exact):
            return "untested: no binding meets the conditions"
        if self.found.effect != self.rule.claim:
            example = f": {self.found.witness.describe()}" if self.found.witness else ""
            return f"claimed {self.rule.claim}, found {self.found.effect}{example}"
        for finding in self.exact:
            if finding.effect != "sound":
                conditions = ", ".join(map(str, finding.guards)) or "no condition"
                return f"not exact under {conditions}: found {finding.effect}"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, for `--json`; the values of a counterexample are null where undefined."""
        exact = [finding.to_dict() for finding in self.exact]
        return {**self.found.to_dict(), "exact": exact, "problem": self.problem}


Binding = Mapping[str, str]
_Truth = Callable[[BallEvaluation, int], bool]


def _is_not_constant(evaluation: BallEvaluation, row: int) -> bool:
    value, error, state = evaluation.values[row], evaluation.errors[row], evaluation.state[row]
    both = (state[1:] == DEFINED) & (state[:-1] == DEFINED)
    same = np.abs(np.diff(value)) <= error[1:] + error[:-1]
    return not bool(np.any(both & same))


def _where_defined(test: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.bool_]]) -> _Truth:
    def is_defined(evaluation: BallEvaluation, row: int) -> bool:
        known = evaluation.state[row] == DEFINED
        return bool(np.all(test(evaluation.values[row][known], evaluation.errors[row][known])))

    return is_defined


_FUNCTIONAL: Mapping[str, _Truth] = {
    "nonconst": _is_not_constant,
    "nz": _where_defined(lambda v, r: np.abs(v) > r),
    "pos": _where_defined(lambda v, r: v > r),
    "nonneg": _where_defined(lambda v, r: v >= -r),
    "unit": _where_defined(lambda v, r: np.abs(v) <= 1 + r),
    "absge1": _where_defined(lambda v, r: np.abs(v) >= 1 - r),
    "ge1": _where_defined(lambda v, r: v >= 1 - r),
    "total": lambda evaluation, row: not bool(np.any(evaluation.state[row] == UNDEFINED)),
}


class _Bench:
    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._texts: list[list[str]] = []
        self.points = comparison_points()

    def add_pattern(self, pattern: Tree, binding: Binding) -> int:
        text = " ".join([binding.get(label, label) for label in pattern.list_labels()])
        row = self._rows.get(text)
        if row is None:
            row = self._rows[text] = len(self._texts)
            self._texts.append(text.split())
        return row

    def evaluate_patterns(self) -> BallEvaluation:
        return evaluate(compile_many(self._texts), self.points)


def _condition_holds(condition: RuleCondition, text: str, evaluation: BallEvaluation, row: int) -> bool:
    if condition.name in OF_NUMBERS:
        return is_constant_token(text) and OF_NUMBERS[condition.name](Fraction(text))
    return _FUNCTIONAL[condition.name](evaluation, row)


class _Candidates:
    def __init__(self) -> None:
        bench = _Bench()
        for text in INNER:
            bench.add_pattern(Tree("?"), {"?": text})
        self._evaluation = bench.evaluate_patterns()
        self._known: dict[tuple[str, ...], list[str]] = {}

    def candidates_for(self, variable: str, guards: Guards) -> list[str]:
        wanted = [condition for condition in guards if condition.pattern.label == variable]
        key = tuple(condition.name for condition in wanted)
        if key not in self._known:
            self._known[key] = [
                text
                for row, text in enumerate(INNER)
                if all(_condition_holds(condition, text, self._evaluation, row) for condition in wanted)
            ]
        return self._known[key]


def _iterate_bindings(
    rule: Rule, guards: Guards, candidates: _Candidates, rng: np.random.Generator
) -> Iterator[Binding]:
    names = pattern_variables(rule.left)
    choices = [candidates.candidates_for(name, guards) for name in names]
    total = int(np.prod([len(choice) for choice in choices], dtype=np.int64))
    if total <= SAMPLES:
        for texts in product(*choices):
            yield dict(zip(names, texts, strict=True))
        return
    for _ in range(SAMPLES):
        yield {name: choice[rng.integers(len(choice))] for name, choice in zip(names, choices, strict=True)}


@dataclass(frozen=True, slots=True)
class _Trial:
    binding: Binding
    left: int
    right: int
    conditions: tuple[tuple[RuleCondition, int], ...]


def _list_trials(rule: Rule, guards: Guards, candidates: _Candidates, bench: _Bench) -> list[_Trial]:
    # The same seed for both directions of an identity: their instances are then shared.
    rng = np.random.default_rng(list(rule.name.rstrip("~").encode()))
    compound = [condition for condition in guards if condition.pattern.children]
    return [
        _Trial(
            binding,
            bench.add_pattern(rule.left, binding),
            bench.add_pattern(rule.right, binding),
            tuple((condition, bench.add_pattern(condition.pattern, binding)) for condition in compound),
        )
        for binding in _iterate_bindings(rule, guards, candidates, rng)
    ]


@dataclass(slots=True)
class _Tally:
    points: int = 0
    differs: Witness | None = None
    gained: Witness | None = None
    lost: Witness | None = None

    def to_finding(self, guards: Guards) -> RuleFinding:
        effect: Effect = "sound"
        if self.differs:
            effect = "false"
        elif self.gained and self.lost:
            effect = "mixed"
        elif self.gained or self.lost:
            effect = "extends" if self.gained else "loses"
        return RuleFinding(guards, effect, self.points, self.differs or self.lost or self.gained)


def _compare_trials(
    trials: Iterable[_Trial], evaluation: BallEvaluation, xs: NDArray[np.float64], tally: _Tally
) -> None:
    for trial in trials:
        if not all(_condition_holds(condition, "", evaluation, row) for condition, row in trial.conditions):
            continue
        a, b = trial.left, trial.right
        state_a, state_b = evaluation.state[a], evaluation.state[b]
        in_a, in_b = state_a == DEFINED, state_b == DEFINED
        out_a, out_b = state_a == UNDEFINED, state_b == UNDEFINED
        both = in_a & in_b
        gap = np.abs(evaluation.values[a] - evaluation.values[b])
        # Both bounds together are smaller than the gap, so the values differ for certain.
        differs = both & (gap > evaluation.errors[a] + evaluation.errors[b])
        gained, lost = out_a & in_b, in_a & out_b
        tally.points += int(np.count_nonzero(both | gained | lost | (out_a & out_b)))
        for kind, where in (("differs", differs), ("gained", gained), ("lost", lost)):
            if getattr(tally, kind) is None and where.any():
                k = int(np.argmax(where))
                left = float(evaluation.values[a, k]) if in_a[k] else None
                right = float(evaluation.values[b, k]) if in_b[k] else None
                setattr(tally, kind, Witness(trial.binding, float(xs[k]), left, right))


_VALUES = {**CONSTANTS, **FUNCTIONS}
_NO_EVALUATION = BallEvaluation(np.empty((0, 0)), np.empty((0, 0), np.uint8), np.empty((0, 0)))


def _holds_at(condition: RuleCondition, binding: Binding, values: Mapping[str, float]) -> bool:
    if condition.name in OF_NUMBERS:
        return _condition_holds(condition, binding[condition.pattern.label], _NO_EVALUATION, 0)
    if condition.name == "nonconst":
        return binding.get(condition.pattern.label) in FUNCTIONS
    value = constant_value(condition.pattern, values)
    if value is None:
        return condition.name != "total"
    # at these constants no pattern is close to 0, 1 or -1 without being it (a test looks at all of them)
    one = BallEvaluation(np.array([[value]]), np.array([[DEFINED]], np.uint8), np.array([[1e-8]]))
    return _FUNCTIONAL[condition.name](one, 0)


def _compare_constants(rule: Rule, guards: Guards, tally: _Tally) -> None:
    names = pattern_variables(rule.left)
    if any(node.label == "d" for node in rule.left) or len(names) > 2:
        return
    for texts in product(_VALUES, repeat=len(names)):
        binding = dict(zip(names, texts, strict=True))
        values = {name: _VALUES[text] for name, text in binding.items()}
        if not all(_holds_at(condition, binding, values) for condition in guards):
            continue
        left, right = constant_value(rule.left, values), constant_value(rule.right, values)
        kind: Literal["differs", "gained", "lost"] | None = None
        if left is not None and right is not None:
            # coarse, for doubles without bounds; `_compare_trials` has rigorous ones
            kind = "differs" if abs(left - right) > 1e-6 * (1 + abs(left)) else None
        elif left is None and right is not None:
            kind = "gained"
        elif left is not None:
            kind = "lost"
        tally.points += 1
        if kind and getattr(tally, kind) is None:
            setattr(tally, kind, Witness(binding, X, left, right))


def check_rules(rules: Sequence[Rule]) -> tuple[RuleCheck, ...]:
    """Find what each rule does, in the given order; a few seconds for the whole table."""
    candidates, bench = _Candidates(), _Bench()
    work = []
    for rule in rules:
        alternatives = [rule.when, *(rule.when + more for more in rule.exact)]
        work.append(
            (rule, [(guards, _list_trials(rule, guards, candidates, bench)) for guards in alternatives])
        )
    # All trials of all rules are evaluated in one batch, which is much faster than one by one.
    evaluation = bench.evaluate_patterns()
    checks = []
    for rule, sets in work:
        tallies = [_Tally() for _ in sets]
        for tally, (guards, trials) in zip(tallies, sets, strict=True):
            _compare_trials(trials, evaluation, bench.points, tally)
            _compare_constants(rule, guards, tally)
        finding, *exact = (tally.to_finding(guards) for tally, (guards, _) in zip(tallies, sets, strict=True))
        checks.append(RuleCheck(rule, finding, tuple(exact)))
    return tuple(checks)
