"""What a table shows: records by position, read only where they are seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from textual.content import Content

from screens.text import safe_text

__all__ = ["ArrowRows", "Column", "PlainRows", "Record", "Rows"]

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args: name: the field of the record, also the name in filters. title: its heading. width: cells, or 0 to
    share what the others leave. align: numbers go right. show: makes the cell from the record; the text it
    returns is shown as it is, `Content` may carry colours. drop: when the table is narrow, columns with a
    positive `drop` leave, the highest first. sort: what to sort by, if not the field.
    """

    name: str
    title: str
    width: int = 0
    align: Literal["left", "right"] = "left"
    show: Callable[[Record], str | Content] | None = None
    drop: int = 0
    sort: Callable[[Record], Any] | None = None

    def cell(self, record: Record) -> Content:
        """What stands in this column for a record; lists are joined, None is an empty cell."""
        value = self.show(record) if self.show else record.get(self.name)
        if isinstance(value, Content):
            return value
        if value is None:
            return Content()
        if isinstance(value, (list, tuple)):
            value = " ".join(map(str, value))
        return safe_text(value)


class Rows(Protocol):
    """Records that can be counted, read one by one, and read through for filtering and sorting."""

    def __len__(self) -> int: ...

    def record(self, index: int) -> Record:
        """The record at a position."""

    def key(self, index: int) -> str:
        """What identifies the record, for marks and for finding it again."""

    def find(self, key: str) -> int | None:
        """Where the record with this key is."""

    def scan(self, names: Sequence[str]) -> Iterator[Record]:
        """All records in order, with at least these fields."""


class PlainRows:
    """Rows over mappings held in memory."""

    def __init__(self, records: Sequence[Record], key: str = "id") -> None:
        self._records = records
        self._key = key
        self._places: dict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._records)

    def record(self, index: int) -> Record:
        """The record at a position."""
        return self._records[index]

    def key(self, index: int) -> str:
        """Its key as text."""
        return str(self._records[index][self._key])

    def find(self, key: str) -> int | None:
        """Where the record with this key is."""
        if self._places is None:
            self._places = {str(record[self._key]): i for i, record in enumerate(self._records)}
        return self._places.get(key)

    def scan(self, names: Sequence[str]) -> Iterator[Record]:  # noqa: ARG002
        """All records in order."""
        return iter(self._records)


class ArrowRows:
    """Rows over a `pyarrow.Table`, turned into Python values a page at a time.

    A million rows cost nothing until they are seen, filtered or sorted.
    """

    PAGE = 128

    def __init__(self, table: Any, key: str = "id") -> None:
        self._table = table
        self._key = key
        self._pages: dict[int, list[dict[str, Any]]] = {}
        self._places: dict[str, int] | None = None

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def record(self, index: int) -> Record:
        """The record at a position."""
        number, offset = divmod(index, self.PAGE)
        page = self._pages.get(number)
        if page is None:
            if len(self._pages) > 32:
                self._pages.clear()
            page = self._pages[number] = self._table.slice(number * self.PAGE, self.PAGE).to_pylist()
        return page[offset]

    def key(self, index: int) -> str:
        """Its key as text."""
        return str(self.record(index)[self._key])

    def find(self, key: str) -> int | None:
        """Where the record with this key is."""
        if self._places is None:
            column = self._table.column(self._key).to_pylist()
            self._places = {str(value): i for i, value in enumerate(column)}
        return self._places.get(key)

    def scan(self, names: Sequence[str]) -> Iterator[Record]:
        """All records in order, with these fields only."""
        known = [name for name in names if name in self._table.column_names]
        if not known:
            for _ in range(len(self)):
                yield {}
            return
        for batch in self._table.select(known).to_batches(max_chunksize=8192):
            yield from batch.to_pylist()
