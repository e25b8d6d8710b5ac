"""Topics with their scores on the left; in the middle the ranking of one, and two rankings side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.arqmath.answer import judged_lines
from screens.arqmath.columns import (
    ANSWER_COLUMNS,
    BAR_COLUMNS,
    RANKING,
    TOPIC_COLUMNS,
    WRITTEN_COLUMNS,
    Chosen,
    Runs,
    answer_selection,
    draw_sparkline,
    format_fraction,
    of_all_topics,
    topic_records,
    topic_selection,
    written_rows,
)
from screens.arqmath.searching import HitList
from screens.shell.export import CommandLine, Export, Lookup, PaneSelection, declared_exports
from screens.shell.theme import DOTS, format_count, grade_cell, safe_text
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import ListPane, Page, Pane
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.papers.arqmath.tables import TOPICS
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.papers.arqmath.data import Judgements


_CELLS = 11
_RUN = "its title is the name of a run"
_DRAWN = 100
"""Moves are drawn among so many first ranks."""


class MovesTable(Table):
    """A table that cannot be sorted, because lines between the ranks are drawn across its rows."""

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        return "lines are drawn from rank to rank" if verb in ("sort", "reverse") else super().why_not(verb)

    def set_sorting(self, sorting: tuple[str, bool] | None) -> None:
        """Ignore a sorting, because lines are drawn from rank to rank."""

    def restore(self, state: Mapping[str, object]) -> None:
        super().restore({**state, "sorting": None})


class MovesListing(Listing):
    """Two rankings, rank by rank, with lines from where a relevant answer was to where it is.

    `side` says whose answer the cursor is on. The answer under the cursor has its line drawn too.
    """

    def __init__(self, *, id: str) -> None:
        self.side = "right"
        self._canvas: list[list[tuple[int, int]]] = []
        self._pairs: list[tuple[int, int, int, str]] = []
        columns = (
            Column("rank", "rank", 4, "right"),
            Column("left", "left", show=lambda r: self._end_cell(r, "left"), unfiltered=_RUN),
            Column("moves", "", _CELLS, show=self._moves_cell),
            Column("right", "right", show=lambda r: self._end_cell(r, "right"), unfiltered=_RUN),
        )
        super().__init__(columns, id=id, fields=("rank",), table=MovesTable)

    @property
    def chosen(self) -> Record | None:
        """Return the answer under the cursor, on the side that the cursor is on."""
        record = self.table.current
        return None if record is None else cast("Record | None", record[self.side])

    def take_side(self, side: str) -> None:
        """Put the cursor on the answers of this run, `left` or `right`."""
        self.side = side
        self.draw_lines()

    def show_moves(self, rows: Sequence[Record], names: tuple[str, str], *, keep: bool) -> None:
        """Show two rankings side by side, with lines from rank to rank.

        Args:
            rows: the answers, with their ranks in both runs.
            names: the names of the left and the right run.
            keep: whether the cursor stays at its rank.
        """
        # Answers by rank: those of the other run on the left, those of this run on the right.
        left = {row["other"]: row for row in rows if row["other"] is not None}
        right = {row["rank"]: row for row in rows if row["rank"] is not None}
        self._pairs = [
            (row["other"] - 1, row["rank"] - 1, row["grade"] or 0, row["id"])
            for row in rows
            if row["other"] is not None and row["rank"] is not None
        ]
        titles = {"left": names[0], "right": names[1]}
        columns = self.table.columns
        self.table.columns = tuple(replace(one, title=titles.get(one.name, one.title)) for one in columns)
        self._canvas = []
        # As many lines as the longer ranking has.
        ranks = range(1, max([0, *left, *right]) + 1)
        rows = [{"id": str(n), "rank": n, "left": left.get(n), "right": right.get(n)} for n in ranks]
        self.load(rows, keep=keep)
        if not keep:
            self.table.cursor = 0
        self.draw_lines()

    def draw_lines(self) -> None:
        """Draw the lines of relevant answers, and of the one under the cursor."""
        chosen = self.chosen["id"] if self.chosen is not None else None
        lines = min(len(self.table.rows), _DRAWN)
        dots = [[(0, 0)] * _CELLS for _ in range(lines)]
        # The layer is also the colour: not fallen, fallen, and on top the one under the cursor.
        drawn = [
            (3 if name == chosen else 2 if there > here else 1, here, there)
            for here, there, grade, name in self._pairs
            if (grade > 0 or name == chosen) and here < lines and there < lines
        ]
        # In dots of braille, two across and four down a cell.
        wide = 2 * _CELLS - 1
        # Lines that are drawn later win, so the most important come last.
        for layer, here, there in sorted(drawn):
            start, end = 4 * here + 1, 4 * there + 1
            steps = max(abs(end - start), wide)
            for step in range(steps + 1):
                x, y = round(step * wide / steps), round(start + (end - start) * step / steps)
                bits, before = dots[y // 4][x // 2]
                dots[y // 4][x // 2] = (bits | DOTS[y % 4][x % 2], max(layer, before))
        self._canvas = dots
        self.table.refresh()

    def _moves_cell(self, record: Record) -> Content:
        index = record["rank"] - 1
        if index >= len(self._canvas):
            return Content()
        styles = ("", "$success", "$warning", "$accent bold")
        parts = [
            Content.styled(chr(0x2800 | bits), styles[layer]) if bits else Content(" ")
            for bits, layer in self._canvas[index]
        ]
        return Content("").join(parts)

    def _end_cell(self, record: Record, side: str) -> Content:
        row: Mapping[str, Any] | None = record[side]
        if row is None:
            return Content()
        here = self.chosen is not None and row["id"] == self.chosen["id"]
        layer = "$accent bold" if here else "$foreground" if row["grade"] else "$quiet"
        text = safe_text(row["answer"] or row["id"], layer)
        return grade_cell(row["grade"], row["own"]) + Content(" ") + text


class TopicsPane(ListPane):
    """The left pane: the topics of a collection, and the mean score of the run that is shown."""

    NONE = (
        "No collection yet: topics appear here, with the runs that answer them",
        "mathwb data add arqmath FOLDER registers your copy of ARQMath\n"
        "mathwb --workspace NEW opens a sample forum of 12 topics and 4 runs, at once",
    )
    DEFAULT_CSS = """
    TopicsPane #mean { height: 2; padding: 0 1; border-top: none; }
    """

    def __init__(self, *, id: str, share: int) -> None:
        table = partial(Table, loss="delta")
        listing = Listing(TOPIC_COLUMNS, id="topics", fields=TOPICS.fields, table=table)
        self._mean = Static(id="mean")
        self._mean.display = False
        super().__init__(listing, self._mean, title="topics", id=id, share=share)
        self._runs: Runs | None = None
        self._plain = False
        self.records: Sequence[Record] = ()

    def show_loading(self, what: str) -> None:
        self._runs = None
        self._mean.display = False
        self.listing.show_loading(what)

    def show_runs(self, runs: Runs, *, plain: bool) -> None:
        """Show the topics with the scores of a run; `plain` keeps formulas as LaTeX."""
        self._runs, self._plain = runs, plain
        self.records = topic_records(runs.overview, runs.run, runs.against, plain=plain)
        self.listing.when_empty(
            "No topics, judgements or runs", "An arqmath.toml in the folder can name them."
        )
        self._draw_mean()
        self.listing.home = f"{runs.address}/topic"
        self.listing.load(self.records, keep=True)

    def begin_at_first_score(self) -> None:
        """Put the cursor, if nobody has moved it or sorted yet, on the first topic that the run has."""
        if self.table.cursor == 0 and self.table.sorting is None:
            scored = (str(record["id"]) for record in self.records if record["ndcg"] is not None)
            if (first := next(scored, None)) is not None:
                self.table.go_to(first)

    @property
    def topic(self) -> str:
        """Return the id of the topic under the cursor, or an empty string."""
        return self.table.current_key or ""

    # The run's mean

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw_mean)

    def _draw_mean(self) -> None:
        facts = self._runs.facts if self._runs is not None else {}
        self._mean.display = bool(facts)
        mean = facts.get("ndcg_prime")
        if mean is None:
            self._mean.update(Content.styled("no judgements for this run", "$quiet"))
            return
        values = [record["ndcg"] for record in self.records if record["ndcg"] is not None]
        line = draw_sparkline(values, self.size.width - 4, plain=self._plain)
        low, high = facts["interval"]
        words = f"mean {format_fraction(mean)} [{format_fraction(low)}, {format_fraction(high)}]"
        self._mean.update(Content.assemble((line, "$accent"), "\n", words))

    # What the screen asks

    def list_signs(self) -> Sequence[tuple[str, str]]:
        return (
            ("nDCG′", "of the shown run; 1 if the best answers come first; unjudged answers are ignored"),
            ("delta", "nDCG′ minus that of the run compared with"),
            (draw_sparkline((0.0, 0.5, 1.0), 3, plain=self._plain), "nDCG′ topic by topic, from 0 to 1"),
            ("[.5, .6]", "95 % bootstrap interval of the mean, over topics"),
        )

    def selection(self, line: CommandLine) -> PaneSelection | None:
        topic = self.table.current
        return None if topic is None or self._runs is None else topic_selection(topic, self._runs, line)

    def exports(self) -> Sequence[Export]:
        if self._runs is None:
            return ()
        stem = f"{self._runs.collection.name}-topics"
        keys, rows = {".csv": "c", ".tex": "t"}, self.table.visible_records
        return declared_exports(TOPICS, "topics", stem, keys, rows, self._runs.origin)


_PRINTED = 50
"""So many answers a command prints unless it is told."""


class RankingPane(Pane):
    """The answers to a topic, as two runs rank them.

    `AskedFor` is posted with a topic to go to. The screen fills `posts`, the texts of answers by their ids,
    and `hits`, the answers that were searched for.
    """

    def __init__(self, posts: Mapping[str, Mapping[str, Any]], hits: HitList, *, id: str, share: int) -> None:
        losses, none = partial(Table, loss="change"), ("No topic is chosen", "")
        self._answers = Listing(ANSWER_COLUMNS, id="answers", fields=RANKING.fields, empty=none, table=losses)
        none = "No topic of this run is judged", "c chooses another run."
        self._bars = Listing(BAR_COLUMNS, id="bars", empty=none)
        self._qrels = ReaderBox(id="qrels")
        none = "No answers to this topic", "Name Task 3 runs as `answers` in arqmath.toml."
        self._written = Listing(WRITTEN_COLUMNS, id="written", empty=none)
        self._hits = hits
        super().__init__(
            Page("rank", self._answers, id="rank-page"),
            Page("moves", id="moves-page", make=self._make_moves),
            Page("bars", id="bars-page", make=lambda: [self._bars]),
            Page("qrels", id="qrels-page", make=lambda: [self._qrels]),
            Page("task 3", id="written-page", make=lambda: [self._written]),
            Page("search", hits, id="search-page"),
            title="ranking",
            id=id,
            share=share,
        )
        self.rows: list[dict[str, Any]] = []
        self.ranking: Mapping[str, Any] | None = None
        self.judgements: Judgements | None = None
        self.plain = False
        """Whether formulas stay LaTeX in lists."""
        self.keep_cursor = False
        """Whether the next ranking finds the cursor where a session left it."""
        self.topic = ""
        self._posts = posts
        self._runs: Runs | None = None
        self._records: Sequence[Record] = ()
        self._snippets: dict[str, str] = {}
        self._shown = ("", "", "")
        self._moves: MovesListing | None = None
        self._moves_of = ""

    def _make_moves(self) -> Iterable[Widget]:
        self._moves = MovesListing(id="moves")
        return [self._moves]

    # What is shown

    def forget_runs(self) -> None:
        """Show nothing until another collection is read."""
        self._runs, self._records, self._snippets = None, (), {}
        self.judgements = None
        self._answers.when_empty("No topic is chosen", "")
        self.show_ranking(None)

    def show_runs(self, runs: Runs, records: Sequence[Record]) -> None:
        """Take another run to show or to compare with."""
        self._runs, self._records = runs, records
        self._bars.home, self._hits.home = f"{runs.address}/topic", f"{runs.address}/post"
        if self.ranking is not None:
            self.show_ranking(self.ranking)
        else:
            self._fill_page()
            self.show_heading()

    def show_topic(self, topic: str) -> None:
        """Show that the ranking of a topic is being read."""
        self.topic = topic
        if topic and self.ranking is None and self.is_attached:
            self._answers.show_loading("reading the ranking")
        self.show_heading()

    def show_ranking(self, result: Mapping[str, Any] | None) -> None:
        """Show the rankings of a topic: what the operation `arqmath.ranking` answers."""
        self.ranking = result
        if result is None or self._runs is None:
            self.rows, self._shown = [], ("", "", "")
            if self.is_attached:
                self._answers.load([], keep=False)
        else:
            this = (result["topic"], self._runs.run, self._runs.against)
            # The same ranking with the same runs is on the screen already.
            if this != self._shown or not self.rows:
                self._load_answers(result, self._runs, same=result["topic"] == self._shown[0])
                self._shown = this
        self._fill_page()
        self.show_heading()
        self.post_message(self.Selected(self))

    def _load_answers(self, result: Mapping[str, Any], runs: Runs, *, same: bool) -> None:
        from engines.arqmath.ranking.overview import answer_rows

        own = self.judgements.grades_of(result["topic"]) if self.judgements is not None else {}
        compared = bool(runs.against) and runs.against in result["runs"]
        self.rows = [{**row, "compared": compared} for row in answer_rows(result, runs.run, runs.against)]
        for row in self.rows:
            row |= {"own": own.get(row["id"]), "answer": self._snippets.get(row["id"], "")}
        self._answers.when_empty("No run has answers to this topic", "[ and ] show what else there is of it.")
        self._answers.home = f"{runs.address}/topic/{result['topic']}/post"
        self._answers.load(self.rows, keep=same)
        if not same and not self.keep_cursor:
            self._answers.table.cursor = 0
        self.keep_cursor = False

    @property
    def _listed(self) -> list[Listing]:
        return [self._answers, *([self._moves] if self._moves is not None else [])]

    def show_error(self, error: EngineError) -> None:
        """Show why there is no ranking."""
        self.show_ranking(None)
        self._answers.show_error(error)

    @property
    def without_snippet(self) -> list[str]:
        """Return the ids of answers whose text has not been read yet."""
        return [row["id"] for row in self.rows if row["id"] not in self._snippets]

    def show_snippets(self, ids: Sequence[str], snippets: Mapping[str, str]) -> None:
        """Show how these answers begin; answers without a text have none."""
        self._snippets.update({**dict.fromkeys(ids, ""), **snippets})
        for row in self.rows:
            row["answer"] = self._snippets.get(row["id"], "")
        for listing in self._listed:
            # The filter may ask for words of texts that have only now arrived.
            if listing.query_text:
                listing.table.set_filter(listing.table.filter)
            listing.table.show_changed()

    def judge_answer(self, topic: str, document: str, grade: int | None) -> None:
        """Store the user's grade of an answer; None removes it.

        Raises:
            DataError: The judgements cannot be written.
        """
        if self.judgements is None:
            return
        self.judgements.set_grade(topic, document, grade)
        if topic != self.topic:
            return
        for row in self.rows:
            if row["id"] == document:
                row["own"] = grade
        for listing in self._listed:
            listing.table.refresh()
        self.post_message(self.Selected(self))

    # Pages

    @on(Pane.PageShown)
    def _page_shown(self, event: Pane.PageShown) -> None:
        event.stop()
        self._fill_page()
        self.show_heading()
        self.post_message(self.Selected(self))

    def _fill_page(self) -> None:
        page, runs = self.page_name, self._runs
        if page == "moves" and self._moves is not None:
            topic = self.ranking["topic"] if self.ranking else ""
            same, self._moves_of = topic == self._moves_of, topic
            names = (runs.against, runs.run) if runs is not None else ("", "")
            none = ("There is no second run to compare with", "b chooses one.")
            if names[1]:
                none = ("Neither run answers this topic", "c and b choose other runs.")
            self._moves.when_empty(*(none if self.ranking is not None else ("No ranking is there yet", "")))
            self._moves.show_moves(self.rows if names[0] else [], names, keep=same)
        elif page == "bars" and runs is not None:
            self._bars.load([record for record in self._records if record["ndcg"] is not None])
        elif page == "qrels":
            own = None if self.judgements is None else len(self.judgements)
            self._qrels.reader.show_lines(judged_lines(runs, self.topic, own) if runs is not None else [])
        elif page == "written":
            self._written.home = f"{runs.address}/topic/{self.topic}/written" if runs is not None else ""
            self._written.load(written_rows(self.ranking, "text" if self.plain else "shown"), keep=False)
        elif page == "search" and not self._hits.words_searched:
            self._hits.load([])

    def show_heading(self) -> None:
        """Update title, detail, trail and footnote for the page that is shown."""
        page, topic, runs = self.page_name, self.topic, self._runs
        run, against = (runs.run, runs.against) if runs is not None else ("", "")
        self.footnote, self.trail = (f"delta: {run} − {against}" if against else run), ()
        if page == "bars":
            self.title, self.detail = "nDCG′", f"of {run}" if run else ""
        elif page == "qrels":
            self.title, self.detail = "judgements", ""
        elif page == "search":
            self.title, self.detail = "search", self._hits.words_searched
            self.footnote = self._hits.words
        else:
            self.title, self.trail = topic or "ranking", (run,) if topic and run else ()
            self.detail = self._how_many(run) if topic and page == "rank" else ""
            if page == "moves" and topic and against:
                self.detail = f"from {against} to {run}"

    def _how_many(self, run: str) -> str:
        if self.ranking is None:
            return ""
        table = self._answers.table
        answers = f"· {format_count(len(self.ranking['runs'].get(run, ())))} answers"
        return f"{answers}, {format_count(table.shown)} shown" if table.filter is not None else answers

    @on(Table.Counted, "#answers-table")
    def _answers_counted(self) -> None:
        self.show_heading()

    @on(Pane.Selected, "#hits")
    def _hits_changed(self, event: Pane.Selected) -> None:
        event.stop()
        self.show_heading()
        self.post_message(self.Selected(self))

    # An answer

    @property
    def row(self) -> Record | None:
        """The row under the cursor on the page that is shown."""
        page = self.page_name
        if page == "moves" and self._moves is not None:
            return self._moves.chosen
        return {"written": self._written, "search": self._hits}.get(page, self._answers).table.current

    @property
    def chosen(self) -> Chosen | None:
        """The chosen answer with its runs and its topic, or None."""
        row = self.row
        if row is None or self._runs is None:
            return None
        return Chosen(row, self._runs, self.topic, self._hits.command if self.page_name == "search" else None)

    @on(Table.Moved)
    def _row_moved(self, event: Table.Moved) -> None:
        event.stop()
        if self.page_name == "moves" and self._moves is not None:
            self._moves.draw_lines()
        self.post_message(self.Selected(self))

    @on(Table.Opened)
    def _row_opened(self, event: Table.Opened) -> None:
        event.stop()
        if event.table is self._bars.table:
            self.post_message(self.AskedFor(self, event.table.current_key or ""))
        else:
            self.post_message(self.Opened(self))

    def take_side(self, side: str) -> bool:
        """Move to the left or the right of two runs side by side; return whether there was such a step."""
        if self.page_name != "moves" or self._moves is None or self._moves.side == side:
            return False
        self._moves.take_side(side)
        self.post_message(self.Selected(self))
        return True

    # What the screen asks

    def why_not(self, verb: str) -> str:
        if verb != "judge":
            return super().why_not(verb)
        row = self.row
        if row is None or not self.topic or self.page_name not in ("rank", "moves"):
            return "put the cursor on an answer to a topic"
        return "it has an official grade, which cannot be changed" if row["grade"] is not None else ""

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if self._runs is None:
            return None
        if self.page_name in ("bars", "qrels"):
            topics = {str(record["id"]): record for record in self._records}
            name = self._bars.table.current_key if self.page_name == "bars" else self.topic
            topic = topics.get(name or "")
            if topic is None:
                return None
            # The spread of the grades is no table: the document of all topics holds it.
            more = ("--json",) if self.page_name == "qrels" else ()
            return of_all_topics(topic_selection(topic, self._runs, line), self._runs, line, *more)
        if (chosen := self.chosen) is None:
            return None
        result = answer_selection(chosen, self._posts.get(str(chosen.row["id"])), line)
        if self.page_name != "moves":
            return result
        depth = ["-k", str(len(self.rows))] if len(self.rows) > _PRINTED else []
        words = ["arqmath", "show", self._runs.place, self.topic, *self._runs.options, *depth]
        return replace(result, command=line(*words))

    def exports(self) -> Sequence[Export]:
        runs = self._runs
        if runs is None:
            return ()
        result: list[Export] = []
        if self.ranking is not None:
            what, stem = f"ranking of {self.topic}", f"{runs.collection.name}-{self.topic}"
            facts = {**runs.origin, "topic": self.topic, "filter": self._answers.query_text}
            rows, keys = self._answers.table.visible_records, {".csv": "C", ".tex": "T"}
            result += declared_exports(RANKING, what, stem, keys, rows, facts)
        result += self._hits.list_exports(runs)
        if (judgements := self.judgements) is not None and len(judgements):

            def write_file(path: Path) -> object:
                from workbench.export import with_sidecar

                return with_sidecar(
                    judgements.write_qrels(path), {**runs.origin, "judgements": len(judgements)}
                )

            name = f"{runs.collection.name}-own-qrels"
            result.append(Export("q", "your judgements as qrels", ".tsv", name, write_file))
        return result

    def list_signs(self) -> Sequence[tuple[str, str]]:
        if self.page_name == "search":
            return ("first", "its rank by the first stage"), ("again", "the cross-encoder's probability")
        return (
            ("▲4 ▼1 =", "ranks gained, lost or unchanged against the other run"),
            ("new", "not in the other run"),
            ("out", "only in the other run"),
            ("3", "official grade, 0 not relevant to 3 high; (3): your own; –: not judged"),
            ("gain", "its part of DCG′: grade / log2(1 + rank among the judged answers)"),
            ("change", "gain minus the gain in the other run"),
            ("┃", "on a bar: the other run's value"),
        )

    def lookups(self) -> Sequence[Lookup]:
        # While a ranking is read, that of the topic before stands here.
        go = lambda document: self._shown[0] == self.topic and self._answers.go_to(document)  # noqa: E731
        return (Lookup("answer", "Go to an answer in this ranking by its id.", go),)
