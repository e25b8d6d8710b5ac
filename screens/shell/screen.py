"""The bases of all screens: header, panes, key bar and the verbs that mean the same everywhere; those that
browse sources, shown on the tabs of a list; and the sheets over them.

`docs/guides/own-paper.md` shows how one is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, partialmethod
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import unquote

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import get_current_worker

from screens.registry import at_address
from screens.shell.bars import Header, KeyBar
from screens.shell.export import Command, Export, Lookup, PaneSelection
from screens.shell.frame import AppFrame
from screens.shell.keymap import SHEET_KEYS, VIEW_KEYS, bindings
from screens.shell.request import CachedRequest, RequestAnswer, RequestProgress
from screens.shell.theme import safe_text
from screens.widgets.dialogs import Chooser, Dialog, MenuChoice, Prompt, TextScreen
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import ListPane, Pane
from screens.widgets.table import note_signs
from workbench.errors import explain

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.recipes import Recipe


def why_greyed(node: DOMNode, verb: str) -> str:
    """Return the reason that a key's action does not apply now."""
    why_not = getattr(node, "why_not", None)
    return (why_not(verb) if why_not is not None else "") or "it does not apply here"


class NoteLine(Static):
    """Show the bookmark and the note of the selection below the panes; hidden if there is neither."""

    DEFAULT_CSS = "NoteLine { height: auto; max-height: 4; padding: 0 1; display: none; }"

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._show_note)

    # The signal comes from every screen, and also before the panes exist.
    def _show_note(self, screen: Screen[object]) -> None:
        workbench_screen = cast("WorkbenchScreen", self.screen)
        if screen is not self.screen or not workbench_screen.built:
            return
        chosen = workbench_screen.selection()
        note = workbench_screen.workbench.find_note(chosen.address) if chosen is not None else None
        self.display = note is not None
        if chosen is not None and note is not None:
            signs = note_signs(note) + Content(" ")
            self.update(signs + safe_text(f"{chosen.title}  ", "$quiet") + safe_text(note.note))


class WorkbenchScreen(Screen[None]):
    """A screen with a header, one to three panes and the key bar.

    `docs/guides/own-paper.md` shows how to write one.
    """

    MODE: ClassVar[str] = ""
    BINDINGS: ClassVar[list[BindingType]] = bindings(VIEW_KEYS)
    DEFAULT_CSS = """
    WorkbenchScreen { background: $background; }
    WorkbenchScreen > #panes { height: 1fr; }
    """

    # None of them is drawn by the screen itself: a repaint of it is one of everything on it.
    columns: reactive[int] = reactive(0, repaint=False)
    """How many panes stand side by side: 3, 2 or 1."""
    full: reactive[bool] = reactive(False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.built = False
        """Whether the panes are there: until then there are no topics of the screen."""
        self._active = ""
        self._panes: tuple[Pane, ...] = ()

    # For screens to give

    def panes(self) -> Iterable[Pane]:
        """Return the panes from left to right; called once, when the screen is built."""
        raise NotImplementedError

    def begin(self) -> None:
        """Start loading; called once, after the first paint."""

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        if verb in ("yank", "yank_as", "bookmark", "note"):
            if (chosen := self.selection()) is None:
                return "nothing is selected"
            if verb in ("bookmark", "note"):
                # What has no address cannot be gone back to.
                unsaved = f"{chosen.title} is not saved, so it cannot have a note"
                return self.read_only or ("" if at_address(chosen.address) else unsaved)
        if verb == "export" and not self.exports():
            return "there is nothing to export here"
        if verb in ("next_tab", "previous_tab") and self.tabbed_pane is None:
            return "this pane has no tabs"
        return self.active_pane.why_not(verb) if self.active_pane is not None else ""

    def selection(self) -> PaneSelection | None:
        """Return what the active pane has selected, for copying, notes and bookmarks."""
        pane = self.active_pane
        return pane.selection(self.workbench.command_line) if pane is not None else None

    def exports(self) -> Sequence[Export]:
        """Return the exports of the active pane, then those of the others whose letters are still free."""
        ways: dict[str, Export] = {}
        # The active pane first, so that it keeps its letters; `sorted` is stable for the others.
        for pane in sorted(self._panes, key=lambda pane: pane.id != self._active):
            for way in pane.exports():
                # A letter is given once.
                ways.setdefault(way.key, way)
        return list(ways.values())

    def lookups(self) -> Sequence[Lookup]:
        """Return the lookups of all panes; a successful lookup brings its pane to the front."""

        def look_up(pane: Pane, lookup: Lookup, wanted: str) -> bool:
            there = lookup.go(wanted)
            if there:
                self.show_pane(pane.id or "")
            return there

        all_ = [(pane, lookup) for pane in self._panes for lookup in pane.lookups()]
        return [replace(lookup, go=partial(look_up, pane, lookup)) for pane, lookup in all_]

    def list_commands(self) -> Sequence[Command]:
        """Return the screen's commands for the palette."""
        return ()

    def go_back(self) -> bool:
        """Go one step back inside the screen; return whether there was one."""
        return False

    def describe_unsaved(self) -> str:
        """Return in one sentence what would be lost if the app ended now, or an empty string."""
        return ""

    def state(self) -> dict[str, object]:
        """Return what the session stores of this screen; subclasses extend the dictionary."""
        lists = {listing.id or "": listing.state() for listing in self.query(Listing)}
        return {"lists": lists, "pane": self._active}

    async def restore(self, state: Mapping[str, object]) -> None:
        """Restore what `state` returned; unknown or missing parts are ignored."""
        lists = state.get("lists")
        if isinstance(lists, dict):
            for listing in self.query(Listing):
                if isinstance(saved := lists.get(listing.id), dict):
                    await listing.restore(saved)

    # The app

    @property
    def read_only(self) -> str:
        """Why nothing can be saved in the workspace, or an empty text if it is writable."""
        return "" if self.workbench.workspace.writable else "the workspace is read-only"

    @property
    def workbench(self) -> AppFrame:
        """The app, with workspace, notes, jobs, engine and ways to say things."""
        app = self.app
        assert isinstance(app, AppFrame)
        return app

    request = partialmethod(CachedRequest)
    """Questions of the screen to the engine process."""

    def in_thread(
        self,
        work: Callable[[], Any],
        then: Callable[[RequestAnswer], object],
        tag: Any = None,
        *,
        group: str,
        exclusive: bool = True,
    ) -> None:
        """Do something short, such as reading files, in a thread.

        Args:
            work: what to do.
            then: gets the answer, in the screen's own thread.
            tag: the answer's tag.
            group: the worker group.
            exclusive: whether a newer call in the group cancels this one.
        """

        def run_work() -> None:
            # The worker is taken here, in its thread; `then` runs later in the app's own.
            worker = get_current_worker()
            try:
                answer = RequestAnswer(tag, work())
            except Exception as error:  # noqa: BLE001  # whatever it is, it is reported
                answer = RequestAnswer(tag, error=explain(error))
            # `call_later` is safe to call from a thread. A newer call in the group has cancelled this one's
            # answer.
            self.call_later(lambda: None if worker.is_cancelled else then(answer))

        self.run_worker(run_work, thread=True, group=group, exclusive=exclusive, exit_on_error=False)

    # Building

    def compose(self) -> ComposeResult:
        yield Header()
        yield Horizontal(id="panes")
        yield NoteLine()
        yield KeyBar()

    def on_mount(self) -> None:
        self._fill_header()
        # The frame comes first. It is written by a thread, which would have to wait if the panes, which take
        # longer, were made in the same breath.
        self.call_after_refresh(self.set_timer, 1 / 60, self._build_panes)

    async def _build_panes(self) -> None:
        container = next(iter(self.query("#panes")), None)
        # The app may have been left in the meantime, here and after the panes are put up.
        if container is None or not container.is_attached:
            return
        self._panes = tuple(self.panes())
        self._active = self._panes[0].id or ""
        self._arrange_panes()
        await container.mount(*self._panes)
        if not container.is_attached:
            return
        self.built = True
        # Without a focus, keys would go to no pane at all.
        self._panes[0].focus_inside()
        self.refresh_bindings()
        # The session is restored into panes that exist, and before anything is loaded into them.
        if saved := self.workbench.session.screen_state(self.MODE):
            await self.restore(saved)
        self.begin()

    def _fill_header(self) -> None:
        header = self.query_one(Header)
        header.here, header.workspace = self.MODE, self.workbench.workspace.name
        header.load, header.badges = self.workbench.load, self.workbench.badges

    def on_screen_resume(self) -> None:
        self._fill_header()
        self.workbench.show_held()

    @property
    def busy(self) -> bool:
        """Whether something runs here that can be stopped."""
        # Asked of the bindings, since only some screens have anything to stop.
        stops = any(binding.action == "stop" for _, binding in self._bindings)
        return self.built and stops and not self.why_not("stop")

    # Layout

    @property
    def active_pane(self) -> Pane | None:
        """The pane that has, or last had, the focus."""
        return next((pane for pane in self._panes if pane.id == self._active), None)

    @property
    def tabbed_pane(self) -> Pane | None:
        """The pane whose tabs can be stepped through: the active one, or the first beside it with pages."""
        active = self.active_pane
        if active is not None and active.has_tabs:
            return active
        return next((pane for pane in self._panes if pane.display and pane.pages), None)

    def on_resize(self, event: events.Resize) -> None:
        # Three panes need 40 cells each; below 80 cells there is room for one.
        self.columns = 3 if event.size.width >= 120 else 2 if event.size.width >= 80 else 1

    def watch_columns(self) -> None:
        self._arrange_panes()

    def watch_full(self) -> None:
        self._arrange_panes()

    def _group_panes(self) -> list[tuple[Pane, ...]]:
        """Return which panes share a place: the right one joins the middle one, then all share one."""
        panes = self._panes
        if self.full or self.columns <= 1:
            return [panes]
        if self.columns == 2 and len(panes) == 3:
            return [panes[:1], panes[1:]]
        return [(pane,) for pane in panes]

    @on(Pane.Retitled)
    def _arrange_panes(self) -> None:
        if not self._panes:
            return
        for group in self._group_panes():
            names = tuple(pane.title for pane in group)
            front = next((pane for pane in group if pane.id == self._active), None)
            # The active pane is in front; otherwise the one that was.
            front = front or next((pane for pane in group if pane.display), group[0])
            for pane in group:
                pane.neighbours = names if len(group) > 1 else ()
                pane.display = pane is front

    @on(events.DescendantFocus)
    def _follow_focus(self, event: events.DescendantFocus) -> None:
        # The focus may be in any widget deep inside of a pane.
        pane = next((node for node in event.widget.ancestors_with_self if isinstance(node, Pane)), None)
        if pane is not None and pane.id != self._active:
            self._active = pane.id or ""
            self._arrange_panes()
        self.refresh_bindings()

    def show_pane(self, name: str) -> None:
        """Bring the pane with this id to the front and give it the focus."""
        self._active = name
        self._arrange_panes()
        # A pane without a widget that takes the focus must not leave it in a hidden pane.
        if (pane := self.active_pane) is not None and not pane.focus_inside():
            self.set_focus(None)
        self.refresh_bindings()

    @on(Pane.NeighbourPicked)
    def _neighbour_picked(self, event: Pane.NeighbourPicked) -> None:
        group = next(group for group in self._group_panes() if event.pane in group)
        self.show_pane(group[event.index].id or "")

    def _step_pane(self, step: int, around: bool) -> None:
        panes = self._panes
        at = next((i for i, pane in enumerate(panes) if pane.id == self._active), 0) + step
        if around or 0 <= at < len(panes):
            self.show_pane(panes[at % len(panes)].id or "")

    # Verbs that mean the same on every screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        # None greys the key in the footer, False would hide it; a greyed key can still say why.
        return None if self.built and self.why_not(action) else True

    def show_refusal(self, verb: str, reason: str) -> None:  # noqa: ARG002
        """Say in the key bar, until the next key, why the key that was pressed does not apply now."""
        self.query_one(KeyBar).said = f"not now: {reason}"

    @on(KeyBar.Pressed)
    async def _hint_pressed(self, event: KeyBar.Pressed) -> None:
        # The hint that was clicked runs the action of its key, on the widget that the key would reach.
        for active in self.active_bindings.values():
            if active.enabled and active.binding.action == event.verb:
                await self.app.run_action(event.verb, active.node)
                return

    @on(Header.Picked)
    def _screen_picked(self, event: Header.Picked) -> None:
        self.app.switch_mode(event.name)

    def action_next_pane(self) -> None:
        self._step_pane(1, around=True)

    def action_previous_pane(self) -> None:
        self._step_pane(-1, around=True)

    @on(Pane.Left)
    def action_left(self) -> None:
        self._step_pane(-1, around=False)

    def action_right(self) -> None:
        self._step_pane(1, around=False)

    async def action_next_tab(self) -> None:
        if (pane := self.tabbed_pane) is not None:
            await pane.step_page(1)

    async def action_previous_tab(self) -> None:
        if (pane := self.tabbed_pane) is not None:
            await pane.step_page(-1)

    def action_full(self) -> None:
        self.full = not self.full

    def action_back(self) -> None:
        """Close, clear the filter, then back."""
        if self.full:
            self.full = False
            return
        focused = self.focused
        # The nearest filter around the focus is cleared first.
        for node in focused.ancestors_with_self if focused else ():
            if isinstance(node, (Listing, ReaderBox)) and node.clear_filter():
                return
        if not self.go_back():
            self._step_pane(-1, around=False)

    def action_yank(self) -> None:
        if (chosen := self.selection()) is not None:
            form = chosen.all_forms()[0]
            self.workbench.copy_in_thread(form.text(), form.name)

    def action_yank_as(self) -> None:
        if (chosen := self.selection()) is None:
            return
        # Keys choose a form directly, as in a menu.
        forms = {form.key: form for form in chosen.all_forms()}
        choices = [MenuChoice(key, form.name, key=key) for key, form in forms.items()]
        chooser = Chooser(f"copy {chosen.title} as", choices)
        chooser.ask(self.app, lambda key: self.workbench.copy_in_thread(forms[key].text(), forms[key].name))

    def action_export(self) -> None:
        self.workbench.choose_export("export this view", self.exports())

    def action_bookmark(self) -> None:
        if (chosen := self.selection()) is not None:
            self.workbench.toggle_bookmark(chosen)

    def show_text(self, title: str, lines: Sequence[str]) -> None:
        """Open a text over the screen, as lines that can be scrolled and filtered."""
        self.app.push_screen(TextScreen(title, lines))

    def action_note(self) -> None:
        if (chosen := self.selection()) is None:
            return
        saved = self.workbench.find_note(chosen.address)
        now = saved.note if saved is not None else ""
        prompt = Prompt(f"note on {chosen.title}:", now, hint="enter saves it, empty removes it")
        prompt.ask(self.app, lambda text: self.workbench.set_note(chosen, text))


class BrowserScreen(WorkbenchScreen):
    """A screen that finds sources (corpora, collections, sets) and shows one of them.

    Its first pane lists what the source contains, and the others show what is selected there. A subclass
    provides `find_sources`, `open_source` and the panes. Panes report by the messages of `Pane`; answers of
    the engine and of threads come as calls of the methods named in the request.
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
        """Return the sources by name; called in a thread."""
        raise NotImplementedError

    def open_source(self, name: str) -> None:
        """Show the source of this name."""
        raise NotImplementedError

    def show_no_source(self) -> None:
        """Show that there is no source."""

    @property
    def first(self) -> ListPane:
        """Return the pane that lists what the source contains."""
        result = self._panes[0]
        assert isinstance(result, ListPane)
        return result

    # Sources

    async def restore(self, state: Mapping[str, object]) -> None:
        """Restore the stored state: the source first, and the lists when the source has been opened."""
        self.session = state
        await super().restore(state)

    def state(self) -> dict[str, object]:
        return {**super().state(), self.SOURCE: self.source}

    def begin(self) -> None:
        self.first.show_loading(f"looking for {self.SOURCES}")
        self.look_for_sources(str(self.session.get(self.SOURCE) or ""))

    def look_for_sources(self, wanted: str) -> None:
        """Find the sources, then show the one named, or else the first."""
        self.in_thread(self.find_sources, self.sources_found, wanted, group="sources")

    def sources_found(self, answer: RequestAnswer) -> None:
        """Take the answer of `find_sources`; its tag is the name of the source to show."""
        if answer.error is not None:
            self.first.show_error(answer.error)
            return
        self.sources = answer.value
        # The source that was shown, as long as it still exists.
        name = answer.tag if answer.tag in self.sources else next(iter(self.sources), "")
        if name:
            self.open_source(name)
        else:
            self.first.show_sources([], "")
            self.first.show_none()
            self.show_no_source()

    def go_to_source(self, name: str) -> bool:
        """Show a source unless it is already shown; return whether it exists."""
        # An address may have the name quoted, since it may contain slashes.
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
        """Return the reason that the cursor cannot step to the next or previous record."""
        return self.first.why_no_step(verb)

    def action_earlier(self) -> None:
        self.first.step_cursor(-1)

    def action_later(self) -> None:
        self.first.step_cursor(1)

    # The engine and jobs

    def slow_request(
        self,
        operation: str,
        then: Callable[[RequestAnswer], object],
        progress: Callable[[RequestProgress], object] | None = None,
        **how: Any,
    ) -> CachedRequest:
        """Return a request whose questions take long; it has an engine process of its own."""
        return CachedRequest(self, operation, then, progress, engine=self.get_slow_engine, **how)

    def get_slow_engine(self) -> EngineProcess:
        """Return the process for slow questions, so that quick ones do not wait behind them; it starts with
        the first question.
        """
        if self._slow_engine is None:
            self._slow_engine = self.workbench.new_engine()
        return self._slow_engine

    def on_unmount(self) -> None:
        if self._slow_engine is not None:
            self._slow_engine.close()

    def submit_job(
        self, recipe: Callable[[], Recipe], does: str, then: Callable[[int], object] = lambda _: None
    ) -> None:
        """Submit a job and report its number.

        Args:
            recipe: makes the job's recipe; called in a thread.
            does: what the job does, for the message `job 12 <does>`.
            then: gets the job's number.
        """

        def submit_recipe() -> int:
            from workbench.jobs import control

            return control.submit_job(self.workbench.workspace, recipe()).id

        # Called in the app's own thread.
        def report_submission(answer: RequestAnswer) -> None:
            if answer.error is not None:
                self.workbench.report(answer.error)
            else:
                self.workbench.say(f"job {answer.value} {does}")
                then(answer.value)

        self.in_thread(submit_recipe, report_submission, group="submit", exclusive=False)


class Sheet(Dialog[None]):
    """A large dialog with a list that can be exported, and a command line that prints the same."""

    DEFAULT_CSS = """
    Sheet > Vertical { width: 130; height: 92%; border-title-color: $foreground; }
    Sheet .figures { height: auto; max-height: 7; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(SHEET_KEYS)

    @property
    def workbench(self) -> AppFrame:
        """Return the application, with its type."""
        return cast("AppFrame", self.app)

    def ask_for(
        self,
        listing: Listing,
        operation: str,
        params: Mapping[str, Any],
        then: Callable[[Any], object],
        waiting: str,
    ) -> None:
        """Ask the engine once, and let a list say that it waits or why there is no answer.

        Args:
            listing: the list.
            operation: the operation's name.
            params: its parameters.
            then: gets the answer.
            waiting: what the list says meanwhile.
        """

        def show_answer(answer: RequestAnswer) -> None:
            if answer.error is not None:
                listing.show_error(answer.error)
            else:
                then(answer.value)

        listing.show_loading(waiting)
        CachedRequest(self, operation, show_answer).ask(params)

    def command_words(self) -> list[str] | None:
        """Return the words of the command line, or None when there is nothing to print."""
        raise NotImplementedError

    def exports(self) -> Sequence[Export]:
        """Return the formats in which the list can be written; none while it is empty."""
        raise NotImplementedError

    def action_yank(self) -> None:
        words = self.command_words()
        if words is not None:
            self.workbench.copy_in_thread(self.workbench.command_line(*words), "command line")

    def action_export(self) -> None:
        if ways := self.exports():
            self.workbench.choose_export("export this list", ways)
        else:
            self.workbench.warn("there is nothing to write yet")

    def action_close(self) -> None:
        # Escape clears a filter first and closes the sheet only then.
        if not any(listing.clear_filter() for listing in self.query(Listing)):
            self.dismiss(None)
