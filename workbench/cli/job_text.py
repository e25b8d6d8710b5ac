"""Text of `mathwb jobs`: how a job is described, how far it is, and how several compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engines.core.sizes import size
from workbench import jobs
from workbench.cli.common import emit, table
from workbench.jobs.executors import device_of
from workbench.jobs.folder import Job
from workbench.jobs.reporting import Reported, reported
from workbench.units import to_the_second

__all__ = ["compare_many", "compare_two", "description", "done", "left", "reporter_line", "state"]


def description(view: jobs.JobView, attempts: list[jobs.AttemptView], use: jobs.DiskUse) -> list[str]:
    """All that is known of a job, a fact a line, and its attempts."""
    facts: dict[str, Any] = {
        "job": f"{view.id}  {view.title}  ({view.task})",
        "state": state(view),
        "reason": view.reason,
        "waiting": view.waiting,
        "cluster": view.cluster_id,
        "remedy": view.remedy,
        "done": done(view),
        "left": to_the_second(view.eta_s),
        "memory": size(view.memory_bytes) if view.memory_bytes else "",
        "peak": size(view.peak_bytes) if view.peak_bytes else "",
        "device": _device(view),
        "folder": view.folder,
        "out": view.out,
        "disk": f"{size(use.run_bytes)} run, {size(use.out_bytes)} elsewhere",
        "seed": view.seed,
    }
    facts["reported"] = ", ".join(reporter_line(each) for each in reported(Job(view.id, Path(view.folder))))
    facts |= {f"params.{key}": value for key, value in view.params.items()}
    facts |= {key: f"{value:.6g}" for key, value in view.metrics.items()}
    width = max(map(len, facts))
    lines = [f"{key:<{width}}  {value}" for key, value in facts.items() if value != ""]
    rows = [(item.number, item.state, to_the_second(item.wall_s), item.reason) for item in attempts]
    return [*lines, "", *table(("attempt", "state", "took", "reason"), rows)]


def _device(view: jobs.JobView) -> str:
    """Where its last attempt runs, and why there: `cpu: there is no GPU`."""
    found = device_of(Job(view.id, Path(view.folder)).attempt(view.attempt))
    return f"{found['device']}: {found['why']}" if {"device", "why"} <= found.keys() else ""


def reporter_line(done: Reported) -> str:
    """How far a reporter has been told."""
    step = f", to step {max(done.steps.values()):,}" if done.steps else ""
    end = f"; {done.error}" if done.error else f"; {done.end}" if done.end else ""
    return f"{done.name}: {done.events:,} events{step}{end}"


def compare_many(views: list[jobs.JobView], by: str, tex: bool, as_json: bool) -> None:
    """Print which setting of several jobs is best by a measure."""
    from workbench.export import tex_table
    from workbench.jobs.standings import standings

    found = standings(views, by)
    head = ("setting", found.measure, "runs", "failed", "to the best [95 %]", "p")
    rows = []
    for row in found.rows:
        value = "" if row.value is None else str(row.value)
        failed = ", ".join(map(str, row.failed))
        p = "" if row.p is None else f"{row.p:.3g}"
        rows.append((row.name, value, f"{row.finished}/{len(row.jobs)}", failed, row.apart, p))
    if tex:
        text = tex_table(head, rows)
        emit({**found.to_dict(), "tex": text}, as_json, text=text)
        return
    lines = [*table(head, rows), "", found.verdict]
    emit(found.to_dict(), as_json, text=lines)


def compare_two(first: jobs.JobView, second: jobs.JobView, tex: bool, as_json: bool) -> None:
    """Print what differs between two jobs."""
    from workbench.export import tex_table
    from workbench.jobs.compare import compare as compared
    from workbench.jobs.standings import told

    found = compared(first, second)
    kinds = (("setting", found.settings), ("environment", found.environment), ("result", found.results))
    if tex:
        rows = [(kind, row.key, told(row.left), told(row.right)) for kind, differ in kinds for row in differ]
        text = tex_table(("", "", f"job {first.id}", f"job {second.id}"), rows)
        emit({**found.to_dict(), "tex": text}, as_json, text=text)
        return
    lines = []
    for kind, differ in kinds:
        rows_of = [(row.key, told(row.left), told(row.right)) for row in differ]
        head = (kind, f"job {first.id}", f"job {second.id}")
        lines += table(head, rows_of) if differ else [f"{kind}: no difference"]
        lines.append("")
    emit(found.to_dict(), as_json, text=lines[:-1])


def state(view: jobs.JobView) -> str:
    """Its state, and what is wrong with it."""
    doubt = "?" if view.health == "stalled" else ""
    return view.state if view.health == "ok" else f"{view.state} ({view.health}{doubt})"


def done(view: jobs.JobView) -> str:
    """How far it is: `120/4,000 steps`."""
    if view.done is None:
        return ""
    total = "" if view.total is None else f"/{view.total:,.0f}"
    return f"{view.done:,.0f}{total} {view.unit}".rstrip()


def left(view: jobs.JobView) -> str:
    """How long it will take, what it waits for, or why it ended."""
    if not view.live:
        return view.reason
    return view.waiting if view.eta_s is None else to_the_second(view.eta_s)
