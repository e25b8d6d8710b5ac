"""Equations on the way to their answer, step by step, as the deductive head builds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engines.core.tree import Tree
from engines.mwp.solver.reading import EquationWords, LegalSteps


@dataclass(frozen=True, slots=True)
class PartialDeduction:
    """An equation on the way.

    Attributes:
        row: The place of its problem in the batch.
        trees: What each quantity is: a constant, a number of the text, or the result of a step.
        values: What each is worth.
        free: Whether each may be used in a step.
        pending: Whether each must still be used: the results of steps.
        score: The logarithm of the probability so far.
    """

    row: int
    trees: tuple[Tree, ...]
    values: tuple[float, ...]
    free: tuple[bool, ...]
    pending: tuple[bool, ...]
    score: float = 0.0

    @classmethod
    def begin(cls, labels: Sequence[str], values: Sequence[float], *, row: int = 0) -> PartialDeduction:
        """Return the deduction without a step.

        Args:
            labels: Of the constants and numbers, padded to the longest problem of the batch.
            values: What those that are there are worth.
            row: Of the problem in its batch.
        """
        here, gap = len(values), len(labels) - len(values)
        none = (False,) * len(labels)
        free = (*[True] * here, *[False] * gap)
        return cls(row, tuple(map(Tree, labels)), (*values, *[math.nan] * gap), free, none)

    def apply_step(
        self, at: Sequence[int], value: float, score: float, words: EquationWords, legal: LegalSteps
    ) -> PartialDeduction:
        """Return the deduction after one more step.

        Args:
            at: The left and right quantity and the operator, by index.
            value: The result.
            score: The log-probability of the step.
            words: The operators and constants.
            legal: Which steps are allowed.
        """
        left, right, operator = at
        tree = Tree(words.operators[operator], (self.trees[left], self.trees[right]))
        free = list(self.free)
        pending = [must and index not in (left, right) for index, must in enumerate(self.pending)]
        if legal.single_use:
            for position in (left, right):
                free[position] = position < len(words.constants)
        return PartialDeduction(
            self.row, (*self.trees, tree), (*self.values, value), (*free, True), (*pending, True), score
        )
