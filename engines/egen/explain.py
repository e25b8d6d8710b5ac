"""Why a member was judged as it was: domains in words, values at every point, the sub-term that fails."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np

from engines.core.domain import Interval, intervals
from engines.core.numeric import DEFINED, UNDEFINED, Evaluation, compile_many, evaluate
from engines.core.tree import Tree
from engines.egen.language import prefix
from engines.egen.records import Verdict
from engines.egen.verify import RANGES, Verifier, verdict_row

__all__ = ["curve", "domain", "explain"]

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
_SHOWN_INTERVALS = 3


def explain(head: Tree, member: Tree, *, seed: int = 0) -> dict[str, Any]:
    """The whole case for a verdict, JSON-able.

    Keys: head, member (prefix), verdict (as in `verify`), because (one sentence), head_domain, member_domain
    (see `domain`), ranges (the seeded points' ranges) and points: x, head, head_state, member, member_state
    and, where the member has no value, term (its innermost failing sub-term) and why.
    """
    verifier = Verifier(head, seed=seed)
    verdict = verifier.check([member])[0]
    order = np.argsort(verifier.points)
    places = verifier.points[order]
    both = evaluate(compile_many([head, member]), places)
    terms = list(dict.fromkeys(member))
    parts = evaluate(compile_many(terms), places)
    rows = []
    for k, x in enumerate(places.tolist()):
        row = {
            "x": x,
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
        "because": _because(verifier, verdict),
        "head_domain": domain(head),
        "member_domain": domain(member),
        "ranges": [list(ends) for ends in RANGES],
        "points": rows,
    }


def curve(trees: Sequence[Tree], low: float, high: float, count: int) -> dict[str, Any]:
    """Values for a plot: x (count,) and per tree y (count,) with None where it has no value."""
    places = np.linspace(low, high, count)
    values = evaluate(compile_many(trees), places).values
    return {
        "x": places.tolist(),
        "curves": [
            {"prefix": prefix(tree), "y": [_number(y) for y in row]}
            for tree, row in zip(trees, values, strict=True)
        ],
    }


def domain(tree: Tree) -> dict[str, Any]:
    """Where an expression is defined, found numerically, up to isolated points.

    Keys: text (`R`, `x > -3/2`, …) and intervals: pairs of numbers, None for no end.
    """
    found = intervals(compile_many([tree]))
    shown = [_interval_text(ends) for ends in sorted(found, key=lambda ends: min(map(abs, ends)))]
    text = " or ".join(shown[:_SHOWN_INTERVALS]) if shown else "nowhere"
    if len(shown) > _SHOWN_INTERVALS:
        text += f" or in {len(shown) - _SHOWN_INTERVALS} more intervals"
    return {"text": text, "intervals": [[_number(end) for end in ends] for ends in found]}


def _interval_text(ends: Interval) -> str:
    low, high = ends
    if low == -inf:
        return "R" if high == inf else f"x < {_short(high)}"
    return f"x > {_short(low)}" if high == inf else f"{_short(low)} < x < {_short(high)}"


def _short(number: float) -> str:
    """A simple fraction when it is one, otherwise four digits."""
    simple = Fraction(number).limit_denominator(99)
    return str(simple) if abs(float(simple) - number) <= 1e-11 * max(1.0, abs(number)) else f"{number:.4g}"


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _because(verifier: Verifier, verdict: Verdict) -> str:
    example = verdict.counterexample
    at = f" at x = {example.x:.6g}" if example else ""
    share = f"{verdict.kept:.0%} of the head's points"
    if verifier.reason:
        return verifier.reason
    match verdict.outcome:
        case "different":
            assert example is not None
            return f"the values differ{at}: {example.head:.10g} and {example.member:.10g}"
        case "shrinks":
            more = " and defined outside the head's domain" if verdict.gained else ""
            return f"equal where both are defined, which is {share}; undefined{at}{more}"
        case "nowhere":
            return f"the member is undefined at all decided points of the head's domain, first{at}"
        case "extends":
            return f"equal on the head's domain and defined outside it too{at}"
        case "equal":
            return f"equal at {verdict.points} points, and defined at the same points"
        case _:
            return f"only {verdict.points} points could be decided: overflow or loss of all digits elsewhere"


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
