"""Comparing solvers on the same problems: intervals, McNemar's test with Holm's correction, what flipped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engines.mwp.evaluations.attempts import ScoredAttempt
from engines.mwp.problems.problem import UNANSWERABLE, Problem
from engines.retrieval.significance import holm, sign_p

_Z = 1.959963984540054
"""The 97.5th percentile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class ComparedSolver:
    """Another solver on the same problems.

    Args:
        name: Of the solver.
        kind: `solver`, or `baseline` for a simple one that learned from the same rows.
        scored: What it gave for each problem.
    """

    name: str
    kind: str
    scored: Sequence[ScoredAttempt]


def compare_solvers(
    rows: Sequence[Problem], ours: Sequence[ScoredAttempt], others: Sequence[ComparedSolver]
) -> list[dict[str, Any]]:
    """Compare a solver with others, problem by problem.

    Returns:
        For each other solver its accuracy, the numbers of problems that only one of the two gets right with
        McNemar's p-value and Holm's adjustment over all others, those problems (`flips`), and of families of
        problems what `measure_families` returns (`families`).
    """
    right = [one.score.answer for one in ours]
    compared = [compare_mcnemar(right, [one.score.answer for one in solver.scored]) for solver in others]
    adjusted = holm([row["mcnemar_p"] for row in compared])
    families = [measure_families(rows, solver.scored) for solver in others]
    return [
        {
            "model": solver.name,
            "kind": solver.kind,
            "answer_accuracy": sum(one.score.answer for one in solver.scored) / len(rows),
            **counts,
            "holm_p": p,
            "flips": _list_flips(rows, ours, solver.scored),
            **({"families": family} if family is not None else {}),
        }
        for solver, counts, p, family in zip(others, compared, adjusted, families, strict=True)
    ]


def _list_flips(
    rows: Sequence[Problem], ours: Sequence[ScoredAttempt], theirs: Sequence[ScoredAttempt]
) -> list[dict[str, Any]]:
    return [
        {
            "id": row.id,
            "right": "here" if mine.score.answer else "there",
            "answer": mine.answer,
            "other_answer": rival.answer,
            "problem": row.original,
        }
        for row, mine, rival in zip(rows, ours, theirs, strict=True)
        if mine.score.answer != rival.score.answer
    ]


def measure_families(rows: Sequence[Problem], scored: Sequence[ScoredAttempt]) -> dict[str, Any] | None:
    """Measure problems with their variants, as `mwp challenge --how families` writes them.

    Returns:
        How many families there are, the share of those that are right as a whole (also without the variants
        that lack a fact, which no solver of equations can answer), and for each kind of variant the accuracy
        on the problems themselves, on the variants, the drop with its interval, and McNemar's p-value; None
        where no problem is a variant of another.
    """
    by_id = {row.id: index for index, row in enumerate(rows)}
    members: dict[str, list[int]] = {}
    kinds: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        if row.source in by_id and row.id.startswith(f"{row.source}/"):
            members.setdefault(row.source, [by_id[row.source]]).append(index)
            kinds.setdefault(row.id.removeprefix(f"{row.source}/"), []).append(index)
    if not members:
        return None
    right = [one.score.answer for one in scored]
    whole = [all(right[index] for index in family) for family in members.values()]
    answerable = [
        all(right[index] for index in family if rows[index].answer_text != UNANSWERABLE)
        for family in members.values()
    ]
    by_kind = {}
    for kind, variants in kinds.items():
        before = [right[by_id[rows[index].source]] for index in variants]
        after = [right[index] for index in variants]
        by_kind[kind] = {
            "problems": len(variants),
            "before": sum(before) / len(before),
            "answer_accuracy": sum(after) / len(after),
            "ci95": wilson_interval(after),
            "drop": (sum(before) - sum(after)) / len(after),
            "drop_ci95": paired_interval(before, after),
            "mcnemar_p": compare_mcnemar(before, after)["mcnemar_p"],
        }
    return {
        "families": len(members),
        "whole_accuracy": sum(whole) / len(whole),
        "ci95": wilson_interval(whole),
        "whole_answerable_accuracy": sum(answerable) / len(answerable),
        "answerable_ci95": wilson_interval(answerable),
        "by_kind": by_kind,
    }


def wilson_interval(right: Sequence[bool]) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    count, share = len(right), sum(right) / len(right)
    shrunk = 1 + _Z**2 / count
    centre = (share + _Z**2 / (2 * count)) / shrunk
    half = _Z * math.sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2)) / shrunk
    return max(0.0, centre - half), min(1.0, centre + half)


def paired_interval(before: Sequence[bool], after: Sequence[bool]) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two shares over the same problems.

    D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions
    based on paired data", 2012: one is added to each count of problems on which the two sides differ.
    """
    count = len(before) + 2
    lost = (1 + sum(a and not b for a, b in zip(before, after, strict=True))) / count
    won = (1 + sum(b and not a for a, b in zip(before, after, strict=True))) / count
    half = _Z * math.sqrt((lost + won - (lost - won) ** 2) / count)
    return max(-1.0, lost - won - half), min(1.0, lost - won + half)


def compare_mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> dict[str, Any]:
    """Compare two solvers on the same problems by McNemar's exact test.

    Q. McNemar, "Note on the sampling error of the difference between correlated proportions", 1947: the
    p-value is the two-sided probability that a fair coin divides the problems that only one solver gets right
    as unevenly.

    Returns:
        How many problems only the first and only the second solver gets right, and the p-value.
    """
    alone = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    alone_there = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    return {
        "right_here_alone": alone,
        "right_there_alone": alone_there,
        "mcnemar_p": sign_p(alone, alone_there),
    }
