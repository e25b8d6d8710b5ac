"""The embedding map: the clusters of a corpus in the plane, by PCA at once, by t-SNE as a job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.content import Content

from engines.core.errors import EngineError
from screens.egraphs.asking import Asking
from screens.egraphs.latest import Latest
from screens.egraphs.member import Case, MemberPane
from screens.egraphs.sources import Expression
from screens.egraphs.vectors import ARRANGEMENTS, dots, notice
from screens.widgets.notice import error_text
from screens.widgets.scatter import Dot, Scatter
from screens.widgets.table import Table

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["EmbeddingMap"]

_MAPS: Mapping[str, Mapping[str, object]] = {
    "pca": {"method": "pca", "clusters": True},
    "tsne": {"method": "tsne", "clusters": True, "known": True},
    "families": {"method": "tsne", "known": True},
}
"""What each map is asked with; those that take a while only when they were made before, by a job."""


class EmbeddingMap(Asking):
    """The part of the screen that shows the map; mixed into it."""

    def __init__(self) -> None:
        super().__init__()
        self.arrangement = "pca"
        self._maps: dict[tuple[str, ...], list[Dot]] = {}
        self._texts: dict[tuple[str, ...], dict[str, str]] = {}
        self._tsne_wanted: tuple[str, ...] = ()
        self._map_asked: Latest[tuple[str, ...]] = Latest(self, self._ask_map)

    # The map

    @property
    def map_asked(self) -> Mapping[str, object]:
        """The parameters of the map that is shown, besides model and corpus."""
        return _MAPS[self.arrangement]

    def _map_key(self, arrangement: str) -> tuple[str, ...]:
        folder = self._all.folder
        assert folder is not None
        assert self.model is not None
        return str(self.model), str(folder), arrangement

    def fill_map(self) -> None:
        """Show the map, asking the engine first if need be."""
        scatter = self.query_one("#map", Scatter)
        hindrance = self._hindrance()
        if hindrance is not None:
            scatter.say(notice(hindrance.what, hindrance.advice))
            return
        if self.model is None:
            scatter.say(notice("looking for models", glyph="…"))
            return
        key = self._map_key(self.arrangement)
        found = self._maps.get(key)
        if found is None:
            scatter.say(notice("encoding the clusters", glyph="…"))
            self._map_asked.ask(key)
            return
        self._show_map(found)

    def _show_map(self, found: list[Dot]) -> None:
        scatter = self.query_one("#map", Scatter)
        if scatter.dots != tuple(found):
            scatter.show(found)
        if self.cluster is not None and self.arrangement != "families":
            scatter.lit = str(self.cluster["cluster"])
        self._faint()
        self._all.describe()
        self._map_moved()

    @on(Table.Counted, "#clusters-table")
    def _faint(self) -> None:
        """Clusters that the filter hides are drawn quietly."""
        if not self.on_map:
            return
        table = self.query_one("#clusters-table", Table)
        scatter = self.query_one("#map", Scatter)
        if table.filter is None:
            scatter.faint = frozenset()
        else:
            passing = {record["id"] for record in table.visible_records()}
            scatter.faint = frozenset(dot.key for dot in scatter.dots if dot.key not in passing)

    async def _ask_map(self, key: tuple[str, ...]) -> None:
        model, corpus, arrangement = key
        params: dict[str, Any] = {"model": model, "data": corpus, **_MAPS[arrangement]}
        try:
            found = await self._ask("egen.map", params)
        except EngineError as error:
            if self.on_map and self._is_current(key):
                self.query_one("#map", Scatter).say(Content("\n") + error_text(error))
            return
        if found["points"] is None:
            # Only the map that it was asked for: another corpus is shown by PCA until it is asked for there.
            self.arrangement = "pca"
            self.fill_vectors()
            if self.tsne_job() is not None:
                self._all.workbench.say("t-SNE is being made; the map changes when it is there")
            elif self._tsne_wanted == key:
                self._make_tsne(model, corpus, arrangement)
            return
        self._maps[key] = dots(found)
        if arrangement == "families":
            self._texts[key] = dict(zip((dot.key for dot in self._maps[key]), found["exprs"], strict=True))
        if self.on_map and self._is_current(key):
            self._show_map(self._maps[key])

    def _is_current(self, key: tuple[str, ...]) -> bool:
        return (
            self._all.folder is not None and self.model is not None and self._map_key(self.arrangement) == key
        )

    @on(Scatter.Moved, "#map")
    def _map_moved(self) -> None:
        if not self.on_map:
            return
        case = self.lit_case
        pane = self.query_one(MemberPane)
        if case is not None and case != pane.case:
            pane.show(case)
        self._all.describe()

    @property
    def lit_case(self) -> Case | None:
        """The expression that is lit on the map."""
        record = self.lit_cluster
        if record is not None:
            return Case(f"cluster {record['cluster']}", record["head"], record["head"], "", record["seed"])
        dot = self.query_one("#map", Scatter).here
        if dot is None or self.arrangement != "families":
            return None
        text = self._texts[self._map_key("families")][dot.key]
        return Case(f"of the family {dot.kind}", text, text, "", 0)

    @property
    def lit_cluster(self) -> Expression | None:
        """The record of the cluster that is lit on the map."""
        scatter = self.query_one("#map", Scatter)
        rows = self.query_one("#clusters-table", Table).rows
        place = rows.find(scatter.lit) if scatter.dots else None
        record = rows.record(place) if place is not None else None
        return record if isinstance(record, Expression) else None

    @on(Scatter.Opened, "#map")
    async def _map_opened(self) -> None:
        record = self.lit_cluster
        if record is not None:
            await self.go_to_member(str(record["cluster"]), "0")
        else:
            self._all.show_pane("right")

    @on(Scatter.Outside, "#map")
    def _map_left(self) -> None:
        self._all.action_left()

    # t-SNE

    @on(Scatter.Arrange, "#map")
    def _other_arrangement(self) -> None:
        if self._hindrance() is not None or self.model is None:
            return
        ways = list(ARRANGEMENTS)
        self.arrangement = ways[(ways.index(self.arrangement) + 1) % len(ways)]
        key = self._map_key(self.arrangement)
        if key in self._maps:
            self.fill_map()
        else:
            self._tsne_wanted = key
            self._map_asked.ask(key)

    def tsne_job(self) -> JobView | None:
        """The job that makes the arrangement of what is shown, while it runs."""
        if self.model is None or self._all.folder is None:
            return None
        wanted = {"model": str(self.model), "data": str(self._all.folder)}
        for view in self._all.workbench.jobs:
            if view.live and view.task == "egen.tsne" and wanted.items() <= view.params.items():
                return view
        return None

    @work(thread=True, group="submit", exit_on_error=False)
    def _make_tsne(self, model: str, corpus: str, arrangement: str) -> None:
        what = "the 17 families" if arrangement == "families" else "the clusters"
        title = f"t-SNE of {what} of {Path(corpus).name} by {Path(model).name}"
        self._submit("egen.tsne", title, {"model": model, "data": corpus, "what": arrangement})

    def take_tsne(self, view: JobView) -> None:
        """Show what a job has made, if it is of what is shown."""
        if self.model is None or self._all.folder is None:
            return
        if (view.params["model"], view.params["data"]) == (str(self.model), str(self._all.folder)):
            self.arrangement = str(view.params["what"])
            self.fill_vectors()
