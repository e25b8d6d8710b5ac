"""What every screen of the workbench is made of.

How to write a screen::

    KEYS = scope("egraphs", open="Open the cluster.", yank=("copy", "Copy the member."), stop="Stop growing.")

    class EgraphsScreen(WorkbenchScreen):
        MODE = "egraphs"                      # the name of its line in screens/places.py
        KEYS = KEYS
        BINDINGS = bindings(KEYS)             # each verb calls action_<verb> of this class

        def panes(self):                      # one to three, left to right; the layout follows the terminal
            yield Pane(Listing(COLUMNS, id="clusters"), title="clusters", id="left")
            yield Pane(Page("members", Listing(...), id="members"), Page("e-graph", make=..., id="graph"))
            yield Pane(Static(id="detail"), title="member", id="right")

        def begin(self): ...                  # after the first paint: start loading here, in workers

- Data goes down by attribute (`listing.load`, `pane.title`, `self.crumbs = (...)`), intent comes up by
  message (`Table.Moved`, `Table.Opened`, `Pane.PageShown`), one `@on` method owns each change.
- `why_not(verb)` returns a reason when a verb does not apply now: its key is greyed and `?` gives the reason.
  Call `self.refresh_bindings()` when that may have changed.
- `selection()` says what is selected: address (notes and bookmarks), forms and command line (yank).
  `y`, `Y`, `m`, `M` are then done by this class; `exports()` does the same for `e`.
- `lookups()` gives palette ids (`:cluster 412`), `commands()` palette commands that have no key.
- Anything slow: `self.call(task, params, on_event)` for the engine process (`self.workbench.engine.call` when
  `x` has to stop it gently), `@work(thread=True, exclusive=True, exit_on_error=False)` for short file reading
  (`self.app.call_from_thread` brings the result back). Errors: `self.workbench.report(error)`.
- Text from data goes through `screens.text.safe_text`; never let it be markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.screen import Screen

from engines.core.errors import EngineError
from engines.core.events import Event
from screens.keys import VIEW_KEYS, Key, bindings
from screens.widgets.bars import Header, KeyBar
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Pane

if TYPE_CHECKING:
    from screens.app import Workbench

__all__ = ["Command", "Export", "Form", "Lookup", "Selection", "WorkbenchScreen"]


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a thing is copied: a letter for the menu, a name, and the text when asked for."""

    key: str
    name: str
    text: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected.

    Args: address: where notes and bookmarks are kept (`corpus/sample-e/cluster/412`). title: its name in a
    sentence. command: the command line that prints the same thing without the screen. forms: what it can be
    copied as, the usual form first; the command line is added as `c` unless a form has that letter.
    """

    address: str
    title: str
    command: str
    forms: tuple[Form, ...] = ()

    def all_forms(self) -> tuple[Form, ...]:
        """The forms, with the command line among them."""
        if any(form.key == "c" for form in self.forms):
            return self.forms
        return (*self.forms, Form("c", "command line", lambda: self.command))


@dataclass(frozen=True, slots=True)
class Export:
    """A way to write a view to a file: `write(path)` runs in a thread and writes atomically."""

    key: str
    name: str
    suffix: str
    stem: str
    write: Callable[[Path], object]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A palette id: `:<word> <id>`. `go(id)` shows it and says whether there is such a thing."""

    word: str
    sentence: str
    go: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Command:
    """A palette line that has no key."""

    name: str
    sentence: str
    run: Callable[[], object]
    reason: str = ""


class WorkbenchScreen(Screen[None]):
    """Header, one to three panes, the key bar; see the module's text for how to write one."""

    MODE: ClassVar[str] = ""
    KEYS: ClassVar[tuple[Key, ...]] = ()
    BINDINGS: ClassVar[list[BindingType]] = bindings(VIEW_KEYS)
    DEFAULT_CSS = """
    WorkbenchScreen { background: $background; }
    WorkbenchScreen > #panes { height: 1fr; }
    """

    crumbs: reactive[tuple[str, ...]] = reactive(())
    """The breadcrumb after the screen's title, outermost first."""
    columns: reactive[int] = reactive(0)
    """How many panes stand side by side: 3, 2 or 1."""
    full: reactive[bool] = reactive(False)

    def __init__(self) -> None:
        super().__init__()
        self.built = False
        """Whether the panes are there: until then nothing is asked of the screen."""
        self._active = ""
        self._panes: tuple[Pane, ...] = ()

    # For screens to give

    def panes(self) -> Iterable[Pane]:
        """The panes, left to right."""
        raise NotImplementedError

    def begin(self) -> None:
        """Called once after the first paint."""

    def why_not(self, verb: str) -> str:
        """Why a verb does not apply now; nothing when it does."""
        if verb in ("yank", "yank_as", "bookmark", "note") and self.selection() is None:
            return "nothing is selected"
        if verb == "export" and not self.exports():
            return "there is nothing to export here"
        if verb in ("next_tab", "previous_tab") and self.tabbed_pane is None:
            return "this pane has no tabs"
        return ""

    def selection(self) -> Selection | None:
        """What is selected, for yank, notes and bookmarks."""
        return None

    def exports(self) -> Sequence[Export]:
        """The formats this view can be written in."""
        return ()

    def lookups(self) -> Sequence[Lookup]:
        """Palette ids."""
        return ()

    def commands(self) -> Sequence[Command]:
        """Palette commands without a key."""
        return ()

    def go_back(self) -> bool:
        """One step back inside the screen; whether there was one."""
        return False

    def state(self) -> dict[str, object]:
        """What the session keeps of this screen; extend the dictionary that comes from here."""
        lists = {listing.id or "": listing.state() for listing in self.query(Listing)}
        return {"lists": lists, "pane": self._active}

    async def restore(self, state: Mapping[str, object]) -> None:
        """Put back what `state` gave; unknown or missing parts are left alone."""
        lists = state.get("lists")
        if isinstance(lists, dict):
            for listing in self.query(Listing):
                if isinstance(kept := lists.get(listing.id), dict):
                    await listing.restore(kept)

    # The app

    @property
    def workbench(self) -> Workbench:
        """The app, with workspace, notes, jobs, engine and ways to say things."""
        from screens.app import Workbench

        return cast(Workbench, self.app)

    async def call(
        self, task: str, params: Mapping[str, Any], on_event: Callable[[Event], None] | None = None
    ) -> Any:
        """Run a task in the engine process and return its result; await it in an async worker.

        Cancelling the worker stops the task. Raises: EngineError.
        """
        from workbench.engine_process import Result

        async for item in self.workbench.engine.call(task, dict(params)):
            if isinstance(item, Result):
                return item.value
            if on_event is not None:
                on_event(item)
        raise EngineError("the engine ended without a result", remedy="Try again.", code="E701")

    # Building

    def compose(self) -> ComposeResult:
        yield Header()
        yield Horizontal(id="panes")
        yield KeyBar()

    def on_mount(self) -> None:
        self._name_place()
        # The frame comes first. It is written by a thread, which would have to wait if the panes, which take
        # longer, were made in the same breath.
        self.set_timer(1 / 60, self._build)

    async def _build(self) -> None:
        place = next(iter(self.query("#panes")), None)
        # The app may have been left in the meantime, here and after the panes are put up.
        if place is None or not place.is_attached:
            return
        self._panes = tuple(self.panes())
        self._active = self._panes[0].id or ""
        self._arrange()
        await place.mount(*self._panes)
        if not place.is_attached:
            return
        self.built = True
        self._panes[0].focus_inside()
        self.refresh_bindings()
        if kept := self.workbench.session.screen(self.MODE):
            await self.restore(kept)
        self.begin()

    def watch_crumbs(self) -> None:
        self._name_place()

    def _name_place(self) -> None:
        if not self.is_mounted:
            return
        header = self.query_one(Header)
        header.crumbs = (self.workbench.place_title(self.MODE), *self.crumbs)
        header.workspace = self.workbench.workspace_name
        header.load = self.workbench.load

    def on_screen_resume(self) -> None:
        self._name_place()

    # Layout

    @property
    def active_pane(self) -> Pane | None:
        """The pane that has, or last had, the focus."""
        return next((pane for pane in self._panes if pane.id == self._active), None)

    @property
    def tabbed_pane(self) -> Pane | None:
        """The pane whose tabs can be stepped through: the active one, or the first beside it that has any."""
        panes = (self.active_pane, *(pane for pane in self._panes if pane.display))
        return next((pane for pane in panes if pane is not None and pane.pages), None)

    def on_resize(self, event: events.Resize) -> None:
        self.columns = 3 if event.size.width >= 120 else 2 if event.size.width >= 80 else 1

    def watch_columns(self) -> None:
        self._arrange()

    def watch_full(self) -> None:
        self._arrange()

    def _groups(self) -> list[tuple[Pane, ...]]:
        """Which panes share a place: the right one joins the middle one, then all share one."""
        panes = self._panes
        if self.full or self.columns <= 1:
            return [panes]
        if self.columns == 2 and len(panes) == 3:
            return [panes[:1], panes[1:]]
        return [(pane,) for pane in panes]

    def _arrange(self) -> None:
        if not self._panes:
            return
        for group in self._groups():
            names = tuple(pane.title for pane in group)
            front = next((pane for pane in group if pane.id == self._active), None)
            front = front or next((pane for pane in group if pane.display), group[0])
            for pane in group:
                pane.neighbours = names if len(group) > 1 else ()
                pane.display = pane is front

    @on(events.DescendantFocus)
    def _focused(self, event: events.DescendantFocus) -> None:
        pane = next((node for node in event.widget.ancestors_with_self if isinstance(node, Pane)), None)
        if pane is not None and pane.id != self._active:
            self._active = pane.id or ""
            self._arrange()
        self.refresh_bindings()

    def show_pane(self, name: str) -> None:
        """Bring the pane with this id to the front and give it the focus."""
        self._active = name
        self._arrange()
        pane = self.active_pane
        if pane is not None and not pane.focus_inside():
            self.set_focus(None)
        self.refresh_bindings()

    @on(Pane.NeighbourPicked)
    def _neighbour_picked(self, event: Pane.NeighbourPicked) -> None:
        group = next(group for group in self._groups() if event.pane in group)
        self.show_pane(group[event.index].id or "")

    def _step_pane(self, step: int, around: bool) -> None:
        panes = self._panes
        at = next((i for i, pane in enumerate(panes) if pane.id == self._active), 0) + step
        if around or 0 <= at < len(panes):
            self.show_pane(panes[at % len(panes)].id or "")

    # Verbs that mean the same on every screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Greyed, not hidden: `why_not` knows the reason."""
        return None if self.built and self.why_not(action) else True

    @on(KeyBar.Pressed)
    async def _hint_pressed(self, event: KeyBar.Pressed) -> None:
        for active in self.active_bindings.values():
            if active.binding.action == event.verb and active.enabled:
                await self.app.run_action(event.verb, active.node)
                return

    def action_next_pane(self) -> None:
        self._step_pane(1, around=True)

    def action_previous_pane(self) -> None:
        self._step_pane(-1, around=True)

    def action_left(self) -> None:
        self._step_pane(-1, around=False)

    def action_right(self) -> None:
        self._step_pane(1, around=False)

    async def action_next_tab(self) -> None:
        await self.step_tab(1)

    async def action_previous_tab(self) -> None:
        await self.step_tab(-1)

    async def step_tab(self, by: int) -> None:
        """Show a tab further on, or back."""
        if (pane := self.tabbed_pane) is not None:
            await pane.step_page(by)

    def action_full(self) -> None:
        self.full = not self.full

    def action_back(self) -> None:
        """Close, clear the filter, then back."""
        if self.full:
            self.full = False
            return
        focused = self.focused
        for node in focused.ancestors_with_self if focused else ():
            if isinstance(node, (Listing, ReaderBox)) and node.clear_filter():
                return
        if not self.go_back():
            self._step_pane(-1, around=False)

    def action_yank(self) -> None:
        if (chosen := self.selection()) is not None:
            form = chosen.all_forms()[0]
            self.workbench.copy(form.text(), form.name)

    def action_yank_as(self) -> None:
        from screens.widgets.dialogs import Choice, Chooser

        chosen = self.selection()
        if chosen is None:
            return
        forms = {form.key: form for form in chosen.all_forms()}

        def done(key: str | None) -> None:
            if key is not None:
                self.workbench.copy(forms[key].text(), forms[key].name)

        choices = [Choice(form.key, form.name, key=form.key) for form in forms.values()]
        self.app.push_screen(Chooser(f"copy {chosen.title} as", choices), done)

    def action_export(self) -> None:
        from screens.widgets.dialogs import Choice, Chooser

        ways = {way.key: way for way in self.exports()}

        def ask(key: str | None) -> None:
            if key is not None:
                self.workbench.ask_and_write(ways[key])

        choices = [Choice(way.key, way.name, f"{way.stem}{way.suffix}", key=way.key) for way in ways.values()]
        self.app.push_screen(Chooser("export this view", choices), ask)

    def action_bookmark(self) -> None:
        if (chosen := self.selection()) is not None:
            self.workbench.toggle_bookmark(chosen.address, chosen.title)

    def action_note(self) -> None:
        from screens.widgets.dialogs import Prompt

        chosen = self.selection()
        if chosen is None:
            return

        def write(text: str | None) -> None:
            if text is not None:
                self.workbench.set_note(chosen.address, chosen.title, text)

        now = self.workbench.note(chosen.address)
        self.app.push_screen(
            Prompt(f"note on {chosen.title}:", now, hint="⏎ keeps it, empty removes it"), write
        )
