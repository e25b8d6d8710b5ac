"""Which documents hold which terms, gathered part by part on the disk and given back term by term.

In memory are the vocabulary, a number a document and one block of postings: an index of millions of documents
needs no more of it than one of thousands, but for those two.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engines.core.files import atomic_writer
from engines.retrieval.stored import corrupt
from engines.retrieval.tokens import terms

__all__ = ["Postings", "TermPart"]

BLOCK = 4_000_000
"""Postings of a block, unless one term has more: 250 million bytes while they are merged."""
_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class TermPart:
    """The terms of some documents: `ids`, places in `vocabulary`, of all in a row; `lengths` in terms."""

    vocabulary: Sequence[str]
    ids: NDArray[np.int32]
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[str], cut: Callable[[str], list[str]] = terms) -> TermPart:
        """The terms of texts, cut by `cut`."""
        numbers: dict[str, int] = {}
        ids, lengths = array("i"), array("i")
        for text in texts:
            found = [numbers.setdefault(term, len(numbers)) for term in cut(text)]
            ids.extend(found)
            lengths.append(len(found))
        return cls(tuple(numbers), np.frombuffer(ids, np.int32), np.frombuffer(lengths, np.int32))

    def save(self, path: Path) -> None:
        """Write one file, atomically."""
        vocabulary = np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8)
        with atomic_writer(path, "wb") as file:
            np.savez(file, vocabulary=vocabulary, ids=self.ids, lengths=self.lengths)

    @classmethod
    def load(cls, path: Path) -> TermPart:
        """Read what `save` wrote. Raises: DataError E661 for a corrupt file."""
        try:
            with np.load(path) as held:
                words = held["vocabulary"].tobytes().decode()
                return cls(words.split("\n") if words else (), held["ids"], held["lengths"])
        except Exception as error:  # a broken archive fails in many ways
            raise corrupt(path, error) from error


class Postings:
    """The postings of all documents of the parts, in their order; what is gathered lies in an open file.

    `numbers` is the number of each term, `lengths` (documents,) how many terms each document has, `holders`
    (terms,) how many documents have each.
    """

    def __init__(self, parts: Iterable[TermPart], file: BinaryIO) -> None:
        """Args: file: empty, to write and read; 12 bytes a posting."""
        self.numbers: dict[str, int] = {}
        self._file = file
        self._sizes: list[int] = []
        lengths, count = [np.zeros(0, np.int32)], 0
        self.holders = np.zeros(0, np.int64)
        for part in parts:
            postings = self._of(part, count)
            file.write(postings.tobytes())
            self._sizes.append(len(postings))
            held = np.bincount(postings[:, 0], minlength=len(self.numbers))
            held[: len(self.holders)] += self.holders
            self.holders = held
            lengths.append(part.lengths)
            count += len(part.lengths)
        self.lengths = np.concatenate(lengths)

    def _of(self, part: TermPart, before: int) -> NDArray[np.int32]:
        """(postings, 3): each term and document of a part once, sorted by both, and how often it occurs."""
        numbers = self.numbers
        ours = np.array([numbers.setdefault(term, len(numbers)) for term in part.vocabulary], np.int64)
        count = max(1, len(part.lengths))
        documents = np.repeat(np.arange(len(part.lengths)), part.lengths)
        pairs, times = np.unique(ours[part.ids] * count + documents, return_counts=True)
        return np.stack([pairs // count, pairs % count + before, times], axis=1).astype(np.int32)

    def __len__(self) -> int:
        return sum(self._sizes)

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """All postings as (postings, 3) term, document and times, sorted by term and document; no term is
        divided between two blocks."""
        bounds = self._bounds()
        begins = np.cumsum([0, *self._sizes])
        # Where in each part every block begins.
        cuts = np.array(
            [
                begin + np.searchsorted(self._read(begin, begin + size)[:, 0], bounds)
                for begin, size in zip(begins, self._sizes, strict=False)
            ]
        )
        for begin, end in zip(cuts.T, cuts.T[1:], strict=False):
            rows = np.concatenate(list(map(self._read, begin.tolist(), end.tolist())))
            yield rows[np.argsort(rows[:, 0], kind="stable")]

    def _bounds(self) -> list[int]:
        """The first term of each block, and the number of all terms."""
        bounds, ends = [0], np.cumsum(self.holders)
        while bounds[-1] < len(ends):
            last = bounds[-1]
            limit = BLOCK + (int(ends[last - 1]) if last else 0)
            bounds.append(max(last + 1, int(np.searchsorted(ends, limit, "right"))))
        return bounds

    def _read(self, begin: int, end: int) -> NDArray[np.int32]:
        width = _COLUMNS * np.dtype(np.int32).itemsize
        self._file.seek(begin * width)
        return np.frombuffer(self._file.read((end - begin) * width), np.int32).reshape(-1, _COLUMNS)
