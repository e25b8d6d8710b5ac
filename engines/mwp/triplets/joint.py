"""One-stage retrieval: equation and text scored together over the whole pool.

Vectors of equations and of texts, side by side, give the nearest candidates (faiss); these are scored exactly
by w · equation similarity + (1 - w) · text similarity. So a text that is nearly the anchor's with a far
equation, as a reversed variant of the anchor itself, can be its negative, which two stages never see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engines.core.tree import Tree
from engines.mwp.triplets.pool import Places, Pool
from engines.mwp.triplets.settings import Strategy
from engines.mwp.triplets.texts import TextSimilarity
from engines.mwp.triplets.triplet import Triplet
from engines.retrieval.similarity import Vectors, unit

__all__ = ["CANDIDATES", "Joint", "equation_vectors", "hashed", "text_vectors", "worded"]

CANDIDATES = 200
"""Negatives that are scored exactly for each anchor."""
_DIMENSION = 512


class Joint:
    """The strategy `joint`.

    Args: equations, texts: (examples, d) unit vectors. weight: w, of the equation, between 0 and 1.
    """

    strategy: Strategy = "joint"

    def __init__(
        self,
        pool: Pool,
        texts: TextSimilarity,
        equations: Vectors,
        vectors: Vectors,
        *,
        weight: float = 0.5,
    ) -> None:
        import faiss

        self.pool, self.texts, self.weight = pool, texts, weight
        both = np.hstack([equations * np.sqrt(weight), vectors * np.sqrt(1.0 - weight)])
        self._vectors = np.ascontiguousarray(both, np.float32)
        self._index = faiss.IndexFlatIP(self._vectors.shape[1])
        self._index.add(self._vectors)
        self._near = lru_cache(maxsize=None)(self._near_of)

    def _near_of(self, equation: int) -> dict[int, tuple[Places, NDArray[np.float64]]]:
        """For each anchor of an equation its nearest examples of others, with their equations' similarity."""
        pool = self.pool
        members = pool.members[equation]
        anchors = np.array([place for place in members if not pool.examples[place].of], np.int64)
        allowed = pool.other(equation)[pool.equation]
        # Of so many at most all that are not allowed come first.
        count = min(len(pool.examples), CANDIDATES + int((~allowed).sum()))
        _, found = self._index.search(self._vectors[anchors], count)
        near = [np.sort(row[(row >= 0) & allowed[row]][:CANDIDATES]) for row in found]
        row = pool.nearest.row(equation, np.unique(pool.equation[np.concatenate(near)]))
        return {
            int(anchor): (places, row[pool.equation[places]])
            for anchor, places in zip(anchors, near, strict=True)
        }

    def scored(self, anchor: int) -> tuple[Places, NDArray[np.float64], NDArray[np.float64]]:
        """The candidates for an anchor's negative with the similarities of their equations and texts."""
        places, equations = self._near(int(self.pool.equation[anchor]))[anchor]
        return places, equations, self.texts.of(anchor, places)

    def triplet(self, anchor: int) -> Triplet | None:
        """As `Retriever.triplet`. The positive is the same example as with `em`."""
        pool = self.pool
        equation = int(pool.equation[anchor])
        negatives, equations, texts = self.scored(anchor)
        if not len(negatives):
            return None
        best = int((self.weight * equations + (1.0 - self.weight) * texts).argmax())
        members = pool.members[equation]
        alone = len(members) == 1
        positives = members if alone else members[members != anchor]
        unlike = self.texts.of(anchor, positives)
        least = int(unlike.argmin())
        return Triplet(
            anchor=pool.examples[anchor].problem.id,
            positive=pool.examples[positives[least]].problem.id,
            negative=pool.examples[negatives[best]].problem.id,
            eq_sim_positive=1.0,
            eq_sim_negative=float(equations[best]),
            text_sim_positive=float(unlike[least]),
            text_sim_negative=float(texts[best]),
            pool=",".join(pool.parts),
            strategy=self.strategy,
            alone=alone,
        )


def equation_vectors(trees: Sequence[Tree]) -> Vectors:
    """(n, 512) unit vectors of equations: their labels, edges and subtrees, hashed."""

    def features(tree: Tree) -> Iterable[str]:
        for node in tree:
            yield node.label
            yield " ".join(node.labels())
            for place, child in enumerate(node.children):
                yield f"{node.label}{place if node.label in '-/^' else ''}>{child.label}"

    return hashed(features(tree) for tree in trees)


def worded(tree: Tree) -> str:
    """An equation in the prefix notation that encoders of expressions of one variable read: the first number
    is x, the others are integers above a hundred, which no problem has as constants.

    >>> worded(Tree("*", (Tree("N_0"), Tree("+", (Tree("N_1"), Tree("C_0_5"))))))
    'mul x add INT+ 1 0 1 div INT+ 5 INT+ 1 0'
    """
    words = []
    for node in tree:
        kind, _, rest = node.label.partition("_")
        whole, _, decimals = rest.partition("_")
        if kind == "N":
            words += ["x"] if rest == "0" else ["INT+", *str(100 + int(rest))]
        elif decimals:
            shift = ["INT+", "1", *"0" * len(decimals)]
            words += ["div", "INT+", *str(int(whole + decimals)), *shift]
        elif kind == "C":
            words += ["INT+", *whole]
        else:
            words.append({"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}[node.label])
    return " ".join(words)


def text_vectors(texts: Sequence[Sequence[str]]) -> Vectors:
    """(n, 512) unit vectors of texts: their tokens and pairs of them, hashed, by square roots of counts."""
    return hashed([*text, *(" ".join(pair) for pair in pairwise(text))] for text in texts)


def hashed(features: Iterable[Iterable[str]]) -> Vectors:
    """(n, 512) unit vectors of bags of words; each word has one place and one sign."""
    rows = []
    for bag in features:
        row = np.zeros(_DIMENSION, np.float32)
        for word, count in Counter(bag).items():
            code = crc32(word.encode())
            row[code % _DIMENSION] += (1.0 if code & 2**20 else -1.0) * count**0.5
        rows.append(row)
    return unit(np.array(rows, np.float32))
