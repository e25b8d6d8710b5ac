"""Which expressions are the same function: numeric fingerprints find candidates, the verifier decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd

import numpy as np
from numpy.typing import NDArray

from engines.core.expression_language import LETTERS, VARIABLE
from engines.core.tree import Tree
from engines.egen.theories.theory import Theory, compare_term
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions
from engines.mathematics.numbers.numeric import DEFINED, UNDEFINED, Expression, compile_valid, evaluate
from engines.mathematics.verification.points import relations_hold
from engines.mathematics.verification.verifier import make_verifier

# A fingerprint is an expression's values at fixed points of several ranges, on a logarithmic scale, with
# marks for undefined and unknown. Equal functions have equal fingerprints, whatever the way they are
# written; what looks equal is then verified in both directions.

Prints = NDArray[np.float32]
"""(expressions, points): sign(v)·log(1+|v|), `UNDEFINED_MARK` where undefined, NaN where unknown."""
# Far outside of what a logarithm of a double can reach, so it cannot be mistaken for a value.
UNDEFINED_MARK = np.float32(1e4)
_AGREEING = 4
"""Common points that functions of different domains must agree at to be looked at."""
_COARSE = 1e-6
"""A value known no better than this, relative to 1 + |v|, counts as unknown."""
# Far wider than the rounding of single precision; what looks equal is verified later.
_CLOSE = 2e-5
_FIRST = 8
"""Points compared first: they settle nearly every pair."""


def _sample_points() -> NDArray[np.float64]:
    """216 points, interleaved: 12 within 0.1 of zero, 102 on each side up to 110, each 7 % further out.

    A template's domain is never narrower than a ninth of its distance from zero, so it holds one of them.
    """
    outside = 0.1 * 1.071 ** (np.arange(102) + 0.3)
    result = np.concatenate([-outside, np.linspace(-0.097, 0.091, 12), outside * 1.031])
    golden = (5**0.5 - 1) / 2
    return result[np.argsort(np.modf(np.arange(len(result)) * golden)[0], kind="stable")]


POINTS = _sample_points()


def compute_fingerprints(
    expressions: Sequence[Expression],
    variables: Sequence[str] = (VARIABLE,),
    assumed: Sequence[Assumptions] = (),
) -> Prints:
    """Return the fingerprint of each expression, one row each.

    Args:
        variables: Of all of them, x first; every other one takes the values of x in an order of its own.
        assumed: What is assumed of each; where that does not hold, the value counts as unknown.
    """
    points = np.stack(
        [POINTS[(np.arange(len(POINTS)) * step) % len(POINTS)] for step in _iterate_steps(variables)]
    )
    result = evaluate(compile_valid(expressions, variables=variables), points)
    values = np.where(result.state == DEFINED, result.values, 0.0)
    prints = np.sign(values) * np.log1p(np.abs(values))
    with np.errstate(invalid="ignore"):
        coarse = result.errors > _COARSE * (1 + np.abs(values))
    prints[coarse] = np.nan
    prints[result.state == UNDEFINED] = UNDEFINED_MARK
    for row, assumptions in enumerate(assumed):
        if assumptions:
            whole = [points[variables.index(name)] % 1 == 0 for name in assumptions.integers]
            holds = np.all([relations_hold(assumptions, variables, points), *whole], axis=0)
            prints[row, ~holds] = np.nan
    return prints.astype(np.float32)


def _iterate_steps(variables: Sequence[str]) -> Iterator[int]:
    free = (step for step in range(1, len(POINTS)) if gcd(step, len(POINTS)) == 1)
    for name, step in zip((VARIABLE, *LETTERS), free, strict=False):
        if name in variables:
            yield step


def look_alike(one: NDArray[np.float32], prints: Prints, *, same_domain: bool = True) -> list[int]:
    """Return the rows of `prints` that could be the function with the fingerprint `one`.

    With `same_domain` false also those that agree only where both have a value.
    """
    rows = np.arange(len(prints))
    for columns in (slice(_FIRST), slice(None)) if same_domain else (slice(None),):
        theirs, ours = prints[rows, columns], one[columns]
        with np.errstate(invalid="ignore"):
            close = np.abs(theirs - ours) <= _CLOSE * (1 + np.abs(ours))
        valued = (theirs < UNDEFINED_MARK) & (ours < UNDEFINED_MARK)
        excused = np.isnan(theirs) | np.isnan(ours)
        if not same_domain:
            excused |= ~valued
        kept = (close | excused).all(axis=1)
        rows = rows[kept]
        agreeing = (close & valued)[kept].sum(axis=1)
    return [int(row) for row in rows[agreeing >= (1 if same_domain else _AGREEING)]]


def are_same_function(left: Tree, right: Tree, assumptions: Assumptions = NO_ASSUMPTIONS) -> bool:
    """Return whether each is verified equal to the other, with the same domain up to isolated points."""
    return all(
        make_verifier(head, member, assumptions=assumptions).judge_members([member])[0].outcome == "equal"
        for head, member in ((left, right), (right, left))
    )


def same_functions(
    heads: Sequence[Tree], prints: Prints, *, equal: Callable[[Tree, Tree], bool] = are_same_function
) -> list[int]:
    """Return, for each head, the index of the first head that is the same function (its own, if it is the
    first).
    """
    first = np.empty_like(prints)
    numbers: list[int] = []
    owner: list[int] = []
    for number, head in enumerate(heads):
        for index in look_alike(prints[number], first[: len(numbers)]):
            if equal(heads[numbers[index]], head):
                owner.append(numbers[index])
                break
        else:
            first[len(numbers)] = prints[number]
            numbers.append(number)
            owner.append(number)
    return owner


def same_terms(heads: Sequence[Tree], theory: Theory) -> list[int]:
    """Return the same as `same_functions` for terms of another theory: its judge decides, or they stay
    apart.
    """
    owner: list[int] = []
    for number, head in enumerate(heads):
        judge = theory.make_judge(head)
        first = (index for index, of in enumerate(owner) if index == of)
        equal = (position for position in first if compare_term(judge, heads[position]).outcome == "equal")
        owner.append(next(equal, number))
    return owner
