"""How the app speaks: successes, warnings and failures, copies, exports, notes, and files shown elsewhere."""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual import work
from textual.app import App, SuspendNotSupported

from engines.core.errors import EngineError
from screens.base import Export
from screens.text import safe_text
from workbench.errors import explain

if TYPE_CHECKING:
    from screens.activity import Entry
    from workbench.workspace import Workspace

__all__ = ["Speaking"]

Severity = Literal["information", "warning", "error"]


class Speaking(App[None]):
    """The part of the workbench that tells the user something, or hands something out."""

    workspace: Workspace
    activity: deque[Entry]
    _usual_workspace: Path

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
