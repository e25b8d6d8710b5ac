"""The ARQMath screen: topics on the left, their rankings in the middle, an answer on the right."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.arqmath import offers
from screens.arqmath.answer import AnswerPane
from screens.arqmath.lists import LossListing, MovesListing
from screens.arqmath.looks import (
    ANSWER_COLUMNS,
    ANSWER_FIELDS,
    BAR_COLUMNS,
    GRADES,
    HIT_COLUMNS,
    HIT_FIELDS,
    WRITTEN_COLUMNS,
)
from screens.arqmath.searching import Searching
from screens.arqmath.topics import TopicsPane, topic_records
from screens.base import Command, Export, Lookup, Selection, WorkbenchScreen
from screens.egraphs.latest import Latest
from screens.keys import bindings, scope
from screens.text import count
from screens.watch import JobWatch
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.rows import Record
from screens.widgets.table import Table

if TYPE_CHECKING:
    from workbench.collections import Collection
    from workbench.judgements import Judgements

__all__ = ["KEYS", "ArqmathScreen"]

KEYS = scope(
    "arqmath",
    add=(
        "search",
        "Search the answers of the collection for anything; the best are ranked again if they can be.",
    ),
    stop="Stop the search or the indexing; what there is stays.",
    refresh=("read again", "Read the collection's runs and judgements again."),
    diff=("side by side", "Put the two runs side by side, with the moves of relevant answers drawn."),
    inspect=(
        "provenance",
        "Show which files the runs and judgements come from, and what was wrong with them.",
    ),
    judge=("judge", "Judge an answer that nobody judged: 0 to 3; kept apart from the official grades."),
    raw=("LaTeX", "Show formulas as LaTeX, or as they are read."),
    choose_run=("run", "Choose the run that is shown."),
    against=("against", "Choose the run that it is held against."),
    earlier="Go to the topic before this one.",
    later="Go to the topic after this one.",
    yank=("yank", "Copy the line of the run; `Y` offers id, text, LaTeX, JSON and the command line."),
    export="Write a run, a table, the bars or your judgements to a file.",
)
_KEPT = 64
_CHUNK = 250


class ArqmathScreen(Searching, WorkbenchScreen):
    """Topics with their scores, rankings, and answers."""

    MODE = "arqmath"
    KEYS = KEYS
    BINDINGS = bindings(KEYS)

    def __init__(self) -> None:
        super().__init__()
        self.collection: Collection | None = None
        self.collections: Sequence[Collection] = ()
        self.overview: Mapping[str, Any] = {}
        self.ranking: Mapping[str, Any] | None = None
        self.judgements: Judgements | None = None
        self.run = ""
        self.against = ""
        self.index_state = "none"
        self.rows: list[dict[str, Any]] = []
        self._kept: Mapping[str, object] = {}
        self._rankings: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._posts: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._snippets: dict[str, str] = {}
        self._shown_rows: tuple[str, str, str] = ("", "", "")
        self._ask_topic: Latest[str] = Latest(self, self._fetch_topic)
        self._ask_post: Latest[str] = Latest(self, self._fetch_post)

    def panes(self) -> Iterable[Pane]:
        """Topics; the ranking and what else there is to see of it; the answer."""
        yield TopicsPane(id="left", share=10)
        answers = LossListing(ANSWER_COLUMNS, loss="change", id="answers", fields=ANSWER_FIELDS, counts=False)
        answers.when_empty("No topic is chosen", "")
        yield Pane(
            Page("rank", answers, id="rank-page"),
            Page("moves", id="moves-page", make=lambda: [MovesListing(id="moves")]),
            Page("bars", id="bars-page", make=lambda: [Listing(BAR_COLUMNS, id="bars", counts=False)]),
            Page("qrels", id="qrels-page", make=lambda: [ReaderBox(id="qrels")]),
            Page(
                "task 3",
                id="written-page",
                make=lambda: [Listing(WRITTEN_COLUMNS, id="written", counts=False)],
            ),
            Page("search", id="search-page", make=_hits),
            title="ranking",
            id="middle",
            share=17,
        )
        yield AnswerPane(id="right", share=13)

    # Collections

    async def restore(self, state: Mapping[str, object]) -> None:
        """The collection comes first; its lists take their part when it is there."""
        self._kept = state
        await super().restore(state)

    def state(self) -> dict[str, object]:
        """Which collection, which runs, besides the lists."""
        name = self.collection.name if self.collection is not None else ""
        return {**super().state(), "collection": name, "run": self.run, "against": self.against}

    def begin(self) -> None:
        """Look for collections."""
        self.query_one("#topics", Listing).show_loading("looking for collections")
        # In ASCII a raised 2 would come out as a 2 like any other.
        self.query_one(AnswerPane).raw = self.workbench.ascii
        self.find_collections(str(self._kept.get("collection") or ""))

    @work(thread=True, exclusive=True, group="collections", exit_on_error=False)
    def find_collections(self, wanted: str = "") -> None:
        """List the collections, and show the wanted or the first one."""
        from workbench.collections import collections

        try:
            found = collections(self.workbench.workspace)
        except EngineError as error:
            self.app.call_from_thread(self._failed, error)
            return
        self.app.call_from_thread(self._listed, found, wanted)

    def _listed(self, found: Sequence[Collection], wanted: str) -> None:
        self.collections = found
        first = next((one for one in found if one.name == wanted), found[0] if found else None)
        if first is not None:
            self.open_collection(first)
        else:
            self.query_one("#topics", Listing).load([])
            self.query_one(TopicsPane).show_names([], "")
            self.show_chosen()

    def open_collection(self, collection: Collection) -> None:
        """Show a collection; what is known of another one is forgotten."""
        self.collection = collection
        self.overview, self.ranking, self.rows = {}, None, []
        self._rankings.clear()
        self._posts.clear()
        self._snippets.clear()
        self._shown_rows = ("", "", "")
        self.index_state = "none"
        self.say_index("")
        self.query_one(TopicsPane).show_names([one.name for one in self.collections], collection.name)
        self.query_one("#topics", Listing).show_loading(f"reading {collection.name}")
        self.query_one(TopicsPane).show_run({}, ())
        answers = self.query_one("#answers", Listing)
        answers.when_empty("No topic is chosen", "")
        answers.load([], keep=False)
        self.show_chosen()
        self.describe()
        self._read(collection)

    @property
    def params(self) -> dict[str, Any]:
        """What every task needs to know of the collection."""
        assert self.collection is not None
        return {
            "folder": str(self.collection.path),
            "added": [str(path) for path in self.collection.added_runs()],
            "index": str(self.collection.index),
        }

    @work(exclusive=True, group="collection", exit_on_error=False)
    async def _read(self, collection: Collection) -> None:
        listing = self.query_one("#topics", Listing)

        def told(event: Event) -> None:
            if event.kind == "progress" and not len(listing.table.rows):
                number, total = int(str(event.data["done"])) + 1, event.data["total"]
                listing.show_loading(f"reading {collection.name}: run {number} of {total}")

        try:
            judgements = collection.judgements()
            overview = await self.call("arqmath.overview", self.params, told)
        except EngineError as error:
            if collection is self.collection:
                self._failed(error)
            return
        if collection is not self.collection:
            return
        self.judgements = judgements
        for problem in judgements.problems:
            self.workbench.report(problem)
        self._show_overview(overview)
        if self.index_state == "small":
            self._index_now(collection)

    @work(group="index", exit_on_error=False)
    async def _index_now(self, collection: Collection) -> None:
        await self.index(collection)

    def _failed(self, error: EngineError) -> None:
        name = self.collection.name if self.collection is not None else ""
        self.crumbs = (name,) if name else ()
        self.query_one(TopicsPane).show_names([one.name for one in self.collections], name)
        self.query_one("#topics", Listing).show_error(error)
        self._show_ranking(None)

    def _show_overview(self, overview: Mapping[str, Any]) -> None:
        self.overview = overview
        self.index_state = overview["index"]
        names = [run["name"] for run in overview["runs"]]
        kept, self._kept = self._kept, {}
        wanted = [str(kept.get("run") or self.run), str(kept.get("against") or self.against)]
        # The first run is the baseline, as in `mathwb arqmath compare`; the last is the newest idea.
        self.run = wanted[0] if wanted[0] in names else names[-1] if names else ""
        others = [name for name in names if name != self.run]
        self.against = wanted[1] if wanted[1] in others else others[0] if others else ""
        if overview["problems"]:
            first, more = overview["problems"][0], len(overview["problems"]) - 1
            tail = f" (and {more} more; i lists them)" if more else ""
            self.workbench.warn(f"{first}{tail}")
        self._keep_cursor = bool(kept)
        self._show_topics(keep=bool(kept))
        if self.index_state == "large":
            self.say_index("posts are not indexed: a offers to")
        elif self.index_state == "none":
            self.say_index("the collection has no posts")

    def _show_topics(self, *, keep: bool) -> None:
        listing = self.query_one("#topics", Listing)
        listing.when_empty("No topics, judgements or runs", "An arqmath.toml in the folder can name them.")
        records = self._records()
        facts: Mapping[str, Any] = next((run for run in self.overview["runs"] if run["name"] == self.run), {})
        values = [record["ndcg"] for record in records if record["ndcg"] is not None]
        self.query_one(TopicsPane).show_run(facts, values)
        listing.load(records, keep=True)
        if not keep and listing.table.cursor == 0 and not self.ranking:
            # Topics that the run has come first to mind: the cursor begins on one.
            first = next((record["id"] for record in records if record["ndcg"] is not None), None)
            if first is not None:
                listing.table.go_to(first)
        self._fill_page()
        self.describe()
        self.refresh_bindings()

    def _records(self) -> list[Record]:
        return topic_records(self.overview, self.run, self.against, plain=self.workbench.ascii)

    @on(TopicsPane.Picked)
    def _collection_picked(self, event: TopicsPane.Picked) -> None:
        found = next((one for one in self.collections if one.name == event.name), None)
        if found is not None:
            self.open_collection(found)

    @on(JobWatch.Looked)
    def _jobs_looked(self) -> None:
        """An index may have been built by a job by now."""
        if self.collection is not None and self.index_state == "large" and self.collection.indexed:
            self.say_index("")
            self.indexed(self.collection)

    def indexed(self, collection: Collection) -> None:
        """There is an index now."""
        if collection is self.collection:
            self.index_state = "ready"
            self._tell_snippets()
            self.show_chosen()
            self.refresh_bindings()

    def say_index(self, words: str) -> None:
        """How far the index is, in the frame of the left pane."""
        self.query_one("#left", Pane).footnote = words

    # A topic

    @property
    def topic(self) -> str:
        """The topic under the cursor."""
        return self.query_one("#topics-table", Table).current_key or ""

    @on(Table.Moved, "#topics-table")
    def _topic_moved(self) -> None:
        topic = self.topic
        if not topic or not self.overview:
            self._show_ranking(None)
        elif topic in self._rankings:
            self._show_ranking(self._rankings[topic])
        else:
            self.query_one("#middle", Pane).title = topic
            self._ask_topic.ask(topic)
        self.describe()
        self.refresh_bindings()

    async def _fetch_topic(self, topic: str) -> None:
        collection = self.collection
        if collection is None:
            return
        try:
            found = await self.call("arqmath.ranking", {**self.params, "topic": topic})
        except EngineError as error:
            if topic == self.topic:
                self._show_ranking(None)
                self.query_one("#answers", Listing).show_error(error)
            return
        if collection is not self.collection:
            return
        self._rankings[topic] = found
        while len(self._rankings) > _KEPT:
            self._rankings.popitem(last=False)
        if topic == self.topic:
            self._show_ranking(found)

    def _show_ranking(self, found: Mapping[str, Any] | None) -> None:
        self.ranking = found
        self.query_one(AnswerPane).show_topic(found)
        if found is None:
            self.rows = []
            self._shown_rows = ("", "", "")
            answers = self.query_one("#answers", Listing)
            answers.load([], keep=False)
            self._fill_page()
            self.describe()
            self.show_chosen()
            return
        this = (found["topic"], self.run, self.against)
        if this == self._shown_rows and self.rows:
            return
        same = found["topic"] == self._shown_rows[0]
        self._shown_rows = this
        self.rows = self._make_rows(found)
        listing = self.query_one("#answers", LossListing)
        listing.when_empty("No run has answers to this topic", "[ and ] show what else there is of it.")
        listing.load(self.rows, keep=same)
        if not same and not self._keep_cursor:
            listing.table.cursor = 0
        self._keep_cursor = False
        self._fill_page()
        self.describe()
        self.show_chosen()
        self._tell_snippets()

    _keep_cursor = False

    def _make_rows(self, found: Mapping[str, Any]) -> list[dict[str, Any]]:
        from engines.arqmath.rankings import answer_rows

        own = self.judgements.of(found["topic"]) if self.judgements is not None else {}
        compared = bool(self.against) and self.against in found["runs"]
        return [
            {
                **row,
                "own": own.get(row["id"]),
                "answer": self._snippets.get(row["id"], ""),
                "compared": compared,
            }
            for row in answer_rows(found, self.run, self.against)
        ]

    @work(exclusive=True, group="snippets", exit_on_error=False)
    async def _tell_snippets(self) -> None:
        """How the answers begin, from the top; what is known already is not asked again."""
        if self.index_state != "ready":
            return
        shown = self._shown_rows
        unknown = [row["id"] for row in self.rows if row["id"] not in self._snippets]
        for start in range(0, len(unknown), _CHUNK):
            ids = unknown[start : start + _CHUNK]
            try:
                plain = {"plain": self.workbench.ascii}
                found = await self.call("arqmath.snippets", {**self.params, **plain, "ids": ids})
            except EngineError as error:
                self.workbench.report(error)
                return
            self._snippets.update({**dict.fromkeys(ids, ""), **found["snippets"]})
            if shown != self._shown_rows:
                return
            self._place_snippets()

    def _place_snippets(self) -> None:
        for row in self.rows:
            row["answer"] = self._snippets.get(row["id"], "")
        for name in ("#answers", "#moves"):
            for listing in self.query(name).results(Listing):
                if listing.query_text:
                    listing.table.set_filter(listing.table.filter)
                listing.table.refresh()

    # The pages of the middle

    @property
    def page(self) -> str:
        """Which page of the middle pane is shown: rank, moves, bars, qrels, written, search."""
        page = self.query_one("#middle", Pane).page
        return (page.id or "").removesuffix("-page") if page is not None else "rank"

    @on(Pane.PageShown, "#middle")
    def _page_shown(self) -> None:
        self._fill_page()
        self.describe()
        self.show_chosen()
        self.refresh_bindings()

    def _fill_page(self) -> None:
        page = self.page
        if page == "moves":
            listing = self.query_one("#moves", MovesListing)
            listing.when_empty("There is no second run to put beside it", "b chooses one.")
            shown = self.rows if self.against else []
            topic = self.ranking["topic"] if self.ranking else ""
            same = topic == self._moves_of
            self._moves_of = topic
            listing.show(shown, (self.against, self.run), keep=same)
        elif page == "bars" and self.overview:
            records = self._records()
            listing_ = self.query_one("#bars", Listing)
            listing_.when_empty("No topic of this run is judged", "c chooses another run.")
            listing_.load([record for record in records if record["ndcg"] is not None])
        elif page == "qrels":
            self.query_one("#qrels", ReaderBox).reader.show(offers.judged_lines(self))
        elif page == "written":
            written = self.query_one("#written", Listing)
            written.when_empty(
                "No answers were written to this topic", "Task 3 runs are `answers` in arqmath.toml."
            )
            written.load(_written_rows(self.ranking, "text" if self.workbench.ascii else "shown"), keep=False)
        elif page == "search" and not self.hits and not self.query_asked:
            hits = self.query_one("#hits", Listing)
            hits.when_empty("Nothing was searched for yet", "a asks.")
            hits.load([])

    _moves_of = ""

    @on(Table.Moved, "#answers-table")
    @on(Table.Moved, "#moves-table")
    @on(Table.Moved, "#written-table")
    @on(Table.Moved, "#hits-table")
    def _row_moved(self) -> None:
        if self.page == "moves":
            self.query_one("#moves", MovesListing).draw()
        self.show_chosen()

    @on(Table.Counted, "#answers-table")
    def _counted(self) -> None:
        self.describe()

    @on(Table.Opened, "#topics-table")
    def _topic_opened(self) -> None:
        self.show_pane("middle")

    @on(Table.Opened, "#answers-table")
    @on(Table.Opened, "#moves-table")
    @on(Table.Opened, "#written-table")
    @on(Table.Opened, "#hits-table")
    async def _row_opened(self) -> None:
        await self.query_one("#right", Pane).show_page("answer-page")
        self.show_pane("right")

    @on(Table.Opened, "#bars-table")
    def _bar_opened(self, event: Table.Opened) -> None:
        self.go_to_topic(event.table.current_key or "")

    def action_left(self) -> None:
        """The left one of two runs, then the pane on the left."""
        if not self._take_side("left"):
            super().action_left()

    def action_right(self) -> None:
        """The right one of two runs, then the pane on the right."""
        if not self._take_side("right"):
            super().action_right()

    def _take_side(self, side: str) -> bool:
        if self.page != "moves" or self.active_pane is not self.query_one("#middle", Pane):
            return False
        listing = self.query_one("#moves", MovesListing)
        if listing.side == side:
            return False
        listing.take_side(side)
        self.show_chosen()
        return True

    # An answer

    @property
    def chosen(self) -> Record | None:
        """The answer under the cursor of the page that is shown."""
        page = self.page
        if page == "moves":
            return self.query_one("#moves", MovesListing).chosen
        name = {"written": "#written-table", "search": "#hits-table"}.get(page, "#answers-table")
        found = next(iter(self.query(name).results(Table)), None)
        return found.current if found is not None else None

    def show_chosen(self) -> None:
        """The answer under the cursor, in the right pane."""
        row, pane = self.chosen, self.query_one(AnswerPane)
        pane.show_row(row)
        if row is None:
            self._ask_post.forget()
        elif "written" in row:
            pane.show_post(row["written"])
        elif row["id"] in self._posts:
            pane.show_post(self._posts[row["id"]])
        elif self.index_state == "none":
            pane.show_instead(["The collection has no posts to read."])
        elif self.index_state == "large":
            pane.show_instead(["The posts are not indexed; a offers to."])
        else:
            pane.show_waiting()
            self._ask_post.ask(row["id"])
        self.crumb()
        self.refresh_bindings()

    async def _fetch_post(self, document: str) -> None:
        collection = self.collection
        if collection is None:
            return
        try:
            found = await self.call("arqmath.post", {**self.params, "id": document})
        except EngineError as error:
            if self.chosen is not None and self.chosen["id"] == document:
                self.query_one(AnswerPane).show_failure(error)
            return
        if collection is not self.collection:
            return
        self._posts[document] = found
        while len(self._posts) > _KEPT:
            self._posts.popitem(last=False)
        if self.chosen is not None and self.chosen["id"] == document:
            self.query_one(AnswerPane).show_post(found)

    # Words

    def describe(self) -> None:
        """Titles and footnotes of what is shown."""
        pane = self.query_one("#middle", Pane)
        page, topic = self.page, self.topic
        delta = f"Δ {self.run} − {self.against}" if self.against else self.run
        pane.footnote = delta
        if page == "bars":
            pane.title, pane.detail = "nDCG′", f"of {self.run}" if self.run else ""
        elif page == "qrels":
            pane.title, pane.detail = "judgements", ""
        elif page == "search":
            pane.title, pane.detail, pane.footnote = "search", self.query_asked, self._said
        else:
            pane.title = topic or "ranking"
            pane.detail = self._how_many() if topic and page == "rank" else ""
            if page == "moves" and topic and self.against:
                pane.detail = f"from {self.against} to {self.run}"
        self.crumb()

    def _how_many(self) -> str:
        if self.ranking is None:
            return ""
        table = self.query_one("#answers-table", Table)
        answers = f"· {count(len(self.ranking['runs'].get(self.run, ())))} answers"
        return f"{answers}, {count(table.shown)} shown" if table.filter is not None else answers

    def crumb(self) -> None:
        """The breadcrumb."""
        if self.collection is None:
            self.crumbs = ()
            return
        place = [self.collection.name]
        row = self.chosen
        if self.page == "search":
            place.append("search")
        elif self.topic:
            place += [self.topic, *([self.run] if self.run else [])]
        if row is not None and self.page not in ("bars", "qrels"):
            place.append(f"answer {row['id']}")
        self.crumbs = tuple(place)
        if (titles := tuple(pane.title for pane in self._panes)) != self._titles:
            # Panes that share a place name each other in their frames.
            self._titles = titles
            self._arrange()

    _titles: tuple[str, ...] = ()

    # What can be done

    def why_not(self, verb: str) -> str:
        """The screen's own reasons."""
        runs = self.overview.get("runs", ())
        if verb in ("inspect", "add") and self.collection is None:
            return "there is no collection"
        if verb in ("diff", "against") and len(runs) < 2:
            return "there is one run; `add a run file` in the palette adds another"
        if verb == "choose_run" and not runs:
            return "there are no runs; `add a run file` in the palette adds one"
        if verb == "raw" and self.chosen is None and self.ranking is None:
            return "nothing is shown"
        if verb == "judge":
            return self._why_not_judge()
        if verb in ("next_tab", "previous_tab") and self._has_several():
            return ""
        return self.why_not_search(verb) or super().why_not(verb)

    def _why_not_judge(self) -> str:
        row = self.chosen
        if row is None or not self.topic or self.page not in ("rank", "moves"):
            return "an answer to a topic has to be under the cursor"
        if row["grade"] is not None:
            return "it is judged officially, and that stays"
        return ""

    def _has_several(self) -> bool:
        """Whether the active pane is the left one, and it has tabs."""
        pane = self.active_pane
        return isinstance(pane, TopicsPane) and len(self.collections) > 1

    async def step_tab(self, by: int) -> None:
        """On the left the tabs are the collections, when there are several."""
        if self._has_several():
            self.query_one(TopicsPane).step(by)
        else:
            await super().step_tab(by)

    def action_earlier(self) -> None:
        self.query_one("#topics-table", Table).cursor -= 1

    def action_later(self) -> None:
        self.query_one("#topics-table", Table).cursor += 1

    def action_refresh(self) -> None:
        """From the files again, and whatever collections there are now."""
        self.find_collections(self.collection.name if self.collection is not None else "")

    def action_raw(self) -> None:
        self.query_one(AnswerPane).toggle_raw()

    async def action_diff(self) -> None:
        await self.query_one("#middle", Pane).show_page("moves-page")
        self.show_pane("middle")

    def action_choose_run(self) -> None:
        self._choose("show the run", self.show_run, self.run)

    def action_against(self) -> None:
        self._choose("hold it against", self.hold_against, self.against)

    def _choose(self, title: str, done: Any, now: str) -> None:
        from screens.arqmath.looks import fraction
        from screens.widgets.dialogs import Choice, Chooser

        choices = [
            Choice(
                run["name"],
                run["name"],
                f"mean nDCG′ {fraction(run.get('ndcg_prime'))}{'   shown now' if run['name'] == now else ''}",
                key=str(number) if number < 10 else "",
            )
            for number, run in enumerate(self.overview["runs"], start=1)
        ]
        self.app.push_screen(Chooser(title, choices), lambda name: done(name) if name is not None else None)

    def show_run(self, name: str) -> None:
        """Show another run; when it is the one held against, the two change places."""
        if name == self.against:
            self.against = self.run
        self.run = name
        self._runs_chosen()

    def hold_against(self, name: str) -> None:
        """Hold the run against another one; when it is the run itself, the two change places."""
        if name == self.run:
            self.run = self.against
        self.against = name
        self._runs_chosen()

    def _runs_chosen(self) -> None:
        self._show_topics(keep=True)
        if self.ranking is not None:
            self._show_ranking(self.ranking)

    def action_judge(self) -> None:
        from screens.widgets.dialogs import Choice, Chooser

        row, topic = self.chosen, self.topic
        if row is None:
            return
        choices = [Choice(str(grade), word, key=str(grade)) for grade, word in enumerate(GRADES)]
        if row["own"] is not None:
            choices.append(Choice("-", "take it back", key="-"))

        def done(grade: str | None) -> None:
            if grade is not None:
                self.keep_judgement(topic, row["id"], None if grade == "-" else int(grade))

        self.app.push_screen(Chooser(f"judge answer {row['id']} to {topic}", choices), done)

    def keep_judgement(self, topic: str, document: str, grade: int | None) -> None:
        """Keep one's own grade of an answer; None takes it back."""
        if self.judgements is None:
            return
        try:
            self.judgements.judge(topic, document, grade)
        except EngineError as error:
            self.workbench.report(error)
            return
        for row in self.rows:
            if row["id"] == document and self.topic == topic:
                row["own"] = grade
        kept = f"judged {grade}" if grade is not None else "not judged any more"
        self.workbench.say(f"answer {document} to {topic} {kept}; {count(len(self.judgements))} of your own")
        for table in self.query("#answers-table, #moves-table").results(Table):
            table.refresh()
        self.show_chosen()

    def action_inspect(self) -> None:
        from screens.widgets.textscreen import TextScreen

        if self.collection is not None and self.overview:
            self.app.push_screen(TextScreen(f"collection {self.collection.name}", offers.provenance(self)))

    # What others ask

    def go_to_topic(self, topic: str) -> bool:
        """Show a topic; whether it is among the lines."""
        self.show_pane("left")
        found = self.query_one("#topics-table", Table).go_to(topic)
        if self.page in ("bars", "search"):
            self.call_later(self.query_one("#middle", Pane).show_page, "rank-page")
        self.show_pane("middle")
        return found

    def selection(self) -> Selection | None:
        """The topic or the answer, by the pane that has the focus."""
        return offers.selection(self)

    def exports(self) -> Sequence[Export]:
        """Runs, tables, bars, judgements."""
        return offers.exports(self)

    def lookups(self) -> Sequence[Lookup]:
        """`:topic A.301`, `:answer 12`, `:run bm25`, `:collection NAME`."""
        return offers.lookups(self)

    def commands(self) -> Sequence[Command]:
        """Runs from elsewhere, and the index."""
        return offers.commands(self)

    @work(thread=True, exit_on_error=False)
    def change_runs(self, path: Path, *, add: bool) -> None:
        """Add a run file to the collection, or take it off the list, and read again."""
        collection = self.collection
        if collection is None:
            return
        try:
            collection.add_run(path) if add else collection.forget_run(path)
        except (EngineError, OSError) as error:
            self.app.call_from_thread(self.workbench.report, error)
            return
        self.app.call_from_thread(self.find_collections, collection.name)


def _hits() -> list[Listing]:
    return [Listing(HIT_COLUMNS, id="hits", fields=HIT_FIELDS, counts=False)]


def _written_rows(ranking: Mapping[str, Any] | None, shown: str) -> list[Record]:
    """The answers that were written to a topic, each with what the right pane shows of it."""
    rows: list[Record] = []
    for answer in ranking["answers"] if ranking is not None else ():
        post = {"id": answer["run"], "text": answer["shown"], "latex": answer["text"], "score": None}
        rows.append(
            {
                "id": answer["run"],
                "run": answer["run"],
                "grade": answer["grade"],
                "own": None,
                "topic": False,
                "characters": len(answer["text"]),
                "answer": " ".join(answer[shown].split()),
                "sources": answer["sources"],
                "written": {**post, "question": None},
            }
        )
    return rows
