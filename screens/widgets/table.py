"""Tables: records by position, and the widget that draws only the lines that are seen."""

from __future__ import annotations

import time
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rich.segment import Segment
from textual import events, work
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.worker import get_current_worker

from screens.shell.keymap import LIST_KEYS, bindings
from screens.shell.theme import elide
from screens.widgets.reader import ScrolledLines, WidgetMessage
from screens.widgets.table_columns import (
    ColumnWidth,
    Record,
    cell_content,
    distribute_widths,
    fit_cell,
    measure_column,
)
from workbench.tables import Column, LazyRow, list_computed_fields

if TYPE_CHECKING:
    from textual.timer import Timer

    from workbench.notes import UserNote


class Noted(ChainMap[str, Any]):
    """A record in which the fields of its note precede its own."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field; some records compute theirs on demand."""
        note, record = self.maps
        return note[name] if name in note else record.get(name, default)


class TableRows:
    """Records in memory, identified by the field `key` for marks and for the cursor."""

    def __init__(self, records: Sequence[Record], key: str = "id") -> None:
        self.records = records
        self._key = key
        self._places: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self.records)

    def get_record(self, index: int) -> Record:
        """Return the record at an index."""
        return self.records[index]

    def get_key(self, index: int) -> str:
        """Return the key of the record at an index."""
        return str(self.records[index][self._key])

    def find_index(self, key: str) -> int | None:
        """Return the index of the record with this key, or None."""
        # Made when it is first asked for: most lists are only shown.
        if self._places is None:
            self._places = {str(record[self._key]): index for index, record in enumerate(self.records)}
        return self._places.get(key)

    def sample_records(self, most: int) -> list[Record]:
        """Return at most `most` records, evenly spaced."""
        count = min(len(self), most)
        # Evenly spaced, with the first and the last record among them.
        indices = {index * (len(self) - 1) // max(1, count - 1) for index in range(count)}
        return [self.get_record(position) for position in sorted(indices)]

    def sort_indices(self, indices: Sequence[int], column: Column, *, descending: bool) -> list[int]:
        """Sort indices by the values of a column; records without a value come last in either direction."""
        # Keys are computed once for each record, and not for each comparison.
        keys = {index: _sort_key(column, self.get_record(index)) for index in indices}
        valued = [index for index in indices if keys[index] is not None]
        valued.sort(key=lambda index: keys[index] or (0, 0), reverse=descending)
        return [*valued, *(index for index in indices if keys[index] is None)]


def note_signs(note: UserNote | None) -> Content:
    """Return `★` for a bookmark and `✎` for a text, as two cells."""
    star = "★" if note is not None and note.bookmark else " "
    return Content.styled(star + ("✎" if note is not None and note.note else " "), "$accent")


def _sort_key(column: Column, record: Record) -> tuple[int, Any] | None:
    """Return numbers before texts; None for no value."""
    value = column.sort(record) if column.sort else record.get(column.name)
    if value is None:
        return None
    if isinstance(value, (int, float)):
        return (0, value)
    return (1, str(value).casefold())


_OF_LINES = ("open", "mark", "mark_range", "sort", "reverse")
"""What is done with lines, and not where there are none."""
_INLINE = 5_000
"""Filtering or sorting more rows than this goes to a thread: it would be felt."""
_GUTTER, _SIGNS = 2, 2
_SAMPLE = 50
"""So many records tell how wide their columns are."""
# Lines that are remembered as drawn: several screens of a tall terminal.
_KEPT = 500
REST_S = 0.06
"""A key that comes again within this time is held; a cursor that stands as long is told of."""


class Table(ScrolledLines):
    """Lines with a cursor, marks, a filter and an order.

    Give it columns, then `load` rows. It posts `Moved` when the cursor comes to another record (or to none),
    `Opened` on enter or double click, `Marked` when marks change, and `Counted` when the number of lines
    does. While a key is held, only the cursor moves: `Moved` is posted when it rests, or by `settle_cursor`.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings([key for key in LIST_KEYS if key.verb != "filter"])
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"table--{part}" for part in ("head", "cursor", "cursor-blurred", "mark")
    }
    DEFAULT_CSS = """
    Table {
        & > .table--head { color: $quiet; }
        & > .table--cursor { background: $cursor; }
        & > .table--cursor-blurred { background: $cursor-blurred; }
        & > .table--mark { color: $accent; text-style: bold; }
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)

    class _Event(WidgetMessage["Table"]):
        @property
        def table(self) -> Table:
            """Return the table that sent the message."""
            return self.widget

    class Moved(_Event):
        """The cursor is at another record; `table.current` is None when there is none."""

    class Opened(_Event):
        """The record under the cursor is to be opened."""

    class Marked(_Event):
        """Marks changed."""

    class Counted(_Event):
        """The lines that are shown changed."""

    def __init__(self, columns: Sequence[Column], *, id: str | None = None, loss: str = "") -> None:
        """`loss`: a column that `S` sorts by, whatever the order was, the worst first and the cursor on it;
        once more turns that around."""
        super().__init__(id=id)
        self._loss = loss
        self._worst_first = False
        self._columns = tuple(columns)
        self.rows = TableRows([])
        self.sorting: tuple[str, bool] | None = None
        self.marks: dict[str, None] = {}
        self._order: Sequence[int] = range(0)
        self._wanted: str | None = None
        self._said: str | None = None
        self._range_start: int | None = None
        self._layout: tuple[int, tuple[tuple[Column, int], ...]] = (0, ())
        self._needs: tuple[ColumnWidth, ...] | None = None
        self._points: Mapping[str, int] = {}
        self._notes: Mapping[str, UserNote] = {}
        self._noted = False
        self._moved_at = float("-inf")
        self._resting: Timer | None = None
        self._drawn: dict[int, Strip] = {}
        """Lines as they were drawn last, but for the one at the cursor: what scrolls is not made anew."""

    # What there is

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns of the table."""
        return self._columns

    @columns.setter
    def columns(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        self._measure_anew()
        if self.sorting is not None and self.sorting[0] not in {column.name for column in columns}:
            # An order by what is not there could be neither seen nor turned around.
            # The sorted column does not exist any more.
            self.set_sorting(None)
        self.refresh()

    @property
    def shown(self) -> int:
        """Return how many lines match the filter."""
        return len(self._order)

    @property
    def current(self) -> Record | None:
        """Return the record under the cursor, or None."""
        return self.rows.get_record(self._order[self.cursor]) if self._order else None

    @property
    def current_key(self) -> str | None:
        """Return the key of the record under the cursor, or None."""
        return self.rows.get_key(self._order[self.cursor]) if self._order else None

    @property
    def marked(self) -> list[Record]:
        """Return the marked records, in the order in which they were marked."""
        indices = (self.rows.find_index(key) for key in self.marks)
        return [self.rows.get_record(index) for index in indices if index is not None]

    @property
    def pair(self) -> tuple[Record, Record] | None:
        """The two marked records; a single mark is paired with the record under the cursor."""
        marked, here = self.marked, self.current
        if len(marked) == 1 and here is not None and here["id"] != marked[0]["id"]:
            marked.append(here)
        return (marked[0], marked[1]) if len(marked) == 2 else None

    def why_no_pair(self, what: str) -> str:
        """Return the reason that no two records (`what`, a plural) can be compared, or an empty string."""
        if self.pair is not None:
            return ""
        return f"mark two {what} with space, or one other than this"

    def show_notes(self, notes: Mapping[str, UserNote]) -> None:
        """Show `★` and `✎` before the rows that have notes, given by the rows' keys."""
        if notes != self._notes:
            self._notes = notes
            self._layout = (0, ())
            self._reorder_rows(self.current_key)

    def visible_records(self) -> list[Record]:
        """Return all records that match the filter, in the order shown, as an export writes them."""
        return [self.rows.get_record(index) for index in self._order]

    def load(self, rows: TableRows | Sequence[Record], *, keep: bool = True) -> None:
        """Show other rows; with `keep` the cursor stays at its record, and marks that still exist stay."""
        if isinstance(rows, Sequence):
            rows = TableRows(self._complete_records(rows))
        # Nearly always the same rows come again with a few changes.
        if keep and self._follow_rows(rows):
            return
        wanted = self.current_key if keep else None
        self._measure_anew()
        self.rows = rows
        if not keep:
            self.marks.clear()
        # Nothing is shown until the order is known, which may be computed in a thread.
        self._order = range(0)
        self._reorder_rows(wanted)

    def _complete_records(self, records: Sequence[Record]) -> Sequence[Record]:
        """Add the fields that columns compute to records that a screen has made itself."""
        computed = list_computed_fields(self.columns)
        if not computed:
            return records
        return [record if isinstance(record, LazyRow) else LazyRow(record, computed) for record in records]

    def _follow_rows(self, rows: TableRows) -> bool:
        """Show rows that are those of before, some with other contents, by repainting just these; whether it
        could be done. What is filtered or sorted may have to change places."""
        before = self.rows
        # A filter or an order may put changed rows elsewhere, so everything is computed anew.
        if len(rows) != len(before) or not len(rows) or self.filter or self.sorting or self._wanted:
            return False
        changed = []
        for index, (old, new) in enumerate(zip(before.records, rows.records, strict=True)):
            # The same object may have been changed since it was drawn.
            if old is new or before.get_key(index) != rows.get_key(index):
                return False
            if old != new:
                changed.append(index)
        self.rows = rows
        # Measure again: a changed cell may need more room.
        layout, self._needs, self._layout = self._layout, None, (0, ())
        top, same = round(self.scroll_y), self._column_widths() == layout[1]
        width = self.size.width
        # Widths are others: every line changes.
        if not same:
            self.refresh()
        elif changed:
            # Line 0 of the widget is the header.
            self._drawn.clear()
            self.refresh(
                *(Region(0, 1 + position - top, width, 1) for position in changed if position >= top)
            )
        self._say_moved()
        return True

    def go_to(self, key: str) -> bool:
        """Put the cursor on the record with this key; return whether it is shown."""
        index = self.rows.find_index(key)
        try:
            self.cursor = self._order.index(-1 if index is None else index)
        except ValueError:
            return False
        return True

    def expect_record(self, key: str) -> None:
        """Put the cursor on the record with this key as soon as it exists."""
        if not self.go_to(key):
            self._wanted = key

    def _filter_lines(self) -> None:
        self._reorder_rows(self.current_key)

    def set_sorting(self, sorting: tuple[str, bool] | None) -> None:
        """Sort by a column, and put the cursor on the first line.

        Args:
            sorting: the column's name, and whether to sort in descending order; None keeps the rows' order.
        """
        self.sorting = sorting
        self._worst_first = False
        self._layout = (0, ())
        # `set_reactive` does not run the watcher, which would scroll and report before the new order is
        # there.
        self.set_reactive(Table.cursor, 0)
        self._reorder_rows(None)

    # Order

    def _reorder_rows(self, wanted: str | None) -> None:
        # A short list is arranged at once; a long one would be felt in the keys.
        if len(self.rows) <= _INLINE or (self.filter is None and self.sorting is None):
            self._take_order(self._compute_order(), wanted)
        else:
            self._arrange_in_thread(wanted)

    @work(thread=True, exclusive=True, exit_on_error=False, group="table-order")
    def _arrange_in_thread(self, wanted: str | None) -> None:
        worker = get_current_worker()
        order = self._compute_order()
        # A newer filter has started another worker.
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take_order, order, wanted)

    def _compute_order(self) -> Sequence[int]:
        rows, filter_, sorting = self.rows, self.filter, self.sorting
        if filter_ is None and sorting is None:
            return range(len(rows))
        column = next((c for c in self.columns if sorting and c.name == sorting[0]), None)
        # Filter first: fewer records have to be sorted.
        result = [
            index
            for index, record in enumerate(rows.records)
            if filter_ is None or filter_.matches(self._with_note(index, record))
        ]
        if column is None or sorting is None:
            return result
        return rows.sort_indices(result, column, descending=sorting[1])

    def _with_note(self, index: int, record: Record) -> Record:
        note = self._notes.get(self.rows.get_key(index)) if self._notes else None
        return record if note is None else Noted(dict(note.fields), record)  # type: ignore[arg-type]

    def _take_order(self, order: Sequence[int], wanted: str | None) -> None:
        # Indices of rows by line. Everything that is drawn goes through it.
        self._order = order
        self._range_start = None
        # The column of notes is shown only if some row has a note.
        noted = any(self.rows.find_index(key) is not None for key in self._notes)
        if noted != self._noted:
            self._noted = noted
            self._layout = (0, ())
        self._fit_size()
        # A record that was expected has arrived, and comes before where the cursor was.
        if self._wanted is not None and self.rows.find_index(self._wanted) is not None:
            wanted, self._wanted = self._wanted, None
        position = self.rows.find_index(wanted) if wanted is not None else None
        # The record may be hidden by the filter; the cursor then goes to the first line.
        try:
            target = (
                order.index(position) if position is not None else min(self.cursor, max(0, len(order) - 1))
            )
        except ValueError:
            target = 0
        self.set_reactive(Table.cursor, target)
        self.show_cursor()
        self.refresh()
        self.post_message(self.Counted(self))
        self._say_moved()

    def _say_moved(self) -> None:
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        # Remembered, so that a cursor that comes back to the same record is not reported.
        self._said = self.current_key
        self.post_message(self.Moved(self))

    def settle_cursor(self) -> bool:
        """Report the cursor's record at once instead of when the cursor rests; return whether it was due."""
        waited = self._resting is not None
        if waited:
            self._say_moved()
        return waited

    # Cursor

    def validate_cursor(self, value: int) -> int:
        return max(0, min(value, len(self._order) - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        moment, top = time.monotonic(), round(self.scroll_y)
        # Keys that repeat come within this time.
        held, self._moved_at = moment - self._moved_at < REST_S, moment
        # A list that scrolls is drawn anew: under a held key in leaps, and between them two lines are.
        self.show_cursor(ahead=self.size.height // 3 if held else 0)
        if round(self.scroll_y) == top:
            # All others are as they were.
            self.refresh(*(Region(0, 1 + line - top, self.size.width, 1) for line in (before, now)))
        if self.current_key != self._said:
            self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        if self._resting is None:
            # The timer is restarted at every move, so it ends only when the cursor rests.
            self._resting = self.set_timer(REST_S, self.settle_cursor)
        else:
            self._resting.reset()

    def refresh(self, *regions: Region, **how: Any) -> Self:
        """As any widget; of some regions the lines are as they were drawn."""
        if not regions:
            self._drawn.clear()
        return super().refresh(*regions, **how)

    def show_cursor(self, ahead: int = 0) -> None:
        """Scroll to the cursor, and `ahead` lines further."""
        # The first line of the widget is the header.
        height = self.size.height - 1
        if height <= 0:
            return
        top = round(self.scroll_y)
        if self.cursor < top:
            self._scroll_at_once(self.cursor - ahead)
        elif self.cursor >= top + height:
            self._scroll_at_once(self.cursor - height + 1 + ahead)

    def _scroll_at_once(self, y: int) -> None:
        # Forced: a table that has just been filled has no scroll bar yet, and would stay where it is.
        self.scroll_to(y=y, animate=False, immediate=True, force=True)

    def move_by(self, lines: int) -> None:
        self.cursor += lines

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        if not len(self.rows) and verb in _OF_LINES:
            return "there are no lines here"
        return super().why_not(verb)

    def action_open(self) -> None:
        if self._order:
            self.post_message(self.Opened(self))

    # Marks, matches, sorting

    def action_mark(self) -> None:
        if (key := self.current_key) is None:
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
            self.marks[self.rows.get_key(self._order[line])] = None
        self._range_start = self.cursor
        self.refresh()
        self.post_message(self.Marked(self))

    def _match_start(self) -> int:
        return self.cursor

    def _line_fields(self, line: int) -> Record:
        index = self._order[line]
        return self._with_note(index, self.rows.get_record(index))

    def _go_to_match(self, line: int) -> None:
        self.cursor = line

    def action_sort(self) -> None:
        # The columns that are shown; the sorted one always is, and a title that is clicked gives it.
        now = self.sorting[0] if self.sorting else None
        names = [column.name for column, _ in self._share_cells(pinned="")]
        # The next column to the right, and after the last one the rows' own order.
        if now is None:
            following = names[0]
        else:
            known = [column.name for column in self.columns]
            behind = [name for name in names if known.index(name) > known.index(now)]
            following = behind[0] if behind else ""
        self.set_sorting((following, False) if following else None)

    def action_reverse(self) -> None:
        if self._loss:
            again = self._worst_first
            self.set_sorting((self._loss, again))
            self._worst_first = not again
            return
        name, descending = self.sorting or (self.columns[0].name, False)
        self.set_sorting((name, not descending))

    def on_blur(self) -> None:
        """Whoever comes back finds the worst first again by one `S`."""
        self._worst_first = False
        self.settle_cursor()

    def on_click(self, event: events.Click) -> None:
        line = event.y - 1 + round(self.scroll_y)
        if event.y == 0:
            self._sort_at(event.x)
        elif line < len(self._order):
            self.cursor = line
            if event.chain == 2:
                self.action_open()

    def _sort_at(self, x: int) -> None:
        # Each column is as wide as its cells and the blank behind them.
        edge = self._gutter
        for column, cells in self._column_widths():
            edge += cells + 1
            if x < edge:
                self.set_sorting((column.name, self.sorting == (column.name, False)))
                return

    # Drawing

    @property
    def _gutter(self) -> int:
        return _GUTTER + (_SIGNS if self._noted else 0)

    def _column_widths(self) -> tuple[tuple[Column, int], ...]:
        total = self.scrollable_content_region.width
        # Widths are computed once for each width of the widget.
        if self._layout[0] != total:
            self._layout = (total, self._share_cells(pinned=self.sorting[0] if self.sorting else ""))
        return self._layout[1]

    def _share_cells(self, pinned: str) -> tuple[tuple[Column, int], ...]:
        if self._needs is None:
            sample = self.rows.sample_records(_SAMPLE)
            result = (measure_column(column, sample) for column in self.columns)
            # Of lines that were not looked at some may have what these have not.
            whole = len(sample) == len(self.rows)
            self._needs = tuple(
                replace(need, blank=need.blank and whole, always=need.constant and whole) for need in result
            )
            self._points = {need.column.name: need.point for need in self._needs}
        return distribute_widths(self._needs, self.scrollable_content_region.width - self._gutter, pinned)

    def show_changed(self) -> None:
        """Draw rows whose contents have changed, and measure the columns again."""
        self._measure_anew()
        self.refresh()

    def _measure_anew(self) -> None:
        self._needs = None
        self._layout = (0, ())

    def _widen_column(self, column: Column, cells: int) -> None:
        """A cell that no sample foretold needs more room."""
        if self._needs is not None and any(n.column is column and n.cells < cells for n in self._needs):
            self._needs = tuple(
                replace(need, cells=cells, constant=False) if need.column is column else need
                for need in self._needs
            )
            self._layout = (0, ())
            self.refresh()

    def _fit_size(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._order) + 1)

    def on_resize(self) -> None:
        self._fit_size()
        self.show_cursor()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        cells = self.size.width
        base = self.visual_style
        if y == 0 and len(self.rows):
            return self._draw_header(cells, self.get_visual_style("table--head"))
        line = y - 1 + round(self.scroll_y)
        if y == 0 or line >= len(self._order):
            return Strip.blank(cells, base.rich_style)
        # The line under the cursor is never remembered, since its style depends on the focus.
        if line == self.cursor:
            return self._draw_line(line, cells, base)
        if line not in self._drawn:
            if len(self._drawn) > _KEPT:
                self._drawn.clear()
            self._drawn[line] = self._draw_line(line, cells, base)
        return self._drawn[line]

    def _draw_header(self, cells: int, style: Style) -> Strip:
        parts: list[Content] = [Content(" " * self._gutter)]
        for column, cell_width in self._column_widths():
            title, arrow = Content(elide(column.title, cell_width)), Content(" ")
            if self.sorting and self.sorting[0] == column.name:
                # It stands next to two titles: its colour says whose it is.
                arrow = Content.styled("▼" if self.sorting[1] else "▲", "$accent bold")
                title = title.stylize("$accent bold")
            room = Content(" " * (cell_width - title.cell_length))
            # The arrow stands behind the title, if need be between the columns: the title stays whole.
            parts += [title, arrow, room] if column.align == "left" else [room, title, arrow]
        return self._make_strip(Content("").join(parts), cells, style)

    def _draw_line(self, line: int, cells: int, base: Style) -> Strip:
        index = self._order[line]
        record, key = self.rows.get_record(index), self.rows.get_key(index)
        here = line == self.cursor
        blurred = "" if self.has_focus else "-blurred"
        style = self.get_visual_style(f"table--cursor{blurred}") if here else base
        mark = Content.styled("●", ".table--mark") if key in self.marks else Content(" ")
        parts = [mark, Content.styled("▸" if here else " ", "$accent")]
        if self._noted:
            parts.append(note_signs(self._notes.get(key)))
        for column, cell_width in self._column_widths():
            cell = cell_content(column, record, cell_width)
            # The most that the column may take; a number is never cut.
            cap = column.width if column.align == "left" else cell.cell_length
            if cell.cell_length > cell_width < cap:
                self._widen_column(column, min(cell.cell_length, cap))
            point = self._points.get(column.name, 0)
            parts += [fit_cell(cell, cell_width, column.align, point), Content(" ")]
        return self._make_strip(Content("").join(parts), cells, style)

    def _make_strip(self, content: Content, cells: int, style: Style) -> Strip:
        segments = [
            Segment(text, part.rich_style)
            for text, part in content.render(style, end="", parse_style=self._get_style)
        ]
        return Strip(segments).adjust_cell_length(cells, style.rich_style)

    # Session

    def state(self) -> dict[str, object]:
        """Return what a session stores: cursor, marks and sorting."""
        return {
            "cursor": self.current_key,
            "marks": list(self.marks),
            "sorting": list(self.sorting) if self.sorting else None,
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Restore what `state` returned; values that do not fit are ignored."""
        marks, sorting, cursor = state.get("marks"), state.get("sorting"), state.get("cursor")
        if isinstance(marks, list):
            # Marks of records that are not loaded yet stay, and count when those appear.
            self.marks = dict.fromkeys(str(mark) for mark in marks)
        self._layout = (0, ())
        names = {column.name for column in self.columns}
        if isinstance(sorting, list) and len(sorting) == 2 and sorting[0] in names:
            self.sorting = (str(sorting[0]), bool(sorting[1]))
        if isinstance(cursor, str):
            # The rows may not be loaded yet: the record is awaited.
            self._wanted = cursor
        self._reorder_rows(self.current_key)
