"""Asking a collection anything: the first stage at once, a second opinion as it arrives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from textual import work
from textual.screen import Screen

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.text import count
from screens.widgets.listing import Listing
from screens.widgets.pane import Pane

if TYPE_CHECKING:
    from screens.arqmath.screen import ArqmathScreen
    from workbench.collections import Collection
    from workbench.engine_process import Call, EngineProcess

__all__ = ["Searching"]


class Searching(Screen[None]):
    """The part of the screen that searches and indexes; mixed into it.

    Both may take long, so they have an engine process of their own: what is read goes on beside them.
    """

    query_asked = ""
    hits: list[dict[str, Any]] = []
    _call: Call | None = None
    _doing = ""
    _said = ""

    @property
    def _whole(self) -> ArqmathScreen:
        return cast("ArqmathScreen", self)

    @cached_property
    def second_engine(self) -> EngineProcess:
        """The process for what takes long; starts with the first call."""
        from workbench.engine_process import EngineProcess

        return EngineProcess()

    def on_unmount(self) -> None:
        if "second_engine" in self.__dict__:
            self.second_engine.close()

    def why_not_search(self, verb: str) -> str:
        """Why a verb of searching does not apply now."""
        state = self._whole.index_state
        if verb == "add":
            if self._whole.collection is None:
                return "there is no collection"
            if state == "none":
                return "the collection has no posts"
            if self._doing == "indexing":
                return "its posts are being indexed; x stops it"
        if verb == "stop" and self._call is None:
            return "nothing is running here; jobs are stopped on the Jobs screen"
        return ""

    def action_add(self) -> None:
        """Ask for a query."""
        from screens.widgets.dialogs import Prompt

        collection = self._whole.collection
        if collection is None:
            return
        if self._whole.index_state == "large":
            self.offer_index()
            return
        hint = "words and $LaTeX$;  ⏎ searches the answers, esc leaves it"

        def ask(text: str | None) -> None:
            if text is not None and text.strip():
                self._ask(collection, text.strip())

        self.app.push_screen(Prompt(f"search {collection.name} for", self.query_asked, hint=hint), ask)

    def offer_index(self) -> None:
        """A large collection is indexed by a job."""
        from screens.widgets.dialogs import Confirm

        collection = self._whole.collection
        if collection is None:
            return

        def start(yes: bool | None) -> None:
            if yes:
                self._submit(collection)

        consequence = "It is large, so that a job does it. It goes on when this window is closed."
        self.app.push_screen(Confirm(f"build an index of {collection.name}?", consequence), start)

    @work(thread=True, exit_on_error=False)
    def _submit(self, collection: Collection) -> None:
        from workbench.jobs import JobSpec, submit

        params = {"folder": str(collection.path), "out": str(collection.index)}
        try:
            collection.home.mkdir(parents=True, exist_ok=True)
            job = submit(
                self._whole.workbench.workspace,
                JobSpec("arqmath.index", f"arqmath index {collection.name}", params),
            )
        except (EngineError, OSError) as error:
            self.app.call_from_thread(self._whole.workbench.report, error)
        else:
            self.app.call_from_thread(self._whole.workbench.say, f"job {job.id} builds the index")

    def action_stop(self) -> None:
        """End what runs, with what there is."""
        if self._call is not None:
            self._call.stop()

    # Searching

    @work(exclusive=True, group="search", exit_on_error=False)
    async def _ask(self, collection: Collection, query: str) -> None:
        from workbench.collections import rankers

        whole = self._whole
        self.query_asked, self.hits = query, []
        await whole.query_one("#middle", Pane).show_page("search-page")
        listing = whole.query_one("#hits", Listing)
        listing.when_empty("No answer has a word of the query", "a asks something else.")
        listing.show_loading(f"searching for {query}")
        whole.show_pane("middle")
        if not collection.indexed:
            await self.index(collection)
            if not collection.indexed:
                return
        models = rankers(whole.workbench.workspace)
        params = {
            "folder": str(collection.path),
            "index": str(collection.index),
            "query": query,
            "model": str(models[0]) if models else "",
            "plain": whole.workbench.ascii,
        }
        self._said = ""
        try:
            found = await self._long("arqmath.search", params, "searching", self._hear)
        except EngineError as error:
            listing.show_error(error)
            return
        self._take_rows(found["rows"])
        second = f"then {models[0].name}" if models else "no cross-encoder to rank again"
        self._say_search(f"{found['how']}, {second}, {found['seconds']:.1f} s")

    def _hear(self, event: Event) -> None:
        data = event.data
        if data.get("stage") == "first":
            rows: Any = data["rows"]
            self._take_rows(rows)
            self._say_search(f"{data['how']}")
        elif data.get("stage") == "rerank":
            scores: Any = data["scores"]
            for hit in self.hits:
                hit["again"] = scores.get(hit["id"], hit["again"])
            self._show_hits()
            self._say_search(f"ranked again {data['done']} of {data['total']}   x stops")

    def _take_rows(self, rows: list[Mapping[str, Any]]) -> None:
        empty = {"rank": None, "other": None, "move": None, "grade": None, "own": None, "gain": None}
        self.hits = [
            {**empty, "change": None, "ranks": {}, "topic": False, **row, "answer": row["snippet"]}
            for row in rows
        ]
        self._show_hits()

    def _show_hits(self) -> None:
        # What has a second opinion comes first, by it; the rest as the first stage has it.
        self.hits.sort(key=lambda hit: (hit["again"] is None, -(hit["again"] or 0.0), hit["first"]))
        listing = self._whole.query_one("#hits", Listing)
        listing.load(list(self.hits))
        self._whole.show_chosen()

    def _say_search(self, words: str) -> None:
        self._said = f"{count(len(self.hits))} answers · {words}"
        self._whole.describe()

    # Indexing

    async def index(self, collection: Collection) -> None:
        """Build the index of a small collection; says so in the left pane, and in place of snippets."""
        if self._doing == "indexing":
            return
        whole = self._whole
        params = {"folder": str(collection.path), "index": str(collection.index)}

        def hear(event: Event) -> None:
            if event.kind == "progress":
                done, total = event.data.get("done"), event.data.get("total")
                far = f" {count(int(str(done)))}" if done is not None else ""
                whole.say_index(f"indexing posts{far}" + (f" of {count(int(str(total)))}" if total else ""))

        whole.say_index("indexing posts")
        try:
            await self._long("arqmath.prepare", params, "indexing", hear)
        except EngineError as error:
            whole.workbench.report(error)
            whole.say_index("not indexed: r tries again")
            return
        whole.say_index("")
        whole.indexed(collection)

    async def _long(self, task: str, params: Mapping[str, Any], doing: str, hear: Any) -> Any:
        from workbench.engine_process import Result

        self._call = call = self.second_engine.call(task, params)
        self._doing = doing
        self._whole.refresh_bindings()
        try:
            async for item in call:
                if isinstance(item, Result):
                    return item.value
                hear(item)
        finally:
            if self._call is call:
                self._call, self._doing = None, ""
            self._whole.refresh_bindings()
        raise EngineError("it was cancelled", code="E703", exit_code=130)
