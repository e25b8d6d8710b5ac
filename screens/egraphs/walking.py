"""The e-graph of the chosen cluster: grown when its page is opened, then walked along its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import on
from textual.screen import Screen

from engines.core.errors import EngineError
from screens.egraphs.graph import Graph, GraphListing
from screens.egraphs.latest import Latest
from screens.egraphs.member import Case, MemberPane
from screens.egraphs.sources import Expression
from screens.widgets.pane import Pane
from screens.widgets.table import Table

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["Walking"]

_KEPT = 8


class Walking(Screen[None]):
    """The part of the screen that shows the e-graph; mixed into it."""

    cluster: Expression | None

    def __init__(self) -> None:
        super().__init__()
        self._graphs: dict[tuple[object, ...], Graph] = {}
        self._graph_asked: Latest[Expression] = Latest(self, self._ask_graph)

    @property
    def _whole(self) -> EgraphsScreen:
        return cast("EgraphsScreen", self)

    @property
    def on_graph(self) -> bool:
        """Whether the middle shows the e-graph."""
        page = self.query_one("#middle", Pane).page
        return page is not None and page.id == "graph-page"

    @property
    def graph(self) -> Graph | None:
        """The e-graph of the cluster, once it is grown."""
        return self._graphs.get(tuple(self._wanted().values())) if self.cluster is not None else None

    def _wanted(self) -> dict[str, object]:
        """The parameters that decide the e-graph of the cluster."""
        assert self.cluster is not None
        settings = self._whole.settings
        limits = {name: settings[name] for name in ("nodes", "iterations", "time_s") if name in settings}
        return {"expr": self.cluster["head"], "notation": "prefix", "mode": self._whole.mode, **limits}

    def fill_graph(self) -> None:
        """Show the cluster's e-graph if that page is open, growing it first if need be."""
        if not self.on_graph:
            return
        listing = self.query_one("#graph", GraphListing)
        if self.cluster is None:
            listing.show_graph(None)
        elif (graph := self.graph) is not None:
            if listing.graph is not graph:
                listing.show_graph(graph)
        else:
            listing.graph = None
            listing.show_loading("growing the e-graph")
            self._graph_asked.ask(self.cluster)

    async def grown(self) -> Graph:
        """The e-graph of the cluster, grown now if it was not. Raises: EngineError."""
        wanted = self._wanted()
        key = tuple(wanted.values())
        if key not in self._graphs:
            found = await self._whole.call("egen.egraph", wanted)
            while len(self._graphs) >= _KEPT:
                self._graphs.pop(next(iter(self._graphs)))
            self._graphs[key] = Graph(found)
        return self._graphs[key]

    async def _ask_graph(self, record: Expression) -> None:
        if record is not self.cluster:
            return
        try:
            await self.grown()
        except EngineError as error:
            if record is self.cluster and self.on_graph:
                self.query_one("#graph", GraphListing).show_error(error)
            return
        if record is self.cluster:
            self.fill_graph()
            self._whole.describe()

    @on(Table.Moved, "#graph-table")
    def _line_moved(self, event: Table.Moved) -> None:
        record, cluster, graph = event.table.current, self.cluster, self.graph
        if not self.on_graph or record is None or cluster is None or graph is None:
            return
        number = record["class_number"]
        at_root = number == graph.root and record["kind"] != "operand"
        head = cluster["head"] if at_root else record["prefix"]
        case = Case(f"class c{number}", head, record["prefix"], "", cluster["seed"])
        pane = self.query_one(MemberPane)
        if case != pane.case:
            pane.show(case)
        self._whole.crumb()
        self.refresh_bindings()

    @on(Table.Opened, "#graph-table")
    def _line_opened(self) -> None:
        self.query_one("#graph", GraphListing).follow()

    @on(GraphListing.Followed)
    def _followed(self) -> None:
        self._whole.crumb()

    @on(GraphListing.Outside)
    def _outside(self) -> None:
        self._whole.action_left()

    def go_back(self) -> bool:
        """Back along the operands that were followed."""
        pane = self._whole.active_pane
        inside = pane is not None and pane.id == "middle"
        return inside and self.on_graph and self.query_one("#graph", GraphListing).go_back()
