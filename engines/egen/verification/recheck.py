"""What double precision cannot tell of a head and its members, by rigorous bounds.

Values are compared as balls of several hundred bits at a few points of the head's domain; what the members
share is computed once. Isolated points where only one of the two is defined are worked out from the places
where their terms meet the edges of their domains (`engines.core.domain`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from engines.core.domain import Edges, Place
from engines.core.numeric import Programs, balls
from engines.core.numeric_kernel import LEAF
from engines.core.precise import BITS, Functions, Value, agreement
from engines.egen.records import Agreed
from engines.egen.verification.points import around, beside, exactly, looked

Floats = NDArray[np.float64]

CONSTANT_BITS = 1024
"""Working precision where the head does not vary."""
SPARE = 32
"""Bits of agreement that are found and not claimed, because sub-terms that agree stand for one another."""
PROBES = 4
MORE_BITS = (256, 1024, 4096)
"""Precisions tried one after the other where the first does not settle it."""
SHOWN = 4
"""Isolated points that are listed."""


class Apart(NamedTuple):
    """A point where the values certainly differ: the head's, the member's and their difference."""

    x: float
    head: float
    member: float
    difference: float


class Recheck:
    """One head, seen at high precision.

    Args: head: its program. points: (points,) of its domain. Attributes: functions: of head and members.
    """

    def __init__(self, head: Programs, points: Floats) -> None:
        self._head = head
        self._probes = _probes(points)
        varies = bool((head.nodes[0] == LEAF).any())
        self.functions = Functions(self._probes, BITS if varies else CONSTANT_BITS)
        self._edges = Edges(self.functions)
        numbers = self.functions.read(head, head.roots)
        self._function = numbers[head.roots[0]]
        ((self._holes, self._ends),) = self._edges.masks(head, numbers, head.roots)
        self._agreed: dict[int, tuple[Agreed | None, int | None]] = {}
        self._elsewhere: dict[float, tuple[Functions, Value]] = {}
        self._sides: dict[Place, int] = {}
        self._texts: dict[tuple[int, int, bool], str] = {}
        self._beside: dict[int, Floats] = {}
        self._known: dict[int, float | None] = {}

    def beside_ends(self) -> list[float]:
        """Points at both sides of where the head's domain may end."""
        return beside(self._edges, self._ends)

    def read(self, programs: Programs, chosen: Sequence[int]) -> list[int]:
        """For `values` and `domains` of these programs: the function of every node."""
        return self.functions.read(programs, programs.roots[chosen])

    def values(
        self, programs: Programs, numbers: list[int], chosen: Sequence[int]
    ) -> list[Apart | Agreed | None]:
        """For some of the programs: a point where it differs from the head, how far it agrees, or None where
        neither has a value at the points looked at."""
        found: list[Apart | Agreed | None] = []
        for k, root in zip(chosen, programs.roots[chosen].tolist(), strict=True):
            function = numbers[root]
            if function not in self._agreed:
                self._agreed[function] = self._agreement(function)
            checked, doubtful = self._agreed[function]
            closer = None if doubtful is None else self.closer(programs, k, self._probes[doubtful])
            found.append(closer if isinstance(closer, Apart) else checked or closer)
        return found

    def _agreement(self, function: int) -> tuple[Agreed | None, int | None]:
        """At how many points a function agrees with the head, and one where it is not seen to."""
        points, doubtful = 0, None
        both = zip(self.functions.values[self._function], self.functions.values[function], strict=True)
        with ctx.workprec(self.functions.bits):
            for place, (head, member) in enumerate(both):
                if head is not None and member is not None and head.is_finite() and member.is_finite():
                    if (agreement(head, member) or 0) >= self.functions.agreed:
                        points += 1
                    else:
                        doubtful = place
        return Agreed(self.functions.agreed - SPARE, points) if points else None, doubtful

    def undefined(self, function: int) -> bool:
        """Whether a function or the head has no value at any of the points looked at."""
        return any(undefined(self.functions.values[one]) for one in (self._function, function))

    def elsewhere(self, programs: Programs, k: int, x: float) -> Apart | Agreed | None:
        """One program and the head at a point that is not one of those of `values`."""
        if x not in self._elsewhere:
            functions = Functions([x])
            self._elsewhere[x] = functions, _value(functions, self._head, 0)
        functions, head = self._elsewhere[x]
        member = _value(functions, programs, k)
        if head is not None and member is not None:
            with ctx.workprec(functions.bits):
                if (agreement(head, member) or 0) >= functions.agreed:
                    return Agreed(functions.agreed - SPARE, 1)
        return self.closer(programs, k, x)

    def closer(self, programs: Programs, k: int, x: float) -> Apart | Agreed | None:
        """One program and the head at one point, with more and more bits; None if that settles nothing."""
        for bits in MORE_BITS:
            alone = Functions([x], bits, merged=False)
            with ctx.workprec(bits):
                head, member = (_value(alone, *one) for one in ((self._head, 0), (programs, k)))
                if head is None or member is None or not (head.is_finite() and member.is_finite()):
                    return None
                agreed = agreement(head, member)
                if agreed is None:
                    return Apart(x, float(head), float(member), float(member - head))
                if agreed >= alone.agreed:
                    return Agreed(alone.agreed - SPARE, 1)
        return None

    def domains(
        self, programs: Programs, numbers: list[int], chosen: Sequence[int]
    ) -> tuple[list[int], dict[int, Floats], list[float | None]]:
        """For programs that agree with the head: their holes, for `exceptions`; by their place among the
        chosen, points beside ends of domains that are not the head's; and how far from 0 all ends that are
        not both the head's and theirs are known, None where some could only be searched for."""
        masks = self._edges.masks(programs, numbers, programs.roots[chosen])
        points: dict[int, Floats] = {}
        known: list[float | None] = []
        for row, (holes, ends) in enumerate(masks):
            if own := ends & ~self._ends:
                if own not in self._beside:
                    self._beside[own] = np.array([beside(self._edges, own, others=self._ends)])
                points[row] = self._beside[own]
            apart = (holes ^ self._holes) | (ends ^ self._ends)
            if apart not in self._known:
                self._known[apart] = None if apart & self._edges.searches else self._looked(apart)
            known.append(self._known[apart])
        return [holes for holes, _ in masks], points, known

    def unsure(self, function: int, values: Sequence[int]) -> bool:
        """Whether there may be other places than those known at which a function has one of some values."""
        with ctx.workprec(self.functions.bits):
            found = [self._edges.solve(function, arb(value)) for value in values]
        return function in self.functions.faded or any(mask & self._edges.searches for mask in found)

    def _looked(self, apart: int) -> float:
        """How far from 0 all places are looked at by which a member's domain may not be the head's."""
        own = looked(self._edges, apart & ~self._ends)
        return min(own, self._head_looked) if apart & self._ends else own

    @cached_property
    def _head_looked(self) -> float:
        return looked(self._edges, self._ends)

    def exceptions(self, programs: Programs, k: int, holes: int, *, both: bool) -> str:
        """Isolated points where one of a program and the head is undefined, or the two differ, nearest to 0
        first.

        Args: holes: of the program. both: whether also those where the head is undefined count.
        """
        if holes == self._holes and not holes & self._edges.isolated:
            return ""
        key = k if (holes | self._holes) & self._edges.isolated else -1, holes, both
        if key[0] >= 0 or key not in self._texts:
            apart = (holes ^ self._holes if both else holes & ~self._holes) & ~self._edges.isolated
            places = list(self._edges.within(apart))
            known = self._edges.radius(holes | self._holes)
            self._look(places)
            found = [p for p in places if abs(p.value) < known and self._sides[p] > 0]
            lone = self._lone(programs, k, (holes | self._holes) & self._edges.isolated, both)
            found += [place for place in lone if abs(place.value) < known]
            found.sort(key=lambda place: (abs(place.value), place.value))
            shown = [place.text for place in found[:SHOWN]]
            more = len(found) > SHOWN or (lone and known < inf)
            self._texts[key] = ", ".join(shown + ["…"] * bool(shown and more))
        return self._texts[key]

    def _lone(self, programs: Programs, k: int, mask: int, both: bool) -> list[Place]:
        """The isolated points of a domain at which only the head is defined, or with `both` only one, and
        those at which the values differ."""
        places = list(self._edges.within(mask))
        if not places:
            return []
        points = [place.value for place in places]
        (heads,), (members,) = _states(self._head, points), _states(programs.only([k]), points)
        apart = self._differ(programs.only([k]), points)
        return [
            place
            for place, head, member, differs in zip(places, heads, members, apart, strict=True)
            if differs or (head * member < 0 and (both or head > 0))
        ]

    def _differ(self, program: Programs, points: Sequence[float]) -> list[bool]:
        """At which points the head and a program have values that are not the same."""
        (head, wide), (member, broad) = balls(self._head, points), balls(program, points)
        found: list[bool] = (np.abs(head - member) > wide + broad)[0].tolist()
        return found

    def _look(self, places: Sequence[Place]) -> None:
        """Find out whether the head has values beside places, or at those that are doubles: 1 where it has,
        -1 where not, 0 where it cannot be told."""
        new = [place for place in places if place not in self._sides]
        if new:
            (found,) = _states(self._head, [x for place in new for x in around(place)])
            for place, sides in zip(new, zip(found[::2], found[1::2], strict=True), strict=True):
                self._sides[place] = max(sides) if max(sides) > 0 else self._touched(place)

    def _touched(self, place: Place) -> int:
        """Whether the head has a value beside or at a place, by rigorous bounds."""
        points = [*around(place), place.value]
        if place.exact != Fraction(place.value):
            points.pop()
        values = [exactly(self._head, 0, np.array([point])) for point in points]
        return max(-1 if value is None else int(value.is_finite()) for value in values)


def undefined(values: Sequence[Value]) -> bool:
    """Whether there is certainly no value at any of some points."""
    return all(value is None for value in values)


def _probes(points: Floats) -> list[float]:
    """Some points on both sides of 0, neither the nearest nor the farthest."""
    found = []
    for side in (np.sort(points[points > 0]), -np.sort(-points[points <= 0])):
        found += [float(side[int(share * len(side))]) for share in (0.1, 0.6) if len(side)]
    return found[:PROBES]


def _states(programs: Programs, points: Sequence[float]) -> list[list[int]]:
    """1 where defined, -1 where undefined, 0 where it cannot be told: one row per program."""
    values, errors = balls(programs, points)
    states: list[list[int]] = (np.isfinite(errors).astype(int) - np.isnan(values)).tolist()
    return states


def _value(functions: Functions, programs: Programs, k: int) -> Value:
    one = programs.only([k])
    return functions.values[functions.read(one, one.roots)[one.roots[0]]][0]
