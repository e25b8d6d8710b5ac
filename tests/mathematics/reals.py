"""An independent reading of real expressions by the conventions: mpmath, 60 digits, one point at a time."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp

from engines.core.tree import Tree

mp.mp.dps = 60
NEARLY = mp.mpf(10) ** -35
"""Distances to a domain's boundary below this are rounding of the reference itself."""
ONE = mp.mpf(1)
RECIPROCAL = {"csc": mp.sin, "sec": mp.cos, "cot": mp.tan, "csch": mp.sinh, "sech": mp.cosh, "coth": mp.tanh}
PLAIN = {name: getattr(mp, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "asinh")}


class UndefinedError(Exception):
    """The point is outside the real domain."""


class AmbiguousError(Exception):
    """The reference cannot tell either: overflow, or the boundary of a domain to all its digits."""


def sign(u: mp.mpf) -> int:
    if u != 0 and abs(u) < NEARLY:
        raise AmbiguousError
    return int(mp.sign(u))


def require(condition: bool) -> None:
    if not condition:
        raise UndefinedError


def power(u: mp.mpf, v: mp.mpf, *, constant: bool) -> mp.mpf:
    if abs(v) > 1e6:
        raise AmbiguousError
    n = mp.nint(v)
    integer = v == n or (constant and abs(v - n) < NEARLY)
    side = sign(u)
    if side == 0:
        require(sign(v) > 0)
        return mp.mpf(0)
    require(side > 0 or integer)
    result = mp.power(u, n if integer else v)
    if not mp.mpf(10) ** -250 < abs(result) < mp.mpf(10) ** 250:
        raise AmbiguousError
    return result


def clipped(u: mp.mpf) -> mp.mpf:
    """u inside [-1, 1], where its domain has already been checked."""
    return max(min(u, ONE), -ONE)


def function(label: str, u: mp.mpf) -> mp.mpf:
    if label in PLAIN or label in RECIPROCAL:
        if label.endswith("h") and abs(u) > (40 if label in ("tanh", "coth") else 500):
            raise AmbiguousError
        if label in PLAIN:
            return PLAIN[label](u)
        require(label in ("sec", "sech") or sign(u) != 0)
        return 1 / RECIPROCAL[label](u)
    if label == "abs":
        return abs(u)
    if label == "sqrt":
        require(sign(u) >= 0)
        return mp.sqrt(u)
    if label == "ln":
        require(sign(u) > 0)
        return mp.log(u)
    if label == "acot":
        return mp.atan(1 / u) + (mp.pi if u < 0 else 0) if u else mp.pi / 2
    if label in ("asin", "acos"):
        require(sign(abs(u) - 1) <= 0)
        return getattr(mp, label)(clipped(u))
    if label in ("asec", "acsc"):
        require(sign(abs(u) - 1) >= 0)
        return (mp.acos if label == "asec" else mp.asin)(clipped(1 / u))
    if label == "acosh":
        require(sign(u - 1) >= 0)
        return mp.acosh(max(u, ONE))
    if label == "atanh":
        require(sign(abs(u) - 1) < 0)
        return mp.atanh(u)
    if label == "acoth":
        require(sign(abs(u) - 1) > 0)
        return mp.atanh(1 / u)
    if label == "asech":
        require(sign(u) > 0 and sign(u - 1) <= 0)
        return mp.acosh(max(1 / u, ONE))
    assert label == "acsch"
    require(sign(u) != 0)
    return mp.asinh(1 / u)


def value(tree: Tree, x: mp.mpf) -> mp.mpf:
    """The value at x. Raises: UndefinedError, AmbiguousError."""
    label = tree.label
    if label == "d":
        body: Callable[[mp.mpf], mp.mpf] = lambda place: value(tree.children[1], place)  # noqa: E731
        body(x)
        return mp.diff(body, x)
    if not tree.children:
        return {"x": x, "pi": +mp.pi, "e": +mp.e}.get(label) or mp.mpf(label)
    parts = [value(child, x) for child in tree.children]
    if any(abs(part) > mp.mpf(10) ** 200 for part in parts):
        raise AmbiguousError
    if len(parts) == 1:
        return function(label, parts[0])
    u, v = parts
    if label == "+":
        return u + v
    if label == "-":
        return u - v
    if label == "*":
        return u * v
    if label == "pow":
        return power(u, v, constant="x" not in tree.children[1].list_labels())
    if label == "log":
        require(sign(u) > 0 and sign(v) > 0 and sign(u - 1) != 0)
        return mp.log(v) / mp.log(u)
    assert label == "/"
    require(sign(v) != 0)
    return u / v
