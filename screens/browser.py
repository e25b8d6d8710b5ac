"""Screens that browse: sources on the tabs of a list, panes for what is selected in it, sheets over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from textual import on
from textual.binding import BindingType

from screens.shell.export import Export, Lookup
from screens.shell.frame import Frame
from screens.shell.keymap import SHEET_KEYS, bindings
from screens.shell.request import Answer, CachedRequest, Progress
from screens.shell.screen import WorkbenchScreen
from screens.widgets.dialogs import Dialog
from screens.widgets.listing import Listing
from screens.widgets.pane import ListPane, Pane

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.recipes import Recipe


class BrowserScreen(WorkbenchScreen):
    """Finds the sources there are (corpora, collections, sets) and shows one of them: its first pane lists
    what is in it, the others show what is selected there.

    Its paper gives `find_sources` and `open_source`, and the panes. What a pane says comes as one of the
    messages of `Pane`; what the engine answers, and what is read in threads, as calls of the methods that
    were named when it was asked.
    """

    SOURCE: ClassVar[str] = "collection"
    """What a source is called: in the session, and as a word of the palette."""
    SOURCES: ClassVar[str] = "collections"
    FIND_SOURCE: ClassVar[str] = "Show a collection of the workspace."

    def __init__(self) -> None:
        super().__init__()
        self.sources: Mapping[str, Any] = {}
        self.source = ""
        """The name of the source that is shown."""
        self.session: Mapping[str, object] = {}
        """What the session kept of this screen, as far as it was not used yet."""
        self._slow_engine: EngineProcess | None = None

    # For screens to give

    def find_sources(self) -> Mapping[str, Any]:
        """The sources by name; called in a thread."""
        raise NotImplementedError

    def open_source(self, name: str) -> None:
        raise NotImplementedError

    def show_no_source(self) -> None:
        """There is none."""

    @property
    def first(self) -> ListPane:
        result = self._panes[0]
        assert isinstance(result, ListPane)
        return result

    # Sources

    async def restore(self, state: Mapping[str, object]) -> None:
        """The source comes first; the lists take their parts when it is there."""
        self.session = state
        await super().restore(state)

    def state(self) -> dict[str, object]:
        return {**super().state(), self.SOURCE: self.source}

    def begin(self) -> None:
        self.first.show_loading(f"looking for {self.SOURCES}")
        self.look_for_sources(str(self.session.get(self.SOURCE) or ""))

    def look_for_sources(self, wanted: str) -> None:
        """Find the sources, and show the one that is wanted, or the first."""
        self.in_thread(self.find_sources, self.sources_found, wanted, group="sources")

    def sources_found(self, answer: Answer) -> None:
        """What `find_sources` gave, the name that is wanted as its tag."""
        if answer.error is not None:
            self.first.show_error(answer.error)
            return
        self.sources = answer.value
        name = answer.tag if answer.tag in self.sources else next(iter(self.sources), "")
        if name:
            self.open_source(name)
        else:
            self.first.show_sources([], "")
            self.first.show_none()
            self.show_no_source()

    def go_to_source(self, name: str) -> bool:
        """Show a source unless it is shown; whether there is one of this name."""
        name = name if name in self.sources else unquote(name)
        if name in self.sources and name != self.source:
            self.open_source(name)
        return name in self.sources

    @on(Pane.AskedFor)
    def _source_asked_for(self, event: Pane.AskedFor) -> None:
        if event.control is self.first:
            self.go_to_source(event.name)

    def lookups(self) -> Sequence[Lookup]:
        return [Lookup(self.SOURCE, self.FIND_SOURCE, self.go_to_source), *super().lookups()]

    async def action_refresh(self) -> None:
        self.look_for_sources(self.source)

    # The list

    def why_not(self, verb: str) -> str:
        if verb in ("earlier", "later"):
            return self.why_no_step(verb)
        return super().why_not(verb)

    def why_no_step(self, verb: str) -> str:
        return self.first.why_no_step(verb)

    def action_earlier(self) -> None:
        self.first.step(-1)

    def action_later(self) -> None:
        self.first.step(1)

    # The engine and jobs

    def slow_request(
        self,
        operation: str,
        then: Callable[[Answer], object],
        progress: Callable[[Progress], object] | None = None,
        **how: Any,
    ) -> CachedRequest:
        """Questions that take long: an engine process of their own answers them."""

        def engine() -> EngineProcess:
            if self._slow_engine is None:
                self._slow_engine = self.workbench.new_engine()
            return self._slow_engine

        return CachedRequest(self, engine, operation, then, progress, **how)

    def on_unmount(self) -> None:
        if self._slow_engine is not None:
            self._slow_engine.close()

    def submit(self, recipe: Callable[[], Recipe], then: Callable[[int, Recipe], object]) -> None:
        """Have a job do what this makes in a thread; `then` gets its number."""

        def work() -> tuple[int, Recipe]:
            from workbench import jobs

            made = recipe()
            return jobs.submit(self.workbench.workspace, made).id, made

        def done(answer: Answer) -> None:
            if answer.error is not None:
                self.workbench.report(answer.error)
            else:
                then(*answer.value)

        self.in_thread(work, done, group="submit", exclusive=False)


class Sheet(Dialog[None]):
    DEFAULT_CSS = """
    Sheet > Vertical { width: 130; height: 92%; border-title-color: $foreground; }
    Sheet .figures { height: auto; max-height: 7; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(SHEET_KEYS)

    def __init__(self, workbench: Frame) -> None:
        super().__init__()
        self.workbench = workbench

    def request(
        self,
        operation: str,
        then: Callable[[Answer], object],
        progress: Callable[[Progress], object] | None = None,
    ) -> CachedRequest:
        return CachedRequest(self, lambda: self.workbench.engine, operation, then, progress)

    def command(self) -> list[str] | None:
        """The words of the command line, None when there is nothing to print."""
        raise NotImplementedError

    def exports(self) -> Sequence[Export]:
        """The formats in which the list can be written; none while it is empty."""
        raise NotImplementedError

    def action_yank(self) -> None:
        words = self.command()
        if words is not None:
            self.workbench.copy(self.workbench.command_line(*words), "command line")

    def action_export(self) -> None:
        if ways := self.exports():
            self.workbench.choose_export("export this list", ways)
        else:
            self.workbench.warn("there is nothing to write yet")

    def action_close(self) -> None:
        if not any(listing.clear_filter() for listing in self.query(Listing)):
            self.dismiss(None)
