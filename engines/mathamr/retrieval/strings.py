"""Strings of formulas in context, and their vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, refused
from engines.formula.formula import Formula
from engines.forum.readers import Post
from engines.forum.topics import Topic
from engines.mathamr.context import PLACEHOLDER, ids, in_fields, window
from engines.mathamr.graph.amr import read_graph, write_graph
from engines.mathamr.retrieval.representations import REPRESENTATIONS, InContext, Kind
from engines.mathamr.rows import FormulaIndexed, SomeCollection, SomeEncoder, Window

if TYPE_CHECKING:
    from engines.mathamr.retrieval.formula_index import FormulaIndex


def fields_of_post(post: Post) -> Iterator[tuple[str, str]]:
    """("title" or "body", text with placeholders), those with formulas."""
    if post.title_formulas:
        yield "title", in_fields(post.title, post.title_formulas).text
    if post.body.formulas:
        yield "body", in_fields(post.body.text, post.body.formulas).text


def fields_of_topic(topic: Topic) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """("title" or "question", text with placeholders, LaTeX by short id) of a topic's two fields."""
    for name, field in (("title", topic.title), ("question", topic.question)):
        found = in_fields(field.text, field.formulas)
        yield name, found.text, found.formulas


def with_latex(text: str, latex: Mapping[str, str]) -> str:
    """The text with `$latex$` again; a formula that is not known stays a placeholder."""
    return PLACEHOLDER.sub(lambda match: f"${latex[match[1]]}$" if match[1] in latex else match[0], text)


@dataclass(frozen=True, slots=True)
class Represent:
    """Write a collection's topics and judged formulas as strings for a sentence encoder.

    AMRs come from the built-in parser, which is approximate.
    """

    folder: SomeCollection
    index: FormulaIndexed
    kind: Annotated[Kind, Arg("Which representation to write.")] = "mathamr-marked"
    window: Window = 0
    topics: Annotated[bool, Arg("Also write the topics.")] = True


def represent(spec: Represent, *, events: Sink = ignore, stop: Stop = never) -> Iterator[dict[str, Any]]:
    """Rows `{"id", "string", "kind"}`: topics by their number, formulas by their id; the representation.

    Events: warnings of judged formulas that the collection does not have, of strings without the context
    that they should have, and of an index of another collection. Raises: DataError as of the index
    and the topics.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.search import open_index
    from engines.mathamr.retrieval.task2 import Task2

    collection = ArqmathFolder.open(spec.folder)
    task = Task2(collection, events)
    strings = Strings(open_index(spec.index, collection.path, events), spec.kind, spec.window)
    if spec.topics:
        found = list(task.topics.values())
        for topic, text in zip(found, strings.of_topics(found), strict=True):
            yield {"id": topic.id, "string": text, "kind": spec.kind}
    judged = dict.fromkeys(formula for grades in task.grades.values() for formula in grades)
    here = [formula for formula in judged if strings.index.row(formula) is not None]
    if len(here) < len(judged):
        missing = len(judged) - len(here)
        events(Event("warning", {"message": f"{missing:,} judged formulas are not in the collection"}))
    for begin in range(0, len(here), 256):
        if stop():
            return
        part = here[begin : begin + 256]
        for formula, text in zip(part, strings.of_formulas(part), strict=True):
            yield {"id": formula, "string": text, "kind": spec.kind}
    strings.warn(events)


class Strings:
    """Makes strings of topics and formulas; an AMR is made once for each context. `alone` counts the strings
    that should have a context, and are of the formula alone, since its text is not known."""

    def __init__(self, index: FormulaIndex, kind: Kind, window: int) -> None:
        self.index, self.kind, self.window = index, kind, window
        self.alone = 0
        self._amr: dict[str, str] = {}
        # The formulas of a post are in the contexts of each other.
        self._formula = lru_cache(1_024)(Formula)

    def warn(self, events: Sink) -> None:
        if self.alone:
            what = (
                f"{self.alone:,} strings contain only the formula, as the collection does not have its text"
            )
            events(Event("warning", {"message": what}))

    def of_topics(self, topics: Sequence[Topic]) -> list[str]:
        """A string for each topic's formula."""
        rows = []
        for topic in topics:
            query = topic.formula.removeprefix("q_")
            found: tuple[str, str, dict[str, str]] = (query, "", {query: topic.latex})
            for _, text, latex in fields_of_topic(topic):
                if query in ids(text):
                    found = (query, window(text, query, self.window), dict(latex))
                    break
            rows.append(found)
        return self._strings(rows)

    def of_formulas(self, formulas: Sequence[str]) -> list[str]:
        """A string for each formula of the collection. Raises: DataError E354 for one that it lacks."""
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
            context = "" if field is None else window(field, formula, self.window)
            latex = self.index.latex_of(ids(context))
            rows.append((formula, context, {**latex, formula: self.index.latex(look)}))
        return self._strings(rows)

    def _strings(self, rows: Sequence[tuple[str, str, dict[str, str]]]) -> list[str]:
        kind = REPRESENTATIONS[self.kind]
        contexts = [context for _, context, _ in rows]
        if kind.needs != "formula":
            self.alone += contexts.count("")
        if kind.needs == "amr":
            self._parse(contexts)
        found = []
        for formula, context, latex in rows:
            formulas = {name: self._formula(one) for name, one in latex.items()}
            # A graph of its own, since grafting changes it.
            amr = read_graph(self._amr[context]) if kind.needs == "amr" and context else None
            found.append(kind.write(InContext(formula, formulas, context, amr)))
        return found

    def _parse(self, contexts: Sequence[str]) -> None:
        from engines.mathamr.parsing.parsers import parsed, parser

        new = [one for one in dict.fromkeys(contexts) if one and one not in self._amr]
        for context, made in zip(new, parsed(new, parser("builtin")), strict=True):
            self._amr[context] = write_graph(made.graph)


@dataclass(frozen=True, slots=True)
class EmbedStrings:
    """Encode strings, as `mathamr represent` writes them."""

    file: Annotated[
        Path, Arg('Lines {"id": …, "string": …}, with the "kind" of the strings.', metavar="FILE")
    ]
    out: Annotated[Path, Arg("The folder to write: ids.json, vectors.npy.", option=True, writes=True)]
    encoder: SomeEncoder = "minilm"
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"


def embed(spec: EmbedStrings, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write the vectors, unit rows in the order of the strings, whole or not at all.

    Returns: out, complete, strings, dimension, encoder. Events: a warning of ids that occur again. Raises:
    DataError E317 for a row without id or string, E314 for a file without rows, EngineError E402 for strings
    of several representations; and as `encoder`.
    """
    from engines.core.files import refuse_other, write_array
    from engines.mathamr.retrieval.search import open_encoder
    from engines.mathamr.rows import named_rows
    from engines.retrieval.stored import ABOUT, new_folder

    refuse_other(spec.out, ABOUT)
    found = list(named_rows(spec.file, "id", "string", name="id", events=events))
    kinds = {str(row.held.get("kind") or "") for row in found}
    if len(kinds) > 1:
        what = f"the strings of {spec.file.name} are of several representations: {', '.join(sorted(kinds))}"
        raise refused(what, "E402", "Encode each kind separately.")
    model = open_encoder(spec.encoder, spec.device)
    vectors = model.encode([row["string"] for row in found], events=events, stop=stop)
    if stop():
        return {"out": str(spec.out), "complete": False}
    about = {"encoder": model.name, "fingerprint": model.fingerprint, "dimension": model.dimension}
    with new_folder(spec.out, about) as draft:
        write_array(draft / "vectors.npy", vectors)
        (draft / "ids.json").write_text(json.dumps([row["id"] for row in found]), encoding="utf-8")
    return {"out": str(spec.out), "complete": True, "strings": len(found), **about}
