"""Task 2: topics, grades, published graphs and runs of a collection, and the evaluation of runs by visually
distinct formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, ignore, warn
from engines.core.picture import check_drawing, write_drawing
from engines.core.spec import Arg, specification
from engines.mathamr.rows import CollectionPath, FormulaIndexed
from engines.retrieval.pictures import PNG_WIDTH_PX, Plot, draw_bars, draw_differences

if TYPE_CHECKING:
    from engines.forum.folder import ArqmathFolder
    from engines.forum.topics import Topic
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.retrieval.trec import Qrels, TrecRun


_NAMED = 20
"""So many of what is left out are named."""


@specification
class FormulaTopics:
    """List a collection's Task 2 topics: each is a formula in a question."""

    folder: Annotated[Path, Arg("A collection, or its name.", ref="collection", metavar="FOLDER")]


def list_topics(spec: FormulaTopics, *, events: Sink = ignore) -> dict[str, Any]:
    """Return the topics of a collection.

    Returns:
        Folder, topics (id, title, latex, formula, nodes of its operator tree, judged formulas by grade,
        graph: whether a MathAMR graph of it is among the files), runs (names), left_out (lines and files that
        could not be read).

    Events:
        A warning for each of these, the first twenty.

    Raises:
        DataError: E312 for a collection without topics of Task 2, and the first error where none of them can
            be read.
    """
    from engines.formula.operator_tree_parser import operator_tree
    from engines.forum.folder import ArqmathFolder
    from engines.retrieval.trec import by_grade

    task = Task2(ArqmathFolder.open(spec.folder), events)
    rows = []
    for topic in task.topics.values():
        rows.append(
            {
                "id": topic.id,
                "title": topic.title.text,
                "latex": topic.latex,
                "formula": topic.formula,
                "nodes": operator_tree(topic.latex).count_nodes(),
                "judged": by_grade(task.grades.get(topic.id, {}).values()),
                "graph": topic.id in task.graphs,
            }
        )
    document = {"folder": str(spec.folder), "topics": rows, "runs": list(task.runs)}
    return {**document, "left_out": task.left_out}


def has_visual_ids(qrels: Path) -> bool:
    """Return whether a file of judgements says by its name that it names visual ids instead of formulas."""
    return "visual" in qrels.name.lower()


class Task2:
    """The files of Task 2 of a collection; each is read when it is asked for.

    A line, or a file, that cannot be read is left out, counted in `left_out`, and warned of.
    """

    def __init__(self, collection: ArqmathFolder, events: Sink = ignore) -> None:
        self.collection, self._events, self.left_out = collection, events, 0

    def _warn_of_error(self, error: DataError) -> None:
        self.left_out += 1
        if self.left_out <= _NAMED:
            warn(self._events, f"{error.where}: {error.what}")
        elif self.left_out == _NAMED + 1:
            warn(self._events, "and more unreadable ones")

    def _warn_of_difference(self, path: Path, what: str, line: int | None = None) -> None:
        """Something that stands otherwise before, where the first counts."""
        self._warn_of_error(
            DataError(f"{what} differs from an earlier one", path=path, line=line, code="E317")
        )

    @contextmanager
    def _leave_out_errors(self) -> Iterator[None]:
        try:
            yield
        except DataError as error:
            self._warn_of_error(error)

    @cached_property
    def topics(self) -> Mapping[str, Topic]:
        """The topics by id.

        Raises:
            DataError: E312 where there are none, or the first error of the files.
        """
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
                for topic in read_topics(path, on_bad=self._warn_of_error):
                    # A topic may be in several files; the first one counts, and a difference is reported.
                    if result.setdefault(topic.id, topic) != topic:
                        self._warn_of_difference(path, f"the topic {topic.id}")
            except DataError as error:
                errors.append(error)
                self._warn_of_error(error)
        if not result:
            raise errors[0]
        return result

    def find_topic(self, name: str) -> Topic:
        """Return a topic by its id."""
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
        return self._read_grades(visual=False)

    @cached_property
    def visual_grades(self) -> Mapping[str, Mapping[str, int]]:
        """Grades by topic and visual id, of the judgements whose file says that it names those."""
        return self._read_grades(visual=True)

    def _read_grades(self, *, visual: bool) -> dict[str, dict[str, int]]:
        from engines.retrieval.trec import read_qrels

        result: dict[str, dict[str, int]] = {}
        for path in self.collection.qrels.get(2, ()):
            if has_visual_ids(path) == visual:
                with self._leave_out_errors():
                    for topic, grades in read_qrels(path, on_bad=self._warn_of_error).grades.items():
                        own = result.setdefault(topic, {})
                        for name, grade in grades.items():
                            if own.setdefault(name, grade) != grade:
                                self._warn_of_difference(path, f"the grade of {name} for {topic}")
        return result

    @cached_property
    def graphs(self) -> Mapping[str, str]:
        """The published graphs of the collection by topic."""
        from engines.core.rows import read_json_rows

        result: dict[str, str] = {}
        for path in self.collection.graphs:
            with self._leave_out_errors():
                for line, row in read_json_rows(path, "topic_id", "mathamr", on_bad=self._warn_of_error):
                    if result.setdefault(row["topic_id"], row["mathamr"]) != row["mathamr"]:
                        self._warn_of_difference(path, f"the graph of {row['topic_id']}", line)
        return result

    @cached_property
    def runs(self) -> Mapping[str, TrecRun]:
        """Runs by the names of their files, up to the first dot where that tells them apart; one that cannot
        be read is left out, with a warning."""
        from engines.retrieval.trec import warned_run

        result: dict[str, TrecRun] = {}
        for path in self.collection.formula_runs:
            with self._leave_out_errors():
                name = path.name.partition(".")[0]
                result[path.name if name in result else name] = warned_run(path, 2, self._events)
        return result


JudgedUnit = Literal["formula", "visual"]

_OTHER: dict[JudgedUnit, str] = {
    "formula": "visual ids? They need --unit visual.",
    "visual": "formulas? They need --unit formula.",
}
"""By unit, what judgements may name instead, where more of them are known as that."""


@specification
class EvaluateFormulas:
    """Evaluate runs of Task 2 by nDCG', P' and mAP', and compare each with the first.

    Only visually distinct formulas count: of those that look the same, the first, with their highest grade.
    Judgements of formulas not in the index are left out and counted.
    """

    runs: Annotated[tuple[Path, ...], Arg("Runs of formulas; the first is the baseline.", metavar="RUN...")]
    index: FormulaIndexed
    qrels: Annotated[tuple[Path, ...], Arg("Judgements; repeatable.", option=True)]
    unit: Annotated[JudgedUnit, Arg("What the judgements grade: formulas, or visual ids.")] = "formula"
    topics: Annotated[
        tuple[Path, ...],
        Arg("Topic files: evaluate only their topics, and add means by terciles of tree size."),
    ] = ()
    seed: Annotated[int, Arg("Seed for the intervals.", low=0)] = 0
    plot: Plot = None

    def __post_init__(self) -> None:
        check_drawing(self.plot)


def evaluate(spec: EvaluateFormulas, *, events: Sink = ignore) -> dict[str, Any]:
    """Return the measures of each run over all judged topics.

    Returns:
        Topics, judged (visually distinct formulas), not_in_index (judgements left out), without_positive
        (topics left out, as nothing that the index has is graded above 0), unit, systems (run, the means,
        intervals: 95 % of each by bootstrap, per_topic; with topics by_size: means by terciles of the number
        of nodes of the query's tree), comparisons (of each other run with the first, for ndcg10_prime and
        p10_prime: difference, interval, wins, losses, t_p, bonferroni_p over all of them); with `plot` also
        plot, the picture of nDCG'@10 by topic: of one run, or the differences of the others from the first.

    Events:
        Warnings of each thing that is left out, of topics that a run lacks, and of scores that look like
        none.

    Raises:
        DataError: For files that cannot be read, or a run of other topics, E344 when no judged formula is in
            the index.

    >>> from tempfile import mkdtemp
    >>> from engines.core.system import asset
    >>> from engines.mathamr import IndexFormulas, index
    >>> forum, place = asset("sample/arqmath/sample-forum"), Path(mkdtemp()) / "index"
    >>> _ = index(IndexFormulas(forum, place))
    >>> runs, qrels = (forum / "runs_task2/paths.tsv",), (forum / "qrels_task2.tsv",)
    >>> found = evaluate(EvaluateFormulas(runs, place, qrels))
    >>> found["topics"], found["judged"], found["systems"][0]["ndcg10_prime"]
    (8, 76, 0.929987)
    """
    from engines.formula.operator_tree_parser import operator_tree
    from engines.forum.topics import read_topic_files
    from engines.mathamr.retrieval.open_cache import open_index
    from engines.retrieval.measures import FORMULA_MEASURES
    from engines.retrieval.measures import evaluate as measured
    from engines.retrieval.significance import bonferroni, bootstrap_interval, compare
    from engines.retrieval.trec import unequal_depths

    opened = open_index(spec.index)
    topics = read_topic_files(spec.topics)
    sizes = {topic.id: operator_tree(topic.latex).count_nodes() for topic in topics}
    qrels, left_out, doubted, without_relevant = _read_judgements(spec, opened, sizes, events)
    if left_out:
        what = f"{left_out:,} judgements are of formulas not in the index, and are left out"
        if doubted:
            what += f"; do they name {_OTHER[spec.unit]}"
        warn(events, what)
    if without_relevant:
        what = f"topics are left out, such as {without_relevant[0]}: the index has no relevant formula"
        warn(events, f"{len(without_relevant):,} {what}")
    # Runs are reduced to visually distinct formulas before they are measured.
    runs = {path: _read_look_run(path, opened, qrels, spec, events) for path in spec.runs}
    if what := unequal_depths(runs, qrels.grades):
        warn(events, what)
    results = [measured(runs[path], qrels, FORMULA_MEASURES) for path in spec.runs]
    systems = []
    for path, result in zip(spec.runs, results, strict=True):
        lists = {name: [row[name] for row in result.per_topic.values()] for name in FORMULA_MEASURES}
        systems.append(
            {
                "run": str(path),
                **{name: round(value, 6) for name, value in result.mean.items()},
                "intervals": {
                    name: bootstrap_interval(first, seed=spec.seed) for name, first in lists.items()
                },
                **({"by_size": _average_by_size(result.per_topic, sizes)} if sizes else {}),
                "per_topic": {topic: dict(row) for topic, row in result.per_topic.items()},
            }
        )
    tests: list[dict[str, Any]] = []
    # Paired tests against the first run, with Bonferroni's correction over all of them.
    if len(results) > 1 and len(qrels.grades) > 1:
        for path, result in zip(spec.runs[1:], results[1:], strict=True):
            for name in ("ndcg10_prime", "p10_prime"):
                first, second = (
                    {t: row[name] for t, row in r.per_topic.items()} for r in (results[0], result)
                )
                test = compare(first, second, seed=spec.seed)
                tests.append(
                    {
                        "run": str(path),
                        "measure": name,
                        "difference": test.difference,
                        "interval": test.interval,
                        "wins": test.wins,
                        "losses": test.losses,
                        "t_p": test.t_p,
                    }
                )
        for row, p in zip(tests, bonferroni([row["t_p"] for row in tests]), strict=True):
            row["bonferroni_p"] = p
    if spec.plot is not None:
        _draw_results(spec.plot, spec.runs, [result.per_topic for result in results])
    return {
        "topics": len(qrels.grades),
        "judged": len(qrels),
        "not_in_index": left_out,
        "without_positive": len(without_relevant),
        "unit": spec.unit,
        "systems": systems,
        "comparisons": tests,
        **({"plot": str(spec.plot)} if spec.plot is not None else {}),
    }


def _draw_results(
    path: Path, runs: Sequence[Path], results: Sequence[Mapping[str, Mapping[str, float]]]
) -> None:
    """nDCG'@10 of one run by topic, or the differences of the others from the first, a panel each."""
    first, *others = ({topic: row["ndcg10_prime"] for topic, row in one.items()} for one in results)
    name = runs[0].name
    panels = [
        (f"nDCG′@10 of {run.name} less {name}, {len(own)} topics", {t: own[t] - first[t] for t in own})
        for run, own in zip(runs[1:], others, strict=True)
    ]
    drawn = (
        draw_differences(panels)
        if panels
        else draw_bars(first, f"nDCG′@10 of {name} over {len(first)} topics")
    )
    write_drawing(path, drawn, width=PNG_WIDTH_PX)


def _name_look(opened: FormulaIndex, look: int) -> str:
    return opened.read_visual_id(look) or f"look {look}"


def _read_look_run(
    path: Path, opened: FormulaIndex, qrels: Qrels, spec: EvaluateFormulas, events: Sink
) -> TrecRun:
    from engines.retrieval.trec import TrecRun, check_topics, warned_run

    run = warned_run(path, 2, events)
    missing = check_topics(run, qrels, run_path=path, qrels_path=spec.qrels[0])
    if missing:
        warn(events, f"{path}: {len(missing)} judged topics are not in it and count as 0")
    rankings: dict[str, Sequence[tuple[str, float]]] = {}
    unknown = 0
    if others := [topic for topic in run.rankings if topic not in qrels.grades]:
        warn(events, f"{path}: {len(others):,} of its topics are not evaluated, such as {others[0]}")
    for topic, ranking in run.rankings.items():
        if topic not in qrels.grades:
            continue
        # Several formulas of one look count once, at the rank of the best.
        best: dict[str, float] = {}
        for formula, score in ranking:
            look = opened.look_of(formula)
            if look is not None:
                best.setdefault(_name_look(opened, look), score)
            else:
                unknown += 1
        rankings[topic] = list(best.items())
    if unknown:
        warn(events, f"{path}: {unknown:,} formulas are not in the index and are left out")
    return TrecRun(run.tag, rankings)


def _read_judgements(
    spec: EvaluateFormulas, opened: FormulaIndex, sizes: Mapping[str, int], events: Sink
) -> tuple[Qrels, int, bool, list[str]]:
    """Read the judgements as grades by topic and visually distinct formula.

    Returns:
        The grades; how many judgements are of formulas that the index lacks; whether more of them name the
            other unit than this one; and the topics that are left out because nothing in the index has a
            grade above 0.
    """
    from engines.retrieval.trec import Qrels, read_qrels

    seen: dict[tuple[str, str], int] = {}
    known = set(opened.looks["visual_id"].to_pylist()) - {""}
    grades: dict[str, dict[str, int]] = {}
    unit_count = other_unit_count = left_out = contradictions = 0
    for path in spec.qrels:
        for topic, documents in read_qrels(path).grades.items():
            if sizes and topic not in sizes:
                continue
            # Files may contradict each other: count it, and let the highest grade win.
            contradictions += sum(
                seen.setdefault((topic, one), grade) != grade for one, grade in documents.items()
            )
            of_topic = grades.setdefault(topic, {})
            for document, grade in documents.items():
                # A judgement may name a visual id or a formula.
                look, visual = opened.look_of(document), document if document in known else None
                formula = None if look is None else _name_look(opened, look)
                name, other_name = (visual, formula) if spec.unit == "visual" else (formula, visual)
                unit_count, other_unit_count = (
                    unit_count + (name is not None),
                    other_unit_count + (other_name is not None),
                )
                if name is None:
                    left_out += 1
                else:
                    of_topic[name] = max(grade, of_topic.get(name, 0))
    if contradictions:
        warn(events, f"{contradictions:,} judgements differ from an earlier file's; the highest grade counts")
    usable = {topic: of_topic for topic, of_topic in grades.items() if any(of_topic.values())}
    if not usable:
        raise DataError(
            "no judged formula of the topics is in the index",
            path=spec.qrels[0],
            code="E344",
            remedy=f"Is the index of the same collection? Do the judgements name {_OTHER[spec.unit]}",
        )
    return (
        Qrels(usable),
        left_out,
        other_unit_count > unit_count,
        [topic for topic in grades if topic not in usable],
    )


def _average_by_size(
    per_topic: Mapping[str, Mapping[str, float]], sizes: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    order = sorted(per_topic, key=lambda topic: (sizes[topic], topic))
    cuts = [round(len(order) * part / 3) for part in range(4)]
    result = {}
    for name, begin, end in zip(("low", "medium", "high"), cuts[:-1], cuts[1:], strict=True):
        rows = [per_topic[topic] for topic in order[begin:end]]
        if rows:
            means = {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]}
            result[name] = {"topics": len(rows), **means, "largest_tree": sizes[order[end - 1]]}
    return result


@specification
class EvaluateRuns:
    """Measure all runs of a collection's Task 2 over the judged topics of its files."""

    folder: CollectionPath
    index: Annotated[
        Path | None, Arg("Index of the collection's formulas.", ref="formulas", shown="the workspace's")
    ] = None


def evaluate_runs(spec: EvaluateRuns, *, events: Sink = ignore, cache: Path | None = None) -> dict[str, Any]:
    """Evaluate the runs of a collection as `evaluate` does, and return its files as well: index, runs and
    qrels.

    Judgements of topics that no run has are left out, so that runs of one year are not measured by another's.

    Raises:
        DataError: E312 without runs, judgements or an index, and as `evaluate`.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.indexing import find_index
    from engines.mathamr.retrieval.open_cache import open_index

    collection = ArqmathFolder.open(spec.folder)
    qrels, unit = _select_judgements(collection)
    index = find_index(collection, spec.index, cache)
    if not qrels or index is None:
        what = "judgements of the runs' topics" if not qrels else "an index of its formulas"
        raise DataError(
            f"the collection lacks {what}",
            path=collection.path,
            code="E312",
            remedy="Make runs with `mathwb mathamr search`, an index with `mathwb mathamr index`.",
        )
    open_index(index, collection.path, events)
    runs = tuple(collection.formula_runs)
    result = evaluate(EvaluateFormulas(runs, index, qrels, unit), events=events)
    return {**result, "index": str(index), "runs": [*map(str, runs)], "qrels": [*map(str, qrels)]}


def _select_judgements(collection: ArqmathFolder) -> tuple[tuple[Path, ...], JudgedUnit]:
    """Return the files of judgements that have topics of the runs; those of visual ids where none names
    formulas.
    """
    from engines.retrieval.trec import read_qrels, read_run

    topics = {topic for path in collection.formula_runs for topic in read_run(path, task=2).rankings}
    files = [path for path in collection.qrels.get(2, ()) if topics & {*read_qrels(path).grades}]
    formulas = tuple(path for path in files if not has_visual_ids(path))
    return (formulas, "formula") if formulas else (tuple(files), "visual")
