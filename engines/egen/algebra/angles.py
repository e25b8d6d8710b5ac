"""Sines and cosines of sums and multiples taken apart, circular and hyperbolic alike.

Only `sin cos sinh cosh` are looked at; the others are written by them before.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, lcm

from engines.core.tree import Tree
from engines.egen.algebra.algebraic import part_of_pi
from engines.egen.algebra.rational import ONE, added, divided, less, normal, number, power, terms, times

__all__ = ["Angles"]

_PI, _ZERO = Tree("pi"), Tree("0")
_PARTNER = {"sin": ("sin", "cos"), "cos": ("sin", "cos"), "sinh": ("sinh", "cosh"), "cosh": ("sinh", "cosh")}
_MAX_MULTIPLE = 16
_ROOT = {2: Tree("sqrt", (Tree("2"),)), 3: Tree("sqrt", (Tree("3"),))}
_SINES = {
    Fraction(0): _ZERO,
    Fraction(1, 6): number(Fraction(1, 2)),
    Fraction(1, 4): divided(_ROOT[2], number(2)),
    Fraction(1, 3): divided(_ROOT[3], number(2)),
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

    def scan(self, tree: Tree) -> None:
        """Note the denominators in a tree's angles."""
        for node in tree:
            if node.label in _PARTNER:
                for c, m in terms(node.children[0]):
                    self.units[m] = lcm(self.units.get(m, 1), c.denominator)

    def halves(self, inverse: str) -> bool:
        """Whether an angle is a fraction of some value of an inverse function."""
        return any(m.label == inverse and unit > 1 for m, unit in self.units.items())

    def addition(self, tree: Tree) -> Tree:
        """The sine or cosine of a sum, by those of its terms."""
        if tree.label not in _PARTNER:
            return tree
        rows = terms(tree.children[0])
        if len(rows) < 2:
            return tree
        sine, cosine = _PARTNER[tree.label]
        parts = [times(number(c), m) for c, m in rows]
        s, t = Tree(sine, (parts[0],)), Tree(cosine, (parts[0],))
        for part in parts[1:]:
            u, v = Tree(sine, (part,)), Tree(cosine, (part,))
            both = added if sine == "sinh" else less
            s, t = added(times(s, v), times(t, u)), both(times(t, v), times(s, u))
        return s if tree.label == sine else t

    def negative(self, tree: Tree) -> Tree:
        """The sine or cosine of an angle below zero, by that of the opposite angle."""
        if tree.label not in _PARTNER:
            return tree
        rows = terms(tree.children[0])
        if len(rows) != 1 or rows[0][0] > 0:
            return tree
        opposite = Tree(tree.label, (normal(times(number(-rows[0][0]), rows[0][1])),))
        return times(Tree("-1"), opposite) if _PARTNER[tree.label][0] == tree.label else opposite

    def multiple(self, tree: Tree) -> Tree:
        """The sine or cosine of a multiple of a unit angle, by its sine and cosine."""
        if tree.label not in _PARTNER:
            return tree
        rows = terms(tree.children[0])
        if len(rows) != 1 or rows[0][1] == _PI:
            return Tree(tree.label, (normal(tree.children[0]),)) if len(rows) != 1 else tree
        c, m = rows[0]
        unit = lcm(self.units.get(m, 1), c.denominator)
        n = int(c * unit)
        sine, cosine = _PARTNER[tree.label]
        angle = normal(divided(m, number(unit)))
        if abs(n) > _MAX_MULTIPLE:
            return Tree(tree.label, (normal(tree.children[0]),))
        found = _expanded(abs(n), Tree(sine, (angle,)), Tree(cosine, (angle,)), tree.label == sine)
        return times(Tree("-1"), found) if n < 0 and tree.label == sine else found

    def value(self, tree: Tree) -> Tree:
        """The sine or cosine of a part of pi, where it has square roots only."""
        if tree.label in ("sinh", "cosh") and normal(tree.children[0]) == _ZERO:
            return _ZERO if tree.label == "sinh" else ONE
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
        return known if sign > 0 else times(Tree("-1"), known)


def _expanded(n: int, sine: Tree, cosine: Tree, odd: bool) -> Tree:
    """The part of (cos + i sin)^n, or of (cosh + sinh)^n, with odd or even powers of the sine."""
    if n == 1:
        return sine if odd else cosine
    total = _ZERO
    for k in range(int(odd), n + 1, 2):
        sign = -1 if sine.label == "sin" and k % 4 >= 2 else 1
        parts = [power(tree, m) for tree, m in ((sine, k), (cosine, n - k)) if m]
        term = number(comb(n, k))
        for part in parts:
            term = times(term, part)
        total = less(total, term) if sign < 0 else added(total, term)
    return total
