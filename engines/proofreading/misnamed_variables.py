"""Names with an index that a text has nowhere else, where what it said is about another of their family."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from engines.core.expression_language import GREEK
from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import MOST_STEPS, Facts, describe_sources
from engines.proofreading.near_consequences import FAR
from engines.proofreading.term_properties import are_exactly_equal, free_symbols

_INDEXED = re.compile(r"(?<![A-Za-z\\])(\\[A-Za-z]+|[A-Za-z])\s*_\s*(?:\{\s*(\d+)\s*\}|(\d))")
_MOST_OTHERS = 8
_ENOUGH = 9
"""Nodes of a statement that is hardly said of two names."""


def count_indexed_names(formulas: Iterable[str]) -> Counter[str]:
    r"""In how many formulas each letter with a number below it occurs.

    >>> sorted(count_indexed_names(["x_1 + x_{12} = \\lambda_2", "x_1 = 2"]).items())
    [('x_1', 2), ('x_12', 1), ('λ_2', 1)]
    """
    return Counter(
        name
        for formula in formulas
        for name in {
            f"{GREEK.get(letter[1:], letter)}_{longer or shorter}"
            for letter, longer, shorter in _INDEXED.findall(formula)
        }
    )


def find_misnamed(facts: Facts, counts: Counter[str], link: ChainLink, left: Tree, right: Tree) -> str:
    """Return which other name of its family is to stand for one that the text has nowhere else, so that a
    statement holds or follows; "" where none is."""
    free = free_symbols(left) | free_symbols(right)
    for name in sorted(free):
        family, indexed, _ = name.partition("_")
        if not indexed or counts[name] != 1:
            continue
        said = free.union(*(fact.variables for fact in facts.in_scope if link.line - fact.line <= FAR))
        others = sorted(other for other in said - {name} if other.startswith(f"{family}_"))
        for other in others[:_MOST_OTHERS]:
            one, two = (replace_variable(side, name, Tree(other)) for side in (left, right))
            if (by := _find_reason(facts, link, one, two)) is not None:
                return f"{name} is named nowhere else; with {other} it {by}"
    return ""


def _find_reason(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> str | None:
    """Return by what a statement holds; None where it says nothing, or does not."""
    long = len(left) + len(right) >= _ENOUGH
    if left == right or (
        free_symbols(left) and free_symbols(right) and not (left.children or right.children)
    ):
        return None
    if long and left.children and right.children and are_exactly_equal(left, right):
        return "holds always"
    if not long and any((fact.left, fact.right) == (left, right) for fact in facts.in_scope):
        return None
    reduced = facts.reduce_by_facts(left, right)
    if reduced is None or not reduced.same or not 0 < len(reduced.used) <= MOST_STEPS:
        return None
    near = all(link.line - fact.line <= FAR and not fact.alternative for fact in reduced.used)
    if not near or facts.find_contradiction(left, right, reduced.used):
        return None
    return f"follows {describe_sources(reduced.used)}"
