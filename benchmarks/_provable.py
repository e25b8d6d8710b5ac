"""Whether a changed link is false by the rest of its text: a second opinion on planted mistakes.

It knows nothing of the proofreader: terms are evaluated by mpmath at points where the text's other equations
hold, found by least squares from random starts. A change is provable where the link as it was holds at all of
them, and as it is now at none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath

from engines.core.tree import Tree

_STARTS = 12
_FOUND = 4
_NEAREST = 12
"""Of the other equations that share letters with a link, so many are used: fewer prove less."""
_MOST_LETTERS = 8
_HOLDS = 1e-8
_FAILS = 1e-4
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sqrt": mpmath.fp.sqrt, "sin": mpmath.fp.sin, "cos": mpmath.fp.cos, "tan": mpmath.fp.tan,
    "cot": mpmath.fp.cot, "sec": mpmath.fp.sec, "csc": mpmath.fp.csc, "asin": mpmath.fp.asin,
    "acos": mpmath.fp.acos, "atan": mpmath.fp.atan, "ln": mpmath.fp.ln, "exp": mpmath.fp.exp, "abs": abs,
    "floor": mpmath.fp.floor, "ceil": mpmath.fp.ceil, "factorial": mpmath.fp.factorial,
    "binomial": mpmath.fp.binomial, "gamma": mpmath.fp.gamma,
    "log": lambda base, of: mpmath.fp.ln(of) / mpmath.fp.ln(base),
    "root": lambda degree, of: -((-of) ** (1 / degree)) if of < 0 and degree % 2 == 1 else of ** (1 / degree),
}  # fmt: skip
_CONSTANTS = {"pi": mpmath.fp.pi, "e": mpmath.fp.e, "i": 1j}


class _UnknownError(Exception):
    pass


@dataclass(frozen=True)
class Said:
    """A relation of a text, read; `place`: which one."""

    place: int
    relation: str
    left: Tree
    right: Tree


def _letters(tree: Tree) -> set[str]:
    if not tree.children:
        name = tree.label
        return set() if name in _CONSTANTS or name[0] in "-.0123456789" else {name}
    first = 1 if tree.label in ("call", "unit", "text") else 0
    return set().union(*(_letters(child) for child in tree.children[first:]))


def _value(tree: Tree, at: Mapping[str, Any]) -> Any:
    label, parts = tree.label, tree.children
    if not parts:
        if label in at:
            return at[label]
        if label in _CONSTANTS:
            return _CONSTANTS[label]
        if label[0] not in "-.0123456789":
            raise _UnknownError
        return float(label)
    if label == "unit":
        return 1.0
    if label in ("sum", "prod") and len(parts) == 4:
        low, high = (_value(part, at) for part in parts[1:3])
        if not (low == int(low) and high == int(high) and high - low < 1_000):
            raise _UnknownError
        terms = [_value(parts[3], {**at, parts[0].label: float(k)}) for k in range(int(low), int(high) + 1)]
        return sum(terms) if label == "sum" else mpmath.fp.fprod(terms)
    if label not in ("+", "-", "*", "/", "pow", *_FUNCTIONS):
        raise _UnknownError
    values = [_value(part, at) for part in parts]
    if label in _FUNCTIONS:
        return _FUNCTIONS[label](*values)
    result = values[0]
    for value in values[1:]:
        result = {
            "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
            "/": lambda a, b: a / b, "pow": lambda a, b: a**b,
        }[label](result, value)  # fmt: skip
    return result


def _apart(said: Said, at: Mapping[str, Any]) -> float | None:
    """How far from true a relation is at a point, by its size; None where it has no value there."""
    try:
        one, other = _value(said.left, at), _value(said.right, at)
        difference = one - other
        size = max(1.0, abs(one), abs(other))
        if said.relation == "=":
            return float(abs(difference) / size)
        if isinstance(difference, complex):
            return None
        signed = difference if said.relation in ("<", "<=") else -difference
        return float(max(0.0, signed) / size) if said.relation in ("<", "<=", ">", ">=") else None
    except (ArithmeticError, ValueError, TypeError, _UnknownError, RecursionError):
        return None


def is_provable(was: Said, now: Said, others: Sequence[Said]) -> bool:
    """Whether the rest of a text says that a link holds as it was and not as it is now."""
    letters = _letters(was.left) | _letters(was.right) | _letters(now.left) | _letters(now.right)
    about = [each for each in others if each.relation == "=" and each.place != was.place]
    near: list[Said] = []
    for _ in range(3):
        near = [each for each in about if letters & (_letters(each.left) | _letters(each.right))]
        near = sorted(near, key=lambda each: abs(each.place - was.place))[:_NEAREST]
        letters |= set().union(*(_letters(side) for each in near for side in (each.left, each.right)))
    if len(letters) > _MOST_LETTERS:
        return False
    points = _points(sorted(letters), near)
    then = [_apart(was, at) for at in points]
    after = [_apart(now, at) for at in points]
    return bool(points) and all(
        one is not None and one < _HOLDS and other is not None and other > _FAILS
        for one, other in zip(then, after, strict=True)
    )


def _points(letters: Sequence[str], near: Sequence[Said]) -> list[dict[str, float]]:
    from scipy.optimize import least_squares

    source = random.Random(1)
    result: list[dict[str, float]] = []
    for _ in range(_STARTS):
        start = [source.uniform(0.5, 9) * source.choice((1, 1, -1)) for _ in letters]
        at = dict(zip(letters, start, strict=True))
        known = [each for each in near if _apart(each, at) is not None]
        if known and letters:

            def residuals(values: Any, known: Sequence[Said] = known) -> list[float]:
                here = dict(zip(letters, map(float, values), strict=True))
                distances = [_apart(each, here) for each in known]
                return [1e3 if distance is None else min(distance, 1e3) for distance in distances]

            try:
                solved = least_squares(residuals, start, max_nfev=100)
            except ValueError:  # the values overflow
                continue
            if max(residuals(solved.x)) > _HOLDS:
                continue
            at = dict(zip(letters, map(float, solved.x), strict=True))
        result.append(at)
        if len(result) == _FOUND:
            break
    return result
