"""Differences of two jobs or two attempts, and the standings of a sweep, as lines of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.sizes import size
from screens.jobs.curves import shortened
from screens.shell.text import count, number, safe_text
from screens.widgets.rows import Column, Record

if TYPE_CHECKING:
    from workbench.jobs.compare import Comparison
    from workbench.jobs.standings import Standings
    from workbench.jobs.view import JobView
    from workbench.workspace import Workspace

__all__ = [
    "diff_columns",
    "diff_rows",
    "last_attempts",
    "standing_columns",
    "standing_rows",
    "sweep_standings",
]

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


def standing_columns(measure: str) -> tuple[Column, ...]:
    """The columns for settings, headed by the measure."""
    named = "its title is the name of a measure; value is its field"
    return (
        Column("setting", "setting", 16),
        Column("value", "".join(shortened(measure)), 24, unfiltered=named),
        Column("runs", "runs", 5, "right", drop=3),
        Column("failed", "failed", 6, "right", drop=4),
        Column("best", "to the best [95 %]", unfiltered="its title says of what; best is its field", drop=1),
        Column("p", "p", 6, drop=2),
    )


def standing_rows(found: Standings) -> list[Record]:
    """A line for each setting, the best first."""
    return [
        {
            "id": row.name,
            "setting": row.name,
            "value": "–" if row.value is None else str(row.value),
            "runs": f"{row.finished}/{len(row.jobs)}",
            "failed": len(row.failed) or "",
            "best": row.apart,
            "p": "" if row.p is None else f"{row.p:.3g}",
        }
        for row in found.rows
    ]


def sweep_standings(workspace: Workspace, number: int) -> Standings | EngineError:
    """How the settings of a sweep compare, or why that cannot be told."""
    from workbench import jobs
    from workbench.jobs.standings import standings

    try:
        return standings([jobs.job(workspace, each) for each in jobs.members(workspace, number)])
    except EngineError as error:
        return error


def _told(key: str, value: Any) -> str:
    """A value in as few digits as tell it apart; what is not there is a dash."""
    if value is None:
        return "–"
    if key.endswith("_bytes") and isinstance(value, int | float):
        return size(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return count(value)
    return number(value) if isinstance(value, float) else str(value)
