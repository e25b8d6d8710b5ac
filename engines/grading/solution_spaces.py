r"""Solutions of linear differential equations, as `C_1 e^x + C_2 e^{-x} + x`.

Two such sums are the same set of functions if the functions of each are sums of multiples of the other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

import numpy as np
from flint import arb, arb_mat

from engines.core.arrays import Floats
from engines.core.tree import ONE, ZERO, Tree
from engines.grading.reading import write_tree
from engines.grading.trees import number_tree
from engines.grading.verdicts import GradeVerdict, differ_by
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.numbers.numeric import compile_valid, evaluate_balls

_POINTS = np.linspace(0.3, 2.3, 9)
_MOST_DENOMINATOR = 64
_AGREED = 1e-9
_UNKNOWN = GradeVerdict(
    "undecided", reason="whether they are the same for some choice of the constants is not known"
)


def compare_spaces(
    judge: Judge, gold: tuple[Tree, Sequence[str]], pred: tuple[Tree, Sequence[str]], variable: str
) -> GradeVerdict | None:
    """Compare two sums of functions of one variable, given with the names of their constants; None for what
    is no such sum."""
    own, other = _split_sum(judge, *gold), _split_sum(judge, *pred)
    if own is None or other is None:
        return None
    (own_rest, functions), (rest, others) = own, other
    rows: list[list[Fraction]] = []
    for target in [*others, Tree("-", (rest, own_rest))]:
        shares = _find_shares(functions, target, variable)
        if shares is None:
            is_apart = _is_outside(functions, target, variable)
            return differ_by(f"{write_tree(target)} solves one of them only") if is_apart else _UNKNOWN
        terms = (Tree("*", (number_tree(one), each)) for one, each in zip(shares, functions, strict=True))
        if judge.equal(target, reduce(lambda one, other: Tree("+", (one, other)), terms)).outcome != "equal":
            return _UNKNOWN
        rows.append(shares)
    if np.linalg.matrix_rank(np.array(rows[:-1], dtype=float)) < len(functions):
        return _UNKNOWN
    return GradeVerdict("equal", reason="the constants stand for any numbers")


def _split_sum(judge: Judge, tree: Tree, names: Sequence[str]) -> tuple[Tree, list[Tree]] | None:
    """Return what has no constant, and what each constant is a factor of; None for what is no such sum."""

    def put_in(chosen: str) -> Tree:
        whole = tree
        for name in names:
            whole = replace_variable(whole, name, ONE if name == chosen else ZERO)
        return whole

    rest = put_in("")
    functions = [Tree("-", (put_in(name), rest)) for name in names]
    whole = rest
    for name, function in zip(names, functions, strict=True):
        whole = Tree("+", (whole, Tree("*", (Tree(name), function))))
    return (rest, functions) if judge.equal(tree, whole).outcome == "equal" else None


def _evaluate(functions: Sequence[Tree], variable: str) -> tuple[Floats, Floats]:
    """Return values and error bounds at the points at which all functions have one, (functions, points)."""
    plain = [replace_variable(function, variable, Tree("x")) for function in functions]
    values, errors = evaluate_balls(compile_valid(plain), _POINTS)
    known = np.isfinite(errors).all(axis=0)
    return values[:, known], errors[:, known]


def _find_shares(functions: Sequence[Tree], target: Tree, variable: str) -> list[Fraction] | None:
    """Return simple numbers so that the target seems to be the sum of so many times each function."""
    values, _ = _evaluate([*functions, target], variable)
    if values.shape[1] <= len(functions):
        return None
    shares = np.linalg.lstsq(values[:-1].T, values[-1], rcond=None)[0]
    simple = [Fraction(one).limit_denominator(_MOST_DENOMINATOR) for one in shares.tolist()]
    gap = values[:-1].T @ np.array(simple, dtype=float) - values[-1]
    return simple if np.abs(gap).max() <= _AGREED * max(1.0, np.abs(values).max()) else None


def _is_outside(functions: Sequence[Tree], target: Tree, variable: str) -> bool:
    """Return whether the target is certainly no sum of multiples of the functions: at as many points the
    determinant of all values is not 0."""
    values, errors = _evaluate([*functions, target], variable)
    count = len(values)
    if values.shape[1] < count:
        return False
    rows = [
        [arb(values[row, column], errors[row, column]) for column in range(count)] for row in range(count)
    ]
    return not arb_mat(rows).det().contains(0)
