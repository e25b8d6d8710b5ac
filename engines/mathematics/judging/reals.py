"""Real terms of any variables: judged by the verifier, and the hypothesis found that is missing;
what is assumed of variables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce

import numpy as np
from flint import fmpq

from engines.core.errors import EngineError, ExpressionError
from engines.core.expression_language import (
    BINDERS,
    CONSTANTS,
    FURTHER,
    VARIABLE,
    WHOLE,
    display_name,
    variables_of,
)
from engines.core.tree import MAX_DEPTH, MAX_NODES, ZERO, Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.assumptions import AssumedRelation, Assumptions
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import (
    EQUAL,
    INTEGERS,
    NUMBER_SETS,
    TURNED,
    free_variables,
    replace_variable,
    undecided_verdict,
)
from engines.mathematics.judging.numbers import NoValueError
from engines.mathematics.judging.verdicts import Outcome, Verdict
from engines.mathematics.numbers.numeric import compile_valid, evaluate_balls
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.verification.ball_verifier import BallVerifier
from engines.mathematics.verification.enclosures import value_at
from engines.mathematics.verification.explain import describe_domain
from engines.mathematics.verification.points import Region, share_region
from engines.mathematics.verification.verdicts import MemberVerdict
from engines.mathematics.verification.verifier import Verifier, make_verifier, needs_rigorous_bounds

_MOST_VARIABLES = 24
# Expanding higher powers is slow, and a polynomial that is not 0 differs at one of the first points.
_MOST_POWER, _MOST_TRIES = 24, 8
_TRIED = 48
"""Points at which a hypothesis is looked for."""
_CONDITIONS = 3
_MUCH = 0.5
"""The share of values in common, of all where a hypothesis holds, for which it is named."""
_SPELT = {"≥": ">=", "≤": "<=", "≠": "!="}
_DOMAINS: Mapping[str, str] = {
    "ln": "{} > 0",
    "sqrt": "{} >= 0",
    "asin": "-1 <= {} <= 1",
    "acos": "-1 <= {} <= 1",
    "factorial": "{} >= 0",
    "gamma": "{} > 0",
}


@dataclass(frozen=True, slots=True)
class Known:
    """What is assumed about variables.

    `notes` says what was settled on the way and must be reported; `unclear` says which assumption could not
    be taken into account; `complex_names` need not be real.
    """

    assumptions: Assumptions
    notes: tuple[str, ...] = ()
    unclear: str = ""
    complex_names: frozenset[str] = frozenset()


def judge_real_terms(left: Tree, right: Tree, known: Known, *, seed: int = 0) -> Verdict:
    """Judge whether two real terms of the core language are equal."""
    if max(len(left), len(right)) > MAX_NODES or max(left.depth, right.depth) > MAX_DEPTH:
        return undecided_verdict("the terms are too large")
    names = variables_of(left, right) | known.assumptions.variables
    if not names:
        return of_numbers(left, right)
    if len(names) > _MOST_VARIABLES:
        return undecided_verdict(f"there are more than {_MOST_VARIABLES} variables")
    # Polynomials are decided exactly, which is faster and leaves no doubt.
    if (result := _judge_polynomials(left, right, known)) is not None:
        return result
    whole = with_integers((left, right), known)
    renamed = _Renamed(left, right, whole.assumptions)
    # An error means that the verifier cannot judge the terms, and says nothing about them.
    try:
        result = renamed.judge_terms(seed)
    except (EngineError, RecursionError, OverflowError) as error:
        what = error.what if isinstance(error, EngineError) else "the terms are too large"
        return undecided_verdict(what)
    notes = "; ".join(whole.notes)
    # An assumption that is not understood might exclude the point at which they differ.
    if result.outcome == "different" and whole.unclear:
        return undecided_verdict(f"{whole.unclear} is assumed, which is not understood")
    return replace(result, reason="; ".join(filter(None, [result.reason, notes])))


def _judge_polynomials(left: Tree, right: Tree, known: Known) -> Verdict | None:
    """Polynomials are equal if their coefficients are. None for other terms, or where it depends on what is
    assumed."""
    if not (_is_polynomial(left) and _is_polynomial(right)):
        return None
    difference = Tree("-", (left, right))
    space = Space([difference])
    try:
        result = space.to_quotient(difference).top
    except TooLargeError:
        return None
    # A polynomial vanishes everywhere exactly if all of its coefficients do.
    if result.is_zero():
        return EQUAL
    # Under assumptions, such as x = y, they may be equal all the same.
    if known.assumptions or known.unclear or known.notes:
        return None
    names = [atom.label for atom in space.atoms]
    # A polynomial that is not zero has few zeros, so one of the first small points shows the difference.
    for start in range(2, 2 + _MOST_TRIES):
        point = {name: fmpq(start + 3 * index) for index, name in enumerate(names)}
        first, second = (value_at(side, point) for side in (left, right))
        if first is not None and second is not None and not first.overlaps(second):
            at_ = ", ".join(f"{display_name(name)} = {position}" for name, position in point.items())
            return Verdict("different", witness=f"{at_}: {float(first):.8g} and {float(second):.8g}")
    return None


def _is_polynomial(tree: Tree) -> bool:
    return numbers.is_polynomial(tree, _MOST_POWER) and {*CONSTANTS}.isdisjoint(tree.list_labels())


def of_numbers(left: Tree, right: Tree) -> Verdict:
    """Judge whether two terms without variables are the same number."""
    try:
        sign = numbers.compare_numbers(left, right)
    except NoValueError:
        return undecided_verdict("one of them has no real value")
    if sign is None:
        return undecided_verdict("the difference is too small to be seen, or a value is not known")
    if sign:
        return Verdict("different", witness=numbers.format_apart(left, right))
    return EQUAL


def with_integers(trees: Sequence[Tree], known: Known) -> Known:
    """Return the assumptions with variables in `n!`, `gcd(a, b)` or the bounds of a sum as integers."""
    lower_bounds: dict[str, Tree] = {}
    for tree in trees:
        for node in tree:
            # The smallest value of such a variable: the lower bound of its sum, otherwise 0.
            if node.label in ("sum", "prod"):
                low, high = node.children[1:3]
                for name in sorted(variables_of(high) - variables_of(low)):
                    lower_bounds[name] = low if high == Tree(name) else lower_bounds.get(name, ZERO)
                for name in variables_of(low):
                    lower_bounds.setdefault(name, ZERO)
            elif node.label in WHOLE and node.label not in ("gamma", "pochhammer"):
                for name in variables_of(node):
                    lower_bounds.setdefault(name, ZERO)
    # Bound variables of sums are integers anyway.
    bound = {node.children[0].label for tree in trees for node in tree if node.label in BINDERS}
    assumed = known.assumptions
    assumed_variables = assumed.variables
    free = variables_of(*trees)
    new = sorted(name for name in lower_bounds if name in free and name not in bound - free)
    if not new:
        return known
    integers = tuple(sorted({*assumed.integers, *new}))
    relations = tuple(
        AssumedRelation(lower_bounds[name], "<=", Tree(name))
        for name in new
        if name not in assumed_variables - {*assumed.integers}
    )
    # What is assumed here is reported with the verdict.
    notes = tuple(
        f"{display_name(name)} is an integer"
        + (
            ""
            if name in assumed_variables - {*assumed.integers}
            else f", {display_name(name)} >= {to_infix(lower_bounds[name])}"
        )
        for name in new
        if name not in assumed.integers or name not in assumed_variables
    )
    return Known(
        Assumptions(integers, (*assumed.relations, *relations)), (*known.notes, *notes), known.unclear
    )


class _Renamed:
    """Two terms whose variables have names for the verifier, among which the one by which they are
    differentiated is x."""

    def __init__(self, left: Tree, right: Tree, assumptions: Assumptions) -> None:
        slopes = {
            node.children[0].label
            for tree in (left, right)
            for node in tree
            if node.label == "d" and node.children
        }
        if len(slopes) > 1:
            raise ExpressionError("derivatives by several variables are not judged")
        names = sorted(variables_of(left, right) | assumptions.variables)
        bound = {node.children[0].label for tree in (left, right) for node in tree if node.label in BINDERS}
        # The verifier differentiates by x alone, so the variable of the derivatives takes this name.
        first = next(iter(slopes), VARIABLE if VARIABLE in names or len(names) != 1 else names[0])
        self.names = {first: VARIABLE}
        taken = {*names, *bound}
        # Another variable that is called x already gets a new name.
        new = (f"x_{number}'" for number in range(len(taken) + 1))
        for name in sorted(taken - {first}):
            self.names[name] = name if name != VARIABLE else next(one for one in new if one not in taken)
        self.back = {new: old for old, new in self.names.items()}
        self.left, self.right = (rename_variables(tree, self.names) for tree in (left, right))
        self.assumptions = Assumptions(
            tuple(self.names[name] for name in assumptions.integers),
            tuple(
                AssumedRelation(
                    rename_variables(one.left, self.names), one.sign, rename_variables(one.right, self.names)
                )
                for one in assumptions.relations
            ),
        )

    def judge_terms(self, seed: int) -> Verdict:
        verdict, reason = self._verify_terms(self.assumptions, seed)
        match verdict.outcome:
            case "equal" | "extends" | "shrinks":
                return self._equal_verdict(verdict)
            case "different":
                condition = self._find_hypothesis(seed)
                witness = self._describe_witness(verdict)
                if condition:
                    return Verdict("equal if", condition, witness)
                return Verdict("different", witness=witness)
        condition = self._find_hypothesis(seed)
        if condition:
            return Verdict("equal if", condition)
        if verdict.outcome == "nowhere":
            return undecided_verdict("they have no value at the same points")
        return undecided_verdict(reason or "too few points show whether they are equal")

    def _verify_terms(self, assumptions: Assumptions, seed: int) -> tuple[MemberVerdict, str]:
        if needs_rigorous_bounds(self.left, self.right):
            judge = make_verifier(self.left, self.right, assumptions=assumptions, seed=seed)
        else:
            names = tuple(sorted(variables_of(self.left, self.right)))
            judge = _make_shared_verifier(self.left, names, assumptions, seed)
        (result,) = judge.judge_members([self.right])
        return result, judge.reason

    def _equal_verdict(self, verdict: MemberVerdict) -> Verdict:
        exceptional = self._exclude_exceptional_points(verdict)
        if verdict.outcome == "equal":
            outcome: Outcome = "equal if" if exceptional else "equal"
            return Verdict(outcome, exceptional, checked=verdict.checked)
        left = verdict.outcome == "extends" or verdict.gained
        sides = [*([self.left] if left else []), *([self.right] if verdict.outcome != "extends" else [])]
        condition = self._describe_domain(sides)
        conditions = " and ".join(filter(None, [condition, exceptional]))
        return Verdict("equal if", conditions, checked=verdict.checked)

    def _exclude_exceptional_points(self, verdict: MemberVerdict) -> str:
        return verdict.exceptional_points.exclude_points(lambda tree: rename_variables(tree, self.back))

    def _describe_domain(self, sides: Sequence[Tree]) -> str:
        """Return where terms are defined, in words: what their own parts need that those of the other do
        not."""
        plain = FURTHER.keys().isdisjoint(sides[0].list_labels())
        if plain and set(self.back) == {VARIABLE} and not self.assumptions and len(sides) == 1:
            text = describe_domain(sides[0]).text
            if text and not text.startswith(("about", "unknown", "nowhere")):
                for sign, spelt in _SPELT.items():
                    text = text.replace(sign, spelt)
                return re.sub(r"\bx\b", display_name(self.back[VARIABLE]), text)
        others = {*list_needs(self.left)} & {*list_needs(self.right)}
        results = [need for side in sides for need in list_needs(side) if need not in others]
        texts = [
            text.format(to_infix(rename_variables(tree, self.back))) for text, tree in dict.fromkeys(results)
        ]
        return " and ".join(texts[:_CONDITIONS]) if texts else "both sides are defined"

    def _describe_witness(self, verdict: MemberVerdict) -> str:
        example = verdict.counterexample
        if example is None:
            return ""
        at = dict(example.at) or {VARIABLE: example.x}
        positions = ", ".join(
            f"{display_name(self.back.get(name, name))} = {position:.6g}"
            for name, position in at.items()
            if name in self.back
        )
        sides = [("no value" if side is None else f"{side:.8g}") for side in (example.head, example.member)]
        return f"{positions}: {sides[0]} and {sides[1]}"

    # ---- the hypothesis that is missing

    def _find_hypothesis(self, seed: int) -> str:
        """Return a condition on the variables under which the terms are equal, or "": what holds at all
        points tried where the condition holds, and at no other by the verifier.
        """
        try:
            region = share_region(tuple(dict.fromkeys([VARIABLE, *self.back])), self.assumptions, seed)
            # Evaluating the property raises an error if no point satisfies the assumptions.
            region.points  # noqa: B018
        except EngineError:
            return ""
        # A candidate was true at all points tried; the verifier confirms or rejects it.
        for candidate in self._iterate_candidates(region):
            assumed = Assumptions(
                tuple(sorted({*self.assumptions.integers, *candidate.integers})),
                (*self.assumptions.relations, *candidate.relations),
            )
            try:
                verdict, _ = self._verify_terms(assumed, seed)
            except EngineError:
                continue
            # few values in common may be the same by chance
            much = verdict.outcome == "shrinks" and verdict.kept_share > _MUCH and not candidate.integers
            if verdict.outcome in ("equal", "extends") or much:
                parts = [self._describe_assumptions(candidate)]
                if verdict.exceptional_points.points:
                    parts.append(self._exclude_exceptional_points(verdict))
                return " and ".join(parts)
        return ""

    def _describe_assumptions(self, assumed: Assumptions) -> str:
        texts = [f"{display_name(self.back[name])} is an integer" for name in assumed.integers]
        for one in assumed.relations:
            left, right = rename_variables(one.left, self.back), rename_variables(one.right, self.back)
            if one.left == ZERO and one.sign != "!=":
                texts.append(f"{to_infix(right)} {one.sign.replace('<', '>')} 0")
            else:
                texts.append(f"{to_infix(left)} {one.sign} {to_infix(right)}")
        return " and ".join(texts)

    def _iterate_candidates(self, region: Region) -> Iterator[Assumptions]:
        names = [name for name in self.back if name in variables_of(self.left, self.right)]
        real = [name for name in names if name not in self.assumptions.integers]
        points = region.points[:, : 4 * _TRIED]
        rows = dict(zip(region.variables, points, strict=True))
        # Sign conditions: the sides must agree at some of the points that satisfy it, differ at none of
        # them, and there must be at least eight.
        conditions = []
        for sign in ("<", ">"):
            for chosen in [[name] for name in real] + ([real] if len(real) > 1 else []):
                ahead = [rows[name] > 0 if sign == "<" else rows[name] < 0 for name in chosen]
                conditions.append((chosen, sign, reduce(np.logical_and, ahead)))
        agreeing = self._compare_at_points(points, region.variables, [inside for *_, inside in conditions])
        for chosen, sign, inside in conditions:
            if inside.sum() >= 8 and (agreeing[inside] >= 0).all() and (agreeing[inside] > 0).any():
                yield from self._of_sign(chosen, sign)
        # Integers: replace the values of the variables by small natural numbers.
        for chosen in [[name] for name in real] + ([real] if len(real) > 1 else []):
            whole = points.copy()
            for name in chosen:
                whole[region.variables.index(name)] = np.arange(whole.shape[1]) // 8 % 13 + 1
            tried = whole[:, ::8]
            seen = self._compare_at_points(tried, region.variables, [np.ones(tried.shape[1], bool)])
            if (seen >= 0).all() and (seen > 0).any():
                yield Assumptions(tuple(sorted(chosen)))
                yield Assumptions(
                    tuple(sorted(chosen)), tuple(AssumedRelation(ZERO, "<=", Tree(name)) for name in chosen)
                )

    @staticmethod
    def _of_sign(chosen: Sequence[str], sign: str) -> Iterator[Assumptions]:
        for strict in ("<=", "<"):
            relations = [
                AssumedRelation(ZERO, strict, Tree(name))
                if sign == "<"
                else AssumedRelation(Tree(name), strict, ZERO)
                for name in chosen
            ]
            yield Assumptions((), tuple(relations))

    def _compare_at_points(
        self, points: np.ndarray, variables: Sequence[str], conditions: Sequence[np.ndarray]
    ) -> np.ndarray:
        """1 where both have about the same value, -1 where they certainly differ, 0 where one has none, or
        where every condition already holds at a point at which they differ.

        Args:
            conditions: At which points each condition holds.
        """
        if FURTHER.keys().isdisjoint([*self.left.list_labels(), *self.right.list_labels()]):
            programs = compile_valid([self.left, self.right], variables=variables)
            (first, second), (error, wide) = evaluate_balls(programs, points)
            known = np.isfinite(error) & np.isfinite(wide)
            with np.errstate(all="ignore"):
                close = np.abs(first - second) <= 4 * (error + wide) + 1e-12 * np.abs(first)
            return np.where(known, np.where(close, 1, -1), 0)
        results: list[int] = []
        for index, column in enumerate(points.T[:_TRIED].tolist()):
            if not conditions:
                break
            point = dict(zip(variables, column, strict=True))
            first, second = (numbers.evaluate_at(side, point) for side in (self.left, self.right))
            if first is None or second is None or not (first.is_finite() and second.is_finite()):
                results.append(0)
            else:
                results.append(1 if first.overlaps(second) else -1)
                if results[-1] < 0:
                    conditions = [inside for inside in conditions if not inside[index]]
        return np.array(results + [0] * (points.shape[1] - len(results)))


@lru_cache(32)
def _make_shared_verifier(
    head: Tree, names: tuple[str, ...], assumptions: Assumptions, seed: int
) -> Verifier | BallVerifier:
    """Return the verifier of a head that is compared with several members in turn, one after the other."""
    return make_verifier(head, *map(Tree, names), assumptions=assumptions, seed=seed)


def list_needs(tree: Tree) -> list[tuple[str, Tree]]:
    """Return what the parts of a term need in order to be defined: texts with a gap for a term, and the
    terms.
    """
    result: list[tuple[str, Tree]] = []
    for node in tree:
        if node.label in _DOMAINS:
            inner = node.children[0]
            result += [] if numbers.is_number(inner) else [(_DOMAINS[node.label], inner)]
        elif node.label in ("/", "mod") and not _never_zero(node.children[1]):
            result.append(("{} != 0", node.children[1]))
        elif node.label == "pow":
            base, exponent = node.children
            fixed = numbers.exact_value(exponent)
            if numbers.is_number(base):
                continue
            # A real power with an exponent that is no integer needs a base that is not negative.
            if fixed is None or fixed != int(fixed):
                result.append(("{} >= 0" if fixed is not None and fixed > 0 else "{} > 0", base))
            # An exponent of 0 or less excludes the base 0.
            elif fixed <= 0:
                result.append(("{} != 0", base))
        elif node.label == "log":
            result += [("{} > 0", part) for part in node.children if not numbers.is_number(part)]
    return result


def _never_zero(tree: Tree) -> bool:
    """Return whether a term is certainly not 0 where it is defined."""
    if tree.label == "*":
        return all(map(_never_zero, tree.children))
    return (
        numbers.is_number(tree) or tree.label in ("factorial", "gamma") or tree.children[:1] == (Tree("e"),)
    )


def rename_variables(tree: Tree, names: Mapping[str, str]) -> Tree:
    """Return a tree with other names of variables, bound ones too."""
    if not tree.children:
        return Tree(names[tree.label]) if tree.label in names else tree
    return Tree(tree.label, tuple(rename_variables(child, names) for child in tree.children))


@dataclass(frozen=True, slots=True)
class Given(Known):
    """Also what stands for variables, by what is assumed to be equal to them."""

    values: tuple[tuple[str, Tree], ...] = ()

    def substitute_given(self, tree: Tree) -> Tree:
        """Return a tree with given values in the place of variables."""
        for name, instead in self.values:
            tree = replace_variable(tree, name, instead)
        return tree


def read_assumptions(statements: Sequence[Tree]) -> Given:
    """Read statements as assumptions: integers, relations, and values of variables."""
    integers: dict[str, None] = {}
    relations: list[AssumedRelation] = []
    values: list[tuple[str, Tree]] = []
    complex_names: set[str] = set()
    unclear = ""
    for one in iterate_flat(statements):
        # Values that were stated earlier are substituted into later statements.
        for name, instead in values:
            one = replace_variable(one, name, instead)
        if one.label == "in" and not one.children[0].children and one.children[1].label in INTEGERS:
            name = one.children[0].label
            integers[name] = None
            if one.children[1].label in ("N", "ℕ"):
                relations.append(AssumedRelation(ZERO, "<=", Tree(name)))
        # Being real, or a number of another such set, restricts nothing here.
        elif one.label == "in" and one.children[1].label in NUMBER_SETS:
            complex_names |= {one.children[0].label} if one.children[1].label in ("C", "ℂ") else set()
        elif one.label == "=" and (result := _value_said(one)):
            values.append(result)
        elif (relation := _to_relation(one)) is not None:
            relations.append(relation)
        else:
            unclear = unclear or describe_statement(one)
    assumptions = Assumptions(tuple(sorted(integers)), tuple(relations))
    return Given(assumptions, (), unclear, frozenset(complex_names), tuple(values))


def iterate_flat(statements: Sequence[Tree]) -> Iterator[Tree]:
    """Yield the parts of statements joined by `and`."""
    for one in statements:
        if one.label == "and":
            yield from iterate_flat(one.children)
        else:
            yield one


def _value_said(equation: Tree) -> tuple[str, Tree] | None:
    for side, value in (equation.children, equation.children[::-1]):
        if (
            not side.children
            and {side.label} == free_variables(side)
            and side.label not in value.list_labels()
        ):
            return side.label, value
    return None


def _to_relation(statement: Tree) -> AssumedRelation | None:
    if statement.label not in ("<", "<=", ">", ">=", "!="):
        return None
    left, right = statement.children
    names = sorted(free_variables(left, right) | {"x"})
    difference = Tree("-", (left, right))
    if not free_variables(difference) or compile_valid([difference], variables=names).nesting[0] < 0:
        return None
    if statement.label[0] == ">":
        return AssumedRelation(right, TURNED[statement.label], left)  # type: ignore[arg-type]
    return AssumedRelation(left, statement.label, right)  # type: ignore[arg-type]


def describe_statement(statement: Tree) -> str:
    """Return a statement for people."""
    if len(statement.children) == 2:
        left, right = statement.children
        return f"{to_infix(left)} {statement.label} {to_infix(right)}"
    return to_infix(statement)
