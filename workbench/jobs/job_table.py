"""The table of jobs: the one place that says which columns it has.

The Jobs screen, `jobs list` with `--where`, `--csv`, `--tex` and `--json`, and `docs/commands.md` follow from
it; the screen adds colours (`screens/jobs/job_list.py`). A row is a `JobView`: a column is the field of its
name, or what `value` computes from the row, whose `view` is the job.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from workbench.tables import Column, TableRow, TableSpec, filter_columns, format_duration, to_the_second

if TYPE_CHECKING:
    from workbench.jobs.job_views import JobView

_LINES = "text csv tex"


def describe_state(view: JobView) -> str:
    """Return the state of a job with its health, such as `running (stalled?)`."""
    doubt = "?" if view.health == "stalled" else ""
    return view.state if view.health == "ok" else f"{view.state} ({view.health}{doubt})"


def describe_progress(view: JobView) -> str:
    """Return how far a job is: `120/4,000 steps`."""
    if view.done is None:
        return ""
    total = "" if view.total is None else f"/{view.total:,.0f}"
    return f"{view.done:,.0f}{total} {view.unit}".rstrip()


def describe_remaining(view: JobView) -> str:
    """Return the remaining time of a job, what it waits for, or why it ended."""
    if not view.live:
        return view.reason
    return view.waiting if view.eta_s is None else to_the_second(view.eta_s)


def short_reason(view: JobView) -> str:
    """Return the reason, without the state that stands beside it: `by you`, not `stopped: stopped by you`."""
    return view.reason.removeprefix(f"{view.state} ")


def _start_text(row: TableRow) -> str:
    started = row["view"].started
    return "" if started is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(started))


def _short_start(row: TableRow) -> str:
    """Return the time of day for jobs of today, and the day for older ones."""
    started = row["view"].started
    if started is None:
        return ""
    then, now = time.localtime(started), time.localtime()
    return time.strftime("%H:%M" if then[:3] == now[:3] else "%d %b", then)


def _short_loss(row: TableRow) -> str:
    # Six characters, so that losses above 10 have fewer decimals and the column stays narrow.
    return "" if row["loss"] is None else f"{row['loss']:.4f}"[:6].rstrip(".")


def _view_fields(view: JobView, _: object = None) -> dict[str, Any]:
    fields = {column.name: getattr(view, column.name, None) for column in JOBS.columns if not column.value}
    return {**fields, "view": view}


JOBS = TableSpec(
    # In the order of the exported files, which programs may rely on: a new column comes last.
    (
        Column("id", "id", 5, "right"),
        *filter_columns("task"),
        Column("title", "title"),
        Column("state", "state", 22, least=11, format=lambda row: describe_state(row["view"])),
        Column("reason", "reason", on="screen", drop=6, room=90),
        *filter_columns("health"),
        Column("attempt", "attempt", on=_LINES),
        *filter_columns("sweep seed step"),
        Column("done", "done", on=_LINES, format=lambda row: describe_progress(row["view"])),
        *filter_columns("total out waiting"),
        Column(
            "left",
            "left",
            on=_LINES,
            format=lambda row: describe_remaining(row["view"]),
            unfiltered="it is one of the fields eta, waiting and reason",
        ),
        Column("rate", "rate", 8, "point", on="screen", drop=4, unit="units of `done` per second"),
        Column(
            "eta",
            "eta",
            6,
            "right",
            on="screen",
            drop=1,
            unit="seconds",
            value=lambda row: row["view"].eta_s,
            format=lambda row: format_duration(row["eta"]),
        ),
        Column(
            "loss",
            "loss",
            8,
            "point",
            on="screen",
            drop=2,
            unit="nats",
            value=lambda row: row["view"].metrics.get("loss_nats"),
            format=_short_loss,
        ),
        Column(
            "start",
            "start",
            6,
            "right",
            on="screen",
            drop=5,
            unit="local time, as `2026-11-22 07:30`",
            value=_start_text,
            format=_short_start,
        ),
        Column(
            "took",
            "took",
            6,
            "right",
            on="screen",
            drop=3,
            unit="seconds",
            value=lambda row: row["view"].wall_s,
            format=lambda row: format_duration(row["took"]),
        ),
    ),
    item=_view_fields,
)


def job_document(view: JobView) -> Mapping[str, Any]:
    """Return a job for `jobs list --json`: the fields of its view, and the columns that are computed."""
    row = JOBS.make_row(view)
    return {**asdict(view), **{column.name: row[column.name] for column in JOBS.columns if column.value}}
