"""Training as an operation: from the tables of a recipe to an engine's training task and back.

```
[params]
trainer = "egen.contrastive"    which model: a trainer of a paper
[params.data]                   data by kind; paths by the time the work begins
[params.model]                  what the trainer takes: sizes, pooling, loss, …
[params.train]                  what every training takes: see `engines.training.TrainConfig`
```
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from engines.core.errors import did_you_mean
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, known
from workbench.errors import UsageError
from workbench.operation import Operation, load
from workbench.paper import trainers

if TYPE_CHECKING:
    from engines.training import TrainingTask, TrainResult

__all__ = ["OPERATIONS", "CheckTraining", "Train", "Trains", "check", "settled", "train", "trainer"]

OPERATIONS = (
    Operation(
        "train",
        "Train a model by a recipe, here or in the background.",
        spec="workbench.train:Train",
        call="workbench.train:train",
        settle="workbench.train:settled",
    ),
    Operation(
        "train.check",
        "Ask a trainer whether it takes a recipe's settings.",
        spec="workbench.train:CheckTraining",
        call="workbench.train:check",
    ),
)
"""Offered by `mathwb train` and the launch form, which make them of recipes."""


class Trains(Protocol):
    """What a trainer's name stands for."""

    def __call__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> TrainingTask:
        """The task to train. Raises: EngineError for settings or data that cannot be used."""
        ...


@dataclass(frozen=True, slots=True)
class CheckTraining:
    """What determines a training, as far as it can be checked before its data are read."""

    trainer: Annotated[str, Arg("Which model: a trainer's name.")]
    data: Annotated[Mapping[str, Any], Arg("Data by kind.")] = field(default_factory=dict)
    model: Annotated[Mapping[str, Any], Arg("What the trainer takes.")] = field(default_factory=dict)
    train: Annotated[Mapping[str, Any], Arg("What every training takes.")] = field(default_factory=dict)
    seed: Annotated[int, Arg("Of weights, order and dropout.", low=0, high=2**32 - 1)] = 0
    stop_worst: Annotated[str, Arg("A measure to be taken while it runs.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Train:
    """Train a model by the tables of a recipe."""

    trainer: Annotated[str, Arg("Which model: a trainer's name.")]
    out: Annotated[Path, Arg("The folder for checkpoints and model.", option=True, writes=True)]
    data: Annotated[Mapping[str, Any], Arg("Data by kind.")] = field(default_factory=dict)
    model: Annotated[Mapping[str, Any], Arg("What the trainer takes.")] = field(default_factory=dict)
    train: Annotated[Mapping[str, Any], Arg("What every training takes.")] = field(default_factory=dict)
    seed: Annotated[int, Arg("Of weights, order and dropout.", low=0, high=2**32 - 1)] = 0
    recipe: Annotated[str, Arg("Where the settings come from.")] = ""
    device: Annotated[str, Arg("auto, all, cpu, or GPUs by number or UUID, as in 0,1.")] = "auto"
    executor: Annotated[str, Arg("local, or slurm with options of sbatch.")] = "local"
    publish: Annotated[Path | None, Arg("The folder to which the finished model is copied.", writes=True)] = (
        None
    )


def trainer(name: str) -> Trains:
    """The function behind a name; its engine is imported now. Raises: UsageError E411 for an unknown name."""
    if name not in trainers():
        known = did_you_mean(name, trainers()) or f"There are: {', '.join(trainers())}."
        raise UsageError(f"there is no trainer {name!r}", code="E411", remedy=known)
    found: Trains = load(trainers()[name].call)
    return found


def train(spec: Train, *, events: Sink = ignore, stop: Stop = never) -> TrainResult:
    """Train a model. Returns: how it ended, with the model's folder."""
    from dataclasses import replace

    from engines.core.files import copy_folder
    from engines.training import RECORD, TrainConfig
    from engines.training import train as run

    # The libraries take seconds to load; until then nothing else can be told.
    events(Event("log", {"message": "loading what trains models"}))
    config = TrainConfig.of({**spec.train, "seed": spec.seed, "device": _device(spec.device)})
    task = trainer(spec.trainer)(spec.model, _paths(spec.data), seed=spec.seed)
    kept = _kept()
    result = run(task, config, spec.out, events=events, stop=stop, facts=_facts(spec), kept=kept)
    if result.complete and spec.publish is not None and os.environ.get("RANK", "0") == "0":
        copy_folder(spec.out / "model", spec.publish, RECORD)
        result = replace(result, model=str(spec.publish))
    return result


def check(spec: CheckTraining) -> dict[str, Any]:
    """Ask the trainer whether it takes these settings, before a job is made of them. Returns: nothing.

    Raises: EngineError as `train` would, as far as it shows without reading the data.
    """
    from engines.training import TrainConfig

    config = TrainConfig.of(spec.train)
    task = trainer(spec.trainer)(spec.model, _paths(spec.data), seed=spec.seed)
    config.check_best(task.measures)
    names = [*task.measures, "loss_nats"]
    if spec.stop_worst and spec.stop_worst not in names:
        what = f"stop_worst is {spec.stop_worst!r}, which is not measured"
        raise UsageError(what, code="E403", remedy=known(spec.stop_worst, names))
    return {}


def settled(spec: Train) -> Train:
    """The spec, which its trainer takes. Raises: as `check`, and DataError E452 where what no training made
    would be replaced."""
    from engines.core.files import refuse_other
    from engines.training import RECORD, refuse_others

    refuse_others(spec.out)
    if spec.publish is not None:
        refuse_other(spec.publish, RECORD)
    check(CheckTraining(spec.trainer, data=spec.data, model=spec.model, train=spec.train, seed=spec.seed))
    return spec


def _paths(data: Mapping[str, Any]) -> dict[str, Path]:
    return {kind: Path(place) for kind, place in data.items()}


def _device(policy: str) -> str:
    """For the engine: which GPUs it sees has been settled by who started this process."""
    kind = policy.partition(":")[0]
    return kind if kind in ("auto", "cpu") else "cuda"


def _kept() -> Path | None:
    """What jobs of a workspace share of what is made of their data; none outside of a job."""
    from workbench.jobs.process import MARK

    attempt = os.environ.get(MARK)
    return Path(attempt).parents[1] / ".kept" if attempt else None


def _facts(spec: Train) -> dict[str, Any]:
    """The recipe and, within a job, its environment; names instead of places, since models travel."""
    from engines.core.spec import values
    from workbench.jobs.process import MARK

    recipe = {key: value for key, value in values(spec).items() if key not in ("out", "publish")}
    recipe["data"] = {kind: Path(place).name for kind, place in spec.data.items()}
    attempt = os.environ.get(MARK)
    if not attempt:
        return {"recipe": recipe}
    try:
        environment = json.loads((Path(attempt).parent / "env.json").read_bytes())
    except (OSError, ValueError):
        return {"recipe": recipe}
    for entry in environment.get("data", {}).values():
        entry["path"] = Path(entry["path"]).name
    return {"recipe": recipe, "environment": environment}
