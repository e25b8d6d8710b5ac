"""Evaluating a run, and comparing runs with a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, ignore, warn
from engines.core.notebook_display import Shown
from engines.core.picture import check_drawing, write_drawing
from engines.core.spec import Arg, make_refusal, no_effect, specification
from engines.retrieval.pictures import PNG_WIDTH_PX, Plot, draw_bars, draw_differences

if TYPE_CHECKING:
    from engines.retrieval.measures import Evaluation
    from engines.retrieval.trec import Qrels, TrecRun


JudgementsFile = Annotated[Path, Arg("Judgements: topic, 0, document, grade.", option=True)]
TaskNumber = Annotated[int, Arg("1: answers; 2: formulas; 3: free-form answers.", low=1, high=3)]
VisualIds = Annotated[
    Path | None, Arg("Task 2: TSV of formula ids and visual ids, of the same version as the qrels.")
]


@specification
class Evaluate:
    """Evaluate a run by nDCG', mAP' and P'@10 (task 3: also AR and P@1).

    Means are taken over all judged topics; `run_topics` has those over the run's own topics. AR and P@1 are
    taken over the judged answers.
    """

    run: Annotated[Path, Arg("TREC or ARQMath run, plain or gzip.", metavar="RUN")]
    qrels: JudgementsFile
    task: TaskNumber = 1
    visual_ids: VisualIds = None
    topics_by: Annotated[Path | None, Arg("CSV of topic attributes; adds the means for each value.")] = None
    answer_ids: Annotated[Path | None, Arg("Task 3: TSV of run, topic and the answer's id in the qrels.")] = (
        None
    )
    plot: Plot = None

    def __post_init__(self) -> None:
        check_drawing(self.plot)
        if self.plot is not None and self.task == 3:
            what = "answers of Task 3 are graded one by one and cannot be plotted"
            raise make_refusal(what, "E402", "Leave --plot out.")
        if self.task != 2:
            no_effect({"--visual-ids": self.visual_ids}, f"--task {self.task}")
        if self.task == 3:
            no_effect({"--topics-by": self.topics_by}, "--task 3")
        else:
            no_effect({"--answer-ids": self.answer_ids}, f"--task {self.task}")


def evaluate(spec: Evaluate, *, events: Sink = ignore) -> dict[str, Any]:
    """Evaluate a run against judgements.

    Returns:
        Topics (judged ones), the means over them, run_topics (their number in the run, and the means over
        those), per_topic; with `topics_by` also by (means by column and value); with `plot` also plot, the
        picture of nDCG' over the topics. Of Task 3: runs, by their names, and of each also ar, p1, judged; of
        several runs also `comparisons` of each with the first by the grades of topics that both answer: run,
        wins, losses, ties, sign_p and holm_p.

    Events:
        Warnings of repeated documents, of topics and documents that are not judged.

    Raises:
        DataError: For files that cannot be read or do not fit together.
        EngineError: E402 for answers without `answer_ids`.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> found = evaluate(Evaluate(forum / "runs" / "bm25.tsv", forum / "qrels_task1.tsv"))
    >>> found["topics"], found["ndcg_prime"]
    (12, 0.61675)
    """
    from engines.retrieval.measures import evaluate as measure

    judgements = load_qrels(spec.qrels, spec.task, events)
    if spec.task == 3:
        return _evaluate_answers(spec, judgements, events)
    ranked = load_run(spec.run, judgements, spec.qrels, spec.task, spec.visual_ids, events)
    result = measure(ranked, judgements)
    document = _build_document(result)
    if spec.topics_by is not None:
        document["by"] = _by_attribute(spec.topics_by, result, events)
    if spec.plot is not None:
        scores = {topic: row["ndcg_prime"] for topic, row in result.per_topic.items()}
        title = f"nDCG′ of {ranked.tag or spec.run.name} over {len(scores)} topics"
        write_drawing(spec.plot, draw_bars(scores, title), width=PNG_WIDTH_PX)
        document["plot"] = str(spec.plot)
    said = f"{spec.run.name}, {document['topics']} topics: " + ", ".join(
        f"{name} {document[name]:.4f}" for name in SHOWN
    )
    rows = [{"topic": topic, **row} for topic, row in document["per_topic"].items()]
    return Shown(document, lambda: rows, ("topic", *SHOWN), title=said)


def load_qrels(path: Path, task: int, events: Sink = ignore) -> Qrels:
    """Return the judgements of a file, after a warning about grades that ARQMath does not have."""
    from engines.retrieval.trec import NOT_A_GRADE, read_qrels

    qrels = read_qrels(path, task=task)
    beyond = sorted(grade for grade in qrels.distribution() if grade > 3)
    if beyond:
        hint = "; 5 and 6 are marks of Task 3, see --task" if NOT_A_GRADE & set(beyond) else ""
        warn(events, f"{path}: grades up to {beyond[-1]} are used as they are{hint}")
    return qrels


def load_run(
    path: Path, qrels: Qrels, qrels_path: Path, task: int, visual_ids: Path | None, events: Sink = ignore
) -> TrecRun:
    """Read a run ready to be evaluated: warned of, checked against the qrels' topics, visual ids applied."""
    from engines.retrieval.trec import (
        check_one_each,
        check_topics,
        read_visual_ids,
        to_visual_ids,
        warned_run,
    )

    run = warned_run(path, task, events)
    if task == 3:
        check_one_each(run, path)
    missing = check_topics(run, qrels, run_path=path, qrels_path=qrels_path)
    if missing:
        warn(events, f"{path}: {len(missing)} judged topics are not in the run; they count as 0 in the mean")
    if visual_ids is not None:
        run, unknown = to_visual_ids(run, read_visual_ids(visual_ids))
        if unknown:
            warn(events, f"{path}: {unknown:,} formulas without a visual id are left out")
    # No shared document means most likely that run and qrels are of different tasks.
    if not any(
        document in qrels.grades[topic]
        for topic, ranking in run.rankings.items()
        if topic in qrels.grades
        for document, _ in ranking
    ):
        hint = " (give visual ids with --visual-ids)" if task == 2 and visual_ids is None else ""
        what = f"none of its documents is judged in {qrels_path}; are these of the same task?{hint}"
        warn(events, f"{path}: {what}")
    return run


def _round_values(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in row.items()}


def _build_document(result: Evaluation) -> dict[str, Any]:
    return {
        "topics": len(result.per_topic),
        **_round_values(result.mean),
        "run_topics": {"topics": len(result.topics_in_run), **_round_values(result.mean_in_run)},
        "per_topic": {topic: _round_values(row) for topic, row in result.per_topic.items()},
    }


def _evaluate_answers(spec: Evaluate, qrels: Qrels, events: Sink) -> dict[str, Any]:
    """Task 3. The run may be one with answers (their ids are looked up), one with ids as documents, or the
    table of ids itself, whose runs are then all evaluated."""
    from engines.retrieval.measures import evaluate as measure
    from engines.retrieval.measures import evaluate_answers
    from engines.retrieval.trec import TrecRun

    documents: dict[str, dict[str, Any]] = {}
    grades: dict[str, Mapping[str, int]] = {}
    for tag, ids in _answer_ids(spec, events).items():
        result = evaluate_answers(ids.items(), qrels)
        if not result.grades:
            warn(events, f"{spec.run}: no answer of {tag} is judged; are these the qrels of Task 3?")
        # One answer a topic makes a run of depth one, so the measures of rankings apply as well.
        one_each = TrecRun(tag, {topic: [(document, 1.0)] for topic, document in ids.items()})
        document = _build_document(measure(one_each, qrels))
        for topic, grade in result.grades.items():
            document["per_topic"][topic]["grade"] = grade
        grades[tag] = result.grades
        figures = _round_values({"ar": result.ar, "p1": result.p1})
        documents[tag] = {**document, **figures, "judged": len(result.grades)}
    return (
        {"runs": documents, "comparisons": _compare_grades(grades)}
        if len(grades) > 1
        else {"runs": documents}
    )


def _compare_grades(grades: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    from engines.retrieval.significance import holm, sign_p

    (_, baseline), *others = grades.items()
    # Only topics that both have answered are compared.
    steps = [[own[topic] - baseline[topic] for topic in own if topic in baseline] for _, own in others]
    wins = [sum(step > 0 for step in one) for one in steps]
    losses = [sum(step < 0 for step in one) for one in steps]
    results = list(map(sign_p, wins, losses))
    rows = zip(others, steps, wins, losses, results, holm(results), strict=True)
    return [
        {"run": tag, "wins": won, "losses": lost, "ties": len(one) - won - lost, "sign_p": p, "holm_p": h}
        for (tag, _), one, won, lost, p, h in rows
    ]


def unwrap_single_run(evaluation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is printed as JSON: a single run of Task 3 without its name."""
    runs = evaluation.get("runs", {})
    return next(iter(runs.values())) if len(runs) == 1 else evaluation


def _answer_ids(spec: Evaluate, events: Sink) -> dict[str, dict[str, str]]:
    from engines.core.rows import read_lines
    from engines.retrieval.trec import check_one_each, read_answer_ids, read_answers, read_run

    path, table = spec.run, spec.answer_ids
    # The columns of the first line tell the kinds of file apart: a table of ids has three, a TREC run has Q0
    # in the second of six, and a run with answers has their text instead.
    first = next((text.split("\t") for _, text in read_lines(path) if text.strip()), [])
    if len(first) == 3:
        return read_answer_ids(path)
    if len(first) != 6 or first[1].strip() in ("Q0", "q0", "0"):
        run = read_run(path)
        check_one_each(run, path)
        return {run.tag: {topic: ranking[0][0] for topic, ranking in run.rankings.items()}}
    answers, warnings = read_answers(path)
    for warning in warnings[:5]:
        warn(events, f"{path}: {warning}")
    if table is None:
        remedy = "Name the table of run, topic and answer id with --answer-ids."
        raise EngineError("the run holds answers, and the qrels judge them by id", code="E402", remedy=remedy)
    tag = answers[0].tag
    known = read_answer_ids(table)
    if tag not in known:
        remedy = f"It names {', '.join(list(known)[:5])}; an answer that nobody judged has no grade."
        raise DataError(f"it does not name the run {tag}", path=table, code="E372", remedy=remedy)
    return {tag: {a.topic: known[tag][a.topic] for a in answers if a.topic in known[tag]}}


def _by_attribute(path: Path, result: Evaluation, events: Sink) -> dict[str, dict[str, dict[str, float]]]:
    """Means by each value of each text column of the CSV (a column with over 12 values is left out)."""
    from engines.forum.readers import read_topic_info

    info = read_topic_info(path)
    known = [topic for topic in info if topic in result.per_topic]
    missing = len(result.per_topic) - len(known)
    if missing:
        warn(events, f"{path}: {missing} judged topics are missing from it and belong to no group")
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for column in dict.fromkeys(name for row in info.values() for name in row):
        members: dict[str, list[str]] = {}
        for topic, row in info.items():
            members.setdefault(row.get(column, ""), []).append(topic)
        # A column with one value says nothing, and one with many is free text rather than a category.
        if not 2 <= len(members) <= 12:
            continue
        judged = {value: [one for one in topics if one in known] for value, topics in sorted(members.items())}
        groups[column] = {
            value: {"topics": len(topics), **_round_values(result.mean_over_topics(topics))}
            for value, topics in judged.items()
            if topics
        }
    return groups


SHOWN = ("ndcg_prime", "map_prime", "p10_prime")
"""The measures that are given of every run."""


@specification
class Compare:
    """Compare runs with the first: paired t-test and randomisation test, corrected for multiple testing.

    Each --qrels file gets its own rows; one correction covers them all.
    """

    runs: Annotated[tuple[Path, ...], Arg("The first is the baseline.", metavar="RUN RUN...")]
    qrels: Annotated[tuple[Path, ...], Arg("Judgements: topic, 0, document, grade; repeatable.", option=True)]
    task: TaskNumber = 1
    visual_ids: VisualIds = None
    measure: Annotated[str, Arg("The measure to test.")] = "ndcg_prime"
    seed: Annotated[int, Arg("Seed for the randomisation test and the intervals.", low=0)] = 0
    plot: Plot = None

    def __post_init__(self) -> None:
        from engines.retrieval.measures import MEASURES

        if len(self.runs) < 2:
            raise EngineError("one run cannot be compared", code="E406", remedy="Give two runs or more.")
        if self.measure not in MEASURES:
            remedy = f"Known: {', '.join(MEASURES)}."
            raise EngineError(f"unknown measure {self.measure!r}", code="E403", remedy=remedy)
        check_drawing(self.plot)
        if self.task != 2:
            no_effect({"--visual-ids": self.visual_ids}, f"--task {self.task}")


def compare(spec: Compare, *, events: Sink = ignore) -> dict[str, Any]:
    """Compare every run with the first.

    Returns:
        Measure, baseline, systems (run, the means, interval: 95 % of the measure's mean, by bootstrap) and
        comparisons: of each other run its `Comparison` (see `engines.retrieval.significance`), bonferroni_p
        and holm_p; of several qrels both have a row for each, which names them; with `plot` also plot, the
        picture of the differences by topic.

    Events:
        Warnings, as of `evaluate`, and of runs of unequal depth.

    Raises:
        DataError: For files that cannot be read.
        EngineError: E341 for fewer than two topics.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> runs = (forum / "runs" / "bm25.tsv", forum / "runs" / "dense.tsv")
    >>> test = compare(Compare(runs, (forum / "qrels_task1.tsv",)))["comparisons"][0]
    >>> round(test["difference"], 4), test["wins"], test["losses"]
    (0.125, 9, 3)
    """
    from engines.retrieval.significance import bonferroni, holm

    results = [_compare_by_qrels(spec, path, events) for path in spec.qrels]
    comparisons = [test for result_of_qrels in results for test in result_of_qrels.comparisons]
    # All comparisons of one call are corrected together, over several files of judgements too.
    p_values = [test["randomisation_p"] for test in comparisons]
    for test, b, h in zip(comparisons, bonferroni(p_values), holm(p_values), strict=True):
        test |= {"bonferroni_p": b, "holm_p": h}
    drawn: dict[str, Any] = {}
    if spec.plot is not None:
        panels = [panel for result_of_qrels in results for panel in result_of_qrels.panels]
        write_drawing(spec.plot, draw_differences(panels), width=PNG_WIDTH_PX)
        drawn["plot"] = str(spec.plot)
    systems = [system for result_of_qrels in results for system in result_of_qrels.systems]
    tested = {(test.get("qrels"), test["run"]): test for test in comparisons}
    title = f"{spec.measure}, each run against {spec.runs[0].name}"
    columns = (*(["qrels"] if len(spec.qrels) > 1 else []), "run", *SHOWN, "interval")
    return Shown(
        {
            "measure": spec.measure,
            "baseline": str(spec.runs[0]),
            "systems": systems,
            "comparisons": comparisons,
            **drawn,
        },
        lambda: [
            {**tested.get((row.get("qrels"), row["run"]), {}), **row, "run": Path(row["run"]).name}
            for row in systems
        ],
        (*columns, "difference", "t_p", "randomisation_p", "holm_p"),
        title=title,
    )


@dataclass(frozen=True, slots=True)
class _RunComparisons:
    """By one file of judgements; a panel of the picture has a title and differences by topic."""

    systems: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    panels: list[tuple[str, dict[str, float]]]


def _compare_by_qrels(spec: Compare, path: Path, events: Sink) -> _RunComparisons:
    from engines.retrieval.measures import evaluate
    from engines.retrieval.significance import bootstrap_interval
    from engines.retrieval.significance import compare as test
    from engines.retrieval.trec import unequal_depths

    qrels = load_qrels(path, spec.task, events)
    runs = {run: load_run(run, qrels, path, spec.task, spec.visual_ids, events) for run in spec.runs}
    # Measures of runs of unequal depth are not comparable.
    if what := unequal_depths(runs, qrels.grades):
        warn(events, what)
    results = [evaluate(runs[run], qrels) for run in spec.runs]
    values = [{topic: row[spec.measure] for topic, row in result.per_topic.items()} for result in results]
    qrels_column = {"qrels": str(path)} if len(spec.qrels) > 1 else {}
    suffix = f" by {path.name}" if qrels_column else ""
    first, *other_values = values
    return _RunComparisons(
        [
            {
                **qrels_column,
                "run": str(run),
                **{name: round(result.mean[name], 6) for name in (*SHOWN, spec.measure)},
                "interval": bootstrap_interval(list(own.values()), seed=spec.seed),
            }
            for run, result, own in zip(spec.runs, results, values, strict=True)
        ],
        [
            {**qrels_column, "run": str(run), **asdict(test(first, own, seed=spec.seed))}
            for run, own in zip(spec.runs[1:], other_values, strict=True)
        ],
        [
            (
                f"{spec.measure} of {run.name} less {spec.runs[0].name}{suffix}, {len(own)} topics",
                {topic: own[topic] - first[topic] for topic in own if topic in first},
            )
            for run, own in zip(spec.runs[1:], other_values, strict=True)
        ],
    )
