"""Middle pane: a cluster by its members, its e-graph, its place on a map, or the neighbours of a member."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on
from textual.containers import Vertical

from engines.core.events import Event
from screens.egraphs.columns import VERDICT_SIGNS
from screens.egraphs.member import Case
from screens.egraphs.sources import Cluster, Members, Source
from screens.shell.export import CommandLine, Export, Lookup, Selection
from screens.shell.request import CachedRequest, Progress
from screens.shell.theme import count
from screens.widgets.listing import Listing
from screens.widgets.pane import Page, Pane
from screens.widgets.table import Record, Table
from workbench.tables import LazyRow

if TYPE_CHECKING:
    from screens.egraphs.growth import Draft


AT_ONCE = 20_000
"""A corpus with more expressions is encoded by a job, not while one waits."""
TOO_MANY = "E647"
"""The code of the error that says so."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why there are no vectors, and what can be done about it."""

    what: str
    advice: str


NOT_ENCODED = Unavailable(
    "This corpus is large, and its expressions are not encoded by this model yet",
    "`:` and `encode the corpus` starts a job that encodes them.",
)
_NO_MODEL = Unavailable(
    "There is no model yet",
    "A model turns expressions into vectors. 3 and a train one: egen/cl-mean-tiny takes a minute, "
    "egen/cl-mean-small an hour. On the command line: mathwb train --headless",
)
_NO_CORPUS = Unavailable("There is no corpus", "a grows an expression, K saves it.")
_NOT_KEPT = Unavailable(
    "A cluster that is not saved is not on the map",
    "K saves it in the corpus `grown`, where its members get vectors.",
)
_NOT_FINISHED = Unavailable("This corpus is not finished", "It can be encoded when it is.")


def encoding_words(event: Event) -> str:
    """How far an encoding is; nothing for other events."""
    data = event.data
    if event.kind != "progress" or not isinstance(data.get("total"), int):
        return ""
    done, total = int(str(data.get("done", 0))), int(str(data["total"]))
    return f"{count(done)} of {count(total)} {data.get('unit', '')}".rstrip()


@dataclass(frozen=True, slots=True)
class State:
    """What the screen shows; its views are given it whole and take what they need.

    `models` is None until it is known which there are; `passing` are the keys of the clusters that pass the
    filter, None without one; `arrangement` is the map's; `tsne_job` is the job that makes the map.
    """

    drafts: tuple[Draft, ...] = ()
    source: Source | None = None
    clusters: Mapping[str, LazyRow] = field(default_factory=dict)
    passing: frozenset[str] | None = None
    cluster: Cluster | None = None
    members: Members | None = None
    member: LazyRow | None = None
    models: tuple[Path, ...] | None = None
    model: Path | None = None
    arrangement: str = "pca"
    tsne_job: int | None = None

    @property
    def arrived(self) -> bool:
        return self.cluster is None or (self.members is not None and self.members.of == self.cluster.key)

    @property
    def folder(self) -> Path | None:
        return self.source.folder if self.source is not None else None

    @property
    def draft(self) -> Draft | None:
        if self.cluster is None or self.cluster.source.folder is not None:
            return None
        return next((draft for draft in self.drafts if draft.number == self.cluster.number), None)

    @property
    def unavailable(self) -> Unavailable | None:
        if self.model is None:
            return _NO_MODEL if self.models is not None else None
        if self.source is None:
            return _NO_CORPUS
        if self.source.folder is None:
            return _NOT_KEPT
        return _NOT_FINISHED if self.source.state else None

    def why_not(self, verb: str) -> str:
        if verb in ("refresh", "inspect") and self.cluster is None:
            return "no cluster is selected"
        if verb == "keep":
            draft = self.draft
            return draft.why_not_keep if draft else "only a cluster grown here can be saved; a grows one"
        if verb == "model" and len(self.models or ()) < 2:
            return "there is one model" if self.models else "there is no model; 3 and a train one"
        if verb == "again" and self.unavailable is not None:
            return self.unavailable.what[0].lower() + self.unavailable.what[1:]
        return ""

    @property
    def model_words(self) -> str:
        return f"model {self.model.name}" if self.model is not None else ""


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands in the frame of the middle pane, and the end of the breadcrumb."""

    title: str
    detail: str
    footnote: str
    crumbs: tuple[str, ...]


class View(Vertical):
    """One way to look at a cluster: it is given the state. It says what is `Selected` and `Opened`, and with
    `AskedFor` that `CLUSTER/member/NUMBER` is to be shown where it stands.

    Args: shows: the list or chart in it.
    """

    DEFAULT_CSS = "View { height: 1fr; }"

    of_cluster = False
    """Whether it shows the cluster itself, and not its place among others."""

    state = State()
    """What there is to show."""
    request: CachedRequest | None = None
    """Its questions."""
    encodes = False
    """Whether an answer may take until a model has encoded much, and can be stopped."""
    _asked: object = None

    @property
    def known(self) -> Mapping[Any, Any]:
        return self.request.known if self.request is not None else {}

    def begin(self) -> None:
        """It is looked at anew: what could not be answered is asked again."""
        self._asked = None

    def knew(self) -> None:
        """What is shown was known: the refusal of what was asked last is not in sight any more."""
        self._asked = None

    def ask(self, params: Mapping[str, Any], key: Hashable) -> bool:
        """Ask, unless this was asked last; the answer has the key as tag. Returns: whether it is asked."""
        new = key != self._asked
        if new and self.request is not None:
            self._asked = key
            self.request.get(params, key)
        return new

    def progressed(self, words: str) -> None:
        """Say how far the answer to what was asked last is."""

    def _progressed(self, event: Progress) -> None:
        words = encoding_words(event.event)
        if words and event.tag == self._asked:
            self.progressed(words)

    def show(self) -> None:
        raise NotImplementedError

    def heading(self) -> Heading:
        raise NotImplementedError

    def case(self) -> Case | None:
        raise NotImplementedError

    def selection(self, line: CommandLine) -> Selection | None:
        raise NotImplementedError

    def exports(self) -> Sequence[Export]:
        return ()

    def lookups(self) -> Sequence[Lookup]:
        return ()

    def legend(self) -> Sequence[tuple[str, str]]:
        return VERDICT_SIGNS

    def go_back(self) -> bool:
        return False


class TableView(View):
    def __init__(self, listing: Listing) -> None:
        super().__init__(listing)
        self._listing = listing

    @property
    def _table(self) -> Table:
        return self._listing.table

    def moved(self, row: Record | None) -> None:  # noqa: ARG002
        self.post_message(Pane.Selected(self))

    def opened(self, row: Record) -> None:
        raise NotImplementedError

    @on(Table.Moved)
    def _moved(self, event: Table.Moved) -> None:
        event.stop()
        self.moved(self._table.current)

    @on(Table.Opened)
    def _opened(self, event: Table.Opened) -> None:
        event.stop()
        if (row := self._table.current) is not None:
            self.opened(row)

    def say(self, unavailable: Unavailable | None) -> None:
        if unavailable is not None:
            self._listing.when_empty(unavailable.what, unavailable.advice)
        self._listing.load([], keep=False)


class MiddlePane(Pane):
    """Its views are the tabs; all are given the state, the one in sight shows it.

    Args: members: the first view. pages: the others, which are made when they are first shown.
    """

    def __init__(self, members: View, *pages: Page, id: str, share: int) -> None:
        first = Page("members", members, id="members-page")
        super().__init__(first, *pages, title="members", id=id, share=share)
        self._members = members

    @property
    def view(self) -> View:
        return next((view for view in self.views if view.parent is self.page), self._members)

    @property
    def views(self) -> list[View]:
        return [child for page in self.pages for child in page.children if isinstance(child, View)]

    def give(self, state: State, *, again: bool = False) -> None:
        """Show this state; `again` also asks again what could not be answered."""
        for view in self.views:
            view.state = state
        self._members.show()
        if again:
            self.view.begin()
        if self.view is not self._members:
            self.view.show()

    @property
    def encoding(self) -> list[CachedRequest]:
        requests = (view.request for view in self.views if view.encodes)
        return [request for request in requests if request is not None and request.running]

    def describe(self) -> tuple[str, ...]:
        """Say in the frame what is shown. Returns: the end of the breadcrumb."""
        heading = self.view.heading()
        self.title, self.detail, self.footnote = heading.title, heading.detail, heading.footnote
        return heading.crumbs

    def case(self) -> Case | None:
        """What is selected, to be explained; the member while a view has nothing yet."""
        return self.view.case() or self._members.case()

    def selection(self, line: CommandLine) -> Selection | None:
        return self.view.selection(line)

    def exports(self) -> Sequence[Export]:
        """What is in sight; all that is known of the cluster itself comes together."""
        if not self.view.of_cluster:
            return self.view.exports()
        return [way for view in self.views if view.of_cluster for way in view.exports()]

    def legend(self) -> Sequence[tuple[str, str]]:
        return self.view.legend()

    def lookups(self) -> Sequence[Lookup]:
        more = self.view.lookups() if self.view is not self._members else ()
        return [*self._members.lookups(), *more]
