"""Reporters: TensorBoard, W&B, MLflow, trackio, or a function of the user's own.

`reporting` tells them of jobs. The packages `wandb`, `mlflow` and `trackio` are extras of these names; what
they read from the environment (WANDB_MODE, MLFLOW_TRACKING_URI, …) they read as ever.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from symtable import symtable
from typing import Any, Protocol

from engines.core.errors import EngineError
from workbench.jobs.boards import TensorBoard
from workbench.jobs.tail import LoggedEvent

__all__ = ["FILE", "NAMES", "Reporter", "Run", "checked", "configured", "listed", "reporter"]

FILE = "reporters.json"
"""In a run folder: the names of those that are told of the job as it runs."""

PROJECT = "mathwb"
_PARAMS_AT_ONCE = 100
"""MLflow takes no more in one request."""
_MLFLOW = {"succeeded": "FINISHED", "stopped": "KILLED", "failed": "FAILED", "lost": "FAILED"}
"""What MLflow calls an end."""


@dataclass(frozen=True, slots=True)
class Run:
    """The job that is reported. `name` tells it from all others, `settings` are those of its recipe by
    dotted name."""

    job: int
    name: str
    title: str
    task: str
    folder: Path
    settings: Mapping[str, Any] = field(default_factory=dict)


class Reporter(Protocol):
    """Who is told. Everything is said once, in order, `begin` first and again whenever it goes on."""

    def begin(self, run: Run, known: str) -> str:
        """Args: known: what this returned the last time, empty the first time. Returns: by which name the
        run is found again."""
        ...

    def event(self, event: LoggedEvent) -> None:
        """The next event; of a `metric` only what has not been said of its step before."""
        ...

    def end(self, state: str, reason: str) -> None:
        """How it ended; both are empty when it goes on unwatched."""
        ...


class WandB:
    """Metrics as history by `step`, the recipe as configuration."""

    def begin(self, run: Run, known: str) -> str:
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

    def event(self, event: LoggedEvent) -> None:
        if event.kind == "metric":
            at = {} if event.step is None else {"step": event.step}
            self._run.log({**event.data, **at})

    def end(self, state: str, reason: str) -> None:  # noqa: ARG002  # it has no place for a reason
        self._run.finish(exit_code=int(state in ("failed", "lost")))


class MLflow:
    """Metrics by step and time, the recipe as parameters. Where nothing names a place, a database beside the
    runs takes them all: MLflow's own is one in each folder that it is started in."""

    def begin(self, run: Run, known: str) -> str:
        mlflow = importlib.import_module("mlflow")
        here = None if mlflow.is_tracking_uri_set() else f"sqlite:///{run.folder.parent.absolute()}/mlflow.db"
        self._client = mlflow.MlflowClient(here)
        self._entities = importlib.import_module("mlflow.entities")
        if known:
            self._client.update_run(known, status="RUNNING")
            self._id = known
            return known
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT)
        found = self._client.get_experiment_by_name(name)
        experiment = found.experiment_id if found is not None else self._client.create_experiment(name)
        tags = {"mathwb.task": run.task, "mathwb.job": str(run.job)}
        made = self._client.create_run(experiment, run_name=run.name, tags=tags)
        self._id = str(made.info.run_id)
        given = [self._entities.Param(name, str(value)) for name, value in run.settings.items()]
        for begin in range(0, len(given), _PARAMS_AT_ONCE):
            self._client.log_batch(self._id, params=given[begin : begin + _PARAMS_AT_ONCE])
        return self._id

    def event(self, event: LoggedEvent) -> None:
        if event.kind == "metric":
            at = round(1000 * event.t), event.step or 0
            values = [self._entities.Metric(name, value, *at) for name, value in event.data.items()]
            self._client.log_batch(self._id, metrics=values)

    def end(self, state: str, reason: str) -> None:
        if state:
            if reason:
                self._client.set_tag(self._id, "mathwb.reason", reason)
            self._client.set_terminated(self._id, status=_MLFLOW[state])


class Trackio:
    """Metrics by step, the recipe as configuration; its runs go by their names."""

    def begin(self, run: Run, known: str) -> str:
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

    def event(self, event: LoggedEvent) -> None:
        if event.kind == "metric":
            self._trackio.log(dict(event.data), step=event.step)

    def end(self, state: str, reason: str) -> None:  # noqa: ARG002  # it has no place for either
        self._trackio.finish()


class Callback:
    """A function that is called with the run and each event, at the end with one of the kind `ended`."""

    def __init__(self, function: Callable[[Run, LoggedEvent], object]) -> None:
        self._function = function

    def begin(self, run: Run, known: str) -> str:  # noqa: ARG002  # nothing has to be found again
        self._run = run
        self._last = LoggedEvent(0.0, run.job, 0, -1, "ended", None, {})
        return ""

    def event(self, event: LoggedEvent) -> None:
        self._last = event
        self._function(self._run, event)

    def end(self, state: str, reason: str) -> None:
        last = self._last
        if state:
            data = {"state": state, "reason": reason}
            self._function(
                self._run, LoggedEvent(last.t, last.job, last.attempt, last.seq + 1, "ended", None, data)
            )


NAMES: Mapping[str, Callable[[], Reporter]] = {
    "tensorboard": TensorBoard,
    "wandb": WandB,
    "mlflow": MLflow,
    "trackio": Trackio,
}


def checked(name: str) -> str:
    """The name of a reporter that is here: a file is named from the root. Raises: EngineError E627."""
    if name in NAMES:
        if importlib.util.find_spec(name) is None:
            raise _unusable(
                f"the package {name} is not installed", f'Install it: pip install "mathwb[{name}]"'
            )
        return name
    place, colon, function = name.rpartition(":")
    if not colon:
        known = ", ".join(NAMES)
        raise _unusable(f"there is no reporter {name!r}", f"There are {known}, and FILE.py:FUNCTION.")
    path = Path(place).expanduser().absolute()
    if path.suffix != ".py" or not path.is_file():
        raise _unusable("there is no such Python file", "Name one: FILE.py:FUNCTION.", str(path))
    try:
        text = path.read_text(encoding="utf-8")
        names = {symbol.get_name() for symbol in symtable(text, str(path), "exec").get_symbols()}
    except (OSError, ValueError, SyntaxError) as error:
        raise _unusable(f"it cannot be read as Python: {error}", "Mend it.", str(path)) from error
    if function not in names and "import *" not in text:
        raise _unusable(f"it has no function {function!r}", "Name one of its functions.", str(path))
    return f"{path}:{function}"


def listed(text: str) -> str:
    """Several reporters with commas, each `checked`. Raises: EngineError E627."""
    return ",".join(checked(name) for each in text.split(",") if (name := each.strip()))


def configured(task: str) -> dict[str, dict[str, Any]]:
    """The file of a new run folder that names who is told, as the setting `reporters` says: TensorBoard,
    which is its default, of trainings alone. Nothing when there is nobody. Raises: EngineError E627.
    """
    from workbench.config import own_config

    names = [name.strip() for name in str(own_config().get("reporters")).split(",")]
    found = [checked(name) for name in names if name and (name != "tensorboard" or task == "train")]
    return {FILE: {"v": 1, "names": found}} if found else {}


def reporter(name: str) -> Reporter:
    """The reporter of this name, from the name that `checked` gave. Raises: EngineError E627."""
    if name in NAMES:
        return NAMES[name]()
    place, _, function = name.rpartition(":")
    spec = importlib.util.spec_from_file_location("mathwb_reporter", place)
    assert spec is not None  # its name ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        raise _unusable(f"it has no function {function!r}", "Name one of its functions.", place)
    return Callback(found)


def _unusable(what: str, remedy: str, where: str = "") -> EngineError:
    return EngineError(what, where=where, code="E627", exit_code=2, remedy=remedy)
