"""What operations of one number give, of real and of imaginary numbers: quick, in floating point."""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Mapping

OF_REAL: Mapping[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "ln": math.log, "exp": math.exp,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh,
    "tanh": math.tanh, "abs": abs, "floor": math.floor, "ceil": math.ceil,
    "sec": lambda x: 1 / math.cos(x), "csc": lambda x: 1 / math.sin(x), "cot": lambda x: 1 / math.tan(x),
    "sech": lambda x: 1 / math.cosh(x), "csch": lambda x: 1 / math.sinh(x),
    "coth": lambda x: 1 / math.tanh(x), "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh,
    "asec": lambda x: math.acos(1 / x), "acsc": lambda x: math.asin(1 / x),
    "acot": lambda x: math.pi / 2 - math.atan(x), "asech": lambda x: math.acosh(1 / x),
    "acsch": lambda x: math.asinh(1 / x), "acoth": lambda x: math.atanh(1 / x), "gamma": math.gamma,
}  # fmt: skip
"""The operations of one real number."""

OF_COMPLEX: Mapping[str, Callable[..., complex]] = {
    "+": lambda *values: sum(values), "*": lambda *values: math.prod(values), "-": operator.sub,
    "/": operator.truediv, "pow": operator.pow, "exp": cmath.exp, "sin": cmath.sin, "cos": cmath.cos,
    "tan": cmath.tan, "cot": lambda z: 1 / cmath.tan(z), "sec": lambda z: 1 / cmath.cos(z),
    "csc": lambda z: 1 / cmath.sin(z), "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh,
    "coth": lambda z: 1 / cmath.tanh(z), "sech": lambda z: 1 / cmath.cosh(z),
    "csch": lambda z: 1 / cmath.sinh(z), "asin": cmath.asin, "acos": cmath.acos, "atan": cmath.atan,
    "asinh": cmath.asinh, "acosh": cmath.acosh, "atanh": cmath.atanh,
    "sqrt": cmath.sqrt, "ln": cmath.log, "conj": lambda value: value.conjugate(), "abs": abs,
    "re": lambda value: value.real, "im": lambda value: value.imag, "arg": cmath.phase,
}  # fmt: skip
"""The operations of imaginary numbers."""
