"""Operator trees of formulas, as an encoder reads them."""

from __future__ import annotations

from engines.formula.operator_tree import OperatorTree
from engines.formula.parser import operator_tree
from engines.mathamr.training.structures import Labelled, Vocabulary

PLACES = 7
"""Operands of ordered operators are told apart up to here; those of commutative ones are all at 0."""


class TreeVocabulary(Vocabulary[OperatorTree]):
    """Of formulas given as LaTeX."""

    kind, reads = "mathamr-trees", "latex"

    @staticmethod
    def read(text: str) -> OperatorTree:
        """The tree of LaTeX."""
        return operator_tree(text)

    @staticmethod
    def labelled(one: OperatorTree) -> Labelled:
        """Level by level, so that of a larger tree the upper part is kept."""
        nodes, edges = [one], []
        for at, node in enumerate(nodes):
            for number, child in enumerate(node.children):
                place = 0 if node.unordered else min(number + 1, PLACES)
                edges.append((at, str(place), len(nodes)))
                nodes.append(child)
        return Labelled([node.label for node in nodes], edges, range(len(nodes)))
