"""BM25 over terms: postings gathered part by part, searched memory-mapped."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats
from engines.core.errors import DataError
from engines.core.files import atomic_writer, write_array
from engines.retrieval.index_storage import Rows, corrupt_file_error, map_array, new_folder, read_about, top_k
from engines.retrieval.index_terms import TERMS, VERSIONS, extract_terms

# Which documents hold which terms, gathered part by part on the disk and given back term by term.
#
# In memory are the vocabulary, a number a document and one block of postings: an index of millions of
# documents needs no more of it than one of thousands, but for those two.

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
    def from_texts(cls, texts: Iterable[str], cut: Callable[[str], list[str]] = extract_terms) -> TermPart:
        """Return the terms of some texts, with `cut` as the tokenizer."""
        numbers: dict[str, int] = {}
        ids, lengths = array("i"), array("i")
        for text in texts:
            term_ids = [numbers.setdefault(term, len(numbers)) for term in cut(text)]
            ids.extend(term_ids)
            lengths.append(len(term_ids))
        return cls(tuple(numbers), np.frombuffer(ids, np.int32), np.frombuffer(lengths, np.int32))

    def save(self, path: Path) -> None:
        """Write the part to a file, complete or not at all."""
        vocabulary = np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8)
        with atomic_writer(path, "wb") as file:
            np.savez(file, vocabulary=vocabulary, ids=self.ids, lengths=self.lengths)

    @classmethod
    def load(cls, path: Path) -> TermPart:
        """Read a part that `save` wrote.

        Raises:
            DataError: E661 for a corrupt file.
        """
        try:
            with np.load(path) as held:
                words = held["vocabulary"].tobytes().decode()
                return cls(words.split("\n") if words else (), held["ids"], held["lengths"])
        except Exception as error:  # a broken archive fails in many ways
            raise corrupt_file_error(path, error) from error


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
            postings = self._sort_part(part, count)
            file.write(postings.tobytes())
            self._sizes.append(len(postings))
            held = np.bincount(postings[:, 0], minlength=len(self.numbers))
            held[: len(self.holders)] += self.holders
            self.holders = held
            lengths.append(part.lengths)
            count += len(part.lengths)
        self.lengths = np.concatenate(lengths)

    def _sort_part(self, part: TermPart, before: int) -> NDArray[np.int32]:
        """(postings, 3): each term and document of a part once, sorted by both, and how often it occurs."""
        numbers = self.numbers
        ours = np.array([numbers.setdefault(term, len(numbers)) for term in part.vocabulary], np.int64)
        count = max(1, len(part.lengths))
        documents = np.repeat(np.arange(len(part.lengths)), part.lengths)
        pairs, times = np.unique(ours[part.ids] * count + documents, return_counts=True)
        return np.stack([pairs // count, pairs % count + before, times], axis=1).astype(np.int32)

    def __len__(self) -> int:
        return sum(self._sizes)

    def iterate_blocks(self) -> Iterator[NDArray[np.int32]]:
        """Yield all postings as (postings, 3) term, document and times, sorted by term and document; no term
        is divided between two blocks.
        """
        bounds, ends = [0], np.cumsum(self.holders)
        while bounds[-1] < len(ends):
            last = bounds[-1]
            limit = BLOCK + (int(ends[last - 1]) if last else 0)
            bounds.append(max(last + 1, int(np.searchsorted(ends, limit, "right"))))
        begins = np.cumsum([0, *self._sizes])
        # Where in each part every block begins.
        cuts = np.array(
            [
                begin + np.searchsorted(self._read_range(begin, begin + size)[:, 0], bounds)
                for begin, size in zip(begins, self._sizes, strict=False)
            ]
        )
        for begin, end in zip(cuts.T, cuts.T[1:], strict=False):
            rows = np.concatenate(list(map(self._read_range, begin.tolist(), end.tolist())))
            yield rows[np.argsort(rows[:, 0], kind="stable")]

    def _read_range(self, begin: int, end: int) -> NDArray[np.int32]:
        width = _COLUMNS * np.dtype(np.int32).itemsize
        self._file.seek(begin * width)
        return np.frombuffer(self._file.read((end - begin) * width), np.int32).reshape(-1, _COLUMNS)


# BM25 over terms, searched memory-mapped.
#
# The score of a document for a query is the sum over the query's terms (repeated ones count each time) of idf
# * tf / (tf + k1 * (1 - b + b * length / mean length)), idf = ln(1 + (N - df + 0.5) / (df + 0.5)): BM25 as
# Lucene has it. Since everything but the query is known beforehand, the index holds a finished summand for
# every term and document, and a search adds them up. On the disk it is a sparse matrix, a column a term:
#
#     data.csc.index.npy      float32, the summands, term by term
#     indices.csc.index.npy   int32, the document of each
#     indptr.csc.index.npy    int64, where each term begins; one more
#     vocab.index.json        the number of each term
#     about.json              parameters and counts

_SUMMANDS, _DOCUMENTS, _STARTS = (f"{name}.csc.index.npy" for name in ("data", "indices", "indptr"))
_TERMS = "vocab.index.json"


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25 (Robertson and Zaragoza 2009).

    `k1` limits what repetitions of a term add; `b` from 0 to 1 says how far long documents are held back.
    """

    k1: float = 1.2
    b: float = 0.75


def build_lexical(
    parts: Iterable[TermPart], out: Path, params: Bm25 | None = None, *, tokens: str = VERSIONS["math"]
) -> dict[str, Any]:
    """Write the index of all documents of the parts, in their order, into the folder `out`; all or nothing.

    Args:
        tokens: The version of the parts' terms.

    Returns:
        What `about.json` in it says: parameters, documents, terms, postings, mean length.

    Raises:
        DataError: When there is no term at all, or `out` cannot be written.
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
        # Lucene's BM25 (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"):
        # idf(t) = ln(1 + (N - n_t + 0.5) / (n_t + 0.5)), and a posting adds idf · tf / (tf + k1 (1 - b + b ·
        # length / mean length)). All but the choice of terms is known now, so the index stores the finished
        # summands.
        idf = np.log1p((len(lengths) - holders + 0.5) / (holders + 0.5))
        # `limit` is the denominator without tf, shape `(documents,)`.
        limit = params.k1 * (1 - params.b + params.b * lengths / lengths.mean())
        with (draft / _SUMMANDS).open("wb") as summands, (draft / _DOCUMENTS).open("wb") as rows:
            _write_npy_header(summands, np.float32, len(postings))
            _write_npy_header(rows, np.int32, len(postings))
            for block in postings.iterate_blocks():
                ids, documents, times = np.ascontiguousarray(block.T)
                rows.write(documents.tobytes())
                weights = idf[ids] * times / (times + limit[documents])
                summands.write(weights.astype(np.float32).tobytes())
        # The postings of term i lie from `starts[i]` to `starts[i + 1]`.
        write_array(draft / _STARTS, np.concatenate([[0], np.cumsum(holders)]))
        (draft / _TERMS).write_text(json.dumps(postings.numbers, ensure_ascii=False), encoding="utf-8")
    return about


def _write_npy_header(file: BinaryIO, kind: type[np.generic], count: int) -> None:
    """The beginning of a .npy file of so many numbers, which follow."""
    about = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, about)


class LexicalIndex:
    """An opened index; the summands stay on the disk until a search needs them."""

    def __init__(self, folder: Path) -> None:
        self.about: Mapping[str, Any] = read_about(folder)
        if self.about.get("tokens") not in TERMS:
            what = f"the index holds terms of version {self.about.get('tokens')}, not of {', '.join(TERMS)}"
            raise DataError(what, path=folder, code="E662", remedy="Remove the index and build it again.")
        arrays = [map_array(folder / name) for name in (_SUMMANDS, _DOCUMENTS, _STARTS)]
        self.terms = TERMS[self.about["tokens"]]
        self._data, self._documents, starts = arrays
        self._starts = np.asarray(starts)
        vocabulary = folder / _TERMS
        try:
            self._numbers: dict[str, int] = json.loads(vocabulary.read_bytes())
        except (OSError, ValueError) as error:
            raise corrupt_file_error(vocabulary, error) from error
        if len(self._starts) != len(self._numbers) + 1 or self._starts[-1] != len(self._data):
            raise corrupt_file_error(folder / _STARTS, "it does not match the other files")

    def __len__(self) -> int:
        return int(self.about["documents"])

    def score_documents(self, query: str) -> ShortFloats:
        """Return the score of every document, shape `(documents,)`; 0 where no term of the query occurs."""
        result = np.zeros(len(self), np.float32)
        for term, count in Counter(self.terms(query)).items():
            number = self._numbers.get(term)
            if number is None:
                continue
            begin, end = self._starts[number], self._starts[number + 1]
            summands = self._data[begin:end]
            # A term that occurs several times in the query counts as often.
            np.add.at(result, self._documents[begin:end], summands if count == 1 else summands * count)
        return result

    def holds_term_of(self, query: str) -> bool:
        """Return whether any term of the query occurs in a document."""
        return any(term in self._numbers for term in self.terms(query))

    def search(self, query: str, k: int) -> tuple[ShortFloats, Rows]:
        """Return the best documents as (scores, rows): at most `k`, none without a term of the query; equal
        scores in the order of the documents.
        """
        scores = self.score_documents(query)
        rows = top_k(scores, k)
        rows = rows[scores[rows] > 0]
        return scores[rows], rows


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

    def search(self, params: Bm25, k: int) -> Iterator[tuple[str, ShortFloats, Rows]]:
        """Yield each query's name, scores and rows, as `LexicalIndex.search` of an index with these
        parameters.
        """
        total = len(self._lengths)
        limit = params.k1 * (1 - params.b + params.b * self._lengths / self._lengths.mean())
        for name, words in self._queries.items():
            result = np.zeros(total, np.float32)
            for term, count in words.items():
                if term in self._held:
                    rows, times = self._held[term]
                    idf = np.log1p((total - len(rows) + 0.5) / (len(rows) + 0.5))
                    result[rows] += (idf * times / (times + limit[rows])).astype(np.float32) * count
            best = top_k(result, k)
            best = best[result[best] > 0]
            yield name, result[best], best
