"""The app: the frame that all screens share, and `run`, which starts it."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import constants, events, work
from textual.app import App
from textual.binding import BindingType

from engines.core.errors import EngineError
from screens.base import Command, Export, Lookup, WorkbenchScreen
from screens.keyflow import KeyFlow, Typed
from screens.keys import APP_KEYS, LIST_KEYS, TEXT_KEYS, VIEW_KEYS, Key, bindings, remap
from screens.looks import THEMES, Ascii
from screens.places import PLACE_KEYS, PLACES, Place
from screens.remote import is_remote
from screens.session import Session
from screens.speaking import Speaking
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
    from workbench.recipes import Recipe

__all__ = ["Workbench", "run"]

LEAST = (60, 16)
"""Below this width and height there is only a card that asks for more room."""


class Workbench(Speaking):
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
        launch: Recipe | None = None,
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
        self.launch = launch
        """The recipe that the Jobs screen opens its form with, once."""
        self.crash = ""
        self.load = Load()
        self.activity: deque[Entry] = deque(maxlen=500)
        self.watch_jobs = watch or JobWatch(workspace)
        configured = str(self.config.get("workspace"))
        self._usual_workspace = Path(configured) if configured else paths.default_workspace()
        self._engine: EngineProcess | None = None
        self._look_failed = ""
        self._looking = self._look_again = False
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
        self.set_interval(1.0, self._tick)
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

    def action_arqmath(self) -> None:
        self.go("arqmath")

    def on_resize(self, event: events.Resize) -> None:
        small = event.size.width < LEAST[0] or event.size.height < LEAST[1]
        if small and self._card is None:
            from screens.toosmall import TooSmall

            self._card = TooSmall(*LEAST)
            self.push_screen(self._card)
        elif not small and self._card is not None and self._card is self.screen:
            self._card.dismiss(None)
            self._card = None

    # What runs

    @property
    def jobs(self) -> tuple[JobView, ...]:
        """All jobs as of the last look, newest first."""
        return self.watch_jobs.jobs

    def look_now(self) -> None:
        """Look at the jobs without waiting for the next second; once more if a look is under way."""
        self._look_again = self._looking
        self._tick()

    def _tick(self) -> None:
        # A look that takes long, on a crowded machine, is not given up for the next one.
        if not self._looking:
            self._looking = True
            self._look()

    @work(thread=True, group="look", exit_on_error=False)
    def _look(self) -> None:
        try:
            load, news = self.watch_jobs.look()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is reported, and the next look comes
            self.call_from_thread(self._looked, error)
        else:
            self.call_from_thread(self._looked, None)
            self.call_from_thread(self._seen, load, news)

    def _looked(self, error: BaseException | None) -> None:
        self._looking = False
        failed = "" if error is None else str(error)
        # Once: the next look, a second later, would say the same.
        if error is not None and failed != self._look_failed:
            self.report(error)
        self._look_failed = failed
        if self._look_again:
            self._look_again = False
            self._tick()

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


def run(
    workspace: Path | None, *, ascii: bool = False, screen: str | None = None, launch: Recipe | None = None
) -> int:
    """Open the workbench and stay until the user leaves.

    Args: workspace: the folder; None takes the configured one. ascii: draw with plain ASCII (also
    MATHWB_ASCII=1). screen: the mode to begin with, such as `jobs`. launch: a recipe to fill in the form for
    a new job with. Returns: the exit code: 0, or 1 after a crash, whose file is named on stderr.
    Raises: EngineError when the workspace cannot be opened.
    """
    config = load_config()
    fps = config.get("fps") or (15 if is_remote() else 0)
    if isinstance(fps, int) and fps and "TEXTUAL_FPS" not in os.environ:
        _set_frame_rate(fps)
    plain = ascii or bool(config.get("ascii"))
    app = Workbench(Workspace.open(workspace), ascii=plain, screen=screen, launch=launch)
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
