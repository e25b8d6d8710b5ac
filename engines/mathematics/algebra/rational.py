"""Expressions as rational functions of what is not arithmetic in them, worked out exactly, and as tables of
formulas write them: expanded, factored, in partial fractions, with the square completed, nested.

An *atom* is a term that `+ - * /` and integer powers do not take apart: `x`, `pi`, `sin * 2 x`,
`pow x / 1 2`. Its own operands are in normal form, so that `sin(x + x)` and `sin(2x)` are one atom. Over the
atoms of some trees an expression is a quotient of two polynomials with rational coefficients (FLINT), without
common factor. Atoms are taken for independent: what is zero here is zero, what is not may be so by a relation
of its atoms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly

from engines.core.expression_language import CONSTANTS, MAX_DIGITS, is_constant_token, is_number
from engines.core.tree import Tree

if TYPE_CHECKING:
    from engines.mathematics.algebra.atoms import Signs

ONE, ZERO, MINUS, TWO = Tree("1"), Tree("0"), Tree("-1"), Tree("2")
# A power of a polynomial has a number of terms that grows with its exponent.
_MAX_POWER = 64
_MAX_TERMS = 600


class TooLargeError(Exception):
    """An expression that is not worked out: too many terms, or a division by zero. Callers go without."""


class Quotient(NamedTuple):
    """A quotient of two polynomials."""

    top: fmpq_mpoly
    bottom: fmpq_mpoly


def number_tree(value: Fraction | int) -> Tree:
    """Return a rational number in the language.

    Raises:
        TooLargeError: Where the language has no token so long.
    """
    value = Fraction(value)
    if max(abs(value.numerator), value.denominator) >= 10**MAX_DIGITS:
        raise TooLargeError("a number has too many digits")
    top = Tree(str(value.numerator))
    return top if value.denominator == 1 else Tree("/", (top, Tree(str(value.denominator))))


def add_terms(left: Tree, right: Tree) -> Tree:
    """Return a sum, without a term that is 0."""
    return right if left == ZERO else left if right == ZERO else Tree("+", (left, right))


def subtract_terms(left: Tree, right: Tree) -> Tree:
    """Return left - right without a zero on the right."""
    return left if right == ZERO else Tree("-", (left, right))


def multiply_terms(left: Tree, right: Tree) -> Tree:
    """Return a product, without a factor that is 1."""
    if ZERO in (left, right):
        return ZERO
    return right if left == ONE else left if right == ONE else Tree("*", (left, right))


def divide_terms(left: Tree, right: Tree) -> Tree:
    """Return a quotient, without a divisor that is 1."""
    return left if right == ONE else Tree("/", (left, right))


def raise_to_power(base: Tree, exponent: Fraction | int) -> Tree:
    """Return a power with a rational exponent; what is to the power 1 is itself."""
    return base if exponent == 1 else Tree("pow", (base, number_tree(exponent)))


def add_multiple(total: Tree, c: Fraction, m: Tree) -> Tree:
    """Return total + c·m with its sign in front."""
    if not c:
        return total
    if total == ZERO:
        return scale_term(c, m)
    return (add_terms if c > 0 else subtract_terms)(total, scale_term(abs(c), m))


def scale_term(c: Fraction, m: Tree) -> Tree:
    """Return c·m as one writes it: 5/(4 m) for a quotient, 3 m/2 otherwise."""
    if m.label == "/" and m.children[0] == ONE:
        return divide_terms(
            number_tree(c.numerator), multiply_terms(number_tree(c.denominator), m.children[1])
        )
    return divide_terms(multiply_terms(number_tree(c.numerator), m), number_tree(c.denominator))


@lru_cache(4096)
def rational_value(tree: Tree) -> Fraction | None:
    """Return the number that arithmetic on numbers comes to; None for what holds anything else."""
    if is_number(tree):
        return Fraction(tree.label)
    if tree.label not in _OPERATIONS:
        return None
    left, right = map(rational_value, tree.children)
    if left is None or right is None:
        return None
    if tree.label == "pow":
        small = right.denominator == 1 and abs(right) <= _MAX_POWER and (left or right > 0)
        return left ** int(right) if small else None
    if tree.label == "/":
        return left / right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}[tree.label]


def integer_value(tree: Tree) -> int | None:
    """Return the integer that arithmetic on numbers comes to, if it is one that powers are worked out for."""
    value = rational_value(tree)
    small = value is not None and value.denominator == 1 and abs(value) <= _MAX_POWER
    return int(value) if small and value is not None else None


_OPERATIONS = ("+", "-", "*", "/", "pow")


def _open_operation(tree: Tree) -> tuple[Tree, ...] | None:
    """Return the operands that a rational function is made of; None for an atom or a number."""
    if not tree.children:
        return None
    if tree.label in "+-*/":
        return tree.children
    if tree.label == "pow" and integer_value(tree.children[1]) is not None:
        return tree.children[:1]
    return None


class Space:
    """A ring of polynomials whose variables are the atoms of some expressions."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        results: set[Tree] = set()
        for tree in trees:
            results.update(_iterate_atoms(tree))
        self.atoms = sorted(results, key=lambda atom: (len(atom), atom.list_labels()))
        names = [f"a{index}" for index in range(max(1, len(self.atoms)))]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.deglex)
        self._places = {atom: self.context.gen(index) for index, atom in enumerate(self.atoms)}
        self._one = self.constant_polynomial(1)

    def constant_polynomial(self, value: Fraction | int) -> fmpq_mpoly:
        """Return a constant as a polynomial."""
        return self.context.constant(_to_fmpq(Fraction(value)))

    def make_polynomial(self, coefficients: dict[tuple[int, ...], Any]) -> fmpq_mpoly:
        """Return a polynomial with given coefficients by exponents."""
        return self.context.from_dict(coefficients)

    def to_quotient(self, tree: Tree) -> Quotient:
        """Return an expression as a quotient. Raises: TooLargeError."""
        if is_number(tree):
            return Quotient(self.context.constant(_read_number(tree.label)), self._one)
        parts = _open_operation(tree)
        if parts is None:
            return Quotient(self._places[_normal_atom(tree)], self._one)
        left = self.to_quotient(parts[0])
        if tree.label == "pow":
            exponent = integer_value(tree.children[1])
            assert exponent is not None
            return self.raise_quotient(left, exponent)
        return self.combine_quotients(tree.label, left, self.to_quotient(parts[1]))

    def combine_quotients(self, label: str, left: Quotient, right: Quotient) -> Quotient:
        """Return the result of `+ - * /` for two quotients.

        Raises:
            TooLargeError: If it has too many terms.
        """
        if label != "/" and left.bottom is self._one and right.bottom is self._one:
            return self._keep_polynomial(_COMBINED[label](left.top, right.top))
        if label == "*":
            return self.reduce_quotient(left.top * right.top, left.bottom * right.bottom)
        if label == "/":
            return self.reduce_quotient(left.top * right.bottom, left.bottom * right.top)
        crossed = right.top * left.bottom
        top = left.top * right.bottom
        return self.reduce_quotient(
            top + crossed if label == "+" else top - crossed, left.bottom * right.bottom
        )

    def _keep_polynomial(self, top: fmpq_mpoly) -> Quotient:
        if len(top) > _MAX_TERMS:
            raise TooLargeError("an expression has too many terms to compute")
        return Quotient(top, self._one)

    def raise_quotient(self, base: Quotient, exponent: int) -> Quotient:
        """Return an integer power. Raises: TooLargeError."""
        size = max(len(base.top), len(base.bottom))
        if size > 1 and size ** min(abs(exponent), 12) > 40 * _MAX_TERMS**2:
            raise TooLargeError("a power has too many terms to compute")
        if exponent >= 0 and base.bottom is self._one:
            return self._keep_polynomial(base.top**exponent)
        top, bottom = base if exponent >= 0 else (base.bottom, base.top)
        return self.reduce_quotient(top ** abs(exponent), bottom ** abs(exponent))

    def reduce_quotient(self, top: fmpq_mpoly, bottom: fmpq_mpoly) -> Quotient:
        """Return a quotient without a common factor, and with a denominator whose leading coefficient is 1.

        Raises:
            TooLargeError: If it has too many terms, or divides by zero.
        """
        if bottom.is_zero():
            raise TooLargeError("an expression divides by zero")
        if max(len(top), len(bottom)) > _MAX_TERMS:
            raise TooLargeError("an expression has too many terms to compute")
        if not bottom.is_constant():
            common = top.gcd(bottom)
            if not common.is_one():
                top, bottom = top // common, bottom // common
        lead = bottom.leading_coefficient()
        return Quotient(top / lead, self._one if bottom.is_constant() else bottom / lead)

    def to_tree(self, quotient: Quotient) -> Tree:
        """Return a quotient as an expression, expanded."""
        top, bottom, scale = self.to_integer_parts(quotient)
        if bottom.is_constant():
            return self.polynomial_to_tree(top, scale)
        above = self.polynomial_to_tree(top, Fraction(scale.numerator))
        return divide_terms(above, self.polynomial_to_tree(bottom, Fraction(scale.denominator)))

    def to_integer_parts(self, quotient: Quotient) -> tuple[fmpq_mpoly, fmpq_mpoly, Fraction]:
        """Return numerator and denominator with integer coefficients without a common factor, and the number
        before them.
        """
        scale = Fraction(1)
        parts = []
        for polynomial, sign in zip(quotient, (1, -1), strict=True):
            content = _signed_content(polynomial)
            parts.append(polynomial / _to_fmpq(content))
            scale = scale * content if sign > 0 else scale / content
        return parts[0], parts[1], scale

    def polynomial_to_tree(self, polynomial: fmpq_mpoly, scale: Fraction = Fraction(1)) -> Tree:
        """Return a polynomial as a sum, the first term a positive one where there is one."""
        rows = [(to_fraction(c) * scale, exponents) for exponents, c in polynomial.to_dict().items()]
        if not rows:
            return ZERO
        first = next((index for index, (c, _) in enumerate(rows) if c > 0), 0)
        rows.insert(0, rows.pop(first))
        tree = self._term_to_tree(*rows[0])
        for c, exponents in rows[1:]:
            tree = Tree("+" if c > 0 else "-", (tree, self._term_to_tree(abs(c), exponents)))
        return tree

    def _term_to_tree(self, c: Fraction, exponents: Sequence[int]) -> Tree:
        parts = [raise_to_power(atom, int(n)) for atom, n in zip(self.atoms, exponents, strict=False) if n]
        if c.numerator != 1 or not parts:
            parts.insert(0, number_tree(c.numerator))
        return divide_terms(times_all(parts), number_tree(c.denominator))

    def product_to_tree(self, quotient: Quotient) -> Tree:
        """Return a quotient as a product of factors."""
        scale, rows = self.factor_quotient(quotient)
        above = [raise_to_power(tree, n) for tree, n in rows if n > 0]
        below = [raise_to_power(tree, -n) for tree, n in rows if n < 0]
        if scale.numerator != 1 or not above:
            above.insert(0, number_tree(scale.numerator))
        if scale.denominator != 1:
            below.insert(0, number_tree(scale.denominator))
        return divide_terms(times_all(above), times_all(below) if below else ONE)

    def factor_quotient(self, quotient: Quotient) -> tuple[Fraction, list[tuple[Tree, int]]]:
        """Return the number and the irreducible polynomials, with their exponents, that a quotient is made
        of.
        """
        scale = Fraction(1)
        rows: list[tuple[Tree, int]] = []
        for polynomial, sign in zip(quotient, (1, -1), strict=True):
            content, factors = polynomial.factor()
            scale = scale * to_fraction(content) if sign > 0 else scale / to_fraction(content)
            for factor, exponent in factors:
                own = _signed_content(factor)
                scale *= own ** (sign * int(exponent))
                rows.append((self.polynomial_to_tree(factor / _to_fmpq(own)), sign * int(exponent)))
        rows.sort(key=lambda row: (len(row[0]), row[0].list_labels()))
        return scale, rows


def to_fraction(value: Any) -> Fraction:
    """Return a number of FLINT as a fraction."""
    return Fraction(int(value.p), int(value.q))


_COMBINED: Mapping[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@lru_cache(maxsize=4096)
def _read_number(label: str) -> fmpq:
    return _to_fmpq(Fraction(label))


def _to_fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _signed_content(polynomial: fmpq_mpoly | fmpq_poly) -> Fraction:
    """Return the number before a polynomial whose coefficients are integers without common factor, the first
    above 0.
    """
    coefficients = [to_fraction(c) for c in polynomial.coeffs() if c != 0]
    if not coefficients:
        return Fraction(1)
    top = gcd(*(c.numerator for c in coefficients))
    content = Fraction(top, lcm(*(c.denominator for c in coefficients)))
    return content if polynomial.leading_coefficient() > 0 else -content


def times_all(parts: Sequence[Tree]) -> Tree:
    """Return a product, nested to the left."""
    tree = parts[0]
    for part in parts[1:]:
        tree = multiply_terms(tree, part)
    return tree


def _iterate_atoms(tree: Tree) -> Iterator[Tree]:
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        operands = _open_operation(part)
        if operands is not None:
            waiting += operands
        elif not is_number(part):
            yield _normal_atom(part)


def _normal_atom(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(map(expand_tree, tree.children))) if tree.children else tree


@lru_cache(maxsize=2**14)
def expand_tree(tree: Tree) -> Tree:
    """Return the expanded form of an expression, operands of atoms included. Raises: TooLargeError.

    >>> from engines.core.expression_language import read_prefix, to_prefix
    >>> to_prefix(expand_tree(read_prefix("/ - pow x 2 1 - x 1")))
    '+ x 1'
    """
    if not tree.children:
        return number_tree(Fraction(tree.label)) if is_constant_token(tree.label) else tree
    space = Space([tree])
    return space.to_tree(space.to_quotient(tree))


@lru_cache(maxsize=2**12)
def factor_tree(tree: Tree) -> tuple[Fraction, tuple[tuple[Tree, int], ...]]:
    """Return the number and the irreducible factors of an expression, with their exponents."""
    space = Space([tree])
    scale, rows = space.factor_quotient(space.to_quotient(tree))
    return scale, tuple(rows)


def factored_form(tree: Tree) -> Tree:
    """Return the factored form of an expression over the rational numbers. Raises: TooLargeError."""
    space = Space([tree])
    return space.product_to_tree(space.to_quotient(tree))


@lru_cache(maxsize=2**12)
def split_terms(tree: Tree) -> tuple[tuple[Fraction, Tree], ...]:
    """Return the terms of a sum: numbers and what stands beside them, `ONE` for nothing; a fraction that does
    not come apart is one term.
    """
    space = Space([tree])
    top, bottom = space.to_quotient(tree)
    if not bottom.is_constant():
        content = _signed_content(top) / _signed_content(bottom)
        return ((content, space.to_tree(Quotient(top / _to_fmpq(content), bottom))),)
    rows = []
    for exponents, c in top.to_dict().items():
        alone = space.make_polynomial({exponents: fmpq(1)})
        rows.append((to_fraction(c), space.polynomial_to_tree(alone)))
    return tuple(rows)


# As tables of formulas write them


def iterate_expanded(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield an expression multiplied out, and with a number as its denominator."""
    space = Space([tree])
    result = space.to_quotient(tree)
    yield space.to_tree(result)
    yield _over_number(space, result)


def _over_number(space: Space, quotient: Quotient) -> Tree:
    """Return a quotient with numbers in its denominator taken out: (1 - cos 2x)/2."""
    top, bottom, scale = space.to_integer_parts(quotient)
    above = space.polynomial_to_tree(top, Fraction(scale.numerator))
    below = ONE if bottom.is_constant() else space.polynomial_to_tree(bottom)
    return divide_terms(above, multiply_terms(number_tree(scale.denominator), below))


def factored_forms(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield an expression factored, and with common powers taken out."""
    space = Space([tree])
    result = space.to_quotient(tree)
    yield space.product_to_tree(result)
    for index, polynomial in enumerate(result):
        exponents = [tuple(map(int, row)) for row in polynomial.monoms()]
        least = tuple(map(min, zip(*exponents, strict=True))) if exponents else ()
        if len(exponents) > 1 and any(least):
            common = space.make_polynomial({least: fmpq(1)})
            taken = multiply_terms(
                space.polynomial_to_tree(common), space.polynomial_to_tree(polynomial // common)
            )
            other = space.polynomial_to_tree(result[1 - index])
            yield divide_terms(taken, other) if index == 0 else divide_terms(other, taken)


def common_denominator(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield an expression over one denominator, with one side factored."""
    space = Space([tree])
    top, bottom = space.to_quotient(tree)
    if bottom.is_constant():
        return
    one = space.constant_polynomial(1)
    yield divide_terms(space.polynomial_to_tree(top), space.product_to_tree(Quotient(bottom, one)))
    yield divide_terms(space.product_to_tree(Quotient(top, one)), space.polynomial_to_tree(bottom))


def _split_univariate(tree: Tree) -> tuple[Tree, fmpq_poly, fmpq_poly] | None:
    """Return the atom and both sides of a quotient of polynomials in one atom that is no constant."""
    space = Space([tree])
    result = space.to_quotient(tree)
    if len(space.atoms) != 1 or space.atoms[0].label in CONSTANTS:
        return None
    return space.atoms[0], to_univariate(result.top), to_univariate(result.bottom)


def to_univariate(polynomial: fmpq_mpoly) -> fmpq_poly:
    """Return a polynomial in one atom as a polynomial in one variable."""
    rows = {int(exponents[0]): c for exponents, c in polynomial.to_dict().items()}
    return fmpq_poly([rows.get(index, fmpq(0)) for index in range(max(rows, default=0) + 1)])


def sum_of(polynomial: fmpq_poly, atom: Tree) -> Tree:
    """Return a polynomial in an atom, highest power first."""
    total = ZERO
    for index in range(polynomial.degree(), -1, -1):
        c = to_fraction(polynomial[index])
        if c:
            total = add_multiple(total, c, raise_to_power(atom, index) if index else ONE)
    return total


def partial_fractions(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield the partial fractions of a rational function in one atom."""
    result = _split_univariate(tree)
    if result is None or result[2].degree() < 1:
        return
    atom, top, bottom = result
    # The polynomial part first: top / bottom = whole + rest / bottom.
    polynomial_part, rest = divmod(top, bottom)
    if polynomial_part.degree() >= 0:
        yield _join_quotient(polynomial_part, atom, divide_terms(sum_of(rest, atom), sum_of(bottom, atom)))
    content, factors = bottom.factor()
    # Over coprime blocks factor^k, the numerator of a block is rest · (other blocks)^-1 modulo the block.
    parts: list[tuple[fmpq_poly, fmpq_poly, int]] = []
    for factor, multiplicity in factors:
        block = factor**multiplicity
        cofactor_polynomial = bottom / content // block
        # xgcd gives s and t with s · cofactor + t · block = 1, so s is the inverse modulo the block.
        inverse = cofactor_polynomial.xgcd(block)[1]
        piece = (rest * inverse / content) % block
        # Expand each numerator in powers of its factor: one fraction for every exponent.
        for exponent in range(multiplicity, 0, -1):
            piece, remainder = divmod(piece, factor)
            if remainder.degree() >= 0:
                parts.append((remainder, factor, exponent))
    if len(parts) + (polynomial_part.degree() >= 0) < 2:
        return
    total = ZERO
    # Put the sum together with signs in front and integer coefficients.
    for remainder, factor, exponent in sorted(parts, key=lambda part: (str(part[1]), part[2])):
        scale, numerator_content = _signed_content(factor), _signed_content(remainder)
        c = numerator_content / scale**exponent
        above = sum_of(remainder / _to_fmpq(numerator_content), atom)
        below = raise_to_power(sum_of(factor / _to_fmpq(scale), atom), exponent)
        part = divide_terms(
            multiply_terms(number_tree(abs(c.numerator)), above),
            multiply_terms(number_tree(c.denominator), below),
        )
        if above == ONE:
            total = add_multiple(total, c, Tree("/", (above, below)))
        elif total == ZERO:
            total = part if c > 0 else multiply_terms(MINUS, part)
        else:
            total = (add_terms if c > 0 else subtract_terms)(total, part)
    yield _join_quotient(polynomial_part, atom, total)


def _join_quotient(whole: fmpq_poly, atom: Tree, rest: Tree) -> Tree:
    """Return a polynomial and a proper fraction; what is below 0 comes second."""
    if whole.degree() > 0 or whole[0] >= 0:
        return add_terms(sum_of(whole, atom), rest)
    return add_multiple(rest, to_fraction(whole[0]), ONE)


def square_completed(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield a quadratic polynomial with its square completed."""
    result = _split_univariate(tree)
    if result is None or result[2].degree() > 0 or result[1].degree() != 2:
        return
    atom, polynomial = result[0], result[1] / result[2][0]
    c, b, a = (to_fraction(polynomial[index]) for index in range(3))
    if b:
        square = raise_to_power(add_multiple(atom, b / (2 * a), ONE), 2)
        yield add_multiple(scale_term(a, square), c - b * b / (4 * a), ONE)


def iterate_horner(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield a polynomial in Horner's scheme."""
    result = _split_univariate(tree)
    if result is None or result[2].degree() > 0 or result[1].degree() < 2:
        return
    atom, polynomial = result[0], result[1] / result[2][0]
    rows = [(index, to_fraction(polynomial[index])) for index in range(polynomial.degree(), -1, -1)]
    rows = [(exponent, c) for exponent, c in rows if c]
    if len(rows) < 2:
        return
    total, above = number_tree(rows[0][1]), rows[0][0]
    for exponent, c in [*rows[1:], (0, Fraction(0))]:
        if above > exponent:
            raised = raise_to_power(atom, above - exponent)
            scale = rational_value(total)
            total = multiply_terms(raised, total) if scale is None else scale_term(scale, raised)
        total, above = add_multiple(total, c, ONE), exponent
    yield total
