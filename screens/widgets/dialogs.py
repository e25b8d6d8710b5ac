"""Dialogs: choose one of several, write one line, yes or no, read a text. Each returns its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region
from textual.messages import Update
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from screens.shell.theme import safe_text
from screens.widgets.line_input import LineInput
from screens.widgets.listing import ReaderBox
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.tables import Column

T = TypeVar("T")

_LABEL = 44
"""Cells for what a line of a chooser is called, at most: the longest names of recipes fit."""
_AROUND = 7
"""Lines of a chooser besides its table: frame, the line to search by and a blank one, the sentence."""


def frame_dialog(title: str, keys: str, *widgets: Widget) -> Vertical:
    """Put a dialog's widgets in a frame, with the title at the top and the keys at the bottom."""
    box = Vertical(*widgets)
    box.border_title, box.border_subtitle = safe_text(title), keys
    return box


class Dialog(ModalScreen[T | None]):
    """A frame over the screen; escape closes it without an answer."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > Vertical {
        width: 100; max-width: 96%; border: round $accent; background: $background;
        border-subtitle-color: $quiet;
    }
    Dialog Input { border: none; height: 1; padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "close", show=False)]

    def ask(self, app: App[Any], then: Callable[[T], object]) -> None:
        """Show the dialog; `then` gets the answer if there is one."""

        def pass_answer(answer: T | None) -> Any:
            # Textual gives None for a dialog that was closed.
            return None if answer is None else then(answer)

        app.push_screen(self, pass_answer)

    def action_close(self) -> None:
        self.dismiss(None)

    def refresh(self, *regions: Region, **how: Any) -> Self:
        """As any widget. Of the screen underneath some regions may have to be painted anew; what waits to be
        painted here would be given up for these."""
        super().refresh(*regions, **how)
        if regions and self._repaint_required:
            self._repaint_required = False
            self.post_message(Update(self))
        return self


@dataclass(frozen=True, slots=True)
class MenuChoice:
    """A line to choose.

    `key` chooses it at once where nothing is typed, `reason` says why it cannot be chosen now, and `run`
    does it if the caller does not go by the name.
    """

    name: str
    label: str
    detail: str = ""
    key: str = ""
    reason: str = ""
    run: Callable[[], object] = lambda: None


def number_choices(choices: Iterable[MenuChoice], start: int = 1) -> list[MenuChoice]:
    """Give the choices their numbers as keys, as far as these are single digits."""
    return [replace(one, key=str(n) if n < 10 else "") for n, one in enumerate(choices, start)]


def _label_content(record: Record) -> Content:
    return safe_text(record["label"], "$quiet" if record["reason"] else "")


def _detail_content(record: Record) -> Content:
    if record["reason"]:
        return safe_text(f"not now: {record['reason']}", "$quiet italic")
    return safe_text(record["detail"], "$quiet")


class Chooser(Dialog[str]):
    """A list to choose from, with the cursor on `now`; the dialog returns the chosen `MenuChoice.name`.

    With `typed`, a line at the top narrows the list, and `more` can add choices made from the text, such as
    `job 12`. Without it the choices' keys work at once, and / opens the line. Tab goes from the line to the
    list, and / back.
    """

    DEFAULT_CSS = """
    Chooser > Vertical { height: auto; max-height: 90%; border-title-color: $foreground; }
    Chooser Input { margin-bottom: 1; }
    Chooser Table { height: auto; max-height: 24; }
    Chooser .whole { height: auto; max-height: 3; padding: 0 2; color: $quiet; }
    Chooser.-typed { align: center top; }
    Chooser.-typed > Vertical { margin-top: 1; }
    """

    def __init__(
        self,
        title: str,
        choices: Sequence[MenuChoice],
        *,
        now: str = "",
        typed: bool = False,
        text: str = "",
        more: Callable[[str], Sequence[MenuChoice]] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = list(choices)
        self._now = now
        self._typed = typed
        # The line stays where it is, however many lines there are under it.
        self.set_class(typed, "-typed")
        self._text = text
        self._more = more
        # As wide as the longest key needs; a title only where it fits.
        key_width = max([len(choice.key) for choice in choices] + [1])
        key_title = "key" if key_width >= len("key") else ""
        self._table = Table(
            [
                Column(
                    "key", key_title, min(key_width, 12), show=lambda r: safe_text(r["key"], "$accent bold")
                ),
                Column("label", "", _LABEL, least=34, show=_label_content),
                Column("detail", "", show=_detail_content),
            ]
        )

    def compose(self) -> ComposeResult:
        line = LineInput(self._text, placeholder="type to search", compact=True, select_on_focus=False)
        line.display = self._typed
        yield frame_dialog(self._title, "enter run   esc close", line, self._table, Static(classes="whole"))

    @on(Table.Moved)
    def _show_whole(self) -> None:
        """The sentence of the line under the cursor, which the line itself may have cut."""
        record = self._table.current or {"detail": "nothing matches", "reason": ""}
        self.query_one(".whole", Static).update(_detail_content(record))

    def on_mount(self) -> None:
        self._show_matches(self._text)
        self._table.go_to(self._now)
        # With `typed`, what is typed filters at once; otherwise keys choose.
        (self.query_one(Input) if self._typed else self._table).focus()

    def _show_matches(self, text: str) -> None:
        # 1. Lines made from the text itself, such as `job 12`.
        extra = list(self._more(text)) if self._more and text.strip() else []
        # 2. The known lines that contain all words, in any order.
        words = text.casefold().split()
        results = [
            choice
            for choice in self._choices
            if all(word in f"{choice.label} {choice.key} {choice.detail}".casefold() for word in words)
        ]
        # What begins with the text comes first, then what has its words in the name.
        start = text.casefold().strip()

        def match_rank(choice: MenuChoice) -> int:
            label = choice.label.casefold()
            return 0 if label.startswith(start) else 1 if all(word in label for word in words) else 2

        # 3. The best matches first; `sorted` keeps the order of equals.
        results = sorted([*extra, *results], key=match_rank)
        rows = [
            {"id": c.name, "key": c.key, "label": c.label, "detail": c.detail, "reason": c.reason}
            for c in results
        ]
        self._table.load(rows, keep=False)
        self._table.cursor = 0
        self._fit_height()

    def on_resize(self) -> None:
        self._fit_height()

    def _fit_height(self) -> None:
        """As high as its lines need, and no higher than leaves room for the sentence under them."""
        # Nine tenths of the screen, less what stands around the table.
        room = self.size.height * 9 // 10 - _AROUND
        self._table.styles.height = max(3, min(len(self._table.rows) + 1, 24, room))

    @on(Input.Changed)
    def _typed_text(self, event: Input.Changed) -> None:
        self._show_matches(event.value)

    @on(Input.Submitted)
    @on(Table.Opened)
    def _choose_current(self) -> None:
        current = self._table.current
        if current is not None and not current["reason"]:
            self.dismiss(str(current["id"]))

    def on_key(self, event: events.Key) -> None:
        line = self.query_one(Input)
        taken = not self._typed and any(choice.key == event.character for choice in self._choices)
        # 1. Where the table has the focus, some keys go on in the list or open the line.
        if self._table.has_focus and not taken and event.key in ("n", "N", "slash", "tab"):
            event.stop()
            event.prevent_default()
            if event.key in ("n", "N"):
                self._table.cursor += 1 if event.key == "n" else -1
            elif event.key == "slash" or self._typed:
                line.display = True
                line.focus()
            return
        # 2. Where the line has it, the arrows move the cursor of the table below.
        if line.has_focus:
            if event.key == "tab":
                event.stop()
                event.prevent_default()
                self._table.focus()
            if event.key in ("down", "up", "pagedown", "pageup"):
                event.stop()
                step = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}[event.key]
                self._table.cursor += step
            return
        if self._typed:
            return
        # 3. Otherwise a key that belongs to a choice chooses it.
        for choice in self._choices:
            if choice.key and event.character == choice.key and not choice.reason:
                event.stop()
                self.dismiss(choice.name)
                return


class FootLine(Dialog[T]):
    """A dialog at the foot of the screen, which stays visible."""

    DEFAULT_CSS = """
    FootLine { align: left bottom; background: transparent; }
    FootLine > Vertical {
        width: 1fr; max-width: 100%; height: auto; background: $panel; padding: 0 1;
        border: none; border-top: solid $accent;
    }
    """


class Prompt(FootLine[str]):
    """A line of text to type; `check` returns what is wrong with it, or an empty string."""

    DEFAULT_CSS = """
    Prompt Horizontal { height: 1; }
    Prompt .label { width: auto; color: $accent; padding-right: 1; }
    Prompt Input { padding: 0; width: 1fr; }
    Prompt .say { height: auto; max-height: 3; color: $quiet; }
    """

    def __init__(
        self, label: str, text: str = "", *, hint: str = "", check: Callable[[str], str] | None = None
    ) -> None:
        super().__init__()
        self._label = label
        self._text = text
        self._hint = hint
        self._check = check or (lambda _: "")

    def compose(self) -> ComposeResult:
        with Vertical():
            with Horizontal():
                yield Static(safe_text(self._label), classes="label")
                # What stood there before is selected: what is typed takes its place, an arrow keeps it.
                yield LineInput(self._text, compact=True, select_on_focus=True)
            yield Static(safe_text(self._hint), classes="say")

    @on(Input.Changed)
    def _check_typed_text(self, event: Input.Changed) -> None:
        wrong = self._check(event.value)
        self.query_one(".say", Static).update(
            safe_text(wrong, "$warning") if wrong else safe_text(self._hint)
        )

    @on(Input.Submitted)
    def _accept_text(self, event: Input.Submitted) -> None:
        if not self._check(event.value):
            self.dismiss(event.value)


class Confirm(Dialog[bool]):
    """A question about something that cannot be undone; the dialog returns True for yes."""

    DEFAULT_CSS = """
    Confirm > Vertical {
        width: 64; height: auto; padding: 1 2; border: round $warning; border-title-color: $warning;
    }
    Confirm .keys { margin-top: 1; color: $quiet; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "close", "no", show=False),
        Binding("y", "agree", "yes", show=False),
    ]

    def __init__(self, question: str, consequence: str) -> None:
        super().__init__()
        self._question = question
        self._consequence = consequence

    def compose(self) -> ComposeResult:
        consequence = Static(safe_text(self._consequence))
        yield frame_dialog(self._question, "", consequence, Static("y yes   n no", classes="keys"))

    def action_agree(self) -> None:
        self.dismiss(True)


class TextScreen(Dialog[None]):
    """A text to read, such as the environment of a job: lines that can be scrolled and filtered."""

    DEFAULT_CSS = "TextScreen > Vertical { height: 80%; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,i", "close", "close", show=False)]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        yield frame_dialog(self._title, "/ filter   w wrap   esc close", ReaderBox(id="text"))

    def on_mount(self) -> None:
        reader = self.query_one(ReaderBox).reader
        reader.show_lines(self._lines)
        reader.focus()
