"""The ARQMath screen: topics on the left, their rankings in the middle, an answer on the right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work

from engines.core.errors import EngineError
from screens.arqmath.answer import AnswerPane, LinkRequests, ask_grade, refuse_grade
from screens.arqmath.columns import Runs
from screens.arqmath.ranking import RankingPane, TopicsPane
from screens.arqmath.searching import HitList, Searcher, of_posts, of_runs
from screens.keys import ARQMATH_KEYS
from screens.shell.export import Command, Export, Lookup
from screens.shell.keymap import bindings
from screens.shell.request import RequestAnswer, RequestProgress
from screens.shell.screen import BrowserScreen
from screens.shell.theme import format_count
from screens.shell.watch import JobWatch
from screens.widgets.dialogs import Prompt
from screens.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.papers.arqmath.data import Collection


_SNIPPETS = 250
"""So many answers are asked at a time how they begin, from the top."""


class ArqmathScreen(BrowserScreen):
    """The ARQMath screen: a collection's topics, their ranked answers, and one answer."""

    MODE = "arqmath"
    BINDINGS = bindings(ARQMATH_KEYS)

    def __init__(self) -> None:
        super().__init__()
        self.runs: Runs | None = None
        self._runs_at: Mapping[str, Any] = {}
        self._posts_at: Mapping[str, Any] = {}
        """Where runs and posts of the collection are, as operations are asked."""
        self._overview = self.request("arqmath.topics", self._overview_read, self._overview_progress)
        self._rankings = self.request("arqmath.ranking", self._ranking_read)
        self._posts = self.request("arqmath.post", self._post_read)
        self._snippets = self.request("arqmath.snippets", self._snippets_read)
        self.links = LinkRequests(self, self._links_read)
        self.searcher = Searcher(
            self,
            on_answer=self.take_search_result,
            progress=self._search_progress,
            say=self._say_index,
            ready=self._index_ready,
        )
        self.hits = HitList(id="hits")
        self.topics = TopicsPane(id="left", share=10)
        self.ranking = RankingPane(self._posts.known, self.hits, id="middle", share=17)
        self.answer = AnswerPane(id="right", share=13)

    def panes(self) -> Iterable[Pane]:
        return self.topics, self.ranking, self.answer

    # Collections

    async def restore(self, state: Mapping[str, object]) -> None:
        self.searcher.ranker = None if (ranker := state.get("ranker")) is None else str(ranker)
        await super().restore(state)

    def state(self) -> dict[str, object]:
        chosen = self.runs.chosen_names if self.runs is not None else {}
        return {**super().state(), **chosen, "ranker": self.searcher.ranker}

    def begin(self) -> None:
        # In ASCII a raised 2 would come out as a 2 like any other.
        self.answer.raw = self.ranking.plain = self.workbench.ascii
        super().begin()

    @property
    def collection(self) -> Collection | None:
        """Return the collection that is open, or None."""
        return self.runs.collection if self.runs is not None else None

    def find_sources(self) -> Mapping[str, Collection]:
        from workbench.papers.arqmath.data import list_collections

        return {one.name: one for one in list_collections(self.workbench.workspace)}

    def sources_found(self, answer: RequestAnswer) -> None:
        if answer.error is not None:
            self._show_failure(answer.error)
        else:
            super().sources_found(answer)

    def show_no_source(self) -> None:
        self.show_answer()

    def open_source(self, name: str) -> None:
        self.open_collection(self.sources[name])

    def open_collection(self, collection: Collection) -> None:
        """Show a collection, keeping the runs that are chosen if it has them."""
        before, name = self.runs, collection.name
        # Another collection: what was searched in the one before is of no use.
        if before is not None and before.collection.path != collection.path:
            self.searcher.stop()
            self.hits.forget_hits()
        self.source = name
        self.runs = Runs(collection, {}, before.run, before.against) if before else Runs(collection)
        self.searcher.serve_collection(collection)
        self.topics.show_sources(list(self.sources), name)
        self.topics.show_loading(f"reading {name}")
        self.ranking.forget_runs()
        # Answers that are on their way are those of the collection before.
        for request in (self._overview, self._rankings, self._posts, self._snippets, self.links.request):
            request.clear()
        self._overview.stop()
        try:
            self._runs_at, self._posts_at = of_runs(collection), of_posts(collection)
        except EngineError as error:
            self._show_failure(error)
        else:
            self._overview.ask({**self._runs_at, **self._posts_at}, collection)

    def _overview_progress(self, event: RequestProgress) -> None:
        if event.event.kind == "progress" and self.collection is not None and not len(self.topics.table.rows):
            number, total = int(str(event.event.data["done"])) + 1, event.event.data["total"]
            self.topics.show_loading(f"reading {self.collection.name}: run {number} of {total}")

    def _overview_read(self, event: RequestAnswer) -> None:
        # The overview and the user's judgements fail in the same way.
        try:
            if event.error is not None:
                raise event.error
            self.ranking.judgements = judgements = event.tag.open_judgements()
        except EngineError as error:
            self._show_failure(error)
            return
        for problem in judgements.problems:
            self.workbench.report(problem)
        if self.runs is None:
            return
        # The session is used once, for the first collection that is read.
        saved, self.session = self.session, {}
        overview = event.value
        self.runs = self.runs.with_overview(overview, {**self.runs.chosen_names, **saved})
        if overview["problems"]:
            first, more = overview["problems"][0], len(overview["problems"]) - 1
            tail = f" (and {more} more; i lists them)" if more else ""
            self.workbench.warn(f"{first}{tail}")
        self.ranking.keep_cursor = bool(saved)
        self._show_runs()
        if not saved:
            self.topics.begin_at_first_score()
        self.searcher.serve_collection(self.runs.collection, overview["index"])

    def _show_failure(self, error: EngineError) -> None:
        name = self.collection.name if self.collection is not None else ""
        self.topics.show_sources(list(self.sources), name)
        self.topics.show_error(error)
        self.ranking.show_ranking(None)

    def _show_runs(self) -> None:
        if self.runs is not None:
            self.topics.show_runs(self.runs, plain=self.workbench.ascii)
            self.ranking.show_runs(self.runs, self.topics.records)
            self.refresh_bindings()

    @on(JobWatch.Looked)
    def _jobs_looked(self) -> None:
        self.searcher.look_for_index()

    # A topic

    @on(Pane.Selected, "#left")
    def _topic_moved(self) -> None:
        topic = self.topic
        self.ranking.show_topic(topic)
        if not topic or self.runs is None or not self.runs.overview:
            self._show_ranking(None)
        elif (known := self._rankings.get({**self._runs_at, "topic": topic}, topic)) is not None:
            self._show_ranking(known)
        self.refresh_bindings()

    def _ranking_read(self, event: RequestAnswer) -> None:
        if event.tag == self.topic:
            self._show_ranking(event.value)
            if event.error is not None:
                self.ranking.show_error(event.error)

    def _show_ranking(self, result: Mapping[str, Any] | None) -> None:
        self.ranking.show_ranking(result)
        self.answer.show_topic(result)
        self._ask_snippets()

    def _ask_snippets(self) -> None:
        ids = self.ranking.without_snippet[:_SNIPPETS]
        # Texts are in the index, so nothing can be asked before it is ready.
        if ids and self.searcher.state == "ready":
            self._snippets.ask({**self._posts_at, "ids": ids, "latex": self.workbench.ascii}, ids)

    def _snippets_read(self, event: RequestAnswer) -> None:
        if event.error is not None:
            self.workbench.report(event.error)
        else:
            self.ranking.show_snippets(event.tag, event.value["snippets"])
            # The next ones, until every answer of the ranking has its beginning.
            self._ask_snippets()

    @on(Pane.Opened, "#left")
    def _topic_opened(self) -> None:
        self.show_pane("middle")

    @on(Pane.AskedFor, "#middle")
    def _topic_asked_for(self, event: Pane.AskedFor) -> None:
        self.go_to_topic(event.name)

    # An answer

    @on(Pane.Selected, "#middle")
    def show_answer(self) -> None:
        """Show the answer under the cursor, asking for its text if necessary."""
        chosen, pane = self.ranking.chosen, self.answer
        pane.show_answer(chosen)
        if chosen is None:
            self._posts.forget_waiting()
        elif "written" in chosen.row:
            pane.show_post(chosen.row["written"])
            self.show_links()
        elif self.searcher.state == "none":
            pane.show_instead(["The collection has no posts to read."])
        elif self.searcher.state == "large":
            pane.show_instead(["The posts are not indexed; press a to index them."])
        elif (post := self._posts.get({**self._posts_at, "id": (id_ := chosen.row["id"])}, id_)) is not None:
            pane.show_post(post)
            self.show_links()
        else:
            pane.show_waiting()
        self.refresh_bindings()

    def _post_read(self, event: RequestAnswer) -> None:
        if self.ranking.row is not None and self.ranking.row["id"] == event.tag:
            if event.error is None:
                self.answer.show_post(event.value)
                self.show_links()
            else:
                self.answer.show_failure(event.error)

    @on(Pane.PageShown, "#right")
    def show_links(self) -> None:
        """Judge the links of the answer if they are shown; written answers are always judged."""
        row, post = self.ranking.row, self.answer.post
        if row is not None and post is not None and (self.answer.page_name == "links" or "written" in row):
            # The question of a written answer is the topic itself.
            asked = self.ranking.ranking if "written" in row else None
            said = {"latex_title": asked["title"], "latex": asked["question"]} if asked else post["question"]
            self.answer.show_links(self.links.get_links(self._links_name(row), {**post, "question": said}))
        self.refresh_bindings()

    def _links_name(self, row: Mapping[str, Any]) -> str:
        """Return what the links of an answer are kept under: written ones are called after their run."""
        return f"{self.topic}-{row['id']}" if "written" in row else str(row["id"])

    def _links_read(self, event: RequestAnswer) -> None:
        if self.ranking.row is not None and self._links_name(self.ranking.row) == event.tag:
            self.answer.show_links(event.value if event.error is None else event.error)

    @on(Pane.Selected, "#right")
    def _link_moved(self) -> None:
        self.refresh_bindings()

    @on(Pane.Opened, "#right")
    def _derive_link(self) -> None:
        """Go to E-graphs, and derive the sides of the link under the cursor there."""
        link = self.answer.link
        if link is not None and (reason := self.answer.why_no_link("diff")):
            self.show_refusal("diff", reason)
        elif link is not None:
            self.workbench.go_along("egraphs", [("pair", f"{link['left']}\t{link['right']}")])

    def action_edit(self) -> None:
        row, post, link = self.ranking.row, self.answer.post, self.answer.link
        if row is not None and post is not None and link is not None:
            self.workbench.edit_file(self.links.text_file(self._links_name(row), post), link["line"])

    def on_unmount(self) -> None:
        self.links.close()

    @on(Pane.Opened, "#middle")
    async def _answer_opened(self) -> None:
        await self.answer.show_page("answer-page")
        self.show_pane("right")

    # Searching

    def action_add(self) -> None:
        collection = self.collection
        if collection is None:
            return
        if self.searcher.state == "large":
            self.searcher.offer_job()
            return
        hint = "words and $LaTeX$;  enter searches the answers, esc cancels"
        prompt = Prompt(f"search {collection.name} for", self.hits.words_searched, hint=hint)
        prompt.ask(self.app, lambda text: text.strip() and self._begin_search(text.strip()))

    @work(group="search", exit_on_error=False)
    async def _begin_search(self, query: str) -> None:
        await self.ranking.show_page("search-page")
        model = self.searcher.model
        self.hits.begin_search(query, model, plain=self.workbench.ascii)
        self.ranking.show_heading()
        self.show_pane("middle")
        self.searcher.search(query, model)
        self.refresh_bindings()

    def _search_progress(self, event: RequestProgress) -> None:
        if event.tag == self.hits.wanted:
            self.hits.take_event(event.event.data)

    def take_search_result(self, event: RequestAnswer) -> None:
        """Show what a search found, unless another search was asked for since."""
        if event.tag != self.hits.wanted:
            return
        if event.error is None:
            self.hits.finish_search(event.value)
        elif not self.searcher.searching:
            self.hits.show_error(event.error)
        self.refresh_bindings()

    def action_model(self) -> None:
        again = self.hits.words_searched
        then = partial(self._begin_search, again) if again else lambda: None
        self.searcher.choose_model(then)

    def action_stop(self) -> None:
        self.searcher.stop()

    def _say_index(self, words: str) -> None:
        self.topics.footnote = words
        self.refresh_bindings()

    def _index_ready(self) -> None:
        self._ask_snippets()
        self.show_answer()

    # What can be done

    @property
    def topic(self) -> str:
        """Return the id of the topic under the cursor, or an empty string."""
        return self.topics.topic

    @property
    def page(self) -> str:
        """Return the name of the page that the ranking shows."""
        return self.ranking.page_name

    def why_not(self, verb: str) -> str:
        runs = self.runs.names if self.runs is not None else []
        if verb in ("inspect", "add") and self.collection is None:
            return "there is no collection"
        if verb == "edit" or (verb == "diff" and self._links_shown):
            return self.answer.why_no_link(verb)
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
        if verb == "stop" and not (self.searcher.searching or self.searcher.indexing):
            return "nothing is running here; jobs are stopped on the Jobs screen"
        return super().why_not(verb)

    def action_left(self) -> None:
        if not (self.active_pane is self.ranking and self.ranking.take_side("left")):
            super().action_left()

    def action_right(self) -> None:
        if not (self.active_pane is self.ranking and self.ranking.take_side("right")):
            super().action_right()

    def action_raw(self) -> None:
        self.answer.toggle_raw()

    @property
    def _links_shown(self) -> bool:
        return self.active_pane is self.answer and self.answer.page_name == "links"

    async def action_diff(self) -> None:
        if self._links_shown:
            self._derive_link()
            return
        await self.ranking.show_page("moves-page")
        self.show_pane("middle")

    def action_choose_run(self) -> None:
        if self.runs is not None:
            self._choose_run("show the run", self.runs.run, self.runs.with_run)

    def action_against(self) -> None:
        if self.runs is not None:
            self._choose_run("compare with", self.runs.against, self.runs.hold_against)

    def _choose_run(self, title: str, now: str, change: Callable[[str], Runs]) -> None:
        assert self.runs is not None

        def show_run(name: str) -> None:
            self.runs = change(name)
            self._show_runs()

        self.runs.make_chooser(title, now).ask(self.app, show_run)

    def action_judge(self) -> None:
        row, topic = self.ranking.row, self.topic
        if row is not None:
            ask_grade(self.app, topic, row, lambda grade: self.keep_judgement(topic, row["id"], grade))

    def show_refusal(self, verb: str, reason: str) -> None:
        """Show why a key does not apply; `J` gets a line of its own, which takes the digit that follows."""
        if verb == "judge":
            refuse_grade(self.app, self.ranking.row, reason)
        else:
            super().show_refusal(verb, reason)

    def keep_judgement(self, topic: str, document: str, grade: int | None) -> None:
        """Store the user's grade of an answer, undoably."""
        judgements = self.ranking.judgements
        before = judgements.grades_of(topic).get(document) if judgements is not None else None
        with self.workbench.report_errors():
            self.ranking.judge_answer(topic, document, grade)
            outcome = f"judged {grade}" if grade is not None else "no longer judged"
            said, own = f"answer {document} to {topic} {outcome}", format_count(len(judgements or ()))
            self.workbench.say(f"{said}; {own} of your own")
            # The change can be taken back to the grade before, or to none.
            self.workbench.remember_change(said, lambda: self.ranking.judge_answer(topic, document, before))

    def action_inspect(self) -> None:
        if self.runs is not None and self.runs.overview:
            own = len(self.ranking.judgements) if self.ranking.judgements is not None else 0
            lines = self.runs.provenance_lines(self.searcher.state, own)
            self.show_text(f"collection {self.source}", lines)

    # What others ask

    def go_to_topic(self, topic: str) -> bool:
        """Put the cursor on a topic; return whether it exists."""
        if not self.topics.go_to(topic):
            return False
        if self.page in ("bars", "search"):
            self.call_later(self.ranking.show_page, "rank-page")
        self.show_pane("middle")
        return True

    def lookups(self) -> Sequence[Lookup]:
        def go_to_run(name: str) -> bool:
            if self.runs is None or name not in self.runs.names:
                return False
            self.runs = self.runs.with_run(name)
            self._show_runs()
            return True

        return [
            Lookup("topic", "Go to a topic of this collection by its id.", self.go_to_topic),
            *super().lookups(),
            Lookup("run", "Show a run by its name.", go_to_run),
        ]

    def exports(self) -> Sequence[Export]:
        if self.runs is None:
            return ()
        return [*self.runs.list_exports(self.workbench.engine, self._runs_at), *super().exports()]

    def list_commands(self) -> Sequence[Command]:
        none = "" if self.collection is not None else "there is no collection"
        reason = none or ("the collection has no posts" if self.searcher.state == "none" else "")
        runs = [Command("add a run file", "a Task 1 run from elsewhere", self._ask_for_run, none)]
        for path in self.collection.added_runs() if self.collection is not None else ():
            forget = partial(self.change_runs, path, add=False)
            runs.append(Command(f"forget the run {path.name}", "the file stays", forget))
        words = "as a job; searching needs an index"
        return [*runs, Command("index the posts", words, self.searcher.offer_job, reason)]

    def _ask_for_run(self) -> None:
        def check_path(text: str) -> str:
            return "" if Path(text).expanduser().is_file() else "there is no such file"

        hint = "a TREC or ARQMath file; it stays where it is"
        prompt = Prompt("add the run", hint=hint, check=check_path)
        prompt.ask(self.app, lambda text: self.change_runs(Path(text).expanduser(), add=True))

    def change_runs(self, path: Path, *, add: bool) -> None:
        """Add a run file to the collection or take it off the list, and read the collection again."""
        if (collection := self.collection) is None:
            return

        def finish_change(answer: RequestAnswer) -> None:
            if answer.error is not None:
                self.workbench.report(answer.error)
            else:
                self.look_for_sources(collection.name)

        act = collection.add_run if add else collection.forget_run
        self.in_thread(lambda: act(path), finish_change, group="runs", exclusive=False)
