"""Why a member was judged as it was: domains in words, values at every point, the sub-term that fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from engines.core.errors import ExpressionError
from engines.core.numeric import DEFINED, UNDEFINED, Evaluation, compile_many, evaluate
from engines.core.tree import Tree
from engines.egen.assumptions import NOTHING, Assumptions, ordered
from engines.egen.expressions.language import VARIABLE, prefix, variables_of
from engines.egen.records import Verdict, distinguishable, where
from engines.egen.theories.theory import Judge
from engines.egen.verification.domains import described
from engines.egen.verification.points import FAR, RANGES, relations_hold
from engines.egen.verification.pointwise import Pointwise
from engines.egen.verification.rigorous import MOST_BITS
from engines.egen.verification.verify import MIN_POINTS, Several, verdict_row, verifier

_NO_DOMAIN: dict[str, Any] = {"text": "", "intervals": []}
_STATES = ("defined", "undefined", "unknown")
_OUTSIDE = {
    **dict.fromkeys(("asin", "acos"), "outside [-1, 1]"),
    **dict.fromkeys(("acsc", "asec"), "inside (-1, 1)"),
    **dict.fromkeys(("csc", "cot", "csch", "coth", "acsch"), "a pole"),
    "acosh": "less than 1",
    "atanh": "outside (-1, 1)",
    "acoth": "inside [-1, 1]",
    "asech": "outside (0, 1]",
    "ln": "not positive",
    "sqrt": "negative",
}


def explain(head: Tree, member: Tree, *, assumptions: Assumptions = NOTHING, seed: int = 0) -> dict[str, Any]:
    """The whole case for a verdict, JSON-able.

    Keys: head, member (prefix), verdict (as in `verify`), because (one sentence), head_domain, member_domain
    (see `domain`), ranges (the seeded points' ranges) and points: x, head, head_state, member, member_state
    and, where the member has no value, term (its innermost failing sub-term) and why. Of several variables,
    or with assumptions, each point has `at` with all variables, and domains are not worked out (no text).
    """
    judge = verifier(head, member, assumptions=assumptions, seed=seed)
    if isinstance(judge, Pointwise):
        raise ExpressionError(
            "sums, products, integrals, sign, floor and numbers beyond 1e308 are judged, not explained",
            remedy="Use check or verify.",
        )
    verdict = judge.check([member])[0]
    points = np.atleast_2d(judge.points)
    points = points[:, np.lexsort(points[::-1])]
    several = judge if isinstance(judge, Several) else None
    both = evaluate(compile_many([head, member], variables=judge.variables), points)
    terms = list(dict.fromkeys(member))
    parts = evaluate(compile_many(terms, variables=judge.variables), points)
    rows = []
    for k, place in enumerate(points.T.tolist()):
        row = {
            "x": place[0],
            **({"at": {judge.variables[i]: place[i] for i in several.shown}} if several else {}),
            "head": _number(both.values[0, k]),
            "head_state": _STATES[both.state[0, k]],
            "member": _number(both.values[1, k]),
            "member_state": _STATES[both.state[1, k]],
        }
        if both.state[1, k] != DEFINED:
            row["term"], row["why"] = _failure(member, terms, parts, k)
        rows.append(row)
    return {
        "head": prefix(head),
        "member": prefix(member),
        "verdict": verdict_row(verdict),
        "because": because(judge, verdict),
        "head_domain": _NO_DOMAIN if several else domain(head),
        "member_domain": _NO_DOMAIN if several else domain(member),
        "ranges": [list(ends) for ends in RANGES + FAR],
        "points": rows,
    }


def curve(
    trees: Sequence[Tree],
    low: float,
    high: float,
    count: int,
    *,
    over: str = VARIABLE,
    at: Mapping[str, float] | None = None,
    assumptions: Assumptions = NOTHING,
) -> dict[str, Any]:
    """Values for a plot over a variable, the others being `at` these: x (count,), per tree y (count,) with
    None where it has no value, and `outside`, whether what is assumed does not hold there, where nothing has
    a value. An integer has values at whole numbers, with places outside between them.
    """
    places = np.linspace(low, high, count)
    whole = over in assumptions.integers
    if whole:
        places = np.unique(np.round(2 * places)) / 2
    held = at or {}
    names = ordered({over, *held} | assumptions.variables | variables_of(*trees))
    rows = np.array([places if name == over else np.full(len(places), held.get(name, 0.0)) for name in names])
    outside = ~relations_hold(assumptions, names, rows) | (whole & (places % 1 != 0))
    values = evaluate(compile_many(trees, variables=names), rows).values
    return {
        "x": places.tolist(),
        "outside": outside.tolist(),
        "curves": [
            {"prefix": prefix(tree), "y": [_number(y) for y in np.where(outside, np.nan, row)]}
            for tree, row in zip(trees, values, strict=True)
        ],
    }


def domain(tree: Tree) -> dict[str, Any]:
    """Where an expression is defined: `text` (`R`, `x > -3/2`, `about x < -1.414`, see `domains`) and
    intervals, pairs of numbers, None for no end."""
    found = described(tree)
    return {"text": found.text, "intervals": [[_number(end) for end in ends] for ends in found.intervals]}


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def because(judge: Judge, verdict: Verdict) -> str:
    """A verdict of a verifier in one sentence."""
    example = verdict.counterexample
    at = f" at {where(example.x, dict(example.at))}" if example else ""
    share = f"{verdict.kept:.0%} of the head's points"
    if judge.reason:
        return judge.reason
    match verdict.outcome:
        case "different":
            assert example is not None
            shown = distinguishable(example.head, example.member, example.difference, digits=10)
            return f"the values differ{at}: {' and '.join(shown)}"
        case "shrinks":
            more = " and defined outside the head's domain" if verdict.gained else ""
            return f"equal where both are defined, which is {share}; undefined{at}{more}"
        case "nowhere":
            return f"the member is undefined at all decided points of the head's domain, first{at}"
        case "extends":
            return f"equal on the head's domain and defined outside it too{at}{_but(verdict, 'the member')}"
        case "equal":
            return f"equal at {verdict.points} points, and defined at the same points{_but(verdict, 'one')}"
        case _ if verdict.points >= MIN_POINTS:
            return (
                f"they agree at {verdict.points} points, and at others no value is known, as of an integral "
                f"over a pole, or of terms so unlike in size that {MOST_BITS:,} bits do not tell them apart"
            )
        case _:
            return f"only {verdict.points} points could be decided: overflow or loss of all digits elsewhere"


def _but(verdict: Verdict, which: str) -> str:
    if not verdict.exceptions:
        return ""
    places = verdict.exceptions if "=" in verdict.exceptions else f"x = {verdict.exceptions}"
    return f", except at {places}, where {which} is undefined or they differ"


def _failure(member: Tree, terms: list[Tree], parts: Evaluation, k: int) -> tuple[str, str]:
    """The innermost sub-term without a value at point k, and why it has none."""
    state = {term: int(parts.state[i, k]) for i, term in enumerate(terms)}
    value = {term: float(parts.values[i, k]) for i, term in enumerate(terms)}
    wanted, node = state[member], member
    while deeper := [child for child in node.children if state[child] == wanted]:
        node = deeper[0]
    if wanted != UNDEFINED:
        return prefix(node), "overflow, or rounding leaves nothing to tell"
    return prefix(node), _why(node.label, [value[child] for child in node.children])


def _why(label: str, arguments: list[float]) -> str:
    shown = [f"{argument:.4g}" for argument in arguments]
    if label in _OUTSIDE:
        return f"{label} of {shown[0]}: {_OUTSIDE[label]}"
    if label == "/":
        return f"{shown[0]} divided by 0"
    if label == "pow":
        kind = "0 to the power" if arguments[0] == 0 else f"negative base {shown[0]}, non-integer exponent"
        return f"{kind} {shown[1]}"
    if label == "log":
        return f"base {shown[0]} and argument {shown[1]} must be positive, the base not 1"
    return "not differentiable here" if label == "d" else "outside the domain"
