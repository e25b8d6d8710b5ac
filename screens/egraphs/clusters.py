"""The lists: clusters of the corpora, and the members of one."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on

from engines.core.errors import EngineError
from screens.egraphs.columns import (
    VERDICT_SIGNS,
    alike,
    copies,
    fitting,
    member_title,
    stop_words,
    table,
    variables,
)
from screens.egraphs.member import Case
from screens.egraphs.middle import Heading, TableView
from screens.egraphs.sources import Cluster, Members, Source
from screens.shell.export import FORMATS, CommandLine, Export, Lookup, Selection, exported
from screens.shell.theme import count, some
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane, Pane
from screens.widgets.table import Record, Table
from workbench.filters import Filter
from workbench.papers.egen.tables import CLUSTERS, MEMBERS
from workbench.tables import LazyRow

_OPTIONS = ("members", "max_tokens", "mode", "style", "weights", "order", "seed")


class ClustersPane(ListPane):
    NONE = "No corpus yet", "a grows an expression; the Jobs screen (3) builds a corpus."

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(Listing(**table("clusters", counts=True)), title="clusters", id=id, share=share)
        self._source: Source | None = None

    def show_error(self, error: EngineError) -> None:
        self._source = None
        super().show_error(error)
        self.detail = ""

    def show(self, source: Source, rows: Sequence[LazyRow], *, keep: bool) -> None:
        """Show the clusters of a source; with `keep` the cursor stays where it is, or is to be."""
        self._source = source
        if source.state and not rows:
            self.listing.when_empty("No cluster is finished yet", "They appear as their shards are written.")
        self.listing.home = f"{source.address}/cluster"
        self.table.columns = fitting("clusters", rows)
        self.listing.load(rows, keep=keep)
        self.footnote = source.state or (f"{count(rows[0]['size'])} expressions each" if alike(rows) else "")

    def go_to(self, cluster: str) -> bool:
        # While a corpus is read, the clusters of the one before stand here.
        read = self._source is not None and self._source.name == self.source
        return read and self.listing.go_to(cluster)

    def clear_filter(self) -> None:
        self.listing.clear_filter()

    @property
    def filter(self) -> Filter | None:
        return self.table.filter

    @property
    def passing(self) -> frozenset[str] | None:
        """The keys of the clusters that pass the filter; None without one."""
        if self.table.filter is None:
            return None
        return frozenset(str(row["id"]) for row in self.table.visible_records())

    @property
    def chosen(self) -> Cluster | None:
        source, row = self._source, self.table.current
        return Cluster(source, row) if source is not None and isinstance(row, LazyRow) else None

    def selection(self, line: CommandLine) -> Selection | None:
        if (chosen := self.chosen) is None:
            return None
        row, folder, number = chosen.row, chosen.source.folder, chosen.number
        words = _growing(chosen) if folder is None else ["egen", "show", str(folder), str(number)]
        known = {name: row[name] for name in ("cluster", "size", "stop", "nodes", "classes")}
        return Selection(chosen.address, f"cluster {number}", line(*words), copies(chosen.head, known))

    def exports(self) -> Sequence[Export]:
        if self._source is None or self.table.current is None:
            return ()
        facts = {"corpus": self._source.name, "filter": self.listing.query_text}
        rows = self.table.visible_records
        return exported(CLUSTERS, "list of clusters", self._source.name, {".csv": "C"}, rows, facts)

    def legend(self) -> Sequence[tuple[str, str]]:
        share = (
            "▾ 40 %",
            "the worst verdict in the cluster, and the share of members equal to its head",
        )
        return (
            ("✓ all", "every member equals the head"),
            share,
            ("–", "no members, or none judged"),
            *VERDICT_SIGNS,
        )

    def lookups(self) -> Sequence[Lookup]:
        return [Lookup("cluster", "Go to a cluster of this corpus by its number.", self.go_to)]


def _growing(cluster: Cluster) -> list[str]:
    settings = {**cluster.settings, "seed": cluster.seed}
    words = ["egen", "generate", "--notation", "prefix", *cluster.assuming, *cluster.limits]
    for name in _OPTIONS:
        words += [f"--{name.replace('_', '-')}", str(settings[name])] if settings.get(name, "") != "" else []
    return [*words, *(["--padding"] if settings.get("padding") else []), "--", cluster.head]


class MembersView(TableView):
    """The members of a cluster; `Marked` says that other ones are marked."""

    of_cluster = True

    def __init__(self) -> None:
        super().__init__(Listing(**table("members")))
        self._listing.when_empty("No cluster is chosen", "")
        self._loaded: Members | None = None
        self._waits = False
        self._awaited: str | None = None

    def show(self) -> None:
        members = self.state.members
        waits = members is None and self.state.cluster is not None
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
            same = before is None or before.of == members.of
            cluster = self.state.cluster
            self._listing.home = f"{cluster.address}/member" if cluster is not None else ""
            self._table.columns = fitting("members", members.rows)
            self._listing.load(members.rows, keep=same)
            if not same:
                self._table.cursor = 0
            if self._awaited is not None and self._listing.go_to(self._awaited):
                self._awaited = None

    def look_for(self, filter: Filter | None) -> None:
        """`n` goes on with what was looked for elsewhere, unless the members have a filter of their own."""
        self._table.last_filter = self._table.filter or filter or self._table.last_filter

    def expect(self, cluster: str, member: str) -> None:
        chosen = self.state.cluster
        if chosen is None or str(chosen.number) != cluster or not self._listing.go_to(member):
            self._awaited = member

    @property
    def _here(self) -> tuple[Cluster, Record] | None:
        cluster, row = self.state.cluster, self._table.current
        return (cluster, row) if cluster is not None and row is not None and self.state.arrived else None

    def heading(self) -> Heading:
        cluster, here = self.state.cluster, self._here
        if cluster is None:
            return Heading("members", "", "", ())
        crumbs = (f"cluster {cluster.number}", *((member_title(here[1]),) if here is not None else ()))
        return Heading("members", self._how_many(cluster), cluster_footnote(cluster), crumbs)

    def _how_many(self, cluster: Cluster) -> str:
        total = int(cluster.row["total_members"])
        members = max(0, len(self._table.rows) - 1)
        of = f"{count(members)} of {_big(total)}" if total else count(members)
        if self._table.filter is not None:
            return f"{count(self._table.shown)} shown, {of}"
        settings = cluster.settings
        order = settings.get("order", "shortest")
        words = [
            settings["style"],
            *([] if order == "shortest" else [order]),
            *(["weighted"] if cluster.weights else []),
            f"seed {settings.get('seed', 0)}",
        ]
        return f"{of} ({', '.join(words)})" if total else of

    def case(self) -> Case | None:
        if self._here is None:
            return None
        cluster, row = self._here
        return Case(
            member_title(row), cluster.head, row["prefix"], row["verdict"], cluster.seed, cluster.assume
        )

    def selection(self, line: CommandLine) -> Selection | None:
        if self._here is None:
            return None
        cluster, row = self._here
        known = {name: row[name] for name in ("member", "tokens", "verdict", "kept")}
        forms = copies(row["prefix"], {"head": cluster.head, **known})
        seed = ["--seed", str(cluster.seed)]
        words = ["egen", "explain", *cluster.assuming, *seed, "--", cluster.head, row["prefix"]]
        return Selection(f"{cluster.address}/member/{row['member']}", member_title(row), line(*words), forms)

    def pair(self) -> tuple[str, str] | None:
        found = self._table.pair
        return None if found is None else (found[0]["prefix"], found[1]["prefix"])

    def why_no_pair(self) -> str:
        return self._table.why_no_pair("members")

    def exports(self) -> Sequence[Export]:
        cluster = self.state.cluster
        if cluster is None or not self.state.arrived:
            return ()
        facts, rows = cluster.facts, self._table.visible_records
        return exported(MEMBERS, "members", cluster.stem, {**FORMATS, ".tex": "t"}, rows, facts)

    def legend(self) -> Sequence[tuple[str, str]]:
        more = (("·", "the head itself"), ("…", "not judged yet"), ("tok", "tokens in generator notation"))
        return (*VERDICT_SIGNS, *more)

    def lookups(self) -> Sequence[Lookup]:
        return [Lookup("member", "Go to a member of this cluster by its number.", self._go_to)]

    def _go_to(self, member: str) -> bool:
        # While a cluster is read, the members of the one before stand here.
        return self.state.arrived and self._listing.go_to(member)

    @property
    def member(self) -> LazyRow | None:
        row = self._table.current
        return row if isinstance(row, LazyRow) else None

    def opened(self, row: Record) -> None:  # noqa: ARG002
        self.post_message(Pane.Opened(self))

    @on(Table.Marked)
    def _marked(self, event: Table.Marked) -> None:
        event.stop()
        self.post_message(Pane.Marked(self))

    @on(Table.Counted)
    def _counted(self) -> None:
        self.post_message(Pane.Selected(self))


def cluster_footnote(cluster: Cluster) -> str:
    """What the cluster is about, if not about x alone, how its growth ended, and by which rules."""
    stop, nodes = cluster.row["stop"], some(cluster.row["nodes"], "node")
    rules = str(cluster.source.facts(cluster.number).get("rules", ""))[:4]
    words = {
        "growing": f"growing {nodes}",
        "failed": f"failed {nodes}",
        "stopped": f"stopped at {nodes}",
        "node_limit": f"stop: node limit {count(cluster.row['nodes'])}",
    }
    ended = words.get(stop, f"stop: {stop_words(stop)} {nodes}")
    names = variables(cluster.head)
    about = [", ".join(names)] if {*names} - {"x"} else []
    about += [f"where {cluster.assume}"] if cluster.assume else []
    parts = [" ".join(about), ended, f"rules {rules}" if rules else ""]
    return " · ".join(part for part in parts if part)


def _big(number: int) -> str:
    """A count of terms: in full while that is short, else as `2.1e16`."""
    if number < 10**6:
        return count(number)
    digits = str(number)
    return f"{digits[0]}.{digits[1]}e{len(digits) - 1}"
