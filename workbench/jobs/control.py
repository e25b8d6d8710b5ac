"""What can be done with jobs: submit, look, stop, kill, resume, remove, and put the records straight."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engines.core.errors import EngineError
from engines.core.events import Sink, ignore
from workbench.jobs.folder import LIVE, Attempt, Ending, Job, all_jobs, create, discard, find
from workbench.jobs.process import MARK, sweep
from workbench.jobs.spec import DiffRow, JobSpec, recipe_diff
from workbench.jobs.store import Index, Row
from workbench.jobs.view import AttemptView, JobView, attempt_view, job_view, standing

if TYPE_CHECKING:
    from workbench.workspace import Workspace

__all__ = [
    "DiskUse",
    "attempts",
    "diff",
    "disk_use",
    "job",
    "jobs",
    "kill",
    "reconcile",
    "reindex",
    "remove",
    "resume",
    "run_foreground",
    "stop",
    "submit",
]


def submit(workspace: Workspace, spec: JobSpec) -> Job:
    """Start a job in the background; it outlives the process that asks.

    Raises: EngineError E602 when another job writes to the same folder; DataError when it cannot be recorded.
    """
    job = _record(workspace, spec)
    _supervise_detached(job.last())
    return job


def run_foreground(workspace: Workspace, spec: JobSpec, sink: Sink = ignore) -> JobView:
    """Run a job here and wait for its end; it is a job like any other, and every screen shows it.

    Ctrl-C stops it gently, a second one kills it. Call it from the main thread only, since it takes signals.
    Returns: the job at its end; `command_exit_code` is what a command ends with.
    """
    from workbench.jobs.supervisor import Supervisor

    job = _record(workspace, spec)
    Supervisor(job.last(), sink=sink).run()
    view = job_view(job)
    _index(workspace, [job])
    return view


def jobs(workspace: Workspace) -> list[JobView]:
    """All jobs, newest first. What is over is taken from the index, the rest from the run folders."""
    known = Index(workspace.root).load()
    views = []
    for item in reversed(all_jobs(workspace.runs)):
        row = known.get(item.id)
        fresh = row is None or row.view.live or row.changed_ns != _changed_ns(item)
        views.append(job_view(item) if row is None or fresh else row.view)
    return views


def job(workspace: Workspace, number: int) -> JobView:
    """One job. Raises: EngineError E601 when there is none of that number."""
    return job_view(find(workspace.runs, number))


def attempts(workspace: Workspace, number: int) -> list[AttemptView]:
    """The attempts of a job, the first one first."""
    return [attempt_view(attempt) for attempt in find(workspace.runs, number).attempts()]


def stop(workspace: Workspace, number: int) -> JobView:
    """Ask a job to stop gently: it finishes what it is at, saves, and ends as `stopped`.

    Raises: EngineError E603 when it is over.
    """
    attempt = _live(workspace, number, "stop")
    attempt.ask("stop")
    if not _wake(attempt) and (worker := attempt.worker()):
        worker[0].send(signal.SIGTERM)
    return job(workspace, number)


def kill(workspace: Workspace, number: int) -> JobView:
    """End a job at once, with all its processes; what it had not saved is lost.

    A job of another machine that has fallen silent is given up. Raises: EngineError E603 when it is over.
    """
    attempt = _live(workspace, number, "kill")
    attempt.ask("kill")
    if worker := attempt.worker():
        worker[0].send(signal.SIGKILL, group=True)
    _wake(attempt)
    _settle(attempt, give_up=True)
    return job(workspace, number)


def resume(workspace: Workspace, number: int) -> JobView:
    """Start the next attempt at a job that failed, was stopped or lost; it goes on from what was saved.

    Raises: EngineError E603 when it is live or has succeeded.
    """
    item = find(workspace.runs, number)
    last = item.attempts()[-1:]
    if last:
        _settle(last[0])
    view = job_view(item)
    _allowed(view, "resume")
    _refuse_shared_folder(workspace, view.spec, but=number)
    attempt = item.add_attempt()
    if attempt is not None:
        _supervise_detached(attempt)
    _index(workspace, [item])
    return job_view(item)


def remove(workspace: Workspace, number: int) -> None:
    """Delete the run folder of a job that is over. What it wrote elsewhere stays."""
    item = find(workspace.runs, number)
    _allowed(job_view(item), "remove")
    discard(workspace.runs, item)
    Index(workspace.root).forget([number])


def reconcile(workspace: Workspace) -> list[JobView]:
    """Put the records straight: write down the end of attempts whose supervisor could not, give orphaned
    workers a new one, and bring the index up to date.

    Returns: the jobs that are over now and were not when the index last knew of them.
    """
    index = Index(workspace.root)
    known = index.load()
    found = all_jobs(workspace.runs)
    news, rows = [], []
    for item in found:
        row = known.get(item.id)
        changed_ns = _changed_ns(item)
        if row is not None and not row.view.live and row.changed_ns == changed_ns:
            continue
        last = item.attempts()[-1:]
        settled = not last or _settle(last[0])
        view = job_view(item)
        if not view.live and not settled:
            continue
        if row is not None and row.view.live and not view.live:
            news.append(view)
        if row is None or not view.live or (row.view.state, row.view.attempt) != (view.state, view.attempt):
            rows.append((item, Row(view, changed_ns)))
    if rows:
        index.save([row for _, row in rows], _all_attempts(item for item, _ in rows))
    gone = set(known) - {item.id for item in found}
    if gone:
        index.forget(gone)
    return news


def reindex(workspace: Workspace) -> tuple[int, str]:
    """Make the index anew from the run folders, and clear away what half-made or half-removed runs have left.

    Returns: how many jobs there are, and what is unusual about the index ("" for nothing).
    """
    with contextlib.suppress(OSError):
        for entry in workspace.runs.iterdir():
            old = time.time() - entry.lstat().st_mtime > 3600
            if entry.name.startswith((".draft-", ".removed-")) and old:
                shutil.rmtree(entry, ignore_errors=True)
    index = Index(workspace.root)
    index.clear()
    for item in all_jobs(workspace.runs):
        for attempt in item.attempts()[-1:]:
            _settle(attempt)
    found = _index(workspace, all_jobs(workspace.runs), index)
    return found, index.notice


def diff(left: JobView, right: JobView) -> list[DiffRow]:
    """The settings in which two jobs differ."""
    return recipe_diff(left.spec, right.spec)


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Disk space in bytes: of the run folder, and of the folder written to when that lies elsewhere."""

    run_bytes: int
    out_bytes: int


def disk_use(view: JobView) -> DiskUse:
    """How much a job occupies. Walks its folders: not for every frame."""
    folder, out = Path(view.folder), Path(view.out or view.folder)
    return DiskUse(_size(folder), 0 if out.is_relative_to(folder) else _size(out))


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def _record(workspace: Workspace, spec: JobSpec) -> Job:
    if spec.params.get("out"):
        spec = replace(spec, params={**spec.params, "out": str(Path(spec.params["out"]).absolute())})
    _refuse_shared_folder(workspace, spec)
    job = create(workspace.runs, spec)
    _index(workspace, [job])
    return job


def _refuse_shared_folder(workspace: Workspace, spec: JobSpec, but: int = 0) -> None:
    """Two jobs that write to one folder would spoil it."""
    out = spec.params.get("out")
    if not out:
        return
    for view in jobs(workspace):
        if view.live and view.id != but and Path(view.out).resolve() == Path(out).resolve():
            raise EngineError(
                f"job {view.id} is writing to the same folder",
                where=str(out),
                code="E602",
                exit_code=2,
                remedy=f"Wait for it, stop it (mathwb jobs stop {view.id}), or choose another folder.",
            )


def _supervise_detached(attempt: Attempt) -> None:
    """A supervisor of its own session, which nothing that happens to this process can reach."""
    environment = {key: value for key, value in os.environ.items() if key != MARK}
    environment["PYTHONSAFEPATH"] = "1"
    run = attempt.folder.parent.resolve()
    command = [sys.executable, "-m", "workbench.jobs.supervisor", str(run)]
    with (attempt.folder / "supervisor.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=run,
            env=environment,
            start_new_session=True,
        )
    # As long as this process lives it is the parent: it takes the exit code, or a zombie would stay.
    threading.Thread(target=process.wait, daemon=True).start()


def _live(workspace: Workspace, number: int, verb: str) -> Attempt:
    item = find(workspace.runs, number)
    _allowed(job_view(item), verb)
    return item.last()


def _allowed(view: JobView, verb: str) -> None:
    refusal = view.refusal(verb)
    if refusal and not (verb == "stop" and view.state == "stopping"):
        lost = view.state == "lost"
        raise EngineError(refusal, code="E603", exit_code=4 if lost else 2, remedy=view.remedy)


def _wake(attempt: Attempt) -> bool:
    """Make the supervisor look at once. One on another machine looks by itself."""
    beat = attempt.heartbeat()
    return beat is None or beat.supervisor.alive() is None or beat.supervisor.send(signal.SIGTERM)


def _settle(attempt: Attempt, *, give_up: bool = False) -> bool:
    """Record the end of an attempt that has no one to record it, or give its worker a new supervisor.

    Returns: whether what its folder says now is settled; not so when an end could not be written down.
    """
    now = standing(attempt)
    if now.recorded:
        return True
    silent = now.health == "silent" and give_up
    if now.state in LIVE and not silent:
        if now.health == "orphaned":
            _supervise_detached(attempt)
        return True
    # A full disk or a read-only folder: the state is right without being written, and another time will do.
    with contextlib.suppress(OSError, EngineError), attempt.held() as mine:
        if not mine:
            return False
        again = standing(attempt)
        if silent and again.health == "silent" and again.heartbeat is not None:
            reason = "given up by you: its machine had fallen silent"
            worker = attempt.worker()
            attempt.say_result(
                Ending("lost", reason, started=worker[1] if worker else None, ended=again.heartbeat.t)
            )
        elif again.ending is not None and not again.recorded:
            sweep(attempt.folder)
            attempt.say_result(again.ending)
        return True
    return False


def _changed_ns(item: Job) -> int:
    try:
        return item.folder.stat().st_mtime_ns
    except OSError:
        return 0


def _all_attempts(found: Iterable[Job]) -> list[tuple[int, AttemptView]]:
    return [(item.id, attempt_view(attempt)) for item in found for attempt in item.attempts()]


def _index(workspace: Workspace, found: list[Job], index: Index | None = None) -> int:
    rows = [Row(changed_ns=_changed_ns(item), view=job_view(item)) for item in found]
    (index or Index(workspace.root)).save(rows, _all_attempts(found))
    return len(rows)
