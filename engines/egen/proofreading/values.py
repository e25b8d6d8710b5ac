"""What terms are worth where their variables have values, in floating point: quick, to find what a rigorous
judge then shows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce

from engines.core.tree import Tree

_CONSTANTS = {"pi": math.pi, "e": math.e}
_WHOLE = re.compile(r"-?\d{1,2000}\Z")
_CLOSE = 1e-9
_APART = 1e-3
_ROUNDED = 0.02
_OF_ONE: Mapping[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "ln": math.log, "exp": math.exp,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh,
    "tanh": math.tanh, "abs": abs, "floor": math.floor, "ceil": math.ceil,
    "sec": lambda x: 1 / math.cos(x), "csc": lambda x: 1 / math.sin(x), "cot": lambda x: 1 / math.tan(x),
}  # fmt: skip


class _NoValueError(Exception):
    pass


def worth(tree: Tree, at: Mapping[str, float]) -> float | None:
    """The value of a term; None where it has none that is known. Units count as 1.

    >>> worth(Tree("+", (Tree("x"), Tree("1"))), {"x": 2})
    3.0
    """
    with suppress(_NoValueError, ArithmeticError, ValueError, RecursionError):
        result = _worth(tree, at)
        if math.isfinite(result):
            return result
    return None


def _worth(tree: Tree, at: Mapping[str, float]) -> float:
    label, parts = tree.label, tree.children
    if not parts:
        if label in at:
            return at[label]
        if label in _CONSTANTS:
            return _CONSTANTS[label]
        if label[0] in "-.0123456789":
            return float(label)
        raise _NoValueError
    if label == "unit":
        return 1.0
    if label in ("+", "*"):
        values = [_worth(part, at) for part in parts]
        return sum(values) if label == "+" else math.prod(values)
    if label in ("-", "/", "pow", "root", "log", "factorial", "binomial"):
        return _of_two(label, [_worth(part, at) for part in parts])
    function = _OF_ONE.get(label)
    if function is None or len(parts) != 1:
        raise _NoValueError
    return function(_worth(parts[0], at))


def _of_two(label: str, values: Sequence[float]) -> float:
    if label == "factorial":
        if values[0] != int(values[0]) or not 0 <= values[0] <= 170:
            raise _NoValueError
        return float(math.factorial(int(values[0])))
    if len(values) == 1:
        return -values[0] if label == "-" else math.log10(values[0])
    one, other = values[0], values[1]
    if label == "-":
        return reduce(lambda left, right: left - right, values)
    if label == "/":
        return one / other
    if label == "pow":
        result = one**other
        if isinstance(result, complex):
            raise _NoValueError
        return result
    if label == "root":
        if other < 0 and one % 2 != 1:
            raise _NoValueError
        return math.copysign(abs(other) ** (1 / one), other)
    if label == "log":
        return math.log(other) / math.log(one)
    if min(values) < 0 or max(values) > 1_000 or any(each != int(each) for each in values):
        raise _NoValueError
    return float(math.comb(int(one), int(other)))


def agree(left: Tree, right: Tree, at: Mapping[str, float]) -> bool | None:
    """Whether two terms have one value there; None where that is not clear, since a number may be rounded."""
    one, other = worth(left, at), worth(right, at)
    if one is None or other is None:
        return None
    size = max(abs(one), abs(other), *(abs(value) for value in at.values()), 1.0)
    apart = abs(one - other) / size
    if apart < _CLOSE:
        return True
    decimal = any("." in label for side in (left, right) for label in side.labels())
    return None if apart < (_ROUNDED if decimal else _APART) else False


def unmixed(tree: Tree) -> Tree:
    """A term with products in the place of mixed numbers."""
    children = tuple(map(unmixed, tree.children))
    mixed = tree.label == "+" and _WHOLE.match(children[0].label) and children[1].label == "/"
    return Tree("*" if mixed else tree.label, children)


def apart_in_any_sign(left: Tree, right: Tree) -> bool:
    """Whether two terms with signs ± differ whichever of both is meant."""
    sides = [[signed(side, sign) for sign in ("+", "-")] for side in (left, right)]
    return all(agree(one, other, {}) is False for one in sides[0] for other in sides[1])


def signed(tree: Tree, sign: str) -> Tree:
    children = tuple(signed(child, sign) for child in tree.children)
    if tree.label != "pm":
        return Tree(tree.label, children)
    if len(children) == 2:
        return Tree(sign, children)
    return children[0] if sign == "+" else Tree("*", (Tree("-1"), children[0]))


def roots(left: Tree, right: Tree, name: str, at: Mapping[str, float]) -> list[float]:
    """Where two terms that are at most quadratic in a variable are equal; [] for others."""
    found: list[float] = []
    for place in (0.0, 1.0, 2.0, 3.0, -1.0):
        one, other = (worth(side, {**at, name: place}) for side in (left, right))
        if one is None or other is None:
            return []
        found.append(one - other)
    c = found[0]
    a = (found[2] - 2 * found[1] + c) / 2
    b = found[1] - a - c
    size = max(map(abs, found), default=0.0)
    if any(abs(a * x * x + b * x + c - y) > _CLOSE * (1 + size) for x, y in ((3, found[3]), (-1, found[4]))):
        return []
    if abs(a) <= _CLOSE * size:
        return [-c / b] if abs(b) > _CLOSE * size else []
    inside = b * b - 4 * a * c
    return [] if inside < 0 else [(-b + sign * math.sqrt(inside)) / (2 * a) for sign in (1, -1)]


def residue(tree: Tree, modulus: int) -> int | None:
    """What a number leaves, with inverses for divisions; None where it has no residue that is known.

    >>> residue(Tree("pow", (Tree("9"), Tree("-1"))), 100)
    89
    """
    label, parts = tree.label, tree.children
    if not parts:
        return int(label) % modulus if _WHOLE.match(label) else None
    if label == "pow":
        base = residue(parts[0], modulus)
        exponent = parts[1].label if not parts[1].children else ""
        if base is None or not _WHOLE.match(exponent):
            return None
        with suppress(ValueError):
            return pow(base, int(exponent), modulus)
        return None
    if label not in ("+", "-", "*", "/"):
        return None
    values = [residue(part, modulus) for part in parts]
    one, other = values[0], values[-1]
    if one is None or other is None or len(values) > 2:
        return None
    if label == "/":
        with suppress(ValueError):
            return one * pow(other, -1, modulus) % modulus
        return None
    return {"+": one + other, "-": one - other if len(values) == 2 else -one, "*": one * other}[
        label
    ] % modulus
