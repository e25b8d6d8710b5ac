"""Sines of sums, powers, roots and logarithms taken apart, and algebraic numbers decided."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, lcm, log2, prod

import numpy as np
from flint import arb, ctx, fmpq, fmpz
from numpy.typing import NDArray

from engines.core.expression_language import is_number
from engines.core.tree import Tree
from engines.mathematics.algebra.rational import (
    MINUS,
    ONE,
    ZERO,
    TooLargeError,
    add_terms,
    divide_terms,
    expand_tree,
    factor_tree,
    multiply_terms,
    number_tree,
    raise_to_power,
    rational_value,
    split_terms,
    subtract_terms,
    times_all,
)
from engines.mathematics.numbers.numeric import compile_many, evaluate_balls

# Whether an algebraic number, written with roots and sines of fractions of pi, is 0: decided exactly.
#
# Such a number is a quotient U/L of two algebraic integers. With bounds u and l of all their conjugates, and
# the degree D of a field that holds U, the norm of U is an integer, so U is 0 or at least u^(1-D): a value
# that is smaller than u^(1-D)/l is 0 (Burnikel, Funke, Mehlhorn, Schirra and Schmitt, "A separation bound for
# real algebraic expressions", 2009). The value is a ball of as many bits as that takes.

# Evaluating a number to more bits takes too long.
_MAX_BITS = 2**17
_CIRCULAR = {"sin": ("sin",), "cos": ("cos",), "tan": ("sin", "cos"), "cot": ("cos", "sin")}
_CIRCULAR |= {"sec": ("", "cos"), "csc": ("", "sin")}
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def is_zero(tree: Tree) -> bool | None:
    """Return whether an algebraic number is 0; None where it is none, has no value, or takes too many bits.

    >>> from engines.core.expression_language import read_prefix
    >>> is_zero(read_prefix("- sin / pi 12 / - sqrt 6 sqrt 2 4"))
    True
    >>> is_zero(read_prefix("- sqrt 2 1.4142135623"))
    False
    """
    try:
        above, below, degree = _Bounds().bound_conjugates(tree)
    except _NotAlgebraicError:
        return None
    # Burnikel, Funke, Mehlhorn, Schirra and Schmitt (2009): for α = U / L with algebraic integers U and
    # L, the norm of U is an integer, so |U| is at least 1 over the product of its other conjugates.
    # Unless α is 0, |α| >= 2^-(above (degree - 1) + below).
    needed = above * (degree - 1) + below + 2
    if needed > _MAX_BITS:
        return None
    # Double the precision until the ball excludes 0, or lies within the bound and so can only be 0.
    bits = 64
    while True:
        with ctx.workprec(bits):
            try:
                value = _evaluate_ball(tree)
            except ZeroDivisionError:
                return None
            # A divisor that cannot be told from 0 at this precision is 0, so the number has no value.
            if not value.is_finite() and bits > needed:
                return None
            if value.is_finite():
                if not value.contains(0):
                    return False
                if value.abs_upper() < arb(2) ** -int(needed + 1):
                    return True
        # Stop where the balls do not shrink as the precision grows.
        if bits > 4 * needed + 4096:
            return None
        bits *= 2


def is_algebraic(tree: Tree) -> bool:
    """Return whether `is_zero` knows this kind of number."""
    try:
        _Bounds().bound_conjugates(tree)
    except _NotAlgebraicError:
        return False
    return True


def part_of_pi(tree: Tree) -> Fraction | None:
    """Return q for a term that is written as q·π, or None."""
    try:
        rows = split_terms(tree)
    except TooLargeError:
        return None
    if not rows:
        return Fraction(0)
    return rows[0][0] if len(rows) == 1 and rows[0][1] == Tree("pi") else None


class _NotAlgebraicError(Exception):
    pass


class _Bounds:
    def __init__(self) -> None:
        self.roots: dict[tuple[Tree, int], int] = {}
        self.turns = 4

    def bound_conjugates(self, tree: Tree) -> tuple[float, float, int]:
        """Binary logarithms of bounds of all conjugates of U and L, and the degree of a field with U in
        it."""
        above, below = self._bound_node(tree)
        return above, below, int(fmpz(self.turns).euler_phi()) * prod(self.roots.values())

    def _bound_node(self, tree: Tree) -> tuple[float, float]:
        if is_number(tree):
            value = Fraction(tree.label)
            return _binary_logarithm(value.numerator), _binary_logarithm(value.denominator)
        if tree.label in _CIRCULAR:
            part = part_of_pi(tree.children[0])
            if part is None:
                raise _NotAlgebraicError
            # sin and cos of a rational multiple of pi are half a sum of two roots of unity,
            # so numerator and denominator are at most 2. The roots of unity of all such terms
            # lie in one cyclotomic field.
            self.turns = lcm(self.turns, 2 * part.denominator)
            return 1.0, 1.0
        if tree.label in _ARITHMETIC:
            (u, low), (v, lower) = map(self._bound_node, tree.children)
            if tree.label == "*":
                return u + v, low + lower
            if tree.label == "/":
                return u + lower, low + v
            # Over a common denominator, |u v' ± v u'| is at most twice the larger product.
            return max(u + lower, low + v) + 1, low + lower
        if tree.label == "abs":
            return self._bound_node(tree.children[0])
        exponent = _sum_exponents(tree)
        base = tree.children[0]
        u, low = self._bound_node(base)
        if exponent < 0:
            # The reciprocal exchanges numerator and denominator.
            u, low, exponent = low, u, -exponent
        u, low, k = u * exponent.numerator, low * exponent.numerator, exponent.denominator
        if k > 1:
            # Each different root multiplies the degree of the field by at most its index.
            self.roots[base, k] = k
            # (p/q)^(1/k) is (p q^(k-1))^(1/k) / q as well as p / (q p^(k-1))^(1/k):
            # take the smaller bounds.
            u, low = min(((u + (k - 1) * low) / k, low), (u, (low + (k - 1) * u) / k), key=sum)
        return u, low


def _binary_logarithm(value: int) -> float:
    return log2(abs(value)) if value else 0.0


def _sum_exponents(tree: Tree) -> Fraction:
    value = Fraction(1, 2) if tree.label == "sqrt" else None
    if tree.label == "pow":
        value = rational_value(tree.children[1])
    if value is None or max(abs(value.numerator), value.denominator) > 64:
        raise _NotAlgebraicError
    return value


def _evaluate_ball(tree: Tree) -> arb:
    if is_number(tree):
        value = Fraction(tree.label)
        return arb(fmpq(value.numerator, value.denominator))
    if tree.label in _CIRCULAR:
        part = part_of_pi(tree.children[0])
        assert part is not None
        # The values at exact multiples of pi are free of the rounding that pi itself would bring in.
        angle = fmpq(part.numerator, part.denominator)
        values = {"": arb(1), "sin": arb.sin_pi_fmpq(angle), "cos": arb.cos_pi_fmpq(angle)}
        above, *below = _CIRCULAR[tree.label]
        return values[above] / values[below[0]] if below else values[above]
    if tree.label in _ARITHMETIC:
        return _ARITHMETIC[tree.label](*map(_evaluate_ball, tree.children))
    base = _evaluate_ball(tree.children[0])
    if tree.label == "abs":
        return abs(base)
    exponent = _sum_exponents(tree)
    root = base if exponent.denominator == 1 else base.root(exponent.denominator)
    return root**exponent.numerator


# Sines and cosines of sums and multiples taken apart, circular and hyperbolic alike.
#
# Only `sin cos sinh cosh` are looked at; the others are written by them before.

_PI, _E = Tree("pi"), Tree("e")
_PARTNER = {"sin": ("sin", "cos"), "cos": ("sin", "cos"), "sinh": ("sinh", "cosh"), "cosh": ("sinh", "cosh")}
# A multiple angle of order n becomes a polynomial of degree n, which soon is unreadable.
_MAX_MULTIPLE = 16
_ROOT = {2: Tree("sqrt", (Tree("2"),)), 3: Tree("sqrt", (Tree("3"),))}
_SINES = {
    Fraction(0): ZERO,
    Fraction(1, 6): number_tree(Fraction(1, 2)),
    Fraction(1, 4): divide_terms(_ROOT[2], number_tree(2)),
    Fraction(1, 3): divide_terms(_ROOT[3], number_tree(2)),
    Fraction(1, 2): ONE,
}
"""Sines of parts of pi, up to a right angle."""


class Angles:
    """Addition theorems, multiple angles and exact values, used in the direction that takes apart.

    `units` holds for every term of an angle the least common denominator of the numbers before it: of sin x
    and sin(x/2) both are made of sines and cosines of x/2. It is filled by `scan`.
    """

    def __init__(self) -> None:
        self.units: dict[Tree, int] = {}

    def scan_tree(self, tree: Tree) -> None:
        """Note the angles of a tree, so that multiples of one angle get a common unit."""
        for node in tree:
            if node.label in _PARTNER:
                for c, m in split_terms(node.children[0]):
                    self.units[m] = lcm(self.units.get(m, 1), c.denominator)

    def is_fraction_of_inverse(self, inverse: str) -> bool:
        """Return whether an angle is a fraction of some value of an inverse function."""
        return any(m.label == inverse and unit > 1 for m, unit in self.units.items())

    def expand_addition(self, tree: Tree) -> Tree:
        """Return the sine or cosine of a sum, by those of its terms."""
        if tree.label not in _PARTNER:
            return tree
        rows = split_terms(tree.children[0])
        if len(rows) < 2:
            return tree
        sine, cosine = _PARTNER[tree.label]
        parts = [multiply_terms(number_tree(c), m) for c, m in rows]
        s, t = Tree(sine, (parts[0],)), Tree(cosine, (parts[0],))
        for part in parts[1:]:
            u, v = Tree(sine, (part,)), Tree(cosine, (part,))
            both = add_terms if sine == "sinh" else subtract_terms
            s, t = (
                add_terms(multiply_terms(s, v), multiply_terms(t, u)),
                both(multiply_terms(t, v), multiply_terms(s, u)),
            )
        return s if tree.label == sine else t

    def reflect_negative(self, tree: Tree) -> Tree:
        """Return the sine or cosine of an angle below zero, by that of the opposite angle."""
        if tree.label not in _PARTNER:
            return tree
        rows = split_terms(tree.children[0])
        if len(rows) != 1 or rows[0][0] > 0:
            return tree
        opposite = Tree(tree.label, (expand_tree(multiply_terms(number_tree(-rows[0][0]), rows[0][1])),))
        return multiply_terms(MINUS, opposite) if _PARTNER[tree.label][0] == tree.label else opposite

    def expand_multiple(self, tree: Tree) -> Tree:
        """Return the sine or cosine of a multiple of a unit angle, by its sine and cosine."""
        if tree.label not in _PARTNER:
            return tree
        rows = split_terms(tree.children[0])
        if len(rows) != 1 or rows[0][1] == _PI:
            return Tree(tree.label, (expand_tree(tree.children[0]),)) if len(rows) != 1 else tree
        c, m = rows[0]
        unit = lcm(self.units.get(m, 1), c.denominator)
        n = int(c * unit)
        sine, cosine = _PARTNER[tree.label]
        angle = expand_tree(divide_terms(m, number_tree(unit)))
        if abs(n) > _MAX_MULTIPLE:
            return Tree(tree.label, (expand_tree(tree.children[0]),))
        result = _expand_multiple_angle(
            abs(n), Tree(sine, (angle,)), Tree(cosine, (angle,)), tree.label == sine
        )
        return multiply_terms(MINUS, result) if n < 0 and tree.label == sine else result

    def exact_value(self, tree: Tree) -> Tree:
        """Return the sine or cosine of a part of pi, where it has square roots only."""
        if tree.label in ("sinh", "cosh") and expand_tree(tree.children[0]) == ZERO:
            return ZERO if tree.label == "sinh" else ONE
        if tree.label not in ("sin", "cos"):
            return tree
        part = part_of_pi(tree.children[0])
        if part is None:
            return tree
        part = part + Fraction(1, 2) if tree.label == "cos" else part
        part %= 2
        sign = -1 if part >= 1 else 1
        part %= 1
        known = _SINES.get(min(part, 1 - part))
        if known is None:
            return tree
        return known if sign > 0 else multiply_terms(MINUS, known)


def _expand_multiple_angle(n: int, sine: Tree, cosine: Tree, odd: bool) -> Tree:
    if n == 1:
        return sine if odd else cosine
    total = ZERO
    for k in range(int(odd), n + 1, 2):
        sign = -1 if sine.label == "sin" and k % 4 >= 2 else 1
        parts = [raise_to_power(tree, m) for tree, m in ((sine, k), (cosine, n - k)) if m]
        term = times_all([number_tree(comb(n, k)), *parts])
        total = subtract_terms(total, term) if sign < 0 else add_terms(total, term)
    return total


# Powers, roots, logarithms and absolute values taken apart into those of irreducible factors.
#
# A factor counts as positive (or negative) when it is so at every point that is looked at, those where both
# ends of a derivation are defined. What has no known sign stays together: the root of u v is not taken apart
# where u and v may both be negative. The callers verify every line, at these points and others.

_ROOTED = 10**12
"""Numbers from here on are not taken apart into primes."""


class Signs:
    """Signs of expressions at some points: (points,) of x, or (variables, points) of several."""

    def __init__(self, points: NDArray[np.float64], variables: Sequence[str] = ("x",)) -> None:
        self.points = points
        self.variables = variables
        self._known: dict[Tree, int] = {}

    def sign_of(self, tree: Tree) -> int:
        """Return the sign of a term at all sampled points: 1, -1, or 0 if it changes or is not known."""
        if tree not in self._known:
            values, errors = evaluate_balls(compile_many([tree], variables=self.variables), self.points)
            sure = np.isfinite(errors[0])
            value, error = values[0][sure], errors[0][sure]
            self._known[tree] = 0
            for sign in (1, -1):
                if len(value) and bool(np.all(sign * value > error)):
                    self._known[tree] = sign
        return self._known[tree]


def bottom_up(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Return a tree changed from its leaves up."""
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

    def scan_tree(self, tree: Tree) -> None:
        """Note the powers of a tree, so that powers of one base get a common exponent."""
        self.scanning = True
        bottom_up(tree, self.split_power)
        self.scanning = False

    def split_power(self, tree: Tree) -> Tree:
        """Return a root or a power that is no integer one, taken apart."""
        if tree.label == "sqrt":
            return self._to_the(tree.children[0], Fraction(1, 2))
        if tree.label != "pow":
            return tree
        base, exponent = tree.children
        value = rational_value(expand_tree(exponent))
        if value is not None:
            return tree if value.denominator == 1 else self._to_the(base, value)
        return self._make_exponential(base, split_terms(exponent))

    def split_logarithm(self, tree: Tree) -> Tree:
        """Return a logarithm as a sum of logarithms of positive factors, if that is possible."""
        if tree.label != "ln":
            return tree
        result = self._split_positive(tree.children[0])
        if result is None:
            return tree
        total = ZERO
        for base, exponent in result:
            total = add_terms(total, multiply_terms(number_tree(exponent), self._logarithm_of_base(base)))
        return total

    def resolve_absolute(self, tree: Tree) -> Tree:
        """Return an absolute value without its bars, if the sign of what is inside is known."""
        if tree.label != "abs":
            return tree
        inside = tree.children[0]
        sign = self.signs.sign_of(inside)
        if sign:
            return inside if sign > 0 else multiply_terms(MINUS, inside)
        scale, rows = factor_tree(inside)
        product = number_tree(abs(scale))
        for factor, exponent in rows:
            sign = self.signs.sign_of(factor)
            if sign or exponent % 2 == 0:
                even = factor if sign >= 0 else multiply_terms(MINUS, factor)
                product = multiply_terms(product, raise_to_power(even, exponent))
            else:
                product = multiply_terms(product, raise_to_power(Tree("abs", (factor,)), exponent))
        return product

    def _logarithm_of_base(self, base: Tree) -> Tree:
        if base == _E:
            return ONE
        if base.label == "pow":
            inner, exponent = base.children
            return multiply_terms(exponent, self.split_logarithm(Tree("ln", (inner,))))
        return Tree("ln", (base,))

    def _split_positive(self, tree: Tree) -> list[tuple[Tree, int]] | None:
        """Positive factors with their exponents, primes among them; None where the sign does not fit."""
        scale, rows = factor_tree(tree)
        result = _factor_fraction(abs(scale))
        sign = 1 if scale > 0 else -1
        rest: list[Tree] = []
        for factor, exponent in rows:
            known = self.signs.sign_of(factor)
            if known > 0:
                result.append((factor, exponent))
            elif known < 0:
                # The factor with its sign changed is positive; what that does to the
                # product is kept in `sign`.
                result.append((expand_tree(multiply_terms(MINUS, factor)), exponent))
                sign = -sign if exponent % 2 else sign
            else:
                # u^(2k) is |u|^(2k), which is known to be positive; an odd exponent leaves
                # one u whose sign is unknown.
                even = exponent - exponent % 2
                if even:
                    result.append((Tree("abs", (factor,)), even))
                if exponent % 2:
                    rest.append(factor)
        if rest:
            result.append((expand_tree(times_all([number_tree(sign), *rest])), 1))
        return result if rest or sign > 0 else None

    def _to_the(self, base: Tree, exponent: Fraction) -> Tree:
        if base == _E:
            return self._make_piece(base, ONE, exponent)
        result = self._split_positive(base)
        if result is None:
            return Tree("pow", (base, number_tree(exponent)))
        return times_all([ONE, *(self._of_factor(factor, n * exponent) for factor, n in result)])

    def _of_factor(self, factor: Tree, exponent: Fraction) -> Tree:
        if factor.label == "pow":
            base, inner = factor.children
            value = rational_value(inner)
            if value is not None:
                return self._of_factor(base, value * exponent)
            return self._make_exponential(base, [(c * exponent, m) for c, m in split_terms(inner)])
        return self._make_piece(factor, ONE, exponent)

    def _make_exponential(self, base: Tree, exponents: Sequence[tuple[Fraction, Tree]]) -> Tree:
        factors = None if base == _E or base.label == "x" else self._split_positive(base)
        product = ONE
        for factor, times_over in factors or [(base, 1)]:
            for c, m in exponents:
                product = multiply_terms(product, self._raise_base(factor, m, c * times_over))
        return product

    def _raise_base(self, base: Tree, m: Tree, c: Fraction) -> Tree:
        if m == ONE:
            return self._of_factor(base, c)
        if base.label == "pow":
            inner, exponent = base.children
            return self._make_exponential(
                inner, [(c * d, n) for d, n in split_terms(multiply_terms(exponent, m))]
            )
        logarithm, rest = _without_logarithm(m)
        if logarithm is not None and base == _E:
            # e^(c ln v) is v^c.
            if rest == ONE:
                return self._to_the(logarithm, c)
            return self._make_exponential(logarithm, [(c, rest)])
        if logarithm is not None and _sort_key(logarithm) < _sort_key(base):
            # u^(ln v) = v^(ln u): the one with the simpler base
            return self._make_exponential(
                logarithm,
                split_terms(multiply_terms(number_tree(c), multiply_terms(rest, Tree("ln", (base,))))),
            )
        return self._make_piece(base, m, c)

    def _make_piece(self, base: Tree, m: Tree, c: Fraction) -> Tree:
        if c.denominator == 1 and m == ONE:
            return raise_to_power(base, c)
        if self.scanning:
            self.units[base, m] = lcm(self.units.get((base, m), 1), c.denominator)
        unit = lcm(self.units.get((base, m), 1), c.denominator)
        exponent = divide_terms(m, number_tree(unit))
        return raise_to_power(Tree("pow", (base, exponent)), c * unit)


def _factor_fraction(value: Fraction) -> list[tuple[Tree, int]]:
    if max(value.numerator, value.denominator) >= _ROOTED:
        return [(number_tree(value), 1)]
    rows = [(Tree(str(p)), int(n)) for p, n in fmpz(value.numerator).factor()]
    return rows + [(Tree(str(p)), -int(n)) for p, n in fmpz(value.denominator).factor()]


def _sort_key(tree: Tree) -> tuple[int, list[str]]:
    return len(tree), tree.list_labels()


def _without_logarithm(m: Tree) -> tuple[Tree | None, Tree]:
    """u and the rest of a product that holds `ln u` once; None where it holds none."""
    if m.label == "ln":
        return m.children[0], ONE
    if m.label == "*":
        for here, there in (m.children, m.children[::-1]):
            result, rest = _without_logarithm(here)
            if result is not None:
                return result, multiply_terms(rest, there)
    return None, m


def is_root(tree: Tree) -> tuple[Tree, int] | None:
    """Return base and degree of a root, written as a power with exponent 1/n, or None."""
    if tree.label != "pow":
        return None
    value = rational_value(tree.children[1])
    if value is None or value.numerator != 1 or value.denominator == 1:
        return None
    return tree.children[0], value.denominator
