"""What is true about a job at this moment. The only place that decides on a state."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from workbench.jobs import timing
from workbench.jobs.folder import LIVE, Attempt, Ending, Heartbeat, Job
from workbench.jobs.progress import Progress, progress
from workbench.jobs.spec import JobSpec

__all__ = [
    "FIELDS",
    "AttemptView",
    "JobView",
    "Standing",
    "attempt_view",
    "job_view",
    "last_words",
    "standing",
]

FIELDS = (
    "id",
    "task",
    "title",
    "state",
    "reason",
    "health",
    "attempt",
    "seed",
    "step",
    "done",
    "total",
    "out",
)
"""The names that a filter over jobs may use."""

EXIT_CODES = {"succeeded": 0, "failed": 1, "stopped": 130, "lost": 4}


@dataclass(frozen=True, slots=True)
class Standing:
    """State of one attempt. `ending` is set in a terminal state; `recorded` says that the run folder has it.

    `health` of a live one: "ok"; "silent", no heartbeat for a while from another machine; "orphaned", the
    supervisor is gone and the worker goes on; "stalled", no event for ten minutes.
    """

    state: str
    health: str = "ok"
    ending: Ending | None = None
    recorded: bool = False
    heartbeat: Heartbeat | None = None


def standing(attempt: Attempt, *, now: float | None = None) -> Standing:
    """The state of an attempt, from its files and the processes they name.

    The order of the questions matters: whether a process lives is asked before what it has left behind, so
    that an end which comes between two questions is not taken for a loss.
    """
    now = time.time() if now is None else now
    if (ending := attempt.result()) is not None:
        return Standing(ending.state, ending=ending, recorded=True)
    beat = attempt.heartbeat()
    if beat is None:
        if now - attempt.created() < timing.START_LIMIT_S:
            return Standing("stopping" if attempt.wanted() else "queued")
        return _dead(attempt)
    health = "ok"
    alive = beat.supervisor.alive()
    if alive is None and now - beat.t > timing.STALE_AFTER_S:
        health = "silent"
    if alive is False:
        worker = attempt.worker()
        if worker is None or not worker[0].alive():
            return _dead(attempt)
        health = "orphaned"
    if attempt.wanted():
        return Standing("stopping", health, heartbeat=beat)
    events = _modified(attempt)
    if events is None:
        return Standing("starting", health, heartbeat=beat)
    if health == "ok" and now - events > timing.STALLED_AFTER_S:
        health = "stalled"
    return Standing("running", health, heartbeat=beat)


def _modified(attempt: Attempt) -> float | None:
    """When the event log last grew; None while it is empty."""
    try:
        status = attempt.events.stat()
    except OSError:
        return None
    return status.st_mtime if status.st_size else None


def _dead(attempt: Attempt) -> Standing:
    if (ending := attempt.result()) is not None:
        return Standing(ending.state, ending=ending, recorded=True)
    ending = last_words(attempt)
    return Standing(ending.state, ending=ending)


def last_words(attempt: Attempt) -> Ending:
    """The end of an attempt whose worker is known to be gone and had nobody to take its exit code."""
    if (outcome := attempt.outcome()) is not None:
        return outcome
    beat = attempt.heartbeat()
    worker = attempt.worker()
    started = worker[1] if worker else None
    ended = max(beat.t if beat else attempt.created(), _modified(attempt) or 0.0)
    peak = beat.peak_bytes if beat else 0
    wanted = attempt.wanted()
    if wanted == "kill":
        return Ending("stopped", "killed by you", started=started, ended=ended, peak_bytes=peak)
    if beat is None and wanted:
        return Ending("stopped", "stopped by you before it started", ended=ended)
    if beat is None:
        reason = "its supervisor never started"
    elif beat.supervisor.before_restart:
        reason = "the machine was restarted while it ran"
    else:
        reason = "its worker and its supervisor ended without recording a result"
    if wanted == "stop":
        reason += ", after you asked it to stop"
    remedy = f"Resume it: mathwb jobs resume {attempt.job}"
    return Ending("lost", reason, remedy, code="E620", started=started, ended=ended, peak_bytes=peak)


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt for a table. Times in Unix seconds."""

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
    """The attempt as it stands."""
    now = standing(attempt)
    worker = attempt.worker()
    started = worker[1] if worker else None
    view = AttemptView(attempt.number, now.state, created=attempt.created(), started=started)
    if now.ending is not None:
        return dataclasses.replace(view, **_told(now.ending))
    return dataclasses.replace(
        view,
        wall_s=None if started is None else max(0.0, time.time() - started),
        peak_bytes=now.heartbeat.peak_bytes if now.heartbeat else 0,
        metrics=progress(attempt.events).metrics,
    )


def _told(ending: Ending) -> dict[str, Any]:
    """What an ending tells the view of an attempt or of its job."""
    names = ("reason", "started", "ended", "wall_s", "peak_bytes", "exit_code", "signal", "metrics", "value")
    return {name: getattr(ending, name) for name in names}


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as a list or a screen shows it: the state of its last attempt and how far it is.

    Times in Unix seconds, ages and `eta_s` in seconds at the moment of reading, `rate` in units a second.
    `reason` says in words why a terminal state was reached and `remedy` what to do about it; `health` is
    explained at `Standing`. `value` is what the task returned, `metrics` the last value of each metric.
    """

    id: int
    task: str
    title: str
    state: str
    reason: str = ""
    remedy: str = ""
    code: str = ""
    health: str = "ok"
    attempt: int = 1
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
        """Whether it is not over yet."""
        return self.state in LIVE

    def log(self, name: str, attempt: int | None = None) -> Path:
        """A file of an attempt, the last one unless told: events.jsonl, stdout.log, stderr.log."""
        return Path(self.folder) / f"attempt-{attempt or self.attempt}" / name

    @property
    def spec(self) -> JobSpec:
        """The recipe, as for submitting it again."""
        return JobSpec(self.task, self.title, self.params, self.seed)

    @property
    def command_exit_code(self) -> int:
        """What a command that waited for this job ends with: 0, 1 failed, 130 stopped, 4 lost."""
        return EXIT_CODES.get(self.state, 0)

    @property
    def offer_kill(self) -> bool:
        """Whether it has been stopping for so long that killing it should be offered."""
        return self.stopping_for_s is not None and self.stopping_for_s > timing.GRACE_S

    def refusal(self, verb: str) -> str:
        """Why `verb` (stop, kill, resume, remove) does not apply now; empty when it does."""
        if verb in ("stop", "kill"):
            if not self.live:
                return f"job {self.id} is over: {self.state}"
            return f"job {self.id} is already stopping" if verb == "stop" and self.state == "stopping" else ""
        if self.live:
            return f"job {self.id} is {self.state}"
        return f"job {self.id} has succeeded" if verb == "resume" and self.state == "succeeded" else ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return dataclasses.asdict(self)

    def to_row(self) -> dict[str, Any]:
        """One line of a table and what a filter looks at, by the names in `FIELDS`."""
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> JobView:
        """What `to_dict` of the same version wrote. Raises: TypeError for another."""
        return cls(**document)


def job_view(job: Job, *, now: float | None = None) -> JobView:
    """The job as it stands, read from its folder."""
    now = time.time() if now is None else now
    try:
        spec = job.spec()
    except DataError as error:
        what = str(error)
        return JobView(job.id, "", "unreadable", "lost", what, code=error.code, folder=str(job.folder))
    attempts = job.attempts()
    if not attempts:
        reason = "the run folder holds no attempt"
        return JobView(job.id, spec.task, spec.title, "lost", reason, folder=str(job.folder))
    attempt = attempts[-1]
    now_at = standing(attempt, now=now)
    ending, beat = now_at.ending, now_at.heartbeat
    far = progress(attempt.events)
    worker = attempt.worker()
    started = worker[1] if worker else None
    wanted_since = attempt.wanted_since() if now_at.state == "stopping" else None
    view = JobView(
        id=job.id,
        task=spec.task,
        title=spec.title,
        state=now_at.state,
        health=now_at.health,
        attempt=attempt.number,
        seed=spec.seed,
        params=dict(spec.params),
        folder=str(job.folder),
        out=str(job.out(spec)),
        created=attempts[0].created(),
        started=started,
        step=far.step,
        done=far.done,
        total=far.total,
        unit=far.unit,
        metrics=far.metrics,
    )
    if ending is not None:
        told = _told(ending)
        told["started"] = ending.started or started
        told["metrics"] = ending.metrics or far.metrics
        return dataclasses.replace(view, **told, remedy=ending.remedy, code=ending.code)
    silent_s = None if far.last_t is None else max(0.0, now - far.last_t)
    return dataclasses.replace(
        view,
        wall_s=None if started is None else max(0.0, now - started),
        rate=far.rate,
        eta_s=_eta(far, silent_s),
        heartbeat_age_s=None if beat is None else max(0.0, now - beat.t),
        last_event_age_s=silent_s,
        stopping_for_s=None if wanted_since is None else max(0.0, now - wanted_since),
        memory_bytes=beat.rss_bytes if beat else None,
        peak_bytes=beat.peak_bytes if beat else 0,
    )


def _eta(far: Progress, silent_s: float | None) -> float | None:
    """The estimate of the last report, less the time since."""
    return None if far.eta_s is None else max(0.0, far.eta_s - (silent_s or 0.0))
