"""What the E-graphs screen offers to take away or to go to: the selection, exports, palette ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from screens.base import Export, Lookup, Selection
from screens.egraphs.clusters import ClustersPane
from screens.egraphs.graph import GraphListing
from screens.egraphs.looks import member_title
from screens.egraphs.outgoing import (
    cluster_words,
    expression_forms,
    graph_exports,
    grown_words,
    member_exports,
)
from screens.widgets.listing import Listing
from screens.widgets.table import Table

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["exports", "lookups", "selection"]


def selection(screen: EgraphsScreen) -> Selection | None:
    """The cluster, the e-class or the member, by the pane that has the focus."""
    record, source, folder = screen.cluster, screen.source, screen.folder
    if record is None or source is None:
        return None
    root = f"corpus/{source.name}" if folder else "draft"
    address = f"{root}/cluster/{record['cluster']}"
    line = screen.workbench.command_line
    if isinstance(screen.active_pane, ClustersPane):
        if folder is not None:
            words = cluster_words(folder, record["cluster"])
        else:
            words = grown_words(record["head"], screen.settings, record["seed"])
        known = {name: record[name] for name in ("cluster", "size", "stop", "nodes", "classes")}
        forms = expression_forms(record["head"], known)
        return Selection(address, f"cluster {record['cluster']}", line(*words), forms)
    if screen.on_graph:
        return _class_selection(screen, address)
    member = screen.query_one("#members-table", Table).current
    if member is None:
        return None
    known = {name: member[name] for name in ("member", "tokens", "verdict", "kept")}
    forms = expression_forms(member["prefix"], {"head": record["head"], **known})
    words = ["egen", "explain", "--seed", str(record["seed"]), "--", record["head"], member["prefix"]]
    return Selection(f"{address}/member/{member['member']}", member_title(member), line(*words), forms)


def _class_selection(screen: EgraphsScreen, address: str) -> Selection | None:
    record, cluster = screen.query_one("#graph", GraphListing).table.current, screen.cluster
    if record is None or cluster is None:
        return None
    number = record["class_number"]
    forms = expression_forms(record["prefix"], {"class": number, "head": cluster["head"]})
    words = ["egen", "egraph", "--mode", screen.mode, "--class", str(number)]
    command = screen.workbench.command_line(*words, "--", cluster["head"])
    return Selection(f"{address}/class/{number}", f"class c{number}", command, forms)


def exports(screen: EgraphsScreen) -> Sequence[Export]:
    """Members, the e-graph when it is there, and the list of clusters."""
    record, source = screen.cluster, screen.source
    if record is None or source is None:
        return ()
    stem = f"{source.name.replace(' ', '-')}-{record['cluster']}"
    made = {name: record[name] for name in ("head", "seed", "stop", "nodes", "classes")}
    facts = {"corpus": source.name, "cluster": record["cluster"], **made, "settings": screen.settings}
    rows = screen.query_one("#members-table", Table).visible_records()
    found = member_exports(stem, rows, facts)
    if (graph := screen.graph) is not None:
        found += graph_exports(stem, graph, facts)

    def write_clusters(path: Path) -> object:
        return _write_clusters(screen.query_one("#clusters", Listing), source.name, path)

    return [*found, Export("C", "list of clusters as CSV", ".csv", source.name, write_clusters)]


def _write_clusters(listing: Listing, corpus: str, path: Path) -> object:
    from workbench.export import write_table

    rows = (
        [" ".join(v) if isinstance(v := record.get(name), list) else v for name in listing.fields]
        for record in listing.table.visible_records()
    )
    return write_table(
        path, listing.fields, rows, provenance={"corpus": corpus, "filter": listing.query_text}
    )


def lookups(screen: EgraphsScreen) -> Sequence[Lookup]:
    """`:cluster 412`, `:corpus NAME`, `:member 37`, `:class 12`."""

    def cluster(text: str) -> bool:
        screen.show_pane("left")
        return screen.query_one("#clusters-table", Table).go_to(text)

    def corpus(text: str) -> bool:
        if text not in screen.corpora:
            return False
        screen.open_corpus(text)
        return True

    def member(text: str) -> bool:
        screen.show_pane("middle")
        return screen.query_one("#members-table", Table).go_to(text)

    def e_class(text: str) -> bool:
        number = text.removeprefix("c")
        return number.isdecimal() and screen.query_one("#graph", GraphListing).go_to_class(int(number))

    found = [
        Lookup("cluster", "Go to a cluster of this corpus by its number.", cluster),
        Lookup("corpus", "Show a corpus of the workspace.", corpus),
        Lookup("member", "Go to a member of this cluster by its number.", member),
    ]
    if screen.on_graph:
        found.append(Lookup("class", "Go to an e-class by its number.", e_class))
    return found
