"""From recipe to jobs: data by kind becomes paths, one recipe several runs, their results one figure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.collections import collections
from workbench.data_kinds import KINDS
from workbench.errors import MissingError, UsageError, did_you_mean
from workbench.jobs import JobSpec
from workbench.jobs.executors import check_placement
from workbench.recipes import Recipe, recipes, with_value

if TYPE_CHECKING:
    from workbench.workspace import Workspace

__all__ = [
    "Summary",
    "Variant",
    "by_setting",
    "check_trains",
    "data_path",
    "interval",
    "job_spec",
    "summary",
    "variants",
]

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
) -> JobSpec:
    """The job that trains by a recipe, with nothing left open.

    Args: device: instead of the recipe's. executor: see `jobs.executors`. publish: copy the model to the
    workspace's models under the recipe's name, or the next free one; not with `out`.
    Raises: UsageError E425 for a recipe of something else, EngineError E630 for a setting, E638 for a device,
    MissingError E354 for data that is not here.
    """
    from engines.training import TrainConfig
    from workbench.tasks.training import TRAINERS

    params: dict[str, Any] = dict(recipe.params)
    check_trains(recipe)
    if params.get("trainer") not in TRAINERS:
        known = did_you_mean(str(params.get("trainer")), TRAINERS) or f"There are: {', '.join(TRAINERS)}."
        raise UsageError(f"there is no trainer {params.get('trainer')!r}", code="E411", remedy=known)
    TrainConfig.of(params.get("train", {}))
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
        params["publish"] = str(_free(workspace.models, recipe.name.rpartition("/")[2]))
    return JobSpec("train", f"train {recipe.name}", params, recipe.seed)


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
    if kind == "collection":
        for one in collections(workspace):
            if one.name == name:
                return one.path
    else:
        for entry in workspace.data.all():
            if entry.name == name and (entry.kind == kind or kind not in KINDS):
                return Path(entry.path)
        if path.exists() and kind not in _FOLDERS and kind not in KINDS:
            return path.absolute()
    if kind in ("model", "backbone"):
        remedy = f"Train it first, or name a model folder with --set data.{kind}=PATH"
    else:
        registered = "arqmath" if kind == "collection" else kind
        remedy = (
            f"{_maker(name)}Name another with --set data.{kind}=NAME, or register one: "
            f"mathwb data add {registered} PATH"
        )
    raise MissingError(f"there is no {kind} {name!r} here", code="E354", remedy=remedy)


def _maker(name: str) -> str:
    """The recipe that makes a corpus of this name, as a sentence; nothing when there is none."""
    for recipe in recipes():
        if recipe.task == "egen.corpus" and recipe.name.rpartition("/")[2] == name:
            return f"The recipe {recipe.name} makes it (`a` on the Jobs screen). "
    return ""


def _free(folder: Path, stem: str) -> Path:
    names = (stem, *(f"{stem}-{number}" for number in range(2, 10**6)))
    return next(folder / name for name in names if not (folder / name).exists())


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several runs of a recipe. `setting` is its place in the grid, `repeat` what makes it one of
    several of that setting: seed and fold."""

    recipe: Recipe
    setting: Mapping[str, Any]
    repeat: Mapping[str, int]


def variants(
    recipe: Recipe, *, seeds: Sequence[int] = (), folds: bool = False, grid: Sequence[str] = ()
) -> list[Variant]:
    """Every combination of grid values, seeds and folds.

    Args: grid: each `key=v1,v2`. folds: one run for each of the recipe's `model.folds`.
    Raises: UsageError E424 for a key that the recipe lacks, E426 for a grid without values or a recipe
    without folds.
    """
    from workbench.recipes import with_settings

    axes = []
    for axis in grid:
        key, equals, values = axis.partition("=")
        if not equals or not values:
            raise UsageError(f"{axis!r} is no key=v1,v2", code="E426", remedy="As in: --grid lr=1e-4,3e-4")
        axes.append([(key, value) for value in values.split(",")])
    count = recipe.params.get("model", {}).get("folds", 0)
    if folds and not count:
        raise UsageError(
            f"{recipe.name} has no folds", code="E426", remedy="Use --seeds, or a recipe with model.folds."
        )
    found = []
    for setting in product(*axes):
        of_grid = with_settings(recipe, [f"{key}={value}" for key, value in setting])
        of_seed: list[int | None] = list(seeds) or [None]
        of_fold: list[int | None] = list(range(count)) if folds else [None]
        for seed, fold in product(of_seed, of_fold):
            made, repeat = of_grid, dict[str, int]()
            if seed is not None:
                made, repeat["seed"] = with_value(made, "seed", seed), seed
            if fold is not None:
                made, repeat["fold"] = with_value(made, "model.fold", fold), fold
            found.append(Variant(made, dict(setting), repeat))
    return found


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


def summary(values: Sequence[float]) -> Summary:
    """Mean and interval of a measure's values in independent runs.

    >>> print(summary([0.9, 0.92, 0.94]))
    0.92 [0.8703, 0.9697]
    """
    mean = math.fsum(values) / len(values)
    half = interval(values)
    if half is None:
        return Summary(mean, None, None, len(values))
    return Summary(mean, mean - half, mean + half, len(values))


def interval(values: Sequence[float]) -> float | None:
    """Half the width of the 95 % interval of the mean; None for a single value."""
    if len(values) < 2:
        return None
    from statistics import stdev

    from scipy.special import stdtrit

    quantile = float(stdtrit(len(values) - 1, 0.5 + CONFIDENCE / 2))
    return quantile * stdev(values) / math.sqrt(len(values))


def by_setting(variants: Sequence[Variant], values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The measures of finished runs, summed up over the repeats of each setting.

    Args: values: what each variant's task returned. Returns: rows of setting, runs and measures.
    """
    groups: dict[str, tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = {}
    for variant, value in zip(variants, values, strict=True):
        groups.setdefault(str(variant.setting), (variant.setting, []))[1].append(value)
    rows = []
    for setting, found in groups.values():
        measures = [value.get("measures", {}) for value in found if value.get("complete")]
        names = [name for name in (measures[0] if measures else ()) if all(name in each for each in measures)]
        sums = {name: summary([float(each[name]) for each in measures]).to_dict() for name in names}
        counts = {"runs": len(found), "finished": len(measures)}
        rows.append({"setting": dict(setting), **counts, "measures": sums})
    return rows
