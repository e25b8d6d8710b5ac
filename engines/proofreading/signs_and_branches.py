"""What texts leave out of an equation: the sign of a root, the branch of an inverse tangent, a constant of
integration, that a length is positive."""

from __future__ import annotations

import math

from engines.core.tree import ZERO, Tree
from engines.mathematics.judging.judge import Judge
from engines.proofreading.number_links import list_terms
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.slips import points_of
from engines.proofreading.term_properties import OF_ANGLES, evaluate_term, free_symbols

_SEEDS = 3
_RELATIVE_ERROR = 1e-9
_CONSTANT = "C"
"""Of integration, which has another value on the other side."""
_STEPS = (1.3, 2.1, 3.7)
"""How far a variable is from the other letters where two antiderivatives are compared."""
_OF_TANGENTS = frozenset(("atan", "acot"))


def differ_by_half_turns(left: Tree, right: Tree) -> bool:
    """Return whether terms with inverse tangents differ by multiples of π, and are equal at some values."""
    if _OF_TANGENTS.isdisjoint((*left.list_labels(), *right.list_labels())):
        return False
    points = (
        at for seed in range(_SEEDS) for at in points_of(free_symbols(left) | free_symbols(right), seed=seed)
    )
    values = [(evaluate_term(left, at), evaluate_term(right, at)) for at in points]
    turns = [(one - other) / math.pi for one, other in values if one is not None and other is not None]
    whole = len(turns) > _SEEDS and all(abs(turn - round(turn)) < _RELATIVE_ERROR for turn in turns)
    return whole and any(round(turn) == 0 for turn in turns)


def find_positive_letters(left: Tree, right: Tree, judge: Judge) -> str:
    """Return that the letters at the ends of integrals are positive, as lengths are, where an equation holds
    under this condition; "" where it does not."""
    ends = {
        name
        for side in (left, right)
        for node in side
        if node.label == "integral"
        for end in node.children[1:3]
        for name in free_symbols(end)
    }
    positive = [Tree(">", (Tree(name), ZERO)) for name in sorted(ends)]
    verdict = judge.equal(left, right, positive) if positive else None
    if verdict is None or verdict.witness or verdict.outcome not in ("equal", "equal if"):
        return ""
    return " and ".join(map(write_term, positive))


def is_root_of_square(left: Tree, right: Tree) -> bool:
    """Return whether a root or an absolute value is equal to a term with functions of angles but for the
    sign, which is that of the angles that are meant: √(5 sec²θ) = √5 |sec θ| = √5 sec θ."""
    if left.label == right.label == "antiderivative" and left.children[0] == right.children[0]:
        return is_root_of_square(left.children[1], right.children[1])
    labels = {*left.list_labels(), *right.list_labels()}
    if labels.isdisjoint(("sqrt", "abs")) or labels.isdisjoint(OF_ANGLES):
        return False
    for seed in range(_SEEDS):
        for at in points_of(free_symbols(left) | free_symbols(right), seed=seed):
            one, other = evaluate_term(left, at), evaluate_term(right, at)
            if one is None or other is None or abs(abs(one) - abs(other)) > _RELATIVE_ERROR * (1 + abs(one)):
                return False
    return True


def differ_by_constant(left: Tree, right: Tree) -> bool:
    """Return whether a constant of integration is added on both sides, and they differ by what one of their
    letters does not change: `ln(x/a) + C` and `ln x + C`, where the letters are positive."""
    terms = [list_terms(side) for side in (left, right)]
    names = free_symbols(left) & free_symbols(right) - {_CONSTANT}
    if not all(Tree(_CONSTANT) in each for each in terms):
        return False
    return any(_has_fixed_gap(left, right, name) for name in sorted(names))


def _has_fixed_gap(left: Tree, right: Tree, name: str) -> bool:
    rest = (free_symbols(left) | free_symbols(right)) - {name}
    for seed in range(_SEEDS):
        for at in points_of(rest, seed=seed):
            positive = {each: abs(value) for each, value in at.items()}
            least = 1 + max(positive.values(), default=0.0)
            places = [{**positive, name: least * step} for step in _STEPS]
            values = [(evaluate_term(left, each), evaluate_term(right, each)) for each in places]
            gaps = [one - other for one, other in values if one is not None and other is not None]
            if len(gaps) < len(places) or max(gaps) - min(gaps) > _RELATIVE_ERROR * (1 + abs(gaps[0])):
                return False
    return True
