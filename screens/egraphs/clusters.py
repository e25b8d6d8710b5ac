"""The lists of clusters and members, and the middle pane with its views."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.containers import Vertical

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.egraphs.columns import (
    VERDICT_SIGNS,
    fit_columns,
    format_expression,
    have_equal_sizes,
    list_copy_forms,
    list_variables,
    listing_arguments,
    member_title,
    stop_words,
)
from screens.egraphs.member import ExplainedMember
from screens.egraphs.sources import ClusterSource, ListedCluster
from screens.shell.export import FORMATS, CommandLine, Export, Lookup, PaneSelection, declared_exports
from screens.shell.request import CachedRequest, RequestAnswer, RequestProgress
from screens.shell.theme import format_count, format_quantity
from screens.widgets.listing import Listing
from screens.widgets.pane import Holding, ListPane, Page, Pane
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.papers.egen.tables import CLUSTERS, MEMBERS
from workbench.tables import Filter, LazyRow

if TYPE_CHECKING:
    from screens.egraphs.growth import GrowthDraft


AT_ONCE = 20_000
"""A corpus with more expressions is encoded by a job, not while one waits."""
TOO_MANY = "E647"


Unavailable = tuple[str, str]
"""Why there are no vectors, and what can be done about it."""

NOT_ENCODED: Unavailable = (
    "This corpus is large, and its expressions are not encoded by this model yet",
    "`:` and `encode the corpus` starts a job that encodes them.",
)
_NO_MODEL: Unavailable = (
    "There is no model yet",
    "A model turns expressions into vectors. 3 and a train one: egen/cl-mean-tiny takes a minute, "
    "egen/cl-mean-small an hour. On the command line: mathwb train --headless",
)
_NO_CORPUS: Unavailable = ("There is no corpus", "a grows an expression, K saves it.")
_NOT_SAVED: Unavailable = (
    "A cluster that is not saved is not on the map",
    "K saves it in the corpus `grown`, where its members get vectors.",
)
_NOT_FINISHED: Unavailable = ("This corpus is not finished", "It can be encoded when it is.")


def encoding_words(event: Event) -> str:
    """Describe how far an encoding is; empty for other events."""
    data = event.data
    if event.kind != "progress" or not isinstance(data.get("total"), int):
        return ""
    done, total = int(str(data.get("done", 0))), int(str(data["total"]))
    return f"{format_count(done)} of {format_count(total)} {data.get('unit', '')}".rstrip()


@dataclass(frozen=True, slots=True)
class EgraphsState:
    """Everything that the screen shows; each view takes what it needs.

    `members` are the rows of a cluster, with its key as their tag. `models` is None until they are known.
    `passing` are the keys of the clusters that match the filter, None without a filter; `arrangement` is the
    map's, and `tsne_job` the job that computes it.
    """

    drafts: tuple[GrowthDraft, ...] = ()
    source: ClusterSource | None = None
    clusters: Mapping[str, LazyRow] = field(default_factory=dict)
    passing: frozenset[str] | None = None
    cluster: ListedCluster | None = None
    members: RequestAnswer | None = None
    member: LazyRow | None = None
    models: tuple[Path, ...] | None = None
    model: Path | None = None
    arrangement: str = "pca"
    tsne_job: int | None = None

    @property
    def arrived(self) -> bool:
        """Tell whether the members of the selected cluster have been read."""
        # The members on the screen may still be those of the cluster before.
        return self.cluster is None or (self.members is not None and self.members.tag == self.cluster.key)

    @property
    def folder(self) -> Path | None:
        """Return the folder of the corpus, or None where clusters are grown here."""
        return self.source.folder if self.source is not None else None

    @property
    def draft(self) -> GrowthDraft | None:
        """Return the draft of the selected cluster, or None if the cluster is saved."""
        if self.cluster is None or self.cluster.source.folder is not None:
            return None
        return next((draft for draft in self.drafts if draft.number == self.cluster.number), None)

    @property
    def unavailable(self) -> Unavailable | None:
        """Return the reason that there are no vectors, or None."""
        if self.model is None:
            return _NO_MODEL if self.models is not None else None
        if self.source is None:
            return _NO_CORPUS
        if self.source.folder is None:
            return _NOT_SAVED
        return _NOT_FINISHED if self.source.state else None

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply in this state, or an empty string."""
        if verb in ("again", "inspect") and self.cluster is None:
            return "no cluster is selected"
        if verb == "keep":
            draft = self.draft
            return draft.why_not_keep if draft else "there is nothing to save yet; a grows a cluster"
        if verb == "model" and len(self.models or ()) < 2:
            return "there is one model" if self.models else "there is no model; 3 and a train one"
        if verb == "evaluate" and self.unavailable is not None:
            why, _ = self.unavailable
            return why[0].lower() + why[1:]
        return ""

    @property
    def model_words(self) -> str:
        """Return the model as headings name it, or an empty string."""
        return f"model {self.model.name}" if self.model is not None else ""


Heading = tuple[str, str, str, tuple[str, ...]]
"""Title, detail and footnote of the middle pane, and its trail."""


class View(Holding, Vertical):
    """A way to look at a cluster.

    A view is given the state. It posts `AskedFor` with `CLUSTER/member/NUMBER` to go to that member.
    """

    DEFAULT_CSS = "View { height: 1fr; }"

    of_cluster = False
    """Whether it shows the cluster itself, and not its place among others."""

    state = EgraphsState()
    request: CachedRequest | None = None
    encodes = False
    """Whether an answer may take until a model has encoded much, and can be stopped."""
    _asked: object = None
    LEGEND: ClassVar[Sequence[tuple[str, str]]] = VERDICT_SIGNS

    @property
    def known(self) -> Mapping[Any, Any]:
        """What the view has received already, by key."""
        return self.request.known if self.request is not None else {}

    def look_again(self) -> None:
        """Ask again what could not be answered, because the view comes into sight."""
        self._asked = None

    def mark_known(self) -> None:
        """Forget the last question, because its answer or refusal is no longer shown."""
        self._asked = None

    def ask_once(self, params: Mapping[str, Any], key: Hashable) -> bool:
        """Ask the engine, unless this was the last question; return whether it was asked.

        Args:
            params: the operation's parameters.
            key: identifies the question; the answer has it as its tag.
        """
        new = key != self._asked
        if new and self.request is not None:
            self._asked = key
            self.request.get(params, key)
        return new

    def show_progress(self, words: str) -> None:
        """Show the progress of the last question, in words."""

    def _pass_progress(self, event: RequestProgress) -> None:
        words = encoding_words(event.event)
        if words and event.tag == self._asked:
            self.show_progress(words)

    def show_state(self) -> None:
        """Show what the screen's state says now; each view draws itself."""
        raise NotImplementedError

    def make_heading(self) -> Heading:
        """Return title, detail, footnote and trail of the pane."""
        raise NotImplementedError

    def get_case(self) -> ExplainedMember | None:
        """Return the selected expression against its head, or None."""
        raise NotImplementedError

    def go_back(self) -> bool:
        """Go back one step inside the view; return whether there was one."""
        return False


class TableView(View):
    """A view that is one table."""

    def __init__(self, listing: Listing) -> None:
        super().__init__(listing)
        self._listing = listing

    @property
    def _table(self) -> Table:
        return self._listing.table

    def open_row(self, row: Record) -> None:
        """Open the row under the cursor."""
        raise NotImplementedError

    @on(Table.Moved)
    def _report_move(self, event: Table.Moved) -> None:
        event.stop()
        self.post_message(Pane.Selected(self))

    @on(Table.Opened)
    def _open_current(self, event: Table.Opened) -> None:
        event.stop()
        if (row := self._table.current) is not None:
            self.open_row(row)

    def show_unavailable(self, unavailable: Unavailable | None) -> None:
        """Show no rows, and why there are none."""
        if unavailable is not None:
            self._listing.when_empty(*unavailable)
        self._listing.load([], keep=False)


class MiddlePane(Pane):
    """The pane of the views, each on a tab; all are given the state, and the visible one shows it."""

    def __init__(self, members: View, *pages: Page, id: str, share: int) -> None:
        first = Page("members", members, id="members-page")
        super().__init__(first, *pages, title="members", id=id, share=share)
        self._members = members

    @property
    def view(self) -> View:
        """The view of the page that is shown."""
        return next((view for view in self.views if view.parent is self.page), self._members)

    @property
    def views(self) -> list[View]:
        """The views that have been made."""
        return [child for page in self.pages for child in page.children if isinstance(child, View)]

    def give_state(self, state: EgraphsState, *, again: bool = False) -> None:
        """Show a state; `again` also repeats questions that could not be answered."""
        for view in self.views:
            view.state = state
        self._members.show_state()
        if again:
            self.view.look_again()
        if self.view is not self._members:
            self.view.show_state()

    @property
    def encoding(self) -> list[CachedRequest]:
        """Return the requests that are encoding a corpus now."""
        requests = (view.request for view in self.views if view.encodes)
        return [request for request in requests if request is not None and request.running]

    def show_heading(self) -> None:
        """Update title, detail, footnote and trail."""
        self.title, self.detail, self.footnote, self.trail = self.view.make_heading()

    def get_case(self) -> ExplainedMember | None:
        """Return what is selected, or the member as long as the view has nothing."""
        return self.view.get_case() or self._members.get_case()

    def selection(self, line: CommandLine) -> PaneSelection | None:
        return self.view.selection(line)

    def exports(self) -> Sequence[Export]:
        """Return the exports of the visible view, or those of all views of the cluster."""
        if not self.view.of_cluster:
            return self.view.exports()
        return [way for view in self.views if view.of_cluster for way in view.exports()]

    def list_signs(self) -> Sequence[tuple[str, str]]:
        return self.view.list_signs()

    def lookups(self) -> Sequence[Lookup]:
        more = self.view.lookups() if self.view is not self._members else ()
        return [*self._members.lookups(), *more]


_OPTIONS = ("members", "max_tokens", "mode", "style", "weights", "order", "seed")


class ClustersPane(ListPane):
    """The left pane: the clusters of a source."""

    NONE = (
        "No corpus yet: clusters of equal expressions appear here",
        "a  grow one, such as cos(2*x): the first members within a second\n"
        "3 a  build a corpus in the background: egen corpus, 80 heads in a minute",
    )
    LEGEND = (
        ("✓", "every member equals the head"),
        ("▾ 40 %", "the worst verdict in the cluster, and the share of members equal to its head"),
        ("–", "no members, or none judged"),
        *VERDICT_SIGNS,
    )

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(Listing(**listing_arguments("clusters")), title="clusters", id=id, share=share)
        self._source: ClusterSource | None = None

    def show_error(self, error: EngineError) -> None:
        self._source = None
        super().show_error(error)
        self.detail = ""

    def show_clusters(self, source: ClusterSource, rows: Sequence[LazyRow], *, keep: bool) -> None:
        """Show the clusters of a source; with `keep` the cursor stays where it is."""
        self._source = source
        # A corpus that is being built may have no finished shard yet.
        if source.state and not rows:
            self.listing.when_empty("No cluster is finished yet", "They appear as their shards are written.")
        self.listing.home = f"{source.address}/cluster"
        self.table.columns = fit_columns("clusters", rows)
        self.listing.load(rows, keep=keep)
        self.footnote = source.state or (
            f"{format_count(rows[0]['size'])} expressions each" if have_equal_sizes(rows) else ""
        )

    def go_to(self, cluster: str) -> bool:
        # While a corpus is read, the clusters of the one before stand here.
        read = self._source is not None and self._source.name == self.source
        return read and self.listing.go_to(cluster)

    @property
    def passing(self) -> frozenset[str] | None:
        """The keys of the clusters that pass the filter; None without one."""
        if self.table.filter is None:
            return None
        return frozenset(str(row["id"]) for row in self.table.visible_records())

    @property
    def chosen(self) -> ListedCluster | None:
        """Return the cluster under the cursor."""
        source, row = self._source, self.table.current
        return ListedCluster(source, row) if source is not None and isinstance(row, LazyRow) else None

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if (chosen := self.chosen) is None:
            return None
        row, folder, number = chosen.row, chosen.source.folder, chosen.number
        words = _growth_words(chosen) if folder is None else ["egen", "show", str(folder), str(number)]
        known = {name: row[name] for name in ("cluster", "size", "stop", "nodes", "classes")}
        forms, about = list_copy_forms(chosen.head, known), partial(format_expression, chosen.head)
        return PaneSelection(chosen.address, f"cluster {number}", line(*words), forms, about)

    def exports(self) -> Sequence[Export]:
        if self._source is None or self.table.current is None:
            return ()
        facts = {"corpus": self._source.name, "filter": self.listing.query_text}
        rows = self.table.visible_records
        return declared_exports(CLUSTERS, "list of clusters", self._source.name, {".csv": "C"}, rows, facts)

    def lookups(self) -> Sequence[Lookup]:
        return [Lookup("cluster", "Go to a cluster of this corpus by its number.", self.go_to)]


def _growth_words(cluster: ListedCluster) -> list[str]:
    settings = {**cluster.settings, "seed": cluster.seed}
    words = ["egen", "generate", "--notation", "prefix", *cluster.assuming, *cluster.limits]
    for name in _OPTIONS:
        words += [f"--{name.replace('_', '-')}", str(settings[name])] if settings.get(name, "") != "" else []
    words += ["--holes"] if settings.get("holes") and settings.get("style") != "any" else []
    return [*words, *(["--padding"] if settings.get("padding") else []), "--", cluster.head]


class MembersView(TableView):
    """The members of a cluster; `Marked` is posted when the marks change."""

    of_cluster = True
    LEGEND = (
        *VERDICT_SIGNS,
        ("·", "the head itself"),
        ("…", "not judged yet"),
        ("tok", "tokens in generator notation"),
    )

    def __init__(self) -> None:
        super().__init__(Listing(**listing_arguments("members")))
        advice = "each judged against the head, with the points where they differ."
        self._listing.when_empty("The members of a cluster appear here", advice)
        self._loaded: RequestAnswer | None = None
        self._waits = self._seeks = False
        self._awaited: str | None = None

    def show_state(self) -> None:
        members = self.state.members
        # Waiting is a state too: the members of the cluster before must not stay.
        waits = members is None and self.state.cluster is not None
        # Nothing has changed, or the members are those of another cluster.
        if (members is self._loaded and waits == self._waits) or (
            members is not None and not self.state.arrived
        ):
            return
        before, self._loaded, self._waits = self._loaded, members, waits
        if waits:
            self._listing.show_loading("reading the members")
        elif members is None:
            self._listing.load([], keep=False)
        elif members.error is not None:
            self._listing.show_error(members.error)
        else:
            # What a session remembers is found in the first cluster that is shown.
            same = before is None or before.tag == members.tag
            cluster = self.state.cluster
            self._listing.home = f"{cluster.address}/member" if cluster is not None else ""
            # Without classical forms there are rules alone, or somebody else's list.
            formed = any(row.get("by") for row in members.value)
            self._table.columns = fit_columns("members", members.value, without=() if formed else ("by",))
            self._listing.load(members.value, keep=same)
            if not same:
                self._table.cursor = 0
            # A member that was asked for before its cluster was read.
            if self._awaited is not None and self._listing.go_to(self._awaited):
                self._awaited = None
            if self._seeks:
                self.seek_match()

    def seek_match(self) -> None:
        """Go to the first member that matches the filter of the clusters, once the members are read."""
        self._seeks = bool(self._waits)
        if not self._seeks:
            self._table.go_to_match()

    def look_for(self, filter: Filter | None) -> None:
        """Let `n` repeat the filter of the clusters, unless the members have their own filter."""
        # The members' own filter comes first, then that of the clusters, then the last one.
        self._table.last_filter = self._table.filter or filter or self._table.last_filter

    def expect_member(self, cluster: str, member: str) -> None:
        """Put the cursor on a member, if necessary once its cluster is shown."""
        chosen = self.state.cluster
        if chosen is None or str(chosen.number) != cluster or not self._listing.go_to(member):
            # Not there yet: remembered until the cluster is shown.
            self._awaited = member

    @property
    def _here(self) -> tuple[ListedCluster, Record] | None:
        cluster, row = self.state.cluster, self._table.current
        return (cluster, row) if cluster is not None and row is not None and self.state.arrived else None

    def make_heading(self) -> Heading:
        cluster = self.state.cluster
        if cluster is None:
            return "members", "", "", ()
        settings, order = cluster.settings, cluster.settings.get("order", "shortest")
        footnote = cluster_footnote(cluster)
        if cluster.row["total_members"]:
            manner = [settings["style"], *([] if order == "shortest" else [order])]
            manner += [*(["weighted"] if cluster.weights else []), f"seed {settings.get('seed', 0)}"]
            footnote += f" · {', '.join(manner)}"
        return "members", self._how_many(cluster), footnote, (f"cluster {cluster.number}",)

    def _how_many(self, cluster: ListedCluster) -> str:
        total = int(cluster.row["total_members"])
        members = max(0, len(self._table.rows) - 1)
        of = f"{format_count(members)} of {format_count(total, 6)}" if total else format_count(members)
        if self._table.filter is not None:
            return f"{format_count(self._table.shown)} shown, {of}"
        return of

    def get_case(self) -> ExplainedMember | None:
        """Return the pair of head and member that the right pane judges, or None."""
        if self._here is None:
            return None
        cluster, row = self._here
        settled = (cluster.seed, cluster.assume, cluster.mode, cluster.theory)
        return ExplainedMember(member_title(row), cluster.head, row["prefix"], row["verdict"], *settled)

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if self._here is None:
            return None
        cluster, row = self._here
        known = {name: row[name] for name in ("member", "tokens", "verdict", "kept")}
        forms = list_copy_forms(row["prefix"], {"head": cluster.head, **known})
        seed = ["--seed", str(cluster.seed)]
        words = ["egen", "explain", *cluster.assuming, *seed, "--", cluster.head, row["prefix"]]
        address = f"{cluster.address}/member/{row['member']}"
        return PaneSelection(
            address, member_title(row), line(*words), forms, partial(format_expression, row["prefix"])
        )

    def marked_pair(self) -> tuple[str, str] | None:
        """Return the prefix forms of the two marked members, or None."""
        result = self._table.pair
        return None if result is None else (result[0]["prefix"], result[1]["prefix"])

    def why_no_pair(self) -> str:
        """Return the reason that no two members can be compared."""
        return self._table.why_no_pair("members")

    def exports(self) -> Sequence[Export]:
        cluster = self.state.cluster
        if cluster is None or not self.state.arrived:
            return ()
        facts, rows = cluster.facts, self._table.visible_records
        return declared_exports(MEMBERS, "members", cluster.stem, {**FORMATS, ".tex": "t"}, rows, facts)

    def lookups(self) -> Sequence[Lookup]:
        # While a cluster is read, the members of the one before stand here.
        go = lambda member: self.state.arrived and self._listing.go_to(member)  # noqa: E731
        return [Lookup("member", "Go to a member of this cluster by its number.", go)]

    @property
    def member(self) -> LazyRow | None:
        """Return the member under the cursor, or None."""
        row = self._table.current
        return row if isinstance(row, LazyRow) else None

    def open_row(self, row: Record) -> None:  # noqa: ARG002
        self.post_message(Pane.Opened(self))

    @on(Table.Marked)
    def _report_marks(self, event: Table.Marked) -> None:
        event.stop()
        self.post_message(Pane.Marked(self))

    @on(Table.Counted)
    def _report_count(self) -> None:
        self.post_message(Pane.Selected(self))


def cluster_footnote(cluster: ListedCluster) -> str:
    """Describe a cluster: its variables and assumptions, how its growth ended, and its rules."""
    stop, nodes = cluster.row["stop"], format_quantity(cluster.row["nodes"], "node")
    rules = str(cluster.source.get_facts(cluster.number).get("rules", ""))[:4]
    words = {
        "growing": f"growing {nodes}",
        "failed": f"failed {nodes}",
        "stopped": f"stopped at {nodes}",
        "node_limit": f"stop: node limit {format_count(cluster.row['nodes'])}",
    }
    ended = words.get(stop, f"stop: {stop_words(stop)} {nodes}")
    names = list_variables(cluster.head)
    about = [", ".join(names)] if {*names} - {"x"} else []
    about += [f"where {cluster.assume}"] if cluster.assume else []
    parts = [" ".join(about), ended, f"rules {rules}" if rules else ""]
    return " · ".join(part for part in parts if part)
