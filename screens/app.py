"""The app: the frame that all screens share, and `run`, which starts it."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.actions import ActionParseResult
from textual.app import App, SuspendNotSupported
from textual.binding import BindingType
from textual.dom import DOMNode

from screens.keys import list_scopes
from screens.registry import SCREEN_KEYS, SCREENS, ScreenEntry
from screens.shell.bars import FAILED, RUNS, Header, KeyBar, Load
from screens.shell.export import Command, Export, PaletteStep
from screens.shell.frame import AppFrame
from screens.shell.keymap import APP_KEYS, bindings, remap_keys
from screens.shell.navigation import JumpScreen, Navigation, list_targets
from screens.shell.palette import (
    Reach,
    choose_line,
    destination_lines,
    elsewhere_lines,
    gather_destinations,
    help_lines,
    lookup_lines,
    palette_lines,
)
from screens.shell.screen import WorkbenchScreen, why_greyed
from screens.shell.session import Session
from screens.shell.terminal import (
    NONE,
    Garbage,
    Graphics,
    KeyFlow,
    Typed,
    ask_terminal,
    end_with_terminal,
    ended_by_exception,
    give_back,
    stop_as_job,
    with_sixels,
)
from screens.shell.theme import THEMES, Ascii, format_quantity
from screens.shell.watch import JobWatch
from screens.widgets.dialogs import Confirm, MenuChoice
from screens.widgets.table import Table
from workbench.config import is_remote, own_config
from workbench.errors import explain, one_line
from workbench.folders import state_dir
from workbench.paper import added_papers
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen

    from screens.shell.cards import TooSmall
    from workbench.jobs.job_views import JobView
    from workbench.train import LaunchDraft


_ENDS = (signal.SIGTERM, signal.SIGINT)
"""Signals that ask the program to end."""

_QUIET_S = 15.0
_SELDOM_S = 5.0
"""After so long without a key, and with nothing that runs, what there is is looked at every so often."""
_KEEP_S = 5.0
"""So often the session is written while somebody types."""

LEAST = (60, 16)
"""Below this width and height there is only a card that asks for more room."""


class Workbench(AppFrame):
    """The app: one open workspace with its screens, jobs, keys and session."""

    TITLE = "mathwb"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings(SCREEN_KEYS + APP_KEYS)
    CSS = """
    Toast { padding: 0 1; background: $panel; max-width: 80%; width: auto; }
    ToastRack { margin-bottom: 4; }
    ModalScreen ToastRack { display: none !important; }
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        ascii: bool = False,
        screen: str | None = None,
        watch: JobWatch | None = None,
        launch: LaunchDraft | None = None,
        graphics: Graphics = NONE,
    ) -> None:
        session = Session(state_dir() / "session.json", str(workspace.root))
        names = [entry.name for entry in SCREENS]
        # The command line names a screen, or the session remembers the last one.
        wanted = screen or session.mode
        # The first mode is the default one: no empty screen is built before it.
        self.DEFAULT_MODE = wanted if wanted in names else names[0]  # type: ignore[misc]
        watch = watch or JobWatch(workspace)
        super().__init__(workspace, session, watch, ascii=ascii, launch=launch, graphics=graphics)
        self.crash = ""
        self.ended_by = 0
        """The signal that asked the program to end."""
        self.garbage: Garbage | None = None
        self.destinations: list[Reach] = []
        self._look_failed = ""
        self._refused: tuple[DOMNode, str] | None = None
        self._looking = self._look_again = False
        self._jobs_seen: tuple[JobView, ...] | None = None
        self._card: TooSmall | None = None
        self.navigation = Navigation(self, lambda: self.place)
        self._keys = KeyFlow(
            self,
            super().on_event,
            lambda: len(self.screen_stack) > 1 or self.place is not None,
            self._settle_cursor,
        )
        # To tell a held key from another one: see `_settle_cursor`.
        self._last_key = ""
        self._typed_at = self._ticked_at = self._kept_at = time.monotonic()
        # The filter replaces characters after everything is drawn, so no widget has to know of it.
        if ascii:
            self._filters.append(Ascii())
        for entry in SCREENS:
            self.add_mode(entry.name, partial(_make_screen, entry))
        for theme in THEMES:
            self.register_theme(theme)
        named = own_config().get("theme")
        chosen = f"mathwb-{named}" if named else session.theme
        ours = [theme.name for theme in THEMES]
        # Before the first style is computed, or all would be computed twice.
        self.set_reactive(App.theme, chosen if chosen in ours else ours[0])

    # Start and end

    def on_mount(self) -> None:
        # Every frame of an animation would travel over the connection.
        if is_remote():
            self.animation_level = "none"
        if report := self.session.take_crash():
            self.warn("mathwb ended unexpectedly last time; your last view is open again", remedy=report)
        self.set_interval(1.0, self._look_around)
        self.set_interval(_KEEP_S, self._keep_session_if_used)
        self.set_timer(0.1, self._start_deferred_work)
        # Later than the first screens, because it reads every source of the workspace.
        self.set_timer(2.0, self._gather_destinations)
        # Tests have no terminal and keep their own signal handlers.
        if not self.is_headless:
            for number in _ENDS:
                asyncio.get_running_loop().add_signal_handler(number, self._end_by, number)
        # What was typed while the terminal was asked goes into the program now.
        if self.graphics.typed and self._driver is not None:
            give_back(self.graphics.typed, self._driver)

    def _start_deferred_work(self) -> None:
        """What can wait until something is on the screen."""
        self.look_now()
        self.look_into_trash()
        for problem in (*self.config.problems, *self.workspace.notes.problems[:3], *added_papers()[1]):
            self.report(problem)
        if self.config.keymap:
            known = [key for _, keys in list_scopes() for key in keys]
            self.set_keymap(remap_keys(self.config.keymap, known, self.report))

    @property
    def place(self) -> WorkbenchScreen | None:
        """The screen under all dialogs, once it is there."""
        stack = self.screen_stack
        return stack[0] if stack and isinstance(stack[0], WorkbenchScreen) and stack[0].built else None

    def _list_built_screens(self) -> list[WorkbenchScreen]:
        # The current mode comes first, so that its screen is asked first, for example for lookups.
        stacks = sorted(self._screen_stacks.items(), key=lambda item: item[0] != self.current_mode)
        roots = [stack[0] for _, stack in stacks if stack]
        return [root for root in roots if isinstance(root, WorkbenchScreen) and root.built]

    def _keep_session_if_used(self) -> None:
        """Every few seconds; seldom while nobody does anything, because then nearly nothing changes."""
        now = time.monotonic()
        if now - self._typed_at <= _QUIET_S or now - self._kept_at >= _QUIET_S:
            self._keep_session()

    def _keep_session(self) -> None:
        self._kept_at = time.monotonic()
        # The state is collected in the app's own thread, since a thread must not read widgets.
        screens = {screen.MODE: screen.state() for screen in self._list_built_screens()}
        self.session.remember_screens(mode=self.current_mode, screens=screens)
        self._save_session()

    @work(thread=True, exclusive=True, group="session", exit_on_error=False)
    def _save_session(self) -> None:
        self.session.save()

    def _end_by(self, number: int) -> None:
        """A signal asks the program to end."""
        self.ended_by = number
        self.exit_now()

    def action_suspend(self) -> None:
        try:
            with self.suspend():
                stop_as_job(sys.__stdin__.fileno())  # type: ignore[union-attr]  # there is a terminal
        except SuspendNotSupported:
            self.warn("there is no shell here to go back to", remedy="q quits.")

    def exit_now(self) -> None:
        """Save the session, close the engine, and exit."""
        self._keep_session()
        # Here without a thread: the process ends right after it.
        self.session.save()
        # `cached_property` stores its value under its name, so this asks whether an engine was ever started.
        if "engine" in self.__dict__:
            self.engine.close()
        self.exit()

    async def action_quit(self) -> None:
        lost = [words for screen in self._list_built_screens() if (words := screen.describe_unsaved())]
        # Screens say what would be lost; without a loss there is no question.
        if not lost:
            self.exit_now()
            return
        if not isinstance(self.screen, Confirm):
            question = Confirm("quit anyway?", "\n".join(lost))
            question.ask(self, lambda sure: self.exit_now() if sure else None)

    def _fatal_error(self) -> None:
        """Leave no stack trace on the terminal: a file has it, and one line says where."""
        # Textual would print the trace over the restored terminal.
        error = self._exception or RuntimeError("unknown")
        self.crash = one_line(explain(error))
        self.session.remember_crash(self.crash)
        self.session.save()
        self._close_messages_no_wait()

    # Keys

    async def on_event(self, event: events.Event) -> None:
        # Everything that is not typed passes unchanged.
        if not isinstance(event, Typed):
            await super().on_event(event)
        elif not event.is_forwarded:
            self._typed_at = time.monotonic()
            if self.garbage is not None:
                self.garbage.note_key()
            if self.place is not None:
                self.place.query_one(KeyBar).said = ""
            # A new key comes from the terminal: it waits for its turn.
            await self._keys.put_key(event)
        # A key that no widget took comes back here on its way up.
        elif self._keys.came_back(event):
            self._refused = None
            await super().on_event(event)
            if self._refused is not None and self.place is not None:
                node, verb = self._refused
                # No binding was allowed: say why the nearest one is greyed.
                self.place.show_refusal(verb, why_greyed(node, verb))

    def _settle_cursor(self, event: events.Event) -> bool:
        """Settle the cursor when a key other than the one that was held arrives; return whether it moved."""
        key = getattr(event, "key", "")
        again, self._last_key = key == self._last_key, key
        return not again and isinstance(self.focused, Table) and self.focused.settle_cursor()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Remember what was greyed, unless the same key has a meaning further up."""
        # A bound action is asked from the focused widget upwards; the first refusal is the one to explain.
        done = await super().run_action(action, default_namespace, namespaces)
        if done:
            self._refused = None
        elif (
            self._refused is None
            and isinstance(action, str)
            and default_namespace is not None
            and default_namespace.check_action(action, ()) is None
        ):
            self._refused = default_namespace, action
        return done

    # Screens

    def action_go(self, name: str) -> None:
        self.switch_mode(name)

    def go_along(self, mode: str, steps: Sequence[PaletteStep]) -> None:
        """Go to a screen and follow the lookups there, one after the other."""
        self.navigation.go_along(mode, steps)

    def on_resize(self, event: events.Resize) -> None:
        # A card covers everything while the terminal is too small to lay anything out.
        small = event.size.width < LEAST[0] or event.size.height < LEAST[1]
        if small and self._card is None:
            from screens.shell.cards import TooSmall

            self._card = TooSmall(*LEAST)
            self.push_screen(self._card)
        elif not small and self._card is not None and self._card is self.screen:
            self._card.dismiss(None)
            self._card = None

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        # Pictures go to the terminal with the cells that they stand on.
        if "sixels" in self.__dict__ and len(self.sixels) and renderable is not None:
            renderable = with_sixels(renderable, self.sixels)
        super()._display(screen, renderable)

    # What runs

    def look_now(self) -> None:
        """Read the jobs without waiting for the next second, again if they are being read now."""
        self._look_again = self._looking
        self._start_look()

    def _look_around(self) -> None:
        """Once a second; seldom while nobody types and nothing runs."""
        now = time.monotonic()
        quiet = now - self._typed_at > _QUIET_S and not self.load.jobs
        if not quiet or now - self._ticked_at >= _SELDOM_S:
            self._start_look()

    def _start_look(self) -> None:
        self._ticked_at = time.monotonic()
        if self.garbage is not None:
            self.garbage.collect_when_quiet()
        # A look that takes long, on a crowded machine, is not given up for the next one.
        if not self._looking:
            self._looking = True
            self._look_in_thread()

    @work(thread=True, group="look", exit_on_error=False)
    def _look_in_thread(self) -> None:
        try:
            load = self.watch_jobs.read_jobs()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is reported, and the next look comes
            self.call_from_thread(self._finish_look, error)
        else:
            self.call_from_thread(self._finish_look, None)
            self.call_from_thread(self._show_load, load)

    def _finish_look(self, error: BaseException | None) -> None:
        self._looking = False
        failed = "" if error is None else str(error)
        # Once: the next look, a second later, would say the same.
        if error is not None and failed != self._look_failed:
            self.report(error)
        self._look_failed = failed
        if self._look_again:
            self._look_again = False
            self._start_look()

    def _show_load(self, load: Load) -> None:
        self.load = load
        # The watcher returns the same tuple while nothing has changed, so comparing identities suffices.
        if self._jobs_seen is not self.jobs:
            self._jobs_seen, first = self.jobs, self._jobs_seen is None
            if ended := self.session.newly_ended(self.jobs):
                self.tell_ends(ended, away=first)
        # Whoever looks at the Jobs screen has seen what went wrong.
        if self.current_mode == "jobs":
            self.went_wrong = False
        # Jobs that went wrong are said until the Jobs screen is open.
        badges = {
            screen.MODE: RUNS
            for screen in self._list_built_screens()
            if screen.MODE != "jobs" and screen.busy
        }
        if load.badge or self.went_wrong:
            badges["jobs"] = FAILED if self.went_wrong else (load.badge, RUNS[1])
        self.badges = badges
        # The header of the screen below all dialogs, since dialogs have none.
        for header in self.screen_stack[0].query(Header):
            header.load, header.badges = load, self.badges
        if self.place is not None:
            self.place.post_message(JobWatch.Looked(self.jobs))

    # Everywhere

    def _choose_theme(self, name: str) -> None:
        """Show these colours, also next time; those that a setting names are not remembered."""
        self.theme = self.session.theme = name

    def list_commands(self) -> list[Command]:
        """Return the app's own commands for the palette."""
        themes = []
        for theme in THEMES:
            name, use = theme.name.removeprefix("mathwb-"), partial(self._choose_theme, theme.name)
            themes.append(Command(f"theme {name}", "colours", use))
        notes = Command("notes and bookmarks", "list them all; enter opens one", self.action_notes)
        way = Export("n", "notes", ".jsonl", "notes", self.workspace.notes.export_notes)
        words = "all notes and bookmarks of this workspace"
        return [*themes, notes, Command("export notes", words, partial(self.ask_and_write, way))]

    def action_palette(self) -> None:
        # Choices are made of what applies on this screen now.
        lines = palette_lines(self, self.screen, self.switch_mode, self.list_commands())
        lines += elsewhere_lines(self.current_mode, self.navigation.go_and_do)
        self._gather_destinations()

        def find_choices(text: str) -> list[MenuChoice]:
            result = destination_lines(self.destinations, self.navigation.go_along, text)
            # What is known by name comes in place of what would merely be looked up.
            known = {line.label.split()[0] for line in result}
            looked = lookup_lines(self._list_built_screens(), self.switch_mode, self.warn, text)
            new = [line for line in looked if line.label.split()[0] not in known]
            return [*new, *result]

        choose_line(self, "commands", lines, more=find_choices)

    @work(thread=True, exclusive=True, group="destinations", exit_on_error=False)
    def _gather_destinations(self) -> None:
        result = gather_destinations(self.workspace)
        self.call_from_thread(setattr, self, "destinations", result)

    def action_notes(self) -> None:
        from screens.shell.cards import NoteList

        NoteList(self.workspace.notes.all_records()).ask(self, self.navigation.go_to_address)

    def action_help(self) -> None:
        choose_line(self, "keys that apply here", help_lines(self, self.screen))

    def action_activity(self) -> None:
        from screens.shell.cards import ActivityScreen

        self.push_screen(ActivityScreen(list(self.activity)))

    def action_jump(self) -> None:
        result = list_targets(self.screen)
        JumpScreen([target.place for target in result]).ask(self, lambda number: result[number].go())


def _make_screen(entry: ScreenEntry) -> WorkbenchScreen:
    try:
        screen: WorkbenchScreen = entry.load_screen()()
    except Exception as error:
        # A fault in a screen of ours is a fault of the program; an added paper, or a package that is missing,
        # is not.
        if not (entry.added or isinstance(error, ImportError)):
            raise
        from screens.shell.cards import MissingScreen

        screen = MissingScreen(entry.name, entry.missing, error)
    screen.title = entry.title
    return screen


@ended_by_exception(_ENDS)
def run(
    workspace: Path | None,
    *,
    ascii: bool = False,
    screen: str | None = None,
    launch: LaunchDraft | None = None,
) -> int:
    """Open the workbench and stay until the user leaves.

    Args:
        workspace: the folder; None takes the configured one.
        ascii: draw with plain ASCII (also MATHWB_ASCII=1).
        screen: the mode to begin with, such as `jobs`.
        launch: what to fill in the form for a new job with.

    Returns:
        The exit code: 0, or 1 after a crash, whose file is named on stderr.

    Raises:
        EngineError: The workspace cannot be opened.
    """
    config = own_config()
    plain = ascii or bool(config.get("ascii"))
    choice = "none" if plain else str(config.get("graphics"))
    # The terminal is asked before Textual takes it over, because answers would be read as keys.
    graphics = ask_terminal(choice, remote=is_remote())
    app = Workbench(Workspace.open(workspace), ascii=plain, screen=screen, launch=launch, graphics=graphics)
    app.garbage = Garbage()
    end_with_terminal()
    app.run()
    if app.ended_by:
        # The code by which shells report a program that a signal has ended.
        return 128 + app.ended_by
    if app.crash:
        sys.stderr.write(app.crash + "\n")
        return 1
    live = sum(view.live for view in app.jobs)
    if live:
        sys.stdout.write(f"{format_quantity(live, 'job keeps', 'jobs keep')} running: mathwb jobs list\n")
    return 0
