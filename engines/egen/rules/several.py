"""What a rule of several real variables does to values and domains, by rigorous bounds at many points.

Points are drawn in general position, from several ranges for each variable, some with one variable far out,
and besides from special values (0, 1, -1, 2, 1/2 ...). Both sides are balls of Arb at each. The class is
found on the points in general position, since single values count no more than isolated points do elsewhere;
what happens at special ones only is named beside it. A different value is one wherever it is. This looks for
counterexamples; it is no proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

import numpy as np
from flint import arb, ctx, fmpq

from engines.core.precise import Value
from engines.egen.expressions.language import variables_of
from engines.egen.rules.foreign import ForeignRule
from engines.egen.verification.values import value

__all__ = ["Class", "Difference", "Found", "classify"]

Class = Literal["equal", "widening", "losing", "false", "undecided"]
"""`equal`: the same values, defined at the same points up to single values. `widening`: the right side is
also defined where the left is not. `losing`: undefined where the left has a value. `false`: different values
somewhere. `undecided`: too few points where both sides have a value."""
_BITS = 192
_SURE_BITS = 48
_GENERAL, _FAR, _SPECIAL = 160, 32, 120
"""So many points; far ones for each variable."""
_FEWEST = 8
_FAR_POWERS = (1.5, 8)
"""Far out are values between these powers of ten, of either sign."""
_RANGES = ((0, 1), (-1, 1), (0, 5), (-5, 5), (1, 30), (-30, 30), (1, 2))
_VALUES = [Fraction(text) for text in ("0", "1", "-1", "2", "-2", "3", "-3", "1/2", "-1/2", "1/3", "4")]
_FEW = [Fraction(text) for text in ("0", "1", "-1", "2", "1/2")]

Point = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Difference:
    """A point where two sides part: the variables and both values, None where undefined."""

    binding: dict[str, float]
    left: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule was found to do. `points` counts those where both sides have the same value; `except_at` is
    how it differs at single values only (widening, losing, or both), empty if it does not."""

    rule: ForeignRule
    effect: Class
    points: int
    difference: Difference | None = None
    except_at: str = ""


def classify(rule: ForeignRule) -> Found:
    """Find what a rule does."""
    names = sorted(variables_of(rule.left))
    seen: dict[str, Difference] = {}
    agreed = 0
    with ctx.workprec(_BITS):
        for general, point in _points(names):
            values = {name: arb(fmpq(c.numerator, c.denominator)) for name, c in point.items()}
            left, right = value(rule.left, values), value(rule.right, values)
            kind = _compared(left, right)
            if kind == "agree":
                agreed += 1
            elif kind:
                key = kind if general or kind == "false" else f"{kind} at single values"
                seen.setdefault(key, _difference(point, left, right))
    effect: Class = "equal" if agreed >= _FEWEST else "undecided"
    for one in ("widening", "losing", "false"):
        if one in seen:
            effect = one
    single = [one for one in ("widening", "losing") if f"{one} at single values" in seen and one not in seen]
    shown = seen.get(effect) or next((seen[f"{one} at single values"] for one in single), None)
    return Found(rule, effect, agreed, shown, " and ".join(single))


def _points(names: Sequence[str]) -> list[tuple[bool, Point]]:
    """Points in general position, then special ones; those of a rule depend on how many variables it has."""
    rng = np.random.default_rng(12)
    found: list[tuple[bool, Point]] = []
    for _ in range(_GENERAL):
        found.append((True, {name: _drawn(rng) for name in names}))
    if 1 < len(names) <= 3:  # such as (-1)^2^(1/2): all together
        found += [
            (False, dict(zip(names, values, strict=True))) for values in product(_FEW, repeat=len(names))
        ]
    for _ in range(_SPECIAL if names else 0):
        point = {
            name: _drawn(rng) if rng.random() < 0.4 else _VALUES[rng.integers(len(_VALUES))] for name in names
        }
        found.append((False, point))
    for far in [name for name in names for _ in range(_FAR)]:
        found.append((True, {name: _far(rng) if name == far else _drawn(rng) for name in names}))
    return found


def _drawn(rng: np.random.Generator) -> Fraction:
    low, high = _RANGES[rng.integers(len(_RANGES))]
    return _odd(rng.uniform(low, high))


def _far(rng: np.random.Generator) -> Fraction:
    return _odd(rng.choice((-1, 1)) * 10 ** rng.uniform(*_FAR_POWERS))


def _odd(value: float) -> Fraction:
    """A number near it that is no simple one."""
    return Fraction(int(value * 2**20) * 2 + 1, 2**21)


def _compared(left: Value, right: Value) -> str:
    """agree, widening, losing or false; empty where it cannot be told."""
    if left is None or right is None:
        known = right if left is None else left
        if known is None or not known.is_finite():
            return ""
        return "widening" if left is None else "losing"
    if not (left.is_finite() and right.is_finite()):
        return ""
    if not left.overlaps(right):
        return "false"
    size = abs(left).union(abs(right)).max(arb(1))
    return "agree" if (left - right).abs_upper() < size * arb(2) ** -_SURE_BITS else ""


def _difference(point: Point, left: Value, right: Value) -> Difference:
    sides = [None if value is None else float(value) for value in (left, right)]
    return Difference({name: float(c) for name, c in point.items()}, *sides)
