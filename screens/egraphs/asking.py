"""What models are asked on the E-graphs screen: which one, of what, how far it is, and by which job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual import on, work
from textual.screen import Screen

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.base import Command
from screens.egraphs.sources import Building, Expression
from screens.egraphs.vectors import (
    ARRANGEMENTS,
    NO_CORPUS,
    NO_MODEL,
    NOT_FINISHED,
    NOT_KEPT,
    Hindrance,
    notice,
)
from screens.text import count
from screens.watch import JobWatch
from screens.widgets.listing import Listing
from screens.widgets.pane import Pane
from screens.widgets.scatter import Scatter
from screens.widgets.table import Table

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen
    from workbench.engine_process import Call

__all__ = ["AT_ONCE", "UNKNOWN", "Asking"]

AT_ONCE = 20_000
"""A corpus with more expressions is encoded by a job, not while one waits."""
UNKNOWN = "E647"
"""The code of the error that says so."""


class Asking(Screen[None]):
    """The part of the screen that asks models; mixed into it, under the map and the neighbours."""

    cluster: Expression | None

    def __init__(self) -> None:
        super().__init__()
        self.models: Sequence[Path] = ()
        self.model: Path | None = None
        self.reports: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        self.own_analogies: list[dict[str, str]] = []
        self._looked_for_models = False
        self._wanted_model = ""
        self._encoding: Call | None = None
        self._going: tuple[str, str] | None = None
        self._awaited: tuple[int, ...] = ()
        self._trained = 0

    @property
    def _all(self) -> EgraphsScreen:
        return cast("EgraphsScreen", self)

    # Models

    @work(thread=True, exclusive=True, group="models", exit_on_error=False)
    def find_models(self) -> None:
        """List the models there are: those that ship and those of the workspace."""
        from workbench.tasks.egen_models import models

        found = models(self._all.workbench.workspace.models)
        self.app.call_from_thread(self._models_found, found)

    def _models_found(self, found: Sequence[Path]) -> None:
        self._looked_for_models = True
        before, self.models = self.model, found
        wanted = before.name if before is not None else self._wanted_model
        self.model = next((path for path in found if path.name == wanted), found[0] if found else None)
        if self.model != before or self.model is None:
            self.fill_vectors()
        self._all.describe()
        self.refresh_bindings()

    def action_model(self) -> None:
        """Choose the model from a list."""
        from screens.widgets.dialogs import Choice, Chooser

        ours = self._all.workbench.workspace.models
        choices = [
            Choice(path.name, path.name, "of this workspace" if path.parent == ours else "ships with mathwb")
            for path in self.models
        ]

        def done(name: str | None) -> None:
            if name is not None:
                self.choose_model(name)

        self.app.push_screen(Chooser("the model that is asked", choices, typed=True), done)

    def choose_model(self, name: str) -> bool:
        """Ask this model from now on; whether there is one of that name."""
        found = next((path for path in self.models if path.name == name), None)
        if found is not None:
            self.model = found
            self.fill_vectors()
            self._all.describe()
            self.refresh_bindings()
        return found is not None

    # Where we are

    @property
    def page_name(self) -> str:
        """The id of the page in the middle."""
        page = self.query_one("#middle", Pane).page
        return (page.id or "") if page is not None else ""

    @property
    def on_map(self) -> bool:
        """Whether the middle shows the map."""
        return self.page_name == "map-page"

    @property
    def on_nearest(self) -> bool:
        """Whether the middle shows neighbours."""
        return self.page_name == "nearest-page"

    def _hindrance(self) -> Hindrance | None:
        """Why there are no vectors of what is shown."""
        source = self._all.source
        if self.model is None:
            return NO_MODEL if self._looked_for_models else None
        if source is None:
            return NO_CORPUS
        if source is self._all.drafts:
            return NOT_KEPT
        return NOT_FINISHED if isinstance(source, Building) else None

    def fill_vectors(self) -> None:
        """Show what the open page is to show, asking the engine first if need be."""
        if self.on_map:
            self._all.fill_map()
        elif self.on_nearest:
            self._all.fill_neighbours()

    def vector_words(self) -> tuple[str, str]:
        """Detail and footnote of the middle pane on these pages."""
        model = f"model {self.model.name}" if self.model is not None else ""
        if not self.on_map:
            rows = self.query_one("#nearest-table", Table).rows
            wrong = sum(record["same"] == "no" for record in rows.scan(("same",)))
            detail = f"{len(rows)}, {count(wrong)} of other clusters" if len(rows) else ""
            return detail, f"{model} · S: wrong first" if detail else model
        scatter = self.query_one("#map", Scatter)
        if not scatter.dots:
            return "", model
        at, mates = scatter.together
        here = f" · {at} of {mates} here" if mates > 1 else ""
        job = self._all.tsne_job()
        running = f" · t-SNE is job {job.id}" if job is not None else " · s: other maps"
        words = ARRANGEMENTS[self._all.arrangement].format(count(len(scatter.dots)))
        return words, f"{model}{here or running}"

    async def _ask(self, task: str, params: Mapping[str, Any]) -> Any:
        """Ask the engine; encoding is told in place of the answer, and `x` stops it."""
        from workbench.engine_process import Result

        self._encoding = call = self._all.workbench.engine.call(task, params)
        self.refresh_bindings()
        try:
            async for item in call:
                if isinstance(item, Result):
                    return item.value
                self._tell(item)
        finally:
            self._encoding = None
            self.refresh_bindings()
        raise EngineError("the engine ended without a result", remedy="Try again.", code="E701")

    def _tell(self, event: Event) -> None:
        data = event.data
        if event.kind != "progress" or not isinstance(data.get("total"), int):
            return
        done, total = int(str(data.get("done", 0))), int(str(data["total"]))
        words = f"encoding: {count(done)} of {count(total)} {data.get('unit', '')}".rstrip()
        if self.on_map and not self.query_one("#map", Scatter).dots:
            self.query_one("#map", Scatter).say(notice(words, "x stops it", glyph="…"))
        elif self.on_nearest:
            self.query_one("#nearest", Listing).show_loading(f"{words} · x stops it")

    @property
    def encoding(self) -> bool:
        """Whether the engine is at a question that can be stopped."""
        return self._encoding is not None

    def stop_encoding(self) -> None:
        """Ask the engine to leave it."""
        if self._encoding is not None:
            self._encoding.stop()

    async def go_to_member(self, cluster: str, member: str) -> None:
        """Show a member of a cluster where it stands, clearing a filter that hides it."""
        listing = self.query_one("#clusters", Listing)
        self._going = (cluster, member)
        if not listing.table.go_to(cluster):
            listing.clear_filter()
            listing.table.go_to(cluster)
        if self.cluster is not None and str(self.cluster["id"]) == cluster:
            self.arrive()
        await self.query_one("#middle", Pane).show_page("members-page")
        self._all.show_pane("middle")

    def arrive(self) -> None:
        """The members are there: put the cursor on the one that is gone to."""
        if self._going is None or self.cluster is None or str(self.cluster["id"]) != self._going[0]:
            return
        if self.query_one("#members-table", Table).go_to(self._going[1]):
            self._going = None

    def _submit(self, task: str, title: str, params: dict[str, Any]) -> None:
        """Start a job; in a thread."""
        from workbench.jobs import JobSpec, submit

        workbench = self._all.workbench
        try:
            job = submit(workbench.workspace, JobSpec(task, title, params))
        except EngineError as error:
            self.app.call_from_thread(workbench.report, error)
            return
        self._awaited = (*self._awaited, job.id)
        self.app.call_from_thread(workbench.say, f"job {job.id} makes it: {title}")
        self.app.call_from_thread(workbench.look_now)

    @on(JobWatch.Looked)
    def _jobs_seen(self) -> None:
        """Take up what jobs have made, and notice models that were trained."""
        running = self._all.tsne_job()
        if running is not None and running.id not in self._awaited:
            self._awaited = (*self._awaited, running.id)
        for view in self._all.workbench.jobs:
            if view.id not in self._awaited or view.live:
                continue
            self._awaited = tuple(number for number in self._awaited if number != view.id)
            if view.state != "succeeded":
                self._all.workbench.warn(f"job {view.id} {view.state}: {view.reason}", remedy=view.remedy)
            elif view.task == "egen.tsne":
                self._all.take_tsne(view)
            else:
                self.fill_vectors()
        trained = sum(view.task == "train" and view.state == "succeeded" for view in self._all.workbench.jobs)
        if trained != self._trained:
            self._trained = trained
            self.find_models()
        if self.on_map:
            self._all.describe()

    # Evaluations and analogies

    def why_not_ask(self, verb: str) -> str:
        """Why a verb of models does not apply now."""
        if verb == "model" and len(self.models) < 2:
            return "there is one model" if self.models else "there is no model; 3 and a train one"
        if verb == "again" and (hindrance := self._hindrance()) is not None:
            return hindrance.what[0].lower() + hindrance.what[1:]
        return ""

    def action_again(self) -> None:
        from screens.egraphs.mistakes import Mistakes

        if self.model is not None and self._all.folder is not None:
            self.app.push_screen(Mistakes(self._all, self.model, self._all.folder))

    def open_analogies(self) -> None:
        """x1 is to y1 as x2 is to what?"""
        from screens.egraphs.analogies import Analogies

        if self.model is not None and self._all.folder is not None:
            self.app.push_screen(Analogies(self._all, self.model, self._all.folder))

    @work(thread=True, group="submit", exit_on_error=False)
    def encode_corpus(self) -> None:
        """Start the job that encodes all expressions of the corpus."""
        model, folder = self.model, self._all.folder
        if model is not None and folder is not None:
            title = f"vectors of {folder.name} by {model.name}"
            self._submit("egen.index", title, {"model": str(model), "data": str(folder)})

    def model_commands(self) -> list[Command]:
        """Palette commands."""
        hindrance = self._hindrance()
        reason = hindrance.what if hindrance is not None else "" if self.model is not None else "no model yet"
        return [
            Command("analogies", "x1 is to y1 as x2 is to what, by vectors", self.open_analogies, reason),
            Command(
                "mistakes of the model",
                "its evaluations, costliest mistakes first",
                self.action_again,
                reason,
            ),
            Command("encode the corpus", "a job that makes all its vectors", self.encode_corpus, reason),
        ]
