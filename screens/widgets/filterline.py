"""The line in which a filter is written."""

from __future__ import annotations

from textual import events, on
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from screens.text import safe_text

__all__ = ["FilterLine"]


class _FilterInput(Input):
    """Leaves on arrows as well as on enter and escape."""

    def on_key(self, event: events.Key) -> None:
        if event.key in ("down", "up", "tab", "escape"):
            event.stop()
            event.prevent_default()
            self.post_message(FilterLine.Left(cleared=event.key == "escape"))


class FilterLine(Horizontal):
    """`/op:sinh size>100`, shown while it is written or in force; what is wrong stands behind it."""

    DEFAULT_CSS = """
    FilterLine { height: 1; }
    FilterLine .slash { width: 2; color: $accent; padding-left: 1; }
    FilterLine Input { width: 1fr; height: 1; border: none; padding: 0; background: transparent; }
    FilterLine .wrong { width: auto; max-width: 70%; color: $warning; padding: 0 1; }
    """

    class Changed(Message):
        """The text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The user is done; `cleared` when it was with escape."""

        def __init__(self, *, cleared: bool) -> None:
            super().__init__()
            self.cleared = cleared

    def __init__(self) -> None:
        self.field = _FilterInput(classes="-not-by-tab", compact=True, select_on_focus=False)
        self.field.can_focus = False
        self._wrong = Static(classes="wrong")
        super().__init__(Static("/", classes="slash"), self.field, self._wrong)

    @property
    def text(self) -> str:
        """What is written."""
        return self.field.value

    def write(self, text: str) -> None:
        """Put a text there."""
        self.field.value = text
        self.display = bool(text)

    def edit(self) -> None:
        """Let the user write."""
        self.display = True
        self.field.can_focus = True
        self.field.focus()

    def complain(self, what: str) -> None:
        """Say what is wrong, or nothing."""
        self._wrong.update(safe_text(what))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _accepted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Left(cleared=False))

    @on(events.DescendantBlur)
    def _hide_empty(self) -> None:
        self.field.can_focus = False
        self.display = bool(self.text)
