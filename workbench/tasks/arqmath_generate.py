"""Answers to the topics of Task 3, as a task: written by a model, extracted, or the shortest of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import DataError
from engines.core.events import Sink, Stop

if TYPE_CHECKING:
    from engines.arqmath.collection import Topic
    from engines.retrieval.run import Answer

__all__ = ["generate"]


def generate(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Answer topics and write a Task 3 run.

    Params: topics (XML), out (the run's file), tag; and one of: model (a GPT-2 folder, with beams,
    length_penalty, hint, sample, top_k, new_tokens, no_repeat, seed, device), index (a folder of `mathwb
    arqmath index`, with how, depth, scorer), shortest (runs). Returns: out, topics, answers, complete (false
    after a stop).
    """
    from engines.arqmath.collection import read_topics
    from engines.retrieval.run import read_answers, write_answers

    out = Path(params["out"])
    topics = read_topics(params["topics"])
    tag = params.get("tag") or out.stem
    draft = None
    if params.get("model"):
        from engines.arqmath.generation import Decoding, Draft
        from engines.arqmath.generation import generate as write

        settings = {f.name: params[f.name] for f in fields(Decoding) if params.get(f.name) is not None}
        model, decoding = Path(params["model"]), Decoding(**settings)
        draft = Draft.of(out, Path(params["topics"]), model, decoding)
        device = params.get("device", "cpu")
        answers = write(topics, model, decoding, draft, tag=tag, device=device, events=events, stop=stop)
    elif params.get("index"):
        answers = _extracted(topics, params, tag, events, stop)
    else:
        from engines.arqmath.generation import shortest

        wanted = {topic.id for topic in topics}
        runs = [read_answers(path)[0] for path in params.get("shortest", ())]
        answers = [answer for answer in shortest(runs, tag) if answer.topic in wanted]
    complete = not stop()
    if complete and not answers:
        raise DataError(
            "no topic got an answer",
            path=Path(params["topics"]),
            remedy="Are the topics those of the runs, or is the index of another collection?",
        )
    if answers and (complete or draft is None):
        write_answers(answers, out)
    if draft is not None and complete:
        draft.remove()
    return {"out": str(out), "topics": len(topics), "answers": len(answers), "complete": complete}


def _extracted(
    topics: Sequence[Topic], params: dict[str, Any], tag: str, events: Sink, stop: Stop
) -> list[Answer]:
    from engines.arqmath.extractive import extract
    from engines.arqmath.index import open_index

    index = open_index(Path(params["index"]))
    how = params.get("how", "lexical")

    def search(text: str, depth: int) -> list[str]:
        return [hit.id for hit in index.search(text, depth, how=how)]

    def texts(posts: Sequence[str]) -> dict[str, str]:
        return {post: stored.text for post, stored in index.store.many(list(posts)).items()}

    depth = int(params.get("depth") or 10)
    score = _scorer(params)
    return extract(topics, search, texts, score, tag=tag, depth=depth, events=events, stop=stop)


def _scorer(params: dict[str, Any]) -> Any:
    """How passages are judged: by a cross-encoder when one is named, else by the cosine of embeddings."""
    if params.get("scorer"):
        from engines.arqmath.cross_encoder import CrossEncoder

        ranker = CrossEncoder(Path(params["scorer"]))
        return lambda text, found: [float(s) for s in ranker.score([(text, passage) for passage in found])]
    from engines.retrieval.encoders import encoder

    embedder = encoder(params.get("encoder") or "minilm")

    def cosine(text: str, found: Sequence[str]) -> list[float]:
        vectors = embedder.encode([text, *found])
        return [float(value) for value in vectors[1:] @ vectors[0]]

    return cosine
