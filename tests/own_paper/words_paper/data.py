"""Texts in the workspace: the kind of data, the names that stand for them, and a setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mathwb.workbench.config import SettingKey
from mathwb.workbench.doctor import DoctorFinding
from mathwb.workbench.operations import Guide
from mathwb.workbench.workspace import BadLineSink, DataKind, Workspace

KINDS = (DataKind("text", "a text", "words_paper.data:check", held="words_paper.data:held", many="texts"),)
SETTINGS = (SettingKey("words.least", 1, "letters of a word, at least", least=1),)


def check(path: Path, report: BadLineSink) -> dict[str, int]:
    """What `mathwb data add text PATH` counts; a line that is wrong goes to `report`."""
    return {"records": len(path.read_text("utf-8").split())}


def held(workspace: Workspace) -> Iterator[Path]:
    """The texts of the workspace."""
    yield from sorted(workspace.make_folder("texts").glob("*/text.txt"))


def find(workspace: Workspace, name: str) -> Path | None:
    """A text of the workspace by the name of its folder."""
    place = workspace.make_folder("texts") / name / "text.txt"
    return place if place.exists() else None


def resolve(name: str) -> Path:
    """What the argument TEXT stands for: a text of the workspace, or a path."""
    return find(Workspace.open(), name) or Path(name).absolute()


def doctor() -> Iterator[DoctorFinding]:
    """What `mathwb doctor` says."""
    yield DoctorFinding("words", "ok", "words can be counted")


def tour(guide: Guide, workspace: Workspace) -> None:
    """The stop of `mathwb tour`."""
    guide.stop(
        "Count the words of the sample",
        "words.count",
        {"text": "sample-t"},
        lambda result: iter([f"{result['words']} words"]),
    )
