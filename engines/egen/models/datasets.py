"""Training data of the models: the pairs and triplets of a corpus as token ids, none of them ever listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.egen.corpus.labelled import read_labelled
from engines.egen.corpus.pairs import Pairs, Triplets, no_pairs
from engines.egen.corpus.reader import Corpus
from engines.egen.corpus.splits import SplitName
from engines.egen.models.sequences import Sequences, usable

__all__ = ["Examples", "TrainingRows", "TrainingTexts", "excluded_clusters", "training_texts"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """The expressions of all training clusters of two or more, cluster by cluster.

    `excluded` counts clusters that were kept out, `left_out` expressions that have no form the model reads.
    """

    clusters: tuple[tuple[str, ...], ...]
    excluded: int = 0
    left_out: int = 0

    @property
    def count(self) -> int:
        """How many expressions there are."""
        return sum(map(len, self.clusters))


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """The same as token ids, back to back, and the size of each cluster."""

    sequences: Sequences
    sizes: Ints
    excluded: int = 0
    left_out: int = 0

    @classmethod
    def of(cls, texts: TrainingTexts, *, max_length: int) -> TrainingRows:
        """Args: max_length: as `Sequences.of`."""
        rows = Sequences.of((text for each in texts.clusters for text in each), max_length=max_length)
        sizes = np.array([len(each) for each in texts.clusters], np.int64)
        return cls(rows, sizes, texts.excluded, texts.left_out)

    @property
    def cluster_of(self) -> Ints:
        """(expressions,) the place of each one's cluster in `sizes`."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def training_texts(
    corpus: Corpus, split: SplitName, *, max_length: int, exclude: Path | None = None
) -> TrainingTexts:
    """The training side of a corpus, without the clusters that `exclude` (a corpus or a file of clusters)
    has.

    Raises: EngineError E455 when no pair is left.
    """
    banned = excluded_clusters(corpus, exclude) if exclude is not None else frozenset()
    clusters: list[tuple[str, ...]] = []
    left_out = excluded = 0
    for cluster, members in corpus.each("train", split):
        if cluster in banned:
            excluded += 1
            continue
        found = members["prefix"].to_pylist()
        kept = tuple(text for text in found if usable(text, max_length))
        left_out += len(found) - len(kept)
        if len(kept) > 1:
            clusters.append(kept)
    if not clusters:
        raise no_pairs(corpus)
    return TrainingTexts(tuple(clusters), excluded, left_out)


def excluded_clusters(corpus: Corpus, other: Path) -> frozenset[int]:
    """The clusters of a corpus that share a function or an expression (up to the order of operands) with
    another corpus or file of clusters."""
    from engines.egen.expressions.canonical import canonical_key
    from engines.egen.expressions.language import read_prefix

    held = read_labelled(other, partial=True, min_size=1)
    found = {match.cluster for texts in held.clusters for match in corpus.find(read_prefix(texts[0]))}
    forms = {canonical_key(text.split()) for text in held.texts}
    for cluster, members in corpus.each():
        if cluster not in found and any(
            canonical_key(text.split()) in forms for text in members["prefix"].to_pylist()
        ):
            found.add(cluster)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Examples:
    """Pairs or triplets of training clusters in random order: examples are tuples of row numbers, (source,
    target) or (anchor, positive, negative)."""

    rows: TrainingRows
    drawn: Pairs | Triplets

    def shuffled(self, epoch: int) -> Examples:
        """The same in the order of an epoch, counted from 0."""
        return Examples(self.rows, replace(self.drawn, epoch=epoch))

    def __len__(self) -> int:
        return len(self.drawn)

    def __getitem__(self, position: int) -> tuple[int, ...]:
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[tuple[int, ...]]:
        """Several at once."""
        return [tuple(row) for row in self.drawn.rows(np.asarray(positions, np.int64)).tolist()]
