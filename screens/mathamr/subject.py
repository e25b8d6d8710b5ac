"""Subject of an inspection: a topic or a text, and whose graph of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

__all__ = ["OWN", "Subject", "parsers", "text_of"]

OWN = "own texts"
"""What the user's own texts are called beside the collections."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A topic of a collection at `folder`, or a text of one's own, to which formulas there are near; `parser`
    says whose graph, unless `graph`
    (PENMAN text, edited by hand) is given."""

    collection: str
    folder: str = ""
    topic: str = ""
    text: str = ""
    parser: str = ""
    graph: str = ""

    @property
    def name(self) -> str:
        """The topic, or how the text begins."""
        return self.topic or self.text

    @property
    def source(self) -> dict[str, Any]:
        """The topic or text, as the operation `mathamr.inspect` is told."""
        place = {"folder": self.folder} if self.folder else {}
        return {**place, "topic": self.topic} if self.topic else {**place, "text": self.text}

    @property
    def params(self) -> dict[str, Any]:
        """All that the operation is told."""
        told = self.source
        if self.graph:
            told["graph"] = self.graph
        elif self.parser:
            told["parser"] = self.parser
        return told

    @property
    def words(self) -> list[str]:
        """The words of the command that prints the same."""
        options = [
            part
            for name, value in self.params.items()
            if name != "text"
            for part in (f"--{name}", str(value))
        ]
        return ["mathamr", "inspect", *options, *(["--", self.text] if self.text else [])]

    @property
    def address(self) -> str:
        """Where notes on it are kept."""
        if self.topic:
            return f"mathamr/{self.collection}/topic/{self.topic}"
        escaped = self.text.replace("%", "%25").replace("/", "%2F")
        return f"mathamr/{OWN}/text/{escaped}"

    @property
    def stem(self) -> str:
        """What its files are called."""
        return f"{self.collection}-{self.topic}" if self.topic else "text"

    def by(self, parser: str) -> Subject:
        """With the graph of another parser."""
        return replace(self, parser=parser, graph="")

    def edited(self, graph: str) -> Subject:
        """With a graph that was edited."""
        return replace(self, graph=graph)


def text_of(escaped: str) -> str:
    """The text of an address."""
    return unquote(escaped)


def parsers() -> tuple[str, ...]:
    """Whose graphs there can be."""
    from engines.core.spec import described
    from engines.mathamr.inspection import Inspect

    return next(tuple(map(str, field.choices)) for field in described(Inspect) if field.name == "parser")
