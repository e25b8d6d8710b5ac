"""The tasks of the ARQMath screen and of the commands that print the same.

`params["folder"]` names a collection (see `ArqmathFolder`), `added` run files from elsewhere, `index` the
folder of its index, which need not exist. Texts are plain; who shows them escapes them. A collection that was
read is kept until one of its files changes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.folder import ArqmathFolder
from engines.arqmath.lookup import SMALL_BYTES, as_record, find_posts, snippet
from engines.arqmath.rankings import Rankings
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never

if TYPE_CHECKING:
    from engines.arqmath.index import Hit, Index
    from engines.arqmath.ranking import CrossEncoder

__all__ = ["overview", "picture", "post", "prepare", "ranking", "search", "snippets", "write_run"]

_RERANKED = 50
_BATCH = 8


def overview(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Runs, topics with their scores, and the judgements of a collection.

    Events: `progress` by runs. Returns: see `Rankings.overview`, each topic with its title rendered for a
    terminal (`shown`), and `index`: ready, small (it can be built while one waits), large or none (there are
    no posts).
    """
    from engines.formula.unicode import render_text

    found = _rankings(params, events, stop)
    folder = found.folder
    state = (
        "none" if folder.posts is None else "small" if folder.posts.stat().st_size <= SMALL_BYTES else "large"
    )
    document = found.overview()
    for topic in document["topics"]:
        topic["shown"] = " ".join(render_text(topic["title"]).split())
    ready = folder.posts is not None and _indexed(params, folder.posts)
    return {**document, "index": "ready" if ready else state}


def ranking(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """One topic in every run. Params: topic. Returns: see `Rankings.ranking`; the topic's texts and those
    of the answers written to it also rendered for a terminal (`shown`)."""
    from engines.formula.unicode import render_text

    found = _rankings(params, events, stop).ranking(str(params["topic"]))
    for answer in found["answers"]:
        answer["shown"] = render_text(answer["text"])
    shown = {"title": render_text(found["title"]), "question": render_text(found["question"])}
    return {**found, "shown": shown}


def snippets(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """How posts begin, in a line each. Params: ids, plain (formulas stay LaTeX). Returns: snippets ({id:
    text}) of those that exist."""
    found = find_posts(_folder(params), params["ids"], _index_folder(params))
    return {
        "snippets": {id_: snippet(one.text, plain=bool(params.get("plain"))) for id_, one in found.items()}
    }


def post(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """One post with the question that it answers. Params: id.

    Returns: id, kind, title, text (rendered for a terminal), latex (the text as it is kept), tags, score,
    question (the same of its question, or None). Raises: DataError E375 when there is no such post.
    """
    folder, index, wanted = _folder(params), _index_folder(params), str(params["id"])
    found = find_posts(folder, [wanted], index).get(wanted)
    if found is None:
        raise DataError(
            f"there is no post {wanted!r}",
            path=folder.path,
            code="E375",
            exit_code=3,
            remedy="Ids are shown by: mathwb arqmath show, or mathwb arqmath search",
        )
    parent = find_posts(folder, [found.parent], index).get(found.parent) if found.parent else None
    return {**as_record(found), "question": as_record(parent) if parent else None}


def prepare(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Build the index of a small collection, anew when its posts are others now. Params: index. Returns: as
    `engines.arqmath.index.build_index`."""
    import shutil

    from engines.arqmath.index import build_index

    folder, out = _folder(params), Path(params["index"])
    try:
        return build_index(folder, out, events=events, stop=stop)
    except EngineError as error:
        if error.code != "E668":  # begun with other posts or by another version
            raise
    shutil.rmtree(out)
    return build_index(folder, out, events=events, stop=stop)


def search(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Answers to a free query: the first stage, then, with a cross-encoder, the best of them again.

    Params: index, query, k, how (lexical, dense, fused; the best that the index has unless given), model (a
    cross-encoder's folder, or nothing), plain (formulas stay LaTeX). Events: `progress` with stage `first`
    and `rows`, then with stage `rerank` and `scores` ({id: probability}), done and total. Returns: rows (id,
    first, score, again: the probability or None, title, snippet), how, model, seconds.
    """
    started = time.monotonic()
    query, count = str(params["query"]).strip(), int(params.get("k", 100))
    index = _index(Path(params["index"]), _changed(Path(params["index"]) / "manifest.json"))
    how = str(params.get("how") or _best_way(index.manifest))
    hits: Sequence[Hit] = index.search(query, count, how=how)  # type: ignore[arg-type]
    posts = index.store.many([hit.id for hit in hits])
    plain = bool(params.get("plain"))
    rows: list[dict[str, Any]] = [
        {
            "id": hit.id,
            "first": place,
            "score": float(hit.score),
            "again": None,
            "title": snippet(posts[hit.id].title, plain=plain),
            "snippet": snippet(posts[hit.id].text, plain=plain),
        }
        for place, hit in enumerate(hits, start=1)
        if hit.id in posts
    ]
    events(Event("progress", {"stage": "first", "rows": rows, "how": how, "done": 0, "total": len(rows)}))
    model = str(params.get("model") or "")
    if model:
        encoder = _cross_encoder(model)
        best = rows[:_RERANKED]
        for start in range(0, len(best), _BATCH):
            if stop():
                break
            batch = best[start : start + _BATCH]
            scores = encoder.score([(query, posts[row["id"]].text) for row in batch])
            for row, score in zip(batch, scores, strict=True):
                row["again"] = float(score)
            told = {str(row["id"]): row["again"] for row in batch}
            done = {"done": start + len(batch), "total": len(best), "unit": "answers"}
            events(Event("progress", {"stage": "rerank", "scores": told, **done}))
    return {"rows": rows, "how": how, "model": model, "seconds": time.monotonic() - started}


def write_run(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Write one of the runs in TREC's format. Params: run (its name), file. Returns: file, documents."""
    from engines.retrieval.run import write_run as write

    ranked = _rankings(params, events, stop).run_path(str(params["run"]))
    write(ranked.run, params["file"], depth=10**9)
    return {"file": str(params["file"]), "documents": len(ranked.run)}


def picture(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """The bars of a run over the topics as SVG. Params: run, against. Returns: svg."""
    from engines.arqmath.bars import bars

    document = _rankings(params, events, stop).overview()
    return {"svg": bars(document, str(params["run"]), str(params.get("against") or ""))}


def _folder(params: Mapping[str, Any]) -> ArqmathFolder:
    return ArqmathFolder.open(str(params["folder"]))


def _index_folder(params: Mapping[str, Any]) -> Path | None:
    return Path(params["index"]) if params.get("index") else None


def _indexed(params: Mapping[str, Any], posts: Path) -> bool:
    """Whether there is a finished index that is not older than the posts."""
    index = _index_folder(params)
    return index is not None and _changed(index / "manifest.json")[0] >= _changed(posts)[0]


_KEPT: dict[tuple[object, ...], Rankings] = {}


def _rankings(params: Mapping[str, Any], events: Sink = ignore, stop: Stop = never) -> Rankings:
    folder = _folder(params)
    added = tuple(Path(name) for name in params.get("added") or ())
    files = [
        path for role, path in folder.files() if role.name not in ("posts", "links", "comments", "formulas")
    ]
    key = (str(folder.path), *((str(path), _changed(path)) for path in (*files, *added)))
    if key not in _KEPT:
        found = Rankings.read(folder, added, events=events, stop=stop)
        if stop():
            return found
        while len(_KEPT) > 2:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = found
    return _KEPT[key]


def _changed(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


@lru_cache(2)
def _index(path: Path, changed: tuple[int, int]) -> Index:  # noqa: ARG001  # built again means opened again
    from engines.arqmath.index import open_index

    return open_index(path)


def _best_way(manifest: Mapping[str, Any]) -> str:
    return "fused" if manifest.get("dense") else "lexical"


@lru_cache(1)
def _cross_encoder(folder: str) -> CrossEncoder:
    try:
        from engines.arqmath.ranking import CrossEncoder
    except ModuleNotFoundError as error:
        raise EngineError("answers cannot be ranked again here", code="E376") from error

    return CrossEncoder(Path(folder))
