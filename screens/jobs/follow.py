"""Following a job: new log lines, the metric curves of all its attempts, its device and its checkpoint, read
in a thread a piece at a time."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.sizes import size
from screens.shell.text import count

if TYPE_CHECKING:
    from workbench.jobs.tail import Curve, MetricCurves

__all__ = ["Follower", "News", "RunCurves", "checkpoint_words", "line_colour", "smooth"]

FIRST_LINES = 2_000
"""How much of a log that exists already is shown; the file holds the rest."""

PIECE_BYTES = 2**18
"""So much is read at once, so that a long log takes nothing from the keys."""

HASHED_BYTES = 2**29
"""A larger checkpoint is not read just to say that it is sound."""


class RunCurves:
    """The metric curves of a job, of each attempt and as one. `read` is for threads, the rest may be asked in
    between."""

    def __init__(self, folder: Path, attempts: int, before: RunCurves | None = None) -> None:
        """`before`: of the same job when it had fewer attempts; what it has read is kept."""
        from workbench.jobs import MetricCurves

        paths = [folder / f"attempt-{number}" / "events.jsonl" for number in range(1, attempts + 1)]
        known = before.attempts if before is not None else []
        self.attempts: list[MetricCurves] = [*known, *map(MetricCurves, paths[len(known) :])]
        self._lock = threading.Lock()

    def read(self) -> bool:
        """Read a piece of what is new. Returns: whether there was any."""
        added = False
        # A marked job may be under the cursor too.
        with self._lock:
            for curves in self.attempts:
                added = curves.update(PIECE_BYTES) or added
                if curves.behind_bytes:
                    break
        return added

    @property
    def behind_bytes(self) -> int:
        """How much is known to be unread."""
        return max(curves.behind_bytes for curves in self.attempts)

    @property
    def names(self) -> list[str]:
        """All metrics, in the order in which they came."""
        return list(dict.fromkeys(name for curves in self.attempts for name in list(curves.curves)))

    def of_attempt(self, number: int, name: str) -> tuple[list[int], list[float]]:
        """Steps and values of one attempt, counted from 1."""
        curve = self.attempts[number - 1].curves.get(name)
        return ([], []) if curve is None else (list(curve.steps), list(curve.mean))

    def joined(self, name: str) -> tuple[list[int], list[float]]:
        """Steps and values of all attempts as one curve: where an attempt goes on, those before it end."""
        steps: list[int] = []
        values: list[float] = []
        for number, curves in enumerate(self.attempts, 1):
            begins = min((c.steps[0] for c in list(curves.curves.values()) if c.steps), default=None)
            if begins is None:
                continue
            keep = bisect.bisect_left(steps, begins)
            more_steps, more_values = self.of_attempt(number, name)
            steps, values = steps[:keep] + more_steps, values[:keep] + more_values
        return steps, values

    def last(self, name: str) -> Curve | None:
        """The curve of the last attempt that has this metric."""
        return next((c.curves[name] for c in reversed(self.attempts) if name in c.curves), None)

    def rows(self) -> list[tuple[str, int, float, float, float, int]]:
        """All points: metric, step, mean, least, most, attempt."""
        return [
            (name, *point, number)
            for number, curves in enumerate(self.attempts, 1)
            for name, curve in curves.curves.items()
            for point in zip(curve.steps, curve.mean, curve.low, curve.high, strict=True)
        ]


def smooth(values: Sequence[float], strength: float) -> list[float]:
    """The exponential moving average, without a bias to the first values; strength 0 leaves them as they are.

    >>> smooth([1.0, 3.0], 0.5)
    [1.0, 2.3333333333333335]
    """
    if not strength:
        return list(values)
    total = weight = 0.0
    result = []
    for value in values:
        total = strength * total + (1 - strength) * value
        weight = strength * weight + (1 - strength)
        result.append(total / weight)
    return result


@dataclass(frozen=True, slots=True)
class News:
    """What has been added since the last look; `more` says that there is more to read at once."""

    lines: tuple[str, ...]
    curves: bool
    more: bool


class Follower:
    """The event log of the last attempt, and the curves of all. `read` is for threads; `curves`, `device` and
    `checkpoint` may be looked at in between."""

    def __init__(self, folder: Path, attempt: int, out: Path | None, curves: RunCurves) -> None:
        """Args: out: where a training keeps its checkpoints, None for other work. curves: of the same job."""
        from workbench.jobs import EventTail

        self.key = (str(folder), attempt)
        self.curves = curves
        self.device: dict[str, Any] = {}
        self.checkpoint = ""
        self._folder, self._attempt = folder, attempt
        self._checkpoints = None if out is None else out / "checkpoints"
        self._checked = ""
        self._tail = EventTail(folder / f"attempt-{attempt}" / "events.jsonl", from_end=FIRST_LINES)

    def read(self) -> News:
        """Read at most a piece of the log."""
        known = self._tail.damaged
        events = self._tail.read(PIECE_BYTES)
        lines = tuple(event.text() for event in events if event.kind not in ("progress", "metric"))
        if self._tail.damaged > known:
            lines += (f"✗ {self._tail.complaint}",)
        added = self.curves.read()
        if not self.device:
            self._find_device()
        if self._checkpoints is not None:
            self._look_at_checkpoint(self._checkpoints)
        return News(lines, added, bool(self._tail.behind_bytes or self.curves.behind_bytes))

    def _find_device(self) -> None:
        from workbench.jobs.executors import device_of
        from workbench.jobs.folder import Job

        self.device = device_of(Job(0, self._folder).attempt(self._attempt))

    def _look_at_checkpoint(self, root: Path) -> None:
        from engines.training.checkpoints import all_checkpoints

        found = all_checkpoints(root)
        newest = found[-1][1].name if found else ""
        if newest != self._checked:
            self._checked = newest
            self.checkpoint = checkpoint_words(root)


def checkpoint_words(root: Path) -> str:
    """Which checkpoint a resume would take, and whether it is sound; nothing without any. Reads them."""
    from engines.training.checkpoints import all_checkpoints, newest

    found = all_checkpoints(root)
    if not found:
        return ""
    step, folder = found[-1]
    try:
        total = sum(file.stat().st_size for file in folder.iterdir())
    except OSError:
        total = 0
    if total > HASHED_BYTES:
        return f"checkpoint {count(step)}, {size(total)}"
    damaged: list[EngineError] = []
    sound = newest(root, on_bad=damaged.append)
    # One that was removed while it was read, since newer ones have come, is not damaged.
    bad = [error for error in damaged if Path(error.where).exists()]
    said = f"checkpoint {count(sound.step)} verified" if sound is not None else "no sound checkpoint"
    return f"{said}, a newer one is damaged" if bad and sound is not None else said


def line_colour(line: str) -> str:
    """The colour of a log line, by its kind."""
    kind = line[10:18].strip()
    return {"warning": "$warning", "error": "$error", "state": "$quiet"}.get(kind, "")
