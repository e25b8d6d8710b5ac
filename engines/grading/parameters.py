r"""Answers with a parameter: `2^k` for all integers k, lines as `(1,2,3) + t(1,0,1)`.

Such an answer is the set of all its values, so the name of the parameter says nothing, and two of them may
run through the same values in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.grading.forms import Form, Many, Named
from engines.grading.numbers import Term
from engines.grading.trees import statement_of_form
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.judging.verdicts import Verdict

_MOST_STEPS = 64
_MOST_EXPONENT = 200
_LETTERS = frozenset("tsruvλμτ")
"""Letters that stand for any number in front of a vector."""
_CURVE_LETTERS = _LETTERS | {"θ", "φ", "ϕ", "α", "theta", "phi", "alpha"}
"""Letters that stand for the parameter of a curve."""
_MOST_LETTERS = 2
"""Parameters of a plane."""


@dataclass(frozen=True, slots=True)
class _Powers:
    """The values `first * ratio^k`, for all integers k or, where `is_half`, for those from 0 on."""

    first: Fraction
    ratio: Fraction
    is_half: bool


_Linear = dict[str, Fraction]
"""A term of numbers times letters: what each letter is multiplied by, and the number alone by ""."""


@dataclass(frozen=True, slots=True)
class _Flat:
    """All points of a line or plane: one of them, the directions, and the letters of the parameters.

    Attributes:
        is_said: Whether the answer says that the letters stand for all real numbers.
        has_vectors: Whether it is written as a sum of vectors times letters.
    """

    point: tuple[Fraction, ...]
    directions: tuple[tuple[Fraction, ...], ...]
    letters: tuple[str, ...]
    is_said: bool
    has_vectors: bool


def compare_with_parameters(judge: Judge, gold: Form, pred: Form) -> Verdict | None:
    """Compare two answers with a parameter as the sets of their values; None for other answers."""
    if not (_may_have_parameter(gold) and _may_have_parameter(pred)):
        return None
    trees = statement_of_form(gold), statement_of_form(pred)
    if isinstance(trees[0], str) or isinstance(trees[1], str):
        return None
    flats = _read_flat(trees[0]), _read_flat(trees[1])
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
    return getattr(getattr(form, "tree", None), "label", "") in ("such", "exists", "and")


# ---- terms with an integer


def _read_range(tree: Tree) -> tuple[str, Tree, str, str, int | None] | None:
    """Return the name that has the values, the term, its parameter, and where that runs: the label of a set
    of numbers, and the least integer, if there is one."""
    if tree.label == "exists" and len(tree.children) == 3:
        parts = [tree.children[2], *_list_parts(tree.children[1])]
    elif tree.label in ("such", "and"):
        parts = [one for part in tree.children for one in _list_parts(part)]
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


def _list_parts(tree: Tree) -> list[Tree]:
    return [one for part in tree.children for one in _list_parts(part)] if tree.label == "and" else [tree]


def _read_least(bound: Tree, integer: Tree) -> int | None:
    label, (left, right) = bound.label, bound.children
    if right == integer:
        label, left, right = label.translate(_TURNED), right, left
    number = _number_of(right)
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
    number = _number_of(tree)
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
    base, line = _number_of(parts[0]), _read_linear(parts[1], integer)
    if not base or line is None or any(one.denominator > 1 or abs(one) > _MOST_EXPONENT for one in line):
        return None
    start, step = map(int, line)
    ratio = base**step
    return _Powers(base**start, ratio, False) if abs(ratio) not in (0, 1) else None


def _number_of(tree: Tree) -> Fraction | None:
    line = _read_linear(tree, "")
    return None if line is None or line[1] else line[0]


def _read_linear(tree: Tree, letter: str) -> tuple[Fraction, Fraction] | None:
    """Return a term as `a + b * letter`: both numbers; None for other terms."""
    label, parts = tree.label, tree.children
    if not parts:
        if label == letter:
            return Fraction(0), Fraction(1)
        try:
            return Fraction(label), Fraction(0)
        except ValueError:
            return None
    if label not in ("+", "-", "*", "/") or len(parts) != 2:
        return None
    one, other = (_read_linear(part, letter) for part in parts)
    if one is None or other is None:
        return None
    if label in ("+", "-"):
        sign = 1 if label == "+" else -1
        return one[0] + sign * other[0], one[1] + sign * other[1]
    if label == "/":
        return None if other[1] or not other[0] else (one[0] / other[0], one[1] / other[0])
    if one[1] and other[1]:
        return None
    return one[0] * other[0], one[0] * other[1] + one[1] * other[0]


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


def _read_flat(tree: Tree) -> _Flat | None:
    """Return the line or plane that a vector with one or two letters runs through."""
    said = False
    if tree.label == "=" and not tree.children[0].children:
        tree = tree.children[1]
    if tree.label == "such":
        within = _list_parts(tree.children[1])
        if not all(part.label == "in" and part.children[1].label in ("ℝ", "R") for part in within):
            return None
        said, tree = True, tree.children[0]
    names = {*free_variables(tree), *(one.children[0].label for one in tree if one.label == "call")}
    letters = tuple(sorted(name for name in names if name.isalpha()))
    if not 0 < len(letters) <= _MOST_LETTERS or not (said or _LETTERS.issuperset(letters)):
        return None
    entries = _read_vector(tree, letters)
    if entries is None or len(entries) < 2:
        return None
    directions = tuple(tuple(entry.get(letter, Fraction(0)) for entry in entries) for letter in letters)
    if _rank(directions) < len(letters):
        return None
    written = any(
        node.label == "call"
        or (node.label == "*" and any(one.label in ("tuple", "matrix") for one in node.children))
        for node in tree
    )
    if len(letters) > 1 and not (said or written):
        return None  # coordinates with names, as (s, t)
    point = tuple(entry.get("", Fraction(0)) for entry in entries)
    return _Flat(point, directions, letters, said, written)


def _read_terms(tree: Tree, letters: tuple[str, ...]) -> _Linear | None:
    """Return a term as numbers times letters; None for other terms."""
    label, parts = tree.label, tree.children
    if not parts:
        if label in letters:
            return {label: Fraction(1)}
        number = _number_of(tree)
        return None if number is None else {"": number}
    if label not in ("+", "-", "*", "/") or len(parts) != 2:
        return None
    one, other = (_read_terms(part, letters) for part in parts)
    if one is None or other is None:
        return None
    if label in ("+", "-"):
        return _add_terms(one, other, Fraction(1 if label == "+" else -1))
    if label == "*" and not other.keys() <= {""}:
        one, other = other, one
    number = other.get("", Fraction(0))
    if not other.keys() <= {""} or (label == "/" and not number):
        return None
    return {key: value / number if label == "/" else value * number for key, value in one.items()}


def _add_terms(one: _Linear, other: _Linear, factor: Fraction) -> _Linear:
    zero = Fraction(0)
    return {key: one.get(key, zero) + factor * other.get(key, zero) for key in {*one, *other}}


def _read_vector(tree: Tree, letters: tuple[str, ...]) -> list[_Linear] | None:
    """Return a vector whose entries are numbers times letters; None for other terms."""
    label, parts = tree.label, tree.children
    if label == "tuple":
        read = [_read_terms(part, letters) for part in parts]
        return None if None in read else [one for one in read if one is not None]
    if label == "matrix":
        cells = [cell for row in parts for cell in row.children]
        return _read_vector(Tree("tuple", tuple(cells)), letters) if len(cells) == len(parts) else None
    if label == "call" and len(parts) > 2 and parts[0].label in letters:
        return _scale_vector({parts[0].label: Fraction(1)}, _read_vector(Tree("tuple", parts[1:]), letters))
    if label == "*":
        for factor, vector in (parts, parts[::-1]):
            scale, entries = _read_terms(factor, letters), _read_vector(vector, letters)
            if scale is not None and entries is not None:
                return _scale_vector(scale, entries)
        return None
    if label not in ("+", "-"):
        return None
    one, other = (_read_vector(part, letters) for part in parts)
    if one is None or other is None or len(one) != len(other):
        return None
    sign = Fraction(1 if label == "+" else -1)
    return [_add_terms(mine, theirs, sign) for mine, theirs in zip(one, other, strict=True)]


def _scale_vector(scale: _Linear, entries: list[_Linear] | None) -> list[_Linear] | None:
    """Return numbers times a term with letters, or terms with letters times a number."""
    if entries is None:
        return None
    if scale.keys() <= {""}:
        number = scale.get("", Fraction(0))
        return [{key: value * number for key, value in entry.items()} for entry in entries]
    if not all(entry.keys() <= {""} for entry in entries):
        return None
    return [{key: value * entry.get("", Fraction(0)) for key, value in scale.items()} for entry in entries]


def _compare_flats(one: _Flat, other: _Flat) -> Verdict | None:
    if len(one.point) != len(other.point):
        return Verdict("different", witness=f"{len(one.point)} and {len(other.point)} coordinates")
    if (one.point, one.directions, one.letters) == (other.point, other.directions, other.letters):
        return Verdict("equal")
    kind = "line" if len(one.letters) == 1 else "plane"
    if len(one.letters) != len(other.letters):
        return Verdict("different", witness="a line and a plane")
    apart = tuple(b - a for a, b in zip(one.point, other.point, strict=True))
    if _rank((*one.directions, *other.directions, apart)) > len(one.letters):
        shown = ", ".join(map(str, one.point if any(one.point) else one.directions[0]))
        return Verdict("different", witness=f"not both {kind}s are the one through ({shown})")
    sets = kind == "plane" and one.has_vectors and other.has_vectors
    if one.letters != other.letters or sets or one.is_said or other.is_said:
        return Verdict("equal", reason="the same points for all numbers")
    return Verdict("equal if", condition=f"{one.letters[0]} stands for any number")


def has_single_solution(equations: Sequence[Tree], names: tuple[str, ...]) -> bool:
    """Return whether equations are linear, and no more than one point solves all of them."""
    rows = []
    for equation in equations:
        left, right = (_read_terms(side, names) for side in equation.children)
        if left is None or right is None:
            return False
        terms = _add_terms(left, right, Fraction(-1))
        rows.append(tuple(terms.get(name, Fraction(0)) for name in names))
    return _rank(tuple(rows)) == len(names)


def _rank(vectors: tuple[tuple[Fraction, ...], ...]) -> int:
    """Return how many of the vectors are independent, by elimination."""
    rows = [list(vector) for vector in vectors]
    rank = 0
    for column in range(len(vectors[0])):
        pivot = next((row for row in rows[rank:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(rank, pivot)
        for row in rows[rank + 1 :]:
            factor = row[column] / pivot[column]
            row[:] = [value - factor * first for value, first in zip(row, pivot, strict=True)]
        rank += 1
    return rank
