"""Why a member was judged as it was: domains in words, values at every point, the sub-term that fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite
from typing import Any

import numpy as np

from engines.core.errors import ExpressionError
from engines.core.expression_language import VARIABLE, to_prefix, variables_of
from engines.core.tree import Tree
from engines.mathematics.assumptions import NO_ASSUMPTIONS, Assumptions, order_variables
from engines.mathematics.numbers.domain import DomainInterval, DomainPlace, Edges, list_intervals
from engines.mathematics.numbers.numeric import (
    DEFINED,
    UNDEFINED,
    UNKNOWN,
    BallEvaluation,
    Programs,
    compile_many,
    evaluate,
)
from engines.mathematics.numbers.precise import Functions
from engines.mathematics.verification.ball_verifier import BallVerifier
from engines.mathematics.verification.enclosures import MOST_BITS
from engines.mathematics.verification.points import FAR, RANGES, relations_hold
from engines.mathematics.verification.verdicts import (
    MemberVerdict,
    describe_point,
    format_distinguishable,
    verdict_row,
)
from engines.mathematics.verification.verifier import MIN_POINTS, MultivariateVerifier, make_verifier

# The intervals are found by a search of the line (`numbers.domain`), which narrow features can escape.
# Their ends are then looked for among the places where terms meet the edges of their domains
# (`numbers.domain`): what is found there is written as it is (`x ≥ -3/2`, `0 < x < pi/2`), the rest with
# `about` in front.

_NEAR = 1e-8
"""An end that the search found is the place that lies so near to it."""
_SHOWN_INTERVALS = 3
_SHOWN_POINTS = 3
# Points without any structure, at which nothing vanishes by accident.
_PROBES = (0.3127, -0.7263, 1.6181, -2.4142)


@dataclass(frozen=True, slots=True)
class Domain:
    """Where an expression is defined: in words, and as intervals with ±inf for no end."""

    text: str
    intervals: tuple[DomainInterval, ...]


@lru_cache(256)
def describe_domain(tree: Tree) -> Domain:
    """Return the domain of an expression of x."""
    program = compile_many([tree])
    intervals = list_intervals(program)
    edges = _Met(program, intervals)
    parts = [_write_interval(ends, edges) for ends in sorted(intervals, key=lambda ends: min(map(abs, ends)))]
    text = " or ".join(parts[:_SHOWN_INTERVALS])
    if len(parts) > _SHOWN_INTERVALS:
        text += f" or in about {len(parts) - _SHOWN_INTERVALS} more intervals"
    single = _join_places(edges.list_single(intervals), more=edges.endless)
    if single:
        text = f"{text} or x = {single}" if text else f"only x = {single}"
    if missing := _join_places(edges.list_missing(intervals), more=edges.endless):
        text += f" without {missing}" if text != "R" else f", x ≠ {missing}"
    if text and edges.searched and not text.startswith("about"):
        text = f"about {text}"
    if not text and (evaluate(program, _PROBES).state == UNKNOWN).any():
        text = "unknown: values overflow or lose all precision"
    elif not text:
        text = "nowhere, as far as the search can tell" if edges.searched else "nowhere"
    return Domain(text, tuple(intervals))


class _Met:
    """The places where an expression meets edges; `searched` says that some may have escaped a search,
    `endless` that there may be more of them, farther out than is looked."""

    def __init__(self, program: Programs, intervals: Sequence[DomainInterval]) -> None:
        inside = [_inner_point(ends) for ends in intervals]
        functions = Functions([*inside[:2], *_PROBES][: len(_PROBES)])
        edges = Edges(functions)
        node_functions = functions.read_programs(program, program.roots)
        ((holes, ends),) = edges.compute_masks(program, node_functions, program.roots)
        self._program = program
        self._known = edges.known_radius(holes | ends)
        self._holes = sorted(edges.iterate_places(holes & ~edges.isolated), key=_distance_key)
        self._all = sorted(edges.iterate_places(holes | ends), key=_distance_key)
        self.searched = edges.searched
        reach = max((abs(end) for ends in intervals for end in ends), default=inf)
        self.endless = self._known < reach

    def find_near(self, end: float) -> DomainPlace | None:
        close = (place for place in self._all if abs(place.value - end) <= _NEAR * max(1.0, abs(end)))
        return min(close, key=lambda place: abs(place.value - end), default=None)

    def is_defined_at(self, place: DomainPlace) -> bool | None:
        """Return whether the expression has a value there; None where it cannot be told."""
        if place.exact is not None and Fraction(place.value) == place.exact:
            state = int(evaluate(self._program, [place.value]).state[0, 0])
            if state in (DEFINED, UNDEFINED):
                return state == DEFINED
        return False if place in self._holes else None

    def is_closed_at(self, place: DomainPlace) -> bool | None:
        known = self.is_defined_at(place)
        if known is None and not self.searched and abs(place.value) < self._known:
            return True
        return known

    def list_missing(self, intervals: Sequence[DomainInterval]) -> list[DomainPlace]:
        return [
            place
            for place in self._holes
            if abs(place.value) < self._known
            and any(low < place.value < high for low, high in intervals)
            and not any(place is self.find_near(end) for ends in intervals for end in ends if isfinite(end))
            and self.is_defined_at(place) is False
        ]

    def list_single(self, intervals: Sequence[DomainInterval]) -> list[DomainPlace]:
        return [
            place
            for place in self._all
            if not any(low - _NEAR <= place.value <= high + _NEAR for low, high in intervals)
            and self.is_defined_at(place) is True
        ]


def _inner_point(ends: DomainInterval) -> float:
    low, high = ends
    if low == -inf:
        return high - 1.618 if isfinite(high) else _PROBES[0]
    return low + (0.618 * (high - low) if isfinite(high) else 1.618)


def _write_interval(ends: DomainInterval, edges: _Met) -> str:
    low, high = ends
    if low == -inf and high == inf:
        return "R"
    about, parts = "", {}
    for end in ends:
        if isfinite(end):
            place = edges.find_near(end)
            closed = place is not None and edges.is_closed_at(place)
            if place is None or closed is None:
                about = "about "
            parts[end] = (
                place.text.removeprefix("about ") if place else f"{end:.4g}",
                "≤" if closed else "<",
            )
            if place is not None and place.text.startswith("about"):
                about = "about "
    if low == -inf:
        text, sign = parts[high]
        return f"{about}x {sign} {text}"
    if high == inf:
        text, sign = parts[low]
        return f"{about}x {'≥' if sign == '≤' else '>'} {text}"
    return f"{about}{parts[low][0]} {parts[low][1]} x {parts[high][1]} {parts[high][0]}"


def _distance_key(place: DomainPlace) -> tuple[float, float]:
    return abs(place.value), place.value


def _join_places(places: Sequence[DomainPlace], *, more: bool) -> str:
    shown = [place.text for place in places[:_SHOWN_POINTS]]
    return ", ".join([*shown, *["…"] * (bool(shown) and (more or len(places) > _SHOWN_POINTS))])


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


def explain(
    head: Tree, member: Tree, *, assumptions: Assumptions = NO_ASSUMPTIONS, seed: int = 0
) -> dict[str, Any]:
    """Return the whole case for a verdict, JSON-able.

    Keys: head, member (prefix), verdict (as in `verify`), because (one sentence), head_domain, member_domain
    (see `domain`), ranges (the seeded points' ranges) and points: x, head, head_state, member, member_state
    and, where the member has no value, term (its innermost failing sub-term) and why. Of several variables,
    or with assumptions, each point has `at` with all variables, and domains are not worked out (no text).
    """
    judge = make_verifier(head, member, assumptions=assumptions, seed=seed)
    if isinstance(judge, BallVerifier):
        raise ExpressionError(
            "sums, products, integrals, sign, floor and numbers beyond 1e308 are judged, not explained",
            remedy="Use check or verify.",
        )
    verdict = judge.judge_members([member])[0]
    points = np.atleast_2d(judge.points)
    # lexsort takes its last key first, so the points are sorted by the first variable.
    points = points[:, np.lexsort(points[::-1])]
    several = judge if isinstance(judge, MultivariateVerifier) else None
    # All sub-terms of the member are evaluated, to name the innermost one that fails.
    both = evaluate(compile_many([head, member], variables=judge.variables), points)
    terms = list(dict.fromkeys(member))
    parts = evaluate(compile_many(terms, variables=judge.variables), points)
    rows = []
    for k, point in enumerate(points.T.tolist()):
        row = {
            "x": point[0],
            **({"at": {judge.variables[i]: point[i] for i in several.named_indices}} if several else {}),
            "head": _finite_or_none(both.values[0, k]),
            "head_state": _STATES[both.state[0, k]],
            "member": _finite_or_none(both.values[1, k]),
            "member_state": _STATES[both.state[1, k]],
        }
        if both.state[1, k] != DEFINED:
            row["term"], row["why"] = _describe_failure(member, terms, parts, k)
        rows.append(row)
    return {
        "head": to_prefix(head),
        "member": to_prefix(member),
        "verdict": verdict_row(verdict),
        "because": explain_verdict(verdict, judge.reason),
        "head_domain": _NO_DOMAIN if several else explain_domain(head),
        "member_domain": _NO_DOMAIN if several else explain_domain(member),
        "ranges": [list(ends) for ends in RANGES + FAR],
        "points": rows,
    }


def sample_curve(
    trees: Sequence[Tree],
    low: float,
    high: float,
    count: int,
    *,
    over: str = VARIABLE,
    at: Mapping[str, float] | None = None,
    assumptions: Assumptions = NO_ASSUMPTIONS,
) -> dict[str, Any]:
    """Return values for a plot over a variable, the others being `at` these: x (count,), per tree y (count,)
    with None where it has no value, and `outside`, whether what is assumed does not hold there, where
    nothing has a value. An integer has values at whole numbers, with places outside between them.
    """
    positions = np.linspace(low, high, count)
    whole = over in assumptions.integers
    if whole:
        positions = np.unique(np.round(2 * positions)) / 2
    held = at or {}
    names = order_variables({over, *held} | assumptions.variables | variables_of(*trees))
    rows = np.array(
        [positions if name == over else np.full(len(positions), held.get(name, 0.0)) for name in names]
    )
    outside = ~relations_hold(assumptions, names, rows) | (whole & (positions % 1 != 0))
    values = evaluate(compile_many(trees, variables=names), rows).values
    return {
        "x": positions.tolist(),
        "outside": outside.tolist(),
        "curves": [
            {"prefix": to_prefix(tree), "y": [_finite_or_none(y) for y in np.where(outside, np.nan, row)]}
            for tree, row in zip(trees, values, strict=True)
        ],
    }


def explain_domain(tree: Tree) -> dict[str, Any]:
    """Return where an expression is defined: `text` (`R`, `x > -3/2`) and intervals, pairs with None for no
    end.
    """
    domain = describe_domain(tree)
    return {
        "text": domain.text,
        "intervals": [[_finite_or_none(end) for end in ends] for ends in domain.intervals],
    }


def _finite_or_none(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def explain_verdict(verdict: MemberVerdict, undecidable: str = "") -> str:
    """Say in words why a verdict is as it is.

    Args:
        undecidable: Why nothing could be decided, if so.
    """
    example = verdict.counterexample
    at = f" at {describe_point(example.x, dict(example.at))}" if example else ""
    share = f"{verdict.kept_share:.0%} of the head's points"
    if undecidable:
        return undecidable
    match verdict.outcome:
        case "different":
            assert example is not None
            if example.said:
                return example.said
            shown = format_distinguishable(example.head, example.member, example.difference, digits=10)
            return f"the values differ{at}: {' and '.join(shown)}"
        case "shrinks":
            more = " and defined outside the head's domain" if verdict.gained else ""
            return f"equal where both are defined, which is {share}; undefined{at}{more}"
        case "nowhere":
            return f"the member is undefined at all decided points of the head's domain, first{at}"
        case "extends":
            exception = _explain_exception(verdict, "the member")
            return f"equal on the head's domain and defined outside it too{at}{exception}"
        case "equal":
            exception = _explain_exception(verdict, "one")
            return f"equal at {verdict.point_count} points, and defined at the same points{exception}"
        case _ if verdict.point_count >= MIN_POINTS:
            return (
                f"they agree at {verdict.point_count} points; elsewhere no value is known, such as an "
                f"integral over a pole, or terms that differ too much in size for {MOST_BITS:,} bits"
            )
        case _:
            return f"only {verdict.point_count} points could be decided: overflow or lost precision elsewhere"


def _explain_exception(verdict: MemberVerdict, which: str) -> str:
    if not verdict.exceptional_text:
        return ""
    positions = (
        verdict.exceptional_text if "=" in verdict.exceptional_text else f"x = {verdict.exceptional_text}"
    )
    return f", except at {positions}, where {which} is undefined or they differ"


def _describe_failure(member: Tree, terms: list[Tree], parts: BallEvaluation, k: int) -> tuple[str, str]:
    state = {term: int(parts.state[i, k]) for i, term in enumerate(terms)}
    value = {term: float(parts.values[i, k]) for i, term in enumerate(terms)}
    wanted, node = state[member], member
    while deeper := [child for child in node.children if state[child] == wanted]:
        node = deeper[0]
    if wanted != UNDEFINED:
        return to_prefix(node), "overflow, or rounding leaves no information"
    label, shown = node.label, [f"{value[child]:.4g}" for child in node.children]
    why = "not differentiable here" if label == "d" else "outside the domain"
    if label in _OUTSIDE:
        why = f"{label} of {shown[0]}: {_OUTSIDE[label]}"
    elif label == "/":
        why = f"{shown[0]} divided by 0"
    elif label == "pow":
        negative = f"negative base {shown[0]}, non-integer exponent"
        why = f"{'0 to the power' if value[node.children[0]] == 0 else negative} {shown[1]}"
    elif label == "log":
        why = f"base {shown[0]} and argument {shown[1]} must be positive, the base not 1"
    return to_prefix(node), why
