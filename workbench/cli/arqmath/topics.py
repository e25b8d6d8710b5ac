"""`mathwb arqmath topics|show|post|judgements`: what the ARQMath screen shows, without the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.errors import EngineError
from engines.core.events import ignore, never
from workbench.cli.common import Json, emit, say, table

__all__ = ["judgements", "post", "show", "topics"]

SHOWN = 50

Folder = Annotated[
    str, typer.Argument(help="A collection's folder, or its name in the workspace.", show_default=False)
]
RunOption = Annotated[
    str, typer.Option("--run", help="Name of a run, or a run file.  [default: the last]", show_default=False)
]
AgainstOption = Annotated[
    str,
    typer.Option(
        "--against", help="The run that it is held against.  [default: the first]", show_default=False
    ),
]


def topics(folder: Folder, run: RunOption = "", against: AgainstOption = "", as_json: Json = False) -> None:
    """Print the topics with a run's nDCG', the difference from another run, and the means of all runs."""
    params, found = _overview(folder, run, against)
    run, against = _chosen(found, params, run, against)
    for problem in found["problems"]:
        say(problem)
    emit({**found, "run": run, "against": against}, as_json, text=_topic_lines(found, run, against))


def show(
    folder: Folder,
    topic: Annotated[str, typer.Argument(help="A topic's id, like A.301.", show_default=False)],
    run: RunOption = "",
    against: AgainstOption = "",
    depth: Annotated[int, typer.Option("-k", "--depth", min=1, help="Answers to print.")] = SHOWN,
    written: Annotated[bool, typer.Option("--written", help="The answers of Task 3 instead.")] = False,
    as_json: Json = False,
) -> None:
    """Print a topic's ranking: rank, move against another run, grade, gain, score, rank in every run."""
    from engines.arqmath.rankings import answer_rows
    from workbench.tasks import arqmath

    params, overview = _overview(folder, run, against)
    run, against = _chosen(overview, params, run, against)
    found = arqmath.ranking({**params, "topic": topic}, events=ignore, stop=never)
    if written:
        emit(found["answers"], as_json, text=_written_lines(found["answers"]))
        return
    rows = answer_rows(found, run, against)
    named = {name: found[name] for name in ("topic", "title", "question", "tags", "info")}
    document = {**named, "run": run, "against": against, "answers": rows}
    emit(document, as_json, text=_ranking_lines(found, rows, run, against, depth))


def post(
    folder: Folder,
    id: Annotated[str, typer.Argument(help="The post's id.", show_default=False)],
    latex: Annotated[bool, typer.Option("--latex", help="Formulas as LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Print a post with its formulas written for a terminal, and the question that it answers."""
    from workbench.tasks import arqmath

    found = arqmath.post({**_params(folder), "id": id}, events=ignore, stop=never)
    emit(found, as_json, text=_post_lines(found, latex))


def judgements(
    name: Folder,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write them there as qrels.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Print your own judgements of a collection's answers as qrels; they are apart from the official ones."""
    from dataclasses import asdict

    from workbench.collections import find_collection
    from workbench.workspace import Workspace

    own = find_collection(Workspace.open(create=False), name).judgements()
    for problem in own.problems:
        say(str(problem))
    if not len(own):
        say(f"{name} has no judgements of yours; judge answers on its screen")
    if out is not None:
        own.write_qrels(out)
        say(f"{len(own):,} judgements written to {out}")
    if out is None or as_json:
        # Spaces, since a tab would be printed as what it is written with; every reader of qrels takes both.
        lines = [line.replace("\t", " ") for line in own.qrels()]
        emit([asdict(one) for one in own.all()], as_json, text=lines)


# What the commands share


def _params(folder: str) -> dict[str, Any]:
    """What the tasks are told: of a collection of the workspace also its index and the runs added to it."""
    from workbench.collections import find_collection
    from workbench.workspace import Workspace

    try:
        known = find_collection(Workspace.open(create=False), folder)
    except EngineError:
        if not Path(folder).expanduser().exists():
            raise
        return {"folder": folder}
    return {
        "folder": str(known.path),
        "index": str(known.index),
        "added": [str(path) for path in known.added_runs()],
    }


def _overview(folder: str, *runs: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a collection; runs that are files are read with it."""
    from workbench.tasks import arqmath

    params = _params(folder)
    files = [str(Path(run)) for run in runs if run and Path(run).is_file()]
    params["added"] = [*params.get("added", ()), *files]
    return params, arqmath.overview(params, events=ignore, stop=never)


def _chosen(
    overview: Mapping[str, Any], params: Mapping[str, Any], run: str, against: str
) -> tuple[str, str]:
    """The names of the two runs, as the screen chooses them unless told."""
    by_path = {one["path"]: one["name"] for one in overview["runs"]}
    names = list(by_path.values())

    def name(wanted: str) -> str:
        found = by_path.get(str(Path(wanted)), wanted)
        if found not in names:
            from workbench.errors import UsageError, did_you_mean

            remedy = did_you_mean(wanted, names) or f"Runs: {', '.join(names) or 'none'}."
            raise UsageError(
                f"there is no run {wanted!r}", where=str(params["folder"]), code="E433", remedy=remedy
            )
        return found

    shown = name(run) if run else names[-1] if names else ""
    others = [one for one in names if one != shown]
    return shown, name(against) if against else others[0] if others else ""


def _topic_lines(found: Mapping[str, Any], run: str, against: str) -> Iterator[str]:
    means = [
        [
            one["name"],
            *(_figure(one.get(name)) for name in ("ndcg_prime", "map_prime", "p10_prime")),
            one["judged_topics"],
            "{:.3f} to {:.3f}".format(*one["interval"]) if one["interval"] else "",
        ]
        for one in found["runs"]
    ]
    yield from table(("run", "nDCG'", "mAP'", "P'@10", "judged topics", "95 % of nDCG'"), means)
    yield ""
    rows = []
    for topic in found["topics"]:
        here, there = topic["ndcg"].get(run), topic["ndcg"].get(against)
        difference = f"{here - there:+.4f}" if here is not None and there is not None else ""
        judged = sum(topic["grades"] or ())
        rows.append([topic["id"], _figure(here), difference, topic["kind"], judged, topic["shown"]])
    yield from table(("topic", run or "nDCG'", f"against {against}", "kind", "judged", "title"), rows)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _ranking_lines(
    found: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], run: str, against: str, depth: int
) -> Iterator[str]:
    yield f"{found['topic']}  {found['shown']['title']}"
    yield ""
    yield from found["shown"]["question"].splitlines()
    yield ""
    lines = []
    for row in rows[:depth]:
        others = " ".join(f"{name}:{rank}" for name, rank in row["ranks"].items() if name != run)
        change = "" if row["change"] is None else f"{row['change']:+.2f}"
        gain = "" if row["gain"] is None else f"{row['gain']:.2f}"
        score = "" if row["score"] is None else f"{row['score']:.6g}"
        grade = "" if row["grade"] is None else row["grade"]
        lines.append([row["rank"] or "-", _move(row), row["id"], grade, gain, change, score, others])
    yield from table(
        (run, f"against {against}", "answer", "grade", "gain", "+-gain", "score", "ranks"), lines
    )
    if len(rows) > depth:
        yield f"{depth:,} of {len(rows):,} shown; -k shows more"


def _move(row: Mapping[str, Any]) -> str:
    if row["rank"] is None:
        return "out" if row["other"] is not None else "in neither"
    if row["change"] is None and row["other"] is None:
        return ""
    return "new" if row["move"] is None else f"{row['move']:+d}" if row["move"] else "="


def _written_lines(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for answer in answers:
        grade = "unjudged" if answer["grade"] is None else f"grade {answer['grade']}"
        yield f"{answer['run']}  {grade}  {len(answer['text'])} characters"
        yield from (f"  {line}" for line in answer["shown"].splitlines())
        yield ""


def _post_lines(found: Mapping[str, Any], latex: bool) -> Iterator[str]:
    text = "latex" if latex else "text"
    title = "latex_title" if latex else "title"
    question = found["question"]
    yield f"{'question' if found['kind'] == 1 else 'answer'} {found['id']}"
    if question is None and found["title"]:
        yield found[title]
    if found["tags"]:
        yield f"tags {', '.join(found['tags'])}"
    yield ""
    yield from found[text].splitlines()
    if question is not None:
        yield ""
        yield f"question it answers: {question['id']}  {question[title]}"
        yield ""
        yield from question[text].splitlines()
