"""Strings of a collection's topics and formulas in one of the representations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.mathamr.choices import FormulaIndexed, Representation, SomeCollection, Window

if TYPE_CHECKING:
    from engines.forum.topics import Topic
    from engines.mathamr.graph.amr import Graph
    from engines.mathamr.retrieval.formula_index import FormulaIndex

__all__ = ["Represent", "Strings", "represent"]


@dataclass(frozen=True, slots=True)
class Represent:
    """Write the topics of a collection and its judged formulas as strings, as a sentence encoder reads them.

    AMRs are those of the built-in parser, which are approximate.
    """

    folder: SomeCollection
    index: FormulaIndexed
    kind: Annotated[Representation, Arg("Which representation.")] = "mathamr-marked"
    window: Window = 0
    topics: Annotated[bool, Arg("The topics too.")] = True


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

    def __init__(self, index: FormulaIndex, kind: Representation, window: int) -> None:
        self.index, self.kind, self.window = index, kind, window
        self.alone = 0
        self._amr: dict[str, str] = {}

    def warn(self, events: Sink) -> None:
        """A warning of strings without their context."""
        if self.alone:
            what = f"{self.alone:,} strings are of the formula alone, whose text the collection does not have"
            events(Event("warning", {"message": what}))

    def of_topics(self, topics: Sequence[Topic]) -> list[str]:
        """A string for each topic's formula."""
        from engines.mathamr.context.placeholders import ids
        from engines.mathamr.context.window import window
        from engines.mathamr.retrieval.fields import fields_of_topic

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
        from engines.mathamr.context.placeholders import ids
        from engines.mathamr.context.window import window

        rows = []
        for formula in formulas:
            look = self.index.look_of(formula)
            if look is None:
                raise DataError(
                    f"the formula {formula} is not in the index",
                    path=self.index.folder,
                    code="E354",
                    remedy="Index the collection that the run is of.",
                )
            field = self.index.field_of(formula)
            context = "" if field is None else window(field, formula, self.window)
            latex = self.index.latex_of(ids(context))
            rows.append((formula, context, {**latex, formula: self.index.latex(look)}))
        return self._strings(rows)

    def _strings(self, rows: Sequence[tuple[str, str, dict[str, str]]]) -> list[str]:
        from engines.mathamr.retrieval.strings import CONTEXTLESS, needs_graph, represented

        if self.kind not in CONTEXTLESS:
            self.alone += sum(not context for _, context, _ in rows)
        if needs_graph(self.kind):
            self._parse([context for _, context, _ in rows])
        return [
            represented(self.kind, formula, latex, context=context, amr=self._graph(context, formula))
            for formula, context, latex in rows
        ]

    def _parse(self, contexts: Sequence[str]) -> None:
        from engines.mathamr.graph.amr import write_graph
        from engines.mathamr.parsing.parsers import parsed, parser

        new = [one for one in dict.fromkeys(contexts) if one and one not in self._amr]
        for context, made in zip(new, parsed(new, parser("builtin")), strict=True):
            self._amr[context] = write_graph(made.graph)

    def _graph(self, context: str, formula: str) -> Graph | None:
        """A graph of its own, since grafting changes it; without a context the formula alone."""
        from engines.mathamr.graph.amr import read_graph
        from engines.mathamr.retrieval.strings import alone, needs_graph

        if not needs_graph(self.kind):
            return None
        return read_graph(self._amr[context]) if context else alone(formula)
