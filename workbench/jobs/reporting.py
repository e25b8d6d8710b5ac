"""Reporting: what the event log of a job says goes on to TensorBoard, W&B, MLflow, trackio or a function.

A reporter is one class here, registered by its name, or one of another distribution, by an entry point of the
group `mathwb.reporters`. `python -m workbench.jobs.reporting RUN_DIR NAME`
follows the last attempt to its end; supervisors start it for each name in the setting `reporters`. Since it
reads logs, a job can be reported after it has ended, or from a machine that has a network. How far it has
come is in `report-NAME.json` of the run folder. Steps that a resumed attempt repeats are not reported again:
the first values stand. What the packages read from the environment (WANDB_MODE, …) holds as usual.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from symtable import symtable
from typing import TYPE_CHECKING, Any, Protocol

from engines.core.entry_points import find_entry_points
from engines.core.errors import EngineError
from engines.core.files import write_json
from engines.core.locks import hold_lock
from workbench.config import flatten_table
from workbench.errors import missing_package, without_secrets
from workbench.jobs import timing
from workbench.jobs.folder import Attempt, Job, read_document
from workbench.jobs.job_views import job_view
from workbench.jobs.machine import start_detached
from workbench.jobs.tail import EventTail, LoggedEvent, is_number

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FILE = "reporters.json"
"""In a run folder: the names of the reporters of the job."""

PROJECT = "mathwb"
_PARAMS_AT_ONCE = 100
"""MLflow takes no more in one request."""
_MLFLOW = {"succeeded": "FINISHED", "stopped": "KILLED", "failed": "FAILED", "lost": "FAILED"}
"""What MLflow calls an end."""


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """The job that is reported.

    Args:
        job: Its number.
        name: A name that no other job has.
        title: Its title.
        task: Its operation.
        folder: Its run folder.
        settings: The settings of its recipe by dotted name.
    """

    job: int
    name: str
    title: str
    task: str
    folder: Path
    settings: Mapping[str, Any] = field(default_factory=dict)


class Reporter(Protocol):
    """Receives everything once, in order. `begin_run` comes first, and again whenever reporting continues."""

    def begin_run(self, run: ReportedRun, known: str) -> str:
        """Begin or continue to report a run.

        Args:
            run: The run.
            known: What this returned the last time; empty the first time.

        Returns:
            The name by which the reporter finds the run again.
        """
        ...

    def report_event(self, event: LoggedEvent) -> None:
        """Report the next event; of a `metric` only the values that are new for its step."""
        ...

    def end_run(self, state: str, reason: str) -> None:
        """Report how the job ended. Both are empty if the job goes on and the reporting ends."""
        ...


class TensorBoard:
    """Writes metrics by step and time to `tensorboard/` of the run folder, the recipe as hyperparameters.

    Each time reporting continues there is one more file in the folder; TensorBoard reads them as one run.
    """

    def begin_run(self, run: ReportedRun, known: str) -> str:
        """Begin to write to the folder `tensorboard` of the run."""
        from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

        self._writer = EventFileWriter(str(run.folder / "tensorboard"), max_queue_size=100, flush_secs=2)
        # Hyperparameters are written with the first event of a new run, because their time is needed.
        self._session = "" if known else "start"
        self._settings = run.settings
        self._at = 0.0
        return "begun"

    def report_event(self, event: LoggedEvent) -> None:
        """Write the metrics of an event."""
        self._at = event.t
        if self._session:
            self._session = ""
            self._write_hyperparameters(
                "SESSION_START_INFO_TAG", session_start_info=_session_start(self._settings, event.t)
            )
        if event.kind == "metric":
            # Imported late: the package takes seconds to load, and only a process that reports needs it.
            from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]

            values = [Summary.Value(tag=name, simple_value=value) for name, value in event.data.items()]
            self._write_summary(event.step or 0, Summary(value=values))

    def end_run(self, state: str, reason: str) -> None:  # noqa: ARG002  # it has no place for a reason
        """Write the end of the run, if it succeeded, and close the file."""
        # The first end that TensorBoard reads stands, and all others can be resumed.
        if state == "succeeded":
            from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2  # type: ignore[import-untyped]

            ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=self._at)
            self._write_hyperparameters("SESSION_END_INFO_TAG", session_end_info=ended)
        self._writer.close()

    def _write_hyperparameters(self, tag: str, **what: Any) -> None:
        from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
        from tensorboard.plugins.hparams import metadata, plugin_data_pb2

        data = plugin_data_pb2.HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **what)
        plugin = SummaryMetadata.PluginData(
            plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString()
        )
        value = Summary.Value(tag=getattr(metadata, tag), metadata=SummaryMetadata(plugin_data=plugin))
        self._write_summary(0, Summary(value=[value]))

    def _write_summary(self, step: int, summary: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]

        self._writer.add_event(Event(wall_time=self._at, step=step, summary=summary))


def _session_start(settings: Mapping[str, object], at: float) -> Any:
    """Return numbers and truth values as such, the rest as text."""
    from tensorboard.plugins.hparams import plugin_data_pb2

    start = plugin_data_pb2.SessionStartInfo(start_time_secs=at)
    for name, value in settings.items():
        if isinstance(value, bool):
            start.hparams[name].bool_value = value
        elif isinstance(value, int | float):
            start.hparams[name].number_value = value
        else:
            start.hparams[name].string_value = str(value)
    return start


class WandB:
    """Logs metrics by `step`, the recipe as configuration."""

    def begin_run(self, run: ReportedRun, known: str) -> str:
        """Begin or continue the run in W&B, and return its id."""
        wandb = importlib.import_module("wandb")
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            id=known or None,
            resume="allow",
            name=run.name,
            job_type=run.task,
            config=dict(run.settings),
            # `jobs resume --set` may have changed some.
            allow_val_change=True,
            dir=str(run.folder),
            # What it would note of this machine and this process is not of the job.
            settings=wandb.Settings(x_disable_stats=True, console="off"),
        )
        # Its own steps only count up, and a measure may come late for an earlier one.
        self._run.define_metric("step")
        self._run.define_metric("*", step_metric="step")
        return str(self._run.id)

    def report_event(self, event: LoggedEvent) -> None:
        """Log the metrics of an event."""
        if event.kind == "metric":
            at = {} if event.step is None else {"step": event.step}
            self._run.log({**event.data, **at})

    def end_run(self, state: str, reason: str) -> None:  # noqa: ARG002  # it has no place for a reason
        """Finish the run with its exit code."""
        self._run.finish(exit_code=int(state in ("failed", "lost")))


class MLflow:
    """Logs metrics by step and time, the recipe as parameters.

    If nothing names a tracking server, a database next to the runs takes them all; MLflow's own default is
    one in each folder that it is started in.
    """

    def begin_run(self, run: ReportedRun, known: str) -> str:
        """Begin or continue the run in MLflow, and return its id."""
        mlflow = importlib.import_module("mlflow")
        # Without a setting of the user's the runs go into a database next to the run folders.
        here = None if mlflow.is_tracking_uri_set() else f"sqlite:///{run.folder.parent.absolute()}/mlflow.db"
        self._client = mlflow.MlflowClient(here)
        self._entities = importlib.import_module("mlflow.entities")
        # A run that was reported before is continued under its id.
        if known:
            self._client.update_run(known, status="RUNNING")
            self._id = known
            return known
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT)
        result = self._client.get_experiment_by_name(name)
        experiment = result.experiment_id if result is not None else self._client.create_experiment(name)
        tags = {"mathwb.task": run.task, "mathwb.job": str(run.job)}
        made = self._client.create_run(experiment, run_name=run.name, tags=tags)
        self._id = str(made.info.run_id)
        given = [self._entities.Param(name, str(value)) for name, value in run.settings.items()]
        # In blocks, because the server limits the number of parameters in one request.
        for begin in range(0, len(given), _PARAMS_AT_ONCE):
            self._client.log_batch(self._id, params=given[begin : begin + _PARAMS_AT_ONCE])
        return self._id

    def report_event(self, event: LoggedEvent) -> None:
        """Log the metrics of an event."""
        if event.kind == "metric":
            # MLflow counts time in milliseconds.
            at = round(1000 * event.t), event.step or 0
            values = [self._entities.Metric(name, value, *at) for name, value in event.data.items()]
            self._client.log_batch(self._id, metrics=values)

    def end_run(self, state: str, reason: str) -> None:
        """Set the final state of the run, with its reason."""
        if state:
            if reason:
                self._client.set_tag(self._id, "mathwb.reason", reason)
            self._client.set_terminated(self._id, status=_MLFLOW[state])


class Trackio:
    """Logs metrics by step, the recipe as configuration; its runs go by their names."""

    def begin_run(self, run: ReportedRun, known: str) -> str:
        """Begin or continue the run in trackio, and return its name."""
        self._trackio = importlib.import_module("trackio")
        self._trackio.init(
            project=os.environ.get("TRACKIO_PROJECT", PROJECT),
            name=known or run.name,
            resume="allow",
            config=dict(run.settings),
            embed=False,
            # What it would note of this machine may not be of the job's.
            auto_log_cpu=False,
            auto_log_gpu=False,
        )
        return known or run.name

    def report_event(self, event: LoggedEvent) -> None:
        """Log the metrics of an event."""
        if event.kind == "metric":
            self._trackio.log(dict(event.data), step=event.step)

    def end_run(self, state: str, reason: str) -> None:  # noqa: ARG002  # it has no place for either
        """Finish the run."""
        self._trackio.finish()


REPORTERS: dict[str, type[Reporter]] = {
    "tensorboard": TensorBoard,
    "wandb": WandB,
    "mlflow": MLflow,
    "trackio": Trackio,
}
"""The reporters by name, which is also that of the package and of the extra that installs it."""


class CallbackReporter:
    """Calls a function with the run and each event; at the end with an event of the kind `ended`."""

    def __init__(self, function: Callable[[ReportedRun, LoggedEvent], object]) -> None:
        self._function = function

    def begin_run(self, run: ReportedRun, known: str) -> str:  # noqa: ARG002  # nothing has to be found again
        """Remember the run for the function."""
        self._run = run
        self._last = LoggedEvent(0.0, run.job, 0, -1, "ended", None, {})
        return ""

    def report_event(self, event: LoggedEvent) -> None:
        """Call the function with an event."""
        self._last = event
        self._function(self._run, event)

    def end_run(self, state: str, reason: str) -> None:
        """Call the function with the end of the run, if it has ended."""
        last = self._last
        if state:
            data = {"state": state, "reason": reason}
            self._function(
                self._run, LoggedEvent(last.t, last.job, last.attempt, last.seq + 1, "ended", None, data)
            )


def _added_reporters() -> dict[str, EntryPoint]:
    """Find the reporters of other distributions, by name: each entry point names a class like `Reporter`."""
    return {point.name: point for point in find_entry_points("mathwb.reporters")}


def check_reporter(name: str) -> str:
    """Return the name of an installed reporter; that of a file with an absolute path.

    Raises:
        EngineError: E627 if there is no such reporter; E351 for TensorBoard if training is not installed.
    """
    # The names of the built-in reporters are also the names of their packages.
    if name in REPORTERS:
        if importlib.util.find_spec(name) is None:
            if name == "tensorboard" and (missing := missing_package(name)):
                raise missing
            what = f"the package {name} is not installed"
            raise _reporter_error(what, f'Install it: pip install "mathwb[{name}]"')
        return name
    if name in (added := _added_reporters()):
        # Loading it now shows a faulty plug-in to the user who names it, and not to a job in the background.
        try:
            added[name].load()
        except Exception as error:  # whatever the code of others raises
            what = f"the reporter {name} cannot be loaded: {type(error).__name__}: {error}"
            raise _reporter_error(what, "Update or uninstall the package that adds it.") from error
        return name
    # What is left is FILE.py:FUNCTION; it is checked without running the file.
    file_text, colon, function = name.rpartition(":")
    if not colon:
        known = ", ".join([*REPORTERS, *added])
        raise _reporter_error(f"there is no reporter {name!r}", f"There are {known}, and FILE.py:FUNCTION.")
    path = Path(file_text).expanduser().absolute()
    if path.suffix != ".py" or not path.is_file():
        raise _reporter_error("there is no such Python file", "Name one: FILE.py:FUNCTION.", str(path))
    try:
        text = path.read_text(encoding="utf-8")
        # The symbol table shows the names that a file defines without running any of it.
        names = {symbol.get_name() for symbol in symtable(text, str(path), "exec").get_symbols()}
    except (OSError, ValueError, SyntaxError) as error:
        raise _reporter_error(f"it is not valid Python: {error}", "Fix it.", str(path)) from error
    # A star import may define the name too, which only running it would show.
    if function not in names and "import *" not in text:
        raise _reporter_error(f"it has no function {function!r}", "Name one of its functions.", str(path))
    return f"{path}:{function}"


def check_reporters(text: str) -> str:
    """Return several reporters, separated by commas, each as `check_reporter` returns it.

    Raises:
        EngineError: E627 if one does not exist.
    """
    return ",".join(check_reporter(name) for each in text.split(",") if (name := each.strip()))


def reporter_file(task: str) -> dict[str, dict[str, Any]]:
    """Return the file of a new run folder that names its reporters, by the setting `reporters`.

    TensorBoard, the default, is for trainings alone. Nothing if there are no reporters.

    Raises:
        EngineError: E627 if one does not exist.
    """
    from workbench.config import own_config

    # `own_config` imports no paper: `reporters` is a setting of the workbench itself.
    names = [name.strip() for name in str(own_config().get("reporters")).split(",")]
    results = [check_reporter(name) for name in names if name and (name != "tensorboard" or task == "train")]
    return {FILE: {"v": 1, "names": results}} if results else {}


def open_reporter(name: str) -> Reporter:
    """Return the reporter with a name, as `check_reporter` returns it.

    Raises:
        EngineError: E627 if its file has no such function.
    """
    if name in REPORTERS:
        return REPORTERS[name]()
    if name in (added := _added_reporters()):
        result: Reporter = added[name].load()()
        return result
    module_name, _, function = name.rpartition(":")
    # A spec from the path, since the file is in no package and its folder not in the module path.
    spec = importlib.util.spec_from_file_location("mathwb_reporter", module_name)
    assert spec is not None  # its name ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    called = getattr(module, function, None)
    if not callable(called):
        raise _reporter_error(f"it has no function {function!r}", "Name one of its functions.", module_name)
    return CallbackReporter(called)


def _reporter_error(what: str, remedy: str, where: str = "") -> EngineError:
    return EngineError(what, where=where, code="E627", remedy=remedy)


@dataclass(slots=True)
class ReportState:
    """How far a reporter has come.

    Args:
        name: The reporter.
        known: Its own name for the run.
        attempt: The attempt of the last reported event.
        seq: The number of that event in the attempt.
        steps: The last reported step of each metric.
        events: The number of reported events.
        end: The state that was reported as the end.
        error: Why it stopped.
    """

    name: str = ""
    known: str = ""
    attempt: int = 1
    seq: int = -1
    steps: dict[str, int] = field(default_factory=dict)
    events: int = 0
    end: str = ""
    error: str = ""

    @classmethod
    def read(cls, path: Path, name: str) -> ReportState:
        """Read the state of a reporter; a missing file means nothing was reported.

        Raises:
            EngineError: E629 if the file cannot be read.
        """
        try:
            return cls(**json.loads(path.read_bytes()))
        except FileNotFoundError:
            return cls(name)
        except (OSError, ValueError, TypeError) as error:
            what = f"the record of what {name} has received cannot be read: {error}"
            remedy = "Remove the file to report everything again, as a new run."
            raise EngineError(what, where=str(path), code="E629", remedy=remedy) from error


def read_report_states(job: Job) -> list[ReportState]:
    """Return how far each reporter of a job has come.

    Raises:
        EngineError: E629 if a record cannot be read.
    """
    return [ReportState.read(path, path.stem) for path in sorted(job.folder.glob("report-*.json"))]


def start_reporters(attempt: Attempt) -> list[subprocess.Popen[bytes]]:
    """Start the reporters of an attempt, each in its own process that nothing of the job waits for."""
    run = attempt.folder.parent.resolve()
    names = map(str, read_document(run / FILE).get("names", ()))
    logs = {name: _state_path(run, name).with_suffix(".log") for name in names}
    return [
        start_detached("workbench.jobs.reporting", str(run), name, cwd=run, log=log)
        for name, log in logs.items()
    ]


def report_job(job: Job, name: str, *, over: Callable[[], bool]) -> ReportState:
    """Report what is new of a job, and what comes until it is over.

    Of two calls at a time for the same job and reporter the second waits for the first.

    Args:
        job: The job.
        name: The reporter, as `check_reporter` returns it.
        over: Returns whether nothing more will come.

    Raises:
        EngineError: E627 if there is no such reporter, E628 if it fails; the next call continues.
    """
    state_path = _state_path(job.folder, name)
    # One process at a time writes the state of a reporter.
    with hold_lock(state_path):
        state = ReportState.read(state_path, name)
        # An error of the last time is forgotten: this call tries again.
        state.error = ""
        follower = _Follower(job, open_reporter(name), state)
        try:
            while True:
                # Asked before reading, so that nothing written between the two is missed.
                done = over()
                while follower.report_next():
                    # The state is stored after each piece, so that a crash repeats one piece at most.
                    write_json(state_path, asdict(state))
                if done:
                    break
                time.sleep(timing.TICK_S)
            follower.end_run()
        except Exception as error:
            state.error = f"{type(error).__name__}: {error}"
            # An error that already has a code and a hint is passed on as it is.
            if isinstance(error, EngineError):
                raise
            what = f"the reporter failed: {state.error}"
            remedy = f"Continue with: mathwb jobs report {job.id} --to {name}"
            raise EngineError(what, where=name, code="E628", remedy=remedy) from error
        finally:
            write_json(state_path, asdict(state))
        return state


class _Follower:
    def __init__(self, job: Job, to: Reporter, state: ReportState) -> None:
        self._job, self._to, self._state = job, to, state
        self._begun = False
        self._tail: EventTail | None = None
        self._of = 0

    def _begin_run(self) -> None:
        # Begun with the first thing there is to report, so that no run is opened in vain.
        if not self._begun:
            self._begun = True
            self._state.known = self._to.begin_run(_describe_run(self._job), self._state.known)
            self._state.end = ""

    def report_next(self) -> bool:
        """Report a piece of what is new.

        Returns:
            Whether there was any.
        """
        for event in (piece := self._read_events()):
            # Reported by an earlier call: events of an attempt have increasing numbers.
            if event.seq <= self._state.seq:
                continue
            if (fresh := _without_reported(event, self._state.steps)) is not None:
                self._begin_run()
                self._to.report_event(fresh)
                self._state.events += 1
            self._state.seq = event.seq
            # The highest step counts, because a resumed attempt repeats steps that are reported already.
            if event.kind == "metric" and event.step is not None:
                for name in event.data:
                    self._state.steps[name] = max(event.step, self._state.steps.get(name, -1))
        return bool(piece)

    def _read_events(self) -> list[LoggedEvent]:
        state = self._state
        for attempt in self._job.attempts():
            # Attempts are read in order; one that is complete yields nothing more, and the loop comes to the
            # next.
            if attempt.number < state.attempt:
                continue
            if attempt.number > state.attempt:
                # The numbers of events begin again with each attempt.
                state.attempt, state.seq = attempt.number, -1
            if self._tail is None or self._of != attempt.number:
                self._tail, self._of = EventTail(attempt.events), attempt.number
            if events := self._tail.read_events():
                return events
        return []

    def end_run(self) -> None:
        """Report how it ended, unless that is known or the job goes on."""
        view = job_view(self._job)
        state = "" if view.live else view.state
        # The end is reported once. A job that was resumed has another end, and is opened again for it.
        if self._begun or state != self._state.end:
            self._begin_run()
            self._to.end_run(state, view.reason if state else "")
            self._state.end = state


def _without_reported(event: LoggedEvent, steps: dict[str, int]) -> LoggedEvent | None:
    """Return the event without numbers already reported for its step; None when nothing of it is left."""
    if event.kind != "metric":
        return event
    step = event.step
    values = {
        name: value
        for name, value in event.data.items()
        if is_number(value) and (step is None or step > steps.get(name, -1))
    }
    return replace(event, data=values) if values else None


def _describe_run(job: Job) -> ReportedRun:
    spec = job.read_recipe()
    begun = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(job.attempt(1).created_at()))
    settings = {**flatten_table(spec.params), "seed": spec.seed}
    return ReportedRun(job.id, f"{spec.title} · {begun}", spec.title, spec.task, job.folder, settings)


def _state_path(run: Path, name: str) -> Path:
    # The name of a reporter may contain a path and a function, and has to become the name of a file.
    return run / f"report-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[-80:]}.json"


def main(arguments: list[str]) -> int:
    """Run one reporter: the command that supervisors start.

    Returns:
        0, 1 when the reporter failed.
    """
    folder = Path(arguments[0])
    job = Job(int(folder.name), folder)
    attempt = job.last_attempt()
    try:
        report_job(
            job, arguments[1], over=lambda: attempt.read_result() is not None or not job_view(job).live
        )
    except EngineError:
        sys.stderr.write(without_secrets(traceback.format_exc()))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
