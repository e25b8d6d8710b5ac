"""Symmetric polynomials by elementary ones and by sums of squares."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from flint import fmpq

from engines.core.tree import ONE, Tree
from engines.mathematics.algebra.rational import (
    TWO,
    ZERO,
    Space,
    add_multiple,
    divide_terms,
    multiply_terms,
    raise_to_power,
    scale_term,
    subtract_terms,
    to_fraction,
)

if TYPE_CHECKING:
    from engines.mathematics.algebra.atoms import Signs

Polynomial = dict[tuple[int, ...], Fraction]
"""Coefficients by exponents."""
# The products of elementary polynomials grow fast in both.
_MOST_ATOMS, _MOST_DEGREE = 4, 6


def iterate_symmetric(tree: Tree, _: Signs) -> Iterator[Tree]:
    """Yield a symmetric polynomial in the elementary symmetric ones (Gauss).

    A sum of all products of two is also written by the square of the sum.

    >>> from engines.core.expression_language import LETTERS, read_prefix, to_prefix
    >>> [to_prefix(form) for form in iterate_symmetric(read_prefix("* a b", LETTERS), None)]
    ['/ - pow + a b 2 + pow a 2 pow b 2 2']
    """
    space = Space([tree])
    quotient = space.to_quotient(tree)
    count = len(space.atoms)
    if any(atom.children for atom in space.atoms):  # x e^x by squares of x + e^x is odd
        return
    if not quotient.bottom.is_constant() or not 2 <= count <= _MOST_ATOMS:
        return
    scale = to_fraction(quotient.bottom.leading_coefficient())
    rows = {
        tuple(map(int, exponents)): to_fraction(c) / scale for exponents, c in quotient.top.to_dict().items()
    }
    if max(map(sum, rows), default=0) > _MOST_DEGREE or not _is_symmetric(rows):
        return
    # Exponents of the single atoms, and from them the elementary polynomials: e_k is the sum of all
    # products of k different atoms.
    unit = [tuple(int(at == index) for at in range(count)) for index in range(count)]
    elementary = [
        {tuple(map(sum, zip(*chosen, strict=True))): Fraction(1) for chosen in combinations(unit, size)}
        for size in range(1, count + 1)
    ]
    written = [_to_tree(space, polynomial) for polynomial in elementary]
    parts = _split_into_elementary(rows, elementary)
    # Of a multiple of one elementary polynomial only e_2 has another form: (Σ x)² = Σ x² + 2 e_2.
    if len(parts) == 1 and sum(parts[0][1]) == 1:
        if parts[0][1][1]:
            squares = _to_tree(space, {tuple(2 * n for n in one): Fraction(1) for one in unit})
            twice = subtract_terms(raise_to_power(written[0], 2), squares)
            yield scale_term(parts[0][0], divide_terms(twice, TWO))
        return
    total = ZERO
    for c, powers in parts:
        term = None
        for base, n in zip(written, powers, strict=True):
            if n:
                factor = raise_to_power(base, n)
                term = factor if term is None else multiply_terms(term, factor)
        total = add_multiple(total, c, ONE if term is None else term)
    yield total


def _to_tree(space: Space, polynomial: Polynomial) -> Tree:
    coefficients = {row: fmpq(c.numerator, c.denominator) for row, c in polynomial.items()}
    return space.polynomial_to_tree(space.make_polynomial(coefficients))


def _is_symmetric(rows: Polynomial) -> bool:
    count = len(next(iter(rows), ()))
    for index in range(count - 1):
        for row, c in rows.items():
            turned = (*row[:index], row[index + 1], row[index], *row[index + 2 :])
            if rows.get(turned) != c:
                return False
    return bool(rows)


def _split_into_elementary(
    rows: Polynomial, elementary: list[Polynomial]
) -> list[tuple[Fraction, tuple[int, ...]]]:
    """Return the coefficients and the exponents of the elementary polynomials: the leading term says which
    product comes next."""
    parts = []
    rest = dict(rows)
    # Gauss: if x^(a1, ..., an) is the lexicographically leading term of a symmetric
    # polynomial, its exponents descend, and e_1^(a1-a2) e_2^(a2-a3) ... e_n^an has the same
    # leading term. Subtracting lowers it.
    while rest:
        lead = max(rest)
        c = rest[lead]
        powers = tuple(here - after for here, after in zip(lead, (*lead[1:], 0), strict=True))
        parts.append((c, powers))
        product: Polynomial = {(0,) * len(lead): c}
        for polynomial, n in zip(elementary, powers, strict=True):
            for _ in range(n):
                product = _multiply(product, polynomial)
        for row, value in product.items():
            left = rest.get(row, Fraction(0)) - value
            if left:
                rest[row] = left
            else:
                rest.pop(row, None)
    return parts


def _multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    product: Polynomial = {}
    for row, c in left.items():
        for column, d in right.items():
            key = tuple(map(sum, zip(row, column, strict=True)))
            product[key] = product.get(key, Fraction(0)) + c * d
    return product
