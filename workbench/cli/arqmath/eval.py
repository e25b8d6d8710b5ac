"""`mathwb arqmath eval RUN --qrels QRELS`: the prime measures of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli.common import Json, emit, say, table

if TYPE_CHECKING:
    from engines.retrieval.measures import Evaluation
    from engines.retrieval.qrels import Qrels
    from engines.retrieval.run import Run

__all__ = ["evaluate_run", "load_run"]

SHOWN = ("ndcg_prime", "map_prime", "p10_prime")

QrelsOption = Annotated[Path, typer.Option("--qrels", help="Judgements: topic, 0, document, grade.")]
TaskOption = Annotated[
    int, typer.Option("--task", min=1, max=3, help="1 answers, 2 formulas, 3 free answers.")
]
VisualIds = Annotated[
    Path | None,
    typer.Option("--visual-ids", help="Task 2: TSV of formula id and visual id of the qrels' version."),
]


def evaluate_run(
    run: Annotated[Path, typer.Argument(help="TREC or ARQMath run, plain or gzip.", metavar="RUN")],
    qrels: QrelsOption,
    task: TaskOption = 1,
    visual_ids: VisualIds = None,
    topics_by: Annotated[
        Path | None,
        typer.Option("--topics-by", help="CSV of topic attributes: the means by each value are added."),
    ] = None,
    answer_ids: Annotated[
        Path | None,
        typer.Option("--answer-ids", help="Task 3: TSV of run, topic and the answer's id in the qrels."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Evaluate a run by nDCG', mAP' and P'@10 (task 3: also AR and P@1).

    The means divide by all judged topics; `run_topics` holds those over the topics of the run. AR and P@1 are
    over the answers that are judged.
    """
    from engines.retrieval.measures import evaluate
    from engines.retrieval.qrels import read_qrels

    judgements = read_qrels(qrels)
    if task == 3:
        _answers(run, judgements, answer_ids, as_json)
        return
    ranked = load_run(run, judgements, qrels, task, visual_ids)
    result = evaluate(ranked, judgements)
    document = _document(result)
    rows: list[list[object]] = [
        ["all judged", len(result.per_topic), *_figures(result.mean)],
        ["of the run", len(result.run_topics), *_figures(result.run_mean)],
    ]
    if topics_by is not None:
        document["by"] = _by_attribute(topics_by, result)
        for attribute, groups in document["by"].items():
            rows += [[f"{attribute} {value}", row["topics"], *_figures(row)] for value, row in groups.items()]
    emit(document, as_json, text=table(["topics", "n", "nDCG'", "mAP'", "P'@10", "bpref", "MRR"], rows))


def _document(result: Evaluation) -> dict[str, Any]:
    """The contract of `--json`."""
    return {
        "topics": len(result.per_topic),
        **_round(result.mean),
        "run_topics": {"topics": len(result.run_topics), **_round(result.run_mean)},
        "per_topic": {topic: _round(row) for topic, row in result.per_topic.items()},
    }


def load_run(path: Path, qrels: Qrels, qrels_path: Path, task: int, visual_ids: Path | None) -> Run:
    """Read a run ready to be evaluated: warned of, checked against the qrels' topics, visual ids applied."""
    from engines.retrieval.qrels import check_topics, read_visual_ids, to_visual_ids
    from engines.retrieval.run import read_run

    run = read_run(path, task=task)
    for warning in run.warnings[:5]:
        say(f"{path}: {warning}")
    if len(run.warnings) > 5:
        say(f"{path}: {len(run.warnings):,} duplicates in all; of each the best score was kept")
    missing = check_topics(run, qrels, run_path=path, qrels_path=qrels_path)
    if missing:
        say(f"{path}: {len(missing)} judged topics are not in the run; they count as 0 in the mean")
    if visual_ids is not None:
        run, unknown = to_visual_ids(run, read_visual_ids(visual_ids))
        if unknown:
            say(f"{path}: {unknown:,} formulas without visual id left out")
    if not any(
        document in qrels.grades[topic]
        for topic, ranking in run.rankings.items()
        if topic in qrels.grades
        for document, _ in ranking
    ):
        hint = " (visual ids are named with --visual-ids)" if task == 2 and visual_ids is None else ""
        say(f"{path}: none of its documents is judged in {qrels_path}; are these of the same task?{hint}")
    return run


def _answers(path: Path, qrels: Qrels, answer_ids: Path | None, as_json: bool) -> None:
    """Task 3. RUN may be a run with answers (its ids are looked up), one with ids as documents, or the table
    of ids itself, whose runs are then all evaluated."""
    from engines.retrieval.measures import evaluate, evaluate_answers
    from engines.retrieval.run import Run

    given = _answer_ids(path, answer_ids)
    results = {tag: evaluate_answers(ids.items(), qrels) for tag, ids in given.items()}
    documents: dict[str, dict[str, Any]] = {}
    for tag, found in results.items():
        if not found.grades:
            say(f"{path}: no answer of {tag} is judged; are these the qrels of Task 3?")
        one_each = Run(tag, {topic: [(document, 1.0)] for topic, document in given[tag].items()})
        document = _document(evaluate(one_each, qrels))
        for topic, grade in found.grades.items():
            document["per_topic"][topic]["grade"] = grade
        documents[tag] = {**document, **_round({"ar": found.ar, "p1": found.p1}), "judged": len(found.grades)}
    whole = next(iter(documents.values())) if len(documents) == 1 else {"runs": documents}
    rows = [(tag, len(found.grades), f"{found.ar:.4f}", f"{found.p1:.4f}") for tag, found in results.items()]
    emit(whole, as_json, text=table(("run", "judged", "AR", "P@1"), rows))


def _answer_ids(path: Path, answer_ids: Path | None) -> dict[str, dict[str, str]]:
    """The document that each run of the file gave to each topic."""
    from engines.core.files import read_lines
    from engines.retrieval.run import read_answer_ids, read_answers, read_run
    from workbench.errors import UsageError

    first = next((text.split("\t") for _, text in read_lines(path) if text.strip()), [])
    if len(first) == 3:
        return read_answer_ids(path)
    if len(first) != 6 or first[1].strip() in ("Q0", "q0", "0"):
        run = read_run(path)
        return {run.tag: {topic: ranking[0][0] for topic, ranking in run.rankings.items()}}
    answers, warnings = read_answers(path)
    for warning in warnings[:5]:
        say(f"{path}: {warning}")
    if answer_ids is None:
        raise UsageError(
            "the run holds answers, and the qrels judge them by id",
            code="E402",
            remedy="Name the table of run, topic and answer id with --answer-ids.",
        )
    tag = answers[0].tag
    known = read_answer_ids(answer_ids)
    if tag not in known:
        raise UsageError(
            f"{answer_ids} does not name the run {tag}",
            code="E402",
            remedy=f"It names {', '.join(list(known)[:5])}; an answer that nobody judged has no grade.",
        )
    return {tag: {a.topic: known[tag][a.topic] for a in answers if a.topic in known[tag]}}


def _round(row: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in row.items()}


def _figures(row: Mapping[str, float]) -> list[str]:
    return [f"{row[name]:.4f}" if name in row else "" for name in (*SHOWN, "bpref", "mrr")]


def _by_attribute(path: Path, result: Evaluation) -> dict[str, dict[str, dict[str, float]]]:
    """Means by each value of each text column of the CSV (a column with over 12 values is left out)."""
    from engines.arqmath.collection import read_topic_info

    info = read_topic_info(path)
    known = [topic for topic in info if topic in result.per_topic]
    missing = len(result.per_topic) - len(known)
    if missing:
        say(f"{path}: {missing} judged topics are not in it and in none of its groups")
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for column in dict.fromkeys(name for row in info.values() for name in row):
        members: dict[str, list[str]] = {}
        for topic, row in info.items():
            members.setdefault(row.get(column, ""), []).append(topic)
        if not 2 <= len(members) <= 12:
            continue
        judged = {value: [one for one in topics if one in known] for value, topics in sorted(members.items())}
        groups[column] = {
            value: {"topics": len(topics), **_round(result.over(topics))}
            for value, topics in judged.items()
            if topics
        }
    return groups
