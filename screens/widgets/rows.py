"""Rows and columns of tables: records by position and by key, how they are shown and how wide."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from textual.content import Content

from screens.shell.text import elide, safe_text, width

if TYPE_CHECKING:
    from workbench.notes import Note

__all__ = [
    "Column",
    "Need",
    "Noted",
    "Record",
    "Rows",
    "fitted",
    "measured",
    "note_signs",
    "share",
]

Record = Mapping[str, Any]
Align = Literal["left", "right", "point"]

_READABLE = 14
"""Cells that a column without a width needs to be read; while it has less, others leave."""
_WISHED = 40
"""Cells that it is given, if it needs them, before columns that say the same in every line get any."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args: name: the field of the record, also the name in filters. title: its heading. width: the most cells
    that it takes, or 0 to share what the others leave. least: with how many it makes do while those are cut;
    0: with no fewer. align: numbers go right; those of
    which not all have as many decimals line up at their point. show: makes the cell from
    the record; the text it returns is shown as it is, `Content` may carry colours. drop: when the table is
    narrow, columns with a positive `drop` leave, the highest first, and before them those that say the same
    in every line. room: it is shown only where the columns have so many cells together. sort: what to sort
    by, if not the field. fit: as `show`, with the number of cells besides,
    for what depends on it; 0 are as many as it likes. unfiltered: why no filter can ask for what it shows;
    else its title names the fields that filters ask.
    """

    name: str
    title: str
    width: int = 0
    align: Align = "left"
    _: KW_ONLY
    least: int = 0
    show: Callable[[Record], str | Content] | None = None
    drop: int = 0
    room: int = 0
    sort: Callable[[Record], Any] | None = None
    fit: Callable[[Record, int], str | Content] | None = None
    unfiltered: str = ""

    def names_fields(self, fields: Collection[str]) -> bool:
        """Whether all that its title says are fields, as it has to be unless it is `unfiltered`."""
        words = re.findall(r"\w+", self.title.casefold())
        return bool(self.unfiltered) or all(word in fields for word in words)

    def cell(self, record: Record, cells: int = 0) -> Content:
        """What stands in this column for a record; lists are joined, None is an empty cell."""
        value: Any = self.fit(record, cells) if self.fit else None
        if value is None:
            value = self.show(record) if self.show else record.get(self.name)
        if isinstance(value, Content):
            return value
        if value is None:
            return Content()
        if isinstance(value, (list, tuple)):
            value = " ".join(map(str, value))
        return safe_text(value)


@dataclass(frozen=True, slots=True)
class Need:
    """What a column needs: `cells` for its title and its contents; whether it is `constant`, the same in
    several lines or empty in all, which is `blank` too. `point`: where numbers line up at theirs, the cells
    before the decimal point."""

    column: Column
    cells: int
    constant: bool
    point: int = 0
    blank: bool = False


def measured(column: Column, records: Sequence[Record]) -> Need:
    """What a column needs for such records."""
    cells = [column.cell(record) for record in records]
    tail = max(map(tail_of, cells), default=0) if column.align == "point" else 0
    lengths = (cell.cell_length + max(0, tail - tail_of(cell)) * (tail > 0) for cell in cells)
    most = max(width(column.title), max(lengths, default=column.width))
    words = {cell.plain for cell in cells}
    blank = words == {""}
    constant = blank or (len(cells) > 1 and len(words) == 1)
    return Need(column, min(most, column.width) if column.width else most, constant, most - tail, blank)


def tail_of(cell: Content) -> int:
    """How many cells of a number come from its decimal point on, a unit behind it counted."""
    found = re.match(r"[+\-−]?[\d ]*", cell.plain)
    return width(cell.plain[found.end() :]) if found is not None and found.end() else 0


def fitted(cell: Content, cells: int, align: Align, point: int = 0) -> Content:
    """A cell in exactly so many cells; `point` as in `Need`."""
    if cell.cell_length > cells:
        cell = cell.truncate(cells, ellipsis=True) if cell.spans else Content(elide(cell.plain, cells))
    room = cells - width(cell.plain)
    if align == "left":
        return cell.pad_right(room)
    tail = max(0, cells - point)
    behind = min(room, max(0, tail - tail_of(cell))) if align == "point" and cell.plain else 0
    return cell.pad_right(behind).pad_left(room - behind)


def share(needs: Sequence[Need], cells: int, pinned: str = "") -> tuple[tuple[Column, int], ...]:
    """Columns with their widths: those with one of their own take what they need, the others share the rest.

    Columns for which there is no `room` are left out, and of those that may leave the blank ones. While the
    others are cut, columns that can do with less give first, then those leave that say the same in every
    line. While the others have less than they need to be read, columns leave as their `drop` says. The one
    named `pinned` stays.
    """
    wanted = (need for need in needs if not (need.blank and need.column.drop) or need.column.name == pinned)
    kept = [need for need in wanted if cells >= need.column.room or need.column.name == pinned]

    def short(most: int) -> bool:
        free = [need for need in kept if not need.column.width]
        left = cells - sum(need.cells + 1 for need in kept if need.column.width)
        return left < sum(min(most, need.cells) + 1 for need in free)

    def droppable(constant: bool) -> Need | None:
        found = [n for n in kept if n.column.drop and n.column.name != pinned and n.constant >= constant]
        return max(found, key=lambda need: need.column.drop, default=None)

    if short(_WISHED):
        kept = [replace(need, cells=min(need.cells, need.column.least or need.cells)) for need in kept]
    while short(_WISHED) and (need := droppable(constant=True)):
        kept.remove(need)
    while short(_READABLE) and (need := droppable(constant=False)):
        kept.remove(need)
    return tuple(zip((need.column for need in kept), _widths(kept, cells), strict=True))


def _widths(kept: Sequence[Need], cells: int) -> list[int]:
    """Cells for each column: the free ones alike, but none more than it needs while another lacks some."""
    free = [index for index, need in enumerate(kept) if not need.column.width]
    found = [need.cells for need in kept]
    left = cells - len(kept) - sum(found[index] for index in range(len(kept)) if index not in free)
    waiting = sorted(free, key=lambda index: found[index])
    for number, index in enumerate(waiting):
        found[index] = max(1, min(found[index], left // (len(waiting) - number)))
        left -= found[index]
    if free and left > 0:
        found[free[0 if len(free) == 1 else -1]] += left
    return found


class Noted(Mapping[str, Any]):
    """A record with the fields of the note on it."""

    def __init__(self, record: Record, note: Mapping[str, Any]) -> None:
        self._record = record
        self._note = note

    def __getitem__(self, name: str) -> Any:
        return self._note[name] if name in self._note else self._record[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As the record has it: some make a field when they are asked."""
        return self._note[name] if name in self._note else self._record.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._record, **self._note})

    def __len__(self) -> int:
        return len({**self._record, **self._note})


class Rows:
    """Records held in memory; the field `key` identifies them, for marks and for finding them again."""

    def __init__(self, records: Sequence[Record], key: str = "id") -> None:
        self.records = records
        self._key = key
        self._places: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self.records)

    def record(self, index: int) -> Record:
        """The record at a position."""
        return self.records[index]

    def key(self, index: int) -> str:
        """Its key as text."""
        return str(self.records[index][self._key])

    def find(self, key: str) -> int | None:
        """Where the record with this key is."""
        if self._places is None:
            self._places = {str(record[self._key]): place for place, record in enumerate(self.records)}
        return self._places.get(key)

    def sample(self, most: int) -> list[Record]:
        """Records from the first to the last."""
        count = min(len(self), most)
        places = {place * (len(self) - 1) // max(1, count - 1) for place in range(count)}
        return [self.record(place) for place in sorted(places)]

    def ordered(self, places: Sequence[int], column: Column, *, descending: bool) -> list[int]:
        """Some places by the values of a column; what has no value comes last in either direction."""
        keys = {place: _sort_key(column, self.record(place)) for place in places}
        valued = [place for place in places if keys[place] is not None]
        valued.sort(key=lambda place: keys[place] or (0, 0), reverse=descending)
        return [*valued, *(place for place in places if keys[place] is None)]


def note_signs(note: Note | None) -> Content:
    """`★` for a bookmark, `✎` for a text; two cells."""
    star = "★" if note is not None and note.bookmark else " "
    return Content.styled(star + ("✎" if note is not None and note.note else " "), "$accent")


def _sort_key(column: Column, record: Record) -> tuple[int, Any] | None:
    """Numbers before texts; None for no value."""
    value = column.sort(record) if column.sort else record.get(column.name)
    if value is None:
        return None
    if isinstance(value, (int, float)):
        return (0, value)
    return (1, str(value).casefold())
