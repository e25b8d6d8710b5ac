"""Exceptional points: where only one of two equal expressions has a value.

`x(x-1)/(x-1)` is x but at 1, `x cos(y)/cos(y)` but at y = pi/2, `(x+y)/(x+y)` is 1 but where x + y = 0. On a
line such points are isolated, and they are worked out from the places where terms meet the edges of their
domains (`engines.mathematics.numbers.domain`). In the space of several variables they are found on lines
parallel to the axes: a variable that has one value at such points of all lines is special by itself, and
otherwise it is the term that has no value there.

Generation, verification, derivation, grading and proofreading all ask here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np
from flint import arb, ctx

from engines.core.expression_language import variables_of
from engines.core.tree import Tree
from engines.mathematics.numbers.domain import DomainPlace, Edges
from engines.mathematics.numbers.numeric import Programs, compile_valid, evaluate_balls
from engines.mathematics.verification.points import BoundaryLine, exact_value_at, points_around
from engines.mathematics.verification.verdicts import Condition, ExceptionalPoint, ExceptionalPoints


def select_exceptional_points(
    outcome: str, kinds: Iterable[tuple[Mapping[str, float], str, Mapping[str, float]]]
) -> tuple[ExceptionalPoint, ...]:
    """Return the points at which only one of head and member is defined, if the outcome allows such points.

    Args:
        outcome: Of the comparison at all other points: of `equal` either may lack a value, of `extends` only
            the head.
        kinds: For each special point the values of its special terms, which of `head` and `member` has no
            value there ("" where both have one), and the point's coordinates.
    """
    wanted = {"equal": {"head", "member"}, "extends": {"member"}}.get(outcome, set())
    grouped: dict[tuple[tuple[str, float], ...], tuple[set[str], Mapping[str, float]]] = {}
    for values, kind, at in kinds:
        grouped.setdefault(tuple(values.items()), (set(), at))[0].add(kind)
    points = []
    for special, (both, at) in grouped.items():
        apart = both - {""}
        if len(apart) == 1 and apart <= wanted:
            conditions = tuple((Tree(name), f"{value:g}") for name, value in special)
            points.append(ExceptionalPoint(conditions, apart == {"member"}, at))
    return tuple(points)


def unite_exceptional_points(left: ExceptionalPoints, right: ExceptionalPoints) -> ExceptionalPoints:
    """Return the points of both, each condition once: variables in the order of their names, then curves."""
    points = {point.conditions: point for point in (*right.points, *left.points)}
    if len(points) == len(left.points):
        return left
    simple = [point for point in points.values() if len(point.conditions) == 1]
    points = {
        conditions: point
        for conditions, point in points.items()
        if len(conditions) == 1 or not any(_includes(wider, point) for wider in simple)
    }
    return ExceptionalPoints(tuple(sorted(points.values(), key=_order_of)), left.more or right.more)


def _includes(wider: ExceptionalPoint, point: ExceptionalPoint) -> bool:
    """Return whether the single condition of an exceptional point also holds at another."""
    ((term, value),) = wider.conditions
    if not term.children:
        return point.at[term.label] == wider.at[term.label]
    variables = tuple(point.at)
    program = compile_valid([term], variables=variables)
    exact = exact_value_at(program, 0, np.array(list(point.at.values())))
    return exact is not None and bool(exact.overlaps(arb(value)))


def _order_of(point: ExceptionalPoint) -> tuple[int, bool, str, float]:
    term, _ = point.conditions[0]
    text = point.text if term.children else term.label
    return len(point.conditions), bool(term.children), text, abs(point.at.get(term.label, 0.0))


class ExceptionalPlace(NamedTuple):
    """A place on a line where only one of head and member has a value, or the values differ.

    Args: lost: whether it is the member that has none. endless: whether it is of a family without end.
    """

    place: DomainPlace
    lost: bool
    endless: bool = False


class LineExceptionalPoints:
    """The exceptional points of members on a line.

    Args: head: its program on the line. edges: of head and members. holes: of the head, a mask of places.
    """

    def __init__(self, head: Programs, edges: Edges, holes: int) -> None:
        self._head, self._edges, self._holes = head, edges, holes
        self._sides: dict[DomainPlace, int] = {}
        self._known: dict[tuple[int, bool], tuple[list[ExceptionalPlace], float]] = {}

    def find_places(
        self, member: Callable[[], Programs], holes: int, *, both: bool
    ) -> tuple[list[ExceptionalPlace], bool]:
        """Return the places, nearest to 0 first, and whether there may be more.

        Args: member: gives its program on the line. holes: of the member. both: whether also those where the
        head is undefined count.
        """
        isolated = self._edges.isolated
        if holes == self._holes and not holes & isolated:
            return [], False
        if (holes, both) not in self._known:
            apart = (holes ^ self._holes if both else holes & ~self._holes) & ~isolated
            places = list(self._edges.iterate_places(apart))
            known = self._edges.known_radius(holes | self._holes)
            self._compare_at_own_points(places)
            own = {*self._edges.iterate_places(holes)}
            endless = self._edges.find_endless(apart, holes | self._holes)
            rows = [
                ExceptionalPlace(one, one in own, one in endless)
                for one in places
                if abs(one.value) < known and self._sides[one] > 0
            ]
            self._known[holes, both] = rows, known
        rows, known = self._known[holes, both]
        lone = list(self._iterate_isolated(member, (holes | self._holes) & isolated, both))
        rows = rows + [row for row in lone if abs(row.place.value) < known]
        rows.sort(key=lambda row: (abs(row.place.value), row.place.value))
        return rows, bool(lone and known < inf) or any(row.endless for row in rows)

    def _iterate_isolated(
        self, member: Callable[[], Programs], mask: int, both: bool
    ) -> Iterator[ExceptionalPlace]:
        """Return the isolated points of a domain at which only the head is defined, or with `both` only
        one, and those at which the values differ."""
        places = list(self._edges.iterate_places(mask))
        if not places:
            return
        points = [place.value for place in places]
        ((left,), (wide,)), ((right,), (broad,)) = (
            evaluate_balls(self._head, points),
            evaluate_balls(member(), points),
        )
        apart = np.abs(left - right) > wide + broad
        lost, gained = np.isfinite(wide) & np.isnan(right), np.isfinite(broad) & np.isnan(left)
        for place, differs, only_head, only_member in zip(places, apart, lost, gained, strict=True):
            if differs or only_head or (only_member and both):
                yield ExceptionalPlace(place, bool(only_head))

    def _compare_at_own_points(self, places: Sequence[DomainPlace]) -> None:
        """Find out whether the head has values beside places, or at those that are doubles: 1 where it has,
        -1 where not, 0 where it cannot be told."""
        new = [place for place in places if place not in self._sides]
        if not new:
            return
        points = [x for place in new for x in points_around(place)]
        (values,), (errors,) = evaluate_balls(self._head, points)
        states = (np.isfinite(errors).astype(int) - np.isnan(values)).tolist()
        for place, sides in zip(new, zip(states[::2], states[1::2], strict=True), strict=True):
            self._sides[place] = max(sides)
            if max(sides) <= 0:
                near = points_around(place)
                points = [*near, *([place.value] if place.exact == Fraction(place.value) else [])]
                exact = [exact_value_at(self._head, 0, np.array([point])) for point in points]
                self._sides[place] = max(-1 if value is None else int(value.is_finite()) for value in exact)


class SpaceExceptionalPoints:
    """The exceptional points of members of several variables.

    Args: head: its program. lines: through points of its domain.
    """

    def __init__(self, head: Programs, lines: Sequence[BoundaryLine]) -> None:
        self._head, self._lines = head, lines
        self._on_lines = [
            LineExceptionalPoints(line.restrict(head), line.edges, line.holes) for line in lines
        ]
        self._conditions: dict[tuple[int, DomainPlace, bool], Condition | None] = {}

    def find_exceptional_points(
        self, programs: Programs, k: int, holes: Sequence[int], *, both: bool
    ) -> ExceptionalPoints:
        """Return the points of one of the programs.

        Args: holes: of it on each line. both: whether also those where the head is undefined count.
        """
        lines_by_name: dict[str, list[tuple[int, list[ExceptionalPlace]]]] = {}
        for number, (line, own) in enumerate(zip(self._lines, holes, strict=True)):
            member = partial(line.restrict, programs.select_programs([k]))
            rows, _ = self._on_lines[number].find_places(member, own, both=both)
            lines_by_name.setdefault(line.name, []).append(
                (number, [row for row in rows if line.allows(row.place.value)])
            )
        points: list[ExceptionalPoint] = []
        curves: dict[str, ExceptionalPoint] = {}
        more = False
        for name, lines in lines_by_name.items():
            values: list[tuple[DomainPlace, ExceptionalPoint]] = []
            for number, rows in lines:
                others = [own for line_number, own in lines if line_number != number]
                for row in rows:
                    place, lost, endless = row
                    at = self._lines[number].point_at(place.value)
                    condition = self._find_condition(programs, k, number, place, lost=lost)
                    # A condition on the variable of the line alone is a single value; so is
                    # one that all lines share.
                    alone = condition is not None and variables_of(condition[0]) == {name}
                    if alone or _is_on_all(place, others):
                        family = condition if alone and endless else None
                        point = ExceptionalPoint(((Tree(name), place.text),), lost, at, endless, family)
                        more = more or endless
                        if not any(place.ball.overlaps(one.ball) for one, _ in values):
                            values.append((place, point))
                    elif condition is not None:
                        point = ExceptionalPoint((condition,), lost, at)
                        curves.setdefault(point.text, point)
            values.sort(key=lambda row: (abs(row[0].value), row[0].value))
            points += (point for _, point in values)
        return ExceptionalPoints((*points, *sorted(curves.values(), key=_order_of)), more)

    def _find_condition(
        self, programs: Programs, k: int, number: int, place: DomainPlace, *, lost: bool
    ) -> Condition | None:
        """Return the term without a value at a place of a line, and what its operand is there."""
        key = number, place, lost
        if key not in self._conditions:
            chosen, root = (programs, k) if lost else (self._head, 0)
            line = self._lines[number]
            written = chosen.select_programs([root]).write_derivatives_out(line.name)
            self._conditions[key] = find_condition(line.edges, written, line.restrict(written), place)
        return self._conditions[key]


def _is_on_all(place: DomainPlace, others: Sequence[Sequence[ExceptionalPlace]]) -> bool:
    """Return whether a place is one of those of all other lines of its variable, of which there are some."""
    return bool(others) and all(any(place.ball.overlaps(one.place.ball) for one in rows) for rows in others)


def find_condition(
    edges: Edges, program: Programs, on_line: Programs, place: DomainPlace
) -> Condition | None:
    """Return what holds at a place of a line where a program has no value: what the operand of the term is
    that has none there.

    Args: edges: of the line. on_line: the program there.
    """
    functions = edges.functions
    node_functions = functions.read_programs(on_line, on_line.roots)
    trees = program.list_node_trees()

    def is_value(node: int, target: int) -> bool:
        (value,) = functions.values_at(place.ball, node_functions[node])
        return value is not None and value.is_finite() and bool(value.overlaps(arb(target)))

    def simplify(node: int) -> int:
        """Return the factor of a term, itself a factor, that is 0."""
        label, (a, b) = trees[node].label, program.nodes[1:, node].tolist()
        if label in ("*", "/", "pow", "sqrt", "abs"):
            for part in (a, b) if label == "*" else (a,):
                if is_value(part, 0):
                    return simplify(part)
        return node

    # Operands come before their terms, so the first term with a hole here explains those around it.
    with ctx.workprec(functions.bits):
        for node in range(1, len(trees)):
            label, (a, b) = trees[node].label, program.nodes[1:, node].tolist()
            if not trees[node].children or place not in edges.iterate_holes_of(
                int(program.nodes[0, node]), node_functions[a], node_functions[b]
            ):
                continue
            if label in _ZERO_BELOW:
                return Tree(_ZERO_BELOW[label], (trees[a],)), "0"
            targets = (
                [(b, 0)] if label == "/" else [(a, 0), (a, 1), (a, -1), *([(b, 0)] if label == "log" else [])]
            )
            for operand, target in targets:
                if is_value(operand, target):
                    return trees[operand if target else simplify(operand)], str(target)
    return None


_ZERO_BELOW = {"tan": "cos", "sec": "cos", "cot": "sin", "csc": "sin"}
"""Functions with poles, and which other is 0 there."""
