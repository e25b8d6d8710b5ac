"""Formulas in their contexts as strings for a sentence encoder (MathAMR, section 4.1), and their vectors.

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

from engines.core.errors import DataError
from engines.core.events import Sink, Stop, ignore, never, warn
from engines.core.spec import Arg, make_refusal, specification
from engines.formula.operator_tree_parser import ParsedFormula
from engines.forum.topics import Topic
from engines.mathamr.context import PLACEHOLDER, cut_window, find_ids, make_placeholder
from engines.mathamr.graph.amr import Branch, Graph, GraphNode, read_graph, write_graph
from engines.mathamr.graph.grafting import graft_trees, lowercase_graph
from engines.mathamr.graph.linearization import linearize_graph
from engines.mathamr.retrieval.texts import (
    cut_topic_context,
    write_tree_string,
)
from engines.mathamr.rows import CollectionPath, FormulaIndexed, SomeEncoder, Window, read_named_rows

if TYPE_CHECKING:
    from engines.mathamr.retrieval.formula_index import FormulaIndex


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
    # Which formulas the parser kept is looked up before their placeholders are replaced.
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
    # Type checkers do not run the registrations above, so they see any string.
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
    from engines.mathamr.retrieval.open_cache import open_index
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
    # In portions: rows come out as they are made, and a stop takes effect between them.
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
    from engines.mathamr.retrieval.open_cache import open_encoder
    from engines.retrieval.index_storage import ABOUT, new_folder

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
