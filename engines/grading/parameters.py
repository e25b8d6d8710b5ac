r"""Answers with a parameter: `2^k` for all integers k, lines as `(1,2,3) + t(1,0,1)`.

Such an answer is the set of all its values, so the name of the parameter says nothing, and two of them may
run through the same values in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.grading.flats_and_equations import collect_coordinates, compare_with_equations
from engines.grading.forms import Form, Many, Named
from engines.grading.linear_terms import (
    PARAMETER_LETTERS,
    AffineSpace,
    add_terms,
    compute_rank,
    list_conjuncts,
    read_flat,
    read_linear,
    read_number,
    read_terms,
)
from engines.grading.numbers import Term
from engines.grading.trees import statement_of_form
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.judging.verdicts import Verdict

_MOST_STEPS = 64
_MOST_EXPONENT = 200
_CURVE_LETTERS = PARAMETER_LETTERS | {"θ", "φ", "ϕ", "α", "theta", "phi", "alpha"}
"""Letters that stand for the parameter of a curve."""


@dataclass(frozen=True, slots=True)
class _Powers:
    """The values `first * ratio^k`, for all integers k or, where `is_half`, for those from 0 on."""

    first: Fraction
    ratio: Fraction
    is_half: bool


def compare_with_parameters(judge: Judge, gold: Form, pred: Form) -> Verdict | None:
    """Compare two answers with a parameter as the sets of their values; None for other answers."""
    gold, pred = collect_coordinates(gold), collect_coordinates(pred)
    have_parameters = [_may_have_parameter(form) for form in (gold, pred)]
    if any(have_parameters) and (flat := compare_with_equations(gold, pred)) is not None:
        return flat
    if not all(have_parameters):
        return None
    trees = statement_of_form(gold), statement_of_form(pred)
    if isinstance(trees[0], str) or isinstance(trees[1], str):
        return None
    flats = read_flat(trees[0]), read_flat(trees[1])
    if flats[0] is not None and flats[1] is not None:
        return _compare_flats(flats[0], flats[1])
    if (curves := _compare_curves(judge, trees[0], trees[1])) is not None:
        return curves
    families = _read_range(trees[0]), _read_range(trees[1])
    if families[0] is None or families[1] is None or families[0][0] != families[1][0]:
        return None
    return _compare_terms(judge, families[0][1:], families[1][1:])


def _may_have_parameter(form: Form) -> bool:
    if isinstance(form, Named):
        form = form.value
    if isinstance(form, Many):
        return form.kind == "tuple" and any(isinstance(one, Term) and one.value is None for one in form.items)
    if isinstance(form, Term):
        return form.tree is not None and not {"call", "tuple", "matrix"}.isdisjoint(form.tree.list_labels())
    tree = getattr(form, "tree", None)
    if tree is None:
        return False
    # r · (2, -1, 1) = 3 is a plane.
    return tree.label in ("such", "exists", "and") or (tree.label == "=" and "tuple" in tree.list_labels())


# ---- terms with an integer


def _read_range(tree: Tree) -> tuple[str, Tree, str, str, int | None] | None:
    """Return the name that has the values, the term, its parameter, and where that runs: the label of a set
    of numbers, and the least integer, if there is one."""
    if tree.label == "exists" and len(tree.children) == 3:
        parts = [tree.children[2], *list_conjuncts(tree.children[1])]
    elif tree.label in ("such", "and"):
        parts = [one for part in tree.children for one in list_conjuncts(part)]
    else:
        return None
    within = [one for one in parts if one.label == "in" and one.children[1].label in ("ℤ", "Z", "ℕ", "N")]
    if len(within) != 1 or within[0].children[0].children:
        return None
    integer, numbers = within[0].children[0], within[0].children[1].label.replace("Z", "ℤ").replace("N", "ℕ")
    rest = [one for one in parts if one is not within[0]]
    bounds = [one for one in rest if one.label in ("<=", "<", ">=", ">") and integer in one.children]
    said = [one for one in rest if one not in bounds]
    if len(said) != 1 or len(bounds) > 1:
        return None
    least = _read_least(bounds[0], integer) if bounds else None
    if bounds and (least is None or numbers != "ℤ"):
        return None
    (term,) = said
    name = ""
    if term.label == "=" and not term.children[0].children:
        name, term = term.children[0].label, term.children[1]
    return (name, term, integer.label, numbers, least) if integer.label in free_variables(term) else None


def _read_least(bound: Tree, integer: Tree) -> int | None:
    label, (left, right) = bound.label, bound.children
    if right == integer:
        label, left, right = label.translate(_TURNED), right, left
    number = read_number(right)
    if left != integer or number is None or number.denominator > 1 or label[0] != ">":
        return None
    return int(number) + (label == ">")


_TURNED = str.maketrans("<>", "><")


def _compare_terms(
    judge: Judge, gold: tuple[Tree, str, str, int | None], pred: tuple[Tree, str, str, int | None]
) -> Verdict | None:
    (one, mine, numbers, least), (other, theirs, range_of_other, least_of_other) = gold, pred
    powers = _read_powers(one, mine), _read_powers(other, theirs)
    if powers[0] is not None and powers[1] is not None and numbers == range_of_other == "ℤ":
        return _compare_powers(_begin_at(powers[0], least), _begin_at(powers[1], least_of_other))
    if (numbers, least) != (range_of_other, least_of_other):
        return None
    renamed = replace_variable(other, theirs, Tree(mine))
    if mine != theirs and mine in free_variables(other):
        return None
    if one == renamed or judge.equal(one, renamed).outcome == "equal":
        return Verdict("equal", reason="the same values for all integers")
    return None


def _begin_at(powers: _Powers, least: int | None) -> _Powers:
    if least is None:
        return powers
    if abs(least) > _MOST_STEPS:
        return powers
    return _Powers(powers.first * powers.ratio**least, powers.ratio, True)


def _compare_powers(one: _Powers, other: _Powers) -> Verdict | None:
    if one.is_half != other.is_half:
        return Verdict("different", witness="only one of them has values for all negative integers")
    if not one.is_half:
        one, other = _upwards(one), _upwards(other)
    for mine, theirs in ((one, other), (other, one)):
        value = mine.first
        for _ in range(3):
            if _has_value(theirs, value) is False:
                return Verdict("different", witness=f"{value} belongs to one of them only")
            value *= mine.ratio
    if one.ratio == other.ratio and _has_value(other, one.first) and _has_value(one, other.first):
        return Verdict("equal", reason="the same values for all integers")
    return None


def _upwards(powers: _Powers) -> _Powers:
    return powers if abs(powers.ratio) > 1 else _Powers(powers.first, 1 / powers.ratio, False)


def _has_value(powers: _Powers, value: Fraction) -> bool | None:
    """Return whether a number is one of the values; None where that takes too many steps to tell."""
    quotient, ratio = value / powers.first, powers.ratio
    if abs(ratio) < 1:
        quotient, ratio = (1 / quotient if quotient else quotient), 1 / ratio
    for _ in range(_MOST_STEPS):
        if quotient == 1:
            return True
        if abs(quotient) < 1:
            if powers.is_half:
                return False
            quotient = 1 / quotient
            if abs(quotient) < 1:
                return False
        quotient /= ratio
        if abs(quotient) < 1:
            return False
    return None


def _read_powers(tree: Tree, integer: str) -> _Powers | None:
    """Return a term as `first * ratio^k`, if it is one with numbers that are no roots."""
    label, parts = tree.label, tree.children
    number = read_number(tree)
    if number is not None:
        return _Powers(number, Fraction(1), False) if number else None
    if label in ("*", "/"):
        one, other = (_read_powers(part, integer) for part in parts)
        if one is None or other is None:
            return None
        if label == "*":
            return _Powers(one.first * other.first, one.ratio * other.ratio, False)
        return _Powers(one.first / other.first, one.ratio / other.ratio, False)
    if label != "pow":
        return None
    base, line = read_number(parts[0]), read_linear(parts[1], integer)
    if not base or line is None or any(one.denominator > 1 or abs(one) > _MOST_EXPONENT for one in line):
        return None
    start, step = map(int, line)
    ratio = base**step
    return _Powers(base**start, ratio, False) if abs(ratio) not in (0, 1) else None


# ---- curves


def _compare_curves(judge: Judge, gold: Tree, pred: Tree) -> Verdict | None:
    """Compare points with one parameter each, of different names; None for others and for the same name.

    Two curves that differ after the names are made the same can still have the same points.
    """
    mine, theirs = (_find_parameter(tree) for tree in (gold, pred))
    if mine is None or theirs is None or mine == theirs or len(gold.children) != len(pred.children):
        return None
    renamed = replace_variable(pred, theirs, Tree(mine))
    pairs = zip(gold.children, renamed.children, strict=True)
    if all(judge.equal(one, other).outcome == "equal" for one, other in pairs):
        return Verdict("equal", reason=f"the same points, with the parameter {theirs} named {mine}")
    return Verdict("undecided", reason="whether curves with different parameters are the same is not decided")


def _find_parameter(tree: Tree) -> str | None:
    """Return the name of the only variable of a point, if it is usual for a parameter."""
    names = free_variables(tree) if tree.label == "tuple" else frozenset()
    return next(iter(names)) if len(names) == 1 and names <= _CURVE_LETTERS else None


# ---- lines and planes


def _compare_flats(one: AffineSpace, other: AffineSpace) -> Verdict | None:
    if len(one.point) != len(other.point):
        return Verdict("different", witness=f"{len(one.point)} and {len(other.point)} coordinates")
    if one.is_integer and other.is_integer and len(one.point) == len(other.point):
        return _compare_grids(one, other)
    if one.is_integer != other.is_integer:
        return Verdict("different", witness="only one of them has values between those for integers")
    if one.is_punctured != other.is_punctured:
        return Verdict("different", witness="0 belongs to one of them only")
    if (one.point, one.directions, one.letters) == (other.point, other.directions, other.letters):
        return Verdict("equal")
    kind = "line" if len(one.letters) == 1 else "plane"
    if len(one.letters) != len(other.letters):
        return Verdict("different", witness="a line and a plane")
    apart = tuple(b - a for a, b in zip(one.point, other.point, strict=True))
    if compute_rank((*one.directions, *other.directions, apart)) > len(one.letters):
        shown = ", ".join(map(str, one.point if any(one.point) else one.directions[0]))
        return Verdict("different", witness=f"not both {kind}s are the one through ({shown})")
    sets = kind == "plane" and one.has_vectors and other.has_vectors
    if one.letters != other.letters or sets or one.is_said or other.is_said:
        return Verdict("equal", reason="the same points for all numbers")
    return Verdict("equal if", condition=f"{one.letters[0]} stands for any number")


def _compare_grids(one: AffineSpace, other: AffineSpace) -> Verdict:
    """Compare points for all integers.

    Their steps have to be the same or opposite, and a number of steps has to lead from one to the other.
    """
    (mine,), (theirs,) = one.directions, other.directions
    if theirs not in (mine, tuple(-entry for entry in mine)):
        return Verdict("different", witness="the steps between the points are not the same")
    apart = [b - a for a, b in zip(one.point, other.point, strict=True)]
    axis = next(at for at, entry in enumerate(mine) if entry)
    count = apart[axis] / mine[axis]
    if count.denominator > 1 or any(gap != count * entry for gap, entry in zip(apart, mine, strict=True)):
        shown = ", ".join(map(str, other.point))
        return Verdict("different", witness=f"({shown}) belongs to one of them only")
    return Verdict("equal", reason="the same points for all integers")


def has_single_solution(equations: Sequence[Tree], names: tuple[str, ...]) -> bool:
    """Return whether equations are linear, and no more than one point solves all of them."""
    rows = []
    for equation in equations:
        left, right = (read_terms(side, names) for side in equation.children)
        if left is None or right is None:
            return False
        terms = add_terms(left, right, Fraction(-1))
        rows.append(tuple(terms.get(name, Fraction(0)) for name in names))
    return compute_rank(tuple(rows)) == len(names)
