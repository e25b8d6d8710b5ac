"""Left pane: the corpora of the workspace as tabs over one table of clusters."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.message import Message

from engines.core.errors import EngineError
from screens.egraphs.columns import VERDICT_SIGNS, Expression, alike, fitting, listed, table
from screens.egraphs.notation import copies
from screens.egraphs.sources import Cluster, Source
from screens.shell.export import Export
from screens.shell.selection import CommandLine, Lookup, Selection
from screens.shell.text import count
from screens.widgets.listing import Listing
from screens.widgets.pane import SourcePane
from screens.widgets.table import Table
from workbench.filters import Filter

__all__ = ["ClustersPane"]

_OPTIONS = ("members", "max_tokens", "mode", "style", "weights", "order", "seed")


class ClustersPane(SourcePane):
    """Posts `Picked` when another corpus is to be shown, `Chosen` when the cursor comes to another cluster,
    `Opened` on enter, and `Filtered` when other clusters pass the filter."""

    class Chosen(Message):
        """The cursor is at this cluster, or at none."""

        def __init__(self, cluster: Cluster | None) -> None:
            super().__init__()
            self.cluster = cluster

    class Opened(Message):
        """The cluster under the cursor is to be looked at."""

    class Filtered(Message):
        """Other clusters are shown."""

    def __init__(self, *, id: str, share: int) -> None:
        self._listing = Listing(**table("clusters", counts=True))
        super().__init__(self._listing, title="clusters", id=id, share=share)
        self._source: Source | None = None

    def show_loading(self, what: str) -> None:
        """Say that clusters are on their way."""
        self._listing.show_loading(what)

    def show_error(self, error: EngineError) -> None:
        """Say why there are none."""
        self._source = None
        self._listing.show_error(error)
        self.detail = ""

    def show_none(self) -> None:
        """There is no corpus."""
        advice = "a grows an expression; the Jobs screen (3) builds a corpus."
        self._listing.when_empty("No corpus yet", advice)
        self._listing.load([])

    def show(self, source: Source, rows: Sequence[Expression], *, keep: bool) -> None:
        """Show the clusters of a source; with `keep` the cursor stays where it is, or is to be."""
        self._source = source
        if source.state and not rows:
            self._listing.when_empty("No cluster is finished yet", "They appear as their shards are written.")
        self._listing.home = f"{source.address}/cluster"
        self._table.columns = fitting("clusters", rows)
        self._listing.load(rows, keep=keep)
        self.footnote = source.state or (f"{count(rows[0]['size'])} expressions each" if alike(rows) else "")

    def go_to(self, cluster: str) -> bool:
        """Put the cursor on a cluster, clearing a filter that hides it; whether there is such a cluster."""
        # While a corpus is read, the clusters of the one before stand here.
        read = self._source is not None and self._source.name == self.source
        return read and self._listing.go_to(cluster)

    def clear_filter(self) -> None:
        """Show all clusters again."""
        self._listing.clear_filter()

    @property
    def _table(self) -> Table:
        return self._listing.table

    @property
    def filter(self) -> Filter | None:
        """The filter in force."""
        return self._table.filter

    @property
    def passing(self) -> frozenset[str] | None:
        """The keys of the clusters that pass the filter; None without one."""
        if self._table.filter is None:
            return None
        return frozenset(str(row["id"]) for row in self._table.visible_records())

    @property
    def _chosen(self) -> Cluster | None:
        source, row = self._source, self._table.current
        return Cluster(source, row) if source is not None and isinstance(row, Expression) else None

    def selection(self, line: CommandLine) -> Selection | None:
        if (chosen := self._chosen) is None:
            return None
        row, folder, number = chosen.row, chosen.source.folder, chosen.number
        words = _growing(chosen) if folder is None else ["egen", "show", str(folder), str(number)]
        known = {name: row[name] for name in ("cluster", "size", "stop", "nodes", "classes")}
        return Selection(chosen.address, f"cluster {number}", line(*words), copies(chosen.head, known))

    def exports(self) -> Sequence[Export]:
        if self._source is None or self._table.current is None:
            return ()
        facts = {"corpus": self._source.name, "filter": self._listing.query_text}
        fields, rows = self._listing.fields, self._table.visible_records
        return listed("list of clusters", self._source.name, fields, rows, facts, {".csv": "C"})

    def legend(self) -> Sequence[tuple[str, str]]:
        share = (
            "▾ 40 %",
            "the worst verdict in the cluster, and the share of its members that equal its head",
        )
        return (
            ("✓ all", "every member equals the head"),
            share,
            ("–", "no members, or none judged"),
            *VERDICT_SIGNS,
        )

    def lookups(self) -> Sequence[Lookup]:
        def corpus(name: str) -> bool:
            known = name in self.sources
            if known:
                self.post_message(self.Picked(name))
            return known

        return [
            Lookup("cluster", "Go to a cluster of this corpus by its number.", self.go_to),
            Lookup("corpus", "Show a corpus of the workspace.", corpus),
        ]

    @on(Table.Moved)
    def _moved(self, event: Table.Moved) -> None:
        event.stop()
        self.post_message(self.Chosen(self._chosen))

    @on(Table.Opened)
    def _opened(self, event: Table.Opened) -> None:
        event.stop()
        self.post_message(self.Opened())

    @on(Table.Counted)
    def _other_clusters(self) -> None:
        self.post_message(self.Filtered())


def _growing(cluster: Cluster) -> list[str]:
    """The command that grows a cluster with the settings that it was grown with."""
    settings = {**cluster.settings, "seed": cluster.seed}
    words = ["egen", "generate", "--notation", "prefix", *cluster.assuming, *cluster.limits]
    for name in _OPTIONS:
        words += [f"--{name.replace('_', '-')}", str(settings[name])] if settings.get(name, "") != "" else []
    return [*words, *(["--padding"] if settings.get("padding") else []), "--", cluster.head]
