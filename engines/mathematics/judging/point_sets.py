"""Sets of real numbers whose ends are known: intervals, finite sets, and what statements on one variable say.

A set is known by the places where it may begin or end, and by whether each of them, and what lies between
two, belongs to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.judging import numbers
from engines.mathematics.judging.names import COMPARISONS, EMPTY, REALS, free_variables
from engines.mathematics.numbers.precise import integer_in_ball

# Most signs are certain at the first precision; the last one decides what is taken for 0.
_BITS = (128, 1_024, 4_096)
_MOST_ROOTS = 60
_MOST_BENDS = 3


class UnclearError(EngineError):
    """The judge cannot tell, for example where a set begins or ends.

    The message is the reason why a claim is undecided; no user meets it as an error.
    """

    def __init__(self, what: str = "the ends of the sets are not known") -> None:
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Root:
    """A real root of a polynomial, the `place`th in ascending order; rational numbers are roots of linear
    polynomials. `text` shows it."""

    factor: tuple[Fraction, ...]
    place: int

    def ball(self, bits: int) -> arb:
        """Return the number as a ball of so many bits."""
        with ctx.workprec(bits):
            if self.exact is not None:
                return arb(_to_fmpq(self.exact))
            # An irrational root is known by its polynomial and its rank, so any precision can be had later.
            return _real_roots(_make_polynomial(self.factor))[self.place]

    @property
    def exact(self) -> Fraction | None:
        """The number as a fraction, or None if it is irrational."""
        return -self.factor[0] / self.factor[1] if len(self.factor) == 2 else None

    @property
    def text(self) -> str:
        """The number for people: exact, or to six digits."""
        return str(self.exact) if self.exact is not None else f"{float(self.ball(128)):.6g}"


@dataclass(frozen=True, slots=True)
class Constant:
    """A number by its term."""

    term: Tree

    def ball(self, bits: int) -> arb:
        """Return the number as a ball of so many bits. Raises: UnclearError."""
        result = numbers.number_ball(self.term, bits)
        if not result.is_finite():
            raise UnclearError
        return result

    @property
    def exact(self) -> Fraction | None:
        """The number as a fraction: None, because it is known only by its term."""
        return None

    @property
    def text(self) -> str:
        """The number for people."""
        return numbers.format_number(self.term)


RealNumber = Root | Constant


def to_real_number(term: Tree) -> RealNumber:
    """Return the real number that a term is."""
    result = numbers.exact_value(term)
    return Constant(term) if result is None else to_root(Fraction(result))


def to_root(value: Fraction) -> Root:
    """Return a rational number as a root of a linear polynomial."""
    return Root((-value, Fraction(1)), 0)


def compare_numbers(left: RealNumber, right: RealNumber) -> int:
    """Return -1, 0 or 1 as one number is less than, equal to or greater than another.

    Raises:
        UnclearError: If no precision tells them apart.
    """
    if left == right:
        return 0
    if left.exact is not None and right.exact is not None:
        return (left.exact > right.exact) - (left.exact < right.exact)
    for bits in _BITS:
        first, second = left.ball(bits), right.ball(bits)
        if first < second:
            return -1
        if first > second:
            return 1
        # Roots of one irreducible polynomial are all different, so their ranks decide.
        if isinstance(left, Root) and isinstance(right, Root) and left.factor == right.factor:
            return (left.place > right.place) - (left.place < right.place)
    with ctx.workprec(_BITS[-1]):
        if (first - second).rad() < arb(2) ** -(_BITS[-1] // 2):
            return 0
    raise UnclearError


def sort_numbers(numbers: Iterable[RealNumber]) -> list[RealNumber]:
    """Return each once, in ascending order. Raises: UnclearError."""
    kept: list[RealNumber] = []
    # Equal numbers may have different terms, as sqrt 4 and 2: they are compared as well as told apart by
    # hashes.
    for one in sorted(dict.fromkeys(numbers), key=cmp_to_key(compare_numbers)):
        if not kept or compare_numbers(kept[-1], one):
            kept.append(one)
    return kept


def points_between(places: Sequence[RealNumber]) -> list[Fraction]:
    """Return a rational number before the first place, one between each two, and one after the last."""
    if not places:
        return [Fraction(0)]
    return [
        _fraction_near(places[0], -1),
        *itertools.starmap(_fraction_between, itertools.pairwise(places)),
        _fraction_near(places[-1], 1),
    ]


def _fraction_near(number: RealNumber, step: int) -> Fraction:
    # A step beyond the next integer is on the other side: a ball of 128 bits is far narrower than that.
    middle = number.ball(128).mid()
    whole = integer_in_ball(middle.floor() if step < 0 else middle.ceil())
    if whole is None:
        raise UnclearError
    return Fraction(int(whole) + step)


def _fraction_between(left: RealNumber, right: RealNumber) -> Fraction:
    for bits in _BITS:
        with ctx.workprec(bits):
            first, second = left.ball(bits), right.ball(bits)
            middle = ((first + second) / 2).mid()
            if first < middle < second:
                # The midpoint is a binary number, so it is taken exactly.
                mantissa, exponent = middle.man_exp()
                return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    raise UnclearError


Holds = Callable[[RealNumber], bool]
"""Whether a number belongs to a set. Raises: UnclearError."""


@dataclass(frozen=True, slots=True)
class PointSet:
    """A set of real numbers: where it may begin or end, and what belongs to it."""

    ends: tuple[RealNumber, ...]
    holds: Holds

    def find_difference(self, other: PointSet) -> RealNumber | None:
        """Return a number that belongs to one of two sets only; None where they are the same. Raises:
        UnclearError.
        """
        # Between two neighbouring ends neither set changes: one point of each gap and the ends themselves
        # decide for all numbers.
        positions = sort_numbers([*self.ends, *other.ends])
        for point in [*map(to_root, points_between(positions)), *positions]:
            if self.holds(point) != other.holds(point):
                return point
        return None


def of_term(term: Tree) -> PointSet:
    """Return the set that a term stands for. Raises: UnclearError."""
    # A set of points has the ends of its intervals, and a test whether a single point belongs to it.
    label, parts = term.label, term.children
    if label in ("set", "list"):
        members = tuple(map(_read_end, parts))
        return PointSet(members, lambda at: any(compare_numbers(at, one) == 0 for one in members))
    if label == "interval":
        return _make_interval(parts[0].label, parts[1], parts[2])
    if label in ("union", "intersection", "without"):
        sides = [of_term(part) for part in parts]
        # A combination can begin or end only where one of its parts does.
        ends = tuple(end for side in sides for end in side.ends)
        if label == "union":
            return PointSet(ends, lambda at: any(side.holds(at) for side in sides))
        if label == "intersection":
            return PointSet(ends, lambda at: all(side.holds(at) for side in sides))
        return PointSet(ends, lambda at: sides[0].holds(at) and not any(side.holds(at) for side in sides[1:]))
    if label == "such":
        member, condition = parts
        name, *within = member.children if member.label == "in" else (member,)
        if name.children:
            raise UnclearError("a set given by a term in its members is not judged")
        held = condition if not within else Tree("and", (member, condition))
        return of_statement(held, name.label)
    if not parts and label in REALS:
        return PointSet((), lambda _: True)
    if not parts and label in EMPTY:
        return PointSet((), lambda _: False)
    raise UnclearError(f"{label} is not judged as a set of numbers")


def _read_end(part: Tree) -> RealNumber:
    if free_variables(part) or not numbers.is_number(part):
        raise UnclearError
    return to_real_number(part)


def _make_interval(kind: str, low: Tree, high: Tree) -> PointSet:
    sides: list[Callable[[RealNumber], bool]] = []
    ends: list[RealNumber] = []
    for side, closed, sign in ((low, kind[0] == "c", 1), (high, kind[1] == "c", -1)):
        infinite = numbers.infinite_sign(side)
        if infinite:
            # An infinite end bounds nothing, unless the interval is the wrong way round and so empty.
            sides.append(lambda _, inside=infinite == -sign: inside)  # type: ignore[misc]
            continue
        end = _read_end(side)
        ends.append(end)
        sides.append(
            lambda at, edge=end, closed=closed, sign=sign: (  # type: ignore[misc]
                (compare_numbers(at, edge) * sign) > 0 or (closed and compare_numbers(at, edge) == 0)
            )
        )
    return PointSet(tuple(ends), lambda at: all(side(at) for side in sides))


def of_statement(statement: Tree, name: str) -> PointSet:
    """Return the values of a variable for which a statement on it alone holds. Raises: UnclearError."""
    label, parts = statement.label, statement.children
    if label in ("and", "or", "not"):
        sides = [of_statement(part, name) for part in parts]
        ends = tuple(end for side in sides for end in side.ends)
        if label == "not":
            return PointSet(ends, lambda at: not sides[0].holds(at))
        every = all if label == "and" else any
        return PointSet(ends, lambda at: every(side.holds(at) for side in sides))
    if label == "in" and parts[0] == Tree(name):
        return of_term(parts[1])
    if label not in COMPARISONS:
        raise UnclearError(f"{label} is not judged as a condition on {name}")
    return _solve_relation(label, Tree("-", (parts[0], parts[1])), name)


_FITTING = dict(zip(COMPARISONS, (eq, ne, lt, le, gt, ge), strict=True))


def sign_satisfies(sign: str, value: int) -> bool:
    """Return whether a number of this sign (-1, 0 or 1) stands in a relation to 0."""
    return _FITTING[sign](value, 0)


def _solve_relation(sign: str, difference: Tree, name: str) -> PointSet:
    if free_variables(difference) - {name}:
        raise UnclearError
    # A relation can change its truth only at a zero of the difference of its sides or where that is
    # undefined.
    holes = [root for node in difference for root in _list_holes(node, name)]
    ends = [*holes, *(root for plain in _without_bends(difference) for root in list_roots(plain, name))]
    zeros = sort_numbers(ends)
    gaps = sort_numbers(holes)

    def holds_at(at: RealNumber) -> bool:
        if any(compare_numbers(at, gap) == 0 for gap in gaps):
            return False
        result = _sign_at(difference, name, at, any(compare_numbers(at, zero) == 0 for zero in zeros))
        return sign_satisfies(sign, result)

    return PointSet(tuple(zeros), holds_at)


def _sign_at(tree: Tree, name: str, at: RealNumber, may_vanish: bool) -> int:
    from engines.mathematics.verification.enclosures import value_at
    from engines.mathematics.verification.work_limit import WorkLimitError

    # Raise the precision until the sign is certain.
    for bits in _BITS:
        with ctx.workprec(bits):
            exact = at.exact
            value: Any = at.ball(bits) if exact is None else _to_fmpq(exact)
            try:
                result = value_at(tree, {name: value})
            except WorkLimitError:
                raise UnclearError from None
            if result is None or not result.is_finite():
                raise UnclearError
            if result > 0:
                return 1
            if result < 0:
                return -1
            if result.is_zero():
                return 0
    # No precision proves that a value is 0: it counts as such only where the caller knows that it may be.
    if may_vanish and result is not None and result.rad() < arb(2) ** -(_BITS[-1] // 2):
        return 0
    raise UnclearError


def _list_holes(node: Tree, name: str) -> list[RealNumber]:
    """Return where a part of a term has no value because it divides by 0."""
    if node.label == "/" and name in node.children[1].list_labels():
        below = node.children[1]
    elif node.label == "pow" and name in node.list_labels():
        exponent = numbers.exact_value(node.children[1])
        # A power that is no integer is undefined on whole intervals, which ends alone do not describe.
        if exponent is None or exponent != int(exponent):
            raise UnclearError
        if exponent > 0:
            return []
        below = node.children[0]
    else:
        return []
    return [root for plain in _without_bends(below) for root in list_roots(plain, name)]


def _without_bends(tree: Tree) -> list[Tree]:
    """Return a term with u and -u in the place of |u|: among their zeros are those of the term."""
    bends = list(dict.fromkeys(node for node in tree if node.label == "abs"))
    if not bends:
        return [tree]
    # Each absolute value doubles the terms.
    if len(bends) > _MOST_BENDS:
        raise UnclearError
    results = [tree]
    for bend in bends:
        inner = bend.children[0]
        choices = (inner, Tree("*", (Tree("-1"), inner)))
        results = [_replace_subtree(one, bend, choice) for one in results for choice in choices]
    return [plain for one in results for plain in _without_bends(one)]


def _replace_subtree(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree == old:
        return new
    return Tree(tree.label, tuple(_replace_subtree(child, old, new) for child in tree.children))


def list_roots(tree: Tree, name: str) -> list[RealNumber]:
    """Return the real zeros of a rational function with rational coefficients, or of one that is linear with
    other constant ones. Raises: UnclearError.
    """
    space = Space([tree])
    try:
        top = space.to_quotient(tree).top
    except TooLargeError:
        raise UnclearError from None
    if top.is_zero():
        return []
    # With other atoms than the variable, only a linear equation can be solved.
    if space.atoms not in ([], [Tree(name)]):
        return _linear_root(tree, name)
    if not space.atoms or top.is_constant():
        return []
    degree = max(exponents[0] for exponents in top.to_dict())
    if degree > _MOST_ROOTS:
        raise UnclearError
    dense = [Fraction(0)] * (degree + 1)
    for exponents, c in top.to_dict().items():
        dense[int(exponents[0])] = Fraction(int(c.p), int(c.q))
    result: list[RealNumber] = []
    # Over the rationals a linear factor has an exact root; any other root is known by the polynomial of
    # its factor and its rank among the real roots.
    for factor, _ in _make_polynomial(dense).numer().factor()[1]:
        coefficients = tuple(Fraction(int(c)) for c in factor.coeffs())
        if len(coefficients) == 2:
            result.append(to_root(-coefficients[0] / coefficients[1]))
            continue
        with ctx.workprec(_BITS[0]):
            count = len(_real_roots(_make_polynomial(coefficients)))
        result += [Root(coefficients, index) for index in range(count)]
    return result


def _linear_root(tree: Tree, name: str) -> list[RealNumber]:
    """Return the zero of a x + b, where a and b are numbers."""
    space = Space([tree])
    quotient = space.to_quotient(tree)
    position = space.atoms.index(Tree(name)) if Tree(name) in space.atoms else -1
    others = [atom for atom in space.atoms if atom != Tree(name)]
    if any(not numbers.is_number(atom) for atom in others):
        raise UnclearError
    if position < 0:
        return []
    # With the variable below as well, its zeros would have to be excluded.
    if any(exponents[position] for exponents in quotient.bottom.to_dict()):
        raise UnclearError
    rows = quotient.top.to_dict()
    if any(exponents[position] > 1 for exponents in rows):
        raise UnclearError
    # Split the numerator a x + b into b and a; the root is -b / a.
    parts = []
    for wanted in (0, 1):
        chosen = {e: c for e, c in rows.items() if e[position] == wanted}
        moved = {tuple(0 if k == position else n for k, n in enumerate(e)): c for e, c in chosen.items()}
        parts.append(space.polynomial_to_tree(space.make_polynomial(moved)))
    return [to_real_number(Tree("/", (Tree("*", (Tree("-1"), parts[0])), parts[1])))]


def _make_polynomial(coefficients: Sequence[Fraction]) -> fmpq_poly:
    return fmpq_poly([_to_fmpq(c) for c in coefficients])


def _real_roots(polynomial: fmpq_poly) -> list[arb]:
    roots: Any = polynomial.complex_roots()
    result: list[arb] = [root.real for root, _ in roots if root.imag.is_zero()]

    def compare_balls(left: arb, right: arb) -> int:
        return -1 if left < right else 1

    return sorted(result, key=cmp_to_key(compare_balls))


def _to_fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
