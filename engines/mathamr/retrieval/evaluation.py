"""Evaluation of runs of Task 2 by visually distinct formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.picture import check_drawing, write_drawing
from engines.core.spec import Arg
from engines.mathamr.rows import FormulaIndexed, SomeCollection
from engines.retrieval.pictures import PIXELS, Plot, bars, deltas

if TYPE_CHECKING:
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.retrieval.trec import Qrels, Run


Unit = Literal["formula", "visual"]

_OTHER: dict[Unit, str] = {
    "formula": "visual ids? They need --unit visual.",
    "visual": "formulas? They need --unit formula.",
}
"""By unit, what judgements may name instead, where more of them are known as that."""


@dataclass(frozen=True, slots=True)
class EvaluateFormulas:
    """Evaluate runs of Task 2 by nDCG', P' and mAP', and compare each with the first.

    Only visually distinct formulas count: of those that look the same, the first, with their highest grade.
    Judgements of formulas not in the index are left out and counted.
    """

    runs: Annotated[tuple[Path, ...], Arg("Runs of formulas; the first is the baseline.", metavar="RUN...")]
    index: FormulaIndexed
    qrels: Annotated[tuple[Path, ...], Arg("Judgements; repeatable.", option=True)]
    unit: Annotated[Unit, Arg("What the judgements grade: formulas, or visual ids.")] = "formula"
    topics: Annotated[
        tuple[Path, ...],
        Arg("Topic files: evaluate only their topics, and add means by terciles of tree size."),
    ] = ()
    seed: Annotated[int, Arg("Seed for the intervals.", low=0)] = 0
    plot: Plot = None

    def __post_init__(self) -> None:
        check_drawing(self.plot)


def evaluate(spec: EvaluateFormulas, *, events: Sink = ignore) -> dict[str, Any]:
    """The measures of each run over all judged topics.

    Returns: topics, judged (visually distinct formulas), not_in_index (judgements left out),
    without_positive (topics left out, as nothing that the index has is graded above 0), unit, systems (run,
    the means, intervals: 95 % of each by bootstrap, per_topic; with topics by_size: means by terciles of the
    number of nodes of the query's tree), comparisons (of each other run with the first, for ndcg10_prime and
    p10_prime: difference, interval, wins, losses, t_p, bonferroni_p over all of them); with `plot` also plot,
    the picture of nDCG'@10 by topic: of one run, or the differences of the others from the first. Events:
    warnings of each thing that is left out, of topics that a run lacks, and of scores that look like none.
    Raises: DataError for files that cannot be read, or a run of other topics, E344 when no judged formula is
    in the index.

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
    from engines.mathamr.retrieval.search import open_index
    from engines.retrieval.measures import CUT_MEASURES
    from engines.retrieval.measures import evaluate as measured
    from engines.retrieval.significance import bonferroni, bootstrap_interval, compare
    from engines.retrieval.trec import unequal_depths

    opened = open_index(spec.index)
    sizes = _sizes(spec.topics)
    qrels, left_out, doubted, hopeless = _judged(spec, opened, sizes, events)
    if left_out:
        what = f"{left_out:,} judgements are of formulas not in the index, and are left out"
        if doubted:
            what += f"; do they name {_OTHER[spec.unit]}"
        events(Event("warning", {"message": what}))
    if hopeless:
        what = (
            f"{len(hopeless):,} topics are left out, such as {hopeless[0]}: the index has no relevant formula"
        )
        events(Event("warning", {"message": what}))
    runs = {path: _looks(path, opened, qrels, spec, events) for path in spec.runs}
    if what := unequal_depths(runs, qrels.grades):
        events(Event("warning", {"message": what}))
    results = [measured(runs[path], qrels, CUT_MEASURES) for path in spec.runs]
    systems = []
    for path, result in zip(spec.runs, results, strict=True):
        lists = {name: [row[name] for row in result.per_topic.values()] for name in CUT_MEASURES}
        systems.append(
            {
                "run": str(path),
                **{name: round(value, 6) for name, value in result.mean.items()},
                "intervals": {name: bootstrap_interval(one, seed=spec.seed) for name, one in lists.items()},
                **({"by_size": _by_size(result.per_topic, sizes)} if sizes else {}),
                "per_topic": {topic: dict(row) for topic, row in result.per_topic.items()},
            }
        )
    tests: list[dict[str, Any]] = []
    if len(results) > 1 and len(qrels.grades) > 1:
        for path, result in zip(spec.runs[1:], results[1:], strict=True):
            for name in ("ndcg10_prime", "p10_prime"):
                one, other = ({t: row[name] for t, row in r.per_topic.items()} for r in (results[0], result))
                test = compare(one, other, seed=spec.seed)
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
        _draw(spec.plot, spec.runs, [result.per_topic for result in results])
    return {
        "topics": len(qrels.grades),
        "judged": len(qrels),
        "not_in_index": left_out,
        "without_positive": len(hopeless),
        "unit": spec.unit,
        "systems": systems,
        "comparisons": tests,
        **({"plot": str(spec.plot)} if spec.plot is not None else {}),
    }


def _draw(path: Path, runs: Sequence[Path], results: Sequence[Mapping[str, Mapping[str, float]]]) -> None:
    """nDCG'@10 of one run by topic, or the differences of the others from the first, a panel each."""
    first, *others = ({topic: row["ndcg10_prime"] for topic, row in one.items()} for one in results)
    name = runs[0].name
    panels = [
        (f"nDCG′@10 of {run.name} less {name}, {len(own)} topics", {t: own[t] - first[t] for t in own})
        for run, own in zip(runs[1:], others, strict=True)
    ]
    drawn = deltas(panels) if panels else bars(first, f"nDCG′@10 of {name} over {len(first)} topics")
    write_drawing(path, drawn, width=PIXELS)


def _look(opened: FormulaIndex, look: int) -> str:
    return opened.visual(look) or f"look {look}"


def _looks(path: Path, opened: FormulaIndex, qrels: Qrels, spec: EvaluateFormulas, events: Sink) -> Run:
    """A run over visually distinct formulas; those that the index lacks are left out and counted."""
    from engines.retrieval.trec import Run, check_topics, warned_run

    run = warned_run(path, 2, events)
    missing = check_topics(run, qrels, run_path=path, qrels_path=spec.qrels[0])
    if missing:
        what = f"{path}: {len(missing)} judged topics are not in it and count as 0"
        events(Event("warning", {"message": what}))
    rankings: dict[str, Sequence[tuple[str, float]]] = {}
    unknown = 0
    if others := [topic for topic in run.rankings if topic not in qrels.grades]:
        what = f"{path}: {len(others):,} of its topics are not evaluated, such as {others[0]}"
        events(Event("warning", {"message": what}))
    for topic, ranking in run.rankings.items():
        if topic not in qrels.grades:
            continue
        best: dict[str, float] = {}
        for formula, score in ranking:
            look = opened.look_of(formula)
            if look is not None:
                best.setdefault(_look(opened, look), score)
            else:
                unknown += 1
        rankings[topic] = list(best.items())
    if unknown:
        what = f"{path}: {unknown:,} formulas are not in the index and are left out"
        events(Event("warning", {"message": what}))
    return Run(run.tag, rankings)


def _judged(
    spec: EvaluateFormulas, opened: FormulaIndex, sizes: Mapping[str, int], events: Sink
) -> tuple[Qrels, int, bool, list[str]]:
    """Grades by topic and visually distinct formula; how many judgements are of formulas that the index
    lacks, and whether more of them name the other unit than this; and the topics that are left out, since
    nothing in the index has a grade above 0."""
    from engines.retrieval.trec import Qrels, read_qrels

    seen: dict[tuple[str, str], int] = {}
    known = set(opened.looks["visual_id"].to_pylist()) - {""}
    grades: dict[str, dict[str, int]] = {}
    named = others = left_out = otherwise = 0
    for path in spec.qrels:
        for topic, documents in read_qrels(path).grades.items():
            if sizes and topic not in sizes:
                continue
            otherwise += sum(
                seen.setdefault((topic, one), grade) != grade for one, grade in documents.items()
            )
            of_topic = grades.setdefault(topic, {})
            for document, grade in documents.items():
                look, visual = opened.look_of(document), document if document in known else None
                formula = None if look is None else _look(opened, look)
                name, other = (visual, formula) if spec.unit == "visual" else (formula, visual)
                named, others = named + (name is not None), others + (other is not None)
                if name is None:
                    left_out += 1
                else:
                    of_topic[name] = max(grade, of_topic.get(name, 0))
    if otherwise:
        what = f"{otherwise:,} judgements differ from an earlier file's; the highest grade counts"
        events(Event("warning", {"message": what}))
    found = {topic: of_topic for topic, of_topic in grades.items() if any(of_topic.values())}
    if not found:
        raise DataError(
            "no judged formula of the topics is in the index",
            path=spec.qrels[0],
            code="E344",
            remedy=f"Is the index of the same collection? Do the judgements name {_OTHER[spec.unit]}",
        )
    return Qrels(found), left_out, others > named, [topic for topic in grades if topic not in found]


def _sizes(files: Sequence[Path]) -> dict[str, int]:
    """Nodes of the operator tree of each topic's formula."""
    from engines.formula.parser import operator_tree
    from engines.forum.topics import read_topic_files

    return {topic.id: sum(1 for _ in operator_tree(topic.latex).walk()) for topic in read_topic_files(files)}


def _by_size(
    per_topic: Mapping[str, Mapping[str, float]], sizes: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Means of the third of topics with the smallest trees, the middle one and the largest."""
    order = sorted(per_topic, key=lambda topic: (sizes[topic], topic))
    cuts = [round(len(order) * part / 3) for part in range(4)]
    result = {}
    for name, begin, end in zip(("low", "medium", "high"), cuts[:-1], cuts[1:], strict=True):
        rows = [per_topic[topic] for topic in order[begin:end]]
        if rows:
            means = {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]}
            result[name] = {"topics": len(rows), **means, "largest_tree": sizes[order[end - 1]]}
    return result


@dataclass(frozen=True, slots=True)
class Standings:
    """Measure all runs of a collection's Task 2 over the judged topics of its files."""

    folder: SomeCollection
    index: Annotated[
        Path | None, Arg("Index of the collection's formulas.", ref="formulas", shown="the workspace's")
    ] = None


def standings(spec: Standings, *, events: Sink = ignore, cache: Path | None = None) -> dict[str, Any]:
    """As of `evaluate`, with index, runs and qrels: the files that were evaluated.

    Judgements of other topics than the runs' are left aside, so that runs of one year are not held against
    another's. Raises: as `evaluate`, and DataError E312 without runs, judgements or an index.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.indexing import found_index
    from engines.mathamr.retrieval.search import open_index

    collection = ArqmathFolder.open(spec.folder)
    qrels, unit = _judgements(collection)
    index = found_index(collection, spec.index, cache)
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


def _judgements(collection: ArqmathFolder) -> tuple[tuple[Path, ...], Unit]:
    """The files of judgements that have topics of the runs; those of visual ids where none names formulas."""
    from engines.mathamr.retrieval.task2 import names_visual_ids
    from engines.retrieval.trec import read_qrels, read_run

    topics = {topic for path in collection.formula_runs for topic in read_run(path, task=2).rankings}
    files = [path for path in collection.qrels.get(2, ()) if topics & {*read_qrels(path).grades}]
    formulas = tuple(path for path in files if not names_visual_ids(path))
    return (formulas, "formula") if formulas else (tuple(files), "visual")
