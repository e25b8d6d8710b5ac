r"""Answers with a parameter: `2^k` for all integers k, lines as `(1,2,3) + t(1,0,1)`.

Such an answer is the set of all its values, so the name of the parameter says nothing, and two of them may
run through the same values in another way.
"""

from __future__ import annotations

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
_LETTERS = frozenset("tsruλμτ")
"""Letters that stand for any number in front of a vector."""


@dataclass(frozen=True, slots=True)
class _Powers:
    """The values `first * ratio^k`, for all integers k or, where `is_half`, for those from 0 on."""

    first: Fraction
    ratio: Fraction
    is_half: bool


@dataclass(frozen=True, slots=True)
class _Line:
    """All points of a line: one of them, its direction, and the letter of the parameter."""

    point: tuple[Fraction, ...]
    direction: tuple[Fraction, ...]
    letter: str
    said: bool


def compare_with_parameters(judge: Judge, gold: Form, pred: Form) -> Verdict | None:
    """Compare two answers with a parameter as the sets of their values; None for other answers."""
    if not (_may_have_parameter(gold) and _may_have_parameter(pred)):
        return None
    trees = statement_of_form(gold), statement_of_form(pred)
    if isinstance(trees[0], str) or isinstance(trees[1], str):
        return None
    lines = _read_line(trees[0]), _read_line(trees[1])
    if lines[0] is not None and lines[1] is not None:
        return _compare_lines(lines[0], lines[1])
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


# ---- lines


def _read_line(tree: Tree) -> _Line | None:
    """Return the line that a vector with one letter runs through."""
    said = False
    if tree.label == "such":
        within = tree.children[1]
        if within.label != "in" or within.children[1].label not in ("ℝ", "R") or within.children[0].children:
            return None
        said, tree = True, tree.children[0]
    letters = {*free_variables(tree), *(one.children[0].label for one in tree if one.label == "call")}
    if len(letters) != 1:
        return None
    (letter,) = letters
    if not said and letter not in _LETTERS:
        return None
    entries = _read_vector(tree, letter)
    if entries is None or len(entries) < 2 or not any(step for _, step in entries):
        return None
    return _Line(tuple(start for start, _ in entries), tuple(step for _, step in entries), letter, said)


def _read_vector(tree: Tree, letter: str) -> list[tuple[Fraction, Fraction]] | None:
    """Return a vector whose entries are `a + b * letter`; None for other terms."""
    label, parts = tree.label, tree.children
    if label == "tuple":
        read = [_read_linear(part, letter) for part in parts]
        return None if None in read else [one for one in read if one is not None]
    if label == "matrix":
        cells = [cell for row in parts for cell in row.children]
        return _read_vector(Tree("tuple", tuple(cells)), letter) if len(cells) == len(parts) else None
    if label == "call" and len(parts) > 2 and parts[0].label == letter:
        numbers = [_number_of(part) for part in parts[1:]]
        return None if None in numbers else [(Fraction(0), one) for one in numbers if one is not None]
    if label == "*":
        for factor, vector in (parts, parts[::-1]):
            scale, entries = _read_linear(factor, letter), _read_vector(vector, letter)
            if scale is None or entries is None:
                continue
            if scale[1] and any(step for _, step in entries):
                return None
            return [(scale[0] * start, scale[0] * step + scale[1] * start) for start, step in entries]
        return None
    if label not in ("+", "-"):
        return None
    one, other = (_read_vector(part, letter) for part in parts)
    if one is None or other is None or len(one) != len(other):
        return None
    sign = 1 if label == "+" else -1
    return [(a + sign * c, b + sign * d) for (a, b), (c, d) in zip(one, other, strict=True)]


def _compare_lines(one: _Line, other: _Line) -> Verdict | None:
    if len(one.point) != len(other.point):
        return Verdict("different", witness=f"{len(one.point)} and {len(other.point)} coordinates")
    if (one.point, one.direction, one.letter) == (other.point, other.direction, other.letter):
        return Verdict("equal")
    apart = tuple(b - a for a, b in zip(one.point, other.point, strict=True))
    if not _are_parallel(one.direction, other.direction) or not _are_parallel(one.direction, apart):
        shown = ", ".join(map(str, one.point if any(one.point) else one.direction))
        return Verdict("different", witness=f"not both lines are the one through ({shown})")
    if one.said or other.said or one.letter != other.letter:
        return Verdict("equal", reason="the same points for all numbers")
    return Verdict("equal if", condition=f"{one.letter} stands for any number")


def _are_parallel(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(a * d == b * c for a, b in pairs for c, d in pairs)
