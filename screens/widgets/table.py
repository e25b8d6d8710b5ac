"""A table that stays fast: it draws the lines that are seen and reads no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events, work
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.worker import get_current_worker

from screens.keys import LIST_KEYS, bindings
from screens.text import elide, width
from screens.widgets.rows import Column, PlainRows, Record, Rows
from workbench.filters import Filter

__all__ = ["Table"]

_INLINE = 5_000
"""Filtering or sorting more rows than this goes to a thread: it would be felt."""
_GUTTER = 2


class Table(ScrollView, can_focus=True):
    """Lines with a cursor, marks, a filter and an order.

    Give it columns, then `load` rows. It says `Moved` when the cursor comes to another record (or to none),
    `Opened` on enter or double click, `Marked` when marks change and `Counted` when the number of lines does.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings([key for key in LIST_KEYS if key.verb != "filter"])
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--head",
        "table--cursor",
        "table--cursor-blurred",
        "table--mark",
        "table--hit",
    }
    DEFAULT_CSS = """
    Table {
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & > .table--head { color: $quiet; }
        & > .table--cursor { background: $cursor; }
        & > .table--cursor-blurred { background: $cursor-blurred; }
        & > .table--mark { color: $accent; text-style: bold; }
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)

    class _Event(Message):
        def __init__(self, table: Table) -> None:
            super().__init__()
            # Whoever made the table speak, it is the table that speaks: a message goes no further up than to
            # its sender, and that would be the listing when its filter line made it.
            self.set_sender(table)
            self.table = table

        @property
        def control(self) -> Table:
            """The table it happened in."""
            return self.table

    class Moved(_Event):
        """The cursor is at another record; `table.current` is None when there is none."""

    class Opened(_Event):
        """The record under the cursor is to be opened."""

    class Marked(_Event):
        """Marks changed."""

    class Counted(_Event):
        """The lines that are shown changed."""

    def __init__(self, columns: Sequence[Column], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.rows: Rows = PlainRows([])
        self.filter: Filter | None = None
        self.last_filter: Filter | None = None
        self.sorting: tuple[str, bool] | None = None
        self.marks: dict[str, None] = {}
        self._order: Sequence[int] = range(0)
        self._wanted: str | None = None
        self._said: str | None = None
        self._range_start: int | None = None
        self._layout: tuple[int, tuple[tuple[Column, int], ...]] = (0, ())

    # What there is

    @property
    def shown(self) -> int:
        """How many lines pass the filter."""
        return len(self._order)

    @property
    def current(self) -> Record | None:
        """The record under the cursor."""
        return self.rows.record(self._order[self.cursor]) if self._order else None

    @property
    def current_key(self) -> str | None:
        """Its key."""
        return self.rows.key(self._order[self.cursor]) if self._order else None

    @property
    def marked(self) -> list[Record]:
        """The marked records, in the order in which they were marked."""
        places = (self.rows.find(key) for key in self.marks)
        return [self.rows.record(place) for place in places if place is not None]

    def visible_records(self) -> list[Record]:
        """All records that pass the filter, in the order shown: what an export writes."""
        return [self.rows.record(place) for place in self._order]

    def load(self, rows: Rows | Sequence[Record], *, keep: bool = True) -> None:
        """Show other rows; with `keep` the cursor stays at its record, and marks that still exist stay."""
        wanted = self.current_key if keep else None
        self.rows = PlainRows(rows) if isinstance(rows, Sequence) else rows
        if not keep:
            self.marks.clear()
        self._order = range(0)
        self._reorder(wanted)

    def go_to(self, key: str) -> bool:
        """Put the cursor on the record with this key; whether it is among the lines."""
        place = self.rows.find(key)
        try:
            self.cursor = self._order.index(-1 if place is None else place)
        except ValueError:
            return False
        return True

    def expect(self, key: str) -> None:
        """Put the cursor on the record with this key as soon as there is one."""
        if not self.go_to(key):
            self._wanted = key

    def set_filter(self, wanted: Filter | None) -> None:
        """Show only what passes, or everything again."""
        self.filter = wanted
        if wanted is not None:
            self.last_filter = wanted
        self._reorder(self.current_key)

    def set_sorting(self, sorting: tuple[str, bool] | None) -> None:
        """Order by a column's name, descending if the second is true; None: as the rows come."""
        self.sorting = sorting
        self._reorder(self.current_key)

    # Order

    def _reorder(self, wanted: str | None) -> None:
        if len(self.rows) <= _INLINE or (self.filter is None and self.sorting is None):
            self._arranged(self._arrange(), wanted)
        else:
            self._arrange_in_thread(wanted)

    @work(thread=True, exclusive=True, exit_on_error=False, group="table-order")
    def _arrange_in_thread(self, wanted: str | None) -> None:
        worker = get_current_worker()
        order = self._arrange()
        if not worker.is_cancelled:
            self.app.call_from_thread(self._arranged, order, wanted)

    def _arrange(self) -> Sequence[int]:
        rows, filter_, sorting = self.rows, self.filter, self.sorting
        if filter_ is None and sorting is None:
            return range(len(rows))
        column = next((c for c in self.columns if sorting and c.name == sorting[0]), None)
        names = [*(filter_.names if filter_ else ()), *([column.name] if column else ())]
        found: list[tuple[int, tuple[int, Any]]] = [
            (index, _sort_key(column, record) if column else (0, 0))
            for index, record in enumerate(rows.scan(names))
            if filter_ is None or filter_.matches(record)
        ]
        if column and sorting:
            found.sort(key=lambda item: item[1], reverse=sorting[1])
        return [index for index, _ in found]

    def _arranged(self, order: Sequence[int], wanted: str | None) -> None:
        self._order = order
        self._range_start = None
        self._fit()
        if self._wanted is not None and self.rows.find(self._wanted) is not None:
            wanted, self._wanted = self._wanted, None
        place = self.rows.find(wanted) if wanted is not None else None
        try:
            target = order.index(place) if place is not None else min(self.cursor, max(0, len(order) - 1))
        except ValueError:
            target = 0
        self.set_reactive(Table.cursor, target)
        self.show_cursor()
        self.refresh()
        self.post_message(self.Counted(self))
        self._say_moved()

    def _say_moved(self) -> None:
        self._said = self.current_key
        self.post_message(self.Moved(self))

    # Cursor

    def validate_cursor(self, value: int) -> int:
        """Stays on a line."""
        return max(0, min(value, len(self._order) - 1))

    def watch_cursor(self) -> None:
        """Show the line and say so."""
        self.show_cursor()
        self.refresh()
        if self.current_key != self._said:
            self._say_moved()

    def show_cursor(self) -> None:
        """Scroll to the cursor if it is out of sight."""
        height = self.size.height - 1
        if height <= 0:
            return
        top = round(self.scroll_y)
        if self.cursor < top:
            self._scroll_at_once(self.cursor)
        elif self.cursor >= top + height:
            self._scroll_at_once(self.cursor - height + 1)

    def _scroll_at_once(self, y: int) -> None:
        # Forced: a table that has just been filled has no scroll bar yet, and would stay where it is.
        self.scroll_to(y=y, animate=False, immediate=True, force=True)

    def action_down(self) -> None:
        self.cursor += 1

    def action_up(self) -> None:
        self.cursor -= 1

    def action_top(self) -> None:
        self.cursor = 0

    def action_bottom(self) -> None:
        self.cursor = len(self._order) - 1

    def action_half_down(self) -> None:
        self.cursor += max(1, self.size.height // 2)

    def action_half_up(self) -> None:
        self.cursor -= max(1, self.size.height // 2)

    def action_open(self) -> None:
        if self._order:
            self.post_message(self.Opened(self))

    # Marks, matches, sorting

    def action_mark(self) -> None:
        key = self.current_key
        if key is None:
            return
        if key in self.marks:
            del self.marks[key]
        else:
            self.marks[key] = None
        self._range_start = self.cursor
        self.cursor += 1
        self.refresh()
        self.post_message(self.Marked(self))

    def action_mark_range(self) -> None:
        if not self._order:
            return
        start = self.cursor if self._range_start is None else self._range_start
        for line in range(min(start, self.cursor), max(start, self.cursor) + 1):
            self.marks[self.rows.key(self._order[line])] = None
        self._range_start = self.cursor
        self.refresh()
        self.post_message(self.Marked(self))

    def clear_marks(self) -> None:
        """Unmark everything."""
        self.marks.clear()
        self.refresh()
        self.post_message(self.Marked(self))

    def action_next_match(self) -> None:
        self._step_match(1)

    def action_previous_match(self) -> None:
        self._step_match(-1)

    def _step_match(self, step: int) -> None:
        matching, lines = self.last_filter, len(self._order)
        if matching is None or not lines:
            return
        for distance in range(1, lines + 1):
            line = (self.cursor + step * distance) % lines
            if matching.matches(self.rows.record(self._order[line])):
                self.cursor = line
                return

    def action_sort(self) -> None:
        names: list[str | None] = [None, *(column.name for column in self.columns)]
        now = self.sorting[0] if self.sorting else None
        following = names[(names.index(now) + 1) % len(names)]
        self.set_sorting((following, False) if following else None)

    def action_reverse(self) -> None:
        name, descending = self.sorting or (self.columns[0].name, False)
        self.set_sorting((name, not descending))

    def on_click(self, event: events.Click) -> None:
        line = event.y - 1 + round(self.scroll_y)
        if event.y == 0:
            self._sort_at(event.x)
        elif line < len(self._order):
            self.cursor = line
            if event.chain == 2:
                self.action_open()

    def _sort_at(self, x: int) -> None:
        edge = _GUTTER
        for column, cells in self._columns():
            edge += cells + 1
            if x < edge:
                again = self.sorting is not None and self.sorting[0] == column.name
                self.set_sorting((column.name, again and not (self.sorting or ("", False))[1]))
                return

    # Drawing

    def _columns(self) -> tuple[tuple[Column, int], ...]:
        total = self.scrollable_content_region.width
        if self._layout[0] != total:
            self._layout = (total, _share(self.columns, total - _GUTTER))
        return self._layout[1]

    def _fit(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._order) + 1)

    def on_resize(self) -> None:
        self._fit()
        self.show_cursor()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line: the headings, a record, or nothing."""
        cells = self.size.width
        base = self.visual_style
        if y == 0 and len(self.rows):
            return self._head(cells, self.get_visual_style("table--head"))
        line = y - 1 + round(self.scroll_y)
        if y == 0 or line >= len(self._order):
            return Strip.blank(cells, base.rich_style)
        return self._line(line, cells, base)

    def _head(self, cells: int, style: Style) -> Strip:
        parts: list[Content] = [Content(" " * _GUTTER)]
        for column, cell_width in self._columns():
            arrow = ""
            if self.sorting and self.sorting[0] == column.name:
                arrow = "▼" if self.sorting[1] else "▲"
            parts += [_fitted(Content(column.title + arrow), cell_width, column.align), Content(" ")]
        return self._strip(Content("").join(parts), cells, style)

    def _line(self, line: int, cells: int, base: Style) -> Strip:
        place = self._order[line]
        record, key = self.rows.record(place), self.rows.key(place)
        here = line == self.cursor
        style = base
        if here:
            name = "table--cursor" if self.has_focus else "table--cursor-blurred"
            style = self.get_visual_style(name)
        mark = Content.styled("●", ".table--mark") if key in self.marks else Content(" ")
        parts = [mark, Content.styled("▸" if here else " ", "$accent")]
        for column, cell_width in self._columns():
            parts += [_fitted(column.cell(record), cell_width, column.align), Content(" ")]
        return self._strip(Content("").join(parts), cells, style)

    def _strip(self, content: Content, cells: int, style: Style) -> Strip:
        segments = [
            Segment(text, part.rich_style)
            for text, part in content.render(style, end="", parse_style=self._get_style)
        ]
        return Strip(segments).adjust_cell_length(cells, style.rich_style)

    # Session

    def state(self) -> dict[str, object]:
        """What a session keeps: cursor, marks and order."""
        return {
            "cursor": self.current_key,
            "marks": list(self.marks),
            "sorting": list(self.sorting) if self.sorting else None,
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Put back what `state` gave; what does not fit is left out."""
        marks, sorting, cursor = state.get("marks"), state.get("sorting"), state.get("cursor")
        if isinstance(marks, list):
            self.marks = dict.fromkeys(str(mark) for mark in marks)
        names = {column.name for column in self.columns}
        if isinstance(sorting, list) and len(sorting) == 2 and sorting[0] in names:
            self.sorting = (str(sorting[0]), bool(sorting[1]))
        if isinstance(cursor, str):
            self._wanted = cursor
        self._reorder(self.current_key)


def _sort_key(column: Column, record: Record) -> tuple[int, Any]:
    value = column.sort(record) if column.sort else record.get(column.name)
    if value is None:
        return (2, 0)
    if isinstance(value, (int, float)):
        return (0, value)
    return (1, str(value).casefold())


def _share(columns: Sequence[Column], cells: int) -> tuple[tuple[Column, int], ...]:
    """Widths: fixed columns as they ask, the rest shared; the highest `drop` leaves first."""
    kept = list(columns)
    while True:
        flexible = [column for column in kept if not column.width]
        left = cells - sum(column.width + 1 for column in kept)
        needed = 14 * len(flexible)
        droppable = max(kept, key=lambda column: column.drop, default=None)
        if left >= needed or droppable is None or droppable.drop == 0:
            break
        kept.remove(droppable)
    share = max(1, left // len(flexible)) if flexible else 0
    spare = max(0, left - share * len(flexible)) if flexible else 0
    first = flexible[0] if flexible else None
    return tuple((c, c.width or share + (spare if c is first else 0)) for c in kept)


def _fitted(content: Content, cells: int, align: str) -> Content:
    """A cell in exactly so many cells."""
    if content.cell_length > cells:
        if content.spans:
            content = content.truncate(cells, ellipsis=True)
        else:
            content = Content(elide(content.plain, cells))
    room = cells - width(content.plain)
    return content.pad_left(room) if align == "right" else content.pad_right(room)
