"""Sheets: lists and texts over the screen that ask the engine and show what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from screens.shell.export import Export
from screens.shell.frame import Frame
from screens.shell.keymap import SHEET_KEYS, bindings
from screens.shell.request import Answer, CachedRequest, Progress
from screens.widgets.dialogs import Dialog
from screens.widgets.listing import Listing


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
