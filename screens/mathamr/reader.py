"""Reading: collections with topics of Task 2, their topics, and inspections, asked of the engine and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.message import Message

from engines.core.errors import EngineError
from screens.mathamr.contexts import Subject
from screens.mathamr.inspection import NEAREST
from screens.shell.request import Answer, OwnEngine, Request, Service

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.workspace import Workspace


_KEPT = 64


@dataclass
class CollectionsFound(Message):
    """The collections that have topics of Task 2, folders by name; or why they cannot be listed."""

    folders: Mapping[str, str]
    error: EngineError | None = None


class TopicsRead(Answer):
    """The topics of the collection in the tag."""


class Inspected(Answer):
    """The inspection of the subject in the tag, without formulas near it."""


class Near(Answer):
    """The same with nearest formulas and runs."""


class Reader(Service):
    """Answers what it knows at once, asks for the rest, and says when it has come.

    Nearest formulas take longer, and the index of a small collection is built on the way: they are asked of
    an engine process of their own.
    """

    def __init__(self, engine: Callable[[], EngineProcess], new_engine: Callable[[], EngineProcess]) -> None:
        super().__init__()
        self._second = OwnEngine(new_engine)
        self._workspace: Workspace | None = None
        self._folders: Mapping[str, str] = {}
        self._known: OrderedDict[Subject, Mapping[str, Any]] = OrderedDict()
        self._near_known: OrderedDict[Subject, Mapping[str, Any]] = OrderedDict()
        self._topics = Request(self, engine, "mathamr.topics", TopicsRead)
        self._inspect = Request(self, engine, "mathamr.inspect", Inspected)
        self._near = Request(self, self._second, "mathamr.inspect", Near)

    def on_unmount(self) -> None:
        self._second.close()

    @work(thread=True, exclusive=True, group="collections", exit_on_error=False)
    def find(self, workspace: Workspace) -> None:
        """List the collections."""
        self._workspace = workspace
        try:
            self._folders = formula_collections(workspace)
            self.post_message(CollectionsFound(self._folders))
        except EngineError as error:
            self.post_message(CollectionsFound({}, error))

    def topics(self, name: str, folder: str) -> None:
        """Ask for the topics of a collection; nothing known of any stays."""
        self._known.clear()
        self._near_known.clear()
        self._topics.ask({"folder": folder}, name)

    def inspection(self, subject: Subject) -> Mapping[str, Any] | None:
        """What is known of a subject; what is not is asked for."""
        if subject not in self._known:
            self._inspect.ask({**subject.params, "k": 0}, subject)
        return self._known.get(subject)

    def near(self, subject: Subject) -> Mapping[str, Any] | None:
        """The same with what is near its formula: that does not depend on the graph."""
        subject = subject.by("")
        if subject not in self._near_known:
            index = self._index(subject.folder)
            known = {"index": str(index)} if index is not None and (index / "about.json").exists() else {}
            self._near.ask({**subject.params, **known, "k": NEAREST}, subject)
        return self._near_known.get(subject)

    def _index(self, folder: str) -> Path | None:
        """Where the index of the collection at a folder is, or would be."""
        from workbench.papers.mathamr.data import index_place

        name = next((name for name, place in self._folders.items() if place == folder), None)
        return index_place(self._workspace, name) if name is not None and self._workspace else None

    def submit_index(self, folder: str) -> None:
        """Have a job build the index of the collection at a folder."""
        from workbench.recipes import resolved_recipe

        index = self._index(folder)
        assert index is not None
        assert self._workspace is not None
        given = {"folder": folder, "out": str(index)}
        self.submit(self._workspace, lambda: resolved_recipe("mathamr.index", given))

    @on(Inspected)
    @on(Near)
    def _read(self, event: Answer) -> None:
        kept = self._known if isinstance(event, Inspected) else self._near_known
        if event.error is None:
            kept[event.tag] = event.value
            while len(kept) > _KEPT:
                kept.popitem(last=False)


def formula_collections(workspace: Workspace) -> dict[str, str]:
    """The folders of the workspace's collections that have topics of Task 2, by name."""
    from engines.forum.folder import ArqmathFolder
    from workbench.papers.arqmath.data import collections

    found = {}
    for one in collections(workspace):
        try:
            if ArqmathFolder.open(one.path).topics.get(2):
                found[one.name] = str(one.path)
        except EngineError:  # the ARQMath screen and `mathwb data check` say what is wrong with it
            continue
    return found


def first(names: Sequence[str], wanted: str) -> str:
    """The name that is wanted if it is there, else the first; nothing where there is none."""
    return wanted if wanted in names else names[0] if names else ""
