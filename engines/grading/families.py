r"""Families of values over the integers, as `x = k\pi` for all integers k, and values by cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, lcm

from engines.core.tree import ONE, ZERO, Tree
from engines.grading.linear_terms import list_conjuncts
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import INTEGERS, free_variables
from engines.mathematics.judging.verdicts import Verdict

_NATURALS = ("N", "ℕ")
_HALVES = {"ℤ+": 1, "ℕ*": 1, "ℕ+": 1, "ℤ+0": 0}
"""Sets of integers from one on, and that integer."""
_MOST_REMAINDERS = 1_000
_MOST_SIGNS = 3
_Linear = dict[tuple[int, int], Fraction]
"""A polynomial in the integer and π: coefficients by both exponents."""
_Point = tuple[Fraction, Fraction]
"""A number p + q π."""


@dataclass(frozen=True, slots=True)
class Family:
    """All values of terms for the integers.

    Attributes:
        name: What is said to have them, "" where that is not said.
        steps: Of each term its value at 0, and what is added for each integer.
        whole: Whether negative integers are among them; otherwise they begin with 0.
        is_vague: Whether the integers are those of ℕ, which may begin with 1.
    """

    name: str
    steps: tuple[tuple[_Point, _Point], ...]
    whole: bool
    is_vague: bool = False


def read_family(tree: Tree) -> Family | None:
    """Read a statement or set as a family of values with an integer parameter; None if it is not one."""
    if tree.label == "congruent":
        return _residues_of(tree)
    if tree.label == "not" and tree.children[0].label == "congruent":
        return _other_residues(tree.children[0])
    if tree.label == "or":
        return _unite([read_family(part) for part in tree.children])
    if tree.label in ("such", "and"):
        parts = [one for part in tree.children for one in list_conjuncts(part)]
    elif tree.label == "implies" and len(tree.children) == 2:
        parts = [tree.children[1], tree.children[0]]
    elif tree.label == "forall" and len(tree.children) == 3:
        parts = list(tree.children[1:])
    else:
        return None
    ranges = [one for one in parts if one.label == "in" and one.children[1].label in (*INTEGERS, *_HALVES)]
    if len(ranges) == 2 and len(parts) == 3:
        return _read_double_family(ranges, next(one for one in parts if one not in ranges))
    if len(ranges) != 1 or ranges[0].children[0].children:
        return None
    letter, numbers = ranges[0].children[0], ranges[0].children[1].label
    integer = letter.label
    bounds = [one for one in parts if one.label in _BOUNDS and letter in one.children]
    rest = [one for one in parts if one is not ranges[0] and one not in bounds]
    equated = {one.children[0] for one in rest if one.label == "="}
    rest = [one for one in rest if one not in equated]  # the x of {x : x = 2k}
    if len(rest) > 1 and len(equated) == 1 and all(one.label == "=" for one in rest):
        rest = [Tree("or", tuple(rest))]  # x = a + k, x = b + k
    least = _HALVES.get(numbers, 0 if numbers in _NATURALS else None)
    for bound in bounds:
        edge = _read_least(bound, letter)
        if edge is None or (numbers in _NATURALS and edge < 1):
            return None
        least = edge if least is None else max(least, edge)
    whole = not rest and bool(bounds)  # x ∈ ℤ, x ≥ 3
    if len(rest) != 1 and not whole:
        return None
    said = letter if whole else rest[0]
    if said.label == "congruent" and said.children[0] == letter and least is None:
        return _residues_of(said)
    options = said.children if said.label in ("or", "list") else (said,)
    names = {option.children[0] for option in options if option.label == "="}
    terms = [option.children[1] if option.label == "=" else option for option in options]
    if len(names) > 1 or any(name.children for name in names):
        return None
    # A sign ± or a power of -1 gives several families, each linear in the integer.
    steps = []
    signed = (one for each in terms for one in list_with_signs(each))
    for term in (one for each in signed for one in _with_each_parity(each, integer)):
        linear = _linear(term, integer)
        if linear is None or any(k > 1 or power > 1 for k, power in linear):
            return None
        # Points have two coordinates, the rational part and the multiple of pi; a family runs from `start`
        # in steps of `step`.
        start, step = ((linear.get((k, 0), Fraction(0)), linear.get((k, 1), Fraction(0))) for k in (0, 1))
        if not any(step):
            return None
        if least:
            start = start[0] + least * step[0], start[1] + least * step[1]
        steps.append((start, step))
    name = next(iter(names)).label if names else integer if whole and tree.label == "and" else ""
    return Family(name, tuple(steps), least is None, numbers in _NATURALS and not bounds)


def _unite(families: Sequence[Family | None]) -> Family | None:
    """Return the values of any of several families over all integers, of one name."""
    known = [one for one in families if one is not None]
    if (
        len(known) < len(families)
        or len({one.name for one in known}) > 1
        or not all(one.whole for one in known)
    ):
        return None
    return Family(known[0].name, tuple(step for one in known for step in one.steps), True)


def _read_double_family(ranges: Sequence[Tree], said: Tree) -> Family | None:
    """Return the values of a term such as `6m + 15n` with two integers: multiples of what divides both
    coefficients."""
    name, term = said.children if said.label == "=" else (Tree(""), said)
    letters = [one.children[0] for one in ranges]
    if any(one.children[1].label != "ℤ" or one.children[0].children for one in ranges) or name.children:
        return None
    # Without the product of both letters the term is linear in each of them.
    lines = [
        _linear(replace_leaf(term, other, Tree("0")), letter.label)
        for letter, other in (letters, reversed(letters))
    ]
    joint = _linear(replace_leaf(term, letters[1], letters[0]), letters[0].label)
    if None in lines or joint is None:
        return None
    first, second = (line or {} for line in lines)
    if not {*first, *second, *joint} <= {(0, 0), (1, 0)}:
        return None
    steps = [line.get((1, 0), Fraction(0)) for line in (first, second)]
    if not all(steps) or joint.get((1, 0), Fraction(0)) != sum(steps):
        return None
    bottom = lcm(*(step.denominator for step in steps))
    step = Fraction(gcd(*(int(step * bottom) for step in steps)), bottom)
    start = first.get((0, 0), Fraction(0))
    return Family(name.label, (((start, Fraction(0)), (step, Fraction(0))),), True)


def replace_leaf(tree: Tree, letter: Tree, value: Tree) -> Tree:
    """Return a tree with a value in the place of a letter."""
    if tree == letter:
        return value
    return Tree(tree.label, tuple(replace_leaf(part, letter, value) for part in tree.children))


_BOUNDS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _read_least(bound: Tree, letter: Tree) -> int | None:
    """Return the least integer that a bound such as `k >= 1` leaves; None for other bounds."""
    label, (left, right) = bound.label, bound.children
    if right == letter:
        label, left, right = _BOUNDS[label], right, left
    if left != letter or right.children or not right.label.removeprefix("-").isdecimal() or label[0] != ">":
        return None
    return int(right.label) + (label == ">")


def _residues_of(tree: Tree) -> Family | None:
    """Return all integers that leave a remainder, as `n` is 1 modulo 2."""
    name, rest, modulus = tree.children
    rests = [_linear(each, "") for each in list_with_signs(rest)]
    if name.children or not modulus.label.isdigit() or modulus.label == "0":
        return None
    if any(each is None or not {*each} <= {(0, 0)} for each in rests):
        return None
    step = (Fraction(modulus.label), Fraction(0))
    starts = [each.get((0, 0), Fraction(0)) for each in rests if each is not None]
    return Family(name.label, tuple(((start, Fraction(0)), step) for start in starts), True)


def _other_residues(tree: Tree) -> Family | None:
    """Return all integers that do not leave a remainder."""
    family = _residues_of(tree)
    if family is None or any(start[0].denominator > 1 for start, _ in family.steps):
        return None
    step = family.steps[0][1]
    modulus = int(step[0])
    if modulus > _MOST_REMAINDERS:
        return None
    taken = {int(start[0]) % modulus for start, _ in family.steps}
    others = [number for number in range(modulus) if number not in taken]
    steps = tuple(((Fraction(number), Fraction(0)), step) for number in others)
    return Family(family.name, steps, True) if steps else None


_INTEGER_LETTERS = ("k", "n", "m", "l", "j", "r", "t")
"""Letters that stand for integers in a family that does not say so."""
_PERIOD_LETTERS = frozenset("kmn")
"""Letters that count periods on both sides."""


def family_without_range(tree: Tree) -> tuple[Family | None, str]:
    """Return the family that a statement or term gives where one of its letters stands for any integer, and
    that letter."""
    for letter in _INTEGER_LETTERS:
        if letter in free_variables(tree):
            label = "and" if tree.label in ("=", "or") else "such"
            family = read_family(Tree(label, (tree, Tree("in", (Tree(letter), Tree("ℤ"))))))
            if family is not None:
                return family, letter
    return None, ""


def list_with_signs(tree: Tree) -> list[Tree]:
    """Return a term with each choice of its signs ±."""
    if tree.list_labels().count("pm") > _MOST_SIGNS:
        return [tree]
    if not tree.children:
        return [tree]
    parts = product(*map(list_with_signs, tree.children))
    if tree.label != "pm":
        return [Tree(tree.label, part) for part in parts]
    result = []
    for part in parts:
        if len(part) == 1:
            result += [part[0], Tree("*", (Tree("-1"), part[0]))]
        else:
            result += [Tree("+", part), Tree("-", part)]
    return result


def _with_each_parity(tree: Tree, integer: str) -> list[Tree]:
    """Return a term with a power of -1, as `(-1)^n*x + n*pi`, for even and for odd integers."""
    if not any(node.label == "pow" and node.children[0].label == "-1" for node in tree):
        return [tree]
    # For even n the letter is 2m and for odd n 2m + 1; then (-1)^n is a constant.
    letter = Tree(integer)
    double = Tree("*", (Tree("2"), letter))
    return [
        _put_parity(tree, letter, value, odd) for odd, value in enumerate((double, Tree("+", (double, ONE))))
    ]


def _put_parity(tree: Tree, letter: Tree, value: Tree, odd: int) -> Tree:
    """Return a term with an even or odd value for a letter, and the powers of -1 carried out."""
    if tree == letter:
        return value
    if tree.label == "pow" and tree.children[0].label == "-1":
        exponent = _linear(tree.children[1], letter.label) or {}
        start, step = (exponent.get((times, 0), Fraction(0)) for times in (0, 1))
        if {*exponent} <= {(0, 0), (1, 0)} and start.denominator == step.denominator == 1:
            return Tree("1" if (start + odd * step) % 2 == 0 else "-1")
    return Tree(tree.label, tuple(_put_parity(part, letter, value, odd) for part in tree.children))


def compare_periodic(one: Tree, other: Tree) -> tuple[Verdict, tuple[str, str]] | None:
    """Compare solutions such as `x = k*pi`, of which no side says that a letter stands for any integer; and
    return both letters. None for others."""
    (mine, letter), (theirs, other_letter) = family_without_range(one), family_without_range(other)
    if mine is None or theirs is None or not {letter, other_letter} <= _PERIOD_LETTERS:
        return None
    if not all(turns and not plain for _, (plain, turns) in (*mine.steps, *theirs.steps)):
        return None
    return compare_families(mine, theirs), (letter, other_letter)


def _linear(tree: Tree, integer: str) -> _Linear | None:
    label, parts = tree.label, tree.children
    if not parts:
        if label == integer:
            return {(1, 0): Fraction(1)}
        if label == "pi":
            return {(0, 1): Fraction(1)}
        try:
            return {(0, 0): Fraction(label)}
        except ValueError:
            return None
    if label not in ("+", "-", "*", "/") or len(parts) != 2:
        return None
    one, other = (_linear(part, integer) for part in parts)
    if one is None or other is None:
        return None
    # Polynomials in the integer k and in pi, as coefficients by the exponents of both.
    if label in ("+", "-"):
        sign = 1 if label == "+" else -1
        keys = {*one, *other}
        return _without_zeros(
            {key: one.get(key, Fraction(0)) + sign * other.get(key, Fraction(0)) for key in keys}
        )
    if label == "/":
        # Only division by a rational number stays linear.
        if {*other} != {(0, 0)}:
            return None
        return {key: value / other[0, 0] for key, value in one.items()}
    result: _Linear = {}
    for (k, power), value in one.items():
        for (other_k, other_power), factor in other.items():
            key = (k + other_k, power + other_power)
            result[key] = result.get(key, Fraction(0)) + value * factor
    return _without_zeros(result)


def _without_zeros(linear: _Linear) -> _Linear:
    return {key: value for key, value in linear.items() if value}


def compare_families(one: Family, other: Family) -> Verdict:
    """Compare two families as sets of values, by their remainders for a common period."""
    if one.whole != other.whole:
        return Verdict("different", witness="only one of them has values for negative integers")
    if not one.whole:
        return _compare_half_families(one, other)
    # All steps must be rational multiples of the first, else there is no common period.
    first = one.steps[0][1]
    index = 0 if first[0] else 1
    scales = []
    for _, step in (*one.steps, *other.steps):
        scale = step[index] / first[index]
        if not scale or tuple(scale * part for part in first) != step:
            return Verdict("undecided", reason="the families have no common period")
        scales.append(abs(scale))
    # The common period is the least common multiple of the steps, in units of the first.
    bottom = lcm(*(scale.denominator for scale in scales))
    tops = [int(scale * bottom) for scale in scales]
    whole = Fraction(lcm(*tops), bottom)
    period = tuple(
        whole * abs(part) if index == at else whole * part * (1 if first[index] > 0 else -1)
        for at, part in enumerate(first)
    )
    if sum(int(whole / scale) for scale in scales) > _MOST_REMAINDERS:
        return Verdict("undecided", reason="the common period of the families is too long")
    # Within one period each family has finitely many values; equal remainders mean equal families.
    sets = [_remainders(each.steps, period, index, whole, abs(first[index])) for each in (one, other)]
    apart = sets[0] ^ sets[1]
    if apart:
        return Verdict("different", witness=f"{_format_point(min(apart))} belongs to one of them only")
    return Verdict("equal", reason="the same values for all integers")


def _compare_half_families(one: Family, other: Family) -> Verdict:
    """Compare families of which the integers have a least one, by their values until they repeat."""
    if sorted(one.steps) == sorted(other.steps) and one.is_vague == other.is_vague:
        return Verdict("equal")
    apart = _find_difference(one.steps, other.steps)
    if one.is_vague == other.is_vague:
        if apart == "":
            return Verdict("equal", reason="the same values for all integers")
        return Verdict("different", witness=apart) if apart else _UNCOMPARED
    vague, clear = (one, other) if one.is_vague else (other, one)
    later = tuple(((start[0] + step[0], start[1] + step[1]), step) for start, step in vague.steps)
    for first, steps in ((0, vague.steps), (1, later)):
        if _find_difference(steps, clear.steps) == "":
            return Verdict("equal if", condition=f"ℕ begins with {first}")
    return Verdict("different", witness=apart) if apart else _UNCOMPARED


_UNCOMPARED = Verdict("undecided", reason="families over the natural numbers are compared by their terms")


def _find_difference(
    one: Sequence[tuple[_Point, _Point]], other: Sequence[tuple[_Point, _Point]]
) -> str | None:
    """Return which value only one of two families over 0, 1, 2, … has, "" if they have the same; None where
    they do not all grow, or not in the same direction."""
    steps = [*one, *other]
    index = 0 if steps[0][1][0] else 1
    if any(step[1 - index] or start[1 - index] or step[index] <= 0 for start, step in steps):
        return None
    bottom = lcm(*(step[index].denominator for _, step in steps))
    period = Fraction(lcm(*(int(step[index] * bottom) for _, step in steps)), bottom)
    end = max(start[index] for start, _ in steps) + period
    if sum((end - start[index]) / step[index] for start, step in steps) > _MOST_REMAINDERS:
        return None
    values = []
    for family in (one, other):
        reached: set[Fraction] = set()
        for start, step in family:
            count = int((end - start[index]) // step[index]) + 1
            reached.update(start[index] + number * step[index] for number in range(count))
        values.append({value for value in reached if value <= end})
    apart = values[0] ^ values[1]
    if not apart:
        return ""
    value = min(apart)
    point = (value, Fraction(0)) if index == 0 else (Fraction(0), value)
    return f"{_format_point(point)} belongs to one of them only"


def _remainders(
    steps: Sequence[tuple[_Point, _Point]],
    period: tuple[Fraction, ...],
    index: int,
    whole: Fraction,
    unit: Fraction,
) -> set[_Point]:
    result = set()
    for start, step in steps:
        for number in range(int(whole / (abs(step[index]) / unit))):
            value = tuple(part + number * more for part, more in zip(start, step, strict=True))
            turns = value[index] // period[index]
            result.add((value[0] - turns * period[0], value[1] - turns * period[1]))
    return result


def _format_point(point: _Point) -> str:
    plain, turned = point
    if not turned:
        return str(plain)
    multiple = "pi" if turned == 1 else f"{turned}*pi"
    return multiple if not plain else f"{plain} + {multiple}"


# ---- values by cases


def cases_of(tree: Tree) -> tuple[str, list[tuple[Tree, Tree]]] | None:
    """Return what a value by cases is of, "" where that is not said, and each value with its condition."""
    name = ""
    if tree.label == "=" and tree.children[1].label == "cases":
        name, tree = " ".join(tree.children[0].list_labels()), tree.children[1]
    if tree.label != "cases":
        return None
    values, conditions = tree.children[::2], list(tree.children[1::2])
    for at, condition in enumerate(conditions):
        if condition.label == "else":
            before = conditions[:at]
            conditions[at] = (
                Tree("not", (Tree("or", tuple(before)) if len(before) > 1 else before[0],))
                if before
                else condition
            )
    return name, list(zip(values, conditions, strict=True))


def compare_cases(judge: Judge, one: list[tuple[Tree, Tree]], other: list[tuple[Tree, Tree]]) -> Verdict:
    """Compare values by cases: in any order, with conditions that say the same."""
    left = list(other)
    for value, condition in one:
        match = next((each for each in left if _same(judge, condition, each[1])), None)
        if match is None or len(one) != len(other):
            return _compare_overlaps(judge, one, other)
        left.remove(match)
        verdict = judge.equal(value, match[0], [condition])
        if verdict.outcome != "equal":
            return verdict
    return Verdict("equal")


def _compare_overlaps(judge: Judge, one: list[tuple[Tree, Tree]], other: list[tuple[Tree, Tree]]) -> Verdict:
    """Compare values by cases of other conditions: wherever a case of each side holds, by its values."""
    unknown = Verdict("undecided", reason="the cases have other conditions")
    wholes = [_join_conditions(cases) for cases in (one, other)]
    names = free_variables(*wholes)
    if len(names) != 1 or not _same(judge, *wholes):
        return unknown
    name = Tree(next(iter(names)))
    nowhere = Tree("and", (Tree("<", (name, ZERO)), Tree(">", (name, ZERO))))
    for (mine, holds), (theirs, other_holds) in product(one, other):
        both = Tree("and", (holds, other_holds))
        if judge.equal(both, nowhere).outcome == "equal":
            continue
        # Conditions such as x <= 2 and x >= 2 share a point only, which no search finds.
        edges = [end for part in list_conjuncts(both) for end in part.children if not free_variables(end)]
        point = next((end for end in edges if _same(judge, both, Tree("=", (name, end)))), None)
        if point is not None:
            verdict = judge.equal(replace_leaf(mine, name, point), replace_leaf(theirs, name, point))
        else:
            verdict = judge.equal(mine, theirs, list_conjuncts(both))
        if verdict.outcome != "equal":
            return verdict
    return Verdict("equal")


def _join_conditions(cases: list[tuple[Tree, Tree]]) -> Tree:
    conditions = tuple(condition for _, condition in cases)
    return Tree("or", conditions) if len(conditions) > 1 else conditions[0]


def _same(judge: Judge, one: Tree, other: Tree) -> bool:
    return one == other or (
        free_variables(one) == free_variables(other) and judge.equal(one, other).outcome == "equal"
    )
