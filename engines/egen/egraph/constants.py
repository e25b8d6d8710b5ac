"""What a constant subterm is worth, as far as rounding lets one tell 0 and 1 from their neighbours.

Values are floats with the rounding noise removed (`sin pi` is 0, `sin / pi 2` is 1); None means undefined on
the reals or too coarse to say (`tanh 30` is not 1). The tolerances decide what is padding: a wrong guess
leaves a member out, or keeps one that says nothing, and never makes two expressions equal. Heads that seem
to divide by zero are looked at again rigorously before they are refused (`notation.check_head`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from engines.egen.expressions.language import TRIGONOMETRIC

__all__ = ["LEAVES", "apply", "operate"]

LEAVES = {"pi": math.pi, "e": math.e}

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "abs": abs,
    "ln": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "acot": lambda u: math.pi / 2 - math.atan(u),
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
}
_RECIPROCAL_RESULT = {
    "csc": "sin",
    "sec": "cos",
    "cot": "tan",
    "csch": "sinh",
    "sech": "cosh",
    "coth": "tanh",
}
_RECIPROCAL_OPERAND = {"asec": "acos", "acsc": "asin", "asech": "acosh", "acsch": "asinh", "acoth": "atanh"}


def apply(name: str, value: float) -> float | None:
    """A function of a constant, None where it is undefined or its value too coarse to tell it from 0 or 1."""
    if name == "ln" and value == 1:
        return 0.0
    try:
        if name in _RECIPROCAL_RESULT:
            under = apply(_RECIPROCAL_RESULT[name], value)
            return None if under is None else 1 / under
        if name in _RECIPROCAL_OPERAND:
            return apply(_RECIPROCAL_OPERAND[name], 1 / value)
        result = _FUNCTIONS[name](value)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if name in TRIGONOMETRIC:
        return _snap(result, 1.0)
    if name == "tanh" and abs(result) > 1 - 1e-9:
        return None
    return _snap(result, 0.0)


def operate(token: str, left: float, right: float) -> float | None:
    """`+ - * / pow log` of two constants, None where undefined."""
    try:
        if token == "+":
            return _snap(left + right, left)
        if token == "-":
            return _snap(left - right, left)
        if token == "*":
            return _snap(left * right, 0.0)
        if token == "/":
            return _snap(left / right, 0.0)
        result = left**right if token == "pow" else math.log(right) / math.log(left)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return _snap(result, 0.0) if isinstance(result, float) else None


def _snap(value: float, scale: float) -> float:
    """The value with rounding noise removed: 0 when tiny beside `scale`, 1 or -1 when it is next to that."""
    if abs(value) <= 1e-12 * abs(scale):
        return 0.0
    nearest = math.copysign(1.0, value)
    return nearest if abs(value - nearest) < 1e-12 else value
