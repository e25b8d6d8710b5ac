"""What people read of the results on math word problems on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.cli.common import table
from workbench.operation import Aside

__all__ = ["problems"]

_SHOWN = 10


def problems(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """The files, the commonest templates, and the first rows that something is wrong with."""
    for file in found["files"]:
        yield (
            f"{Path(file['path']).name} ({file['format']}): {file['problems']:,} problems, "
            f"{file['usable']:,} with an equation, {file['skipped']:,} rows skipped, "
            f"{file['disagreements']:,} answers that disagree"
        )
        for kind, notes in file["notes"].items():
            for note in notes[:_SHOWN]:
                yield f"  {kind}, line {note['line']} ({note['id']}): {note['reason']}"
            if len(notes) > _SHOWN:
                yield Aside(f"  {len(notes) - _SHOWN:,} more {kind}; --json lists all")
    rows = list(islice(found["templates"].items(), _SHOWN))
    if rows:
        yield f"{len(found['templates']):,} templates; the commonest:"
        yield from table(("template", "problems"), rows)
    if found["out"]:
        yield f"{found['usable']:,} problems written to {found['out']}"
    if found["renamed"]:
        yield f"{found['renamed']:,} ids stood in an earlier file too and are now file/id"
