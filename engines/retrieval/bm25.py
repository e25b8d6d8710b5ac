"""BM25 over terms, searched memory-mapped.

The score of a document for a query is the sum over the query's terms (repeated ones count each time) of
idf * tf / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (N - df + 0.5) / (df + 0.5)): BM25 as
Lucene has it. Since everything but the query is known beforehand, the index holds a finished summand for
every term and document, and a search adds them up. On the disk it is a sparse matrix, a column a term:

    data.csc.index.npy      float32, the summands, term by term
    indices.csc.index.npy   int32, the document of each
    indptr.csc.index.npy    int64, where each term begins; one more
    vocab.index.json        the number of each term
    about.json              parameters and counts
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.files import write_array
from engines.retrieval.postings import Postings, TermPart
from engines.retrieval.similarity import top_k
from engines.retrieval.stored import corrupt, new_folder, read_about
from engines.retrieval.tokens import TERMS, VERSIONS

__all__ = ["Bm25", "LexicalIndex", "build_lexical"]

_SUMMANDS, _DOCUMENTS, _STARTS = (f"{name}.csc.index.npy" for name in ("data", "indices", "indptr"))
_TERMS = "vocab.index.json"

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bm25:
    """`k1` limits what repetition of a term adds; `b` is how far long documents are held back, 0 to 1."""

    k1: float = 1.2
    b: float = 0.75


def build_lexical(
    parts: Iterable[TermPart], out: Path, params: Bm25 | None = None, *, tokens: str = VERSIONS["math"]
) -> dict[str, Any]:
    """Write the index of all documents of the parts, in their order, into the folder `out`; all or nothing.

    Args: tokens: the version of the parts' terms.

    Returns: what `about.json` in it says: parameters, documents, terms, postings, mean length.
    Raises: DataError when there is no term at all, or `out` cannot be written.
    """
    params = params or Bm25()
    about: dict[str, Any] = {}
    with new_folder(out, about) as draft, TemporaryFile(dir=draft) as gathered:
        postings = Postings(parts, gathered)
        lengths, holders = postings.lengths, postings.holders
        if not len(holders):
            raise DataError(
                "the documents have no terms to index", code="E660", remedy="Is this the right file?"
            )
        about |= {
            "bm25": asdict(params),
            "method": "lucene",
            "tokens": tokens,
            "documents": len(lengths),
            "terms": len(holders),
            "postings": len(postings),
            "mean_terms": round(float(lengths.mean()), 2),
        }
        idf = np.log1p((len(lengths) - holders + 0.5) / (holders + 0.5))
        limit = params.k1 * (1 - params.b + params.b * lengths / lengths.mean())
        with (draft / _SUMMANDS).open("wb") as summands, (draft / _DOCUMENTS).open("wb") as rows:
            _head(summands, np.float32, len(postings))
            _head(rows, np.int32, len(postings))
            for block in postings.blocks():
                ids, documents, times = np.ascontiguousarray(block.T)
                rows.write(documents.tobytes())
                found = idf[ids] * times / (times + limit[documents])
                summands.write(found.astype(np.float32).tobytes())
        write_array(draft / _STARTS, np.concatenate([[0], np.cumsum(holders)]))
        (draft / _TERMS).write_text(json.dumps(postings.numbers, ensure_ascii=False), encoding="utf-8")
    return about


def _head(file: BinaryIO, kind: type[np.generic], count: int) -> None:
    """The beginning of a .npy file of so many numbers, which follow."""
    about = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, about)


class LexicalIndex:
    """An opened index; the summands stay on the disk until a search needs them."""

    def __init__(self, folder: Path) -> None:
        """Raises: DataError E661 for a file that is corrupt, E662 for an index of other terms."""
        self.about: Mapping[str, Any] = read_about(folder)
        if self.about.get("tokens") not in TERMS:
            raise DataError(
                f"the index holds terms of version {self.about.get('tokens')}, not of {', '.join(TERMS)}",
                path=folder,
                code="E662",
                remedy="Remove the index and build it again.",
            )
        arrays = []
        for name in (_SUMMANDS, _DOCUMENTS, _STARTS):
            try:
                arrays.append(np.load(folder / name, mmap_mode="r"))
            except (OSError, ValueError, EOFError) as error:
                raise corrupt(folder / name, error) from error
        self.terms = TERMS[self.about["tokens"]]
        self._data, self._documents, starts = arrays
        self._starts = np.asarray(starts)
        vocabulary = folder / _TERMS
        try:
            self._numbers: dict[str, int] = json.loads(vocabulary.read_bytes())
        except (OSError, ValueError) as error:
            raise corrupt(vocabulary, error) from error
        if len(self._starts) != len(self._numbers) + 1 or self._starts[-1] != len(self._data):
            raise corrupt(folder / _STARTS, "it does not fit the other files")

    def __len__(self) -> int:
        """The number of documents."""
        return int(self.about["documents"])

    def scores(self, query: str) -> Floats:
        """(documents,): the score of each; 0 where no term of the query occurs."""
        found = np.zeros(len(self), np.float32)
        for term, count in Counter(self.terms(query)).items():
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
        rows = top_k(scores, k)
        rows = rows[scores[rows] > 0]
        return scores[rows], rows
