"""The learning curves of a job: the values of each measure that it logged, by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench.jobs.folder import Job
from workbench.jobs.metric_curves import AttemptCurves
from workbench.jobs.tail import METRIC, LoggedEvent, is_number


def finite_curve(job_folder: str | Path, measure: str) -> list[tuple[int, float]]:
    """Return the finite values of a measure by step; see `curve_with_gaps`."""
    return [(step, value) for step, value in curve_with_gaps(job_folder, measure) if value is not None]


def curve_with_gaps(job_folder: str | Path, measure: str) -> list[tuple[int, float | None]]:
    """Return the values of a measure by step, of all attempts at a job; None: not a finite number.

    Of a step that two attempts have done the last value counts. A value without a step takes the number
    after the largest before it, as in `AttemptCurves`.
    """
    values_by_step: dict[int, float | None] = {}
    # Cheap tests of the raw bytes come first: most lines of a log need not be parsed.
    wanted = f'"{measure}"'.encode()
    for attempt in Job.of_folder(job_folder).attempts():
        try:
            lines = attempt.events.read_bytes().split(b"\n")
        except OSError:
            continue
        for line in lines:
            if METRIC not in line or wanted not in line:
                continue
            event = LoggedEvent.parse(line)
            if event is None or measure not in event.data:
                continue
            value = event.data[measure]
            step = event.step
            if step is None and is_number(value):
                step = max(values_by_step, default=-1) + 1
            if step is not None and (value is None or is_number(value)):
                values_by_step[step] = None if value is None else float(str(value))
    return sorted(values_by_step.items())


def logged_measures(job_folder: str | Path) -> list[str]:
    """List the measures that a job has logged, in the order in which they first appear."""
    names: dict[str, None] = {}
    for attempt in Job.of_folder(job_folder).attempts():
        curves = AttemptCurves(attempt.events)
        behind = -1
        # `read_more` reads a limited block at a time; the end is reached when a call makes no progress.
        while curves.read_more() or curves.behind_bytes != behind:
            behind = curves.behind_bytes
        names |= dict.fromkeys(curves.curves)
    return list(names)


def lowest_is_best(measure: str, trainings: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the lowest value of a measure is the best.

    Args:
        measure: The name of the measure.
        trainings: The tables `train` of the runs.
    """
    # The names that losses, perplexities and durations have in all engines.
    if "loss" in measure or "perplexity" in measure or measure.endswith("_s"):
        return True
    return any(table.get("best") == measure and table.get("best_is_lowest") for table in trainings)
