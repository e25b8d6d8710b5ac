"""Rules at exceptional constants: multiples of pi, where poles and zeros sit.

Floating point cannot hold pi, so the evaluator of `engines.core.numeric` rightly answers "unknown" at a pole
such as tan(pi/2). A rule must not be trusted there: a term that has no value anywhere, merged with a number,
ends in 0 = 1. Here every intermediate value that is within 1e-11 of a multiple of 1/4 is taken for it, which
makes those zeros exact; that is right for these few constants, and only for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from engines.core.tree import Tree

__all__ = ["CONSTANTS", "FUNCTIONS", "X", "constant_value"]

CONSTANTS: Mapping[str, float] = {
    **{text: float(Fraction(text)) for text in ("0", "1", "-1", "2", "0.5", "-0.5", "0.3")},
    "pi": math.pi,
    **{f"* {factor} pi": float(factor) * math.pi for factor in ("-1", "2", "-2", "1.5")},
    **{f"* {factor} pi": float(factor) * math.pi for factor in ("0.5", "-0.5", "0.25", "-0.25", "0.75")},
}
"""Constants to bind pattern variables to, by their prefix notation."""
X = 0.4371
"""A generic place, for functions of x beside the constants."""
FUNCTIONS: Mapping[str, float] = {"x": X, "+ 2 x": 2 + X, "- x 3": X - 3}
"""What is not constant, with its value at `X`."""


class _UndefinedError(Exception):
    """The expression has no real value."""


def _over(top: float, bottom: float) -> float:
    if bottom == 0:
        raise _UndefinedError
    return top / bottom


def _tidy(value: float) -> float:
    near = round(4 * value) / 4
    return near if abs(value - near) < 1e-11 else value


def _reciprocal(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda u: _over(1.0, _tidy(function(u)))


def _of_reciprocal(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda u: function(_tidy(_over(1.0, u)))


def _power(base: float, exponent: float) -> float:
    if (base < 0 and not exponent.is_integer()) or (base == 0 and exponent <= 0):
        raise _UndefinedError
    return float(base**exponent)


_UNARY: Mapping[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "sinh", "cosh", "tanh")},
    **{name: getattr(math, name) for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "abs": abs,
    "ln": math.log,
    "tan": lambda u: _over(math.sin(u), _tidy(math.cos(u))),
    "cot": lambda u: _over(math.cos(u), _tidy(math.sin(u))),
    "sec": _reciprocal(math.cos),
    "csc": _reciprocal(math.sin),
    "sech": _reciprocal(math.cosh),
    "csch": _reciprocal(math.sinh),
    "coth": _reciprocal(math.tanh),
    "acot": lambda u: math.atan2(1.0, u),
    "asec": _of_reciprocal(math.acos),
    "acsc": _of_reciprocal(math.asin),
    "asech": _of_reciprocal(math.acosh),
    "acsch": _of_reciprocal(math.asinh),
    "acoth": _of_reciprocal(math.atanh),
}
_BINARY: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _over,
    "pow": _power,
    "log": lambda base, u: _over(math.log(u), _tidy(math.log(base))),
}


def constant_value(tree: Tree, binding: Mapping[str, float]) -> float | None:
    """The value of a pattern without `d` whose variables are these constants; None where it has none."""
    try:
        return _value(tree, binding)
    except (_UndefinedError, ValueError):  # math says ValueError outside a domain
        return None
    except OverflowError:
        return math.nan


def _value(tree: Tree, binding: Mapping[str, float]) -> float:
    if tree.label in binding:
        return binding[tree.label]
    parts = [_value(child, binding) for child in tree.children]
    if len(parts) == 2:
        return _tidy(_BINARY[tree.label](*parts))
    if parts:
        return _tidy(_UNARY[tree.label](*parts))
    if tree.label in ("pi", "e"):
        return math.pi if tree.label == "pi" else math.e
    return float(Fraction(tree.label))
