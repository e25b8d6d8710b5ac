"""Units as factors: quantities of one dimension are compared in one unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.egen.judging import numbers

_PREFIXES = {
    "": Fraction(1),
    "k": Fraction(1000),
    "c": Fraction(1, 100),
    "m": Fraction(1, 1000),
    "d": Fraction(1, 10),
    "M": Fraction(10**6),
    "μ": Fraction(1, 10**6),
    "µ": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
}
_PREFIXED: Mapping[str, tuple[str, Fraction]] = {
    "m": ("m", Fraction(1)),
    "g": ("g", Fraction(1)),
    "s": ("s", Fraction(1)),
    "l": ("L", Fraction(1)),
    "L": ("L", Fraction(1)),
    "W": ("W", Fraction(1)),
    "N": ("N", Fraction(1)),
    "J": ("J", Fraction(1)),
    "Hz": ("Hz", Fraction(1)),
}
_NAMED: Mapping[str, tuple[str, Fraction]] = {
    "min": ("s", Fraction(60)),
    "minute": ("s", Fraction(60)),
    "h": ("s", Fraction(3600)),
    "hr": ("s", Fraction(3600)),
    "hour": ("s", Fraction(3600)),
    "sec": ("s", Fraction(1)),
    "second": ("s", Fraction(1)),
    "day": ("s", Fraction(86400)),
    "week": ("s", Fraction(604800)),
    "meter": ("m", Fraction(1)),
    "metre": ("m", Fraction(1)),
    "centimeter": ("m", Fraction(1, 100)),
    "millimeter": ("m", Fraction(1, 1000)),
    "kilometer": ("m", Fraction(1000)),
    "gram": ("g", Fraction(1)),
    "kilogram": ("g", Fraction(1000)),
    "liter": ("L", Fraction(1)),
    "litre": ("L", Fraction(1)),
    "milliliter": ("L", Fraction(1, 1000)),
    "in": ("in", Fraction(1)),
    "inch": ("in", Fraction(1)),
    "inches": ("in", Fraction(1)),
    "ft": ("in", Fraction(12)),
    "foot": ("in", Fraction(12)),
    "feet": ("in", Fraction(12)),
    "yd": ("in", Fraction(36)),
    "yard": ("in", Fraction(36)),
    "mi": ("in", Fraction(63360)),
    "mile": ("in", Fraction(63360)),
    "mph": ("mph", Fraction(1)),
    "cent": ("dollar", Fraction(1, 100)),
    "dollar": ("dollar", Fraction(1)),
    "$": ("dollar", Fraction(1)),
    "¢": ("dollar", Fraction(1, 100)),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the powers of units that it is multiplied by."""

    number: Tree
    units: tuple[tuple[str, int], ...]

    @property
    def shown(self) -> str:
        return " ".join(name if power == 1 else f"{name}^{power}" for name, power in self.units) or "1"


def separated(tree: Tree) -> Quantity | None:
    """A term as a number times units; None where units stand elsewhere than in factors."""
    powers: Counter[str] = Counter()
    number = _separated(tree, powers, 1)
    if number is None:
        return None
    return Quantity(number, tuple(sorted((name, power) for name, power in powers.items() if power)))


def _separated(tree: Tree, powers: Counter[str], times: int) -> Tree | None:
    if tree.label == "unit":
        name, factor = _unit(tree.children[0].label)
        powers[name] += times
        return Tree(str(factor)) if factor.denominator == 1 else _fraction(factor)
    if "unit" not in tree.labels():
        return tree
    if tree.label in ("*", "/"):
        one, other = tree.children
        left = _separated(one, powers, times)
        right = _separated(other, powers, times if tree.label == "*" else -times)
        return None if left is None or right is None else Tree(tree.label, (left, right))
    if tree.label == "pow":
        exponent = numbers.exact(tree.children[1])
        if exponent is None or exponent != int(exponent):
            return None
        base = _separated(tree.children[0], powers, times * int(exponent))
        return None if base is None else Tree("pow", (base, tree.children[1]))
    if tree.label in ("+", "-"):
        sides = [separated(child) for child in tree.children]
        first, second = sides
        if first is None or second is None or first.units != second.units:
            return None
        for name, power in first.units:
            powers[name] += power * times
        return Tree(tree.label, (first.number, second.number))
    return None


def _fraction(value: Fraction) -> Tree:
    return Tree("/", (Tree(str(value.numerator)), Tree(str(value.denominator))))


def _unit(name: str) -> tuple[str, Fraction]:
    for spelt in (name, name.removesuffix("."), name.casefold(), name.casefold().removesuffix("s")):
        if spelt in _NAMED:
            return _NAMED[spelt]
    for prefix, factor in _PREFIXES.items():
        rest = name.removeprefix(prefix)
        if (rest != name or not prefix) and rest in _PREFIXED:
            base, own = _PREFIXED[rest]
            return base, factor * own
    return name.casefold().removesuffix("s"), Fraction(1)
