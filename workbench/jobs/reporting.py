"""Reporting: what the event logs of a job say goes on to a reporter, each thing once.

`python -m workbench.jobs.reporting RUN_DIR NAME` follows the last attempt to its end; supervisors start it
for what the setting `reporters` names. Since it reads logs, a job can be reported when it is over, or from a
machine that has a network. How far it has come is in `report-NAME.json` of the run folder. Steps that a
resumed attempt does again are not said again: what the first attempt said of them stands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import write_json
from engines.core.locks import locked
from workbench.jobs import timing
from workbench.jobs.differences import flat
from workbench.jobs.folder import Attempt, Job
from workbench.jobs.process import MARK
from workbench.jobs.reporters import FILE, Reporter, Run, reporter
from workbench.jobs.tail import EventTail, LoggedEvent, is_number
from workbench.jobs.view import job_view

__all__ = ["Reported", "report", "reported", "start"]


@dataclass(slots=True)
class Reported:
    """How far a reporter has been told: `seq` of the event of `attempt` that was last, the last `steps` of
    each metric, the state it was told as the `end`; `known` is its own name for the run, `error` why it
    stopped."""

    name: str = ""
    known: str = ""
    attempt: int = 1
    seq: int = -1
    steps: dict[str, int] = field(default_factory=dict)
    events: int = 0
    end: str = ""
    error: str = ""

    @classmethod
    def read(cls, path: Path, name: str) -> Reported:
        """What the file says; nothing has been told when it is not there. Raises: EngineError E629."""
        try:
            return cls(**json.loads(path.read_bytes()))
        except FileNotFoundError:
            return cls(name)
        except (OSError, ValueError, TypeError) as error:
            raise EngineError(
                f"how far {name} has been told cannot be read: {error}",
                where=str(path),
                code="E629",
                exit_code=3,
                remedy="Remove the file to tell everything anew, as a run of its own.",
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


def reported(job: Job) -> list[Reported]:
    """How far each of its reporters has been told. Raises: EngineError E629."""
    return [Reported.read(path, path.stem) for path in sorted(job.folder.glob("report-*.json"))]


def start(attempt: Attempt) -> list[subprocess.Popen[bytes]]:
    """Start whoever is to be told of an attempt as it runs, each in a process of its own that nothing of the
    job waits for."""
    run = attempt.folder.parent.resolve()
    environment = {key: value for key, value in os.environ.items() if key != MARK}
    begun = []
    for name in _wanted(run):
        with _place(run, name).with_suffix(".log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "workbench.jobs.reporting", str(run), name],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=run,
                env=environment | {"PYTHONSAFEPATH": "1"},
                start_new_session=True,
            )
        begun.append(process)
    return begun


def _wanted(run: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads((run / FILE).read_bytes())["names"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def report(job: Job, name: str, *, over: Callable[[], bool]) -> Reported:
    """Tell a reporter what it has not been told, and what comes until `over` says that there is no more.

    Args: name: as `reporters.checked` gave it. Of two at a time for the same job and reporter the second
    waits for the first.
    Raises: EngineError E627 when it cannot be had, E628 when it fails; the next call goes on where it stood.
    """
    place = _place(job.folder, name)
    with locked(place):
        state = Reported.read(place, name)
        state.error = ""
        teller = _Teller(job, reporter(name), state)
        try:
            while True:
                # Asked before the look, so that nothing said between the two is missed.
                done = over()
                while teller.look():
                    write_json(place, state.to_dict())
                if done:
                    break
                time.sleep(timing.TICK_S)
            teller.end()
        except Exception as error:
            state.error = f"{type(error).__name__}: {error}"
            if isinstance(error, EngineError):
                raise
            raise EngineError(
                f"the reporter failed: {state.error}",
                where=name,
                code="E628",
                remedy=f"It goes on where it stood: mathwb jobs report {job.id} --to {name}",
            ) from error
        finally:
            write_json(place, state.to_dict())
        return state


class _Teller:
    """Tells one reporter; begins when there is something to tell."""

    def __init__(self, job: Job, to: Reporter, state: Reported) -> None:
        self._job, self._to, self._state = job, to, state
        self._begun = False
        self._tail: EventTail | None = None
        self._of = 0

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._state.known = self._to.begin(_run(self._job), self._state.known)
            self._state.end = ""

    def look(self) -> bool:
        """Tell a piece of what is new. Returns: whether there was any."""
        for event in (piece := self._piece()):
            if event.seq <= self._state.seq:
                continue
            if (fresh := _fresh(event, self._state.steps)) is not None:
                self._begin()
                self._to.event(fresh)
                self._state.events += 1
            _pass(event, self._state)
        return bool(piece)

    def _piece(self) -> list[LoggedEvent]:
        """The next events of the attempt at hand, or else of the next one that has any."""
        state = self._state
        for attempt in self._job.attempts():
            if attempt.number < state.attempt:
                continue
            if attempt.number > state.attempt:
                state.attempt, state.seq = attempt.number, -1
            if self._tail is None or self._of != attempt.number:
                self._tail, self._of = EventTail(attempt.events), attempt.number
            if events := self._tail.read():
                return events
        return []

    def end(self) -> None:
        """Tell how it ended, unless that is known or it goes on."""
        view = job_view(self._job)
        state = "" if view.live else view.state
        if self._begun or state != self._state.end:
            self._begin()
            self._to.end(state, view.reason if state else "")
            self._state.end = state


def _fresh(event: LoggedEvent, steps: dict[str, int]) -> LoggedEvent | None:
    """The event without numbers that were told of its step before; None when nothing of it is left."""
    if event.kind != "metric":
        return event
    step = event.step
    values = {
        name: value
        for name, value in event.data.items()
        if is_number(value) and (step is None or step > steps.get(name, -1))
    }
    return replace(event, data=values) if values else None


def _pass(event: LoggedEvent, state: Reported) -> None:
    """Note that an event has been told."""
    state.seq = event.seq
    if event.kind == "metric" and event.step is not None:
        for name in event.data:
            state.steps[name] = max(event.step, state.steps.get(name, -1))


def _run(job: Job) -> Run:
    spec = job.spec()
    begun = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(job.attempt(1).created()))
    settings = {**flat(spec.params), "seed": spec.seed}
    return Run(job.id, f"{spec.title} · {begun}", spec.title, spec.task, job.folder, settings)


def _place(run: Path, name: str) -> Path:
    return run / f"report-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[-80:]}.json"


def main(arguments: list[str]) -> int:
    """The command that supervisors start. Returns: 0, 1 when the reporter failed."""
    folder = Path(arguments[0])
    job = Job(int(folder.name), folder)
    attempt = job.last()
    try:
        report(job, arguments[1], over=lambda: attempt.result() is not None or not job_view(job).live)
    except EngineError:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
