"""E-graphs screen: clusters, the members of one, its e-graph, a map, neighbours, and why each is as it is.

Somewhat over 450 lines: what is chosen in one pane changes what the others show, and all of that stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult

from screens.egraphs.clusters import ClustersPane, MembersView
from screens.egraphs.columns import Expression, shown, write_plainly
from screens.egraphs.keys import SCREEN_KEYS
from screens.egraphs.member import MemberPane
from screens.egraphs.middle import MiddlePane, State, View
from screens.egraphs.sources import NOT_KEPT, CorpusReader, Members, Models, Source
from screens.shell.export import Command, Lookup, Selection
from screens.shell.keymap import bindings
from screens.shell.screen import WorkbenchScreen
from screens.shell.theme import some
from screens.shell.watch import JobWatch
from screens.widgets.pane import Page, Pane

if TYPE_CHECKING:
    from screens.egraphs.growth import GrowLine
    from screens.egraphs.sheets import Reports
    from screens.egraphs.vectors import MapView
    from workbench.jobs.view import JobView


_GROWN = "grown"
"""The corpus of the workspace that takes the clusters that are kept."""


class EgraphsScreen(WorkbenchScreen):
    """Clusters, their members, and why each was judged as it was.

    `now` is all that is shown; `update` changes it, and the panes follow.
    """

    MODE = "egraphs"
    BINDINGS = bindings(SCREEN_KEYS)

    def __init__(self) -> None:
        super().__init__()
        self.now = State()
        self._reader = CorpusReader()
        self._line: GrowLine | None = None
        self._session: Mapping[str, object] = {}
        self._wanted_model = ""
        self._reports: Reports = {}
        self._own_analogies: list[dict[str, str]] = []

    # Panes

    def compose(self) -> ComposeResult:
        yield from super().compose()
        self._models = Models(self.workbench)
        yield self._reader
        yield self._models

    def panes(self) -> Iterable[Pane]:
        self.left = ClustersPane(id="left", share=11)
        self.members = MembersView()
        self.middle = MiddlePane(
            self.members,
            Page("e-graph", id="graph-page", make=self._egraph),
            Page("map", id="map-page", make=self._map),
            Page("nearest", id="nearest-page", make=self._nearest),
            id="middle",
            share=16,
        )
        self.right = MemberPane(self.ask, id="right", share=13)
        return self.left, self.middle, self.right

    def _egraph(self) -> Sequence[View]:
        from screens.egraphs.egraph import EgraphView

        return [EgraphView(self.ask)]

    def _map(self) -> Sequence[View]:
        from screens.egraphs.vectors import MapView

        def draw(params: Mapping[str, Any]) -> object:
            return self.workbench.engine.call("egen.map", params).wait()

        return [MapView(self.ask, draw)]

    def _nearest(self) -> Sequence[View]:
        from screens.egraphs.vectors import NearestView

        return [NearestView(self.ask)]

    def update(self, **changes: Any) -> None:
        """Change what is shown."""
        self.now = replace(self.now, **changes)
        self._show()

    def _show(self, *, again: bool = False) -> None:
        self.middle.give(self.now, again=again)
        self._describe()

    @on(View.Changed)
    def _describe(self) -> None:
        """Titles, breadcrumb and the right pane say what is shown and selected."""
        self.refresh_bindings()
        if not self.now.arrived:
            return
        crumbs = self.middle.describe()
        if self.now.source is not None:
            self.crumbs = (self.now.source.title, *crumbs)
        self.right.show(self.middle.case())

    @on(Pane.PageShown, "#middle")
    def _page_shown(self) -> None:
        self.now = replace(self.now, passing=self._passing())
        self._show(again=True)

    def _passing(self) -> frozenset[str] | None:
        """Only the map draws the clusters that the filter hides in another way."""
        return self.left.passing if self.middle.page_name == "map" else None

    # Corpora

    async def restore(self, state: Mapping[str, object]) -> None:
        self._session = state
        self._wanted_model = str(state.get("model") or "")
        await super().restore(state)
        await self.middle.show_page(f"{state.get('page')}")

    def state(self) -> dict[str, object]:
        source, model = self.now.source, self.now.model
        name = source.name if source is not None and source.folder is not None else ""
        page = f"{self.middle.page_name}-page"
        own = {"corpus": name, "page": page, "model": model.name if model else self._wanted_model}
        return {**super().state(), **own}

    def begin(self) -> None:
        write_plainly(self.workbench.ascii)
        self.left.show_loading("looking for corpora")
        self._reader.find(self.workbench.workspace.corpora)
        self._models.find()

    @on(CorpusReader.Listed)
    def _corpora_listed(self, event: CorpusReader.Listed) -> None:
        names, wanted = event.value, str(self._session.get("corpus") or "")
        self.update(corpora=names)
        if self.now.source is not None:
            # Something was grown before the corpora were found: it stays in sight.
            self._show_tabs(self.now.source.name)
        elif names:
            self.open_corpus(wanted if wanted in names else names[0])
        else:
            self.left.show_none()
            self._show_tabs("")

    def _show_tabs(self, shown: str) -> None:
        drafts = [NOT_KEPT] if self.now.drafts else []
        self.left.show_sources((*self.now.corpora, *drafts), shown)
        self.refresh_bindings()

    def open_corpus(self, name: str, then: str | None = None) -> None:
        """Show a corpus; `then` is the cluster to go to."""
        self._show_tabs(name)
        self._reader.read(self.workbench.workspace.corpora / name, then)

    @on(CorpusReader.Read)
    def _corpus_read(self, event: CorpusReader.Read) -> None:
        worker, name, then = event.tag
        if worker.is_cancelled:
            return
        if event.error is None:
            source, rows = event.value
            self._show_source(source, rows, then)
        else:
            self.update(source=None, clusters={}, cluster=None, members=None, member=None)
            self.crumbs = (f"corpus {name}",)
            self.left.show_error(event.error)

    def _show_source(self, source: Source, rows: Sequence[Expression], then: str | None) -> None:
        before, session = self.now.source, self._session
        same = before is not None and before.name == source.name
        self._session = {}
        self.update(source=source, clusters={str(row["id"]): row for row in rows})
        self.left.show(source, rows, keep=same or bool(session))
        self._show_tabs(source.name)
        if then is not None:
            self.left.go_to(then)

    def _show_drafts(self, then: str | None = None) -> None:
        """Show what was grown and not kept, whatever is being read."""
        from screens.egraphs.growth import Drafts

        self._reader.forget()
        drafts = Drafts(self.now.drafts)
        self._show_source(drafts, drafts.clusters(), then)

    @on(ClustersPane.Picked)
    def _corpus_picked(self, event: ClustersPane.Picked) -> None:
        if event.name == NOT_KEPT:
            self._show_drafts()
        else:
            self.open_corpus(event.name)

    # Clusters and members

    @on(ClustersPane.Chosen)
    def _cluster_chosen(self, event: ClustersPane.Chosen) -> None:
        cluster = event.cluster
        if cluster is None:
            self.update(cluster=None, members=None, member=None)
        elif cluster.source.folder is None:
            self.update(cluster=cluster, members=Members(cluster.key, cluster.source.members(cluster.number)))
        else:
            self.update(cluster=cluster)
            self._reader.read_members(cluster)

    @on(CorpusReader.MembersRead)
    def _members_read(self, event: CorpusReader.MembersRead) -> None:
        if self.now.cluster is not None and event.tag == self.now.cluster.key:
            self.members.look_for(self.left.filter)
            self.update(members=event.value)

    @on(ClustersPane.Filtered)
    def _clusters_filtered(self) -> None:
        self.members.look_for(self.left.filter)
        if (passing := self._passing()) != self.now.passing:
            self.update(passing=passing)

    @on(ClustersPane.Opened)
    def _cluster_opened(self) -> None:
        self.show_pane("middle")

    @on(MembersView.Chosen)
    def _member_chosen(self, event: MembersView.Chosen) -> None:
        self.update(member=event.member)

    @on(MembersView.Marked)
    def _marked(self) -> None:
        self.refresh_bindings()

    @on(View.Opened)
    def _opened(self) -> None:
        self.show_pane("right")

    @on(View.Left)
    def _left(self) -> None:
        self.action_left()

    @on(View.Visited)
    async def _visit(self, event: View.Visited) -> None:
        self.members.expect(event.cluster, event.member)
        self.left.go_to(event.cluster)
        await self.middle.show_page("members-page")
        self.show_pane("middle")

    def go_back(self) -> bool:
        return self.active_pane is self.middle and self.middle.view.go_back()

    # Growing

    async def action_add(self) -> None:
        (await self._growth_line()).edit()

    async def action_refresh(self) -> None:
        cluster = self.now.cluster
        if cluster is not None:
            line = await self._growth_line()
            line.edit(cluster.written)
            line.grow(cluster.head, {**cluster.settings, "seed": cluster.seed})

    async def _growth_line(self) -> GrowLine:
        from screens.egraphs.growth import GrowLine, usual_settings

        # Anew each time: the settings may have been changed since.
        usual = usual_settings()
        if self._line is None:
            self._line = GrowLine(self.ask, usual)
            await self.mount(self._line, after="#panes")
        self._line.usual = usual
        return self._line

    def on_grow_line_left(self) -> None:
        """Take the line away, and give the keys back."""
        if self._line is not None:
            self._line.leave()
        self.show_pane(self._active)

    async def on_grow_line_grew(self, event: GrowLine.Grew) -> None:
        """Show what grows: its row is another one, so its members are read anew with it."""
        draft, new = event.draft, len(event.drafts) > len(self.now.drafts)
        self.update(drafts=event.drafts)
        if new:
            self.left.clear_filter()
            self._show_drafts(then=str(draft.number))
            self.show_pane("middle")
            await self.middle.show_page("members-page")
        elif self.now.source is not None and self.now.source.name == NOT_KEPT:
            self._show_drafts()
        if draft.error is not None:
            self.workbench.report(draft.error)

    def action_stop(self) -> None:
        if self._line is not None and self._line.growing:
            self._line.stop()
        else:
            for request in self.middle.encoding:
                request.stop()

    def action_keep(self) -> None:
        if self._line is not None and self.now.draft is not None:
            self._line.keep(self.now.draft, self.workbench.workspace.corpora / _GROWN)

    def on_grow_line_saved(self, event: GrowLine.Saved) -> None:
        """Show the cluster where it is now."""
        if event.error is not None:
            self.workbench.report(event.error)
            return
        assert self._line is not None
        number = event.value["cluster"]
        corpora = self.now.corpora if _GROWN in self.now.corpora else (*self.now.corpora, _GROWN)
        self.update(drafts=self._line.drafts, corpora=corpora)
        self.on_grow_line_left()
        self.open_corpus(_GROWN, then=str(number))
        self.workbench.say(f"kept as cluster {number} of the corpus {_GROWN}")

    # Models

    @on(Models.Found)
    def _models_found(self, event: Models.Found) -> None:
        before, models = self.now.model, event.value
        wanted = before.name if before is not None else self._wanted_model
        named = (path for path in models if path.name == wanted)
        self.update(models=models, model=next(named, models[0] if models else None))

    def action_model(self) -> None:
        from screens.widgets.dialogs import Choice, Chooser

        ours = self.workbench.workspace.models
        choices = [
            Choice(path.name, path.name, "of this workspace" if path.parent == ours else "ships with mathwb")
            for path in self.now.models or ()
        ]

        def done(name: str | None) -> None:
            if name is not None:
                self._choose_model(name)

        self.app.push_screen(Chooser("the model that is asked", choices, typed=True), done)

    def _choose_model(self, name: str) -> bool:
        """Ask this model from now on; whether there is one of that name."""
        found = next((path for path in self.now.models or () if path.name == name), None)
        if found is not None:
            self.update(model=found)
        return found is not None

    @on(JobWatch.Looked)
    def _looked_at_jobs(self) -> None:
        """Take up what jobs have made."""
        source, making = self.now.source, self._models.look(*self._making)
        if making != self.now.tsne_job:
            self.update(tsne_job=making)
        if source is not None and source.folder is not None and source.outdated:
            self._reader.read(source.folder)

    @on(Models.Made)
    def _made(self, event: Models.Made) -> None:
        params = event.value
        if "what" not in params:
            self._show(again=True)
        elif (params["model"], params["data"]) == (str(self.now.model), str(self.now.folder)):
            self.update(arrangement=str(params["what"]))

    def on_map_view_arranged(self, event: MapView.Arranged) -> None:
        """Another map of what is shown is there."""
        self.update(arrangement=event.arrangement)

    def on_map_view_missing(self, event: MapView.Missing) -> None:
        """A map that takes a while is made by a job, once."""
        if self._models.running(*self._making) is not None:
            self.workbench.say("t-SNE is being made; the map changes when it is there")
        elif event.wanted:
            self._models.make_map(event.key.model, event.key.corpus, event.key.arrangement)

    @property
    def _making(self) -> tuple[Sequence[JobView], Path | None, Path | None]:
        return self.workbench.jobs, self.now.model, self.now.folder

    def _encode_corpus(self) -> None:
        if self.now.model is not None and self.now.folder is not None:
            self._models.encode(self.now.model, self.now.folder)

    # What is opened over the screen

    def action_again(self) -> None:
        from screens.egraphs.sheets import Mistakes

        model, folder = self.now.model, self.now.folder
        if model is not None and folder is not None:
            self.app.push_screen(Mistakes(self.workbench, model, folder, self._reports))

    def open_analogies(self) -> None:
        """x1 is to y1 as x2 is to what?"""
        from screens.egraphs.sheets import Analogies

        model, folder = self.now.model, self.now.folder
        if model is not None and folder is not None:
            self.app.push_screen(Analogies(self.workbench, model, folder, self._own_analogies))

    def action_diff(self) -> None:
        from screens.egraphs.sheets import Derivation

        chosen, cluster = self.members.pair(), self.now.cluster
        if chosen is not None and cluster is not None:
            self.app.push_screen(Derivation(self.workbench, *chosen, cluster))

    def action_inspect(self) -> None:
        from screens.egraphs.egraph import EgraphView
        from screens.egraphs.sheets import Provenance

        if self.now.cluster is not None:
            graph = next((view.graph for view in self.middle.views if isinstance(view, EgraphView)), None)
            document = graph.document if graph is not None else None
            self.app.push_screen(Provenance(self.workbench, self.now.cluster, document))

    def action_earlier(self) -> None:
        self.right.turn(-1)

    def action_later(self) -> None:
        self.right.turn(1)

    # What can be done

    def unkept(self) -> str:
        heads = [shown(draft.head) for draft in self.now.drafts if draft.unkept]
        if not heads:
            return ""
        what = f"{some(len(heads), 'cluster')} grown here and not kept"
        return f"{what}: {', '.join(heads)}. K keeps the one under the cursor."

    def why_not(self, verb: str) -> str:
        if verb == "keep" and self.read_only:
            return self.read_only
        if reason := self.now.why_not(verb):
            return reason
        growing = self._line is not None and self._line.growing
        if verb in ("add", "refresh") and growing:
            return "something is growing; x stops it"
        if verb == "stop" and not growing and not self.middle.encoding:
            return "nothing is growing"
        if verb in ("earlier", "later") and len(self.right.slices) < 2:
            return "there is no plot of several variables"
        if verb == "diff" and (reason := self.members.why_no_pair()):
            return reason
        if verb == "keep" and self._line is not None and self._line.keeping:
            return "it is being kept"
        return super().why_not(verb)

    def selection(self) -> Selection | None:
        line = self.workbench.command_line
        return (self.left if self.active_pane is self.left else self.middle).selection(line)

    def lookups(self) -> Sequence[Lookup]:
        model = Lookup("model", "Ask the model of this name for vectors.", self._choose_model)
        return [*super().lookups(), model]

    def commands(self) -> Sequence[Command]:
        hindrance = self.now.hindrance
        reason = hindrance.what if hindrance is not None else "" if self.now.model else "no model yet"
        found = (
            ("analogies", "x1 is to y1 as x2 is to what, by vectors", self.open_analogies),
            ("mistakes of the model", "its evaluations, costliest mistakes first", self.action_again),
            ("encode the corpus", "a job that makes all its vectors", self._encode_corpus),
        )
        return [Command(*each, reason) for each in found]
