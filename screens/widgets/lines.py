"""Lines: what tables and texts share, the keys to move by, the filter, and steps from match to match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from textual.message import Message
from textual.scroll_view import ScrollView
from textual.widget import Widget

from workbench.filters import Filter

__all__ = ["Lines", "Said"]

W = TypeVar("W", bound=Widget)


class Said(Message, Generic[W]):
    """A message of a widget, whoever made it speak: a message goes no further up than to its sender, and that
    would be the listing when its filter line made the table speak."""

    def __init__(self, widget: W) -> None:
        super().__init__()
        self.set_sender(widget)
        self.widget = widget

    @property
    def control(self) -> W:
        """The widget it happened in."""
        return self.widget


class Lines(ScrollView, can_focus=True):
    """Lines, of which those that pass the filter are shown."""

    DEFAULT_CSS = "Lines { scrollbar-size-vertical: 1; overflow-x: hidden; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filter: Filter | None = None
        self.last_filter: Filter | None = None

    # For tables and texts to give

    @property
    def shown(self) -> int:
        """How many lines pass the filter."""
        raise NotImplementedError

    def move(self, lines: int) -> None:
        """Go so many lines down, or up."""
        raise NotImplementedError

    def _refilter(self) -> None:
        raise NotImplementedError

    def _start(self) -> int:
        """Where matches are looked for from."""
        raise NotImplementedError

    def _fields(self, line: int) -> Mapping[str, Any]:
        """What filters look at in a shown line."""
        raise NotImplementedError

    def _go_to_match(self, line: int) -> None:
        raise NotImplementedError

    # Filter and keys

    def why_not(self, verb: str) -> str:
        """Why a verb does not apply now."""
        if verb in ("next_match", "previous_match") and self.last_filter is None:
            return "no filter was written here yet; / writes one"
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Greyed is what does not apply now."""
        return None if self.why_not(action) else super().check_action(action, parameters)

    def set_filter(self, wanted: Filter | None) -> None:
        """Show only what passes, or everything again."""
        self.filter = wanted
        if wanted is not None:
            self.last_filter = wanted
        self._refilter()

    def action_down(self) -> None:
        self.move(1)

    def action_up(self) -> None:
        self.move(-1)

    def action_half_down(self) -> None:
        self.move(max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self.move(-max(1, self.size.height // 2))

    def action_top(self) -> None:
        self.move(-self.shown)

    def action_bottom(self) -> None:
        self.move(self.shown)

    def action_next_match(self) -> None:
        self._step_match(1)

    def action_previous_match(self) -> None:
        self._step_match(-1)

    def _step_match(self, step: int) -> None:
        matching, lines, start = self.last_filter, self.shown, self._start()
        for line in ((start + step * distance) % lines for distance in range(1, lines + 1)):
            if matching is not None and matching.matches(self._fields(line)):
                self._go_to_match(line)
                return
