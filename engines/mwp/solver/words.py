"""What an equation is made of: operators and constants, taken from the training problems alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engines.core.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


COMMUTATIVE = ("+", "*")

OFTEN = 5
"""A constant that is rarer is not learned, as in GTS."""

Step = tuple[int, int, int]
"""Operator, and the places of its operands: constants, then the numbers of the text, then -1 for the result
of the first step, -2 for that of the second."""


def number_of(label: str) -> int | None:
    """Which number of the text a label means; None for a constant or an operator."""
    return int(label[2:]) if label.startswith("N_") else None


@dataclass(frozen=True, slots=True)
class Words:
    """Operators and constants, in a fixed order."""

    operators: tuple[str, ...]
    constants: tuple[str, ...]

    @classmethod
    def of(cls, equations: Iterable[Tree]) -> Words:
        """The operators of equations, and the constants that occur `OFTEN` times or more, sorted."""
        operators, constants = set(), Counter[str]()
        for equation in equations:
            for node in equation:
                if node.children:
                    operators.add(node.label)
                elif number_of(node.label) is None:
                    constants[node.label] += 1
        often = sorted(label for label, count in constants.items() if count >= OFTEN)
        return cls(tuple(sorted(operators)), tuple(often))

    def place(self, label: str) -> int:
        """Of an operand: constants, then numbers. Raises: KeyError for an unknown constant."""
        number = number_of(label)
        if number is not None:
            return len(self.constants) + number
        if label not in self.constants:
            raise KeyError(label)
        return self.constants.index(label)

    def label(self, place: int) -> str:
        known = len(self.constants)
        return self.constants[place] if place < known else f"N_{place - known}"


def deductions(equation: Tree, words: Words) -> list[Step]:
    """An equation as steps, operands first; equal parts are computed once, operands of + and * are sorted.

    Raises: KeyError for an operator or constant that is not among the words.
    """
    steps: list[Step] = []
    done: dict[Step, int] = {}

    def visit(node: Tree) -> int:
        if not node.children:
            return words.place(node.label)
        if node.label not in words.operators:
            raise KeyError(node.label)
        left, right = (visit(child) for child in node.children)
        if node.label in COMMUTATIVE and _order(right) < _order(left):
            left, right = right, left
        step = (words.operators.index(node.label), left, right)
        if step not in done:
            steps.append(step)
            done[step] = -len(steps)
        return done[step]

    visit(equation)
    return steps


def _order(place: int) -> tuple[bool, int]:
    """Results stand behind constants and numbers, the earlier first."""
    return place < 0, abs(place)


def nodes(equation: Tree, words: Words) -> NDArray[np.int64]:
    """(nodes, 5) an equation in prefix order: of each node its token (operators, constants, numbers), the
    place of its parent, for a second operand the place of the first (else -1), the height above the leaves
    below it, and the depth below the root. Raises: KeyError as `deductions`."""
    rows: list[list[int]] = []

    def visit(node: Tree, parent: int, left: int, depth: int) -> int:
        here = len(rows)
        rows.append([0, parent, left, 0, depth])
        if not node.children:
            rows[here][0] = len(words.operators) + words.place(node.label)
            return 0
        if node.label not in words.operators:
            raise KeyError(node.label)
        rows[here][0] = words.operators.index(node.label)
        first = visit(node.children[0], here, -1, depth + 1)
        second = visit(node.children[1], here, here + 1, depth + 1)
        rows[here][3] = 1 + max(first, second)
        return rows[here][3]

    visit(equation, -1, -1, 0)
    return np.array(rows, np.int64)


def stacked(tables: Sequence[NDArray[np.int64]], fill: int = -1) -> NDArray[np.int64]:
    """(tables, longest, …) tables of any length, filled up."""
    longest = max(len(table) for table in tables)
    result = np.full((len(tables), longest, *tables[0].shape[1:]), fill, np.int64)
    for row, table in zip(result, tables, strict=True):
        row[: len(table)] = table
    return result
