"""Numbers at which a statement fails although all that is known of its variables holds there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from engines.core.tree import Tree
from engines.mathematics.algebra.rational import number_tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import INTEGERS, replace_variable
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.term_properties import evaluate_term, free_symbols

_SIMPLE = tuple(map(Fraction, ("0", "1", "-1", "2", "-2", "1/2", "-1/2", "3", "-3", "10", "-10")))
"""What a reader tries first: edges of strict inequalities such as 0 and 1, and a number of each kind."""
_AROUND_END = tuple(map(Fraction, ("0", "1/10", "-1/10", "1/100", "-1/100", "1", "-1")))
"""Steps from where a condition or the statement ends to numbers that may satisfy it."""
_TURNS = tuple(Tree("*", (number_tree(Fraction(each, 2)), Tree("pi"))) for each in (1, 2, 3))
"""Angles with the greatest and smallest sine and cosine."""
_LARGEST_DENOMINATOR, _LARGEST_END = 1000, 10**6
_PERIODIC = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
_MOST_VALUES = {1: None, 2: None, 3: 7, 4: 3, 5: 3}
"""So many numbers are tried for each of several variables."""
_ORDERS: Mapping[str, frozenset[int]] = {
    "<": frozenset((-1,)), "<=": frozenset((-1, 0)), ">": frozenset((1,)), ">=": frozenset((0, 1)),
    "=": frozenset((0,)), "!=": frozenset((-1, 1)),
}  # fmt: skip
_NATURAL = ("N", "ℕ")
_CLOSE = 1e-12


def find_counterexample(judge: Judge, statement: Tree, known: Sequence[Tree]) -> str:
    """Find where a statement fails and what is known holds; "" for nowhere.

    >>> from engines.formula.reader import read
    >>> from engines.mathematics.judging.judge import judge
    >>> find_counterexample(judge(), read("x^2 > 0").tree, [])
    'x = 0'
    >>> find_counterexample(judge(), read("x^2 > 10").tree, [read("x > 3").tree])
    'x = 3.1'
    """
    names = sorted(free_symbols(statement).union(*map(free_symbols, known)))
    tried = _list_values(statement, known)[: _MOST_VALUES.get(len(names), 0)]
    for values in product(tried, repeat=len(names)):
        place = dict(zip(names, values, strict=True))
        at = {name: value for name, (_, value) in place.items()}
        if holds_at(statement, at) is not False or not all(holds_at(each, at) for each in known):
            continue
        # The values are floats: what they show is decided exactly.
        exact = {name: tree for name, (tree, _) in place.items()}
        if judge.holds(_insert(statement, exact)).outcome == "different" and all(
            judge.holds(_insert(each, exact)).outcome == "equal" for each in known
        ):
            return ", ".join(write_term(Tree("=", (Tree(name), tree))) for name, tree in exact.items())
    verdict = judge.holds(statement, known)
    return verdict.witness if verdict.outcome in ("different", "equal if") else ""


def _list_values(statement: Tree, known: Sequence[Tree]) -> list[tuple[Tree, float]]:
    """List the numbers to try: simple ones, those around the ends of bounds, and turns of angles."""
    ends = (
        Fraction(end).limit_denominator(_LARGEST_DENOMINATOR)
        for each in (*known, statement)
        for side in each.children
        if not free_symbols(side) and (end := evaluate_term(side, {})) is not None and abs(end) < _LARGEST_END
    )
    near = (end + step for end in ends for step in _AROUND_END)
    terms = list(map(_write_number, dict.fromkeys((*_SIMPLE, *near))))
    if not _PERIODIC.isdisjoint(statement.list_labels()):
        terms += _TURNS
    values = ((each, evaluate_term(each, {})) for each in terms)
    return [(each, value) for each, value in values if value is not None]


def _write_number(value: Fraction) -> Tree:
    """Return a number as a reader writes it: as a decimal of few digits, or as a fraction."""
    hundredths = value * 100
    is_decimal = hundredths.denominator == 1 and value.denominator not in (1, 2)
    return Tree(f"{float(value):g}") if is_decimal else number_tree(value)


def holds_at(statement: Tree, at: Mapping[str, float]) -> bool | None:
    """Return whether a statement holds at numbers; None where that is not known."""
    if statement.label == "in":
        value = evaluate_term(statement.children[0], at)
        is_known = statement.children[1].label in INTEGERS
        least = 1 if statement.children[1].label in _NATURAL else value
        return (
            value.is_integer() and value >= least
            if is_known and value is not None and least is not None
            else None
        )
    one, other = (evaluate_term(side, at) for side in statement.children)
    signs = _ORDERS.get(statement.label)
    if one is None or other is None or signs is None:
        return None
    gap = one - other
    is_zero = abs(gap) <= _CLOSE * (1 + abs(one))
    return (0 if is_zero else 1 if gap > 0 else -1) in signs


def _insert(statement: Tree, values: Mapping[str, Tree]) -> Tree:
    for name, value in values.items():
        statement = replace_variable(statement, name, value)
    return statement
