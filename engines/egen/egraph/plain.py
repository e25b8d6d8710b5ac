"""An e-graph without detours: classes split by what their terms may not begin with.

In the style `plain` no term holds a function of an inverse function of its family, or the other way round,
with nothing but arithmetic between them (`tan acot u`, `cot(pi + acot u)`), a factor or numerator -1
that could be left out (in a product, sum or quotient, as the argument of an odd or even function, before a
difference), a negative number that is added, subtracted or divided by, or a reciprocal of a reciprocal. What
an operand may not be depends on the operator above it, so each class becomes several, one for each set of
such demands: the terms that are left are still counted exactly and drawn uniformly.

A head such as `acos(cos x)` is itself such a function of an inverse and may have no form that is none: there
as few kinds of them as it takes are let through.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from engines.egen.egraph.graph import EGraph, ENode
from engines.egen.expressions.language import HYPERBOLIC, TRIGONOMETRIC

__all__ = ["plain"]

_MINUS, _DIFFERENCE, _RECIPROCAL, _NEGATIVE = 1, 2, 4, 128
_KINDS = dict.fromkeys(TRIGONOMETRIC, 8) | {f"a{name}": 16 for name in TRIGONOMETRIC}
_KINDS |= dict.fromkeys(HYPERBOLIC, 32) | {f"a{name}": 64 for name in HYPERBOLIC}
_ODD_OR_EVEN = {
    *TRIGONOMETRIC,
    *HYPERBOLIC,
    "abs",
    "asin",
    "atan",
    "acsc",
    "asinh",
    "atanh",
    "acsch",
    "acoth",
}
_ARITHMETIC = ("+", "-", "*", "/", "pow", "sqrt", "abs")
_FUNCTIONS = 8 | 16 | 32 | 64
_UNDONE = {8: 16, 16: 8, 32: 64, 64: 32}
_Nodes = list[tuple[ENode, int, tuple[int, ...]]]


def plain(egraph: EGraph) -> tuple[EGraph, dict[int, int]]:
    """The e-graph of the terms that make no detour, and for each of its classes the one it is a part of."""
    looked_at = _looked_at(egraph)
    for allowed in (0, *_UNDONE, _FUNCTIONS):
        found = _split(egraph, looked_at, allowed)
        if found[0].classes[0]:
            break
    return found


def _split(egraph: EGraph, looked_at: Mapping[int, _Nodes], allowed: int) -> tuple[EGraph, dict[int, int]]:
    """As `plain`, with some kinds of functions anywhere."""
    numbers: dict[tuple[int, int], int] = {(egraph.root, 0): 0}
    waiting = [(egraph.root, 0)]
    classes: dict[int, tuple[ENode, ...]] = {}
    while waiting:
        home, barred = waiting.pop()
        kept = []
        for node, kind, demands in looked_at[home]:
            if kind & barred & ~allowed:
                continue
            further = barred & _FUNCTIONS if node.label in _ARITHMETIC else 0
            parts = []
            for child, demand in zip(node.children, demands, strict=True):
                part = child, demand | further
                if part not in numbers:
                    numbers[part] = len(numbers)
                    waiting.append(part)
                parts.append(numbers[part])
            kept.append(ENode(node.label, tuple(parts)))
        classes[numbers[home, barred]] = tuple(kept)
    # what has a term that ends: a class may hold nothing but terms of itself
    ending: set[int] = set()
    while more := {
        number
        for number, nodes in classes.items()
        if number not in ending and any(ending.issuperset(node.children) for node in nodes)
    }:
        ending |= more
    classes = {
        number: tuple([node for node in nodes if ending.issuperset(node.children)])
        for number, nodes in classes.items()
    }
    origin = {number: home for (home, _), number in numbers.items()}
    return replace(egraph, root=0, classes=dict(sorted(classes.items()))), origin


def _looked_at(egraph: EGraph) -> dict[int, _Nodes]:
    """The nodes of each class that are no detour themselves, what they are and what they demand."""
    constants = {number: egraph.constant(number) for number in egraph.classes}
    return {
        number: [
            (node, _kind(node, constants), demands)
            for node in nodes
            if (demands := _demands(node, constants)) is not None
        ]
        for number, nodes in egraph.classes.items()
    }


def _kind(node: ENode, constants: Mapping[int, Fraction | None]) -> int:
    """What a term with this node at its root is."""
    values = [constants[child] for child in node.children]
    if node.label == "*":
        negative = any(value is not None and value < 0 for value in values)
        return _MINUS | _NEGATIVE if -1 in values else _NEGATIVE * negative
    if node.label == "-":
        return _DIFFERENCE
    if node.label == "/":
        negative = values[0] is not None and values[0] < 0
        reciprocal = _RECIPROCAL * (values[0] in (1, -1))
        return reciprocal | _MINUS * (values[0] == -1) | _NEGATIVE * negative
    if node.label == "pow":
        return _RECIPROCAL if values[1] is not None and values[1] < 0 else 0
    return _KINDS.get(node.label, 0)


def _demands(node: ENode, constants: Mapping[int, Fraction | None]) -> tuple[int, ...] | None:
    """What each operand may not be; None where the node itself is a detour."""
    label, values = node.label, [constants[child] for child in node.children]
    if len(values) < 2:
        barred = _UNDONE.get(_KINDS.get(label, 0), 0) | (_MINUS if label in _ODD_OR_EVEN else 0)
        return (barred,) * len(values)
    right = values[1]
    negative = right is not None and right < 0
    if label == "*":
        barred = _MINUS | _DIFFERENCE if -1 in values else _MINUS
        number = any(value is not None for value in values)
        return (barred | _NEGATIVE * number,) * 2
    if label in ("+", "-"):
        return None if negative else (_MINUS, _MINUS | _NEGATIVE)
    if label == "/":
        return None if negative else (_MINUS, _MINUS | _RECIPROCAL)
    if label == "pow":
        whole = right is not None and right.denominator == 1
        return _MINUS * whole | _RECIPROCAL * negative, 0
    return 0, 0
