"""Growing an expression on the E-graphs screen: ask, watch it arrive, stop, keep, grow again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from textual import on, work
from textual.screen import Screen

from engines.core.errors import EngineError
from screens.egraphs.drafts import Draft, Drafts
from screens.egraphs.growline import GrowLine
from screens.egraphs.sources import Expression
from screens.widgets.listing import Listing
from screens.widgets.pane import Pane

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen
    from workbench.engine_process import Call

__all__ = ["GROWN", "Growing"]

GROWN = "grown"
"""The corpus of the workspace that takes the clusters that are kept."""


class Growing(Screen[None]):
    """The part of the screen that grows; mixed into it."""

    drafts: Drafts
    cluster: Expression | None
    _line: GrowLine | None = None
    _call: Call | None = None
    _draft: Draft | None = None
    _keeping = False
    _warm = False

    @property
    def _whole(self) -> EgraphsScreen:
        return cast("EgraphsScreen", self)

    def why_not_grow(self, verb: str) -> str:
        """Why a verb of growing does not apply now."""
        growing = self._draft is not None and self._draft.growing
        if verb in ("add", "refresh") and growing:
            return "something is growing; x stops it"
        if verb == "stop" and not growing and not self._whole.encoding:
            return "nothing is growing"
        if verb == "keep":
            draft = self._whole.draft_here()
            if draft is None:
                return "only what was grown here can be kept; a grows something"
            if draft.growing:
                return "it is still growing; x stops it"
            if draft.error is not None:
                return "its growth failed, so nothing of it is verified"
            if draft.generated is None or not draft.members:
                return "it was stopped before it had members; r grows it again"
            if self._keeping:
                return "it is being kept"
        return ""

    async def action_add(self) -> None:
        """Open the line, and let the engine load the rules while one writes."""
        if self._line is None:
            self._line = GrowLine()
            await self.mount(self._line, after="#panes")
        self._line.edit()
        if not self._warm:
            self._warm = True
            self._warm_up()

    @work(group="warm", exit_on_error=False)
    async def _warm_up(self) -> None:
        params = {"expr": "x", "notation": "prefix", "members": 1, "nodes": 20, "mode": self._mode}
        # What is wrong with the engine is told when something is really asked of it.
        try:
            await self._whole.call("egen.generate", params)
        except EngineError:
            self._warm = False

    @property
    def _mode(self) -> str:
        return str(self._whole.workbench.config.get("egen.mode"))

    @on(GrowLine.Left)
    def _line_left(self) -> None:
        self.close_line()

    def close_line(self) -> None:
        """Take the line away, and give the keys back."""
        if self._line is not None:
            self._line.leave()
            self._line.display = False
        self._whole.show_pane(self._whole._active)

    @on(GrowLine.Asked)
    def _asked(self, event: GrowLine.Asked) -> None:
        settings = {
            "mode": self._mode,
            "max_tokens": int(str(self._whole.workbench.config.get("egen.max_tokens"))),
            "members": 1_000,
            "seed": 0,
        }
        self._grow(event.prefix, settings)

    async def action_refresh(self) -> None:
        """The same head with the settings it had, as something that is not kept yet."""
        whole = self._whole
        record, source = self.cluster, whole.source
        if record is None or source is None:
            return
        settings = dict(source.settings(record["cluster"]))
        await self.action_add()
        assert self._line is not None
        self._line.edit(record.get("infix"))
        self._grow(record["head"], {**settings, "seed": record["seed"]})

    def _grow(self, head: str, settings: dict[str, Any]) -> None:
        if self._draft is not None and self._draft.growing:
            return
        self._draft = draft = self.drafts.begin(head, settings)
        if self._line is not None:
            self._line.leave()
        self.query_one("#clusters", Listing).clear_filter()
        self._whole.show_drafts(then=str(draft.number))
        self._whole.show_pane("middle")
        self._growing(draft)

    @work(group="grow", exit_on_error=False)
    async def _growing(self, draft: Draft) -> None:
        from workbench.engine_process import Result

        whole = self._whole
        self._call = whole.workbench.engine.call("egen.generate", draft.params)
        self._show_draft(draft)
        await self.query_one("#middle", Pane).show_page("members-page")
        try:
            async for item in self._call:
                if isinstance(item, Result):
                    draft.finish(item.value)
                else:
                    draft.hear(item)
                self._show_draft(draft)
        except EngineError as error:
            if error.code == "E703" and draft.stopping:
                draft.forgo()
            else:
                draft.fail(error)
                whole.workbench.report(error)
            self._show_draft(draft)
        finally:
            self._call = None
            self.refresh_bindings()

    def _show_draft(self, draft: Draft) -> None:
        if self._line is not None:
            self._line.show_draft(draft)
        if self._whole.source is self.drafts:
            # The cluster's record is another one now, so the members are read anew with it.
            self.query_one("#clusters", Listing).load(self.drafts.clusters())
        self.refresh_bindings()

    def action_stop(self) -> None:
        """Ask the growth to end with what there is."""
        if self._call is not None and self._draft is not None:
            self._draft.stopping = True
            self._call.stop()
            self._show_draft(self._draft)
        else:
            self._whole.stop_encoding()

    def action_keep(self) -> None:
        """Save the cluster under the cursor, then show it where it is now."""
        draft = self._whole.draft_here()
        if draft is not None and draft.generated is not None:
            self._keep(draft)

    @work(group="keep", exit_on_error=False)
    async def _keep(self, draft: Draft) -> None:
        whole = self._whole
        self._keeping = True
        out = whole.workbench.workspace.corpora / GROWN
        try:
            params = {"out": str(out), "generated": draft.generated}
            found = await whole.call("egen.save", params)
        except EngineError as error:
            whole.workbench.report(error)
            return
        finally:
            self._keeping = False
            self.refresh_bindings()
        self.drafts.all.remove(draft)
        if GROWN not in whole._names:
            whole._names.append(GROWN)
        self.close_line()
        whole.open_corpus(GROWN, then=str(found["cluster"]))
        whole.workbench.say(f"kept as cluster {found['cluster']} of the corpus {GROWN}")
