r"""Definitions whose right side has no value somewhere in the domain that is stated for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engines.core.tree import ZERO, Tree
from engines.formula.meaning import Reading
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import REALS
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import ranges_over_numbers, words_of
from engines.proofreading.letter_domains import list_conditions, list_interval_ends
from engines.proofreading.term_properties import free_symbols, take_odd_roots

_ARROWS = (r"\to", r"\rightarrow", r"\longrightarrow", "→")
_COLONS = (r"\colon", ":")
_UNCLEAR = frozenset(("call", "cases", "sum", "prod", "integral", "limit", "inf", "i", "text", "unit", "pm"))
_MOST_NODES = 60


def find_undefined(
    link: ChainLink, left: Tree, right: Tree, read_formula: Callable[[str], Reading], judge: Judge
) -> str:
    r"""Return where a function is defined that the text gives a larger domain; "" where that is all of it.

    Args:
        left, right: the sides of the definition, as `f(x) = 1/x`.
        read_formula: how formulas of the text are read.
    """
    if (
        left.label != "call"
        or len(left.children) != 2
        or link.index
        or link.of_problem
        or link.has_denial_nearby
    ):
        return ""
    name, argument = left.children
    if argument.children or free_symbols(right) != {argument.label} or len(right) > _MOST_NODES:
        return ""
    if not _UNCLEAR.isdisjoint(right.list_labels()):
        return ""
    written = list(link.formulas_before[-2:])
    if link.is_restricted_behind:
        written.append(link.next_formula)
    said = ranges_over_numbers(link.words_after) and "real" in words_of(link.words_after)
    said = said and link.words_after_next[:1] in ("", ".")  # and not `except 1`
    domains = (_read_domain(formula, name.label, argument, read_formula) for formula in written)
    for stated in (*domains, [] if said and link.next_formula.strip() == argument.label else None):
        if stated is None:
            continue
        beside = [one for latex in written for one in list_conditions(read_formula(latex).tree)]
        known = [one for one in (*stated, *beside) if free_symbols(one) == {argument.label}]
        # Negative numbers have odd roots, which a text can write as powers.
        verdict = judge.equal(Tree("*", (ZERO, take_odd_roots(right))), ZERO, known)
        return verdict.condition if verdict.outcome == "equal if" and not verdict.witness else ""
    return ""


def _read_domain(
    formula: str, name: str, argument: Tree, read_formula: Callable[[str], Reading]
) -> Sequence[Tree] | None:
    """Return the conditions of a domain that a formula states for a function or its argument; None for no
    domain."""
    for membership in _iterate_memberships(formula, name, argument.label):
        tree = read_formula(membership).tree
        if tree is None or tree.label != "in" or tree.children[0] != argument:
            continue
        where = tree.children[1]
        if where.label in REALS:
            return []
        if where.label == "interval":
            return list_interval_ends(argument, where)
    return None


def _iterate_memberships(formula: str, name: str, argument: str) -> Iterator[str]:
    """A formula as it is, and `x \\in A` for `f \\colon A \\to B`."""
    yield formula
    for colon in _COLONS:
        head, sign, rest = formula.partition(colon)
        arrow = next((each for each in _ARROWS if each in rest), "")
        if sign and arrow and head.strip() == name:
            yield rf"{argument} \in {rest.partition(arrow)[0]}"
