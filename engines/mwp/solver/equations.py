"""Equations that a solver finds: what they may do, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core.tree import Tree
from engines.mwp.problems.equation import EquationError, Value, evaluate, normalised

__all__ = ["LARGEST", "Found", "Legal", "add", "result"]

LARGEST = 1e12
"""No quantity of a problem is larger."""
_LEAVES = (Tree("N_0"), Tree("N_1"))


@dataclass(frozen=True, slots=True)
class Legal:
    """What an equation may do: use a number of the text more than once, have a step below zero."""

    single_use: bool = False
    non_negative: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """An equation and the logarithm of its probability."""

    equation: Tree
    score: float


def add(found: list[Found], new: Found, most: int) -> None:
    """Put an equation in its place among the best; of the same one, up to the order of operands, the likelier
    stays."""
    same = normalised(new.equation)
    known = next((one for one in found if normalised(one.equation) == same), None)
    if known is not None:
        if known.score >= new.score:
            return
        found.remove(known)
    found.append(new)
    found.sort(key=lambda one: -one.score)
    del found[most:]


def result(operator: str, left: Value, right: Value, legal: Legal) -> Value | None:
    """What a step is worth; None where it is illegal, as a division by zero is.

    >>> result("-", 2.0, 3.0, Legal()), result("-", 2.0, 3.0, Legal(non_negative=True))
    (-1.0, None)
    """
    try:
        value = evaluate(Tree(operator, _LEAVES), (left, right))
    except EquationError:
        return None
    size = float(value)
    if not abs(size) <= LARGEST or (legal.non_negative and size < 0):
        return None
    return value
