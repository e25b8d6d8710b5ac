"""All that the dummy paper brings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.config import Key
from workbench.data import Kind, Report
from workbench.doctor import Finding
from workbench.operation import Background, Operation
from workbench.tour import Guide
from workbench.workspace import Workspace

_HERE = "workbench.papers.dummy.registered"
OPERATIONS = (
    Operation(
        "dummy.count",
        "Count the words of a text.",
        spec="engines.dummy.count_words:CountWords",
        call="engines.dummy.count_words:count_words",
        text=f"{_HERE}:counted",
        background=Background("dummy count {text.name}", "counts {text}", target="text"),
    ),
)
KINDS = (Kind("dummy-text", "a text", f"{_HERE}:check", held=f"{_HERE}:held", many="texts"),)
KEYS = (Key("dummy.least", 1, "letters of a word, at least", least=1),)


def counted(found: Any, _spec: object) -> Iterator[str]:
    """The count."""
    yield f"{found.words} words"


def check(path: Path, report: Report) -> dict[str, int]:
    """Count the words."""
    return {"records": len(path.read_text("utf-8").split())}


def held(workspace: Workspace) -> Iterator[Path]:
    """The texts of the workspace."""
    yield from sorted(workspace.folder("dummies").glob("*/text.txt"))


def find(workspace: Workspace, name: str) -> Path | None:
    """A text of the workspace by the name of its folder."""
    place = workspace.folder("dummies") / name / "text.txt"
    return place if place.exists() else None


def resolve(name: str) -> Path:
    """A text by path or name."""
    return find(Workspace.open(), name) or Path(name).absolute()


def examine() -> Iterator[Finding]:
    """Whether words can be counted."""
    yield Finding("dummy", "ok", "words can be counted")


def tour(guide: Guide, workspace: Workspace) -> None:
    """Count the words of the sample."""
    guide.stop(
        "Count the words of the sample",
        "dummy.count",
        {"text": "sample-d"},
        lambda found: iter([f"{found['words']} words"]),
    )
