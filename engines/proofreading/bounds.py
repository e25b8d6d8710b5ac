"""Bounds on one variable: carried from one statement to the next, and two that nothing satisfies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from engines.core.tree import Tree
from engines.mathematics.algebra.rational import number_tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import TURNED
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, last_sentence, mentions, words_of
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.slips import points_of
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import evaluate_term, free_symbols

MINUS_ONE = Tree("-1")
BOUNDS = ("<", ">", "<=", ">=")
_LAST_BOUNDS = 4
"""Of the bounds said so far, so many of the last bear on one that comes."""
_NEXT_FORMULA = 4
"""Pieces of a text from one formula to the next but one, words between them: "-2x > -6; divided by -2"."""

_OPERATIONS = ("divid", "multipl", "divis", "teil", "moltiplic")
"""How words for a division or multiplication begin."""
_ROWS = 3
"""Rows of a display: two that say the same, and the next one."""


class BoundEnd(NamedTuple):
    """Where a variable ends. Attributes: is_above: the variable is above the value."""

    value: float
    is_above: bool


def read_end(bound: Tree) -> BoundEnd | None:
    """Read a bound of one variable by a number; None for another.

    >>> read_end(Tree("<", (Tree("2"), Tree("x"))))
    BoundEnd(value=2.0, is_above=True)
    """
    left, right = bound.children
    turned = not free_symbols(left)
    side, bound_side = (right, left) if turned else (left, right)
    value = evaluate_term(bound_side, {})
    if side.label == "*" and side.children[0] == MINUS_ONE and value is not None:  # -x < 0
        side, value, turned = side.children[1], -value, not turned
    if side.children or not free_symbols(side) or free_symbols(bound_side) or value is None:
        return None
    return BoundEnd(value, (bound.label[0] == ">") != turned)


def carry_bound(
    judge: Judge, link: ChainLink, statement: Tree, bounds: Sequence[tuple[ChainLink, Tree]]
) -> LinkVerdict | None:
    """Judge a bound by the last one said of its variable in the paragraph: it says the same, or, as where an
    inequality is divided by a negative number, the opposite. None for neither."""
    names = free_symbols(statement)
    for place, (previous, bound) in reversed([*enumerate(bounds)][-_LAST_BOUNDS:]):
        here = previous.position.paragraph == link.position.paragraph
        # A displayed formula is a paragraph of its own.
        here = here or link.piece_index - previous.piece_index <= _NEXT_FORMULA
        if (
            previous is link
            or not here
            or free_symbols(bound) != names
            or len(bound) < len(statement)
            or (len(bound) == len(statement) and read_end(bound) is not None)
            or len(names) > 1
        ):
            continue
        earlier = " ".join(
            f"{previous.left} {previous.relation} {previous.right} (line {previous.line})".split()
        )
        if judge.equal(bound, statement).outcome == "equal":
            return LinkVerdict(link, "follows", f"by {earlier}")
        opposite = Tree(TURNED[statement.label], statement.children)
        if judge.equal(bound, opposite).outcome == "equal":
            clause = last_clause(link.words_before)
            concluded = is_concluded(link) or mentions("deducing", clause) or mentions("obtaining", clause)
            concluded = concluded or _names_operation(link)
            concluded = concluded or _is_last_row(judge, link, bounds[max(place - 1, 0) : place + 1])
            drawn = concluded and not (link.is_denied_directly or link.is_one_of_alternatives)
            return LinkVerdict(link, "wrong" if drawn else "not shown", f"{earlier} says the opposite")
        return None
    return None


def _names_operation(link: ChainLink) -> bool:
    """Return whether words before a bound say by which operation it comes: "Dividing by -2:"."""
    return any(word.startswith(_OPERATIONS) for word in words_of(last_sentence(link.words_before)))


def _is_last_row(judge: Judge, link: ChainLink, before: Sequence[tuple[ChainLink, Tree]]) -> bool:
    """Return whether a bound is the next row behind two that say the same: one inequality is rewritten row by
    row there, and no system or list of cases is given."""
    rows = [*(row for row, _ in before), link]
    same_display = all(row.piece_index == link.piece_index and not row.index for row in rows)
    follow_each_other = all(one.chain_index + 1 == other.chain_index for one, other in pairwise(rows))
    if len(rows) < _ROWS or not (same_display and follow_each_other):
        return False
    if any(row.connective != "row" for row in rows[1:]):
        return False
    (_, first), (_, second) = before
    return judge.equal(first, second).outcome == "equal"


def find_opposite(statement: Tree, conditions: Sequence[Tree]) -> Tree | None:
    """Find a bound that no number satisfies together with another on the same variable."""
    end = read_end(statement)
    for known in conditions[-_LAST_BOUNDS:]:
        known_end = read_end(known) if known.label in BOUNDS else None
        if end is None or known_end is None or free_symbols(known) != free_symbols(statement):
            continue
        low, high = (end, known_end) if end.is_above else (known_end, end)
        strict = "=" not in statement.label or "=" not in known.label
        if (
            low.is_above
            and not high.is_above
            and (low.value > high.value or (low.value == high.value and strict))
        ):
            return known
    return None


def is_multiple(statement: Tree, source: Tree, are_equal: Callable[[Tree, Tree], bool]) -> bool:
    """Return whether an inequality is another, multiplied by a positive number."""
    if statement.label != source.label or free_symbols(statement) != free_symbols(source):
        return False
    for at in points_of(free_symbols(statement)):
        values = [evaluate_term(side, at) for side in (*statement.children, *source.children)]
        if None in values or not (values[2] or values[3]):
            continue
        factor = (values[0] or 0.0) / values[2] if values[2] else (values[1] or 0.0) / (values[3] or 1.0)
        # A point without roots of negative numbers gives the number; algebra then decides.
        whole = Fraction(factor).limit_denominator(_LARGEST_FACTOR)
        scaled = (Tree("*", (number_tree(whole), side)) for side in source.children)
        return whole > 0 and all(map(are_equal, statement.children, scaled))
    return False


_LARGEST_FACTOR = 1000
"""Denominator of a number by which an inequality was multiplied."""
