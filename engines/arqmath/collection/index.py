"""Searching the answers of a collection: by terms, by vectors, or both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.collection.posts import PostStore
from engines.arqmath.first_stage import RETRIEVERS, AnswerRetriever, FirstStage
from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.files import file_error
from engines.core.hashing import cache_by_file_state, file_stamp, sha256
from engines.retrieval.index_storage import corrupt_file_error
from engines.retrieval.index_terms import TERMS
from engines.retrieval.trec import DEPTH, TrecRun

if TYPE_CHECKING:
    from engines.retrieval.dense import Vectors
    from engines.retrieval.encoders import StoredEncoder
    from engines.retrieval.sparse import SparseEncoder


FORMAT = 1
MANIFEST, PLAN = "manifest.json", "plan.json"
AGAIN = "Remove the index and build it again, or choose another folder."
STORE = "posts.sqlite"
IDS, QUESTIONS = "documents.npy", "questions.npy"
_HASHED_BYTES = 4 * 2**20
"""Files of an index up to this size are compared by content when it is opened, larger ones by length: an
index of the whole collection has gigabytes."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An answer that was found; what the score is depends on how it was searched."""

    id: str
    score: float


def read_json(path: Path) -> dict[str, Any]:
    """Return a plan or manifest.

    Raises:
        DataError: E661 for one that is corrupt, E312 for one that is missing.
    """
    try:
        result: dict[str, Any] = json.loads(path.read_bytes())
        # One without a format is as corrupt as one that is no JSON.
        result["format"]
    except FileNotFoundError as error:
        raise file_error(error, path, "read") from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise corrupt_file_error(path, error) from error
    return result


def open_index(path: Path, *, encoder: StoredEncoder | None = None) -> AnswerIndex:
    """Return the index in a folder.

    Args:
        encoder: That of the index, if it is at hand; else loaded when needed.

    Raises:
        DataError: E312 when there is none, E661 for a file that is missing or not as long as it was (a
            smaller one: with other content), E662 for an index of another version.
        EngineError: E668 for an encoder that is not its own.
    """
    if not (path / MANIFEST).exists():
        begun = (path / PLAN).exists()
        raise DataError(
            "the index in this folder is not finished" if begun else "there is no index in this folder",
            path=path,
            code="E312",
            remedy="The command that started it continues it."
            if begun
            else "Make one with: mathwb arqmath index FOLDER --out DIR",
        )
    # Check all sizes, and the contents of small files, before anything is read from them.
    manifest = read_json(path / MANIFEST)
    if manifest["format"] != FORMAT or manifest.get("tokens") not in TERMS:
        what = "another version of this program made the index"
        raise DataError(what, path=path, code="E662", remedy=AGAIN)
    for name, file_facts in manifest["files"].items():
        file = path / name
        byte_count = file.stat().st_size if file.exists() else 0
        if byte_count != file_facts["bytes"]:
            raise corrupt_file_error(file, f"{byte_count:,} bytes instead of {file_facts['bytes']:,}")
        if byte_count <= _HASHED_BYTES and sha256(file) != file_facts["sha256"]:
            raise corrupt_file_error(file, "different content of the same length")
    if encoder is not None:
        _same_encoder(path, manifest.get("encoder") or {}, encoder)
    return AnswerIndex(path, manifest, encoder)


@cache_by_file_state(2, lambda path: file_stamp(path / MANIFEST))
def cached_index(path: Path) -> AnswerIndex:
    """Open an index as `open_index` does and keep it open, with its model.

    It is opened again after a new build, and closed when two others have been opened.
    """
    return open_index(path)


def _same_encoder(path: Path, own: Mapping[str, Any], encoder: StoredEncoder | SparseEncoder) -> None:
    if own and encoder.fingerprint != own["sha256"]:
        what = f"the index was built with the model {own['name']}, and {encoder.name} has other weights"
        remedy = f"Restore the model at {own['place']}, or build the index again."
        raise EngineError(what, where=str(path), code="E668", remedy=remedy)


_Model = TypeVar("_Model", "StoredEncoder", "SparseEncoder")


def _load_own_model(
    path: Path, own: Mapping[str, Any], load: Callable[[str], _Model], options: str
) -> _Model:
    try:
        result = load(own["place"])
    except DataError as error:
        # E312 says that the model is gone; any other fault of its folder is reported as it is.
        if error.code != "E312":
            raise
        remedy = f"mathwb arqmath index COLLECTION --out {path} {options} FOLDER"
        what = f"the model {own['name']} of the index is not at {own['place']} any more"
        remedy = f"Put it there again, or say where it is now: {remedy}"
        raise DataError(what, path=path, code="E312", remedy=remedy) from error
    _same_encoder(path, own, result)
    return result


class AnswerIndex:
    """An opened index; each part is loaded when it is first needed."""

    def __init__(self, path: Path, manifest: Mapping[str, Any], encoder: StoredEncoder | None = None) -> None:
        self.path, self.manifest = path, manifest
        self._given = encoder
        self._retrievers: dict[str, AnswerRetriever] = {}

    def __len__(self) -> int:
        return int(self.manifest["documents"])

    @cached_property
    def store(self) -> PostStore:
        """The posts of the collection."""
        return PostStore(self.path / STORE)

    @cached_property
    def ids(self) -> NDArray[np.bytes_]:
        """The ids of the answers, as bytes, in the order of the indexes."""
        return np.asarray(np.load(self.path / IDS, mmap_mode="r"))

    def open_retriever(self, name: str) -> AnswerRetriever:
        """Return the retriever of this name, opened when it is first asked for.

        Raises:
            EngineError: E670 when the index was built without.
        """
        if name not in self._retrievers:
            self._retrievers[name] = RETRIEVERS[name](self)
        return self._retrievers[name]

    @cached_property
    def sparse_model(self) -> SparseEncoder:
        """The model that the sparse vectors are of.

        Raises:
            EngineError: E668 when its weights are others.
            DataError: E312 when it is not where it was.
        """
        from engines.retrieval.sparse import sparse_encoder

        return _load_own_model(self.path, self.manifest["sparse_encoder"], sparse_encoder, "--sparse")

    @cached_property
    def question_ids(self) -> NDArray[np.bytes_]:
        """The ids of the questions, as bytes, in the order of their vectors."""
        return np.asarray(np.load(self.path / QUESTIONS, mmap_mode="r"))

    @cached_property
    def encoder(self) -> StoredEncoder:
        """The model that the vectors are of.

        Raises:
            EngineError: E668 when its weights have changed.
            DataError: E312 when it is not where it was.
        """
        if self._given is not None:
            return self._given
        from engines.retrieval.encoders import encoder

        return _load_own_model(self.path, self.manifest["encoder"], encoder, "--dense --encoder")

    @property
    def symmetric(self) -> bool:
        """Whether its model makes the same vector of a query and of a document."""
        return not self.manifest["encoder"].get("roles")

    @property
    def searches(self) -> list[str]:
        """The retrievers that it was built for."""
        return [name for name, kind in RETRIEVERS.items() if kind.is_available(self.manifest)]

    @property
    def how(self) -> str:
        """The default way to search: the stages that add something, by docs/measurements/arqmath.md."""
        if self.manifest.get("questions"):
            return "lexical + questions"
        return "fused" if self.manifest["dense"] else "lexical"

    def search(self, text: str, k: int = 10, *, how: str | None = None) -> list[Hit]:
        """Return the best answers to a text with formulas as `$latex$`, at most `k`, best first.

        Args:
            how: As `FirstStage.from_text` reads it; what is put together goes 1,000 deep; `AnswerIndex.how`
                unless given.

        Raises:
            EngineError: E435 for another, E670 for a search that the index lacks.
        """
        ranking = self.rank_topics({"": text}, k, how=how).rankings.get("", ())
        return [Hit(id, score) for id, score in ranking]

    def holds_term_of(self, text: str) -> bool:
        """Return whether any answer holds a word or symbol of a text with formulas as `$latex$`."""
        return bool(self.open_retriever("lexical").part.holds_term_of(text))

    def rank_topics(
        self,
        topics: Mapping[str, str],
        k: int = DEPTH,
        *,
        how: str | None = None,
        tag: str = "",
        queries: Vectors | None = None,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> TrecRun:
        """Return a run: the best answers to each topic's text, as `search`. Topics that find nothing are left
        out; after a stop, those that were not reached are.

        Args:
            queries: (topics, dim) their vectors, where they are known.
        """
        first = FirstStage.from_text(how or self.how)
        # A fusion needs full depth: a document that is low in each run may be among the best of both.
        depth = k if len(first.weights) == 1 else max(k, DEPTH)
        used = {name: self.open_retriever(name) for name, _ in first.weights}
        # Topics are encoded once, however many retrievers search by vectors.
        if queries is None and any(retriever.encodes for retriever in used.values()):
            queries = self.encoder.queries(list(topics.values()), stop=stop)
            if stop():
                return TrecRun(tag or str(first), {})
        result = first.fuse_runs(
            {name: retriever.search(topics, queries, depth, events, stop) for name, retriever in used.items()}
        )
        return TrecRun(
            tag or str(first), {topic: hits[:k] for topic, hits in result.rankings.items() if hits}
        )

    def to_run(
        self, name: str, topics: Mapping[str, str], scores: Vectors, rows: NDArray[np.int64]
    ) -> TrecRun:
        """Return a run of the answers in these rows, a line a topic."""
        results = {topic: self.to_scored_ids(scores[n], rows[n]) for n, topic in enumerate(topics)}
        return TrecRun.from_scores(name, results)

    def to_scored_ids(
        self, scores: Vectors, rows: NDArray[np.int64], ids: NDArray[np.bytes_] | None = None
    ) -> list[tuple[str, float]]:
        """Return ids and scores of the rows that are not -1.

        Args:
            ids: Of all rows; the answers' unless given.
        """
        filled = rows >= 0
        names = (self.ids if ids is None else ids)[rows[filled]].tolist()
        return list(zip((id.decode() for id in names), scores[filled].tolist(), strict=True))
