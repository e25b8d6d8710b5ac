"""Reranking of formulas by the similarity of their strings, and fusion of runs (MathAMR, sections 4.3, 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.mathamr.choices import Compared, FormulaIndexed, SomeCollection, SomeEncoder, Window
from engines.retrieval import fusing

if TYPE_CHECKING:
    from engines.mathamr.retrieval.representing import Strings
    from engines.mathamr.retrieval.task2 import Task2
    from engines.retrieval.encoders import Encoder

__all__ = ["FuseRuns", "Rerank", "fuse", "rerank"]


@dataclass(frozen=True, slots=True)
class Rerank:
    """Order the formulas of a run, or all judged ones, by the cosine of their strings and the topic's.

    Formulas whose strings are the same, as those of one sentence, are ordered by the parts of their trees
    that the query has; kind paths orders all of them so.
    """

    folder: SomeCollection
    index: FormulaIndexed
    out: Annotated[Path, Arg("The run to write.", option=True)]
    run: Annotated[Path | None, Arg("The run to rerank.", shown="all judged formulas")] = None
    kind: Annotated[Compared, Arg("What is compared.")] = "mathamr-marked"
    encoder: SomeEncoder = "minilm"
    window: Window = 0
    depth: Annotated[int, Arg("So many of each topic are reranked; the rest is left out.", low=1)] = 100
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"
    tag: Annotated[str | None, Arg("The run's name.", shown="the representation's")] = None


def rerank(spec: Rerank, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write the reranked run.

    Returns: out, complete, topics, formulas, ties (formulas whose string another one of the topic has too),
    missing (formulas of the run that the index does not have). Events: progress in topics; warnings.
    Raises: DataError as of the index, the topics, the run and the encoder.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.representing import Strings
    from engines.mathamr.retrieval.search import open_index
    from engines.mathamr.retrieval.task2 import Task2
    from engines.retrieval.manifest import write_manifest
    from engines.retrieval.run import Run, write_run

    task = Task2(ArqmathFolder.open(spec.folder), events)
    opened = open_index(spec.index)
    strings = Strings(opened, "opt" if spec.kind == "paths" else spec.kind, spec.window)
    candidates, missing = _candidates(spec, task, strings, events)
    topics = [task.topic(name) for name in candidates]
    queries = strings.of_topics(topics)
    model = None if spec.kind == "paths" else _encoder(spec)
    rankings: dict[str, Sequence[tuple[str, float]]] = {}
    ties = 0
    for number, (topic, query) in enumerate(zip(topics, queries, strict=True), start=1):
        if stop():
            return {"out": str(spec.out), "complete": False, "topics": number - 1}
        formulas = candidates[topic.id]
        texts = strings.of_formulas(formulas)
        ties += len(texts) - len(set(texts))
        similar = _formula_similarity(strings, topic.latex, formulas)
        scored = list(similar.items())
        if model is not None:
            distinct = list(dict.fromkeys(texts))
            vectors = model.encode([query, *distinct])
            cosine = dict(zip(distinct, (vectors[1:] @ vectors[0]).tolist(), strict=True))
            scored = [(one, cosine[text]) for one, text in zip(formulas, texts, strict=True)]
        rankings[topic.id] = sorted(scored, key=lambda pair: (-round(pair[1], 6), -similar[pair[0]]))
        events(Event("progress", {"done": number, "total": len(topics), "unit": "topics"}))
    write_run(Run(spec.tag or spec.kind, rankings), spec.out)
    found = {
        "out": str(spec.out),
        "complete": True,
        "topics": len(rankings),
        "formulas": sum(map(len, rankings.values())),
        "ties": ties,
        "missing": missing,
    }
    reads = {
        "index": sorted(path for path in spec.index.rglob("*") if path.is_file()),
        "run": () if spec.run is None else (spec.run,),
    }
    write_manifest("mathamr.rerank", spec, spec.out, reads, found)
    return found


def _encoder(spec: Rerank) -> Encoder:
    from engines.mathamr.retrieval.encoding import open_encoder

    return open_encoder(spec.encoder, spec.device)


def _candidates(
    spec: Rerank, task: Task2, strings: Strings, events: Sink
) -> tuple[dict[str, list[str]], int]:
    """The formulas of each topic that the index has, and how many it lacks."""
    from engines.retrieval.run import read_run

    if spec.run is not None:
        run = read_run(spec.run, task=2)
        wanted = {
            topic: [formula for formula, _ in ranking[: spec.depth]]
            for topic, ranking in run.rankings.items()
        }
    else:
        wanted = {topic: list(grades) for topic, grades in task.grades.items() if topic in task.topics}
    found = {
        topic: [one for one in formulas if strings.index.row(one) is not None]
        for topic, formulas in wanted.items()
    }
    missing = sum(len(wanted[topic]) - len(found[topic]) for topic in wanted)
    if missing:
        events(Event("warning", {"message": f"{missing:,} formulas are not in the index and are left out"}))
    found = {topic: formulas for topic, formulas in found.items() if formulas}
    if not found:
        raise EngineError(
            "there is nothing to rerank",
            code="E343",
            exit_code=2,
            remedy="Name a run of this collection with --run, or a collection with judgements.",
        )
    return found, missing


def _formula_similarity(strings: Strings, latex: str, formulas: Sequence[str]) -> Mapping[str, float]:
    from engines.formula.parser import operator_tree
    from engines.mathamr.retrieval.features import features

    scores = strings.index.similarities(features(operator_tree(latex)))
    return {one: float(scores[look]) for one in formulas if (look := strings.index.look_of(one)) is not None}


@dataclass(frozen=True, slots=True)
class FuseRuns(fusing.FuseRuns):
    """Fuse runs: by reciprocal ranks, as they are or weighted by the scores, or by weighted scores."""

    how: Annotated[
        fusing.How,
        Arg("rrf-score is the paper's: the sum of score / (60 + rank), scores from 0 to 1 within a topic."),
    ] = "rrf-score"


def fuse(spec: FuseRuns, *, events: Sink = ignore) -> dict[str, Any]:
    """Write the fused run. Returns: out, topics, formulas. Events and errors as of `fusing.fused_runs`.

    Worked by hand: run A d1 (1.0), d2 (.9) and run B d2 (.8), d1 (.5) give, without min-max, d1
    1/61 + .5/62 and d2 .9/62 + .8/61.
    """
    from engines.retrieval.manifest import write_manifest

    fused = fusing.fused_runs(spec, task=2, events=events)
    found = {"out": str(spec.out), "topics": len(fused.rankings), "formulas": len(fused.cut(1_000))}
    write_manifest("mathamr.fuse", spec, spec.out, {"runs": spec.runs}, found)
    return found
