"""Numbers: exact where they are rational, by rigorous bounds of as many bits as it takes where not.
Quantities of one dimension are compared in one unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log

import numpy as np
from flint import arb, ctx, fmpq

from engines.core.expression_language import (
    ARITY,
    BINDERS,
    CONSTANTS,
    FURTHER,
    display_name,
    is_constant_token,
)
from engines.core.tree import Tree
from engines.formula.unit_table import find_unit, write_base_units
from engines.mathematics.algebra.rational import number_tree
from engines.mathematics.numbers.numeric import compile_valid
from engines.mathematics.numbers.precise import BallValue, agreed_bits
from engines.mathematics.verification.enclosures import compute_scales, value_at
from engines.mathematics.verification.work_limit import WorkLimitError

ExactNumber = int | Fraction

_EXACT_BITS = 4_096
"""Longer rational numbers are not worked out exactly here."""
_BITS = (128, 1_024, 4_096)
"""Working precisions: of the first look, and of what is taken to be equal."""
_REAL = {*ARITY, *FURTHER} - {"d"}
_MOST_BITS = 2**15
_INTEGRATED = 48
"""Bits to which values are the same that integrals are taken for, which are known to about 64."""
_TIMES, _SPARE = 4, 64


class NoValueError(Exception):
    """A number has no real value, such as 1/0."""


def exact_value(tree: Tree) -> ExactNumber | None:
    """Return the rational number that arithmetic of rational numbers gives; None for all else."""
    children = tree.children
    if not children:
        return _leaf_value(tree.label)
    operation = _OPERATIONS.get(tree.label)
    if operation is None:
        return None
    operands: list[ExactNumber] = []
    for child in children:
        operand = exact_value(child)
        if operand is None:
            return None
        operands.append(operand)
    return operation(*operands)


def _leaf_value(label: str) -> ExactNumber | None:
    first = label[:1]
    if not (first.isdigit() or first in "-."):
        return None
    if label.isascii() and label.removeprefix("-").isdigit():
        # A longer number would make every exact operation on it slow; as a ball it is quick.
        return int(label) if len(label) <= _EXACT_BITS // 4 else None
    return Fraction(label) if is_constant_token(label) else None


def _exact_power(base: ExactNumber, exponent: ExactNumber) -> ExactNumber | None:
    if exponent != int(exponent) or (base == 0 and exponent <= 0):
        return None
    # The size is known before the power is computed: 9^(9^9) must not be tried.
    size = max(abs(base.numerator), base.denominator).bit_length()
    if size * abs(int(exponent)) > _EXACT_BITS:
        return None
    result = Fraction(base) ** int(exponent)
    return result.numerator if result.denominator == 1 else result


_OPERATIONS: dict[str, Callable[..., ExactNumber | None]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": lambda one, other: None if other == 0 else Fraction(one) / other,
    "pow": _exact_power,
    "abs": abs,
}


def evaluate_at(tree: Tree, point: Mapping[str, float], bits: int = 160) -> BallValue:
    """Return the rigorous value of a term at a point, None where it has none; NaN where it is not known."""
    positions = {name: fmpq(*position.as_integer_ratio()) for name, position in point.items()}
    with ctx.workprec(bits):
        try:
            return value_at(tree, positions)
        except WorkLimitError:
            # A budget that is used up is no proof that there is no value: NaN says that it is unknown.
            return arb.nan()


def number_ball(tree: Tree, bits: int) -> arb:
    """Return the value of a number as a ball; NaN where it is not known. Raises: NoValueError."""
    result = evaluate_at(tree, {}, bits)
    if result is None:
        raise NoValueError
    return result


def compare_numbers(left: Tree, right: Tree) -> int | None:
    """Return -1, 0 or 1 as one number is less than, equal to or greater than another; None if that cannot be
    told.

    Two numbers count as equal if no difference shows in as many bits as a difference of such numbers could
    need (a root bound).

    Raises:
        NoValueError: If one of them has no value.
    """
    # Rational numbers are compared exactly, infinities by sign.
    left_value, right_value = exact_value(left), exact_value(right)
    if left_value is not None and right_value is not None:
        return (left_value > right_value) - (left_value < right_value)
    ends = [infinite_sign(side) for side in (left, right)]
    if any(ends):
        return (ends[0] > ends[1]) - (ends[0] < ends[1])
    # Raise the precision until the balls are apart.
    for bits in _BITS:
        first, second = number_ball(left, bits), number_ball(right, bits)
        with ctx.workprec(bits):
            if first < second:
                return -1
            if first > second:
                return 1
            agreed = agreed_bits(first, second) or 0
    # No root bound is known for integrals, so agreement in many bits has to do.
    if any(node.label == "integral" for side in (left, right) for node in side):
        return 0 if agreed >= _INTEGRATED else None
    # Neither apart nor close: the balls themselves are too wide, and more bits would cost too much.
    if agreed < _BITS[-1] // 2:
        return None
    # They agree so far: is that more than two different numbers of this size can agree?
    # bits in which nothing is lost of what the numbers are made of
    plain = [tree for tree in (left, right) if FURTHER.keys().isdisjoint(tree.list_labels())]
    scales = compute_scales(compile_valid(plain), np.array([0.5])) if plain else np.zeros(0)
    bit_scale = float(scales.max(initial=0))
    if len(plain) < 2 or bit_scale == inf:
        bit_scale = max(_binary_orders(left), _binary_orders(right))
    needed = int(_TIMES * min(bit_scale, _MOST_BITS)) + _SPARE
    if needed > _MOST_BITS:
        return None
    # One last evaluation at the precision that decides.
    if needed > _BITS[-1]:
        first, second = number_ball(left, needed), number_ball(right, needed)
        with ctx.workprec(needed):
            return -1 if first < second else 1 if first > second else 0
    return 0


def point_shown(point: Mapping[str, float]) -> str:
    """Return a point in words: `x = 2, y = 3`."""
    return ", ".join(f"{display_name(name)} = {value:.6g}" for name, value in point.items())


def is_polynomial(tree: Tree, most: int) -> bool:
    """Return whether a term is a polynomial as it is written, also in pi and e: without divisions but by
    numbers, and with powers up to `most`.
    """
    label, parts = tree.label, tree.children
    if not parts:
        return True
    if label == "pow":
        exponent = exact_value(parts[1])
        whole = exponent is not None and 0 < exponent <= most and exponent == int(exponent)
        return whole and is_polynomial(parts[0], most)
    if label == "/":
        return is_polynomial(parts[0], most) and bool(exact_value(parts[1]))
    return label in ("+", "-", "*") and all(is_polynomial(part, most) for part in parts)


def infinite_sign(tree: Tree) -> int:
    """Return 1 or -1 for an infinite term, by its sign; 0 for other terms."""
    if tree.label == "inf":
        return 1
    if tree.label == "*" and tree.children[1].label == "inf":
        factor = exact_value(tree.children[0])
        return 0 if factor is None else (factor > 0) - (factor < 0)
    return 0


def _binary_orders(tree: Tree) -> float:
    """Binary orders between 1 and the largest or smallest value that is met in a number; not inside sums."""
    most, waiting = 0.0, [tree]
    while waiting:
        node = waiting.pop()
        if node.label not in BINDERS:
            waiting += node.children
        try:
            ball = number_ball(node, 64)
        except NoValueError:
            continue
        if not ball.is_finite() or ball.contains(0):
            continue
        # How far a number is from 1, in bits: cancelling can lose as many.
        mantissa, exponent = ball.mid().man_exp()
        most = max(most, abs(int(exponent) + int(mantissa).bit_length()))
        # 1 - tanh u is about 2 e^(-2u), so a number near 1 may hide 2u / ln 2 bits.
        if node.label in ("tanh", "coth"):
            most = max(most, 2 / log(2) * abs(float(number_ball(node.children[0], 64))))
    return most


def is_number(tree: Tree) -> bool:
    """Return whether a term is made of operations on real numbers, and holds no variable that is not
    bound.
    """
    return all(
        node.label in _REAL if node.children else node.label in CONSTANTS or is_constant_token(node.label)
        for node in _iterate_unbound(tree, frozenset())
    )


def _iterate_unbound(tree: Tree, bound: frozenset[str]) -> Iterator[Tree]:
    """Yield the nodes of a term but for variables that are bound."""
    # The ends of a sum are outside of it: its index is not bound there.
    if tree.label in BINDERS and tree.children:
        name, low, high, body = tree.children
        yield tree
        yield from _iterate_unbound(low, bound)
        yield from _iterate_unbound(high, bound)
        yield from _iterate_unbound(body, bound | {name.label})
    elif tree.children or tree.label not in bound:
        yield tree
        for child in tree.children:
            yield from _iterate_unbound(child, bound)


def format_apart(left: Tree, right: Tree) -> str:
    """Return two different numbers for people, with as many digits as it takes to tell them apart."""
    for digits in _SHOWN_DIGITS:
        texts = format_number(left, digits), format_number(right, digits)
        if texts[0] != texts[1]:
            break
    return " and ".join(texts)


_SHOWN_DIGITS = (8, 16, 32)
_LARGEST_SHOWN = 10**20
"""Integers that are shown with all their digits are less."""
_MOST_CHARACTERS = 20


def format_number(term: Tree, digits: int = 8) -> str:
    """Return a number for people: exact where it is rational and short, else rounded."""
    if sign := infinite_sign(term):
        return "∞" if sign > 0 else "-∞"
    result = exact_value(term)
    if result is not None and len(str(result)) <= _MOST_CHARACTERS:
        return str(result)
    try:
        ball = number_ball(term, 128)
    except NoValueError:
        return "no value"
    # A ball without radius is a proof that `5!` is 120, which a rounded number does not say.
    if ball.is_exact() and ball.is_integer() and abs(ball) < _LARGEST_SHOWN:
        return str(ball.unique_fmpz())
    text = ball.str(digits, radius=False) if ball.is_finite() else "unknown"
    # Of a ball around 0 Arb writes the size of its radius, `0e-38`.
    return "0" if text.startswith("0e-") else text


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the powers of units that it is multiplied by: what they measure, or an unknown word."""

    number: Tree
    units: tuple[tuple[str, int], ...]

    @property
    def shown(self) -> str:
        """The unit for people: `m s^-2`."""
        return write_base_units(self.units)


def separate_units(tree: Tree) -> Quantity | None:
    """Return a term as a number times units; None where units stand elsewhere than in factors."""
    powers: Counter[str] = Counter()
    plain = _separate_units_of(tree, powers, 1)
    if plain is None:
        return None
    return Quantity(plain, tuple(sorted((name, power) for name, power in powers.items() if power)))


def _separate_units_of(tree: Tree, powers: Counter[str], times: int) -> Tree | None:
    if tree.label == "unit":
        word = tree.children[0].label.removesuffix(".")
        unknown = ((word.casefold().removesuffix("s"), 1),), Fraction(1)
        measured, size = find_unit(word) or unknown
        for name, power in measured:
            powers[name] += power * times
        return number_tree(size)
    if "unit" not in tree.list_labels():
        return tree
    if tree.label in ("*", "/"):
        left_value, right_value = tree.children
        left = _separate_units_of(left_value, powers, times)
        # Units of a divisor count negatively.
        right = _separate_units_of(right_value, powers, times if tree.label == "*" else -times)
        return None if left is None or right is None else Tree(tree.label, (left, right))
    if tree.label == "pow":
        # The square root of a unit is not a unit here.
        exponent = exact_value(tree.children[1])
        if exponent is None or exponent != int(exponent):
            return None
        base = _separate_units_of(tree.children[0], powers, times * int(exponent))
        return None if base is None else Tree("pow", (base, tree.children[1]))
    if tree.label in ("+", "-"):
        # Terms of a sum must have the same units.
        first, second = map(separate_units, tree.children)
        if first is None or second is None or first.units != second.units:
            return None
        for name, power in first.units:
            powers[name] += power * times
        return Tree(tree.label, (first.number, second.number))
    return None
