"""What a sentence encoder reads of a formula in its context (MathAMR, section 4.1), the vectors, reranking by
their similarity, and fusion of runs (sections 4.3, 5).

A representation is one function here, registered by its name; commands, recipes and the benchmark find it by
that. It says what it needs: the formula alone, the sentences around it, or their AMR.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.spec import Arg, make_refusal, no_effect, specification
from engines.formula.parser import ParsedFormula
from engines.forum.topics import Topic
from engines.mathamr.context import PLACEHOLDER, cut_window, find_ids, make_placeholder
from engines.mathamr.graph.amr import Branch, Graph, GraphNode, linearize_graph, read_graph, write_graph
from engines.mathamr.graph.grafting import graft_trees, lowercase_graph
from engines.mathamr.retrieval.texts import (
    cut_topic_context,
    write_tree_string,
)
from engines.mathamr.rows import CollectionPath, FormulaIndexed, SomeEncoder, Window, read_named_rows
from engines.retrieval import fusion

if TYPE_CHECKING:
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.mathamr.retrieval.task2 import Task2


Needs = Literal["formula", "context", "amr"]


@dataclass(frozen=True, slots=True)
class FormulaInContext:
    """A formula by its short id, and all formulas of its context; the context has placeholders, and is ""
    where there is none."""

    id: str
    formulas: Mapping[str, ParsedFormula]
    context: str = ""
    amr: Graph | None = None
    """The context's AMR, which a representation that needs it changes."""

    @property
    def formula(self) -> ParsedFormula:
        """The formula itself."""
        return self.formulas[self.id]

    def write_sentence(self, written: Callable[[ParsedFormula], str]) -> str:
        """Return the context with its formulas as they are written; the formula alone where there is none."""
        if not self.context:
            return written(self.formula)
        known = {name: written(one) for name, one in self.formulas.items()}
        return PLACEHOLDER.sub(lambda match: known.get(match[1], ""), self.context)

    def lowercase_amr(self) -> Graph:
        """Return the AMR in small letters; without a context a node with the formula."""

        assert self.amr is not None or not self.context
        result = self.amr or Graph(GraphNode("z", "", [Branch(":value", make_placeholder(self.id))]))
        lowercase_graph(result)
        return result


@dataclass(frozen=True, slots=True)
class Representation:
    """How a formula in its context is written as a string, and what that needs."""

    needs: Needs
    write: Callable[[FormulaInContext], str]


REPRESENTATIONS: dict[str, Representation] = {}


def _register_representation(name: str, needs: Needs) -> Callable[[Callable[[FormulaInContext], str]], None]:
    def register_function(write: Callable[[FormulaInContext], str]) -> None:
        REPRESENTATIONS[name] = Representation(needs, write)

    return register_function


@_register_representation("opt", "formula")
def _write_opt(given: FormulaInContext) -> str:
    return write_tree_string(given.formula)


@_register_representation("slt", "formula")
def _write_slt(given: FormulaInContext) -> str:
    from engines.formula.symbol_layout import layout_string

    return layout_string(given.formula.layout)


@_register_representation("latex", "formula")
def _write_latex(given: FormulaInContext) -> str:
    return given.formula.latex


@_register_representation("raw-latex", "context")
def _write_raw_latex(given: FormulaInContext) -> str:
    return given.write_sentence(lambda formula: formula.latex)


@_register_representation("raw-opt", "context")
def _write_raw_opt(given: FormulaInContext) -> str:
    return given.write_sentence(write_tree_string)


@_register_representation("amr-latex", "amr")
def _write_amr_latex(given: FormulaInContext) -> str:
    """AMRText w. LaTeX: where the placeholder stood; a formula that the parser lost stands at the end."""

    text = linearize_graph(given.lowercase_amr(), style="paper")
    results = {match[1] for match in PLACEHOLDER.finditer(text)}
    known = {name: one.latex for name, one in given.formulas.items()}
    text = PLACEHOLDER.sub(lambda match: known.get(match[1], match[0]), text)
    return text if given.id in results else f"{text} {given.formula.latex}"


@_register_representation("mathamr", "amr")
def _write_mathamr(given: FormulaInContext) -> str:
    """AMRText w. OPTText: the AMR with the operator trees grafted in."""
    return _write_grafted(given, None)


@_register_representation("mathamr-marked", "amr")
def _write_mathamr_marked(given: FormulaInContext) -> str:
    """Return the same, the formula marked, so that two formulas of one sentence differ."""
    return _write_grafted(given, given.id)


def _write_grafted(given: FormulaInContext, query: str | None) -> str:

    trees = {name: one.tree for name, one in given.formulas.items()}
    return linearize_graph(graft_trees(given.lowercase_amr(), trees, query=query).graph, style="paper")


if TYPE_CHECKING:
    RepresentationName = str
    ComparisonName = str
else:
    RepresentationName = Literal[(*REPRESENTATIONS,)]
    """The names of the representations."""
    ComparisonName = Literal[(*REPRESENTATIONS, "paths")]
    """The representations, and the parts that operator trees share, which need no encoder."""


@specification
class Represent:
    """Write a collection's topics and judged formulas as strings for a sentence encoder.

    AMRs come from the built-in parser, which is approximate.
    """

    folder: CollectionPath
    index: FormulaIndexed
    kind: Annotated[RepresentationName, Arg("Which representation to write.")] = "mathamr-marked"
    window: Window = 0
    topics: Annotated[bool, Arg("Also write the topics.")] = True


def write_strings(spec: Represent, *, events: Sink = ignore, stop: Stop = never) -> Iterator[dict[str, Any]]:
    """Yield rows `{"id", "string", "kind"}`: topics by their number, formulas by their id; the
    representation.

    Events: warnings of judged formulas that the collection does not have, of strings without the context that
    they should have, and of an index of another collection.

    Raises:
        DataError: As of the index and the topics.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.opened import open_index
    from engines.mathamr.retrieval.task2 import Task2

    collection = ArqmathFolder.open(spec.folder)
    task = Task2(collection, events)
    strings = FormulaStrings(open_index(spec.index, collection.path, events), spec.kind, spec.window)
    if spec.topics:
        results = list(task.topics.values())
        for topic, text in zip(results, strings.write_topics(results), strict=True):
            yield {"id": topic.id, "string": text, "kind": spec.kind}
    judged = dict.fromkeys(formula for grades in task.grades.values() for formula in grades)
    here = [formula for formula in judged if strings.index.find_row(formula) is not None]
    if len(here) < len(judged):
        missing = len(judged) - len(here)
        warn(events, f"{missing:,} judged formulas are not in the collection")
    for begin in range(0, len(here), 256):
        if stop():
            return
        part = here[begin : begin + 256]
        for formula, text in zip(part, strings.write_formulas(part), strict=True):
            yield {"id": formula, "string": text, "kind": spec.kind}
    strings.warn_of_missing_contexts(events)


class FormulaStrings:
    """Makes strings of topics and formulas; an AMR is made once for each context. `alone` counts the strings
    that should have a context, and are of the formula alone, since its text is not known."""

    def __init__(self, index: FormulaIndex, kind: RepresentationName, window: int) -> None:
        self.index, self.kind, self.window = index, kind, window
        self.alone = 0
        self._amr: dict[str, str] = {}
        # The formulas of a post are in the contexts of each other.
        self._formula = lru_cache(1_024)(ParsedFormula)

    def warn_of_missing_contexts(self, events: Sink) -> None:
        """Warn if strings contain only the formula because the text around it is missing."""
        if self.alone:
            what = "strings contain only the formula, as the collection does not have its text"
            warn(events, f"{self.alone:,} {what}")

    def write_topics(self, topics: Sequence[Topic]) -> list[str]:
        """Return a string for each topic's formula."""
        return self._write_rows([cut_topic_context(topic, self.window) for topic in topics])

    def write_formulas(self, formulas: Sequence[str]) -> list[str]:
        """Return a string for each formula of the collection.

        Raises:
            DataError: E354 for one that it lacks.
        """
        rows = []
        for formula in formulas:
            look = self.index.look_of(formula)
            if look is None:
                raise DataError(
                    f"the formula {formula} is not in the index",
                    path=self.index.folder,
                    code="E354",
                    exit_code=2,
                    remedy="Index the run's collection.",
                )
            field = self.index.field_of(formula)
            context = "" if field is None else cut_window(field, formula, self.window)
            latex = self.index.latex_of(find_ids(context))
            rows.append((formula, context, {**latex, formula: self.index.read_latex(look)}))
        return self._write_rows(rows)

    def _write_rows(self, rows: Sequence[tuple[str, str, Mapping[str, str]]]) -> list[str]:
        kind = REPRESENTATIONS[self.kind]
        contexts = [context for _, context, _ in rows]
        if kind.needs != "formula":
            self.alone += contexts.count("")
        if kind.needs == "amr":
            from engines.mathamr.parsing.parsers import open_parser, parse_contexts

            new = [one for one in dict.fromkeys(contexts) if one and one not in self._amr]
            for context, made in zip(new, parse_contexts(new, open_parser("builtin")), strict=True):
                self._amr[context] = write_graph(made.graph)
        result = []
        for formula, context, latex in rows:
            formulas = {name: self._formula(one) for name, one in latex.items()}
            # A graph of its own, since grafting changes it.
            amr = read_graph(self._amr[context]) if kind.needs == "amr" and context else None
            result.append(kind.write(FormulaInContext(formula, formulas, context, amr)))
        return result


@specification
class EmbedStrings:
    """Encode strings, as `mathamr represent` writes them."""

    file: Annotated[
        Path, Arg('Lines {"id": …, "string": …}, with the "kind" of the strings.', metavar="FILE")
    ]
    out: Annotated[Path, Arg("The folder to write: ids.json, vectors.npy.", option=True, writes=True)]
    encoder: SomeEncoder = "minilm"
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"


def embed_strings(spec: EmbedStrings, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write the vectors, unit rows in the order of the strings, whole or not at all.

    Returns:
        Out, complete, strings, dimension, encoder.

    Events:
        A warning of ids that occur again.

    Raises:
        DataError: E317 for a row without id or string, E314 for a file without rows.
        EngineError: E402 for strings of several representations; and as `encoder`.
    """
    from engines.core.files import refuse_other, write_array
    from engines.mathamr.retrieval.opened import open_encoder
    from engines.retrieval.stored import ABOUT, new_folder

    refuse_other(spec.out, ABOUT)
    results = list(read_named_rows(spec.file, "id", "string", name="id", events=events))
    kinds = {str(row.held.get("kind") or "") for row in results}
    if len(kinds) > 1:
        what = f"the strings of {spec.file.name} are of several representations: {', '.join(sorted(kinds))}"
        raise make_refusal(what, "E402", "Encode each kind separately.")
    model = open_encoder(spec.encoder, spec.device)
    vectors = model.documents([row["string"] for row in results], events=events, stop=stop)
    if stop():
        return {"out": str(spec.out), "complete": False}
    about = {"encoder": model.name, "fingerprint": model.fingerprint, "dimension": model.dimension}
    with new_folder(spec.out, about) as draft:
        write_array(draft / "vectors.npy", vectors)
        (draft / "ids.json").write_text(json.dumps([row["id"] for row in results]), encoding="utf-8")
    return {"out": str(spec.out), "complete": True, "strings": len(results), **about}


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
    from engines.formula.parser import search_tree
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.opened import open_encoder, open_index
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


@specification
class FuseFormulaRuns(fusion.FuseRuns):
    """Fuse runs by reciprocal ranks, plain or weighted by scores, or by weighted scores."""

    how: Annotated[
        fusion.How,
        Arg(
            "rrf sums 1 / (k + rank), rrf-score (the paper's) score / (k + rank), weighted weight * score; "
            "scores are scaled to 0-1 within a topic."
        ),
    ] = "rrf-score"


def fuse_runs(spec: FuseFormulaRuns, *, events: Sink = ignore) -> dict[str, Any]:
    """Write the fused run.

    Returns:
        Out, topics, formulas, left_out (formulas beyond 1,000 of a topic). Events and errors as of
        `fusion.fused_runs`.

    Worked by hand: run A d1 (1.0), d2 (.9) and run B d2 (.8), d1 (.5) give, without min-max, d1
    1/61 + .5/62 and d2 .9/62 + .8/61.
    """
    from engines.retrieval.trec import write_manifest

    fused, left_out = fusion.fused_runs(spec, task=2, events=events)
    result = {
        "out": str(spec.out),
        "topics": len(fused.rankings),
        "formulas": len(fused),
        "left_out": left_out,
    }
    write_manifest("mathamr.fuse", spec, spec.out, {"runs": spec.runs}, result)
    return result
