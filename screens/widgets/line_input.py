"""A line to write in, which loses nothing of what is pasted."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.widgets import Input


class LineInput(Input):
    """The input for one line of text, used for every field of the screens.

    Pasted lines are joined with spaces, and characters that cannot be printed become spaces.
    """

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()  # textual's own takes the first line
        self._paste_text(event.text)

    def action_paste(self) -> None:
        """Paste what was copied here."""
        self._paste_text(self.app.clipboard)

    def _paste_text(self, text: str) -> None:
        lines = [line for line in map(_make_printable, text.splitlines()) if line.strip()]
        if len(lines) > 1:
            self.take_lines([line.strip() for line in lines])
        elif lines:
            self.put_text(lines[0])

    def take_lines(self, lines: Sequence[str]) -> None:
        """Insert several pasted lines as one line."""
        self.put_text(" ".join(lines))

    def put_text(self, text: str) -> None:
        """Insert a text at the cursor, or in place of the selected text."""
        self.replace(text, *self.selection)


def _make_printable(line: str) -> str:
    return "".join(char if char.isprintable() else " " for char in line)
