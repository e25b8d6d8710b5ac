"""What the E-graphs screen offers to take away or to go to: the selection, exports, palette ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from screens.base import Export, Lookup, Selection
from screens.egraphs.clusters import ClustersPane
from screens.egraphs.graph import GraphListing
from screens.egraphs.looks import member_title
from screens.egraphs.neighbours import NEIGHBOURS
from screens.egraphs.outgoing import (
    cluster_words,
    expression_forms,
    graph_exports,
    grown_words,
    map_words,
    member_exports,
    neighbour_exports,
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
    if screen.on_map:
        return _lit_selection(screen, root)
    if screen.on_nearest:
        return _neighbour_selection(screen, root)
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


def _lit_selection(screen: EgraphsScreen, root: str) -> Selection | None:
    """What is lit; its command is that of the map, which lists it among all."""
    case, model, folder = screen.lit_case, screen.model, screen.folder
    if case is None or model is None or folder is None:
        return None
    record = screen.lit_cluster
    command = screen.workbench.command_line(*map_words(model.name, folder, screen.arrangement))
    if record is None:
        return Selection(f"{root}/map", case.title, command, expression_forms(case.head, {}))
    number = record["cluster"]
    forms = expression_forms(record["head"], {"cluster": number, "kind": record["kind"]})
    return Selection(f"{root}/cluster/{number}", f"cluster {number}", command, forms)


def _neighbour_selection(screen: EgraphsScreen, root: str) -> Selection | None:
    record, model, folder = screen.query_one("#nearest-table", Table).current, screen.model, screen.folder
    member = screen.query_one("#members-table", Table).current
    if record is None or model is None or folder is None or member is None:
        return None
    known = {name: record[name] for name in ("cluster", "member", "cosine", "verdict")}
    forms = expression_forms(record["prefix"], {"nearest_to": member["prefix"], **known})
    words = ["egen", "nearest", model.name, "--corpus", str(folder), "-k", str(NEIGHBOURS + 1)]
    command = screen.workbench.command_line(*words, "--", member["prefix"])
    address = f"{root}/cluster/{record['cluster']}/member/{record['member']}"
    return Selection(address, f"neighbour {record['place']}", command, forms)


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

    if screen.on_map and screen.model is not None and screen.folder is not None:
        found = map_exports(screen, screen.model, screen.folder)
    if screen.on_nearest and screen.model is not None:
        rows = screen.query_one("#nearest-table", Table).visible_records()
        found = neighbour_exports(stem, rows, {**facts, "model": screen.model.name})
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


def map_exports(screen: EgraphsScreen, model: Path, folder: Path) -> list[Export]:
    """The map as picture or table; the engine, which knows it, writes it."""
    engine, asked = screen.workbench.engine, screen.map_asked
    params = {"model": str(model), "data": str(folder), **asked}

    def write(path: Path) -> object:
        return engine.call("egen.map", {**params, "file": str(path)}).wait()

    stem = f"{folder.name}-{model.name}-{screen.arrangement}"
    return [
        Export("s", "map as SVG", ".svg", stem, write),
        Export("p", "map as PNG", ".png", stem, write),
        Export("m", "map as CSV", ".csv", stem, write),
    ]


def lookups(screen: EgraphsScreen) -> Sequence[Lookup]:
    """`:cluster 412`, `:corpus NAME`, `:member 37`, `:class 12`, `:model NAME`."""

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
        Lookup("model", "Ask the model of this name for vectors.", screen.choose_model),
    ]
    if screen.on_graph:
        found.append(Lookup("class", "Go to an e-class by its number.", e_class))
    return found
