"""Attempts, jobs and sweeps as lists and screens show them, read from their run folders or from the index."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from workbench.jobs import queue, timing
from workbench.jobs.attempt_state import modified_at, read_attempt_state, state_before_start
from workbench.jobs.early_stopping import EARLY
from workbench.jobs.folder import LIVE, Attempt, Ending, Job, is_protected, sweep_of
from workbench.jobs.sweep_members import SWEEP, is_divided, sweep_members
from workbench.jobs.tail import read_progress
from workbench.recipes import Recipe

EXIT_CODES = {"succeeded": 0, "failed": 1, "stopped": 130, "lost": 4}


@dataclass(frozen=True, slots=True)
class AttemptView:
    """An attempt as a row of a table; times are in Unix seconds."""

    number: int
    state: str
    reason: str = ""
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    wall_s: float | None = None
    peak_bytes: int = 0
    exit_code: int | None = None
    signal: int | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    value: dict[str, Any] = field(default_factory=dict)


def attempt_view(attempt: Attempt) -> AttemptView:
    """Read an attempt as a row of a table."""
    now = read_attempt_state(attempt)
    started = attempt.started_at()
    view = AttemptView(attempt.number, now.state, created=attempt.created_at(), started=started)
    if now.ending is not None:
        return dataclasses.replace(view, **_ending_fields(now.ending))
    # A live attempt has no ending, so its figures are those of this moment.
    return dataclasses.replace(
        view,
        wall_s=None if started is None else max(0.0, time.time() - started),
        peak_bytes=now.heartbeat.peak_bytes if now.heartbeat else 0,
        metrics=read_progress(attempt.events).metrics,
    )


def _ending_fields(ending: Ending) -> dict[str, Any]:
    names = ("reason", "started", "ended", "wall_s", "peak_bytes", "exit_code", "signal", "metrics", "value")
    return {name: getattr(ending, name) for name in names}


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as a list or a screen shows it: the state of its last attempt and how far it is.

    Times in Unix seconds, ages and `eta_s` in seconds at the moment of reading, `rate` in units a second.
    `reason` says in words why a terminal state was reached and `remedy` what to do about it; `health` is
    explained at `AttemptState`, and `waiting` says what a queued one waits for; `cluster_id` is the number
    that a cluster knows it by; a `protected` job cannot be deleted, nor can a sweep with a protected run. Of
    a sweep, `begun` adds up the shares of its runs that are under way. `value` is what the task returned,
    `metrics` the last value of each metric.
    """

    id: int
    task: str
    title: str
    state: str
    reason: str = ""
    remedy: str = ""
    code: str = ""
    health: str = "ok"
    waiting: str = ""
    cluster_id: str = ""
    attempt: int = 1
    sweep: int = 0
    protected: bool = False
    seed: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    out: str = ""
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    wall_s: float | None = None
    step: int | None = None
    done: float | None = None
    total: float | None = None
    begun: float = 0.0
    unit: str = ""
    rate: float | None = None
    eta_s: float | None = None
    heartbeat_age_s: float | None = None
    last_event_age_s: float | None = None
    stopping_for_s: float | None = None
    memory_bytes: int | None = None
    peak_bytes: int = 0
    exit_code: int | None = None
    signal: int | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    value: dict[str, Any] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        """Whether the job still waits or runs."""
        return self.state in LIVE

    @property
    def share(self) -> float | None:
        """The share of the work that is done, from 0 to 1; None while the total is not known."""
        # Without a total there is no share, and a total of zero would divide by it.
        if self.done is None or not self.total:
            return None
        return min(1.0, (self.done + self.begun) / self.total)

    def log_path(self, name: str) -> Path:
        """Return the path of a file of the last attempt: events.jsonl, stdout.log, stderr.log."""
        return Path(self.folder) / f"attempt-{self.attempt}" / name

    @property
    def spec(self) -> Recipe:
        """The recipe of the job."""
        return Recipe(self.task, self.title, self.params, self.seed)

    @property
    def command_exit_code(self) -> int:
        """The exit code of a command that waited for this job: 0, 1 failed, 130 stopped, 4 lost."""
        return EXIT_CODES.get(self.state, 0)

    @property
    def offer_kill(self) -> bool:
        """Whether the job has been stopping for so long that killing it should be offered."""
        return self.stopping_for_s is not None and self.stopping_for_s > timing.GRACE_S

    def why_refused(self, verb: str) -> str:
        """Return why a verb does not apply now, or "" if it does.

        Args:
            verb: stop, kill, resume or remove.
        """
        if verb in ("stop", "kill"):
            if not self.live:
                return f"job {self.id} is over: {self.state}"
            # A second stop changes nothing, while a kill may always follow.
            return f"job {self.id} is already stopping" if verb == "stop" and self.state == "stopping" else ""
        if self.live:
            return f"job {self.id} is {self.state}"
        if verb == "remove" and self.protected:
            return f"job {self.id} is protected" if self.task != SWEEP else f"sweep {self.id} is protected"
        return f"job {self.id} has succeeded" if verb == "resume" and self.state == "succeeded" else ""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the index knew of a job when its run folder had the modification time `changed_ns`."""

    view: JobView
    changed_ns: int


class JobSnapshot:
    """One look at many jobs of a folder of runs: the queue is read once, and each job once.

    Args: known: what the index knew; what is over, or waits, and has not changed since is taken from there.
    seen: jobs that have been looked at.
    """

    def __init__(
        self, runs: Path, known: dict[int, IndexRow] | None = None, seen: Mapping[int, JobView] | None = None
    ) -> None:
        self._runs = runs
        self.known = {} if known is None else known
        self._views: dict[int, JobView] = dict(seen or {})

    @cached_property
    def places(self) -> queue.QueuePositions:
        """The positions of waiting jobs in the queue."""
        return queue.queue_positions(self._runs)

    def view_job(self, job: Job) -> JobView:
        """Return the view of a job, reading its folder at most once."""
        if self.known_view(job) is None:
            self._views[job.id] = job_view(job, self)
        return self._views[job.id]

    def known_view(self, job: Job) -> JobView | None:
        """Return the view of a job that the index or this snapshot has, or None if its folder must be
        read.
        """
        if job.id not in self._views and (result := self._view_if_unchanged(job)):
            self._views[job.id] = result
        return self._views.get(job.id)

    def _view_if_unchanged(self, job: Job) -> JobView | None:
        row = self.known.get(job.id)
        if row is None or row.changed_ns != changed_at(job):
            return None
        # A job that is over changes only with its folder, which has not changed.
        if not row.view.live:
            return row.view
        # A waiting job moves up in the queue without any change in its folder, so its place is computed anew.
        # A missing entry counts as started, and the folder is read.
        _, started = self.places.get((job.id, row.view.attempt), (0, 1.0))
        if row.view.state != "queued" or started:
            return None
        now = state_before_start(job.attempt(row.view.attempt), time.time(), self.places)
        return dataclasses.replace(row.view, waiting=now.waiting) if now.state == "queued" else None


def changed_at(job: Job) -> int:
    """Return when the view of a finished or waiting job may last have changed, in nanoseconds."""
    # The folder changes when an attempt is added, the recipe when settings change, the result when it ends.
    latest = 0
    last = (each.folder / "result.json" for each in job.attempts()[-1:])
    for path in (job.folder, job.recipe, *last):
        with contextlib.suppress(OSError):
            latest = max(latest, path.stat().st_mtime_ns)
    return latest


def job_view(job: Job, look: JobSnapshot | None = None) -> JobView:
    """Read a job from its folder.

    Args:
        job: The job.
        look: The snapshot of many jobs that it is read for.
    """
    now = time.time()
    look = look or JobSnapshot(job.folder.parent)
    # What cannot be read is shown as lost, so that one broken folder does not hide the other jobs.
    try:
        spec = job.read_recipe()
    except DataError as error:
        what = str(error)
        return JobView(job.id, "", "unreadable", "lost", what, code=error.code, folder=str(job.folder))
    if spec.task == SWEEP:
        return _sweep_view(job, spec, look)
    attempts = job.attempts()
    if not attempts:
        reason = "the run folder holds no attempt"
        return JobView(job.id, spec.task, spec.title, "lost", reason, folder=str(job.folder))
    attempt = attempts[-1]
    # From here on everything is about the last attempt.
    now_at = read_attempt_state(attempt, now=now, places=look.places)
    ending, heartbeat = now_at.ending, now_at.heartbeat
    progress = read_progress(attempt.events)
    started = attempt.started_at()
    wanted_since = attempt.requested_at() if now_at.state == "stopping" else None
    # What is true of a job in any state; figures of time follow, by whether it has ended.
    view = JobView(
        id=job.id,
        task=spec.task,
        title=spec.title,
        state=now_at.state,
        health=now_at.health,
        waiting=now_at.waiting,
        cluster_id=ticket.number if (ticket := attempt.cluster_ticket()) else "",
        attempt=attempt.number,
        sweep=sweep_of(job.folder),
        protected=is_protected(job),
        seed=spec.seed,
        params=dict(spec.params),
        folder=str(job.folder),
        out=str(job.out_folder(spec)),
        created=attempts[0].created_at(),
        started=started,
        step=progress.step,
        done=progress.done,
        total=progress.total,
        unit=progress.unit,
        metrics=progress.metrics,
    )
    if ending is not None:
        outcome = _ending_fields(ending)
        # An ending that was concluded without the worker may lack the start and the metrics.
        outcome["started"] = ending.started or started
        outcome["metrics"] = ending.metrics or progress.metrics
        return dataclasses.replace(view, **outcome, remedy=ending.remedy, code=ending.code)
    # An estimate is as old as the last event, so the time since then is subtracted.
    silent_s = None if progress.last_t is None else max(0.0, now - progress.last_t)
    return dataclasses.replace(
        view,
        wall_s=None if started is None else max(0.0, now - started),
        rate=progress.rate,
        eta_s=None if progress.eta_s is None else max(0.0, progress.eta_s - (silent_s or 0.0)),
        heartbeat_age_s=None if heartbeat is None else max(0.0, now - heartbeat.t),
        last_event_age_s=silent_s,
        stopping_for_s=None if wanted_since is None else max(0.0, now - wanted_since),
        memory_bytes=heartbeat.rss_bytes if heartbeat else None,
        peak_bytes=heartbeat.peak_bytes if heartbeat else 0,
    )


def _sweep_view(job: Job, spec: Recipe, look: JobSnapshot) -> JobView:
    """Return a sweep as one line: how many of its runs are over, and its state by theirs. One that has been
    ended early for being the worst is done; otherwise a failed one makes it a failure, and a stopped one
    stopped. What shares have left undone is done by the one that puts them together.
    """
    runs, now = job.folder.parent, time.time()
    views = [look.view_job(Job(each.job, runs / str(each.job))) for each in sweep_members(job)]
    if not views:
        return _sweep_of_none(job, spec, now)
    live = [view for view in views if view.live]
    # What went wrong, the worst first. A run that the median rule has ended has done its duty.
    odd = {
        state: [view.id for view in views if view.state == state and not view.reason.startswith(EARLY)]
        for state in ("lost", "failed", "stopped")
    }
    # Live members decide the state of the sweep; otherwise the worst end of a member does.
    if live:
        some_over = len(live) < len(views)
        states = ("running", "starting", "stopping")
        state = "running" if some_over or any(view.state in states for view in live) else "queued"
    else:
        state = next((state for state, ids in odd.items() if ids), "succeeded")
    # The reason lists the members of each bad end by number.
    parts = [f"{len(ids)} {state}: {', '.join(map(str, ids))}" for state, ids in odd.items() if ids]
    # The last member of a divided work redoes what the shares left undone, so its success is that of all.
    if parts and not live and views[-1].state == "succeeded" and is_divided(job):
        state = "succeeded"
        parts.append(f"{views[-1].id} did the rest")
    ends = [view.ended for view in views if view.ended is not None]
    starts = [view.started for view in views if view.started is not None]
    ended = max(ends, default=None) if not live else None
    started = min(starts, default=None)
    return JobView(
        id=job.id,
        task=spec.task,
        title=spec.title,
        state=state,
        reason="; ".join(parts),
        remedy="" if live or state == "succeeded" else f"Resume them: mathwb jobs resume {job.id}",
        waiting=live[0].waiting if state == "queued" else "",
        protected=is_protected(job) or any(view.protected for view in views),
        seed=spec.seed,
        params=dict(spec.params),
        folder=str(job.folder),
        created=min((view.created for view in views), default=0.0),
        started=started,
        ended=ended,
        wall_s=None if started is None else max(0.0, (ended or now) - started),
        done=float(len(views) - len(live)),
        total=float(len(views)),
        # The shares of runs under way are counted apart from `done`, which counts complete runs.
        begun=sum(view.share or 0.0 for view in live),
        unit="runs",
        eta_s=_sweep_eta(views),
        memory_bytes=sum(view.memory_bytes or 0 for view in live) or None,
        peak_bytes=max((view.peak_bytes for view in views), default=0),
    )


def _sweep_eta(views: Sequence[JobView]) -> float | None:
    """Return how long the live runs of a sweep will take: those that wait as long as the others on average,
    as many at a time as now. None while no run tells how long it takes.
    """
    # Step 1: how long a run takes, from complete runs and from estimates of live ones.
    took = [view.wall_s for view in views if view.state == "succeeded" and view.wall_s]
    took += [
        view.wall_s + view.eta_s for view in views if view.live and view.wall_s and view.eta_s is not None
    ]
    live = [view for view in views if view.live]
    if not took or not live:
        return None
    usual = sum(took) / len(took)
    # Step 2: what is left of each live run; one without an estimate is taken to need the usual time.
    left = [max(0.0, usual - (view.wall_s or 0.0)) if view.eta_s is None else view.eta_s for view in live]
    # Step 3: the longest single run, or all of them on as many lanes as are used now, whichever is more.
    at_once = sum(view.state != "queued" for view in live) or 1
    return max([*left, sum(left) / at_once])


def notable_endings(ended: Sequence[JobView], wrong: Iterable[int] = ()) -> list[JobView]:
    """Return those of the jobs that have ended which deserve a line of their own.

    A sweep speaks for its runs, except for the first that goes wrong while others go on.

    Args:
        ended: The jobs that have ended.
        wrong: Sweeps of which a failure has been reported already.
    """
    # A sweep is reported once: when it ends itself, or when its first member goes wrong.
    notified = {*wrong, *(view.id for view in ended)}
    result = []
    for view in ended:
        if view.sweep and (view.sweep in notified or view.state not in ("failed", "lost")):
            continue
        notified.add(view.sweep)
        result.append(view)
    return result


def _sweep_of_none(job: Job, spec: Recipe, now: float) -> JobView:
    """Return a sweep without runs: it is being made, or nothing can come of it."""
    made = modified_at(job.recipe) or 0.0
    view = JobView(job.id, spec.task, spec.title, "queued", params=dict(spec.params), folder=str(job.folder))
    if abs(now - made) < timing.START_LIMIT_S:
        return view
    remedy = f"Remove it: mathwb jobs rm {job.id}"
    return dataclasses.replace(view, state="lost", reason="none of its runs is there", remedy=remedy)
