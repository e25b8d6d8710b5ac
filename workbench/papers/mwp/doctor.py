"""What math word problems need that may be missing."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.errors import EngineError
from workbench.doctor import Finding
from workbench.papers.mwp.data import held
from workbench.workspace import Workspace

__all__ = ["examine"]


def examine() -> Iterator[Finding]:
    """The sets of problems at hand."""
    try:
        sets = [folder.name for folder in held(Workspace.open(create=False))]
    except EngineError:
        return  # said of the workspace
    if sets:
        yield Finding("word problems", "ok", f"sets in the workspace: {', '.join(sets)}")
    else:
        yield Finding(
            "word problems",
            "note",
            "the workspace has no problems",
            "Register some: mathwb data add problems FILE",
        )
