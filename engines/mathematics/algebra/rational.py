"""Expressions as rational functions of what is not arithmetic in them, worked out exactly, and as tables of
formulas write them: expanded, factored, in partial fractions, with the square completed, nested.

An *atom* is a term that `+ - * /` and integer powers do not take apart: `x`, `pi`, `sin * 2 x`,
`pow x / 1 2`. Its own operands are in normal form, so that `sin(x + x)` and `sin(2x)` are one atom. Over the
atoms of some trees an expression is a quotient of two polynomials with rational coefficients (FLINT), without
common factor. Atoms are taken for independent: what is zero here is zero, what is not may be so by a relation
of its atoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly

from engines.core.tree import Tree
from engines.core.vocabulary import CONSTANTS, MAX_DIGITS, is_constant_token, is_number

if TYPE_CHECKING:
    from engines.mathematics.algebra.atoms import Signs

ONE, ZERO, MINUS, TWO = Tree("1"), Tree("0"), Tree("-1"), Tree("2")
_MAX_POWER = 64
_MAX_TERMS = 600


class TooLargeError(Exception):
    """An expression that is not worked out: too many terms, or a division by zero. Callers go without."""


class Quotient(NamedTuple):
    top: fmpq_mpoly
    bottom: fmpq_mpoly


def number(value: Fraction | int) -> Tree:
    """A rational number in the language. Raises: TooLargeError where the language has no token so long."""
    value = Fraction(value)
    if max(abs(value.numerator), value.denominator) >= 10**MAX_DIGITS:
        raise TooLargeError("a number has too many digits")
    top = Tree(str(value.numerator))
    return top if value.denominator == 1 else Tree("/", (top, Tree(str(value.denominator))))


def added(left: Tree, right: Tree) -> Tree:
    """A sum, without a term that is 0."""
    return right if left == ZERO else left if right == ZERO else Tree("+", (left, right))


def less(left: Tree, right: Tree) -> Tree:
    return left if right == ZERO else Tree("-", (left, right))


def times(left: Tree, right: Tree) -> Tree:
    """A product, without a factor that is 1."""
    if ZERO in (left, right):
        return ZERO
    return right if left == ONE else left if right == ONE else Tree("*", (left, right))


def divided(left: Tree, right: Tree) -> Tree:
    """A quotient, without a divisor that is 1."""
    return left if right == ONE else Tree("/", (left, right))


def power(base: Tree, exponent: Fraction | int) -> Tree:
    """A power with a rational exponent; what is to the power 1 is itself."""
    return base if exponent == 1 else Tree("pow", (base, number(exponent)))


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


def rational(tree: Tree) -> Fraction | None:
    """The number that arithmetic on numbers comes to; None for what holds anything else."""
    if is_number(tree):
        return Fraction(tree.label)
    if tree.label not in _OPERATIONS:
        return None
    left, right = map(rational, tree.children)
    if left is None or right is None:
        return None
    if tree.label == "pow":
        small = right.denominator == 1 and abs(right) <= _MAX_POWER and (left or right > 0)
        return left ** int(right) if small else None
    if tree.label == "/":
        return left / right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}[tree.label]


def integer(tree: Tree) -> int | None:
    """The integer that arithmetic on numbers comes to, if it is one that powers are worked out for."""
    value = rational(tree)
    small = value is not None and value.denominator == 1 and abs(value) <= _MAX_POWER
    return int(value) if small and value is not None else None


_OPERATIONS = ("+", "-", "*", "/", "pow")


def _opened(tree: Tree) -> tuple[Tree, ...] | None:
    """The operands that a rational function is made of; None for an atom or a number."""
    if tree.label in "+-*/" and tree.children:
        return tree.children
    if tree.label == "pow" and integer(tree.children[1]) is not None:
        return tree.children[:1]
    return None


class Space:
    def __init__(self, trees: Iterable[Tree]) -> None:
        found: set[Tree] = set()
        for tree in trees:
            found.update(_atoms(tree))
        self.atoms = sorted(found, key=lambda atom: (len(atom), atom.list_labels()))
        names = [f"a{place}" for place in range(max(1, len(self.atoms)))]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.deglex)
        self._places = {atom: self.context.gen(place) for place, atom in enumerate(self.atoms)}

    def constant(self, value: Fraction | int) -> fmpq_mpoly:
        return self.context.constant(_exact(Fraction(value)))

    def polynomial(self, coefficients: dict[tuple[int, ...], Any]) -> fmpq_mpoly:
        return self.context.from_dict(coefficients)

    def of(self, tree: Tree) -> Quotient:
        """An expression as a quotient. Raises: TooLargeError."""
        one = self.constant(1)
        if is_number(tree):
            return Quotient(self.constant(Fraction(tree.label)), one)
        parts = _opened(tree)
        if parts is None:
            return Quotient(self._places[_normal_atom(tree)], one)
        left = self.of(parts[0])
        if tree.label == "pow":
            exponent = integer(tree.children[1])
            assert exponent is not None
            return self.raised(left, exponent)
        return self.combined(tree.label, left, self.of(parts[1]))

    def combined(self, label: str, left: Quotient, right: Quotient) -> Quotient:
        """`+ - * /` of two quotients. Raises: TooLargeError."""
        if label == "*":
            return self.reduced(left.top * right.top, left.bottom * right.bottom)
        if label == "/":
            return self.reduced(left.top * right.bottom, left.bottom * right.top)
        crossed = right.top * left.bottom
        top = left.top * right.bottom
        return self.reduced(top + crossed if label == "+" else top - crossed, left.bottom * right.bottom)

    def raised(self, base: Quotient, exponent: int) -> Quotient:
        """An integer power. Raises: TooLargeError."""
        size = max(len(base.top), len(base.bottom))
        if size > 1 and size ** min(abs(exponent), 12) > 40 * _MAX_TERMS**2:
            raise TooLargeError("a power has too many terms to compute")
        top, bottom = base if exponent >= 0 else (base.bottom, base.top)
        return self.reduced(top ** abs(exponent), bottom ** abs(exponent))

    def reduced(self, top: fmpq_mpoly, bottom: fmpq_mpoly) -> Quotient:
        """Without common factor, the denominator's leading coefficient 1. Raises: TooLargeError."""
        if bottom.is_zero():
            raise TooLargeError("an expression divides by zero")
        if max(len(top), len(bottom)) > _MAX_TERMS:
            raise TooLargeError("an expression has too many terms to compute")
        if not bottom.is_constant():
            common = top.gcd(bottom)
            if not common.is_one():
                top, bottom = top // common, bottom // common
        lead = bottom.leading_coefficient()
        return Quotient(top / lead, bottom / lead)

    def tree(self, quotient: Quotient) -> Tree:
        top, bottom, scale = self.whole(quotient)
        if bottom.is_constant():
            return self.sum(top, scale)
        above = self.sum(top, Fraction(scale.numerator))
        return divided(above, self.sum(bottom, Fraction(scale.denominator)))

    def whole(self, quotient: Quotient) -> tuple[fmpq_mpoly, fmpq_mpoly, Fraction]:
        """Numerator and denominator with integer coefficients that have no common factor, and the number
        before them."""
        scale = Fraction(1)
        parts = []
        for polynomial, sign in zip(quotient, (1, -1), strict=True):
            content = _content(polynomial)
            parts.append(polynomial / _exact(content))
            scale = scale * content if sign > 0 else scale / content
        return parts[0], parts[1], scale

    def sum(self, polynomial: fmpq_mpoly, scale: Fraction = Fraction(1)) -> Tree:
        """A polynomial as a sum, the first term a positive one where there is one."""
        rows = [(fraction(c) * scale, exponents) for exponents, c in polynomial.to_dict().items()]
        if not rows:
            return ZERO
        first = next((place for place, (c, _) in enumerate(rows) if c > 0), 0)
        rows.insert(0, rows.pop(first))
        tree = self._term(*rows[0])
        for c, exponents in rows[1:]:
            tree = Tree("+" if c > 0 else "-", (tree, self._term(abs(c), exponents)))
        return tree

    def _term(self, c: Fraction, exponents: Sequence[int]) -> Tree:
        parts = [power(atom, int(n)) for atom, n in zip(self.atoms, exponents, strict=False) if n]
        if c.numerator != 1 or not parts:
            parts.insert(0, number(c.numerator))
        return divided(times_all(parts), number(c.denominator))

    def product(self, quotient: Quotient) -> Tree:
        scale, rows = self.factors(quotient)
        above = [power(tree, n) for tree, n in rows if n > 0]
        below = [power(tree, -n) for tree, n in rows if n < 0]
        if scale.numerator != 1 or not above:
            above.insert(0, number(scale.numerator))
        if scale.denominator != 1:
            below.insert(0, number(scale.denominator))
        return divided(times_all(above), times_all(below) if below else ONE)

    def factors(self, quotient: Quotient) -> tuple[Fraction, list[tuple[Tree, int]]]:
        """The number and the irreducible polynomials, with their exponents, that a quotient is made of."""
        scale = Fraction(1)
        rows: list[tuple[Tree, int]] = []
        for polynomial, sign in zip(quotient, (1, -1), strict=True):
            content, found = polynomial.factor()
            scale = scale * fraction(content) if sign > 0 else scale / fraction(content)
            for factor, exponent in found:
                own = _content(factor)
                scale *= own ** (sign * int(exponent))
                rows.append((self.sum(factor / _exact(own)), sign * int(exponent)))
        rows.sort(key=lambda row: (len(row[0]), row[0].list_labels()))
        return scale, rows


def fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _content(polynomial: fmpq_mpoly | fmpq_poly) -> Fraction:
    """The number before a polynomial whose coefficients are integers without common factor, the first above
    0."""
    coefficients = [fraction(c) for c in polynomial.coeffs() if c != 0]
    if not coefficients:
        return Fraction(1)
    top = gcd(*(c.numerator for c in coefficients))
    content = Fraction(top, lcm(*(c.denominator for c in coefficients)))
    return content if polynomial.leading_coefficient() > 0 else -content


def times_all(parts: Sequence[Tree]) -> Tree:
    """A product, nested to the left."""
    tree = parts[0]
    for part in parts[1:]:
        tree = times(tree, part)
    return tree


def _atoms(tree: Tree) -> Iterator[Tree]:
    parts = _opened(tree)
    if parts is not None:
        for part in parts:
            yield from _atoms(part)
    elif not is_number(tree):
        yield _normal_atom(tree)


def _normal_atom(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(map(normal, tree.children)))


@lru_cache(maxsize=2**14)
def normal(tree: Tree) -> Tree:
    """The expanded form of an expression, operands of atoms included. Raises: TooLargeError.

    >>> from engines.core.vocabulary import read_prefix, to_prefix
    >>> to_prefix(normal(read_prefix("/ - pow x 2 1 - x 1")))
    '+ x 1'
    """
    if not tree.children:
        return number(Fraction(tree.label)) if is_constant_token(tree.label) else tree
    space = Space([tree])
    return space.tree(space.of(tree))


@lru_cache(maxsize=2**12)
def factors(tree: Tree) -> tuple[Fraction, tuple[tuple[Tree, int], ...]]:
    """The number and the irreducible factors of an expression, with their exponents."""
    space = Space([tree])
    scale, rows = space.factors(space.of(tree))
    return scale, tuple(rows)


def factored(tree: Tree) -> Tree:
    """The factored form of an expression over the rational numbers. Raises: TooLargeError."""
    space = Space([tree])
    return space.product(space.of(tree))


@lru_cache(maxsize=2**12)
def terms(tree: Tree) -> tuple[tuple[Fraction, Tree], ...]:
    """The terms of a sum: numbers and what stands beside them, `ONE` for nothing; a fraction that does not
    come apart is one term."""
    space = Space([tree])
    top, bottom = space.of(tree)
    if not bottom.is_constant():
        content = _content(top) / _content(bottom)
        return ((content, space.tree(Quotient(top / _exact(content), bottom))),)
    rows = []
    for exponents, c in top.to_dict().items():
        alone = space.polynomial({exponents: fmpq(1)})
        rows.append((fraction(c), space.sum(alone)))
    return tuple(rows)


# As tables of formulas write them


def expanded(tree: Tree, _: Signs) -> Iterator[Tree]:
    space = Space([tree])
    result = space.of(tree)
    yield space.tree(result)
    yield _over_number(space, result)


def _over_number(space: Space, found: Quotient) -> Tree:
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
        exponents = [tuple(map(int, row)) for row in polynomial.monoms()]
        least = tuple(map(min, zip(*exponents, strict=True))) if exponents else ()
        if len(exponents) > 1 and any(least):
            common = space.polynomial({least: fmpq(1)})
            taken = times(space.sum(common), space.sum(polynomial // common))
            other = space.sum(result[1 - place])
            yield divided(taken, other) if place == 0 else divided(other, taken)


def common_denominator(tree: Tree, _: Signs) -> Iterator[Tree]:
    space = Space([tree])
    top, bottom = space.of(tree)
    if bottom.is_constant():
        return
    one = space.constant(1)
    yield divided(space.sum(top), space.product(Quotient(bottom, one)))
    yield divided(space.product(Quotient(top, one)), space.sum(bottom))


def _single(tree: Tree) -> tuple[Tree, fmpq_poly, fmpq_poly] | None:
    """The atom and both sides of a quotient of polynomials in one atom that is no constant."""
    space = Space([tree])
    result = space.of(tree)
    if len(space.atoms) != 1 or space.atoms[0].label in CONSTANTS:
        return None
    return space.atoms[0], dense(result.top), dense(result.bottom)


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


def partial_fractions(tree: Tree, _: Signs) -> Iterator[Tree]:
    result = _single(tree)
    if result is None or result[2].degree() < 1:
        return
    atom, top, bottom = result
    whole, rest = divmod(top, bottom)
    if whole.degree() >= 0:
        yield _joined(whole, atom, divided(sum_of(rest, atom), sum_of(bottom, atom)))
    content, factors = bottom.factor()
    parts: list[tuple[fmpq_poly, fmpq_poly, int]] = []
    for factor, times_over in factors:
        block = factor**times_over
        others = bottom / content // block
        inverse = others.xgcd(block)[1]
        piece = (rest * inverse / content) % block
        for exponent in range(times_over, 0, -1):
            piece, remainder = divmod(piece, factor)
            if remainder.degree() >= 0:
                parts.append((remainder, factor, exponent))
    if len(parts) + (whole.degree() >= 0) < 2:
        return
    total = ZERO
    for remainder, factor, exponent in sorted(parts, key=lambda part: (str(part[1]), part[2])):
        scale, own = _content(factor), _content(remainder)
        c = own / scale**exponent
        above = sum_of(remainder / _exact(own), atom)
        below = power(sum_of(factor / _exact(scale), atom), exponent)
        part = divided(times(number(abs(c.numerator)), above), times(number(c.denominator), below))
        if above == ONE:
            total = plus(total, c, Tree("/", (above, below)))
        elif total == ZERO:
            total = part if c > 0 else times(MINUS, part)
        else:
            total = (added if c > 0 else less)(total, part)
    yield _joined(whole, atom, total)


def _joined(whole: fmpq_poly, atom: Tree, rest: Tree) -> Tree:
    """A polynomial and a proper fraction; what is below 0 comes second."""
    if whole.degree() > 0 or whole[0] >= 0:
        return added(sum_of(whole, atom), rest)
    return plus(rest, fraction(whole[0]), ONE)


def square_completed(tree: Tree, _: Signs) -> Iterator[Tree]:
    result = _single(tree)
    if result is None or result[2].degree() > 0 or result[1].degree() != 2:
        return
    atom, polynomial = result[0], result[1] / result[2][0]
    c, b, a = (fraction(polynomial[place]) for place in range(3))
    if b:
        square = power(plus(atom, b / (2 * a), ONE), 2)
        yield plus(scaled(a, square), c - b * b / (4 * a), ONE)


def nested(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Horner's scheme."""
    result = _single(tree)
    if result is None or result[2].degree() > 0 or result[1].degree() < 2:
        return
    atom, polynomial = result[0], result[1] / result[2][0]
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
