"""Verdicts on what double precision does not evaluate, by rigorous values alone: expressions with sums,
products, integrals, `sign` or `floor`, and those with numbers that are too large.

Both are evaluated with bounds at points of the region of the assumptions (`points.Region`), in general
position, far out and beside ends of domains and jumps. That takes longer than double precision does, so
there are fewer points.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from flint import ctx, fmpq

from engines.core.arrays import Floats
from engines.core.expression_language import (
    BINDERS,
    FURTHER,
    LETTERS,
    count_operands,
    is_constant_token,
)
from engines.core.tree import Tree, parse_prefix
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions, order_variables
from engines.mathematics.numbers.numeric import compile_valid
from engines.mathematics.numbers.precise import BITS, BallValue, agreed_bits
from engines.mathematics.verification.domain_boundaries import BoundarySearch
from engines.mathematics.verification.enclosures import (
    MOST_BITS,
    Totals,
    bits_for,
    compute_scales,
    is_finite,
    value_at,
)
from engines.mathematics.verification.exceptional_points import (
    select_exceptional_points,
    unite_exceptional_points,
)
from engines.mathematics.verification.points import BoundaryLines, functions_at, share_region
from engines.mathematics.verification.precision_recheck import UNCLAIMED_BITS
from engines.mathematics.verification.verdicts import (
    NO_EXCEPTIONAL_POINTS,
    Counterexample,
    EqualityEvidence,
    ExceptionalPoints,
    MemberOutcome,
    MemberVerdict,
)
from engines.mathematics.verification.work_limit import WorkLimitError, current_limit, spend_work

_POINTS, _FAR = 40, 6
"""Points in general position, and of each variable far out along it."""
_FEW_INTEGERS = 16
"""So far from 0 integers are tried one by one where an integral is worked out for each."""
_SHARES, _ENOUGH = 20, 10
"""Where work is limited, each kind of points takes at most one in so many parts of it, and so many points in
general position are looked at in any case."""
_SCALE_POINTS = 8
"""Points at which the sizes of terms are looked at."""
_BEYOND = 4
"""Points beyond each curve that are looked at."""
_FEWEST = 8
"""With fewer points at which a member agrees or has no value, it is undecided."""
_VAGUE = 0.5
"""A member is undecided if, for each point that agrees, there are more than so many at which values are known
to a few bits only."""
_BITS, _MORE_BITS = 160, 4_096
"""Working precision, and that where it gives no number."""
# Bits of agreement of two values that count as equal; a difference by chance would hardly be so small.
_AGREED = 48
_LARGEST = sys.float_info.max
_BENDING = ("sign", "min", "max", "root")
"""Operators that bend where an operand is 0, or two are equal; others do so where it is an integer."""
_WRITTEN_OUT = 16
"""Terms of a sum or product that is written out to find where its domain ends."""


class _Point(NamedTuple):
    """A point of comparison with the head's value there.

    `is_far` marks points far from 0, where a value may be too much work; `skips_integrals` those of a large
    grid, where integrals would be; `special_values` are the values of variables that are special by
    themselves, such as a = 0.
    """

    at: tuple[float, ...]
    head: BallValue
    is_far: bool = False
    skips_integrals: bool = False
    special_values: Mapping[str, float] = MappingProxyType({})


class BallVerifier:
    """Judges expressions against one head.

    Attributes: points: (variables, points), all `inside` of the head's domain; reason: as `Verifier`'s.
    """

    def __init__(
        self, head: Tree, names: set[str], assumptions: Assumptions = NO_ASSUMPTIONS, *, seed: int = 0
    ) -> None:
        self.variables = order_variables(names)
        self.named_indices = [index for index, name in enumerate(self.variables) if name in names]
        self._head = head
        self._known: dict[tuple[float, ...], BallValue] = {}
        self._region = region = share_region(tuple(self.variables), assumptions, seed)
        self._totals = Totals()
        # Points of three kinds: in general position, with small integers, and far out.
        few, _ = region.integer_points(_FEW_INTEGERS)
        self._points = self._with_head(np.concatenate([region.points[:, :_POINTS], few], axis=1), _ENOUGH)
        far = np.concatenate([far[:, :_FAR] for far in region.far_points], axis=1)
        self._points += [point._replace(is_far=True) for point in self._with_head(far)]
        known = [point.at for point in self._points if is_finite(point.head)]
        self.reason = (
            ""
            # Too few points with a value: nothing can be decided about this head.
            if len(known) >= _FEWEST
            else f"the head has a value at {len(known)} of {len(self._points)} points"
        )
        self._lines: BoundaryLines | None = None
        stand_in = compile_valid([_to_core_language(head)], variables=self.variables)
        self.points = np.array(known).reshape(-1, len(self.variables)).T
        self.head_domain_count = len(known)
        self._scale_points = self.points[:, :_SCALE_POINTS]
        self._head_scales = compute_scales(stand_in, self._scale_points)
        # Ends of domains are searched for on lines and beyond curves.
        if known and self.named_indices:
            self._lines = BoundaryLines(stand_in, region, self.named_indices, self.points, 1)
            functions = functions_at(self.variables, self._scale_points, merged=True)
            self._boundaries = BoundarySearch(
                stand_in, region, self.named_indices, functions, self.points[:, 0], most=_BEYOND
            )
            self._points += self._with_head(self._lines.points_beside_head_ends())
        # Special points, such as a = 0, are compared too, but only to find exceptional points.
        special, singles = region.special_points
        for column, single in zip(special.T, singles, strict=True):
            self._points += [
                point._replace(special_values=single) for point in self._with_head(column[:, np.newaxis])
            ]
        if "integral" not in head.list_labels():
            for points, far_out in zip(region.integer_points(), (False, True), strict=True):
                self._points += [
                    point._replace(is_far=far_out, skips_integrals=True) for point in self._with_head(points)
                ]

    def judge_members(self, members: Sequence[Tree | Sequence[str]]) -> list[MemberVerdict]:
        """Judge members, as trees or prefix notation."""
        trees = [
            member
            if isinstance(member, Tree)
            else parse_prefix(member, lambda token: count_operands(token, LETTERS))
            for member in members
        ]
        return [self._judge_tree(tree) for tree in trees]

    def _with_head(self, points: Floats, fewest: int = 0) -> list[_Point]:
        """Return the points with the head's value. Where work is limited, a kind of points takes its share of
        it, and those that are left out lie evenly among the others.

        Args:
            fewest: So many points with a value are looked at in any case.
        """
        limit, results, finite = current_limit(), list[_Point](), 0
        begun = limit.spent if limit else 0
        order = _spread_evenly(points.shape[1]) if limit else range(points.shape[1])
        for column in points.T[list(order)].tolist():
            if limit and finite >= fewest and limit.spent - begun > limit.max_operations // _SHARES:
                break
            at = tuple(column)
            try:
                if at not in self._known:
                    self._known[at] = self._value_at(self._head, at)
                results.append(_Point(at, self._known[at]))
                finite += is_finite(self._known[at])
            except WorkLimitError:
                continue
        return results

    def _value_at(self, tree: Tree, point: Sequence[float], bits: int = _BITS) -> BallValue:
        values = {name: fmpq(*at.as_integer_ratio()) for name, at in zip(self.variables, point, strict=True)}
        spend_work(len(tree))
        with ctx.workprec(bits):
            result = value_at(tree, values, self._totals)
        if result is None or result.is_finite() or bits >= _MORE_BITS:
            return result
        return self._value_at(tree, point, _MORE_BITS)

    def _judge_tree(self, tree: Tree) -> MemberVerdict:
        """Judge a member at the points and at special ones.

        At special points a differing value refutes; a missing one only makes an exceptional point. Where one
        of the two has no known value, such as an integral over a pole, nothing is claimed, but for points far
        out.
        """
        if self.reason:
            return MemberVerdict("undecided", 0.0)
        self._totals.spent = inside = missing = unknown = vague = 0
        agreeing: list[tuple[float, ...]] = []
        lost: tuple[_Point, BallValue] | None = None
        gained: tuple[_Point, BallValue] | None = None
        singles: list[tuple[Mapping[str, float], str, Mapping[str, float]]] = []
        integral = "integral" in tree.list_labels()
        points = self._points
        # The member may end where the head does not: points beside its own boundaries.
        if self._lines is not None:
            program = compile_valid([_to_core_language(tree)], variables=self.variables)
            beside, beyond = (
                self._lines.points_for_programs(program, [0])[0][0],
                self._boundaries.search_programs(program, [0])[0].points,
            )
            points = [*points, *self._with_head(np.concatenate([beside, beyond], axis=1))]
        for point in points:
            if point.skips_integrals and integral:
                continue
            try:
                head, member = point.head, self._value_at(tree, point.at)
            except WorkLimitError:
                continue
            # Only one of the two is defined: inside or outside the head's domain.
            if head is None or member is None:
                kind = "" if head is member else "member" if member is None else "head"
                if not is_finite(head if member is None else member):
                    kind = ""
                if point.special_values:
                    singles.append((point.special_values, kind, self._name_values(point)))
                elif kind == "member":
                    inside, missing, lost = inside + 1, missing + 1, lost or (point, member)
                elif kind == "head":
                    gained = gained or (point, member)
                continue
            # A value that is not known (an integral over a pole) decides nothing.
            if not (head.is_finite() and member.is_finite()):
                unknown += (
                    head.is_finite() != member.is_finite() and not point.is_far and not point.special_values
                )
                continue
            with ctx.workprec(_BITS):
                bits = agreed_bits(head, member)
            # Balls that do not overlap prove a difference.
            if bits is None:
                example = self._make_counterexample(point, head, member, member - head)
                return MemberVerdict(
                    "different", 1.0, point_count=len(agreeing) + missing, counterexample=example
                )
            if point.special_values:
                singles.append((point.special_values, "", self._name_values(point)))
                continue
            inside += 1
            if bits >= _AGREED:
                agreeing.append(point.at)
            else:
                vague += not point.is_far
        # The outcome by what was met; without enough agreeing points it is undecided.
        outcome: MemberOutcome = "shrinks" if missing else "extends" if gained else "equal"
        if len(agreeing) + missing < _FEWEST or (not missing and (unknown or vague > len(agreeing) * _VAGUE)):
            outcome = "undecided"
        elif not agreeing:
            outcome = "nowhere"
        # Members that seem equal are compared once more with many bits.
        if outcome in ("equal", "extends", "shrinks"):
            verdict = self._judge_with_more_bits(tree)
            if verdict is not None:
                return verdict
        tried = self._region.describe_tried(np.array(agreeing).T) if agreeing else ""
        checked = EqualityEvidence(_AGREED - UNCLAIMED_BITS, len(agreeing), tried) if agreeing else None
        shown = {"shrinks": lost, "nowhere": lost, "extends": gained}.get(outcome)
        special = ExceptionalPoints(select_exceptional_points(outcome, singles))
        exceptional = unite_exceptional_points(NO_EXCEPTIONAL_POINTS, special)
        return MemberVerdict(
            outcome,
            len(agreeing) / inside if inside else 0.0,
            outcome == "shrinks" and gained is not None,
            len(agreeing) + missing,
            None if shown is None else self._make_counterexample(shown[0], shown[0].head, shown[1]),
            checked,
            exceptional.describe_points(),
            exceptional,
        )

    def _name_values(self, point: _Point) -> dict[str, float]:
        return dict(zip(self.variables, point.at, strict=True))

    def _judge_with_more_bits(self, tree: Tree) -> MemberVerdict | None:
        """Return what more bits say where terms are lost in the usual ones at all points; None if no more."""
        if not self._scale_points.shape[1]:
            return None
        program = compile_valid([_to_core_language(tree)], variables=self.variables)
        bits, index = bits_for(np.maximum(self._head_scales, compute_scales(program, self._scale_points))[0])
        if bits > MOST_BITS:
            return MemberVerdict("undecided", 0.0)
        if bits <= BITS:
            return None
        at = tuple(self._scale_points[:, index].tolist())
        head, member = self._value_at(self._head, at, bits), self._value_at(tree, at, bits)
        with ctx.workprec(bits):
            if head is None or member is None or agreed_bits(head, member) is not None:
                return None
            example = self._make_counterexample(_Point(at, head), head, member, member - head)
        return MemberVerdict("different", 1.0, point_count=1, counterexample=example)

    def _make_counterexample(
        self, point: _Point, head: BallValue, member: BallValue, gap: BallValue = None
    ) -> Counterexample:
        at = tuple((self.variables[index], point.at[index]) for index in self.named_indices)
        left, right, apart = (
            None if known is None else max(-_LARGEST, min(_LARGEST, float(known)))
            for known in (head, member, gap)
        )
        return Counterexample(point.at[0], left, right, apart, at)


def _spread_evenly(count: int) -> list[int]:
    """Return the places of a row in an order whose beginnings lie evenly among all.

    >>> _spread_evenly(5)
    [0, 4, 2, 1, 3]
    """
    bits = max(1, (count - 1).bit_length())
    return sorted(range(count), key=lambda index: int(f"{index:0{bits}b}"[::-1], 2))


def _to_core_language(tree: Tree, bound: Mapping[str, Tree] = MappingProxyType({})) -> Tree:
    """Return an expression of the core language whose domain ends, or that bends, about where that of this
    one may end or jump: where the argument of `sign` is 0, or that of `floor` an integer.

    Short sums and products are written out; for longer ones, and for integrals, what is at their ends stands.

    Args:
        bound: What stands for bound variables.
    """
    label = tree.label
    if not tree.children:
        return bound.get(label, tree)
    if label in FURTHER and label not in BINDERS:
        parts = [_to_core_language(child, bound) for child in tree.children]
        inner = parts[0] if len(parts) == 1 else Tree("-", (parts[0], parts[1]))
        if label == "root":
            inner = parts[1]
        bend = inner if label in _BENDING else Tree("sin", (Tree("*", (Tree("pi"), inner)),))
        return Tree("+", (inner, Tree("*", (Tree("0"), Tree("abs", (bend,))))))
    if label not in BINDERS:
        return Tree(label, tuple(_to_core_language(child, bound) for child in tree.children))
    name, low, high, body = tree.children
    ends = [_to_core_language(low, bound), _to_core_language(high, bound)]
    numbers = [int(end.label) for end in ends if is_constant_token(end.label) and "." not in end.label]
    if label != "integral" and len(numbers) == 2 and 0 < numbers[1] - numbers[0] < _WRITTEN_OUT:
        ends = [Tree(str(number)) for number in range(numbers[0], numbers[1] + 1)]
    terms = [_to_core_language(body, {**bound, name.label: end}) for end in ends]
    return reduce(lambda left, right: Tree("*" if label == "prod" else "+", (left, right)), terms)
