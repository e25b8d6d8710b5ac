"""The neighbours of a member by cosine, and of which cluster each is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from textual import on

from engines.core.errors import EngineError
from screens.egraphs.asking import AT_ONCE, UNKNOWN, Asking
from screens.egraphs.latest import Latest
from screens.egraphs.member import Case, MemberPane
from screens.egraphs.vectors import NOT_ENCODED, Hindrance, neighbour_rows
from screens.widgets.listing import Listing
from screens.widgets.table import Table

__all__ = ["NEIGHBOURS", "Neighbours"]

NEIGHBOURS = 50
_KEPT = 256


class Neighbours(Asking):
    """The part of the screen that shows neighbours; mixed into it."""

    def __init__(self) -> None:
        super().__init__()
        self._neighbours: OrderedDict[tuple[object, ...], Mapping[str, Any]] = OrderedDict()
        self._neighbours_asked: Latest[tuple[object, ...]] = Latest(self, self._ask_neighbours)

    def fill_neighbours(self) -> None:
        """Show the neighbours of the member under the cursor, asking the engine first if need be."""
        listing = self.query_one("#nearest", Listing)
        hindrance = self._hindrance()
        if hindrance is not None:
            self._show_hindrance(hindrance)
            return
        member = self.query_one("#members-table", Table).current
        if self.model is None or self.cluster is None or member is None:
            listing.load([], keep=False)
            return
        key = (str(self.model), str(self._all.folder), self.cluster["cluster"], member["member"])
        found = self._neighbours.get(key)
        if found is not None:
            self._show_neighbours(found)
        else:
            listing.show_loading("looking for neighbours")
            self._neighbours_asked.ask(key)

    def _show_hindrance(self, hindrance: Hindrance) -> None:
        listing = self.query_one("#nearest", Listing)
        listing.when_empty(hindrance.what, hindrance.advice)
        listing.load([], keep=False)

    async def _ask_neighbours(self, key: tuple[object, ...]) -> None:
        model, corpus, cluster, member = key
        params = {"model": model, "data": corpus, "cluster": cluster, "member": member}
        try:
            found = await self._ask("egen.nearest", {**params, "count": NEIGHBOURS, "at_most": AT_ONCE})
        except EngineError as error:
            if self.on_nearest:
                if error.code == UNKNOWN:
                    self._show_hindrance(NOT_ENCODED)
                else:
                    self.query_one("#nearest", Listing).show_error(error)
            return
        self._neighbours[key] = found
        while len(self._neighbours) > _KEPT:
            self._neighbours.popitem(last=False)
        self.fill_vectors()

    def _show_neighbours(self, found: Mapping[str, Any]) -> None:
        listing = self.query_one("#nearest", Listing)
        listing.load(neighbour_rows(found), keep=False)
        self._all.describe()
        self._neighbour_moved()

    @on(Table.Moved, "#nearest-table")
    def _neighbour_moved(self) -> None:
        if not self.on_nearest:
            return
        record = self.query_one("#nearest-table", Table).current
        member = self.query_one("#members-table", Table).current
        if record is None or member is None or self.cluster is None:
            return
        title, seed = f"neighbour {record['place']}", self.cluster["seed"]
        case = Case(title, member["prefix"], record["prefix"], record["verdict"], seed)
        pane = self.query_one(MemberPane)
        if case != pane.case:
            pane.show(case)
        self._all.crumb()
        self.refresh_bindings()

    @on(Table.Opened, "#nearest-table")
    async def _neighbour_opened(self) -> None:
        record = self.query_one("#nearest-table", Table).current
        if record is not None:
            await self.go_to_member(str(record["cluster"]), str(record["member"]))
