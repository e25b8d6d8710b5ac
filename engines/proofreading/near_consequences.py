"""Claims that are one digit, sign or index away from what follows from the statements before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import MOST_STEPS, Fact, Facts, describe_sources
from engines.proofreading.known_points import PartNames, find_points
from engines.proofreading.slips import Slip, find_slip
from engines.proofreading.term_properties import are_exactly_equal, free_symbols, values_agree

_LONGEST_VALUE = 30
_NEAR = 20
"""Lines: what was said shortly before."""
FAR = 60
"""Lines: what was said longer ago is no reason to call a claim wrong."""


@dataclass(frozen=True, slots=True)
class KnownPlaces:
    """Two places where everything holds that a text says of the terms of a claim.

    Attributes:
        sides: The sides of the claim, with names for what is not arithmetic.
        names: What these names stand for.
        points: The places.
        unknowns: Everything that has a value there.
    """

    sides: tuple[Tree, Tree]
    names: PartNames
    points: Sequence[dict[str, float]]
    unknowns: frozenset[str]

    @property
    def differ(self) -> bool:
        """Whether the sides of the claim differ there."""
        return values_agree(*self.sides, self.points[0]) is False


def find_known_places(facts: Facts, left: Tree, right: Tree, line: int) -> KnownPlaces | None:
    """Return places where what was said of the terms of a claim holds; None where nothing was, or where none
    is found. Where all of it holds nowhere that is found, what was said last counts."""
    every = [each for each in facts.list_equations(left, right) if not _has_matrix(*each[:2])]
    near = [each for each in every if line - each[2].line <= _NEAR]
    for equations in (every, near) if len(near) < len(every) else (every,):
        if equations and (found := _find_places(equations, left, right)):
            return found
    return None


def _has_matrix(*sides: Tree) -> bool:
    return any("matrix" in side.list_labels() for side in sides)


def _find_places(equations: Sequence[tuple[Tree, Tree, Fact]], left: Tree, right: Tree) -> KnownPlaces | None:
    names = PartNames({
        one.label: other
        for one, other, _ in equations
        if not one.children and free_symbols(one) - free_symbols(other) and len(other) < _LONGEST_VALUE
    })  # fmt: skip
    sides = names.replace_parts(left), names.replace_parts(right)
    known = [(names.replace_parts(one), names.replace_parts(other)) for one, other, _ in equations]
    known = [(one, other) for one, other in (*known, *names.list_relations()) if one != other]
    unknowns = frozenset[str]().union(*(free_symbols(side) for pair in (sides, *known) for side in pair))
    points = find_points(known, unknowns)
    return KnownPlaces(sides, names, points, unknowns) if points else None


def find_near_consequence(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, cases: Sequence[int] = ()
) -> str:
    """Return what is to be changed in a claim that fails where all holds that was said before, so that it
    follows; "" where no one change does that, or where it defines a function.

    Args: cases: The paragraphs that distinguish cases.
    """
    known = None if _is_definition(left, right) else find_known_places(facts, left, right, link.line)
    if known is None:
        return ""
    used: Sequence[Fact] = ()
    determined = any(
        not one.children and bool(free_symbols(one)) and one.label not in free_symbols(other)
        for one, other in ((left, right), (right, left))
    )

    def follows(one: Tree, other: Tree) -> bool:
        nonlocal used
        one, other = (known.names.restore_parts(side) for side in (one, other))
        if are_exactly_equal(one, other):  # it holds without what was said
            return False
        reduced = facts.reduce_by_facts(one, other)
        used = reduced.used if reduced else ()
        near = all(link.line - fact.line <= FAR for fact in used)
        repeated = any((fact.left, fact.right) in ((one, other), (other, one)) for fact in used)
        if reduced is None or not reduced.same or not near or repeated:
            return False
        first = min((fact.position.paragraph for fact in used), default=0)
        if any(first <= paragraph <= link.position.paragraph for paragraph in cases):
            return False
        return not determined or _is_reliable(facts, link, one, other, used)

    found: Slip | None = find_slip(
        *known.sides,
        known.points,
        follows,
        by_facts=True,
        others=known.unknowns,
        determined=determined,
    )
    if found is None or _is_row_of_system(link, left, right, used):
        return ""
    shown = replace(found, at=known.names.show_place(found.at))
    return f"{shown.reason}, {describe_sources(used)}"


def _is_reliable(facts: Facts, link: ChainLink, left: Tree, right: Tree, used: Sequence[Fact]) -> bool:
    """Return whether a value of a variable follows from what is no case of several and no other value of it,
    and in part is more than a value, and which nothing contradicts."""
    paragraph = link.position.paragraph
    near = all(
        not fact.alternative
        and (fact.is_certain or fact.position.paragraph == paragraph or link.line - fact.line <= _NEAR)
        for fact in used
    )
    assigned = any(
        one == bare and free_symbols(bare) and free_symbols(other) <= free_symbols(value)
        for bare, value in ((left, right), (right, left))
        if not bare.children
        for fact in used
        for one, other in ((fact.left, fact.right), (fact.right, fact.left))
    )
    calculated = not assigned and any(not fact.is_value for fact in used)
    whole = not link.left.startswith("+") and len(used) <= MOST_STEPS
    if link.is_alternative or not (near and calculated and whole):
        return False
    return not facts.find_contradiction(left, right, used)


def _is_row_of_system(link: ChainLink, left: Tree, right: Tree, used: Sequence[Fact]) -> bool:
    """Return whether a system goes on, which may have no solution: behind `x + y = 2` and `x - y = 0` stands
    `3x + 2y = 1`, and no conclusion is drawn."""
    rows = [(left, right), *((fact.left, fact.right) for fact in used)]
    alike = all(len(free_symbols(one)) > 1 and not free_symbols(other) for one, other in rows)
    return alike and link.joined in ("", "row", ",", "and")


def _is_definition(left: Tree, right: Tree) -> bool:
    """Return whether an equation can define a function: `f(x) = …`."""
    arguments = {one.label for one in left.children[1:]} if left.label == "call" else set()
    plain = all(not one.children and free_symbols(one) for one in left.children[1:])
    return bool(arguments) and plain and free_symbols(right) <= arguments
