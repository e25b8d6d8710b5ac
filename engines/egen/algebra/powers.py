"""Powers, roots, logarithms and absolute values taken apart into those of irreducible factors.

A factor counts as positive (or negative) when it is so at every point that is looked at, those where both
ends of a derivation are defined. What has no known sign stays together: the root of u v is not taken apart
where u and v may both be negative. The callers verify every line, at these points and others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from flint import fmpz
from numpy.typing import NDArray

from engines.core.numeric import balls, compile_many
from engines.core.tree import Tree
from engines.egen.algebra.rational import (
    ONE,
    added,
    divided,
    factors,
    normal,
    number,
    power,
    rational,
    terms,
    times,
)

__all__ = ["Powers", "Signs", "bottom_up", "is_root"]

_E, _ZERO = Tree("e"), Tree("0")
_ROOTED = 10**12
"""Numbers from here on are not taken apart into primes."""


class Signs:
    """Signs of expressions at some points: (points,) of x, or (variables, points) of several."""

    def __init__(self, points: NDArray[np.float64], variables: Sequence[str] = ("x",)) -> None:
        self.points = points
        self.variables = variables
        self._known: dict[Tree, int] = {}

    def of(self, tree: Tree) -> int:
        """1 or -1 where an expression has that sign at every point, 0 if not."""
        if tree not in self._known:
            values, errors = balls(compile_many([tree], variables=self.variables), self.points)
            sure = np.isfinite(errors[0])
            value, error = values[0][sure], errors[0][sure]
            self._known[tree] = 0
            for sign in (1, -1):
                if len(value) and bool(np.all(sign * value > error)):
                    self._known[tree] = sign
        return self._known[tree]


def bottom_up(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Every node changed after its operands."""
    if not tree.children:
        return change(tree)
    return change(Tree(tree.label, tuple(bottom_up(child, change) for child in tree.children)))


class Powers:
    """Laws of powers and logarithms, used in the one direction that takes apart.

    `units` holds, for every base and what stands in its exponent, the least common denominator met: of
    x^(1/2) and x^(1/3) both are powers of x^(1/6). It is filled while `scanning`.
    """

    def __init__(self, signs: Signs) -> None:
        self.signs = signs
        self.scanning = False
        self.units: dict[tuple[Tree, Tree], int] = {}

    def scan(self, tree: Tree) -> None:
        """Note the denominators of a tree's exponents."""
        self.scanning = True
        bottom_up(tree, self.power)
        self.scanning = False

    def power(self, tree: Tree) -> Tree:
        """A root or a power that is no integer one, taken apart."""
        if tree.label == "sqrt":
            return self._to_the(tree.children[0], Fraction(1, 2))
        if tree.label != "pow":
            return tree
        base, exponent = tree.children
        value = rational(normal(exponent))
        if value is not None:
            return tree if value.denominator == 1 else self._to_the(base, value)
        return self._exponential(base, terms(exponent))

    def logarithm(self, tree: Tree) -> Tree:
        """A natural logarithm, taken apart."""
        if tree.label != "ln":
            return tree
        found = self._split(tree.children[0])
        if found is None:
            return tree
        total = _ZERO
        for base, exponent in found:
            total = added(total, times(number(exponent), self._ln(base)))
        return total

    def absolute(self, tree: Tree) -> Tree:
        """An absolute value, taken apart."""
        if tree.label != "abs":
            return tree
        inside = tree.children[0]
        sign = self.signs.of(inside)
        if sign:
            return inside if sign > 0 else times(Tree("-1"), inside)
        scale, rows = factors(inside)
        product = number(abs(scale))
        for factor, exponent in rows:
            sign = self.signs.of(factor)
            if sign or exponent % 2 == 0:
                even = factor if sign >= 0 else times(Tree("-1"), factor)
                product = times(product, power(even, exponent))
            else:
                product = times(product, power(Tree("abs", (factor,)), exponent))
        return product

    def _ln(self, base: Tree) -> Tree:
        """The logarithm of one positive factor."""
        if base == _E:
            return ONE
        if base.label == "pow":
            inner, exponent = base.children
            return times(exponent, self.logarithm(Tree("ln", (inner,))))
        return Tree("ln", (base,))

    def _split(self, tree: Tree) -> list[tuple[Tree, int]] | None:
        """Positive factors with their exponents, primes among them; None where the sign does not fit."""
        scale, rows = factors(tree)
        found = _primes(abs(scale))
        sign = 1 if scale > 0 else -1
        rest: list[Tree] = []
        for factor, exponent in rows:
            known = self.signs.of(factor)
            if known > 0:
                found.append((factor, exponent))
            elif known < 0:
                found.append((normal(times(Tree("-1"), factor)), exponent))
                sign = -sign if exponent % 2 else sign
            else:
                even = exponent - exponent % 2
                if even:
                    found.append((Tree("abs", (factor,)), even))
                if exponent % 2:
                    rest.append(factor)
        if rest:
            whole = number(sign)
            for factor in rest:
                whole = times(whole, factor)
            found.append((normal(whole), 1))
        return found if rest or sign > 0 else None

    def _to_the(self, base: Tree, exponent: Fraction) -> Tree:
        """A rational power of anything."""
        if base == _E:
            return self._piece(base, ONE, exponent)
        found = self._split(base)
        if found is None:
            return Tree("pow", (base, number(exponent)))
        product = ONE
        for factor, times_over in found:
            product = times(product, self._of_factor(factor, times_over * exponent))
        return product

    def _of_factor(self, factor: Tree, exponent: Fraction) -> Tree:
        """A rational power of one positive factor, which may be a power itself."""
        if factor.label == "pow":
            base, inner = factor.children
            value = rational(inner)
            if value is not None:
                return self._of_factor(base, value * exponent)
            return self._exponential(base, [(c * exponent, m) for c, m in terms(inner)])
        return self._piece(factor, ONE, exponent)

    def _exponential(self, base: Tree, exponents: Sequence[tuple[Fraction, Tree]]) -> Tree:
        """A power with a sum of terms in its exponent."""
        found: list[tuple[Tree, int]] | None = [(base, 1)]
        if base != _E and base.label != "x":
            found = self._split(base)
        product = ONE
        for factor, times_over in found or [(base, 1)]:
            for c, m in exponents:
                product = times(product, self._raised(factor, m, c * times_over))
        return product

    def _raised(self, base: Tree, m: Tree, c: Fraction) -> Tree:
        """base^(c m), where the base is positive."""
        if m == ONE:
            return self._of_factor(base, c)
        if base.label == "pow":
            inner, exponent = base.children
            return self._exponential(inner, [(c * d, n) for d, n in terms(times(exponent, m))])
        logarithm, rest = _without_logarithm(m)
        if logarithm is not None and base == _E:
            if rest == ONE:
                return self._to_the(logarithm, c)
            return self._exponential(logarithm, [(c, rest)])
        if logarithm is not None and _order(logarithm) < _order(base):
            # u^(ln v) = v^(ln u): the one with the simpler base
            return self._exponential(logarithm, terms(times(number(c), times(rest, Tree("ln", (base,))))))
        return self._piece(base, m, c)

    def _piece(self, base: Tree, m: Tree, c: Fraction) -> Tree:
        """base^(c m) as an integer power of what is the unit of all such."""
        if c.denominator == 1 and m == ONE:
            return power(base, c)
        if self.scanning:
            self.units[base, m] = lcm(self.units.get((base, m), 1), c.denominator)
        unit = lcm(self.units.get((base, m), 1), c.denominator)
        exponent = divided(m, number(unit))
        return power(Tree("pow", (base, exponent)), c * unit)


def _primes(value: Fraction) -> list[tuple[Tree, int]]:
    if max(value.numerator, value.denominator) >= _ROOTED:
        return [(number(value), 1)]
    rows = [(Tree(str(p)), int(n)) for p, n in fmpz(value.numerator).factor()]
    return rows + [(Tree(str(p)), -int(n)) for p, n in fmpz(value.denominator).factor()]


def _order(tree: Tree) -> tuple[int, list[str]]:
    return len(tree), tree.labels()


def _without_logarithm(m: Tree) -> tuple[Tree | None, Tree]:
    """u and the rest of a product that holds `ln u` once; None where it holds none."""
    if m.label == "ln":
        return m.children[0], ONE
    if m.label == "*":
        for here, there in (m.children, m.children[::-1]):
            found, rest = _without_logarithm(here)
            if found is not None:
                return found, times(rest, there)
    return None, m


def is_root(tree: Tree) -> tuple[Tree, int] | None:
    """The base and n of an n-th root as `Powers` writes it."""
    if tree.label != "pow":
        return None
    value = rational(tree.children[1])
    if value is None or value.numerator != 1 or value.denominator == 1:
        return None
    return tree.children[0], value.denominator
