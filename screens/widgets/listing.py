"""Lists: a table with its filter line, and what stands there when it is empty."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os.path import commonprefix

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from engines.core.errors import EngineError
from screens.shell.keymap import LIST_KEYS, TEXT_KEYS, bindings
from screens.shell.theme import safe_text
from screens.widgets.line_input import LineInput
from screens.widgets.reader import TextReader
from screens.widgets.table import Table, TableRows
from screens.widgets.table_columns import Record
from workbench.notes import NOTE_FIELDS
from workbench.tables import Column, FilterError, parse_filter


@dataclass
class Failed(Message):
    """A widget shows an error; the app adds it to the activity log."""

    error: EngineError


def failure_content(widget: Widget, error: EngineError) -> Content:
    """Return an error as the widget shows it, and report it to the activity log."""
    widget.post_message(Failed(error))
    prefix = f"{error.where}: " if error.where else ""
    what = safe_text(prefix + error.what)
    lines = Content.assemble(("✗ ", "$error bold"), (error.code, "$error"), " ", what)
    return lines + Content("\n") + safe_text(error.remedy, "$quiet") if error.remedy else lines


class Notice(Static):
    """A message in an empty list, and below it what can be done about it."""

    DEFAULT_CSS = """
    Notice { height: auto; padding: 1 2; color: $foreground; }
    """

    def show_empty(self, what: str, advice: str = "") -> None:
        """Say that there is nothing, and what can be done about it."""
        said = (safe_text(what), *(safe_text(line, "$quiet") for line in advice.splitlines()))
        self.update(Content("\n").join(said))

    def show_loading(self, what: str) -> None:
        """Say what is being loaded."""
        self.update(Content.assemble(("… ", "$accent"), safe_text(what, "$quiet")))

    def show_error(self, error: EngineError) -> None:
        """Show an error."""
        self.update(failure_content(self, error))


# Filters that the history remembers, and words that are offered at once.
_KEPT = 50
_OFFERED = 30
# The word at the cursor: `!`, a field with `:` or `=`, and what is written of its value.
_BEGUN = re.compile(r"(!?)(?:(\w+)([:=]))?([^\s\"']*)$")


def list_completions(
    before: str, fields: Sequence[str], values: Callable[[str], Sequence[str]]
) -> tuple[int, list[str]]:
    """Return the words that can complete a filter: a field, or after `field:` one of its values.

    Args:
        before: the text up to the cursor.
        fields: the names of the fields.
        values: returns the values of a field among the rows.

    Returns:
        Where the completed word begins, and the words that it may become.
    """
    match = _BEGUN.search(before)
    if match is None:
        return len(before), []
    written = match[4].casefold()
    if not match[2]:
        return match.start(4), [name for name in fields if name.casefold().startswith(written)]
    # A value with a quotation mark could not be written as a word of a filter.
    plain = (word for word in values(match[2]) if '"' not in word)
    # Blanks and apostrophes need quotes.
    words = (f'"{word}"' if re.search(r"[\s']", word) else word for word in plain)
    return match.start(4), [word for word in words if word.strip('"').casefold().startswith(written)]


_TAKEN = ("down", "up", "tab", "shift+tab", "escape")


class _FilterInput(LineInput):
    """Leaves on enter and escape; tab completes, the arrows go through what was written before."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Also those that it leaves to the line."""
        return key in _TAKEN or super().check_consume_key(key, character)


class FilterLine(Vertical):
    """The line of a filter, `/op:sinh size>100`, visible while it is typed or in force.

    While it is typed, it covers the full width of the terminal, and below it stand the fields that can be
    named, or what is wrong. `fields` are their names; `values` returns the values of a field among the rows.
    """

    DEFAULT_CSS = """
    FilterLine { height: auto; }
    FilterLine Horizontal { height: 1; }
    FilterLine .slash { width: 2; color: $accent; padding-left: 1; }
    FilterLine Input { width: 1fr; height: 1; border: none; padding: 0; background: transparent; }
    FilterLine Static.say { height: auto; max-height: 4; padding: 0 1; color: $quiet; display: none; }
    FilterLine.-wrong Static.say { color: $warning; display: block; }
    FilterLine.-written {
        overlay: screen; constrain: inside inside; width: 100vw;
        background: $panel; border-top: solid $accent;
    }
    FilterLine.-written Static.say { display: block; }
    """

    def __init__(
        self,
        fields: Sequence[str],
        values: Callable[[str], Sequence[str]],
        changed: Callable[[str], object],
        left: Callable[[bool], object],
    ) -> None:
        """`changed` gets the text; `left` is called when the user is done, with whether by escape."""
        self.field = _FilterInput(classes="-not-by-tab", compact=True, select_on_focus=False)
        # Only while it is edited: the tab key must not stop at a line that is hidden.
        self.field.can_focus = False
        self.history: list[str] = []
        self.fields = tuple(fields)
        self._values, self._changed, self._left = values, changed, left
        self._wrong = ""
        self._back = 0
        self._draft = ""
        self._cycle: tuple[int, list[str], int] | None = None
        self._say = Static(classes="say")
        super().__init__(Horizontal(Static("/", classes="slash"), self.field), self._say)

    @property
    def text(self) -> str:
        """Return the text that is typed."""
        return self.field.value

    def set_text(self, text: str) -> None:
        """Set the filter's text; an empty one hides the line."""
        self.field.value = text
        self.display = bool(text)

    def edit_text(self) -> None:
        """Show the line and let the user type."""
        self.display = True
        self.add_class("-written")
        # A fresh edit begins at the end of the history.
        self._back, self._draft, self._cycle = 0, self.text, None
        self.field.can_focus = True
        self.field.focus()
        self._show_help()

    def show_complaint(self, what: str) -> None:
        """Show what is wrong with the filter; an empty text means nothing is."""
        self._wrong = what
        self.set_class(bool(what), "-wrong")
        self._show_help()

    def _show_help(self) -> None:
        if self._wrong:
            self._say.update(safe_text(self._wrong))
            return
        _, words = self._list_offers()
        keys = "tab complete   up/down history   enter apply   esc clear"
        said = [safe_text("  ".join(words[:_OFFERED]))] if words else []
        self._say.update(Content("\n").join([*said, safe_text(keys)]))

    def _list_offers(self) -> tuple[int, list[str]]:
        return list_completions(self.text[: self.field.cursor_position], self.fields, self._values)

    @on(Input.Changed)
    def _take_typed_text(self, event: Input.Changed) -> None:
        event.stop()
        # Every letter filters at once.
        self._changed(event.value)
        self._show_help()

    @on(Input.Submitted)
    def _accept_filter(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave_line(cleared=False)

    def on_key(self, event: events.Key) -> None:
        if event.key not in _TAKEN:
            return
        event.stop()
        if event.key == "escape":
            self._leave_line(cleared=True)
        elif event.key in ("up", "down"):
            self._recall_filter(1 if event.key == "down" else -1)
        else:
            self._complete_word(-1 if event.key == "shift+tab" else 1)

    def _leave_line(self, cleared: bool) -> None:
        text = self.text.strip()
        if text and not self._wrong:
            # A filter that is used again moves to the end of the history.
            self.history = [*(one for one in self.history if one != text), text][-_KEPT:]
        self._left(cleared)

    def _recall_filter(self, step: int) -> None:
        """An earlier filter, or a later one; last comes what was being written, which may be in force and so
        among the earlier ones."""
        if not self._back:
            self._draft = self.text
        # The draft itself is index 0, and earlier filters follow from the newest on.
        texts = [self._draft, *(text for text in reversed(self.history) if text != self._draft)]
        self._back = max(0, min(len(texts) - 1, self._back - step))
        self._cycle = None
        self.field.value = texts[self._back]
        self.field.cursor_position = len(self.text)

    def _complete_word(self, step: int) -> None:
        """As much as all words share; where that adds nothing, one word after the other."""
        # Completion replaces the word before the cursor and keeps what is behind it.
        at = self.field.cursor_position
        before, behind = self.text[:at], self.text[at:]
        cycle = self._cycle
        # The last completion still stands there: take the next word.
        if cycle is not None and before[cycle[0] :] == cycle[1][cycle[2]]:
            start, words, number = cycle
            number = (number + step) % len(words)
        else:
            start, words = self._list_offers()
            if not words:
                return
            # First as much as all the words share.
            common = commonprefix(words)  # noqa: RUF071  # of characters
            written = before[start:]
            if len(common) > len(written) and len(words) > 1 and common.startswith(written):
                self._put_text(before[:start] + common, behind)
                return
            # Then one word after the other.
            number = 0 if step > 0 else len(words) - 1
        self._cycle = (start, words, number)
        self._put_text(before[:start] + words[number], behind)

    def _put_text(self, before: str, behind: str) -> None:
        self.field.value = before + behind
        self.field.cursor_position = len(before)

    @on(events.DescendantBlur)
    def _hide_empty(self) -> None:
        # Also when the focus moves by a click.
        self.field.can_focus = False
        self.remove_class("-written")
        self.display = bool(self.text)


_LOOKED_AT = 500
_VALUES_OFFERED = 100
"""So many rows are looked at, and so many words of them offered, to complete a filter."""


class _Filtered(Vertical):
    DEFAULT_CSS = "_Filtered { height: 1fr; }"

    _line: FilterLine | None = None
    fields: tuple[str, ...] = ()

    @property
    def known_fields(self) -> tuple[str, ...]:
        """Return the fields that a filter may name."""
        return self.fields

    def list_values(self, field: str) -> Sequence[str]:  # noqa: ARG002
        """Return some values of a field, to complete what is written."""
        return ()

    def _apply_filter(self, text: str) -> None:
        raise NotImplementedError

    def _focus_content(self) -> None:
        raise NotImplementedError

    async def action_filter(self) -> None:
        line = await self._filter_line()
        line.fields = self.known_fields
        line.edit_text()

    async def _filter_line(self) -> FilterLine:
        """Return the line; it comes with the first filter, so that screens without one open sooner."""

        def leave_line(cleared: bool) -> None:
            if cleared:
                self.clear_filter()
            self._focus_content()

        if self._line is None:
            self._line = FilterLine(self.known_fields, self.list_values, self._try_filter, leave_line)
            self._line.display = False
            await self.mount(self._line)
        return self._line

    def clear_filter(self) -> bool:
        """Take the filter away; whether there was one."""
        had = bool(self.query_text)
        if self._line is not None:
            self._line.set_text("")
        self._try_filter("")
        return had

    async def set_query(self, text: str) -> None:
        """Filter by this text, as if it had been typed."""
        (await self._filter_line()).set_text(text)
        self._try_filter(text)

    @property
    def query_text(self) -> str:
        """Return the filter that is typed, or an empty string."""
        return self._line.text if self._line is not None else ""

    def _try_filter(self, text: str) -> None:
        wrong = ""
        try:
            self._apply_filter(text)
        except FilterError as error:
            wrong = f"{error.position + 1}: {error.what}. {error.remedy}"
            if (names := ", ".join(self.known_fields)) not in wrong:
                # The list of fields helps with most mistakes, unless the message has it already.
                wrong += f" Fields: {names}."
            # What stands before the wrong term was right.
            self._apply_filter(text[: error.position].rpartition(" ")[0])
        if self._line is not None:
            self._line.show_complaint(wrong)


class Listing(_Filtered):
    """A `Table` with a filter line and messages.

    `home` is the prefix of the notes on its rows, `home/key` (slashes in keys may be quoted there). The list
    shows these notes, and its filter knows `is:bookmarked`, `is:noted` and `note:word`. Without a `home` the
    rows have no notes.

    Args:
        columns: the columns.
        id: the widget's id.
        fields: the names that filters may use; by default the columns' names. Every column's title is one.
        empty: the message for a list without any rows, and what to do about it.
        table: the class of the table.
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
        empty: tuple[str, str] = ("Nothing here yet", ""),
        table: Callable[..., Table] = Table,
    ) -> None:
        super().__init__(id=id)
        self.table = table(columns, id=f"{id}-table")
        self.notice = Notice()
        self.fields = tuple(fields) or tuple(column.name for column in columns if not column.unfiltered)
        # Caught when a screen is written: the title is what a user would type.
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
        """Return the prefix of the notes on its rows."""
        return self._home_address

    @home.setter
    def home(self, home: str) -> None:
        if home != self._home_address:
            self._home_address = home
            if self.is_attached:
                self.read_notes()

    def read_notes(self) -> None:
        """Show the notes on the rows of this list."""
        # A list may stand in an app that knows no notes.
        under = getattr(self.app, "notes_under", None)
        self.table.show_notes(under(self.home) if under is not None and self.home else {})

    @property
    def known_fields(self) -> tuple[str, ...]:
        """The fields of its rows, and those of the notes on them."""
        return (*self.fields, *NOTE_FIELDS) if self.home else self.fields

    def why_not(self, verb: str) -> str:
        """Return the reason that a verb does not apply now, or an empty string if it does."""
        nothing = verb == "filter" and not len(self.table.rows) and not self.query_text
        return "there are no lines here" if nothing else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if self.why_not(action) else super().check_action(action, parameters)

    def go_to(self, key: str) -> bool:
        """Put the cursor on a record, clearing a filter that hides it; return whether it exists."""
        # The record exists and is hidden by the filter.
        if not self.table.go_to(key) and self.table.rows.find_index(key) is not None:
            self.clear_filter()
        return self.table.go_to(key)

    def when_empty(self, what: str, advice: str) -> None:
        """Set the message and the advice for a list without rows."""
        self._empty = (what, advice)

    def list_values(self, field: str) -> Sequence[str]:
        """Return the words in a field among the first rows, the most frequent first."""
        if field == "is" and self.home:
            return ("bookmarked", "noted")
        rows = self.table.rows
        result: Counter[str] = Counter()
        for index in range(min(len(rows), _LOOKED_AT)):
            value = rows.get_record(index).get(field)
            items = value if isinstance(value, (list, tuple)) else (value,)
            result.update(str(item) for item in items if item not in (None, ""))
        return [word for word, _ in result.most_common(_VALUES_OFFERED)]

    def load(self, rows: TableRows | Sequence[Record], *, keep: bool = True) -> None:
        """Show other rows; with `keep` the cursor stays at its record."""
        self._instead = False
        self.table.load(rows, keep=keep)
        self.show_state()

    def show_loading(self, what: str) -> None:
        """Say what is being loaded, in place of rows."""
        self._show_instead(partial(self.notice.show_loading, what))

    def show_error(self, error: EngineError) -> None:
        """Show an error in place of rows."""
        self._show_instead(partial(self.notice.show_error, error))

    def _show_instead(self, say: Callable[[], None]) -> None:
        """A notice in place of rows: those of before would pass for what is asked for now."""
        self._instead = True
        if len(self.table.rows):
            self.table.load([])
        say()
        self._show_table(False)

    @on(Table.Counted)
    def _follow_count(self) -> None:
        self.show_state()

    def show_state(self) -> None:
        """Show the rows, or the message for an empty list, unless another message is shown."""
        if self._instead:
            return
        if len(self.table.rows) == 0:
            self.notice.show_empty(*self._empty)
        elif self.table.shown == 0:
            self.notice.show_empty("No line matches the filter", "esc clears it")
        # The table keeps the focus while a filter hides everything, so only an empty one leaves.
        self._show_table(len(self.table.rows) > 0)

    def _show_table(self, shown: bool) -> None:
        self.notice.display = self.table.shown == 0 or not shown
        # Hidden, it would lose the focus; that it keeps, and the notice in place of its lines says why.
        self.table.display = shown or self.table.has_focus
        self.table.set_class(shown and self.table.shown == 0, "-headed")
        self.table.set_class(not shown, "-bare")

    def _apply_filter(self, text: str) -> None:
        self.table.set_filter(parse_filter(text, self.known_fields) if text.strip() else None)

    def _focus_content(self) -> None:
        self.table.focus()

    def state(self) -> dict[str, object]:
        """Return what the session stores: the filter with its history, and the table's state."""
        history = list(self._line.history) if self._line is not None else []
        return {"query": self.query_text, "history": history, **self.table.state()}

    async def restore(self, state: Mapping[str, object]) -> None:
        """Set filter, history and table as the session stored them."""
        query, history = state.get("query"), state.get("history")
        if isinstance(history, list) and history:
            (await self._filter_line()).history = [str(text) for text in history]
        if isinstance(query, str) and query:
            await self.set_query(query)
        self.table.restore(state)


class ReaderBox(_Filtered):
    """A text with a filter line."""

    BINDINGS = bindings([key for key in TEXT_KEYS if key.verb == "filter"])

    def __init__(self, *, id: str, follow: bool = False) -> None:
        super().__init__(id=id)
        self.reader = TextReader(id=f"{id}-text", follow=follow)

    def compose(self) -> ComposeResult:
        yield self.reader

    def _apply_filter(self, text: str) -> None:
        self.reader.set_filter(parse_filter(text, ["line"]) if text.strip() else None)

    def _focus_content(self) -> None:
        self.reader.focus()
