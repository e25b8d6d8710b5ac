"""Filter line: where a filter is written, over the full width, with the list's fields and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events, on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from screens.shell.text import safe_text

__all__ = ["FilterLine", "completions"]

_KEPT = 50
_OFFERED = 30
_BEGUN = re.compile(r"(!?)(?:(\w+)([:=]))?([^\s\"']*)$")


def completions(
    before: str, fields: Sequence[str], values: Callable[[str], Sequence[str]]
) -> tuple[int, list[str]]:
    """What may stand at the end of a begun filter: a field, or behind `field:` a value of it.

    Args: before: the text up to the cursor. values: the values that a field has among the rows.
    Returns: where the completed word begins, and the words that it may become.
    """
    found = _BEGUN.search(before)
    if found is None:
        return len(before), []
    written = found[4].casefold()
    if not found[2]:
        return found.start(4), [name for name in fields if name.casefold().startswith(written)]
    words = (
        f'"{word}"' if re.search(r"[\s']", word) else word for word in values(found[2]) if '"' not in word
    )
    return found.start(4), [word for word in words if word.strip('"').casefold().startswith(written)]


def _shared(words: Sequence[str]) -> str:
    """The beginning that all words have."""
    low, high = min(words), max(words)
    return low[: next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


_TAKEN = ("down", "up", "tab", "shift+tab", "escape")


class _FilterInput(Input):
    """Leaves on enter and escape; tab completes, the arrows go through what was written before."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Also those that it leaves to the line."""
        return key in _TAKEN or super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        if event.key in _TAKEN:
            event.stop()
            event.prevent_default()
            self.post_message(_Key(event.key))


@dataclass
class _Key(Message):
    name: str


class FilterLine(Vertical):
    """`/op:sinh size>100`, shown while it is written or in force.

    While it is written it lies over the full width of the terminal, and under it stand the fields that may be
    named, or what is wrong. `fields` are their names; `values` gives those that a field has among the rows.
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

    @dataclass
    class Changed(Message):
        """The text changed."""

        text: str

    @dataclass
    class Left(Message):
        """The user is done; `cleared` when it was with escape."""

        cleared: bool

    def __init__(
        self, fields: Sequence[str] = (), values: Callable[[str], Sequence[str]] = lambda _: ()
    ) -> None:
        self.field = _FilterInput(classes="-not-by-tab", compact=True, select_on_focus=False)
        self.field.can_focus = False
        self.history: list[str] = []
        self.fields = tuple(fields)
        self._values = values
        self._wrong = ""
        self._back = 0
        self._draft = ""
        self._cycle: tuple[int, list[str], int] | None = None
        self._say = Static(classes="say")
        super().__init__(Horizontal(Static("/", classes="slash"), self.field), self._say)

    @property
    def text(self) -> str:
        """What is written."""
        return self.field.value

    def write(self, text: str) -> None:
        """Put a text there."""
        self.field.value = text
        self.display = bool(text)

    def edit(self) -> None:
        """Let the user write."""
        self.display = True
        self.add_class("-written")
        self._back, self._draft, self._cycle = 0, self.text, None
        self.field.can_focus = True
        self.field.focus()
        self._tell()

    def complain(self, what: str) -> None:
        """Say what is wrong, or nothing."""
        self._wrong = what
        self.set_class(bool(what), "-wrong")
        self._tell()

    def _tell(self) -> None:
        if self._wrong:
            self._say.update(safe_text(self._wrong))
            return
        _, words = self._offers()
        keys = "tab completes   up/down earlier ones   enter keeps it   esc clears it"
        said = [safe_text("  ".join(words[:_OFFERED]))] if words else []
        self._say.update(Content("\n").join([*said, safe_text(keys)]))

    def _offers(self) -> tuple[int, list[str]]:
        return completions(self.text[: self.field.cursor_position], self.fields, self._values)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))
        self._tell()

    @on(Input.Submitted)
    def _accepted(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave(cleared=False)

    @on(_Key)
    def _pressed(self, event: _Key) -> None:
        event.stop()
        if event.name == "escape":
            self._leave(cleared=True)
        elif event.name in ("up", "down"):
            self._recall(1 if event.name == "down" else -1)
        else:
            self._complete(-1 if event.name == "shift+tab" else 1)

    def _leave(self, cleared: bool) -> None:
        text = self.text.strip()
        if text and not self._wrong:
            self.history = [*(one for one in self.history if one != text), text][-_KEPT:]
        self.post_message(self.Left(cleared))

    def _recall(self, step: int) -> None:
        """An earlier filter, or a later one; last comes what was being written, which may be in force and so
        among the earlier ones."""
        if not self._back:
            self._draft = self.text
        texts = [self._draft, *(text for text in reversed(self.history) if text != self._draft)]
        self._back = max(0, min(len(texts) - 1, self._back - step))
        self._cycle = None
        self.field.value = texts[self._back]
        self.field.cursor_position = len(self.text)

    def _complete(self, step: int) -> None:
        """As much as all words share; where that adds nothing, one word after the other."""
        at = self.field.cursor_position
        before, behind = self.text[:at], self.text[at:]
        cycle = self._cycle
        if cycle is not None and before[cycle[0] :] == cycle[1][cycle[2]]:
            start, words, number = cycle
            number = (number + step) % len(words)
        else:
            start, words = self._offers()
            if not words:
                return
            common = _shared(words)
            written = before[start:]
            if len(common) > len(written) and len(words) > 1 and common.startswith(written):
                self._put(before[:start] + common, behind)
                return
            number = 0 if step > 0 else len(words) - 1
        self._cycle = (start, words, number)
        self._put(before[:start] + words[number], behind)

    def _put(self, before: str, behind: str) -> None:
        self.field.value = before + behind
        self.field.cursor_position = len(before)

    @on(events.DescendantBlur)
    def _hide_empty(self) -> None:
        self.field.can_focus = False
        self.remove_class("-written")
        self.display = bool(self.text)
