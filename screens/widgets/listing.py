"""Lists: a table with its filter line, and what stands there while it is empty; the same for texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from engines.core.errors import EngineError
from screens.shell.keymap import LIST_KEYS, TEXT_KEYS, bindings
from screens.widgets.notice import Notice
from screens.widgets.reader import Reader
from screens.widgets.rows import Column, Record, Rows
from screens.widgets.table import Table
from workbench.filters import FilterError, parse_filter
from workbench.notes import NOTE_FIELDS

if TYPE_CHECKING:
    from screens.widgets.filterline import FilterLine

__all__ = ["Listing", "ReaderBox"]

_LOOKED_AT = 500
_OFFERED = 100
"""So many rows are looked at, and so many words of them offered, to complete a filter."""


class _Filtered(Vertical):
    """Something with a filter line under it."""

    DEFAULT_CSS = "_Filtered { height: 1fr; }"

    _line: FilterLine | None = None
    fields: tuple[str, ...] = ()
    """The fields of its lines."""

    @property
    def known_fields(self) -> tuple[str, ...]:
        """All names that filters may use."""
        return self.fields

    def values(self, field: str) -> Sequence[str]:  # noqa: ARG002
        """Some values of a field, to complete what is written."""
        return ()

    def _apply(self, text: str) -> None:
        raise NotImplementedError

    def _home(self) -> None:
        raise NotImplementedError

    async def action_filter(self) -> None:
        line = await self._filter_line()
        line.fields = self.known_fields
        line.edit()

    async def _filter_line(self) -> FilterLine:
        """The line; it comes with the first filter, so that screens without one open sooner."""
        from screens.widgets.filterline import FilterLine

        if self._line is None:
            self._line = FilterLine(self.known_fields, self.values)
            self._line.display = False
            await self.mount(self._line)
        return self._line

    def clear_filter(self) -> bool:
        """Take the filter away; whether there was one."""
        had = bool(self.query_text)
        if self._line is not None:
            self._line.write("")
        self._try("")
        return had

    async def set_query(self, text: str) -> None:
        """Filter by this text, as if it had been typed."""
        (await self._filter_line()).write(text)
        self._try(text)

    @property
    def query_text(self) -> str:
        """The filter as typed."""
        return self._line.text if self._line is not None else ""

    def on_filter_line_changed(self, event: FilterLine.Changed) -> None:
        """Filter while it is typed."""
        event.stop()
        self._try(event.text)

    def on_filter_line_left(self, event: FilterLine.Left) -> None:
        """Back to what is filtered."""
        event.stop()
        if event.cleared:
            self.clear_filter()
        self._home()

    def _try(self, text: str) -> None:
        wrong = ""
        try:
            self._apply(text)
        except FilterError as error:
            wrong = f"{error.position + 1}: {error.what}. {error.remedy}"
            if (names := ", ".join(self.known_fields)) not in wrong:
                wrong += f" Fields: {names}."
            # What stands before the wrong term was right.
            self._apply(text[: error.position].rpartition(" ")[0])
        if self._line is not None:
            self._line.complain(wrong)


class Listing(_Filtered):
    """A `Table` with filter line and notices.

    Args: columns: see `Column`. fields: names that filters may use, when they are not the columns' names; the
    title of a column is one of them.
    counts: whether the pane's title says how many lines there are. empty: what stands here when there are no
    rows at all, and what to do about it. table: the kind of table.

    `home` begins the addresses of notes on its rows, `home/key` (slashes in keys may be quoted there); the
    list shows these notes, and its filter knows `is:bookmarked`, `is:noted` and `note:word`. Nothing is noted
    on the rows of a list without one.
    """

    BINDINGS = bindings([key for key in LIST_KEYS if key.verb == "filter"])

    DEFAULT_CSS = """
    Listing > Table.-headed { height: 1; }
    Listing > Table.-bare { height: 0; }
    """

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        id: str,
        fields: Sequence[str] = (),
        counts: bool = True,
        empty: tuple[str, str] = ("Nothing here yet", ""),
        table: Callable[..., Table] = Table,
    ) -> None:
        super().__init__(id=id)
        self.table = table(columns, id=f"{id}-table")
        self.table.set_class(counts, "-counts")
        self.notice = Notice()
        self.fields = tuple(fields) or tuple(column.name for column in columns if not column.unfiltered)
        if wrong := [column.title for column in columns if not column.names_fields(self.fields)]:
            raise ValueError(f"headers of {id} that are no fields of its filter: {', '.join(wrong)}")
        self._empty = empty
        self._instead = False
        self._home_address = ""

    def compose(self) -> ComposeResult:
        yield self.table
        yield self.notice

    def on_mount(self) -> None:
        self.table.display = False
        self.read_notes()

    @property
    def home(self) -> str:
        """What begins the addresses of its rows."""
        return self._home_address

    @home.setter
    def home(self, home: str) -> None:
        if home != self._home_address:
            self._home_address = home
            if self.is_attached:
                self.read_notes()

    def read_notes(self) -> None:
        """Show the notes as they are now."""
        under = getattr(self.app, "notes_under", None)
        self.table.show_notes(under(self.home) if under is not None and self.home else {})

    @property
    def known_fields(self) -> tuple[str, ...]:
        """The fields of its rows, and those of the notes on them."""
        return (*self.fields, *NOTE_FIELDS) if self.home else self.fields

    def why_not(self, verb: str) -> str:
        """Why a verb does not apply now."""
        nothing = verb == "filter" and not len(self.table.rows) and not self.query_text
        return "there are no lines here" if nothing else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Greyed is what does not apply now."""
        return None if self.why_not(action) else super().check_action(action, parameters)

    def go_to(self, key: str) -> bool:
        """Put the cursor on a record, clearing a filter that hides it; whether there is such a record."""
        if not self.table.go_to(key) and self.table.rows.find(key) is not None:
            self.clear_filter()
        return self.table.go_to(key)

    def when_empty(self, what: str, advice: str) -> None:
        """What stands here when there are no rows at all."""
        self._empty = (what, advice)

    def values(self, field: str) -> Sequence[str]:
        """The words that stand in this field among the first rows, the commonest first."""
        if field == "is" and self.home:
            return ("bookmarked", "noted")
        rows = self.table.rows
        found: Counter[str] = Counter()
        for place in range(min(len(rows), _LOOKED_AT)):
            value = rows.record(place).get(field)
            items = value if isinstance(value, (list, tuple)) else (value,)
            found.update(str(item) for item in items if item not in (None, ""))
        return [word for word, _ in found.most_common(_OFFERED)]

    def load(self, rows: Rows | Sequence[Record], *, keep: bool = True) -> None:
        """Show rows; the filter stays in force."""
        self._instead = False
        self.table.load(rows, keep=keep)
        self.show_state()

    def show_loading(self, what: str) -> None:
        """Say that rows are on their way."""
        self._show_instead(partial(self.notice.show_loading, what))

    def show_error(self, error: EngineError) -> None:
        """Say why there are no rows."""
        self._show_instead(partial(self.notice.show_error, error))

    def _show_instead(self, say: Callable[[], None]) -> None:
        """A notice in place of rows: those of before would pass for what is asked for now."""
        self._instead = True
        if len(self.table.rows):
            self.table.load([])
        say()
        self._show_table(False)

    @on(Table.Counted)
    def _counted(self) -> None:
        self.show_state()

    def show_state(self) -> None:
        """Say what there is, unless something else is said in place of rows."""
        if self._instead:
            return
        if len(self.table.rows) == 0:
            self.notice.show_empty(*self._empty)
        elif self.table.shown == 0:
            self.notice.show_empty("No line passes the filter", "esc clears it")
        # The table keeps the focus while a filter hides everything, so only an empty one leaves.
        self._show_table(len(self.table.rows) > 0)

    def _show_table(self, shown: bool) -> None:
        self.notice.display = self.table.shown == 0 or not shown
        # Hidden, it would lose the focus; that it keeps, and the notice in place of its lines says why.
        self.table.display = shown or self.table.has_focus
        self.table.set_class(shown and self.table.shown == 0, "-headed")
        self.table.set_class(not shown, "-bare")

    def _apply(self, text: str) -> None:
        self.table.set_filter(parse_filter(text, self.known_fields) if text.strip() else None)

    def _home(self) -> None:
        self.table.focus()

    def state(self) -> dict[str, object]:
        """What a session keeps."""
        history = list(self._line.history) if self._line is not None else []
        return {"query": self.query_text, "history": history, **self.table.state()}

    async def restore(self, state: Mapping[str, object]) -> None:
        """Put back what `state` gave."""
        query, history = state.get("query"), state.get("history")
        if isinstance(history, list) and history:
            (await self._filter_line()).history = [str(text) for text in history]
        if isinstance(query, str) and query:
            await self.set_query(query)
        self.table.restore(state)


class ReaderBox(_Filtered):
    """A `Reader` with a filter line."""

    BINDINGS = bindings([key for key in TEXT_KEYS if key.verb == "filter"])

    def __init__(self, *, id: str, follow: bool = False) -> None:
        super().__init__(id=id)
        self.reader = Reader(id=f"{id}-text", follow=follow)

    def compose(self) -> ComposeResult:
        yield self.reader

    def _apply(self, text: str) -> None:
        self.reader.set_filter(parse_filter(text, ["line"]) if text.strip() else None)

    def _home(self) -> None:
        self.reader.focus()
