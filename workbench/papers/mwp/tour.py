"""The stops of the tour on math word problems."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.papers.mwp.data import held
from workbench.tour import Found, Guide
from workbench.workspace import Workspace

__all__ = ["tour"]


def tour(guide: Guide, workspace: Workspace) -> None:
    """Read problems."""
    sets = [str(file) for file in held(workspace)]
    if not sets:
        guide.say("no word problems are left in the workspace, so none are looked at")
        return
    guide.stop("Read the word problems", "mwp.problems", {"data": sets}, _read)


def _read(found: Found) -> Iterator[str]:
    yield f"{found['problems']:,} problems over {len(found['templates']):,} templates"
