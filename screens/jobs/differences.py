"""Differences of two jobs, or of two attempts at one, as lines of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from screens.jobs.curves import shortened
from screens.shell.text import count, number, safe_text, size
from screens.widgets.rows import Column, Record

if TYPE_CHECKING:
    from workbench.jobs.compare import Comparison
    from workbench.jobs.view import JobView

__all__ = ["diff_columns", "diff_rows", "last_attempts"]

_SIDE = "its title is the name of a job or an attempt; left and right are its fields"


def diff_columns(left: str, right: str) -> tuple[Column, ...]:
    """The columns, headed by the names of the two."""
    return (
        Column("part", "part", 7, drop=1),
        Column("key", "key", 18, show=lambda record: safe_text("".join(shortened(record["key"])))),
        Column("left", left, show=lambda record: _told(record["key"], record["left"]), unfiltered=_SIDE),
        Column("right", right, show=lambda record: _told(record["key"], record["right"]), unfiltered=_SIDE),
    )


def diff_rows(found: Comparison) -> list[Record]:
    """A line for each setting, result or fact of the machine that differs."""
    parts = {"setting": found.settings, "result": found.results, "machine": found.environment}
    return [
        {"id": f"{part}.{row.key}", "part": part, "key": row.key, "left": row.left, "right": row.right}
        for part, rows in parts.items()
        for row in rows
    ]


def last_attempts(view: JobView) -> Comparison:
    """What differs between the last two attempts at a job."""
    from workbench.jobs.compare import compare_attempts
    from workbench.jobs.folder import Job
    from workbench.jobs.view import attempt_view

    job = Job(view.id, Path(view.folder))
    left, right = (attempt_view(job.attempt(number)) for number in (view.attempt - 1, view.attempt))
    return compare_attempts(left, right)


def _told(key: str, value: Any) -> str:
    """A value in as few digits as tell it apart; what is not there is a dash."""
    if value is None:
        return "–"
    if key.endswith("_bytes") and isinstance(value, int | float):
        return size(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return number(value) if isinstance(value, float) else str(value)
