"""Finding, reading, indexing and searching collections, in threads and in the engine process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.message import Message

from engines.core.assets import models_folder
from engines.core.errors import EngineError
from screens.shell.export import Command
from screens.shell.request import Answer, OwnEngine, Progress, Request, Service
from screens.shell.theme import count
from workbench.errors import explain

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.papers.arqmath.data import Collection
    from workbench.workspace import Workspace


class CollectionFinder(Service):
    """Looks for the collections of a workspace."""

    @dataclass
    class Found(Message):
        """These there are; `wanted` is the name of the one to show."""

        collections: Sequence[Collection]
        wanted: str

    @dataclass
    class Failed(Message):
        """They cannot be listed, or (`found`) a run file cannot be added."""

        error: EngineError
        found: bool

    @work(thread=True, exclusive=True, group="collections", exit_on_error=False)
    def find(self, workspace: Workspace, wanted: str) -> None:
        """List the collections."""
        self._find(workspace, wanted)

    def _find(self, workspace: Workspace, wanted: str) -> None:
        from workbench.papers.arqmath.data import collections

        try:
            self.post_message(self.Found(collections(workspace), wanted))
        except EngineError as error:
            self.post_message(self.Failed(error, found=False))

    def commands(self, workspace: Workspace, collection: Collection | None) -> list[Command]:
        """Palette lines that add a run file, and forget each of those that were added."""
        sentence = "a run of Task 1 from elsewhere"
        if collection is None:
            return [Command("add a run file", sentence, lambda: None, "there is no collection")]
        found = [Command("add a run file", sentence, partial(self._ask_for_run, workspace, collection))]
        for path in collection.added_runs():
            forget = partial(self.change_runs, workspace, collection, path, add=False)
            found.append(Command(f"forget the run {path.name}", "the file stays", forget))
        return found

    def _ask_for_run(self, workspace: Workspace, collection: Collection) -> None:
        from screens.widgets.dialogs import Prompt

        def check(text: str) -> str:
            return "" if Path(text).expanduser().is_file() else "there is no such file"

        def add(text: str) -> None:
            self.change_runs(workspace, collection, Path(text).expanduser(), add=True)

        hint = "a TREC or ARQMath file; it stays where it is"
        Prompt("add the run", hint=hint, check=check).ask(self.app, add)

    @work(thread=True, exit_on_error=False)
    def change_runs(self, workspace: Workspace, collection: Collection, path: Path, *, add: bool) -> None:
        """Add a run file to a collection, or take it off the list, and list the collections anew."""
        try:
            collection.add_run(path) if add else collection.forget_run(path)
        except (EngineError, OSError) as error:
            self.post_message(self.Failed(explain(error), found=True))
        else:
            self._find(workspace, collection.name)


_KEPT = 64
_CHUNK = 250
"""Snippets are asked for so many at a time, from the top."""


class _Read(Answer):
    """The tag is the collection, and `of` what of it was asked."""

    @property
    def of(self) -> Any:
        """What was asked for."""
        return self.tag[1]


class OverviewRead(_Read):
    """Topics, runs and scores, `of` the collection."""


class OverviewProgress(Progress):
    """How many runs are read."""


class RankingRead(_Read):
    """The rankings `of` a topic."""


class PostRead(_Read):
    """The text `of` an answer."""


class SnippetsRead(_Read):
    """How some answers begin, `of` these ids, as far as they have a text."""


class CollectionReader(Service):
    """Answers what it knows at once (`ranking`, `post`), asks for the rest, and says when it has come.

    What comes late, of a collection that is not shown any more, is left out.
    """

    def __init__(self, engine: Callable[[], EngineProcess]) -> None:
        super().__init__()
        self.posts: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        """The texts of answers that are known, by their ids."""
        self._collection: Collection | None = None
        self._rankings: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._overview = Request(self, engine, "arqmath.topics", OverviewRead, OverviewProgress)
        self._ranking = Request(self, engine, "arqmath.ranking", RankingRead)
        self._post = Request(self, engine, "arqmath.post", PostRead)
        self._snippets = Request(self, engine, "arqmath.snippets", SnippetsRead)

    def open(self, collection: Collection) -> None:
        """Read another collection, or the same anew; nothing known stays. Raises: WorkspaceError E504."""
        self._collection = collection
        self.posts.clear()
        self._rankings.clear()
        self._overview.stop()
        self._ask(self._overview, collection)

    def ranking(self, topic: str) -> Mapping[str, Any] | None:
        """The rankings of a topic if they are known, else they are asked for."""
        if topic not in self._rankings:
            self._ask(self._ranking, topic, topic=topic)
        return self._rankings.get(topic)

    def post(self, name: str) -> Mapping[str, Any] | None:
        """The text of an answer if it is known, else it is asked for."""
        if name not in self.posts:
            self._ask(self._post, name, id=name)
        return self.posts.get(name)

    def no_post(self) -> None:
        """The text that waits to be asked for is not wanted any more."""
        self._post.forget()

    def snippets(self, ids: Sequence[str], *, plain: bool) -> None:
        """Ask how the first of these answers begin; `plain` leaves formulas as LaTeX."""
        if ids:
            self._ask(self._snippets, ids[:_CHUNK], ids=ids[:_CHUNK], latex=plain)

    def _ask(self, request: Request, of: object, **params: object) -> None:
        if (collection := self._collection) is None:
            return
        known = of_posts(collection) if request in (self._post, self._snippets) else of_runs(collection)
        if request is self._overview:
            known |= of_posts(collection)
        request.ask({**known, **params}, (collection, of))

    @on(OverviewProgress)
    def _going_on(self, event: OverviewProgress) -> None:
        if event.tag[0] is not self._collection:
            event.stop()

    @on(_Read)
    def _read(self, event: _Read) -> None:
        kept = {RankingRead: self._rankings, PostRead: self.posts}.get(type(event))
        if event.tag[0] is not self._collection:
            event.stop()
        elif kept is not None and event.error is None:
            kept[event.of] = event.value
            while len(kept) > _KEPT:
                kept.popitem(last=False)


def of_runs(collection: Collection) -> dict[str, Any]:
    """What operations on runs are told of the collection. Raises: WorkspaceError E504."""
    return {"folder": str(collection.path), "added": [str(path) for path in collection.added_runs()]}


def of_posts(collection: Collection) -> dict[str, Any]:
    """What operations on posts are told of the collection."""
    return {"folder": str(collection.path), "index": str(collection.index)}


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
        from workbench.papers.arqmath.data import rankers

        found = [] if self.ranker == "" else rankers(workspace)
        return next((path for path in found if path.name == self.ranker), found[0] if found else None)

    def choose_model(self, workspace: Workspace, then: Callable[[], object]) -> None:
        """Ask which cross-encoder is to rank again, and do something then."""
        from screens.widgets.dialogs import Choice, Chooser
        from workbench.papers.arqmath.data import rankers

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
        from workbench.recipes import resolved_recipe

        collection = self._collection
        if collection is not None:
            consequence = "It is large, so that a job does it. It goes on when this window is closed."
            question = Confirm(f"build an index of {collection.name}?", consequence)
            given = {"folder": str(collection.path), "out": str(collection.index)}
            make = partial(resolved_recipe, "arqmath.index", given)
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
