"""A job as lines of tables, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

from screens.looks import STATES, state
from screens.text import count, duration, number, safe_text, size
from screens.widgets.rows import Column, Record

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["JOB_COLUMNS", "flow", "job_record", "measures", "summary"]


def job_record(view: JobView) -> Record:
    """What the table shows and filters look at; the view itself comes along as `view`."""
    return {**view.to_row(), "view": view}


def _what(record: Record) -> str:
    """A training by the name of its recipe: all begin with the same word."""
    return str(record["title"]).removeprefix("train ")


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
        return safe_text(f"in {duration(view.wall_s)}" if view.wall_s is not None else "", "$quiet")
    return safe_text(_why(view), "$quiet")


def _why(view: JobView) -> str:
    """The reason, without the state that stands beside it: `by you`, not `stopped: stopped by you`."""
    return view.reason.removeprefix(f"{view.state} ")


JOB_COLUMNS = (
    Column("id", "id", 3, "right"),
    Column("title", "what", show=_what),
    Column("state", "state", 11, show=_state),
    Column("done", "step", 7, "right", show=_step, drop=1),
    Column("eta_s", "ETA", 9, "right", show=_left, drop=2),
)


def summary(view: JobView, cells: int, extra: Sequence[Content] = ()) -> Content:
    """State and how far, then what it measures, memory and age; of a failed job first the reason, then the
    remedy. `extra` are lines that only its log can tell."""
    if not view.live and view.state != "succeeded":
        glyph, colour = STATES.get(view.state, ("·", "$quiet"))
        code = f"{view.code} " if view.code else ""
        why = _why(view)
        mark = " " if why != view.reason else ": "
        lines = [Content.assemble((f"{glyph} {view.state}", f"{colour} bold"), mark, safe_text(code + why))]
        if view.remedy:
            lines.append(safe_text(view.remedy, "$quiet"))
        return Content("\n").join([*lines, *extra])
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
    lines = [flow(parts, cells)]
    if view.live and view.total and view.done is not None:
        lines.append(_bar(view.done / view.total, cells))
    if odd := _odd(view):
        lines.append(flow(odd, cells))
    return Content("\n").join([*lines, *extra])


def measures(view: JobView, device: Mapping[str, Any], first_loss: float | None) -> list[Content]:
    """Loss, learning rate, throughput, other metrics, device and memory: what is known of them.

    Args: device: as `device_of` gives it. first_loss: of the whole job, for `1.82 → 0.31`.
    """
    known = dict(view.metrics)
    parts = []
    loss = known.pop("loss_nats", None)
    if loss is not None:
        began = "" if first_loss is None else f"{number(first_loss)} → "
        parts.append(safe_text(f"loss {began}{number(loss)}"))
    if (rate := known.pop("lr", None)) is not None:
        parts.append(safe_text(f"lr {number(rate)}"))
    tokens, examples = known.pop("tokens_per_s", None), known.pop("examples_per_s", None)
    if tokens is not None:
        parts.append(safe_text(f"{number(tokens)} tok/s"))
    elif examples is not None:
        parts.append(safe_text(f"{number(examples)} ex/s"))
    memory = known.pop("memory_bytes", None)
    if loss is None:
        parts += [safe_text(f"{key} {number(value)}") for key, value in list(known.items())[:4]]
    name = "CPU"
    if device.get("gpus"):
        name, gpu_memory = str(device["device"]), memory
    else:
        gpu_memory = None
    used = gpu_memory or view.memory_bytes or view.peak_bytes
    if used:
        at_most = "" if view.live else " at most"
        parts.append(safe_text(f"{name}, {size(used)}{at_most}", "$quiet"))
    return parts


def _bar(share: float, cells: int) -> Content:
    room = max(4, cells - 6)
    filled = min(room, round(share * room))
    return Content.assemble(
        ("━" * filled, "$accent"), ("─" * (room - filled), "$line"), (f"{share:>5.0%}", "$quiet")
    )


def _odd(view: JobView) -> list[Content]:
    """What is not as it should be with a live job."""
    parts = []
    beat = view.heartbeat_age_s
    if view.live and beat is not None and beat > 15:
        parts.append(safe_text(f"heartbeat {duration(beat)} old", "$warning"))
    if view.live and view.health == "stalled":
        parts.append(safe_text(f"no event for {duration(view.last_event_age_s)}", "$warning"))
    if view.offer_kill:
        parts.append(safe_text("it does not stop by itself: X kills it", "$warning"))
    return parts


def flow(parts: Sequence[Content], cells: int) -> Content:
    """Parts side by side; a line ends between two of them."""
    dot = Content.styled(" · ", "$quiet")
    lines: list[Content] = []
    for part in parts:
        if lines and lines[-1].cell_length + 3 + part.cell_length <= cells:
            lines[-1] = lines[-1] + dot + part
        else:
            lines.append(part)
    return Content("\n").join(lines)
