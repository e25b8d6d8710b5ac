"""Training as a task: from the tables of a recipe to an engine's `TrainingTask` and back.

```
[params]
trainer = "egen.contrastive"    which model: a name in TRAINERS
[params.data]                   data by kind; paths by the time the task runs
[params.model]                  what the trainer takes: sizes, pooling, loss, …
[params.train]                  what every training takes: see `engines.training.TrainConfig`
```
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engines.core.events import Event, Sink, Stop
from workbench.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from engines.training import TrainingTask

__all__ = ["TRAINERS", "Trainer", "check", "train", "trainer"]


class Trainer(Protocol):
    """What a name in TRAINERS stands for."""

    def __call__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> TrainingTask:
        """The task to train. Raises: EngineError for settings or data that cannot be used."""
        ...


TRAINERS: Mapping[str, str] = {
    "egen.contrastive": "engines.egen.learning:contrastive",
    "egen.seq2seq": "engines.egen.learning:seq2seq",
    "arqmath.pretrain": "engines.arqmath.pretraining:pretrain",
    "arqmath.crossencoder": "engines.arqmath.finetuning:crossencoder",
    "arqmath.generator": "engines.arqmath.generator:generator",
}
"""`module:function` by name, one line for each kind of model that can be trained."""


def trainer(name: str) -> Trainer:
    """The function behind a name; its engine is imported now. Raises: UsageError E411 for an unknown name."""
    target = TRAINERS.get(name)
    if target is None:
        known = did_you_mean(name, TRAINERS) or f"There are: {', '.join(TRAINERS)}."
        raise UsageError(f"there is no trainer {name!r}", code="E411", remedy=known)
    module, _, function = target.partition(":")
    found: Trainer = getattr(import_module(module), function)
    return found


def train(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Train a model. Params: trainer, data, model, train (tables as above), device, seed, out, and `publish`:
    the folder to which the finished model is copied. Returns: `TrainResult` with the model's folder."""
    from engines.training import TrainConfig
    from engines.training import train as run

    # The libraries take seconds to load; until then nothing else can be told.
    events(Event("log", {"message": "loading what trains models"}))
    seed = int(params.get("seed", 0))
    device = _device(params.get("device", "auto"))
    config = TrainConfig.of({**params["train"], "seed": seed, "device": device})
    data = {kind: Path(place) for kind, place in params.get("data", {}).items()}
    task = trainer(params["trainer"])(params.get("model", {}), data, seed=seed)
    out = Path(params["out"])
    result = run(task, config, out, events=events, stop=stop, facts=_facts(params)).to_dict()
    if result["complete"] and params.get("publish") and os.environ.get("RANK", "0") == "0":
        result["model"] = str(_publish(out / "model", Path(params["publish"])))
    return result


def check(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """Ask the trainer whether it takes these settings, before a job is made of them. Params: as of `train`.
    Returns: nothing. Raises: EngineError as `train` would, as far as it shows without reading the data."""
    from engines.training import TrainConfig

    TrainConfig.of(params["train"])
    data = {kind: Path(place) for kind, place in params.get("data", {}).items()}
    trainer(params["trainer"])(params.get("model", {}), data, seed=int(params.get("seed", 0)))
    return {}


def _device(policy: str) -> str:
    """For the engine: which GPUs it sees has been settled by who started this process."""
    kind = policy.partition(":")[0]
    return kind if kind in ("auto", "cpu") else "cuda"


def _facts(params: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe and, within a job, its environment; names instead of places, since models travel."""
    from workbench.jobs.process import MARK

    recipe = {key: value for key, value in params.items() if key not in ("out", "publish")}
    recipe["data"] = {kind: Path(place).name for kind, place in params.get("data", {}).items()}
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


def _publish(model: Path, target: Path) -> Path:
    """Copy a model folder to where models are looked up by name; one of that name is replaced."""
    draft = target.with_name(f".{target.name}.tmp")
    old = target.with_name(f".{target.name}.old")
    for folder in (draft, old):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        shutil.copytree(model, draft)
        if target.exists():
            target.rename(old)
        draft.rename(target)
    except OSError as error:
        from engines.core.files import file_error

        raise file_error(error, target, "write") from error
    shutil.rmtree(old, ignore_errors=True)
    return target
