"""ARQMath's results as rows, and as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.command import table

if TYPE_CHECKING:
    from engines.arqmath.collection.lookup import Post
    from engines.arqmath.ranking.evaluate import Compare, Evaluate
    from engines.arqmath.ranking.overview import Picture, Show, Topics
    from engines.arqmath.ranking.search import Search
    from engines.arqmath.training.data_files import DrawPairs, PretrainData
    from workbench.papers.arqmath.judgements import Judgement, OwnJudgements


TOPIC_FIELDS = (
    *("topic", "title", "ndcg", "delta", "kind", "difficulty", "category", "judged", "relevant", "run"),
)
ANSWER_FIELDS = ("id", "rank", "other", "move", "grade", "gain", "change", "score")
HIT_FIELDS = ("id", "first", "score", "again", "title", "answer")

Found = Mapping[str, Any]
Address = Callable[[Found], str]


def topic_rows(overview: Found, run: str, against: str, *, title: str = "shown") -> list[dict[str, Any]]:
    """The topics as one run does on them, held against another; `title`: which form of it."""
    return [_topic(topic, run, against, title) for topic in overview["topics"]]


def topic_row(topic: Found, overview: Found) -> Found:
    """A topic of what `arqmath topics` found."""
    return _topic(topic, overview["run"], overview["against"], "shown")


def _topic(topic: Found, run: str, against: str, title: str) -> dict[str, Any]:
    ndcg, before = topic["ndcg"].get(run), topic["ndcg"].get(against)
    info = {name.casefold(): value.casefold() for name, value in topic["info"].items()}
    grades = topic["grades"] or ()
    row = {"id": topic["id"], "topic": topic["id"], "title": topic[title], "kind": topic["kind"]}
    delta = ndcg - before if ndcg is not None and before is not None else None
    row |= {"ndcg": ndcg, "before": before, "delta": delta, "run": list(topic["judged"])}
    row |= {"judged": sum(grades), "relevant": sum(grades[2:])}
    return row | {name: info.get(name, "") for name in ("difficulty", "category")}


def answer_row(answer: Found, _ranking: Found) -> Found:
    """An answer of a ranking; one that was written (Task 3) by the run that wrote it."""
    return {**answer, "id": answer.get("id", answer.get("run"))}


def hit_row(hit: Found, _found: Found) -> Found:
    """What a search found."""
    return {
        **hit,
        "first": hit.get("first", hit["rank"]),
        "again": hit.get("probability"),
        "answer": hit["snippet"],
    }


def topic_address(spec: Any) -> Address:
    """Where notes on topics are kept."""
    from workbench.papers.arqmath.data import name_of

    home = f"arqmath/{name_of(spec.folder)}/topic"
    return lambda topic: f"{home}/{topic['id']}"


def answer_address(spec: Any) -> Address:
    """Where notes on the answers to a topic are kept."""
    from workbench.papers.arqmath.data import name_of

    home = f"arqmath/{name_of(spec.folder)}/topic/{spec.topic}"
    return lambda answer: f"{home}/written/{answer['run']}" if spec.written else f"{home}/post/{answer['id']}"


def hit_address(spec: Any) -> Address:
    """Where notes on posts that were found are kept."""
    from workbench.papers.arqmath.data import name_of

    home = f"arqmath/{name_of(spec.index)}/post"
    return lambda hit: f"{home}/{hit['id']}"


_MEASURES = ("ndcg_prime", "map_prime", "p10_prime")


def index(built: Found, _spec: object) -> list[str]:
    """What was indexed."""
    if not built["complete"]:
        return ["stopped; the same command goes on"]
    if "share" in built:
        parts = ", ".join(f"{count:,} of {name}" for name, count in built["share"].items())
        return [f"parts of this share: {parts}; when all shares are there, the command without --share"]
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


def exported(made: Found, _spec: object) -> list[str]:
    """How many documents were written."""
    return [f"{made['documents']:,} documents in {made['out']}"]


def search(found: Found, spec: Search) -> Iterator[str]:
    """The answers, each with its snippet."""
    hits = found["hits"]
    if not hits:
        what = "part of a formula" if found["how"] == "structure" else "word or symbol"
        yield f"nothing found: no answer has a {what} of the query"
        return
    again = ["first", "P"] if spec.model is not None else []
    rows = [[hit["rank"], f"{hit['score']:.4f}", *_again(hit), hit["id"], hit["title"]] for hit in hits]
    header, *lines = table(["", "score", *again, "answer", "title"], rows)
    yield header
    for line, hit in zip(lines, hits, strict=True):
        yield line
        yield f"      {hit['snippet']}"


def _again(hit: Found) -> list[object]:
    if "first" not in hit:
        return []
    return [hit["first"], "" if hit["probability"] is None else f"{hit['probability']:.4f}"]


def rank(found: Found, _spec: object) -> Iterator[str]:
    """What was ranked, and how well the first stage did."""
    if not found["complete"]:
        yield "stopped; the finished topics are kept, and the same command goes on"
    else:
        yield f"{found['documents']:,} answers to {found['topics']:,} topics in {found['run']}"
    if "pairs" in found:
        long = "too long and cut"
        if "max_tokens" in found:
            long = f"longer than {found['max_tokens']:,} tokens and cut, the longer side first"
        yield (
            f"{found['pairs']:,} pairs scored, {found['pairs_per_s']:.1f}/s; "
            f"{found['truncated_share']:.1%} were {long}"
        )
    if found.get("first") and 0 < found["weight"] < 1:
        yield f"weight of the model beside the first stage: {found['weight']:g}"
    if "recall" in found:
        shares = ", ".join(f"{at}: {share:.3f}" for at, share in found["recall"].items())
        yield f"recall of the first stage ({found['first']}), grade 2 and more, at {shares}"


def tune(found: Found, _spec: object) -> Iterator[str]:
    """Each system with what was chosen for it."""
    if not found["complete"]:
        yield "stopped; nothing was chosen"
        return
    on = f"chosen on {found['tuned_on']} others" if "tuned_on" in found else f"{found['folds']} folds"
    heads = ["system", "nDCG'", "95 %", "against", "difference", "95 %", "p", "Holm"]
    rows = []
    for row in found["systems"]:
        low, high = row["interval"]
        cells = [row["system"], f"{row['ndcg_prime']:.4f}", f"{low:.3f} to {high:.3f}"]
        if "against" in row:
            low, high = row["difference_interval"]
            cells += [row["against"], f"{row['difference']:+.4f}", f"{low:+.3f} to {high:+.3f}"]
            cells += [f"{row[name]:.4f}" for name in ("randomisation_p", "holm_p")]
        rows.append(cells + [""] * (len(heads) - len(cells)))
    yield f"{found['topics']} topics, {on}"
    yield from table(heads, rows)
    for row in found["systems"]:
        kinds = Counter(row.get("chosen", ()))
        if kinds:
            times = "; ".join(f"{name} ({count}x)" if count > 1 else name for name, count in kinds.items())
            yield f"{row['system']}: {times}"


def generate(made: Found, _spec: object) -> list[str]:
    """How many topics got an answer."""
    if not made["complete"]:
        return [f"stopped after {made['answers']:,} of {made['topics']:,} topics; the same command goes on"]
    return [f"{made['answers']:,} answers to {made['topics']:,} topics in {made['out']}"]


def evaluate(found: Found, spec: Evaluate) -> list[str]:
    """The means over all judged topics, over those of the run, and by attributes of the topics."""
    if spec.task == 3:
        return _answers(found)
    own = found["run_topics"]
    rows: list[list[object]] = [
        ["all judged", found["topics"], *_figures(found)],
        ["of the run", own["topics"], *_figures(own)],
    ]
    for attribute, groups in found.get("by", {}).items():
        rows += [[f"{attribute} {value}", row["topics"], *_figures(row)] for value, row in groups.items()]
    return [*table(["topics", "n", "nDCG'", "mAP'", "P'@10", "bpref", "MRR"], rows), *_drawn(found)]


def _drawn(found: Found) -> list[str]:
    """Where the picture is, if one was wanted."""
    return [f"by topic: {found['plot']}"] if "plot" in found else []


def _answers(found: Found) -> list[str]:
    """Runs of Task 3; where there are several, what the sign test says of each beside the first."""
    tests: dict[str, Found] = {test["run"]: test for test in found.get("comparisons", ())}
    head = ["run", "judged", "AR", "P@1", *(["better", "worse", "sign test", "Holm"] if tests else [])]
    rows = []
    for name, one in found["runs"].items():
        test = tests.get(name)
        against = (
            [test["wins"], test["losses"], f"{test['sign_p']:.4f}", f"{test['holm_p']:.4f}"] if test else []
        )
        blank = [""] * (len(head) - 4 - len(against))
        rows.append([name, one["judged"], f"{one['ar']:.4f}", f"{one['p1']:.4f}", *against, *blank])
    return table(head, rows)


def _figures(row: Found) -> list[str]:
    return [f"{row[name]:.4f}" if name in row else "" for name in (*_MEASURES, "bpref", "mrr")]


def compare(found: Found, spec: Compare) -> list[str]:
    """The runs below each other, the baseline first."""
    header = ["run", "nDCG'", "mAP'", "P'@10", f"95 % of {spec.measure}"]
    header += ["difference", "t-test", "randomisation", "Holm"]
    rows = []
    for system, test in zip(found["systems"], [None, *found["comparisons"]], strict=True):
        low, high = system["interval"]
        tested = ["", "", "", ""]
        if test is not None:
            tested = [f"{test['difference']:+.4f}", f"{test['t_p']:.4f}"]
            tested += [f"{test['randomisation_p']:.4f}", f"{test['holm_p']:.4f}"]
        means = [f"{system[name]:.4f}" for name in _MEASURES]
        rows.append([Path(system["run"]).name, *means, f"{low:.3f} to {high:.3f}", *tested])
    return [*table(header, rows), *_drawn(found)]


def topics(found: Found, _spec: Topics) -> Iterator[str]:
    """The runs with their means, then the topics with one run's nDCG' and the difference from another."""
    run, against = found["run"], found["against"]
    means = [
        [
            one["name"],
            *(_figure(one.get(name)) for name in _MEASURES),
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


def show(found: Any, spec: Show) -> Iterator[str]:
    """A topic and its ranking, or the answers that were written to it."""
    from engines.formula.unicode import render_text

    if spec.written:
        yield from _written(found)
        return
    run, rows = found["run"], found["answers"]
    yield f"{found['topic']}  {render_text(found['title'])}"
    yield ""
    yield from render_text(found["question"]).splitlines()
    yield ""
    lines = []
    for row in rows[: spec.depth]:
        others = " ".join(f"{name}:{rank}" for name, rank in row["ranks"].items() if name != run)
        change = "" if row["change"] is None else f"{row['change']:+.2f}"
        gain = "" if row["gain"] is None else f"{row['gain']:.2f}"
        score = "" if row["score"] is None else f"{row['score']:.6g}"
        grade = "" if row["grade"] is None else row["grade"]
        lines.append([row["rank"] or "-", _move(row), row["id"], grade, gain, change, score, others])
    header = (run, f"against {found['against']}", "answer", "grade", "gain", "+-gain", "score", "ranks")
    yield from table(header, lines)
    if len(rows) > spec.depth:
        yield f"{spec.depth:,} of {len(rows):,} shown; -k shows more"


def _move(row: Found) -> str:
    if row["rank"] is None:
        return "out" if row["other"] is not None else "in neither"
    if row["change"] is None and row["other"] is None:
        return ""
    return "new" if row["move"] is None else f"{row['move']:+d}" if row["move"] else "="


def _written(answers: Sequence[Found]) -> Iterator[str]:
    for answer in answers:
        grade = "unjudged" if answer["grade"] is None else f"grade {answer['grade']}"
        yield f"{answer['run']}  {grade}  {len(answer['text'])} characters"
        yield from (f"  {line}" for line in answer["shown"].splitlines())
        yield ""


def post(found: Found, spec: Post) -> Iterator[str]:
    """A post, then the question that it answers."""
    text, title = ("latex", "latex_title") if spec.latex else ("text", "title")
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


def judgements(own: Sequence[Judgement], spec: OwnJudgements) -> Iterator[str]:
    """The lines of qrels, unless they went to a file."""
    if spec.out is None:
        # Spaces, since a tab would be printed as what it is written with; every reader of qrels takes both.
        yield from (f"{one.topic} 0 {one.document} {one.grade}" for one in own)


def pairs(found: Found, _spec: DrawPairs) -> list[str]:
    """How many pairs, and what was left out."""
    rows = [(name.replace("_", " "), f"{n:,}") for name, n in found.items() if name not in _NO_COUNTS]
    rows += [(name, f"{n:,}") for name, n in found["left_out"].items() if n]
    return [*table(("", "count"), rows), f"written to {found['out']}"]


_NO_COUNTS = ("out", "strategy", "seed", "left_out")


def pretrain_data(found: Found, _spec: PretrainData) -> list[str]:
    """How many segments or pairs, and what was left out."""
    rows = [(name.replace("_", " "), f"{n:,}") for name, n in found.items() if name not in _NO_COUNTS[:3]]
    return [*table(("", "count"), rows), f"written to {found['out']}"]


def backbone(made: Found, _spec: object) -> list[str]:
    """What was made."""
    return [
        f"{made['out']}: {made['family']} without weights, {made['vocabulary']:,} tokens in its vocabulary"
    ]


def picture(made: Found, _spec: Picture) -> list[str]:
    """The SVG."""
    return made["svg"].splitlines()
