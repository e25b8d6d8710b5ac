"""How often the terms of queries occur in documents: BM25 with any k1 and b, without an index for each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from engines.retrieval.bm25 import Bm25, Floats, Rows
from engines.retrieval.similarity import top_k
from engines.retrieval.tokens import TERMS

__all__ = ["Frequencies"]


class Frequencies:
    """The occurrences of the queries' terms in all documents; 8 bytes for each term of each document."""

    def __init__(self, texts: Iterable[str], queries: Mapping[str, str], tokens: str) -> None:
        """Args: tokens: the version of the terms."""
        cut = TERMS[tokens]
        self._queries = {name: Counter(cut(text)) for name, text in queries.items()}
        wanted = set().union(*self._queries.values())
        held: dict[str, tuple[array[int], array[int]]] = {}
        lengths = array("i")
        for row, text in enumerate(texts):
            terms = cut(text)
            lengths.append(len(terms))
            for term, times in Counter(term for term in terms if term in wanted).items():
                rows, counts = held.setdefault(term, (array("i"), array("i")))
                rows.append(row)
                counts.append(times)
        self._lengths = np.frombuffer(lengths, np.int32) if lengths else np.zeros(0, np.int32)
        self._held = {
            term: (np.frombuffer(rows, np.int32), np.frombuffer(counts, np.int32))
            for term, (rows, counts) in held.items()
        }

    def search(self, params: Bm25, k: int) -> Iterator[tuple[str, Floats, Rows]]:
        """Each query's name, scores and rows, as `LexicalIndex.search` of an index with these parameters."""
        total = len(self._lengths)
        limit = params.k1 * (1 - params.b + params.b * self._lengths / self._lengths.mean())
        for name, terms in self._queries.items():
            found = np.zeros(total, np.float32)
            for term, count in terms.items():
                if term in self._held:
                    rows, times = self._held[term]
                    idf = np.log1p((total - len(rows) + 0.5) / (len(rows) + 0.5))
                    found[rows] += (idf * times / (times + limit[rows])).astype(np.float32) * count
            best = top_k(found, k)
            best = best[found[best] > 0]
            yield name, found[best], best
