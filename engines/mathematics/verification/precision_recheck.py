"""Recheck with more and more bits what double precision cannot tell of a head and its members.

Values are compared as balls of several hundred bits at a few points of the head's domain; what the members
share is computed once. Isolated points where only one of the two is defined are worked out from the places
where their terms meet the edges of their domains (`engines.mathematics.numbers.domain`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from flint import arb, ctx

from engines.core.arrays import Floats
from engines.core.expression_language import VARIABLE
from engines.core.tree import Tree
from engines.mathematics.numbers.domain import Edges
from engines.mathematics.numbers.numeric import Programs
from engines.mathematics.numbers.numeric_kernel import LEAF
from engines.mathematics.numbers.precise import (
    BITS,
    BallValue,
    Functions,
    agreed_bits,
)
from engines.mathematics.verification.enclosures import ROUNDING_BITS
from engines.mathematics.verification.exceptional_points import (
    ExceptionalPlace,
    LineExceptionalPoints,
    find_condition,
)
from engines.mathematics.verification.points import (
    functions_at,
    points_beside,
    search_radius,
    values_of,
)
from engines.mathematics.verification.verdicts import (
    NO_EXCEPTIONAL_POINTS,
    Condition,
    EqualityEvidence,
    ExceptionalPoint,
    ExceptionalPoints,
)

CONSTANT_BITS = 1024
"""Working precision where the head does not vary."""
UNCLAIMED_BITS = 32
"""Bits of agreement that are found and not claimed, because sub-terms that agree stand for one another."""
PROBES = 4
MORE_BITS = (256, 1024, 4096)
"""Precisions tried one after the other where the first does not settle it."""


class ValueDifference(NamedTuple):
    """A point where the values certainly differ: the head's, the member's and their difference."""

    x: float
    head: float
    member: float
    difference: float


class Recheck:
    """A head at high precision, against which members are rechecked.

    Args:
        head: Program of the head.
        points: Points of its domain, shape `(points,)`.

    Attributes:
        functions: The functions of head and members.
    """

    def __init__(self, head: Programs, points: Floats) -> None:
        self._head = head
        self._probes = _list_probes(points)
        varies = bool((head.nodes[0] == LEAF).any())
        self.functions = Functions(self._probes, BITS if varies else CONSTANT_BITS)
        self._edges = Edges(self.functions)
        node_functions = self.functions.read_programs(head, head.roots)
        self._function = node_functions[head.roots[0]]
        ((self._holes, self._ends),) = self._edges.compute_masks(head, node_functions, head.roots)
        self._agreed: dict[int, tuple[EqualityEvidence | None, int | None]] = {}
        self._elsewhere: dict[float, tuple[Functions, tuple[BallValue, ...]]] = {}
        self._exceptional_points = LineExceptionalPoints(head, self._edges, self._holes)
        self._points: dict[tuple[tuple[ExceptionalPlace, ...], bool], ExceptionalPoints] = {}
        self._beside: dict[int, Floats] = {}
        self._known: dict[int, float | None] = {}

    def points_beside_domain_ends(self) -> list[float]:
        """Return points at both sides of where the head's domain may end."""
        return points_beside(self._edges, self._ends)

    def read_programs(self, programs: Programs, chosen: Sequence[int]) -> list[int]:
        """Return the function of every node of these programs, for `recheck_values` and `recheck_domains`."""
        return self.functions.read_programs(programs, programs.roots[chosen])

    def recheck_values(
        self, programs: Programs, node_functions: list[int], chosen: Sequence[int]
    ) -> list[ValueDifference | EqualityEvidence | None]:
        """Return, for some programs, a point where one differs from the head, or how far it agrees.

        None means that neither has a value at the points that were looked at.
        """
        results: list[ValueDifference | EqualityEvidence | None] = []
        for k, root in zip(chosen, programs.roots[chosen].tolist(), strict=True):
            function = node_functions[root]
            if function not in self._agreed:
                heads = self.functions.values[self._function]
                values = self.functions.values[function]
                self._agreed[function] = measure_agreement(self.functions, heads, values)
            checked, doubtful = self._agreed[function]
            closer = (
                None if doubtful is None else self.compare_with_more_bits(programs, k, self._probes[doubtful])
            )
            results.append(closer if isinstance(closer, ValueDifference) else checked or closer)
        return results

    def is_undefined_everywhere(self, function: int) -> bool:
        """Return whether a function or the head has no value at any of the points looked at."""
        return any(is_undefined(self.functions.values[one]) for one in (self._function, function))

    def compare_at(self, programs: Programs, k: int, x: float) -> ValueDifference | EqualityEvidence | None:
        """Compare one program with the head at a point that is not one of those of `values`."""
        if x not in self._elsewhere:
            functions = Functions([x])
            self._elsewhere[x] = functions, values_of(functions, self._head, [0])[0]
        functions, heads = self._elsewhere[x]
        checked, _ = measure_agreement(functions, heads, values_of(functions, programs, [k])[0])
        return checked or self.compare_with_more_bits(programs, k, x)

    def compare_with_more_bits(
        self, programs: Programs, k: int, x: float
    ) -> ValueDifference | EqualityEvidence | None:
        """Compare one program with the head at one point, with more and more bits.

        Returns:
            What was found; None if no number of bits settles it.
        """
        for bits, agreed, values in iterate_with_more_bits(self._head, programs, k, np.array([x])):
            if agreed is None:
                return ValueDifference(x, *values)
            if agreed >= bits - ROUNDING_BITS:
                return EqualityEvidence(bits - ROUNDING_BITS - UNCLAIMED_BITS, 1)
        return None

    def recheck_domains(
        self, programs: Programs, node_functions: list[int], chosen: Sequence[int]
    ) -> tuple[list[int], dict[int, Floats], list[float | None]]:
        """Compare the domains of programs that agree with the head.

        Returns:
            The holes of each program, for `find_exceptional_points`; by the program's index among the
            chosen, points next to ends of its domain that are not ends of the head's; and for each program
            the distance from 0 up to which all ends that only one of the two has are known, None if some
            could only be searched for.
        """
        masks = self._edges.compute_masks(programs, node_functions, programs.roots[chosen])
        points: dict[int, Floats] = {}
        known: list[float | None] = []
        for row, (holes, ends) in enumerate(masks):
            if own := ends & ~self._ends:
                if own not in self._beside:
                    self._beside[own] = np.array([points_beside(self._edges, own, others=self._ends)])
                points[row] = self._beside[own]
            apart = (holes ^ self._holes) | (ends ^ self._ends)
            if apart not in self._known:
                self._known[apart] = None if apart & self._edges.searches else self._looked_radius(apart)
            known.append(self._known[apart])
        return [holes for holes, _ in masks], points, known

    def may_have_other_places(self, function: int, values: Sequence[int]) -> bool:
        """Return whether a function may have one of some values at places besides those that are known."""
        with ctx.workprec(self.functions.bits):
            results = [self._edges.solve_equation(function, arb(value)) for value in values]
        return function in self.functions.faded or any(mask & self._edges.searches for mask in results)

    def _looked_radius(self, apart: int) -> float:
        own = search_radius(self._edges, apart & ~self._ends)
        return min(own, self._head_looked) if apart & self._ends else own

    @cached_property
    def _head_looked(self) -> float:
        return search_radius(self._edges, self._ends)

    def find_exceptional_points(
        self, programs: Programs, k: int, holes: int, *, both: bool
    ) -> ExceptionalPoints:
        """Return the exceptional points of a program.

        Args:
            holes: Of the program.
            both: Whether also those where the head is undefined count.
        """
        member = partial(programs.select_programs, [k])
        results, more = self._exceptional_points.find_places(member, holes, both=both)
        key = tuple(results), more
        if key not in self._points:
            points = (
                ExceptionalPoint(
                    ((Tree(VARIABLE), exceptional.place.text),),
                    exceptional.lost,
                    {VARIABLE: exceptional.place.value},
                    exceptional.endless,
                    self._find_family(member(), exceptional),
                )
                for exceptional in results
            )
            self._points[key] = ExceptionalPoints(tuple(points), more) if results else NO_EXCEPTIONAL_POINTS
        return self._points[key]

    def _find_family(self, member: Programs, exceptional: ExceptionalPlace) -> Condition | None:
        """Return what holds at all places of a family without end."""
        if not exceptional.endless:
            return None
        program = member if exceptional.lost else self._head.select_programs([0])
        return find_condition(self._edges, program, program, exceptional.place)


def measure_agreement(
    functions: Functions, heads: Sequence[BallValue], members: Sequence[BallValue]
) -> tuple[EqualityEvidence | None, int | None]:
    """Return how far values at the same points agree, and the place of one where they are not seen to."""
    points, doubtful = 0, None
    with ctx.workprec(functions.bits):
        for index, (head, member) in enumerate(zip(heads, members, strict=True)):
            if head is not None and member is not None and head.is_finite() and member.is_finite():
                if (agreed_bits(head, member) or 0) >= functions.agreed:
                    points += 1
                else:
                    doubtful = index
    return EqualityEvidence(functions.agreed - UNCLAIMED_BITS, points) if points else None, doubtful


def iterate_with_more_bits(
    head: Programs, programs: Programs, k: int, point: Floats
) -> Iterator[tuple[int, int | None, tuple[float, float, float]]]:
    """Yield comparisons at a point with more and more bits, as long as the program and the head have values
    there.

    Each is the number of bits, to how many of them the values agree (None where they differ), and the values
    with their gap.
    """
    for bits in MORE_BITS:
        alone = functions_at(head.variables, point[:, np.newaxis], bits)
        with ctx.workprec(bits):
            (left,), (right,) = values_of(alone, head, [0])[0], values_of(alone, programs, [k])[0]
            if left is None or right is None or not (left.is_finite() and right.is_finite()):
                return
            agreed, values = agreed_bits(left, right), (float(left), float(right), float(right - left))
        yield bits, agreed, values


def is_undefined(values: Sequence[BallValue]) -> bool:
    """Return whether there is certainly no value at any of some points."""
    return all(value is None for value in values)


def _list_probes(points: Floats) -> list[float]:
    results = []
    for side in (np.sort(points[points > 0]), -np.sort(-points[points <= 0])):
        results += [float(side[int(share * len(side))]) for share in (0.1, 0.6) if len(side)]
    return results[:PROBES]
