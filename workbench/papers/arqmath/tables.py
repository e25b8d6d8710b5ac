"""ARQMath's results as rows, and as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.text import make_printable
from workbench.operations import ResultDocument
from workbench.tables import (
    Column,
    HintLine,
    TableSpec,
    align_rows,
    filter_columns,
    format_interval,
    format_measure,
)

if TYPE_CHECKING:
    from engines.arqmath.collection.posts import ShowPost
    from engines.arqmath.ranking.evaluate import Compare, Evaluate
    from engines.arqmath.ranking.overview import DrawRun, ListTopics, ShowTopic
    from engines.arqmath.ranking.search import Search
    from workbench.papers.arqmath.data import OwnJudgements, UserJudgement


AnswerAddress = Callable[[ResultDocument], str]


def topic_row(topic: ResultDocument, run: str, against: str, title: str = "shown") -> dict[str, Any]:
    """Make the row of a topic: how a run does on it, compared with another run.

    Args:
        topic: The topic.
        run: The name of the run.
        against: The name of the run to compare with.
        title: Which form of the topic's title.
    """
    ndcg, before = topic["ndcg"].get(run), topic["ndcg"].get(against)
    info = {name.casefold(): value.casefold() for name, value in topic["info"].items()}
    grades = topic["grades"] or ()
    row = {"id": topic["id"], "topic": topic["id"], "title": topic[title], "kind": topic["kind"]}
    delta = ndcg - before if ndcg is not None and before is not None else None
    row |= {"ndcg": ndcg, "before": before, "delta": delta, "run": list(topic["judged"])}
    row |= {"judged": sum(grades), "relevant": sum(grades[2:])}
    return row | {name: info.get(name, "") for name in ("difficulty", "category")}


def _answer_row(answer: ResultDocument, ranking: Any) -> ResultDocument:
    run = ranking["run"] if isinstance(ranking, Mapping) else None
    others = (f"{name}:{rank}" for name, rank in answer.get("ranks", {}).items() if name != run)
    return {**answer, "id": answer.get("id", answer.get("run")), "ranks": " ".join(others)}


def hit_row(hit: ResultDocument, _found: object = None) -> ResultDocument:
    """Make the row of a hit of a search."""
    first, again = hit.get("first", hit["rank"]), hit.get("probability")
    return {**hit, "first": first, "again": again, "answer": hit["snippet"]}


def _format_move(row: ResultDocument) -> str:
    if row["rank"] is None:
        return "out" if row["other"] is not None else "in neither"
    if row["change"] is None and row["other"] is None:
        return ""
    return "new" if row["move"] is None else f"{row['move']:+d}" if row["move"] else "="


def _move_sort_key(row: ResultDocument) -> float | None:
    """To sort by: what fell out fell farthest, what came in rose farthest."""
    if row["rank"] is None:
        return -(10.0**9) if row["other"] is not None else None
    return row["move"] if row["move"] is not None else 10.0**9


_NDCG = Column("ndcg", "nDCG′", 5, "right", format=".4f")
_DELTA = Column("delta", "delta", 5, "right", format="+.4f")
_SCORE = Column("score", "score", 8, "point", format=".6g", drop=2)
_ROOMY = 56
"""Cells of a list of answers from which on there is room for more than ranks, grades and texts."""

TOPICS = TableSpec(
    (
        Column("topic", "topic", 6),
        _NDCG,
        _DELTA,
        Column("kind", "kind", 5, drop=1),
        Column("judged", "judged", 6, "right", on="text csv tex", unit="answers"),
        Column("relevant", "relevant", 8, "right", on="csv tex", unit="answers"),
        Column("title", "title", drop=2),
        *filter_columns("difficulty category run"),
    ),
    lambda topic, overview: topic_row(topic, overview["run"], overview["against"]),
)
ANSWERS = TableSpec(
    (
        Column("rank", "rank", 4, "right", format=lambda row: row["rank"] or "-"),
        *filter_columns("other", "csv tex"),
        Column("move", "move", 4, on="screen text", format=_format_move, sort=_move_sort_key),
        Column("id", "id", 8, on="text csv tex"),
        Column("grade", "grade", 5),
        Column("gain", "gain", 4, "right", format=".2f", room=_ROOMY),
        Column("change", "change", 6, "right", format="+.2f", drop=1, room=_ROOMY),
        replace(_SCORE, room=_ROOMY),
        Column("ranks", "ranks", 20, on="text", unfiltered="they belong to other runs"),
    ),
    _answer_row,
)
HITS = TableSpec(
    (
        Column("rank", "", 4, "right", on="text"),
        Column("first", "first", 5, "right"),
        Column("again", "again", 5, "right", format=".4f", drop=1),
        replace(_SCORE, format=".4f"),
        Column("id", "id", 8, on="text csv tex"),
        Column("title", "title", on="text"),
        Column("answer", "answer", on="screen csv tex"),
    ),
    hit_row,
)


def topic_address(spec: Any) -> AnswerAddress:
    """Return the function that gives the note address of a topic."""
    from workbench.papers.arqmath.data import name_of

    home = f"arqmath/{name_of(spec.folder)}/topic"
    return lambda topic: f"{home}/{topic['id']}"


def answer_address(spec: Any) -> AnswerAddress:
    """Return the function that gives the note address of an answer to a topic."""
    from workbench.papers.arqmath.data import name_of

    home = f"arqmath/{name_of(spec.folder)}/topic/{spec.topic}"
    return lambda answer: f"{home}/written/{answer['run']}" if spec.written else f"{home}/post/{answer['id']}"


def hit_address(spec: Any) -> AnswerAddress:
    """Return the function that gives the note address of a hit."""
    from workbench.papers.arqmath.data import name_of

    home = f"arqmath/{name_of(spec.index)}/post"
    return lambda hit: f"{home}/{hit['id']}"


_MEASURES = ("ndcg_prime", "map_prime", "p10_prime")
_EVALUATED = (*_MEASURES, "bpref", "mrr")
_HEADS = {
    "ndcg_prime": "nDCG'",
    "map_prime": "mAP'",
    "p10_prime": "P'@10",
    "p5_prime": "P'@5",
    "ndcg10_prime": "nDCG'@10",
    "bpref": "bpref",
    "mrr": "MRR",
}


def index(built: ResultDocument, _spec: object) -> list[str]:
    """Return the lines that `mathwb arqmath index` prints."""
    if not built["complete"]:
        return ["stopped; the same command continues"]
    if "share" in built:
        parts = ", ".join(f"{count:,} of {name}" for name, count in built["share"].items())
        return [f"parts of this share: {parts}; when all shares are done, run the command without --share"]
    counts, lexical, dense = built["counts"], built["lexical"], built["dense"]
    lines = [
        f"{built['documents']:,} answers to {counts['questions']:,} questions in {built['out']}",
        f"lexical: {lexical['terms']:,} terms, {lexical['mean_terms']:.0f} in an answer; BM25 with "
        f"k1 {lexical['bm25']['k1']:g}, b {lexical['bm25']['b']:g}",
    ]
    if dense:
        lines.append(f"dense: {built['encoder']['name']}, {dense['kind']}: {dense['reason']}")
    if built["sparse"]:
        lines.append(f"sparse: {built['sparse']['postings'] / built['documents']:.0f} terms in an answer")
    if built["structure"]:
        lines.append(
            f"structure: {built['structure']['postings'] / built['documents']:.0f} terms in an answer"
        )
    if counts["left_out"]:
        lines.append(f"rows that could not be read: {counts['left_out']:,}")
    return lines


def describe_export(made: ResultDocument, _spec: object) -> list[str]:
    """Return the lines that `mathwb arqmath export` prints."""
    return [f"{made['documents']:,} documents in {made['out']}"]


def search(result: ResultDocument, spec: Search) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath search` prints."""
    hits = result["hits"]
    what = "part of a formula" if result["how"] == "structure" else "word or symbol"
    none = f"nothing found: no answer has a {what} of the query"
    if hits and not result["matched"]:
        yield HintLine(
            f"no answer has a word or symbol of the query; these are the nearest by {result['how']}"
        )
    without = () if spec.model is not None else ("first", "again")
    header, *lines = HITS.text_lines(hits, without=without, none=none)
    yield header
    for line, hit in zip(lines, hits, strict=True):
        yield line
        yield f"      {hit['snippet']}"


def rank(result: ResultDocument, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath rank` prints."""
    if not result["complete"]:
        yield "stopped; finished topics are saved, and the same command continues"
    else:
        yield f"{result['documents']:,} answers to {result['topics']:,} topics in {result['run']}"
    if "pairs" in result:
        long = "too long and cut"
        if "max_tokens" in result:
            long = f"longer than {result['max_tokens']:,} tokens and cut, the longer side first"
        yield (
            f"{result['pairs']:,} pairs scored, {result['pairs_per_s']:.1f}/s; "
            f"{result['truncated_share']:.1%} were {long}"
        )
    if result.get("first") and 0 < result["weight"] < 1:
        yield f"weight of the model against the first stage: {result['weight']:g}"
    if "recall" in result:
        shares = ", ".join(f"{at}: {share:.3f}" for at, share in result["recall"].items())
        yield f"recall of the first stage ({result['first']}), grade 2 and more, at {shares}"


def tune(result: ResultDocument, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath tune` prints."""
    if not result["complete"]:
        yield "stopped; nothing was chosen"
        return
    on = f"chosen on {result['tuned_on']} others" if "tuned_on" in result else f"{result['folds']} folds"
    heads = ["system", "nDCG'", "95 %", "against", "difference", "95 %", "p", "Holm"]
    rows = []
    for row in result["systems"]:
        cells = [row["system"], f"{row['ndcg_prime']:.4f}", format_interval(row["interval"])]
        if "against" in row:
            difference = format_interval(row["difference_interval"], "+.3f")
            cells += [row["against"], f"{row['difference']:+.4f}", difference]
            cells += [f"{row[name]:.4f}" for name in ("randomisation_p", "holm_p")]
        rows.append(cells + [""] * (len(heads) - len(cells)))
    yield f"{result['topics']} topics, {on}"
    yield from align_rows(heads, rows)
    for row in result["systems"]:
        kinds = Counter(row.get("chosen", ()))
        if kinds:
            times = "; ".join(f"{name} ({count}x)" if count > 1 else name for name, count in kinds.items())
            yield f"{row['system']}: {times}"


def generate(made: ResultDocument, _spec: object) -> list[str]:
    """Return the lines that `mathwb arqmath generate` prints."""
    if not made["complete"]:
        return [f"stopped after {made['answers']:,} of {made['topics']:,} topics; the same command continues"]
    checked = [f"{one['topic']}  {_describe_verdicts(one)}" for one in made["checked"] if one["verdicts"]]
    return [f"{made['answers']:,} answers to {made['topics']:,} topics in {made['out']}", *checked]


def evaluate(result: ResultDocument, spec: Evaluate) -> list[str]:
    """Return the lines that `mathwb arqmath eval` prints."""
    if spec.task == 3:
        return _task3_lines(result)
    own = result["run_topics"]
    rows: list[list[object]] = [
        ["all judged", result["topics"], *_format_measures(result)],
        ["of the run", own["topics"], *_format_measures(own)],
    ]
    for attribute, groups in result.get("by", {}).items():
        rows += [
            [f"{attribute} {value}", row["topics"], *_format_measures(row)] for value, row in groups.items()
        ]
    return [*align_rows(["topics", "n", *(_HEADS[name] for name in _EVALUATED)], rows), *_plot_line(result)]


def _plot_line(result: ResultDocument) -> list[str]:
    return [f"by topic: {result['plot']}"] if "plot" in result else []


def _task3_lines(result: ResultDocument) -> list[str]:
    """Runs of Task 3; where there are several, what the sign test says of each beside the first."""
    tests: dict[str, ResultDocument] = {test["run"]: test for test in result.get("comparisons", ())}
    head = ["run", "judged", "AR", "P@1", *(["better", "worse", "sign test", "Holm"] if tests else [])]
    rows = []
    for name, one in result["runs"].items():
        test = tests.get(name)
        against = (
            [test["wins"], test["losses"], f"{test['sign_p']:.4f}", f"{test['holm_p']:.4f}"] if test else []
        )
        blank = [""] * (len(head) - 4 - len(against))
        rows.append([name, one["judged"], f"{one['ar']:.4f}", f"{one['p1']:.4f}", *against, *blank])
    return align_rows(head, rows)


def _format_measures(row: ResultDocument) -> list[str]:
    return [format_measure(row.get(name)) for name in _EVALUATED]


def compare(result: ResultDocument, spec: Compare) -> list[str]:
    """Return the lines that `mathwb arqmath compare` prints."""
    measures = list(dict.fromkeys((*_MEASURES, spec.measure)))
    header = [
        *(["judgements"] if len(spec.qrels) > 1 else []),
        "run",
        *(_HEADS[name] for name in measures),
        f"95 % of {_HEADS[spec.measure]}",
        *("difference", "t-test", "randomisation", "Holm"),
    ]
    rows = []
    tests = {(test.get("qrels"), test["run"]): test for test in result["comparisons"]}
    for system in result["systems"]:
        test = tests.get((system.get("qrels"), system["run"]))
        by = [Path(system["qrels"]).name] if "qrels" in system else []
        tested = ["", "", "", ""]
        if test is not None:
            tested = [f"{test['difference']:+.4f}", f"{test['t_p']:.4f}"]
            tested += [f"{test['randomisation_p']:.4f}", f"{test['holm_p']:.4f}"]
        means = [f"{system[name]:.4f}" for name in measures]
        rows.append([*by, Path(system["run"]).name, *means, format_interval(system["interval"]), *tested])
    return [*align_rows(header, rows), *_plot_line(result)]


def topics(result: ResultDocument, _spec: ListTopics) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath topics` prints."""
    run, against = result["run"], result["against"]
    means = [
        [
            one["name"],
            *(format_measure(one.get(name)) for name in _MEASURES),
            one["judged_topics"],
            format_interval(one["interval"]) if one["interval"] else "",
        ]
        for one in result["runs"]
    ]
    yield from align_rows(("run", "nDCG'", "mAP'", "P'@10", "judged topics", "95 % of nDCG'"), means)
    yield ""
    yield from TOPICS.text_lines(result["topics"], result, ndcg=run or "nDCG'", delta=f"against {against}")


def show(result: Any, spec: ShowTopic) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath show` prints."""
    from engines.formula.unicode import render_text

    if spec.written:
        yield from _written_answers(result)
        return
    run, rows = result["run"], result["answers"]
    yield f"{result['topic']}  {render_text(result['title'])}"
    yield ""
    yield from render_text(result["question"]).splitlines()
    yield ""
    yield from ANSWERS.text_lines(
        rows, result, most=spec.depth, rank=run, move=f"against {result['against']}"
    )


def _describe_verdicts(answer: ResultDocument) -> str:
    """`2 right, 1 wrong: 1 + 1 = 3 (2 and 3)`."""
    counts = ", ".join(f"{many:,} {verdict}" for verdict, many in answer["verdicts"].items())
    wrong = "; ".join(f"{one['link']} ({one['reason']})" for one in answer["wrong"])
    return make_printable(f"{counts or 'no links'}{': ' if wrong else ''}{wrong}")


def _written_answers(answers: Sequence[ResultDocument]) -> Iterator[str]:
    for answer in answers:
        grade = "unjudged" if answer["grade"] is None else f"grade {answer['grade']}"
        yield f"{answer['run']}  {grade}  {len(answer['text'])} characters  {_describe_verdicts(answer)}"
        yield from (f"  {line}" for line in answer["shown"].splitlines())
        yield ""


def post(result: ResultDocument, spec: ShowPost) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath post` prints."""
    text, title = ("latex", "latex_title") if spec.latex else ("text", "title")
    question = result["question"]
    yield f"{'question' if result['kind'] == 1 else 'answer'} {result['id']}"
    if question is None and result["title"]:
        yield result[title]
    if result["tags"]:
        yield f"tags {', '.join(result['tags'])}"
    yield ""
    yield from result[text].splitlines()
    if question is not None:
        yield ""
        yield f"question it answers: {question['id']}  {question[title]}"
        yield ""
        yield from question[text].splitlines()


def judgements(own: Sequence[UserJudgement], spec: OwnJudgements) -> Iterator[str]:
    """Yield the lines that `mathwb arqmath judgements` prints."""
    if spec.out is None:
        # Spaces, since a tab would be printed as what it is written with; every reader of qrels takes both.
        yield from (f"{one.topic} 0 {one.document} {one.grade}" for one in own)


def pairs(result: ResultDocument, _spec: object) -> list[str]:
    """Return the lines that `mathwb arqmath pairs` prints."""
    counts = {
        name.replace("_", " "): n for name, n in result.items() if isinstance(n, int) and name != "seed"
    }
    if isinstance(result["left_out"], Mapping):  # by reason
        counts |= {name: n for name, n in result["left_out"].items() if n}
    return [*align_rows(("", "count"), counts.items()), f"written to {result['out']}"]


pretrain_data = pairs


def backbone(made: ResultDocument, _spec: object) -> list[str]:
    """Return the lines that `mathwb arqmath backbone` prints."""
    return [
        f"{made['out']}: {made['family']} without weights, {made['vocabulary']:,} tokens in its vocabulary"
    ]


def picture(made: ResultDocument, _spec: DrawRun) -> list[str]:
    """Return the lines of the picture."""
    return made["svg"].splitlines()
