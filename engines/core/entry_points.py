"""What other installed distributions add, by entry points of a group such as `mathwb.reporters`."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def find_entry_points(group: str) -> list[EntryPoint]:
    """Find the entry points of a group, in the order of their names; nothing of theirs is imported."""
    # importlib.metadata takes longer to load than all of this: it is loaded where there is an entry point.
    files = (file for root in sys.path for file in Path(root).glob("*-info/entry_points.txt"))
    with suppress(OSError):
        if not any(group.encode() in file.read_bytes() for file in files):
            return []
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda point: point.name)


@cache
def load_entry_points(group: str) -> dict[str, Any]:
    """Import what the entry points of a group name, by their names; one that cannot be loaded is left out."""
    result: dict[str, Any] = {}
    for point in find_entry_points(group):
        with suppress(Exception):  # whatever the code of others raises
            result[point.name] = point.load()
    return result
