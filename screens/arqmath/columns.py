"""Runs of a collection; topics and answers as lines of tables, and how each is copied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from html import unescape
from typing import TYPE_CHECKING, Any

from textual.content import Content

from engines.core.errors import EngineError
from engines.forum.folder import DESCRIPTION
from screens.shell.export import (
    CommandLine,
    CopyForm,
    Destination,
    Export,
    PaneSelection,
    engine_writer,
    json_form,
    text_writer,
)
from screens.shell.theme import format_count, grade_cell, safe_text
from screens.widgets.dialogs import Chooser, MenuChoice, number_choices
from screens.widgets.table_columns import Record
from workbench.papers.arqmath.tables import ANSWERS, HITS, TOPICS, hit_row, topic_row
from workbench.tables import Column, TableSpec
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.papers.arqmath.data import Collection


def format_fraction(value: float | None, digits: int = 3) -> str:
    """Format a value between 0 and 1 without its zero: `.612`, but `1.00`; empty for None."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text[: digits + 1]


def format_signed(value: float | None, digits: int = 3) -> str:
    """Format a value with its sign and without its zero: `+.104`, `−.220`; empty for None."""
    if value is None:
        return ""
    if round(value, digits) == 0:
        return format_fraction(0.0, digits)
    text = f"{abs(value):.{digits}f}"
    return ("+" if value > 0 else "−") + (text[1:] if text.startswith("0.") else text)


@dataclass(frozen=True, slots=True)
class Runs:
    """A collection with the run that is shown and the run it is compared with.

    `overview` is the answer of the operation `arqmath.topics`.
    """

    collection: Collection
    overview: Mapping[str, Any] = field(default_factory=dict)
    run: str = ""
    against: str = ""

    def with_overview(self, overview: Mapping[str, Any], wanted: Mapping[str, object]) -> Runs:
        """Return the runs of a new overview.

        The first run is the baseline, as in `mathwb arqmath compare`. By default the last of the others is
        shown if a description puts them in order (the newest idea), otherwise the strongest.

        Args:
            overview: the answer of `arqmath.topics`.
            wanted: the names of the runs to choose, under `run` and `against`, if they exist.
        """
        strength = {run["name"]: run.get("ndcg_prime") or 0.0 for run in overview["runs"]}
        names = list(strength)
        run, against = str(wanted.get("run") or ""), str(wanted.get("against") or "")
        if run not in names:
            # A description puts the runs in an order that its author has chosen.
            ordered = (self.collection.path / DESCRIPTION).exists()
            others = names[1:] or names
            run = "".join((others if ordered else sorted(others, key=strength.__getitem__))[-1:])
        others = [name for name in names if name != run]
        against = against if against in others else others[0] if others else ""
        return Runs(self.collection, overview, run, against)

    @property
    def chosen_names(self) -> dict[str, str]:
        """Return the names of the two runs, as a session stores them."""
        return {"run": self.run, "against": self.against}

    def with_run(self, name: str) -> Runs:
        """Return the collection with another run shown; if it is the one compared with, they are swapped."""
        return replace(self, run=name, against=self.run if name == self.against else self.against)

    def hold_against(self, name: str) -> Runs:
        """Return the collection compared with another run; if it is the one shown, they are swapped."""
        return replace(self, against=name, run=self.against if name == self.run else self.run)

    @property
    def names(self) -> list[str]:
        """Return the names of the collection's runs."""
        return [run["name"] for run in self.overview.get("runs", ())]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the overview's entry of the run that is shown."""
        known = self.overview.get("runs", ())
        return next((run for run in known if run["name"] == self.run), {})

    @property
    def options(self) -> list[str]:
        """Return the options that name the two runs on a command line."""
        held = ["--against", self.against] if self.against else []
        return [*(["--run", self.run] if self.run else []), *held]

    @property
    def address(self) -> str:
        """Return the prefix of the notes on this collection."""
        return f"arqmath/{self.collection.name}"

    @property
    def place(self) -> str:
        """Return the folder of the collection, as errors name it."""
        return str(self.collection.path)

    @property
    def origin(self) -> dict[str, object]:
        """Return the provenance of exported files: the collection and the two runs."""
        return {"collection": self.place, "run": self.run, "against": self.against}

    def provenance_lines(self, index_state: str, judgements: int) -> list[str]:
        """Describe the collection: its files, its runs, their scores, and what was left out."""
        overview, collection = self.overview, self.collection
        lines = [
            f"title       {overview['title']}",
            f"folder      {overview['path']}",
            f"posts       {overview['posts'] or '(none)'}",
            f"index       {index_state}: {collection.index}",
            f"judgements  {judgements} of your own in {collection.home}",
        ]
        lines += [f"qrels       {path}" for path in overview["qrels"]]
        for run in overview["runs"]:
            lines += ["", f"run {run['name']}   tag {run['tag']}", f"  {run['path']}"]
            lines.append(
                f"  {format_count(run['documents'])} answers to {format_count(run['topics'])} topics"
            )
            if run["interval"] is not None:
                low, high = run["interval"]
                lines.append(
                    f"  nDCG′ {run['ndcg_prime']:.4f} [{low:.4f}, {high:.4f}]  mAP′ {run['map_prime']:.4f}  "
                    f"P′@10 {run['p10_prime']:.4f}  over {run['judged_topics']} judged topics"
                )
            if run["made"]:
                lines.append(f"  made by {run['made']}")
            if run["warnings"]:
                twice = format_count(run["warnings"])
                lines.append(f"  {twice} answers occurred twice; the best score of each was used")
        lines += [f"task 3      {one['name']}: {one['path']}" for one in overview["answers"]]
        if overview["problems"]:
            lines += ["", "left out", *(f"  {problem}" for problem in overview["problems"])]
        return lines

    def list_exports(self, engine: EngineProcess, params: Mapping[str, Any]) -> Sequence[Export]:
        """Return the exports of the run and of a picture of its scores; `params` identify the collection."""
        if not self.run:
            return ()

        stem, question = f"{self.collection.name}-{self.run}", {**params, "run": self.run}
        write_run = engine_writer(engine, "arqmath.write-run", question, self.origin)

        def draw_picture() -> str:
            made = engine.call_blocking("arqmath.picture", {**question, "against": self.against})
            return str(made["svg"])

        return (
            Export("r", f"run {self.run} for trec_eval", ".tsv", stem, write_run),
            Export("s", "bars of nDCG′ as SVG", ".svg", stem, text_writer(draw_picture, self.origin)),
        )

    def make_chooser(self, title: str, now: str) -> Chooser:
        """Return the dialog that chooses a run, with the cursor on `now`."""
        means = {run["name"]: format_fraction(run.get("ndcg_prime")) for run in self.overview["runs"]}
        choices = [
            MenuChoice(name, name, f"mean nDCG′ {mean}{'   shown now' if name == now else ''}")
            for name, mean in means.items()
        ]
        return Chooser(title, number_choices(choices), now=now)


GRADES = ("not relevant", "low", "medium", "high")
"""What the grades 0 to 3 mean."""

# Eighths of a cell, for bars that end inside of one.
_BLOCKS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"
_PLAIN_LEVELS = "_.,-=+*#"
BAR_CELLS = 22


def _change_cell(value: float | None, digits: int = 3) -> Content:
    if value is None:
        return Content()
    near = round(value, digits) == 0
    return Content.styled(
        format_signed(value, digits), "$quiet" if near else "$success" if value > 0 else "$warning"
    )


def draw_sparkline(values: Sequence[float], cells: int, *, plain: bool = False) -> str:
    """Draw values from 0 to 1 as a line of bars, averaging neighbours if there are more than cells."""
    if not values or cells <= 0:
        return ""
    levels = _PLAIN_LEVELS if plain else _LEVELS
    count = min(cells, len(values))
    results = []
    for index in range(count):
        # Neighbours are averaged if there are more values than cells.
        part = values[index * len(values) // count : (index + 1) * len(values) // count]
        mean = sum(part) / len(part)
        results.append(levels[min(7, max(0, int(mean * 8)))])
    return "".join(results)


def draw_bar(value: float, tick: float | None = None, cells: int = BAR_CELLS) -> Content:
    """Draw a value from 0 to 1 as a bar, with a tick at another value."""
    # In eighths of a cell.
    eighths = round(max(0.0, min(1.0, value)) * cells * 8)
    text = "█" * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else "")
    text = text.ljust(cells)
    if tick is None:
        return Content.styled(text, "$accent")
    at = min(cells - 1, int(max(0.0, tick) * cells))
    return Content.assemble((text[:at], "$accent"), ("┃", "$warning bold"), (text[at + 1 :], "$accent"))


def move_cell(record: Record) -> Content:
    """Draw a change of rank: `▲4`, `▼1`, `=`; `new` if only this run has it, `out` if only the other."""
    move = record["move"]
    if record["rank"] is None:
        return Content.styled("out" if record["other"] is not None else "", "$warning")
    if not record.get("compared", True):
        return Content()
    if move is None:
        return Content.styled("new", "$success")
    if move == 0:
        return Content.styled("=", "$quiet")
    return Content.styled(f"{'▲' if move > 0 else '▼'}{abs(move)}", "$success" if move > 0 else "$warning")


def _answer_cell(record: Record) -> Content:
    # With a colour of its own it is cut at its end and not in its middle.
    return safe_text(record["answer"] or record["id"], "$foreground" if record["answer"] else "$quiet")


def _format_score(record: Record) -> str:
    """Six cells: `27.53`, `1.450`, `.01623`, `1e-07`."""
    score = record["score"]
    if score is None:
        return ""
    # As many digits as six cells hold.
    text = f"{score:.5f}"[1:] if 1e-4 <= score < 1 else f"{score:#.4g}".removesuffix(".")
    return text if len(text) <= 6 else f"{score:.0e}"


def _gain_cell(record: Record) -> Content:
    gain = record["gain"]
    return Content() if gain is None else safe_text(f"{gain:.2f}", "" if gain else "$quiet")


TOPIC_COLUMNS = TOPICS.screen_columns(
    ndcg=lambda record: format_fraction(record["ndcg"]),
    delta=lambda record: _change_cell(record["delta"]),
    title=lambda record: safe_text(record["title"], "$foreground"),
)
RANKING = TableSpec(
    (
        *ANSWERS.columns,
        Column("own", "own", on="csv tex"),
        Column("answer", "answer", on="screen csv tex", show=_answer_cell),
        *(Column(name, name, on="") for name in ("judged", "run")),
    )
)
"""The answers to a topic with their texts and the user's own grades."""
ANSWER_COLUMNS = RANKING.screen_columns(
    rank=lambda record: "–" if record["rank"] is None else str(record["rank"]),
    move=move_cell,
    grade=lambda record: grade_cell(record["grade"], record["own"]),
    gain=_gain_cell,
    change=lambda record: _change_cell(record["change"], 2),
    score=_format_score,
)
_BAR = Column(
    "bar",
    "0 to 1",
    BAR_CELLS,
    show=lambda record: draw_bar(record["ndcg"] or 0.0, record["before"]),
    unfiltered="it draws ndcg",
)
BAR_COLUMNS = (*TOPIC_COLUMNS[:2], _BAR, TOPIC_COLUMNS[2])
WRITTEN_COLUMNS = (
    Column("run", "run", 14),
    Column("grade", "grade", 5, show=lambda r: grade_cell(r["grade"])),
    Column("chars", "chars", 5, "right"),
    Column("answer", "answer", show=_answer_cell),
)
HIT_COLUMNS = HITS.screen_columns(
    again=lambda record: "" if record["again"] is None else format_fraction(record["again"]),
    score=_format_score,
    answer=_answer_cell,
)


def topic_records(
    overview: Mapping[str, Any], run: str, against: str, *, plain: bool = False
) -> list[Record]:
    """Return the rows of the table of topics."""
    title = "title" if plain else "shown"
    return [topic_row(topic, run, against, title) for topic in overview["topics"]]


def written_rows(ranking: Mapping[str, Any] | None, shown: str) -> list[Record]:
    """Return the rows of the answers that were written (Task 3) instead of ranked."""
    rows: list[Record] = []
    for answer in ranking["answers"] if ranking is not None else ():
        post = {"id": answer["run"], "text": answer["shown"], "latex": answer["text"], "score": None}
        row = {**answer, "id": answer["run"], "own": None, "topic": False, "chars": len(answer["text"])}
        row |= {"answer": " ".join(answer[shown].split()), "written": {**post, "question": None}}
        rows.append(row)
    return rows


def hit_rows(hits: Sequence[Mapping[str, Any]], *, plain: bool) -> list[dict[str, Any]]:
    """Return the rows of search hits."""
    from engines.formula.unicode import render_text

    shown: Callable[[str], str] = str if plain else render_text
    empty = ("rank", "other", "move", "grade", "own", "gain", "change")
    return [
        {
            **hit_row(hit),
            **dict.fromkeys(empty),
            "ranks": {},
            "topic": False,
            "title": shown(hit["title"]),
            "answer": shown(hit["snippet"]),
        }
        for hit in hits
    ]


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer under a cursor, with its run and topic.

    `search` are the words of the `arqmath search` command if the answer was searched for.
    """

    row: Record
    runs: Runs
    topic: str
    search: Sequence[str] | None = None


def topic_selection(topic: Record, runs: Runs, line: CommandLine) -> PaneSelection:
    """Return a topic as a selection."""
    known = {name: topic[name] for name in ("id", "title", "ndcg", "delta", "kind")}
    forms = (
        CopyForm("i", "id", lambda: topic["id"]),
        CopyForm("t", "title", lambda: topic["title"]),
        json_form(lambda: known),
        CopyForm(
            "a", "command line of all topics", lambda: line("arqmath", "topics", runs.place, *runs.options)
        ),
    )
    command = line("arqmath", "show", runs.place, topic["id"], *runs.options)
    address = f"{runs.address}/topic/{topic['id']}"
    return PaneSelection(address, f"topic {topic['id']}", command, forms, lambda: topic["title"])


def of_all_topics(topic: PaneSelection, runs: Runs, line: CommandLine, *more: str) -> PaneSelection:
    """Turn a topic's selection into one whose command prints all topics, with `more` options."""
    command = line("arqmath", "topics", runs.place, *runs.options, *more)
    own = CopyForm("p", "command line of the topic", lambda: topic.command)
    return replace(topic, command=command, forms=(*(form for form in topic.forms if form.key != "a"), own))


def answer_selection(chosen: Chosen, post: Mapping[str, Any] | None, line: CommandLine) -> PaneSelection:
    """Return an answer as a selection."""
    row, runs, topic = chosen.row, chosen.runs, chosen.topic
    # An answer that was written for the task and is in no ranking.
    if "written" in row:
        command = line("arqmath", "show", runs.place, topic, "--written")
        written = (
            CopyForm("t", "text", lambda: row["written"]["text"]),
            CopyForm("l", "LaTeX", lambda: row["written"]["latex"]),
        )
        address = f"{runs.address}/topic/{topic}/written/{row['id']}"
        return PaneSelection(address, f"answer of {row['id']}", command, written)
    # An answer of a ranking, or one that was searched for.
    names = ("id", "rank", "other", "grade", "own", "gain", "change", "score", "ranks")
    document = {"topic": topic, **{name: row[name] for name in names if name in row}}
    known = post or {}
    document |= {"tags": known.get("tags"), "text": known.get("latex")}
    forms = [CopyForm("i", "id", lambda: row["id"]), json_form(lambda: document)]
    if row.get("rank") is not None:
        words = (topic, "Q0", row["id"], row["rank"], f"{row['score']:.9g}", runs.run)
        forms.insert(0, CopyForm("r", "line of the run", lambda: "\t".join(map(str, words))))
    if post:
        forms += [CopyForm("t", "text", lambda: post["text"]), CopyForm("l", "LaTeX", lambda: post["latex"])]
    command = line("arqmath", "post", runs.place, row["id"])
    note_address = f"{runs.address}/topic/{topic}"
    if chosen.search is not None:  # it stands in no ranking
        post_command, note_address = command, runs.address
        forms.append(CopyForm("p", "command line of the post", lambda: post_command))
        command = line("arqmath", "search", str(runs.collection.index), *chosen.search)
    about = partial(str, post["text"] if post else "")
    return PaneSelection(
        f"{note_address}/post/{row['id']}", f"answer {row['id']}", command, tuple(forms), about
    )


_TOPIC = re.compile(r'<Topic\s+number="([^"]+)"[^>]*>.*?<Title>(.*?)</Title>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def destinations(workspace: Workspace) -> Iterator[Destination]:
    """Return the collections, and their topics by id and title."""
    from engines.forum.folder import ArqmathFolder
    from workbench.papers.arqmath.data import list_collections

    for collection in list_collections(workspace):
        home = ("collection", collection.name)
        yield Destination((home,), "a collection of questions and answers")
        try:
            folder = ArqmathFolder.open(collection.path)
        except EngineError:
            continue
        for path in folder.topics.get(1, ()):
            with suppress(OSError):
                for id_, title in _TOPIC.findall(path.read_text("utf-8", "replace")):
                    words = " ".join(unescape(_TAG.sub("", unescape(title))).split())
                    yield Destination((home, ("topic", id_)), words)
