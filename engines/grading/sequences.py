r"""Sequences: `a_n = 2^n + 1` beside `a_0 = 2, a_{n+1} = 2a_n - 1`, and where their index begins.

A recurrence is worked out from the terms that it begins with, exactly, and its terms are compared with those
of the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engines.core.tree import Tree
from engines.formula.vocabulary import PROBABILITIES
from engines.grading.linear_terms import list_conjuncts, read_linear, read_number
from engines.grading.trees import number_tree
from engines.grading.verdicts import GradeVerdict, differ_by, to_grade_verdict
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable

_COMPARED = 24
"""So many terms are worked out from a recurrence."""
_FEWEST = 8
_MOST_SHIFT = 4
_INDICES = frozenset("nkmijrN")
_NATURALS = {"ℕ": None, "N": None, "ℤ+": 1, "ℕ+": 1, "ℕ*": 1}
"""Sets of numbers of an index, and the first one; of ℕ this is 0 or 1."""


@dataclass(frozen=True, slots=True)
class _Sequence:
    """What is said of a sequence.

    Attributes:
        name: Its letter, "" where that is not said.
        index: The letter of its index.
        begins: The terms that are given.
        shift: The term that the rule gives is that of the index and so much more.
        rule: A term in the index, with calls of the name for earlier terms.
        least: The first index, None where that is not said.
    """

    name: str
    index: str
    begins: dict[int, Fraction]
    shift: int
    rule: Tree
    least: int | None
    has_range: bool

    @property
    def is_recurrence(self) -> bool:
        return any(node.label == "call" and node.children[0].label == self.name for node in self.rule)


def compare_sequences(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Compare what is said of the terms of a sequence; None for other answers."""
    one, other = read_sequence(gold), read_sequence(pred)
    if one is None or other is None or one.name != other.name:
        return None
    if not (one.is_recurrence or other.is_recurrence):
        return _compare_formulas(judge, one, other)
    starts = [min(each.begins) if each.is_recurrence and each.begins else each.least for each in (one, other)]
    known = [start for start in starts if start is not None]
    if not known or (len({*known}) > 1):
        return GradeVerdict("undecided", reason="the sequences begin with different indices")
    return _compare_terms(judge, one, other, known[0])


def read_sequence(tree: Tree) -> _Sequence | None:
    """Return what equations say of the terms of a sequence, as `a_0 = 2 and a_{n+1} = 2a_n - 1`."""
    if tree.label == "=" and tree.children[1].label == "cases" and len(tree.children[1].children) == 2:
        value, condition = tree.children[1].children  # for n >= 1
        tree = Tree("and", (Tree("=", (tree.children[0], value)), condition))
    if tree.label == "implies":
        tree = Tree("and", tree.children[::-1])
    parts = list_conjuncts(tree)
    equations = [one for one in parts if one.label == "="]
    said = [(_read_term(one.children[0]), one.children[1]) for one in map(_solve_for_last, equations)]
    terms = [(*term, value) for term, value in said if term is not None]
    if not terms or len({name for name, _, _ in terms}) > 1:
        return None
    name = terms[0][0]
    begins: dict[int, Fraction] = {}
    rules = []
    for _, place, value in terms:
        number = read_number(place)
        exact = read_number(value)
        if number is None:
            rules.append((place, value))
        elif number.denominator > 1 or exact is None:
            return None
        else:
            begins[int(number)] = exact
    if len(rules) != 1:
        return None
    place, rule = rules[0]
    letters = free_variables(place)
    if len(letters) != 1 or not letters <= _INDICES or name in PROBABILITIES:
        return None
    index = next(iter(letters))
    line = read_linear(place, index)
    if line is None or line[1] != 1 or line[0].denominator > 1 or abs(line[0]) > _MOST_SHIFT:
        return None
    least, has_range = None, False
    for one in [one for one in parts if one.label != "="]:
        first = _read_first(one, index)
        if first is None:
            return None
        has_range = True
        least = first[0] if least is None else max(least, first[0] or 0)
    if len(terms) < len(equations):
        return None
    return _Sequence(name, index, begins, int(line[0]), _write_calls(rule, name), least, has_range)


def _solve_for_last(equation: Tree) -> Tree:
    """Return `a_{n+1} - a_n = 2` or `a_{n+1}/a_n = 2` as what a_{n+1} is; another equation as it is."""
    left, right = equation.children
    if left.label not in ("-", "/") or any(one.label != "call" for one in left.children):
        return equation
    last, before = left.children
    return Tree("=", (last, Tree("+" if left.label == "-" else "*", (right, before))))


def _read_term(tree: Tree) -> tuple[str, Tree] | None:
    """Return the name and index of a term, of `a_n` or `a_{n+1}`; None for other terms."""
    if tree.label == "call" and len(tree.children) == 2:
        return tree.children[0].label, tree.children[1]
    base, _, index = tree.label.partition("_")
    return (base, Tree(index)) if not tree.children and len(base) == 1 and index else None


def _write_calls(tree: Tree, name: str) -> Tree:
    """Return a term in which terms of the sequence are calls of its name."""
    if not tree.children and tree.label.startswith(f"{name}_"):
        return Tree("call", (Tree(name), Tree(tree.label[len(name) + 1 :])))
    return (
        Tree(tree.label, tuple(_write_calls(part, name) for part in tree.children)) if tree.children else tree
    )


def _read_first(tree: Tree, index: str) -> tuple[int | None] | None:
    """Return the first index that a range leaves, None in it where that is not certain; None for others."""
    if tree.label == "in" and tree.children[0].label == index:
        numbers = tree.children[1].label
        if numbers in ("ℤ", "Z"):
            return (None,)
        return (_NATURALS[numbers],) if numbers in _NATURALS else None
    if tree.label not in ("<", "<=", ">", ">="):
        return None
    left, right = tree.children
    label = tree.label
    if right.label == index:
        left, right, label = right, left, {"<": ">", "<=": ">="}.get(label, "")
    number = read_number(right)
    if left.label != index or label not in (">", ">=") or number is None or number.denominator > 1:
        return None
    return (int(number) + (label == ">"),)


def _compare_formulas(judge: Judge, one: _Sequence, other: _Sequence) -> GradeVerdict | None:
    """Compare formulas for the terms, of which one or both say where the index begins."""
    if one.shift != other.shift:
        return None
    if (
        one.has_range
        and other.has_range
        and one.least != other.least
        and None not in (one.least, other.least)
    ):
        return GradeVerdict("undecided", reason="the sequences begin with different indices")
    if one.begins or other.begins:
        return None
    least = max(one.least or 0, other.least or 0)
    index = Tree(one.index)
    within = [Tree("in", (index, Tree("ℤ"))), Tree(">=", (index, Tree(str(least))))]
    verdict = to_grade_verdict(
        judge.equal(one.rule, replace_variable(other.rule, other.index, index), within)
    )
    if verdict.outcome == "equal" and one.has_range != other.has_range:
        return GradeVerdict("equal", reason="only one of them says where the sequence begins")
    return verdict if verdict.outcome == "equal" or one.has_range or other.has_range else None


def _compare_terms(judge: Judge, one: _Sequence, other: _Sequence, start: int) -> GradeVerdict | None:
    values = [_list_values(each, start) if each.is_recurrence else None for each in (one, other)]
    counts = [len(each) for each in values if each is not None]
    count = min(counts)
    if count < _FEWEST:
        return None
    for at in range(count):
        terms = [
            number_tree(known[at]) if known is not None else _put_index(each, start + at)
            for each, known in zip((one, other), values, strict=True)
        ]
        verdict = judge.equal(terms[0], terms[1])
        if verdict.outcome == "different":
            return differ_by(f"{one.name}_{start + at}: {verdict.witness}")
        if verdict.outcome != "equal":
            return None
    return GradeVerdict("equal", reason=f"the first {count} terms are the same")


def _put_index(sequence: _Sequence, number: int) -> Tree:
    return replace_variable(sequence.rule, sequence.index, Tree(str(number - sequence.shift)))


def _list_values(sequence: _Sequence, start: int) -> list[Fraction]:
    """Return terms from the first on, as many as can be worked out exactly."""
    values = dict(sequence.begins)
    for number in range(start, start + _COMPARED):
        if number in values:
            continue
        value = read_exact(_put_values(_put_index(sequence, number), sequence.name, values))
        if value is None:
            break
        values[number] = value
    known: list[Fraction] = []
    while start + len(known) in values:
        known.append(values[start + len(known)])
    return known


def _put_values(tree: Tree, name: str, values: dict[int, Fraction]) -> Tree:
    if tree.label == "call" and tree.children[0].label == name:
        number = read_number(tree.children[1])
        known = values.get(int(number)) if number is not None and number.denominator == 1 else None
        return number_tree(known) if known is not None else tree
    return (
        Tree(tree.label, tuple(_put_values(part, name, values) for part in tree.children))
        if tree.children
        else tree
    )


def read_exact(tree: Tree) -> Fraction | None:
    """Return a term of rational numbers as its value; None for other terms."""
    from engines.mathematics.judging.numbers import exact_value  # loads NumPy

    value = exact_value(tree)
    return None if value is None else Fraction(value)
