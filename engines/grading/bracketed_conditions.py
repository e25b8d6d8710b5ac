r"""Conditions in brackets behind a term: `c(1, -1) (c \ne 0)` is all of these multiples but zero."""

from __future__ import annotations

from engines.core.tree import Tree

_RELATIONS = ("!=", "<", "<=", ">", ">=", "in")


def open_conditions(tree: Tree) -> Tree:
    """Return a product of a term and a relation, which is none, as the term with the relation as condition.

    >>> tree = Tree("*", (Tree("c"), Tree("!=", (Tree("c"), Tree("0")))))
    >>> " ".join(open_conditions(tree).list_labels())
    'such c != c 0'
    """
    factors = _list_factors(tree)
    conditions = [one for one in factors if one.label in _RELATIONS]
    terms = [one for one in factors if one.label not in _RELATIONS]
    if len(conditions) != 1 or not terms:
        return tree
    product = terms[0]
    for factor in terms[1:]:
        product = Tree("*", (product, factor))
    return Tree("such", (product, conditions[0]))


def _list_factors(tree: Tree) -> list[Tree]:
    return [one for part in tree.children for one in _list_factors(part)] if tree.label == "*" else [tree]
