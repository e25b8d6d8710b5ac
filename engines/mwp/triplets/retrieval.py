"""Retrieval of hard triplets in two stages (sections 2.5 and 2.6 of the paper): equations, then texts.

All equations that tie contribute their examples, and of texts that tie the least id is taken, so that a
choice does not depend on the order of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.mwp.problems.problem import Problem
from engines.mwp.triplets.pool import Places, Pool
from engines.mwp.triplets.settings import Strategy
from engines.mwp.triplets.texts import TextSimilarity
from engines.mwp.triplets.triplet import Triplet

__all__ = ["Candidates", "Chooser", "Retriever", "TwoStage", "triplets"]

_EMPTY = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What an anchor's positive and negative are taken from: places in the pool, in the order of ids, and how
    similar their equations are to the anchor's."""

    positives: Places
    positive_similarity: float
    negatives: Places
    negative_similarity: float
    alone: bool


class Retriever(Protocol):
    """A strategy over a pool."""

    strategy: Strategy
    pool: Pool
    texts: TextSimilarity

    def triplet(self, anchor: int) -> Triplet | None:
        """The triplet of the problem at a place; None where the pool has no negative for it."""
        ...


class Chooser:
    """The choice by text: for a positive the least similar, for a negative the most; or any, by a seed."""

    def __init__(self, texts: TextSimilarity, *, random: bool = False, seed: int = 0) -> None:
        self.texts = texts
        self._random, self._seed = random, seed

    def among(self, anchor: int, places: Places, *, like: bool) -> tuple[int, float]:
        """The chosen place and its similarity. Args: like: the most similar is wanted."""
        if self._random:
            draw = np.random.default_rng((self._seed, anchor, int(like))).integers(len(places))
            places = places[draw : draw + 1]
        scores = self.texts.of(anchor, places)
        best = int(scores.argmax() if like else scores.argmin())
        return int(places[best]), float(scores[best])


class TwoStage:
    """Exact match (`em`) or nearest neighbour (`nn`), then the text.

    Args: rare: equations with fewer examples are never a negative's (the code's filter; 1: none is rare).
    """

    def __init__(
        self, pool: Pool, texts: TextSimilarity, strategy: Strategy, chooser: Chooser, *, rare: int = 1
    ) -> None:
        self.pool, self.texts, self.strategy = pool, texts, strategy
        self._chooser, self._rare = chooser, rare
        self._others = lru_cache(maxsize=None)(self._others_of)

    def _others_of(self, equation: int) -> list[tuple[float, Places]]:
        """Similarity and examples of the nearest equations that a negative may have, then of the next."""
        pool = self.pool
        allowed = pool.other(equation)
        if self._rare > 1:
            allowed &= np.array([len(members) >= self._rare for members in pool.members])
        levels = pool.nearest.of(equation, levels=2)
        if not all(allowed[found].all() for _, found in levels):
            row = np.where(allowed, pool.nearest.row(equation), -1.0)
            best = np.unique(row[row >= 0.0])[::-1][:2]
            levels = [(float(level), np.flatnonzero(row == level)) for level in best]
        return [
            (level, np.sort(np.concatenate([pool.members[one] for one in equations])))
            for level, equations in levels
        ]

    def candidates(self, anchor: int) -> Candidates:
        """What the triplet of an anchor is chosen from."""
        equation = int(self.pool.equation[anchor])
        members = self.pool.members[equation]
        others = self._others(equation)
        alone = len(members) == 1
        if alone and self.strategy == "nn":
            # The nearest equation is the positive's, the next one the negative's; an equal one comes first.
            if len(equal := self.pool.equal(equation)):
                likeness = self.pool.nearest.row(equation)
                nearest = equal[likeness[equal] == likeness[equal].max()]
                examples = np.sort(np.concatenate([self.pool.members[one] for one in nearest]))
                others = [(float(likeness[nearest[0]]), examples), *others]
            positive = others[0] if others else (0.0, _EMPTY)
            negative = others[1] if len(others) > 1 else (0.0, _EMPTY)
            return Candidates(positive[1], positive[0], negative[1], negative[0], alone)
        negative = others[0] if others else (0.0, _EMPTY)
        positives = members if alone else members[members != anchor]
        return Candidates(positives, 1.0, negative[1], negative[0], alone)

    def triplet(self, anchor: int) -> Triplet | None:
        """As `Retriever.triplet`. In `em` an anchor that is alone with its equation is its own positive."""
        found = self.candidates(anchor)
        if not len(found.negatives) or not len(found.positives):
            return None
        positive, like_positive = self._chooser.among(anchor, found.positives, like=False)
        negative, like_negative = self._chooser.among(anchor, found.negatives, like=True)
        examples = self.pool.examples
        return Triplet(
            anchor=examples[anchor].problem.id,
            positive=examples[positive].problem.id,
            negative=examples[negative].problem.id,
            eq_sim_positive=found.positive_similarity,
            eq_sim_negative=found.negative_similarity,
            text_sim_positive=like_positive,
            text_sim_negative=like_negative,
            pool=",".join(self.pool.parts),
            strategy=self.strategy,
            alone=found.alone,
        )


def triplets(
    retriever: Retriever, anchors: Sequence[Problem], *, events: Sink = ignore, stop: Stop = never
) -> Iterator[Triplet]:
    """The triplets of anchors, in their order; those without a negative are left out. Events: progress."""
    for done, anchor in enumerate(anchors, start=1):
        if stop():
            return
        found = retriever.triplet(retriever.pool.place[anchor.id])
        if found is not None:
            yield found
        if done % 200 == 0 or done == len(anchors):
            events(Event("progress", {"done": done, "total": len(anchors), "unit": "anchors"}))
