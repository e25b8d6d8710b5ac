"""What vectors tell: clusters on a map by PCA or, as a job, by t-SNE, and the neighbours of a member."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.content import Content

from screens.egraphs.clusters import AT_ONCE, NOT_ENCODED, TOO_MANY, Heading, TableView, Unavailable, View
from screens.egraphs.columns import list_copy_forms, listing_arguments, member_title
from screens.egraphs.member import ExplainedMember
from screens.egraphs.sources import ListedCluster
from screens.shell.export import FORMATS, CommandLine, Export, PaneSelection, declared_exports
from screens.shell.request import CachedRequest, RequestAnswer
from screens.shell.theme import format_count, safe_text
from screens.widgets.listing import Listing, failure_content
from screens.widgets.pane import Pane
from screens.widgets.scatter import Scatter, ScatterDot
from screens.widgets.table_columns import Record
from workbench.papers.egen.tables import NEIGHBOURS
from workbench.tables import LazyRow

if TYPE_CHECKING:
    from screens.shell.frame import AppFrame

# The map

_ARRANGEMENTS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "pca": ("{} clusters, PCA", {"method": "pca", "clusters": True}),
    "tsne": ("{} clusters, t-SNE", {"method": "tsne", "clusters": True, "known": True}),
    "families": ("{} of 17 families, t-SNE", {"method": "tsne", "known": True}),
}
"""What the map can show, in the order in which `s` goes through it: its title, and what it is asked with;
those that take a while only when they were made before, by a job."""


@dataclass(frozen=True, slots=True)
class MapKey:
    """Which map: its model, corpus and arrangement."""

    model: Path
    corpus: Path
    arrangement: str

    @property
    def params(self) -> dict[str, object]:
        """Return the parameters of the operation that arranges the map."""
        return {"model": str(self.model), "data": str(self.corpus), **_ARRANGEMENTS[self.arrangement][1]}


@dataclass(frozen=True, slots=True)
class _Layout:
    """The dots of a map, their keys the numbers of clusters or those of a family's expressions (`texts`)."""

    dots: tuple[ScatterDot, ...]
    texts: Mapping[str, str]

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> _Layout | None:
        """From the document of `egen.map`; None when the map was not made yet."""
        if document["points"] is None:
            return None
        # Families have keys that no cluster has.
        kinds = document["names"]
        families = [f"{kind} {number}" for number, kind in enumerate(kinds)]
        keys = [str(number) for number in document.get("clusters", families)]
        parts = zip(keys, document["points"], kinds, strict=True)
        texts = {} if "clusters" in document else dict(zip(keys, document["exprs"], strict=True))
        return cls(tuple(ScatterDot(key, x, y, kind) for key, (x, y), kind in parts), texts)


class MapView(View):
    """A map of clusters or families.

    Args:
        arrange: called with the arrangement to show.
        missing: called with the key of a map that a job must compute, and whether the user asked for it.
    """

    encodes = True
    LEGEND = (
        ("•", "a cluster, in the colour of its kind; not coloured: hidden by the filter"),
        ("▸●◂", "the cluster that is lit"),
    )

    def __init__(self, arrange: Callable[[str], object], missing: Callable[[MapKey, bool], object]) -> None:
        self._scatter = Scatter(id="map")
        super().__init__(self._scatter)
        self._arrange, self._missing = arrange, missing
        self._shown: _Layout | None = None
        self._wanted: MapKey | None = None
        self.request = CachedRequest(
            self, "egen.map", self._receive_layout, self._pass_progress, read=_Layout.from_document
        )
        self._lit_for: tuple[str, int] | None = None

    @property
    def _key(self) -> MapKey | None:
        state = self.state
        if state.unavailable is not None or state.model is None or state.folder is None:
            return None
        return MapKey(state.model, state.folder, state.arrangement)

    def show_state(self) -> None:
        unavailable, key = self.state.unavailable, self._key
        if unavailable is not None:
            self._show_notice(_notice_content(*unavailable))
        elif key is None:
            self._show_notice(_notice_content("looking for models", glyph="…"))
        elif (layout := self.known.get(key)) is not None:
            self.mark_known()
            self._show_layout(layout)
        elif self.ask_once(key.params, key):
            self._show_notice(_notice_content("encoding the clusters", glyph="…"))

    def look_again(self) -> None:
        super().look_again()
        self._lit_for = None

    def _show_notice(self, words: Content) -> None:
        self._shown = None
        self._scatter.show_message(words)

    def _show_layout(self, layout: _Layout) -> None:
        if layout is not self._shown:
            self._shown = layout
            self._scatter.show_dots(layout.dots)
            self._lit_for = None
        cluster, passing = self.state.cluster, self.state.passing
        if cluster is not None and cluster.key != self._lit_for and self.state.arrangement != "families":
            # Once: then the map is walked by its own keys.
            self._lit_for = cluster.key
            self._scatter.lit = str(cluster.number)
        # Dots that the filter hides are drawn faintly, so that the map keeps its outline.
        names = () if passing is None else (dot.key for dot in layout.dots)
        self._scatter.faint = frozenset(name for name in names if name not in (passing or ()))

    def _receive_layout(self, event: RequestAnswer) -> None:
        key: MapKey = event.tag
        # The answer may be of the map on screen, of another arrangement that the user has asked for since,
        # or of neither, after a change of the model or the corpus.
        current = key == self._key
        here = self._key is not None and key == replace(self._key, arrangement=key.arrangement)
        wanted = here and key == self._wanted
        layout = event.value
        if event.error is not None and (current or wanted):
            self._show_notice(Content("\n") + failure_content(self, event.error))
        elif layout is None and (current or wanted):
            self._asked = None  # a job may make it
            if current:  # another corpus is shown by PCA until another map is asked for there
                self.call_later(self._arrange, "pca")
            self.call_later(self._missing, key, wanted)
        elif wanted:
            self.call_later(self._arrange, key.arrangement)
        elif current:
            self.show_state()
        self.post_message(Pane.Selected(self))

    def show_progress(self, words: str) -> None:
        if self._shown is None:
            self._show_notice(_notice_content(f"encoding: {words}", "x stops it", glyph="…"))

    @property
    def _lit(self) -> ListedCluster | None:
        source = self.state.source
        row = self.state.clusters.get(self._scatter.lit) if self._shown is not None else None
        return ListedCluster(source, row) if source is not None and row is not None else None

    def make_heading(self) -> Heading:
        model = self.state.model_words
        if self._shown is None:
            return "map", "", model, ()
        at, mates = self._scatter.together
        if mates > 1:
            more = f"{at} of {mates} here"
        elif self.state.tsne_job is not None:
            more = f"t-SNE is job {self.state.tsne_job}"
        else:
            more = "s: other maps"
        words = _ARRANGEMENTS[self.state.arrangement][0].format(format_count(len(self._scatter.dots)))
        return "map", words, f"{model} · {more}", ()

    def get_case(self) -> ExplainedMember | None:
        if (lit := self._lit) is not None:
            return ExplainedMember(f"cluster {lit.number}", lit.head, lit.head, "", lit.seed)
        if (dot := self._scatter.here) is None or self._shown is None or dot.key not in self._shown.texts:
            return None
        text = self._shown.texts[dot.key]
        return ExplainedMember(f"of the family {dot.kind}", text, text, "", 0)

    def selection(self, line: CommandLine) -> PaneSelection | None:
        case, lit, key = self.get_case(), self._lit, self._key
        if case is None or key is None or self.state.source is None:
            return None
        what = [] if key.arrangement == "families" else ["--clusters"]
        what += ["--method", str(key.params["method"])]
        command = line("egen", "map", key.model.name, *what, "--data", str(key.corpus))
        if lit is None:
            return PaneSelection(
                f"{self.state.source.address}/map", case.title, command, list_copy_forms(case.head, {})
            )
        forms = list_copy_forms(lit.head, {"cluster": lit.number, "kind": lit.row["kind"]})
        return PaneSelection(lit.address, case.title, command, forms)

    def exports(self) -> Sequence[Export]:
        if (shown := self._key) is None:
            return ()
        stem = f"{shown.corpus.name}-{shown.model.name}-{shown.arrangement}"
        engine = cast("AppFrame", self.app).engine

        def write_map(path: Path) -> object:
            return engine.call("egen.map", {**shown.params, "file": str(path)}).wait()

        ways = (("s", "SVG"), ("p", "PNG"), ("m", "CSV"))
        return [Export(key, f"map as {form}", f".{form.lower()}", stem, write_map) for key, form in ways]

    @on(Pane.Opened, "Scatter")
    def _open_lit(self) -> None:
        lit = self._lit
        self.post_message(Pane.Opened(self) if lit is None else Pane.AskedFor(self, f"{lit.number}/member/0"))

    @on(Scatter.Arrange)
    def _next_arrangement(self) -> None:
        if (key := self._key) is None:
            return
        ways = list(_ARRANGEMENTS)
        following = ways[(ways.index(key.arrangement) + 1) % len(ways)]
        # The present map stays on screen until the next one has arrived.
        self._wanted = wanted = replace(key, arrangement=following)
        if wanted in self.known:
            self._arrange(following)
        else:
            self.ask_once(wanted.params, wanted)
            self.post_message(Pane.Selected(self))


def _notice_content(what: str, advice: str = "", *, glyph: str = "") -> Content:
    first = Content.assemble((f"{glyph} " if glyph else "", "$accent"), safe_text(what))
    return Content("\n").join([Content(), first, safe_text(advice, "$quiet")])


# The neighbours

_NEIGHBOURS = 50
_KEPT = 256
_Of = tuple[str, str, int, int]
"""Model, corpus, cluster, member."""


class NearestView(TableView):
    """The nearest neighbours of a member, by the vectors of a model."""

    encodes = True
    LEGEND = (
        ("✓ same", "of the same cluster"),
        ("≈ other", "of another cluster, but equal, extending or shrinking"),
        ("✗ other", "of another cluster, and different"),
        ("cosine", "of the angle between the two vectors: 1 is the same direction"),
    )

    def __init__(self) -> None:
        super().__init__(Listing(**listing_arguments("nearest")))
        self._shown: _Of | None = None
        self.request = CachedRequest(
            self,
            "egen.nearest",
            self._receive_neighbours,
            self._pass_progress,
            size=_KEPT,
            read=_neighbour_rows,
        )

    @property
    def _key(self) -> _Of | None:
        state = self.state
        if state.unavailable or state.model is None or state.cluster is None or state.member is None:
            return None
        return str(state.model), str(state.folder), state.cluster.number, state.member["member"]

    def show_state(self) -> None:
        unavailable, key, member = self.state.unavailable, self._key, self.state.member
        if unavailable is not None:
            self.show_unavailable(unavailable)
        elif not self.state.arrived:
            self._show_waiting()
        elif key is None or member is None:
            self.show_unavailable(None)
        elif key not in self.known:
            params = dict(zip(("model", "data", "cluster", "member"), key, strict=True))
            if self.ask_once(
                {**params, "expr": member["prefix"], "count": _NEIGHBOURS, "at_most": AT_ONCE}, key
            ):
                self._show_waiting()
        elif key != self._shown:
            self.mark_known()
            self._shown = key
            self._listing.home = f"{self.state.source.address}/cluster" if self.state.source else ""
            self._listing.load(self.known[key], keep=False)

    def _show_waiting(self) -> None:
        self._shown = None
        self._listing.show_loading("searching for neighbours")

    def show_unavailable(self, unavailable: Unavailable | None) -> None:
        self._shown = None
        super().show_unavailable(unavailable)

    def _receive_neighbours(self, event: RequestAnswer) -> None:
        if event.tag == self._key:
            if event.error is None:
                self.show_state()
            elif event.error.code == TOO_MANY:
                self.show_unavailable(NOT_ENCODED)
            else:
                self._listing.show_error(event.error)
        self.post_message(Pane.Selected(self))

    def show_progress(self, words: str) -> None:
        self._listing.show_loading(f"encoding: {words} · x stops it")

    @property
    def _here(self) -> tuple[ListedCluster, LazyRow, Record] | None:
        cluster, member, row = self.state.cluster, self.state.member, self._table.current
        if cluster is None or member is None or row is None or self._shown is None:
            return None
        return cluster, member, row

    def make_heading(self) -> Heading:
        cluster, member, model = self.state.cluster, self.state.member, self.state.model_words
        trail = (f"cluster {cluster.number}",) if cluster is not None else ()
        trail = (*trail, *((member_title(member),) if member is not None else ()))
        rows = self._table.rows
        if not len(rows):
            return "nearest", "", model, trail
        wrong = sum(row["same"] == "no" for row in rows.records)
        words = f"{len(rows)}, {format_count(wrong)} of other clusters"
        return "nearest", words, f"{model} · S: wrong first", trail

    def get_case(self) -> ExplainedMember | None:
        if self._here is None:
            return None
        cluster, member, row = self._here
        return ExplainedMember(
            f"neighbour {row['place']}", member["prefix"], row["prefix"], row["verdict"], cluster.seed
        )

    def selection(self, line: CommandLine) -> PaneSelection | None:
        if self._here is None or self.state.model is None:
            return None
        cluster, member, row = self._here
        known = {name: row[name] for name in ("cluster", "member", "cosine", "verdict")}
        forms = list_copy_forms(row["prefix"], {"nearest_to": member["prefix"], **known})
        words = ["egen", "nearest", self.state.model.name, "--corpus", str(self.state.folder)]
        own = ["--cluster", str(cluster.number), "--member", str(member["member"])]
        command = line(*words, *own, "-k", str(_NEIGHBOURS), "--", member["prefix"])
        address = f"{cluster.source.address}/cluster/{row['id']}"
        return PaneSelection(address, f"neighbour {row['place']}", command, forms)

    def exports(self) -> Sequence[Export]:
        cluster, model = self.state.cluster, self.state.model
        if cluster is None or model is None:
            return ()
        facts = {**cluster.facts, "model": model.name}
        return declared_exports(
            NEIGHBOURS, "neighbours", f"{cluster.stem}-nearest", FORMATS, self._table.visible_records, facts
        )

    def open_row(self, row: Record) -> None:
        self.post_message(Pane.AskedFor(self, row["id"]))


def _neighbour_rows(result: Mapping[str, Any]) -> list[LazyRow]:
    rows = [NEIGHBOURS.make_row(each, result) for each in result["neighbours"]]
    for row in rows:
        row["id"] = f"{row['cluster']}/member/{row['member']}"
    return rows
