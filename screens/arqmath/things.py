"""What the palette finds of the ARQMath screen: collections and their topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from engines.core.errors import EngineError
from screens.shell.selection import Thing
from workbench.workspace import Workspace

__all__ = ["things"]

_TOPIC = re.compile(r'<Topic\s+number="([^"]+)"[^>]*>.*?<Title>(.*?)</Title>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def things(workspace: Workspace) -> Iterator[Thing]:
    """The collections, each with its topics; titles as they stand in the file."""
    from engines.forum.folder import ArqmathFolder
    from workbench.papers.arqmath.collections import collections

    for collection in collections(workspace):
        home = ("collection", collection.name)
        yield Thing((home,), "a collection of questions and answers")
        try:
            folder = ArqmathFolder.open(collection.path)
        except EngineError:
            continue
        for path in folder.topics.get(1, ()):
            yield from (Thing((home, ("topic", id_)), title) for id_, title in _topics(path))


def _topics(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return
    for id_, title in _TOPIC.findall(text):
        yield id_, " ".join(unescape(_TAG.sub("", unescape(title))).split())
