"""Tables: a column is declared once, and all that shows, filters, sorts or writes it follows from that.

A paper's tables stand in its `tables.py`. `--where` knows every column by its name; `on` says where else a
column is found: in a list of the screen, in the lines that a command prints, in CSV and JSON Lines, in TeX.
A screen may draw a cell with colours (`show`); without that it shows what `format` makes of the value.
Durations and counted things are written for people here too.

A filter, `op:sinh size>100 !failed text`, is what every list of every screen and command takes. Terms are
separated by spaces and all must hold. `field:value` asks whether a list holds the value, or a text contains
it; `field=value` for the same value; `field>number` (also `>= < <=`) compares; a bare word is looked for in
every field. `!` in front of a term inverts it; quotes hold words together (`head:"sin x"`).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import islice
from typing import Any, Literal

from engines.core.errors import did_you_mean
from engines.core.system import format_bytes
from engines.core.text import make_printable
from workbench.errors import UsageError

_DAY = 86_400
_YEAR = 365.25 * _DAY


def format_duration(seconds: float | None) -> str:
    """Format seconds for people: `8s`, `14m`, `3h 05m`, `40d`, `2.9 years`; empty if unknown."""
    if seconds is None or seconds < 0:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m"
    if whole < _DAY:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    if whole < 10 * _DAY:
        return f"{whole // _DAY}d {whole % _DAY // 3600:02}h"
    return f"{whole // _DAY}d" if whole < _YEAR else f"{whole / _YEAR:.1f} years"


def to_the_second(seconds: float | None) -> str:
    """Format seconds exactly: `52s`, `7m42s`, `3h05m`; empty if unknown."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours else f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"


def choose_noun(count: int, one: str, many: str = "") -> str:
    """Return the noun for a count: `node`, `nodes`. Name the plural as `many` unless it is `one` with an
    s.
    """
    return one if count == 1 else many or f"{one}s"


def describe_value(value: object, name: str = "") -> str:
    """Write a setting or a measure for people: bytes with their unit, large numbers in full, no Python.

    Args:
        name: of the setting or measure; it names the unit.

    >>> describe_value(573633000.0, "memory_bytes"), describe_value(573633000.0), describe_value([1, True])
    ('547.1 MiB', '573,633,000', '1, true')
    """
    # Booleans are integers in Python, so they are asked for first.
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if name.endswith("_bytes") and math.isfinite(value):
            return format_bytes(value)
        if isinstance(value, int):
            return str(value)
        # From 1e15 on a power of ten is shorter to read.
        if math.isfinite(value) and 1e5 <= abs(value) < 1e15:
            return f"{value:,.0f}"
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {describe_value(item, str(key))}".rstrip() for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(describe_value(item, name) for item in value)
    return "" if value is None else str(value)


TableRow = Mapping[str, Any]
Align = Literal["left", "right", "point"]

EVERYWHERE = "screen text csv tex"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args:
        name: The field of the row, and the name in filters and files.
        title: Its heading.
        width: The most cells that it takes on a screen, or 0 to share what the others leave.
        align: Numbers go right; those of which not all have as many decimals line up at their point.
        on: Where it is found; filters know it everywhere.
        unit: Of its numbers, for the reference.
        value: Makes the value of what else the row holds.
        format: Of the value in a line, such as `.4f`, or what makes its text of the row.
        tex: Its formula in TeX.
        sort: What to sort by, if not the value.

    On screens: show: makes the cell from the row, with colours if it is `Content`. fit: as `show`, with the
    number of cells besides; 0 are as many as it likes. least: with how many it makes do while open columns
    are cut; 0: with no fewer. drop: when the table is narrow, columns with a positive `drop` leave, the
    highest first, and before them those that say the same in every line. room: it is shown only where the
    columns have so many cells together. unfiltered: why no filter can ask for what it shows; else its title
    names the fields that filters ask.
    """

    name: str
    title: str
    width: int = 0
    align: Align = "left"
    _: KW_ONLY
    on: str = EVERYWHERE
    unit: str = ""
    value: Callable[[TableRow], Any] | None = None
    format: str | Callable[[TableRow], object] = ""
    tex: Callable[[TableRow], str] | None = None
    sort: Callable[[TableRow], Any] | None = None
    show: Callable[[TableRow], Any] | None = None
    fit: Callable[[TableRow, int], Any] | None = None
    least: int = 0
    drop: int = 0
    room: int = 0
    unfiltered: str = ""

    def names_fields(self, fields: Collection[str]) -> bool:
        """Return whether all words of the title are fields, as they must be unless the column is
        `unfiltered`.
        """
        words = re.findall(r"\w+", self.title.casefold())
        return bool(self.unfiltered) or all(word in fields for word in words)

    def in_line(self, row: TableRow) -> object:
        """Return the value in a line of text; None is empty."""
        if callable(self.format):
            return self.format(row)
        value = _plain_value(row.get(self.name))
        return format(value, self.format) if self.format and value != "" else value

    def in_file(self, row: TableRow, location: str) -> object:
        """Return the value in a csv or tex file; in tex, numbers have 6 digits."""
        if self.tex is not None and location == "tex":
            from workbench.export import TexCell

            return TexCell(f"${self.tex(row)}$")
        value = _plain_value(row.get(self.name))
        return float(f"{value:.6g}") if isinstance(value, float) and location == "tex" else value


def _plain_value(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return "" if value is None else value


class LazyRow(dict[str, Any]):
    """A row of a table; the values of `made` are computed when a filter, a screen or a file asks for them."""

    def __init__(self, row: TableRow, made: Mapping[str, Callable[[TableRow], Any]]) -> None:
        super().__init__(row)
        self._made = made

    def __missing__(self, name: str) -> Any:
        if name not in self._made:
            raise KeyError(name)
        return self._made[name](self)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, computing it if necessary."""
        return self[name] if name in self or name in self._made else default


def list_computed_fields(columns: Iterable[Column]) -> dict[str, Callable[[TableRow], Any]]:
    """Return what computes the fields of those columns that rows need not hold, by name."""
    return {column.name: column.value for column in columns if column.value is not None}


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The columns of a table, left to right.

    Args:
        columns: The columns.
        item: `item(item, found)` makes a row of one item of what an operation returned, unless it is one.
    """

    columns: tuple[Column, ...]
    item: Callable[[Any, Any], TableRow] | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The names that a filter may use."""
        return tuple(column.name for column in self.columns if not column.unfiltered)

    def make_row(self, item: Any, result: Any = None) -> LazyRow:
        """Make the row of an item. `result` is what the operation returned."""
        return LazyRow(self.item(item, result) if self.item else item, list_computed_fields(self.columns))

    def columns_on(self, location: str) -> tuple[Column, ...]:
        """Return the columns that appear in a medium: screen, text, csv or tex."""
        return tuple(column for column in self.columns if location in column.on.split())

    def text_lines(
        self,
        items: Iterable[Any],
        result: Any = None,
        *,
        most: int | None = None,
        total: int | None = None,
        every: Iterable[Any] | None = None,
        none: str = "",
        without: Collection[str] = (),
        **titles: str,
    ) -> list[str]:
        """Format items as aligned lines. Columns without a width come last, so the others line up.

        Files get every item. For `most`, `total` and `none` see `align_rows`.

        Args:
            items: The items.
            result: What the operation returned.
            most: The most lines for people.
            total: The number of items, if `items` are not all.
            every: The rows of files, if they are not the items; read when a file is written.
            none: The line if there are no items.
            without: Names of columns to leave out.
            titles: Titles that depend on the request, by column.
        """
        if every is None:
            items = every = list(items)
        shown = (column for column in self.columns_on("text") if column.name not in without)
        columns = sorted(shown, key=lambda column: not column.width)
        heads = [titles.get(column.name, column.title) for column in columns]
        cells = (
            [column.in_line(row) for column in columns]
            for row in (self.make_row(item, result) for item in items)
        )
        return align_rows(
            heads,
            cells,
            lambda form: self.file_rows(form, (self.make_row(item, result) for item in every)),
            most=most,
            total=total,
            none=none,
        )

    def file_rows(self, location: str, rows: Iterable[TableRow]) -> tuple[list[str], Iterator[list[object]]]:
        """Return the names of the columns, and the rows as values for a csv or tex file."""
        columns = self.columns_on(location)
        cells = ([column.in_file(row, location) for column in columns] for row in rows)
        return [column.name for column in columns], cells

    def screen_columns(
        self,
        fit: Mapping[str, Callable[[TableRow, int], Any]] | None = None,
        /,
        **cells: Callable[[TableRow], Any],
    ) -> tuple[Column, ...]:
        """Return the columns of a screen.

        Args:
            fit: Functions that draw columns within a number of cells, by name.
            cells: Functions that draw the other columns which the screen draws itself, by name.
        """
        columns, fit = self.columns_on("screen"), fit or {}
        assert {*cells, *fit} <= {column.name for column in columns}
        return tuple(
            replace(column, show=cells.get(column.name, column.show), fit=fit.get(column.name, column.fit))
            for column in columns
        )


def filter_columns(names: str, on: str = "") -> Iterator[Column]:
    """Yield columns that only filters know, or that are found in some media other than screens.

    Args:
        names: The names, separated by spaces.
        on: The media, separated by spaces.
    """
    return (Column(name, name, on=on) for name in names.split())


# Lines


TableForm = Literal["csv", "tex"]
"""Of a file, and of what a command prints with `--csv` or `--tex`."""


class TableLine(str):
    """A line of a table. The first line has the table as `table`: `f(form)` returns its columns and rows."""

    table: Callable[[TableForm], tuple[Sequence[str], Iterable[Sequence[object]]]] | None = None


def align_rows(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    table: Callable[[TableForm], tuple[Sequence[str], Iterable[Sequence[object]]]] | None = None,
    *,
    most: int | None = None,
    total: int | None = None,
    none: str = "",
) -> list[str]:
    """Format rows as aligned `TableLine`s: numbers to the right, text to the left.

    Args:
        header: The titles of the columns.
        rows: The rows.
        table: The table of the first line, if it is not the header and these rows. It has all rows, whatever
            people see.
        most: The most rows that people see; a last line says how many more there are.
        total: The number of rows, if `rows` are not all.
        none: The line that people see instead of the header if there are no rows.
    """
    # Rows may be an iterator; without a total it has to be read to count it.
    if total is None:
        rows = list(rows)
        total = len(rows)
    # Widths and alignment come from the rows that are seen.
    seen = list(islice(rows, most))
    cells = [[_format_cell(value) for value in row] for row in seen]
    # A column goes right if all that is seen of it are numbers. Without rows there is nothing to judge by.
    right = [all(_is_number(value) for value in column) for column in zip(*cells, strict=True)]
    right += [False] * (len(header) - len(right))
    widths = [max(len(value) for value in column) for column in zip(header, *cells, strict=True)]
    first, *other_lines = (
        TableLine(
            "  ".join(
                value.rjust(width) if is_right else value.ljust(width)
                for value, width, is_right in zip(line, widths, right, strict=True)
            ).rstrip()
        )
        for line in [list(header), *cells]
    )
    if none and not seen:
        first = TableLine(none)
    first.table = table or (lambda _: (header, rows))
    # The last line says that people see only a part; files are complete.
    more = total - len(seen)
    return [first, *other_lines, *([TableLine(f"… and {more:,} more; --json lists all")] if more else [])]


def indent_lines(lines: Iterable[str]) -> Iterator[TableLine]:
    """Indent the lines of a table by two cells."""
    for line in lines:
        moved = TableLine(f"  {line}")
        moved.table = getattr(line, "table", None)
        yield moved


def in_form(lines: Iterable[str], form: TableForm) -> Iterator[str]:
    """Yield the tables among lines as CSV or LaTeX, with an empty line between two.

    Other lines become comments in LaTeX.
    """
    from workbench.export import csv_lines, tex_lines

    first = True
    for line in lines:
        if isinstance(line, TableLine):
            if line.table is None:
                continue
            yield from () if first else ("",)
            yield from (csv_lines if form == "csv" else tex_lines)(*line.table(form))
            first = False
        elif isinstance(line, HintLine):
            yield line
        elif form == "tex" and line.strip():
            yield f"% {line}"


def _format_cell(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return make_printable(str(value))


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).lstrip("-").isdigit() or not text


def format_measure(value: float | None) -> str:
    """Format a number with four decimals; None is empty."""
    return "" if value is None else f"{value:.4f}"


def format_interval(ends: Sequence[float], form: str = ".3f") -> str:
    """Format an interval: `0.412 to 0.530`."""
    low, high = ends
    return f"{low:{form}} to {high:{form}}"


# Filters


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_WORD = re.compile(rf"(?:[^\s\"']|{_QUOTED.pattern})+")


class FilterError(UsageError):
    """A filter that cannot be parsed; `position` counts characters from 0."""

    code = "E440"

    def __init__(self, what: str, *, position: int, remedy: str = "") -> None:
        super().__init__(what, remedy=remedy, where=f"filter, character {position + 1}")
        self.position = position


@dataclass(frozen=True, slots=True)
class _Term:
    field: str
    sign: str
    value: str
    inverted: bool

    def is_true_for(self, row: TableRow, fields: tuple[str, ...]) -> bool:
        value = row.get(self.field)
        # A bare word is looked for in every field.
        if not self.field:
            result = any(self.value in _to_text(item) for name in fields for item in _to_items(row.get(name)))
        elif self.sign in _COMPARE:
            number = _to_number(value)
            result = number is not None and _COMPARE[self.sign](number, float(self.value))
        elif self.sign == ":" and isinstance(value, str):
            result = self.value in value.casefold()
        else:
            result = any(_equals_value(item, self.value) for item in _to_items(value))
        return result != self.inverted


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter, read from its text.

    Args:
        text: The filter as it was typed.
        terms: Its terms, all of which must hold.
        fields: The fields that a bare word is looked for in.
    """

    text: str
    terms: tuple[_Term, ...]
    fields: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that the filter looks at: all of them if it has a bare word."""
        if any(not term.field for term in self.terms):
            return self.fields
        return tuple(dict.fromkeys(term.field for term in self.terms))

    def matches(self, row: TableRow) -> bool:
        """Return whether every term is true for a row; a missing field counts as empty."""
        return all(term.is_true_for(row, self.fields) for term in self.terms)


def parse_filter(text: str, fields: Iterable[str]) -> Filter:
    """Read a filter from its text.

    Args:
        fields: The names that rows have.

    Raises:
        FilterError: (E440) with the position of what is wrong.

    >>> parse_filter("op:sinh size>100", ["op", "size"]).matches({"op": ["sinh", "+"], "size": 120})
    True
    >>> parse_filter("!sinh", ["op"]).matches({"op": ["sinh", "+"]})
    False
    """
    known = tuple(fields)
    # Quoted parts are masked by underscores of the same length, so that positions stay right.
    opened = re.search("[\"']", _QUOTED.sub(lambda match: "_" * len(match[0]), text))
    if opened:
        remedy = f"Write a second {opened[0]}."
        raise FilterError("the quote is not closed", position=opened.start(), remedy=remedy)
    words = tuple(_parse_term(match[0], match.start(), known) for match in _WORD.finditer(text))
    return Filter(text.strip(), words, known)


def _parse_term(word: str, at: int, known: tuple[str, ...]) -> _Term:
    body = word.removeprefix("!")
    # The position of the term itself, without its exclamation mark.
    at += len(word) - len(body)
    if not body:
        raise FilterError(
            "`!` has nothing after it", position=at - 1, remedy="Write what to leave out directly after it."
        )
    # The longer signs come first, or `>=` would be read as `>` and a value that begins with `=`.
    match = re.fullmatch(r"(\w+)(>=|<=|[><:=])(.*)", body, re.DOTALL)
    # Without a field it is a bare word, such as `sinh` or `2>1`.
    if match is None or not match[1].isidentifier():
        return _Term("", "", _remove_quotes(body), body != word)
    field, sign, value = match[1], match[2], _remove_quotes(match[3])
    if field not in known:
        remedy = did_you_mean(field, known) or f"Fields: {', '.join(known)}."
        raise FilterError(f"there is no field {field!r}", position=at, remedy=remedy)
    what = ""
    if not value:
        what, remedy = f"{field}{sign} has no value", "Write one after it."
    elif sign in _COMPARE and _to_number(value) is None:
        what, remedy = f"{field}{sign} needs a number, not {value!r}", f"Like {field}{sign}100."
    if what:
        raise FilterError(what, position=at + match.start(3), remedy=remedy)
    return _Term(field, sign, value, body != word)


def _remove_quotes(text: str) -> str:
    return _QUOTED.sub(lambda match: match[0][1:-1], text).casefold()


def _to_number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    # NaN is the only number that differs from itself; it would make every comparison false.
    return None if number != number else number


def _to_items(value: object) -> Iterable[object]:
    return value if isinstance(value, (list, tuple, set, frozenset)) else (value,)


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value).casefold()


def _equals_value(value: object, wanted: str) -> bool:
    # Numbers are compared as numbers, so that `size=1e3` finds 1000.
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _to_number(wanted) == value
    return _to_text(value) == wanted


class HintLine(str):
    """A line of an operation's text for stderr, such as "12 more; --json lists all"."""

    __slots__ = ()
