"""BM25 over the terms of `tokens`: built by bm25s, kept as its files, searched memory-mapped.

The score of a document for a query is the sum over the query's terms (repeated ones count each time) of
idf * tf / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (N - df + 0.5) / (df + 0.5)): BM25 as
Lucene has it. Since everything but the query is known beforehand, the index holds a finished summand for
every term and document, and a search adds them up.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.files import atomic_writer
from engines.retrieval.stored import damaged, new_folder, read_about
from engines.retrieval.tokens import TOKENS_VERSION, terms

__all__ = ["Bm25", "LexicalIndex", "TermPart", "best", "build_lexical"]

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bm25:
    """`k1` limits what repetition of a term adds; `b` is how far long documents are held back, 0 to 1."""

    k1: float = 1.2
    b: float = 0.75


@dataclass(frozen=True, slots=True)
class TermPart:
    """The terms of some documents: `ids`, places in `vocabulary`, of all in a row; `lengths` in terms."""

    vocabulary: Sequence[str]
    ids: NDArray[np.int32]
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[str]) -> TermPart:
        """The terms of texts."""
        numbers: dict[str, int] = {}
        ids, lengths = array("i"), array("i")
        for text in texts:
            found = [numbers.setdefault(term, len(numbers)) for term in terms(text)]
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
        """Read what `save` wrote. Raises: DataError E661 for a damaged file."""
        try:
            with np.load(path) as held:
                words = held["vocabulary"].tobytes().decode()
                return cls(words.split("\n") if words else (), held["ids"], held["lengths"])
        except Exception as error:  # a broken archive fails in many ways
            raise damaged(path, error) from error


def build_lexical(parts: Iterable[TermPart], out: Path, params: Bm25 | None = None) -> dict[str, Any]:
    """Write the index of all documents of the parts, in their order, into the folder `out`; all or nothing.

    Returns: what `about.json` in it says: parameters, documents, terms, postings, mean length.
    Raises: DataError when there is no term at all, or `out` cannot be written.
    """
    import bm25s

    params = params or Bm25()
    numbers: dict[str, int] = {}
    documents: list[array[int]] = []
    for part in parts:
        ours = [numbers.setdefault(term, len(numbers)) for term in part.vocabulary]
        renumbered = np.array(ours, np.int32)[part.ids] if ours else part.ids
        end = 0
        for length in part.lengths.tolist():
            documents.append(array("i", renumbered[end : end + length].tobytes()))
            end += length
    if not numbers:
        raise DataError("the documents have no words to index", code="E660", remedy="Is this the right file?")
    index = bm25s.BM25(k1=params.k1, b=params.b, method="lucene")
    index.index((documents, numbers), create_empty_token=False, show_progress=False)
    about = {
        "bm25": asdict(params),
        "method": "lucene",
        "tokens": TOKENS_VERSION,
        "documents": len(documents),
        "terms": len(numbers),
        "postings": len(index.scores["data"]),
        "mean_terms": round(sum(map(len, documents)) / len(documents), 2),
    }
    with new_folder(out, about) as draft:
        index.save(draft, show_progress=False)
    return about


class LexicalIndex:
    """An opened index; the summands stay on the disk until a search needs them."""

    def __init__(self, folder: Path) -> None:
        """Raises: DataError E661 for a file that is damaged, E662 for an index of other terms."""
        self.about: Mapping[str, Any] = read_about(folder)
        if self.about.get("tokens") != TOKENS_VERSION:
            raise DataError(
                f"the index holds terms of version {self.about.get('tokens')}, and this is {TOKENS_VERSION}",
                path=folder,
                code="E662",
                remedy="Remove the index and build it again.",
            )
        names = ("data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy")
        arrays = []
        for name in names:
            try:
                arrays.append(np.load(folder / name, mmap_mode="r"))
            except (OSError, ValueError, EOFError) as error:
                raise damaged(folder / name, error) from error
        self._data, self._documents, starts = arrays
        self._starts = np.asarray(starts)
        vocabulary = folder / "vocab.index.json"
        try:
            self._numbers: dict[str, int] = json.loads(vocabulary.read_bytes())
        except (OSError, ValueError) as error:
            raise damaged(vocabulary, error) from error
        if len(self._starts) != len(self._numbers) + 1 or self._starts[-1] != len(self._data):
            raise damaged(folder / names[2], "it does not fit the other files")

    def __len__(self) -> int:
        """The number of documents."""
        return int(self.about["documents"])

    def scores(self, query: str) -> Floats:
        """(documents,): the score of each; 0 where no term of the query occurs."""
        found = np.zeros(len(self), np.float32)
        for term, count in Counter(terms(query)).items():
            number = self._numbers.get(term)
            if number is None:
                continue
            begin, end = self._starts[number], self._starts[number + 1]
            summands = self._data[begin:end]
            np.add.at(found, self._documents[begin:end], summands if count == 1 else summands * count)
        return found

    def search(self, query: str, k: int) -> tuple[Floats, Rows]:
        """The best documents as (scores, rows): at most `k`, none without a term of the query; equal scores
        in the order of the documents."""
        scores = self.scores(query)
        rows = best(scores, k)
        rows = rows[scores[rows] > 0]
        return scores[rows], rows


def best(scores: Floats, k: int) -> Rows:
    """The places of the `k` greatest values, greatest first, equal ones in their order."""
    k = min(k, len(scores))
    if k <= 0:
        return np.zeros(0, np.int64)
    least = np.partition(scores, -k)[-k]
    above = np.flatnonzero(scores > least)
    equal = np.flatnonzero(scores == least)[: k - len(above)]
    places = np.concatenate([above, equal])
    return places[np.lexsort((places, -scores[places]))].astype(np.int64)
