"""Training data of which each example is drawn anew for every epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np

__all__ = ["Drawn", "Numbered", "numbered"]

T = TypeVar("T")


class Drawn(Generic[T]):
    """A `Table` of `count` rows in the random order of an epoch; without one, in their own.

    Args: draw: makes the example of a row with random numbers that seed, epoch and row determine.
    """

    def __init__(
        self,
        count: int,
        draw: Callable[[int, np.random.Generator], T],
        seed: int,
        epoch: int | None = None,
    ) -> None:
        self._count, self._draw, self._seed, self._epoch = count, draw, seed, epoch or 0
        order = np.random.default_rng([seed, 7, self._epoch]).permutation(count)
        self._order = np.arange(count) if epoch is None else order

    def shuffled(self, epoch: int) -> Drawn[T]:
        """The order of an epoch."""
        return Drawn(self._count, self._draw, self._seed, epoch)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> T:
        row = int(self._order[place])
        return self._draw(row, np.random.default_rng([self._seed, 5, self._epoch, row]))


Numbered = tuple[int, int]
"""A row, and a number that is another one in every epoch, for what is drawn when it is collated."""


def numbered(rows: Sequence[int], seed: int) -> Drawn[Numbered]:
    """The rows, each with its number."""
    return Drawn(len(rows), lambda place, draw: (int(rows[place]), int(draw.integers(2**63))), seed)
