"""Polynomials and their quotients, as tables of formulas write them: expanded, factored, in partial
fractions, with the square completed, nested."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from flint import fmpq, fmpq_mpoly, fmpq_poly

from engines.core.tree import Tree
from engines.egen.algebra.atoms import Signs
from engines.egen.algebra.rational import (
    ONE,
    ZERO,
    Quotient,
    Space,
    added,
    divided,
    less,
    number,
    power,
    rational,
    times,
)
from engines.egen.expressions.language import CONSTANTS

_MINUS = Tree("-1")


def expanded(tree: Tree, _: Signs) -> Iterator[Tree]:
    space = Space([tree])
    result = space.of(tree)
    yield space.tree(result)
    yield over_number(space, result)


def over_number(space: Space, found: Quotient) -> Tree:
    """A quotient with numbers in its denominator taken out: (1 - cos 2x)/2."""
    top, bottom, scale = space.whole(found)
    above = space.sum(top, Fraction(scale.numerator))
    below = ONE if bottom.is_constant() else space.sum(bottom)
    return divided(above, times(number(scale.denominator), below))


def factored_forms(tree: Tree, _: Signs) -> Iterator[Tree]:
    space = Space([tree])
    result = space.of(tree)
    yield space.product(result)
    for place, polynomial in enumerate(result):
        common = _common(polynomial)
        if common is not None and not polynomial.is_constant():
            taken = times(space.sum(common), space.sum(polynomial // common))
            other = space.sum(result[1 - place])
            yield divided(taken, other) if place == 0 else divided(other, taken)


def _common(polynomial: fmpq_mpoly) -> fmpq_mpoly | None:
    """The product of atoms that divides every term; None for none."""
    exponents = [tuple(map(int, row)) for row in polynomial.monoms()]
    least = tuple(map(min, zip(*exponents, strict=True))) if exponents else ()
    if len(exponents) < 2 or not any(least):
        return None
    return polynomial.context().from_dict({least: fmpq(1)})


def common_denominator(tree: Tree, _: Signs) -> Iterator[Tree]:
    space = Space([tree])
    top, bottom = space.of(tree)
    if bottom.is_constant():
        return
    one = space.constant(1)
    yield divided(space.sum(top), space.product(Quotient(bottom, one)))
    yield divided(space.product(Quotient(top, one)), space.sum(bottom))


def single(tree: Tree) -> tuple[Space, Quotient, Tree, fmpq_poly, fmpq_poly] | None:
    """A quotient of polynomials in one atom that is no constant."""
    space = Space([tree])
    result = space.of(tree)
    if len(space.atoms) != 1 or space.atoms[0].label in CONSTANTS:
        return None
    return space, result, space.atoms[0], dense(result.top), dense(result.bottom)


def dense(polynomial: fmpq_mpoly) -> fmpq_poly:
    rows = {int(exponents[0]): c for exponents, c in polynomial.to_dict().items()}
    return fmpq_poly([rows.get(place, fmpq(0)) for place in range(max(rows, default=0) + 1)])


def sum_of(polynomial: fmpq_poly, atom: Tree) -> Tree:
    """A polynomial in an atom, highest power first."""
    total = ZERO
    for place in range(polynomial.degree(), -1, -1):
        c = fraction(polynomial[place])
        if c:
            total = plus(total, c, power(atom, place) if place else ONE)
    return total


def plus(total: Tree, c: Fraction, m: Tree) -> Tree:
    """total + c m, its sign in front."""
    if not c:
        return total
    if total == ZERO:
        return scaled(c, m)
    return (added if c > 0 else less)(total, scaled(abs(c), m))


def scaled(c: Fraction, m: Tree) -> Tree:
    """c m, as one writes it: 5/(4 m) for a quotient, 3 m/2 otherwise."""
    if m.label == "/" and m.children[0] == ONE:
        return divided(number(c.numerator), times(number(c.denominator), m.children[1]))
    return divided(times(number(c.numerator), m), number(c.denominator))


def fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def partial_fractions(tree: Tree, _: Signs) -> Iterator[Tree]:
    result = single(tree)
    if result is None or result[4].degree() < 1:
        return
    atom, top, bottom = result[2:]
    whole, rest = divmod(top, bottom)
    if _some(whole):
        yield _joined(whole, atom, divided(sum_of(rest, atom), sum_of(bottom, atom)))
    content, factors = bottom.factor()
    parts: list[tuple[fmpq_poly, fmpq_poly, int]] = []
    for factor, times_over in factors:
        block = factor**times_over
        others = bottom / content
        others = others // block
        inverse = others.xgcd(block)[1]
        piece = (rest * inverse / content) % block
        for exponent in range(times_over, 0, -1):
            piece, remainder = divmod(piece, factor)
            if _some(remainder):
                parts.append((remainder, factor, exponent))
    if len(parts) + _some(whole) < 2:
        return
    total = ZERO
    for remainder, factor, exponent in sorted(parts, key=lambda part: (str(part[1]), part[2])):
        below, scale = _integral(factor)
        above, own = _integral(remainder)
        c = own / scale**exponent
        fraction = Tree("/", (sum_of(above, atom), power(sum_of(below, atom), exponent)))
        total = plus(total, c, fraction) if fraction.children[0] == ONE else _with(total, c, fraction)
    yield _joined(whole, atom, total)


def _with(total: Tree, c: Fraction, fraction: Tree) -> Tree:
    above, below = fraction.children
    part = divided(times(number(abs(c.numerator)), above), times(number(c.denominator), below))
    if total == ZERO:
        return part if c > 0 else times(_MINUS, part)
    return (added if c > 0 else less)(total, part)


def _joined(whole: fmpq_poly, atom: Tree, rest: Tree) -> Tree:
    """A polynomial and a proper fraction; what is below 0 comes second."""
    if whole.degree() > 0 or whole[0] >= 0:
        return added(sum_of(whole, atom), rest)
    return plus(rest, fraction(whole[0]), ONE)


def _some(polynomial: fmpq_poly) -> bool:
    return polynomial.degree() >= 0


def _integral(polynomial: fmpq_poly) -> tuple[fmpq_poly, Fraction]:
    """With integer coefficients without common factor, the highest above 0, and the number before it."""
    content = _content(polynomial)
    if fraction(polynomial[polynomial.degree()]) < 0:
        content = -content
    return polynomial / fmpq(content.numerator, content.denominator), content


def _content(polynomial: fmpq_poly) -> Fraction:
    values = [fraction(c) for c in polynomial.coeffs() if c != 0]
    return Fraction(gcd(*(c.numerator for c in values)), lcm(*(c.denominator for c in values)))


def square_completed(tree: Tree, _: Signs) -> Iterator[Tree]:
    result = single(tree)
    if result is None or result[4].degree() > 0 or result[3].degree() != 2:
        return
    atom, polynomial = result[2], result[3] / result[4][0]
    c, b, a = (fraction(polynomial[place]) for place in range(3))
    if b:
        square = power(plus(atom, b / (2 * a), ONE), 2)
        yield plus(scaled(a, square), c - b * b / (4 * a), ONE)


def nested(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Horner's scheme."""
    result = single(tree)
    if result is None or result[4].degree() > 0 or result[3].degree() < 2:
        return
    atom, polynomial = result[2], result[3] / result[4][0]
    rows = [(place, fraction(polynomial[place])) for place in range(polynomial.degree(), -1, -1)]
    rows = [(place, c) for place, c in rows if c]
    if len(rows) < 2:
        return
    total, above = number(rows[0][1]), rows[0][0]
    for place, c in [*rows[1:], (0, Fraction(0))]:
        if above > place:
            raised = power(atom, above - place)
            scale = rational(total)
            total = times(raised, total) if scale is None else scaled(scale, raised)
        total, above = plus(total, c, ONE), place
    yield total
