"""What the palette finds of the Triplets screen: sets of problems."""

from __future__ import annotations

from collections.abc import Iterator

from screens.shell.selection import Thing
from workbench.workspace import Workspace

__all__ = ["things"]


def things(workspace: Workspace) -> Iterator[Thing]:
    """The sets of problems."""
    from workbench.papers.mwp.data import sets

    for name in sets(workspace):
        yield Thing((("problems", name),), "a set of math word problems")
