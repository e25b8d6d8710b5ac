"""Curves of the measures in a growing log: neighbouring values are merged, so that no curve has more than so
many points."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from workbench.jobs.tail import METRIC_MARKER, LineTail, is_number


@dataclass(slots=True)
class MeasureCurve:
    """A measure over steps in at most twice `half_capacity` points.

    When it is full, neighbours are merged: `means`, `lows` and `highs` are of all values of a point, so no
    spike is lost.
    """

    half_capacity: int = 500
    steps: list[int] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    lows: list[float] = field(default_factory=list)
    highs: list[float] = field(default_factory=list)
    last: float = math.nan
    largest_step: int = -1
    count: int = 0
    undefined_steps: list[int] = field(default_factory=list)
    """The steps whose value was not a finite number, at most `half_capacity` of them."""
    undefined_count: int = 0
    _weights: list[int] = field(default_factory=list)
    _values_per_point: int = 1

    def add_values(self, steps: Sequence[int], values: Sequence[float]) -> None:
        """Add the next values, one or many; the points are the same either way."""
        if not values:
            return
        self.last = values[-1]
        self.largest_step = max(self.largest_step, *steps)
        self.count += len(values)
        # Values are taken in runs that fill the current point, so a long list costs few steps.
        done = 0
        while done < len(values):
            # Begin a new point if there is none or the last one is full.
            begins_point = not self._weights or self._weights[-1] >= self._values_per_point
            if begins_point and len(self.steps) >= 2 * self.half_capacity:
                self._merge_neighbours()
            weight = 0 if begins_point else self._weights[-1]
            part = values[done : done + self._values_per_point - weight]
            # `fsum` loses no digits over a long series.
            total, low, high = math.fsum(part), min(part), max(part)
            if begins_point:
                self.steps.append(steps[done])
                self.means.append(total / len(part))
                self.lows.append(low)
                self.highs.append(high)
                self._weights.append(len(part))
            else:
                # The running mean, corrected by the new values according to their number.
                self.means[-1] += (total - len(part) * self.means[-1]) / (weight + len(part))
                self.lows[-1], self.highs[-1] = min(self.lows[-1], low), max(self.highs[-1], high)
                self._weights[-1] = weight + len(part)
            done += len(part)

    def add_undefined(self, steps: Sequence[int]) -> None:
        """Add steps whose value is not a finite number."""
        self.undefined_steps += steps[: self.half_capacity - len(self.undefined_steps)]
        self.undefined_count += len(steps)

    def _merge_neighbours(self) -> None:
        # An odd point at the end is left out of the pairs; `add_values` merges only at an even number of
        # points.
        pairs = range(0, len(self.steps) - 1, 2)
        w = self._weights
        self.means = [
            (self.means[i] * w[i] + self.means[i + 1] * w[i + 1]) / (w[i] + w[i + 1]) for i in pairs
        ]
        self.lows = [min(self.lows[i], self.lows[i + 1]) for i in pairs]
        self.highs = [max(self.highs[i], self.highs[i + 1]) for i in pairs]
        self.steps = [self.steps[i] for i in pairs]
        self._weights = [w[i] + w[i + 1] for i in pairs]
        # From now on a point takes twice as many values, so memory stays constant however long the curve
        # grows.
        self._values_per_point *= 2


class AttemptCurves:
    """The measures of an attempt, read from its log, as curves by name, which `read_more`
    brings up to date.
    """

    def __init__(self, path: Path) -> None:
        self.curves: dict[str, MeasureCurve] = {}
        self._tail = LineTail(path)

    @property
    def unread_bytes(self) -> int:
        """The number of unread bytes of the log."""
        return self._tail.unread_bytes

    def read_more(self, max_bytes: int = 2**20) -> bool:
        """Read at most `max_bytes` more and return whether anything was added."""
        # Step 1: sort the values of this block by measure.
        values_by_measure: dict[str, tuple[list[int | None], list[float]]] = {}
        undefined_steps: dict[str, list[int]] = {}
        # Not `LoggedEvent.parse`: of a million lines only these two are wanted.
        for raw in _parse_measure_lines(
            [line for line in self._tail.read_lines(max_bytes) if METRIC_MARKER in line]
        ):
            try:
                step, data = raw.get("step"), raw["data"].items()
                step = None if step is None else int(step)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            for name, value in data:
                # `value - value == 0` is false for NaN and infinities, and cheaper than a call for each
                # value.
                if (type(value) is float and value - value == 0) or is_number(value):
                    if (steps_and_values := values_by_measure.get(name)) is None:
                        steps_and_values = values_by_measure[name] = [], []
                    steps_and_values[0].append(step)
                    steps_and_values[1].append(float(value))
                elif value is None and step is not None:
                    undefined_steps.setdefault(name, []).append(step)
        # Step 2: add them to the curves at once.
        for name, (steps, values) in values_by_measure.items():
            curve = self.curves.setdefault(name, MeasureCurve())
            # All values of a block at once: a call for each would be most of the time that a long log takes.
            curve.add_values(number_steps(steps, curve.largest_step), values)
        for name, steps_without_value in undefined_steps.items():
            self.curves.setdefault(name, MeasureCurve()).add_undefined(steps_without_value)
        return bool(values_by_measure or undefined_steps)


def number_steps(steps: Sequence[int | None], largest_step: int) -> list[int]:
    """Return steps with the number after the largest before it for each that has none."""
    numbered = []
    for step in steps:
        numbered.append(largest_step + 1 if step is None else step)
        largest_step = max(largest_step, numbered[-1])
    return numbered


def _parse_measure_lines(lines: Sequence[bytes]) -> list[Any]:
    # One call for all lines is much faster; if a line is damaged, each is parsed on its own.
    with contextlib.suppress(ValueError, RecursionError):
        result: list[Any] = msgspec.json.decode(b"[" + b",".join(lines) + b"]")
        # A line with a comma outside of an object would give another number of values.
        if len(result) == len(lines):
            return result
    result = []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            result.append(msgspec.json.decode(line))
    return result
