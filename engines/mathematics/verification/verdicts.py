"""How a term compares with another wherever either is defined, and the point that tells them apart."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from engines.core.expression_language import VARIABLE, display_name
from engines.core.tree import Tree
from engines.mathematics.terms.notation import to_infix

MemberOutcome = Literal["equal", "extends", "shrinks", "nowhere", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point where head and member part: their values there, None where undefined, and the member's value
    less the head's, which may be too small to show in them. `at` has every variable where there are others
    than x. `said` is all of it in words, where there are no numbers."""

    x: float
    head: float | None
    member: float | None
    difference: float | None = None
    at: tuple[tuple[str, float], ...] = ()
    said: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the counterexample as JSON; `at` is left out for functions of x alone, `said` if it is
        empty.
        """
        document = {
            name: value for name, value in asdict(self).items() if value or name not in ("at", "said")
        }
        return {**document, "at": dict(self.at)} if self.at else document


def describe_point(x: float, at: Mapping[str, float] | None = None, *, digits: int = 6) -> str:
    """Return a point in words: `x = 1.5`, `a = -2, x = 1`. What would look rounder than it is has more digits
    than asked: 1000001.95 is 1000002, not 1e+06.
    """
    point = at or {"x": x}
    return ", ".join(
        f"{display_name(name)} = {_format_coordinate(value, digits)}" for name, value in point.items()
    )


def _format_coordinate(value: float, digits: int) -> str:
    for more in range(digits, 17):
        shown = f"{value:.{more}g}"
        if float(shown) == value or len(shown.split("e")[0].strip("-0.").replace(".", "")) >= digits:
            return shown
    return repr(value)


def format_distinguishable(
    head: float | None, member: float | None, difference: float | None, *, digits: int
) -> tuple[str, str]:
    """Return the values of a counterexample, with as many digits as it takes to tell them apart, at least
    `digits`; where doubles cannot, the second is the first and the difference, which may be too small for
    a double.
    """
    if head is None or member is None:
        one, other = ("undefined" if value is None else f"{value:.{digits}g}" for value in (head, member))
        return one, other
    for more in range(digits, 18):
        one, other = f"{head:.{more}g}", f"{member:.{more}g}"
        if one != other:
            return one, other
    if head == member and abs(head) == sys.float_info.max:
        return f"{head:.3g} or beyond", "another number beyond it"
    one = f"{head:.{digits}g}"
    if not difference:
        return one, f"{one}, less than 1e-323 apart"
    return one, f"{one} {'+' if difference > 0 else '-'} {abs(difference):.3g}"


class EqualityEvidence(NamedTuple):
    """How far two terms that are held to be equal were compared.

    Attributes:
        bits: The leading bits to which their values agree at every point.
        points: The number of points.
        integers_tried: The values that integer variables had, in words; "" without such variables.
        search_radius: The largest distance of a variable from 0 in the search; None if unknown.
        largest_missed_side: The side of the smallest square (interval, cube) of that region, beyond an end of
            a domain, a kink or a jump, that may have been missed; 0 if every such region was examined; None
            if unknown.
    """

    bits: int
    points: int
    integers_tried: str = ""
    search_radius: float | None = None
    largest_missed_side: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence for JSON, whose keys are shorter."""
        keys = ("bits", "points", "integers", "within", "side")
        return dict(zip(keys, self, strict=True))


EXCLUDED = 12
"""Points and families of them that a condition excludes."""
SHOWN = 4
"""Points that are listed, of a line and of each variable."""

Condition = tuple[Tree, str]
"""A term, and the number that it is equal to."""


@dataclass(frozen=True, slots=True)
class ExceptionalPoint:
    """A point at which only one of a head and a member has a value, or their values differ.

    Attributes:
        conditions: What holds there.
        lost: Whether it is the member that has no value.
        at: One such point, by variable.
        endless: Whether it belongs to an infinite family.
        family: What holds at all points of the family, if that is known.
    """

    conditions: tuple[Condition, ...]
    lost: bool
    at: Mapping[str, float]
    endless: bool = False
    family: Condition | None = None

    @property
    def text(self) -> str:
        """`x = 0`, or `x = 2 and y = 1/2`."""
        return " and ".join(f"{to_infix(term)} = {value}" for term, value in self.conditions)

    def exclude(self, rename: Callable[[Tree], Tree]) -> str:
        """Return the condition that excludes the point and its family: `x != 0`, `cos(x) != 0`.

        Args:
            rename: Gives variables other names.
        """
        conditions = self.conditions if self.family is None else (self.family,)
        parts = [f"{to_infix(rename(term))} != {value}" for term, value in conditions]
        return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"


@dataclass(frozen=True, slots=True)
class ExceptionalPoints:
    """The exceptional points of a member, those of a variable nearest to 0 first.

    Attributes:
        points: The points that were found.
        more: Whether there are others.
    """

    points: tuple[ExceptionalPoint, ...] = ()
    more: bool = False

    @property
    def has_holes(self) -> bool:
        """Whether the member has no value at a point at which the head has one."""
        return any(point.lost for point in self.points)

    def list_points(self) -> list[ExceptionalPoint]:
        """Return the points that are listed: no more than `SHOWN` of each variable, and so many curves."""
        counts: Counter[Tree | None] = Counter()
        listed = []
        for point in self.points:
            term = point.conditions[0][0]
            kind = None if term.children else term
            counts[kind] += 1
            if counts[kind] <= SHOWN:
                listed.append(point)
        return listed

    def exclude_points(self, rename: Callable[[Tree], Tree]) -> str:
        """Return the condition that excludes all points, or of very many the first `EXCLUDED`.

        Args:
            rename: Gives variables other names.
        """
        texts = list(dict.fromkeys(point.exclude(rename) for point in self.points))
        families = [point.family for point in self.points if point.endless]
        known = all(families) and (bool(families) or not self.more) and len(texts) <= EXCLUDED
        rest = [] if known else ["so on"]
        return " and ".join(texts[:EXCLUDED] + rest)

    def describe_points(self) -> str:
        """Return the points in words, those of x alone by their values: `0, pi/2`, `y = 0, x + y = 0`."""
        listed = self.list_points()
        alone = all(point.at.keys() == {VARIABLE} for point in self.points)
        texts = [point.conditions[0][1] if alone else point.text for point in listed]
        more = self.more or len(listed) < len(self.points)
        return ", ".join([*texts, *(["…"] if more else [])])


NO_EXCEPTIONAL_POINTS = ExceptionalPoints()


@dataclass(frozen=True, slots=True)
class MemberVerdict:
    """How a member compares with its head on the reals.

    Attributes:
        outcome: The verdict.
        kept: The share (0 to 1) of the points of the head's domain where the member is defined.
        gained: Whether a `shrinks` member is also defined where the head is not.
        points: How many points decided.
        counterexample: A point at which the two differ.
        checked: How far values were compared; None where they are not held to be equal.
        exceptional_text: The isolated points where one of the two is undefined, as "0, 1/2", or of several
            variables "a = 0, x = 1": for `equal` either, for `extends` the member.
        exceptional_points: The same points as they were found.
    """

    outcome: MemberOutcome
    kept_share: float
    gained: bool = False
    point_count: int = 0
    counterexample: Counterexample | None = None
    checked: EqualityEvidence | None = None
    exceptional_text: str = ""
    exceptional_points: ExceptionalPoints = field(default=NO_EXCEPTIONAL_POINTS, compare=False, repr=False)


def verdict_row(verdict: MemberVerdict) -> dict[str, Any]:
    """Return a verdict for JSON: verdict, kept, gained, points, counterexample (x, head, member, difference),
    except ("0, 1/2", "" without exceptional points), checked (see `EqualityEvidence`)."""
    example, checked = verdict.counterexample, verdict.checked
    return {
        "verdict": verdict.outcome,
        "kept": verdict.kept_share,
        "gained": verdict.gained,
        "points": verdict.point_count,
        "counterexample": example and example.to_dict(),
        "except": verdict.exceptional_text,
        "checked": checked and checked.to_dict(),
    }
