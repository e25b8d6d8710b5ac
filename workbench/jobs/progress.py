"""How far an attempt is, from the end of its event log."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench.jobs.tail import METRIC, LoggedEvent, is_number

__all__ = ["Progress", "progress"]

_WINDOWS = (2**16, 2**19, 2**22)
"""So many bytes are looked through for a report, the next more only when there is none."""

_RATE_OVER_S = 60.0
_PROGRESS = b'"kind":"progress"'


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an attempt is. `rate` in units a second over the last minute, None until two reports allow it.
    `metrics` holds the last value of each; `last_t` is when anything was reported."""

    step: int | None = None
    done: float | None = None
    total: float | None = None
    unit: str = ""
    rate: float | None = None
    eta_s: float | None = None
    last_t: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)


def progress(path: Path) -> Progress:
    """Progress from the end of a log. Looks back as far as it must, at most 4 MiB."""
    lines: list[bytes] = []
    for window in _WINDOWS:
        lines, whole = _window(path, window)
        if whole or any(_PROGRESS in line for line in lines):
            break
    return _progress(_telling(lines))


def _window(path: Path, size: int) -> tuple[list[bytes], bool]:
    """The whole lines in the last `size` bytes, and whether these are all there are."""
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, 2) - size)
            file.seek(start)
            lines = file.read(size).split(b"\n")
    except OSError:
        return [], True
    # The first line may be cut by the window, and the last one by the writer.
    return lines[1 if start else 0 : -1], start == 0


def _telling(lines: list[bytes]) -> list[LoggedEvent]:
    """The events that progress is told from: all reports, the metrics near the end, and the last event.
    The others are not even parsed."""
    found: list[LoggedEvent] = []
    room = _WINDOWS[0]
    for line in reversed(lines):
        room -= len(line)
        if (not found or _PROGRESS in line or (room > 0 and METRIC in line)) and (
            event := LoggedEvent.parse(line)
        ):
            found.append(event)
    return found[::-1]


def _progress(events: list[LoggedEvent]) -> Progress:
    reports = [event for event in events if event.kind == "progress" and is_number(event.data.get("done"))]
    step = next((event.step for event in reversed(events) if event.step is not None), None)
    last_t = events[-1].t if events else None
    metrics = {
        name: float(value)
        for event in events
        if event.kind == "metric"
        for name, value in event.data.items()
        if is_number(value)
    }
    if not reports:
        return Progress(step=step, last_t=last_t, metrics=metrics)
    last = reports[-1]
    done = float(last.data["done"])
    total = float(last.data["total"]) if is_number(last.data.get("total")) else None
    unit = str(last.data.get("unit") or "")
    # Only reports of the same phase: another unit or total counts something else. One from the future was
    # written before the clock was set back.
    same = [
        event
        for event in reports
        if 0 <= last.t - event.t <= _RATE_OVER_S
        and event.data.get("unit") == last.data.get("unit")
        and event.data.get("total") == last.data.get("total")
        and event.data["done"] <= done
    ]
    first, rate, eta = same[0], None, None
    if last.t > first.t and done > first.data["done"]:
        rate = (done - first.data["done"]) / (last.t - first.t)
        eta = None if total is None else max(0.0, (total - done) / rate)
    return Progress(step, done, total, unit, rate, eta, last_t, metrics)
