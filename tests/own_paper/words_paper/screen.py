"""The screen: how many words the sample has."""

from __future__ import annotations

from collections.abc import Iterable

from textual.widgets import Static

from mathwb.screens.shell.keymap import bindings
from mathwb.screens.shell.request import RequestAnswer
from mathwb.screens.shell.screen import WorkbenchScreen
from mathwb.screens.widgets.pane import Pane
from words_paper.keys import KEYS


class WordsScreen(WorkbenchScreen):
    """Asks the operation when it is entered, and shows the answer."""

    MODE = "words"
    BINDINGS = bindings(KEYS)

    def __init__(self) -> None:
        super().__init__()
        self.words = Static()
        self._count = self.request("words.count", self._counted)

    def panes(self) -> Iterable[Pane]:
        """One number."""
        return [Pane(self.words, title="words", id="words")]

    def begin(self) -> None:
        """Count."""
        self.action_again()

    def action_again(self) -> None:
        self._count.ask({"text": "sample-t"})

    def _counted(self, event: RequestAnswer) -> None:
        self.words.update(str(event.error or event.value["words"]))
