"""Background jobs: work that outlives the window it was started from. `folder` says where the truth lies."""

from __future__ import annotations

from workbench.jobs.control import (
    DiskUse,
    attempts,
    bring_back,
    disk_use,
    forget,
    job,
    jobs,
    kill,
    members,
    remove,
    rerun,
    resume,
    run_foreground,
    stop,
    submit,
    submit_shares,
    submit_sweep,
    take_away,
)
from workbench.jobs.folder import Job
from workbench.jobs.records import look_at, reconcile, reindex
from workbench.jobs.tail import Curve, EventTail, LineTail, LoggedEvent, MetricCurves, last_lines
from workbench.jobs.view import FIELDS, AttemptView, JobView, Look, worth_telling

__all__ = [
    "FIELDS",
    "AttemptView",
    "Curve",
    "DiskUse",
    "EventTail",
    "Job",
    "JobView",
    "LineTail",
    "LoggedEvent",
    "Look",
    "MetricCurves",
    "attempts",
    "bring_back",
    "disk_use",
    "forget",
    "job",
    "jobs",
    "kill",
    "last_lines",
    "look_at",
    "members",
    "reconcile",
    "reindex",
    "remove",
    "rerun",
    "resume",
    "run_foreground",
    "stop",
    "submit",
    "submit_shares",
    "submit_sweep",
    "take_away",
    "worth_telling",
]
