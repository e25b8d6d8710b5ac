"""Searching and indexing a collection: what takes long, in an engine process of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from engines.core.assets import models_folder
from screens.shell.request import Answer, OwnEngine, Progress, Request, Service
from screens.shell.text import count

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.papers.arqmath.collections import Collection
    from workbench.workspace import Workspace

__all__ = ["MOST", "SearchProgress", "Searched", "Searcher", "origin"]


def origin(model: Path) -> str:
    """Whose a cross-encoder is."""
    return "ships with mathwb" if model.parent == models_folder() else "of this workspace"


class Searched(Answer):
    """What was found; the tag is the query and the model that ranked again, or None."""


MOST = 100
"""Answers that are asked for."""


class SearchProgress(Progress):
    """What the first stage found, then scores of the second; the tag is as that of `Searched`."""


class _Indexed(Answer):
    """The index of the collection in the tag is built."""


class _IndexProgress(Progress):
    pass


class Searcher(Service):
    """Searches an indexed collection, and indexes it before if it is small.

    `state`: none (no posts), small (indexed at once), large (a job has to), ready; empty while not known.
    """

    class Ready(Message):
        """There is an index now."""

    class Failed(Answer):
        """There is none; the tag is the collection."""

    @dataclass
    class Said(Message):
        """How far the index is, in words; nothing when there is nothing to say."""

        words: str

    def __init__(self, new_engine: Callable[[], EngineProcess]) -> None:
        super().__init__()
        self.state = ""
        self.ranker: str | None = None
        """Which cross-encoder was chosen to rank again, by name; empty: none; None: the first there is."""
        self._collection: Collection | None = None
        self._engine = OwnEngine(new_engine)
        self._waiting: tuple[str, Path | None] | None = None
        self._search = Request(self, self._engine, "arqmath.search", Searched, SearchProgress)
        self._index = Request(self, self._engine, "arqmath.prepare", _Indexed, _IndexProgress)

    def on_unmount(self) -> None:
        self._engine.close()

    def open(self, collection: Collection, state: str = "") -> None:
        """Serve this collection from now on; a small one is indexed if it has no index."""
        self._collection, self.state, self._waiting = collection, state, None
        words = {"large": "posts are not indexed: a offers to", "none": "the collection has no posts"}
        self.post_message(self.Said(words.get(state, "")))
        if state == "small":
            self._begin_index(collection)

    def look(self) -> None:
        """See whether a job has built the index of a large collection by now."""
        if self.state == "large" and self._collection is not None and self._collection.indexed:
            self._be_ready()

    def model(self, workspace: Workspace) -> Path | None:
        """The cross-encoder that ranks again; that of a name which is gone is the first there is."""
        from workbench.papers.arqmath.collections import rankers

        found = [] if self.ranker == "" else rankers(workspace)
        return next((path for path in found if path.name == self.ranker), found[0] if found else None)

    def choose_model(self, workspace: Workspace, then: Callable[[], object]) -> None:
        """Ask which cross-encoder is to rank again, and do something then."""
        from screens.widgets.dialogs import Choice, Chooser
        from workbench.papers.arqmath.collections import rankers

        now = self.model(workspace)
        choices = [
            Choice(path.name, path.name, f"{origin(path)}{'   chosen now' if path == now else ''}")
            for path in rankers(workspace)
        ]
        none = f"answers stay as the first stage has them{'' if now else '   chosen now'}"

        def done(name: str) -> None:
            self.ranker = name
            then()

        Chooser("rank again by", [*choices, Choice("", "none", none)]).ask(self.app, done)

    def search(self, query: str, model: Path | None) -> None:
        """Search the answers, after indexing them if need be; `model` is the cross-encoder that ranks again.
        A search that is under way is stopped."""
        collection = self._collection
        if collection is None:
            return
        if not collection.indexed:
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
            self.post_message(self.Said("indexing posts"))
            params = {"folder": str(collection.path), "index": str(collection.index)}
            self._index.ask(params, collection)

    def offer_job(self, workspace: Workspace) -> None:
        """Ask whether a job is to build the index, and start it."""
        from screens.widgets.dialogs import Confirm
        from workbench.recipes import settled_recipe

        collection = self._collection
        if collection is not None:
            consequence = "It is large, so that a job does it. It goes on when this window is closed."
            question = Confirm(f"build an index of {collection.name}?", consequence)
            given = {"folder": str(collection.path), "out": str(collection.index)}
            make = partial(settled_recipe, "arqmath.index", given)
            question.ask(self.app, lambda _: self.submit(workspace, make))

    def stop(self) -> None:
        """End what runs, with what there is."""
        self._search.stop()
        self._index.stop()

    @property
    def searching(self) -> bool:
        """Whether a search is under way."""
        return self._search.running

    @property
    def indexing(self) -> bool:
        """Whether an index is being built."""
        return self._index.running

    @on(_IndexProgress)
    def _index_going_on(self, event: _IndexProgress) -> None:
        data = event.event.data
        if event.event.kind == "progress" and event.tag is self._collection:
            far = f" {count(int(str(data['done'])))}" if data.get("done") is not None else ""
            whole = f" of {count(int(str(data['total'])))}" if data.get("total") else ""
            self.post_message(self.Said(f"indexing posts{far}{whole}"))

    @on(_Indexed)
    def _indexed(self, event: _Indexed) -> None:
        if event.tag is not self._collection:
            if self.state == "small" and self._collection is not None:
                self._begin_index(self._collection)
        elif event.error is not None:
            self._waiting = None
            self.post_message(self.Failed(event.tag, error=event.error))
            self.post_message(self.Said("not indexed: r tries again"))
        else:
            lost = event.value.get("counts", {}).get("left_out", 0)
            self._be_ready(f"rows of posts that could not be read: {count(lost)}" if lost else "")

    def _be_ready(self, said: str = "") -> None:
        self.state = "ready"
        self.post_message(self.Said(said))
        self.post_message(self.Ready())
        waiting, self._waiting = self._waiting, None
        if waiting is not None and self._collection is not None and self._collection.indexed:
            self.search(*waiting)
