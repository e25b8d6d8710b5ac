"""Files of AMR graphs: as registered data, and by name."""

from __future__ import annotations

from pathlib import Path

from engines.core.errors import DataError, did_you_mean
from workbench.data_kinds import Kind, Report
from workbench.errors import MissingError
from workbench.workspace import Workspace

__all__ = ["KINDS", "amr_path", "check"]

KINDS = (Kind("amr", "AMR graphs in PENMAN, each under its sentence", "workbench.papers.mathamr.data:check"),)


def check(path: Path, report: Report) -> dict[str, int]:
    """Graphs that can be read, and blocks that cannot."""
    from engines.mathamr.graph.amr import read_graph
    from engines.mathamr.graph.files import read_blocks

    count = 0
    for one in read_blocks(path, on_bad=report):
        try:
            read_graph(one.graph)
            count += 1
        except DataError as error:
            report(DataError(error.what, path=path, line=one.line, code=error.code, remedy=error.remedy))
    return {"records": count}


def amr_path(name: str) -> Path:
    """A file by its path, or one that is registered under this name. Raises: MissingError E354."""
    path = Path(name).expanduser()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    known = {one.name: one for one in Workspace.open(create=False).data.all() if one.kind == "amr"}
    if name in known:
        return known[name].place()
    remedy = (
        did_you_mean(name, known) or f"Registered: {', '.join(known) or 'none'}; mathwb data add amr FILE."
    )
    raise MissingError(f"there are no AMR graphs {name!r}", code="E354", remedy=remedy)
