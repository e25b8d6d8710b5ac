"""A job as lines of tables, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from screens.looks import STATES, state
from screens.text import count, duration, number, safe_text, size
from screens.widgets.rows import Column, Record

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["JOB_COLUMNS", "job_record", "summary"]


def job_record(view: JobView) -> Record:
    """What the table shows and filters look at; the view itself comes along as `view`."""
    return {**view.to_row(), "view": view}


def _state(record: Record) -> Content:
    view: JobView = record["view"]
    if view.health == "stalled":
        return Content.styled("… stalled?", "$warning")
    if view.health == "silent":
        return Content.styled("? silent", "$warning")
    return Content.assemble(state(view.state))


def _step(record: Record) -> Content | str:
    view: JobView = record["view"]
    done = view.done if view.done is not None else view.step
    return "" if done is None else count(int(done))


def _left(record: Record) -> Content:
    view: JobView = record["view"]
    if view.live:
        return safe_text(duration(view.eta_s))
    if view.state == "succeeded":
        return safe_text(duration(view.wall_s), "$quiet")
    return safe_text(view.reason, "$quiet")


JOB_COLUMNS = (
    Column("id", "id", 3, "right"),
    Column("title", "what"),
    Column("state", "state", 11, show=_state),
    Column("done", "step", 7, "right", show=_step, drop=1),
    Column("eta_s", "ETA", 8, "right", show=_left, drop=2),
)


def summary(view: JobView, cells: int) -> Content:
    """State and how far, then memory and age; of a failed job first the reason, then the remedy."""
    if not view.live and view.state != "succeeded":
        glyph, colour = STATES.get(view.state, ("·", "$quiet"))
        code = f"{view.code} " if view.code else ""
        first = Content.assemble(
            (f"{glyph} {view.state}", f"{colour} bold"), ": ", safe_text(code + view.reason)
        )
        return first + Content("\n") + safe_text(view.remedy, "$quiet") if view.remedy else first
    parts = [Content.assemble(state(view.state))]
    if view.done is not None:
        total = f" of {count(int(view.total))}" if view.total else ""
        parts.append(safe_text(f"{count(int(view.done))}{total} {view.unit}".rstrip()))
    if view.live:
        if view.rate is not None:
            parts.append(safe_text(f"{number(view.rate)} {view.unit or 'steps'}/s"))
        if view.eta_s is not None:
            parts.append(safe_text(f"{duration(view.eta_s)} left"))
    elif view.wall_s is not None:
        parts.append(safe_text(f"in {duration(view.wall_s)}"))
    lines = [_flow(parts, cells)]
    if view.live and view.total and view.done is not None:
        lines.append(_bar(view.done / view.total, cells))
    lines.append(_second(view, cells))
    return Content("\n").join(lines)


def _bar(share: float, cells: int) -> Content:
    room = max(4, cells - 6)
    filled = min(room, round(share * room))
    return Content.assemble(
        ("━" * filled, "$accent"), ("─" * (room - filled), "$line"), (f"{share:>5.0%}", "$quiet")
    )


def _second(view: JobView, cells: int) -> Content:
    """Metrics, memory, and what is odd."""
    parts = [
        safe_text(f"{name} {number(value)}") for name, value in view.metrics.items() if "bytes" not in name
    ]
    memory = view.memory_bytes or view.peak_bytes
    if memory:
        parts.append(safe_text(f"CPU, {size(memory)}{'' if view.live else ' at most'}", "$quiet"))
    beat = view.heartbeat_age_s
    if view.live and beat is not None and beat > 15:
        parts.append(safe_text(f"heartbeat {duration(beat)} old", "$warning"))
    if view.live and view.health == "stalled":
        parts.append(safe_text(f"no event for {duration(view.last_event_age_s)}", "$warning"))
    if view.offer_kill:
        parts.append(safe_text("it does not stop by itself: X kills it", "$warning"))
    return _flow(parts[:6], cells)


def _flow(parts: Sequence[Content], cells: int) -> Content:
    """Parts side by side; a line ends between two of them."""
    dot = Content.styled(" · ", "$quiet")
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + 3 + part.cell_length <= cells:
            lines[-1] = lines[-1] + dot + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
