"""Values of expressions at exact points by mpmath, to tell where they have none."""

from __future__ import annotations

from collections.abc import Mapping

import mpmath

from engines.core.tree import Tree

DIGITS = 40
TINY = mpmath.mpf("1e-20")
"""What is as small below a line is 0 but for rounding."""


def value_at(tree: Tree, point: Mapping[str, mpmath.mpf]) -> mpmath.mpf | None:
    """The value of an expression at a point, None where it has none."""
    parts = [value_at(child, point) for child in tree.children]
    if None in parts:
        return None
    match tree.label:
        case "+":
            return parts[0] + parts[1]
        case "-":
            return parts[0] - parts[1]
        case "*":
            return parts[0] * parts[1]
        case "/":
            return None if abs(parts[1]) < TINY else parts[0] / parts[1]
        case "pow":
            return None if abs(parts[0]) < TINY and parts[1] <= 0 else mpmath.power(*parts)
        case "abs":
            return abs(parts[0])
        case "pi" | "e":
            return +getattr(mpmath, tree.label)
    if not parts:
        return point[tree.label] if tree.label in point else mpmath.mpf(tree.label)
    try:
        found = getattr(mpmath, {"ln": "log"}.get(tree.label, tree.label))(*parts)
    except (ZeroDivisionError, ValueError):
        return None
    return None if abs(found) > 1 / TINY else found
