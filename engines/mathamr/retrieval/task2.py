"""What a collection has of Task 2: topics, grades, published graphs and runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, ignore
from engines.core.spec import Arg

if TYPE_CHECKING:
    from engines.forum.folder import ArqmathFolder
    from engines.forum.topics import Topic
    from engines.retrieval.trec import Run


_NAMED = 20
"""So many of what is left out are named."""


@dataclass(frozen=True, slots=True)
class FormulaTopics:
    """List a collection's Task 2 topics: each is a formula in a question."""

    folder: Annotated[Path, Arg("A collection, or its name.", ref="collection", metavar="FOLDER")]


def topics(spec: FormulaTopics, *, events: Sink = ignore) -> dict[str, Any]:
    """The topics of a collection.

    Returns: folder, topics (id, title, latex, formula, nodes of its operator tree, judged formulas by grade,
    graph: whether a MathAMR graph of it is among the files), runs (names), left_out (lines and files that
    could not be read). Events: a warning for each of these, the first twenty. Raises: DataError E312 for a
    collection without topics of Task 2, and the first error where none of them can be read.
    """
    from engines.formula.parser import operator_tree
    from engines.forum.folder import ArqmathFolder

    task = Task2(ArqmathFolder.open(spec.folder), events)
    rows = []
    for topic in task.topics.values():
        grades = [0, 0, 0, 0]
        for grade in task.grades.get(topic.id, {}).values():
            grades[grade] += 1
        rows.append(
            {
                "id": topic.id,
                "title": topic.title.text,
                "latex": topic.latex,
                "formula": topic.formula,
                "nodes": sum(1 for _ in operator_tree(topic.latex).walk()),
                "judged": grades,
                "graph": topic.id in task.graphs,
            }
        )
    found = {"folder": str(spec.folder), "topics": rows, "runs": list(task.runs)}
    return {**found, "left_out": task.left_out}


def names_visual_ids(qrels: Path) -> bool:
    """Whether a file of judgements says by its name that it names visual ids instead of formulas."""
    return "visual" in qrels.name.lower()


class Task2:
    """The files of Task 2 of a collection; each is read when it is asked for.

    A line, or a file, that cannot be read is left out, counted in `left_out`, and warned of.
    """

    def __init__(self, collection: ArqmathFolder, events: Sink = ignore) -> None:
        self.collection, self._events, self.left_out = collection, events, 0

    def _bad(self, error: DataError) -> None:
        self.left_out += 1
        if self.left_out <= _NAMED:
            self._events(Event("warning", {"message": f"{error.where}: {error.what}"}))
        elif self.left_out == _NAMED + 1:
            self._events(Event("warning", {"message": "and more unreadable ones"}))

    def _otherwise(self, path: Path, what: str, line: int | None = None) -> None:
        """Something that stands otherwise before, where the first counts."""
        self._bad(DataError(f"{what} differs from an earlier one", path=path, line=line, code="E317"))

    @contextmanager
    def _kept_out(self) -> Iterator[None]:
        """A file that cannot be used at all is left out."""
        try:
            yield
        except DataError as error:
            self._bad(error)

    @cached_property
    def topics(self) -> Mapping[str, Topic]:
        """The topics by id. Raises: DataError E312 where there are none, or the first error of the files."""
        from engines.forum.topics import read_topics

        files = self.collection.topics.get(2, ())
        if not files:
            raise DataError(
                "the collection has no topics of Task 2",
                path=self.collection.path,
                code="E312",
                remedy="Expected topics_task2*.xml.",
            )
        result: dict[str, Topic] = {}
        errors: list[DataError] = []
        for path in files:
            try:
                for topic in read_topics(path, on_bad=self._bad):
                    if result.setdefault(topic.id, topic) != topic:
                        self._otherwise(path, f"the topic {topic.id}")
            except DataError as error:
                errors.append(error)
                self._bad(error)
        if not result:
            raise errors[0]
        return result

    def topic(self, name: str) -> Topic:
        result = self.topics.get(name)
        if result is None:
            known = ", ".join(list(self.topics)[:5])
            raise EngineError(
                f"there is no topic {name}",
                where=str(self.collection.path),
                code="E354",
                exit_code=2,
                remedy=f"Its topics are {known}, …: mathwb mathamr topics",
            )
        return result

    @cached_property
    def grades(self) -> Mapping[str, Mapping[str, int]]:
        """Grades by topic and formula id, of the judgements that name formulas."""
        return self._graded(visual=False)

    @cached_property
    def visual_grades(self) -> Mapping[str, Mapping[str, int]]:
        """Grades by topic and visual id, of the judgements whose file says that it names those."""
        return self._graded(visual=True)

    def _graded(self, *, visual: bool) -> dict[str, dict[str, int]]:
        from engines.retrieval.trec import read_qrels

        result: dict[str, dict[str, int]] = {}
        for path in self.collection.qrels.get(2, ()):
            if names_visual_ids(path) == visual:
                with self._kept_out():
                    for topic, grades in read_qrels(path, on_bad=self._bad).grades.items():
                        own = result.setdefault(topic, {})
                        for name, grade in grades.items():
                            if own.setdefault(name, grade) != grade:
                                self._otherwise(path, f"the grade of {name} for {topic}")
        return result

    @cached_property
    def graphs(self) -> Mapping[str, str]:
        from engines.core.files import rows

        result: dict[str, str] = {}
        for path in self.collection.graphs:
            with self._kept_out():
                for line, row in rows(path, "topic_id", "mathamr", on_bad=self._bad):
                    if result.setdefault(row["topic_id"], row["mathamr"]) != row["mathamr"]:
                        self._otherwise(path, f"the graph of {row['topic_id']}", line)
        return result

    @cached_property
    def runs(self) -> Mapping[str, Run]:
        """Runs by the names of their files, up to the first dot where that tells them apart; one that cannot
        be read is left out, with a warning."""
        from engines.retrieval.trec import warned_run

        result: dict[str, Run] = {}
        for path in self.collection.formula_runs:
            with self._kept_out():
                name = path.name.partition(".")[0]
                result[path.name if name in result else name] = warned_run(path, 2, self._events)
        return result
