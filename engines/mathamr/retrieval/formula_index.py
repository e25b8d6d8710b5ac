"""An index of formulas: which of them have which parts, where each stands, and, if wanted, vectors.

Visually distinct formulas are indexed once each: a look is what formulas with one visual id (or, without one,
the same LaTeX) have in common. The similarity of
a query and a look is Tversky's index over the features of their operator trees: the weight of those they
share, divided by .8 of the query's and .2 of the look's; a feature weighs as much as it is rare.

Besides what every segment has (see `segments`), an index has

    about.json          version, collection or documents, counts, encoder, values
    masses.npy          float32, the weight of all features of each look
    members.npy         int32, formulas, look by look
    firsts.npy          int64, where those of each look begin; one more
    words/              BM25 of the words of the fields
    vectors/            a dense index of the looks, in their order
    files.json          of an index of documents: see `incremental_index`
"""

from __future__ import annotations

import mmap
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats
from engines.core.errors import DataError
from engines.core.hashing import file_stamp
from engines.mathamr.context import PLACEHOLDER
from engines.mathamr.retrieval.segments import VERSION, compute_rarity, hash_feature
from engines.retrieval.index_storage import ABOUT, corrupt_file_error, map_array, read_about, top_k

ALPHA = 0.2
"""The share of a found formula's weight in what similarity is measured against; the rest is the query's."""
WORDS = "words"
_FEW = 500_000
"""Looks of which each is given a score."""
_MANY, _SELDOM = 100_000, 4
"""Of so many found the least score is worked out once in so many features."""
_LOOK_UP = 16
"""Postings that are read in the time in which one of a formula is looked up."""
_HELD = 50_000_000
"""Postings that a process keeps in memory at once, of 6 bytes."""
# An index may be replaced while it is being opened, so opening is tried again.
_ATTEMPTS = 5
T = TypeVar("T")
_ROUNDED = 0.9999
"""Sums in another order differ by less."""
_FORMULA = re.compile(r"\$[^$]*\$")


def remove_formulas(text: str) -> str:
    """Return a text without its formulas."""
    return _FORMULA.sub(" ", PLACEHOLDER.sub(" ", text))


def made_of_another(about: Mapping[str, Any], path: Path) -> str | None:
    """Return the collection or documents that an index says it was made of, where those are not at this
    place.
    """
    made_of = about.get("collection") or about.get("documents")
    if not isinstance(made_of, str) or Path(made_of).resolve() == path.resolve():
        return None
    return made_of


@dataclass(frozen=True, slots=True)
class _QueryFeature:
    """A feature of a query: where its postings are, how often the query has it, and what it weighs."""

    begin: int
    end: int
    count: int
    weight: float

    @property
    def size(self) -> int:
        return self.end - self.begin

    @property
    def most(self) -> float:
        return self.count * self.weight


class FormulaIndex:
    """An opened index. What it holds stays on the disk until it is asked for."""

    def __init__(self, folder: Path) -> None:
        """Raise DataError E312 without an index, E661 for a corrupt file, E662 for other features."""
        self.folder = folder
        self._maps: list[mmap.mmap] = []
        for _ in range(_ATTEMPTS):
            self._state = file_stamp(folder / ABOUT)
            try:
                self._open_files(folder)
            except DataError:
                if self._state == file_stamp(folder / ABOUT):
                    raise
            if self._state == file_stamp(folder / ABOUT):  # else it was replaced while it was opened
                return
        raise self._replaced_error()

    def _replaced_error(self) -> DataError:
        what = "the index was replaced while it was opened"
        return DataError(what, path=self.folder, code="E661", remedy="Ask again.")

    def _check_unchanged(self, opened: T) -> T:
        """Return what was opened now, if the index is still the same.

        Raises:
            DataError: E661.
        """
        if self._state != file_stamp(self.folder / ABOUT):
            raise self._replaced_error()
        return opened

    def _open_files(self, folder: Path) -> None:
        if not any((folder / name).exists() for name in (ABOUT, "features.npy", "looks.arrow")):
            raise DataError(
                "there is no index of formulas in this folder",
                path=folder,
                code="E312",
                remedy="Make one with: mathwb mathamr index FOLDER --out INDEX",
            )
        self.about: Mapping[str, Any] = read_about(folder)
        if self.about.get("version") != VERSION:
            raise DataError(
                f"the index is of version {self.about.get('version')}, not {VERSION}",
                path=folder,
                code="E662",
                remedy="Remove the index and build it again.",
            )
        self._names = np.asarray(self._open_array("features"))
        self._starts = np.asarray(self._open_array("starts"))
        self._looks, self._counts = self._open_array("looks"), self._open_array("counts")
        self._masses = np.asarray(self._open_array("masses"))
        self._members, self._firsts = self._open_array("members"), self._open_array("firsts")
        if len(self._starts) != len(self._names) + 1 or self._starts[-1] != len(self._looks):
            raise corrupt_file_error(folder / "starts.npy", "it does not match the other files")
        self.looks, self.formulas = self._open_table("looks"), self._open_table("formulas")
        self.fields = self._open_table("fields")

    def _open_array(self, name: str) -> Any:
        held = map_array(self.folder / f"{name}.npy")
        self._maps.append(held._mmap)
        return held

    def _open_table(self, name: str) -> pa.Table:
        path = self.folder / f"{name}.arrow"
        try:
            with path.open("rb") as file:
                held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            table = pa.ipc.open_file(pa.BufferReader(pa.py_buffer(held))).read_all()
        except (OSError, ValueError, pa.ArrowInvalid) as error:
            raise corrupt_file_error(path, error) from error
        self._maps.append(held)
        return table

    def release_memory(self) -> None:
        """Let go of what was read of the index: the system keeps it while memory is free, not the process."""
        for held in self._maps if hasattr(mmap, "MADV_DONTNEED") else ():
            held.madvise(mmap.MADV_DONTNEED)

    def __len__(self) -> int:
        return len(self._masses)

    def _find_postings(self, feature: str) -> tuple[int, int]:
        """Return where the postings of a feature begin and end; (0, 0) where no look has it."""
        number = np.uint64(hash_feature(feature))
        at = int(np.searchsorted(self._names, number))
        if at == len(self._names) or self._names[at] != number:
            return 0, 0
        return int(self._starts[at]), int(self._starts[at + 1])

    def score_looks(self, features: Counter[str]) -> ShortFloats:
        """Return Tversky's index of the query's features and those of each look, between 0 and 1, shape
        `(looks,)`.
        """
        shared = np.zeros(len(self), np.float32)
        own = 0.0
        for feature, count in features.items():
            begin, end = self._find_postings(feature)
            if begin == end:
                own += count * float(compute_rarity(np.zeros(1), len(self))[0])
                continue
            weight = float(compute_rarity(np.array([end - begin]), len(self))[0])
            own += count * weight
            # A look holds a feature once, so that plain indexing adds each.
            shared[self._looks[begin:end]] += weight * np.minimum(self._counts[begin:end], count)
        whole = (1 - ALPHA) * own + ALPHA * self._masses
        return np.divide(shared, whole, out=shared, where=whole > 0)

    def compute_similarity(self, shared: float, own: float, mass: float) -> float:
        """Return Tversky's index of the weight that two formulas share, of the query's and of a look's parts.

        shared / ((1 - α) · own + α · mass), with α = `ALPHA` (A. Tversky, "Features of similarity", 1977).
        """
        denominator = (1 - ALPHA) * own + ALPHA * mass
        return shared / denominator if denominator > 0 else 0.0

    def weigh_features(self, features: Iterable[str]) -> dict[str, float]:
        """Return the weight of each feature: the rarer in the index, the heavier."""
        names = list(features)
        hashes = np.array([hash_feature(name) for name in names], np.uint64)
        at = np.minimum(np.searchsorted(self._names, hashes), len(self._names) - 1)
        holders = np.where(self._names[at] == hashes, self._starts[at + 1] - self._starts[at], 0)
        return dict(zip(names, compute_rarity(holders, len(self)).tolist(), strict=True))

    def find_with_all(self, features: Counter[str], k: int) -> list[int]:
        """Return at most `k` looks that have all of the features as often, those with the fewest other parts
        first.
        """
        result: NDArray[Any] | None = None
        positions = []
        for feature, count in features.items():
            begin, end = self._find_postings(feature)
            if begin == end:
                return []
            positions.append((begin, end, count))
        for begin, end, count in sorted(positions, key=lambda run: run[1] - run[0]):
            looks, counts = self._looks[begin:end], self._counts[begin:end]
            if result is None:
                result = np.asarray(looks[counts >= count])
                continue
            at_ = np.minimum(np.searchsorted(looks, result), len(looks) - 1)
            result = result[(looks[at_] == result) & (counts[at_] >= count)]
        if result is None:
            result = np.arange(len(self))
        return [int(look) for look in result[np.argsort(self._masses[result], kind="stable")][:k]]

    def search(self, features: Counter[str], k: int) -> tuple[ShortFloats, NDArray[np.int64]]:
        """Return (scores, looks): at most `k` that share anything, the most similar first; equal ones in
        order.

        Features that are rare come first. As soon as all that are left could not lift a look that has none
        of those before into the first `k`, they are looked up only of what could still be among these.
        """
        query_features = self._find_query_features(features)
        # In a small index, scoring all looks is faster than choosing between them.
        if len(self) < _FEW:
            scores = self.score_looks(features)
            rows = top_k(scores, k)
            rows = rows[scores[rows] > 0]
            return scores[rows], rows
        weights = self.weigh_features(features)
        # `own` is the query's part of the denominator, `left` the most that unread features can still add to
        # `shared`.
        own = (1 - ALPHA) * sum(count * weights[name] for name, count in features.items())
        shared = np.zeros(len(self), np.float32)
        remaining = sum(feature.most for feature in query_features)
        candidates: NDArray[np.int32] = np.zeros(0, np.int32)
        number = read = 0
        threshold = 0.0
        # First phase: read postings of rare features, until a look that has none of them cannot enter the
        # first k.
        while number < len(query_features) and remaining / (own + ALPHA * remaining) >= threshold:
            feature = query_features[number]
            read = self._count_read(read, feature.size)
            looks, add = self._looks[feature.begin : feature.end], self._score_postings(feature)
            # A look that is met for the first time becomes a candidate.
            new = looks[shared[looks] == 0]
            shared[looks] += add
            candidates = np.concatenate([candidates, new])
            remaining, number = remaining - feature.most, number + 1
            if len(candidates) >= k and (len(candidates) < _MANY or not number % _SELDOM):
                threshold = max(threshold, self._find_threshold(shared[candidates], candidates, own, k))
        # Second phase: drop candidates that cannot reach the k-th score any more, and look up the rest only.
        while len(candidates) > k:
            # What is found has some of the rare parts; how good it can still become says what to look up.
            shared_weights = shared[candidates]
            best = (shared_weights + remaining) / (
                own + ALPHA * np.maximum(self._masses[candidates], shared_weights)
            )
            # A little less than the threshold, since sums in single precision depend on their order.
            candidates = candidates[best >= threshold * _ROUNDED]
            if number == len(query_features):
                break
            feature = query_features[number]
            read = self._count_read(read, feature.size)
            self._look_up(feature, candidates, shared)
            remaining, number = remaining - feature.most, number + 1
            threshold = max(threshold, self._find_threshold(shared[candidates], candidates, own, k))
        # Few candidates are left: add the remaining features to their scores.
        for feature in query_features[number:]:
            read = self._count_read(read, feature.size)
            self._look_up(feature, candidates, shared)
        candidates.sort()
        final: ShortFloats = (shared[candidates] / (own + ALPHA * self._masses[candidates])).astype(
            np.float32
        )
        rows = top_k(final, k)
        return final[rows], candidates[rows].astype(np.int64)

    def _count_read(self, before: int, size: int) -> int:
        """Postings that are read since the last release, with so many more."""
        if before + size <= _HELD:
            return before + size
        self.release_memory()
        return size

    def _find_query_features(self, features: Counter[str]) -> list[_QueryFeature]:
        """Return the features of a query that the index has, the weightiest first."""
        result = []
        for feature, count in features.items():
            begin, end = self._find_postings(feature)
            if begin < end:
                weight = float(compute_rarity(np.array([end - begin]), len(self))[0])
                result.append(_QueryFeature(begin, end, count, weight))
        return sorted(result, key=lambda one: (-one.weight, one.begin))

    def _score_postings(self, one: _QueryFeature) -> ShortFloats:
        counts = self._counts[one.begin : one.end]
        if one.count == 1:
            return np.full(len(counts), one.weight, np.float32)
        return (np.minimum(counts, one.count) * one.weight).astype(np.float32)

    def _find_threshold(self, shared: ShortFloats, looks: NDArray[np.int32], own: float, k: int) -> float:
        if len(looks) < k:
            return 0.0
        scores = shared / (own + ALPHA * self._masses[looks])
        return float(np.partition(scores, len(scores) - k)[len(scores) - k])

    def _look_up(self, one: _QueryFeature, candidates: NDArray[np.int32], shared: ShortFloats) -> None:
        looks = self._looks[one.begin : one.end]
        if len(candidates) * _LOOK_UP > one.size:
            own = np.zeros(len(self), bool)
            own[candidates] = True
            here = own[looks]
            shared[looks[here]] += self._score_postings(one)[here]
            return
        at = np.searchsorted(looks, candidates)
        at[at == len(looks)] = 0
        here = looks[at] == candidates
        counts = np.minimum(self._counts[one.begin : one.end][at[here]], one.count)
        shared[candidates[here]] += (counts * one.weight).astype(np.float32)

    @cached_property
    def vectors(self) -> Any:
        """The dense index of the looks.

        Raises:
            DataError: E670 where the index was built without.
        """
        from engines.retrieval.dense import DenseIndex

        if not self.about.get("encoder"):
            raise DataError(
                "the index has no vectors",
                path=self.folder,
                code="E670",
                remedy="Build it with --encoder minilm, or search with --how paths.",
            )
        return self._check_unchanged(DenseIndex(self.folder / "vectors"))

    @cached_property
    def keys(self) -> tuple[Any, Any, Any]:
        """The keys of values, the look that has each, and the share of it that each is of."""
        return self._check_unchanged(
            (self._open_array("keys"), self._open_array("keys_looks"), self._open_array("keys_shares"))
        )

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.formulas["id"].to_pylist())}

    def find_row(self, formula: str) -> int | None:
        """Return the row of a formula in `formulas`; None where it is not in the collection."""
        return self._rows.get(formula)

    def look_of(self, formula: str) -> int | None:
        """Return the look of a formula by its id, or None."""
        row = self.find_row(formula)
        return None if row is None else int(self.formulas["look"][row].as_py())

    def read_latex(self, look: int) -> str:
        """Return the LaTeX of a look."""
        return str(self.looks["latex"][look].as_py())

    def read_visual_id(self, look: int) -> str:
        """Return the visual id of a look."""
        return str(self.looks["visual_id"][look].as_py())

    def list_members(self, look: int) -> list[dict[str, Any]]:
        """Return the formulas of a look: id, post, kind, line, file, field, look."""
        result: list[dict[str, Any]] = self.formulas.take(pa.array(self.rows_of(look))).to_pylist()
        return result

    def rows_of(self, look: int) -> NDArray[np.int32]:
        """Return the formulas of a look, as rows."""
        return np.asarray(self._members[self._firsts[look] : self._firsts[look + 1]])

    def fields_of(self, rows: NDArray[Any]) -> NDArray[np.int32]:
        """Return the fields that formulas stand in, by their rows."""
        return self._field_column[rows]

    @cached_property
    def _field_column(self) -> NDArray[np.int32]:
        return np.asarray(self.formulas["field"].to_numpy())

    def texts_of(self, rows: NDArray[Any]) -> list[tuple[str, str]]:
        """Return the text that each formula stands in: its file and row or post, of a collection its post, or
        its id where that is not known.
        """
        result = self.formulas.select(["id", "post", "kind"]).take(pa.array(rows)).to_pylist()
        own = "documents" in self.about
        return [(one["post"], one["kind"]) if own else (one["post"] or one["id"], "") for one in result]

    def read_formula(self, row: int) -> dict[str, Any]:
        """Return a formula, as `members` has it."""
        result: dict[str, Any] = self.formulas.slice(row, 1).to_pylist()[0]
        return result

    def score_words(self, text: str) -> ShortFloats:
        """Return how well each text matches some words, between 0 and 1, shape `(fields,)`.

        Raises:
            DataError: E670 for an index without texts.
        """
        from engines.retrieval.bm25 import LexicalIndex

        if not (self.folder / WORDS).exists():
            raise DataError(
                "the index has no texts to look for words in",
                path=self.folder,
                code="E670",
                remedy="Ask for the formula alone, without words and dollars.",
            )
        scores = self._check_unchanged(LexicalIndex(self.folder / WORDS)).score_documents(text)
        return scores / max(float(scores.max(initial=0)), 1e-9)

    def read_text(self, field: int) -> str:
        """Return the text of a field, formulas as placeholders or `$latex$`; "" for -1."""
        return "" if field < 0 else str(self.fields["text"][field].as_py())

    def field_of(self, formula: str) -> str | None:
        """Return the text, with placeholders, of the field that a formula stands in; None where it is
        unknown.
        """
        row = self.find_row(formula)
        number = -1 if row is None else int(self.formulas["field"][row].as_py())
        return None if number < 0 else str(self.fields["text"][number].as_py())

    def latex_of(self, formulas: Iterable[str]) -> dict[str, str]:
        """Return the LaTeX of formulas by id; those that the collection lacks are left out."""
        result = {}
        for name in formulas:
            look = self.look_of(name)
            if look is not None:
                result[name] = self.read_latex(look)
        return result
