"""`mathwb tour`: the main job of every engine on the sample workspace, and what it found."""

from __future__ import annotations

from workbench.cli.common import Json, emit, say
from workbench.operation import load
from workbench.paper import papers
from workbench.tour import Guide
from workbench.workspace import Workspace, ensure_sample

__all__ = ["tour"]


def tour(as_json: Json = False) -> None:
    """Do the main job of every engine on the sample workspace and tell what it found."""
    workspace = Workspace.open()
    made = ensure_sample(workspace)
    say(f"workspace {workspace.root}{': the sample was put there' if made else ''}")
    guide = Guide(lambda line: None if as_json else emit(None, False, text=line or [""]), say)
    for paper in papers():
        if paper.tour:
            load(paper.tour)(guide, workspace)
    emit(
        {"workspace": str(workspace.root), "stops": guide.stops},
        as_json,
        text="Look at all of it with: mathwb",
    )
