"""Expressions with the cluster each is of, from a corpus folder or a file: what evaluations read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.files import read_lines
from engines.core.json_lines import json_object
from engines.core.tree import Tree
from engines.egen.corpus.splits import SplitName
from engines.egen.expressions.language import prefix
from engines.egen.models.sequences import plain, usable

__all__ = ["Labelled", "Side", "read_labelled", "sample_corpus"]

Side = Literal["train", "validation", "all"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """`texts`: expressions in generator prefix notation, those of a cluster together, its head first.
    `labels`: (expressions,) cluster numbers from 0. `left_out` counts what was not taken, by reason."""

    texts: tuple[str, ...]
    labels: NDArray[np.int64]
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def clusters(self) -> list[list[str]]:
        """The texts of each cluster."""
        cuts = np.flatnonzero(np.diff(self.labels)) + 1
        ends = [*cuts.tolist(), len(self.texts)]
        return [list(self.texts[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def sample_corpus() -> Path:
    """The corpus that ships."""
    from engines.core.assets import asset

    return asset("sample/corpora/sample-e")


def read_labelled(
    path: Path,
    *,
    side: Side = "all",
    split: SplitName = "paper",
    partial: bool = False,
    min_size: int = 2,
    max_length: int = 200,
) -> Labelled:
    """Read clusters of `min_size` or more.

    Args: path: a corpus folder, or a file in a published layout. side, split: of a corpus, which of its
    clusters. partial: take from a file what it lists as equal on a part of the domain only. max_length: in
    training notation; longer expressions are left out, and so are those that cannot be read or have no form
    in training notation (a logarithm to another base is written as a quotient).
    Raises: DataError when there is no such file or no cluster is left.
    """
    left_out: dict[str, int] = {}

    def drop(reason: str, count: int = 1) -> None:
        left_out[reason] = left_out.get(reason, 0) + count

    clusters: Iterator[list[str]]
    if path.is_dir():
        from engines.egen.corpus.reader import open_corpus

        found = open_corpus(path).each(side, split)
        clusters = (members["prefix"].to_pylist() for _, members in found)
    else:
        clusters = _of_file(path, partial, drop)
    texts: list[str] = []
    labels: list[int] = []
    for number, members in enumerate(_fitting(clusters, max_length, min_size, drop)):
        texts += members
        labels += [number] * len(members)
    if not texts:
        raise DataError(
            "no cluster with enough expressions is in it",
            path=path,
            code="E321",
            remedy="Name a corpus folder, or a file with `head` and `exprs` on each line.",
        )
    return Labelled(tuple(texts), np.array(labels), left_out)


def _fitting(
    clusters: Iterator[list[str]], max_length: int, min_size: int, drop: Callable[[str, int], None]
) -> Iterator[list[str]]:
    for texts in clusters:
        members = [text for text in map(plain, texts) if usable(text, max_length)]
        if len(members) < len(texts):
            drop("too long, or a constant without a form in training notation", len(texts) - len(members))
        if len(members) >= min_size:
            yield members
        else:
            drop(f"in a cluster of fewer than {min_size}", len(members))


def _of_file(path: Path, partial: bool, drop: Callable[[str], None]) -> Iterator[list[str]]:
    from engines.egen.corpus.published import read_published

    doubtful = {} if partial else _partial_domain(path)
    for cluster in read_published(path, on_bad=lambda _: drop("cannot be read")):
        aside = doubtful.get(cluster.line, frozenset())
        trees: list[Tree] = [cluster.head, *cluster.members]
        texts = [text for tree in trees if (text := prefix(tree)) not in aside]
        for _ in range(len(trees) - len(texts)):
            drop("equal on a part of the domain")
        yield texts


def _partial_domain(path: Path) -> dict[int, frozenset[str]]:
    """By line of a JSON layout, the expressions that it sets apart."""
    found = {}
    for number, line in read_lines(path, on_bad=lambda _: None):
        if line.lstrip().startswith("{"):
            try:
                found[number] = frozenset(map(str, json_object(line).get("partial_domain", ())))
            except ValueError:
                continue
    return found
