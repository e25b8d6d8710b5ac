"""`arqmath.rank`: answers ranked for topics, by a first stage, a cross-encoder or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from errno import EISDIR
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.folder import ArqmathFolder
from engines.core.events import Event, Sink, Stop
from engines.core.files import file_error
from workbench.errors import UsageError

if TYPE_CHECKING:
    from engines.arqmath.collection import Topic
    from engines.arqmath.cross_encoder import CrossEncoder
    from engines.arqmath.index import Index
    from engines.arqmath.ranking import Ranking, Texts
    from engines.retrieval.qrels import Qrels
    from engines.retrieval.run import Run

__all__ = ["CANDIDATES", "FIRST", "rank"]

FIRST = ("lexical", "dense", "fused")
CANDIDATES = ("index", "judged", "all")
_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class _Source:
    """What is ranked: an index, or a collection without one."""

    index: Index | None
    folder: ArqmathFolder | None

    def need_index(self, what: str) -> Index:
        if self.index is None:
            assert self.folder is not None
            raise UsageError(
                f"{what} needs an index, and this is a collection without one",
                where=str(self.folder.path),
                code="E433",
                remedy=f"Make one: mathwb arqmath index {self.folder.path} --out DIR, and rank DIR.",
            )
        return self.index


def rank(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Rank the answers of a collection.

    Params: source (a collection, its index, or the name of one in the workspace), topics (files), run (the
    file to write), model (a cross-encoder; not needed without `rerank`), rerank (true), candidates (of
    CANDIDATES: the first stage's, the judged ones of `qrels`, or all there are), first (of FIRST; fused where
    the index has vectors), depth (so many of the first stage are scored again, 100; without `rerank` so many
    are written, 1,000), weight (the model's beside the first stage, 1), tune_topics (a file of topics on
    whose judgements the weight is chosen instead), max_tokens, device, exact (single precision everywhere),
    tag.

    Returns: run, complete, topics, documents, candidates, first, depth, weight, model, and, where something
    was scored, pairs, pairs_per_s, truncated, truncated_share, missing, resumed, seconds; with qrels
    `recall`, the first stage's at several depths.
    """
    candidates = str(params.get("candidates") or "index")
    rerank = bool(params.get("rerank", True))
    _check(params, candidates, rerank)
    source, topics = _open(str(params["source"])), _topics(params["topics"])
    qrels = _qrels(params.get("qrels"), topics, events)
    out = Path(params["run"])
    if out.is_dir():
        raise file_error(IsADirectoryError(EISDIR, "a folder"), out, "write")
    # Before the first stage, which may take long.
    model = _model(params) if rerank else None
    if candidates != "index":
        assert model is not None
        found = _exhaustive(source, topics, qrels, candidates, model, params, out, events, stop)
        return {**_facts(found), "run": str(out), "candidates": candidates, "first": "", "weight": 1.0}
    return _two_stages(source, topics, qrels, model, params, out, events, stop)


def _check(params: Mapping[str, Any], candidates: str, rerank: bool) -> None:
    if candidates not in CANDIDATES:
        raise UsageError(
            f"no candidates {candidates!r}", code="E434", remedy=f"There are: {', '.join(CANDIDATES)}."
        )
    if rerank and not params.get("model"):
        raise UsageError(
            "no model is named", code="E434", remedy="Name a cross-encoder with --model, or say --no-rerank."
        )
    if candidates != "index" and not rerank:
        raise UsageError(
            f"without a model there is nothing to do with candidates {candidates!r}",
            code="E434",
            remedy="Leave --candidates out; the prime measures pass over what is not judged.",
        )
    if (candidates == "judged" or params.get("tune_topics")) and not params.get("qrels"):
        raise UsageError("judgements are needed for this", code="E434", remedy="Name them with --qrels.")
    if candidates != "index" and (params.get("tune_topics") or float(params.get("weight", 1.0)) != 1.0):
        raise UsageError(
            "a weight needs a first stage beside the model", code="E434", remedy="Leave --candidates out."
        )


def _open(name: str) -> _Source:
    """An index or a collection, by path or by its name in the workspace."""
    from workbench.collections import find_collection
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if not path.exists():
        collection = find_collection(Workspace.open(), name)
        path = collection.index if collection.indexed else collection.path
    if (path / "manifest.json").exists():
        from engines.arqmath.index import open_index

        return _Source(open_index(path), None)
    return _Source(None, ArqmathFolder.open(path))


def _topics(files: Sequence[str]) -> list[Topic]:
    from engines.arqmath.collection import read_topics

    found = {topic.id: topic for file in files for topic in read_topics(file)}
    return list(found.values())


def _qrels(files: Any, topics: Sequence[Topic], events: Sink) -> Qrels | None:
    """The judgements of one or several files; a warning counts judged topics that are not ranked."""
    from engines.retrieval.qrels import Qrels, read_qrels

    if not files:
        return None
    grades: dict[str, Mapping[str, int]] = {}
    for file in [files] if isinstance(files, str) else files:
        grades |= read_qrels(file).grades
    known = {topic.id for topic in topics}
    absent = [name for name in grades if name not in known]
    if absent:
        what = f"{len(absent)} judged topics are not among the topics, as {absent[0]}"
        events(Event("warning", {"message": what}))
    return Qrels(grades)


def _model(params: Mapping[str, Any]) -> CrossEncoder:
    from engines.arqmath.cross_encoder import CrossEncoder
    from workbench.tasks.egen_models import model_folder

    return CrossEncoder(
        model_folder(str(params["model"])),
        device=str(params.get("device") or "auto"),
        max_tokens=int(params.get("max_tokens") or 512),
        exact=bool(params.get("exact")),
    )


def _score(
    topics: Sequence[Topic],
    candidates: Mapping[str, Sequence[str]] | Run,
    texts: Texts,
    model: CrossEncoder,
    params: Mapping[str, Any],
    out: Path,
    events: Sink,
    stop: Stop,
) -> Ranking:
    from engines.arqmath.ranking import rank as run

    tag = str(params.get("tag") or "")
    found = run(topics, candidates, texts, model, out, depth=_DEPTH, tag=tag, events=events, stop=stop)
    if found.missing:
        what = f"{found.missing:,} candidates are not in the collection and were left out"
        events(Event("warning", {"message": what}))
    return found


def _exhaustive(
    source: _Source,
    topics: Sequence[Topic],
    qrels: Qrels | None,
    candidates: str,
    model: CrossEncoder,
    params: Mapping[str, Any],
    out: Path,
    events: Sink,
    stop: Stop,
) -> Ranking:
    """Every candidate is scored: the judged answers of each topic, or all answers there are."""
    from engines.arqmath.ranking import load_texts
    from engines.arqmath.stages import judged_candidates

    if candidates == "all":
        index = source.need_index("scoring all answers")
        every = index.store.answer_ids()
        wanted = {topic.id: every for topic in topics}
        return _score(topics, wanted, index.store, model, params, out, events, stop)
    assert qrels is not None
    wanted = judged_candidates(topics, qrels)
    if source.index is not None:
        return _score(topics, wanted, source.index.store, model, params, out, events, stop)
    assert source.folder is not None
    texts = load_texts(source.folder.need_posts(), {answer for ids in wanted.values() for answer in ids})
    return _score(topics, wanted, texts, model, params, out, events, stop)


def _two_stages(
    source: _Source,
    topics: Sequence[Topic],
    qrels: Qrels | None,
    model: CrossEncoder | None,
    params: Mapping[str, Any],
    out: Path,
    events: Sink,
    stop: Stop,
) -> dict[str, Any]:
    from engines.arqmath.stages import recall, second_stage, tune_interpolation
    from engines.retrieval.run import Run, write_run

    index = source.need_index("a first stage")
    how = params.get("first") or index.how
    if how not in FIRST:
        raise UsageError(f"no first stage {how!r}", code="E434", remedy=f"There are: {', '.join(FIRST)}.")
    depth = int(params.get("depth") or (_DEPTH if model is None else 100))
    texts = {topic.id: topic.text for topic in topics}
    first = index.run(texts, max(depth, _DEPTH), how=how, events=events, stop=stop)
    about: dict[str, Any] = {"run": str(out), "candidates": "index", "first": how, "depth": depth}
    if stop():
        return {**about, "weight": 0.0, "complete": False, "topics": len(topics), "resumed": 0}
    if qrels is not None:
        about["recall"] = {str(at): round(value, 4) for at, value in recall(first, qrels).items()}
    if model is None:
        run = Run(str(params.get("tag") or how), first.rankings).cut(depth)
        write_run(run, out)
        return {**about, "weight": 0.0, "complete": True, "topics": len(run.rankings), "documents": len(run)}
    tuning = _tuning(_topics(params.get("tune_topics") or ()), first, qrels)
    found = _score(topics, first.cut(depth), index.store, model, params, out, events, stop)
    about["weight"] = weight = float(params.get("weight", 1.0))
    if found.complete:
        if tuning:
            assert qrels is not None
            weight, tried = tune_interpolation(first, found.run, qrels, topics=tuning)
            means = ", ".join(f"{at:g}: {value:.4f}" for at, value in sorted(tried.items()))
            what = f"weight {weight:g} by nDCG' on {len(tuning)} topics ({means})"
            events(Event("log", {"message": what}))
        run = second_stage(first, found.run, weight=weight, tag=found.run.tag)
        write_run(run, out, depth=_DEPTH)
        about |= {"weight": weight, "documents": len(run.cut(_DEPTH))}
    return {**_facts(found), **about}


def _tuning(chosen: Sequence[Topic], first: Run, qrels: Qrels | None) -> list[str]:
    """The topics that the weight is chosen on; looked at before hours of scoring."""
    if not chosen or qrels is None:
        return []
    names = [topic.id for topic in chosen if topic.id in qrels.grades and topic.id in first.rankings]
    if not names:
        raise UsageError(
            "none of the topics to tune on is both ranked and judged",
            code="E344",
            remedy="Give their file to --topics too, and their judgements to --qrels.",
        )
    return names


def _facts(found: Ranking) -> dict[str, Any]:
    return {
        "complete": found.complete,
        "model": found.run.tag,
        "topics": found.topics,
        "documents": len(found.run),
        "pairs": found.pairs,
        "pairs_per_s": round(found.pairs_per_s, 2),
        "truncated": found.truncated,
        "truncated_share": round(found.truncated / found.pairs, 4) if found.pairs else 0.0,
        "missing": found.missing,
        "resumed": found.resumed,
        "seconds": round(found.seconds, 2),
    }
