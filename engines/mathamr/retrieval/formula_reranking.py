"""Reranking of a run of formulas by the vectors of their strings (MathAMR, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.spec import Arg, no_effect, specification
from engines.forum.topics import Topic
from engines.mathamr.retrieval.representations import REPRESENTATIONS, ComparisonName, FormulaStrings
from engines.mathamr.rows import CollectionPath, FormulaIndexed, SomeEncoder, Window

if TYPE_CHECKING:
    from engines.mathamr.retrieval.task2 import Task2

_DEPTH = 100


@specification
class Rerank:
    """Rerank the formulas of a run, or all judged ones, by the cosine of their strings with the topic's.

    Formulas with the same string, such as those of one sentence, are ordered by the tree parts they share
    with the query; kind paths orders all formulas that way.
    """

    folder: CollectionPath
    index: FormulaIndexed
    out: Annotated[Path, Arg("The run to write.", option=True, writes=True)]
    run: Annotated[Path | None, Arg("The run to rerank.", shown="all judged formulas")] = None
    kind: Annotated[ComparisonName, Arg("Which representation to compare.")] = "mathamr-marked"
    encoder: SomeEncoder = "minilm"
    window: Window = 0
    depth: Annotated[
        int | None,
        Arg(
            "Rerank this many formulas of --run per topic; the rest keep their order.",
            low=1,
            high=1_000,
            shown="100",
        ),
    ] = None
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"
    tag: Annotated[str | None, Arg("Name of the run.", shown="the representation's")] = None

    def __post_init__(self) -> None:
        if self.run is None:
            no_effect({"--depth": self.depth}, "all judged formulas", "E434")
        if self.kind == "paths" or REPRESENTATIONS[self.kind].needs == "formula":
            no_effect(
                {"--window": self.window or None}, f"--kind {self.kind}, which reads no sentence", "E434"
            )
        if self.kind == "paths":
            device = None if self.device == "auto" else self.device
            encoder = None if self.encoder == "minilm" else self.encoder
            no_effect({"--encoder": encoder, "--device": device}, "--kind paths", "E434")


def rerank_formulas(spec: Rerank, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write the reranked run.

    Returns:
        Out, complete, topics, formulas (those that are reranked), ties (formulas whose string another one of
        the topic has too), missing (formulas that are not reranked, since the index does not have them),
        behind (those beyond `depth`, which follow in the order of the run), left_out (formulas beyond 1,000
        of a topic).

    Events:
        Progress in topics, then in texts; warnings.

    Raises:
        DataError: As of the index, the topics, the run and the encoder.
    """
    from engines.formula.operator_tree import count_features
    from engines.formula.operator_tree_parser import search_tree
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.open_cache import open_encoder, open_index
    from engines.mathamr.retrieval.task2 import Task2
    from engines.retrieval.trec import Scored, TrecRun, check_out, with_tail, write_manifest, write_run

    collection = ArqmathFolder.open(spec.folder)
    task = Task2(collection, events)
    opened = open_index(spec.index, collection.path, events)
    strings = FormulaStrings(opened, "opt" if spec.kind == "paths" else spec.kind, spec.window)
    candidates, beyond_depth, missing = _select_candidates(spec, task, strings, events)
    topics = _select_topics(candidates, task, spec.run)
    check_out(spec.out, candidates)
    queries = strings.write_topics(topics)
    model = None if spec.kind == "paths" else open_encoder(spec.encoder, spec.device)
    texts: dict[str, list[str]] = {}
    for number, topic in enumerate(topics, start=1):
        if stop():
            return {"out": str(spec.out), "complete": False, "topics": number - 1}
        texts[topic.id] = strings.write_formulas(candidates[topic.id])
        events(Event("progress", {"done": number, "total": len(topics), "unit": "topics"}))
    # All at once, so that batches are full and of one length, and no text is encoded twice.
    distinct = list(dict.fromkeys(text for own in texts.values() for text in own))
    vectors = None if model is None else model.documents(distinct, events=events, stop=stop)
    query_vectors = None if model is None else model.queries(queries, stop=stop)
    if stop():
        return {"out": str(spec.out), "complete": False, "topics": 0}
    strings.warn_of_missing_contexts(events)
    row_of_text = {text: number for number, text in enumerate(distinct)}
    rankings: dict[str, Sequence[Scored]] = {}
    for number, topic in enumerate(topics):
        scores = strings.index.score_looks(count_features(search_tree(topic.latex)))
        # Similarity by parts breaks ties between formulas whose strings are the same.
        looks = {one: strings.index.look_of(one) for one in candidates[topic.id]}
        similar = {one: float(scores[look]) for one, look in looks.items() if look is not None}
        scored = list(similar.items())
        if vectors is not None and query_vectors is not None:
            cosines = (
                vectors[[row_of_text[text] for text in texts[topic.id]]] @ query_vectors[number]
            ).tolist()
            scored = list(zip(candidates[topic.id], cosines, strict=True))
        # Cosines are rounded: differences in the last digits must not depend on the batch.
        best = sorted(scored, key=lambda pair: (-round(pair[1], 6), -similar[pair[0]]))
        rankings[topic.id] = with_tail(best, beyond_depth.get(topic.id, ()))
    run = TrecRun(spec.tag or spec.kind, rankings)
    left_out = write_run(run, spec.out)
    if left_out:
        warn(events, f"{left_out:,} formulas beyond the first 1,000 of a topic are left out")
    result = {
        "out": str(spec.out),
        "complete": True,
        "topics": len(rankings),
        "formulas": sum(map(len, texts.values())),
        "ties": sum(len(own) - len(set(own)) for own in texts.values()),
        "missing": missing,
        "behind": sum(map(len, beyond_depth.values())),
        "left_out": left_out,
    }
    reads = {
        "index": sorted(path for path in spec.index.rglob("*") if path.is_file()),
        "run": () if spec.run is None else (spec.run,),
    }
    write_manifest(
        "mathamr.rerank", spec, spec.out, reads, result, scored=(spec.depth or _DEPTH) if spec.run else None
    )
    return result


def _select_topics(candidates: Mapping[str, object], task: Task2, run: Path | None) -> list[Topic]:
    unknown = [name for name in candidates if name not in task.topics]
    if unknown:
        raise EngineError(
            f"{len(unknown):,} topics of the run are not in the collection, such as {unknown[0]}",
            where=str(run),
            code="E354",
            exit_code=2,
            remedy="Name a run of this collection, or a collection with these topics.",
        )
    return [task.topics[name] for name in candidates]


def _select_candidates(
    spec: Rerank, task: Task2, strings: FormulaStrings, events: Sink
) -> tuple[dict[str, list[str]], dict[str, list[str]], int]:
    """Return the formulas of each topic that the index has, those beyond the depth, and how many the index
    lacks.
    """
    from engines.retrieval.trec import warned_run

    behind: dict[str, list[str]] = {}
    # Candidates come from a run, or are all the formulas that are judged.
    if spec.run is not None:
        run = warned_run(spec.run, 2, events)
        depth = spec.depth or _DEPTH
        names = {topic: [formula for formula, _ in ranking] for topic, ranking in run.rankings.items()}
        wanted = {topic: own[:depth] for topic, own in names.items()}
        behind = {topic: own[depth:] for topic, own in names.items()}
    else:
        wanted = {topic: list(grades) for topic, grades in task.grades.items() if topic in task.topics}
        if unknown := len(task.grades) - len(wanted):
            warn(events, f"{unknown:,} judged topics are not among those of the collection and are left out")
    result = {
        topic: [one for one in formulas if strings.index.find_row(one) is not None]
        for topic, formulas in wanted.items()
    }
    missing = sum(len(wanted[topic]) - len(result[topic]) for topic in wanted)
    if missing:
        warn(events, f"{missing:,} formulas are not in the index and are left out")
    result = {topic: formulas for topic, formulas in result.items() if formulas}
    if not result:
        raise EngineError(
            "there is nothing to rerank",
            code="E343",
            remedy="Name a run of this collection with --run, or a collection with judgements.",
        )
    return result, {topic: behind[topic] for topic in result if behind.get(topic)}, missing
