"""First stages: registered retrievers, and expressions that say which of them are fused and how.

A first stage of your own is one subclass of `AnswerRetriever`: help, `--first`, `--how`, fusion, tuning and
the building of an index find it by its name, and the reference page takes its docstring. A distribution adds
one by an entry point of the group `mathwb.first_stages` that names the class.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from engines.core.entry_points import load_entry_points
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop

if TYPE_CHECKING:
    from engines.arqmath.collection.index import AnswerIndex
    from engines.arqmath.collection.index_build import IndexBuild
    from engines.arqmath.collection.posts import PostStore
    from engines.retrieval.dense import Vectors
    from engines.retrieval.trec import TrecRun


RETRIEVERS: dict[str, type[AnswerRetriever]] = {}
"""Every retriever by its name, in the order of help, of building, and of an index's manifest."""


class AnswerRetriever(ABC):
    """A way to find answers to topics; a subclass registers itself by its `name`, in small letters.

    The first sentence of its docstring says what the score of an answer is, for the reference page.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    """What it goes by, for help."""
    encodes: ClassVar[bool] = False
    """Whether it is given the topics' vectors by the index's encoder."""
    stored: ClassVar[bool] = True
    """Whether an index has a folder of this name for it, which `build` makes and `open` opens."""
    holds: ClassVar[tuple[str, str]] = ("", "")
    """What an index may lack, and the option that adds it."""

    def __init_subclass__(cls) -> None:
        RETRIEVERS[cls.name] = cls

    def __init__(self, index: AnswerIndex) -> None:
        self.index = index
        if self.stored and index.manifest.get(self.name) is None:
            what = f"the index holds no {self.holds[0]}"
            remedy = f"Add them with: mathwb arqmath index FOLDER --out DIR {self.holds[1]}"
            raise EngineError(what, where=str(index.path), code="E670", exit_code=3, remedy=remedy)
        self.part: Any = self.open(index.path / self.name) if self.stored else None

    @classmethod
    def is_available(cls, manifest: Mapping[str, Any]) -> bool:
        """Return whether an index has what this retriever searches."""
        return not cls.stored or bool(manifest.get(cls.name))

    @abstractmethod
    def search(
        self, topics: Mapping[str, str], queries: Vectors | None, k: int, events: Sink, stop: Stop
    ) -> TrecRun:
        """Return the best answers to each topic's text, about `k`.

        Args:
            queries: (topics, dim), their vectors, if it `encodes`.
        """

    @staticmethod
    def open(folder: Path) -> Any:
        """Open what its folder holds; its `about` goes into the manifest."""
        raise NotImplementedError

    @classmethod
    def is_requested(cls, build: IndexBuild) -> bool:  # noqa: ARG003
        """Return whether a build is asked to make its folder."""
        return False

    @classmethod
    def build(cls, build: IndexBuild, store: PostStore) -> bool:  # noqa: ARG003
        """Make its folder if that is wanted and not there.

        Returns:
            False when that was stopped.
        """
        return True


class Lexical(AnswerRetriever):
    """BM25 over words and formulas."""

    name, about = "lexical", "words and formulas"

    @staticmethod
    def open(folder: Path) -> Any:
        """Open the index of terms in a folder."""
        from engines.retrieval.bm25 import LexicalIndex

        return LexicalIndex(folder)

    @classmethod
    def is_requested(cls, build: IndexBuild) -> bool:  # noqa: ARG003
        """Return True: every index has terms."""
        return True

    @classmethod
    def build(cls, build: IndexBuild, store: PostStore) -> bool:
        """Build the index of terms; return False after a stop."""
        return build.build_postings(store, cls.name, build.plan["tokens"], "terms", "answers")

    def search(
        self,
        topics: Mapping[str, str],
        queries: Vectors | None,  # noqa: ARG002
        k: int,
        events: Sink,
        stop: Stop,
    ) -> TrecRun:
        """Rank answers by BM25."""
        from engines.retrieval.trec import TrecRun

        results = {}
        for done, (topic, text) in enumerate(topics.items(), start=1):
            if stop():
                break
            results[topic] = self.index.to_scored_ids(*self.part.search(text, k))
            events(Event("progress", {"done": done, "total": len(topics), "unit": "topics"}))
        return TrecRun.from_scores(self.name, results)


class Dense(AnswerRetriever):
    """Similarity of topic and answer by their vectors: cosine or dot product, as the model's authors compare
    them.
    """

    name, about = "dense", "vectors of answers"
    encodes, holds = True, ("vectors", "--dense")

    @staticmethod
    def open(folder: Path) -> Any:
        """Open the dense index in a folder."""
        from engines.retrieval.dense import DenseIndex

        return DenseIndex(folder)

    @classmethod
    def is_requested(cls, build: IndexBuild) -> bool:
        """Return whether the build has an encoder."""
        return build.encoder is not None

    @classmethod
    def build(cls, build: IndexBuild, store: PostStore) -> bool:
        """Encode the answers and build their dense index; return False after a stop."""
        return build.build_vectors(store, build.answers, cls.name, "vectors", "answers encoded")

    def search(
        self,
        topics: Mapping[str, str],
        queries: Vectors | None,
        k: int,
        events: Sink,  # noqa: ARG002
        stop: Stop,  # noqa: ARG002
    ) -> TrecRun:
        """Rank answers by the inner product of their vectors with the topics'."""
        return self.index.to_run(self.name, topics, *self.part.search(queries, k))


class Questions(Dense):
    """Similarity of topic and the question that the answer belongs to, by their vectors."""

    name, about = "questions", "vectors of questions"
    holds = "vectors of questions", "--dense"

    @classmethod
    def build(cls, build: IndexBuild, store: PostStore) -> bool:
        """Encode the questions that have answers and build their dense index; return False after a stop."""
        return build.build_vectors(
            store, build.write_question_ids(store), cls.name, "questions", "questions encoded"
        )

    def search(
        self,
        topics: Mapping[str, str],
        queries: Vectors | None,
        k: int,
        events: Sink,  # noqa: ARG002
        stop: Stop,  # noqa: ARG002
    ) -> TrecRun:
        """Rank the answers of the questions nearest to a topic, question by question.

        At least `k` answers are returned if there are so many, and all answers of the last question.
        """
        from engines.retrieval.trec import TrecRun

        scores, rows = self.part.search(queries, k)
        # Answers are taken question by question, in the order of the questions' similarity.
        results = {}
        for n, topic in enumerate(topics):
            hits: list[tuple[str, float]] = []
            for question, score in self.index.to_scored_ids(scores[n], rows[n], self.index.question_ids):
                hits += [(answer, score) for answer in self.index.store.list_answer_ids(question)]
                if len(hits) >= k:
                    break
            results[topic] = hits
        return TrecRun.from_scores(self.name, results)


class Sparse(AnswerRetriever):
    """Product of learned sparse vectors."""

    name, about = "sparse", "learned ones"
    holds = "sparse vectors", "--sparse MODEL"

    @staticmethod
    def open(folder: Path) -> Any:
        """Open the index of learned sparse vectors in a folder."""
        from engines.retrieval.sparse import SparseIndex

        return SparseIndex(folder)

    @classmethod
    def is_requested(cls, build: IndexBuild) -> bool:
        """Return whether the build has a sparse encoder."""
        return build.sparse is not None

    @classmethod
    def build(cls, build: IndexBuild, store: PostStore) -> bool:
        """Encode the answers as sparse vectors and build their index; return False after a stop."""
        encoder = build.sparse
        if encoder is None or (build.out / cls.name).exists():
            return True
        from scipy.sparse import load_npz, save_npz

        from engines.core.files import atomic_writer
        from engines.retrieval.sparse import build_sparse

        def write_vector_part(texts: Sequence[str], path: Path) -> bool:
            vectors = encoder.encode_documents(texts, stop=build.stop)
            if build.stop():
                return False
            with atomic_writer(path, "wb") as file:
                save_npz(file, vectors)
            return True

        # The fingerprint in the name keeps a resumed build from using the vectors of another model.
        name = f"sparse-{encoder.fingerprint[:12]}-{{:05d}}.npz"
        parts = build.make_parts(store, build.answers, name, "sparse vectors", write_vector_part, load_npz)
        if parts is not None:
            build_sparse(map(load_npz, parts), build.out / cls.name, dimension=encoder.dimension)
        return parts is not None

    def search(
        self,
        topics: Mapping[str, str],
        queries: Vectors | None,  # noqa: ARG002
        k: int,
        events: Sink,  # noqa: ARG002
        stop: Stop,  # noqa: ARG002
    ) -> TrecRun:
        """Rank answers by the inner product of sparse vectors."""
        result = self.part.search(self.index.sparse_model.encode_queries(list(topics.values())), k)
        return self.index.to_run(self.name, topics, *result)


class Structure(Lexical):
    """BM25 over parts of the formulas' operator trees."""

    name, about = "structure", "of formulas"
    holds = "structure of formulas", "--structure"

    @classmethod
    def is_requested(cls, build: IndexBuild) -> bool:
        """Return whether the structure of formulas was asked for."""
        return build.structure

    @classmethod
    def build(cls, build: IndexBuild, store: PostStore) -> bool:
        """Build the index of features of operator trees; return False after a stop."""
        from engines.retrieval.index_terms import STRUCTURE

        try:
            unit = "structures of answers"
            return not build.structure or build.build_postings(store, cls.name, STRUCTURE, STRUCTURE, unit)
        except DataError as error:
            # Only for an index without any term is the advice below of use.
            if error.code != "E660":
                raise
            raise DataError(
                "no answer has a formula whose structure could be indexed",
                path=build.folder.posts,
                code="E660",
                remedy=(
                    "Run the same command without --structure to finish the index. Formulas are what "
                    "is between dollar signs or in math-container spans."
                ),
            ) from error


_TERM = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)\s*\*)?\s*([a-z]+)\s*")
_RANKS = re.compile(r"\s*rrf\s*\(([^()]*?)(?:,\s*k\s*=\s*(\d+)\s*)?\)\s*")
_K = 60
"""The constant of reciprocal rank fusion, unless one says otherwise."""


@dataclass(frozen=True, slots=True)
class FirstStage:
    """An expression: retrievers, by name, with their weights.

    Several are summed, each after min-max over what it found for a topic; where there is a `k` they are fused
    by reciprocal ranks instead, 1 / (k + rank), all of one weight.
    """

    weights: tuple[tuple[str, float], ...]
    k: int | None = None

    @classmethod
    def from_text(cls, text: str) -> FirstStage:
        """Return the first stage that an expression describes.

        Examples are `lexical`, `lexical + 0.5*dense + 2*questions`, `rrf(lexical, questions)` and
        `rrf(lexical, dense, k=20)`; `fused` is `rrf(lexical, dense)`.

        Raises:
            EngineError: E435 that says what is wrong.
        """
        if text.strip() == "fused":
            return FUSED
        # A fusion by ranks has its parts between commas, a weighted sum between plus signs.
        ranks = _RANKS.fullmatch(text)
        parts = ranks[1].split(",") if ranks else text.split("+")
        weights: dict[str, float] = {}
        for part in parts:
            term = _TERM.fullmatch(part)
            if term is None or term[2] not in RETRIEVERS:
                raise _syntax_error(text, f"{part.strip()!r} is none of {', '.join(RETRIEVERS)}")
            name = term[2]
            if name in weights:
                raise _syntax_error(text, f"{name} is in it twice")
            if term[1] is not None and (ranks or not float(term[1])):
                raise _syntax_error(
                    text, "rank fusion takes no weights" if ranks else f"{name} has no weight"
                )
            weights[name] = float(term[1] or 1)
        if ranks and len(weights) < 2:
            raise _syntax_error(text, "there is nothing to fuse")
        return cls(tuple(weights.items()), int(ranks[2] or _K) if ranks else None)

    def __str__(self) -> str:
        if self == FUSED:
            return "fused"
        if self.k is not None:
            constant = "" if self.k == _K else f", k={self.k}"
            return f"rrf({', '.join(name for name, _ in self.weights)}{constant})"
        if len(self.weights) == 1:
            return self.weights[0][0]
        return " + ".join(name if weight == 1 else f"{weight:g}*{name}" for name, weight in self.weights)

    def fuse_runs(self, runs_by_name: Mapping[str, TrecRun]) -> TrecRun:
        """Return one run out of what its searches found."""
        from engines.retrieval.fusion import reciprocal_rank_fusion, weighted_sum

        runs = [runs_by_name[name] for name, _ in self.weights]
        if len(runs) == 1:
            return runs[0]
        if self.k is not None:
            return reciprocal_rank_fusion(runs, k=self.k)
        return weighted_sum(runs, [weight for _, weight in self.weights])


FUSED = FirstStage((("lexical", 1.0), ("dense", 1.0)), _K)


def _syntax_error(text: str, why: str) -> EngineError:
    return EngineError(
        f"{text!r} is no first stage: {why}",
        code="E435",
        remedy="As in: lexical, fused, lexical + 0.5*dense + 2*questions, rrf(lexical, questions)",
    )


# A class of another distribution registers itself when it is imported, behind those of this module.
load_entry_points("mathwb.first_stages")
