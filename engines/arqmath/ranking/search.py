"""Searching an indexed collection: a first stage, then a cross-encoder on the best of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.arqmath.first_stage import RETRIEVERS, FirstStage
from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.hashing import cache_by_file_state, file_stamp
from engines.core.notebook_display import Shown
from engines.core.spec import Arg, specification
from engines.forum.folder import SomeIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engines.arqmath.collection.posts import StoredPost
    from engines.arqmath.ranking.cross_encoder import CrossEncoder


RERANKED = 50
"""How many of the first stage a cross-encoder scores."""
_BATCH = 8


@specification
class Search:
    """Search the answers of an indexed collection."""

    index: SomeIndex
    query: Annotated[str, Arg("Words, with formulas between dollar signs.", metavar="QUERY")]
    k: Annotated[int, Arg("How many answers to show.", low=1, high=10_000, short="-k")] = 10
    how: Annotated[
        str | None,
        Arg(
            ", ".join(f"{name} ({retriever.about})" for name, retriever in RETRIEVERS.items())
            + ', or several: "lexical + 0.5*dense + 2*questions", "rrf(lexical, questions)"; '
            "fused is rrf(lexical, dense).",
            shown="lexical + questions, where there are vectors",
        ),
    ] = None
    model: Annotated[
        Path | None,
        Arg(f"A cross-encoder to re-rank the best {RERANKED}: a folder, or a model's name.", ref="model"),
    ] = None

    def __post_init__(self) -> None:
        if self.how is not None:
            FirstStage.from_text(self.how)
        if not self.query.strip():
            raise EngineError(
                "there is nothing to search for", code="E402", remedy="Name words or a formula."
            )


def search(spec: Search, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    r"""Search a collection: the best answers to a query, best first; it is read as a topic is, so `\(x\)` is
    `$x$`.

    Returns:
        Query, how, answers (in the index), matched (whether any answer holds a word or symbol of it: if not,
        vectors still have nearest answers) and hits: rank, score, id, question, title, snippet (about the
        query, formulas as LaTeX). With a model each hit also has first, its rank before, and probability, the
        model's that it answers the query, or None where it was not asked; those it scored come first.

    Events:
        Progress with stage `first`, how and hits, then with stage `rerank` and the probabilities by id. When
        `stop` is raised, answers that were not scored keep their order behind the others.

    Raises:
        DataError and EngineError: As `open_index`, `AnswerIndex.search` and `CrossEncoder`.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> from tempfile import mkdtemp
    >>> place = Path(mkdtemp())
    >>> from engines.arqmath import IndexCollection, index
    >>> _ = index(IndexCollection(forum, place / "index"))
    >>> found = search(Search(place / "index", r"why does $\sum \frac{1}{n}$ diverge", k=1))
    >>> found["how"], found["answers"], found["hits"][0]["question"]
    ('lexical', 182, '9001008')
    """
    from engines.arqmath.collection.index import cached_index
    from engines.forum.topics import read_question
    from engines.retrieval.index_terms import make_snippet

    index, query = cached_index(spec.index), read_question(spec.query).text
    how = spec.how or index.how
    result = index.search(query, spec.k, how=how)
    posts = index.store.get_posts([hit.id for hit in result])
    hits: list[dict[str, Any]] = [
        {
            "rank": rank,
            "score": round(hit.score, 6),
            "id": hit.id,
            "question": posts[hit.id].parent,
            "title": posts[hit.id].title,
            "snippet": make_snippet(posts[hit.id].text, query),
        }
        for rank, hit in enumerate(result, start=1)
    ]
    matched = index.holds_term_of(query)
    document = {"query": spec.query, "how": how, "answers": len(index), "matched": matched, "hits": hits}
    # The first stage is shown while the model still scores.
    if spec.model is not None:
        events(Event("progress", {"stage": "first", "how": how, "hits": hits}))
        document["hits"] = _rerank_hits(query, hits, posts, _load_cross_encoder(spec.model), events, stop)
    return Shown(document, "hits", ("rank", "score", "id", "title", "snippet"), title=spec.query)


def _rerank_hits(
    query: str,
    hits: list[dict[str, Any]],
    posts: Mapping[str, StoredPost],
    model: CrossEncoder,
    events: Sink,
    stop: Stop,
) -> list[dict[str, Any]]:
    best = [hit["id"] for hit in hits[:RERANKED]]
    scored: dict[str, float] = {}
    shown: dict[str, float] = {}
    for begin in range(0, len(best), _BATCH):
        if stop():
            break
        batch = best[begin : begin + _BATCH]
        scores = model.score([(query, model.select_text(posts[answer])) for answer in batch]).tolist()
        scored |= zip(batch, scores, strict=True)
        shown |= {answer: round(model.probability(scored[answer]), 6) for answer in batch}
        done = {"done": len(scored), "total": len(best), "unit": "answers"}
        here = {answer: shown[answer] for answer in batch}
        events(Event("progress", {"stage": "rerank", "probabilities": here, **done}))
    ordered = sorted(hits, key=lambda hit: (hit["id"] not in scored, -scored.get(hit["id"], 0.0)))
    return [
        {**hit, "rank": rank, "first": hit["rank"], "probability": shown.get(hit["id"])}
        for rank, hit in enumerate(ordered, start=1)
    ]


@cache_by_file_state(1, lambda folder: file_stamp(folder / "config.json"))
def _load_cross_encoder(folder: Path) -> CrossEncoder:
    from engines.arqmath.ranking.cross_encoder import CrossEncoder

    return CrossEncoder(folder)
