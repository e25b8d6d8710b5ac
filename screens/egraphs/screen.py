"""E-graphs screen: clusters, the members of one, its e-graph, a map, neighbours, and why each is as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on

from screens.egraphs.clusters import ClustersPane, EgraphsState, MembersView, MiddlePane, View
from screens.egraphs.columns import format_expression, write_plainly
from screens.egraphs.member import MemberPane
from screens.egraphs.sources import NOT_SAVED, ClusterSource, Models, list_corpora, make_infix, read_source
from screens.keys import EGRAPHS_SCREEN
from screens.shell.export import Command, Lookup, PaneSelection
from screens.shell.keymap import bindings
from screens.shell.request import RequestAnswer
from screens.shell.screen import BrowserScreen
from screens.shell.theme import format_quantity
from screens.shell.watch import JobWatch
from screens.widgets.dialogs import Chooser, MenuChoice, Prompt
from screens.widgets.pane import Page, Pane
from screens.widgets.table import Table
from workbench.tables import LazyRow

if TYPE_CHECKING:
    from screens.egraphs.growth import GrowLine, GrowthDraft
    from screens.egraphs.sheets import Reports
    from screens.egraphs.vectors import MapKey
    from workbench.jobs.job_views import JobView


_GROWN = "grown"
"""The corpus of the workspace that takes the clusters that are kept."""


class EgraphsScreen(BrowserScreen):
    """The E-graphs screen; `now` is all that it shows, `change_state` changes it, and the panes follow."""

    MODE = "egraphs"
    SOURCE = "corpus"
    SOURCES = "corpora"
    FIND_SOURCE = "Show a corpus of the workspace."
    BINDINGS = bindings(EGRAPHS_SCREEN)

    def __init__(self) -> None:
        super().__init__()
        self.now = EgraphsState()
        self._line: GrowLine | None = None
        self._models = Models(self, on_models=self._models_found, made=self._take_job_result)
        self._wanted_model = ""
        self._looked_at: tuple[object, object, object] = (None, None, None)
        """The jobs, model and corpus for which it was last asked what jobs have made."""
        self._reports: Reports = {}
        self._own_analogies: list[dict[str, str]] = []

    # Panes

    def panes(self) -> Iterable[Pane]:
        self.left = ClustersPane(id="left", share=11)
        self.members = MembersView()
        self.middle = MiddlePane(
            self.members,
            Page("e-graph", id="graph-page", make=self._make_egraph),
            Page("map", id="map-page", make=self._make_map),
            Page("nearest", id="nearest-page", make=self._make_nearest),
            id="middle",
            share=16,
        )
        self.right = MemberPane(id="right", share=13)
        return self.left, self.middle, self.right

    def _make_egraph(self) -> Sequence[View]:
        from screens.egraphs.egraph import EgraphView

        return [EgraphView()]

    def _make_map(self) -> Sequence[View]:
        from screens.egraphs.vectors import MapView

        return [MapView(lambda name: self.change_state(arrangement=name), self._make_missing)]

    def _make_nearest(self) -> Sequence[View]:
        from screens.egraphs.vectors import NearestView

        return [NearestView()]

    def change_state(self, **changes: Any) -> None:
        """Change some fields of the state, and show it."""
        # The state is replaced and never changed in place, so views can compare old and new.
        self.now = replace(self.now, **changes)
        self._show_state()

    def _show_state(self, *, again: bool = False) -> None:
        self.middle.give_state(self.now, again=again)
        self._describe_selection()

    @on(Pane.Selected, "View, EgraphListing, Scatter")
    def _describe_selection(self) -> None:
        self.refresh_bindings()
        # While members are being read, the headings stay those of what is shown.
        if not self.now.arrived:
            return
        self.middle.show_heading()
        self.right.show_case(self.middle.get_case())

    @on(Pane.PageShown, "#middle")
    def _page_shown(self) -> None:
        self.now = replace(self.now, passing=self._visible_clusters())
        self._show_state(again=True)

    def _visible_clusters(self) -> frozenset[str] | None:
        """Return the clusters that pass the filter where the map is shown, which draws the others paler."""
        return self.left.passing if self.middle.page_name == "map" else None

    # Corpora

    async def restore(self, state: Mapping[str, object]) -> None:
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
        super().begin()
        self._models.find_models()

    def find_sources(self) -> Mapping[str, Path]:
        return list_corpora(self.workbench.workspace.corpora)

    def sources_found(self, answer: RequestAnswer) -> None:
        if self.now.source is not None and answer.error is None:
            # Something was grown before the corpora were found: it stays in sight.
            self.sources = answer.value
            self._show_tabs(self.now.source.name)
        else:
            super().sources_found(answer)

    def show_no_source(self) -> None:
        self._show_tabs("")
        self.members.show_unavailable(None)
        self.right.show_nothing()

    def _show_tabs(self, shown: str) -> None:
        drafts = [NOT_SAVED] if self.now.drafts else []
        self.source = shown
        self.left.show_sources((*self.sources, *drafts), shown)
        self.refresh_bindings()

    def go_to_source(self, name: str) -> bool:
        if name == NOT_SAVED and self.now.drafts:
            self._show_drafts()
            return True
        return super().go_to_source(name)

    def open_source(self, name: str, then: str | None = None) -> None:
        """Show a corpus; `then` is the cluster to go to."""
        self._show_tabs(name)
        self._read_source(self.sources[name], then)

    def _read_source(self, path: Path, then: str | None = None) -> None:
        self.in_thread(lambda: read_source(path), self._source_read, (path.name, then), group="corpus")

    def _source_read(self, event: RequestAnswer) -> None:
        _, then = event.tag
        if event.error is None:
            source, rows = event.value
            self._show_source(source, rows, then)
            self.run_worker(
                partial(make_infix, rows), thread=True, group="corpus", exclusive=True, exit_on_error=False
            )
        else:
            self.change_state(source=None, clusters={}, cluster=None, members=None, member=None)
            self.left.show_error(event.error)

    def _show_source(self, source: ClusterSource, rows: Sequence[LazyRow], then: str | None) -> None:
        before, session = self.now.source, self.session
        same = before is not None and before.name == source.name
        self.session = {}
        self.change_state(source=source, clusters={str(row["id"]): row for row in rows})
        self.left.show_clusters(source, rows, keep=same or bool(session))
        self._show_tabs(source.name)
        if then is not None:
            self.left.go_to(then)

    def _show_drafts(self, then: str | None = None) -> None:
        from screens.egraphs.growth import Drafts

        # A corpus that is being read must not replace the drafts when it arrives.
        self.workers.cancel_group(self, "corpus")
        drafts = Drafts(self.now.drafts)
        self._show_source(drafts, drafts.read_clusters(), then)

    # Clusters and members

    @on(Pane.Selected, "#left")
    def _cluster_selected(self) -> None:
        cluster = self.left.chosen
        if cluster is None:
            self.change_state(cluster=None, members=None, member=None)
        elif cluster.source.folder is None:
            # Drafts are in memory, so their members need no thread.
            self.change_state(
                cluster=cluster,
                members=RequestAnswer(cluster.key, cluster.source.read_members(cluster.number)),
            )
        else:
            self.change_state(cluster=cluster)
            read = partial(cluster.source.read_members, cluster.number)
            self.in_thread(read, self._members_read, cluster.key, group="members")

    def _members_read(self, event: RequestAnswer) -> None:
        if self.now.cluster is not None and event.tag == self.now.cluster.key:
            self.members.look_for(self.left.table.filter)
            self.change_state(members=event)

    @on(Table.Counted, "#clusters-table")
    def _clusters_filtered(self) -> None:
        self.members.look_for(self.left.table.filter)
        if (passing := self._visible_clusters()) != self.now.passing:
            self.change_state(passing=passing)

    @on(Pane.Opened, "#left")
    def _cluster_opened(self) -> None:
        self.show_pane("middle")
        if self.left.table.filter is not None:
            self.members.seek_match()

    @on(Pane.Selected, "MembersView")
    def _member_selected(self) -> None:
        if self.members.member is not self.now.member:
            self.change_state(member=self.members.member)

    @on(Pane.Marked, "MembersView")
    def _refresh_keys(self) -> None:
        self.refresh_bindings()

    @on(Pane.Opened, "View")
    def _show_explanation(self) -> None:
        self.show_pane("right")

    @on(Pane.AskedFor, "View")
    async def _member_asked_for(self, event: Pane.AskedFor) -> None:
        cluster, _, member = event.name.partition("/member/")
        self.members.expect_member(cluster, member)
        self.left.go_to(cluster)
        await self.middle.show_page("members-page")
        self.show_pane("middle")

    def go_back(self) -> bool:
        return self.active_pane is self.middle and self.middle.view.go_back()

    # Growing

    async def action_add(self) -> None:
        (await self._growth_line()).edit_line()

    async def action_again(self) -> None:
        cluster = self.now.cluster
        if cluster is not None:
            line = await self._growth_line()
            line.edit_line(cluster.written)
            line.grow(cluster.head, {**cluster.settings, "seed": cluster.seed})

    async def _growth_line(self) -> GrowLine:
        from screens.egraphs.growth import GrowLine
        from screens.egraphs.growth_text import usual_settings

        # Anew each time: the settings may have been changed since.
        usual = usual_settings()
        if self._line is None:
            self._line = GrowLine(
                usual, grew=self._show_growth, saved=self._report_saving, left=self._leave_growth
            )
            await self.mount(self._line, after="#panes")
        self._line.usual = usual
        return self._line

    def _leave_growth(self) -> None:
        if self._line is not None:
            self._line.hide_line()
        self.show_pane(self._active)

    async def _show_growth(self, draft: GrowthDraft, drafts: tuple[GrowthDraft, ...]) -> None:
        # A new draft is shown at once; one that goes on only updates the list.
        new = len(drafts) > len(self.now.drafts)
        self.change_state(drafts=drafts)
        if new:
            self.left.listing.clear_filter()
            self._show_drafts(then=str(draft.number))
            self.show_pane("middle")
            await self.middle.show_page("members-page")
        elif self.now.source is not None and self.now.source.name == NOT_SAVED:
            self._show_drafts()
        if draft.error is not None:
            self.workbench.report(draft.error)

    def action_stop(self) -> None:
        if self._line is not None and self._line.growing:
            self._line.stop()
        # Nothing grows, so the key stops what is being encoded.
        else:
            for request in self.middle.encoding:
                request.stop()

    def action_keep(self) -> None:
        if self._line is not None and self.now.draft is not None:
            self._line.save_draft(self.now.draft, self.workbench.workspace.corpora / _GROWN)

    def _report_saving(self, answer: RequestAnswer) -> None:
        if answer.error is not None:
            self.workbench.report(answer.error)
            return
        assert self._line is not None
        number = answer.value["cluster"]
        # The corpus may have been made by this very save.
        self.sources = {**self.sources, _GROWN: self.workbench.workspace.corpora / _GROWN}
        self.change_state(drafts=self._line.drafts)
        self._leave_growth()
        self.open_source(_GROWN, then=str(number))
        self.workbench.say(f"saved as cluster {number} of the corpus {_GROWN}")

    # Models

    def _models_found(self, models: tuple[Path, ...]) -> None:
        before = self.now.model
        wanted = before.name if before is not None else self._wanted_model
        named = (path for path in models if path.name == wanted)
        self.change_state(models=models, model=next(named, models[0] if models else None))

    def action_model(self) -> None:
        ours = self.workbench.workspace.models
        choices = [
            MenuChoice(
                path.name, path.name, "of this workspace" if path.parent == ours else "ships with mathwb"
            )
            for path in self.now.models or ()
        ]
        now = self.now.model.name if self.now.model else ""
        Chooser("the model that is asked", choices, now=now, typed=True).ask(self.app, self._choose_model)

    def _choose_model(self, name: str) -> bool:
        result = next((path for path in self.now.models or () if path.name == name), None)
        if result is not None:
            self.change_state(model=result)
        return result is not None

    @on(JobWatch.Looked)
    def _looked_at_jobs(self) -> None:
        source, making = self.now.source, self._making
        # There may be thousands, and mostly nothing has changed.
        if any(now is not before for now, before in zip(making, self._looked_at, strict=True)):
            self._looked_at = making
            running = self._models.look_at_jobs(*making)
            if running != self.now.tsne_job:
                self.change_state(tsne_job=running)
        # A corpus that is being built is read again when another shard is complete.
        if source is not None and source.folder is not None and source.outdated:
            self._read_source(source.folder)

    def _take_job_result(self, params: Mapping[str, Any]) -> None:
        if "method" not in params:
            self._show_state(again=True)
        elif (params["model"], params["data"]) == (str(self.now.model), str(self.now.folder)):
            self.change_state(arrangement="tsne" if params["clusters"] else "families")

    def _make_missing(self, key: MapKey, wanted: bool) -> None:
        """A map that takes a while is made by a job, once."""
        if self._models.running_job(*self._making) is not None:
            self.workbench.say("computing t-SNE; the map changes when it is done")
        elif wanted:
            self._models.make_map(key.model, key.corpus, key.arrangement)

    @property
    def _making(self) -> tuple[Sequence[JobView], Path | None, Path | None]:
        return self.workbench.jobs, self.now.model, self.now.folder

    def _encode_corpus(self) -> None:
        if self.now.model is not None and self.now.folder is not None:
            self._models.encode_corpus(self.now.model, self.now.folder)

    # What is opened over the screen

    def action_evaluate(self) -> None:
        from screens.egraphs.sheets import MistakesSheet

        model, folder = self.now.model, self.now.folder
        if model is not None and folder is not None:
            self.app.push_screen(MistakesSheet(model, folder, self._reports))

    def open_analogies(self) -> None:
        """Open the sheet of analogies."""
        from screens.egraphs.sheets import AnalogiesSheet

        model, folder = self.now.model, self.now.folder
        if model is not None and folder is not None:
            self.app.push_screen(AnalogiesSheet(model, folder, self._own_analogies))

    def action_diff(self) -> None:
        from screens.egraphs.sheets import DerivationSheet

        chosen, cluster = self.members.marked_pair(), self.now.cluster
        if chosen is not None and cluster is not None:
            mode, assume, theory = cluster.mode, cluster.assume, cluster.theory
            self.app.push_screen(DerivationSheet(*chosen, mode=mode, assume=assume, theory=theory))

    def judge_pair(self, text: str) -> bool:
        """Judge a pair that the user typed, and derive the second from the first.

        Returns:
            Whether the text is a pair.
        """
        from screens.egraphs.sheets import DerivationSheet, read_pair

        pair = read_pair(text)
        if pair is not None:
            self.app.push_screen(DerivationSheet(*pair, mode="strict", named=str))
        return pair is not None

    def _ask_for_pair(self) -> None:
        from screens.egraphs.sheets import read_pair

        def check_pair(text: str) -> str:
            return "" if read_pair(text) or not text.strip() else "write one = between two expressions"

        hint = "infix, LaTeX or prefix;  enter judges and derives, esc cancels"
        Prompt("judge the pair", hint=hint, check=check_pair).ask(self.app, self.judge_pair)

    def action_inspect(self) -> None:
        from screens.egraphs.egraph import EgraphView
        from screens.egraphs.sheets import ProvenanceSheet

        if self.now.cluster is not None:
            graph = next((view.graph for view in self.middle.views if isinstance(view, EgraphView)), None)
            document = graph.document if graph is not None else None
            self.app.push_screen(ProvenanceSheet(self.now.cluster, document))

    def action_earlier(self) -> None:
        self.right.turn_slice(-1)

    def action_later(self) -> None:
        self.right.turn_slice(1)

    # What can be done

    def describe_unsaved(self) -> str:
        heads = [format_expression(draft.head) for draft in self.now.drafts if draft.unsaved]
        if not heads:
            return ""
        what = f"{format_quantity(len(heads), 'cluster')} grown here and not saved"
        return f"{what}: {', '.join(heads)}. K saves the one under the cursor."

    def why_not(self, verb: str) -> str:
        if verb == "keep" and self.read_only:
            return self.read_only
        if reason := self.now.why_not(verb):
            return reason
        growing = self._line is not None and self._line.growing
        if verb in ("add", "again", "refresh") and growing:
            return "something is growing; x stops it"
        if verb == "stop" and not growing and not self.middle.encoding:
            return "nothing is growing"
        if verb == "diff" and (reason := self.members.why_no_pair()):
            return reason
        if verb == "keep" and self._line is not None and self._line.keeping:
            return "it is being saved"
        return super().why_not(verb)

    def why_no_step(self, verb: str) -> str:  # noqa: ARG002
        return "there is no plot in several variables" if len(self.right.slices) < 2 else ""

    def selection(self) -> PaneSelection | None:
        line = self.workbench.command_line
        return (self.left if self.active_pane is self.left else self.middle).selection(line)

    def lookups(self) -> Sequence[Lookup]:
        return [
            *super().lookups(),
            Lookup("model", "Use the vectors of this model.", self._choose_model),
            Lookup("pair", "Judge HEAD = MEMBER, and derive the second from the first.", self.judge_pair),
        ]

    def list_commands(self) -> Sequence[Command]:
        unavailable = self.now.unavailable
        reason = unavailable[0] if unavailable is not None else "" if self.now.model else "no model yet"
        results = (
            ("analogies", "x1 is to y1 as x2 is to what, by vectors", self.open_analogies),
            ("mistakes of the model", "its evaluations, costliest mistakes first", self.action_evaluate),
            ("encode the corpus", "a job that computes all its vectors", self._encode_corpus),
        )
        words = "HEAD = MEMBER of your own: verdict, and derivation with its steps"
        pair = Command("judge a pair", words, self._ask_for_pair)
        return [pair, *(Command(*each, reason) for each in results)]
