"""Sheets: lists and texts over the screen that ask the engine and show what it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Vertical

from screens.shell.export import Export
from screens.shell.frame import Frame
from screens.shell.keymap import SHEET_KEYS, bindings
from screens.shell.request import Answer, CachedRequest, Progress
from screens.widgets.dialogs import Dialog, TextScreen
from screens.widgets.listing import Listing, ReaderBox


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


class TextSheet(TextScreen):
    """Lines that are there at once, and under them those that an operation answers.

    `y` copies the command that prints the same.

    Args: doing: what is said while it is answered. params: what is asked, None for nothing. command: the
    words of that command.
    """

    BINDINGS = bindings([key for key in SHEET_KEYS if key.verb == "yank"])

    others: ClassVar[Mapping[str, str]] = {}
    """What the engine may be at while this waits, in words, by operation."""

    def __init__(
        self,
        workbench: Frame,
        title: str,
        known: Sequence[str],
        operation: str,
        params: Mapping[str, object] | None,
        *,
        doing: str,
        command: str,
    ) -> None:
        super().__init__(title, [*known, *([f"… {doing}"] if params is not None else [])])
        self._workbench = workbench
        self._known = known
        self._params = params
        self._doing = doing
        self._command = command
        self._since = 0.0
        self._request = CachedRequest(self, lambda: workbench.engine, operation, self._answered)

    def on_mount(self) -> None:
        box = self.query_one(Vertical)
        box.border_subtitle = "/ filter   w wrap   y command   esc close"
        if self._params is not None:
            self._since = time.monotonic()
            self._clock = self.set_interval(0.25, self._say)
            # What it does is to be seen before the engine is begun, which may take a moment.
            self.call_after_refresh(self._request.ask, self._params)

    def _say(self) -> None:
        """Say how long it takes, and what it waits for."""
        what, seconds = self._doing, int(time.monotonic() - self._since)
        if behind := self._request.behind:
            what = f"waiting for {self.others.get(behind, behind)} to end (esc, then x, stops that)"
        self._show([f"… {what}" + (f", {seconds} s" if seconds else "")])

    def _show(self, lines: Iterable[str]) -> None:
        self.query_one(ReaderBox).reader.show([*self._known, *lines], keep=True)

    def action_yank(self) -> None:
        self._workbench.copy(self._command, "command line")

    def lines_of(self, answer: Answer) -> Iterable[str]:
        raise NotImplementedError

    def _answered(self, answer: Answer) -> None:
        self._clock.stop()
        self._show(self.lines_of(answer))
