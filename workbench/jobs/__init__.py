"""Background jobs: work that outlives the window it was started from. `folder` says where the truth lies."""

from __future__ import annotations

from workbench.jobs.control import (
    DiskUse,
    attempts,
    diff,
    disk_use,
    job,
    jobs,
    kill,
    reconcile,
    reindex,
    remove,
    resume,
    run_foreground,
    stop,
    submit,
)
from workbench.jobs.folder import Job
from workbench.jobs.spec import DiffRow, JobSpec
from workbench.jobs.tail import Curve, EventTail, LineTail, LoggedEvent, MetricCurves, last_events, last_lines
from workbench.jobs.view import FIELDS, AttemptView, JobView

__all__ = [
    "FIELDS",
    "AttemptView",
    "Curve",
    "DiffRow",
    "DiskUse",
    "EventTail",
    "Job",
    "JobSpec",
    "JobView",
    "LineTail",
    "LoggedEvent",
    "MetricCurves",
    "attempts",
    "diff",
    "disk_use",
    "job",
    "jobs",
    "kill",
    "last_events",
    "last_lines",
    "reconcile",
    "reindex",
    "remove",
    "resume",
    "run_foreground",
    "stop",
    "submit",
]
