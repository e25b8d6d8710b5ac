"""What the palette finds of the Triplets screen: sets of problems, and the problems of your own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from screens.shell.selection import Thing
from workbench.workspace import Workspace

__all__ = ["things"]


def things(workspace: Workspace) -> Iterator[Thing]:
    """The sets; of those that lie in the workspace the problems too, by id and text.

    Registered files may be large and of any format: their problems are found on the screen.
    """
    from workbench.papers.mwp.data import held, sets

    own = set(held(workspace))
    for name, path in sets(workspace).items():
        home = ("problems", name)
        yield Thing((home,), "a set of math word problems")
        if path.parent in own:
            yield from (Thing((home, ("triplet", id_)), f"problem: {text}") for id_, text in _problems(path))


def _problems(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            row = json.loads(line)
            yield str(row["id"]), str(row.get("original") or row["text"])
        except (ValueError, KeyError, TypeError):
            continue  # the screen says what is wrong with the file
