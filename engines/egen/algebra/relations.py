"""Whether two expressions are equal by algebra and by what their atoms have to do with each other.

Equality is decided by exact arithmetic: the numerator of the difference is reduced by sin^2 + cos^2 = 1,
cosh^2 - sinh^2 = 1, (u^(1/n))^n = u and |u|^2 = u^2; what is left vanishes if every coefficient, an algebraic
number, is 0. Sums of arctangents are multiplied out as complex numbers. What is found equal is equal wherever
both are defined; nothing is said of where that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from flint import fmpq_mpoly

from engines.core.tree import Tree
from engines.egen.algebra.atoms import Powers, bottom_up, is_algebraic, is_root, is_zero
from engines.egen.algebra.rational import (
    ONE,
    Space,
    TooLargeError,
    integer,
    less,
    power,
    rational,
    terms,
)
from engines.egen.expressions.language import fold, variables_of

ARITHMETIC = "arithmetic"
PROCEDURES = {
    ARITHMETIC: "operations on numbers",
    "expand": "products and powers of sums multiplied out",
    "factor": "a sum written as a product over the rational numbers",
    "cancel": "a common factor of numerator and denominator left out",
    "partial fractions": "a quotient written as a sum of simpler ones",
    "common denominator": "a sum of quotients written as one",
    "collect": "terms put together, another order of terms or factors",
    "squares": "sin^2 + cos^2 = 1 or cosh^2 - sinh^2 = 1, and algebra",
    "roots": "the n-th power of an n-th root, or the square of an absolute value, and algebra",
    "exact value": "two algebraic numbers that are the same, by a bound of how far apart they would be",
    "arctangents": "a sum of arctangents, by the argument of a product of complex numbers",
    "logarithms": "the logarithm of a product or power, or a sum of logarithms as that of one product",
    "powers": "roots and powers of products, powers and exponentials, taken apart or put together",
    "absolute value": "the absolute value of a product or of what has one sign",
    "addition theorem": "sine or cosine, circular or hyperbolic, of a sum",
    "negative angle": "sine or cosine, circular or hyperbolic, of -u by that of u",
    "multiple angle": "sine or cosine, circular or hyperbolic, of a multiple of an angle",
}
"""Steps that no single rule makes, and what they do."""

_MAX_REDUCTIONS = 40
_MAX_GROUPS = 60
_MAX_PRODUCT = 240


def equal(left: Tree, right: Tree, powers: Powers) -> tuple[str, ...]:
    """The steps by which one expression is the other; none when they were not found to be equal."""
    if fold(left) == fold(right):
        return (ARITHMETIC,)
    try:
        space = _Closed([left, right])
        difference = space.combined("-", space.of(left), space.of(right)).top
        used = space.vanishes(difference)
        if used is not None:
            return used or (_algebra(left, right),)
        if _roots(left, right, powers):
            return ("roots",)
        rows = terms(less(left, right))
        if _logarithms(rows):
            return ("logarithms",)
        return ("arctangents",) if _arctangents(rows, powers) else ()
    except TooLargeError:
        return ()


class _Closed(Space):
    def __init__(self, trees: Iterable[Tree]) -> None:
        known = list(trees)
        size = -1
        while True:
            super().__init__(known)
            if size == len(self.atoms):
                break
            size = len(self.atoms)
            for atom in self.atoms:
                found = is_root(atom)
                if found is not None:
                    known.append(found[0])
                elif atom.label == "abs":
                    known.append(atom.children[0])
                elif atom.label in ("cos", "cosh"):
                    known.append(Tree(_SINE[atom.label], atom.children))
        self._relations = [
            (place, *made) for place, atom in enumerate(self.atoms) if (made := self._relation(atom))
        ]

    def _relation(self, atom: Tree) -> tuple[int, fmpq_mpoly, str] | None:
        found = is_root(atom)
        if found is not None:
            base = self.of(found[0])
            return (found[1], base.top, "roots") if base.bottom.is_constant() else None
        if atom.label == "abs":
            inside = self.raised(self.of(atom.children[0]), 2)
            return (2, inside.top, "roots") if inside.bottom.is_constant() else None
        if atom.label in _SINE:
            square = self.of(power(Tree(_SINE[atom.label], atom.children), 2)).top
            one = self.constant(1)
            return 2, one - square if atom.label == "cos" else one + square, "squares"
        return None

    def vanishes(self, polynomial: fmpq_mpoly) -> tuple[str, ...] | None:
        """The relations by which a polynomial in the atoms is 0; None where it was not found to be."""
        left, used = self.lowered(polynomial)
        if left.is_zero():
            return used
        return (*used, "exact value") if self._numbers_vanish(left) else None

    def lowered(self, polynomial: fmpq_mpoly) -> tuple[fmpq_mpoly, tuple[str, ...]]:
        """A polynomial with every relation used as often as it goes, and the names of those that were."""
        used: dict[str, None] = {}
        for _ in range(_MAX_REDUCTIONS):
            for place, exponent, value, name in self._relations:
                lower = self._lowered(polynomial, place, exponent, value)
                if lower is not None:
                    polynomial = lower
                    used[name] = None
                    break
            else:
                break
        return polynomial, tuple(used)

    def _lowered(
        self, polynomial: fmpq_mpoly, place: int, exponent: int, value: fmpq_mpoly
    ) -> fmpq_mpoly | None:
        """A polynomial without high powers of an atom; None where it has none."""
        if polynomial.degrees()[place] < exponent:
            return None
        groups: dict[int, dict[tuple[int, ...], object]] = {}
        for exponents, c in polynomial.to_dict().items():
            times_over, left = divmod(int(exponents[place]), exponent)
            lower = (*exponents[:place], left, *exponents[place + 1 :])
            groups.setdefault(times_over, {})[lower] = c
        total = self.constant(0)
        for times_over, rows in groups.items():
            total += self.polynomial(rows) * value**times_over
            if len(total) > 2_000:
                raise TooLargeError("a polynomial has too many terms to be reduced")
        return total

    def _numbers_vanish(self, polynomial: fmpq_mpoly) -> bool:
        constant = [not _has_variable(atom) and is_algebraic(atom) for atom in self.atoms]
        if not any(constant):
            return False
        groups: dict[tuple[int, ...], dict[tuple[int, ...], object]] = {}
        for exponents, c in polynomial.to_dict().items():
            key = tuple(0 if fixed else int(e) for fixed, e in zip(constant, exponents, strict=False))
            own = tuple(int(e) if fixed else 0 for fixed, e in zip(constant, exponents, strict=False))
            groups.setdefault(key, {})[own] = c
        if len(groups) > _MAX_GROUPS:
            return False
        return all(is_zero(self.sum(self.polynomial(rows))) for rows in groups.values())


_SINE = {"cos": "sin", "cosh": "sinh"}
_PI = Tree("pi")


def _has_variable(tree: Tree) -> bool:
    return bool(variables_of(tree))


def _roots(left: Tree, right: Tree, powers: Powers) -> bool:
    """Whether one of two positive expressions is a root, and their powers are equal."""
    for one, other in ((left, right), (right, left)):
        found = is_root(one)
        if found is not None and powers.signs.of(one) > 0 and powers.signs.of(other) > 0:
            base, degree = found
            space = _Closed([base, other])
            difference = space.combined("-", space.of(base), space.raised(space.of(other), degree)).top
            return space.vanishes(difference) is not None
    return False


def _logarithms(rows: Sequence[tuple[Fraction, Tree]]) -> bool:
    """Whether a sum of logarithms is 0: the product of their arguments, each raised to its number, is 1."""
    if not rows or any(m.label != "ln" for _, m in rows):
        return False
    counts = _counts(rows, rows)
    space = _Closed([m.children[0] for _, m in rows])
    product = space.of(ONE)
    for count, (_, m) in zip(counts, rows, strict=True):
        product = space.combined("*", product, space.raised(space.of(m.children[0]), count))
    return space.vanishes(product.top - product.bottom) is not None


def _arctangents(rows: Sequence[tuple[Fraction, Tree]], powers: Powers) -> bool:
    """Whether a sum of arctangents, arcsines and parts of pi is 0 up to a part of pi: the product of 1 + i u,
    each to the power of its number, is then real. Which part it is, the values say."""
    inverse = [(c, m) for c, m in rows if m != _PI]
    if not inverse or any(m.label not in ("atan", "asin") for _, m in inverse):
        return False
    counts = _counts(inverse, rows)
    sides = [_legs(m, powers) for _, m in inverse]
    space = _Closed([leg for pair in sides for leg in pair])
    zero = space.of(Tree("0"))
    real, imaginary = space.of(ONE), zero
    for count, (adjacent, opposite) in zip(counts, sides, strict=True):
        a, b = space.of(adjacent), space.of(opposite)
        if count < 0:
            b = space.combined("-", zero, b)
        for _ in range(abs(count)):
            real, imaginary = (
                space.combined("-", space.combined("*", real, a), space.combined("*", imaginary, b)),
                space.combined("+", space.combined("*", real, b), space.combined("*", imaginary, a)),
            )
    return space.vanishes(imaginary.top) is not None


def _counts(some: Sequence[tuple[Fraction, Tree]], rows: Sequence[tuple[Fraction, Tree]]) -> list[int]:
    """The numbers before some terms, all of them made integers. Raises: TooLargeError."""
    whole = lcm(*(c.denominator for c, _ in rows))
    counts = [int(c * whole) for c, _ in some]
    if sum(map(abs, counts)) > _MAX_PRODUCT:
        raise TooLargeError("a sum has too large numbers before its terms")
    return counts


def _legs(inverse: Tree, powers: Powers) -> tuple[Tree, Tree]:
    """The right triangle whose angle an arctangent or arcsine is: the adjacent side and the opposite one."""
    u = inverse.children[0]
    if inverse.label == "atan":
        return ONE, u
    root = Tree("sqrt", (reduced(less(ONE, power(u, 2))),))
    return bottom_up(root, powers.power), u


def reduced(tree: Tree) -> Tree:
    """An expression with the relations of its atoms used, if that makes it shorter."""
    space = _Closed([tree])
    found = space.of(tree)
    lower = space.reduced(space.lowered(found.top)[0], space.lowered(found.bottom)[0])
    return min(tree, space.tree(lower), key=len)


def _algebra(left: Tree, right: Tree) -> str:
    """What algebra does between two expressions that are equal by it alone, by their shapes."""
    before, after = _Shape(left), _Shape(right)
    if after.fractions and (after.fractions > 1 or after.sum) and after.fractions > before.fractions:
        return "partial fractions"
    if before.fractions and before.sum and not (after.sum and after.fractions):
        return "common denominator"
    if after.quotients < before.quotients:
        return "cancel"
    if before.products and not after.products:
        return "expand"
    if after.products and not before.products:
        return "factor"
    return "collect"


class _Shape:
    """What a term is made of: whether it is a sum, how many of its summands are fractions, how many quotients
    and products of sums it holds anywhere."""

    def __init__(self, tree: Tree) -> None:
        nodes = list(tree)
        summands = _summands(tree)
        self.sum = len(summands) > 1
        self.fractions = sum(map(_is_quotient, summands))
        self.quotients = sum(map(_is_quotient, nodes))
        self.products = sum(
            (node.label == "*" and any(map(_is_sum, node.children)))
            or (node.label == "pow" and _is_sum(node.children[0]) and integer(node.children[1]) is not None)
            for node in nodes
        )


def _summands(tree: Tree) -> list[Tree]:
    return [part for child in tree.children for part in _summands(child)] if _is_sum(tree) else [tree]


def _is_sum(tree: Tree) -> bool:
    return tree.label in ("+", "-")


def _is_quotient(tree: Tree) -> bool:
    if tree.label == "/":
        return rational(tree.children[1]) is None
    return tree.label == "pow" and rational(tree.children[0]) is None and (integer(tree.children[1]) or 0) < 0
