"""Reading a collection: its overview, rankings, texts and how answers begin, asked of the engine and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual import on

from screens.shell.request import Answer, Progress, Request, Service

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.papers.arqmath.collections import Collection

__all__ = ["CollectionReader", "OverviewProgress", "OverviewRead", "PostRead", "RankingRead", "SnippetsRead"]

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
