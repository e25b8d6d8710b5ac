"""The ARQMath screen: topics on the left, their rankings in the middle, an answer on the right.

A little over 500 lines: what is chosen in one pane changes what the others show, and all of that stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import ComposeResult

from engines.core.errors import EngineError
from screens.arqmath.answer import AnswerPane
from screens.arqmath.keys import KEYS
from screens.arqmath.ranking import RankingPane
from screens.arqmath.reader import (
    CollectionFinder,
    CollectionReader,
    OverviewProgress,
    OverviewRead,
    PostRead,
    RankingRead,
    Searched,
    Searcher,
    SearchProgress,
    SnippetsRead,
    of_runs,
)
from screens.arqmath.runs import Runs
from screens.arqmath.topics import HitList, TopicsPane
from screens.shell.export import Command, Export, Lookup
from screens.shell.keymap import bindings
from screens.shell.screen import WorkbenchScreen
from screens.shell.theme import count
from screens.shell.watch import JobWatch
from screens.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.papers.arqmath.data import Collection


class ArqmathScreen(WorkbenchScreen):
    """Topics with their scores, rankings, and answers."""

    MODE = "arqmath"
    BINDINGS = bindings(KEYS)

    def __init__(self) -> None:
        super().__init__()
        self.runs: Runs | None = None
        self.collections: Sequence[Collection] = ()
        self._kept: Mapping[str, object] = {}
        self.reader = CollectionReader(lambda: self.workbench.engine)
        self.finder = CollectionFinder()
        self.searcher = Searcher(lambda: self.workbench.new_engine())
        self.hits = HitList(id="hits")
        self.topics = TopicsPane(id="left", share=10)
        self.ranking = RankingPane(self.reader.posts, self.hits, id="middle", share=17)
        self.answer = AnswerPane(id="right", share=13)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield from (self.finder, self.reader, self.searcher)

    def panes(self) -> Iterable[Pane]:
        """Topics; the ranking and what else there is to see of it; the answer."""
        return self.topics, self.ranking, self.answer

    # Collections

    async def restore(self, state: Mapping[str, object]) -> None:
        """The collection comes first; its lists take their part when it is there."""
        self._kept = state
        self.searcher.ranker = None if (ranker := state.get("ranker")) is None else str(ranker)
        await super().restore(state)

    def state(self) -> dict[str, object]:
        """Which collection, which runs, besides the lists."""
        runs = self.runs
        shown = {"collection": runs.collection.name, **runs.chosen_names} if runs is not None else {}
        return {**super().state(), **shown, "ranker": self.searcher.ranker}

    def begin(self) -> None:
        """Look for collections."""
        self.topics.show_loading("looking for collections")
        # In ASCII a raised 2 would come out as a 2 like any other.
        self.answer.raw = self.ranking.plain = self.workbench.ascii
        self._find(str(self._kept.get("collection") or ""))

    @property
    def collection(self) -> Collection | None:
        """The collection that is shown."""
        return self.runs.collection if self.runs is not None else None

    def _find(self, wanted: str) -> None:
        self.finder.find(self.workbench.workspace, wanted)

    @on(CollectionFinder.Failed)
    def _not_found(self, event: CollectionFinder.Failed) -> None:
        self.workbench.report(event.error) if event.found else self._failed(event.error)

    @on(CollectionFinder.Found)
    def _found(self, event: CollectionFinder.Found) -> None:
        self.collections = found = event.collections
        first = next((one for one in found if one.name == event.wanted), found[0] if found else None)
        if first is not None:
            self.open_collection(first)
        else:
            self.topics.show_none()
            self.topics.show_sources([], "")
            self.show_answer()

    def open_collection(self, collection: Collection) -> None:
        """Show a collection; what is known of another one is forgotten."""
        before = self.runs
        if before is not None and before.collection.path != collection.path:
            self.searcher.stop()
            self.hits.forget()
        self.runs = Runs(collection, {}, before.run, before.against) if before else Runs(collection)
        self.searcher.open(collection)
        self.topics.show_sources([one.name for one in self.collections], collection.name)
        self.topics.show_loading(f"reading {collection.name}")
        self.ranking.forget()
        try:
            self.reader.open(collection)
        except EngineError as error:
            self._failed(error)

    @on(OverviewProgress)
    def _overview_going_on(self, event: OverviewProgress) -> None:
        if event.event.kind == "progress" and self.collection is not None and self.topics.empty:
            number, total = int(str(event.event.data["done"])) + 1, event.event.data["total"]
            self.topics.show_loading(f"reading {self.collection.name}: run {number} of {total}")

    @on(OverviewRead)
    def _overview_read(self, event: OverviewRead) -> None:
        try:
            if event.error is not None:
                raise event.error
            self.ranking.judgements = judgements = event.of.judgements()
        except EngineError as error:
            self._failed(error)
            return
        for problem in judgements.problems:
            self.workbench.report(problem)
        if self.runs is not None:
            self._show_overview(self.runs, event.value)

    def _failed(self, error: EngineError) -> None:
        name = self.collection.name if self.collection is not None else ""
        self.crumbs = (name,) if name else ()
        self.topics.show_sources([one.name for one in self.collections], name)
        self.topics.show_error(error)
        self.ranking.show_ranking(None)

    def _show_overview(self, runs: Runs, overview: Mapping[str, Any]) -> None:
        kept, self._kept = self._kept, {}
        self.runs = runs.read(overview, {**runs.chosen_names, **kept})
        if overview["problems"]:
            first, more = overview["problems"][0], len(overview["problems"]) - 1
            tail = f" (and {more} more; i lists them)" if more else ""
            self.workbench.warn(f"{first}{tail}")
        self.ranking.keep_cursor = bool(kept)
        self._show_runs()
        if not kept:
            self.topics.begin_at_first_score()
        self.searcher.open(runs.collection, overview["index"])

    def _show_runs(self) -> None:
        if self.runs is not None:
            self.topics.show_runs(self.runs, plain=self.workbench.ascii)
            self.ranking.show_runs(self.runs, self.topics.records)
            self.refresh_bindings()

    @on(TopicsPane.Picked)
    def _collection_picked(self, event: TopicsPane.Picked) -> None:
        self._go_to_collection(event.name)

    @on(JobWatch.Looked)
    def _jobs_looked(self) -> None:
        self.searcher.look()

    # A topic

    @on(TopicsPane.Moved)
    def _topic_moved(self) -> None:
        topic = self.topic
        self.ranking.show_topic(topic)
        if not topic or self.runs is None or not self.runs.overview:
            self._show_ranking(None)
        elif (known := self.reader.ranking(topic)) is not None:
            self._show_ranking(known)
        self._show_crumbs()
        self.refresh_bindings()

    @on(RankingRead)
    def _ranking_read(self, event: RankingRead) -> None:
        if event.of == self.topic:
            self._show_ranking(event.value)
            if event.error is not None:
                self.ranking.show_error(event.error)

    def _show_ranking(self, found: Mapping[str, Any] | None) -> None:
        self.ranking.show_ranking(found)
        self.answer.show_topic(found)
        self._ask_snippets()

    def _ask_snippets(self) -> None:
        """How the answers begin, from the top; what is known already is not asked again."""
        if self.searcher.state == "ready":
            self.reader.snippets(self.ranking.without_snippet, plain=self.workbench.ascii)

    @on(SnippetsRead)
    def _snippets_read(self, event: SnippetsRead) -> None:
        if event.error is not None:
            self.workbench.report(event.error)
        else:
            self.ranking.show_snippets(event.of, event.value["snippets"])
            self._ask_snippets()

    @on(TopicsPane.Opened)
    def _topic_opened(self) -> None:
        self.show_pane("middle")

    @on(RankingPane.TopicOpened)
    def _topic_followed(self, event: RankingPane.TopicOpened) -> None:
        self.go_to_topic(event.topic)

    # An answer

    @on(RankingPane.Moved)
    def show_answer(self) -> None:
        """The answer under the cursor, in the right pane."""
        chosen, pane = self.ranking.chosen, self.answer
        pane.show_answer(chosen)
        if chosen is None:
            self.reader.no_post()
        elif "written" in chosen.row:
            pane.show_post(chosen.row["written"])
        elif self.searcher.state == "none":
            pane.show_instead(["The collection has no posts to read."])
        elif self.searcher.state == "large":
            pane.show_instead(["The posts are not indexed; a offers to."])
        elif (post := self.reader.post(chosen.row["id"])) is not None:
            pane.show_post(post)
        else:
            pane.show_waiting()
        self._show_crumbs()
        self.refresh_bindings()

    @on(PostRead)
    def _post_read(self, event: PostRead) -> None:
        if self.ranking.row is not None and self.ranking.row["id"] == event.of:
            if event.error is None:
                self.answer.show_post(event.value)
            else:
                self.answer.show_failure(event.error)

    @on(RankingPane.Opened)
    async def _answer_opened(self) -> None:
        await self.answer.show_page("answer-page")
        self.show_pane("right")

    def _show_crumbs(self) -> None:
        if self.runs is None:
            self.crumbs = ()
            return
        place, page, topic = [self.runs.collection.name], self.page, self.topic
        run, row = self.runs.run, self.ranking.row
        if page == "search":
            place.append("search")
        elif topic:
            place += [topic, *([run] if run else [])]
        if row is not None and page not in ("bars", "qrels"):
            place.append(f"answer {row['id']}")
        self.crumbs = tuple(place)

    # Searching

    def action_add(self) -> None:
        """Ask for a query."""
        from screens.widgets.dialogs import Prompt

        collection = self.collection
        if collection is None:
            return
        if self.searcher.state == "large":
            self.offer_index()
            return
        hint = "words and $LaTeX$;  enter searches the answers, esc leaves it"
        prompt = Prompt(f"search {collection.name} for", self.hits.asked, hint=hint)
        prompt.ask(self.app, lambda text: text.strip() and self._begin_search(text.strip()))

    @work(group="search", exit_on_error=False)
    async def _begin_search(self, query: str) -> None:
        await self.ranking.show_page("search-page")
        model = self.searcher.model(self.workbench.workspace)
        self.hits.begin(query, model, plain=self.workbench.ascii)
        self.ranking.describe()
        self.show_pane("middle")
        self.searcher.search(query, model)
        self.refresh_bindings()

    @on(SearchProgress)
    def _search_going_on(self, event: SearchProgress) -> None:
        if event.tag == self.hits.wanted:
            self.hits.hear(event.event.data)

    @on(Searched)
    def _searched(self, event: Searched) -> None:
        if event.tag != self.hits.wanted:
            return
        if event.error is None:
            self.hits.finish(event.value)
        elif not self.searcher.searching:
            self.hits.show_error(event.error)
        self.refresh_bindings()

    def action_model(self) -> None:
        """Ask what ranks again; what was searched for is searched for anew."""
        again = self.hits.asked
        then = partial(self._begin_search, again) if again else lambda: None
        self.searcher.choose_model(self.workbench.workspace, then)

    def action_stop(self) -> None:
        """End what runs, with what there is."""
        self.searcher.stop()

    @on(Searcher.Said)
    def _index_said(self, event: Searcher.Said) -> None:
        self.topics.footnote = event.words
        self.refresh_bindings()

    @on(Searcher.Failed)
    def _index_failed(self, event: Searcher.Failed) -> None:
        if event.error is not None:
            self.workbench.report(event.error)

    @on(Searcher.Ready)
    def _index_ready(self) -> None:
        self._ask_snippets()
        self.show_answer()

    def offer_index(self) -> None:
        """A large collection is indexed by a job."""
        self.searcher.offer_job(self.workbench.workspace)

    @on(Searcher.Submitted)
    def _index_submitted(self, event: Searcher.Submitted) -> None:
        if event.error is not None:
            self.workbench.report(event.error)
        else:
            self.workbench.say(f"job {event.number} builds the index")

    # What can be done

    @property
    def topic(self) -> str:
        """The topic under the cursor."""
        return self.topics.topic

    @property
    def page(self) -> str:
        """Which page of the middle pane is shown."""
        return self.ranking.page_name

    def why_not(self, verb: str) -> str:
        """The screen's own reasons."""
        runs = self.runs.names if self.runs is not None else []
        if verb in ("inspect", "add") and self.collection is None:
            return "there is no collection"
        if verb in ("diff", "against") and len(runs) < 2:
            return "there is one run; `add a run file` in the palette adds another"
        if verb == "choose_run" and not runs:
            return "there are no runs; `add a run file` in the palette adds one"
        if verb == "raw" and self.answer.empty:
            return "nothing is shown"
        if verb == "judge":
            return self.read_only or self.ranking.why_not(verb)
        if verb == "add" and self.searcher.state == "none":
            return "the collection has no posts"
        if verb == "add" and self.searcher.indexing:
            return "its posts are being indexed; x stops it"
        if verb in ("earlier", "later"):
            return self.topics.why_no_step(verb)
        if verb == "stop" and not (self.searcher.searching or self.searcher.indexing):
            return "nothing is running here; jobs are stopped on the Jobs screen"
        return super().why_not(verb)

    def action_left(self) -> None:
        """The left one of two runs, then the pane on the left."""
        if not (self.active_pane is self.ranking and self.ranking.take_side("left")):
            super().action_left()

    def action_right(self) -> None:
        """The right one of two runs, then the pane on the right."""
        if not (self.active_pane is self.ranking and self.ranking.take_side("right")):
            super().action_right()

    def action_earlier(self) -> None:
        self.topics.step(-1)

    def action_later(self) -> None:
        self.topics.step(1)

    def action_refresh(self) -> None:
        """From the files again, and whatever collections there are now."""
        self._find(self.collection.name if self.collection is not None else "")

    def action_raw(self) -> None:
        self.answer.toggle_raw()

    async def action_diff(self) -> None:
        await self.ranking.show_page("moves-page")
        self.show_pane("middle")

    def action_choose_run(self) -> None:
        if self.runs is not None:
            self._choose_run("show the run", self.runs.run, self.runs.show)

    def action_against(self) -> None:
        if self.runs is not None:
            self._choose_run("hold it against", self.runs.against, self.runs.hold_against)

    def _choose_run(self, title: str, now: str, change: Callable[[str], Runs]) -> None:
        assert self.runs is not None

        def done(name: str) -> None:
            self.runs = change(name)
            self._show_runs()

        self.runs.question(title, now).ask(self.app, done)

    def action_judge(self) -> None:
        from screens.arqmath.judging import ask

        row, topic = self.ranking.row, self.topic
        if row is not None:
            ask(self.app, topic, row, lambda grade: self.keep_judgement(topic, row["id"], grade))

    def refuse(self, verb: str, reason: str) -> None:
        """`J` is followed by a digit, which would go to another screen: a line of its own takes it."""
        if verb == "judge":
            from screens.arqmath.judging import refuse

            refuse(self.app, self.ranking.row, reason)
        else:
            super().refuse(verb, reason)

    def keep_judgement(self, topic: str, document: str, grade: int | None) -> None:
        """Keep one's own grade of an answer; None takes it back."""
        with self.workbench.reporting():
            self.ranking.judge(topic, document, grade)
            kept = f"judged {grade}" if grade is not None else "not judged any more"
            own = count(len(self.ranking.judgements or ()))
            self.workbench.say(f"answer {document} to {topic} {kept}; {own} of your own")

    def action_inspect(self) -> None:
        from screens.widgets.dialogs import TextScreen

        if self.runs is not None and self.runs.overview:
            own = len(self.ranking.judgements) if self.ranking.judgements is not None else 0
            lines = self.runs.provenance(self.searcher.state, own)
            self.app.push_screen(TextScreen(f"collection {self.runs.collection.name}", lines))

    # What others ask

    def go_to_topic(self, topic: str) -> bool:
        """Show a topic; whether it is among the lines."""
        if not self.topics.go_to(topic):
            return False
        if self.page in ("bars", "search"):
            self.call_later(self.ranking.show_page, "rank-page")
        self.show_pane("middle")
        return True

    def _go_to_collection(self, name: str) -> bool:
        found = next((one for one in self.collections if one.name == name), None)
        if found is not None and (self.runs is None or self.runs.collection.name != name):
            self.open_collection(found)
        return found is not None

    def _go_to_run(self, name: str) -> bool:
        if self.runs is None or name not in self.runs.names:
            return False
        self.runs = self.runs.show(name)
        self._show_runs()
        return True

    def lookups(self) -> Sequence[Lookup]:
        """`:topic A.301`, `:answer 12`, `:run bm25`, `:collection NAME`."""
        return [
            Lookup("topic", "Go to a topic of this collection by its id.", self.go_to_topic),
            *super().lookups(),
            Lookup("run", "Show a run by its name.", self._go_to_run),
            Lookup("collection", "Show a collection of the workspace.", self._go_to_collection),
        ]

    def exports(self) -> Sequence[Export]:
        """What the panes can write, and what the engine writes of a run."""
        if self.runs is None:
            return ()
        params = of_runs(self.runs.collection)
        return [*self.runs.exports(self.workbench.engine, params), *super().exports()]

    def commands(self) -> Sequence[Command]:
        """Runs from elsewhere, and the index."""
        none = "" if self.collection is not None else "there is no collection"
        reason = none or ("the collection has no posts" if self.searcher.state == "none" else "")
        words = "as a job; searching needs an index"
        return [
            *self.finder.commands(self.workbench.workspace, self.collection),
            Command("index the posts", words, self.offer_index, reason),
        ]
