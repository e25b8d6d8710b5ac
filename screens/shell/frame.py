"""The app as its screens know it: workspace, engine, jobs, and ways to notify, copy, export and note."""

from __future__ import annotations

import os
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual import on, work
from textual.app import App, SuspendNotSupported
from textual.message import Message
from textual.screen import ModalScreen

from engines.core.errors import EngineError
from screens.shell.bars import Badge, Load
from screens.shell.clipboard import copy_text
from screens.shell.export import Export, PaletteStep, PaneSelection, find_unused_path
from screens.shell.session import Session
from screens.shell.terminal import NONE, Graphics, Sixels
from screens.shell.theme import format_quantity, safe_text
from screens.shell.undo import UndoHistory
from screens.shell.watch import JobWatch
from screens.widgets.dialogs import Chooser, Confirm, MenuChoice, Prompt
from screens.widgets.listing import Failed, Listing
from workbench.config import Config, load_config, own_config
from workbench.errors import explain
from workbench.folders import default_workspace, state_dir
from workbench.tables import format_duration
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from workbench.engine_process import EngineProcess
    from workbench.jobs.job_views import JobView
    from workbench.notes import UserNote
    from workbench.train import LaunchDraft
    from workbench.trash import TrashItem


Severity = Literal["information", "warning", "error"]


_SEVERITIES: dict[str, Severity] = {"failed": "error", "lost": "error", "stopped": "warning"}
"""How bad the end of a job is; what is not named went well."""
_WRONG = ("failed", "lost")
_NAMED = 4
"""So many of the jobs that ended are named in one toast."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A line of the activity log; `time` in Unix seconds."""

    time: float
    severity: Severity
    text: str
    code: str = ""
    remedy: str = ""


class AppFrame(App[None]):
    """The app with one open workspace; screens reach it as `self.workbench`, and panes do not know it.

    It can `say`, `warn` and `report`; `activity` keeps the last 500 of these messages, oldest first.
    """

    @dataclass
    class Restored(Message):
        """Something was restored from the trash; sent to the open screen."""

        item: TrashItem

    def __init__(
        self,
        workspace: Workspace,
        session: Session,
        watch: JobWatch,
        *,
        ascii: bool = False,
        launch: LaunchDraft | None = None,
        graphics: Graphics = NONE,
    ) -> None:
        super().__init__()
        self.activity: deque[LogEntry] = deque(maxlen=500)
        self.workspace = workspace
        self.session = session
        self.watch_jobs = watch
        self.ascii = ascii
        self.graphics = graphics
        self.launch = launch
        """What the Jobs screen fills in its form with, once."""
        self.load = Load()
        self.badges: Mapping[str, Badge] = {}
        self.went_wrong = False
        """Whether jobs failed since the Jobs screen was open."""
        self._held: list[tuple[str, Severity, int]] = []
        self.undo_history = UndoHistory(self.restore_item)
        configured = str(own_config().get("workspace"))
        self._usual_workspace = Path(configured) if configured else default_workspace()

    @cached_property
    def config(self) -> Config:
        """Return the user's settings."""
        return load_config()

    @cached_property
    def sixels(self) -> Sixels:
        """Return the sixel pictures that are on the screen."""
        return Sixels()

    @cached_property
    def engine(self) -> EngineProcess:
        """Return the engine process; it starts with the first call."""
        return self.new_engine()

    def new_engine(self) -> EngineProcess:
        """Return another engine process for long work; the caller closes it."""
        from workbench.engine_process import EngineProcess

        return EngineProcess()

    @property
    def jobs(self) -> tuple[JobView, ...]:
        """All jobs as of the last look, newest first."""
        return self.watch_jobs.jobs

    def look_now(self) -> None:
        """Read the jobs again without waiting for the next second."""
        raise NotImplementedError

    def go_along(self, mode: str, steps: Sequence[PaletteStep]) -> None:
        """Go to a screen and follow the lookups there, one after the other."""
        raise NotImplementedError

    # What can be taken back

    def remember_change(self, what: str, back: Callable[[], object]) -> None:
        """Make a change undoable.

        Args:
            what: what was changed, in words.
            back: reverts the change. `u` reverts the latest change first.
        """
        self.undo_history.remember_change(what, back)

    def remember_deletion(self, what: str, item: TrashItem) -> None:
        """Let `u` restore an item that was moved to the trash, now or after a restart."""
        self.undo_history.remember_deletion(what, item)
        self.look_into_trash()

    def restore_item(self, item: TrashItem) -> None:
        """Restore an item from the trash.

        Raises:
            EngineError: The item cannot be restored.
        """
        self.workspace.trash.restore_item(self.workspace, item)
        self._show_notes()
        # Sent to the lowest screen of the stack, because dialogs show no data.
        self.screen_stack[0].post_message(self.Restored(item))
        self.look_now()
        self.look_into_trash()

    @work(thread=True, exclusive=True, group="trash", exit_on_error=False)
    def look_into_trash(self) -> None:
        """Read in the background what can be restored."""
        self.undo_history.read_trash(self.workspace)

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        # Asked for every repaint of the footer, so it looks at memory alone.
        nothing = verb == "undo" and self.undo_history.is_empty
        return "there is nothing to undo" if nothing else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if self.why_not(action) else super().check_action(action, parameters)

    def action_undo(self) -> None:
        with self.report_errors():
            self.say(self.undo_history.take_back())

    # Notifications

    def say(self, text: str) -> None:
        """Show a message, and add it to the activity log."""
        self._add_entry("information", text)

    def warn(self, text: str, *, remedy: str = "") -> None:
        """Show a warning, and add it to the activity log with a hint."""
        self._add_entry("warning", text, remedy=remedy)

    def report(self, error: BaseException, *, toast: bool = True) -> None:
        """Report an error: a toast now, and a line in the activity log with its code and hint."""
        known = explain(error)
        prefix = f"{known.where}: " if known.where else ""
        self._add_entry("error", prefix + known.what, code=known.code, remedy=known.remedy, toast=toast)

    @on(Failed)
    def _failure_shown(self, event: Failed) -> None:
        self.report(event.error, toast=False)

    @contextmanager
    def report_errors(self) -> Iterator[None]:
        """Report an engine error that is raised in the block, instead of passing it on."""
        try:
            yield
        except EngineError as error:
            self.report(error)

    def tell_ends(self, views: Sequence[JobView], *, away: bool) -> None:
        """Report jobs that have ended: a line in the activity log and a toast for each.

        Those that ended `away`, while nobody looked, share one toast. A sweep is reported instead of its
        runs, except for the first run that fails.
        """
        from workbench.jobs.job_views import notable_endings

        ended = {view.id for view in views}
        # The sign on the Jobs tab stays until that screen is opened.
        self.went_wrong |= any(view.state in _WRONG for view in views)
        # Sweeps of which an earlier failure was reported already.
        wrong = (view.sweep for view in self.jobs if view.id not in ended and view.state in _WRONG)
        notified = notable_endings(views[::-1], wrong)
        for view in notified:
            took = f" after {format_duration(view.wall_s)}" if view.wall_s else ""
            how = [format_quantity(round(view.total or 0), "run")] if view.task == "sweep" else []
            how += [view.reason] if view.reason and view.state != "succeeded" else []
            what = f"job {view.id} {view.title} {view.state}{took}{': ' if how else ''}{', '.join(how)}"
            severity: Severity = _SEVERITIES.get(view.state, "information")
            self._add_entry(severity, what, code=view.code, remedy=view.remedy, toast=not away)
        # One toast names the latest four, and the log has a line for each.
        if away and notified:
            named = [f"{view.id} {view.title} {view.state}" for view in notified[: -_NAMED - 1 : -1]]
            more = [f"{len(notified) - _NAMED} more"] if len(notified) > _NAMED else []
            worst: Severity = (
                "warning" if any(view.state in _SEVERITIES for view in notified) else "information"
            )
            jobs = format_quantity(len(notified), "job")
            text = f"{jobs} ended while you were away: {', '.join([*named, *more])}"
            self._add_entry(worst, text, remedy="@ lists them with their reasons.")

    def _add_entry(
        self, severity: Severity, text: str, *, code: str = "", remedy: str = "", toast: bool = True
    ) -> None:
        # The same message within two seconds is one event, for example when several widgets show one error.
        entry, before = LogEntry(time.time(), severity, text, code, remedy), list(self.activity)[-5:]
        # What is shown in a pane and told too is one failure.
        if not any(replace(entry, time=each.time) == each and entry.time - each.time < 2 for each in before):
            self.activity.append(entry)
        if not toast:
            return
        said = f"{text}. {remedy}" if remedy else text
        shown = safe_text(f"{code} {said}".lstrip()).plain
        # Successes are read at a glance; warnings and errors stay for longer.
        self._held.append((shown, severity, 3 if severity == "information" else 8))
        # A dialog hides toasts, which would be gone when it closes.
        if not isinstance(self.screen, ModalScreen):
            self.show_held()

    def show_held(self) -> None:
        """Show the toasts that were held back while a dialog was in front."""
        held, self._held = self._held, []
        for text, severity, seconds in held:
            self.notify(text, severity=severity, timeout=seconds, markup=False)

    # Copies and files

    def copy_in_thread(self, text: str, what: str) -> None:
        """Copy a text in a thread, and say where it went."""

        # Copying runs programs, which may take seconds, so it does not run in the app's own thread.
        def copy_and_report() -> None:
            try:
                way = copy_text(
                    text,
                    osc52=lambda content: self.call_from_thread(self.copy_to_clipboard, content),
                    file=state_dir() / "clipboard.txt",
                )
            except (EngineError, OSError) as error:
                self.call_from_thread(self.report, error)
            else:
                self.call_from_thread(self.say, f"{what} copied {way}")

        self.run_worker(copy_and_report, thread=True, group="copy", exit_on_error=False)

    def choose_export(self, title: str, ways: Sequence[Export]) -> None:
        """Let the user choose an export and a path, then write it."""
        known = {way.key: way for way in ways}
        # The letter of the export is its key in the menu.
        choices = [MenuChoice(key, way.name, f"{way.stem}{way.suffix}", key) for key, way in known.items()]
        Chooser(title, choices).ask(self, lambda key: self.ask_and_write(known[key]))

    def ask_and_write(self, way: Export) -> None:
        """Ask for a path, then write the export in a thread; ask again before replacing a file."""
        start = find_unused_path(self.workspace.root / "exports" / f"{way.stem}{way.suffix}")

        def check_path(text: str) -> str:
            if not text.strip():
                return "write a file name"
            return "" if Path(text).suffix == way.suffix else f"the name has to end in {way.suffix}"

        def write_to(text: str) -> None:
            path = Path(text).expanduser().absolute()
            # The name was free when the prompt opened, but the user may have typed another one.
            if path.exists():
                question = Confirm("replace this file?", f"{path} is there already.")
                question.ask(self, lambda sure: self._write_export(way, path) if sure else None)
            else:
                self._write_export(way, path)

        hint = "enter writes it, esc cancels"
        prompt = Prompt(f"write {way.name} to", str(start), hint=hint, check=check_path)
        prompt.ask(self, write_to)

    @work(thread=True, group="export", exit_on_error=False)
    def _write_export(self, way: Export, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            way.write(path)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is reported
            self.call_from_thread(self.report, error)
        else:
            self.call_from_thread(self.say, f"{way.name} written to {path}")

    def command_line(self, *words: str) -> str:
        """Return a command as typed in a shell; it names the workspace unless that is the usual one."""
        line = shlex.join(["mathwb", *words])
        if self.workspace.root == self._usual_workspace:
            return line
        return f"MATHWB_WORKSPACE={shlex.quote(str(self.workspace.root))} {line}"

    def open_file(self, path: Path) -> None:
        """Show a file in $PAGER (or $EDITOR, or less) and come back."""
        program = os.environ.get("PAGER") or os.environ.get("EDITOR") or "less"
        self._lend_terminal([*shlex.split(program), str(path)], "PAGER", f"Open it elsewhere: {path}")

    def edit_file(self, path: Path, line: int = 0, otherwise: str = "") -> bool:
        """Open a file in $VISUAL or $EDITOR at a line, and wait for the editor; return whether it ran.

        Args:
            path: the file.
            line: the line.
            otherwise: what can be done where no other program can be run.
        """
        program = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        otherwise = otherwise or f"Open it elsewhere: {path}"
        if not program:
            self.warn("no editor is set", remedy=f"Set EDITOR to a program, such as vi. {otherwise}")
            return False
        return self._lend_terminal([*program, *_at_line(program[0], path, line)], "EDITOR", otherwise)

    def _lend_terminal(self, words: Sequence[str], setting: str, otherwise: str) -> bool:
        """Give the terminal to another program until it ends; whether it could be begun."""
        import subprocess

        try:
            # Textual restores the terminal, lets the other program draw, and then draws everything anew.
            with self.suspend():
                subprocess.run(words, check=False)
        except SuspendNotSupported:
            self.warn("this terminal cannot run another program", remedy=otherwise)
        except OSError as error:
            remedy = f"Set {setting} to an installed program."
            self.warn(f"{words[0]} cannot be started: {error.strerror}", remedy=remedy)
        else:
            return True
        return False

    # Notes

    def find_note(self, address: str) -> UserNote | None:
        """Return the note at an address, or None."""
        return self.workspace.notes.get(address)

    def notes_under(self, home: str) -> Mapping[str, UserNote]:
        """Return the notes whose addresses begin with `home/`, keyed by the rest of the address."""
        return self.workspace.notes.notes_under(home)

    def set_note(self, chosen: PaneSelection, text: str) -> None:
        """Write a note on a selection; an empty text removes it."""
        with self.report_errors():
            before = self._keep_note(chosen, text)
            what, removed = f"the note on {chosen.title}", not text.strip()
            self.say(f"note on {chosen.title} {'removed' if removed else 'saved'}")
            # A removed note is in the trash, which `u` restores; a changed note is written back.
            if removed and before:
                self.remember_deletion(what, self.workspace.trash.find_item(f"note/{chosen.address}"))
            else:
                self.remember_change(what, lambda: self._keep_note(chosen, before))

    def _keep_note(self, chosen: PaneSelection, text: str) -> str:
        """Return the note before."""
        before = self.find_note(chosen.address)
        self.workspace.notes.set_note(chosen.address, text, chosen.noted_as)
        self._show_notes()
        return before.note if before is not None else ""

    def toggle_bookmark(self, chosen: PaneSelection) -> None:
        """Add or remove the bookmark of a selection."""
        with self.report_errors():
            now = self._toggle_bookmark(chosen)
            self.say(f"{chosen.title} {'bookmarked' if now else 'is no longer bookmarked'}")
            self.remember_change(f"the bookmark on {chosen.title}", lambda: self._toggle_bookmark(chosen))

    def _toggle_bookmark(self, chosen: PaneSelection) -> bool:
        now = self.workspace.notes.toggle_bookmark(chosen.address, chosen.noted_as)
        self._show_notes()
        return now

    def _show_notes(self) -> None:
        # Screens of other modes are in memory too, and show the same notes.
        for stack in self._screen_stacks.values():
            for screen in stack:
                for listing in screen.query(Listing):
                    listing.read_notes()
        self.screen.refresh_bindings()


# How editors take a line: `file:12`, or `--goto file:12`, with `--wait` since they return at once.
_WITH_COLON = ("subl", "zed", "hx", "helix", "atom")
_WITH_GOTO = ("code", "code-insiders", "codium", "cursor", "windsurf")


def _at_line(program: str, path: Path, line: int) -> list[str]:
    """Return what an editor is given to open a file at a line; most take `+12 file`."""
    name = Path(program).stem
    if not line:
        return [str(path)]
    if name in _WITH_GOTO:
        return ["--wait", "--goto", f"{path}:{line}"]
    return [f"{path}:{line}"] if name in _WITH_COLON else [f"+{line}", str(path)]
