"""The E-graphs screen: clusters on the left, members and the e-graph in the middle, why on the right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textual import on, work
from textual.worker import Worker, get_current_worker

from screens.base import Command, Export, Lookup, Selection, WorkbenchScreen
from screens.egraphs import offers
from screens.egraphs.analogies import ANALOGY_KEYS
from screens.egraphs.clusters import ClustersPane
from screens.egraphs.drafts import Draft, Drafts
from screens.egraphs.embedding_map import EmbeddingMap
from screens.egraphs.forms import shown, write_plainly
from screens.egraphs.graph import GRAPH_KEYS, GraphListing
from screens.egraphs.growing import Growing
from screens.egraphs.looks import MEMBER_COLUMNS, MEMBER_FIELDS, member_title, stop_words
from screens.egraphs.member import Case, MemberPane
from screens.egraphs.mistakes import MISTAKE_KEYS
from screens.egraphs.neighbours import Neighbours
from screens.egraphs.sheet import SHEET_KEYS
from screens.egraphs.sources import Expression, Source, corpus_names, open_source
from screens.egraphs.vectors import NEIGHBOUR_COLUMNS, NEIGHBOUR_FIELDS
from screens.egraphs.walking import Walking
from screens.keys import bindings, scope
from screens.text import count
from screens.watch import JobWatch
from screens.widgets.listing import Listing
from screens.widgets.pair import pair, why_no_pair
from screens.widgets.pane import Page, Pane
from screens.widgets.rows import Record
from screens.widgets.scatter import SCATTER_KEYS, Scatter
from screens.widgets.table import Table

__all__ = ["KEYS", "EgraphsScreen"]

_OWN_KEYS = scope(
    "egraphs",
    add=("grow", "Write an expression and grow its cluster."),
    stop="Stop the growth and keep what there is; stop the encoding.",
    keep="Keep the grown cluster in the corpus `grown` of this workspace.",
    refresh=("grow again", "Grow the cluster's head again, with the same settings."),
    again=("evaluate", "Measure the model by the paper's five evaluations, its costliest mistakes first."),
    model="Choose the model that is asked for vectors.",
    diff=("derive", "Derive one of the two marked members from the other, a rule a line, each line checked."),
    inspect=("provenance", "Show with what the cluster was made: settings, stop reason, rules that fired."),
    yank=("yank", "Copy the expression; `Y` offers prefix, infix, LaTeX, tree, JSON and the command line."),
    export="Write members, e-graph, map, neighbours or the list of clusters to a file.",
)
KEYS = (*_OWN_KEYS, *GRAPH_KEYS, *SCATTER_KEYS, *SHEET_KEYS, *MISTAKE_KEYS, *ANALOGY_KEYS)


class EgraphsScreen(Growing, Walking, EmbeddingMap, Neighbours, WorkbenchScreen):
    """Clusters, their members, and why each was judged as it was."""

    MODE = "egraphs"
    KEYS = KEYS
    BINDINGS = bindings(_OWN_KEYS)

    def __init__(self) -> None:
        super().__init__()
        self.source: Source | None = None
        self.drafts = Drafts()
        self.cluster: Expression | None = None
        self._names: list[str] = []
        self._kept: Mapping[str, object] = {}
        self._then: str | None = None
        self._partial_shards = -1

    def panes(self) -> Iterable[Pane]:
        """Clusters, members and e-graph, one expression."""
        yield ClustersPane(id="left", share=11)
        members = Listing(MEMBER_COLUMNS, id="members", fields=MEMBER_FIELDS, counts=False)
        members.when_empty("No cluster is chosen", "")
        graph = Page("e-graph", id="graph-page", make=lambda: [GraphListing(id="graph")])
        yield Pane(
            Page("members", members, id="members-page"),
            graph,
            Page("map", id="map-page", make=lambda: [Scatter(id="map")]),
            Page("nearest", id="nearest-page", make=self._nearest_listing),
            title="members",
            id="middle",
            share=16,
        )
        yield MemberPane(id="right", share=13)

    def _nearest_listing(self) -> list[Listing]:
        return [Listing(NEIGHBOUR_COLUMNS, id="nearest", fields=NEIGHBOUR_FIELDS, counts=False)]

    # Corpora

    async def restore(self, state: Mapping[str, object]) -> None:
        """The corpus comes first; its lists take their part when it is there."""
        self._kept = state
        self._wanted_model = str(state.get("model") or "")
        await super().restore(state)

    def state(self) -> dict[str, object]:
        """Which corpus and which tab, besides the lists."""
        name = self.source.name if self.source is not None and self.source is not self.drafts else ""
        model = self.model.name if self.model is not None else self._wanted_model
        return {**super().state(), "corpus": name, "page": self.page_name, "model": model}

    def begin(self) -> None:
        """Look for corpora."""
        write_plainly(self.workbench.ascii)
        self.query_one("#clusters", Listing).show_loading("looking for corpora")
        self.find_corpora(str(self._kept.get("corpus") or ""))
        self.find_models()

    @work(thread=True, exclusive=True, group="corpora", exit_on_error=False)
    def find_corpora(self, wanted: str = "") -> None:
        """List the corpora of the workspace, and show the wanted or the first one."""
        names = corpus_names(self.workbench.workspace.corpora)
        self.app.call_from_thread(self._listed, names, wanted)

    def _listed(self, names: list[str], wanted: str) -> None:
        self._names = names
        if self.source is self.drafts:
            # Something was grown before the corpora were found: it stays in sight.
            self._show_tabs(self.drafts.name)
            return
        first = wanted if wanted in names else names[0] if names else ""
        if first:
            self.open_corpus(first)
        elif self.drafts.all:
            self.show_drafts()
        else:
            self.query_one("#clusters", Listing).load([])
            self._show_tabs("")

    def _show_tabs(self, shown: str) -> None:
        names = [*self._names, *([self.drafts.name] if self.drafts.all else [])]
        self.query_one(ClustersPane).show_names(names, shown)
        self.refresh_bindings()

    def open_corpus(self, name: str, then: str | None = None) -> None:
        """Show a corpus; `then` is the cluster to go to."""
        self._show_tabs(name)
        self._then = then
        self._read_corpus(self.workbench.workspace.corpora / name)

    @work(thread=True, exclusive=True, group="corpus", exit_on_error=False)
    def _read_corpus(self, path: Path) -> None:
        worker = get_current_worker()
        try:
            source = open_source(path)
            rows = source.clusters()
            for row in rows[:64]:
                shown(row["head"])
        except Exception as error:  # noqa: BLE001  # whatever it is, it is shown in its place
            if not worker.is_cancelled:
                self.app.call_from_thread(self._corpus_failed, path.name, error)
            return
        self.app.call_from_thread(self._corpus_read, worker, source, rows)
        for row in rows:
            if worker.is_cancelled:
                return
            row.get("infix")  # so that a filter by text does not have to make them all

    def _corpus_read(self, worker: Worker[None], source: Source, rows: Sequence[Expression]) -> None:
        # Asked here and not in the thread: meanwhile something else may have been chosen.
        if not worker.is_cancelled:
            self._show_source(source, rows)

    def _corpus_failed(self, name: str, error: BaseException) -> None:
        from workbench.errors import explain

        self.source = None
        self.crumbs = (f"corpus {name}",)
        self.query_one("#clusters", Listing).show_error(explain(error))
        self.query_one("#left", Pane).detail = ""
        self._show_cluster(None)

    def _show_source(self, source: Source, rows: Sequence[Expression]) -> None:
        same = self.source is not None and self.source.name == source.name
        self.source = source
        listing = self.query_one("#clusters", Listing)
        if source.state and not rows:
            listing.when_empty("No cluster is finished yet", "They appear as their shards are written.")
        listing.load(rows, keep=same or bool(self._kept))
        self._kept = {}
        self.query_one("#left", Pane).footnote = source.state
        self._show_tabs(source.name)
        then, self._then = self._then, None
        if then is not None:
            listing.table.go_to(then)
        elif not same and listing.table.current is None:
            self._show_cluster(None)

    def show_drafts(self, then: str | None = None) -> None:
        """Show what was grown and not kept, whatever is being read."""
        self.workers.cancel_group(self, "corpus")
        self._then = then
        self._show_source(self.drafts, self.drafts.clusters())

    @on(ClustersPane.Picked)
    def _corpus_picked(self, event: ClustersPane.Picked) -> None:
        if event.name == self.drafts.name:
            self.show_drafts()
        else:
            self.open_corpus(event.name)

    @on(JobWatch.Looked)
    def _jobs_looked(self) -> None:
        """A corpus that is being built may have more shards by now."""
        source = self.source
        if source is not None and source.state and source is not self.drafts:
            path = self.workbench.workspace.corpora / source.name
            shards = sum(1 for _ in (path / "shards").glob("shard-*.parquet"))
            finished = (path / "manifest.json").exists()
            if shards != self._partial_shards or finished:
                self._partial_shards = shards
                self._read_corpus(path)

    # A cluster

    @on(Table.Moved, "#clusters-table")
    def _cluster_moved(self, event: Table.Moved) -> None:
        record = event.table.current
        self._show_cluster(record if isinstance(record, Expression) else None)

    def _show_cluster(self, record: Expression | None) -> None:
        self.cluster = record
        if record is None or self.source is None:
            self.query_one("#members", Listing).load([], keep=False)
            self.query_one("#middle", Pane).detail = ""
            self.describe()
        elif self.source is self.drafts:
            self._show_members(record, self.drafts.members(record["cluster"]))
        else:
            self._read_members(self.source, record)
        self.fill_graph()
        if self.on_map and record is not None:
            self.fill_vectors()
        self.refresh_bindings()

    @work(thread=True, exclusive=True, group="members", exit_on_error=False)
    def _read_members(self, source: Source, record: Expression) -> None:
        worker = get_current_worker()
        try:
            rows = source.members(record["cluster"])
        except Exception as error:  # noqa: BLE001  # whatever it is, it is shown in its place
            if not worker.is_cancelled:
                self.app.call_from_thread(self._members_failed, error)
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show_members, record, rows)

    def _members_failed(self, error: BaseException) -> None:
        from workbench.errors import explain

        self.query_one("#members", Listing).show_error(explain(error))
        self.query_one(MemberPane).show(None)

    _members_of: tuple[str, str] = ("", "")
    _titles: tuple[str, ...] = ()

    def _show_members(self, record: Expression, rows: Sequence[Expression]) -> None:
        if record is not self.cluster or self.source is None:
            return
        listing = self.query_one("#members", Listing)
        this = (self.source.name, str(record["id"]))
        before = self._members_of
        same = this == before or not before[0]
        self._members_of = this
        # `n` goes on with what was looked for among the clusters.
        clusters = self.query_one("#clusters", Listing).table
        listing.table.last_filter = listing.table.filter or clusters.filter or listing.table.last_filter
        listing.load(rows, keep=same)
        if not same:
            listing.table.cursor = 0
        self.arrive()
        self.describe()

    @on(Table.Counted, "#members-table")
    def describe(self) -> None:
        """Titles, breadcrumb and footnote of what is shown."""
        pane = self.query_one("#middle", Pane)
        record, source = self.cluster, self.source
        if record is None or source is None:
            pane.title, pane.detail, pane.footnote = "members", "", ""
            self.crumbs = (self.corpus_words(),) if source is not None else self.crumbs
            return
        if self.on_graph:
            graph = self.graph
            pane.title, pane.detail = "e-graph", graph.words if graph else ""
        elif self.on_map or self.on_nearest:
            pane.title = "map" if self.on_map else "nearest"
            pane.detail, pane.footnote = self.vector_words()
            self.crumb()
            return
        else:
            pane.title, pane.detail = "members", self._how_many(record)
        rules = str(source.facts(record["cluster"]).get("rules", ""))[:4]
        unit = "" if record["stop"] == "node_limit" else " nodes"
        ended = record["stop"] not in ("growing", "failed")
        stop = f"stop: {stop_words(record['stop'])}" if ended else record["stop"]
        if record["stop"] == "stopped":
            stop = "stopped at"
        parts = [f"{stop} {count(record['nodes'])}{unit}"]
        pane.footnote = " · ".join([*parts, *([f"rules {rules}"] if rules else [])])
        self.crumb()

    def _how_many(self, record: Record) -> str:
        table = self.query_one("#members-table", Table)
        total = int(record["total"])
        members = max(0, len(table.rows) - 1)
        settings = self.settings
        of = f"{count(members)} of {_big(total)}" if total else count(members)
        if table.filter is not None:
            return f"{count(table.shown)} shown, {of}"
        return f"{of} (stratified, seed {settings.get('seed', 0)})" if total else of

    def corpus_words(self) -> str:
        assert self.source is not None
        return self.drafts.name if self.source is self.drafts else f"corpus {self.source.name}"

    def crumb(self) -> None:
        titles = tuple(pane.title for pane in self.query(Pane))
        if titles != self._titles:
            self._titles = titles
            self._arrange()  # a pane that shares its place names the others
        record = self.cluster
        if record is None or self.source is None:
            return
        place = [self.corpus_words(), f"cluster {record['cluster']}"]
        if self.on_graph:
            trail = self.query_one("#graph", GraphListing).trail
            self.crumbs = (*place, "e-graph", *(f"c{number}" for number in trail))
        elif self.on_map:
            lit = self.lit_cluster
            self.crumbs = (place[0], "map", *((f"cluster {lit['cluster']}",) if lit is not None else ()))
        else:
            member = self.query_one("#members-table", Table).current
            if member is not None:
                place.append(member_title(member))
            self.crumbs = (*place, *(("nearest",) if self.on_nearest else ()))

    # A member

    @on(Table.Moved, "#members-table")
    def _member_moved(self) -> None:
        if self.page_name == "members-page":
            self._show_member()
            self.crumb()
        elif self.on_nearest:
            self.fill_vectors()
        self.refresh_bindings()

    def _show_member(self) -> None:
        member = self.query_one("#members-table", Table).current
        pane, record = self.query_one(MemberPane), self.cluster
        if member is None or record is None:
            pane.show(None)
            return
        case = Case(member_title(member), record["head"], member["prefix"], member["verdict"], record["seed"])
        if case != pane.case:
            pane.show(case)

    @on(Table.Marked, "#members-table")
    def _marked(self) -> None:
        self.refresh_bindings()

    @on(Table.Opened, "#clusters-table")
    def _cluster_opened(self) -> None:
        self.show_pane("middle")

    @on(Table.Opened, "#members-table")
    def _member_opened(self) -> None:
        self.show_pane("right")

    @on(Pane.PageShown, "#middle")
    async def _page_shown(self) -> None:
        wanted = str(self._kept.get("page") or "")
        if wanted and wanted != self.page_name:
            self._kept = {name: value for name, value in self._kept.items() if name != "page"}
            await self.query_one("#middle", Pane).show_page(wanted)
            return
        self.fill_graph()
        self.fill_vectors()
        self.describe()
        if self.page_name == "members-page":
            self._show_member()
        self.refresh_bindings()

    # What can be done

    def why_not(self, verb: str) -> str:
        """The screen's own reasons."""
        if verb in ("refresh", "inspect") and self.cluster is None:
            return "no cluster is selected"
        if verb == "diff" and (reason := why_no_pair(self.query_one("#members-table", Table), "members")):
            return reason
        if verb in ("next_tab", "previous_tab") and self._has_several():
            return ""
        return self.why_not_grow(verb) or self.why_not_ask(verb) or super().why_not(verb)

    def _has_several(self) -> bool:
        """Whether the active pane is the left one, and it has tabs."""
        pane = self.active_pane
        return isinstance(pane, ClustersPane) and len(pane.names) > 1

    async def step_tab(self, by: int) -> None:
        """On the left the tabs are the corpora, when there are several."""
        if self._has_several():
            self.query_one(ClustersPane).step(by)
        else:
            await super().step_tab(by)

    def action_diff(self) -> None:
        from screens.egraphs.derivation import Derivation

        chosen = pair(self.query_one("#members-table", Table))
        if self.cluster is not None and chosen is not None:
            left, right = chosen
            self.app.push_screen(Derivation(self, left["prefix"], right["prefix"], self.mode))

    def action_inspect(self) -> None:
        from screens.egraphs.provenance import Provenance

        if self.cluster is not None and self.source is not None:
            number = self.cluster["cluster"]
            title = f"{self.corpus_words()}, cluster {number}"
            self.app.push_screen(Provenance(self, title, self.cluster, self.source.facts(number)))

    # What others ask

    @property
    def settings(self) -> Mapping[str, Any]:
        """With what the cluster was made."""
        if self.source is None or self.cluster is None:
            return {}
        return self.source.settings(self.cluster["cluster"])

    @property
    def mode(self) -> str:
        """In which mode the cluster was grown."""
        return str(self.settings.get("mode", "strict"))

    @property
    def folder(self) -> Path | None:
        """Of the corpus; there is none for what was not kept."""
        if self.source is None or self.source is self.drafts:
            return None
        return self.workbench.workspace.corpora / self.source.name

    def draft_here(self) -> Draft | None:
        """What is under the cursor, if it was grown here and not kept."""
        if self.source is not self.drafts or self.cluster is None:
            return None
        return self.drafts.get(self.cluster["cluster"])

    def selection(self) -> Selection | None:
        """The cluster, the e-class or the member, by the pane that has the focus."""
        return offers.selection(self)

    def exports(self) -> Sequence[Export]:
        """Members, the e-graph when it is there, and the list of clusters."""
        return offers.exports(self)

    def lookups(self) -> Sequence[Lookup]:
        """`:cluster 412`, `:corpus NAME`, `:member 37`, `:class 12`, `:model NAME`."""
        return offers.lookups(self)

    def commands(self) -> Sequence[Command]:
        """What models can be asked."""
        return self.model_commands()

    @property
    def corpora(self) -> Sequence[str]:
        """The names of the corpora of the workspace."""
        return self._names


def _big(number: int) -> str:
    """A count of terms: in full while that is short, else as `2.1e16`."""
    if number < 10**6:
        return count(number)
    digits = str(number)
    return f"{digits[0]}.{digits[1]}e{len(digits) - 1}"
