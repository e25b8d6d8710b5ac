"""AMPS, exercises with worked solutions (Hendrycks et al. 2021), in the folders in which it is published.

`mathematica/<topic>/…/N.txt` holds a line `Problem:`, the problem, and one or more times a line `Answer:` and
an answer; `khan/<exercise>/N.json` an object with `problem` (or `question`) and `hints`. Either part may be
missing, and the folder may be one of the parts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError
from engines.core.files import file_error
from engines.core.machine import size
from engines.forum.readers import Report

_MAX_BYTES = 2**20
"""A longer exercise is malformed."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """A problem and one solution of it, in steps. `source` is khan or mathematica, `topic` its folder."""

    source: str
    topic: str
    problem: str
    steps: tuple[str, ...]

    @property
    def solution(self) -> str:
        """The steps as one text, a line each."""
        return "\n".join(self.steps)

    @property
    def segments(self) -> list[str]:
        """The problem and the steps: the chunks in which AMPS is given."""
        return [self.problem, *self.steps]


def read_amps(folder: str | Path, report: Report) -> Iterator[Exercise]:
    """Every exercise, folder by folder; a problem with several answers gives one exercise for each.

    Files that are no exercise are counted in the report. Raises: DataError when the folder is missing or
    holds no exercise at all.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise file_error(FileNotFoundError(2, "no such folder"), folder, "read")
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise ValueError(f"larger than {size(_MAX_BYTES)}")
            text = path.read_bytes().decode("utf-8")
            found = _khan(path, text) if path.suffix == ".json" else _mathematica(path, text)
        except (ValueError, OSError) as error:
            reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            report.leave_out(1, f"{name}: {reason}")
            continue
        report.read += 1
        yield from found
    if not report.read:
        raise DataError(
            "no exercises found here",
            path=folder,
            code="E318",
            remedy="Expected AMPS's folders khan/<exercise>/N.json or mathematica/<topic>/N.txt.",
        )


def _files(folder: Path) -> Iterator[Path]:
    """Exercise files in an order that does not depend on the file system; one folder at a time in memory."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names, key=lambda name: (len(name), name)):
            if name.endswith((".txt", ".json")) and not name.startswith("."):
                yield Path(place) / name


def _khan(path: Path, text: str) -> list[Exercise]:
    row = json.loads(text)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    problem = row.get("problem") or row.get("question")
    hints = row.get("hints") or row.get("solution")
    steps = [hints] if isinstance(hints, str) else hints
    if not isinstance(problem, str) or not isinstance(steps, list):
        raise ValueError("no problem with hints")
    lines = tuple(step.strip() for step in steps if isinstance(step, str) and step.strip())
    if not problem.strip() or not lines:
        raise ValueError("the problem or its hints are empty")
    return [Exercise("khan", path.parent.name, problem.strip(), lines)]


def _mathematica(path: Path, text: str) -> list[Exercise]:
    sections: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        mark = line.strip()
        if mark in ("Problem:", "Answer:"):
            sections.append((mark, []))
        elif sections and mark:
            sections[-1][1].append(mark)
    if not sections or sections[0][0] != "Problem:" or not sections[0][1]:
        raise ValueError("it does not start with a problem")
    answers = [tuple(lines) for mark, lines in sections[1:] if mark == "Answer:" and lines]
    if not answers:
        raise ValueError("no answer")
    problem = "\n".join(sections[0][1])
    return [Exercise("mathematica", path.parent.name, problem, lines) for lines in answers]
