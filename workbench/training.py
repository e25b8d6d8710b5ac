"""From recipe to job: data by kind becomes paths, the results of several runs one figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError, did_you_mean
from workbench.data import kinds
from workbench.errors import MissingError, UsageError
from workbench.jobs.control import next_free
from workbench.jobs.executors import check_placement
from workbench.paper import data_keys, load
from workbench.recipes import Recipe, recipes

if TYPE_CHECKING:
    from workbench.paper import Trainer
    from workbench.workspace import Workspace


CONFIDENCE = 0.95
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
    from workbench.paper import trainers

    params: dict[str, Any] = dict(recipe.params)
    check_trains(recipe)
    if params.pop("out", None):
        # Anybody may have written the recipe: where a training writes says who starts it.
        what = f"{recipe.name} says where to write, which a recipe of a training may not"
        raise UsageError(what, code="E424", remedy="Take `out` out of it, and say it with --out.")
    params.pop("publish", None)
    if params.get("trainer") not in trainers():
        known = did_you_mean(str(params.get("trainer")), trainers()) or f"There are: {', '.join(trainers())}."
        raise UsageError(f"there is no trainer {params.get('trainer')!r}", code="E411", remedy=known)
    TrainConfig.of(params.get("train", {}))
    _check_data(trainers()[params["trainer"]], params.get("data", {}))
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
    """Refuse data that a trainer would not read. Raises: UsageError E424."""
    for key in data:
        if key not in trainer.data:
            known = did_you_mean(key, trainer.data) or f"It reads: {', '.join(trainer.data) or 'none'}."
            raise UsageError(f"{trainer.name} reads no data.{key}", code="E424", remedy=known)


def begun_from(recipe: Recipe, model: str) -> Recipe:
    """The recipe, to begin with the weights of a model. Raises: UsageError E424 for a trainer that begins
    from none."""
    from workbench.paper import trainers

    check_trains(recipe)
    trainer = trainers().get(str(recipe.params.get("trainer")))
    if trainer is None or not trainer.begins:
        raise UsageError(
            f"what {recipe.name} trains begins from no model", code="E424", remedy="Leave out --init-from."
        )
    data = {**recipe.params.get("data", {}), trainer.begins: model}
    return replace(recipe, params={**recipe.params, "data": data})


def check_trains(recipe: Recipe) -> None:
    """Refuse a recipe of something else. Raises: UsageError E425."""
    if recipe.task != "train":
        raise UsageError(
            f"{recipe.name} does not train a model: its task is {recipe.task}",
            code="E425",
            remedy="See the recipes that do with: mathwb train --list",
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


def data_names(workspace: Workspace, kind: str) -> list[str]:
    """The names that `data_path` knows for this key: of the workspace and of registered data."""
    folders = [workspace.root / name for name in dict.fromkeys(_FOLDERS.values())]
    held = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    held += [path for _, path in workspace.held()]
    names = [name for path in held for name in (path.name, path.stem) if not name.startswith(".")]
    names += [entry.name for entry in workspace.data.all()]

    def known(name: str) -> bool:
        try:
            data_path(workspace, kind, name)
        except EngineError:
            return False
        return True

    return [name for name in dict.fromkeys(names) if known(name)]


def _maker(name: str) -> str:
    """The recipe that makes a corpus of this name, as a sentence; nothing when there is none."""
    for recipe in recipes():
        if recipe.task == "egen.corpus" and recipe.name.rpartition("/")[2] == name:
            return f"The recipe {recipe.name} makes it (`a` on the Jobs screen). "
    return ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A measure over repeated runs: mean and 95 % interval of the mean (Student's t; None for one run)."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "runs": self.runs}

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g}"
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


def summary(values: Sequence[float], measure: str = "") -> Summary:
    """Mean and interval of a measure's values in independent runs; that of a percentage, which the name of
    the `measure` says, ends at 0 and 100.

    >>> print(summary([0.9, 0.92, 0.94]))
    0.92 [0.8703, 0.9697]
    """
    mean = math.fsum(values) / len(values)
    half = interval(values)
    if half is None:
        return Summary(mean, None, None, len(values))
    low, high = mean - half, mean + half
    if measure.endswith("_percent"):
        low, high = max(0.0, low), min(100.0, high)
    return Summary(mean, low, high, len(values))


def interval(values: Sequence[float]) -> float | None:
    """Half the width of the 95 % interval of the mean; None for a single value."""
    if len(values) < 2:
        return None
    from statistics import stdev

    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, 0.5 + CONFIDENCE / 2))
    return quantile * stdev(values) / math.sqrt(len(values))
