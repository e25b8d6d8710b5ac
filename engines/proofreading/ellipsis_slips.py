r"""Sums and products with an ellipsis in which one number is another: `k! = 1 \cdot 3 \cdot 3 \cdots k`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from engines.core.tree import Tree
from engines.formula.cursor import ELLIPSIS
from engines.mathematics.judging.ellipses import spell_out_ellipses
from engines.mathematics.verification.work_limit import WorkLimitError, spend_work
from engines.proofreading.slips import iterate_changes, iterate_retyped
from engines.proofreading.term_properties import WHOLE, free_symbols

_OPERATIONS_PER_NODE = 4
"""Of a term whose ellipsis is spelled out."""


def find_ellipsis_slip(left: Tree, right: Tree, are_equal: Callable[[Tree, Tree], bool]) -> str:
    """Return the change of a term with an ellipsis by which it is a sum or product over an index that is the
    other side; "" where none is.

    Args:
        are_equal: Whether two terms are equal whatever their variables are.
    """
    for side, other in ((left, right), (right, left)):
        if ELLIPSIS not in side.list_labels() or ELLIPSIS in other.list_labels() or not free_symbols(other):
            continue
        with suppress(WorkLimitError):
            for changed, instead in _iterate_changed(side):
                # Each node is put into several candidates for the terms before the dots.
                spend_work(_OPERATIONS_PER_NODE * len(changed))
                spelled = spell_out_ellipses(changed)
                if ELLIPSIS not in spelled.list_labels() and are_equal(spelled, other):
                    return instead
    return ""


def _iterate_changed(term: Tree) -> Iterator[tuple[Tree, str]]:
    """Yield a term with one number or sign changed, also with a factor 1, with which products begin."""
    for path, node in _iterate_leaves(term, ()):
        if WHOLE.match(node.label):
            for digits in iterate_retyped(node.label):
                yield term.replace_subtree(path, Tree(digits)), f"{digits} for {node.label}"
    for path, changed, instead in iterate_changes(term):
        yield term.replace_subtree(path, changed), instead


def _iterate_leaves(term: Tree, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Tree]]:
    if not term.children:
        yield path, term
    for index, child in enumerate(term.children):
        yield from _iterate_leaves(child, (*path, index))
