"""The values of each measure that a job has logged, by step: read once, and not merged."""

from __future__ import annotations

from pathlib import Path

from workbench.jobs.folder import Job
from workbench.jobs.merged_curves import AttemptCurves, number_steps
from workbench.jobs.tail import METRIC_MARKER, LoggedEvent, is_number


def read_finite_values(job_folder: str | Path, measure: str) -> list[tuple[int, float]]:
    """Return the finite values of a measure by step; see `read_values_by_step`."""
    return [(step, value) for step, value in read_values_by_step(job_folder, measure) if value is not None]


def read_values_by_step(job_folder: str | Path, measure: str) -> list[tuple[int, float | None]]:
    """Return the values of a measure by step, of all attempts at a job; None: not a finite number.

    Of a step that two attempts have done the last value counts. Values without a step are numbered by
    `number_steps`.
    """
    values_by_step: dict[int, float | None] = {}
    # Cheap tests of the raw bytes come first: most lines of a log need not be parsed.
    quoted_measure = f'"{measure}"'.encode()
    for attempt in Job.of_folder(job_folder).attempts():
        try:
            lines = attempt.events.read_bytes().split(b"\n")
        except OSError:
            continue
        for line in lines:
            if METRIC_MARKER not in line or quoted_measure not in line:
                continue
            event = LoggedEvent.parse(line)
            if event is None or measure not in event.data:
                continue
            value = event.data[measure]
            step = event.step
            if step is None and is_number(value):
                (step,) = number_steps([None], max(values_by_step, default=-1))
            if step is not None and (value is None or is_number(value)):
                values_by_step[step] = None if value is None else float(str(value))
    return sorted(values_by_step.items())


def list_logged_measures(job_folder: str | Path) -> list[str]:
    """List the measures that a job has logged, in the order in which they first appear."""
    names: dict[str, None] = {}
    for attempt in Job.of_folder(job_folder).attempts():
        curves = AttemptCurves(attempt.events)
        unread_bytes = -1
        # `read_more` reads a limited block at a time; the end is reached when a call makes no progress.
        while curves.read_more() or curves.unread_bytes != unread_bytes:
            unread_bytes = curves.unread_bytes
        names |= dict.fromkeys(curves.curves)
    return list(names)
