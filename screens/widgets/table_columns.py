"""The columns of a table: their cells, and how the width of the screen is divided among them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from textual.content import Content

from screens.shell.theme import elide, safe_text, text_width
from workbench.tables import Align, Column

Record = Mapping[str, Any]
_READABLE = 14
"""Cells that a column without a width needs to be read; while it has less, others leave."""
_WISHED = 40
"""Cells that it is given, if it needs them, before columns that say the same in every line get any."""


def cell_content(column: Column, record: Record, cells: int = 0) -> Content:
    """Draw the cell of a column for a record.

    Args:
        column: the column.
        record: the record.
        cells: the width available; 0 means as wide as the content.
    """
    value = column.fit(record, cells) if column.fit else None
    if value is None:
        value = column.show(record) if column.show else column.in_line(record)
    return value if isinstance(value, Content) else safe_text(value)


@dataclass(frozen=True, slots=True)
class ColumnWidth:
    """How much room a column needs.

    Args:
        column: the column.
        cells: the cells for its title and its contents.
        constant: whether several lines show the same, or all are empty.
        point: for numbers, the cells before the decimal point at which they line up.
        blank: whether all lines are empty.
        always: whether `constant` holds for all rows, not only for those sampled.
    """

    column: Column
    cells: int
    constant: bool
    point: int = 0
    blank: bool = False
    always: bool = False


def measure_column(column: Column, records: Sequence[Record]) -> ColumnWidth:
    """Measure how much room a column needs for these records."""
    # Measured by drawing the cells, since only that shows how wide they are.
    cells = [cell_content(column, record) for record in records]
    # The part from the decimal point on must have room in every line.
    tail = max(map(tail_of, cells), default=0) if column.align == "point" else 0
    lengths = (cell.cell_length + max(0, tail - tail_of(cell)) * (tail > 0) for cell in cells)
    most = max(text_width(column.title), max(lengths, default=column.width))
    # A number that is cut would be another number.
    cap = most if column.align != "left" else column.width or most  # numbers are not cut
    words = {cell.plain for cell in cells}
    blank = words == {""}
    constant = blank or (len(cells) > 1 and len(words) == 1)
    return ColumnWidth(column, min(most, cap), constant, most - tail, blank)


def tail_of(cell: Content) -> int:
    """Return how many cells a number takes from its decimal point on, with its unit."""
    match = re.match(r"[+\-−]?[\d ]*", cell.plain)
    return text_width(cell.plain[match.end() :]) if match is not None and match.end() else 0


# Sign, digits with blanks between thousands, and a unit.
_NUMBER = re.compile(r"([+\-−]?)([\d ]*\.?\d+(?:e[+\-]?\d+)?)(\D*)")


def shorten_number(text: str, cells: int) -> str:
    """Shorten a number to at most `cells` cells by rounding it; other texts lose their middle.

    A number without room for a single digit becomes `…`.

    >>> [shorten_number(text, 5) for text in ("1 599", "-5.312e-06", "0.3155", "+.1042", "112 731")]
    ['1 599', '-5e-6', '0.316', '+.104', '1.1e5']
    """
    match = _NUMBER.fullmatch(text)
    if match is None or text_width(text) <= cells:
        return elide(text, cells)
    sign, digits, unit = match.groups()
    # The cells for the digits themselves.
    value, room = float(digits.replace(" ", "")), cells - len(sign) - text_width(unit)
    whole = [f"{value:.0f}"] if value.is_integer() else []
    # From nine significant digits down to one, until the number fits.
    for shown in (*whole, *(f"{value:.{digits}g}" for digits in range(9, 0, -1))):
        mantissa, _, exponent = shown.partition("e")
        short = f"{mantissa}e{int(exponent)}" if exponent else shown
        # A leading zero is written only where the number had one.
        short = short if digits.startswith("0") else short.removeprefix("0")
        if short and len(short) <= room:
            return sign + short + unit
    return elide("…", cells)


def fit_cell(cell: Content, cells: int, align: Align, point: int = 0) -> Content:
    """Pad or shorten a cell to exactly `cells` cells; `point` is as in `ColumnWidth`."""
    if cell.cell_length > cells:
        if align == "left":
            cell = cell.truncate(cells, ellipsis=True) if cell.spans else Content(elide(cell.plain, cells))
        else:
            cell = Content.styled(
                shorten_number(cell.plain, cells), cell.spans[0].style if cell.spans else ""
            )
    room = cells - text_width(cell.plain)
    # Text is filled up on the right, numbers on the left.
    if align == "left":
        return cell.pad_right(room)
    tail = max(0, cells - point)
    behind = min(room, max(0, tail - tail_of(cell))) if align == "point" and cell.plain else 0
    return cell.pad_right(behind).pad_left(room - behind)


def distribute_widths(
    needs: Sequence[ColumnWidth], cells: int, pinned: str = ""
) -> tuple[tuple[Column, int], ...]:
    """Choose the columns that fit into a line, and their widths.

    Columns with a width of their own take what they need; the others share the rest. Columns leave in this
    order: those that need more `room` than there is; blank ones, and those known to be the same in every
    line, if they may be dropped; while others are cut, those that were the same in the sample; while others
    are too narrow to read, those with the largest `drop`; finally numbers without any room.

    Args:
        needs: what each column needs.
        cells: the width of the line.
        pinned: the name of a column that always stays.
    """
    # Step 1: leave out columns that are empty or need more room than there is.
    wanted = (need for need in needs if not (need.blank and need.column.drop) or need.column.name == pinned)
    shown = [need for need in wanted if cells >= need.column.room or need.column.name == pinned]

    def lacks_room(most: int) -> bool:
        free = [need for need in shown if not need.column.width]
        left = cells - sum(need.cells + 1 for need in shown if need.column.width)
        return left < sum(min(most, need.cells) + 1 for need in free)

    def find_droppable(constant: bool) -> ColumnWidth | None:
        results = [n for n in shown if n.column.drop and n.column.name != pinned and n.constant >= constant]
        return max(results, key=lambda need: need.column.drop, default=None)

    # Step 2: if it is narrow, take the least width of columns that have one.
    if lacks_room(_WISHED):
        shown = [replace(need, cells=min(need.cells, need.column.least or need.cells)) for need in shown]
    # Step 3: drop columns that say the same in every line.
    while (need := find_droppable(constant=True)) and (need.always or lacks_room(_WISHED)):
        shown.remove(need)
    # Step 4: drop columns by their rank until the others can be read.
    while lacks_room(_READABLE) and (need := find_droppable(constant=False)):
        shown.remove(need)
    # Step 5: at last drop numbers from the right, but never the first column.
    while len(shown) > 1 and lacks_room(0):
        numbers = [n for n in shown[1:] if n.column.align != "left" and n.column.name != pinned]
        if not numbers:
            break
        shown.remove(numbers[-1])
    # Step 6: share out what is left.
    return tuple(zip((need.column for need in shown), _distribute_rest(shown, cells), strict=True))


def _distribute_rest(shown: Sequence[ColumnWidth], cells: int) -> list[int]:
    """Cells for each column: the free ones alike, but none more than it needs while another lacks some."""
    free = [index for index, need in enumerate(shown) if not need.column.width]
    result = [need.cells for need in shown]
    # Each column takes one blank behind it.
    left = cells - len(shown) - sum(result[index] for index in range(len(shown)) if index not in free)
    # From the smallest need on: what a column does not need is left for those after it.
    waiting = sorted(free, key=lambda index: result[index])
    for number, index in enumerate(waiting):
        result[index] = max(1, min(result[index], left // (len(waiting) - number)))
        left -= result[index]
    # What nobody needs goes to the last free column, so that lines fill the width.
    if free and left > 0:
        result[free[0 if len(free) == 1 else -1]] += left
    return result
