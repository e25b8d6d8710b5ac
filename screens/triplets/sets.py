"""Finding what a workspace has of problems, labels and solvers, in a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from engines.core.errors import EngineError
from screens.shell.request import Service

if TYPE_CHECKING:
    from workbench.papers.mwp.labels import Labels
    from workbench.workspace import Workspace

__all__ = ["SetFinder"]


class SetFinder(Service):
    """Looks for the sets of problems of a workspace."""

    @dataclass
    class Found(Message):
        """These there are, by name; `wanted` is the name of the one to show."""

        sets: Mapping[str, Path]
        labels: Labels
        solvers: Sequence[Path]
        wanted: str

    @dataclass
    class Failed(Message):
        """They cannot be listed."""

        error: EngineError

    @work(thread=True, exclusive=True, group="sets", exit_on_error=False)
    def find(self, workspace: Workspace, wanted: str) -> None:
        """List the sets."""
        from workbench.papers.mwp.data import sets
        from workbench.papers.mwp.labels import Labels
        from workbench.papers.mwp.models import solvers

        try:
            labels = Labels(workspace.folder("problems") / "labels.jsonl")
            self.post_message(self.Found(sets(workspace), labels, solvers(workspace), wanted))
        except EngineError as error:
            self.post_message(self.Failed(error))
