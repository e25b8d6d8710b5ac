"""A job in a few lines: its state, how far it is and how fast, and why it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

from engines.core.system import format_bytes
from screens.shell.theme import STATES, format_count, format_number, safe_text, state_label
from workbench.jobs.job_table import short_reason
from workbench.tables import format_duration

if TYPE_CHECKING:
    from workbench.jobs.job_views import JobView


def summarise_job(view: JobView, cells: int, extra: Sequence[Content] = ()) -> Content:
    """Summarise a job in a few lines.

    A live or successful job has its state, progress, speed and time; any other first the reason, then the
    hint.

    Args:
        view: the job.
        cells: the width of the lines.
        extra: lines that come from the job's log.
    """
    # A job that ended without success: its reason counts, not how far it came.
    if not view.live and view.state != "succeeded":
        glyph, colour = STATES.get(view.state, ("·", "$quiet"))
        code = f"{view.code} " if view.code else ""
        why = short_reason(view)
        mark = " " if why != view.reason else ": "
        lines = [Content.assemble((f"{glyph} {view.state}", f"{colour} bold"), mark, safe_text(code + why))]
        if view.protected:
            lines.append(safe_text("protected", "$quiet"))
        if view.remedy:
            lines.append(safe_text(view.remedy, "$quiet"))
        return Content("\n").join([*lines, *extra])
    # Otherwise state, progress and time, as far as they are known.
    parts = [Content.assemble(state_label(view.state))]
    if view.protected:
        parts.append(safe_text("protected", "$quiet"))
    if view.waiting:
        parts.append(safe_text(f"waits: {view.waiting}"))
    if view.live and view.cluster_id:
        parts.append(safe_text(f"Slurm {view.cluster_id}", "$quiet"))
    if view.done is not None:
        total = f" of {format_count(int(view.total))}" if view.total else ""
        parts.append(safe_text(f"{format_count(int(view.done))}{total} {view.unit}".rstrip()))
    if view.live:
        if view.rate is not None:
            parts.append(safe_text(f"{format_number(view.rate)} {view.unit or 'steps'}/s"))
        if view.eta_s is not None:
            parts.append(safe_text(f"{format_duration(view.eta_s)} left"))
    elif view.wall_s is not None:
        parts.append(safe_text(f"in {format_duration(view.wall_s)}"))
    lines = [flow_parts(parts, cells)]
    if view.live and view.share is not None:
        lines.append(draw_progress(view.share, cells))
    if view.reason:
        lines.append(safe_text(view.reason, "$warning"))  # of a sweep: which of its runs have not succeeded
    if odd := _warning_parts(view):
        lines.append(flow_parts(odd, cells))
    return Content("\n").join([*lines, *extra])


def list_measures(view: JobView, device: Mapping[str, Any], first_loss: float | None) -> list[Content]:
    """Return what is known of a job's loss, learning rate, throughput, device and memory.

    Args:
        view: the job.
        device: as `device_of` returns it.
        first_loss: the first loss of the whole job, for `1.82 → 0.31`.
    """
    known = dict(view.metrics)
    parts = []
    # 1. What trainings report, in a fixed order.
    loss = known.pop("loss_nats", None)
    if loss is not None:
        began = "" if first_loss is None else f"{format_number(first_loss)} → "
        parts.append(safe_text(f"loss {began}{format_number(loss)}"))
    if (rate := known.pop("lr", None)) is not None:
        parts.append(safe_text(f"lr {format_number(rate)}"))
    tokens, examples = known.pop("tokens_per_s", None), known.pop("examples_per_s", None)
    if tokens is not None:
        parts.append(safe_text(f"{format_number(tokens)} tok/s"))
    elif examples is not None:
        parts.append(safe_text(f"{format_number(examples)} ex/s"))
    memory = known.pop("memory_bytes", None)
    # 2. Of other work the first four measures by their own names.
    if loss is None:
        parts += [safe_text(f"{key} {format_number(value)}") for key, value in list(known.items())[:4]]
    # 3. The memory of the device that is used.
    gpus = bool(device.get("gpus"))
    name = str(device["device"]) if gpus else "CPU"
    if used := (gpus and memory) or view.memory_bytes or view.peak_bytes:
        at_most = "" if view.live else " at most"
        parts.append(safe_text(f"{name}, {format_bytes(used)}{at_most}", "$quiet"))
    return parts


def draw_progress(share: float, cells: int) -> Content:
    """Return a progress bar with its percentage."""
    room = max(4, cells - 6)
    filled = min(room, round(share * room))
    return Content.assemble(
        ("━" * filled, "$accent"), ("─" * (room - filled), "$line"), (f"{share:>5.0%}", "$quiet")
    )


def _warning_parts(view: JobView) -> list[Content]:
    parts = []
    beat = view.heartbeat_age_s
    # Three missed heartbeats, as in `workbench.jobs.machine`.
    if view.live and beat is not None and beat > 15:
        parts.append(safe_text(f"heartbeat {format_duration(beat)} old", "$warning"))
    if view.live and view.health == "stalled":
        parts.append(safe_text(f"no event for {format_duration(view.last_event_age_s)}", "$warning"))
    if view.offer_kill:
        parts.append(safe_text("it will not stop by itself: X kills it", "$warning"))
    return parts


def flow_parts(parts: Sequence[Content], cells: int) -> Content:
    """Join parts into lines of at most `cells` cells; a line ends only between parts."""
    dot = Content.styled(" · ", "$quiet")
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + 3 + part.cell_length <= cells:
            lines[-1] = lines[-1] + dot + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
