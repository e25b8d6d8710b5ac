"""What the palette finds of the MathAMR screen: collections with topics of Task 2, and these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from engines.core.errors import EngineError
from screens.shell.selection import Thing
from workbench.workspace import Workspace

__all__ = ["things"]

_TOPIC = re.compile(r'<Topic\s+number="([^"]+)"[^>]*>(.*?)</Topic>', re.DOTALL)
_LATEX = re.compile(r"<Latex>(.*?)</Latex>", re.DOTALL)


def things(workspace: Workspace) -> Iterator[Thing]:
    """The collections, each with its topics; formulas as they stand in the file."""
    from engines.forum.folder import ArqmathFolder
    from screens.mathamr.reader import formula_collections

    for name, folder in formula_collections(workspace).items():
        home = ("collection", name)
        yield Thing((home,), "a collection of formulas in context")
        try:
            files = ArqmathFolder.open(folder).topics.get(2, ())
        except EngineError:
            continue
        for path in files:
            try:
                text = path.read_text("utf-8", "replace")
            except OSError:
                continue
            for id_, inner in _TOPIC.findall(text):
                latex = _LATEX.search(inner)
                words = " ".join(unescape(latex[1]).split()) if latex else ""
                yield Thing((home, ("topic", id_)), f"formula {words}")
