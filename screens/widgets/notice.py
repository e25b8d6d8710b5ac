"""Notices: what stands in a place that has nothing to show, because it is empty, loading or failed."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.shell.text import safe_text

__all__ = ["Notice", "error_text"]


def error_text(error: EngineError) -> Content:
    """A failure in two lines: what and where, then what to do."""
    place = f"{error.where}: " if error.where else ""
    lines = Content.assemble(
        ("✗ ", "$error bold"), (error.code, "$error"), " ", safe_text(place + error.what)
    )
    return lines + Content("\n") + safe_text(error.remedy, "$quiet") if error.remedy else lines


class Notice(Static):
    """One thought in the middle of an empty place, and under it what can be done about it."""

    DEFAULT_CSS = """
    Notice { height: auto; padding: 1 2; color: $foreground; }
    """

    def show_empty(self, what: str, advice: str = "") -> None:
        """There is nothing."""
        self.update(safe_text(what) + Content("\n") + safe_text(advice, "$quiet"))

    def show_loading(self, what: str) -> None:
        """It is coming."""
        self.update(Content.assemble(("… ", "$accent"), safe_text(what, "$quiet")))

    def show_error(self, error: EngineError) -> None:
        """It failed."""
        self.update(error_text(error))
