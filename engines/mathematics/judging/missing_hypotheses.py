"""The hypothesis that two terms lack: signs of variables, or integers for them, with which they are equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from engines.core.errors import EngineError
from engines.core.expression_language import FURTHER, VARIABLE, display_name, variables_of
from engines.core.tree import ZERO, Tree
from engines.mathematics.assumptions import AssumedRelation, Assumptions
from engines.mathematics.judging import numbers
from engines.mathematics.judging.renamed_terms import RenamedTerms, rename_variables
from engines.mathematics.numbers.numeric import compile_valid, evaluate_balls
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.verification.points import Region, share_region

_TRIED = 48
"""Points at which a hypothesis is looked for."""
_MUCH = 0.5
"""The share of values in common, of all where a hypothesis holds, for which it is named."""


def find_hypothesis(terms: RenamedTerms, seed: int) -> str:
    """Return a condition on the variables under which the terms are equal, or "": what holds at all
    points tried where the condition holds, and at no other by the verifier.
    """
    try:
        region = share_region(tuple(dict.fromkeys([VARIABLE, *terms.own_names])), terms.assumptions, seed)
        # Evaluating the property raises an error if no point satisfies the assumptions.
        region.points  # noqa: B018
    except EngineError:
        return ""
    # A candidate was true at all points tried; the verifier confirms or rejects it.
    for candidate in _iterate_candidates(terms, region):
        assumed = Assumptions(
            tuple(sorted({*terms.assumptions.integers, *candidate.integers})),
            (*terms.assumptions.relations, *candidate.relations),
        )
        try:
            verdict, _ = terms.verify_terms(assumed, seed)
        except EngineError:
            continue
        # few values in common may be the same by chance
        much = verdict.outcome == "shrinks" and verdict.kept_share > _MUCH and not candidate.integers
        if verdict.outcome in ("equal", "extends") or much:
            parts = [_describe_assumptions(terms, candidate)]
            if verdict.exceptional_points.points:
                parts.append(terms.exclude_exceptional_points(verdict))
            return " and ".join(parts)
    return ""


def _describe_assumptions(terms: RenamedTerms, assumed: Assumptions) -> str:
    texts = [f"{display_name(terms.own_names[name])} is an integer" for name in assumed.integers]
    for one in assumed.relations:
        left, right = (
            rename_variables(one.left, terms.own_names),
            rename_variables(one.right, terms.own_names),
        )
        # People write x > 0 for 0 < x.
        if one.left == ZERO and one.sign != "!=":
            texts.append(f"{to_infix(right)} {one.sign.replace('<', '>')} 0")
        else:
            texts.append(f"{to_infix(left)} {one.sign} {to_infix(right)}")
    return " and ".join(texts)


def _iterate_candidates(terms: RenamedTerms, region: Region) -> Iterator[Assumptions]:
    names = [name for name in terms.own_names if name in variables_of(terms.left, terms.right)]
    real = [name for name in names if name not in terms.assumptions.integers]
    # Four times as many as are evaluated one by one: conditions leave few of them.
    points = region.points[:, : 4 * _TRIED]
    rows = dict(zip(region.variables, points, strict=True))
    # Sign conditions: the sides must agree at some of the points that satisfy it, differ at none of
    # them, and there must be at least eight.
    conditions = []
    for sign in ("<", ">"):
        for chosen in [[name] for name in real] + ([real] if len(real) > 1 else []):
            ahead = [rows[name] > 0 if sign == "<" else rows[name] < 0 for name in chosen]
            conditions.append((chosen, sign, reduce(np.logical_and, ahead)))
    agreeing = _compare_at_points(terms, points, region.variables, [inside for *_, inside in conditions])
    for chosen, sign, inside in conditions:
        if inside.sum() >= 8 and (agreeing[inside] >= 0).all() and (agreeing[inside] > 0).any():
            yield from _iterate_sign_conditions(chosen, sign)
    # Integers: replace the values of the variables by small natural numbers.
    for chosen in [[name] for name in real] + ([real] if len(real) > 1 else []):
        whole = points.copy()
        for name in chosen:
            whole[region.variables.index(name)] = np.arange(whole.shape[1]) // 8 % 13 + 1
        tried = whole[:, ::8]
        seen = _compare_at_points(terms, tried, region.variables, [np.ones(tried.shape[1], bool)])
        if (seen >= 0).all() and (seen > 0).any():
            # All integers first, then those from 0.
            yield Assumptions(tuple(sorted(chosen)))
            yield Assumptions(
                tuple(sorted(chosen)), tuple(AssumedRelation(ZERO, "<=", Tree(name)) for name in chosen)
            )


def _iterate_sign_conditions(chosen: Sequence[str], sign: str) -> Iterator[Assumptions]:
    # The weaker condition comes first: where 0 is allowed, it should not be excluded.
    for strict in ("<=", "<"):
        relations = [
            AssumedRelation(ZERO, strict, Tree(name))
            if sign == "<"
            else AssumedRelation(Tree(name), strict, ZERO)
            for name in chosen
        ]
        yield Assumptions((), tuple(relations))


def _compare_at_points(
    terms: RenamedTerms, points: np.ndarray, variables: Sequence[str], conditions: Sequence[np.ndarray]
) -> np.ndarray:
    """1 where both have about the same value, -1 where they certainly differ, 0 where one has none, or
    where every condition already holds at a point at which they differ.

    Args:
        conditions: At which points each condition holds.
    """
    if FURTHER.keys().isdisjoint([*terms.left.list_labels(), *terms.right.list_labels()]):
        programs = compile_valid([terms.left, terms.right], variables=variables)
        (first, second), (error, wide) = evaluate_balls(programs, points)
        known = np.isfinite(error) & np.isfinite(wide)
        # About the same: no further apart than both errors together, with room for rounding.
        with np.errstate(all="ignore"):
            close = np.abs(first - second) <= 4 * (error + wide) + 1e-12 * np.abs(first)
        return np.where(known, np.where(close, 1, -1), 0)
    # Functions that the kernels do not have are evaluated at one point after the other.
    results: list[int] = []
    for index, column in enumerate(points.T[:_TRIED].tolist()):
        if not conditions:
            break
        point = dict(zip(variables, column, strict=True))
        first, second = (numbers.evaluate_at(side, point) for side in (terms.left, terms.right))
        if first is None or second is None or not (first.is_finite() and second.is_finite()):
            results.append(0)
        else:
            results.append(1 if first.overlaps(second) else -1)
            if results[-1] < 0:
                conditions = [inside for inside in conditions if not inside[index]]
    return np.array(results + [0] * (points.shape[1] - len(results)))
