"""Following a job: its log, files and curves."""

from __future__ import annotations

import bisect
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.content import Content

from engines.core.errors import EngineError
from engines.core.machine import size
from screens.shell.theme import clock, count, number, safe_text
from screens.widgets.plot import PicturePlot, Series
from screens.widgets.table import Record
from workbench.tables import Column

if TYPE_CHECKING:
    from workbench.jobs.tail import Curve, MetricCurves
    from workbench.jobs.view import JobView


MOST = 2_000

FILE_COLUMNS = (
    Column("file", "file"),
    Column("size", "size", 10, "point", show=lambda record: size(record["size"])),
    Column("changed", "changed", 8, show=lambda record: clock(record["changed"]), drop=1),
)


def job_files(view: JobView) -> list[Record]:
    """The files of the run folder, then those of the folder that the task writes to; at most `MOST`."""
    found: list[Record] = []
    folder, out = Path(view.folder), Path(view.out or view.folder)
    roots = [folder] if out.is_relative_to(folder) else [folder, out]
    for root in roots:
        for parent, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                try:
                    status = path.stat()
                except OSError:
                    continue
                shown = path.relative_to(folder) if root == folder else path
                row = {"id": str(path), "file": str(shown), "size": status.st_size}
                found.append({**row, "changed": status.st_mtime})
                if len(found) >= MOST:
                    return found
    return found


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
        return max(curves.behind_bytes for curves in self.attempts)

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for curves in self.attempts for name in list(curves.curves)))

    def of_attempt(self, number: int, name: str) -> tuple[list[int], list[float]]:
        curve = self.attempts[number - 1].curves.get(name)
        return ([], []) if curve is None else (list(curve.steps), list(curve.mean))

    def joined(self, name: str) -> tuple[list[int], list[float]]:
        """Steps and values of all attempts as one curve: where an attempt goes on, those before it end."""
        steps: list[int] = []
        values: list[float] = []
        for attempt, curves in enumerate(self.attempts, 1):
            begins = min((c.steps[0] for c in list(curves.curves.values()) if c.steps), default=None)
            if begins is None:
                continue
            keep = bisect.bisect_left(steps, begins)
            more_steps, more_values = self.of_attempt(attempt, name)
            steps, values = steps[:keep] + more_steps, values[:keep] + more_values
        return steps, values

    def last(self, name: str) -> Curve | None:
        return next((c.curves[name] for c in reversed(self.attempts) if name in c.curves), None)

    def rows(self) -> list[tuple[str, int, float, float, float, int]]:
        return [
            (name, *point, attempt)
            for attempt, curves in enumerate(self.attempts, 1)
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
    kind = line[10:18].strip()
    return {"warning": "$warning", "error": "$error", "state": "$quiet"}.get(kind, "")


STRENGTHS = (0.0, 0.6, 0.9, 0.97)
"""Of the moving average, in the order in which the key goes through them."""

Points = tuple[Sequence[float], Sequence[float]]


class CurvePlot(PicturePlot):
    """Set `metric` (empty: the first that is a loss), then `draw_runs`."""

    def __init__(self) -> None:
        super().__init__()
        self.metric = ""
        self.strength = 0.0
        self.display = False
        self.legend = True

    def next_strength(self) -> float:
        self.strength = STRENGTHS[(STRENGTHS.index(self.strength) + 1) % len(STRENGTHS)]
        return self.strength

    def choose(self, names: Sequence[str]) -> None:
        if self.metric not in names:
            self.metric = next((name for name in names if "loss" in name), names[0] if names else "")

    def draw_runs(self, runs: Mapping[tuple[int | None, str], Points]) -> None:
        series = [
            Series(name, list(steps), smooth(values, self.strength), sign)
            for (sign, name), (steps, values) in runs.items()
            if len(steps)
        ]
        self.display = bool(series)
        how = f", smoothed {self.strength}" if self.strength else ""
        self.caption = f"{self.metric} by step{how}"
        self.series = tuple(series)


def best_metric(params: Mapping[str, Any], names: Sequence[str]) -> tuple[str, bool]:
    """The measure that a training is judged by, empty for none, and whether less of it is better."""
    train = params.get("train")
    train = train if isinstance(train, Mapping) else {}
    if (best := train.get("best")) in names:
        return str(best), bool(train.get("best_is_lowest", False))
    found = next((name for name in names if name.startswith("validation")), "")
    return found, "loss" in found


def validation(view: JobView, curves: RunCurves, checkpoint: str) -> list[Content]:
    """Last and best value of the measure that counts, and the checkpoint that a resume would take."""
    parts = []
    name, lowest = best_metric(view.params, curves.names)
    steps, values = curves.joined(name) if name else ([], [])
    if values:
        best = min(values) if lowest else max(values)
        at = steps[values.index(best)]
        short, percent = shortened(name)
        if values[-1] == best:
            parts.append(safe_text(f"{short} {number(best)}{percent} ▲ best, at {count(at)}"))
        else:
            parts.append(safe_text(f"{short} {number(values[-1])}{percent} ▼"))
            parts.append(safe_text(f"best {number(best)}{percent} at {count(at)}"))
    if checkpoint:
        bad = "damaged" in checkpoint or "no sound" in checkpoint
        parts.append(safe_text(checkpoint, "$warning" if bad else "$quiet"))
    return parts


def shortened(name: str) -> tuple[str, str]:
    """A measure as it is said: `val kmeans` and ` %` of `validation_kmeans_percent`."""
    short = name.replace("validation_", "val ")
    stem = short.removesuffix("_percent")
    return stem, " %" if stem != short else ""
