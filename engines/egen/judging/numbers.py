"""Numbers: exact where they are rational, by rigorous bounds of as many bits as it takes where not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf, log

import numpy as np
from flint import arb, ctx

from engines.core.numeric import compile_valid
from engines.core.precise import Value, agreement
from engines.core.tree import Tree
from engines.egen.expressions.language import ARITY, BINDERS, CONSTANTS, FURTHER, is_constant_token
from engines.egen.verification.rigorous import LongSumError, scales, value

Exact = int | Fraction

UNKNOWN = arb.nan()
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


def exact(tree: Tree) -> Exact | None:
    """The rational number that arithmetic of rational numbers gives; None for all else."""
    children = tree.children
    if not children:
        return _leaf(tree.label)
    operation = _OPERATIONS.get(tree.label)
    if operation is None:
        return None
    operands: list[Exact] = []
    for child in children:
        operand = exact(child)
        if operand is None:
            return None
        operands.append(operand)
    return operation(*operands)


def _leaf(label: str) -> Exact | None:
    first = label[:1]
    if not (first.isdigit() or first in "-."):
        return None
    if label.isascii() and label.removeprefix("-").isdigit():
        return int(label) if len(label) <= _EXACT_BITS // 4 else None
    return Fraction(label) if is_constant_token(label) else None


def _over(one: Exact, other: Exact) -> Exact | None:
    return None if other == 0 else Fraction(one, other) if isinstance(one, int) else one / other


def _power(base: Exact, exponent: Exact) -> Exact | None:
    if exponent != int(exponent) or (base == 0 and exponent <= 0):
        return None
    size = max(abs(base.numerator), base.denominator).bit_length()
    if size * abs(int(exponent)) > _EXACT_BITS:
        return None
    found = Fraction(base) ** int(exponent)
    return found.numerator if found.denominator == 1 else found


_OPERATIONS: dict[str, Callable[..., Exact | None]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": _over,
    "pow": _power,
    "abs": abs,
}


def known(tree: Tree, bits: int) -> Value:
    """The value of a number as a ball; NaN where it is not known. Raises: NoValueError."""
    with ctx.workprec(bits):
        try:
            found = value(tree, {})
        except LongSumError:
            return arb.nan()
    if found is None:
        raise NoValueError
    return found


def order(left: Tree, right: Tree) -> int | None:
    """-1, 0 or 1 as one number is less than another, the same or more; None where it cannot be told.

    Numbers are the same where no difference shows in so many bits as what they are made of can need. Raises:
    NoValueError where one has none.
    """
    one, other = exact(left), exact(right)
    if one is not None and other is not None:
        return (one > other) - (one < other)
    ends = [end(side) for side in (left, right)]
    if any(ends):
        return (ends[0] > ends[1]) - (ends[0] < ends[1])
    for bits in _BITS:
        first, second = known(left, bits), known(right, bits)
        assert first is not None
        assert second is not None
        with ctx.workprec(bits):
            if first < second:
                return -1
            if first > second:
                return 1
            agreed = agreement(first, second) or 0
    if any(node.label == "integral" for side in (left, right) for node in side):
        return 0 if agreed >= _INTEGRATED else None
    if agreed < _BITS[-1] // 2:
        return None
    needed = _needed((left, right))
    if needed > _MOST_BITS:
        return None
    if needed > _BITS[-1]:
        first, second = known(left, needed), known(right, needed)
        assert first is not None
        assert second is not None
        with ctx.workprec(needed):
            return -1 if first < second else 1 if first > second else 0
    return 0


def end(tree: Tree) -> int:
    if tree.label == "inf":
        return 1
    if tree.label == "*" and tree.children[1].label == "inf":
        factor = exact(tree.children[0])
        return 0 if factor is None else (factor > 0) - (factor < 0)
    return 0


def _needed(trees: Sequence[Tree]) -> int:
    """Bits in which nothing is lost of what some numbers are made of."""
    plain = [tree for tree in trees if FURTHER.keys().isdisjoint(tree.labels())]
    found = scales(compile_valid(plain), np.array([0.5])) if plain else np.zeros(0)
    most = float(found.max(initial=0))
    if len(plain) < len(trees) or most == inf:
        most = max(map(_orders, trees))
    return int(_TIMES * min(most, _MOST_BITS)) + _SPARE


def _orders(tree: Tree) -> float:
    """Binary orders between 1 and the largest or smallest value that is met in a number; not inside sums."""
    most, waiting = 0.0, [tree]
    while waiting:
        node = waiting.pop()
        if node.label not in BINDERS:
            waiting += node.children
        try:
            ball = known(node, 64)
        except NoValueError:
            continue
        if ball is None or not ball.is_finite() or ball.contains(0):
            continue
        mantissa, exponent = ball.mid().man_exp()
        most = max(most, abs(int(exponent) + int(mantissa).bit_length()))
        if node.label in ("tanh", "coth"):
            argument = known(node.children[0], 64)
            most = max(most, 2 / log(2) * abs(float(argument or 0)))
    return most


def is_number(tree: Tree) -> bool:
    """Whether a term is made of operations on real numbers, and holds no variable that is not bound."""
    return all(
        node.label in _REAL if node.children else node.label in CONSTANTS or is_constant_token(node.label)
        for node in _unbound(tree, frozenset())
    )


def _unbound(tree: Tree, bound: frozenset[str]) -> Iterator[Tree]:
    """The nodes of a term but for variables that are bound."""
    if tree.label in BINDERS and tree.children:
        name, low, high, body = tree.children
        yield tree
        yield from _unbound(low, bound)
        yield from _unbound(high, bound)
        yield from _unbound(body, bound | {name.label})
    elif tree.children or tree.label not in bound:
        yield tree
        for child in tree.children:
            yield from _unbound(child, bound)


def shown(number: Tree) -> str:
    """A number for people: exact where it is rational and short, else rounded."""
    if sign := end(number):
        return "∞" if sign > 0 else "-∞"
    found = exact(number)
    if found is not None:
        text = str(found)
        if len(text) <= 20:
            return text
    try:
        ball = known(number, 128)
    except NoValueError:
        return "no value"
    assert ball is not None
    return ball.str(8, radius=False) if ball.is_finite() else "unknown"
