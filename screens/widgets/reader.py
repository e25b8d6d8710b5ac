"""A text that may be long and may still grow: a log, a recipe, a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engines.core.files import printable
from screens.keys import TEXT_KEYS, bindings
from screens.text import width
from workbench.filters import Filter

__all__ = ["Reader"]

_KEPT = 50_000


class Reader(ScrollView, can_focus=True):
    """Lines of text, drawn only where they are seen.

    `append` adds lines; with `follow` the end stays in view, without it `behind` counts what arrived below.
    `style` gives a line its colour. At most 50,000 lines are kept; `left_off` counts those that had to go.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings([key for key in TEXT_KEYS if key.verb != "filter"])
    DEFAULT_CSS = """
    Reader { scrollbar-size-vertical: 1; overflow-x: hidden; padding: 0 1; }
    """

    follow: reactive[bool] = reactive(False)
    wrap: reactive[bool] = reactive(False)
    behind: reactive[int] = reactive(0)

    class Changed(Message):
        """Follow, wrap, or the number of lines not seen changed."""

        def __init__(self, reader: Reader) -> None:
            super().__init__()
            # The reader speaks, whoever changed it: a message goes no further up than to its sender.
            self.set_sender(reader)
            self.reader = reader

        @property
        def control(self) -> Reader:
            """The reader."""
            return self.reader

    def __init__(self, *, id: str | None = None, follow: bool = False) -> None:
        super().__init__(id=id)
        self.set_reactive(Reader.follow, follow)
        self.style: Callable[[str], str] = lambda _: ""
        self.filter: Filter | None = None
        self.last_filter: Filter | None = None
        self.left_off = 0
        self._lines: list[str] = []
        self._rows: list[tuple[int, int]] = []
        self._match = -1

    @property
    def lines(self) -> Sequence[str]:
        """The text, line by line."""
        return self._lines

    def show(self, lines: Iterable[str]) -> None:
        """Replace the text."""
        self._lines = []
        self._rows = []
        self.left_off = 0
        self.behind = 0
        self.append(lines)
        if not self.follow:
            self.scroll_to(y=0, animate=False)

    def append(self, lines: Iterable[str]) -> None:
        """Add lines at the end."""
        start = len(self._lines)
        self._lines.extend(printable(line.rstrip("\n").expandtabs(4)) for line in lines)
        if len(self._lines) > _KEPT:
            self.left_off += len(self._lines) - _KEPT
            del self._lines[:-_KEPT]
            start = 0
            self._rows = []
        new = self._fold(start)
        self._rows += new
        if not self.follow and start:
            self.behind += len(new)
        self._fit()

    def set_filter(self, wanted: Filter | None) -> None:
        """Show only the lines that pass."""
        self.filter = wanted
        if wanted is not None:
            self.last_filter = wanted
        self._refold()

    def _fold(self, start: int) -> list[tuple[int, int]]:
        """Rows (line, first character) for the lines from `start` on."""
        cells = max(1, self.scrollable_content_region.width)
        rows = []
        for index in range(start, len(self._lines)):
            line = self._lines[index]
            if self.filter is not None and not self.filter.matches({"line": line}):
                continue
            rows.append((index, 0))
            if self.wrap and len(line) * 2 > cells and width(line) > cells:
                rows += [(index, at) for at in range(cells, len(line), cells)]
        return rows

    def _refold(self) -> None:
        self._rows = self._fold(0)
        self._fit()
        self.refresh()

    def _fit(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._rows))
        if self.follow:
            self.scroll_to(y=len(self._rows), animate=False, immediate=True)
        self.refresh()

    def on_resize(self) -> None:
        if self.wrap:
            self._refold()
        self._fit()

    def watch_follow(self, follow: bool) -> None:
        if follow:
            self.behind = 0
        self._fit()
        self.post_message(self.Changed(self))

    def watch_wrap(self) -> None:
        self._refold()
        self.post_message(self.Changed(self))

    def watch_behind(self) -> None:
        self.post_message(self.Changed(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.behind and new_value >= self.max_scroll_y:
            self.behind = 0

    # Keys

    def _scroll(self, lines: int) -> None:
        if lines < 0:
            self.follow = False
        self.scroll_to(y=round(self.scroll_y) + lines, animate=False)

    def action_down(self) -> None:
        self._scroll(1)

    def action_up(self) -> None:
        self._scroll(-1)

    def action_half_down(self) -> None:
        self._scroll(max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self._scroll(-max(1, self.size.height // 2))

    def action_top(self) -> None:
        self._scroll(-len(self._rows))

    def action_bottom(self) -> None:
        self._scroll(len(self._rows))

    def action_wrap(self) -> None:
        self.wrap = not self.wrap

    def action_follow(self) -> None:
        self.follow = not self.follow

    def action_next_match(self) -> None:
        self._step_match(1)

    def action_previous_match(self) -> None:
        self._step_match(-1)

    def _step_match(self, step: int) -> None:
        if self.last_filter is None:
            return
        start = self._match if self._match >= 0 else round(self.scroll_y)
        for distance in range(1, len(self._rows) + 1):
            row = (start + step * distance) % len(self._rows)
            if self.last_filter.matches({"line": self._lines[self._rows[row][0]]}):
                self._match = row
                self.follow = False
                self.scroll_to(y=row, animate=False)
                self.refresh()
                return

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One row of the text."""
        cells = self.size.width
        style = self.visual_style
        row = y + round(self.scroll_y)
        if row >= len(self._rows):
            return Strip.blank(cells, style.rich_style)
        index, start = self._rows[row]
        line = self._lines[index]
        text = line[start : start + cells]
        if not self.wrap and width(line) > cells:
            text = Content(line).truncate(cells, ellipsis=True).plain
        if look := self.style(line):
            style = style + self._get_style(look)
        if row == self._match:
            style = style + self._get_style("on $cursor")
        return Strip([Segment(text, style.rich_style)]).adjust_cell_length(cells, style.rich_style)
