"""An e-graph without the terms that have a hole: a point where the head has a value and the term has none.

A term such as `1/(1/x)` equals `x` but at 0. All terms of a class have one value at a point, where they have
any, so that a node has none there exactly if its operator has none of the values of its operands' classes.
Points are given: they are those at which terms that were judged turned out to have no value. Values are
doubles with their errors; what is taken for a zero may be none, which costs terms and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import pi

import numpy as np

from engines.core.arrays import Bools, Floats
from engines.core.expression_language import is_constant_token
from engines.egen.egraph.term_grammar import EGraph

# The relative rounding error of a double, and how often it may add up before a value is doubtful.
_ROUNDING = 2.0**-52
_SAFETY = 8.0
_CONSTANTS = {"pi": pi, "e": float(np.e)}
# Each sweep reaches one level of terms further, so this bounds the depth that is evaluated.
_MOST_SWEEPS = 200

_INVERTED = {"csc": np.sin, "sec": np.cos, "csch": np.sinh, "sech": np.cosh}
_RATIOS = {"tan": (np.sin, np.cos), "cot": (np.cos, np.sin), "coth": (np.cosh, np.sinh)}
_PLAIN: Mapping[str, Callable[[Floats], Floats]] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "sinh", "cosh", "tanh", "abs")},
    "atan": np.arctan,
    "acot": lambda u: pi / 2 - np.arctan(u),
    "asinh": np.arcsinh,
}
_CLOSED: dict[str, tuple[float, float, Callable[[Floats], Floats]]] = {
    "sqrt": (0.0, np.inf, np.sqrt),
    "asin": (-1.0, 1.0, np.arcsin),
    "acos": (-1.0, 1.0, np.arccos),
    "acosh": (1.0, np.inf, np.arccosh),
}
"""Functions whose domain has its ends, the ends and the function."""
_OPEN: dict[str, tuple[float, float, Callable[[Floats], Floats]]] = {
    "ln": (0.0, np.inf, np.log),
    "atanh": (-1.0, 1.0, np.arctanh),
}
"""Functions whose domain has not."""
_OF_RECIPROCAL = {"acsc": "asin", "asec": "acos", "asech": "acosh", "acoth": "atanh", "acsch": "asinh"}


def remove_holes(egraph: EGraph, points: Mapping[str, Sequence[float]]) -> EGraph:
    """Return the e-graph of the terms that have a value at points, without the points where the head has
    none.

    Args: points: for each variable its values at them.
    """
    classes, nodes = _evaluate(egraph, {name: np.array(values) for name, values in points.items()})
    counted = np.isfinite(classes[egraph.root])
    kept = np.all(np.isfinite(nodes[:, counted]), axis=1)
    homes = egraph.homes[kept]
    starts = np.searchsorted(homes, np.arange(len(egraph) + 1))
    return replace(egraph, labels=egraph.labels[kept], children=egraph.children[kept], starts=starts)


def _evaluate(egraph: EGraph, points: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Values of (classes, points) and of (nodes, points), NaN where there are none."""
    count = len(next(iter(points.values())))
    values, errors = np.full((len(egraph) + 1, count), np.nan), np.zeros((len(egraph) + 1, count))
    of_nodes, homes = np.full((len(egraph.labels), count), np.nan), egraph.homes
    groups = [(name, np.flatnonzero(egraph.labels == code)) for code, name in enumerate(egraph.names)]
    # When a class last gained a value and a node was last evaluated, by a clock that ticks with the groups.
    gained, evaluated = np.full(len(egraph) + 1, -1), np.full(len(egraph.labels), -1)
    clock = 0
    # Sweep over all nodes until no class gains a value: operands may come after the nodes that use them.
    for sweep in range(_MOST_SWEEPS):
        begun = clock
        for name, every in groups:
            clock += 1
            # A node has the same value as before where no operand has gained one since.
            changed = np.any(gained[egraph.children[every]] >= evaluated[every][:, None], axis=1)
            rows = every if not sweep or name == "d" else every[changed]
            evaluated[rows] = clock
            if not len(rows):
                continue
            left, right = egraph.children[rows].T
            # The value of a derivative is that of its class, found through another node,
            # where its operand has one.
            if name == "d":
                result = np.where(np.isfinite(values[left]), values[homes[rows]], np.nan)
                error = errors[homes[rows]]
            elif name in points:
                result = np.broadcast_to(points[name], (len(rows), count))
                error = np.abs(result) * _ROUNDING
            elif is_constant_token(name) or name in _CONSTANTS:
                number = _CONSTANTS[name] if name in _CONSTANTS else float(name)
                result = np.full((len(rows), count), number)
                error = np.abs(result) * _ROUNDING
            else:
                with np.errstate(all="ignore"):
                    result, error = _apply(name, values[left], errors[left], values[right], errors[right])
            of_nodes[rows] = result
            new = np.isfinite(result) & np.isnan(values[homes[rows]])
            row_index, point = np.nonzero(new)
            # A class keeps the value of the first of its nodes that has one.
            values[homes[rows][row_index], point] = result[row_index, point]
            errors[homes[rows][row_index], point] = error[row_index, point]
            gained[homes[rows][row_index]] = clock
        if not np.any(gained > begun):
            break
    return values[:-1], of_nodes


def _apply(name: str, a: Floats, wide: Floats, b: Floats, broad: Floats) -> tuple[Floats, Floats]:
    """An operation on values with errors: its value, NaN where it has none, and its error."""
    match name:
        case "+" | "-":
            result = a + b if name == "+" else a - b
            # Errors of sums add up; rounding is relative to the larger operand, which
            # cancellation leaves behind.
            return result, wide + broad + _ROUNDING * np.maximum(np.abs(a), np.abs(b))
        case "*":
            result = a * b
            # The error of a product, to first order.
            return result, np.abs(a) * broad + np.abs(b) * wide + _ROUNDING * np.abs(result)
        case "/":
            return _quotient(a, wide, b, broad)
        case "log":
            return _quotient(*_function("ln", b, broad), *_function("ln", a, wide))
        case "pow":
            return _power(a, wide, b, broad)
    return _function(name, a, wide)


def _quotient(a: Floats, wide: Floats, b: Floats, broad: Floats) -> tuple[Floats, Floats]:
    result = np.where(_may_be(b, broad, 0.0), np.nan, a / b)
    return result, (wide + np.abs(result) * broad) / np.abs(b) + _ROUNDING * np.abs(result)


def _may_be(a: Floats, wide: Floats, value: float) -> Bools:
    near: Bools = np.abs(a - value) <= _SAFETY * wide
    return near


def _power(a: Floats, wide: Floats, b: Floats, broad: Floats) -> tuple[Floats, Floats]:
    whole = (b == np.round(b)) & (broad <= _ROUNDING * np.abs(b))
    zero = _may_be(a, wide, 0.0)
    base = np.where(zero & ~whole, 0.0, a)
    result = np.where(zero & (b <= 0), np.nan, base**b)
    slope = np.where(
        zero, 0.0, np.abs(result * b / base) * wide + np.abs(result * np.log(np.abs(base))) * broad
    )
    return result, slope + np.where(zero, wide, 0.0) + _ROUNDING * np.abs(result)


def _function(name: str, a: Floats, wide: Floats) -> tuple[Floats, Floats]:
    if name in _OF_RECIPROCAL:
        return _function(_OF_RECIPROCAL[name], *_quotient(np.ones_like(a), np.zeros_like(a), a, wide))
    if name in _INVERTED or name in _RATIOS:
        over, under = _RATIOS[name] if name in _RATIOS else (np.ones_like, _INVERTED[name])
        return _quotient(over(a), wide, under(a), _estimate_change(under, a, wide))
    if name in _PLAIN:
        function = _PLAIN[name]
        return function(a), _estimate_change(function, a, wide)
    low, high, function = (_CLOSED | _OPEN)[name]
    if name in _OPEN:
        # A value close to an open end, within its error, may lie outside, and counts as outside.
        outside = (a <= low + _SAFETY * wide) | (a >= high - _SAFETY * wide)
        return np.where(outside, np.nan, function(a)), _estimate_change(function, a, wide)
    outside = (a < low - _SAFETY * wide) | (a > high + _SAFETY * wide)
    # A value within its error beyond a closed end may be the end itself, so it is moved there.
    inside = np.clip(a, low, high)
    error = function(np.clip(a + wide, low, high)) - function(np.clip(a - wide, low, high))
    result = np.where(outside, np.nan, function(inside))
    return result, np.abs(error) + _ROUNDING * np.abs(result)


def _estimate_change(function: Callable[[Floats], Floats], a: Floats, wide: Floats) -> Floats:
    """Return how much a function changes where its argument is as far off as it may be."""
    value = function(a)
    error: Floats = np.maximum(np.abs(function(a + wide) - value), np.abs(function(a - wide) - value))
    return error + _ROUNDING * np.abs(value)
