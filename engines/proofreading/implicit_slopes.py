"""Derivatives of both sides of a curve: behind `x^2 + y^3 = xy` the statement `2x + 3y^2 y' = y + xy'`."""

from __future__ import annotations

from random import Random

from engines.core.tree import Tree, differentiate
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_sentence, mentions
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.stated_facts import describe_sources
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import evaluate_term, free_symbols

_NEAR_LINES, _NEAR_PIECES = 6, 4
_PLACES, _TRIES = 3, 40
_STEPS = 60
_CLOSE = 1e-6
_LEAST = 1e-3
"""Share by which two slopes differ that are not the same."""


def find_other_implicit_slope(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the curve of which a statement about y' is not the derivative, where the text differentiates it;
    None where it is that, or no curve was stated right before.

    Args:
        facts: What the text has said so far.
        link: The link that has y'.
        left: Its left side.
        right: Its right side.
    """
    names = free_symbols(left) | free_symbols(right)
    slopes = [name for name in names if name.endswith("'")]
    if len(slopes) != 1 or link.relation != "=" or link.index or link.has_denial_nearby:
        return None
    name = slopes[0].rstrip("'")
    words = last_sentence(link.words_before)
    if slopes[0] != f"{name}'" or not mentions("differentiating", words) or link.is_one_of_alternatives:
        return None
    curve = next((fact for fact in reversed(facts.in_scope) if name in fact.variables), None)
    if curve is None or len(curve.variables) != 2 or not names <= curve.variables | {slopes[0]}:
        return None
    if link.line - curve.line > _NEAR_LINES or curve.position.scope is not link.position.scope:
        return None
    (variable,) = curve.variables - {name}
    if variable not in names or curve.alternative or curve.left == Tree(name):
        return None
    gap = Tree("-", (curve.left, curve.right))
    try:
        by_variable, by_name = (differentiate(gap, each) for each in (variable, name))
    except (KeyError, ValueError):
        return None
    random = Random(len(gap))
    failed = 0
    for _ in range(_TRIES):
        at = _find_place(gap, variable, name, random)
        values = [evaluate_term(each, at) for each in (by_variable, by_name)] if at else [None, None]
        if at is None or values[0] is None or values[1] is None or abs(values[1]) < _CLOSE:
            continue
        meant, said = -values[0] / values[1], _solve_linear(Tree("-", (left, right)), slopes[0], at)
        if said is None:
            continue
        if abs(meant - said) < _LEAST * (1 + abs(meant)):
            return None
        failed += 1
        if failed == _PLACES:
            reason = f"it is not the derivative of both sides, {describe_sources([curve])}"
            return Accusation(reason, Evidence("only statement", (curve,)))
    return None


def find_other_solved_slope(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the equation right before from which another y' follows than the text solves it for; None where
    it is that one, or no equation with y' stands before.

    Args:
        facts: What the text has said so far.
        link: The link that says what y' is.
        left: Its left side, y'.
        right: What y' is.
    """
    last = facts.every[-1] if facts.every else None
    if last is None or left.children or not left.label.endswith("'") or left.label not in last.variables:
        return None
    words = last_sentence(link.words_before)
    drawn = is_concluded(link) or mentions("rearranging", words) or mentions("obtaining", words)
    if not drawn or link.relation != "=" or link.index or link.has_denial_nearby or last.alternative:
        return None
    names = sorted(last.variables - {left.label})
    if (
        link.piece_index - last.piece > _NEAR_PIECES
        or not {*names} >= free_symbols(right)
        or last.left == left
    ):
        return None
    random = Random(len(names))
    failed = 0
    for _ in range(_TRIES):
        at = {name: random.uniform(-2.5, 2.5) for name in names}
        meant = _solve_linear(Tree("-", (last.left, last.right)), left.label, at)
        said = evaluate_term(right, at)
        if meant is None or said is None:
            continue
        if abs(meant - said) < _LEAST * (1 + abs(meant)):
            return None
        failed += 1
    if failed < _PLACES:
        return None
    reason = f"it does not solve {describe_sources([last]).removeprefix('by ')}"
    return Accusation(reason, Evidence("only statement", (last,)))


def _solve_linear(gap: Tree, name: str, at: dict[str, float]) -> float | None:
    """Return where a term that is linear in a letter is 0; None where it is not linear, or nowhere 0."""
    values = [evaluate_term(gap, {**at, name: place}) for place in (0.0, 1.0, 2.0)]
    if values[0] is None or values[1] is None or values[2] is None:
        return None
    step = values[1] - values[0]
    is_linear = abs(values[2] - values[1] - step) < _CLOSE * (1 + abs(step))
    return -values[0] / step if is_linear and abs(step) > _CLOSE else None


def _find_place(gap: Tree, variable: str, name: str, random: Random) -> dict[str, float] | None:
    """Return a point of a curve, at a random value of a variable; None where none is found."""
    at = random.uniform(-2.5, 2.5)
    previous: tuple[float, float] | None = None
    for step in range(_STEPS + 1):
        low = -5.0 + 10.0 * step / _STEPS + 0.0137
        value = evaluate_term(gap, {variable: at, name: low})
        if value is not None and previous is not None and previous[1] * value < 0:
            return {variable: at, name: _bisect(gap, variable, name, at, previous, low)}
        previous = None if value is None else (low, value)
    return None


def _bisect(gap: Tree, variable: str, name: str, at: float, low: tuple[float, float], high: float) -> float:
    """Return where a term changes its sign between two values of a letter."""
    start, sign = low
    for _ in range(_STEPS):
        middle = (start + high) / 2
        value = evaluate_term(gap, {variable: at, name: middle}) or 0.0
        start, high = (middle, high) if value * sign > 0 else (start, middle)
    return start
