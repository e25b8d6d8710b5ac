"""Searching the answers of a collection, and indexing them before; what was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.system import models_folder
from screens.arqmath.columns import HIT_COLUMNS, Runs, hit_rows
from screens.shell.export import Export, declared_exports
from screens.shell.request import RequestAnswer, RequestProgress
from screens.shell.screen import BrowserScreen
from screens.shell.theme import format_count
from screens.widgets.dialogs import Chooser, Confirm, MenuChoice
from screens.widgets.listing import Listing
from screens.widgets.pane import Pane
from workbench.papers.arqmath.tables import HITS

if TYPE_CHECKING:
    from workbench.papers.arqmath.data import Collection

MOST = 100


def of_runs(collection: Collection) -> dict[str, Any]:
    """Return the parameters that tell operations on runs about the collection.

    Raises:
        WorkspaceError: The list of added runs cannot be read (E504).
    """
    return {"folder": str(collection.path), "added": [str(path) for path in collection.added_runs()]}


def of_posts(collection: Collection) -> dict[str, Any]:
    """Return the parameters that tell operations on posts about the collection."""
    return {"folder": str(collection.path), "index": str(collection.index)}


def describe_origin(model: Path) -> str:
    """Tell whether a model ships with mathwb or belongs to the workspace."""
    return "ships with mathwb" if model.parent == models_folder() else "of this workspace"


class Searcher:
    """Search an indexed collection; a small one is indexed first.

    `state` is none (no posts), small (indexed at once), large (indexed by a job), ready, or empty if unknown.

    Args:
        screen: the screen.
        found: gets the answers, tagged with the query and the re-ranking model or None.
        progress: gets the events of a search.
        say: shows how far the index is, in words.
        ready: called when there is an index.
    """

    def __init__(
        self,
        screen: BrowserScreen,
        *,
        on_answer: Callable[[RequestAnswer], object],
        progress: Callable[[RequestProgress], object],
        say: Callable[[str], object],
        ready: Callable[[], object],
    ) -> None:
        self.state = ""
        self.ranker: str | None = None
        """Which cross-encoder was chosen to rank again, by name; empty: none; None: the first there is."""
        self._screen = screen
        self._say, self._ready = say, ready
        self._collection: Collection | None = None
        self._waiting: tuple[str, Path | None] | None = None
        self._search = screen.slow_request("arqmath.search", on_answer, progress)
        self._index = screen.slow_request("arqmath.prepare", self._finish_index, self._index_progress)

    def serve_collection(self, collection: Collection, state: str = "") -> None:
        """Search this collection from now on; a small one without an index is indexed at once."""
        self._collection, self.state, self._waiting = collection, state, None
        words = {"large": "posts are not indexed: a indexes them", "none": "the collection has no posts"}
        self._say(words.get(state, ""))
        if state == "small":
            self._begin_index(collection)

    def look_for_index(self) -> None:
        """Check whether a job has built the index of a large collection."""
        if self.state == "large" and self._collection is not None and self._collection.indexed:
            self._be_ready()

    @property
    def model(self) -> Path | None:
        """The cross-encoder that ranks again; that of a name which is gone is the first there is."""
        from workbench.papers.arqmath.data import list_rankers

        result = [] if self.ranker == "" else list_rankers(self._screen.workbench.workspace)
        return next((path for path in result if path.name == self.ranker), result[0] if result else None)

    def choose_model(self, then: Callable[[], object]) -> None:
        """Let the user choose the cross-encoder; `then` is called afterwards."""
        from workbench.papers.arqmath.data import list_rankers

        now = self.model
        choices = [
            MenuChoice(
                path.name, path.name, f"{describe_origin(path)}{'   chosen now' if path == now else ''}"
            )
            for path in list_rankers(self._screen.workbench.workspace)
        ]
        none = f"keep the first stage's order{'' if now else '   chosen now'}"

        def use_ranker(name: str) -> None:
            self.ranker = name
            then()

        offered = [*choices, MenuChoice("", "none", none)]
        Chooser("re-rank with", offered, now=now.name if now else "").ask(self._screen.app, use_ranker)

    def search(self, query: str, model: Path | None) -> None:
        """Search the answers, indexing them first if necessary; a search in progress is stopped.

        Args:
            query: the query.
            model: the cross-encoder that re-ranks the answers, or None.
        """
        collection = self._collection
        if collection is None:
            return
        if not collection.indexed:
            # The search is done when the index is ready.
            self._waiting = (query, model)
            self._begin_index(collection)
            return
        params: dict[str, object] = {"index": str(collection.index), "query": query, "k": MOST}
        if model is not None:
            params["model"] = str(model)
        self._search.stop()
        self._search.ask(params, (query, model))

    def _begin_index(self, collection: Collection) -> None:
        if not self.indexing:
            self._say("indexing posts")
            self._index.ask(of_posts(collection), collection)

    def offer_job(self) -> None:
        """Offer to build the index in a job."""
        from workbench.recipes import resolved_recipe

        collection = self._collection
        if collection is not None:
            consequence = "It is large, so a job builds it and continues when this window is closed."
            question = Confirm(f"build an index of {collection.name}?", consequence)
            given = {"folder": str(collection.path), "out": str(collection.index)}
            make = partial(resolved_recipe, "arqmath.index", given)
            question.ask(self._screen.app, lambda _: self._screen.submit_job(make, "builds the index"))

    def stop(self) -> None:
        """Stop the search and the indexing."""
        self._search.stop()
        self._index.stop()

    @property
    def searching(self) -> bool:
        """Whether a search is running."""
        return self._search.running

    @property
    def indexing(self) -> bool:
        """Whether the collection is being indexed."""
        return self._index.running

    def _index_progress(self, event: RequestProgress) -> None:
        data = event.event.data
        if event.event.kind == "progress" and event.tag is self._collection:
            far = f" {format_count(int(str(data['done'])))}" if data.get("done") is not None else ""
            whole = f" of {format_count(int(str(data['total'])))}" if data.get("total") else ""
            self._say(f"indexing posts{far}{whole}")

    def _finish_index(self, event: RequestAnswer) -> None:
        # Another collection was opened while this one was indexed.
        if event.tag is not self._collection:
            if self.state == "small" and self._collection is not None:
                self._begin_index(self._collection)
        elif event.error is not None:
            self._waiting = None
            self._screen.workbench.report(event.error)
            self._say("not indexed: r tries again")
        else:
            lost = event.value.get("counts", {}).get("left_out", 0)
            self._be_ready(f"post rows that could not be read: {format_count(lost)}" if lost else "")

    def _be_ready(self, said: str = "") -> None:
        self.state = "ready"
        self._say(said)
        self._ready()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and self._collection is not None and self._collection.indexed:
            self.search(*waiting)


_NOTHING_YET = "No search yet", "a asks."


class HitList(Listing):
    """The answers found for `words_searched`, re-ranked by `model`.

    `words` describe how they were found. `Selected` is posted when hits arrive or change their order.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(HIT_COLUMNS, id=id, fields=HITS.fields)
        self.words_searched = ""
        self.model: Path | None = None
        self._hits: list[dict[str, Any]] = []
        self._how = ""
        self._plain = False
        self._began = 0.0
        self.when_empty(*_NOTHING_YET)

    def forget_hits(self) -> None:
        """Show that nothing has been searched for yet."""
        self.words_searched, self.model, self._hits, self._how = "", None, [], ""
        self.when_empty(*_NOTHING_YET)
        self.load([])

    def begin_search(self, query: str, model: Path | None, *, plain: bool) -> None:
        """Show that a search has begun; `plain` keeps formulas as LaTeX."""
        self.words_searched, self.model, self._hits, self._how = query, model, [], ""
        self._plain, self._began = plain, time.monotonic()
        self.when_empty("No answer has a word of the query", "a starts another search.")
        self.show_loading(f"searching for {query}")

    def take_event(self, data: Mapping[str, Any]) -> None:
        """Show what an event of `arqmath.search` brings: answers first, then the cross-encoder's scores."""
        if data.get("stage") == "first":
            second = f", {self.model.name} is read   x stops" if self.model else ""
            self._set_hits(data["hits"], data["how"] + second)
        elif data.get("stage") == "rerank":
            for hit in self._hits:
                # Scores arrive in pieces; answers without one keep what they have.
                hit["again"] = data["probabilities"].get(hit["id"], hit["again"])
            self._how = f"ranked again {data['done']} of {data['total']}   x stops"
            self._show_hits()

    def finish_search(self, result: Mapping[str, Any]) -> None:
        """Show the final answers."""
        model = self.model
        second = f"then {model.name} ({describe_origin(model)})" if model else "not ranked again"
        only_near = result["hits"] and not result["matched"]
        matched = "no answer has a word of the query, nearest by " if only_near else ""
        how = f"{matched}{result['how']}, {second}, {time.monotonic() - self._began:.1f} s"
        self._set_hits(result["hits"], how)

    def _set_hits(self, hits: Sequence[Mapping[str, Any]], how: str) -> None:
        self._hits, self._how = hit_rows(hits, plain=self._plain), how
        self._show_hits()

    def _show_hits(self) -> None:
        # What has a second opinion comes first, by it; equal ones and the rest in the order they came.
        self._hits.sort(key=lambda hit: (hit["again"] is None, -(hit["again"] or 0.0), hit["rank"]))
        self.load(list(self._hits))
        self.post_message(Pane.Selected(self))

    @property
    def wanted(self) -> tuple[str, Path | None]:
        """Return the query and the model that were asked for last."""
        return self.words_searched, self.model

    @property
    def words(self) -> str:
        """The number of hits and how they were found, in words."""
        return f"{format_count(len(self._hits))} answers · {self._how}" if self._how else ""

    @property
    def command(self) -> list[str]:
        """Return the words of the `arqmath search` command that finds these hits."""
        model = [] if self.model is None else ["--model", str(self.model)]
        return [self.words_searched, "-k", str(MOST), *model]

    def list_exports(self, runs: Runs) -> Sequence[Export]:
        """Return the exports of the hits."""
        if not self._hits:
            return ()
        stem, facts = f"{runs.collection.name}-search", {**runs.origin, "query": self.words_searched}
        keys = {".csv": "h", ".tex": "H"}
        return declared_exports(HITS, "the results", stem, keys, self.table.visible_records, facts)
