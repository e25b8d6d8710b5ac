"""What is worked out of the terms of answers: their parts, multiples and quotients, in other units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from engines.core.tree import Tree
from engines.formula.vocabulary import variable_name
from engines.grading.numbers import Term
from engines.grading.reading import term_of
from engines.grading.trees import number_tree, tree_of_term


def shown_part(term: Term) -> Fraction:
    """Return the value of the digits that are written: 0.33 for `0.33…`."""
    return Fraction(term.text) if term.shown_digits else term.value or Fraction(0)


def scale_term(term: Term, factor: Fraction) -> Term:
    """Return a term times a factor; it is no rounded decimal any more."""
    if term.value is not None:
        return replace(term, value=term.value * factor, decimals=None)
    return _map_tree(term, lambda tree: Tree("*", (tree, number_tree(factor))))


def raise_term(term: Term, shift: Fraction) -> Term:
    """Return a term plus a constant; it is no rounded decimal any more."""
    if term.value is not None:
        return replace(term, value=term.value + shift, decimals=None)
    return _map_tree(term, lambda tree: Tree("+", (tree, number_tree(shift))))


def _map_tree(term: Term, change: Callable[[Tree], Tree]) -> Term:
    """A term without its unit that is another function of the same; one that cannot be read as it was."""
    tree = tree_of_term(term)
    return Term(term.text) if isinstance(tree, str) else term_of(change(tree))


def divide_terms(above: Term, below: Term) -> Term:
    """Return the quotient of two terms, with its value if both have one."""
    if above.value is not None and below.value:
        return Term(f"{above.text}/{below.text}", above.value / below.value)
    trees = tree_of_term(above), tree_of_term(below)
    if isinstance(trees[0], str) or isinstance(trees[1], str):
        return Term(f"{above.text}/{below.text}")
    return term_of(Tree("/", (trees[0], trees[1])))


def apply_multiplier(term: Term) -> Term:
    """Return `2 million people` as 2,000,000 people."""
    if term.unit is None or term.unit.times == 1:
        return term
    rest = replace(term.unit, times=1) if term.unit.powers else None
    return replace(scale_term(replace(term, unit=None), Fraction(term.unit.times)), unit=rest)


def divide_by_hundred(term: Term) -> Term:
    """Return the number that a percentage is; a term without a unit is returned as it is."""
    if term.unit is None:
        return term
    return replace(scale_term(replace(term, unit=None), Fraction(1, 100)), decimals=None)


def convert_to_radians(term: Term) -> Term:
    """Return an angle in degrees as a number of radians; other terms lose their unit."""
    if term.unit is None or not term.unit.measures_only("angle"):
        return replace(term, unit=None)
    return _map_tree(term, lambda tree: Tree("*", (tree, Tree("/", (Tree("pi"), Tree("180"))))))


def convert_to_degrees(term: Term) -> Term:
    """Return a number of radians as that of degrees; an angle in degrees loses its unit."""
    if term.unit is not None:
        return replace(term, unit=None)
    return _map_tree(term, lambda tree: Tree("*", (tree, Tree("/", (Tree("180"), Tree("pi"))))))


def multiply_by_letter(term: Term) -> Term:
    """Return a term whose unit is taken as a variable: `5 m` as 5 times m."""
    if term.unit is None:
        return term
    return _map_tree(term, lambda tree: Tree("*", (tree, Tree(variable_name(term.unit.text)))))  # type: ignore[union-attr]
