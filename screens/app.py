"""The app: the frame that all screens share, and `run`, which starts it."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import constants, events, work
from textual.app import App, SuspendNotSupported
from textual.binding import BindingType

from engines.core.errors import EngineError
from screens.base import Command, Export, Lookup, WorkbenchScreen
from screens.keyflow import KeyFlow, Typed
from screens.keys import APP_KEYS, LIST_KEYS, TEXT_KEYS, VIEW_KEYS, Key, bindings, remap
from screens.looks import THEMES, Ascii
from screens.places import PLACE_KEYS, PLACES, Place
from screens.remote import is_remote
from screens.session import Session
from screens.text import safe_text
from screens.watch import JobWatch
from screens.widgets.bars import Header, Load
from workbench import paths
from workbench.config import load_config
from workbench.errors import explain, one_line
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from screens.activity import Entry
    from screens.palette import Line
    from screens.toosmall import TooSmall
    from screens.widgets.dialogs import Choice
    from workbench.engine_process import EngineProcess
    from workbench.jobs.view import JobView

__all__ = ["Workbench", "run"]

Severity = Literal["information", "warning", "error"]

LEAST = (60, 16)
"""Below this width and height there is only a card that asks for more room."""


class Workbench(App[None]):
    """The workbench over one workspace.

    Screens find here: `workspace`, `engine` (the warm child), `jobs`, `session`, `ascii`; and ways to speak:
    `say`, `warn`, `report`, `copy`.
    """

    TITLE = "mathwb"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings(PLACE_KEYS + APP_KEYS)
    CSS = """
    Toast { padding: 0 1; background: $panel; max-width: 80%; width: auto; }
    ToastRack { margin-bottom: 1; }
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        ascii: bool = False,
        screen: str | None = None,
        watch: JobWatch | None = None,
    ) -> None:
        self.session = Session(paths.state_dir() / "session.json", str(workspace.root))
        self.config = load_config()
        modes = [place.mode for place in PLACES]
        wanted = screen or self.session.mode
        # The first mode is the default one: no empty screen is built before it.
        self.DEFAULT_MODE = wanted if wanted in modes else modes[0]  # type: ignore[misc]
        super().__init__()
        self.workspace = workspace
        self.ascii = ascii
        self.crash = ""
        self.load = Load()
        self.activity: deque[Entry] = deque(maxlen=500)
        self.watch_jobs = watch or JobWatch(workspace)
        configured = str(self.config.get("workspace"))
        self._usual_workspace = Path(configured) if configured else paths.default_workspace()
        self._engine: EngineProcess | None = None
        self._look_failed = ""
        self._card: TooSmall | None = None
        self._keys = KeyFlow(self, super().on_event, self._takes_keys)
        if ascii:
            self._filters.append(Ascii())
        for place in PLACES:
            self.add_mode(place.mode, partial(_make, place))

        # Start and end

        for theme in THEMES:
            self.register_theme(theme)
        chosen = str(self.config.get("theme")) or self.session.theme
        # Before the first style is computed, or all would be computed twice.
        self.set_reactive(App.theme, chosen if chosen in self.available_themes else THEMES[0].name)

    def on_mount(self) -> None:
        if is_remote():
            self.animation_level = "none"
        for problem in self.config.problems:
            self.report(problem)
        if report := self.session.take_crash():
            self.warn("mathwb ended unexpectedly last time; what was open is open again", remedy=report)
        self.set_interval(1.0, self.look_now)
        self.set_interval(5.0, self._keep_session)
        self.set_timer(0.1, self._begin)

    def _begin(self) -> None:
        """What can wait until something is on the screen."""
        self.look_now()
        if self.config.keymap:
            try:
                self.set_keymap(remap(self.config.keymap, self._all_keys()))
            except EngineError as error:
                self.report(error)

    def _all_keys(self) -> list[Key]:
        screens = [key for place in PLACES for key in place.load().KEYS]
        return [*PLACE_KEYS, *APP_KEYS, *VIEW_KEYS, *LIST_KEYS, *TEXT_KEYS, *screens]

    @property
    def place(self) -> WorkbenchScreen | None:
        """The screen under all dialogs, once it is there."""
        stack = self.screen_stack
        return stack[0] if stack and isinstance(stack[0], WorkbenchScreen) and stack[0].built else None

    @property
    def workspace_name(self) -> str:
        """As the header shows it."""
        return self.workspace.name

    def place_title(self, mode: str) -> str:
        """The title of a screen."""
        return next((place.title for place in PLACES if place.mode == mode), mode)

    @cached_property
    def engine(self) -> EngineProcess:
        """The engine process; starts with the first call."""
        from workbench.engine_process import EngineProcess

        self._engine = EngineProcess()
        return self._engine

    def _keep_session(self) -> None:
        screens = {
            stack[0].MODE: stack[0].state()
            for stack in self._screen_stacks.values()
            if stack and isinstance(stack[0], WorkbenchScreen) and stack[0].built
        }
        self.session.keep(mode=self.current_mode, theme=self.theme, screens=screens)
        self._save_session()

    @work(thread=True, exclusive=True, group="session", exit_on_error=False)
    def _save_session(self) -> None:
        self.session.save()

    def exit_now(self) -> None:
        """Leave; jobs go on."""
        self._keep_session()
        self.session.save()
        if self._engine is not None:
            self._engine.close()
        self.exit()

    async def action_quit(self) -> None:
        self.exit_now()

    def _fatal_error(self) -> None:
        """Leave no stack trace on the terminal: a file has it, and one line says where."""
        error = self._exception or RuntimeError("unknown")
        self.crash = one_line(explain(error))
        self.session.crashed(self.crash)
        self.session.save()
        self._close_messages_no_wait()

    # Keys

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, Typed):
            await super().on_event(event)
        elif not event.is_forwarded:
            await self._keys.put(event)
        elif self._keys.came_back(event):
            await super().on_event(event)

    def _takes_keys(self) -> bool:
        return len(self.screen_stack) > 1 or self.place is not None

    # Going places

    def go(self, mode: str) -> None:
        """Show a screen."""
        self.switch_mode(mode)

    def action_egraphs(self) -> None:
        self.go("egraphs")

    def action_jobs(self) -> None:
        self.go("jobs")

    def on_resize(self, event: events.Resize) -> None:
        small = event.size.width < LEAST[0] or event.size.height < LEAST[1]
        if small and self._card is None:
            from screens.toosmall import TooSmall

            self._card = TooSmall(*LEAST)
            self.push_screen(self._card)
        elif not small and self._card is not None and self._card is self.screen:
            self._card.dismiss(None)
            self._card = None

    # Speaking

    def say(self, text: str) -> None:
        """Something went well."""
        self._record("information", text)

    def warn(self, text: str, *, remedy: str = "") -> None:
        """Something to look at."""
        self._record("warning", text, remedy=remedy)

    def report(self, error: BaseException) -> None:
        """Something failed: a toast now, and a line in the activity log with its code and remedy."""
        known = explain(error)
        place = f"{known.where}: " if known.where else ""
        self._record("error", place + known.what, code=known.code, remedy=known.remedy)

    def _record(self, severity: Severity, text: str, *, code: str = "", remedy: str = "") -> None:
        from screens.activity import Entry

        self.activity.append(Entry(time.time(), severity, text, code, remedy))
        shown = safe_text(" ".join(part for part in (code, text, remedy) if part)).plain
        seconds = 3 if severity == "information" else 8
        self.notify(shown, severity=severity, timeout=seconds, markup=False)

    def copy(self, text: str, what: str) -> None:
        """Copy a text, in a thread, and say by which way."""
        from screens.clipboard import copy

        def work_() -> None:
            try:
                way = copy(
                    text,
                    osc52=lambda content: self.call_from_thread(self.copy_to_clipboard, content),
                    fallback=self.workspace.root / "clipboard.txt",
                )
            except (EngineError, OSError) as error:
                self.call_from_thread(self.report, error)
            else:
                self.call_from_thread(self.say, f"{what} copied {way}")

        self.run_worker(work_, thread=True, group="copy", exit_on_error=False)

    def ask_and_write(self, way: Export) -> None:
        """Ask where, then write the export in a thread."""
        from screens.widgets.dialogs import Prompt

        start = self.workspace.root / "exports" / f"{way.stem}{way.suffix}"

        def check(text: str) -> str:
            if not text.strip():
                return "write a file name"
            return "" if Path(text).suffix == way.suffix else f"the name has to end in {way.suffix}"

        def write(text: str | None) -> None:
            if text is not None:
                self._write(way, Path(text).expanduser())

        hint = "⏎ writes it, esc leaves it"
        self.push_screen(Prompt(f"write {way.name} to", str(start), hint=hint, check=check), write)

    @work(thread=True, group="export", exit_on_error=False)
    def _write(self, way: Export, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            way.write(path)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is reported
            self.call_from_thread(self.report, error)
        else:
            self.call_from_thread(self.say, f"{way.name} written to {path}")

    def command_line(self, *words: str) -> str:
        """A command as one types it in a shell; it names the workspace unless it is the usual one."""
        import shlex

        line = shlex.join(["mathwb", *words])
        if self.workspace.root == self._usual_workspace:
            return line
        return f"MATHWB_WORKSPACE={shlex.quote(str(self.workspace.root))} {line}"

    def open_file(self, path: Path) -> None:
        """Show a file in $PAGER (or $EDITOR, or less) and come back."""
        import shlex
        import subprocess

        program = os.environ.get("PAGER") or os.environ.get("EDITOR") or "less"
        try:
            with self.suspend():
                subprocess.run([*shlex.split(program), str(path)], check=False)
        except SuspendNotSupported:
            self.warn("this terminal cannot be handed over", remedy=f"Open it elsewhere: {path}")
        except OSError as error:
            self.warn(
                f"{program} cannot be started: {error.strerror}", remedy="Set PAGER to a program you have."
            )

    # Notes

    def note(self, address: str) -> str:
        """The note on something, or nothing."""
        found = self.workspace.notes.get(address)
        return found.note if found else ""

    def set_note(self, address: str, title: str, text: str) -> None:
        """Keep a note, or remove it when it is empty."""
        try:
            self.workspace.notes.set_note(address, text)
        except EngineError as error:
            self.report(error)
        else:
            self.say(f"note on {title} {'kept' if text.strip() else 'removed'}")

    def toggle_bookmark(self, address: str, title: str) -> None:
        """Set or remove a bookmark."""
        try:
            now = self.workspace.notes.toggle_bookmark(address)
        except EngineError as error:
            self.report(error)
        else:
            self.say(f"{title} {'bookmarked' if now else 'is no longer bookmarked'}")

    # What runs

    @property
    def jobs(self) -> tuple[JobView, ...]:
        """All jobs as of the last look, newest first."""
        return self.watch_jobs.jobs

    @work(thread=True, exclusive=True, group="look", exit_on_error=False)
    def look_now(self) -> None:
        """Look at the jobs without waiting for the next second."""
        try:
            load, news = self.watch_jobs.look()
        except (EngineError, OSError) as error:
            # Once: the next look, a second later, would say the same.
            if str(error) != self._look_failed:
                self._look_failed = str(error)
                self.call_from_thread(self.report, error)
        else:
            self._look_failed = ""
            self.call_from_thread(self._seen, load, news)

    def _seen(self, load: Load, news: str) -> None:
        self.load = load
        if news:
            self.say(news)
        for header in self.screen_stack[0].query(Header):
            header.load = load
        if self.place is not None:
            self.place.post_message(JobWatch.Looked(self.jobs))

    # Everywhere

    def all_lookups(self) -> list[tuple[str, Lookup]]:
        """Palette ids of every screen that has been opened, the present one first."""
        stacks = sorted(self._screen_stacks.items(), key=lambda item: item[0] != self.current_mode)
        return [
            (mode, lookup)
            for mode, stack in stacks
            if stack and isinstance(stack[0], WorkbenchScreen) and stack[0].built
            for lookup in stack[0].lookups()
        ]

    def look_up(self, mode: str, word: str, wanted: str) -> None:
        """Go to a thing by its id."""
        lookup = next(lookup for m, lookup in self.all_lookups() if (m, lookup.word) == (mode, word))
        self.go(mode)
        if not lookup.go(wanted):
            self.warn(f"there is no {word} {wanted}")

    def commands(self) -> list[Command]:
        """Palette commands of the app."""
        themes = [
            Command(f"theme {theme.name.removeprefix('mathwb-')}", "colours", self._setting_theme(theme.name))
            for theme in THEMES
        ]
        notes = Command("export notes", "all notes and bookmarks of this workspace", self._export_notes)
        return [*themes, notes]

    def _setting_theme(self, name: str) -> Callable[[], object]:
        return lambda: setattr(self, "theme", name)

    def _export_notes(self) -> None:
        self.ask_and_write(Export("n", "notes", ".jsonl", "notes", self.workspace.notes.export))

    def _choose(self, title: str, lines: Iterable[Line], *, palette: bool) -> None:
        from screens.palette import lookup_lines
        from screens.widgets.dialogs import Chooser

        known = {line.choice.name: line for line in lines}

        def more(text: str) -> list[Choice]:
            extra = lookup_lines(self, text)
            known.update({line.choice.name: line for line in extra})
            return [line.choice for line in extra]

        def done(name: str | None) -> None:
            if name is not None:
                known[name].run()

        choices = [line.choice for line in known.values()]
        self.push_screen(Chooser(title, choices, typed=True, more=more if palette else None), done)

    def action_palette(self) -> None:
        from screens.palette import palette_lines

        self._choose("commands", palette_lines(self, self.screen), palette=True)

    def action_help(self) -> None:
        from screens.palette import help_lines

        self._choose("keys that apply here", help_lines(self, self.screen), palette=False)

    def action_activity(self) -> None:
        from screens.activity import ActivityScreen

        self.push_screen(ActivityScreen(list(self.activity)))

    def action_jump(self) -> None:
        from screens.jump import JumpScreen, targets

        found = targets(self.screen)

        async def go(number: int | None) -> None:
            if number is not None:
                await found[number].go()

        self.push_screen(JumpScreen([target.place for target in found]), go)


def _make(place: Place) -> WorkbenchScreen:
    return place.load()()


def run(workspace: Path | None, *, ascii: bool = False, screen: str | None = None) -> int:
    """Open the workbench and stay until the user leaves.

    Args: workspace: the folder; None takes the configured one. ascii: draw with plain ASCII (also
    MATHWB_ASCII=1). screen: the mode to begin with, such as `jobs`. Returns: the exit code: 0, or 1 after a
    crash, whose file is named on stderr. Raises: EngineError when the workspace cannot be opened.
    """
    config = load_config()
    fps = config.get("fps") or (15 if is_remote() else 0)
    if isinstance(fps, int) and fps and "TEXTUAL_FPS" not in os.environ:
        _set_frame_rate(fps)
    app = Workbench(Workspace.open(workspace), ascii=ascii or bool(config.get("ascii")), screen=screen)
    app.run()
    if app.crash:
        sys.stderr.write(app.crash + "\n")
        return 1
    live = sum(view.live for view in app.jobs)
    if live:
        words = "1 job keeps" if live == 1 else f"{live} jobs keep"
        sys.stdout.write(f"{words} running: mathwb jobs list\n")
    return 0


def _set_frame_rate(fps: int) -> None:
    import textual.screen

    constants.MAX_FPS = fps  # type: ignore[misc]
    textual.screen.UPDATE_PERIOD = 1 / fps  # type: ignore[misc]
