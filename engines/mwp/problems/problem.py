"""A math word problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engines.core.tree import Tree
from engines.mwp.problems.equation import infix, normalised
from engines.mwp.problems.numbers import Language


@dataclass(frozen=True)
class Problem:
    """A problem with its numbers masked.

    Args: text: with placeholders `N_0`, `N_1`, … in order of appearance, tokens of their own in English,
    inside the text in Chinese. numbers: as written. values: what they are worth, in the same order. equation:
    over `N_i` and constants `C_<value>`; None where the source has none that can be used. answer: what the
    equation evaluates to; the source's own answer where there is no equation, NaN where there is neither.
    fold: of a cross-validation. source: what it comes from: a file, or the id of the problem it was made of.
    original: the text as it was.
    """

    id: str
    language: Language
    text: str
    numbers: tuple[str, ...]
    values: tuple[float, ...]
    equation: Tree | None
    answer: float
    fold: int | None
    source: str
    original: str

    @cached_property
    def prefix(self) -> tuple[str, ...]:
        """The equation's labels in prefix order; empty where there is none."""
        return tuple(self.equation.labels()) if self.equation else ()

    @cached_property
    def normal(self) -> Tree | None:
        """The equation normalised under commutativity."""
        return normalised(self.equation) if self.equation else None

    @cached_property
    def template(self) -> str:
        """The normalised equation in infix notation, `N_0*N_1-N_2`; empty where there is none."""
        return infix(self.normal) if self.normal else ""

    def to_row(self) -> dict[str, Any]:
        """The problem as a line of a JSON Lines file, which `read_problems` reads back."""
        return {
            "id": self.id,
            "language": self.language,
            "text": self.text,
            "numbers": list(self.numbers),
            "equation": infix(self.equation) if self.equation else None,
            "answer": self.answer if self.answer == self.answer else None,
            "fold": self.fold,
            "source": self.source,
            "original": self.original,
        }
