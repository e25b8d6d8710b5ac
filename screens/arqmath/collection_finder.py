"""Finding collections, and adding or forgetting run files of one, in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from engines.core.errors import EngineError
from screens.shell.request import Service
from screens.shell.selection import Command
from workbench.errors import explain

if TYPE_CHECKING:
    from workbench.papers.arqmath.collections import Collection
    from workbench.workspace import Workspace

__all__ = ["CollectionFinder"]


class CollectionFinder(Service):
    """Looks for the collections of a workspace."""

    @dataclass
    class Found(Message):
        """These there are; `wanted` is the name of the one to show."""

        collections: Sequence[Collection]
        wanted: str

    @dataclass
    class Failed(Message):
        """They cannot be listed, or (`found`) a run file cannot be added."""

        error: EngineError
        found: bool

    @work(thread=True, exclusive=True, group="collections", exit_on_error=False)
    def find(self, workspace: Workspace, wanted: str) -> None:
        """List the collections."""
        self._find(workspace, wanted)

    def _find(self, workspace: Workspace, wanted: str) -> None:
        from workbench.papers.arqmath.collections import collections

        try:
            self.post_message(self.Found(collections(workspace), wanted))
        except EngineError as error:
            self.post_message(self.Failed(error, found=False))

    def commands(self, workspace: Workspace, collection: Collection | None) -> list[Command]:
        """Palette lines that add a run file, and forget each of those that were added."""
        sentence = "a run of Task 1 from elsewhere"
        if collection is None:
            return [Command("add a run file", sentence, lambda: None, "there is no collection")]
        found = [Command("add a run file", sentence, partial(self._ask_for_run, workspace, collection))]
        for path in collection.added_runs():
            forget = partial(self.change_runs, workspace, collection, path, add=False)
            found.append(Command(f"forget the run {path.name}", "the file stays", forget))
        return found

    def _ask_for_run(self, workspace: Workspace, collection: Collection) -> None:
        from screens.widgets.dialogs import Prompt

        def check(text: str) -> str:
            return "" if Path(text).expanduser().is_file() else "there is no such file"

        def add(text: str) -> None:
            self.change_runs(workspace, collection, Path(text).expanduser(), add=True)

        hint = "a TREC or ARQMath file; it stays where it is"
        Prompt("add the run", hint=hint, check=check).ask(self.app, add)

    @work(thread=True, exit_on_error=False)
    def change_runs(self, workspace: Workspace, collection: Collection, path: Path, *, add: bool) -> None:
        """Add a run file to a collection, or take it off the list, and list the collections anew."""
        try:
            collection.add_run(path) if add else collection.forget_run(path)
        except (EngineError, OSError) as error:
            self.post_message(self.Failed(explain(error), found=True))
        else:
            self._find(workspace, collection.name)
