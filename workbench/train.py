"""Training: from recipes to jobs, and by a trainer to a model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from engines.core.errors import EngineError, did_you_mean
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, known, values
from workbench.data import kinds
from workbench.errors import MissingError, UsageError
from workbench.jobs.control import next_free
from workbench.jobs.executors import check_placement
from workbench.jobs.folder import read_document
from workbench.operation import Operation
from workbench.paper import Trainer, data_keys, load, trainers
from workbench.recipes import Recipe, recipes

if TYPE_CHECKING:
    from engines.training import TrainingTask, TrainResult
    from workbench.workspace import Workspace


_FOLDERS = {"corpus": "corpora", "model": "models", "backbone": "models"}


def job_spec(
    workspace: Workspace,
    recipe: Recipe,
    *,
    out: Path | None = None,
    device: str = "",
    executor: str = "local",
    publish: bool = True,
) -> Recipe:
    """The job that trains by a recipe, with nothing left open.

    Args: device: instead of the recipe's. executor: see `jobs.executors`. publish: copy the model to the
    workspace's models under the recipe's name, or the next free one; not with `out`.
    Raises: UsageError E425 for a recipe of something else, E424 for one that says where to write, EngineError
    E630 for a setting, E638 for a device, MissingError E354 for data that is not here.
    """
    from engines.training import TrainConfig

    params: dict[str, Any] = dict(recipe.params)
    check_trains(recipe)
    if params.pop("out", None):
        # Anybody may have written the recipe: where a training writes says who starts it.
        what = f"{recipe.name} sets `out`, which a training recipe may not"
        raise UsageError(what, code="E424", remedy="Remove `out` from it, and use --out.")
    params.pop("publish", None)
    row = _row(str(params.get("trainer")))
    TrainConfig.of(params.get("train", {}))
    _check_data(row, params.get("data", {}))
    params["recipe"] = recipe.name
    params["device"] = device or params.get("device", "auto")
    if executor != "local":
        params["executor"] = executor
    check_placement(params)
    data = params.get("data", {})
    params["data"] = {kind: str(data_path(workspace, kind, name)) for kind, name in data.items() if name}
    if out is not None:
        params["out"] = str(out.absolute())
    elif publish:
        params["publish"] = str(next_free(workspace.models, recipe.name.rpartition("/")[2]))
    return Recipe("train", f"train {recipe.name}", params, recipe.seed)


def question(spec: Recipe, stop_worst: str = "") -> dict[str, Any]:
    """What the operation `train.check` is asked about a training. Args: stop_worst: a measure that is to be
    taken while it runs."""
    wanted = ("trainer", "data", "model", "train")
    found = {key: spec.params[key] for key in wanted if key in spec.params}
    return {**found, "seed": spec.seed, "stop_worst": stop_worst}


def _check_data(trainer: Trainer, data: Mapping[str, Any]) -> None:
    for key in data:
        if key not in trainer.data:
            remedy = did_you_mean(key, trainer.data) or f"It reads: {', '.join(trainer.data) or 'none'}."
            raise UsageError(f"{trainer.name} reads no data.{key}", code="E424", remedy=remedy)


def begun_from(recipe: Recipe, model: str) -> Recipe:
    """The recipe, to begin with the weights of a model. Raises: UsageError E424 for a trainer that begins
    from none."""
    check_trains(recipe)
    trainer = trainers().get(str(recipe.params.get("trainer")))
    if trainer is None or not trainer.begins:
        raise UsageError(
            f"{recipe.name} cannot start from a model", code="E424", remedy="Leave out --init-from."
        )
    data = {**recipe.params.get("data", {}), trainer.begins: model}
    return replace(recipe, params={**recipe.params, "data": data})


def check_trains(recipe: Recipe) -> None:
    """Refuse a recipe of something else. Raises: UsageError E425."""
    if recipe.task != "train":
        raise UsageError(
            f"{recipe.name} does not train a model: its task is {recipe.task}",
            code="E425",
            remedy="List the recipes that do with: mathwb train --list",
        )


def data_path(workspace: Workspace, kind: str, name: str) -> Path:
    """Where data is: a path, the name of a corpus, model or collection of the workspace, or a registered data
    set. A key that is a kind of data takes only data of that kind. Raises: MissingError E354, which says how
    to get it."""
    path = Path(name).expanduser()
    if len(path.parts) > 1:
        if path.exists():
            return path.absolute()
    else:
        for folder in [_FOLDERS[kind]] if kind in _FOLDERS else ("corpora", "models"):
            if (workspace.root / folder / name).exists():
                return workspace.root / folder / name
    own = data_keys().get(kind)
    if own is not None:
        if (place := load(own.find)(workspace, name)) is not None:
            return Path(place)
    else:
        for entry in workspace.data.all():
            if entry.name == name and (entry.kind == kind or kind not in kinds()):
                return entry.place()
        if path.exists() and kind not in _FOLDERS and kind not in kinds():
            return path.absolute()
    if kind in ("model", "backbone"):
        remedy = f"Train it first, or name a model folder with --set data.{kind}=PATH"
    else:
        registered = own.kind if own else kind
        remedy = (
            f"{_maker(name)}Name another with --set data.{kind}=NAME, or register one: "
            f"mathwb data add {registered} PATH"
        )
    raise MissingError(f"there is no {kind} {name!r} here", code="E354", remedy=remedy)


def data_names(workspace: Workspace, kind: str) -> dict[str, str]:
    """The names that `data_path` knows for this key, of the workspace and of registered data, with what each
    holds: `80 records, corpus`."""
    folders = [workspace.root / name for name in dict.fromkeys(_FOLDERS.values())]
    held = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    held += [path for _, path in workspace.held()]
    names = [name for path in held for name in (path.name, path.stem) if not name.startswith(".")]
    names += [entry.name for entry in workspace.data.all()]
    held_kinds = {path.name: (name, kinds()[name].records(path)) for name, path in workspace.held()}
    held_kinds |= {entry.name: (entry.kind, entry.counts.get("records")) for entry in workspace.data.all()}

    def found(name: str) -> bool:
        try:
            data_path(workspace, kind, name)
        except EngineError:
            return False
        return True

    def words(name: str) -> str:
        of, count = held_kinds.get(name, ("", None))
        return of if count is None else f"{count:,} records, {of}"

    return {name: words(name) for name in dict.fromkeys(names) if found(name)}


def _maker(name: str) -> str:
    """The recipe that makes a corpus of this name, as a sentence; nothing when there is none."""
    for recipe in recipes():
        if recipe.task == "egen.corpus" and recipe.name.rpartition("/")[2] == name:
            return f"The recipe {recipe.name} makes it (`a` on the Jobs screen). "
    return ""


# Training as an operation: from the tables of a recipe to an engine's training task and back.
#
# ```
# [params]
# trainer = "egen.contrastive"    which model: a trainer of a paper
# [params.data]                   data by kind; paths by the time the work begins
# [params.model]                  what the trainer takes: sizes, pooling, loss, …
# [params.train]                  what every training takes: see `engines.training.TrainConfig`
# ```

OPERATIONS = (
    Operation(
        "train",
        "Train a model from a recipe, here or in the background.",
        "workbench.train:train",
        resolve="workbench.train:resolved",
    ),
    Operation(
        "train.check",
        "Ask a trainer whether it takes a recipe's settings.",
        "workbench.train:check",
    ),
)
"""Offered by `mathwb train` and the launch form, which make them of recipes."""


class Trains(Protocol):
    """What a trainer's name stands for."""

    def __call__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> TrainingTask:
        """The task to train. Raises: EngineError for settings or data that cannot be used."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    trainer: Annotated[str, Arg("Which model: a trainer's name.")]
    data: Annotated[Mapping[str, Any], Arg("Data by kind.")] = field(default_factory=dict)
    model: Annotated[Mapping[str, Any], Arg("What the trainer takes.")] = field(default_factory=dict)
    train: Annotated[Mapping[str, Any], Arg("What every training takes.")] = field(default_factory=dict)
    seed: Annotated[int, Arg("Of weights, order and dropout.", low=0, high=2**32 - 1)] = 0

    def task(self) -> TrainingTask:
        """Raises: as `Trains`."""
        paths = {kind: Path(place) for kind, place in self.data.items()}
        return trainer(self.trainer)(self.model, paths, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTraining(_Settings):
    """What determines a training, as far as it can be checked before its data are read."""

    stop_worst: Annotated[str, Arg("A measure to be taken while it runs.")] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Train(_Settings):
    """Train a model by the tables of a recipe."""

    out: Annotated[Path, Arg("Folder for the checkpoints and the model.", option=True, writes=True)]
    recipe: Annotated[str, Arg("Where the settings come from.")] = ""
    device: Annotated[str, Arg("auto, all, cpu, or GPUs by number or UUID, as in 0,1.")] = "auto"
    executor: Annotated[str, Arg("local, or slurm with options of sbatch.")] = "local"
    publish: Annotated[Path | None, Arg("The folder to which the finished model is copied.", writes=True)] = (
        None
    )


def trainer(name: str) -> Trains:
    """The function behind a name; its engine is imported now. Raises: UsageError E411 for an unknown name."""
    result: Trains = load(_row(name).call)
    return result


def _row(name: str) -> Trainer:
    if name not in trainers():
        remedy = did_you_mean(name, trainers()) or f"There are: {', '.join(trainers())}."
        raise UsageError(f"there is no trainer {name!r}", code="E411", remedy=remedy)
    return trainers()[name]


def train(spec: Train, *, events: Sink = ignore, stop: Stop = never) -> TrainResult:
    """Train a model. Returns: how it ended, with the model's folder."""
    from engines.core.files import copy_folder
    from engines.training import RECORD, TrainConfig
    from engines.training import train as run

    # The libraries take seconds to load; until then there is no other progress.
    events(Event("log", {"message": "loading the training libraries"}))
    config = TrainConfig.of({**spec.train, "seed": spec.seed, "device": _device(spec.device)})
    result = run(
        spec.task(), config, spec.out, events=events, stop=stop, facts=_facts(spec), cache=_token_cache()
    )
    if result.complete and spec.publish is not None and os.environ.get("RANK", "0") == "0":
        copy_folder(spec.out / "model", spec.publish, RECORD)
        result = replace(result, model=str(spec.publish))
    return result


def check(spec: CheckTraining) -> dict[str, Any]:
    """Ask the trainer whether it takes these settings, before a job is made of them. Returns: the measures
    that it may be judged by.

    Raises: EngineError as `train` would, as far as it shows without reading the data.
    """
    names = _measures(spec)
    if spec.stop_worst and spec.stop_worst not in names:
        what = f"stop_worst is {spec.stop_worst!r}, which is not computed"
        raise UsageError(what, code="E403", remedy=known(spec.stop_worst, names))
    return {"measures": names}


def _measures(spec: _Settings) -> list[str]:
    from engines.training import TrainConfig

    config = TrainConfig.of(spec.train)
    task = spec.task()
    config.check_best(task.measures)
    return [*task.measures, "loss_nats"]


def resolved(spec: Train) -> Train:
    """The spec, which its trainer takes. Raises: as `check`, and DataError E452 where what no training made
    would be replaced."""
    from engines.core.files import refuse_other
    from engines.training import RECORD, refuse_others

    refuse_others(spec.out)
    if spec.publish is not None:
        refuse_other(spec.publish, RECORD)
    _measures(spec)
    return spec


def _device(policy: str) -> str:
    """For the engine: which GPUs it sees was decided by who started this process."""
    kind = policy.partition(":")[0]
    return kind if kind in ("auto", "cpu") else "cuda"


def _token_cache() -> Path | None:
    """What jobs of a workspace share of what is made of their data; none outside of a job."""
    from workbench.jobs.machine import MARK

    attempt = os.environ.get(MARK)
    return Path(attempt).parents[1] / ".kept" if attempt else None


def _facts(spec: Train) -> dict[str, Any]:
    """The recipe and, within a job, its environment; names instead of places, since models travel."""
    from workbench.jobs.machine import MARK

    recipe = {key: value for key, value in values(spec).items() if key not in ("out", "publish")}
    recipe["data"] = {kind: Path(place).name for kind, place in spec.data.items()}
    attempt = os.environ.get(MARK)
    environment = read_document(Path(attempt).parent / "env.json") if attempt else {}
    if not environment:
        return {"recipe": recipe}
    for entry in environment.get("data", {}).values():
        entry["path"] = Path(entry["path"]).name
    return {"recipe": recipe, "environment": environment}
