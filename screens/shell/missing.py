"""Missing screens: what stands in for a screen whose engine cannot be imported."""

from __future__ import annotations

from collections.abc import Iterable

from engines.core.errors import EngineError
from screens.shell.screen import WorkbenchScreen
from screens.widgets.notice import Notice
from screens.widgets.pane import Pane

__all__ = ["MissingScreen"]


class MissingScreen(WorkbenchScreen):
    """Says what is missing, and what can be done about it."""

    def __init__(self, mode: str, advice: str, error: ImportError) -> None:
        super().__init__()
        self.MODE = mode  # type: ignore[misc]
        self._error = EngineError(f"this screen cannot be opened: {error}", remedy=advice, code="E704")

    def panes(self) -> Iterable[Pane]:
        """One pane with the reason."""
        self._notice = Notice()
        yield Pane(self._notice, title=self.title or "", id="missing")

    def begin(self) -> None:
        """Say it."""
        self._notice.show_error(self._error)
