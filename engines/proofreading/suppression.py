"""Findings that an author hides: those of a baseline, and those beside a comment that says `mathwb: ok`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.core.files import write_json
from engines.core.rows import json_object
from engines.documents.reading import Document, text_of

FINDINGS = ("wrong", "doubtful", "loses domain", "unread")
"""The verdicts that are reported and can be hidden; all but doubtful make a run fail."""

_MARK = re.compile(r"(?:(?<!\\)%|<!--)\s*mathwb:\s*ok\b")


@dataclass(slots=True)
class Hiding:
    """The findings that an author hides: those of a baseline, and those next to a comment `mathwb: ok`.

    Attributes:
        known: How often each finding (document, verdict, link) may still occur.
        count: How many findings were hidden.
    """

    known: Counter[tuple[str, str, str]]
    count: int = 0

    @classmethod
    def read(cls, baseline: Path | None) -> Hiding:
        """Read a baseline.

        Raises:
            DataError: For a file that is not a baseline.
        """
        if baseline is None:
            return cls(Counter())
        try:
            document = json_object(text_of(baseline))
            rows = [
                (str(row["document"]), str(row["verdict"]), str(row["link"])) for row in document["findings"]
            ]
        except (KeyError, TypeError, ValueError) as error:
            remedy = "Write one with --write-baseline."
            raise DataError(
                "this is no baseline: it has no list of findings", path=baseline, remedy=remedy
            ) from error
        return cls(Counter(rows))

    def show(self, document: Document, file: Path, links: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the links without the findings that are hidden."""
        lines = _marked_lines(file) if not document.row else frozenset[int]()
        shown = []
        for link in links:
            finding = document.id, link["verdict"], format_link(link)
            if link["verdict"] in FINDINGS and (link["line"] in lines or self.known[finding]):
                self.known[finding] -= link["line"] not in lines
                self.count += 1
            else:
                shown.append(link)
        return shown


def _marked_lines(file: Path) -> frozenset[int]:
    """Return the lines of a file that a comment excuses: its own, or the next if it stands alone."""
    if not file.is_file():
        return frozenset()
    marked: set[int] = set()
    for number, line in enumerate(text_of(file).split("\n"), 1):
        if match := _MARK.search(line):
            marked.add(number if line[: match.start()].strip() else number + 1)
    return frozenset(marked)


def write_baseline(path: Path, result: Mapping[str, Any]) -> None:
    """Write the findings of a result to a baseline, which hides them in the next call."""
    findings = [
        {"document": document["id"], "verdict": link["verdict"], "link": format_link(link)}
        for document in result["documents"]
        for link in document["links"]
        if link["verdict"] in FINDINGS
    ]
    write_json(path, {"findings": findings})


def format_link(link: Mapping[str, Any]) -> str:
    """Return a link on one line, as `a = b`."""
    return " ".join(f"{link['left']} {link['relation']} {link['right']}".split())
