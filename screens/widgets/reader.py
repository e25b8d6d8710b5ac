"""Texts that may be long and may still grow, and the movements that they share with tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from engines.core.text import make_printable
from screens.shell.keymap import TEXT_KEYS, bindings
from screens.shell.theme import text_width
from workbench.tables import Filter

W = TypeVar("W", bound=Widget)


class WidgetMessage(Message, Generic[W]):
    """A message with the widget that it is about.

    Textual stops a message at its sender, which is the listing when its filter line makes the table report
    something; so the message names the table itself.
    """

    def __init__(self, widget: W) -> None:
        super().__init__()
        self.set_sender(widget)
        self.widget = widget

    @property
    def control(self) -> W:
        """Return the widget that sent the message, by which Textual selects handlers."""
        return self.widget


class Moving(Widget):
    """A widget whose content moves with the keys of every list and text."""

    @property
    def shown(self) -> int:
        """Return the number of lines that can be moved over."""
        return self.virtual_size.height

    def move_by(self, lines: int) -> None:
        """Move by so many lines; negative is up."""
        self.scroll_to(y=self.scroll_y + lines, animate=False)

    def action_down(self) -> None:
        self.move_by(1)

    def action_up(self) -> None:
        self.move_by(-1)

    def action_half_down(self) -> None:
        self.move_by(max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self.move_by(-max(1, self.size.height // 2))

    def action_top(self) -> None:
        self.move_by(-self.shown)

    def action_bottom(self) -> None:
        self.move_by(self.shown)


class ScrolledLines(ScrollView, Moving, can_focus=True):
    """Lines that can be filtered: only those that match are shown."""

    DEFAULT_CSS = "ScrolledLines { scrollbar-size-vertical: 1; overflow-x: hidden; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filter: Filter | None = None
        self.last_filter: Filter | None = None

    # For tables and texts to give

    def _filter_lines(self) -> None:
        raise NotImplementedError

    def _match_start(self) -> int:
        """Return where matches are looked for from."""
        raise NotImplementedError

    def _line_fields(self, line: int) -> Mapping[str, Any]:
        raise NotImplementedError

    def _go_to_match(self, line: int) -> None:
        raise NotImplementedError

    # Filter and keys

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        if verb in ("next_match", "previous_match") and self.last_filter is None:
            return "no filter yet; / writes one"
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if self.why_not(action) else super().check_action(action, parameters)

    def set_filter(self, wanted: Filter | None) -> None:
        """Show only the lines that match a filter, or all for None."""
        self.filter = wanted
        if wanted is not None:
            self.last_filter = wanted
        self._filter_lines()

    def go_to_match(self) -> None:
        """Go to the next match, unless the current line is one."""
        matching = self.last_filter
        if matching is None or not self.shown or not matching.matches(self._line_fields(self._match_start())):
            self._step_match(1)

    def action_next_match(self) -> None:
        self._step_match(1)

    def action_previous_match(self) -> None:
        self._step_match(-1)

    def _step_match(self, step: int) -> None:
        matching, lines, start = self.last_filter, self.shown, self._match_start()
        # Once around from the current line, which itself comes last.
        for line in ((start + step * distance) % lines for distance in range(1, lines + 1)):
            if matching is not None and matching.matches(self._line_fields(line)):
                self._go_to_match(line)
                return


# Lines; a log that is longer is read in the file.
_KEPT = 50_000


class TextReader(ScrolledLines):
    """A text of many lines; only the visible ones are drawn.

    `append_lines` adds lines. With `follow` the end stays visible until the user leaves it; then `behind`
    counts the lines that arrive below. `style` returns the colour of a line. At most 50,000 lines are kept;
    `left_off` counts those that were dropped.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings([key for key in TEXT_KEYS if key.verb != "filter"])
    DEFAULT_CSS = "TextReader { padding: 0 1; }"

    follow: reactive[bool] = reactive(False)
    wrap: reactive[bool] = reactive(False)
    behind: reactive[int] = reactive(0)

    class Changed(WidgetMessage["TextReader"]):
        """Follow, wrap, or the number of lines not seen changed."""

    def __init__(self, *, id: str | None = None, follow: bool = False) -> None:
        super().__init__(id=id)
        self.set_reactive(TextReader.follow, follow)
        self._grows = follow
        self.style: Callable[[str], str] = lambda _: ""
        self.left_off = 0
        self._lines: list[str] = []
        self._rows: list[tuple[int, int]] = []
        self._cells = 0
        """The width at which lines were folded."""
        self._match = -1

    @property
    def lines(self) -> Sequence[str]:
        """Return the lines of the text."""
        return self._lines

    def show_lines(self, lines: Iterable[str], *, keep: bool = False) -> None:
        """Replace the text; with `keep` the position stays, otherwise it goes to the top."""
        self._lines = []
        self._rows = []
        self.left_off = 0
        self.behind = 0
        self.append_lines(lines)
        if not self.follow and not keep:
            self.scroll_to(y=0, animate=False)

    def append_lines(self, lines: Iterable[str]) -> None:
        """Add lines at the end."""
        start = len(self._lines)
        self._grows = self._grows or start > 0
        self._lines.extend(make_printable(line.rstrip("\n").expandtabs(4)) for line in lines)
        # The oldest lines go, and all positions change with them.
        if len(self._lines) > _KEPT:
            self.left_off += len(self._lines) - _KEPT
            del self._lines[:-_KEPT]
            start = 0
            self._rows = []
        new = self._fold_lines(start)
        self._rows += new
        # Rows that arrive while the user reads further up.
        if not self.follow and start:
            self.behind += len(new)
        self._fit_size()

    @property
    def shown(self) -> int:
        """How many rows there are, more than lines where those are wrapped."""
        return len(self._rows)

    def _fold_lines(self, start: int) -> list[tuple[int, int]]:
        """Return rows (line, first character) for the lines from `start` on; without a width nothing is
        wrapped.
        """
        # Remembered, because a scroll bar changes the width after the lines were folded.
        self._cells = cells = self.scrollable_content_region.width
        rows = []
        for index in range(start, len(self._lines)):
            line = self._lines[index]
            if self.filter is not None and not self.filter.matches({"line": line}):
                continue
            rows.append((index, 0))
            # The length in characters is a quick test: no character is wider than two cells.
            if self.wrap and cells > 0 and len(line) * 2 > cells and text_width(line) > cells:
                rows += [(index, at) for at in range(cells, len(line), cells)]
        return rows

    def _filter_lines(self) -> None:
        self._rows = self._fold_lines(0)
        self._fit_size()

    def _fit_size(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._rows))
        if self.follow:
            self.scroll_to(y=len(self._rows), animate=False, immediate=True)
        self.refresh()

    def on_resize(self) -> None:
        if self.wrap:
            self._filter_lines()
        self._fit_size()

    def _refold_at_width(self) -> None:
        """Fold anew where the width is no longer that of the last time, as when a scroll bar came or went."""
        if self.wrap and self._cells != self.scrollable_content_region.width:
            self._filter_lines()

    def watch_follow(self, follow: bool) -> None:
        if follow:
            self.behind = 0
        self._fit_size()
        self.post_message(self.Changed(self))

    def watch_wrap(self) -> None:
        self._filter_lines()
        self.post_message(self.Changed(self))

    def watch_behind(self) -> None:
        self.post_message(self.Changed(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        # The end was reached by scrolling, so nothing is left unseen.
        if self.behind and new_value >= self.max_scroll_y:
            self.behind = 0

    # Keys

    def move_by(self, lines: int) -> None:
        """Scroll by so many lines; scrolling up ends following."""
        # Whoever scrolls up wants to read, and not to be taken to the end.
        if lines < 0:
            self.follow = False
        self.scroll_to(y=round(self.scroll_y) + lines, animate=False)

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        return "no lines arrive here" if verb == "follow" and not self._grows else super().why_not(verb)

    def action_wrap(self) -> None:
        self.wrap = not self.wrap

    def action_follow(self) -> None:
        self.follow = not self.follow

    def _match_start(self) -> int:
        return self._match if self._match >= 0 else round(self.scroll_y)

    def _line_fields(self, line: int) -> Mapping[str, str]:
        return {"line": self._lines[self._rows[line][0]]}

    def _go_to_match(self, line: int) -> None:
        self._match = line
        self.follow = False
        self.scroll_to(y=line, animate=False)
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        cells = self.scrollable_content_region.width
        # Not now: a widget must not change its size while it is drawn.
        if self.wrap and self._cells != self.scrollable_content_region.width:
            self.call_later(self._refold_at_width)
        style = self.visual_style
        row = y + round(self.scroll_y)
        if row >= len(self._rows):
            return Strip.blank(cells, style.rich_style)
        index, start = self._rows[row]
        line = self._lines[index]
        # Cells and characters are taken for the same here, as in folding.
        text = line[start : start + cells]
        if not self.wrap and text_width(line) > cells:
            text = Content(line).truncate(cells, ellipsis=True).plain
        if colour := self.style(line):
            style = style + self._get_style(colour)
        if row == self._match:
            style = style + self._get_style("on $cursor")
        return Strip([Segment(text, style.rich_style)]).adjust_cell_length(cells, style.rich_style)
