r"""Sums without end: `\sum_{n=0}^\infty x^n/n!` beside `1 + x + x^2/2! + …`.

Two of them are the same series if their terms are, one by one. Dots go on as the terms before them do, which
three terms show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice

from engines.core.tree import ONE, ZERO, Tree
from engines.formula.cursor import ELLIPSIS
from engines.grading.linear_terms import read_number
from engines.grading.reading import write_tree
from engines.grading.verdicts import GradeVerdict
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable

_SHOWN = 3
"""So many terms show how dots go on."""
_MOST_TERMS = 12
_SHIFTS = (0, 1, -1, 2, -2)
_MINUS_ONE = Tree("-1")
_INFINITY = Tree("inf")


@dataclass(frozen=True, slots=True)
class _Series:
    """Terms at the beginning, and behind them dots, or a body for each integer from `start` on.

    Attributes:
        said: What it is said to be, the left side of an equation.
        condition: Where it is said to hold.
    """

    terms: tuple[Tree, ...]
    index: str = ""
    start: int = 0
    body: Tree = ZERO
    said: Tree | None = None
    condition: Tree | None = None


def is_series(tree: Tree) -> bool:
    """Return whether a sum without end is in a term or statement."""
    return any(node.label == ELLIPSIS or _is_endless(node) for node in tree)


def compare_series(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Compare two series term by term; None for what is none, and where that does not decide."""
    one, other = _read_series(gold), _read_series(pred)
    if one is None or other is None:
        return None
    if one.said is not None and other.said is not None and one.said != other.said:
        return None
    if (
        one.condition is not None
        and other.condition is not None
        and one.condition != other.condition
        and judge.equal(one.condition, other.condition).outcome != "equal"
    ):
        return GradeVerdict("undecided", reason="they are said to hold in different places")
    if one.index and other.index:
        verdict = _compare_sums(judge, one, other)
    else:
        verdict = _compare_written(judge, one, other)
    if (
        verdict is not None
        and verdict.outcome == "equal"
        and (one.condition is None) != (other.condition is None)
    ):
        return GradeVerdict("equal", reason="only one of them says where the series converges")
    return verdict


def _read_series(tree: Tree) -> _Series | None:
    if tree.label in ("such", "cases") and len(tree.children) == 2:
        series = _read_series(tree.children[0])
        return None if series is None else _replace(series, condition=tree.children[1])
    if tree.label == "forall":
        name, *within, said = tree.children
        series = _read_series(said)
        everywhere = within[0] if within else Tree("in", (name, Tree("ℝ")))
        return None if series is None else _replace(series, condition=everywhere)
    if tree.label == "=":
        sides = [is_series(side) for side in tree.children]
        if sides != [False, True]:
            return None
        series = _read_series(tree.children[1])
        return None if series is None else _replace(series, said=tree.children[0])
    return _split(tree)


def _replace(series: _Series, said: Tree | None = None, condition: Tree | None = None) -> _Series:
    return _Series(series.terms, series.index, series.start, series.body, said, condition)


def _is_endless(tree: Tree) -> bool:
    return tree.label == "sum" and tree.children[2] == _INFINITY


def _split(tree: Tree) -> _Series | None:
    """Return the terms of a sum, with what goes on without end behind them; None for other terms."""
    operands = _list_operands(tree)
    if operands[-1].label == ELLIPSIS:
        return _split_dots(operands[:-1])
    endless = [one for one in operands if is_series(one)]
    if len(endless) != 1:
        return None
    scaled = _take_factors(endless[0])
    if scaled is None:
        return None
    factors, series = scaled
    index, start, _, body = series.children
    first = read_number(start)
    if first is None or first.denominator > 1 or index.label in free_variables(*factors):
        return None
    terms = tuple(one for one in operands if one is not endless[0])
    return _Series(terms, index.label, int(first), reduce(_multiply, factors, body))


def _split_dots(operands: Sequence[Tree]) -> _Series:
    """Return the series of terms before dots; `1 + … + x^n + …` goes on as its general term."""
    first = operands[0]
    if len(operands) == 1 and first.label == "sum" and not first.children[2].children:
        index, start, _, body = first.children
        begin = read_number(start)
        if begin is not None and begin.denominator == 1:
            return _Series((), index.label, int(begin), body)
    return _Series(tuple(operands))


def _list_operands(tree: Tree) -> list[Tree]:
    """Return the terms of a sum with their signs, those of sums in brackets as one."""
    if tree.label not in ("+", "-") or len(tree.children) != 2:
        return [tree]
    first, last = tree.children
    is_taken = tree.label == "-" and last.label != ELLIPSIS
    return [*_list_operands(first), Tree("*", (_MINUS_ONE, last)) if is_taken else last]


def _take_factors(tree: Tree) -> tuple[list[Tree], Tree] | None:
    """Return what a sum without end is multiplied by, and that sum; None for other terms."""
    if _is_endless(tree):
        return [], tree
    if tree.label not in ("*", "/"):
        return None
    one, other = tree.children
    if is_series(one) and not is_series(other):
        inner = _take_factors(one)
        factor = other if tree.label == "*" else Tree("/", (ONE, other))
    elif tree.label == "*" and is_series(other) and not is_series(one):
        inner, factor = _take_factors(other), one
    else:
        return None
    return None if inner is None else ([*inner[0], factor], inner[1])


def _multiply(one: Tree, other: Tree) -> Tree:
    return Tree("*", (other, one))


def _compare_sums(judge: Judge, one: _Series, other: _Series) -> GradeVerdict | None:
    """Compare series of which both have a body: these must agree for all integers, and what is left too."""
    index = Tree("n'")
    body = replace_variable(one.body, one.index, index)
    for shift in _SHIFTS:
        moved = Tree("+", (index, Tree(str(shift)))) if shift else index
        start = max(one.start, other.start - shift)
        within = [Tree("in", (index, Tree("ℤ"))), Tree(">=", (index, Tree(str(start))))]
        if not _are_equal(judge, body, replace_variable(other.body, other.index, moved), within):
            continue
        rests = [
            [*each.terms, *(_make_term(each, number) for number in range(each.start, begin))]
            for each, begin in ((one, start), (other, start + shift))
        ]
        left, right = (reduce(lambda a, b: Tree("+", (a, b)), rest, ZERO) for rest in rests)
        if _are_equal(judge, left, right, []):
            return GradeVerdict("equal", reason="the same terms of a series")
        return None
    return None


def _compare_written(judge: Judge, one: _Series, other: _Series) -> GradeVerdict | None:
    terms = [list(islice(_iterate_terms(each), _MOST_TERMS)) for each in (one, other)]
    pairs = list(zip(*terms, strict=False))
    for number, (mine, theirs) in enumerate(pairs, 1):
        if not _are_equal(judge, mine, theirs, []):
            shown = " and ".join(map(write_tree, (mine, theirs)))
            return GradeVerdict("undecided", reason=f"term {number} of the series is {shown}")
    if len(pairs) < 2:
        return None
    if len(pairs) < _SHOWN:
        return GradeVerdict("equal if", condition="the dots go on as the other series")
    return GradeVerdict("equal", reason="the dots go on as the terms before them")


def _iterate_terms(series: _Series) -> Iterator[Tree]:
    """Yield the terms of a series that are not 0."""
    yield from series.terms
    if series.index:
        for number in range(series.start, series.start + 2 * _MOST_TERMS):
            term = _make_term(series, number)
            if read_number(term) != 0:
                yield term


def _make_term(series: _Series, number: int) -> Tree:
    return _drop_zero_powers(replace_variable(series.body, series.index, Tree(str(number))))


def _drop_zero_powers(tree: Tree) -> Tree:
    """Return a term with 1 for powers whose exponent is 0: in a series x^0 is 1 for all x."""
    parts = tuple(map(_drop_zero_powers, tree.children))
    if tree.label == "pow" and read_number(parts[1]) == 0:
        return ONE
    return Tree(tree.label, parts) if parts else tree


def _are_equal(judge: Judge, one: Tree, other: Tree, within: Sequence[Tree]) -> bool:
    verdict = judge.equal(one, other, within)
    # A power of 0 has no value for the judge, and is 1 or 0 in a series.
    bare = verdict.condition.replace(" != 0", "").split(" and ")
    return verdict.outcome == "equal" or (
        verdict.outcome == "equal if"
        and verdict.condition.count(" != 0") == len(bare)
        and {*bare} <= free_variables(one, other)
    )
