"""What the ARQMath screen offers to take away or to go to, and the lines of its texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screens.arqmath.looks import GRADES
from screens.arqmath.topics import TopicsPane
from screens.base import Command, Export, Form, Lookup, Selection
from screens.text import count, elide
from screens.widgets.listing import Listing
from screens.widgets.table import Table

if TYPE_CHECKING:
    from screens.arqmath.screen import ArqmathScreen

__all__ = ["commands", "exports", "judged_lines", "lookups", "provenance", "selection"]

_TOPIC_TABLE = {
    "id": "topic",
    "ndcg": "ndcg_prime",
    "delta": "difference",
    **{name: name for name in ("kind", "judged", "relevant", "title")},
}
_ANSWER_TABLE = {
    "rank": "rank",
    "other": "other_rank",
    "id": "id",
    "grade": "grade",
    "own": "own_grade",
    **{name: name for name in ("gain", "change", "score", "answer")},
}
_HIT_TABLE = {
    "first": "first_stage",
    "again": "probability",
    "id": "id",
    "score": "score",
    "answer": "answer",
}


def selection(screen: ArqmathScreen) -> Selection | None:
    """The topic or the answer, by the pane that has the focus."""
    collection, line = screen.collection, screen.workbench.command_line
    if collection is None:
        return None
    root, place, page = f"arqmath/{collection.name}", str(collection.path), screen.page
    runs = [*(("--run", screen.run) if screen.run else ())]
    runs += ["--against", screen.against] if screen.against else []
    if isinstance(screen.active_pane, TopicsPane) or page in ("bars", "qrels"):
        name = "#bars-table" if page == "bars" and not isinstance(screen.active_pane, TopicsPane) else ""
        topic = screen.query_one(name or "#topics-table", Table).current
        if topic is None:
            return None
        known = {name: topic[name] for name in ("id", "title", "ndcg", "delta", "kind")}
        forms = (
            Form("i", "id", lambda: topic["id"]),
            Form("t", "title", lambda: topic["title"]),
            Form("j", "JSON", lambda: json.dumps(known, ensure_ascii=False)),
            Form("a", "command line of all topics", lambda: line("arqmath", "topics", place, *runs)),
        )
        command = line("arqmath", "show", place, topic["id"], *runs)
        return Selection(f"{root}/topic/{topic['id']}", f"topic {topic['id']}", command, forms)
    row = screen.chosen
    if row is None:
        return None
    if "written" in row:
        command = line("arqmath", "show", place, screen.topic, "--written")
        written = (
            Form("t", "text", lambda: row["written"]["text"]),
            Form("l", "LaTeX", lambda: row["written"]["latex"]),
        )
        address = f"{root}/topic/{screen.topic}/written/{row['id']}"
        return Selection(address, f"answer of {row['id']}", command, written)
    command = line("arqmath", "post", place, row["id"])
    if page == "search":
        command = line("arqmath", "search", str(collection.index), screen.query_asked)
    return Selection(f"{root}/post/{row['id']}", f"answer {row['id']}", command, _answer_forms(screen, row))


def _answer_forms(screen: ArqmathScreen, row: Mapping[str, Any]) -> tuple[Form, ...]:
    post = screen._posts.get(row["id"], {})
    known = {
        name: row[name]
        for name in ("id", "rank", "other", "grade", "own", "gain", "change", "score", "ranks")
        if name in row
    }
    document = {"topic": screen.topic, **known, "tags": post.get("tags"), "text": post.get("latex")}
    forms = [
        Form("i", "id", lambda: row["id"]),
        Form("j", "JSON", lambda: json.dumps(document, ensure_ascii=False)),
    ]
    if row.get("rank") is not None:
        words = (screen.topic, "Q0", row["id"], row["rank"], f"{row['score']:.9g}", screen.run)
        forms.insert(0, Form("r", "line of the run", lambda: "\t".join(map(str, words))))
    if post:
        forms += [
            Form("t", "text", lambda: post["text"]),
            Form("l", "LaTeX", lambda: post["latex"]),
        ]
    if screen.page == "search" and screen.collection is not None:
        place = str(screen.collection.path)
        forms.append(
            Form(
                "p",
                "command line of the post",
                lambda: screen.workbench.command_line("arqmath", "post", place, row["id"]),
            )
        )
    return tuple(forms)


def exports(screen: ArqmathScreen) -> Sequence[Export]:
    """The run, the topics and the ranking as tables, the bars as a picture, one's own judgements."""
    collection = screen.collection
    if collection is None or not screen.overview:
        return ()
    stem, run, against = collection.name, screen.run, screen.against
    facts = {"collection": str(collection.path), "run": run, "against": against}
    found: list[Export] = []
    engine, params = screen.workbench.engine, screen.params
    if run:

        def write_run(path: Path) -> object:
            from workbench.export import with_sidecar

            engine.call_blocking("arqmath.write_run", {**params, "run": run, "file": str(path)})
            return with_sidecar(path, facts)

        def write_picture(path: Path) -> object:
            from workbench.export import write_document

            made = engine.call_blocking("arqmath.picture", {**params, "run": run, "against": against})
            return write_document(path, made["svg"], provenance=facts)

        found.append(Export("r", f"run {run} for trec_eval", ".tsv", f"{stem}-{run}", write_run))
        found.append(Export("s", "bars of nDCG′ as SVG", ".svg", f"{stem}-{run}", write_picture))
    topics = screen.query_one("#topics", Listing).table
    found += _tables("topics", f"{stem}-topics", ("c", "t"), _TOPIC_TABLE, topics, facts)
    if screen.ranking is not None:
        listing = screen.query_one("#answers", Listing)
        about = {**facts, "topic": screen.topic, "filter": listing.query_text}
        name = f"ranking of {screen.topic}"
        found += _tables(name, f"{stem}-{screen.topic}", ("C", "T"), _ANSWER_TABLE, listing.table, about)
    if screen.hits:
        table = screen.query_one("#hits-table", Table)
        about = {**facts, "query": screen.query_asked}
        found += _tables("what was found", f"{stem}-search", ("h", "H"), _HIT_TABLE, table, about)
    judgements = screen.judgements
    if judgements is not None and len(judgements):

        def write_judgements(path: Path) -> object:
            from workbench.export import with_sidecar

            return with_sidecar(judgements.write_qrels(path), {**facts, "judgements": len(judgements)})

        found.append(Export("q", "your judgements as qrels", ".tsv", f"{stem}-own-qrels", write_judgements))
    return found


def _tables(
    what: str,
    stem: str,
    keys: tuple[str, str],
    columns: Mapping[str, str],
    table: Table,
    facts: Mapping[str, object],
) -> list[Export]:
    """The lines of a table as they are shown when it is written; `columns` are headings by field."""

    def write(path: Path) -> object:
        from workbench.export import write_table

        rows = ([_cell(record[name]) for name in columns] for record in table.visible_records())
        return write_table(path, list(columns.values()), rows, provenance=facts)

    return [
        Export(keys[0], f"{what} as CSV", ".csv", stem, write),
        Export(keys[1], f"{what} as a TeX table", ".tex", stem, write),
    ]


def _cell(value: object) -> object:
    return "" if value is None else round(value, 6) if isinstance(value, float) else value


def lookups(screen: ArqmathScreen) -> Sequence[Lookup]:
    """`:topic A.301`, `:answer 12`, `:run bm25`, `:collection NAME`."""

    def answer(text: str) -> bool:
        screen.show_pane("middle")
        return screen.query_one("#answers-table", Table).go_to(text)

    def run(text: str) -> bool:
        if text not in [one["name"] for one in screen.overview.get("runs", ())]:
            return False
        screen.show_run(text)
        return True

    def collection(text: str) -> bool:
        found = next((one for one in screen.collections if one.name == text), None)
        if found is not None:
            screen.open_collection(found)
        return found is not None

    return [
        Lookup("topic", "Go to a topic of this collection by its id.", screen.go_to_topic),
        Lookup("answer", "Go to an answer in this ranking by its id.", answer),
        Lookup("run", "Show a run by its name.", run),
        Lookup("collection", "Show a collection of the workspace.", collection),
    ]


def commands(screen: ArqmathScreen) -> Sequence[Command]:
    """Runs from elsewhere, and the index."""
    collection = screen.collection
    none = "" if collection is not None else "there is no collection"

    def add() -> None:
        from screens.widgets.dialogs import Prompt

        def check(text: str) -> str:
            return "" if Path(text).expanduser().is_file() else "there is no such file"

        def done(text: str | None) -> None:
            if text is not None:
                screen.change_runs(Path(text).expanduser(), add=True)

        screen.app.push_screen(
            Prompt("add the run", hint="a TREC or ARQMath file; it stays where it is", check=check), done
        )

    found = [Command("add a run file", "a run of Task 1 from elsewhere", add, none)]
    for path in collection.added_runs() if collection is not None else ():

        def forget(path: Path = path) -> None:
            screen.change_runs(path, add=False)

        found.append(Command(f"forget the run {path.name}", "the file stays", forget))
    reason = none or ("the collection has no posts" if screen.index_state == "none" else "")
    found.append(Command("index the posts", "as a job; searching needs an index", screen.offer_index, reason))
    return found


def judged_lines(screen: ArqmathScreen) -> list[str]:
    """How the grades spread, over all topics and for this one, and how much of the run is judged."""
    overview = screen.overview
    if not overview:
        return []
    everything = overview["grades"]
    here = next((topic for topic in overview["topics"] if topic["id"] == screen.topic), None)
    own = here["grades"] if here is not None and here["grades"] is not None else [0, 0, 0, 0]
    total, most = sum(everything), max([1, *everything])
    lines = [f"{'grade':<14}{'all topics':>11}{'':>5}  {'':<6}{screen.topic:>7}"]
    for grade in (3, 2, 1, 0):
        share = f"{everything[grade] / total:.0%}".replace("%", " %") if total else ""
        length = "█" * round(6 * everything[grade] / most)
        figures = f"{count(everything[grade]):>9}{share:>5}  {length:<6}{count(own[grade]):>7}"
        lines.append(f"{grade} {GRADES[grade]:<14}{figures}")
    judged = sum(topic["grades"] is not None for topic in overview["topics"])
    lines.append(f"{'judged':<16}{count(total):>9}{'':>5}  {'':<6}{count(sum(own)):>7}")
    lines += ["", f"{count(judged)} of {count(len(overview['topics']))} topics are judged"]
    if here is not None and here["judged"]:
        lines += ["", f"answers to {screen.topic} that are judged"]
        widest = min(24, max(map(len, here["judged"])))
        lines += [
            f"  {elide(name, widest):<{widest}}  {count(known):>6} of {count(of)}"
            for name, (known, of) in here["judged"].items()
        ]
    if screen.judgements is not None:
        lines += ["", f"{count(len(screen.judgements))} judgements of your own, which no score counts"]
    if overview["answers"]:
        lines += ["", "written answers (Task 3)"]
        for one in overview["answers"]:
            figures = f"AR {one['ar']:.3f}  P@1 {one['p1']:.3f}" if one["ar"] is not None else "not judged"
            lines += [f"  {one['name']}", f"    {figures}  over {one['judged']} of {one['topics']} answers"]
    return lines


def provenance(screen: ArqmathScreen) -> list[str]:
    """Which files everything comes from."""
    overview, collection = screen.overview, screen.collection
    assert collection is not None
    own = len(screen.judgements) if screen.judgements is not None else 0
    lines = [
        f"title       {overview['title']}",
        f"folder      {overview['path']}",
        f"posts       {overview['posts'] or '(none)'}",
        f"index       {screen.index_state}: {collection.index}",
        f"judgements  {own} of your own in {collection.home}",
    ]
    lines += [f"qrels       {path}" for path in overview["qrels"]]
    for run in overview["runs"]:
        lines += ["", f"run {run['name']}   tag {run['tag']}", f"  {run['path']}"]
        lines.append(f"  {count(run['documents'])} answers to {count(run['topics'])} topics")
        if run["interval"] is not None:
            low, high = run["interval"]
            lines.append(
                f"  nDCG′ {run['ndcg_prime']:.4f} [{low:.4f}, {high:.4f}]  mAP′ {run['map_prime']:.4f}  "
                f"P′@10 {run['p10_prime']:.4f}  over {run['judged_topics']} judged topics"
            )
        if run["warnings"]:
            lines.append(
                f"  {count(run['warnings'])} answers occurred twice; the best score of each was kept"
            )
    lines += [f"task 3      {one['name']}: {one['path']}" for one in overview["answers"]]
    if overview["problems"]:
        lines += ["", "left out", *(f"  {problem}" for problem in overview["problems"])]
    return lines
