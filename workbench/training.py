"""From recipe to jobs: data by kind becomes paths, one recipe several runs, their results one figure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from workbench.data_kinds import kinds
from workbench.errors import MissingError, UsageError, did_you_mean
from workbench.jobs.changes import next_free
from workbench.jobs.executors import check_placement
from workbench.operation import load
from workbench.paper import data_keys
from workbench.recipes import Recipe, recipes, with_value

if TYPE_CHECKING:
    from workbench.paper import Trainer
    from workbench.workspace import Workspace

__all__ = [
    "Summary",
    "Variant",
    "begun_from",
    "by_setting",
    "check_trains",
    "data_names",
    "data_path",
    "interval",
    "job_spec",
    "seeds_of",
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
) -> Recipe:
    """The job that trains by a recipe, with nothing left open.

    Args: device: instead of the recipe's. executor: see `jobs.executors`. publish: copy the model to the
    workspace's models under the recipe's name, or the next free one; not with `out`.
    Raises: UsageError E425 for a recipe of something else, EngineError E630 for a setting, E638 for a device,
    MissingError E354 for data that is not here.
    """
    from engines.training import TrainConfig
    from workbench.paper import trainers

    params: dict[str, Any] = dict(recipe.params)
    check_trains(recipe)
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
                return Path(entry.path)
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
class Variant:
    """One of several runs of a recipe. `setting` is its place in the grid, `repeat` what makes it one of
    several of that setting: seed and fold."""

    recipe: Recipe
    setting: Mapping[str, Any]
    repeat: Mapping[str, int]


def variants(
    recipe: Recipe,
    *,
    seeds: Sequence[int] = (),
    folds: bool = False,
    grid: Sequence[str] = (),
    random: Sequence[str] = (),
    draws: int = 0,
) -> list[Variant]:
    """Every combination of grid values, draws, seeds and folds.

    Args: grid: each `key=v1,v2`, or `key=low..high/count` for values at equal distances, with `log` behind
    the count at equal ratios, or `key=low..high` for all whole numbers. random: each `key=low..high`, drawn
    evenly `draws` times by the recipe's seed, with `/log` evenly in the logarithm. folds: one run for each
    of the recipe's `model.folds`.
    Raises: UsageError E424 for a key that the recipe lacks, E426 for a grid without values or a recipe
    without folds.
    """
    from workbench.recipes import with_settings

    axes = []
    for axis in grid:
        key, equals, values = axis.partition("=")
        if not equals or not values:
            raise UsageError(f"{axis!r} is no key=v1,v2", code="E426", remedy="As in: --grid lr=1e-4,3e-4")
        axes.append([(key, value) for value in _values(values)])
    count = recipe.params.get("model", {}).get("folds", 0)
    if folds and not count:
        raise UsageError(
            f"{recipe.name} has no folds", code="E426", remedy="Use --seeds, or a recipe with model.folds."
        )
    found = []
    settings = [(*fixed, *drawn) for drawn in _drawn(random, draws, recipe.seed) for fixed in product(*axes)]
    for setting in settings:
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


def seeds_of(text: str) -> list[int]:
    """The seeds that `1,2,3` or `1..3` are. Raises: UsageError E426."""
    try:
        return [int(value) for value in _values(text)] if text else []
    except ValueError:
        remedy = "As in: --seeds 1,2,3, or 1..3"
        raise UsageError(f"{text!r} are no seeds", code="E426", remedy=remedy) from None


_RANGE = re.compile(r"(?P<low>[-+.\deE]+?)\.\.(?P<high>[-+.\deE]+)(?:/(?P<count>\d*)(?P<log>log)?)?")


def _range(text: str) -> tuple[str, str, int, bool]:
    """Low, high, count (0: not given) and whether by ratios. Raises: UsageError E426."""
    match = _RANGE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        low, high = match["low"], match["high"]
        by_ratio = bool(match["log"])
        if not float(low) < float(high) or (by_ratio and float(low) <= 0):
            raise ValueError
    except ValueError:
        remedy = "As in: 1..5, 0..1/5, 1e-5..1e-3/4log, from the lower to the higher."
        raise UsageError(f"{text!r} is no range", code="E426", remedy=remedy) from None
    return low, high, int(match["count"] or 0), by_ratio


def _values(text: str) -> list[str]:
    """The values of a grid axis: a list, or a range."""
    if ".." not in text:
        return text.split(",")
    low, high, count, by_ratio = _range(text)
    if not count:
        if not (low.isdecimal() and high.isdecimal()) or by_ratio:
            raise UsageError(f"{text!r} does not say how many", code="E426", remedy="As in: 0..1/5")
        return [str(value) for value in range(int(low), int(high) + 1)]
    found = [_between(low, high, number / max(1, count - 1), by_ratio) for number in range(count)]
    return [f"{value:.0f}" if value.is_integer() else f"{value:.4g}" for value in found]


def _drawn(random: Sequence[str], draws: int, seed: int) -> list[tuple[tuple[str, str], ...]]:
    """The settings of each draw; one without any where nothing is drawn."""
    if not random:
        return [()]
    source = Random(seed)
    axes = []
    for axis in random:
        key, _, text = axis.partition("=")
        axes.append((key, *_range(text)))
    return [
        tuple((key, _draw(source, low, high, by_ratio)) for key, low, high, _, by_ratio in axes)
        for _ in range(draws)
    ]


def _draw(source: Random, low: str, high: str, by_ratio: bool) -> str:
    """A value of a range: a whole number between whole numbers, otherwise to four digits."""
    value = _between(low, high, source.random(), by_ratio)
    return str(round(value)) if low.isdecimal() and high.isdecimal() else f"{value:.4g}"


def _between(low: str, high: str, part: float, by_ratio: bool) -> float:
    a, b = float(low), float(high)
    return a * (b / a) ** part if by_ratio else a + (b - a) * part


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
        sums = {name: summary([float(each[name]) for each in measures], name).to_dict() for name in names}
        counts = {"runs": len(found), "finished": len(measures)}
        rows.append({"setting": dict(setting), **counts, "measures": sums})
    return rows
