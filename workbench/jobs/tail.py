"""Reading logs while they grow (new lines, last lines), and how far an attempt is.

Nothing here needs the whole of a log in memory, and a log of a million lines costs what is new in it.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

MAX_LINE_BYTES = 4 * 2**20
"""A longer line is no event of ours: it is skipped."""

METRIC_MARKER = b'"kind":"metric"'
"""As the worker writes it; inside a text the quotes would be escaped."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """A line of `events.jsonl`: an `Event` with its time (Unix seconds), job, attempt and number."""

    t: float
    job: int
    attempt: int
    seq: int
    kind: str
    step: int | None
    data: dict[str, Any]

    @classmethod
    def parse(cls, line: bytes) -> LoggedEvent | None:
        """Parse a line; None if it is damaged or of a newer kind."""
        try:
            raw = msgspec.json.decode(line)
            # What a library counts in its own integers is written as text.
            step = None if raw.get("step") is None else int(raw["step"])
            numbers = (float(raw["t"]), int(raw["job"]), int(raw["attempt"]), int(raw["seq"]))
            return cls(*numbers, str(raw["kind"]), step, dict(raw.get("data") or {}))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            # Damage of any kind, such as a line that was cut by a crash, costs this one line.
            return None

    def to_dict(self) -> dict[str, Any]:
        """Return the line as it is in the file."""
        return {"v": 1} | {name: getattr(self, name) for name in self.__slots__}

    def to_text(self) -> str:
        """Return the event as a line for people: local time, kind, step and data.

        It may contain control characters: print it through `make_printable`.
        """
        at = time.strftime("%H:%M:%S", time.localtime(self.t))
        step = "" if self.step is None else f"step {self.step:,}"
        return "  ".join(
            part for part in (at, f"{self.kind:<8}", step, _describe_data(self.kind, self.data)) if part
        )


def _describe_data(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "progress" and "done" in data:
        total = f"/{data['total']}" if data.get("total") is not None else ""
        return f"{data['done']}{total} {data.get('unit') or ''}".rstrip()
    # Imported late, because tables are only needed to print events for people.
    from workbench.tables import describe_value

    parts = [] if "message" not in data else [str(data["message"])]
    missing = "not finite" if kind == "metric" else ""
    parts += [
        f"{key} {missing if value is None else describe_value(value, key)}"
        for key, value in data.items()
        if key != "message" and value != ""
    ]
    return "  ".join(parts)


class LineTail:
    """A log that grows: what has been added since the last look, as complete lines.

    Remembers inode and byte offset; a log that was replaced or cut short is read from its start again, a
    half line waits for its other half, and one that is too long is skipped and counted in `damaged`. A log
    that does not exist yet is empty.
    """

    def __init__(self, path: Path, *, from_end: int | None = None) -> None:
        """`from_end`: start so many lines before the present end; None starts at the beginning."""
        self.path = path
        self.damaged = 0
        self.unread_bytes = 0
        # No inode is negative, so the first look always begins with a new file.
        self._inode = -1
        self._offset = 0
        # A line that has begun and whose end is not written yet.
        self._half = b""
        # Inside a line that is too long, until its end has come.
        self._skipping = False
        if from_end is not None:
            with contextlib.suppress(OSError), self.path.open("rb") as file:
                inode, self._offset = _inode_number(file.fileno()), _offset_of_last(file, from_end)
                self._inode = inode

    def read_lines(self, max_bytes: int = 2**20) -> list[bytes]:
        """Return the new lines in at most `max_bytes` of the file; `unread_bytes` is how much is still
        unread.
        """
        try:
            with self.path.open("rb") as file:
                inode, size = _inode_number(file.fileno()), file.seek(0, 2)
                # Another file under the same name, or a file that was cut short: begin again.
                if inode != self._inode or size < self._offset:
                    self._inode, self._offset, self._half, self._skipping = inode, 0, b"", False
                file.seek(self._offset)
                chunk = file.read(max_bytes)
        except OSError:
            # A missing file is not behind.
            self.unread_bytes = 0
            return []
        self._offset += len(chunk)
        self.unread_bytes = max(0, size - self._offset)
        # The last part is what follows the last newline: an unfinished line, or nothing.
        *lines, rest = chunk.split(b"\n")
        if lines:
            # The first line completes the half of the previous read.
            lines[0], self._half = self._half + lines[0], b""
            if self._skipping:
                # The rest of a line that was given up.
                del lines[0]
                self._skipping = False
        self._half += rest
        if len(self._half) > MAX_LINE_BYTES:
            # Counted once, however many reads the long line takes.
            self.damaged += not self._skipping
            self._half, self._skipping = b"", True
        return lines


class EventTail(LineTail):
    """Reads what is added to an event log. Lines that are not events count as `damaged`."""

    @property
    def complaint(self) -> str:
        """A message that lines are damaged, and how many so far; empty if none is."""
        if not self.damaged:
            return ""
        lines = "1 line" if self.damaged == 1 else f"{self.damaged:,} lines"
        return f"{lines} of {self.path.name} cannot be read, and left out"

    def read_events(self, max_bytes: int = 2**20) -> list[LoggedEvent]:
        """Return the new events in at most `max_bytes` of the file."""
        events = []
        for line in self.read_lines(max_bytes):
            event = LoggedEvent.parse(line)
            if event is not None:
                events.append(event)
            elif line.strip():
                self.damaged += 1
        return events


def _inode_number(descriptor: int) -> int:
    return os.fstat(descriptor).st_ino


def _offset_of_last(file: Any, lines: int) -> int:
    """Return where the last `lines` whole lines begin; a half line at the end is not counted."""
    end = file.seek(0, 2)
    # One newline more than lines: the one before the first of them marks its beginning.
    position, wanted, block = end, lines + 1, 2**16
    # Blocks are read from the end until they contain enough newlines.
    while position > 0:
        start = max(0, position - block)
        file.seek(start)
        data = file.read(position - start)
        result = data.count(b"\n")
        if result >= wanted:
            # The wanted newline is that many from the end of this block.
            for _ in range(wanted):
                cut = data.rfind(b"\n")
                data = data[:cut]
            return int(start + cut + 1)
        wanted -= result
        position = start
    return 0


def last_lines(path: Path, count: int) -> list[str]:
    """Return the last lines of a text file, reading from its end.

    An unfinished line is included, bytes that cannot be decoded appear as escapes, and each line is cut at 16
    KiB. A missing file has no lines.
    """
    try:
        with path.open("rb") as file:
            file.seek(_offset_of_last(file, count))
            # At most 16 KiB for each line, so that a file without newlines does not fill the memory.
            data = file.read(count * 2**14)
    except OSError:
        return []
    return [line[: 2**14].decode("utf-8", "backslashreplace") for line in data.splitlines()[-count:]]


def is_number(value: object) -> bool:
    """Return whether a value is a finite number; booleans are not."""
    # `True` is an `int` in Python, and a metric is not.
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def keep_last(metrics: dict[str, float], reported: Mapping[str, Any]) -> None:
    """Overwrite measures with newer values; a measure whose value is not a finite number is removed."""
    for name, value in reported.items():
        if is_number(value):
            metrics[name] = float(value)
        else:
            metrics.pop(name, None)


_WINDOWS = (2**16, 2**19, 2**22)
"""So many bytes are looked through for a report, the next more only when there is none."""

# A minute: long enough to smooth single reports, short enough to follow a change of speed.
_RATE_OVER_S = 60.0
_PROGRESS = b'"kind":"progress"'


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far an attempt has come.

    `rate` is in units a second over the last minute, None until two reports allow it. `metrics` has the last
    value of each; `last_t` is when anything was last reported.
    """

    step: int | None = None
    done: float | None = None
    total: float | None = None
    unit: str = ""
    rate: float | None = None
    eta_s: float | None = None
    last_t: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)


def read_progress(path: Path) -> JobProgress:
    """Compute the progress of an attempt from the end of its log, reading at most 4 MiB of it."""
    lines: list[bytes] = []
    for window in _WINDOWS:
        lines, whole = _read_window(path, window)
        if whole or any(_PROGRESS in line for line in lines):
            break
    return _compute_progress(_relevant_events(lines))


def _read_window(path: Path, size: int) -> tuple[list[bytes], bool]:
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, 2) - size)
            file.seek(start)
            lines = file.read(size).split(b"\n")
    except OSError:
        return [], True
    # The first line may be cut by the window, and the last one by the writer.
    return lines[1 if start else 0 : -1], start == 0


def _relevant_events(lines: list[bytes]) -> list[LoggedEvent]:
    """Return the events that progress is computed from: all reports, the metrics near the end, and the last
    event. The others are not even parsed.
    """
    results: list[LoggedEvent] = []
    # Metrics are read from the last 64 KiB alone, which bounds the cost on a log full of them.
    room = _WINDOWS[0]
    for line in reversed(lines):
        room -= len(line)
        if (not results or _PROGRESS in line or (room > 0 and METRIC_MARKER in line)) and (
            event := LoggedEvent.parse(line)
        ):
            results.append(event)
    return results[::-1]


def _compute_progress(events: list[LoggedEvent]) -> JobProgress:
    reports = [event for event in events if event.kind == "progress" and is_number(event.data.get("done"))]
    step = next((event.step for event in reversed(events) if event.step is not None), None)
    last_t = events[-1].t if events else None
    metrics: dict[str, float] = {}
    # The last value of each metric, in the order of the log.
    for event in events:
        if event.kind == "metric":
            keep_last(metrics, event.data)
    if not reports:
        return JobProgress(step=step, last_t=last_t, metrics=metrics)
    # The last report says how far it is; the rate is measured over the reports of the last minute.
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
    # A rate needs time and progress between the first and the last report.
    if last.t > first.t and done > first.data["done"]:
        rate = (done - first.data["done"]) / (last.t - first.t)
        eta = None if total is None else max(0.0, (total - done) / rate)
    return JobProgress(step, done, total, unit, rate, eta, last_t, metrics)
