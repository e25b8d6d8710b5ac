"""Equality of equations as functions of the numbers of a problem."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from engines.core.tree import Tree
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import (
    EquationError,
    ProblemValue,
    constant_label,
    evaluate,
    list_placeholders,
    normalise_equation,
    read_equation,
)

_POINTS = 6
_LARGEST = 10**6


def read_template(text: str) -> Tree:
    """Return an equation as templates are: with its operands in their order, numbers as constants.

    >>> read_template("N_1+N_0*2").list_labels()
    ['+', '*', 'C_2', 'N_0', 'N_1']

    Raises:
        EquationError: For what cannot be read.
    """
    return normalise_equation(read_equation(text, lambda written: Tree(constant_label(value_of(written)))))


def are_equivalent(a: Tree, b: Tree) -> bool:
    """Return whether two equations agree wherever both have a value.

    Without powers both are rational functions, which are evaluated exactly at random numbers of up to six
    digits: two different ones of degree d agree at one point with a probability below 2d/10^6, and at all of
    them never in practice. Powers that are not exact are doubles, which agree to 1e-9 of their size.

    >>> from engines.mwp.problems.problem import read_equation
    >>> sides = "(N_0+N_1)/N_2", "N_1/N_2+N_0/N_2", "N_0+N_1"
    >>> one, two, three = (read_equation(text, Tree) for text in sides)
    >>> are_equivalent(one, two), are_equivalent(one, three)
    (True, False)
    """
    draw = Random(0)
    count = max([0, *(placeholder + 1 for tree in (a, b) for placeholder in list_placeholders(tree))])
    met = 0
    for _ in range(4 * _POINTS):
        numbers = [Fraction(draw.randint(2, _LARGEST)) for _ in range(count)]
        # Powers are of small numbers, so that their values are numbers at all.
        if any(node.label == "^" for tree in (a, b) for node in tree):
            numbers = [number / _LARGEST * 3 + Fraction(1, 2) for number in numbers]
        left, right = _evaluate_or_none(a, numbers), _evaluate_or_none(b, numbers)
        if left is None and right is None:
            continue
        if left is None or right is None or not _are_close(left, right):
            return False
        met += 1
        if met == _POINTS:
            break
    return met > 0


def signature(tree: Tree) -> tuple[ProblemValue | str | None, ...]:
    """Return what equations that are equal as functions have in common: their values at some points.

    Values are exact but for roots, which are rounded to nine digits. The signature of an equation without a
    value equals no other.

    >>> from engines.mwp.problems.problem import read_equation
    >>> sides = "N_0-N_1-N_2", "N_0-(N_1+N_2)", "N_0-N_1+N_2"
    >>> one, two, three = (signature(read_equation(text, Tree)) for text in sides)
    >>> one == two, one == three
    (True, False)
    """
    count = max([0, *(index + 1 for index in list_placeholders(tree))])
    point_values: list[ProblemValue | str | None] = []
    for point in range(_POINTS):
        # The first numbers of a point are the same for all equations.
        draw = Random(point)
        numbers = [Fraction(draw.randint(2, _LARGEST), _LARGEST // 3) for _ in range(count)]
        value = _evaluate_or_none(tree, numbers)
        point_values.append(f"{value:.8e}" if isinstance(value, float) else value)
    return tuple(point_values if any(value is not None for value in point_values) else tree.list_labels())


def _evaluate_or_none(tree: Tree, numbers: list[Fraction]) -> ProblemValue | None:
    try:
        return evaluate(tree, numbers)
    except EquationError:
        return None


def _are_close(left: ProblemValue, right: ProblemValue) -> bool:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    return math.isclose(float(left), float(right), rel_tol=1e-9)
