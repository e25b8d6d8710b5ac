"""Following one attempt of a job: new log lines and metric curves, read in a thread a piece at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Follower", "News"]

FIRST_LINES = 2_000
"""How much of a log that exists already is shown; the file holds the rest."""


@dataclass(frozen=True, slots=True)
class News:
    """What has been added since the last look; `more` says that there is more to read at once."""

    lines: tuple[str, ...]
    curves: bool
    more: bool


class Follower:
    """The event log of one attempt. `read` is for threads; `curves` may be looked at in between."""

    def __init__(self, folder: Path, attempt: int) -> None:
        from workbench.jobs import EventTail, MetricCurves

        self.key = (str(folder), attempt)
        self.folder = folder
        self.path = folder / f"attempt-{attempt}" / "events.jsonl"
        self._tail = EventTail(self.path, from_end=FIRST_LINES)
        self.curves = MetricCurves(self.path)

    def read(self) -> News:
        """Read at most a piece of the log."""
        events = self._tail.read()
        lines = tuple(event.text() for event in events if event.kind not in ("progress", "metric"))
        added = self.curves.update()
        return News(lines, added, bool(self._tail.behind_bytes or self.curves.behind_bytes))


def line_colour(line: str) -> str:
    """The colour of a log line, by its kind."""
    kind = line[10:18].strip()
    return {"warning": "$warning", "error": "$error", "state": "$quiet"}.get(kind, "")
