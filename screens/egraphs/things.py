"""What the palette finds of the E-graphs screen: corpora and models."""

from __future__ import annotations

from collections.abc import Iterator

from screens.shell.selection import Thing
from workbench.workspace import Workspace

__all__ = ["things"]


def things(workspace: Workspace) -> Iterator[Thing]:
    """The corpora of the workspace, then the models that make vectors."""
    from workbench.papers.egen.models import models

    for path in sorted(workspace.corpora.iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            yield Thing((("corpus", path.name),), "a corpus of clusters")
    for path in models(workspace):
        yield Thing((("model", path.name),), "a model that makes vectors of expressions")
